// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "apsp/samples.hpp"
#include "graph/cases.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

// The arcs with weights of type T.
template <class T>
ReplicatedCsr<T> in_type(ReplicatedCsr<double> arcs) {
  if constexpr (std::is_same_v<T, double>) {
    return arcs;
  } else {
    return narrowed<T>(arcs);
  }
}

// The error message for an edge from 5 to `to` with this weight, in type T.
template <class T>
std::string said(double weight, Vertex to = 9) {
  EdgeList edges;
  edges.source = Array<Vertex>(1, 5);
  edges.target = Array<Vertex>(1, to);
  edges.weight = Array<double>(1, weight);
  edges.directed = true;
  edges.name = "roads.gr";
  try {
    const auto world = World::alone();
    in_type<T>(gather_arcs(*world, std::move(edges)));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <class T>
void check_gathered(const cases::Case& c, bool directed, cases::Weight weight, Rank ranks) {
  const auto ids = c.ids();
  std::map<std::pair<Vertex, Vertex>, T> least;
  for (std::size_t i = 0; i < c.edges.size(); ++i) {
    const auto [u, v] = c.edges[i];
    const T w = weight == cases::Weight::none ? T{1} : static_cast<T>(c.weight(i));
    if (u == v) continue;
    for (const auto& key : {std::pair{u, v}, std::pair{v, u}}) {
      if (directed && key != c.edges[i]) continue;
      const auto [found, is_new] = least.try_emplace(key, w);
      if (!is_new) found->second = std::min(found->second, w);
    }
  }
  run_ranks(ranks, Plan{}, [&](World& world) {
    const ReplicatedCsr<T> arcs = in_type<T>(
        gather_arcs(world, cases::slice(c, directed, weight, false, world.rank(), ranks, cases::Distribution::spread)));
    if (!c.edges.empty()) CHECK(arcs.from_float32 == (weight == cases::Weight::narrow));
    CHECK(arcs.rounded == 0);
    CHECK(arcs.ids == ids);
    CHECK(arcs.directed == directed);
    std::map<std::pair<Vertex, Vertex>, T> got;
    for (Vertex v = 0; v < arcs.vertices(); ++v) {
      const auto heads = arcs.heads_of(v);
      CHECK(std::is_sorted(heads.begin(), heads.end()));
      for (std::size_t k = 0; k < heads.size(); ++k)
        got[{ids[static_cast<std::size_t>(v)], ids[static_cast<std::size_t>(heads[k])]}] = arcs.weights_of(v)[k];
    }
    CHECK(got == least);
    CHECK(static_cast<Edge>(got.size()) == arcs.size());
  });
}

}  // namespace

TEST_CASE("every rank gets the edges of all ranks as arcs") {
  for (const auto& c : cases::all())
    for (const Rank ranks : {1, 2, 5})
      for (const bool directed : {false, true}) {
        check_gathered<float>(c, directed, cases::Weight::narrow, ranks);
        check_gathered<double>(c, directed, cases::Weight::wide, ranks);
        check_gathered<std::uint8_t>(c, directed, cases::Weight::none, ranks);
      }
}

TEST_CASE("reversing arcs twice gives the original arcs") {
  for (const auto& sample : samples::all<std::int32_t>()) {
    const ReplicatedCsr<std::int32_t> arcs = sample.build(), back = arcs.reversed(), again = back.reversed();
    for (Vertex v = 0; v < arcs.vertices(); ++v)
      for (std::size_t k = 0; k < arcs.heads_of(v).size(); ++k) {
        CHECK(again.heads_of(v)[k] == arcs.heads_of(v)[k]);
        CHECK(again.weights_of(v)[k] == arcs.weights_of(v)[k]);
        const auto in = back.heads_of(arcs.heads_of(v)[k]);
        CHECK(std::binary_search(in.begin(), in.end(), static_cast<Local>(v)));
      }
    CHECK(again.size() == arcs.size());
  }
}

TEST_CASE("weights that a type cannot hold are rejected with the edge and the value") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  CHECK(has(said<float>(nan), "roads.gr: the edge from 5 to 9 weighs nan: not a number."));
  CHECK(has(said<std::uint8_t>(nan), "not a number"));
  CHECK(has(said<double>(infinity), "stands for no path"));
  CHECK(has(said<double>(-infinity), "stands for no path"));
  CHECK(has(said<float>(1e300), "weighs 1e+300: beyond float32"));
  CHECK(has(said<std::int32_t>(2.5), "weighs 2.5: int32 has whole numbers only"));
  CHECK(has(said<std::int32_t>(0x3fffffff), "takes -1073741822 to 1073741822"));
  CHECK(has(said<std::uint16_t>(65535), "takes 0 to 65534"));
  CHECK(has(said<std::uint8_t>(-1), "takes 0 to 254"));
  CHECK(has(said<float>(-2, 5), "the edge from 5 to itself weighs -2: a negative cycle"));
  CHECK(said<std::int32_t>(0x3ffffffe).empty());
  CHECK(said<std::int32_t>(-0x3ffffffe).empty());
  CHECK(said<std::uint16_t>(65534).empty());
  CHECK(said<float>(2, 5).empty());
}

TEST_CASE("a weight of -0 becomes 0") {
  const auto world = World::alone();
  EdgeList edges;
  edges.source = Array<Vertex>(1, 0);
  edges.target = Array<Vertex>(1, 1);
  edges.weight = Array<float>(1, -0.0f);
  const ReplicatedCsr<double> arcs = gather_arcs(*world, std::move(edges));
  CHECK(!std::signbit(arcs.weights[0]));
}
