// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/simulation/event_clock.hpp>
#include <atoll/transport/simulation/fiber.hpp>

/// The virtual clock without a plug-in: an event loop over the cost of each level of a hierarchy, with ranks on fibers.
///
///     Levels levels({.hierarchy = Hierarchy::parse("8x16"), .costs = Cost::paper(2).levels()});
///     levels.run([&](Rank rank) { use(*levels.fabric(rank)); });
///
/// The model. Every rank has a link out and one in; every domain has an uplink and a downlink to the domain around it.
/// A message at level h (level_between) occupies the links of its h boundaries on either side and of its two ranks. It
/// leaves when all of its links are free, occupies each for bytes / bandwidth of that link, and arrives after the
/// latency and bytes / the least of the bandwidths. Latencies add up by boundary [1, definition 3.2]; they are given
/// end to end. If a domain's links are several cards each, a message occupies the sender's card on its way out and the
/// receiver's on its way in. Where a level has a most of messages a second, a rank's own link, out and in, is occupied
/// by each of its messages for at least as long.
///
/// A NoiseModel slows down single links, and messages by chance, from a seed.
///
/// [1] TuCOMM: Communication Hierarchy-aware Graph Engine for Distributed Model Training.
namespace atl {

class Levels final : public EventClock {
 public:
  /// Throws InputError for an option out of its range.
  explicit Levels(ClockOptions options);

  std::string_view name() const override { return "levels"; }
  void run(const std::function<void(Rank)>& f) override;

 private:
  void carry(std::uint32_t block) override;
  void cross(std::uint32_t block) override;
  double pass(Message& m, Rank end, int direction);
  std::vector<int> cards_of_ranks(int level) const;
  void suspend(Rank rank) override { fibers_[rank]->suspend(); }
  void resume(Rank rank) override;

  std::vector<std::unique_ptr<Fiber>> fibers_;
  struct Wire {
    std::array<double, 2> busy_until{};  // [direction]
    double slower = 1;
  };
  std::vector<std::vector<Wire>> wires_;  // [level][link * cards + card]
  std::vector<std::vector<int>> card_;    // [level][rank]; empty for a single card
  std::uint64_t passed_ = 0;              // links passed so far: the counter of the random numbers
};

}  // namespace atl
