// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/machine.hpp>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "clocks.hpp"
#include "transport/fabric_laws.hpp"

using namespace atl;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::unique_ptr<VirtualClock> clock_of(const std::string& name, const std::string& domains,
                                       std::vector<LevelCost> costs = {}, std::size_t slot_bytes = 1024,
                                       int slots = 4) {
  Hierarchy hierarchy = Hierarchy::parse(domains);
  if (costs.empty()) costs = Cost::paper(hierarchy.depth()).levels();
  return make_clock(name, {.hierarchy = std::move(hierarchy),
                           .costs = std::move(costs),
                           .slot_bytes = slot_bytes,
                           .message_bytes = 1024,
                           .slots_per_peer = slots});
}

std::string thrown_by(const std::function<void()>& f) {
  try {
    f();
  } catch (const TransportError& e) {
    return e.what();
  }
  return "";
}

bool post(Fabric& fabric, Rank to, std::size_t bytes) {
  Slot slot;
  if (fabric.acquire(to, slot) != Busy::no) return false;
  std::memset(slot.data, 1, bytes);
  fabric.publish(slot, bytes);
  return true;
}

// The time at which one packet has arrived; releases it.
double receive(Fabric& fabric) {
  Packet packet;
  while (fabric.poll({&packet, 1}) == 0) fabric.wait(kNever);
  fabric.release(packet);
  return fabric.now();
}

const std::vector<LevelCost> kRound{{10, 1, 2}, {100, 4, 6}};  // latency, bytes a second, overhead

}  // namespace

TEST_CASE("the guarantees of every fabric hold in virtual time") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    for (const char* domains : {"2", "5", "2x2", "3+2"}) {
      CAPTURE(domains);
      const auto clock = clock_of(name, domains);
      const Rank ranks = Hierarchy::parse(domains).size();
      std::vector<std::vector<std::string>> rounds;
      std::vector<Rank> arrived;
      clock->run([&](Rank me) {
        const auto fabric = clock->fabric(me);
        std::size_t round = 0;
        laws::Job job{*fabric, me, ranks, [&](const std::string& text) {
                        if (rounds.size() == round) {
                          rounds.emplace_back(static_cast<std::size_t>(ranks));
                          arrived.push_back(0);
                        }
                        rounds[round][static_cast<std::size_t>(me)] = text;
                        ++arrived[round];
                        while (arrived[round] < ranks) fabric->wait(1e-6, TrafficSet{0});
                        return rounds[round++];
                      }};
        for (const auto law : {laws::sizes, laws::order, laws::flood, laws::keep}) {
          law(job);
          job.barrier();
        }
        laws::mix(job, 1);
      });
    }
  }
}

TEST_CASE("a message takes the time of the model") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    const auto clock = clock_of(name, "2x2", kRound);
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      if (me == 0) {
        post(*fabric, 1, 50);
        CHECK(fabric->now() == doctest::Approx(1));  // half of the overhead
      } else if (me == 1) {
        CHECK(receive(*fabric) == doctest::Approx(1 + 10 + 50 + 1));
      } else if (me == 2) {
        post(*fabric, 0, 8);
      }
      if (me == 0) CHECK(receive(*fabric) == doctest::Approx(3 + 100 + 8 + 3));
    });
    CHECK(clock->seconds() == doctest::Approx(114));
    const TimeSpent& spent = clock->spent(1);
    CHECK(spent.seconds() == doctest::Approx(clock->clock(1)));
    CHECK(spent.stall == doctest::Approx(1));  // until rank 0 had sent
    CHECK(spent.intra == doctest::Approx(61));
    CHECK(spent.inter == 0);
    CHECK(clock->traffic()[0].bulk == 1);
    CHECK(clock->traffic()[0].bulk_bytes == 50);
    CHECK(clock->traffic()[1].bulk == 1);
  }
}

TEST_CASE("messages that are not simulated in detail still arrive, in order, and after those that left before") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    const auto clock = clock_of(name, "2x2", kRound);
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      if (me == 0) {
        for (int i = 0; i < 4; ++i) {
          fabric->set_timing(i % 2 == 0 ? SimulatedTiming::detailed : SimulatedTiming::coarse);
          CHECK(post(*fabric, 2, static_cast<std::size_t>(40 - 10 * i)));
        }
      } else if (me == 2) {
        double before = 0;
        for (int i = 0; i < 4; ++i) {
          Packet packet;
          while (fabric->poll({&packet, 1}) == 0) fabric->wait(kNever);
          CHECK(packet.bytes == static_cast<std::size_t>(40 - 10 * i));
          CHECK(fabric->now() > before);
          before = fabric->now();
          fabric->release(packet);
        }
      }
    });
  }
}

