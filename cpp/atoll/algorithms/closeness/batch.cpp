// SPDX-License-Identifier: Apache-2.0
// Searches from many sources at once [1] over ranks; kernel.cpp has the table of the paper's names.
//
// A level of an edge-cut is pushed, then mirrors' bits are reduced to their masters; or the frontier is broadcast to
// its mirrors, and masters pull. Over a vertex-cut the frontier is broadcast, masters and mirrors push or pull along
// the edges that they have, and mirrors' bits are reduced. A mirror sends no bit that it has sent before or was told.
//
// [1] M. Then et al. "The More the Merrier: Efficient Multi-Source Graph Traversal." VLDB 8(4), 2014.
#include <algorithm>
#include <atoll/algorithms/closeness/batch.hpp>
#include <atomic>

namespace atl {
namespace {

constexpr std::size_t kBatchWords = 16;  // words of bits that a thread takes at a time
// An edge that is pushed, in edges that are pulled.
constexpr Edge kPushedBatchEdge = 2;

}  // namespace

template <int kWords>
ClosenessBatch<kWords>::ClosenessBatch(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      view_(GraphView::of(graph, CutRows::sources)),
      transposed_(view_.cut ? view_.cut->transposed(VertexCut::WithWeights::no) : Csr{}),
      out_(*view_.rows),
      in_(view_.cut ? transposed_ : graph.in()),
      exchange_(view_, {}, kWords),
      locals_(index(view_.locals)),
      first_mirror_(std::min(index(view_.first_mirror), locals_)),
      rows_(view_.cut ? locals_ : index(graph.active())),
      serial_(team_.size() == 1),
      seen_(locals_ * kWords, 0),
      current_(locals_ * kWords, 0),
      next_(locals_ * kWords, 0),
      frontier_(locals_),
      touched_(locals_),
      complete_(locals_),
      changed_(locals_ * kWords),
      sums_(index(graph.owned())),
      threads_(static_cast<std::size_t>(team_.size())) {}

template <int kWords>
void ClosenessBatch<kWords>::clear() {
  std::fill(sums_.begin(), sums_.end(), DistanceSums{});
}

// Calls f(thread, v) for each vertex below `end` whose bit is set, 64 of them by one thread.
template <int kWords>
template <class F>
void ClosenessBatch<kWords>::for_set(const VertexBits& bits, std::size_t end, F&& f) {
  team_.for_range((end + 63) / 64, kBatchWords, [&](int t, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t word = bits.at(w); word; word &= word - 1)
        f(threads_[t], static_cast<Local>(w * 64) + std::countr_zero(word));
  });
}

template <int kWords>
void ClosenessBatch<kWords>::add(std::span<const Source> sources, const Bits& all) {
  all_ = all;
  start(sources);
  for (distance_ = 1;; ++distance_) {
    const Totals level = totals();
    if (level.frontier == 0) break;
    reciprocal_ = DistanceSums::reciprocal(distance_);
    const bool pulls = level.leaving * kPushedBatchEdge > level.open;
    if (world_.size() > 1 && (view_.cut || pulls)) broadcast_frontier();
    pulls ? pull() : push();
    if (world_.size() > 1 && (view_.cut || !pulls)) reduce_next();
    advance();
  }
  std::fill(seen_.begin(), seen_.end(), 0);
  complete_.clear();
}

template <int kWords>
void ClosenessBatch<kWords>::start(std::span<const Source> sources) {
  for (Thread& thread : threads_) thread.totals = {};
  Totals& totals = threads_[0].totals;
  totals.open = graph_.in().size();
  for (const Source source : sources) {
    Bits own;
    own.word[source.bit / 64] = std::uint64_t{1} << (source.bit % 64);
    own.store(seen(source.master));
    own.store(current(source.master));
    frontier_.set_unsynchronized(index(source.master));
    ++totals.frontier;
    totals.leaving += graph_.out().degree(source.master);
    if (all_.without(own).any()) continue;
    complete_.set_unsynchronized(index(source.master));
    totals.open -= graph_.in().degree(source.master);
  }
}

template <int kWords>
typename ClosenessBatch<kWords>::Totals ClosenessBatch<kWords>::totals() {
  Totals mine;
  for (Thread& thread : threads_) {
    mine = mine + thread.totals;
    thread.totals.frontier = 0;
    thread.totals.leaving = 0;
  }
  return world_.fold(mine, [](const Totals& a, const Totals& b) { return a + b; });
}

template <int kWords>
void ClosenessBatch<kWords>::mark(Local v, const Bits& bits) {
  for (std::size_t w = 0; w < kWords; ++w)
    if (bits.word[w]) changed_.set(index(v) * kWords + w);
}

template <int kWords>
void ClosenessBatch<kWords>::learn(Local mirror, const Bits& bits) {
  const Bits known = Bits::load(seen(mirror)).with(bits);
  known.store(seen(mirror));
  if (!all_.without(known).any()) complete_.set(index(mirror));
}

template <int kWords>
void ClosenessBatch<kWords>::broadcast_frontier() {
  for_set(frontier_, first_mirror_, [&](Thread&, Local v) { mark(v, Bits::load(current(v))); });
  exchange_.broadcast({current_.data(), current_.size()}, changed_);
  team_.for_range((locals_ - first_mirror_) / 64, kBatchWords, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = first_mirror_ + a * 64; v < first_mirror_ + b * 64; ++v) {
      const auto mirror = static_cast<Local>(v);
      const Bits bits = Bits::load(current(mirror));
      if (!bits.any()) continue;
      frontier_.set_unsynchronized(v);
      learn(mirror, bits);
    }
  });
  changed_.clear();
}

