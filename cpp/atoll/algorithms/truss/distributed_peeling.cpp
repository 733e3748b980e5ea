// SPDX-License-Identifier: Apache-2.0
// Truss numbers by peeling over ranks. Levels and rounds are those of peeling.cpp. Each edge is on the list of either end,
// and its state on both; its support is at the end of the smaller id, its home. In a round
//
//   homes tell the other ends which edges are current;
//   of a current edge, the end of fewer neighbours sends those that it has left to the other end, which finds the common
//     ones: the triangles. An end sends its list once to a rank, for all of its current edges there;
//   where a triangle is found, the homes of its edges that stay are told that they lose one.
//
// Of the edges of a triangle that are current at once, the least by its ends takes it from the others. The supports at the
// start are found in the same way, with all edges asking.
//
// A current edge costs the list of its end of fewer neighbours, so all of them together as much as listing triangles by
// degree [1].
//
// [1] R. Pearce, G. Sanders. "K-truss decomposition for scale-free graphs at scale in distributed memory." HPEC 2018.
#include <algorithm>
#include <atoll/algorithms/edge_order.hpp>
#include <atoll/algorithms/truss/distributed_peeling.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atomic>
#include <limits>

namespace atl {
namespace {

constexpr std::size_t kRowsAtATime = 256, kLoweredAtATime = 1024, kMessagesAtATime = 4;
constexpr std::size_t kQueryWords = std::size_t{1} << 20;  // that a rank sends at a time
// Lists of more than this ratio are searched, not read.
constexpr std::size_t kRatioToSearch = 8;
// Removed entries are dropped once they are a fourth.
constexpr Edge kShareOfRemoved = 4;

// A query: the dense number of the vertex, the sizes of its list and of the ends that are asked, and both. A word of the list
// has a neighbour and what is known of the edge to it.
constexpr std::size_t kQueryHead = 3;
constexpr std::uint64_t kCurrentBit = 1, kHomeBit = 2;
constexpr int kQueryBits = 2;
Vertex neighbour_in(std::uint64_t word) { return static_cast<Vertex>(word >> kQueryBits); }

bool is_before(Vertex a, Vertex b, Vertex c, Vertex d) { return std::minmax(a, b) < std::minmax(c, d); }

// Calls f(word, entry) for each vertex on both lists.
template <class Row, class F>
void for_common(std::span<const std::uint64_t> list, Row row, F&& f) {
  if (list.size() * kRatioToSearch < row.size()) {
    auto at = row.begin();
    for (const std::uint64_t word : list) {
      const Vertex node = neighbour_in(word);
      at = std::lower_bound(at, row.end(), node, [](const auto& entry, Vertex w) { return entry.node < w; });
      if (at == row.end()) return;
      if (at->node == node) f(word, *at);
    }
    return;
  }
  if (row.size() * kRatioToSearch < list.size()) {
    auto at = list.begin();
    for (const auto& entry : row) {
      at = std::lower_bound(at, list.end(), entry.node,
                            [](std::uint64_t word, Vertex w) { return neighbour_in(word) < w; });
      if (at == list.end()) return;
      if (neighbour_in(*at) == entry.node) f(*at, entry);
    }
    return;
  }
  auto word = list.begin();
  auto entry = row.begin();
  while (word != list.end() && entry != row.end()) {
    const Vertex a = neighbour_in(*word), b = entry->node;
    if (a == b) f(*word, *entry);
    word += a <= b;
    entry += b <= a;
  }
}

// Calls f(thread, vertex, its list, ends asked, place of the first answer) for each query of a message, by all threads.
template <class F>
void for_queries(Team& team, const std::vector<std::uint64_t>& message, F&& f) {
  struct Start {
    std::size_t word, answer;
  };
  std::vector<Start> starts;
  std::size_t answers = 0;
  for (std::size_t at = 0; at < message.size(); at += kQueryHead + message[at + 1] + message[at + 2]) {
    starts.push_back({at, answers});
    answers += message[at + 2];
  }
  team.for_range(starts.size(), kMessagesAtATime, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const std::uint64_t* const head = message.data() + starts[i].word;
      f(thread, static_cast<Vertex>(head[0]), std::span(head + kQueryHead, head[1]),
        std::span(head + kQueryHead + head[1], head[2]), starts[i].answer);
    }
  });
}

}  // namespace