TEST_CASE("the ranks of a domain share its uplink, but not their own links") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    // Without overhead and latency; a rank's link is 10 times as fast as the uplink.
    const auto clock = clock_of(name, "2x4", {{0, 1000, 0}, {0, 100, 0}});
    std::vector<double> at(8);
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      if (me < 4) {
        post(*fabric, me + 4, 100);
      } else {
        at[static_cast<std::size_t>(me)] = receive(*fabric);
      }
    });
    std::sort(at.begin() + 4, at.end());
    // One after the other, or all at a quarter of the speed.
    for (int k = 0; k < 4; ++k)
      CHECK(at[static_cast<std::size_t>(4 + k)] == doctest::Approx(name == "flows" ? 4.0 : 1.0 + k));
  }
}

TEST_CASE("ranks on different cards of a domain send at the same time, each with its card's share") {
  const auto clock = clock_of("levels", "2x4", {{0, 1000, 0}, {0, 100, 0, 2}});
  std::vector<double> at(8);
  clock->run([&](Rank me) {
    const auto fabric = clock->fabric(me);
    if (me < 4) {
      post(*fabric, me + 4, 100);
    } else {
      at[static_cast<std::size_t>(me)] = receive(*fabric);
    }
  });
  // Ranks 0 and 1 share the first card of 50 bytes a second, 2 and 3 the second.
  std::sort(at.begin() + 4, at.end());
  for (int k = 0; k < 4; ++k) CHECK(at[static_cast<std::size_t>(4 + k)] == doctest::Approx(2.0 + 2 * (k / 2)));
}

TEST_CASE("departures are processed in the order of time, not of the fibers' schedule") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    // Rank 0 runs first and sends a second message late; rank 1's only one is earlier and must not queue behind it.
    const auto clock = clock_of(name, "2x2", {{0, 1000, 20}, {0, 1, 20}}, 1024, 4);
    double second = 0;
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      if (me == 0) {
        post(*fabric, 2, 5);
        post(*fabric, 2, 5);
      } else if (me == 1) {
        post(*fabric, 3, 5);
      } else if (me == 2) {
        receive(*fabric);
        receive(*fabric);
      } else {
        second = receive(*fabric);
      }
    });
    CHECK(second == doctest::Approx(10 + 5 + 5 + 10));  // behind rank 0's first, before its second
  }
}

TEST_CASE("a sender without a slot gets a retry, and sleeps until the release is known") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    const auto clock = clock_of(name, "2", {{10, 1000, 0}}, 128, 2);
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      if (me == 0) {
        CHECK(post(*fabric, 1, 100));
        CHECK(post(*fabric, 1, 100));
        Slot slot;
        CHECK(fabric->acquire(1, slot) == Busy::no_slot);
        CHECK(fabric->wait(1000));
        CHECK(fabric->now() == doctest::Approx(50 + 10));
        CHECK(fabric->acquire(1, slot) == Busy::no);
        fabric->abandon(slot);
        CHECK(fabric->memory_bytes() < 1024);
      } else {
        CHECK_FALSE(fabric->wait(50, static_cast<TrafficSet>(Traffic::control)));
        CHECK(fabric->now() == doctest::Approx(50));
        Packet packets[2];
        REQUIRE(fabric->poll(packets) == 2);
        fabric->release(packets[0]);
        fabric->release(packets[1]);
      }
    });
  }
}

TEST_CASE("when no rank can continue, every rank's error says who waits for what") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    const auto clock = clock_of(name, "3");
    std::vector<std::string> texts(3);
    const std::string thrown = thrown_by([&] {
      clock->run([&](Rank me) {
        const auto fabric = clock->fabric(me);
        if (me == 2) return;
        clock->note_wait(me, me == 0 ? "supper" : "breakfast");
        texts[static_cast<std::size_t>(me)] = thrown_by([&] { receive(*fabric); });
        fabric->wait(kNever);  // again: thrown again
      });
    });
    CHECK(thrown == texts[0]);
    CHECK(texts[1].find("ended: rank 2") != std::string::npos);
    CHECK(texts[1].find("waiting in 'supper': rank 0") != std::string::npos);
    CHECK(texts[1].find("rank 1 was waiting in 'breakfast'") != std::string::npos);
  }
}

TEST_CASE("run() throws the exception of a rank; ranks that wait for it get an error") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    const auto clock = clock_of(name, "2x2");
    int told = 0;
    CHECK_THROWS_AS(clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      if (me == 1) throw InputError("rank 1's own");
      const std::string text = thrown_by([&] { receive(*fabric); });
      told += text.find("rank 1 stopped with an error") == 0;
    }),
                    InputError);
    CHECK(told == 3);
  }
}

