// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <atoll/runtime/traffic/kept_step.hpp>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// The collectives that algorithms need, over whatever fabric the World has.
///
///     const Vertex n = world.sum(mine);                       // the same bits on every rank, floats too
///     std::vector<Edge> counts = world.all_gather(my_count);  // [rank]
///     std::vector<Id> ids = world.all_gather_varying(std::span<const Id>(mine), &counts);  // in rank order
///
/// All are collective; the rank's main thread calls them. A reduction gathers the values and folds them in rank order,
/// so its rounding does not depend on the machine. Up to kGatheredByAll ranks it takes ceil(log2 P) rounds of P *
/// sizeof(T) bytes in all, beyond that a gather and a broadcast over a tree.
namespace atl {

class World;

/// Types that travel as bytes.
template <class T>
concept Plain = std::is_trivially_copyable_v<T>;

class Collectives {
 public:
  explicit Collectives(World& world) : world_(world) {}

  void barrier();
  /// A barrier among the ranks of the caller's domain at this level. All ranks call it in the same order. Not on the
  /// direct route.
  void barrier_within(int level);

  template <Plain T>
  std::vector<T> all_gather(const T& mine);
  template <Plain T>
  T sum(T mine) {
    return fold(mine, [](T a, T b) { return static_cast<T>(a + b); });
  }
  template <Plain T>
  T min(T mine) {
    return fold(mine, [](T a, T b) { return b < a ? b : a; });
  }
  template <Plain T>
  T max(T mine) {
    return fold(mine, [](T a, T b) { return a < b ? b : a; });
  }
  bool any(bool mine) { return max(static_cast<char>(mine)) != 0; }
  bool all(bool mine) { return min(static_cast<char>(mine)) != 0; }
  /// Folds the ranks' values in rank order.
  template <Plain T, class Op>
  T fold(const T& mine, Op op);

  /// Copies `values` of `root` to every rank; sizes must be equal.
  template <Plain T>
  void broadcast(std::span<T> values, Rank root) {
    const KeptStep step(traffic_, StepKind::broadcast, values.size_bytes(), static_cast<std::uint64_t>(root));
    broadcast_bytes(std::as_writable_bytes(values), root);
  }
  /// Concatenates the ranks' lists in rank order; `counts`, if given, receives each rank's length.
  template <Plain T>
  std::vector<T> all_gather_varying(std::span<const T> mine, std::vector<Edge>* counts = nullptr);

  /// Sends outgoing[r] to rank r and returns what each rank sent here, [from]. An empty list costs no message. The
  /// lengths travel first: in ceil(log2 P) rounds of P/2 numbers, or directly if P is small.
  template <Plain T>
  std::vector<std::vector<T>> exchange(std::vector<std::vector<T>> outgoing);

  /// The same into given memory: incoming[r] has the length of what rank r sends here.
  void exchange_bytes(const std::vector<std::span<const std::byte>>& outgoing,
                      const std::vector<std::span<std::byte>>& incoming);
  /// Sends one number from each rank to each rank: outgoing is by target, the result by sender.
  std::vector<Edge> exchange_lengths(const std::vector<Edge>& outgoing);

  /// Sends tagged bytes between two ranks, cut into slots; both sides know the size. send() returns when the bytes are
  /// in slots or copied; it makes progress meanwhile.
  void send(Rank to, std::uint64_t tag, std::span<const std::byte> bytes);
  void receive(Rank from, std::uint64_t tag, std::span<std::byte> bytes);
  /// Sends what fold() and all_gather() of a value of so many bytes send.
  void imitate_fold(std::size_t bytes);
  void imitate_all_gather(std::size_t bytes);
  /// A tag that no other message of this World has; the same on all ranks if they call it in the same order.
  std::uint64_t next_tag() { return ++tag_; }

 protected:
  void open();  // once the World can open channels
  void shut();

  TrafficLog* traffic_ = nullptr;  // where this rank's steps are kept, if they are: each collective marks itself there