// Writes queries, a rank's after each other, and sends them once they are many. Collective: every rank asks as often as the
// one with most.
class DistributedTrussPeeling::Queries {
 public:
  explicit Queries(DistributedTrussPeeling& peeling)
      : peeling_(peeling),
        words_(static_cast<std::size_t>(peeling.world_.size())),
        asked_(words_.size()),
        heads_(words_.size(), kNone) {}

  // The entry at `place` asks: those of a row follow each other.
  void ask(const Place& place) {
    if (place.row != row_) end_row();
    row_ = place.row;
    const Entry& entry = peeling_.entry(place);
    const auto rank = static_cast<std::size_t>(peeling_.graph_.blocks().owner(entry.node));
    Words& words = words_[rank];
    if (heads_[rank] == kNone) {
      ranks_.push_back(rank);
      heads_[rank] = words.size();
      words.push_back(static_cast<std::uint64_t>(peeling_.dense_of(row_)));
      words.insert(words.end(), {0, 0});
      for (const Entry& other : peeling_.row(row_))
        if (other.state != State::removed)
          words.push_back(static_cast<std::uint64_t>(other.node) << kQueryBits | (other.is_home ? kHomeBit : 0) |
                          (other.state == State::current ? kCurrentBit : 0));
      words[heads_[rank] + 1] = words.size() - heads_[rank] - kQueryHead;
      size_ += words.size() - heads_[rank];
    }
    ++words[heads_[rank] + 2];
    words.push_back(static_cast<std::uint64_t>(entry.node));
    asked_[rank].push_back(place);
    ++size_;
  }
  bool are_many() const { return size_ >= kQueryWords; }

