// SPDX-License-Identifier: Apache-2.0
// Triangles by forward lists [1]: each vertex lists its neighbours of higher degree, so that heavy vertices have short
// lists; a triangle is an edge v - u of such a list and a vertex that both their lists have. A vertex's list goes once to
// each rank that owns somebody on it, which looks for the triangles there: of all three corners that rank knows a master
// or a mirror, so what it counts goes home by one reduce.
//
//   in the paper        here              meaning
//   A(v), N'(v)         lists_.of(v)      neighbours above v in the order of (degree, number); forward_lists.cpp
//
// Deviation: entries say in how many directions an edge goes, for coefficients of directed graphs.
//
// [1] M. Latapy. "Main-memory triangle computations for very large (sparse (power-law)) graphs." TCS 407, 2008.
#include <algorithm>
#include <atoll/algorithms/clustering_coefficient.hpp>
#include <atoll/algorithms/clustering_local.hpp>
#include <atoll/algorithms/forward_lists.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {
namespace {

class Triangles {
 public:
  explicit Triangles(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        locals_(static_cast<std::size_t>(graph.locals())),
        active_(static_cast<std::size_t>(graph.active())),
        lists_(graph),
        edges_(locals_, 0),
        corners_(locals_, 0) {}

  ClusteringResult run() {
    count_here();
    count_elsewhere();
    return collect();
  }

 private:
  static constexpr std::size_t kGrain = 64;
  // Words that a rank sends in one batch.
  static constexpr std::size_t kBatch = std::size_t{1} << 20;

  void add(Array<Edge>& to, Local v, Edge n) { combine_atomically(to[static_cast<std::size_t>(v)], n, SumOf{}); }

  // Triangles of v, this rank's u and what both their lists have. words: v's list.
  template <class WordAt>
  void count(Local v, Local u, Edge between, std::size_t size, WordAt&& word_at) {
    const auto list = lists_.of(u);
    Edge found = 0, at_v = 0;
    for (std::size_t i = 0, k = 0; i < size && k < list.size();) {
      const std::uint64_t word = word_at(i);
      const auto dense = ForwardLists::dense_of(word);
      if (dense < list[k].dense()) {
        ++i;
      } else if (dense > list[k].dense()) {
        ++k;
      } else {
        ++found;
        at_v += list[k].directions();
        add(edges_, u, ForwardLists::directions_of(word));
        add(edges_, list[k].local, between);
        add(corners_, list[k].local, 1);
        ++i;
        ++k;
      }
    }
    if (found == 0) return;
    add(edges_, v, at_v);
    add(corners_, v, found);
    add(corners_, u, found);
  }

  void count_here() {
    team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
        const auto list = lists_.of(v);
        for (const auto& e : list)
          if (e.local < graph_.active())
            count(v, e.local, e.directions(), list.size(), [&](std::size_t i) { return list[i].word; });
      }
    });
  }

  // Messages: which of this rank's vertices that the receiver mirrors v is, the length of its list, the list's words;
  // batch after batch.
  void count_elsewhere() {
    const auto ranks = static_cast<std::size_t>(world_.size());
    const auto known = known_masters(graph_);
    for (std::size_t v = 0; world_.any(v < active_);) {
      std::vector<std::vector<std::uint64_t>> outgoing(ranks);
      for (std::size_t words = 0; v < active_ && words < kBatch; ++v) {
        const auto list = lists_.of(static_cast<Local>(v));
        Rank last = world_.rank();
        for (const auto& e : list) {
          const Rank owner = graph_.blocks().owner(e.dense());  // ascends along the list
          if (owner == last || owner == world_.rank()) continue;
          last = owner;
          auto& message = outgoing[static_cast<std::size_t>(owner)];
          const auto& mirrored = known[static_cast<std::size_t>(owner)];
          const auto at = std::lower_bound(mirrored.begin(), mirrored.end(), static_cast<Local>(v));
          message.push_back(static_cast<std::uint64_t>(at - mirrored.begin()));
          message.push_back(list.size());
          for (const auto& each : list) message.push_back(each.word);
          words += 2 + list.size();
        }
      }
      const auto incoming = world_.exchange(std::move(outgoing));
      for (std::size_t r = 0; r < ranks; ++r) take(graph_.mirrors().begin[r], incoming[r]);
    }
  }

  void take(Local first_mirror, const std::vector<std::uint64_t>& message) {
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at < message.size(); at += 2 + message[at + 1]) starts.push_back(at);
    const Vertex begin = graph_.blocks().begin(world_.rank()), owned = static_cast<Vertex>(graph_.owned());
    team_.for_range(starts.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t s = a; s < b; ++s) {
        const Local v = first_mirror + static_cast<Local>(message[starts[s]]);
        const std::span<const std::uint64_t> words(message.data() + starts[s] + 2, message[starts[s] + 1]);
        auto first = std::lower_bound(words.begin(), words.end(), ForwardLists::word_of(begin, 0));
        for (; first != words.end() && ForwardLists::dense_of(*first) < begin + owned; ++first) {
          const Local u = graph_.local_of(ForwardLists::dense_of(*first) - begin);
          count(v, u, ForwardLists::directions_of(*first), words.size(), [&](std::size_t i) { return words[i]; });
        }
      }
    });
  }

  ClusteringResult collect() {
    VertexBits all(graph_.locals());
    MirrorExchange<Edge, SumOf> exchange(graph_);
    for (Array<Edge>* counts : {&edges_, &corners_}) {
      all.set_all();
      exchange.reduce({counts->data(), locals_}, all);
    }
    const auto owned = static_cast<std::size_t>(graph_.owned());
    ClusteringResult result{Array<double>(owned), Array<Vertex>(owned), 0};
    Vertex sum = 0;
    for (std::size_t k = 0; k < owned; ++k) {
      const Local local = graph_.local_of(static_cast<Vertex>(k));
      const auto v = static_cast<std::size_t>(local);
      const auto d = static_cast<double>(lists_.degree(local));
      result.coefficient[k] = d < 2 ? 0 : static_cast<double>(edges_[v]) / (d * (d - 1));
      result.triangles[k] = corners_[v];
      sum += corners_[v];
    }
    result.total = world_.sum(sum) / 3;
    return result;
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const std::size_t locals_, active_;
  const ForwardLists lists_;
  Array<Edge> edges_, corners_;  // [local] between its neighbours; triangles that it is in
};

}  // namespace

ClusteringResult clustering_coefficient(const Graph& graph) {
  return graph.world().size() == 1 ? clustering_local(graph) : Triangles(graph).run();
}

}  // namespace atl
