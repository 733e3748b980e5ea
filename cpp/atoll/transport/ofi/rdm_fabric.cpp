// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <atoll/base/parallel.hpp>
#include <atoll/transport/ofi/doorbell.hpp>
#include <atoll/transport/ofi/puts.hpp>
#include <atoll/transport/ofi/rdm_fabric.hpp>
#include <atoll/transport/ofi/sends.hpp>
#include <atoll/transport/ofi/shutdown_handshake.hpp>
#include <mutex>

// A fabric over one reliable, connectionless endpoint of libfabric.
//
// Wire: messages and control are untagged sends, bulk is tagged, so that each meets receives of its own size and the
// first posted always fits. Eight bytes travel beside each as remote completion data (wire.hpp): tag, type, kind,
// source. No header is copied, and injected data is sent directly from the caller's bytes.
//
// Its parts share the Port: Receives are posted for as many packets as Credits grant, Sends owns the memory of outgoing
// packets, Puts moves long messages, DeferredPackets holds packets not yet asked for, the Doorbell is how a rank
// sleeps, and the ShutdownHandshake ends the job.
namespace atl::ofi {
namespace {

constexpr int kBatch = 16;  // completions read at once

Rank checked_rank_count(Rank ranks) {
  check(ranks <= kMostRanks, "{} ranks over libfabric (at most {} are possible). Start fewer.", ranks, kMostRanks);
  return ranks;
}

class RdmFabric final : public OfiFabric {
 public:
  RdmFabric(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap, Info info, std::vector<int> nodes)
      : bootstrap_(std::move(bootstrap)),
        rank_(bootstrap_->rank()),
        size_(checked_rank_count(bootstrap_->size())),
        nodes_(std::move(nodes)),
        slot_bytes_(options.slot_bytes),
        message_bytes_(std::max(kControlBytes, options.message_bytes)),
        port_(std::move(info), rank_),
        small_(port_, message_bytes_, Receives::Meets::untagged, port_.domain().info->rx_attr->size / 2),
        bulk_(port_, slot_bytes_, Receives::Meets::bulk, port_.domain().info->rx_attr->size / 2 / 2),
        control_(port_),
        sends_(port_, size_, message_bytes_, slot_bytes_, options.slots_per_peer, options.budget_bytes),
        credits_(port_, small_, bulk_, size_, message_bytes_, options.slots_per_peer, options.budget_bytes),
        puts_(port_, credits_, kept_),
        bell_(port_.endpoint().file()),
        farewell_(port_, size_) {
    introduce(port_.endpoint(), *bootstrap_);
  }

  std::string_view name() const override { return "ofi"; }
  std::string provider() const override { return port_.provider(); }
  Rank rank() const override { return rank_; }
  Rank size() const override { return size_; }
  int node_of(Rank rank) const override { return nodes_[rank]; }
  std::size_t slot_bytes() const override { return slot_bytes_; }
  std::size_t message_bytes() const override { return message_bytes_; }
  std::size_t memory_bytes() const override { return port_.memory_bytes(); }

  Busy acquire(Rank to, Slot& slot) override {
    if (!lock_.try_lock()) return Busy::lock;
    std::lock_guard hold(lock_, std::adopt_lock);
    Busy busy = take_slot(to, slot);
    if (busy == Busy::no) return busy;
    return progress() ? take_slot(to, slot) : busy;
  }

  void publish(const Slot& slot, std::size_t bytes) override {
    ATOLL_ASSERT(bytes > 0 && bytes <= slot.capacity);
    std::lock_guard hold(lock_);
    sends_.send(slot, bytes);
  }

  void abandon(const Slot& slot) override {
    std::lock_guard hold(lock_);
    sends_.abandon(slot);
    ++credits_.bulk(slot.to).credits;
  }

  Busy send(Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes) override {
    ATOLL_ASSERT(bytes.size() <= (traffic == Traffic::control ? kControlBytes : message_bytes_));
    if (!lock_.try_lock()) return Busy::lock;
    std::lock_guard hold(lock_, std::adopt_lock);
    const bool control = traffic == Traffic::control;
    Window& window = control ? credits_.control(to) : credits_.message(to);
    if (window.credits == 0) [[unlikely]] {
      credits_.request_credits(to);
      progress();
      if (window.credits == 0) return Busy::no_slot;
    }
    const std::uint64_t h = header(control ? Kind::control : Kind::message, note, rank_);
    Busy busy = sends_.send(to, h, bytes, Sends::Memory::as_is);
    if (busy != Busy::no) {
      progress();
      busy = sends_.send(to, h, bytes, Sends::Memory::may_grow);
    }
    if (busy == Busy::no) --window.credits;
    return busy;
  }

