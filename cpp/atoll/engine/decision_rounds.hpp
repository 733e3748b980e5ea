// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/graph.hpp>
#include <span>
#include <vector>

/// Greedy algorithms in parallel: each vertex is decided once the neighbours that it depends on are, so that the answer is
/// the one of a serial algorithm that takes vertices (or edges) in some order, whatever ranks and threads do first [1].
/// A vertex waits in the list of one neighbour that is not decided yet, and is examined again when that one is.
///
///     DecisionRounds<std::uint8_t> rounds(graph);                   // collective
///     rounds.start(kUndecided);
///     rounds.run(vertices, [&](auto& worker, Local v) {             // collective; every master but isolated ones
///       if (const Local u = undecided_neighbour_before(v); u >= 0) return worker.wait(v, u);
///       worker.decide(v, kIn);                                      // those that wait for v are examined next
///     }, [&](auto& worker, Local mirror) {                          // other ranks have told its value
///       if (rounds[mirror] != kUndecided) worker.close(mirror);
///     });
///
/// On a rank decisions go as far as its vertices allow; then masters tell their mirrors, over the edge-cut, whatever the
/// graph's cut. Values are at most a word; threads read them while others decide. Memory: a T and 4 bytes for each local
/// vertex, 4 a master, and the exchange's.
///
/// [1] G. Blelloch, J. Fineman, J. Shun. "Greedy sequential maximal independent set and matching are parallel on average."
/// SPAA 2012.
namespace atl {

/// For each local vertex the vertices that wait for it, as a list that any thread adds to and one closes.
class WaitingLists {
 public:
  WaitingLists(std::size_t locals, std::size_t masters) : head_(locals, kEmpty), next_(masters) {}
  void open() { std::fill(head_.begin(), head_.end(), kEmpty); }
  /// v, which is in no list, waits for u; false if u's list is closed.
  bool add(Local v, Local u) {
    const std::atomic_ref<Local> head(head_[u]);
    Local first = head.load(std::memory_order_acquire);
    do {
      if (first == kClosed) return false;
      next_[v] = first;
    } while (!head.compare_exchange_weak(first, v, std::memory_order_acq_rel, std::memory_order_acquire));
    return true;
  }
  /// Calls f(v) for each that waits for u now.
  template <class F>
  void for_waiting(Local u, F&& f) const {
    for (Local v = std::atomic_ref(const_cast<Local&>(head_[u])).load(std::memory_order_acquire); v >= 0;) {
      const Local after = next_[v];
      f(v);
      v = after;
    }
  }
  /// The same, and nobody waits for u from then on. A second time it does nothing.
  template <class F>
  void close(Local u, F&& f) {
    for (Local v = std::atomic_ref(head_[u]).exchange(kClosed, std::memory_order_acq_rel); v >= 0;) {
      const Local after = next_[v];
      f(v);
      v = after;
    }
  }
  bool is_closed(Local u) const {
    return std::atomic_ref(const_cast<Local&>(head_[u])).load(std::memory_order_acquire) == kClosed;
  }
  std::size_t memory_bytes() const { return (head_.size() + next_.size()) * sizeof(Local); }

 private:
  static constexpr Local kEmpty = -1, kClosed = -2;
  Array<Local> head_;  // [local]
  Array<Local> next_;  // [master]
};

template <Plain T>
class DecisionRounds {
 public:
  explicit DecisionRounds(const Graph& graph)
      : world_(graph.world()),
        team_(world_.team()),
        first_mirror_(index(graph.mirrors().begin[0])),
        exchange_(GraphView::all_of(graph)),
        values_(index(graph.locals())),
        lists_(index(graph.locals()), index(graph.owned())),
        changed_(index(graph.locals())) {}
  DecisionRounds(const DecisionRounds&) = delete;
  DecisionRounds& operator=(const DecisionRounds&) = delete;

  /// A thread's part of a run.
  class Worker {
   public:
    Worker(DecisionRounds& rounds, int thread) : thread(thread), rounds_(rounds) {}
    /// v is examined again when u's list is closed.
    void wait(Local v, Local u) {
      if (!rounds_.lists_.add(v, u)) ready_.push_back(v);
    }
    /// Sets a master's value, which its mirrors are told.
    void set(Local v, T value) {
      std::atomic_ref(rounds_.values_[v]).store(value);
      rounds_.note_change(v);
    }
    /// Sets a master's value if it still is `known`.
    bool replace(Local v, T known, T value) {
      if (!std::atomic_ref(rounds_.values_[v]).compare_exchange_strong(known, value)) return false;
      rounds_.note_change(v);
      return true;
    }
    void close(Local v) {
      rounds_.lists_.close(v, [&](Local waiting) { ready_.push_back(waiting); });
    }
    void decide(Local v, T value) {
      set(v, value);
      close(v);
    }
    template <class F>
    void for_waiting(Local u, F&& f) const {
      rounds_.lists_.for_waiting(u, f);
    }

    const int thread;

   private:
    friend class DecisionRounds;
    template <class Examine>
    void examine_ready(Examine& examine) {
      while (!ready_.empty()) {
        const Local v = ready_.back();
        ready_.pop_back();
        examine(*this, v);
      }
    }
    DecisionRounds& rounds_;
    std::vector<Local> ready_;
  };

  /// All values, mirrors' too; nobody waits. Collective by order.
  void start(T value) {
    std::fill(values_.begin(), values_.end(), value);
    lists_.open();
    changed_.clear();
  }
  T operator[](Local v) const { return std::atomic_ref(const_cast<T&>(values_[v])).load(); }
  /// Whether nobody can wait for v any more. A mirror may be closed before its master's value has come.
  bool is_closed(Local v) const { return lists_.is_closed(v); }

  /// Examines the masters in `first`, about in this order, and then whoever has waited. Collective.
  template <class Examine, class Arrived>
  void run(std::span<const Local> first, Examine&& examine, Arrived&& arrived) {
    for_each_by(first, [&](Worker& worker, Local v) { examine(worker, v); }, examine);
    if (world_.size() == 1) return;
    std::vector<Local> mirrors;
    while (world_.any(changed_.any())) {
      exchange_.broadcast({values_.data(), values_.size()}, changed_);
      mirrors.clear();
      for (std::size_t w = first_mirror_ / 64; w < changed_.words(); ++w)
        for (std::uint64_t bits = changed_.at(w); bits; bits &= bits - 1)
          mirrors.push_back(static_cast<Local>(w * 64) + std::countr_zero(bits));
      changed_.clear();
      for_each_by(std::span<const Local>(mirrors), arrived, examine);
    }
  }

  std::size_t memory_bytes() const {
    return values_.size() * sizeof(T) + lists_.memory_bytes() + changed_.words() * sizeof(std::uint64_t) +
           exchange_.memory_bytes();
  }

 private:
  static constexpr std::size_t kGrain = 256;

  void note_change(Local v) {
    if (world_.size() > 1) changed_.set(index(v));
  }
  template <class F, class Examine>
  void for_each_by(std::span<const Local> vertices, F&& f, Examine& examine) {
    team_.for_range(vertices.size(), kGrain, [&](int thread, std::size_t a, std::size_t b) {
      Worker worker(*this, thread);
      for (std::size_t i = a; i < b; ++i) {
        f(worker, vertices[i]);
        worker.examine_ready(examine);
      }
    });
  }

  World& world_;
  Team& team_;
  const std::size_t first_mirror_;
  MirrorExchange<T, MaxOf> exchange_;
  Array<T> values_;  // [local]
  WaitingLists lists_;
  VertexBits changed_;  // masters whose mirrors have not been told; mirrors that have
};

}  // namespace atl
