// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/graph/enough_memory.hpp>
#include <atoll/graph/numbering.hpp>
#include <cmath>

namespace atl {
namespace {

/// Why such a weight is invalid, and what to do; empty if it is valid.
std::string refusal(double w) {
  if (std::isnan(w)) return "not a number. Remove the edge or give it a weight.";
  if (std::isinf(w)) return "infinite: that stands for no path. Remove the edge.";
  return {};
}

/// Counting sort, twice: by head, then stably by tail, so each row ascends.
template <class T>
void sort_by_tail_and_head(std::vector<Arc<T>>& arcs, std::size_t n) {
  std::vector<Arc<T>> sorted(arcs.size());
  std::vector<std::size_t> at(n + 1);
  for (const auto key : {&Arc<T>::head, &Arc<T>::tail}) {
    std::fill(at.begin(), at.end(), 0);
    for (const Arc<T>& arc : arcs) ++at[static_cast<std::size_t>(arc.*key) + 1];
    for (std::size_t v = 0; v < n; ++v) at[v + 1] += at[v];
    for (const Arc<T>& arc : arcs) sorted[at[arc.*key]++] = arc;
    arcs.swap(sorted);
  }
}

template <class T>
ReplicatedCsr<T> rows_of(std::vector<Arc<T>> list, std::vector<Vertex> ids, Semiring semiring) {
  const std::size_t n = ids.size();
  sort_by_tail_and_head(list, n);
  std::size_t kept = 0;
  for (const Arc<T>& arc : list) {
    if (arc.tail == arc.head) continue;
    if (kept > 0 && list[kept - 1].tail == arc.tail && list[kept - 1].head == arc.head) {
      T& best = list[kept - 1].weight;
      best = semiring == Semiring::min_plus ? std::min(best, arc.weight) : std::max(best, arc.weight);
    } else {
      list[kept++] = arc;
    }
  }
  ReplicatedCsr<T> arcs;
  arcs.ids = std::move(ids);
  arcs.offsets = Array<Edge>(n + 1, 0);
  arcs.heads = Array<Local>(kept);
  arcs.weights = Array<T>(kept);
  for (std::size_t e = 0; e < kept; ++e) {
    arcs.heads[e] = list[e].head;
    arcs.weights[e] = list[e].weight;
    ++arcs.offsets[static_cast<std::size_t>(list[e].tail) + 1];
  }
  for (std::size_t v = 0; v < n; ++v) arcs.offsets[v + 1] += arcs.offsets[v];
  if (kept > 0) {
    const auto [least, greatest] = std::minmax_element(arcs.weights.begin(), arcs.weights.end());
    arcs.least = *least;
    arcs.greatest = *greatest;
  }
  return arcs;
}

template <class T>
std::vector<Arc<T>> in_both_directions(std::span<const Arc<T>> arcs, bool directed) {
  std::vector<Arc<T>> all;
  all.reserve(arcs.size() * (directed ? 1 : 2));
  for (const Arc<T>& arc : arcs) {
    all.push_back(arc);
    if (!directed) all.push_back({arc.head, arc.tail, arc.weight});
  }
  return all;
}

/// This rank's edges, whose ids number() has made dense, validated.
std::vector<Arc<double>> converted(const EdgeList& edges, std::span<const Vertex> ids, ArcWeights as,
                                   Semiring semiring) {
  std::vector<Arc<double>> arcs(edges.size());
  std::visit(
      [&](const auto& source) {
        const auto& target = std::get<std::decay_t<decltype(source)>>(edges.target);
        for (std::size_t e = 0; e < arcs.size(); ++e)
          arcs[e] = {static_cast<Local>(source[e]), static_cast<Local>(target[e]), 1};
      },
      edges.source);
  const auto id = [&](Local v) { return ids[v]; };
  const auto weigh = [&](const auto& weights) {
    for (std::size_t e = 0; e < arcs.size(); ++e) {
      Arc<double>& arc = arcs[e];
      const double w = static_cast<double>(weights[e]);
      if (const std::string why = refusal(w); !why.empty())
        throw InputError(
            fmt::format("{}: the edge from {} to {} weighs {}: {}", edges.name, id(arc.tail), id(arc.head), w, why));
      const bool loop = arc.tail == arc.head;
      check(!loop || semiring != Semiring::min_plus || w >= 0,
            "{}: the edge from {} to itself weighs {}: a negative cycle, around which paths get ever shorter. Remove "
            "it.",
            edges.name, id(arc.tail), w);
      check(
          !loop || semiring != Semiring::max_plus || w <= 0,
          "{}: the edge from {} to itself weighs {}: a positive cycle, around which paths get ever longer. Remove it.",
          edges.name, id(arc.tail), w);
      arc.weight = w + 0.0;  // -0 + 0 is 0
    }
  };
  if (as == ArcWeights::as_given)
    std::visit(
        [&](const auto& weights) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(weights)>, std::monostate>) weigh(weights);
        },
        edges.weight);
  return arcs;
}

}  // namespace

