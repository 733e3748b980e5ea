// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <atoll/io/dictionary/dictionary.hpp>
#include <atoll/io/dictionary/name_table.hpp>
#include <span>

/// Sorting of names and merging of sorted names by all threads of a team.
///
///     std::vector<std::vector<NameKey>> runs = sorted_runs(team, tables);     // one for each table
///     const Dictionary names = merge_names(team, runs);                       // each distinct name once
///     ids_of_run(names, runs[t], ids);                                        // table number -> id
namespace atl {

/// A name with its first eight bytes as a number, which decides most comparisons without a look at the name.
struct NameKey {
  std::uint64_t prefix;
  const char* data;
  std::uint32_t size;    ///< a name is shorter than 4 GiB
  std::uint32_t number;  ///< in the table that it came from

  NameKey(std::string_view name, std::uint32_t number);
  std::string_view name() const { return {data, size}; }
  friend bool operator<(const NameKey& a, const NameKey& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : a.name() < b.name();
  }
};

/// The names of each table in ascending order; they point into the tables.
std::vector<std::vector<NameKey>> sorted_runs(Team& team, std::span<const NameTable> tables);

/// The distinct names of all runs, each of which ascends. The threads cut the names into as many ranges.
Dictionary merge_names(Team& team, std::span<const std::vector<NameKey>> runs);

/// ids[number] of each name of an ascending run; all are in the dictionary.
void ids_of_run(const Dictionary& names, std::span<const NameKey> run, std::vector<std::uint32_t>& ids);

/// Merges names in any order, perhaps several times.
Dictionary dictionary_of(Team& team, std::span<const std::string_view> names);

}  // namespace atl