  // The queries of all ranks to this one. `asked`: the places of this rank's, [rank].
  std::vector<Words> exchange(std::vector<std::vector<Place>>& asked) {
    end_row();
    asked = std::exchange(asked_, std::vector<std::vector<Place>>(words_.size()));
    size_ = 0;
    row_ = -1;
    return peeling_.world_.exchange(std::exchange(words_, std::vector<Words>(words_.size())));
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  void end_row() {
    for (const std::size_t rank : ranks_) heads_[rank] = kNone;
    ranks_.clear();
  }

  DistributedTrussPeeling& peeling_;
  std::vector<Words> words_;
  std::vector<std::vector<Place>> asked_;
  std::vector<std::size_t> heads_;  // [rank] where the row's query begins
  std::vector<std::size_t> ranks_;  // that the row asks
  std::size_t size_ = 0;
  Local row_ = -1;
};

DistributedTrussPeeling::DistributedTrussPeeling(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      dense_(dense_numbers(graph)),
      first_(graph.blocks().begin(world_.rank())),
      rows_(static_cast<Local>(graph.owned())),
      begin_(index(rows_) + 1, 0),
      size_(index(rows_), 0),
      next_(static_cast<std::size_t>(team_.size())),
      lowered_(next_.size(), std::vector<std::vector<Ends>>(static_cast<std::size_t>(world_.size()))) {
  list_neighbours();
}

template <class F>
void DistributedTrussPeeling::for_rows(F&& f) {
  team_.for_range(index(rows_), kRowsAtATime, [&](int, std::size_t a, std::size_t b) {
    for (auto r = static_cast<Local>(a); r < static_cast<Local>(b); ++r) f(r);
  });
}

// The other vertices on the lists of the graph, each once.
void DistributedTrussPeeling::list_neighbours() {
  const auto for_masters = [&](auto&& f) {
    team_.for_range(index(graph_.active()), kRowsAtATime, [&](int, std::size_t a, std::size_t b) {
      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) f(v);
    });
  };
  const auto for_others_of = [&](Local v, auto&& f) {
    Local before = -1;
    for (const Local u : graph_.out().neighbours(v)) {
      if (u != v && u != before) f(u);
      before = u;
    }
  };
  Array<Local> degree(index(graph_.locals()), 0);
  for_masters([&](Local v) { for_others_of(v, [&](Local) { ++degree[v]; }); });
  for (Local v = 0; v < graph_.active(); ++v) begin_[index(row_of(dense_[v])) + 1] = degree[v];
  for (Local r = 0; r < rows_; ++r) begin_[index(r) + 1] += begin_[r];
  broadcast_to_mirrors(graph_, std::span<Local>(degree.data(), degree.size()));
  entries_ = Array<Entry>(static_cast<std::size_t>(begin_[rows_]));
  for_masters([&](Local v) {
    auto at = static_cast<std::size_t>(begin_[row_of(dense_[v])]);
    for_others_of(v, [&](Local u) {
      const bool has_fewer = degree[v] != degree[u] ? degree[v] < degree[u] : dense_[v] < dense_[u];
      entries_[at++] = {.node = dense_[u], .is_home = graph_.id_of(v) < graph_.id_of(u), .asks = has_fewer};
    });
  });
}

void DistributedTrussPeeling::start() {
  for_rows([&](Local r) {
    size_[r] = static_cast<Local>(begin_[index(r) + 1] - begin_[r]);
    for (Entry& e : row(r)) {
      e.support = 0;
      e.state = State::left;
    }
    std::sort(row(r).begin(), row(r).end(), [](const Entry& a, const Entry& b) { return a.node < b.node; });
  });
  count_triangles();
  remaining_.clear();
  for (Local r = 0; r < rows_; ++r)
    for (Edge at = begin_[r]; at < begin_[index(r) + 1]; ++at)
      if (entries_[static_cast<std::size_t>(at)].is_home) remaining_.push_back({r, at});
}

void DistributedTrussPeeling::run(Array<Vertex>& of_edge) {
  start();
  peel();
  std::size_t k = 0;
  for_each_edge(graph_, [&](Local v, Local u) { of_edge[k++] = truss(v, u); });
}

void DistributedTrussPeeling::peel() {
  Edge left = world_.sum(static_cast<Edge>(remaining_.size()));
  Edge removed_here = 0, here = static_cast<Edge>(entries_.size());
  for (Local level = 0; left > 0;) {
    level = next_level(level);
    for (const Place& place : remaining_)
      if (entry(place).support <= level) current_.push_back(place);
    while (const Edge now = mark_current()) {
      remove(level);
      left -= now;
      removed_here += static_cast<Edge>(touched_.size());
    }
    if (removed_here * kShareOfRemoved < here) continue;
    drop_removed();
    here -= removed_here;
    removed_here = 0;
  }
  for_rows([&](Local r) {  // for truss()
    const std::span<Entry> all(entries_.data() + begin_[r], entries_.data() + begin_[index(r) + 1]);
    std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.node < b.node; });
  });
}

// The least support of an edge that is left, or `level` if that is more.
Local DistributedTrussPeeling::next_level(Local level) {
  std::erase_if(remaining_, [&](const Place& place) { return entry(place).state == State::removed; });
  Local least = std::numeric_limits<Local>::max();
  for (const Place& place : remaining_) least = std::min(least, entry(place).support);
  return std::max(level, world_.min(least));
}

