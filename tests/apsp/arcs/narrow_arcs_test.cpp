// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/apsp/checks/row_check.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/base/error.hpp>

#include "apsp/samples.hpp"

using namespace atl;

namespace {

// A chain of arcs with these weights.
ReplicatedCsr<double> chain(const std::vector<double>& weights, bool from_float32 = false) {
  std::vector<Arc<double>> list;
  std::vector<Vertex> ids{1};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    list.push_back({static_cast<Local>(k), static_cast<Local>(k + 1), weights[k]});
    ids.push_back(static_cast<Vertex>(k + 2));
  }
  ReplicatedCsr<double> arcs = make_arcs<double>(std::move(ids), true, list, "chain");
  arcs.from_float32 = from_float32;
  return arcs;
}

double narrow(double w) { return static_cast<double>(static_cast<float>(w)); }

}  // namespace

TEST_CASE("distances have the narrowest type that holds every sum of the weights") {
  using enum Element;
  const auto type = [](const std::vector<double>& weights) { return narrowest_type(chain(weights)); };
  CHECK(type({1, 1}) == uint16);
  CHECK(type({1, 7}) == int32);
  CHECK(type({1, 1e9}) == float64);
  CHECK(type({0.5, 0.25, 2}) == float32);
  CHECK(type({-0.5, 0.25}) == float64);                // potentials need more digits
  CHECK(type({narrow(0.1), narrow(0.2)}) == float64);  // each fits, their sum does not
  CHECK(type({0x1p-10, 0x1p12}) == float32);
  CHECK(type({0x1p-10, 0x1p13}) == float64);
  CHECK(type({1e-50, 1e-50}) == float64);
  CHECK(type({0x1p-149, 0x1p-140}) == float32);
  CHECK(type({0x1p-150, 0x1p-140}) == float64);
  CHECK(type({0x1p-1074, 0x1p-1074}) == float64);
  CHECK(type({16777217.5}) == float64);
  CHECK(type({1e300, 0.5}) == float64);
  CHECK(narrowest_type(chain({narrow(0.1), narrow(0.2)}, true)) == float32);
  CHECK(narrowest_type(chain({3e38, 0.5}, true)) == float64);
  CHECK(narrowest_type(chain({1, 7}, true)) == int32);
}

TEST_CASE("widths are weights: they use the narrowest type that holds each weight") {
  using enum Element;
  const auto type = [](const std::vector<double>& weights) {
    return narrowest_type(chain(weights), Semiring::max_min);
  };
  CHECK(type({narrow(0.1), narrow(0.2)}) == float32);
  CHECK(type({0.1, 0.5}) == float64);
  CHECK(type({1e-50}) == float64);
  CHECK(type({16777217.5}) == float64);
  CHECK(type({7, 9}) == uint8);
}

TEST_CASE("weights narrowed to float32 are counted if they are rounded, and rejected if they vanish") {
  CHECK(narrowed<float>(chain({0.1, 0.5, 1.0 / 3})).rounded == 2);
  CHECK(narrowed<float>(chain({0.25, 0.5})).rounded == 0);
  CHECK_THROWS_WITH_AS(narrowed<float>(chain({1e-50})),
                       doctest::Contains("chain: the edge from 1 to 2 weighs 1e-50: float32 would have 0 in its place"),
                       InputError);
  CHECK_THROWS_WITH_AS(narrowed<float>(chain({1, 1e-40})), doctest::Contains("the edge from 2 to 3"), InputError);
  CHECK(narrowed<float>(chain({0x1p-149})).rounded == 0);
}

TEST_CASE("rows are checked against the weights as read") {
  const ReplicatedCsr<double> read = chain({1e-50, 1e-50}), entering = read.reversed();
  CHECK(check_row<float>(read, entering, Semiring::min_plus, 0, std::vector<float>{0, 0, 0}));
  CHECK(!check_row<double>(read, entering, Semiring::min_plus, 0, std::vector<double>{0, 1e-50, 2e-50}));
  const ReplicatedCsr<double> thirds = chain({1.0 / 3, 1.0 / 3}), back = thirds.reversed();
  CHECK(!check_row<double>(thirds, back, Semiring::min_plus, 0, std::vector<double>{0, 1.0 / 3, 2.0 / 3}));
  CHECK(!check_row<float>(thirds, back, Semiring::min_plus, 0, std::vector<float>{0, 1.0F / 3, 2.0F / 3}));
  CHECK(check_row<double>(thirds, back, Semiring::min_plus, 0, std::vector<double>{0, narrow(1.0 / 3), 2.0 / 3}));
  CHECK(check_row<float>(thirds, back, Semiring::min_plus, 0, std::vector<float>{0, 1.0F / 3, 0.66667F}));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> width{infinity, narrow(1.0 / 3), narrow(1.0 / 3)};
  CHECK(check_row<double>(thirds, back, Semiring::max_min, 0, width));
  CHECK(!check_row<float>(thirds, back, Semiring::max_min, 0, std::vector<float>(width.begin(), width.end())));
}
