// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atoll/runtime/job/job_table.hpp>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

using namespace atl;

namespace {

// Runs f as that rank in a process of its own; its exit status.
template <class F>
int as_rank(const JobBoard& board, Rank rank, F&& f) {
  const int child = fork();
  if (child == 0) {
    setenv("ATOLL_JOB", board.path().c_str(), 1);
    auto found = JobBoard::find();
    if (!found) _exit(99);
    found->sit(rank);
    f(*found);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// In a process that has no memory of its own to give back: between its last word and its end there is next to nothing.
[[gnu::noinline]] void sit_finish_and_end(JobBoard& board, Rank rank) {
  const int child = vfork();
  if (child == 0) {
    board.sit(rank);
    usleep(1);
    board.finish(0);
    _exit(0);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

}  // namespace

TEST_CASE("a board keeps exit codes, deaths and the last operation, in order") {
  JobBoard board = JobBoard::make(3);
  CHECK(board.seat(1).state == JobBoard::State::empty);

  as_rank(board, 1, [](JobBoard& b) {
    b.note("bfs level 3");
    b.finish(3);
  });
  const auto one = board.seat(1);
  CHECK(one.state == JobBoard::State::finished);
  CHECK(one.exit_code == 3);
  CHECK(one.operation == "bfs level 3");
  CHECK_FALSE(one.process.alive());

  const int status = as_rank(board, 0, [](JobBoard& b) {
    b.note(std::string(100, 'x').c_str());  // cut, not spilled
    raise(SIGTERM);
  });
  CHECK(WIFSIGNALED(status));
  const auto zero = board.seat(0);
  CHECK(zero.state == JobBoard::State::died);
  CHECK(zero.signal == SIGTERM);
  CHECK(zero.operation == std::string(64, 'x'));
  CHECK(zero.order > one.order);

  as_rank(board, 2, [](JobBoard&) { raise(SIGKILL); });
  CHECK(board.seat(2).state == JobBoard::State::running);  // it could not say
  CHECK_FALSE(board.seat(2).process.alive());
  board.note_death(2, SIGKILL);
  CHECK(board.seat(2).state == JobBoard::State::died);
  board.note_death(1, SIGKILL);
  CHECK(board.seat(1).state == JobBoard::State::finished);  // what is noted stays
}

TEST_CASE("a rank that finishes and is gone at once is not taken for dead") {
  constexpr Rank kRanks = 300;
  JobBoard board = JobBoard::make(kRanks);
  setenv("ATOLL_JOB", board.path().c_str(), 1);
  auto found = JobBoard::find();
  unsetenv("ATOLL_JOB");
  REQUIRE(found);
  std::atomic<Rank> rank{0};
  int taken_for_dead = 0;
  std::thread asks([&] {
    for (Rank r; (r = rank.load()) < kRanks;) taken_for_dead += board.died(r);
  });
  for (Rank r = 0; r < kRanks; rank.store(++r)) sit_finish_and_end(*found, r);
  asks.join();
  CHECK(taken_for_dead == 0);
  for (Rank r = 0; r < kRanks; ++r) CHECK(board.seat(r).state == JobBoard::State::finished);
}

TEST_CASE("a rank that is gone without a word has died") {
  const JobBoard board = JobBoard::make(3);
  CHECK_FALSE(board.died(0));  // nobody came
  as_rank(board, 0, [&](JobBoard& b) {
    if (b.died(0)) b.finish(7);
  });
  CHECK(board.died(0));
  as_rank(board, 1, [](JobBoard&) { raise(SIGTERM); });
  CHECK(board.died(1));
  as_rank(board, 2, [](JobBoard& b) { b.finish(3); });
  CHECK_FALSE(board.died(2));
}

TEST_CASE("a board goes with its maker") {
  std::string path;
  {
    JobBoard board = JobBoard::make(2);
    path = board.path();
    CHECK(std::filesystem::exists(path));
    CHECK(board.maker().alive());
  }
  CHECK_FALSE(std::filesystem::exists(path));

  // A maker that is killed leaves its board; it is ignored, and the next maker removes it.
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const int child = fork();
  if (child == 0) {
    JobBoard board = JobBoard::make(2);
    const auto n = write(pipe_ends[1], board.path().c_str(), board.path().size());
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
  CHECK_FALSE(JobBoard::find());
  unsetenv("ATOLL_JOB");
  const JobBoard next = JobBoard::make(1);
  CHECK_FALSE(std::filesystem::exists(text));
}

TEST_CASE("a process number given again is another process") {
  ProcessId self = ProcessId::self();
  CHECK(self.alive());
  ++self.start;
  CHECK_FALSE(self.alive());
}