TEST_CASE("a fiber may wait while an exception is handled") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    const auto clock = clock_of(name, "2");
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      const std::string mine = "of rank " + std::to_string(me);
      try {
        throw InputError(mine);
      } catch (...) {
        post(*fabric, 1 - me, 10);
        receive(*fabric);
        try {
          throw;
        } catch (const InputError& e) {
          CHECK(e.what() == mine);
        }
      }
    });
  }
}

TEST_CASE("a rank's link passes no more messages a second than its level says, and delays no single one") {
  const auto clock =
      clock_of("levels", "2", {{.latency_s = 10, .bytes_per_second = 1, .overhead_s = 2, .messages_per_second = 0.05}});
  clock->run([&](Rank me) {
    const auto fabric = clock->fabric(me);
    if (me == 0) {
      for (int i = 0; i < 3; ++i) CHECK(post(*fabric, 1, 5));
      CHECK(fabric->now() == doctest::Approx(3));  // its processor goes on
    } else {
      CHECK(receive(*fabric) == doctest::Approx(1 + 5 + 10 + 1));
      CHECK(receive(*fabric) == doctest::Approx(1 + 20 + 5 + 10 + 1));
      CHECK(receive(*fabric) == doctest::Approx(1 + 40 + 5 + 10 + 1));
    }
  });
  // Long messages take longer than the card's time for one: it changes nothing.
  const auto length = [](double rate) {
    const auto c = clock_of("levels", "2", {{.latency_s = 10, .bytes_per_second = 1, .messages_per_second = rate}});
    c->run([&](Rank me) {
      const auto fabric = c->fabric(me);
      for (int i = 0; i < 3; ++i)
        me == 0 ? static_cast<void>(post(*fabric, 1, 50)) : static_cast<void>(receive(*fabric));
    });
    return c->seconds();
  };
  CHECK(length(0.05) == length(0));
  CHECK_THROWS_AS(clock_of("flows", "2", {{.latency_s = 1, .bytes_per_second = 1, .messages_per_second = 1}}),
                  InputError);
  CHECK_THROWS_AS(clock_of("levels", "2", {{.latency_s = 1, .bytes_per_second = 1, .messages_per_second = -1}}),
                  InputError);
}

TEST_CASE("time that a rank spends is counted as the part that it names") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    const auto clock = clock_of(name, "1");
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      fabric->spend(2, &TimeSpent::copying);
      fabric->spend(3, &TimeSpent::handling);
      fabric->compute(5);
      CHECK(fabric->now() == doctest::Approx(10));
    });
    const TimeSpent& spent = clock->spent(0);
    CHECK((spent.copying == 2 && spent.handling == 3 && spent.compute == 5));
    CHECK(spent.of_records() == 5);
    CHECK(spent.seconds() == doctest::Approx(10));
    CHECK((spent - spent).seconds() == 0);
  }
}

TEST_CASE("computation takes virtual time if requested") {
  for (const std::string& name : clocks()) {
    CAPTURE(name);
    const auto clock =
        make_clock(name, {.hierarchy = Hierarchy::flat(1), .costs = Cost::paper(1).levels(), .compute_scale = 1000});
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      double x = 1;
      for (int i = 0; i < 1000000; ++i) x += 1 / x;
      CHECK(x > 1);
      CHECK(fabric->now() > 0.1);
    });
    CHECK(clock->spent(0).compute == doctest::Approx(clock->clock(0)));
  }
}

TEST_CASE("options and costs out of range are rejected") {
  const Hierarchy two = Hierarchy::parse("2x2");
  const auto small = std::make_shared<const Network>(Network::parse("torus:3"));
  for (const std::string& name : clocks())
    for (const ClockOptions& options : std::vector<ClockOptions>{
             {.hierarchy = two, .costs = Cost::paper(1).levels()},
             {.hierarchy = two, .costs = {{-1, 1, 0}, {1, 1, 0}}},
             {.hierarchy = two, .costs = {{1, 0, 0}, {1, 1, 0}}},
             {.hierarchy = two, .costs = {{1, 1, 0, 2}, {1, 1, 0}}},
             {.hierarchy = two, .costs = {{1, 1, 0}, {1, 1, 0, 0}}},
             {.hierarchy = two, .costs = Cost::paper(2).levels(), .network = small},
             {.hierarchy = two, .costs = Cost::paper(2).levels(), .slots_per_peer = 0},
         })
      CHECK_THROWS_AS(make_clock(name, options), InputError);
  CHECK_THROWS_AS(make_clock("sundial", {.hierarchy = two, .costs = Cost::paper(2).levels()}), InputError);
  const auto costs = Cost::paper(3).levels();
  CHECK(costs[1].latency_s == doctest::Approx(2 * costs[0].latency_s));
  CHECK(costs[2].latency_s == doctest::Approx(15 * costs[0].latency_s));
}

