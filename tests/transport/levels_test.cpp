// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/transport/levels.hpp>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "fabric_laws.hpp"

using namespace atl;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

Levels levels_of(const std::string& domains, std::vector<LinkCost> costs = {}, std::size_t slot_bytes = 1024,
                 int slots = 4) {
  Hierarchy hierarchy = Hierarchy::parse(domains);
  if (costs.empty()) costs = paper_costs(hierarchy.depth());
  return Levels({.hierarchy = std::move(hierarchy),
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

// The clock at which one packet has come; releases it.
double receive(Fabric& fabric) {
  Packet packet;
  while (fabric.poll({&packet, 1}) == 0) fabric.wait(kNever);
  fabric.release(packet);
  return fabric.now();
}

const std::vector<LinkCost> kRound{{10, 1, 2}, {100, 4, 6}};  // latency, bytes a second, overhead

}  // namespace

TEST_CASE("what every fabric promises, on fibers") {
  for (const char* domains : {"2", "5", "2x2", "3+2"}) {
    CAPTURE(domains);
    Levels levels = levels_of(domains);
    const Rank ranks = Hierarchy::parse(domains).size();
    std::vector<std::vector<std::string>> rounds;
    std::vector<Rank> arrived;
    levels.run([&](Rank me) {
      const auto fabric = levels.fabric(me);
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

TEST_CASE("a message takes what the model says") {
  Levels levels = levels_of("2x2", kRound);
  levels.run([&](Rank me) {
    const auto fabric = levels.fabric(me);
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
  CHECK(levels.seconds() == doctest::Approx(114));
  const TimeSpent& spent = levels.spent(1);
  CHECK(spent.seconds() == doctest::Approx(levels.clock(1)));
  CHECK(spent.stall == doctest::Approx(1));  // until rank 0 had sent
  CHECK(spent.intra == doctest::Approx(61));
  CHECK(spent.inter == 0);
  CHECK(levels.traffic()[0].bulk == 1);
  CHECK(levels.traffic()[0].bulk_bytes == 50);
  CHECK(levels.traffic()[1].bulk == 1);
}

TEST_CASE("the ranks of a domain share its uplink, and their own links are theirs") {
  // Without overhead and latency; a rank's link is 10 times as fast as the wall.
  Levels levels = levels_of("2x4", {{0, 1000, 0}, {0, 100, 0}});
  std::vector<double> at(8);
  levels.run([&](Rank me) {
    const auto fabric = levels.fabric(me);
    if (me < 4) {
      post(*fabric, me + 4, 100);
    } else {
      at[static_cast<std::size_t>(me)] = receive(*fabric);
    }
  });
  std::sort(at.begin() + 4, at.end());
  for (int k = 0; k < 4; ++k) CHECK(at[static_cast<std::size_t>(4 + k)] == doctest::Approx(1.0 + k));
}

TEST_CASE("departures are carried in the order of time, not of the fibers' turns") {
  // Rank 0 runs first and sends a second message late; rank 1's only one is earlier and does not queue behind it.
  Levels levels = levels_of("2x2", {{0, 1000, 20}, {0, 1, 20}}, 1024, 4);
  double second = 0;
  levels.run([&](Rank me) {
    const auto fabric = levels.fabric(me);
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

TEST_CASE("a sender without a slot is told so, and sleeps until the release is known") {
  Levels levels = levels_of("2", {{10, 1000, 0}}, 128, 2);
  levels.run([&](Rank me) {
    const auto fabric = levels.fabric(me);
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

TEST_CASE("when nobody can go on, every rank is told who waits for what") {
  Levels levels = levels_of("3");
  std::vector<std::string> texts(3);
  const std::string thrown = thrown_by([&] {
    levels.run([&](Rank me) {
      const auto fabric = levels.fabric(me);
      if (me == 2) return;
      levels.note_wait(me, me == 0 ? "supper" : "breakfast");
      texts[static_cast<std::size_t>(me)] = thrown_by([&] { receive(*fabric); });
      fabric->wait(kNever);  // again: thrown again
    });
  });
  CHECK(thrown == texts[0]);
  CHECK(texts[1].find("ended: rank 2") != std::string::npos);
  CHECK(texts[1].find("waiting in 'supper': rank 0") != std::string::npos);
  CHECK(texts[1].find("rank 1 was waiting in 'breakfast'") != std::string::npos);
}

TEST_CASE("what a rank throws is what run() throws; those that wait for it are told") {
  Levels levels = levels_of("2x2");
  int told = 0;
  CHECK_THROWS_AS(levels.run([&](Rank me) {
    const auto fabric = levels.fabric(me);
    if (me == 1) throw InputError("rank 1's own");
    const std::string text = thrown_by([&] { receive(*fabric); });
    told += text.find("rank 1 stopped with an error") == 0;
  }),
                  InputError);
  CHECK(told == 3);
}

TEST_CASE("a fiber may wait while an exception is handled") {
  Levels levels = levels_of("2");
  levels.run([&](Rank me) {
    const auto fabric = levels.fabric(me);
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

TEST_CASE("computation takes time where it is asked to") {
  Levels levels({.hierarchy = Hierarchy::flat(1), .costs = paper_costs(1), .compute_scale = 1000});
  levels.run([&](Rank me) {
    const auto fabric = levels.fabric(me);
    double x = 1;
    for (int i = 0; i < 1000000; ++i) x += 1 / x;
    CHECK(x > 1);
    CHECK(fabric->now() > 0.1);
  });
  CHECK(levels.spent(0).compute == doctest::Approx(levels.clock(0)));
}

TEST_CASE("options and costs out of range are told") {
  const Hierarchy two = Hierarchy::parse("2x2");
  CHECK_THROWS_AS(Levels({.hierarchy = two, .costs = paper_costs(1)}).seconds(), InputError);
  CHECK_THROWS_AS(Levels({.hierarchy = two, .costs = {{-1, 1, 0}, {1, 1, 0}}}).seconds(), InputError);
  CHECK_THROWS_AS(Levels({.hierarchy = two, .costs = {{1, 0, 0}, {1, 1, 0}}}).seconds(), InputError);
  CHECK_THROWS_AS(Levels({.hierarchy = two, .costs = paper_costs(2), .slots_per_peer = 0}).seconds(), InputError);
  CHECK_THROWS_AS(platform_costs("/nowhere/to/be.json", 2), InputError);
  const auto costs = paper_costs(3);
  CHECK(costs[1].latency_s == doctest::Approx(2 * costs[0].latency_s));
  CHECK(costs[2].latency_s == doctest::Approx(15 * costs[0].latency_s));
}
