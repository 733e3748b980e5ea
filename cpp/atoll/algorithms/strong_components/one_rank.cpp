// SPDX-License-Identifier: Apache-2.0
// Strongly connected components on one rank. Vertices that no edge enters, or none leaves, are components of their own
// and are trimmed one after another [1]. What one vertex of high degree reaches and is reached by is its component,
// mostly the giant one [2]. No cycle joins what only leads there, what is only led to, and the rest, so that
// depth-first searches of these three parts run at once.
//
// [1] W. McLendon, B. Hendrickson, S. Plimpton, L. Rauchwerger. "Finding strongly connected components in distributed
// graphs." JPDC 65(8), 2005.
// [2] L. Fleischer, B. Hendrickson, A. Pinar. "On identifying strongly connected components in parallel." IPDPS
// Workshops 2000.
#include <atoll/algorithms/strong_components/one_rank.hpp>
#include <limits>

namespace atl {
namespace {

constexpr std::size_t kTrimGrain = 1024;
constexpr std::size_t kWordGrain = 16;
constexpr std::size_t kFrontierGrain = 256;
constexpr Edge kSerialEdges = 4096;  // for less, waking the team does not pay
// A pull ends a vertex's list at the first reached neighbour, so it reads far fewer than all edges that are left.
constexpr Edge kPullFactor = 4;

// Parts of the vertices whose component is not known: -1 - (1 if the pivot reaches it) - (2 if it reaches the pivot).
constexpr Local kApart = -1, kParts = 3;

// A count that does not fit stays: its vertex is not trimmed, which only costs time.
constexpr std::uint32_t kMany = std::numeric_limits<std::uint32_t>::max();

std::uint32_t load(std::uint32_t& count) { return std::atomic_ref(count).load(std::memory_order_relaxed); }

std::uint32_t saturated(Edge degree) { return static_cast<std::uint32_t>(std::min<Edge>(degree, kMany)); }

bool count_down_to_zero(std::uint32_t& count) {
  return load(count) != kMany && std::atomic_ref(count).fetch_sub(1) == 1;
}

template <class F>
void for_range(Team* team, std::size_t size, std::size_t grain, F&& f) {
  if (team) {
    team->for_range(size, grain, f);
  } else {
    f(0, std::size_t{0}, size);
  }
}

}  // namespace

OneRankStrongComponents::OneRankStrongComponents(const Graph& graph)
    : graph_(graph),
      team_(graph.world().team()),
      active_(graph.active()),
      root_(index(active_)),
      entering_(index(active_)),
      leaving_(index(active_)),
      visit_(index(active_)),
      live_(index(active_)),
      forward_(graph.out(), graph.in(), active_, team_.size()),
      backward_(graph.in(), graph.out(), active_, team_.size()),
      threads_(static_cast<std::size_t>(team_.size())) {}

void OneRankStrongComponents::run(StrongComponentsResult& result) {
  for (Thread& thread : threads_) thread.components = 0;
  trim();
  choose_pivot();
  if (pivot_ >= 0) {
    if (team_.size() > 2) {
      reach_from_pivot(forward_, &team_);
      reach_from_pivot(backward_, &team_);
    } else {
      team_.for_range(2, 1, [&](int, std::size_t a, std::size_t b) {
        for (std::size_t i = a; i < b; ++i) reach_from_pivot(i == 0 ? forward_ : backward_, nullptr);
      });
    }
    split_by_pivot();
    team_.for_range(kParts, 1, [&](int t, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i)
        threads_[t].components +=
            threads_[t].search.run(graph_.out(), root_, visit_, kApart - static_cast<Local>(i),
                                   [&](Local u, Local v) { return graph_.id_of(u) < graph_.id_of(v); });
    });
  }
  write(result);
}

Local OneRankStrongComponents::root_of(Local v) const {
  return std::atomic_ref(const_cast<Local&>(root_[v])).load(std::memory_order_relaxed);
}

// Trims -------------------------------------------------------------------------------------------------------------

void OneRankStrongComponents::trim() {
  team_.for_range(index(active_), kTrimGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      root_[v] = kApart;
      entering_[v] = saturated(graph_.in().degree(static_cast<Local>(v)));
      leaving_[v] = saturated(graph_.out().degree(static_cast<Local>(v)));
    }
  });
  team_.for_range(index(active_), kTrimGrain, [&](int t, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      if (graph_.in().degree(static_cast<Local>(v)) > 0 && graph_.out().degree(static_cast<Local>(v)) > 0) continue;
      take_off(static_cast<Local>(v), threads_[t]);
      take_off_chains(threads_[t]);
    }
  });
}

void OneRankStrongComponents::take_off(Local v, Thread& thread) {
  Local expected = kApart;
  if (!std::atomic_ref(root_[v]).compare_exchange_strong(expected, v)) return;
  ++thread.components;
  thread.stack.push_back(v);
}

void OneRankStrongComponents::take_off_chains(Thread& thread) {
  while (!thread.stack.empty()) {
    const Local v = thread.stack.back();
    thread.stack.pop_back();
    // Where no edge enters v any more, its in-neighbours are all trimmed; and likewise its out-neighbours.
    if (load(leaving_[v]) > 0)
      for (const Local u : graph_.out().neighbours(v))
        if (root_of(u) == kApart && count_down_to_zero(entering_[u])) take_off(u, thread);
    if (load(entering_[v]) > 0)
      for (const Local u : graph_.in().neighbours(v))
        if (root_of(u) == kApart && count_down_to_zero(leaving_[u])) take_off(u, thread);
  }
}

// Searches from the pivot -------------------------------------------------------------------------------------------

