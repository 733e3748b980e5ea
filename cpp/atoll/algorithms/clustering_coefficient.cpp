// SPDX-License-Identifier: Apache-2.0
// Triangles by forward lists [1]: each vertex lists its neighbours of higher degree, so that heavy vertices have short
// lists; a triangle is an edge v - u of such a list and a vertex that both their lists have. A vertex's list goes once to
// each rank that owns somebody on it, which looks for the triangles there: of all three corners that rank knows a master
// or a mirror, so what it counts goes home by one reduce.
//
//   in the paper        here              meaning
//   A(v), N'(v)         forward lists     neighbours above v in the order of (degree, number)
//   A, the array        Marks             the list in hand, by number: in how many directions an edge leads there
//
// Deviation: entries say in how many directions an edge goes, for coefficients of directed graphs.
//
// [1] M. Latapy. "Main-memory triangle computations for very large (sparse (power-law)) graphs." TCS 407, 2008.
#include <algorithm>
#include <atoll/algorithms/clustering_coefficient.hpp>
#include <atoll/algorithms/clustering_local.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <bit>

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

// A forward list as a table of words, most of it empty; it fits the nearest cache, as an array over all vertices would not.
class Marks {
 public:
  template <class WordAt>
  void set(std::size_t size, WordAt&& word_at) {
    const std::size_t slots = std::bit_ceil(kRoom * std::max<std::size_t>(1, size));
    shift_ = 64 - std::countr_zero(slots);
    slots_.assign(slots, 0);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t word = word_at(i);
      std::size_t at = place(word >> 2);
      while (slots_[at] != 0) at = (at + 1) & (slots - 1);
      slots_[at] = word;
    }
  }
  Edge directions_to(Vertex dense) const {
    const auto number = static_cast<std::uint64_t>(dense);
    for (std::size_t at = place(number); slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at] >> 2 == number) return directions(slots_[at]);
    return 0;
  }

 private:
  static constexpr std::size_t kRoom = 8;
  std::size_t place(std::uint64_t number) const { return (number * 0x9e3779b97f4a7c15u) >> shift_; }

  int shift_ = 0;
  std::vector<std::uint64_t> slots_;  // 0: empty, since a word has a direction
};

