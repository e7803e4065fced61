//===- cores_test.cpp -----------------------------------------------------===//
#include "runtime/threads/cores.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace partyline::runtime;
namespace fs = std::filesystem;

namespace {

/// A folder like Linux's, in which core i has the figure values[i]; 0: the file is not there.
class CpuFolder {
public:
  CpuFolder()
      : folder(fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder);
  }
  ~CpuFolder() { fs::remove_all(folder); }

  void write(const std::string &figure, const std::vector<long> &values) {
    for (size_t core = 0; core < values.size(); ++core) {
      const fs::path file = folder / ("cpu" + std::to_string(core)) / figure;
      fs::create_directories(file.parent_path());
      if (values[core])
        std::ofstream(file) << values[core] << "\n";
    }
  }

  const fs::path folder;
};

const std::vector<int> eight = {0, 1, 2, 3, 4, 5, 6, 7};

} // namespace

TEST(Cores, takesTheFastestOfAPhone) {
  CpuFolder cpus;
  cpus.write("cpu_capacity", {400, 400, 400, 400, 870, 870, 870, 1024});
  EXPECT_EQ(fastestCores(eight, 4, cpus.folder), (std::vector<int>{7, 4, 5, 6}));
  EXPECT_EQ(fastestCores(eight, 1, cpus.folder), std::vector<int>{7});
  EXPECT_EQ(fastestCores({0, 1, 4, 5}, 2, cpus.folder), (std::vector<int>{4, 5})) << "of those it may use";
}

TEST(Cores, takesTheClockWhereNoCapacityIsTold) {
  CpuFolder cpus;
  cpus.write("cpufreq/cpuinfo_max_freq", {2900000, 2900000, 1900000, 1900000});
  EXPECT_EQ(fastestCores({0, 1, 2, 3}, 2, cpus.folder), (std::vector<int>{0, 1}));
}

TEST(Cores, leavesAMachineWithoutAChoiceAlone) {
  CpuFolder cpus;
  EXPECT_TRUE(fastestCores(eight, 4, cpus.folder).empty()) << "nothing is told";
  cpus.write("cpu_capacity", {1024, 1024, 1024, 1024, 1024, 1024, 1024, 1024});
  EXPECT_TRUE(fastestCores(eight, 4, cpus.folder).empty()) << "equal cores";
  cpus.write("cpu_capacity", {512, 512, 512, 512, 1024, 1024, 1024, 1024});
  EXPECT_TRUE(fastestCores(eight, 8, cpus.folder).empty()) << "all are wanted";
}
