// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <unistd.h>

#include <atoll/base/timer.hpp>
#include <atoll/runtime/heartbeat.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "folder.hpp"

using namespace atl;

namespace {

std::optional<std::pair<Rank, std::string>> verdict(const Heartbeat& heartbeat, double within_s) {
  for (const Timer timer; timer.seconds() < within_s; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
    try {
      heartbeat.check();
    } catch (const SilentRank& e) {
      return std::pair(e.rank, std::string(e.what()));
    }
  }
  return std::nullopt;
}

// A rank's heartbeat runs in a process of its own or, as here, beside others: each rank starts in a thread, because
// starting is collective.
std::vector<std::unique_ptr<Heartbeat>> heartbeats(const files::Folder& meeting, Rank ranks,
                                                   const Heartbeat::Options& options) {
  std::vector<std::unique_ptr<Heartbeat>> all(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (Rank r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      all[static_cast<std::size_t>(r)] =
          std::make_unique<Heartbeat>(*bootstrap_by_files(meeting.path(), r, ranks), options);
    });
  for (auto& t : threads) t.join();
  return all;
}

}  // namespace

TEST_CASE("all ranks report a silent rank with the same message") {
  const files::Folder meeting;
  std::atomic<int> warnings{0};
  const Log alarm([&](LogLevel, std::string_view) { ++warnings; });
  auto all = heartbeats(meeting, 4, {.timeout_s = 2, .warn_s = 1, .alarm = alarm});
  all[1]->note("drain: records of other ranks");
  for (const auto& heartbeat : all) CHECK_FALSE(verdict(*heartbeat, 0.5));
  CHECK(warnings == 0);
  all[1].reset();
  std::string text;
  for (const Rank r : {0, 2, 3}) {
    const auto silent = verdict(*all[static_cast<std::size_t>(r)], 20);
    REQUIRE(silent);
    CHECK(silent->first == 1);
    if (text.empty()) text = silent->second;
    CHECK(silent->second == text);
  }
  const std::string said = "rank 1 (pid " + std::to_string(getpid()) + " on ";
  CHECK(text.starts_with(said));
  CHECK(text.find("has not answered for 2 s, last in \"drain: records of other ranks\"") != std::string::npos);
  CHECK(warnings == 1);
}

TEST_CASE("without a time-out a silent rank is reported, and nothing else") {
  const files::Folder meeting;
  std::atomic<int> warnings{0};
  const Log alarm([&](LogLevel, std::string_view) { ++warnings; });
  auto all = heartbeats(meeting, 2, {.timeout_s = 0, .warn_s = 0.5, .alarm = alarm});
  all[0]->note("barrier");
  CHECK_FALSE(verdict(*all[1], 0.3));
  all[0].reset();
  for (const Timer timer; warnings == 0 && timer.seconds() < 20;)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(verdict(*all[1], 1));
  CHECK(warnings == 1);
}
