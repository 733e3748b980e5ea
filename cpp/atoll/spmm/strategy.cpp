// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/strategy.hpp>
#include <cmath>
#include <limits>

namespace atl {
namespace {

using S = SpmmStrategy;
constexpr SpmmStrategy kStrategies[] = {
    {"broadcast", "all rows, from one rank after the other (CAGNET, 1D)", S::Fetch::all, S::Phases::ranks,
     HaloPath::direct, RowMessages::many, false},
    {"broadcast-1.5d", "all rows, by teams of about sqrt(P) ranks that add up their results (CAGNET, 1.5D)",
     S::Fetch::all, S::Phases::one, HaloPath::direct, RowMessages::many, false, S::Algorithm::replicated_1_5d},
    {"broadcast-2d", "all rows, and the matrix too, along the rows and columns of a grid of ranks (CAGNET, 2D)",
     S::Fetch::all, S::Phases::ranks, HaloPath::direct, RowMessages::many, true, S::Algorithm::summa_2d},
    {"broadcast+pipeline", "the same, while the rows before are multiplied (MGGCN; rows in random order)",
     S::Fetch::all, S::Phases::ranks, HaloPath::direct, RowMessages::many, true},
    {"broadcast+fusion", "all rows, each once into each domain", S::Fetch::all, S::Phases::overlapped,
     HaloPath::domains, RowMessages::many, true},
    {"rowwise", "a row for each nonzero (MGG)", S::Fetch::nonzeros, S::Phases::one, HaloPath::direct,
     RowMessages::single, true},
    {"columnwise", "each row that a rank needs once", S::Fetch::columns, S::Phases::one, HaloPath::direct,
     RowMessages::single, false},
    {"columnwise+blocks", "each row that a rank needs once, and all rows of other domains once into each (CoLa, RF+CF)",
     S::Fetch::blocks, S::Phases::one, HaloPath::domains, RowMessages::many, false},
    {"columnwise+fusion", "each row once into each domain that needs it, then passed on inside, level by level",
     S::Fetch::columns, S::Phases::one, HaloPath::domains, RowMessages::single, false},
    {"columnwise+fusion+coalesced", "the same, many rows to a message", S::Fetch::columns, S::Phases::one,
     HaloPath::domains, RowMessages::many, false},
    {"halo", "each row that a rank needs once, many to a message, while local rows are multiplied", S::Fetch::columns,
     S::Phases::one, HaloPath::direct, RowMessages::many, true},
    {"cola", "columnwise+fusion+coalesced, while the rows before are multiplied", S::Fetch::columns,
     S::Phases::overlapped, HaloPath::domains, RowMessages::many, true},
    {"joint", "cola, with rows of C that owners of B's rows compute in part where these are fewer", S::Fetch::joint,
     S::Phases::overlapped, HaloPath::domains, RowMessages::many, true},
};

}  // namespace

std::span<const SpmmStrategy> spmm_strategies() { return kStrategies; }

const SpmmStrategy& spmm_strategy(std::string_view name) {
  const auto* const found = std::ranges::find(kStrategies, name, &SpmmStrategy::name);
  if (found != std::end(kStrategies)) return *found;
  std::vector<std::string_view> names;
  for (const SpmmStrategy& s : kStrategies) names.push_back(s.name);
  throw UsageError(fmt::format("SpMM: strategy {} (there are {}). Name one of them.", name, fmt::join(names, ", ")));
}

SpmmProgram spmm_program(std::string_view strategy) {
  // By `bench/figures.py spmm-programs`.
  constexpr SpmmProgram kCagnet{.product = 3.77, .stage = 15.8}, kMggcn{.product = 1.37, .stage = 5.1},
      kMgg{.product = 1.35, .stage = 13.6, .copy = 7.3}, kCola{.product = 0.34, .copy = 17.5};
  if (strategy == "broadcast+pipeline") return kMggcn;
  if (strategy == "broadcast" || strategy == "broadcast-1.5d" || strategy == "broadcast-2d") return kCagnet;
  return strategy == "rowwise" ? kMgg : kCola;
}

std::size_t overlapped_phases(const Machine& machine, int levels, double nonzeros) {
  constexpr DeviceRates kCpu{.flops_per_second = 32e9, .memory_bytes_per_second = 10e9};
  constexpr double kColumns = 64, kRowBytes = kColumns * sizeof(float);
  double latency = 0;
  for (int l = 0; l < levels; ++l) latency += machine.cost.at(l).latency_s + machine.cost.at(l).overhead_s;
  if (latency <= 0) return std::numeric_limits<std::size_t>::max();
  const double work = machine.device.value_or(kCpu).seconds(2 * nonzeros * kColumns, nonzeros * kRowBytes);
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::sqrt(work / latency)));
}

std::size_t domain_groups(const SpmmStrategy& strategy, const Machine& machine, int levels, std::size_t domains,
                          double nonzeros) {
  // More would hide no more of the exchange, and each phase reads and writes all of C.
  constexpr std::size_t kMost = 8;
  if (strategy.phases == S::Phases::domains) return std::min(domains, kMost);
  if (strategy.phases != S::Phases::overlapped) return 1;
  return std::min({domains, kMost, overlapped_phases(machine, levels, nonzeros)});
}

const SpmmStrategy& default_spmm_strategy(const World& world) {
  return spmm_strategy(world.hierarchy().depth() > 1 ? "cola" : "halo");
}

}  // namespace atl
