// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/team_push.hpp>

namespace atl {
namespace {

// Levels with fewer edges are left to one thread: waking the team costs more, or three barriers.
constexpr Edge kLeastEdges = 6144, kLeastTogether = 4096;
// A list is gathered by one thread: a frontier of few vertices for each thread leaves most of them waiting.
constexpr Vertex kLeastVertices = 4;
// Targets in all bins of a thread, and in one bin at least; small enough for its cache, large enough that barriers do
// not count.
constexpr std::size_t kBinned = 32768, kLeastBinned = 2048;
// Edges of a list gathered between looks at the room in bins.
constexpr Edge kGathered = 1024;
constexpr std::size_t kMostTaken = 64;  // frontier vertices that a thread takes at a time
constexpr int kLineBits = 9;            // a cache line has the bits of 2^9 vertices

}  // namespace

template <class Id>
Local* claim_gathered(const typename BfsState<Id>::UnsynchronizedView& view, const Local* targets, Id* parents,
                      std::size_t count, const Edge* offsets, Local* end) {
  Local* const first = end;
  std::uint64_t* const visited = view.visited;
  Id* found_parents = parents;
  for (std::size_t i = 0; i < count; ++i) {
    const Local v = targets[i];
    const std::uint64_t before = visited[v >> 6];
    const std::uint64_t is_new = ~(before >> (v & 63)) & 1;
    visited[v >> 6] = before | std::uint64_t{1} << (v & 63);
    __builtin_prefetch(offsets + v);
    *found_parents = parents[i];
    found_parents += is_new;
    *end = v;
    end += is_new;
  }
  for (const Local* v = first; v < end; ++v) view.parent[*v] = parents[v - first];
  return end;
}

template <class Id>
Edge finish_found(const typename BfsState<Id>::UnsynchronizedView& view, const Csr& out, const Id* ids,
                  std::span<const Local> found) {
  Edge edges = 0;
  for (const Local v : found) {
    if (view.depth) view.depth[v] = view.level;
    const Edge first = out.offsets[v];
    edges += out.offsets[static_cast<std::size_t>(v) + 1] - first;
    __builtin_prefetch(out.targets.data() + first);
    if (ids) __builtin_prefetch(ids + v);
  }
  return edges;
}

template <class Id>
TeamPush<Id>::TeamPush(const Graph& graph, const Id* ids, BfsState<Id>& state)
    : out_(graph.out()), team_(graph.world().team()), state_(state), ids_(ids) {}

template <class Id>
bool TeamPush<Id>::suits(const BfsLevel& frontier, bool together) const {
  return team_.size() > 1 && frontier.vertices >= kLeastVertices * team_.size() &&
         frontier.edges >= (together ? kLeastTogether : kLeastEdges);
}

template <class Id>
std::size_t TeamPush<Id>::owner_of(Local v) const {
  const std::uint32_t mixed = (static_cast<std::uint32_t>(v) >> kLineBits) * 0x9e3779b1u;  // Fibonacci hashing
  return std::uint64_t{mixed} * static_cast<std::uint32_t>(team_.size()) >> 32;
}

template <class Id>
void TeamPush<Id>::make_bins() {
  const auto threads = static_cast<std::size_t>(team_.size());
  const std::size_t capacity = std::max(kLeastBinned, kBinned / threads);
  threads_ = std::vector<Thread>(threads);
  for (Thread& t : threads_) {
    for (std::size_t k = 0; k < threads; ++k) t.bins.push_back({Array<Local>(capacity + 1), Array<Id>(capacity + 1)});
    t.found = Array<Local>(threads * capacity + 1);
  }
}

template <class Id>
void TeamPush<Id>::levels(const std::function<bool()>& end_level) {
  if (threads_.empty()) make_bins();
  for (Thread& t : threads_) {  // an interrupted run may have left some
    t.at = t.end = 0;
    t.edge = 0;
  }
  for (auto& more : more_) more = false;
  counts_.next = counts_.found = 0;
  counts_.edges = 0;
  team_.run([&](int number) {
    do {
      push_share(number);
      if (number == 0) {
        state_.found_unsynchronized(counts_.found.exchange(0), counts_.edges.exchange(0));
        counts_.next = 0;
        go_on_ = end_level();
      }
      team_.barrier();
    } while (go_on_);
  });
}

// Gathers a part of the frontier's targets and claims this thread's, until all are claimed.
template <class Id>
void TeamPush<Id>::push_share(int number) {
  const View view = state_.unsynchronized_view();
  Thread& mine = threads_[number];
  bool again = true;
  for (std::size_t round = 0; again; ++round) {
    team_.cancellation_point(number);
    std::atomic<bool>& more = more_[round % 2];
    if (gather(view, mine)) more.store(true, std::memory_order_relaxed);
    team_.barrier();
    claim(view, number);
    again = more.load(std::memory_order_relaxed);
    if (number == 0) more_[(round + 1) % 2].store(false, std::memory_order_relaxed);
    team_.barrier();
  }
  if (number == 0) more_[0] = more_[1] = false;
}

// Gathers until a bin might be full; returns false if nothing is left.
template <class Id>
bool TeamPush<Id>::gather(const View& view, Thread& mine) {
  constexpr std::size_t kAhead = 8;
  const std::uint64_t* const visited = view.visited;
  Bin* const bins = mine.bins.data();
  for (Bin& bin : mine.bins) bin.count = 0;
  const std::size_t size = view.queue.size();
  const std::size_t grain = std::clamp<std::size_t>(size / (4 * threads_.size()), 1, kMostTaken);
  const auto room_left = [&] {
    std::size_t most = 0;
    for (const Bin& bin : mine.bins) most = std::max(most, bin.count);
    return static_cast<Edge>(bins[0].targets.size() - 1 - most);
  };
  Edge room = room_left();  // in each bin, at least
  for (;; ++mine.at, mine.edge = 0) {
    if (mine.at >= mine.end) {
      mine.at = counts_.next.fetch_add(grain, std::memory_order_relaxed);
      mine.end = std::min(size, mine.at + grain);
      if (mine.at >= size) {
        mine.end = mine.at;
        return false;
      }
    }
    if (mine.at + kAhead < size) {
      const Local soon = view.queue[mine.at + kAhead];
      __builtin_prefetch(out_.targets.data() + out_.offsets[soon]);
      if (ids_) __builtin_prefetch(ids_ + soon);
    }
    const Local u = view.queue[mine.at];
    const Id id = ids_ ? ids_[u] : static_cast<Id>(u);
    const std::span<const Local> list = out_.neighbours(u);
    while (mine.edge < static_cast<Edge>(list.size())) {
      const Edge count = std::min(kGathered, static_cast<Edge>(list.size()) - mine.edge);
      if (room < count && (room = room_left()) < count) return true;
      room -= count;
      for (const Local v : list.subspan(static_cast<std::size_t>(mine.edge), static_cast<std::size_t>(count))) {
        Bin& bin = bins[owner_of(v)];
        bin.targets[bin.count] = v;
        bin.parents[bin.count] = id;
        bin.count += ~(visited[v >> 6] >> (v & 63)) & 1;
      }
      mine.edge += count;
    }
  }
}

template <class Id>
void TeamPush<Id>::claim(const View& view, int number) {
  Thread& mine = threads_[number];
  Local* end = mine.found.data();
  for (Thread& from : threads_) {
    Bin& bin = from.bins[static_cast<std::size_t>(number)];
    end = claim_gathered<Id>(view, bin.targets.data(), bin.parents.data(), bin.count, out_.offsets.data(), end);
  }
  const std::span<const Local> found(mine.found.data(), end);
  if (found.empty()) return;
  counts_.edges.fetch_add(finish_found<Id>(view, out_, ids_, found), std::memory_order_relaxed);
  std::copy(found.begin(), found.end(), view.next + counts_.found.fetch_add(found.size(), std::memory_order_relaxed));
}

template <class Id>
std::size_t TeamPush<Id>::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Thread& t : threads_) {
    bytes += t.found.size() * sizeof(Local);
    for (const Bin& bin : t.bins) bytes += bin.targets.size() * sizeof(Local) + bin.parents.size() * sizeof(Id);
  }
  return bytes;
}

template class TeamPush<std::uint32_t>;
template class TeamPush<Vertex>;
template Local* claim_gathered<std::uint32_t>(const BfsState<std::uint32_t>::UnsynchronizedView&, const Local*,
                                              std::uint32_t*, std::size_t, const Edge*, Local*);
template Local* claim_gathered<Vertex>(const BfsState<Vertex>::UnsynchronizedView&, const Local*, Vertex*, std::size_t,
                                       const Edge*, Local*);
template Edge finish_found<std::uint32_t>(const BfsState<std::uint32_t>::UnsynchronizedView&, const Csr&,
                                          const std::uint32_t*, std::span<const Local>);
template Edge finish_found<Vertex>(const BfsState<Vertex>::UnsynchronizedView&, const Csr&, const Vertex*,
                                   std::span<const Local>);

}  // namespace atl