void DistributedTrussPeeling::count_triangles() {
  Queries queries(*this);
  std::vector<std::vector<Place>> asked;
  for (Local r = 0; world_.any(r < rows_);) {
    for (; r < rows_ && !queries.are_many(); ++r)
      for (Edge at = begin_[r]; at < begin_[index(r) + 1]; ++at)
        if (entries_[static_cast<std::size_t>(at)].asks) queries.ask({r, at});
    std::vector<std::vector<Local>> counts;
    for (const Words& message : queries.exchange(asked)) count_common(message, counts.emplace_back());
    const auto answers = world_.exchange(std::move(counts));
    for (std::size_t rank = 0; rank < answers.size(); ++rank)
      for (std::size_t k = 0; k < asked[rank].size(); ++k)
        if (Entry& e = entry(asked[rank][k]); e.is_home) e.support = answers[rank][k];
  }
}

// Counts the common neighbours that a message asks for. Each edge is asked for once, so that no two threads write to one.
void DistributedTrussPeeling::count_common(const Words& message, std::vector<Local>& counts) {
  std::size_t size = 0;
  for (std::size_t at = 0; at < message.size(); at += kQueryHead + message[at + 1] + message[at + 2])
    size += message[at + 2];
  counts.resize(size);
  for_queries(team_, message, [&](int, Vertex a, auto list, auto ends, std::size_t answer) {
    for (const std::uint64_t b : ends) {
      Local common = 0;
      for_common(list, row(row_of(static_cast<Vertex>(b))), [&](std::uint64_t, const Entry&) { ++common; });
      counts[answer++] = common;
      if (Entry& e = entry(find(static_cast<Vertex>(b), a)); e.is_home) e.support = common;
    }
  });
}

// Removes the current edges, once both of their ends know it.
void DistributedTrussPeeling::remove(Local level) {
  if (level > 0) take_away(level);
  for (const Place& place : touched_) entry(place).state = State::removed;
  current_.clear();
  for (std::vector<Place>& some : next_) {
    current_.insert(current_.end(), some.begin(), some.end());
    some.clear();
  }
}

// Tells the other ends which edges are current; returns how many there are on all ranks. The first pair of a message has
// its sender's number.
Edge DistributedTrussPeeling::mark_current() {
  touched_.clear();
  std::vector<std::vector<Ends>> outgoing(static_cast<std::size_t>(world_.size()),
                                          {{static_cast<Vertex>(current_.size()), 0}});
  const auto mark = [&](const Place& place) {
    entry(place).state = State::current;
    touched_.push_back(place);
  };
  for (const Place& place : current_) {
    mark(place);
    const Vertex other = entry(place).node;
    outgoing[graph_.blocks().owner(other)].push_back({dense_of(place.row), other});
  }
  Edge all = 0;
  for (const std::vector<Ends>& from_rank : world_.exchange(std::move(outgoing))) {
    all += from_rank[0].home;
    for (const auto [home, other] : std::span(from_rank).subspan(1)) mark(find(other, home));
  }
  std::sort(touched_.begin(), touched_.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
  return all;
}

// The first pair of a message of edges that lose a triangle says whether its sender has more to ask.
void DistributedTrussPeeling::take_away(Local level) {
  Queries queries(*this);
  std::vector<std::vector<Place>> asked;
  for (std::size_t k = 0;;) {
    for (; k < touched_.size() && !queries.are_many(); ++k)
      if (entry(touched_[k]).asks) queries.ask(touched_[k]);
    for (const Words& message : queries.exchange(asked)) find_triangles(message);
    std::vector<std::vector<Ends>> outgoing(static_cast<std::size_t>(world_.size()), {{k < touched_.size(), 0}});
    for (auto& of_thread : lowered_)
      for (std::size_t rank = 0; rank < outgoing.size(); ++rank) {
        outgoing[rank].insert(outgoing[rank].end(), of_thread[rank].begin(), of_thread[rank].end());
        of_thread[rank].clear();
      }
    bool are_more = false;
    for (const std::vector<Ends>& message : world_.exchange(std::move(outgoing))) {
      are_more |= message[0].home > 0;
      lower(std::span(message).subspan(1), level);
    }
    if (!are_more) return;
  }
}

void DistributedTrussPeeling::find_triangles(const Words& message) {
  for_queries(team_, message, [&](int thread, Vertex a, auto list, auto ends, std::size_t) {
    for (const std::uint64_t b : ends)
      for_common(list, row(row_of(static_cast<Vertex>(b))), [&](std::uint64_t word, const Entry& third) {
        take_triangle(lowered_[thread], a, static_cast<Vertex>(b), word, third);
      });
  });
}

// The edge a b is current; `word` is of a's edge to the third vertex, `third` b's.
void DistributedTrussPeeling::take_triangle(std::vector<std::vector<Ends>>& lowered, Vertex a, Vertex b,
                                            std::uint64_t word, const Entry& third) const {
  if (third.state == State::removed) return;
  const Vertex w = third.node;
  const bool one_left = (word & kCurrentBit) == 0, other_left = third.state == State::left;
  const auto lose = [&](Vertex end, bool end_is_home) {
    const Ends edge = end_is_home ? Ends{end, w} : Ends{w, end};
    lowered[graph_.blocks().owner(edge.home)].push_back(edge);
  };
  if (one_left && (other_left || is_before(a, b, b, w))) lose(a, (word & kHomeBit) != 0);
  if (other_left && (one_left || is_before(a, b, a, w))) lose(b, third.is_home);
}

// Takes a triangle from each of these edges, which have their home here. Those that come down to the level are next.
void DistributedTrussPeeling::lower(std::span<const Ends> edges, Local level) {
  team_.for_range(edges.size(), kLoweredAtATime, [&](int thread, std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) {
      const Place place = find(edges[k].home, edges[k].other);
      const std::atomic_ref<Local> support(entry(place).support);
      Local known = support.load(std::memory_order_relaxed);
      while (known > level)
        if (support.compare_exchange_weak(known, known - 1, std::memory_order_relaxed)) {
          if (known == level + 1) next_[thread].push_back(place);
          break;
        }
    }
  });
}