TEST_CASE("a message without contention takes the same time on every clock, and counts the same") {
  const std::string domains = "2x2x3";
  const Hierarchy hierarchy = Hierarchy::parse(domains);
  std::vector<std::vector<double>> times;
  std::vector<std::vector<LevelTraffic>> traffic;
  for (const std::string& name : clocks()) {
    const auto clock = clock_of(name, domains, {{3, 7, 0.25}, {5, 5, 0.5}, {11, 3, 1}});
    std::vector<double> at;
    // One pair after the other; all other ranks wait at the barrier between them.
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      double turn = 0;
      for (Rank from = 0; from < hierarchy.size(); ++from)
        for (Rank to = 0; to < hierarchy.size(); ++to) {
          turn += 1000;
          if (from == to || (me != from && me != to)) continue;
          while (fabric->now() < turn) fabric->wait(turn - fabric->now(), TrafficSet{0});
          const auto bytes = static_cast<std::size_t>(1 + 17 * (from + to));
          if (me == from && (from + to) % 2 == 0) post(*fabric, to, bytes);
          const std::vector<std::byte> text(bytes);
          if (me == from && (from + to) % 2 == 1) fabric->send(to, Traffic::message, {}, text);
          if (me == to) at.push_back(receive(*fabric) - turn);
        }
    });
    times.push_back(at);
    traffic.push_back(clock->traffic());
  }
  for (std::size_t c = 1; c < times.size(); ++c) {
    REQUIRE(times[c].size() == times[0].size());
    for (std::size_t i = 0; i < times[0].size(); ++i) CHECK(times[c][i] == doctest::Approx(times[0][i]).epsilon(1e-9));
    for (std::size_t l = 0; l < traffic[0].size(); ++l) {
      CHECK(traffic[c][l].bulk == traffic[0][l].bulk);
      CHECK(traffic[c][l].bulk_bytes == traffic[0][l].bulk_bytes);
      CHECK(traffic[c][l].small == traffic[0][l].small);
      CHECK(traffic[c][l].small_bytes == traffic[0][l].small_bytes);
    }
  }
}

TEST_CASE("flows go over a network's own links and share them") {
  if (clocks().size() == 1) return;
  // Hosts 0, 1 | 2, 3 of two switches, each with one cable to the root: 0->2 and 1->3 share cables, 0->1 shares none.
  for (const bool both : {false, true}) {
    const auto network = std::make_shared<const Network>(Network::parse("cluster:2x2").with_links(1, 10));
    const auto clock =
        make_clock("flows", {.hierarchy = network->hierarchy(), .costs = {{2, 10, 0}, {4, 10, 0}}, .network = network});
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      if (me == 0) post(*fabric, 2, 100);
      if (me == 1 && both) post(*fabric, 3, 100);
      if (me == 2) CHECK(receive(*fabric) == doctest::Approx(4 + (both ? 20 : 10)));
      if (me == 3 && both) CHECK(receive(*fabric) == doctest::Approx(4 + 20));
      if (me == 2) post(*fabric, 3, 50);
      if (me == 3) CHECK(receive(*fabric) == doctest::Approx(4 + (both ? 20 : 10) + 2 + 5));
    });
  }
}

TEST_CASE("on every family of networks a flow has its route's latency") {
  if (clocks().size() == 1) return;
  for (const char* name : {"cluster:2x3", "fat-tree:4", "dragonfly:2,4,2", "torus:3x4", "mesh:4x3", "random:12:3"}) {
    CAPTURE(name);
    const auto network = std::make_shared<const Network>(Network::parse(name).with_links(1, 10));
    const int last = network->hosts() - 1;
    const auto clock = make_clock(
        "flows", {.hierarchy = network->hierarchy(), .costs = network_costs(*network, 0).levels(), .network = network});
    clock->run([&](Rank me) {
      const auto fabric = clock->fabric(me);
      if (me == 0) post(*fabric, last, 10);
      if (me == last)
        CHECK(receive(*fabric) == doctest::Approx(static_cast<double>(network->route(0, last).size()) + 1));
    });
  }
}

TEST_CASE("only one clock flows runs at a time, and the next begins at 0 again") {
  if (clocks().size() == 1) return;
  const auto clock = clock_of("flows", "2");
  clock->run([&](Rank) { CHECK(thrown_by([] { clock_of("flows", "2"); }).find("runs already") != std::string::npos); });
  const auto next = clock_of("flows", "2", {{1, 1, 0}});
  next->run([&](Rank me) {
    const auto fabric = next->fabric(me);
    CHECK(fabric->now() == 0);
    if (me == 0) post(*fabric, 1, 1);
    if (me == 1) CHECK(receive(*fabric) == doctest::Approx(2));
  });
}