  bool can_put(Rank) const override { return true; }

  Busy expose(Rank from, std::span<std::byte> memory, std::uint64_t token, PutTarget& target) override {
    if (!lock_.try_lock()) return Busy::lock;
    std::lock_guard hold(lock_, std::adopt_lock);
    puts_.expose(from, memory, token, target);
    return Busy::no;
  }

  Busy put(Rank to, const PutTarget& target, std::span<const std::byte> source, std::uint64_t token) override {
    if (!lock_.try_lock()) return Busy::lock;
    std::lock_guard hold(lock_, std::adopt_lock);
    credits_.request_credits(to);
    puts_.put(to, target, source, token);
    return Busy::no;
  }

  int poll(std::span<Packet> packets, TrafficSet wanted) override {
    if (!lock_.try_lock()) return 0;
    std::lock_guard hold(lock_, std::adopt_lock);
    std::size_t n = kept_.empty() ? 0 : kept_.take(packets, wanted);
    if (n == packets.size()) return static_cast<int>(n);
    std::array<fi_cq_tagged_entry, kBatch> entries;
    const ssize_t got = fi_cq_read(port_.queue(), entries.data(), std::min<std::size_t>(kBatch, packets.size() - n));
    if (got == -FI_EAGAIN) {
      if (port_.has_deferred()) [[unlikely]]
        flush_deferred();
      return static_cast<int>(n);
    }
    if (got < 0) port_.fail(got);
    for (ssize_t i = 0; i < got; ++i) {
      Packet packet;
      if (!handle_completion(entries[i], packet)) continue;
      if (DeferredPackets::wants(wanted, packet)) {
        packets[n++] = packet;
      } else {
        kept_.keep(packet);
      }
    }
    if (port_.has_deferred()) [[unlikely]]
      flush_deferred();
    return static_cast<int>(n);
  }

  void release(const Packet& packet) override {
    if (packet.what == Packet::What::put_sent || packet.what == Packet::What::put_arrived) return;
    std::lock_guard hold(lock_);
    switch (packet.what) {
      case Packet::What::message:
        small_.post(packet.ticket);
        return credits_.return_message(packet.from);
      case Packet::What::control:
        control_.release(packet.ticket);
        return credits_.return_control(packet.from);
      default:
        bulk_.post(packet.ticket);
        return credits_.return_bulk(packet.from);
    }
  }

  bool wait(double timeout_s, TrafficSet wanted) override {
    return bell_.wait(timeout_s, [&](bool may_arm) {
      if (!lock_.try_lock()) return Doorbell::PollResult::nothing;
      std::lock_guard hold(lock_, std::adopt_lock);
      while (progress()) {
      }
      if (kept_.has(wanted)) return Doorbell::PollResult::found;
      fid* queue = &port_.queue()->fid;
      if (!may_arm || fi_trywait(port_.domain().fabric.get(), &queue, 1) != 0) return Doorbell::PollResult::nothing;
      return port_.has_deferred() ? Doorbell::PollResult::armed_with_deferred : Doorbell::PollResult::armed;
    });
  }

  void wake() override { bell_.ring(); }

  void abort(int exit_code) noexcept override {
    // Ranks that cannot be notified are ended by the launcher.
    for (Rank r = 0; r < size_; ++r)
      if (r != rank_ && credits_.has_requested_credits(r))
        fi_injectdata(port_.get(), nullptr, 0, header(Word::abort, static_cast<std::uint32_t>(exit_code), rank_),
                      port_[r]);
    fi_cq_read(port_.queue(), nullptr, 0);
    _exit(exit_code);
  }

  void close() override {
    if (closed_) return;
    std::lock_guard hold(lock_);
    farewell_.part([&] { return progress(); },
                   [&] { return sends_.all_completed() && !port_.has_deferred() && puts_.empty(); });
    closed_ = true;
  }

  std::vector<std::string> gather_texts(const std::string& mine) override { return bootstrap_->gather(mine); }

  double raw_latency(std::size_t bytes, int iterations) override {
    return raw([&](Endpoint& e) { return ofi::raw_latency(port_.domain(), e, rank_, bytes, iterations); });
  }
  double raw_rate(std::size_t bytes, int messages) override {
    return raw([&](Endpoint& e) { return ofi::raw_rate(port_.domain(), e, rank_, bytes, messages); });
  }

 private:
  // Everything below runs under lock_.

  Busy take_slot(Rank to, Slot& slot) {
    Window& window = credits_.bulk(to);
    if (window.credits == 0) {
      credits_.want_bulk(to);
      return Busy::no_slot;
    }
    const Busy busy = sends_.take(to, slot);
    if (busy == Busy::no) --window.credits;
    return busy;
  }

