// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/world.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "shapes.hpp"

using namespace atl;

namespace {

Plan quick() {
  Plan plan;
  plan.threads = 1;
  plan.slot_bytes = 256;
  plan.slots_per_peer = 2;
  plan.timeout_seconds = 60;
  return plan;
}

// "class: text" of the exception that f throws, or "".
template <class F>
std::string thrown_by(F&& f) {
  try {
    f();
  } catch (const InputError& e) {
    return std::string("input: ") + e.what();
  } catch (const UsageError& e) {
    return std::string("usage: ") + e.what();
  } catch (const IoError& e) {
    return std::string("io: ") + e.what();
  } catch (const TransportError& e) {
    return std::string("transport: ") + e.what();
  } catch (const VerificationError& e) {
    return std::string("verification: ") + e.what();
  } catch (const Error& e) {
    return std::string("error: ") + e.what();
  } catch (const std::exception& e) {
    return std::string("other: ") + e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a single rank has a complete World") {
  const auto world = World::alone();
  CHECK(world->rank() == 0);
  CHECK(world->size() == 1);
  CHECK(world->sum(3) == 3);
  world->barrier();
  world->agree(true, "never");
  CHECK(world->collective_try([] { return 7; }) == 7);
  world->close();
}

TEST_CASE("agree: every rank throws the message of the lowest rank that disagrees") {
  for (const auto& [name, plan] : shapes::buffers())
    for (const Rank ranks : shapes::kRanks) {
      CAPTURE(name);
      CAPTURE(ranks);
      run_ranks(ranks, plan, [](World& world) {
        CHECK_NOTHROW(world.agree(true, "nobody says this"));
        for (Rank bad = 0; bad < world.size(); ++bad) {
          // All ranks from `bad` on disagree, with messages of different lengths.
          const std::string mine =
              "rank " + std::to_string(world.rank()) + std::string(static_cast<std::size_t>(world.rank() * 90), '!');
          const std::string expected =
              "input: rank " + std::to_string(bad) + std::string(static_cast<std::size_t>(bad * 90), '!');
          CHECK(thrown_by([&] { world.agree(world.rank() < bad, mine); }) == expected);
        }
        CHECK(world.sum(1) == world.size());  // the ranks can still communicate
      });
    }
}

TEST_CASE("together: every rank throws the same class and the same text, however long") {
  for (const Rank ranks : {1, 2, 3, 5}) {
    CAPTURE(ranks);
    run_ranks(ranks, quick(), [](World& world) {
      const Rank last = world.size() - 1;
      const std::string text(3000, 'x');
      auto on_last = [&](auto error) {
        return thrown_by([&] {
          world.collective_try([&] {
            if (world.rank() == last) throw error;
          });
        });
      };
      CHECK(on_last(InputError(text)) == "input: " + text);
      CHECK(on_last(UsageError("u")) == "usage: u");
      CHECK(on_last(IoError("i")) == "io: i");
      CHECK(on_last(TransportError("t")) == "transport: t");
      CHECK(on_last(VerificationError("v")) == "verification: v");
      CHECK(on_last(std::runtime_error("r")) == "error: r");
      CHECK(on_last(InputError("")) == "input: ");
      CHECK(on_last(std::bad_alloc()) == std::string("error: ") + std::bad_alloc().what());
      CHECK(world.collective_try([&] { return world.rank() * 2; }) == world.rank() * 2);
      // A value that cannot be copied.
      CHECK(*world.collective_try([&] { return std::make_unique<int>(5); }) == 5);
      CHECK(thrown_by([&] {
              world.collective_try([&]() -> int {
                if (world.rank() == 0) throw InputError("from 0");
                throw UsageError("from another");
              });
            }) == "input: from 0");
    });
  }
}

TEST_CASE("a rank that throws outside a collective ends the job with its own error, whatever the others wait for") {
  const std::vector<void (*)(World&)> waits = {[](World& w) { w.barrier(); },
                                               [](World& w) { w.sum(1); },
                                               [](World& w) {
                                                 std::vector<std::byte> bytes(100);
                                                 w.receive(1, w.next_tag(), bytes);
                                               },
                                               [](World& w) {
                                                 Mailbox box(w, of_records<int>([](int) {}));
                                                 box.drain();
                                               },
                                               [](World& w) {  // until all slots are full
                                                 Mailbox box(w, of_records<int>([](int) {}));
                                                 for (int i = 0; i < 100000; ++i) box.send(1, i);
                                                 box.drain();
                                               },
                                               [](World& w) { w.agree(true, ""); },
                                               [](World& w) { w.close(); }};
  for (std::size_t i = 0; i < waits.size(); ++i)
    for (const Rank ranks :
         {i % 2 == 0 ? Rank{2} : Rank{5}}) {  // half a second each: the interval at which peers are checked
      CAPTURE(i);
      CAPTURE(ranks);
      const auto start = std::chrono::steady_clock::now();
      CHECK_THROWS_WITH_AS(run_ranks(ranks, quick(),
                                     [&](World& world) {
                                       if (world.rank() == 1) throw InputError("rank 1 knows why");
                                       waits[i](world);
                                     }),
                           "rank 1 knows why", InputError);
      CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    }
}

TEST_CASE("a thread that throws inside a region of a rank ends the job, with others of its team at a barrier") {
  Plan plan = quick();
  plan.threads = 3;
  CHECK_THROWS_WITH_AS(run_ranks(2, plan,
                                 [](World& world) {
                                   world.team().run([&](int thread) {
                                     if (world.rank() == 1 && thread == 2) throw IoError("disk");
                                     world.team().barrier();
                                   });
                                   world.barrier();
                                 }),
                       "disk", IoError);
}

TEST_CASE("threads that wait inside a parallel region for a lost rank all leave it") {
  Plan plan = quick();
  plan.threads = 3;
  CHECK_THROWS_WITH_AS(run_ranks(2, plan,
                                 [](World& world) {
                                   Mailbox box(world, of_records<int>([](int) {}));
                                   if (world.rank() == 1) throw IoError("gone");
                                   world.team().run([&](int thread) {
                                     // One thread floods the lost rank; the others are at the barrier.
                                     for (int i = 0; thread == 1 && i < 100000; ++i) box.send(1, i);
                                     world.team().barrier();
                                   });
                                   box.drain();
                                 }),
                       "gone", IoError);
}

TEST_CASE("the error on other ranks names the lost rank and what they waited for") {
  std::vector<std::string> told(3);
  CHECK_THROWS_AS(run_ranks(3, quick(),
                            [&](World& world) {
                              if (world.rank() == 2) throw InputError("x");
                              told[static_cast<std::size_t>(world.rank())] = thrown_by([&] { world.barrier(); });
                              throw TransportError("later");
                            }),
                  InputError);
  CHECK(told[0] ==
        "transport: rank 2 stopped with an error (rank 0 was waiting in 'all_gather'). Look at that rank's own "
        "messages.");
  CHECK(told[1] ==
        "transport: rank 2 stopped with an error (rank 1 was waiting in 'all_gather'). Look at that rank's own "
        "messages.");
}

TEST_CASE("an error that all ranks throw is thrown once") {
  for (const Rank ranks : {1, 2, 5})
    CHECK_THROWS_WITH_AS(run_ranks(ranks, quick(), [](World& world) { world.agree(false, "all of us"); }), "all of us",
                         InputError);
}

TEST_CASE("a wait longer than timeout_seconds gives up and says where") {
  Plan plan = quick();
  plan.timeout_seconds = 0.2;
  std::string text;
  std::atomic<bool> over{false};
  CHECK_THROWS_AS(run_ranks(2, plan,
                            [&](World& world) {
                              if (world.rank() == 0) text = thrown_by([&] { world.barrier(); });
                              if (world.rank() == 0) over = true;
                              // However busy the machine is: rank 1 enters after rank 0 has given up.
                              while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                              throw TransportError("over");
                            }),
                  TransportError);
  CHECK(text.find("transport: rank 0 waited ") == 0);
  CHECK(text.find("in 'all_gather' without any progress (timeout_seconds is 0.2)") != std::string::npos);
}

TEST_CASE("a stall is reported once a wait, with threads busy beside it, and the wait goes on") {
  Plan plan = quick();
  plan.stall_seconds = 0.05;
  plan.threads = 2;
  std::mutex mutex;
  std::vector<std::string> lines;
  std::size_t while_stalled = 0;
  auto count = [&] {
    std::lock_guard hold(mutex);
    return lines.size();
  };
  World::Options options;
  options.log = Log([&](LogLevel level, std::string_view text) {
    std::lock_guard hold(mutex);
    // On a busy machine a rank may also start so late that the first collective stalls.
    if (level == LogLevel::warn && text.find("send: a slot") != text.npos) lines.emplace_back(text);
  });
  run_ranks(
      2, plan,
      [&](World& world) {
        Mailbox box(world, of_records<int>([](int) {}), {.handler_sends = false});
        if (world.rank() == 1) {
          while (count() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          while_stalled = count();
        } else {
          // Both threads fill the slots and wait; each counts its refusals meanwhile.
          world.team().run([&](int) {
            for (int i = 0; i < 5000; ++i) box.send(1, i);
          });
        }
        box.drain();
      },
      options);
  CHECK(while_stalled >= 1);
  CHECK(while_stalled <= 2);  // one wait per thread
  CHECK(lines[0].find("has made no progress for") != std::string::npos);
}

TEST_CASE("a hierarchy of another size than the job is refused") {
  Plan plan = quick();
  plan.domains = "2x2";
  CHECK_THROWS_WITH_AS(run_ranks(3, plan, [](World&) {}),
                       "domains '2x2' make 4 ranks (there are 3). Correct --domains or --ranks.", InputError);
}

TEST_CASE("emulated domains are nodes of the fabric and levels of the counters") {
  Plan plan = quick();
  plan.domains = "2+1+2";
  run_ranks(5, plan, [](World& world) {
    const std::vector<int> node = {0, 0, 1, 2, 2};
    const int mine = node[static_cast<std::size_t>(world.rank())];
    for (Rank r = 0; r < 5; ++r) {
      CHECK(world.fabric().node_of(r) == node[static_cast<std::size_t>(r)]);
      CHECK(world.level_to(r) == (node[static_cast<std::size_t>(r)] != mine));
    }
    CHECK(world.counters().levels.size() == 2);
  });
}

TEST_CASE("counters sum, keep the high-water mark, and give differences") {
  Counters a, b;
  a.levels = {{1, 10}, {2, 20}};
  a.records = 5;
  a.memory_bytes = 100;
  b.levels = {{1, 1}};
  b.records = 2;
  b.memory_bytes = 300;
  b.retries[1] = 4;
  const Counters sum = [&] {
    Counters s = a;
    return s += b;
  }();
  CHECK(sum.levels[0].bytes == 11);
  CHECK(sum.levels[1].messages == 2);
  CHECK(sum.records == 7);
  CHECK(sum.memory_bytes == 300);
  CHECK(sum.retries[1] == 4);
  const Counters since = sum.since(a);
  CHECK(since.levels[0].bytes == 1);
  CHECK(since.levels[1].bytes == 0);
  CHECK(since.records == 2);
  const auto j = sum.to_json({"node", "system"});
  CHECK(j["levels"][1]["kind"] == "system");
  CHECK(j["retries"]["no_slot"] == 4);
}

TEST_CASE("time spent waiting for a slow rank is counted, and the wait is announced") {
  std::atomic<int> announced{0};
  World::Options options;
  options.waiting = [&](const char*) { ++announced; };
  std::vector<double> waited(2);
  run_ranks(
      2, quick(),
      [&](World& world) {
        if (world.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
        world.barrier();
        waited[static_cast<std::size_t>(world.rank())] = world.counters().wait_seconds;
      },
      options);
  CHECK(waited[0] > 0.05);
  CHECK(announced >= 1);
}

TEST_CASE("communication memory is recorded and stays in the high-water mark") {
  run_ranks(2, quick(), [](World& world) {
    const auto before = world.counters().memory_bytes;
    world.note_memory(1000);
    world.note_memory(-1000);
    CHECK(world.counters().memory_bytes >= before);
    world.note_memory(500);
    CHECK(world.counters().memory_bytes >= 1000);
    world.note_memory(-500);
  });
}

TEST_CASE("a World may be closed before its ranks end, and twice") {
  run_ranks(3, quick(), [](World& world) {
    CHECK(world.sum(1) == 3);
    world.close();
    world.close();
  });
}

TEST_CASE("more ranks than cores with more threads than cores finish") {
  Plan plan = quick();
  plan.threads = 3;
  run_ranks(8, plan, [](World& world) {
    std::atomic<int> sum{0};
    for (int i = 0; i < 10; ++i) {
      world.team().run([&](int thread) { sum += thread; });
      CHECK(world.sum(sum.load()) == 8 * 3 * (i + 1));
    }
  });
}