// Moves removed entries to the end of their rows, and finds the edges that remain anew.
void DistributedTrussPeeling::drop_removed() {
  for_rows([&](Local r) {
    const std::span<Entry> all = row(r);
    size_[r] = static_cast<Local>(
        std::stable_partition(all.begin(), all.end(), [](const Entry& e) { return e.state != State::removed; }) -
        all.begin());
  });
  remaining_.clear();
  for (Local r = 0; r < rows_; ++r)
    for (Edge at = begin_[r]; at < begin_[r] + size_[r]; ++at)
      if (entries_[static_cast<std::size_t>(at)].is_home) remaining_.push_back({r, at});
}

// The entry of an edge that is left, by its ends; or of any, between runs.
DistributedTrussPeeling::Place DistributedTrussPeeling::find(Vertex own, Vertex other) const {
  const Local r = row_of(own);
  const Entry* const begin = entries_.data() + begin_[r];
  const Entry* const found =
      std::lower_bound(begin, begin + size_[r], other, [](const Entry& e, Vertex node) { return e.node < node; });
  return {r, begin_[r] + (found - begin)};
}

// The number of a master's edge, once all are peeled: 2 or more; 0 of a self-loop.
Local DistributedTrussPeeling::truss(Local v, Local u) const {
  if (v == u) return 0;
  const Local r = row_of(dense_[v]);
  const Entry* const begin = entries_.data() + begin_[r];
  const Entry* const found = std::lower_bound(begin, entries_.data() + begin_[index(r) + 1], dense_[u],
                                              [](const Entry& e, Vertex node) { return e.node < node; });
  return found->support + 2;
}

std::size_t DistributedTrussPeeling::memory_bytes() const {
  return dense_.size() * sizeof(Vertex) + begin_.size() * sizeof(Edge) + size_.size() * sizeof(Local) +
         entries_.size() * sizeof(Entry) + remaining_.capacity() * sizeof(Place);
}

}  // namespace atl