  // Handles one completion; true if it is a packet.
  bool handle_completion(const fi_cq_tagged_entry& entry, Packet& packet) {
    if (entry.flags & FI_REMOTE_WRITE) {
      puts_.arrive(note_of(entry.data).tag);
      return false;
    }
    const auto& operation = *static_cast<const Operation*>(entry.op_context);
    const std::uint32_t k = operation.number;
    switch (operation.what) {
      case Operation::What::small_receive:
        small_.used();
        return digest_small(entry, k, packet);
      case Operation::What::bulk_receive:
        bulk_.used();
        packet = {.data = bulk_[k],
                  .bytes = entry.len,
                  .from = static_cast<Rank>(entry.data),
                  .ticket = k,
                  .what = Packet::What::bulk,
                  .note = {}};
        return true;
      case Operation::What::bounce:
        sends_.completed_copy(k);
        return false;
      case Operation::What::slot:
        sends_.completed_slot(k, operation.peer);
        return false;
      case Operation::What::piece:
        puts_.completed_piece(operation);
        return false;
      case Operation::What::bye:
        farewell_.completed_word();
        return false;
    }
    return false;
  }

  bool digest_small(const fi_cq_tagged_entry& entry, std::uint32_t k, Packet& packet) {
    const Rank from = source_of(entry.data);
    const Note note = note_of(entry.data);
    switch (kind_of(entry.data)) {
      case Kind::message:
        packet = {.data = small_[k],
                  .bytes = entry.len,
                  .from = from,
                  .ticket = k,
                  .what = Packet::What::message,
                  .note = note};
        return true;
      case Kind::control: {
        const std::uint32_t copy = control_.copy(small_[k], entry.len);
        small_.post(k);
        packet = {.data = control_[copy],
                  .bytes = entry.len,
                  .from = from,
                  .ticket = copy,
                  .what = Packet::What::control,
                  .note = note};
        return true;
      }
      default:
        small_.post(k);
        on_control(from, static_cast<Word>(note.type), note.tag);
        return false;
    }
  }

  void on_control(Rank from, Word word, std::uint32_t tag) {
    switch (word) {
      case Word::put_arrived:
        // It counts as a control packet.
        credits_.return_control(from);
        return puts_.arrive(tag);
      case Word::abort:
        _exit(static_cast<int>(tag));
      case Word::bye:
        return farewell_.on_control(from);
      default:
        credits_.on_control(from, word, tag);
    }
  }

  // Moves completions of the queue into the deferred packets; returns whether there were any.
  bool progress() {
    std::array<fi_cq_tagged_entry, kBatch> entries;
    const ssize_t got = fi_cq_read(port_.queue(), entries.data(), entries.size());
    if (got < 0 && got != -FI_EAGAIN) port_.fail(got);
    for (ssize_t i = 0; i < got; ++i) {
      Packet packet;
      if (handle_completion(entries[i], packet)) kept_.keep(packet);
    }
    if (port_.has_deferred()) flush_deferred();
    return got > 0;
  }

  // Retries operations that the provider refused, as far as it accepts them now.
  void flush_deferred() {
    port_.begin_flush();
    credits_.flush_deferred();
    sends_.flush_deferred();
    if (!puts_.empty()) puts_.drive();
    small_.flush_deferred();
    bulk_.flush_deferred();
  }

  template <class Loop>
  double raw(Loop&& loop) {
    check(size_ > 1, "a raw loop needs two ranks (there is one). Start with --ranks 2.");
    Endpoint endpoint(port_.domain(), Endpoint::Sleep::by_file);
    introduce(endpoint, *bootstrap_);
    const double result = rank_ < 2 ? loop(endpoint) : 0;
    bootstrap_->gather("");
    return rank_ == 0 ? result : 0;
  }

  const std::shared_ptr<Bootstrap> bootstrap_;
  const Rank rank_, size_;
  const std::vector<int> nodes_;
  const std::size_t slot_bytes_, message_bytes_;

  alignas(64) SpinLock lock_;
  Port port_;
  Receives small_, bulk_;
  ControlCopies control_;
  Sends sends_;
  Credits credits_;
  DeferredPackets kept_;
  Puts puts_;
  Doorbell bell_;
  ShutdownHandshake farewell_;
  bool closed_ = false;
};

}  // namespace

std::unique_ptr<OfiFabric> make_rdm_fabric(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap, Info info,
                                           std::vector<int> nodes) {
  return std::make_unique<RdmFabric>(options, std::move(bootstrap), std::move(info), std::move(nodes));
}

}  // namespace atl::ofi
