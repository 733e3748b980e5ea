// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/runtime/calibrate.hpp>
#include <atoll/runtime/ping_pong.hpp>
#include <optional>

namespace atl {
namespace {

constexpr std::size_t kShort = 8, kLong = std::size_t{1} << 20;
constexpr int kMostPings = 100, kLeastPings = 10, kMostLongPings = 5, kStreamPerPing = 4;
constexpr double kPingsSeconds = 0.1;  // of a round, on networks so slow that all pings would take longer

struct Pair {
  Rank a, b;
};

// The first two ranks, in rank order, that this level separates.
std::optional<Pair> pair_at(const Hierarchy& h, int level) {
  for (Rank a = 0; a < h.size(); ++a)
    for (Rank b = a + 1; b < h.size(); ++b)
      if (h.level_between(a, b) == level) return Pair{a, b};
  return std::nullopt;
}

// Seconds that a message of `bytes` bytes takes one way; 0 on ranks other than the two.
double one_way(World& world, Pair pair, std::size_t bytes, int times) {
  const std::uint64_t tag = reserve_tags(world, times);
  world.barrier();
  if (world.rank() != pair.a && world.rank() != pair.b) return 0;
  return ping_pong(world, pair.a, pair.b, tag, bytes, times);
}

// Seconds per message of a one-way stream of short messages, until the receiver has them all.
double per_message(World& world, Pair pair, int messages) {
  std::uint64_t tag = reserve_tags(world, messages);
  const std::uint64_t done = world.next_tag();
  world.barrier();
  const Rank me = world.rank();
  std::vector<std::byte> text(kShort);
  const RankTimer timer(world);
  if (me == pair.a) {
    for (int i = 0; i < messages; ++i, ++tag) world.send(pair.b, tag, text);
    world.receive(pair.b, done, text);
  } else if (me == pair.b) {
    for (int i = 0; i < messages; ++i, ++tag) world.receive(pair.a, tag, text);
    world.send(pair.a, done, text);
  }
  return timer.seconds() / messages;
}

// How many pings a round has, the same on all ranks.
int pings_of(World& world, Pair pair, std::size_t bytes, int least, int most) {
  one_way(world, pair, bytes, 1);  // makes the connection, or has the memory mapped
  double seconds = one_way(world, pair, bytes, 2);
  world.broadcast(std::span(&seconds, 1), pair.a);
  return static_cast<int>(std::clamp<double>(kPingsSeconds / (2 * std::max(seconds, 1e-9)), least, most));
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

Cost calibrate(World& world, const Hierarchy& hierarchy, int rounds) {
  check(world.size() > 1, "calibration on {} rank (a message needs two). Give --ranks 2 or more.", world.size());
  check(hierarchy.size() == world.size(), "calibration of a hierarchy of {} ranks (the job has {}). Give the job's.",
        hierarchy.size(), world.size());
  check(rounds > 0, "{} rounds of calibration (at least 1 is needed). Change it.", rounds);
  std::vector<LevelCost> levels;
  std::size_t unknown = 0;  // how many levels from the bottom separate no two ranks
  for (int level = 0; level < hierarchy.depth(); ++level) {
    const auto pair = pair_at(hierarchy, level);
    LevelCost cost = levels.empty() ? LevelCost{0, 1e12, 0} : levels.back();
    if (pair) {
      std::vector<double> latency, growth, stream;
      const int pings = pings_of(world, *pair, kShort, kLeastPings, kMostPings);
      const int long_pings = pings_of(world, *pair, kLong, 1, kMostLongPings);
      for (int round = -1; round < rounds; ++round) {  // the first one warms up
        const double short_s = one_way(world, *pair, kShort, pings);
        const double long_s = one_way(world, *pair, kLong, long_pings);
        const double message_s = per_message(world, *pair, kStreamPerPing * pings);
        if (round < 0) continue;
        latency.push_back(short_s);
        growth.push_back(long_s - short_s);
        stream.push_back(message_s);
      }
      LevelCost found;
      // A ping-pong includes the overhead. A stream is bound by the overhead or by the number of messages in flight.
      found.overhead_s = std::min(median(stream), median(latency));
      found.latency_s = median(latency) - found.overhead_s;
      found.bytes_per_second = static_cast<double>(kLong - kShort) / std::max(median(growth), 1e-9);
      world.broadcast(std::span(&found, 1), pair->a);
      cost = {std::max(cost.latency_s, found.latency_s), std::min(cost.bytes_per_second, found.bytes_per_second),
              std::max(cost.overhead_s, found.overhead_s)};
    }
    if (!pair && levels.size() == unknown) ++unknown;
    levels.push_back(cost);
  }
  std::fill_n(levels.begin(), unknown, levels[unknown]);
  world.barrier();
  return Cost(std::move(levels), fmt::format("measured over {}, {} ranks, medians of {} rounds", world.fabric().name(),
                                             world.size(), rounds));
}

}  // namespace atl
