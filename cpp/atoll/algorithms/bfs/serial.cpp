// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/serial.hpp>
#include <atomic>
#include <bit>

namespace atl {
namespace {

// Edges of a list gathered between checks of the buffer, and the fill from which the buffer is claimed.
constexpr std::size_t kPiece = 1024, kRoom = 4096;
// Lists sampled to decide whether outcomes repeat, and frontier vertices for which the decision holds.
constexpr std::size_t kSample = 512, kPredicted = 16384;
// Levels with a number of edges in this range use the team: below, two barriers cost more; bins have capacity for the
// most.
constexpr Edge kLeastShared = 6144, kMostShared = 65536;
constexpr std::size_t kQueueGrain = 64;
constexpr int kLineBits = 9;  // a cache line has the bits of 2^9 vertices

// Whether ids equal local numbers. Then the id array need not be read: on a lattice this leaves cache for the next
// levels.
template <class Id>
bool are_local_numbers(Team& team, const Graph& graph, const Array<Id>& ids) {
  constexpr std::size_t kGrain = 4096;
  std::atomic<bool> same{true};
  team.for_range(static_cast<std::size_t>(graph.active()), kGrain, [&](int, std::size_t a, std::size_t b) {
    bool here = true;
    for (std::size_t v = a; v < b; ++v) here &= ids[v] == static_cast<Id>(v);
    if (!here) same.store(false, std::memory_order_relaxed);
  });
  return same.load();
}

}  // namespace

template <class Id>
SerialBfs<Id>::SerialBfs(const Graph& graph, const Array<Id>& ids, BfsState<Id>& state)
    : out_(graph.out()),
      active_(graph.active()),
      only_rank_(graph.world().size() == 1),
      team_(graph.world().team()),
      state_(state),
      ids_(are_local_numbers(graph.world().team(), graph, ids) ? nullptr : ids.data()),
      targets_(kRoom + kPiece),
      parents_(targets_.size()) {}

// Prefetches a list ahead of its turn. Its offset is in the cache since the vertex was reached.
template <class Id>
void SerialBfs<Id>::prefetch(std::span<const Local> queue, std::size_t i) const {
  constexpr std::size_t kAhead = 8;
  if (i + kAhead >= queue.size()) return;
  const Local u = queue[i + kAhead];
  __builtin_prefetch(out_.targets.data() + out_.offsets[u]);
  if (ids_) __builtin_prefetch(ids_ + u);
}

template <class Id>
void SerialBfs<Id>::push() {
  const View view = state_.unsynchronized_view();
  if (uses_team()) return push_shared(view);
  const bool predicted = predicted_ > view.queue.size();
  if (predicted) predicted_ -= view.queue.size();
  Local* const end = predicted ? push_branching(view, view.next) : push_staged(view, view.next);
  const std::span<const Local> found =
      only_rank_ ? std::span<const Local>(view.next, end) : without_mirrors(view.next, end);
  state_.found_unsynchronized(found.size(), finish_found(view, found));
}

template <class Id>
Local* SerialBfs<Id>::push_branching(const View& view, Local* end) {
  const Edge* const offsets = out_.offsets.data();
  for (std::size_t i = 0; i < view.queue.size(); ++i) {
    prefetch(view.queue, i);
    const Local u = view.queue[i];
    const Id id = id_of(u);
    for (const Local v : out_.neighbours(u)) {
      std::uint64_t& word = view.visited[v >> 6];
      const std::uint64_t bit = std::uint64_t{1} << (v & 63);
      if (word & bit) continue;
      word |= bit;
      view.parent[v] = id;
      __builtin_prefetch(offsets + v);
      *end++ = v;
    }
  }
  return end;
}

template <class Id>
Local* SerialBfs<Id>::push_staged(const View& view, Local* end) {
  Local* const targets = targets_.data();
  Id* const parents = parents_.data();
  const std::uint64_t* const visited = view.visited;
  std::size_t count = 0, same = 0;
  std::uint64_t last = outcome_;
  for (std::size_t i = 0; i < view.queue.size(); ++i) {
    prefetch(view.queue, i);
    const Local u = view.queue[i];
    const Id id = id_of(u);
    const std::span<const Local> list = out_.neighbours(u);
    std::uint64_t outcome = 1;
    for (std::size_t at = 0; at < list.size(); at += kPiece) {
      for (const Local v : list.subspan(at, std::min(kPiece, list.size() - at))) {
        const std::uint64_t is_new = ~(visited[v >> 6] >> (v & 63)) & 1;
        targets[count] = v;
        parents[count] = id;
        count += is_new;
        outcome = 2 * outcome + is_new;
      }
      if (count < kRoom) continue;
      end = claim(view, targets, parents, count, out_.offsets.data(), end);
      count = 0;
    }
    same += outcome == last;
    last = outcome;
  }
  outcome_ = last;
  note_outcomes(view.queue.size(), same);
  return claim(view, targets, parents, count, out_.offsets.data(), end);
}

// Claims gathered targets; a vertex may be among them several times.
template <class Id>
Local* SerialBfs<Id>::claim(const View& view, const Local* targets, Id* parents, std::size_t count, const Edge* offsets,
                            Local* end) {
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
void SerialBfs<Id>::note_outcomes(std::size_t lists, std::size_t same) {
  lists_ += lists;
  same_ += same;
  if (lists_ < kSample) return;
  if (same_ > lists_ - lists_ / 8) predicted_ = kPredicted;
  lists_ = same_ = 0;
}

template <class Id>
std::span<const Local> SerialBfs<Id>::without_mirrors(Local* begin, Local* end) {
  mirrors_.clear();
  Local* kept = begin;
  for (const Local* v = begin; v < end; ++v)
    if (*v < active_) {
      *kept++ = *v;
    } else {
      mirrors_.push_back(*v);
    }
  return {begin, kept};
}

// Only for a power of two of threads, so that finding the owner of a cache line needs no division.
template <class Id>
bool SerialBfs<Id>::uses_team() const {
  return only_rank_ && team_.size() > 1 && std::has_single_bit(static_cast<unsigned>(team_.size())) &&
         state_.queue_edges() >= kLeastShared && state_.queue_edges() <= kMostShared;
}

template <class Id>
void SerialBfs<Id>::gather(const View& view, Thread& mine, std::size_t begin, std::size_t end) const {
  const std::uint64_t* const visited = view.visited;
  const auto last = static_cast<Local>(mine.bins.size()) - 1;
  Bin* const bins = mine.bins.data();
  for (std::size_t i = begin; i < end; ++i) {
    prefetch(view.queue, i);
    const Local u = view.queue[i];
    const Id id = id_of(u);
    for (const Local v : out_.neighbours(u)) {
      Bin& bin = bins[v >> kLineBits & last];
      bin.targets[bin.count] = v;
      bin.parents[bin.count] = id;
      bin.count += ~(visited[v >> 6] >> (v & 63)) & 1;
    }
  }
}

template <class Id>
void SerialBfs<Id>::push_shared(const View& view) {
  if (threads_.empty()) {
    threads_ = std::vector<Thread>(static_cast<std::size_t>(team_.size()));
    constexpr auto kMost = static_cast<std::size_t>(kMostShared) + 1;
    for (Thread& t : threads_) {
      for (std::size_t k = 0; k < threads_.size(); ++k) t.bins.push_back({Array<Local>(kMost), Array<Id>(kMost)});
      t.found = Array<Local>(kMost);
    }
  }
  std::atomic<std::size_t> next{0}, count{0};
  std::atomic<Edge> edges{0};
  team_.run([&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    Thread& mine = threads_[t];
    for (Bin& bin : mine.bins) bin.count = 0;
    for (std::size_t a; (a = next.fetch_add(kQueueGrain, std::memory_order_relaxed)) < view.queue.size();)
      gather(view, mine, a, std::min(view.queue.size(), a + kQueueGrain));
    team_.barrier();
    Local* end = mine.found.data();
    for (Thread& from : threads_) {
      Bin& bin = from.bins[t];
      end = claim(view, bin.targets.data(), bin.parents.data(), bin.count, out_.offsets.data(), end);
    }
    const std::span<const Local> found(mine.found.data(), end);
    edges.fetch_add(finish_found(view, found), std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), view.next + count.fetch_add(found.size(), std::memory_order_relaxed));
  });
  state_.found_unsynchronized(count.load(), edges.load());
}

// Writes the depths of the found vertices and prefetches their lists; returns the number of their out-edges.
template <class Id>
Edge SerialBfs<Id>::finish_found(const View& view, std::span<const Local> found) const {
  Edge edges = 0;
  for (const Local v : found) {
    if (view.depth) view.depth[v] = view.level;
    const Edge first = out_.offsets[v];
    edges += out_.offsets[static_cast<std::size_t>(v) + 1] - first;
    __builtin_prefetch(out_.targets.data() + first);
    if (ids_) __builtin_prefetch(ids_ + v);
  }
  return edges;
}

template <class Id>
std::size_t SerialBfs<Id>::memory_bytes() const {
  std::size_t bytes = targets_.size() * sizeof(Local) + parents_.size() * sizeof(Id);
  for (const Thread& t : threads_) {
    bytes += t.found.size() * sizeof(Local);
    for (const Bin& bin : t.bins) bytes += bin.targets.size() * sizeof(Local) + bin.parents.size() * sizeof(Id);
  }
  return bytes;
}

template class SerialBfs<std::uint32_t>;
template class SerialBfs<Vertex>;

}  // namespace atl
