// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/broadcast/broadcast_shape.hpp>
#include <atoll/runtime/world.hpp>
#include <atomic>
#include <cstdint>
#include <vector>

/// Broadcasts of large buffers inside a row or a column of ranks, several at a time, while the ranks compute
/// (COAST, section IV.B, VII.C and appendix B.2); who sends to whom: model/broadcast_shape.hpp.
///
///     PanelBroadcast broadcasts(world, {ranks_of_my_row, ranks_of_my_column});
///     BroadcastRequest panel;                                              // stays where it is while it is under way
///     broadcasts.start(panel, kColumn, k, root, {buffer, bytes}, BroadcastShape::ring2m);
///     for (Tile t : tiles) { compute(t); broadcasts.progress(); }     // chunks arrive and are passed on
///     broadcasts.wait_arrived(panel);                                 // the buffer may be read
///     broadcasts.finish(panel);                                       // and now be overwritten
///
/// A buffer travels in chunks; whoever has received a chunk passes it on while the next ones are still coming. A rank
/// says that it is ready (start) before anything is sent to it, so that what arrives always has its place and is copied
/// there by the handler: once between ranks of one address space, else into a slot and out of it.
///
/// Threads: start, progress and the waits are for the rank's own thread. What has come is taken, and passed on as far
/// as there is room, by whoever makes progress, the communication thread included. Whoever has begun a broadcast must
/// finish it before other waits: only these calls look again for room to pass chunks on.
namespace atl {

/// Memory that is broadcast. Without `data` the bytes are only modelled: they cost time where the World's clock is
/// virtual, and nothing is copied.
struct PanelMemory {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// One broadcast under way, seen from one rank; owned by who started it.
class BroadcastRequest {
 public:
  BroadcastRequest() = default;
  BroadcastRequest(const BroadcastRequest&) = delete;
  BroadcastRequest& operator=(const BroadcastRequest&) = delete;

  /// Whether the buffer is whole here.
  bool arrived() const { return missing_.load(std::memory_order_acquire) == 0; }
  /// Whether it has been passed on too, or nothing was started.
  bool done() const { return arrived() && unsent_.load(std::memory_order_acquire) == 0; }

 private:
  friend class PanelBroadcast;
  struct Child {
    Rank rank = -1;
    bool ready = false;
    std::byte* address = nullptr;  // of its buffer, where this rank can write there
    std::size_t sent = 0;          // bytes, from the front
  };
  std::uint32_t group_ = 0, tag_ = 0;
  PanelMemory panel_;
  std::size_t chunk_bytes_ = 0;
  bool urgent_ = false;
  bool begun_ = false;  // its bytes have begun to move: counted as under way
  std::vector<Child> children_;
  std::vector<std::size_t> chunk_missing_;  // [chunk] bytes that have not arrived
  std::atomic<std::size_t> missing_{0}, unsent_{0};
};

/// Since the beginning, at this rank.
struct BroadcastCounters {
  std::uint64_t started = 0;      ///< broadcasts, those of other roots included
  std::uint64_t chunks_sent = 0;  ///< chunks times receivers
  std::uint64_t bytes_sent = 0;   ///< of panels: headers are not counted
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_in_place = 0;  ///< of those sent: copied to the receiver's buffer at once
  /// Seconds during which a broadcast was under way here: of the root from its start, of others from the first bytes that
  /// came, until all had come and been passed on. Where several were at the same time, they count once.
  double seconds = 0;
};

enum class Urgency : std::uint8_t { normal, urgent };

struct BroadcastOptions {
  std::size_t chunk_bytes = std::size_t{4} << 20;  ///< 0: all in one
  /// slots: never straight into the receiver's buffer, as between processes.
  enum class Copies : std::uint8_t { in_place, slots } copies = Copies::in_place;
};

class PanelBroadcast {
 public:
  /// Collective by order, like a declaration. The ranks of groups[g], in the same order on each of them, are the members
  /// of their group g; this rank is in each of its groups.
  PanelBroadcast(World& world, std::vector<std::vector<Rank>> groups, BroadcastOptions options = {});
  /// Not collective. Nothing may be under way.
  ~PanelBroadcast();
  PanelBroadcast(const PanelBroadcast&) = delete;
  PanelBroadcast& operator=(const PanelBroadcast&) = delete;

  /// Begins a broadcast of `panel` from the root'th of the group to all of it: every member calls it with the same tag,
  /// size and shape, in any order. No two under way in a group have the same tag. The flight must be done.
  /// Urgent ones pass those that were started before.
  void start(BroadcastRequest& flight, std::uint32_t group, std::uint32_t tag, int root, PanelMemory panel,
             BroadcastShape shape, Urgency urgency = Urgency::normal);
  /// Takes what has come and passes on what there is room for; true if something moved. Never waits.
  bool progress();
  void wait_arrived(const BroadcastRequest& flight);
  /// Until it is done; what was started may not be destroyed before.
  void finish(const BroadcastRequest& flight);

  const BroadcastCounters& counters() const { return counters_; }

 private:
  enum class Kind : std::uint32_t { ready, piece, landed };
  struct Head {  // in front of each packet's bytes
    Kind kind;
    std::uint32_t group;
    std::uint64_t offset;  // where the bytes belong
    std::uint64_t bytes;
    std::byte* address;  // of the buffer that is ready
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
  bool send_some(BroadcastRequest& flight, BroadcastRequest::Child& child);
  bool announce();
  void begin(BroadcastRequest& flight);
  void end(BroadcastRequest& flight);

  World& world_;
  const BroadcastOptions options_;
  std::vector<Group> groups_;
  std::uint32_t channel_ = 0;
  SpinLock lock_;                           // of all below, and of flights
  std::vector<BroadcastRequest*> flights_;  // under way, urgent ones first
  std::vector<Ready> early_;                // children that are ready for what this rank has not started
  struct Announcement {
    Rank parent;
    std::uint32_t tag;
    Head head;
  };
  std::vector<Announcement> announcements_;  // that found no room yet
  BroadcastCounters counters_;
  int begun_ = 0;        // flights that are under way in the sense of BroadcastCounters::seconds
  double begun_at_ = 0;  // since when there are any
};

}  // namespace atl
