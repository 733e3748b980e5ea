// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/runtime/broadcast/panel_broadcast.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <deque>
#include <numeric>

#include "shapes.hpp"

namespace atl {
namespace {

const std::vector<BroadcastShape> kShapes = {BroadcastShape::tree, BroadcastShape::ring, BroadcastShape::ring2m};

std::vector<std::byte> text_of(std::uint32_t tag, std::size_t bytes) {
  std::vector<std::byte> text(bytes);
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::byte>(mix64(tag) + i * 7 + i / 256);
  return text;
}

std::vector<Rank> everyone(const World& world) {
  std::vector<Rank> ranks(static_cast<std::size_t>(world.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Every rank is the root of some broadcasts of many sizes, `at_once` of them simultaneously.
void broadcast_all(World& world, BroadcastShape shape, const std::vector<std::size_t>& sizes, std::size_t at_once,
                   BroadcastOptions options) {
  PanelBroadcast broadcasts(world, {everyone(world)}, options);
  struct Under {
    BroadcastRequest flight;
    std::vector<std::byte> buffer;
    std::uint32_t tag;
  };
  std::deque<Under> under;
  std::uint64_t broken = 0, sent = 0, received = 0;
  const auto end_first = [&] {
    Under& u = under.front();
    broadcasts.wait_arrived(u.flight);
    broken += u.buffer != text_of(u.tag, u.buffer.size());
    broadcasts.finish(u.flight);
    under.pop_front();
  };
  for (std::uint32_t tag = 0; tag < sizes.size(); ++tag) {
    const int root = static_cast<int>(mix64(tag) % static_cast<std::uint64_t>(world.size()));
    Under& u = under.emplace_back();
    u.tag = tag;
    u.buffer = world.rank() == root ? text_of(tag, sizes[tag]) : std::vector<std::byte>(sizes[tag]);
    broadcasts.start(u.flight, 0, tag, root, {u.buffer.data(), u.buffer.size()}, shape,
                     tag % 3 == 2 ? Urgency::urgent : Urgency::normal);
    if (world.rank() != root) received += sizes[tag];
    if (tag % 2 == 0) broadcasts.progress();
    if (under.size() == at_once) end_first();
  }
  while (!under.empty()) end_first();
  CHECK(broken == 0);
  CHECK(broadcasts.counters().started == sizes.size());
  CHECK(broadcasts.counters().bytes_received == received);
  sent = world.sum(broadcasts.counters().bytes_sent);
  CHECK(sent == world.sum(broadcasts.counters().bytes_received));
}

TEST_CASE("every rank is reached once, and parents agree with children") {
  for (const BroadcastShape shape : kShapes)
    for (int p = 1; p <= 40; ++p) {
      int edges = 0;
      for (int at = 0; at < p; ++at) {
        const BroadcastNeighbours n = broadcast_neighbours(shape, p, at);
        CHECK((n.parent < 0) == (at == 0));
        for (const int child : n.children) {
          CHECK(child > at);
          CHECK(child < p);
          CHECK(broadcast_neighbours(shape, p, child).parent == at);
          ++edges;
        }
      }
      CHECK(edges == p - 1);
    }
}

TEST_CASE("the rings of ring2m have equal halves of the remaining ranks") {
  for (int p = 3; p <= 40; ++p) {
    std::vector<int> lengths;
    for (const int head : broadcast_neighbours(BroadcastShape::ring2m, p, 0).children) {
      int length = 1;
      for (auto n = broadcast_neighbours(BroadcastShape::ring2m, p, head); !n.children.empty(); ++length)
        n = broadcast_neighbours(BroadcastShape::ring2m, p, n.children.front());
      lengths.push_back(length);
    }
    CAPTURE(p);
    CHECK(lengths.front() == 1);
    CHECK(std::accumulate(lengths.begin(), lengths.end(), 1) == p);
    if (p > 3) CHECK(lengths[1] - lengths[2] == p % 2);
  }
}

TEST_CASE("names of broadcasts are parsed, others are rejected") {
  for (const BroadcastShape shape : kShapes) CHECK(broadcast_named(name_of(shape)) == shape);
  CHECK_THROWS_WITH_AS(broadcast_named("star"),
                       "broadcast 'star' is unknown (there are tree, ring and ring2m). Choose one.", InputError);
}

TEST_CASE("panels arrive whole in groups of every size, over every buffer, many at once") {
  const std::vector<std::size_t> sizes = {0, 1, 1023, 1024, 1025, 4000, 70001, 7, 12289, 3};
  for (const auto& [name, plan] : shapes::buffers())
    for (const Rank ranks : {1, 2, 3, 4, 5, 7, 8}) {
      if (shapes::kSanitized && ranks > 5) continue;
      run_ranks(ranks, plan, [&](World& world) {
        for (const BroadcastShape shape : kShapes)
          for (const auto copies : {BroadcastOptions::Copies::in_place, BroadcastOptions::Copies::slots})
            broadcast_all(world, shape, sizes, 4, {.chunk_bytes = 1024, .copies = copies});
      });
    }
}

TEST_CASE("chunks may be longer than panels, one, or of odd length") {
  Plan plan = shapes::buffers()[2].plan;
  for (const std::size_t chunk : {std::size_t{0}, std::size_t{1}, std::size_t{333}, std::size_t{1} << 22})
    run_ranks(4, plan, [&](World& world) {
      for (const BroadcastShape shape : kShapes)
        broadcast_all(world, shape, {100, 999, 1, 1000}, 3, {.chunk_bytes = chunk});
    });
}

TEST_CASE("a communication thread forwards panels as well") {
  Plan plan = shapes::buffers()[0].plan;
  plan.progress = "thread";
  run_ranks(3, plan, [&](World& world) {
    for (const BroadcastShape shape : kShapes)
      broadcast_all(world, shape, {300000, 5, 70000, 200001}, 3, {.chunk_bytes = 16384});
  });
}

TEST_CASE("rows and columns of a grid are independent groups") {
  Plan plan = shapes::buffers()[3].plan;
  run_ranks(6, plan, [&](World& world) {
    const int row = world.rank() / 3, col = world.rank() % 3;
    PanelBroadcast broadcasts(world, {{row * 3, row * 3 + 1, row * 3 + 2}, {col, col + 3}}, {.chunk_bytes = 500});
    std::vector<std::byte> of_row(3000 + static_cast<std::size_t>(row)), of_col(2000 + static_cast<std::size_t>(col));
    if (col == 1) of_row = text_of(10 + static_cast<std::uint32_t>(row), of_row.size());
    if (row == 1) of_col = text_of(20 + static_cast<std::uint32_t>(col), of_col.size());
    BroadcastRequest a, b;
    broadcasts.start(a, 0, 5, 1, {of_row.data(), of_row.size()}, BroadcastShape::ring);
    broadcasts.start(b, 1, 5, 1, {of_col.data(), of_col.size()}, BroadcastShape::tree);
    broadcasts.finish(b);
    broadcasts.finish(a);
    CHECK(of_row == text_of(10 + static_cast<std::uint32_t>(row), of_row.size()));
    CHECK(of_col == text_of(20 + static_cast<std::uint32_t>(col), of_col.size()));
  });
}

TEST_CASE("in virtual time panels cost the time of their bytes, also without memory") {
  // One level: 1 us, 1 GB/s. A chunk of 1 MB takes 1 ms on a link.
  const Hierarchy hierarchy = Hierarchy::flat(4);
  const Machine platform = std::vector<LevelCost>{{1e-6, 1e9, 0}};
  Plan plan;
  plan.slot_bytes = 65536;
  const auto milliseconds = [&](BroadcastShape shape, std::size_t chunk, bool modelled) {
    std::uint64_t bytes = 0;
    const VirtualRun run = run_virtual(hierarchy, platform, plan, [&](World& world) {
      std::vector<std::byte> buffer(modelled ? 0 : 8'000'000);
      PanelBroadcast broadcasts(world, {everyone(world)}, {.chunk_bytes = chunk});
      BroadcastRequest flight;
      broadcasts.start(flight, 0, 0, 0, {modelled ? nullptr : buffer.data(), 8'000'000}, shape);
      broadcasts.finish(flight);
      if (world.rank() == 0) bytes = broadcasts.counters().bytes_sent;
    });
    CHECK(run.levels[0].bytes == run.counters.levels[0].bytes);
    CHECK(run.levels[0].bytes > 3 * 8'000'000);
    return run.seconds * 1e3;
  };
  for (const bool modelled : {false, true}) {
    // Unchunked, a chain of three hops takes three times as long; 8 chunks take 10 steps instead of 8.
    CHECK(milliseconds(BroadcastShape::ring, 0, modelled) == doctest::Approx(24).epsilon(0.01));
    CHECK(milliseconds(BroadcastShape::ring, 1'000'000, modelled) == doctest::Approx(10).epsilon(0.01));
    // The root of ring2m over four ranks sends the panel three times.
    CHECK(milliseconds(BroadcastShape::ring2m, 1'000'000, modelled) == doctest::Approx(24).epsilon(0.01));
  }
}

TEST_CASE("a slow link and jitter make a ring slower, the same each time") {
  const Hierarchy hierarchy = Hierarchy::flat(4);
  const auto seconds = [&](NoiseModel noise) {
    Machine platform = std::vector<LevelCost>{{1e-6, 1e9, 0}};
    platform.noise = noise;
    return run_virtual(hierarchy, platform, {},
                       [&](World& world) {
                         PanelBroadcast broadcasts(world, {everyone(world)}, {.chunk_bytes = 1'000'000});
                         BroadcastRequest flight;
                         broadcasts.start(flight, 0, 0, 0, {nullptr, 8'000'000}, BroadcastShape::ring);
                         broadcasts.finish(flight);
                       })
        .seconds;
  };
  const double even = seconds({});
  CHECK(seconds({.slow_links = {{0, 2, 5}}}) > 4 * even);
  const double shaken = seconds({.jitter = 0.5, .seed = 3, .slow_links = {}});
  CHECK(shaken > 1.1 * even);
  CHECK(seconds({.jitter = 0.5, .seed = 3, .slow_links = {}}) == shaken);
  CHECK(seconds({.jitter = 0.5, .seed = 4, .slow_links = {}}) != shaken);
  CHECK_THROWS_AS(seconds({.slow_links = {{0, 4, 5}}}), InputError);
}

}  // namespace
}  // namespace atl
