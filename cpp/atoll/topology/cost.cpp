// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/cost.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Cost::Cost(std::vector<LevelCost> levels, std::string provenance)
    : levels_(std::move(levels)), provenance_(std::move(provenance)) {
  check(!levels_.empty(), "the cost has no levels (level 0, inside a leaf domain, is needed). Add it.");
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const LevelCost& c = levels_[l];
    check(std::isfinite(c.latency_s) && c.latency_s >= 0 && std::isfinite(c.overhead_s) && c.overhead_s >= 0 &&
              c.bytes_per_second > 0,
          "level {} of the cost: latency {} s, {} bytes per second, overhead {} s (times are 0 or more, the bandwidth "
          "is more than 0). Correct it.",
          l, c.latency_s, c.bytes_per_second, c.overhead_s);
    check(c.cards >= 1 && c.cards <= (l == 0 ? 1 : 1024),
          "level {} of the cost: {} cards (a rank's own link is one, a domain has 1 to 1024). Correct it.", l, c.cards);
    check(std::isfinite(c.messages_per_second) && c.messages_per_second >= 0,
          "level {} of the cost: {} messages per second (0 for no limit, or more). Correct it.", l,
          c.messages_per_second);
    slowest_.push_back(std::min(l == 0 ? kInfinity : slowest_.back(), c.bytes_per_second / c.cards));
    if (l == 0) continue;
    const LevelCost& below = levels_[l - 1];
    check(
        c.latency_s >= below.latency_s && c.overhead_s >= below.overhead_s,
        "level {} of the cost: latency {} s, overhead {} s (less than those of level {}, {} s and {} s; a message that "
        "crosses a level also crosses those below it). Correct it, or leave out the level.",
        l, c.latency_s, c.overhead_s, l - 1, below.latency_s, below.overhead_s);
  }
}

Cost Cost::of_steps(double intra, std::span<const double> inter) {
  std::vector<LevelCost> levels{{2 * intra, kInfinity, 0}};
  for (const double step : inter) levels.push_back({levels.back().latency_s + 2 * step, kInfinity, 0});
  return Cost(std::move(levels));
}

Cost Cost::paper(int depth) {
  check(depth >= 1 && depth <= 16, "a machine of {} levels (1 to 16 make sense). Correct the depth.", depth);
  constexpr double kOverhead = 0.2e-6, kUplink = 50e9;
  std::vector<LevelCost> levels{{1e-6, 12.5e9, kOverhead}, {2e-6, kUplink, kOverhead}};
  for (double latency = 15e-6; static_cast<int>(levels.size()) < depth; latency *= 7.5)
    levels.push_back({latency, kUplink, kOverhead});
  levels.resize(static_cast<std::size_t>(depth));
  return Cost(std::move(levels), "preset: Tianhe-Exa's latencies 1 : 2 : 15 on a base of 1 us; 12.5 GB/s a rank");
}

Cost Cost::from_json(const nlohmann::json& j) {
  try {
    std::vector<LevelCost> levels;
    for (const auto& l : j.at("levels")) {
      const nlohmann::json& bandwidth = l.at("bytes_per_second");  // null: JSON has no infinity
      levels.push_back({l.at("latency_s").get<double>(), bandwidth.is_null() ? kInfinity : bandwidth.get<double>(),
                        l.value("overhead_s", 0.0), l.value("cards", 1), l.value("on_board", false),
                        l.value("messages_per_second", 0.0)});
    }
    return Cost(std::move(levels), j.value("provenance", ""));
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("cost: {} (a cost is {{\"levels\": [{{\"latency_s\", \"bytes_per_second\", \"overhead_s\"}}, ..], "
                    "\"provenance\"}}). Correct it.",
                    e.what()));
  }
}

nlohmann::json Cost::to_json() const {
  nlohmann::json levels = nlohmann::json::array();
  for (const LevelCost& l : levels_) {
    nlohmann::json bandwidth;
    if (std::isfinite(l.bytes_per_second)) bandwidth = l.bytes_per_second;
    levels.push_back({{"latency_s", l.latency_s},
                      {"bytes_per_second", bandwidth},
                      {"overhead_s", l.overhead_s},
                      {"cards", l.cards},
                      {"on_board", l.on_board}});
    if (l.messages_per_second > 0) levels.back()["messages_per_second"] = l.messages_per_second;
  }
  return {{"levels", levels}, {"provenance", provenance_}};
}

void Cost::check_covers(const Hierarchy& h) const {
  check(h.depth() <= depth(),
        "the hierarchy has {} levels (the cost knows {}). Measure the missing ones, or leave out levels.", h.depth(),
        depth());
}

double Cost::between(const Hierarchy& h, Rank i, Rank j) const {
  double of_i = intra(), of_j = intra();
  for (int l = 1; l <= h.level_between(i, j); ++l) {
    of_i += inter(l);
    of_j += inter(l);
  }
  return of_i + of_j;
}

TotalCost Cost::total(const Hierarchy& h, std::span<const Flow> traffic) const {
  check_covers(h);
  TotalCost sum;
  for (const Flow& t : traffic) {
    const auto cost = [&](int level) {
      const LevelCost& l = at(level);
      return static_cast<double>(t.messages) * (l.overhead_s + l.latency_s) +
             static_cast<double>(t.bytes) / bytes_per_second(level);
    };
    const double inside = cost(0);
    sum.intra_s += inside;
    sum.inter_s += cost(h.level_between(t.from, t.to)) - inside;
  }
  return sum;
}

}  // namespace atl
