// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/forecast.hpp>
#include <atoll/spmm/row_order.hpp>
#include <fstream>

namespace atl {
namespace {

constexpr double kLeastGain = 1.1;  // predictions are not better than that
// Bytes per second of a thread, on two cores of an AMD EPYC with 32 MiB of last-level cache: `atoll bench spmm
// --columns 64 --threads 1` reads rows of B at 59 GB/s from a cache (communities:13) and at 11.4 where most are in none
// (communities:20), which is the sum of the two below.
constexpr double kMemoryRate = 14e9, kCacheRate = 59e9;  // bytes a second

// Returns the last-level cache of the first processor; 32 MiB where the system does not say. sysconf() has the sum over
// a server's processors.
std::size_t last_level_cache_bytes() {
  for (const int index : {3, 2}) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::size_t size = 0;
    char unit = 0;
    if (file >> size >> unit && size > 0) return size << (unit == 'M' ? 20 : 10);
  }
  return std::size_t{32} << 20;
}

// The rank's threads have their part of it.
double cache_share(World& world) {
  const double threads = world.team().size(), cores = std::max(1, usable_cores());
  return static_cast<double>(last_level_cache_bytes()) * std::min(1.0, threads / cores);
}

// How the rank's nonzeros find the rows of B.
struct Reads {
  double own_rows = 0, nonzeros = 0;
  double missed = 0;  // in no cache
  double remote_nonzeros = 0, remote_columns = 0;
};

template <class T>
Reads reads_of(World& world, const MatrixRows<T>& a, std::int64_t columns) {
  const auto capacity = static_cast<std::uint64_t>(cache_share(world) / (static_cast<double>(columns) * sizeof(T))) + 1;
  const Vertex first = a.column_blocks.begin(world.rank()), end = a.column_blocks.end(world.rank());
  Reads out{.own_rows = static_cast<double>(a.rows()), .nonzeros = static_cast<double>(a.columns.size())};
  Array<std::uint32_t> filling(static_cast<std::size_t>(a.column_blocks.count()), 0);  // [column] in which it was read
  std::uint64_t held = 0, missed = 0, remote_nonzeros = 0, remote_columns = 0;
  std::uint32_t now = 1;
  for (const Vertex column : a.columns) {
    std::uint32_t& at = filling[column];
    const bool remote = column < first || column >= end;
    remote_nonzeros += remote;
    if (at == now) continue;
    remote_columns += remote && at == 0;
    at = now;
    ++missed;
    if (++held < capacity) continue;
    held = 0;
    ++now;
  }
  out.missed = static_cast<double>(missed);
  out.remote_nonzeros = static_cast<double>(remote_nonzeros);
  out.remote_columns = static_cast<double>(remote_columns);
  return out;
}

// Seconds of the slowest rank for its own part of a product. Collective.
template <class T>
double own_seconds(World& world, const Reads& reads, std::int64_t columns) {
  const double row = static_cast<double>(columns) * sizeof(T), entry = sizeof(Local) + sizeof(T);
  if (const auto& device = world.machine().device)
    return world.max(
        device->seconds(2 * reads.nonzeros * static_cast<double>(columns), reads.nonzeros * (entry + row)));
  const double threads = world.team().size();
  return world.max((reads.nonzeros * entry + (reads.own_rows + reads.missed) * row) / (threads * kMemoryRate) +
                   reads.nonzeros * row / (threads * kCacheRate));
}

// Seconds to fetch the rows of B, as the strategy does: from the forecast of those that fetch each row once, by how
// many rows it fetches for each of theirs. Collective.
template <class T>
double fetch_seconds(World& world, const MatrixRows<T>& a, const Reads& reads, std::int64_t columns,
                     std::string_view strategy) {
  if (world.size() == 1) return 0;
  const bool any = strategy == "auto";
  const SpmmStrategy& named = any ? default_spmm_strategy(world) : spmm_strategy(strategy);
  if (!any && named.fetch == SpmmStrategy::Fetch::all) {  // whatever the order
    const Cost& cost = world.machine().cost;
    const auto others = static_cast<double>(a.column_blocks.count() - world.min(a.column_blocks.size(world.rank())));
    return others * static_cast<double>(columns) * sizeof(T) / cost.bytes_per_second(world.hierarchy().depth() - 1);
  }
  const SpmmForecast forecast = forecast_spmm(world, world.machine(), a, columns);
  if (any) return forecast.best().seconds;
  const std::string_view alike = named.path == HaloPath::domains && world.hierarchy().depth() > 1 ? "cola" : "halo";
  const auto& entry = *std::ranges::find_if(forecast.entries, [&](const auto& e) { return e.strategy->name == alike; });
  const double rows = world.sum(reads.remote_columns);
  if (named.fetch != SpmmStrategy::Fetch::nonzeros || rows == 0) return entry.seconds;
  return entry.seconds * world.sum(reads.remote_nonzeros) / rows;
}

template <class T>
double product_seconds(World& world, const MatrixRows<T>& a, const Reads& reads, std::int64_t columns,
                       std::string_view strategy) {
  return own_seconds<T>(world, reads, columns) + fetch_seconds(world, a, reads, columns, strategy);
}

}  // namespace

