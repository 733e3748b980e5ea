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
  const bool predicted = predicted_ > view.queue.size();
  if (predicted) predicted_ -= view.queue.size();
  Local* const end = predicted ? push_branching(view, view.next) : push_staged(view, view.next);
  const std::span<const Local> found =
      only_rank_ ? std::span<const Local>(view.next, end) : without_mirrors(view.next, end);
  state_.found_unsynchronized(found.size(), finish_found<Id>(view, out_, ids_, found));
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
      end = claim_gathered<Id>(view, targets, parents, count, out_.offsets.data(), end);
      count = 0;
    }
    same += outcome == last;
    last = outcome;
  }
  outcome_ = last;
  note_outcomes(view.queue.size(), same);
  return claim_gathered<Id>(view, targets, parents, count, out_.offsets.data(), end);
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

template <class Id>
std::size_t SerialBfs<Id>::memory_bytes() const {
  return targets_.size() * sizeof(Local) + parents_.size() * sizeof(Id);
}

template class SerialBfs<std::uint32_t>;
template class SerialBfs<Vertex>;

}  // namespace atl
