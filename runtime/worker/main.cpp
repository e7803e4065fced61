//===- main.cpp -----------------------------------------------------------===//
#include "runtime/worker/main.h"

#include "runtime/bench/bench_report.h"
#include "runtime/communication/collectives.h"
#include "runtime/communication/mpi_communicator.h"
#include "runtime/data/npy.h"
#include "runtime/shared/file.h"
#include "runtime/shared/layout.h"
#include "runtime/shared/manifest_check.h"
#include "runtime/step/step_library.h"
#include "runtime/threads/cores.h"
#include "runtime/threads/halide_hooks.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/worker/agreement.h"
#include "runtime/worker/memory_report.h"
#include "runtime/worker/train.h"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <unistd.h>

namespace partyline::runtime {

namespace {
/// What a rank makes of a cluster binary before it can work. Members are made in this order.
struct Worker {
  ClusterBinary binary;
  const ManifestClass *deviceClass = nullptr;
  std::optional<ThreadPool> threads;
  std::optional<LoadedStepLibrary> library;
  std::optional<Arena> arena;
  std::optional<StepLoop> steps;
  std::optional<BatchReader> reader;

  Session session(Communicator &communicator) {
    return {communicator, binary.manifest, *deviceClass, *arena, *steps, *reader};
  }
};
} // namespace

static std::string ownHostName() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

/// Names for messages: those of the machines until the manifest, which has better ones, is known.
static void exchangeHostNames(Communicator &communicator) {
  std::string names;
  for (const std::string &name : gatherStrings(communicator, ownHostName()))
    names += name + "\n";
  broadcastString(communicator, names);
  std::vector<std::string> list;
  for (size_t begin = 0, end; (end = names.find('\n', begin)) != std::string::npos; begin = end + 1)
    list.push_back(names.substr(begin, end - begin));
  communicator.setHostNames(list);
}

static void useManifestNames(Communicator &communicator, const Manifest &manifest) {
  if (manifest.hosts.empty())
    return;
  std::vector<std::string> names;
  for (const ManifestHost &host : manifest.hosts)
    names.push_back(host.name);
  communicator.setHostNames(names);
}

/// Loads the library and the weights of a class.
static void load(Worker &worker, const ManifestClass &deviceClass, int64_t threads) {
  const Manifest &manifest = worker.binary.manifest;
  worker.deviceClass = &deviceClass;
  const int count = int(threads > 0 ? threads : deviceClass.threads);
  keepToFastestCores(count);
  worker.threads.emplace(count);
  setKernelThreads(&*worker.threads);
  worker.library.emplace(worker.binary.folder + "/" + deviceClass.library, manifest, deviceClass);
  worker.arena.emplace(deviceClass.arenaBytes);
  loadParameters(worker.binary, deviceClass, *worker.arena);
  worker.steps.emplace(worker.library->tables(), deviceClass, *worker.arena);
  worker.reader.emplace(deviceClass.microBatch, elementCount(deviceClass.input.shape),
                        elementCount(deviceClass.labels.shape), takesLabels(manifest.options));
}

/// Reads the binary, compares it over the ranks, loads this rank's library and weights.
static void setUp(Worker &worker, Communicator &communicator, const std::string &folder, int64_t threads) {
  agree(communicator, [&] { worker.binary = openClusterBinary(folder); });
  const Manifest &manifest = worker.binary.manifest;
  useManifestNames(communicator, manifest);
  compareManifests(communicator, manifest.hash);
  agree(communicator,
        [&] { load(worker, classOfRank(worker.binary, communicator.rank(), communicator.size()), threads); });
}

/// What the data must be. A loss that takes numbers can make them of labels: see targetsOfLabel.
static DatasetShape datasetShape(const Manifest &manifest) {
  const ManifestClass &any = manifest.classes.front();
  const int64_t outputs = elementCount(any.evaluateLogits.shape);
  DatasetShape shape{any.input.shape, manifest.numberOfClasses > 0 ? manifest.numberOfClasses : outputs};
  if (takesLabels(manifest.options)) {
    shape.labels = any.labels.shape;
    shape.ignoredLabel = manifest.reduction.ignoreIndex;
    return shape;
  }
  shape.targets = any.labels.shape;
  shape.probabilities = manifest.options.loss == "bce";
  const int64_t labelsOfOne = shape.probabilities ? 2 : std::numeric_limits<int32_t>::max();
  shape.classes = outputs == 1 ? labelsOfOne : outputs;
  return shape;
}

static std::unique_ptr<Dataset> openSplit(const Manifest &manifest, const std::string &path, Split split) {
  return openDataset(path, split, datasetShape(manifest), manifest.preprocess);
}

static void train(Worker &worker, Communicator &communicator, Communicator &reduction, const TrainOptions &options) {
  setUp(worker, communicator, options.binary, options.threads);
  std::unique_ptr<Dataset> trainData, testData;
  Shares shares;
  agree(communicator, [&] {
    shares = chooseShares(options, worker.binary, communicator.size());
    trainData = openSplit(worker.binary.manifest, options.data, Split::train);
    if (options.validateEvery > 0 && hasSplit(options.data, Split::test))
      testData = openSplit(worker.binary.manifest, options.data, Split::test);
  });
  const Session session = worker.session(communicator);
  Trainer(session, reduction, *trainData, testData.get(), shares, options).run();
  if (!options.memoryReport.empty())
    writeMemoryReport(session, options.memoryReport);
}

static void evaluateModel(Worker &worker, Communicator &communicator, const EvaluateOptions &options) {
  setUp(worker, communicator, options.binary, options.threads);
  std::unique_ptr<Dataset> data;
  bool test = false;
  agree(communicator, [&] {
    test = hasSplit(options.data, Split::test);
    data = openSplit(worker.binary.manifest, options.data, test ? Split::test : Split::train);
  });
  const Session session = worker.session(communicator);
  if (!options.checkpoint.empty())
    loadWeights(session, options.checkpoint);
  Progress progress(options.progress, session.isFirst());
  const Evaluation evaluation = evaluate(session, *data, !options.logits.empty(), [&](int64_t done, int64_t total) {
    progress.step(done, total, std::to_string(done) + " of " + std::to_string(total) + " samples of this rank");
  });
  if (!session.isFirst())
    return;
  if (!options.logits.empty()) {
    std::vector<int64_t> shape = session.deviceClass.evaluateLogits.shape;
    shape.insert(shape.begin(), evaluation.samples);
    writeNpy(options.logits, shape, evaluation.logits.data());
  }
  progress.finish();
  std::printf("%s: %s\n", test ? "test" : "train", describe(evaluation).c_str());
}

/// Alone, whatever the binary's cluster is: what is timed is this machine.
static void benchBinary(Worker &worker, Communicator &communicator, const BenchOptions &options) {
  if (communicator.size() > 1)
    throw inputError("bench runs on one rank, not on " + std::to_string(communicator.size()));
  worker.binary = openClusterBinary(options.binary);
  load(worker, findClass(worker.binary.manifest, options.deviceClass), options.threads);
  std::optional<AtomicFile> file; // begun first: what cannot be written is not worth waiting for
  if (!options.json.empty())
    file.emplace(options.json);
  Progress progress(options.progress, true);
  const BenchResult result =
      bench(*worker.steps, *worker.deviceClass, worker.binary.manifest, *worker.arena, *worker.threads, options.seconds,
            [&](double over) { progress.step(int64_t(100 * over), 100, "timing every kernel"); });
  progress.finish();
  const BenchSubject subject{options.binary, worker.deviceClass->name, worker.threads->size()};
  if (file) {
    const std::string json = benchJson(subject, result);
    file->write(json.data(), json.size());
    file->commit();
  }
  std::printf(
      "%s",
      benchText(subject, result, options.byKernel ? byKernel(result.ops) : result.ops, size_t(options.rows)).c_str());
}

/// Runs one command of a rank. The communicators must outlive it: errors are reported over them.
static int runRank(MpiCommunicator &communicator, const std::function<void()> &command) {
  try {
    command();
    return kDone;
  } catch (const AgreedError &error) {
    if (communicator.rank() == 0)
      std::fprintf(stderr, "error: %s\n", error.what());
    return error.exitCode;
  } catch (const Error &error) {
    communicator.abortJob(error.what(), error.exitCode);
  } catch (const std::exception &error) {
    communicator.abortJob(error.what(), kFailed);
  }
}

/// Reports wrong usage, or prints the help asked for. All ranks see the same line; one speaks.
static int exitAfterParsing(const CLI::App &app, const CLI::ParseError &error) {
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank && std::string(rank) != "0")
    return error.get_exit_code() == 0 ? kDone : kWrongInput;
  return app.exit(error) == 0 ? kDone : kWrongInput;
}