std::vector<std::string> row_order_names() {
  std::vector<std::string> names{"auto", "none"};
  for (std::string& name : ordering_names()) names.push_back(std::move(name));
  return names;
}

template <class T>
RowOrderChoice choose_row_order(World& world, MatrixRows<T>& rows, std::int64_t columns, std::string_view name,
                                std::string_view strategy) {
  const std::vector<std::string> names = row_order_names();
  if (std::ranges::find(names, name) == names.end())
    throw UsageError(fmt::format("SpMM: order {} (there are {}). Name one of them.", name, fmt::join(names, ", ")));
  RowOrderChoice out;
  world.barrier();
  const RankTimer timer(world);
  const auto take = [&](ReorderedRows<T>&& found, Ordering method) {
    rows = std::move(found.rows);
    out.order.emplace(std::move(found.order));
    out.name = name_of(method);
    out.seconds = world.max(timer.seconds());
  };
  const auto leave = [&](const std::string& reason) {
    out.seconds = world.max(timer.seconds());
    out.why = "none (" + reason + ")";
    return std::move(out);
  };
  const auto ms = [](double seconds) { return fmt::format("{:.3g} ms", seconds * 1e3); };
  if (name == "none") {
    out.why = "none (as asked)";
    return out;
  }
  if (name != "auto") {
    const Ordering method = ordering_named(name);
    take(reordered(world, rows, method), method);
    out.why = fmt::format("{} (as asked; {:.3g} s)", name, out.seconds);
    return out;
  }
  if (world.any(!why_not_reordered(world, rows).empty()))
    return leave("the matrix is not square, its columns are not owned as its rows are, or 32 bits do not count them");
  if (strategy == "broadcast+pipeline" && world.size() > 1) {
    take(reordered(world, rows, Ordering::random), Ordering::random);
    out.why =
        fmt::format("random (balances the ranks of broadcast+pipeline, as its paper does; {:.3g} s)", out.seconds);
    return out;
  }
  const Reads reads = reads_of(world, rows, columns);
  Reads at_hand = reads;
  at_hand.missed = std::min(reads.missed, reads.own_rows);
  const double before = product_seconds(world, rows, reads, columns, strategy),
               least = own_seconds<T>(world, at_hand, columns);
  if (before < kLeastGain * least)
    return leave(
        fmt::format("a product is predicted to take {}, and {} with all rows of B at hand: no order would gain "
                    "much",
                    ms(before), ms(least)));
  ReorderedRows<T> found = reordered(world, rows, Ordering::rabbit);
  const double after = product_seconds(world, found.rows, reads_of(world, found.rows, columns), columns, strategy);
  if (before < kLeastGain * after)
    return leave(
        fmt::format("a product is predicted to take {} as it is, {} in rabbit order, which took {:.3g} s to "
                    "find",
                    ms(before), ms(after), timer.seconds()));
  take(std::move(found), Ordering::rabbit);
  out.why = fmt::format("rabbit (a product is predicted to take {}, {} without it; it took {:.3g} s, {:.0f} products)",
                        ms(after), ms(before), out.seconds, out.seconds / after);
  return out;
}

template RowOrderChoice choose_row_order(World&, MatrixRows<float>&, std::int64_t, std::string_view, std::string_view);
template RowOrderChoice choose_row_order(World&, MatrixRows<double>&, std::int64_t, std::string_view, std::string_view);

}  // namespace atl
