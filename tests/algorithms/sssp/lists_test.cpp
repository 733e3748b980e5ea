// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/algorithms/sssp/lists.hpp>
#include <atoll/base/random.hpp>
#include <cmath>
#include <limits>
#include <utility>

using namespace atl;

namespace {

template <class Real, class F>
void check_sorting(int threads, F&& weight) {
  Array<Edge> offsets(12);
  Edge sum = 0;
  const Edge lengths[] = {0, 1, 2, 47, 48, 49, 50, 0, 500, 3000, 64};
  for (std::size_t v = 0; v < 12; ++v) offsets[v] = std::exchange(sum, v < 11 ? sum + lengths[v] : sum);
  SsspLists<Real> lists{{offsets.data(), offsets.size()}, Array<SsspEntry<Real>>(static_cast<std::size_t>(sum))};
  for (std::size_t e = 0; e < lists.entries.size(); ++e)
    lists.entries[e] = {static_cast<Local>(e), static_cast<Real>(weight(e))};
  const std::vector<SsspEntry<Real>> before(lists.entries.begin(), lists.entries.end());
  Team team(threads);
  sort_by_weight(team, lists, 1, 10);
  for (Local v = 0; v < 11; ++v) {
    const auto list = lists.of(v);
    const auto first = static_cast<std::size_t>(offsets[static_cast<std::size_t>(v)]);
    std::vector<Local> named;
    for (const auto& e : list) {
      CHECK(before[static_cast<std::size_t>(e.vertex)].weight == e.weight);
      named.push_back(e.vertex);
    }
    const bool in_order = std::is_sorted(named.begin(), named.end());
    std::sort(named.begin(), named.end());
    for (std::size_t i = 0; i < named.size(); ++i) CHECK(named[i] == static_cast<Local>(first + i));
    if (v == 10) {
      CHECK(in_order);  // beyond the end: unchanged
    } else {
      CHECK(std::is_sorted(list.begin(), list.end(), [](auto& a, auto& b) { return a.weight < b.weight; }));
    }
  }
}

template <class Real>
void check_all(int threads) {
  const auto unit = [](std::size_t e) { return static_cast<double>(random_at(1, e) >> 40) * 0x1p-24; };
  check_sorting<Real>(threads, unit);
  check_sorting<Real>(threads, [](std::size_t) { return 0.0; });
  check_sorting<Real>(threads, [](std::size_t) { return 3.5; });
  check_sorting<Real>(threads, [&](std::size_t e) { return std::pow(10.0, 60 * unit(e) - 35); });
  check_sorting<Real>(threads, [&](std::size_t e) { return e % 100 == 0 ? 1e30 : unit(e); });
  check_sorting<Real>(threads, [](std::size_t e) {
    return static_cast<double>(std::numeric_limits<Real>::denorm_min()) * static_cast<double>(random_at(2, e) % 5);
  });
}

}  // namespace

TEST_CASE("lists are sorted by weight, long and short ones, whatever the weights, and no other list changes") {
  for (const int threads : {1, 3}) {
    check_all<float>(threads);
    check_all<double>(threads);
  }
}

TEST_CASE("a quantile of weights is positive") {
  CHECK(positive_quantile({}, 0.5) == 1);
  CHECK(positive_quantile({0, 0}, 0.5) == 1);
  CHECK(positive_quantile({0, 0, 3, 4}, 0.1) == 3);
  CHECK(positive_quantile({1, 2, 3, 4, 5}, 0.5) == 3);
  CHECK(positive_quantile({1, 2}, 7) == 2);
}