class Triangles {
 public:
  explicit Triangles(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        alone_(team_.size() == 1),
        locals_(static_cast<std::size_t>(graph.locals())),
        active_(static_cast<std::size_t>(graph.active())),
        dense_(dense_numbers(graph)),
        degree_(locals_, 0),
        edges_(graph.directed() ? locals_ : 0, 0),
        corners_(locals_, 0),
        marks_(static_cast<std::size_t>(team_.size())) {}

  ClusteringResult run() {
    count_neighbours();
    list_higher();
    count_here();
    count_elsewhere();
    return collect();
  }

 private:
  static constexpr std::size_t kGrain = 64;
  // Words that a rank sends in one batch.
  static constexpr std::size_t kBatch = std::size_t{1} << 20;

  // Neighbours of each vertex but itself; mirrors hear how many their masters have.
  void count_neighbours() {
    team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v)
        for_neighbours(graph_, static_cast<Local>(v), [&](Local, std::uint8_t) { ++degree_[v]; });
    });
    MirrorExchange<Local, MinOf>(graph_).broadcast_all({degree_.data(), locals_});
  }

  bool is_above(Local u, Local v) const {
    const auto a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
    return degree_[a] != degree_[b] ? degree_[a] > degree_[b] : dense_[a] > dense_[b];
  }

  void list_higher() {
    lists_.resize(active_);
    team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        auto& list = lists_[v];
        for_neighbours(graph_, static_cast<Local>(v), [&](Local u, std::uint8_t directions) {
          if (is_above(u, static_cast<Local>(v)))
            list.push_back({word_of(dense_[static_cast<std::size_t>(u)], directions), u});
        });
        list.shrink_to_fit();
        std::sort(list.begin(), list.end(), [](const Entry& x, const Entry& y) { return x.word < y.word; });
      }
    });
  }

  void add(Array<Edge>& to, Local v, Edge n) {
    Edge& sum = to[static_cast<std::size_t>(v)];
    alone_ ? void(sum += n) : void(combine_atomically(sum, n, SumOf{}));
  }

  // Triangles of v, this rank's u on its list, which is marked, and what both their lists have.
  template <bool kDirected>
  void close(const Marks& marked, Local v, Local u, Edge between) {
    Edge found = 0, at_v = 0, at_u = 0;
    for (const Entry& e : lists_[static_cast<std::size_t>(u)]) {
      const Edge mark = marked.directions_to(e.dense());
      if (mark == 0) continue;
      ++found;
      add(corners_, e.local, 1);
      if constexpr (kDirected) {
        at_v += directions(e.word);
        at_u += mark;
        add(edges_, e.local, between);
      }
    }
    if (found == 0) return;
    add(corners_, v, found);
    add(corners_, u, found);
    if constexpr (kDirected) {
      add(edges_, v, at_v);
      add(edges_, u, at_u);
    }
  }
  void close(const Marks& marked, Local v, Local u, Edge between) {
    graph_.directed() ? close<true>(marked, v, u, between) : close<false>(marked, v, u, between);
  }

  void count_here() {
    team_.for_range(active_, kGrain, [&](int t, std::size_t a, std::size_t b) {
      Marks& marks = marks_[static_cast<std::size_t>(t)];
      for (std::size_t v = a; v < b; ++v) {
        const auto& list = lists_[v];
        if (list.size() < 2) continue;
        marks.set(list.size(), [&](std::size_t i) { return list[i].word; });
        for (const Entry& e : list)
          if (e.local < graph_.active()) close(marks, static_cast<Local>(v), e.local, directions(e.word));
      }
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
          if (lists_[v].size() < 2 || owner == last || owner == world_.rank()) continue;
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
    team_.for_range(starts.size(), kGrain, [&](int t, std::size_t a, std::size_t b) {
      Marks& marks = marks_[static_cast<std::size_t>(t)];
      for (std::size_t s = a; s < b; ++s) {
        const Local v = first_mirror + static_cast<Local>(message[starts[s]]);
        const std::span<const std::uint64_t> words(message.data() + starts[s] + 2, message[starts[s] + 1]);
        marks.set(words.size(), [&](std::size_t i) { return words[i]; });
        auto first = std::lower_bound(words.begin(), words.end(), word_of(begin, 0));
        for (; first != words.end() && static_cast<Vertex>(*first >> 2) < begin + owned; ++first) {
          const Local u = graph_.local_of(static_cast<Vertex>(*first >> 2) - begin);
          close(marks, v, u, directions(*first));
        }
      }
    });
  }

  ClusteringResult collect() {
    VertexBits all(graph_.locals());
    MirrorExchange<Edge, SumOf> exchange(graph_);
    for (Array<Edge>* counts : {&edges_, &corners_}) {
      if (counts == &edges_ && !graph_.directed()) continue;  // the same on all ranks, also on one with no vertex
      all.set_all();
      exchange.reduce({counts->data(), locals_}, all);
    }
    const auto owned = static_cast<std::size_t>(graph_.owned());
    ClusteringResult result{Array<double>(owned), Array<Vertex>(owned), 0};
    Vertex sum = 0;
    for (std::size_t k = 0; k < owned; ++k) {
      const auto v = static_cast<std::size_t>(graph_.local_of(static_cast<Vertex>(k)));
      const auto d = static_cast<double>(degree_[v]);
      const Edge edges = graph_.directed() ? edges_[v] : 2 * corners_[v];
      result.coefficient[k] = d < 2 ? 0 : static_cast<double>(edges) / (d * (d - 1));
      result.triangles[k] = corners_[v];
      sum += corners_[v];
    }
    result.total = world_.sum(sum) / 3;
    return result;
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const bool alone_;  // one thread: no other adds meanwhile
  const std::size_t locals_, active_;
  const std::vector<Vertex> dense_;        // [local]
  std::vector<std::vector<Entry>> lists_;  // [local master] forward lists, by dense number
  Array<Local> degree_;                    // [local] in the graph without directions and loops
  Array<Edge> edges_, corners_;            // [local] between its neighbours, if directed; triangles that it is in
  std::vector<Marks> marks_;               // [thread]
};

}  // namespace

ClusteringResult clustering_coefficient(const Graph& graph) {
  return graph.world().size() == 1 ? clustering_local(graph) : Triangles(graph).run();
}

}  // namespace atl
