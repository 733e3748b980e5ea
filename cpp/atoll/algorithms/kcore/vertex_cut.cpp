// SPDX-License-Identifier: Apache-2.0
// Core numbers by peeling over a vertex-cut. In a round, masters tell the mirrors that edges leave that they are
// removed (broadcast); every rank counts, for the targets of these edges, the neighbours that they lose; masters add up
// what their mirrors have counted (reduce), and those with at most k neighbours left are removed in the next round.
//
// The edge-cut's form (coreness.cpp) differs: there a rank follows a chain of removals as far as it owns it, while here a
// rank need not have all edges of a vertex, and a round removes one vertex of each chain.
#include <algorithm>
#include <atoll/algorithms/kcore/vertex_cut.hpp>
#include <limits>

namespace atl {
namespace {

constexpr Vertex kPresent = std::numeric_limits<Vertex>::max();
// Words of bits that a thread takes at a time.
constexpr std::size_t kCutGrain = 16;

}  // namespace

VertexCutPeeling::VertexCutPeeling(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      cut_(graph.vertex_cut(CutRows::sources)),
      exchange_(GraphView::along_edges(cut_)),
      degree_(index(graph.owned())),
      left_(index(graph.owned())),
      core_(index(cut_.locals())),
      lost_(index(cut_.locals()), 0),
      fresh_(index(cut_.locals())),
      gone_(index(cut_.locals())),
      touched_(index(cut_.locals())) {
  count_neighbours();
}

// Calls f(u) for each distinct target u of v's edges here but v itself.
template <class F>
void VertexCutPeeling::for_neighbours(Local v, F&& f) const {
  Local before = v;
  for (const Local u : cut_.rows().neighbours(v)) {
    if (u == v || u == before) continue;
    f(u);
    before = u;
  }
}

// Every vertex counts for each of its neighbours.
void VertexCutPeeling::count_neighbours() {
  team_.for_range(lost_.size(), kCutGrain * 64, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v)
      for_neighbours(v, [&](Local u) { std::atomic_ref(lost_[u]).fetch_add(1, std::memory_order_relaxed); });
  });
  exchange_.reduce_all({lost_.data(), lost_.size()});
  std::copy(lost_.begin(), lost_.begin() + graph_.owned(), degree_.begin());
}

void VertexCutPeeling::start() {
  std::copy(degree_.begin(), degree_.end(), left_.begin());
  std::fill(core_.begin(), core_.end(), kPresent);
  std::fill(lost_.begin(), lost_.end(), 0);
  fresh_.clear();
  gone_.clear();
  touched_.clear();
  remaining_.resize(left_.size());
  for (std::size_t v = 0; v < remaining_.size(); ++v) remaining_[v] = static_cast<Local>(v);
}

int VertexCutPeeling::run() {
  start();
  int rounds = 0;
  for (Vertex k = next_level(); k != kPresent; k = next_level()) {
    remove_at_most(k);
    do {
      exchange_.broadcast({core_.data(), core_.size()}, fresh_);
      count_down();
      reduce_lost();
      remove_newly_at_most(k);
      ++rounds;
    } while (world_.any(fresh_.any()));
  }
  return rounds;
}

// The least number of neighbours left of any vertex; kPresent if all are removed.
Vertex VertexCutPeeling::next_level() {
  std::erase_if(remaining_, [&](Local v) { return core_[v] != kPresent; });
  Vertex least = kPresent;
  for (const Local v : remaining_) least = std::min(least, left_[v]);
  return world_.min(least);
}

void VertexCutPeeling::remove_at_most(Vertex k) {
  for (const Local v : remaining_) {
    if (left_[v] > k) continue;
    core_[v] = k;
    fresh_.set_unsynchronized(index(v));
  }
}

// Takes the vertices that are newly removed from their neighbours. A block of mostly changed values is sent whole, so a
// mirror's bit may be set though nothing has changed.
void VertexCutPeeling::count_down() {
  team_.for_range(fresh_.words(), kCutGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = std::exchange(fresh_.at(w), 0) & ~gone_.at(w); bits; bits &= bits - 1) {
        const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
        if (core_[v] == kPresent) continue;
        gone_.set_unsynchronized(index(v));
        for_neighbours(v, [&](Local u) {
          if (core_[u] != kPresent) return;
          std::atomic_ref(lost_[u]).fetch_add(1, std::memory_order_relaxed);
          touched_.set(index(u));
        });
      }
  });
}

// Moves what mirrors have lost to their masters.
void VertexCutPeeling::reduce_lost() {
  const std::size_t first = index(cut_.first_mirror()) / 64;
  std::vector<std::uint64_t> sent(touched_.words() - first);
  for (std::size_t w = 0; w < sent.size(); ++w) sent[w] = touched_.at(first + w);
  exchange_.reduce({lost_.data(), lost_.size()}, touched_);
  for_bits(sent, [&](std::size_t v) { lost_[v] = 0; }, first * 64);
}

void VertexCutPeeling::remove_newly_at_most(Vertex k) {
  team_.for_range(index(cut_.first_mirror()) / 64, kCutGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = std::exchange(touched_.at(w), 0); bits; bits &= bits - 1) {
        const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        left_[v] -= std::exchange(lost_[v], 0);
        if (core_[v] != kPresent || left_[v] > k) continue;
        core_[v] = k;
        fresh_.set_unsynchronized(v);
      }
  });
}

std::size_t VertexCutPeeling::memory_bytes() const {
  return (degree_.size() + left_.size() + core_.size() + lost_.size()) * sizeof(Vertex) +
         remaining_.capacity() * sizeof(Local) + 3 * fresh_.words() * sizeof(std::uint64_t) + exchange_.memory_bytes();
}

}  // namespace atl
