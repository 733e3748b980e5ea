// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/io/dictionary/merge_names.hpp>
#include <atoll/runtime/world.hpp>

namespace atl {

/// One dictionary of the names in all tables of all ranks, on every rank, and for each table of this rank the ids of its
/// numbers.
///
///     auto [names, ids] = gather_names(world, tables, "genes.tsv");   // collective
///     ids[t][tables[t].number_of("TP53", ...)];                       // names.find("TP53")
///
/// The ranks sort a range of the names each, so that beyond the dictionary a rank holds its own names twice, not those
/// of all. InputError, the same on all ranks, where the names do not fit the memory; `what` says whose they are.
struct GatheredNames {
  Dictionary names;
  std::vector<std::vector<std::uint32_t>> ids;  // [table][number]
};
GatheredNames gather_names(World& world, std::span<const NameTable> tables, const std::string& what);

}  // namespace atl
