// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/graph/edge_list.hpp>
#include <atoll/graph/generate/kronecker.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// Small graphs with difficult properties: loops, duplicates, isolated vertices, hubs, more ranks than vertices, 63-bit
/// ids.
namespace cases {

using atl::Rank;
using atl::Vertex;

struct Case {
  std::string name;
  std::vector<std::pair<Vertex, Vertex>> edges;  // original ids
  std::optional<atl::IdRange> range;
  std::vector<Vertex> vertices;  // listed beside the edges
  double lightest = 0;           // smallest weight

  /// All ids, ascending.
  std::vector<Vertex> ids() const {
    std::set<Vertex> all(vertices.begin(), vertices.end());
    for (const auto& [u, v] : edges) all.insert({u, v});
    if (range)
      for (Vertex v = range->first; v < range->first + range->count; ++v) all.insert(v);
    return {all.begin(), all.end()};
  }
  /// A weight that depends only on the edge; it takes few values, including the smallest, so that duplicates tie.
  double weight(std::size_t i) const { return lightest + static_cast<double>(atl::random_at(9, i) % 4) * 0.3; }
};

inline std::vector<Case> all() {
  std::vector<Case> list;
  list.push_back({"one loop", {{5, 5}}, {}, {}});
  list.push_back({"one edge", {{9, 3}}, {}, {}});
  list.push_back({"vertices without edges", {}, atl::IdRange{4, 3}, {}});
  list.push_back({"listed vertices", {{2, 3}, {3, 1000000000000}}, {}, {7, 2, 1, 7, 5}});
  Case path{"path", {}, {}, {}};
  for (Vertex v = 0; v < 70; ++v) path.edges.emplace_back(v + 1, v);
  list.push_back(path);
  Case dense{"loops and duplicates", {}, {}, {}};
  for (std::size_t i = 0; i < 80; ++i)
    dense.edges.emplace_back(atl::random_at(1, i) % 6 + 100, atl::random_at(2, i) % 6 + 100);
  list.push_back(dense);
  Case apart{
      "components and isolated vertices", {{10, 12}, {12, 14}, {20, 21}, {21, 21}, {33, 10}}, atl::IdRange{8, 40}, {}};
  list.push_back(apart);
  Case hub{"hubs", {}, {}, {}};
  for (Vertex v = 0; v < 300; ++v) {
    hub.edges.emplace_back(7, v);
    if (v % 2 == 0) hub.edges.emplace_back(v, 200);
    hub.edges.emplace_back(v, (v + 1) % 300);
  }
  list.push_back(hub);
  Case sparse{"ids of 63 bits", {{0, atl::kMaxVertex}, {atl::kMaxVertex, 1}}, {}, {}};
  auto id = [](std::uint64_t k) { return static_cast<Vertex>(atl::random_at(77, k % 60) >> 1) % atl::kMaxVertex; };
  for (std::uint64_t i = 0; i < 300; ++i) sparse.edges.emplace_back(id(atl::random_at(3, i)), id(atl::random_at(4, i)));
  list.push_back(sparse);
  Case kron{"kronecker", {}, atl::IdRange{0, 128}, {}};
  std::vector<Vertex> u(1024), v(1024);
  atl::Kronecker(7, {}, 3).fill(0, std::span(u), std::span(v));
  for (std::size_t i = 0; i < u.size(); ++i) kron.edges.emplace_back(u[i], v[i]);
  list.push_back(kron);
  return list;
}

enum class Weight { none, narrow, wide };
enum class Distribution { spread, last_rank };

/// Whether edge i belongs to `rank`.
inline bool is_on_rank(std::size_t i, Rank rank, Rank ranks, Distribution distribution) {
  return distribution == Distribution::last_rank ? rank == ranks - 1
                                                 : static_cast<Rank>(i * 7 % static_cast<std::size_t>(ranks)) == rank;
}

/// The edges of one rank.
inline atl::EdgeList slice(const Case& c, bool directed, Weight weight, bool wide, Rank rank, Rank ranks,
                           Distribution distribution) {
  std::vector<std::size_t> mine;
  for (std::size_t i = 0; i < c.edges.size(); ++i)
    if (is_on_rank(i, rank, ranks, distribution)) mine.push_back(i);
  atl::EdgeList edges;
  const auto ids = c.ids();
  auto fill = [&](auto source) {
    using Id = std::decay_t<decltype(source[0])>;
    atl::Array<Id> target(source.size());
    for (std::size_t k = 0; k < mine.size(); ++k) {
      source[k] = static_cast<Id>(c.edges[mine[k]].first);
      target[k] = static_cast<Id>(c.edges[mine[k]].second);
    }
    edges.source = std::move(source);
    edges.target = std::move(target);
  };
  if (wide || ids.back() > UINT32_MAX) {
    fill(atl::Array<Vertex>(mine.size()));
  } else {
    fill(atl::Array<std::uint32_t>(mine.size()));
  }
  auto weigh = [&](auto column) {
    for (std::size_t k = 0; k < mine.size(); ++k)
      column[k] = static_cast<std::decay_t<decltype(column[0])>>(c.weight(mine[k]));
    edges.weight = std::move(column);
  };
  if (weight == Weight::narrow) weigh(atl::Array<float>(mine.size()));
  if (weight == Weight::wide) weigh(atl::Array<double>(mine.size()));
  edges.directed = directed;
  edges.range = c.range;
  for (std::size_t i = 0; i < c.vertices.size(); ++i)
    if (is_on_rank(i, rank, ranks, distribution)) edges.vertices.push_back(c.vertices[i]);
  edges.name = c.name;
  return edges;
}

}  // namespace cases
