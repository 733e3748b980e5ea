// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/serial.hpp>
#include <atomic>
#include <bit>

namespace atl {
namespace {

// Edges of a list that are gathered before it is seen whether there is room for more.
constexpr std::size_t kPiece = 1024, kRoom = 4096;
// So many lists say whether outcomes repeat, and for so many vertices that holds.
constexpr std::size_t kSample = 512, kHolds = 16384;
// Levels of so many edges are shared: below two barriers cost more, and bins have room for the most.
constexpr Edge kLeastShared = 6144, kMostShared = 65536;
constexpr std::size_t kQueueGrain = 64;
constexpr int kLineBits = 9;  // vertices whose bits are in one line of a cache

// One array less in the caches: on a lattice a level's lines stay there for the next ones.
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
      by_(targets_.size()) {}

// Lists lie anywhere: they are asked for before their turn. Where they begin has been read when the vertex was reached.
template <class Id>
void SerialBfs<Id>::fetch_ahead(std::span<const Local> queue, std::size_t i) const {
  constexpr std::size_t kAhead = 8;
  if (i + kAhead >= queue.size()) return;
  const Local u = queue[i + kAhead];
  __builtin_prefetch(out_.targets.data() + out_.offsets[static_cast<std::size_t>(u)]);
  if (ids_) __builtin_prefetch(ids_ + u);
}

template <class Id>
void SerialBfs<Id>::push() {
  const View view = state_.unsynchronized_view();
  if (is_shared()) return share_out(view);
  const bool foreseen = foreseen_ > view.queue.size();
  if (foreseen) foreseen_ -= view.queue.size();
  Local* const end = foreseen ? straight(view, view.next) : staged(view, view.next);
  const std::span<const Local> found =
      only_rank_ ? std::span<const Local>(view.next, end) : without_mirrors(view.next, end);
  state_.found_unsynchronized(found.size(), settle(view, found));
}

template <class Id>
Local* SerialBfs<Id>::straight(const View& view, Local* end) {
  const Edge* const offsets = out_.offsets.data();
  for (std::size_t i = 0; i < view.queue.size(); ++i) {
    fetch_ahead(view.queue, i);
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
Local* SerialBfs<Id>::staged(const View& view, Local* end) {
  Local* const targets = targets_.data();
  Id* const by = by_.data();
  const std::uint64_t* const visited = view.visited;
  std::size_t count = 0, same = 0;
  std::uint64_t last = outcome_;
  for (std::size_t i = 0; i < view.queue.size(); ++i) {
    fetch_ahead(view.queue, i);
    const Local u = view.queue[i];
    const Id id = id_of(u);
    const std::span<const Local> list = out_.neighbours(u);
    std::uint64_t outcome = 1;
    for (std::size_t at = 0; at < list.size(); at += kPiece) {
      for (const Local v : list.subspan(at, std::min(kPiece, list.size() - at))) {
        const std::uint64_t is_new = ~(visited[v >> 6] >> (v & 63)) & 1;
        targets[count] = v;
        by[count] = id;
        count += is_new;
        outcome = 2 * outcome + is_new;
      }
      if (count < kRoom) continue;
      end = claim(view, targets, by, count, out_.offsets.data(), end);
      count = 0;
    }
    same += outcome == last;
    last = outcome;
  }
  outcome_ = last;
  note_outcomes(view.queue.size(), same);
  return claim(view, targets, by, count, out_.offsets.data(), end);
}

// Of the targets that have been gathered; a vertex may be among them several times.
template <class Id>
Local* SerialBfs<Id>::claim(const View& view, const Local* targets, Id* by, std::size_t count, const Edge* offsets,
                            Local* end) {
  Local* const first = end;
  std::uint64_t* const visited = view.visited;
  Id* found_by = by;
  for (std::size_t i = 0; i < count; ++i) {
    const Local v = targets[i];
    const std::uint64_t before = visited[v >> 6];
    const std::uint64_t is_new = ~(before >> (v & 63)) & 1;
    visited[v >> 6] = before | std::uint64_t{1} << (v & 63);
    __builtin_prefetch(offsets + v);
    *found_by = by[i];
    found_by += is_new;
    *end = v;
    end += is_new;
  }
  for (const Local* v = first; v < end; ++v) view.parent[*v] = by[v - first];
  return end;
}

template <class Id>
void SerialBfs<Id>::note_outcomes(std::size_t lists, std::size_t same) {
  lists_ += lists;
  same_ += same;
  if (lists_ < kSample) return;
  if (same_ > lists_ - lists_ / 8) foreseen_ = kHolds;
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

// Of threads a power of two, so that whose a line is takes no division. The level is one that several would push anyway.
template <class Id>
bool SerialBfs<Id>::is_shared() const {
  return only_rank_ && team_.size() > 1 && std::has_single_bit(static_cast<unsigned>(team_.size())) &&
         state_.queue_edges() >= kLeastShared && state_.queue_edges() <= kMostShared;
}

template <class Id>
void SerialBfs<Id>::gather(const View& view, Thread& mine, std::size_t begin, std::size_t end) const {
  const std::uint64_t* const visited = view.visited;
  const auto last = static_cast<Local>(mine.bins.size()) - 1;
  Bin* const bins = mine.bins.data();
  for (std::size_t i = begin; i < end; ++i) {
    fetch_ahead(view.queue, i);
    const Local u = view.queue[i];
    const Id id = id_of(u);
    for (const Local v : out_.neighbours(u)) {
      Bin& bin = bins[v >> kLineBits & last];
      bin.targets[bin.count] = v;
      bin.by[bin.count] = id;
      bin.count += ~(visited[v >> 6] >> (v & 63)) & 1;
    }
  }
}

template <class Id>
void SerialBfs<Id>::share_out(const View& view) {
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
      end = claim(view, bin.targets.data(), bin.by.data(), bin.count, out_.offsets.data(), end);
    }
    const std::span<const Local> found(mine.found.data(), end);
    edges.fetch_add(settle(view, found), std::memory_order_relaxed);
    std::copy(found.begin(), found.end(), view.next + count.fetch_add(found.size(), std::memory_order_relaxed));
  });
  state_.found_unsynchronized(count.load(), edges.load());
}

// Returns how many edges leave them.
template <class Id>
Edge SerialBfs<Id>::settle(const View& view, std::span<const Local> found) const {
  Edge edges = 0;
  for (const Local v : found) {
    if (view.depth) view.depth[v] = view.level;
    const Edge first = out_.offsets[static_cast<std::size_t>(v)];
    edges += out_.offsets[static_cast<std::size_t>(v) + 1] - first;
    __builtin_prefetch(out_.targets.data() + first);
    if (ids_) __builtin_prefetch(ids_ + v);
  }
  return edges;
}

template <class Id>
std::size_t SerialBfs<Id>::memory_bytes() const {
  std::size_t bytes = targets_.size() * sizeof(Local) + by_.size() * sizeof(Id);
  for (const Thread& t : threads_) {
    bytes += t.found.size() * sizeof(Local);
    for (const Bin& bin : t.bins) bytes += bin.targets.size() * sizeof(Local) + bin.by.size() * sizeof(Id);
  }
  return bytes;
}

template class SerialBfs<std::uint32_t>;
template class SerialBfs<Vertex>;

}  // namespace atl