 private:
  struct Chunk {  // in front of each chunk's bytes
    std::uint64_t tag;
    std::uint64_t offset;
  };
  struct Expected;
  struct ExpectedFromAll;
  struct Unexpected;
  static void deliver(void* self, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes);
  /// Up to this many ranks a fold is one all-gather of log2 P rounds. Beyond, the values go up a tree and the result
  /// comes down: twice the rounds, but P messages instead of P log2 P. If records follow the domains (Plan::route), the
  /// tree does too: each boundary is crossed once up and once down, at one latency each.
  static constexpr Rank kGatheredByAll = 64;
  bool follows_tree() const;
  bool folds_by_all_gather() const { return ranks() <= kGatheredByAll && !follows_tree(); }
  /// Gathers all ranks' bytes, of equal length, on the tree's root, in rank order; empty on all other ranks.
  std::vector<std::byte> gather_bytes(std::span<const std::byte> mine);
  /// Sends the root's bytes to all ranks.
  void hand_down(std::span<std::byte> bytes);
  void all_gather_bytes(const std::byte* mine, std::size_t bytes, std::byte* all);
  void broadcast_bytes(std::span<std::byte> bytes, Rank root);
  void all_gather_varying_bytes(std::span<const std::byte> mine, const std::vector<std::size_t>& offsets,
                                std::byte* all);
  Rank ranks() const;

  World& world_;
  std::uint32_t channel_ = 0;
  std::uint64_t tag_ = 0;
  // Any thread that makes progress may handle arrivals.
  struct Inbox;
  std::shared_ptr<Inbox> inbox_;
};

template <Plain T>
std::vector<T> Collectives::all_gather(const T& mine) {
  const KeptStep step(traffic_, StepKind::all_gather, sizeof(T));
  std::vector<T> all(static_cast<std::size_t>(ranks()));
  all_gather_bytes(reinterpret_cast<const std::byte*>(&mine), sizeof(T), reinterpret_cast<std::byte*>(all.data()));
  return all;
}

template <Plain T, class Op>
T Collectives::fold(const T& mine, Op op) {
  if (ranks() == 1) return mine;
  const KeptStep step(traffic_, StepKind::fold, sizeof(T));
  if (folds_by_all_gather()) {
    T all[kGatheredByAll];
    all_gather_bytes(reinterpret_cast<const std::byte*>(&mine), sizeof(T), reinterpret_cast<std::byte*>(all));
    T result = all[0];
    for (Rank r = 1; r < ranks(); ++r) result = op(result, all[r]);
    return result;
  }
  const std::vector<std::byte> all = gather_bytes(std::as_bytes(std::span(&mine, 1)));
  T result = mine;
  if (!all.empty()) {
    std::memcpy(&result, all.data(), sizeof(T));
    for (std::size_t r = 1; r < static_cast<std::size_t>(ranks()); ++r) {
      T next = mine;
      std::memcpy(&next, all.data() + r * sizeof(T), sizeof(T));
      result = op(result, next);
    }
  }
  hand_down(std::as_writable_bytes(std::span(&result, 1)));
  return result;
}

template <Plain T>
std::vector<T> Collectives::all_gather_varying(std::span<const T> mine, std::vector<Edge>* counts) {
  const KeptStep step(traffic_, StepKind::all_gather_varying, mine.size_bytes());
  const std::vector<Edge> lengths = all_gather(static_cast<Edge>(mine.size()));
  std::vector<std::size_t> offsets(lengths.size() + 1, 0);
  for (std::size_t r = 0; r < lengths.size(); ++r)
    offsets[r + 1] = offsets[r] + static_cast<std::size_t>(lengths[r]) * sizeof(T);
  std::vector<T> all(offsets.back() / sizeof(T));
  all_gather_varying_bytes(std::as_bytes(mine), offsets, reinterpret_cast<std::byte*>(all.data()));
  if (counts) *counts = lengths;
  return all;
}

template <Plain T>
std::vector<std::vector<T>> Collectives::exchange(std::vector<std::vector<T>> outgoing) {
  const auto p = static_cast<std::size_t>(ranks());
  std::vector<Edge> lengths(p);
  for (std::size_t r = 0; r < p; ++r) lengths[r] = static_cast<Edge>(outgoing[r].size());
  const std::vector<Edge> coming = exchange_lengths(lengths);
  std::vector<std::vector<T>> incoming(p);
  std::vector<std::span<const std::byte>> out(p);
  std::vector<std::span<std::byte>> in(p);
  for (std::size_t r = 0; r < p; ++r) {
    incoming[r].resize(static_cast<std::size_t>(coming[r]));
    out[r] = std::as_bytes(std::span(std::as_const(outgoing[r])));
    in[r] = std::as_writable_bytes(std::span(incoming[r]));
  }
  exchange_bytes(out, in);
  return incoming;
}

}  // namespace atl
