// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/runtime/job/job_table.hpp>
#include <atoll/runtime/job/leftovers.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace atl;

namespace {

// Names like those of libfabric's shm provider and of transport shm.
std::vector<std::string> segments_of(int pid) {
  return {fmt::format("/dev/shm/{}:{}:7", pid, getuid()), fmt::format("/dev/shm/atoll.{}.test.{}", getuid(), pid)};
}

void make_segments(int pid) {
  for (const std::string& name : segments_of(pid)) std::ofstream(name) << "left";
}

int count_segments(int pid) {
  int found = 0;
  for (const std::string& name : segments_of(pid)) found += std::filesystem::exists(name);
  return found;
}

// A process that creates segments and lives until told otherwise.
struct Child {
  int pid = fork();
  Child() {
    if (pid == 0) {
      pause();
      _exit(0);
    }
    make_segments(pid);
  }
  void end() const {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
};

}  // namespace

TEST_CASE("segments left by a dead rank are removed, and none of a living one") {
  const Child child;
  const ProcessId rank = ProcessId::of(child.pid);
  const std::string other = fmt::format("/dev/shm/{}:0:0:0", child.pid);  // not a name of that library
  std::ofstream(other) << "kept";
  remove_leftovers_of(std::vector{rank});
  CHECK(count_segments(child.pid) == 2);
  remove_leftovers_of(std::vector{ProcessId{child.pid, rank.start + 1}});  // another process had this number before
  CHECK(count_segments(child.pid) == 2);
  child.end();
  remove_leftovers_of(std::vector{ProcessId{}});
  CHECK(count_segments(child.pid) == 2);
  remove_leftovers_of(std::vector{rank});
  CHECK(count_segments(child.pid) == 0);
  CHECK(std::filesystem::remove(other));
}

TEST_CASE("the next job cleans up after one whose creator was killed, once its ranks have ended") {
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const Child rank;
  const int maker = fork();
  if (maker == 0) {
    JobTable table = JobTable::make(1);
    // In a real job the rank's own process records this.
    setenv("ATOLL_JOB", table.path().c_str(), 1);
    const int status = fork();
    if (status == 0) {
      make_segments(getpid());
      JobTable::find()->register_rank(0);
      const int self = getpid();
      static_cast<void>(!write(pipe_ends[1], &self, sizeof self));
      signal(SIGTERM, SIG_DFL);
      pause();
    }
    pause();
  }
  int registered = 0;
  REQUIRE(read(pipe_ends[0], &registered, sizeof registered) == sizeof registered);
  kill(maker, SIGKILL);
  waitpid(maker, nullptr, 0);
  static_cast<void>(JobTable::make(1));
  CHECK(count_segments(registered) == 2);  // it is alive
  const ProcessId left = ProcessId::of(registered);
  kill(registered, SIGKILL);
  while (left.alive()) usleep(1000);
  static_cast<void>(JobTable::make(1));
  CHECK(count_segments(registered) == 0);
  CHECK(count_segments(rank.pid) == 2);  // it belongs to no job
  rank.end();
  remove_leftovers_of(std::vector{ProcessId{rank.pid, 0}});
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}
