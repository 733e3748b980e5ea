// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/spmm/forecast.hpp>
#include <atoll/spmm/product.hpp>
#include <cmath>

namespace atl {
namespace {

// Rows that this rank sends at the levels [first, last], at once: they share its link, its domains' uplinks and its
// processor. Collective.
double transfer_seconds(World& world, const Cost& cost, std::span<const HaloTraffic> levels, int first, int last,
                        std::size_t row_bytes) {
  double longest = 0, overhead = 0, above = 0;  // bytes of level l and above
  for (int l = last; l >= first; --l) {
    const auto bytes = static_cast<double>(levels[l].rows * row_bytes);
    const LevelCost& level = cost.at(l);
    above += bytes;
    overhead += std::ceil(bytes / static_cast<double>(world.payload_bytes())) * level.overhead_s;
    longest = std::max(longest, above / cost.bytes_per_second(l));
    if (l == 0) continue;
    const std::vector<double> all = world.all_gather(above);
    double uplink = 0;
    for (Rank r = 0; r < world.size(); ++r)
      if (r == world.rank() || world.hierarchy().level_between(world.rank(), r) < l) uplink += all[r];
    longest = std::max(longest, uplink / level.bytes_per_second);
  }
  return world.max(overhead + longest);
}

// HaloPath::direct sends to all levels at once; domains one level after the other, in each phase.
double exchange_seconds(World& world, const Cost& cost, const SpmmStrategy& strategy,
                        const std::vector<HaloTraffic>& levels, std::size_t row_bytes, int phases) {
  double total = 0, latency = 0;
  for (int l = 0; l < static_cast<int>(levels.size()); ++l) {
    if (world.max(levels[l].rows) == 0) continue;
    latency = cost.at(l).latency_s;
    if (strategy.path == HaloPath::domains)
      total += phases * latency + transfer_seconds(world, cost, levels, l, l, row_bytes);
  }
  if (strategy.path == HaloPath::domains) return total;
  return latency + transfer_seconds(world, cost, levels, 0, static_cast<int>(levels.size()) - 1, row_bytes);
}

}  // namespace

std::string SpmmForecast::text() const {
  const auto of = [](const Entry& entry) {
    return fmt::format("{:.3g} ms, {:.0f} rows", entry.seconds * 1e3, entry.crossing_rows);
  };
  std::string others;
  for (std::size_t i = 1; i < entries.size(); ++i)
    others += fmt::format("; {} {}", entries[i].strategy->name, of(entries[i]));
  return fmt::format("{} (predicted: {} across the highest level{}{})", best().strategy->name, of(best()), others,
                     domains_need_all ? "; fusion buys nothing: every domain needs all rows" : "");
}

template <class T>
SpmmForecast forecast_spmm(World& world, const Machine& machine, const MatrixRows<T>& rows, std::int64_t columns) {
  const std::size_t row_bytes = static_cast<std::size_t>(columns) * sizeof(T);
  const HaloPlan plan(world, rows.column_blocks, std::span(rows.columns.data(), rows.columns.size()));
  SpmmForecast out;
  const Hierarchy& tree = world.hierarchy();
  std::vector<double> domains{static_cast<double>(world.size())};  // [level] that messages at the level may join
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
  const double nonzeros = world.max(static_cast<double>(spmm::remote_nonzeros(rows, world.rank())));
  const auto add = [&](std::string_view name, const std::vector<HaloTraffic>& levels) {
    const SpmmStrategy& strategy = spmm_strategy(name);
    const auto phases = static_cast<int>(domain_groups(
        strategy, machine, tree.depth(), static_cast<std::size_t>(domains[domains.size() - 2]), nonzeros));
    out.entries.push_back({&strategy, exchange_seconds(world, machine.cost, strategy, levels, row_bytes, phases),
                           world.sum(static_cast<double>(levels.back().rows))});
  };
  if (tree.depth() > 1) {
    add("cola", plan.broadcast_traffic(HaloPath::domains, row_bytes));
    const double others = domains[domains.size() - 2] - 1;
    out.domains_need_all =
        others > 0 && out.entries.back().crossing_rows == others * static_cast<double>(rows.column_blocks.count());
  }
  add("halo", plan.broadcast_traffic(HaloPath::direct, row_bytes));
  if (tree.depth() > 1) {
    // Each row goes once into each domain, at every level: evenly shared by the ranks.
    std::vector<HaloTraffic> all(static_cast<std::size_t>(tree.depth()));
    for (std::size_t l = 0; l < all.size(); ++l)
      all[l].rows = static_cast<std::uint64_t>(static_cast<double>(rows.column_blocks.count()) *
                                               (domains[l] - domains[l + 1]) / world.size());
    add("broadcast+fusion", all);
  }
  std::ranges::stable_sort(out.entries, {}, &SpmmForecast::Entry::seconds);
  return out;
}

template <class T>
SpmmChoice choose_spmm_strategy(World& world, const MatrixRows<T>& rows, std::int64_t columns, std::string_view name) {
  if (name != "auto") return {spmm_strategy(name), std::string(name)};
  if (world.hierarchy().depth() == 1) {
    const SpmmStrategy& only = default_spmm_strategy(world);
    return {only, fmt::format("{} (there is one domain)", only.name)};
  }
  const SpmmForecast forecast = forecast_spmm(world, world.machine(), rows, columns);
  return {*forecast.best().strategy, forecast.text()};
}

template SpmmForecast forecast_spmm(World&, const Machine&, const MatrixRows<float>&, std::int64_t);
template SpmmForecast forecast_spmm(World&, const Machine&, const MatrixRows<double>&, std::int64_t);

template SpmmChoice choose_spmm_strategy(World&, const MatrixRows<float>&, std::int64_t, std::string_view);
template SpmmChoice choose_spmm_strategy(World&, const MatrixRows<double>&, std::int64_t, std::string_view);

}  // namespace atl