template <class T>
ReplicatedCsr<T> ReplicatedCsr<T>::reversed() const {
  ReplicatedCsr back;
  back.name = name;
  back.directed = directed;
  back.ids = ids;
  back.least = least;
  back.greatest = greatest;
  back.from_float32 = from_float32;
  back.rounded = rounded;
  back.offsets = Array<Edge>(offsets.size(), 0);
  back.heads = Array<Local>(heads.size());
  back.weights = Array<T>(weights.size());
  for (const Local head : heads) ++back.offsets[static_cast<std::size_t>(head) + 1];
  for (std::size_t v = 0; v < ids.size(); ++v) back.offsets[v + 1] += back.offsets[v];
  std::vector<Edge> at(back.offsets.begin(), back.offsets.end());
  for (Vertex v = 0; v < vertices(); ++v)
    for (auto e = static_cast<std::size_t>(begin(v)); e < static_cast<std::size_t>(end(v)); ++e) {
      const auto to = static_cast<std::size_t>(at[heads[e]]++);
      back.heads[to] = static_cast<Local>(v);
      back.weights[to] = weights[e];
    }
  return back;
}

template <class T>
ReplicatedCsr<T> make_arcs(std::vector<Vertex> ids, bool directed, std::span<const Arc<T>> list, std::string name,
                           Semiring semiring) {
  ReplicatedCsr<T> arcs = rows_of(in_both_directions(list, directed), std::move(ids), semiring);
  arcs.directed = directed;
  arcs.name = std::move(name);
  return arcs;
}

ReplicatedCsr<double> gather_arcs(World& world, EdgeList edges, ArcWeights weights, Semiring semiring) {
  const IdMap map = number(world, edges);
  world.agree(map.count() <= INT32_MAX,
              fmt::format("{}: {} vertices (all pairs of them fit no machine). Use single sources: atoll sssp.",
                          edges.name, map.count()));
  // The ids and the beginning of each row are stored on every rank.
  require_vertices(world, edges.name, map, 16.0 * static_cast<double>(map.count()));
  std::vector<Vertex> mine(static_cast<std::size_t>(map.blocks().size(world.rank())));
  for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = map.id_of(static_cast<Vertex>(k));
  std::vector<Vertex> ids = world.all_gather_varying(std::span<const Vertex>(mine));
  world.team().cancellation_point();  // with millions of arcs each step takes a second
  const std::vector<Arc<double>> slice = world.collective_try([&] { return converted(edges, ids, weights, semiring); });
  const std::vector<Arc<double>> all = world.all_gather_varying(std::span<const Arc<double>>(slice));
  world.team().cancellation_point();
  ReplicatedCsr<double> arcs = make_arcs<double>(std::move(ids), edges.directed, all, edges.name, semiring);
  // A rank without edges may have no weights.
  arcs.from_float32 = world.any(std::holds_alternative<Array<float>>(edges.weight)) &&
                      !world.any(std::holds_alternative<Array<double>>(edges.weight));
  return arcs;
}

#define ATOLL_ARCS(T)                                           \
  template ReplicatedCsr<T> ReplicatedCsr<T>::reversed() const; \
  template ReplicatedCsr<T> make_arcs<T>(std::vector<Vertex>, bool, std::span<const Arc<T>>, std::string, Semiring);
ATOLL_ARCS(float)
ATOLL_ARCS(double)
ATOLL_ARCS(std::int32_t)
ATOLL_ARCS(std::uint16_t)
ATOLL_ARCS(std::uint8_t)
#undef ATOLL_ARCS

}  // namespace atl
