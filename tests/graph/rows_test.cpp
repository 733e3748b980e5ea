// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/rows.hpp>
#include <utility>
#include <vector>

#include "shapes.hpp"

using namespace atl;

namespace {

using Row = std::vector<std::pair<Local, float>>;

// Lists of the given lengths, repeated; targets below `locals` with duplicates; few different weights.
std::vector<Row> rows_of(const std::vector<std::size_t>& lengths, Local locals, std::uint64_t seed) {
  std::vector<Row> rows;
  Random random(seed);
  for (const std::size_t n : lengths) {
    Row row(n);
    for (auto& [target, weight] : row) {
      target = static_cast<Local>(random.below(static_cast<std::uint64_t>(locals)));
      if (random.below(4) == 0) target = row[random.below(n)].first;
      weight = static_cast<float>(random.below(3)) * 0.1f;
    }
    rows.push_back(row);
  }
  return rows;
}

template <class W>
Csr csr_of(const std::vector<Row>& rows) {
  Csr csr;
  csr.offsets = Array<Edge>(rows.size() + 1);
  Edge sum = 0;
  for (std::size_t v = 0; v < rows.size(); ++v) {
    csr.offsets[v] = sum;
    sum += static_cast<Edge>(rows[v].size());
  }
  csr.offsets[rows.size()] = sum;
  csr.targets = Array<Local>(static_cast<std::size_t>(sum));
  std::size_t at = 0;
  for (const Row& row : rows)
    for (const auto& [target, weight] : row) csr.targets[at++] = target;
  if constexpr (!std::is_same_v<W, std::monostate>) {
    Array<W> weights(static_cast<std::size_t>(sum));
    at = 0;
    for (const Row& row : rows)
      for (const auto& [target, weight] : row) weights[at++] = static_cast<W>(weight);
    csr.weights = std::move(weights);
  }
  return csr;
}

template <class W>
void check_rows(const std::vector<Row>& rows, Local locals, Duplicates duplicates, int threads) {
  Team team(threads);
  Csr csr = csr_of<W>(rows);
  const SortedRows sorted = sort_rows(team, csr, duplicates, locals);
  constexpr bool weighted = !std::is_same_v<W, std::monostate>;
  Edge expected_loops = 0, sum = 0;
  std::size_t wrong = 0;
  bool to_least = false;
  REQUIRE(csr.offsets.size() == rows.size() + 1);
  for (std::size_t v = 0; v < rows.size(); ++v) {
    std::vector<std::pair<Local, W>> row;
    for (const auto& [t, w] : rows[v]) {
      if constexpr (weighted) {
        row.emplace_back(t, static_cast<W>(w));
      } else {
        row.emplace_back(t, W{});
      }
    }
    std::sort(row.begin(), row.end());
    std::vector<std::pair<Local, W>> merged;
    for (const auto& entry : row) {
      if (duplicates == Duplicates::keep || merged.empty() || merged.back().first != entry.first) {
        merged.push_back(entry);
      } else if constexpr (weighted) {
        if (duplicates == Duplicates::merge_sum) merged.back().second += entry.second;
        if (duplicates == Duplicates::merge_max) merged.back().second = entry.second;
        to_least |= duplicates == Duplicates::merge_min && merged.back().second != entry.second &&
                    entry.first != static_cast<Local>(v);
      }
    }
    wrong += csr.offsets[v] != sum;
    const auto list = csr.neighbours(static_cast<Local>(v));
    wrong += list.size() != merged.size();
    for (std::size_t i = 0; i < std::min(list.size(), merged.size()); ++i) {
      wrong += list[i] != merged[i].first;
      expected_loops += merged[i].first == static_cast<Local>(v);
      if constexpr (weighted)
        wrong += std::get<Array<W>>(csr.weights)[static_cast<std::size_t>(sum) + i] != merged[i].second;
    }
    sum += static_cast<Edge>(merged.size());
  }
  CHECK(wrong == 0);
  CHECK(csr.size() == sum);
  CHECK(csr.targets.size() == static_cast<std::size_t>(sum));
  CHECK(sorted.loops == expected_loops);
  CHECK(sorted.merged_to_least == to_least);
}

void check_all(const std::vector<Row>& rows, Local locals) {
  for (const Duplicates d : {Duplicates::keep, Duplicates::merge_min, Duplicates::merge_max, Duplicates::merge_sum})
    for (const int threads : {1, 3}) {
      check_rows<std::monostate>(rows, locals, d, threads);
      check_rows<float>(rows, locals, d, threads);
      check_rows<double>(rows, locals, d, threads);
    }
}

}  // namespace

TEST_CASE("lists are sorted and merged around every length at which the sorting method changes") {
  for (const std::size_t n : {0u, 1u, 2u, 23u, 24u, 25u, 26u, 255u, 767u, 768u, 1023u, 1024u, 1025u, 1026u, 5000u})
    for (const Local locals : {Local{1}, Local{64}, Local{3000}, Local{1} << 20}) {
      CAPTURE(n);
      CAPTURE(locals);
      check_all(rows_of({n, 3, n}, locals, n), locals);
    }
}

TEST_CASE("targets up to the largest local index are sorted by all digits") {
  const Local locals = INT32_MAX;
  for (const std::size_t n : {20u, 200u, 2000u}) check_all(rows_of({n, n}, locals, 4), locals);
}

TEST_CASE("many lists are compacted, with empty ones between") {
  std::vector<std::size_t> lengths;
  for (std::size_t v = 0; v < (shapes::kSanitized ? 1100 : 3000); ++v)
    lengths.push_back(v % 7 == 0 ? 0 : v % 511 == 3 ? 1500 : random_at(5, v) % 12);
  check_all(rows_of(lengths, 2000, 6), 2000);
  check_all(rows_of(lengths, 5, 7), 5);  // nearly everything is merged
}

TEST_CASE("no lists, and only empty lists") {
  check_all({}, 64);
  check_all(rows_of({0, 0, 0}, 64, 1), 64);
  Team team(1);
  Csr none;
  CHECK(sort_rows(team, none, Duplicates::merge_min, 64).loops == 0);
  CHECK(none.size() == 0);
}
