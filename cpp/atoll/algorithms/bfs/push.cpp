// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/push.hpp>

namespace atl {
namespace {

// On several ranks: below this much work, waking the team costs more than it gains (a region is about a microsecond).
constexpr Edge kOneThreadEdges = 8192;
constexpr std::size_t kOneThreadVertices = 2048;
// Frontier vertices that a thread takes at a time.
constexpr std::size_t kPushGrain = 64;

// The lists of a frontier are scattered in memory: prefetches first their offsets, then the lists.
void prefetch(const Csr& out, std::span<const Local> queue, std::size_t i) {
  constexpr std::size_t kAheadOffsets = 24, kAheadLists = 12;
  if (i + kAheadOffsets < queue.size()) __builtin_prefetch(&out.offsets[queue[i + kAheadOffsets]]);
  if (i + kAheadLists < queue.size()) __builtin_prefetch(out.targets.data() + out.offsets[queue[i + kAheadLists]]);
}

}  // namespace

template <class Id>
BfsPush<Id>::BfsPush(const TraversalView<Id>& view, const BfsKernels<Id>& kernels, BfsState<Id>& state,
                     RemoteUpdates<Id>& updates)
    : view_(view),
      team_(view.world().team()),
      kernels_(kernels),
      state_(state),
      updates_(updates),
      serial_(view.graph(), view.ids(), state),
      team_push_(view.graph(), serial_.ids(), state),
      long_lists_(static_cast<std::size_t>(view.active()) + 1),
      claims_(view.world().savings().claims),
      claimed_(static_cast<std::size_t>(team_.size())) {
  // Hubs are sorted by falling degree, so those with long lists come first, unless parts of them are elsewhere.
  while (!view.mirrors_have_rows() && long_end_ < view.graph().hubs() && view.out().degree(long_end_) > kPiece)
    ++long_end_;
}

template <class Id>
void BfsPush<Id>::sort_heaviest_first() {
  const auto queue = state_.queue();
  std::sort(queue.begin(), queue.end(),
            [&](Local a, Local b) { return view_.out().degree(a) > view_.out().degree(b); });
}

template <class Id>
void BfsPush<Id>::all() {
  const auto queue = state_.queue();
  if (view_.world().size() == 1) return serial_.push();
  if (state_.queue_edges() > kOneThreadEdges || queue.size() > kOneThreadVertices) return with_team();
  const int thread = Team::this_thread();
  for (std::size_t i = 0; i < queue.size(); ++i) {
    prefetch(view_.out(), queue, i);
    push_list(thread, queue[i]);
  }
}

template <class Id>
void BfsPush<Id>::small_level() {
  serial_.push();
  for (const Local v : serial_.mirrors()) updates_.enqueue(v, state_.parent()[v]);
}

template <class Id>
void BfsPush<Id>::with_team() {
  const std::span<const Local> queue = state_.queue();
  const Csr& out = view_.out();
  std::atomic<std::size_t> next{0}, longs{0}, pieces{0};
  team_.run([&](int thread) {
    for (std::size_t a; (a = next.fetch_add(kPushGrain, std::memory_order_relaxed)) < queue.size();) {
      for (std::size_t i = a; i < std::min(queue.size(), a + kPushGrain); ++i) {
        prefetch(out, queue, i);
        if (queue[i] < long_end_) {
          long_lists_[longs.fetch_add(1, std::memory_order_relaxed)] = queue[i];
        } else {
          push_list(thread, queue[i]);
        }
      }
    }
    team_.barrier();
    // Pieces of the long lists are numbered consecutively: piece p of vertex k has number first(k) + p.
    const std::size_t count = longs.load(std::memory_order_relaxed);
    std::size_t first = 0, taken = pieces.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t k = 0; k < count; ++k) {
      const Local u = long_lists_[k];
      const Edge begin = out.offsets[u], degree = out.degree(u);
      const auto all = static_cast<std::size_t>((degree + kPiece - 1) / kPiece);
      for (; taken < first + all; taken = pieces.fetch_add(1, std::memory_order_relaxed)) {
        const Edge at = static_cast<Edge>(taken - first) * kPiece;
        push_piece(thread, u, begin + at, std::min(kPiece, degree - at));
      }
      first += all;
    }
  });
}

template <class Id>
void BfsPush<Id>::push_list(int thread, Local u) {
  const Edge begin = view_.out().offsets[u], degree = view_.out().degree(u);
  for (Edge at = 0; at < degree; at += kPiece) push_piece(thread, u, begin + at, std::min(kPiece, degree - at));
}

template <class Id>
void BfsPush<Id>::push_piece(int thread, Local u, Edge begin, Edge n) {
  Local* const claimed = claimed_[thread].targets;
  const std::span<const Local> targets(view_.out().targets.data() + begin, static_cast<std::size_t>(n));
  const std::size_t count = kernels_.claim(state_.visited(), targets.data(), targets.size(), claimed);
  const Id id = view_.ids()[u];
  auto& mine = state_.thread(thread);
  auto sender = updates_.from(u, id);
  for (std::size_t i = 0; i < count; ++i) {
    const Local v = claimed[i];
    if (v < view_.active()) {
      state_.reach(mine, v, id);
    } else if (claims_) {
      mine.found.records += sender.send(v);
    }
  }
  if (claims_) return;
  for (const Local v : targets)
    if (v >= view_.active()) mine.found.records += sender.send(v);
}

template class BfsPush<std::uint32_t>;
template class BfsPush<Vertex>;

}  // namespace atl
