// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/mirror_exchange.hpp>

/// Sends records from mirrors to their masters: any number for a mirror, where a reduce has one value.
///
///     MirrorRecords<Count, Receive> records(view, Receive{this});       // collective; of the mirrors that are written
///     auto buffers = records.send_buffers();                            // of the calling thread
///     buffers.send(mirror, {label, 3});
///     records.drain();                                                  // collective: all have been handled
///
/// The handler is called as handler(master, payload), with the master's local number on the rank that owns it, by
/// several threads of the team at once; it sends nothing. Records take the World's route. On a route of several hops
/// ranks on the way combine the payloads for a master that have equal keys, if Combine says how:
///
///     struct AddCounts {
///       static std::uint32_t key(const Count& count) { return count.label; }
///       void operator()(Count& into, const Count& from) const { into.count += from.count; }
///     };
namespace atl {

template <Plain Payload, class Handler, class Combine = NoMerge>
class MirrorRecords {
  struct [[gnu::packed]] Record {
    Local master;  // on the rank that owns it
    Payload payload;
  };
  struct Deliver {
    MirrorRecords* records;
    void operator()(std::span<const Record> received) const {
      for (const Record& record : received) {
        const Payload payload = record.payload;
        records->handler_(record.master, payload);
      }
    }
  };
  struct KeyOf {
    std::uint64_t operator()(const Record& record) const {
      const Payload payload = record.payload;
      return static_cast<std::uint64_t>(record.master) << 32 | Combine::key(payload);
    }
  };
  struct CombineRecords {
    void operator()(Record& into, const Record& from) const {
      Payload payload = into.payload;
      const Payload other = from.payload;
      Combine{}(payload, other);
      into.payload = payload;
    }
  };
  static auto merge() {
    if constexpr (std::is_same_v<Combine, NoMerge>) {
      return NoMerge{};
    } else {
      return Merge{KeyOf{}, CombineRecords{}};
    }
  }
  using Box = Mailbox<Record, Deliver, decltype(merge())>;

 public:
  [[gnu::cold]] MirrorRecords(const GraphView& view, Handler handler)
      : handler_(std::move(handler)),
        master_of_(index(view.locals), -1),
        owner_of_word_(index(view.locals) / 64, view.world->rank()),
        box_(*view.world, of_records<Record>(Deliver{this}, merge()),
             MailboxOptions{.handling = Handling::parallel, .handler_sends = false}) {
    for (std::size_t v = 0; v < index(view.first_mirror); ++v) master_of_[v] = static_cast<Local>(v);
    GraphView written = view;
    written.read = view.written;
    MirrorExchange<Local, MinOf>(written).broadcast_all({master_of_.data(), master_of_.size()});
    for (const Mirrors* mirrors : view.written)
      for (std::size_t r = 0; r < mirrors->count.size(); ++r)
        for (Local m = mirrors->begin[r]; m < mirrors->begin[r] + mirrors->count[r]; ++m)
          owner_of_word_[index(m) / 64] = static_cast<Rank>(r);
  }
  MirrorRecords(const MirrorRecords&) = delete;
  MirrorRecords& operator=(const MirrorRecords&) = delete;

  /// The local number of v's master on the rank that owns it; -1 of a mirror that is not written.
  Local master_of(Local v) const { return master_of_[v]; }

  class Buffers {
   public:
    void send(Local mirror, const Payload& payload) {
      buffers_.send(records_.owner_of_word_[index(mirror) / 64], {records_.master_of(mirror), payload});
    }

   private:
    friend class MirrorRecords;
    explicit Buffers(MirrorRecords& records) : records_(records), buffers_(records.box_.send_buffers()) {}
    MirrorRecords& records_;
    typename Box::Buffers buffers_;
  };
  Buffers send_buffers() { return Buffers(*this); }

  void drain() { box_.drain(); }
  std::size_t memory_bytes() const { return master_of_.size() * sizeof(Local) + owner_of_word_.size() * sizeof(Rank); }

 private:
  Handler handler_;
  Array<Local> master_of_;           // [local]
  std::vector<Rank> owner_of_word_;  // [local / 64]: the mirrors of an owner begin at a multiple of 64
  Box box_;
};

}  // namespace atl