int workerMain(int argc, char **argv) {
  CLI::App app("One rank of a Partyline job: trains, evaluates or times a cluster binary. Started by partyline train.");
  app.footer("Example: mpirun -n 4 partyline-worker train lenet.party --data digits/ --epochs 20 --checkpoint ckpt/");
  app.set_version_flag("--version", PARTYLINE_VERSION);
  app.require_subcommand(1);
  TrainOptions trainOptions;
  EvaluateOptions evaluateOptions;
  BenchOptions benchOptions;
  CLI::App *trainCommand = app.add_subcommand("train", "Train on all ranks of the job");
  CLI::App *evaluateCommand = app.add_subcommand("evaluate", "Accuracy and loss on the test split");
  CLI::App *benchCommand = app.add_subcommand("bench", "How long every kernel of a step takes here");
  addTrainOptions(*trainCommand, trainOptions);
  addEvaluateOptions(*evaluateCommand, evaluateOptions);
  addBenchOptions(*benchCommand, benchOptions);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return exitAfterParsing(app, error);
  }

  try {
    MpiSession mpi;
    const double timeLimit = trainCommand->parsed() ? trainOptions.watchdog : evaluateOptions.watchdog;
    MpiCommunicator communicator(timeLimit), reduction(timeLimit);
    Worker worker;
    return runRank(communicator, [&] {
      exchangeHostNames(communicator);
      reduction.setHostNames(communicator.allHostNames());
      if (trainCommand->parsed())
        train(worker, communicator, reduction, trainOptions);
      else if (benchCommand->parsed())
        benchBinary(worker, communicator, benchOptions);
      else
        evaluateModel(worker, communicator, evaluateOptions);
    });
  } catch (const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return error.exitCode;
  }
}

} // namespace partyline::runtime
