//===- codegen/subprocess.cpp - work in other processes -------------------===//

#include "codegen/subprocess.h"

#include "runtime/shared/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace partyline::codegen {
namespace {

[[noreturn]] void cannotStart(const std::string &program, int error) {
  throw runError("cannot start " + program + ": " + std::strerror(error));
}

/// A pipe whose ends close themselves.
struct Pipe {
  explicit Pipe(const std::string &program) {
    if (pipe2(ends, O_CLOEXEC) != 0)
      cannotStart(program, errno);
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  void closeEnd(int end) {
    if (ends[end] >= 0)
      close(ends[end]);
    ends[end] = -1;
  }
  int ends[2] = {-1, -1};
};

/// Waits in its destructor too, so that an exception out of `onLine` leaves no zombie.
struct Child {
  explicit Child(pid_t id) : id(id) {}
  ~Child() {
    if (id > 0)
      wait();
  }
  int wait() {
    int status = 0;
    while (waitpid(id, &status, 0) < 0 && errno == EINTR)
      ;
    id = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  pid_t id;
};

pid_t spawn(const std::vector<std::string> &command, const Pipe &output, const Pipe &errors) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.ends[1], STDERR_FILENO);
  pid_t child = -1;
  int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    cannotStart(command[0], error);
  return child;
}

/// Takes the complete lines out of `text`.
void takeLines(std::string &text, const std::function<void(const std::string &)> &onLine) {
  for (size_t end; (end = text.find('\n')) != std::string::npos;) {
    std::string line = text.substr(0, end);
    text.erase(0, end + 1);
    onLine(line);
  }
}

/// Reads both pipes until the child has closed them, then waits for its end.
ProcessResult readToEnd(Child &child, Pipe &output, Pipe &errors, const std::string &program,
                        const std::function<void(const std::string &line)> &onLine) {
  output.closeEnd(1);
  errors.closeEnd(1);
  ProcessResult result;
  std::string text;
  pollfd sources[] = {{output.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}};
  std::string *sinks[] = {&text, &result.errors};
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    if (poll(sources, 2, -1) < 0 && errno != EINTR)
      throw runError("cannot read from " + program + ": " + std::strerror(errno));
    for (int i = 0; i < 2; ++i) {
      if (sources[i].fd < 0 || sources[i].revents == 0)
        continue;
      char bytes[4096];
      ssize_t count = read(sources[i].fd, bytes, sizeof bytes);
      if (count > 0)
        sinks[i]->append(bytes, count);
      else if (count == 0 || errno != EINTR)
        sources[i].fd = -1; // poll skips negative ones
    }
    takeLines(text, onLine);
  }
  if (!text.empty())
    onLine(text);
  result.status = child.wait();
  return result;
}

[[noreturn]] void workInChild(const std::function<int(std::string &errors)> &work, int descriptor) {
  std::string errors;
  int status = 1;
  try {
    status = work(errors);
  } catch (const std::exception &error) {
    errors += error.what();
  }
  for (size_t written = 0; written < errors.size();) {
    ssize_t count = write(descriptor, errors.data() + written, errors.size() - written);
    if (count < 0 && errno != EINTR)
      break;
    written += count > 0 ? count : 0;
  }
  _exit(status);
}

} // namespace

ProcessResult runProcess(const std::vector<std::string> &command,
                         const std::function<void(const std::string &line)> &onLine) {
  Pipe output(command[0]), errors(command[0]);
  Child child(spawn(command, output, errors));
  return readToEnd(child, output, errors, command[0], onLine);
}

ProcessResult runInChild(const std::function<int(std::string &errors)> &work) {
  const std::string name = "a child process";
  Pipe output(name), errors(name);
  const pid_t id = fork();
  if (id < 0)
    cannotStart(name, errno);
  if (id == 0)
    workInChild(work, errors.ends[1]);
  Child child(id);
  return readToEnd(child, output, errors, name, [](const std::string &) {});
}

} // namespace partyline::codegen
