// SPDX-License-Identifier: Apache-2.0
// Triangles by forward lists [1]: each vertex lists its neighbours of higher degree, so that heavy vertices have short
// lists; a triangle is an edge v - u of such a list and a vertex that both their lists have. A vertex's list goes once to
// each rank that owns somebody on it, which looks for the triangles there: of all three corners that rank knows a master
// or a mirror, so what it counts goes home by one reduce.
//
//   in the paper        here              meaning
//   A(v), N'(v)         forward lists     neighbours above v in the order of (degree, number)
//
// Deviation: entries say in how many directions an edge goes, for coefficients of directed graphs.
//
// [1] M. Latapy. "Main-memory triangle computations for very large (sparse (power-law)) graphs." TCS 407, 2008.
#include <algorithm>
#include <atoll/algorithms/clustering_coefficient.hpp>
#include <atoll/algorithms/clustering_local.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {
namespace {

// A neighbour: its dense number and in how many directions an edge joins the two, in one word; by local number too.
struct Entry {
  std::uint64_t word;
  Local local;
  Vertex dense() const { return static_cast<Vertex>(word >> 2); }
};
Edge directions(std::uint64_t word) { return static_cast<Edge>(word & 3); }
std::uint64_t word_of(Vertex dense, std::uint64_t directions) {
  return static_cast<std::uint64_t>(dense) << 2 | directions;
}

class Triangles {
 public:
  explicit Triangles(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        locals_(static_cast<std::size_t>(graph.locals())),
        active_(static_cast<std::size_t>(graph.active())),
        dense_(dense_numbers(graph)),
        degree_(locals_, 0),
        edges_(locals_, 0),
        corners_(locals_, 0) {}

  ClusteringResult run() {
    list_neighbours();
    keep_higher();
    count_here();
    count_elsewhere();
    return collect();
  }

 private:
  static constexpr std::size_t kGrain = 64;
  // Words that a rank sends in one batch.
  static constexpr std::size_t kBatch = std::size_t{1} << 20;

  // All neighbours of each vertex but itself, by dense number.
  void list_neighbours() {
    lists_.resize(active_);
    const std::uint64_t both = 2, one = 1;
    team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        auto& list = lists_[v];
        const auto add = [&](const Csr& csr, std::uint64_t directions) {
          Local before = -1;
          for (const Local u : csr.neighbours(static_cast<Local>(v))) {
            if (u != static_cast<Local>(v) && u != before)
              list.push_back({word_of(dense_[static_cast<std::size_t>(u)], directions), u});
            before = u;
          }
        };
        add(graph_.out(), graph_.directed() ? one : both);
        if (graph_.directed()) add(graph_.in(), one);
        std::sort(list.begin(), list.end(), [](const Entry& x, const Entry& y) { return x.dense() < y.dense(); });
        std::size_t kept = 0;
        for (std::size_t i = 0; i < list.size(); ++i) {
          if (kept > 0 && list[kept - 1].local == list[i].local) {
            list[kept - 1].word = word_of(list[i].dense(), both);
          } else {
            list[kept++] = list[i];
          }
        }
        list.resize(kept);
        degree_[v] = static_cast<Local>(kept);
      }
    });
    VertexBits all(graph_.locals());
    all.set_all();
    MirrorExchange<Local, MinOf>(graph_).broadcast({degree_.data(), locals_}, all);
  }

  bool is_above(Local u, Local v) const {
    const auto a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
    return degree_[a] != degree_[b] ? degree_[a] > degree_[b] : dense_[a] > dense_[b];
  }

  void keep_higher() {
    team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        std::erase_if(lists_[v], [&](const Entry& e) { return !is_above(e.local, static_cast<Local>(v)); });
        lists_[v].shrink_to_fit();
      }
    });
  }

  void add(Array<Edge>& to, Local v, Edge n) { combine_atomically(to[static_cast<std::size_t>(v)], n, SumOf{}); }

  // Triangles of v, this rank's u and what both their lists have. words: v's list.
  template <class WordAt>
  void count(Local v, Local u, Edge between, std::size_t size, WordAt&& word_at) {
    const auto& list = lists_[static_cast<std::size_t>(u)];
    Edge found = 0, at_v = 0;
    for (std::size_t i = 0, k = 0; i < size && k < list.size();) {
      const std::uint64_t word = word_at(i);
      const auto dense = static_cast<Vertex>(word >> 2);
      if (dense < list[k].dense()) {
        ++i;
      } else if (dense > list[k].dense()) {
        ++k;
      } else {
        ++found;
        at_v += directions(list[k].word);
        add(edges_, u, directions(word));
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
      for (std::size_t v = a; v < b; ++v)
        for (const Entry& e : lists_[v])
          if (e.local < graph_.active())
            count(static_cast<Local>(v), e.local, directions(e.word), lists_[v].size(),
                  [&](std::size_t i) { return lists_[v][i].word; });
    });
  }

  // Messages: which of this rank's vertices that the receiver mirrors v is, the length of its list, the list's words;
  // batch after batch.
  void count_elsewhere() {
    const auto ranks = static_cast<std::size_t>(world_.size());
    std::vector<std::vector<Local>> known(ranks);
    for (std::size_t r = 0; r < ranks; ++r)
      for_bits(graph_.mirrors().known_by[r], [&](std::size_t v) { known[r].push_back(static_cast<Local>(v)); });
    for (std::size_t v = 0; world_.any(v < active_);) {
      std::vector<std::vector<std::uint64_t>> outgoing(ranks);
      for (std::size_t words = 0; v < active_ && words < kBatch; ++v) {
        Rank last = world_.rank();
        for (const Entry& e : lists_[v]) {
          const Rank owner = graph_.blocks().owner(e.dense());  // ascends along the list
          if (owner == last || owner == world_.rank()) continue;
          last = owner;
          auto& message = outgoing[static_cast<std::size_t>(owner)];
          const auto& mirrored = known[static_cast<std::size_t>(owner)];
          const auto at = std::lower_bound(mirrored.begin(), mirrored.end(), static_cast<Local>(v));
          message.push_back(static_cast<std::uint64_t>(at - mirrored.begin()));
          message.push_back(lists_[v].size());
          for (const Entry& each : lists_[v]) message.push_back(each.word);
          words += 2 + lists_[v].size();
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
        auto first = std::lower_bound(words.begin(), words.end(), word_of(begin, 0));
        for (; first != words.end() && static_cast<Vertex>(*first >> 2) < begin + owned; ++first) {
          const Local u = graph_.local_of(static_cast<Vertex>(*first >> 2) - begin);
          count(v, u, directions(*first), words.size(), [&](std::size_t i) { return words[i]; });
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
      const auto v = static_cast<std::size_t>(graph_.local_of(static_cast<Vertex>(k)));
      const auto d = static_cast<double>(degree_[v]);
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
  const std::vector<Vertex> dense_;        // [local]
  std::vector<std::vector<Entry>> lists_;  // [local master] forward lists, by dense number
  Array<Local> degree_;                    // [local] in the graph without directions and loops
  Array<Edge> edges_, corners_;            // [local] between its neighbours; triangles that it is in
};

}  // namespace

ClusteringResult clustering_coefficient(const Graph& graph) {
  return graph.world().size() == 1 ? clustering_local(graph) : Triangles(graph).run();
}

}  // namespace atl