void OneRankStrongComponents::choose_pivot() {
  for (Thread& thread : threads_) {
    thread.pivot = {};
    thread.leaving = thread.entering = 0;
  }
  team_.for_range(live_.words(), kWordGrain, [&](int t, std::size_t a, std::size_t b) {
    Pivot& best = threads_[t].pivot;
    for (std::size_t w = a; w < b; ++w) {
      std::uint64_t live = 0;
      for (Local v = static_cast<Local>(w * 64); v < std::min(static_cast<Local>(w * 64 + 64), active_); ++v) {
        if (root_[v] != kApart) continue;
        live |= std::uint64_t{1} << (v % 64);
        threads_[t].leaving += graph_.out().degree(v);
        threads_[t].entering += graph_.in().degree(v);
        const double pairs = static_cast<double>(entering_[v]) * static_cast<double>(leaving_[v]);
        if (pairs > best.pairs || (pairs == best.pairs && v < best.vertex)) best = {pairs, v};
      }
      live_.at(w) = live;
    }
  });
  Pivot best;
  forward_.live_edges = backward_.live_edges = 0;
  for (const Thread& thread : threads_) {
    forward_.live_edges += thread.leaving;
    backward_.live_edges += thread.entering;
    if (thread.pivot.pairs > best.pairs || (thread.pivot.pairs == best.pairs && thread.pivot.vertex < best.vertex))
      best = thread.pivot;
  }
  pivot_ = best.vertex;
}

void OneRankStrongComponents::reach_from_pivot(Reach& reach, Team* team) const {
  reach.bits.clear();
  reach.bits.set(index(pivot_));
  reach.frontier = {pivot_};
  for (std::vector<Local>& found : reach.found) found.clear();  // a run that was cancelled leaves some
  Edge left = reach.live_edges;
  while (!reach.frontier.empty()) {
    Edge edges = 0;
    for (const Local v : reach.frontier) edges += reach.leaving.degree(v);
    left -= edges;
    Team* const used = edges < kSerialEdges ? nullptr : team;
    if (edges >= kSerialEdges && edges * kPullFactor > left) {
      pull(reach, used);
    } else {
      push(reach, used);
    }
    reach.frontier.clear();
    for (std::vector<Local>& found : reach.found) {
      if (reach.frontier.empty()) {
        reach.frontier.swap(found);
      } else {
        reach.frontier.insert(reach.frontier.end(), found.begin(), found.end());
        found.clear();
      }
    }
  }
}

void OneRankStrongComponents::push(Reach& reach, Team* team) const {
  for_range(team, reach.frontier.size(), kFrontierGrain, [&](int t, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i)
      for (const Local u : reach.leaving.neighbours(reach.frontier[i]))
        if (live_.test(index(u)) && reach.bits.set(index(u))) reach.found[t].push_back(u);
  });
}

// Takes in all that have a reached neighbour, not one in the frontier alone: there are no levels to keep.
void OneRankStrongComponents::pull(Reach& reach, Team* team) const {
  for_range(team, live_.words(), kWordGrain, [&](int t, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = live_.at(w) & ~reach.bits.load(w); bits; bits &= bits - 1) {
        const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
        const auto list = reach.entering.neighbours(v);
        if (std::none_of(list.begin(), list.end(), [&](Local u) { return reach.has(u); })) continue;
        reach.bits.set(index(v));
        reach.found[t].push_back(v);
      }
  });
}

void OneRankStrongComponents::split_by_pivot() {
  for (Thread& thread : threads_) thread.root = -1;
  team_.for_range(live_.words(), kWordGrain, [&](int t, std::size_t a, std::size_t b) {
    Local& root = threads_[t].root;
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = forward_.bits.at(w) & backward_.bits.at(w); bits; bits &= bits - 1) {
        const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
        if (root < 0 || graph_.id_of(v) < graph_.id_of(root)) root = v;
      }
  });
  Local root = pivot_;
  for (const Thread& thread : threads_)
    if (thread.root >= 0 && graph_.id_of(thread.root) < graph_.id_of(root)) root = thread.root;
  ++threads_[0].components;
  team_.for_range(live_.words(), kWordGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = live_.at(w); bits; bits &= bits - 1) {
        const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
        const Local reached = forward_.has(v), reaches = backward_.has(v);
        root_[v] = reached && reaches ? root : kApart - reached - 2 * reaches;
        visit_[v] = 0;
      }
  });
}

// Result -----------------------------------------------------------------------------------------------------------------

void OneRankStrongComponents::write(StrongComponentsResult& result) {
  const std::size_t owned = index(graph_.owned());
  if (result.component.size() != owned) result.component = Array<Vertex>(owned);
  std::visit(
      [&](const auto& ids) {
        team_.for_range(owned, kTrimGrain, [&](int, std::size_t a, std::size_t b) {
          for (std::size_t v = a; v < b; ++v)
            result.component[graph_.owned_index_of(static_cast<Local>(v))] =
                static_cast<Vertex>(ids[v < root_.size() ? root_[v] : static_cast<Local>(v)]);
        });
      },
      graph_.id_column());
  result.components = graph_.owned() - active_;
  for (const Thread& thread : threads_) result.components += thread.components;
}

std::size_t OneRankStrongComponents::memory_bytes() const {
  std::size_t bytes = root_.size() * (sizeof(Local) + 3 * sizeof(std::uint32_t)) + live_.words() * 3 * 8;
  for (const Thread& thread : threads_) bytes += thread.stack.capacity() * sizeof(Local) + thread.search.memory_bytes();
  for (const Reach* reach : {&forward_, &backward_}) {
    bytes += reach->frontier.capacity() * sizeof(Local);
    for (const auto& found : reach->found) bytes += found.capacity() * sizeof(Local);
  }
  return bytes;
}

}  // namespace atl