template <int kWords>
void ClosenessBatch<kWords>::add_bits(std::uint64_t* into, const Bits& bits) {
  if (serial_) return bits.with(Bits::load(into)).store(into);
  for (int w = 0; w < kWords; ++w) {
    const std::atomic_ref word(into[w]);
    if (bits.word[w] & ~word.load(std::memory_order_relaxed)) word.fetch_or(bits.word[w], std::memory_order_relaxed);
  }
}

template <int kWords>
void ClosenessBatch<kWords>::push() {
  for_set(frontier_, rows_, [&](Thread&, Local v) {
    const Bits bits = Bits::load(current(v));
    for (const Local u : out_.neighbours(v)) {
      if (complete_.test(index(u))) continue;
      add_bits(next(u), bits);
      touched_.set(index(u));
    }
  });
}

template <int kWords>
void ClosenessBatch<kWords>::pull() {
  constexpr std::size_t kCheckEvery = 8;  // neighbours
  team_.for_range((rows_ + 63) / 64, kBatchWords, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a * 64; v < std::min(rows_, b * 64); ++v) {
      if (complete_.test(v)) continue;
      const auto local = static_cast<Local>(v);
      const std::span<const Local> list = in_.neighbours(local);
      const Bits wanted = all_.without(Bits::load(seen(local)));
      Bits pulled;
      for (std::size_t i = 0; i < list.size();) {
        const std::size_t end = std::min(list.size(), i + kCheckEvery);
        for (; i < end; ++i) pulled.add(current(list[i]));
        if (!wanted.without(pulled).any()) break;
      }
      if (!pulled.any()) continue;
      pulled.store(next(local));
      touched_.set_unsynchronized(v);
    }
  });
}

template <int kWords>
void ClosenessBatch<kWords>::reduce_next() {
  const auto for_touched_mirrors = [&](auto&& f) {
    team_.for_range((locals_ - first_mirror_) / 64, kBatchWords, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t w = first_mirror_ / 64 + a; w < first_mirror_ / 64 + b; ++w)
        for (std::uint64_t word = touched_.at(w); word; word &= word - 1)
          f(static_cast<Local>(w * 64) + std::countr_zero(word));
    });
  };
  for_touched_mirrors([&](Local mirror) {
    const Bits found = Bits::load(next(mirror)).without(Bits::load(seen(mirror)));
    found.store(next(mirror));
    learn(mirror, found);
    mark(mirror, found);
  });
  exchange_.reduce({next_.data(), next_.size()}, changed_);
  for_touched_mirrors([&](Local mirror) { Bits{}.store(next(mirror)); });
  touched_.clear_from(first_mirror_);
  for (std::size_t w = 0; w * 64 < first_mirror_ * kWords; ++w)
    for (std::uint64_t bits = std::exchange(changed_.at(w), 0); bits; bits &= bits - 1)
      touched_.set_unsynchronized((w * 64 + static_cast<std::size_t>(std::countr_zero(bits))) / kWords);
}

// The vertices that some source has newly found become the frontier.
template <int kWords>
void ClosenessBatch<kWords>::advance() {
  for_set(frontier_, locals_, [&](Thread&, Local v) { Bits{}.store(current(v)); });
  frontier_.clear();
  for_set(touched_, first_mirror_, [&](Thread& thread, Local v) {
    const Bits found = Bits::load(next(v)).without(Bits::load(seen(v)));
    Bits{}.store(next(v));
    if (found.any()) find(thread, v, found);
  });
  touched_.clear();
}

template <int kWords>
void ClosenessBatch<kWords>::find(Thread& thread, Local master, const Bits& found) {
  const Bits after = Bits::load(seen(master)).with(found);
  after.store(seen(master));
  found.store(current(master));
  frontier_.set_unsynchronized(index(master));
  sums_[master].add(found.count(), distance_, reciprocal_);
  ++thread.totals.frontier;
  thread.totals.leaving += graph_.out().degree(master);
  if (all_.without(after).any()) return;
  complete_.set_unsynchronized(index(master));
  thread.totals.open -= graph_.in().degree(master);
}

template <int kWords>
std::size_t ClosenessBatch<kWords>::memory_bytes() const {
  return transposed_.memory_bytes() + 3 * seen_.size() * sizeof(std::uint64_t) +
         (3 * frontier_.words() + changed_.words()) * sizeof(std::uint64_t) + sums_.size() * sizeof(DistanceSums) +
         exchange_.memory_bytes();
}

template class ClosenessBatch<1>;
template class ClosenessBatch<4>;
template class ClosenessBatch<8>;

}  // namespace atl
