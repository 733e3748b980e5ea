// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/broadcast/broadcast_shape.hpp>
#include <atoll/runtime/world.hpp>
#include <atomic>
#include <cstdint>
#include <vector>

/// Broadcasts large buffers inside a row or a column of ranks, several at a time, while the ranks compute (COAST,
/// section IV.B, VII.C and appendix B.2). BroadcastShape says who sends to whom.
///
///     PanelBroadcast broadcasts(world, {ranks_of_my_row, ranks_of_my_column});
///     BroadcastRequest panel;                                         // must not move while the broadcast runs
///     broadcasts.start(panel, kColumn, k, root, {buffer, bytes}, BroadcastShape::ring2m);
///     for (Tile t : tiles) { compute(t); broadcasts.progress(); }     // chunks arrive and are forwarded
///     broadcasts.wait_arrived(panel);                                 // the buffer may be read
///     broadcasts.finish(panel);                                       // and now be overwritten
///
/// A buffer travels in chunks. A rank forwards a chunk while the next ones are still arriving. It announces to its
/// parent that it is ready (start) before anything is sent to it, so every arriving chunk has its place, and the
/// handler copies it there: once between ranks of one address space, else into a slot and out of it.
///
/// Threads: the rank's main thread calls start, progress and the waits. Any thread that makes progress, including the
/// communication thread, receives chunks and forwards them as far as slots are free. A rank that has started a
/// broadcast must finish it before it waits for anything else, because only these calls retry the forwarding.
namespace atl {

/// The memory to broadcast. Without `data` the bytes are only modelled: they take time on a virtual clock, and nothing
/// is copied.
struct PanelMemory {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// One running broadcast on one rank, owned by the caller that started it.
class BroadcastRequest {
 public:
  BroadcastRequest() = default;
  BroadcastRequest(const BroadcastRequest&) = delete;
  BroadcastRequest& operator=(const BroadcastRequest&) = delete;

  /// Whether the whole buffer has arrived here.
  bool arrived() const { return missing_.load(std::memory_order_acquire) == 0; }
  /// Whether it has also been forwarded to all children, or nothing was started.
  bool done() const { return arrived() && unsent_.load(std::memory_order_acquire) == 0; }

 private:
  friend class PanelBroadcast;
  struct Child {
    Rank rank = -1;
    bool ready = false;
    std::byte* address = nullptr;  // of its buffer, if this rank can write there
    std::size_t sent = 0;          // bytes sent to it, from the front
  };
  std::uint32_t group_ = 0, tag_ = 0;
  PanelMemory panel_;
  std::size_t chunk_bytes_ = 0;
  bool urgent_ = false;
  bool begun_ = false;  // its bytes have begun to move: it counts in begun_
  std::vector<Child> children_;
  std::vector<std::size_t> chunk_missing_;  // [chunk] bytes that have not arrived
  std::atomic<std::size_t> missing_{0}, unsent_{0};
};

/// Counts at this rank since the PanelBroadcast was made.
struct BroadcastCounters {
  std::uint64_t started = 0;      ///< broadcasts, including those of other roots
  std::uint64_t chunks_sent = 0;  ///< chunks times receivers
  std::uint64_t bytes_sent = 0;   ///< of panels, without headers
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_in_place = 0;  ///< of those sent: copied directly into the receiver's buffer
  /// Seconds during which at least one broadcast was running here: at the root from its start, elsewhere from its first
  /// arriving bytes, until everything had arrived and been forwarded.
  double seconds = 0;
};

enum class Urgency : std::uint8_t { normal, urgent };

struct BroadcastOptions {
  std::size_t chunk_bytes = std::size_t{4} << 20;  ///< 0: one chunk
  /// slots: never directly into the receiver's buffer, as between processes.
  enum class Copies : std::uint8_t { in_place, slots } copies = Copies::in_place;
};

class PanelBroadcast {
 public:
  /// Collective by order, like a declaration. groups[g] lists the members of group g, in the same order on each of
  /// them; this rank is a member of each.
  PanelBroadcast(World& world, std::vector<std::vector<Rank>> groups, BroadcastOptions options = {});
  /// Not collective. No broadcast may be running.
  ~PanelBroadcast();
  PanelBroadcast(const PanelBroadcast&) = delete;
  PanelBroadcast& operator=(const PanelBroadcast&) = delete;

  /// Starts a broadcast of `panel` from the root'th member of the group to all members. Every member calls it with the
  /// same tag, size and shape, in any order. No two running broadcasts of a group share a tag. The request must be
  /// done(). Urgent broadcasts are sent before those that were started earlier.
  void start(BroadcastRequest& request, std::uint32_t group, std::uint32_t tag, int root, PanelMemory panel,
             BroadcastShape shape, Urgency urgency = Urgency::normal);
  /// Receives chunks and forwards those for which slots are free; true if something moved. Never waits.
  bool progress();
  void wait_arrived(const BroadcastRequest& request);
  /// Waits until the request is done; do not destroy it earlier.
  void finish(const BroadcastRequest& request);

  const BroadcastCounters& counters() const { return counters_; }

 private:
  enum class Kind : std::uint32_t { ready, piece, arrived };
  struct Head {  // the header of each packet
    Kind kind;
    std::uint32_t group;
    std::uint64_t offset;  // where the bytes belong
    std::uint64_t bytes;
    std::byte* address;  // in a ready packet: of the receiver's buffer
  };
  struct Ready {
    Rank from;
    std::uint32_t group, tag;
    std::byte* address;
  };
  struct Group {
    std::vector<Rank> ranks;
    int position = 0;
  };
  static void deliver(void* self, Rank from, std::uint32_t tag, const std::byte* data, std::size_t bytes);
  void take(Rank from, std::uint32_t tag, const Head& head, const std::byte* bytes);
  BroadcastRequest* find(std::uint32_t group, std::uint32_t tag);
  bool pump();
  bool send_some(BroadcastRequest& request, BroadcastRequest::Child& child);
  bool announce();
  void begin(BroadcastRequest& request);
  void end(BroadcastRequest& request);

  World& world_;
  const BroadcastOptions options_;
  std::vector<Group> groups_;
  std::uint32_t channel_ = 0;
  SpinLock lock_;                            // guards all below, and the requests
  std::vector<BroadcastRequest*> requests_;  // running, urgent ones first
  std::vector<Ready> early_;                 // children that are ready for a broadcast that this rank has not started
  struct Announcement {
    Rank parent;
    std::uint32_t tag;
    Head head;
  };
  std::vector<Announcement> announcements_;  // for which no slot was free yet
  BroadcastCounters counters_;
  int begun_ = 0;        // running requests in the sense of BroadcastCounters::seconds
  double begun_at_ = 0;  // when begun_ last rose from 0
};

}  // namespace atl
