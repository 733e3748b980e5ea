// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <deque>
#include <memory>
#include <span>
#include <vector>

/// What each rank tells each of its peers in a round: of any length, written into the slots that travel and read where
/// it arrives, also while this rank still writes. Who is told something knows by whom, so nobody counts or votes.
///
///     Posts posts(world, items_to, items_from);                 // collective; [rank], 0: nothing is ever told
///     posts.exchange(                                           // a round: collective, outside team regions
///         [&](int thread, Posts::Pen& pen, Rank to, std::size_t item) { pen.wrote(gather(pen.room(most), to, item)); },
///         [&](Rank from, std::span<const std::byte> part) { scatter(from, part); });
///
/// The threads of the team share the items of what a peer is told; what they write comes in any order, in parts of whole
/// rooms. A peer that was told nothing in a round still gets one message, of 24 bytes, that ends it.
///
/// Memory: slots of the fabric. What comes for a round that this rank has not begun is copied; of that, a peer sends one
/// slot for each of its threads before it has heard that the round was begun here. A rank that waits to hear so tells all
/// of its peers that it has begun, so those who wait for each other go on.
namespace atl {

class Posts {
 public:
  /// items_to[r]: in how many pieces the threads write what rank r is told, of at most a room each; items_from[r]: its
  /// items_to for this rank.
  Posts(World& world, std::vector<std::size_t> items_to, std::vector<std::size_t> items_from);
  ~Posts();
  Posts(const Posts&) = delete;
  Posts& operator=(const Posts&) = delete;

  /// Longest room.
  std::size_t room_bytes() const { return world_.payload_bytes() - sizeof(Part); }
  static std::size_t room_bytes(const World& world) { return world.payload_bytes() - sizeof(Part); }

  /// Where a thread writes what one peer after the other is told.
  class Pen;

  /// write(thread, pen, to, item) for each item of each peer; read(from, part) for each part, on any thread.
  template <class Write, class Read>
  void exchange(Write&& write, Read&& read);

  /// What has come too early.
  std::size_t memory_bytes() const { return early_bytes_; }

 private:
  // The first bytes of what travels.
  struct Part {
    std::uint32_t parts;  // of the round, this one included, on its last; 0 on the others
    std::uint32_t told;   // 0: it only says that the round has begun
  };
  struct Early {
    Rank from;
    std::uint32_t round;
    std::vector<std::byte> data;
  };
  struct alignas(64) Peer {
    Rank rank;
    std::size_t first, items;             // of all items
    std::atomic<std::size_t> left{0};     // items that have not been passed on
    std::atomic<std::uint32_t> parts{0};  // that have
  };
  struct alignas(64) Source {
    std::atomic<std::int64_t> missing{0};  // parts of this round; negative while nobody has said how many there are
    std::atomic<std::uint32_t> heard{0};   // the latest round that the rank is known to have begun
  };
  using ReadPart = void (*)(void* context, Rank from, std::span<const std::byte> part);

  static void deliver(void* self, Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes);
  void begin(ReadPart read, void* context);
  void take(Rank from, const std::byte* data, std::size_t bytes);
  void keep(Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes);
  void say_begun(Rank to);
  void wait_for(Rank peer);
  Slot slot_to(Rank to);

  World& world_;
  std::deque<Peer> peers_;  // that are told something, from the next rank on
  std::size_t items_ = 0;
  std::deque<Source> sources_;  // [rank]
  std::vector<Rank> silent_;    // ranks that may tell this one more than a slot and are told nothing
  std::size_t tellers_ = 0;
  std::uint32_t channel_ = 0;
  std::atomic<std::uint32_t> round_{0};  // the latest that was begun
  std::atomic<std::size_t> left_{0};     // tellers of which not all has come
  std::atomic<bool> said_{false};        // to all peers that the round has begun
  ReadPart read_ = nullptr;
  void* context_ = nullptr;
  SpinLock lock_;
  std::vector<Early> early_;  // under lock_
  std::size_t early_bytes_ = 0;
};

class Posts::Pen {
 public:
  explicit Pen(Posts& posts) : posts_(posts) {}
  Pen(const Pen&) = delete;
  Pen& operator=(const Pen&) = delete;
  /// Place for so many bytes, at most room_bytes(); waits while the fabric is busy, and reads what comes meanwhile.
  std::byte* room(std::size_t bytes);
  /// So many of them were written.
  void wrote(std::size_t bytes) { used_ += bytes; }

 private:
  friend class Posts;
  void go_to(Peer& peer);
  void open();
  void pass_on(bool last);
  void leave();

  Posts& posts_;
  Peer* peer_ = nullptr;
  Slot slot_{};
  std::size_t used_ = 0;   // of the slot; 0: there is none
  std::size_t items_ = 0;  // that it has come to since it is with this peer
};

template <class Write, class Read>
void Posts::exchange(Write&& write, Read&& read) {
  using R = std::remove_reference_t<Read>;
  begin([](void* f, Rank from, std::span<const std::byte> part) { (*static_cast<R*>(f))(from, part); },
        const_cast<void*>(static_cast<const void*>(std::addressof(read))));
  std::atomic<std::size_t> next{0};
  world_.team().run([&](int thread) {
    Pen pen(*this);
    auto peer = peers_.begin();
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < items_;) {
      while (i >= peer->first + peer->items) ++peer;
      pen.go_to(*peer);
      write(thread, pen, peer->rank, i - peer->first);
    }
    pen.leave();
    world_.wait_until("values of vertices from a peer", [&] { return left_.load(std::memory_order_acquire) == 0; });
  });
}

}  // namespace atl
