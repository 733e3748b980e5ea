// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/spmm/forecast.hpp>

namespace atl {
namespace {

// The time of a product's exchange. Level by level, as the stages of HaloPath::domains are; a rank's messages share its
// link, those of a domain's ranks its uplink.
double seconds_of(World& world, const std::vector<HaloTraffic>& levels, std::size_t row_bytes) {
  const Cost& cost = world.machine().cost;
  const Hierarchy& tree = world.hierarchy();
  double total = 0;
  for (int l = 0; l < tree.depth(); ++l) {
    const LevelCost& level = cost.at(l);
    const double bytes = static_cast<double>(levels[static_cast<std::size_t>(l)].rows * row_bytes);
    if (world.max(bytes) == 0) continue;
    double uplink = bytes;  // of the rank's domain below this level
    if (l > 0) {
      std::vector<double> all = world.all_gather(bytes);
      uplink = 0;
      for (Rank r = 0; r < world.size(); ++r)
        if (tree.level_between(world.rank(), r) < l || r == world.rank()) uplink += all[static_cast<std::size_t>(r)];
    }
    const double slots = std::max(1.0, bytes / static_cast<double>(world.payload_bytes()));
    total += level.latency_s + world.max(slots * level.overhead_s +
                                         std::max(bytes / cost.bytes_per_second(l), uplink / level.bytes_per_second));
  }
  return total;
}

}  // namespace

std::string SpmmForecast::text() const {
  const auto of = [](const Entry& entry) {
    return fmt::format("{:.3g} ms, {:.0f} rows", entry.seconds * 1e3, entry.crossing_rows);
  };
  std::string others;
  for (std::size_t i = 1; i < entries.size(); ++i)
    others += fmt::format("; {} {}", entries[i].strategy->name, of(entries[i]));
  return fmt::format("{} (predicted: {} across the highest level{})", best().strategy->name, of(best()), others);
}

template <class T>
SpmmForecast forecast_spmm(World& world, const MatrixRows<T>& rows, std::int64_t columns) {
  const std::size_t row_bytes = static_cast<std::size_t>(columns) * sizeof(T);
  const HaloPlan plan(world, rows.column_blocks, std::span(rows.columns.data(), rows.columns.size()));
  SpmmForecast out;
  const auto add = [&](std::string_view name, const std::vector<HaloTraffic>& levels) {
    out.entries.push_back({&spmm_strategy(name), seconds_of(world, levels, row_bytes),
                           world.sum(static_cast<double>(levels.back().rows))});
  };
  const Hierarchy& tree = world.hierarchy();
  if (tree.depth() > 1) add("cola", plan.broadcast_traffic(HaloPath::domains, row_bytes));
  add("halo", plan.broadcast_traffic(HaloPath::direct, row_bytes));
  if (tree.depth() > 1) {
    // Each row goes once into each domain, at every level: evenly shared by the ranks.
    std::vector<double> domains{static_cast<double>(world.size())};  // [level] that a message at the level may join
    for (int l = 1; l < tree.depth(); ++l) {
      double count = 0;
      for (Rank r = 0; r < world.size(); ++r) {
        Rank before = 0;
        while (before < r && tree.level_between(before, r) >= l) ++before;
        count += before == r;
      }
      domains.push_back(count);
    }
    domains.push_back(1);
    std::vector<HaloTraffic> all(static_cast<std::size_t>(tree.depth()));
    for (std::size_t l = 0; l < all.size(); ++l)
      all[l].rows = static_cast<std::uint64_t>(static_cast<double>(rows.column_blocks.count()) *
                                               (domains[l] - domains[l + 1]) / world.size());
    add("broadcast+fusion", all);
  }
  std::ranges::stable_sort(out.entries, {}, &SpmmForecast::Entry::seconds);
  return out;
}

template SpmmForecast forecast_spmm(World&, const MatrixRows<float>&, std::int64_t);
template SpmmForecast forecast_spmm(World&, const MatrixRows<double>&, std::int64_t);

}  // namespace atl
