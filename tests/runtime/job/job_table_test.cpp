// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atoll/base/timer.hpp>
#include <atoll/runtime/job/job_table.hpp>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace atl;

namespace {

// Runs f as that rank in a process of its own; returns its exit status.
template <class F>
int as_rank(const JobTable& table, Rank rank, F&& f) {
  const int child = fork();
  if (child == 0) {
    setenv("ATOLL_JOB", table.path().c_str(), 1);
    auto found = JobTable::find();
    if (!found) _exit(99);
    found->register_rank(rank);
    f(*found);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// In a process with almost no memory to release: between its last note and its end there is next to no time.
[[gnu::noinline]] void register_finish_and_end(JobTable& table, Rank rank) {
  const int child = vfork();
  if (child == 0) {
    table.register_rank(rank);
    usleep(1);
    table.finish(0);
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("a table keeps exit codes, deaths and the last operation, in order") {
  JobTable table = JobTable::make(3);
  CHECK(table.status(1).state == JobTable::State::empty);

  as_rank(table, 1, [](JobTable& b) {
    b.note("bfs level 3");
    b.finish(3);
  });
  const auto one = table.status(1);
  CHECK(one.state == JobTable::State::finished);
  CHECK(one.exit_code == 3);
  CHECK(one.operation == "bfs level 3");
  CHECK_FALSE(one.process.alive());

  const int status = as_rank(table, 0, [](JobTable& b) {
    b.note(std::string(100, 'x').c_str());  // truncated, no overflow
    raise(SIGTERM);
  });
  CHECK(WIFSIGNALED(status));
  const auto zero = table.status(0);
  CHECK(zero.state == JobTable::State::died);
  CHECK(zero.signal == SIGTERM);
  CHECK(zero.operation == std::string(64, 'x'));
  CHECK(zero.order > one.order);

  as_rank(table, 2, [](JobTable&) { raise(SIGKILL); });
  CHECK(table.status(2).state == JobTable::State::running);  // it could not report
  CHECK_FALSE(table.status(2).process.alive());
  table.note_death(2, SIGKILL);
  CHECK(table.status(2).state == JobTable::State::died);
  table.note_death(1, SIGKILL);
  CHECK(table.status(1).state == JobTable::State::finished);  // a recorded status stays
}

TEST_CASE("a rank that finishes and is gone at once is not taken for dead") {
  constexpr Rank kRanks = 300;
  JobTable table = JobTable::make(kRanks);
  setenv("ATOLL_JOB", table.path().c_str(), 1);
  auto found = JobTable::find();
  unsetenv("ATOLL_JOB");
  REQUIRE(found);
  std::atomic<Rank> rank{0};
  int taken_for_dead = 0;
  std::thread asks([&] {
    for (Rank r; (r = rank.load()) < kRanks;) taken_for_dead += table.died(r);
  });
  for (Rank r = 0; r < kRanks; rank.store(++r)) register_finish_and_end(*found, r);
  asks.join();
  CHECK(taken_for_dead == 0);
  for (Rank r = 0; r < kRanks; ++r) CHECK(table.status(r).state == JobTable::State::finished);
}

TEST_CASE("a rank that ends without a status has died") {
  const JobTable table = JobTable::make(3);
  CHECK_FALSE(table.died(0));  // no rank has registered
  as_rank(table, 0, [&](JobTable& b) {
    if (b.died(0)) b.finish(7);
  });
  CHECK(table.died(0));
  as_rank(table, 1, [](JobTable&) { raise(SIGTERM); });
  CHECK(table.died(1));
  as_rank(table, 2, [](JobTable& b) { b.finish(3); });
  CHECK_FALSE(table.died(2));
}

TEST_CASE("an error that a rank's death causes is ordered after that death") {
  JobTable table = JobTable::make(2);
  as_rank(table, 1, [](JobTable&) { raise(SIGKILL); });
  std::thread maker([&] {
    usleep(300'000);  // a busy machine
    table.note_death(1, SIGKILL);
  });
  as_rank(table, 0, [](JobTable& b) {
    b.await_noted_death();
    b.finish(1, "a receive failed");
  });
  maker.join();
  CHECK(table.status(1).signal == SIGKILL);
  CHECK(table.status(0).order > table.status(1).order);
}

TEST_CASE("an error of a rank's own waits for nobody's death for long") {
  JobTable table = JobTable::make(3);
  as_rank(table, 1, [](JobTable& b) { b.finish(0); });
  const Timer timer;
  as_rank(table, 0, [](JobTable& b) {
    b.await_noted_death();
    b.finish(1, "no room");
  });
  CHECK(timer.seconds() < 1);
  CHECK(table.status(0).message == "no room");
}

TEST_CASE("a table is removed with its creator") {
  std::string path;
  {
    JobTable table = JobTable::make(2);
    path = table.path();
    CHECK(std::filesystem::exists(path));
    CHECK(table.maker().alive());
  }
  CHECK_FALSE(std::filesystem::exists(path));

  // A killed creator leaves its table; it is ignored, and removed by the next creator.
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const int child = fork();
  if (child == 0) {
    JobTable table = JobTable::make(2);
    const auto n = write(pipe_ends[1], table.path().c_str(), table.path().size());
    static_cast<void>(n);
    raise(SIGKILL);
  }
  char text[256] = "";
  CHECK(read(pipe_ends[0], text, sizeof text - 1) > 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  waitpid(child, nullptr, 0);
  CHECK(std::filesystem::exists(text));
  setenv("ATOLL_JOB", text, 1);
  CHECK_FALSE(JobTable::find());
  unsetenv("ATOLL_JOB");
  const JobTable next = JobTable::make(1);
  CHECK_FALSE(std::filesystem::exists(text));
}

TEST_CASE("a reused process number is another process") {
  ProcessId self = ProcessId::self();
  CHECK(self.alive());
  ++self.start;
  CHECK_FALSE(self.alive());
}
