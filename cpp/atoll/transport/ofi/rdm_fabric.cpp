// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <poll.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atoll/base/parallel.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/ofi/libfabric.hpp>
#include <atoll/transport/ofi/rdm_fabric.hpp>
#include <atoll/transport/plugin.hpp>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

// A fabric over one reliable, connectionless endpoint of libfabric.
//
// Wire: messages and control are untagged sends, bulk is tagged, so that each meets receives of its own size and the
// first posted always fits. Eight bytes travel beside each as remote completion data: tag, type, kind, source. No
// header is copied, and what the provider injects goes out from the caller's own bytes.
//
// Credits: a rank sends only what the receiver has promised memory for, per peer and traffic: messages, control, bulk.
// A receiver promises when a peer first asks (hello), so memory is for peers that talk; it returns half a window by one
// word. Words (hello, grants, credits, bye) are the fabric's own; how many of them a peer can have on its way is
// bounded by the protocol (kWords), so they need no credit. Control is copied out where it arrives and its receive posted
// again: a caller that keeps packets keeps no receive of control's.
//
// Puts: up to kPiece one write with completion data; above, pieces that are complete at the target
// (FI_DELIVERY_COMPLETE), then a word.
namespace atl::ofi {
namespace {

constexpr int kBatch = 16;  // completions read at once
constexpr int kControlWindow = 16;
// What all messages of all peers may take where they are few, and each peer's window.
constexpr std::size_t kMessageMemory = 4 << 20;
constexpr int kSmallestWindow = 8, kLargestWindow = 64;
// Words from one peer that may be on their way: hello, the wish for bulk and bye before it is known; after, two returns
// for each of three windows, and two grants.
constexpr int kFirstWords = 3, kWords = 8;
constexpr std::size_t kBounces = 64;  // messages too long to inject, copied and not yet sent
// Larger pieces hold a lock for longer (shm copies inside the call, 12 GB/s); smaller ones cost tcp a round each.
constexpr std::size_t kPiece = 4 << 20;
constexpr int kPiecesInFlight = 4;  // of one put
constexpr double kNap_s = 100e-6;   // where there is no file to sleep on, or something left to do
constexpr double kClose_s = 30;
constexpr std::uint64_t kBulkTag = 1;

enum class Kind : std::uint8_t { message, control, word };
enum class Word : std::uint8_t {
  hello,       // post receives for me
  grant,       // have done; tag: message window
  want_bulk,   // and slots
  grant_bulk,  // tag: how many
  credit_message,
  credit_control,
  credit_bulk,  // tag: how many
  landed,       // tag: number of the landing
  abort,        // tag: exit code
  bye,
};

// Beside the bytes: tag 32, type 8, kind 2, source 22 bits.
constexpr Rank kMostRanks = 1 << 22;
std::uint64_t header(Kind kind, Note note, Rank from) {
  return note.tag | std::uint64_t{note.type} << 32 | static_cast<std::uint64_t>(kind) << 40 |
         static_cast<std::uint64_t>(from) << 42;
}
Note note_of(std::uint64_t h) { return {static_cast<std::uint32_t>(h), static_cast<std::uint8_t>(h >> 32)}; }
Kind kind_of(std::uint64_t h) { return static_cast<Kind>(h >> 40 & 3); }
Rank source_of(std::uint64_t h) { return static_cast<Rank>(h >> 42); }

// What a completion belongs to. Libfabric may keep words of its own in `context`.
struct Operation {
  enum class What : std::uint8_t { small_receive, bulk_receive, bounce, slot, piece, bye };
  fi_context2 context{};
  What what = What::small_receive;
  std::uint32_t number = 0;  // of the buffer, or the put
  Rank peer = -1;            // -1: not known before it completes
};
static_assert(offsetof(Operation, context) == 0);

// Buffers of one use, each with its operation.
struct Pool {
  Pool(const Domain& domain, std::size_t bytes, Operation::What what) : buffers(domain, bytes), what(what) {}
  void grow(fid_ep* endpoint, std::uint64_t key) {
    buffers.grow(endpoint, key);
    while (operations.size() < buffers.size()) {
      free.push_back(static_cast<std::uint32_t>(operations.size()));
      operations.push_back({.what = what, .number = free.back()});
    }
  }
  std::uint32_t take() {
    const std::uint32_t k = free.back();
    free.pop_back();
    return k;
  }
  Buffers buffers;
  const Operation::What what;
  std::deque<Operation> operations;
  std::vector<std::uint32_t> free;  // the warmest last
};

// A window of what one peer may send to another: what may still be sent there, and what of theirs is released here and
// not yet returned.
struct Window {
  std::int32_t credits = 0;
  std::int32_t size = 0;  // promised to the peer
  std::int32_t released = 0;
};

struct Peer {
  Window message, control, bulk;
  std::int32_t slots = 0;  // acquired and not yet sent
  bool greeted = false, listening = false, wanted_bulk = false, said_bye = false;
};

struct Exposed {
  Registered memory;
  std::uint64_t token = 0;
  Rank from = -1;
};

struct Put {
  Rank to = -1;
  std::uint64_t token = 0, address = 0, key = 0;
  std::uint32_t landing = 0;
  const std::byte* source = nullptr;
  std::size_t bytes = 0, posted = 0;
  int in_flight = 0;
  bool said = false;  // the target will know, or knows
  Registered memory;
  std::array<Operation, kPiecesInFlight> operations;
  std::vector<std::size_t> free;  // of operations
};

class RdmFabric final : public OfiFabric {
 public:
  RdmFabric(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap, Info info, std::vector<int> nodes)
      : bootstrap_(std::move(bootstrap)),
        rank_(bootstrap_->rank()),
        size_(bootstrap_->size()),
        nodes_(std::move(nodes)),
        slot_bytes_(options.slot_bytes),
        message_bytes_(std::max(kControlBytes, options.message_bytes)),
        slots_per_peer_(options.slots_per_peer),
        budget_bytes_(options.budget_bytes),
        domain_(std::move(info)),
        inject_bytes_(domain_.info->tx_attr->inject_size),
        most_posted_(domain_.info->rx_attr->size / 2),
        small_(domain_, message_bytes_, Operation::What::small_receive),
        bulk_(domain_, slot_bytes_, Operation::What::bulk_receive),
        bounces_(domain_, message_bytes_, Operation::What::bounce),
        slots_(domain_, slot_bytes_, Operation::What::slot),
        endpoint_(domain_, Endpoint::Sleep::by_file),
        wake_file_(endpoint_.file() >= 0 ? eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) : -1),
        peers_(static_cast<std::size_t>(size_)) {
    check(size_ <= kMostRanks, "{} ranks over libfabric (at most {} are possible). Start fewer.", size_, kMostRanks);
    const std::size_t fair = kMessageMemory / static_cast<std::size_t>(size_) / message_bytes_;
    message_window_ = static_cast<std::int32_t>(std::clamp<std::size_t>(fair, kSmallestWindow, kLargestWindow));
    add_small(kFirstWords * (size_ - 1));
    endpoint_.know(from_hex(bootstrap_->gather(hex(endpoint_.address()))));
  }

  ~RdmFabric() override {
    if (wake_file_ >= 0) ::close(wake_file_);
  }

  std::string_view name() const override { return "ofi"; }
  std::string provider() const override { return domain_.info->fabric_attr->prov_name; }
  Rank rank() const override { return rank_; }
  Rank size() const override { return size_; }
  int node_of(Rank rank) const override { return nodes_[static_cast<std::size_t>(rank)]; }
  std::size_t slot_bytes() const override { return slot_bytes_; }
  std::size_t message_bytes() const override { return message_bytes_; }
  std::size_t memory_bytes() const override { return memory_bytes_.load(std::memory_order_relaxed); }

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
    ++unfinished_;
    const Filled filled{slot.ticket, slot.to, bytes};
    if (!unsent_.empty() || !send_slot(filled)) unsent_.push_back(filled);
  }

  void abandon(const Slot& slot) override {
    std::lock_guard hold(lock_);
    Peer& peer = peer_of(slot.to);
    --peer.slots;
    ++peer.bulk.credits;
    slots_.free.push_back(slot.ticket);
  }

  Busy send(Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes) override {
    ATOLL_ASSERT(bytes.size() <= (traffic == Traffic::control ? kControlBytes : message_bytes_));
    if (!lock_.try_lock()) return Busy::lock;
    std::lock_guard hold(lock_, std::adopt_lock);
    Peer& peer = peer_of(to);
    const bool control = traffic == Traffic::control;
    Window& window = control ? peer.control : peer.message;
    if (window.credits == 0) [[unlikely]] {
      greet(to);
      progress();
      if (window.credits == 0) return Busy::no_slot;
    }
    const std::uint64_t h = header(control ? Kind::control : Kind::message, note, rank_);
    const Busy busy = bytes.size() <= inject_bytes_ ? inject(to, h, bytes) : send_copy(to, h, bytes);
    if (busy == Busy::no) --window.credits;
    return busy;
  }

  bool can_put(Rank) const override { return true; }

  Busy expose(Rank from, std::span<std::byte> memory, std::uint64_t token, Landing& landing) override {
    if (!lock_.try_lock()) return Busy::lock;
    std::lock_guard hold(lock_, std::adopt_lock);
    Exposed exposed{{}, token, from};
    if (!memory.empty())
      exposed.memory = Registered(domain_, endpoint_.get(), memory.data(), memory.size(), FI_REMOTE_WRITE, next_key_++);
    const std::uint32_t number = next_landing_++;
    const bool by_address = domain_.needs(FI_MR_VIRT_ADDR);
    landing.words = {by_address ? reinterpret_cast<std::uint64_t>(memory.data()) : 0,
                     memory.empty() ? 0 : exposed.memory.key(), number};
    exposed_.emplace(number, std::move(exposed));
    return Busy::no;
  }

  Busy put(Rank to, const Landing& landing, std::span<const std::byte> source, std::uint64_t token) override {
    if (!lock_.try_lock()) return Busy::lock;
    std::lock_guard hold(lock_, std::adopt_lock);
    greet(to);
    const std::uint32_t number = next_put_++;
    Put& put = puts_[number];
    put.to = to;
    put.token = token;
    put.address = landing.words[0];
    put.key = landing.words[1];
    put.landing = static_cast<std::uint32_t>(landing.words[2]);
    put.source = source.data();
    put.bytes = source.size();
    if (put.bytes > 0)
      put.memory = Registered(domain_, endpoint_.get(), source.data(), source.size(), FI_WRITE, next_key_++);
    for (Operation& operation : put.operations) {
      put.free.push_back(put.free.size());
      operation.what = Operation::What::piece;
      operation.number = number;
      operation.peer = to;
    }
    drive_puts();
    return Busy::no;
  }

  int poll(std::span<Packet> packets, TrafficSet wanted) override {
    if (!lock_.try_lock()) return 0;
    std::lock_guard hold(lock_, std::adopt_lock);
    std::size_t n = queued_ > 0 ? take_queued(packets, wanted) : 0;
    if (n == packets.size()) return static_cast<int>(n);
    std::array<fi_cq_tagged_entry, kBatch> entries;
    const ssize_t got =
        fi_cq_read(endpoint_.queue(), entries.data(), std::min<std::size_t>(kBatch, packets.size() - n));
    if (got == -FI_EAGAIN) {
      if (owed_) [[unlikely]]
        pay();
      return static_cast<int>(n);
    }
    if (got < 0) fail(got);
    for (ssize_t i = 0; i < got; ++i) {
      Packet packet;
      if (!digest(entries[static_cast<std::size_t>(i)], packet)) continue;
      if (wants(wanted, packet)) {
        packets[n++] = packet;
      } else {
        queue(packet);
      }
    }
    if (owed_) [[unlikely]]
      pay();
    return static_cast<int>(n);
  }

  void release(const Packet& packet) override {
    if (packet.what == Packet::What::put_sent || packet.what == Packet::What::put_landed) return;
    std::lock_guard hold(lock_);
    Peer& peer = peer_of(packet.from);
    switch (packet.what) {
      case Packet::What::message:
        post_small(packet.ticket);
        give_back(packet.from, peer.message, Word::credit_message);
        break;
      case Packet::What::control:
        control_free_.push_back(packet.ticket);
        give_back(packet.from, peer.control, Word::credit_control);
        break;
      default:
        post_bulk(packet.ticket);
        give_back(packet.from, peer.bulk, Word::credit_bulk);
    }
  }

  bool wait(double timeout_s, TrafficSet wanted) override {
    const std::uint32_t seen = wakes_.load(std::memory_order_acquire);
    return endpoint_.file() >= 0 ? wait_by_file(timeout_s, wanted) : wait_by_naps(timeout_s, wanted, seen);
  }

  void wake() override {
    wakes_.fetch_add(1, std::memory_order_release);
    if (wake_file_ >= 0) {
      const std::uint64_t one = 1;
      // A full counter wakes as well.
      [[maybe_unused]] const auto written = write(wake_file_, &one, sizeof one);
    } else {
      syscall(SYS_futex, &wakes_, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
    }
  }

  void abort(int exit_code) noexcept override {
    // Whoever cannot be told finds out when the launcher ends it.
    for (Rank r = 0; r < size_; ++r)
      if (r != rank_ && peer_of(r).greeted)
        fi_injectdata(
            endpoint_.get(), nullptr, 0,
            header(Kind::word, {static_cast<std::uint32_t>(exit_code), static_cast<std::uint8_t>(Word::abort)}, rank_),
            endpoint_[r]);
    fi_cq_read(endpoint_.queue(), nullptr, 0);
    _exit(exit_code);
  }

  void close() override {
    if (closed_) return;
    std::lock_guard hold(lock_);
    const Timer timer;
    until(timer, [&] { return unfinished_ == 0 && !owed_ && puts_.empty(); }, "its last packets to be taken by");
    // Rank 0 hears that everyone is done and says so; a rank that has heard it has nothing on its way any more.
    if (rank_ != 0) {
      say_bye(0);
      until(timer, [&] { return peer_of(0).said_bye; }, "the end of");
    } else {
      until(timer, [&] { return byes_ == size_ - 1; }, "the end of");
      for (Rank r = 1; r < size_; ++r) say_bye(r);
    }
    until(timer, [&] { return byes_sending_ == 0; }, "its last word to be taken by");
    closed_ = true;
  }

  std::vector<std::string> gather_texts(const std::string& mine) override { return bootstrap_->gather(mine); }

  double raw_latency(std::size_t bytes, int iterations) override {
    return raw([&](Endpoint& e) { return ofi::raw_latency(domain_, e, rank_, bytes, iterations); });
  }
  double raw_rate(std::size_t bytes, int messages) override {
    return raw([&](Endpoint& e) { return ofi::raw_rate(domain_, e, rank_, bytes, messages); });
  }

 private:
  struct Filled {
    std::uint32_t ticket;
    Rank to;
    std::size_t bytes;
  };
  struct Said {
    Rank to;
    Word word;
    std::uint32_t tag;
  };
  struct ControlCopy {
    std::array<std::byte, kControlBytes> bytes;
  };

  Peer& peer_of(Rank rank) { return peers_[static_cast<std::size_t>(rank)]; }

  // All that follows is under lock_.

  // ---- sending ----

  // Straight from the caller's bytes; nothing to complete.
  Busy inject(Rank to, std::uint64_t h, std::span<const std::byte> bytes) {
    auto once = [&] { return fi_injectdata(endpoint_.get(), bytes.data(), bytes.size(), h, endpoint_[to]); };
    ssize_t code = once();
    if (code == -FI_EAGAIN) {
      progress();
      code = once();
      if (code == -FI_EAGAIN) return Busy::no_slot;
    }
    if (code != 0) [[unlikely]]
      lose(to, code, "fi_injectdata");
    return Busy::no;
  }

  Busy send_copy(Rank to, std::uint64_t h, std::span<const std::byte> bytes) {
    if (bounces_.free.empty()) {
      progress();
      if (bounces_.free.empty()) {
        if (bounces_.operations.size() >= kBounces) return Busy::no_memory;
        grow(bounces_);
      }
    }
    const std::uint32_t k = bounces_.take();
    std::memcpy(bounces_.buffers[k], bytes.data(), bytes.size());
    Operation& operation = bounces_.operations[k];
    operation.peer = to;
    auto once = [&] {
      return fi_senddata(endpoint_.get(), bounces_.buffers[k], bytes.size(), bounces_.buffers.descriptor(k), h,
                         endpoint_[to], &operation.context);
    };
    ssize_t code = once();
    if (code == -FI_EAGAIN) {
      progress();
      code = once();
    }
    if (code != 0) {
      bounces_.free.push_back(k);
      if (code == -FI_EAGAIN) return Busy::no_slot;
      lose(to, code, "fi_senddata");
    }
    ++unfinished_;
    return Busy::no;
  }

  Busy take_slot(Rank to, Slot& slot) {
    Peer& peer = peer_of(to);
    if (peer.bulk.credits == 0) {
      if (!peer.wanted_bulk) {
        peer.wanted_bulk = true;
        listen(to);
        say(to, Word::want_bulk, 0);
      }
      return Busy::no_slot;
    }
    if (peer.slots >= slots_per_peer_) return Busy::no_slot;
    if (slots_.free.empty()) {
      // Two slots a peer are outside the budget, so that one that lies half-filled stops nobody.
      if (peer.slots >= 2 && memory_bytes() + slots_.buffers.growth_bytes() > budget_bytes_) return Busy::no_memory;
      grow(slots_);
    }
    const std::uint32_t k = slots_.take();
    ++peer.slots;
    --peer.bulk.credits;
    slot = {slots_.buffers[k], slot_bytes_, to, k};
    return Busy::no;
  }

  bool send_slot(const Filled& f) {
    Operation& operation = slots_.operations[f.ticket];
    operation.peer = f.to;
    const ssize_t code =
        fi_tsenddata(endpoint_.get(), slots_.buffers[f.ticket], f.bytes, slots_.buffers.descriptor(f.ticket),
                     static_cast<std::uint64_t>(rank_), endpoint_[f.to], kBulkTag, &operation.context);
    if (code == -FI_EAGAIN) {
      owed_ = true;
      return false;
    }
    if (code != 0) lose(f.to, code, "fi_tsenddata");
    return true;
  }

  // ---- words ----

  void say(Rank to, Word word, std::uint32_t tag) {
    unsaid_.push_back({to, word, tag});
    owed_ = true;
    pay();
  }

  bool say_now(const Said& s) {
    const std::uint64_t h = header(Kind::word, {s.tag, static_cast<std::uint8_t>(s.word)}, rank_);
    const ssize_t code = fi_injectdata(endpoint_.get(), nullptr, 0, h, endpoint_[s.to]);
    if (code == -FI_EAGAIN) return false;
    if (code != 0) lose(s.to, code, "fi_injectdata");
    return true;
  }

  // The last word, whose leaving is awaited.
  void say_bye(Rank to) {
    bye_operations_.push_back({.what = Operation::What::bye, .peer = to});
    const std::uint64_t h = header(Kind::word, {0, static_cast<std::uint8_t>(Word::bye)}, rank_);
    const Timer timer;
    until(
        timer,
        [&] {
          const ssize_t code =
              fi_senddata(endpoint_.get(), nullptr, 0, nullptr, h, endpoint_[to], &bye_operations_.back().context);
          if (code != 0 && code != -FI_EAGAIN) lose(to, code, "fi_senddata");
          return code == 0;
        },
        "room to say goodbye to");
    ++byes_sending_;
  }

  // First use of a peer: it will promise memory, and answer.
  void greet(Rank to) {
    Peer& peer = peer_of(to);
    if (peer.greeted) return;
    peer.greeted = true;
    listen(to);
    say(to, Word::hello, 0);
  }

  void listen(Rank to) {
    if (std::exchange(peer_of(to).listening, true)) return;
    add_small(kWords);
  }

  void give_back(Rank to, Window& window, Word word) {
    if (++window.released < (window.size + 1) / 2) return;
    say(to, word, static_cast<std::uint32_t>(std::exchange(window.released, 0)));
  }

  void hear(Rank from, Note note) {
    Peer& peer = peer_of(from);
    const auto n = static_cast<std::int32_t>(note.tag);
    switch (static_cast<Word>(note.type)) {
      case Word::hello:
        listen(from);
        peer.message.size = message_window_;
        peer.control.size = kControlWindow;
        add_small(message_window_ + kControlWindow);
        return say(from, Word::grant, static_cast<std::uint32_t>(message_window_));
      case Word::grant:
        peer.message.credits += n;
        peer.control.credits += kControlWindow;
        return;
      case Word::want_bulk:
        listen(from);
        return grant_bulk(from);
      case Word::grant_bulk:
      case Word::credit_bulk:
        peer.bulk.credits += n;
        return;
      case Word::credit_message:
        peer.message.credits += n;
        return;
      case Word::credit_control:
        peer.control.credits += n;
        return;
      case Word::landed:
        // Said in place of a control packet.
        give_back(from, peer.control, Word::credit_control);
        return land(note.tag);
      case Word::abort:
        _exit(n);
      case Word::bye:
        peer.said_bye = true;
        ++byes_;
    }
  }
  void grant_bulk(Rank from) {
    std::int32_t window = slots_per_peer_;
    // Whole blocks are taken; beyond the budget a peer gets two.
    if (memory_bytes() + bulk_.buffers.growth_bytes() > budget_bytes_) window = std::min(window, 2);
    for (std::int32_t i = 0; i < window; ++i) {
      if (bulk_.free.empty()) grow(bulk_);
      post_bulk(bulk_.take());
    }
    peer_of(from).bulk.size = window;
    say(from, Word::grant_bulk, static_cast<std::uint32_t>(window));
  }

  // ---- puts ----

  void drive_puts() {
    for (auto it = puts_.begin(); it != puts_.end();) {
      Put& put = it->second;
      while (put.posted < put.bytes && put.in_flight < kPiecesInFlight && post_piece(put)) {
      }
      if (put.posted == put.bytes && put.in_flight == 0 && say_landed(put)) {
        queue(end_of_put(Packet::What::put_sent, put.to, put.token));
        it = puts_.erase(it);
      } else {
        // With pieces on their way its completion drives it on.
        owed_ = owed_ || put.in_flight == 0;
        ++it;
      }
    }
  }

  bool post_piece(Put& put) {
    const bool whole = put.bytes <= kPiece;
    const std::size_t bytes = std::min(kPiece, put.bytes - put.posted);
    const iovec local{const_cast<std::byte*>(put.source) + put.posted, bytes};
    const fi_rma_iov remote{put.address + put.posted, bytes, put.key};
    void* descriptor = put.memory.descriptor();
    Operation& operation = put.operations[put.free.back()];
    fi_msg_rma message{};
    message.msg_iov = &local;
    message.desc = &descriptor;
    message.iov_count = 1;
    message.addr = endpoint_[put.to];
    message.rma_iov = &remote;
    message.rma_iov_count = 1;
    message.context = &operation.context;
    message.data = header(Kind::word, {put.landing, static_cast<std::uint8_t>(Word::landed)}, rank_);
    const ssize_t code =
        fi_writemsg(endpoint_.get(), &message, FI_COMPLETION | (whole ? FI_REMOTE_CQ_DATA : FI_DELIVERY_COMPLETE));
    if (code == -FI_EAGAIN) {
      owed_ = true;
      return false;
    }
    if (code != 0) lose(put.to, code, "fi_writemsg");
    put.free.pop_back();
    put.posted += bytes;
    ++put.in_flight;
    put.said = whole;
    return true;
  }

  bool say_landed(Put& put) {
    if (put.said) return true;
    Window& window = peer_of(put.to).control;
    if (window.credits == 0 || !say_now({put.to, Word::landed, put.landing})) return false;
    --window.credits;
    return put.said = true;
  }

  void land(std::uint32_t number) {
    const auto found = exposed_.find(number);
    if (found == exposed_.end()) return;
    queue(end_of_put(Packet::What::put_landed, found->second.from, found->second.token));
    exposed_.erase(found);
  }

  // ---- receiving ----

  void add_small(int count) {
    for (int i = 0; i < count; ++i) {
      if (small_.free.empty()) grow(small_);
      post_small(small_.take());
    }
  }

  // Beyond what the provider takes, receives wait for others to be used up.
  void post_small(std::uint32_t k) {
    if (posted_small_ >= most_posted_) {
      unposted_small_.push_back(k);
      return;
    }
    const ssize_t code = fi_recv(endpoint_.get(), small_.buffers[k], message_bytes_, small_.buffers.descriptor(k),
                                 FI_ADDR_UNSPEC, &small_.operations[k].context);
    if (code == -FI_EAGAIN) {
      unposted_small_.push_back(k);
      owed_ = true;
      return;
    }
    call(code, "fi_recv");
    ++posted_small_;
  }

  void post_bulk(std::uint32_t k) {
    if (posted_bulk_ >= most_posted_ / 2) {
      unposted_bulk_.push_back(k);
      return;
    }
    const ssize_t code = fi_trecv(endpoint_.get(), bulk_.buffers[k], slot_bytes_, bulk_.buffers.descriptor(k),
                                  FI_ADDR_UNSPEC, kBulkTag, 0, &bulk_.operations[k].context);
    if (code == -FI_EAGAIN) {
      unposted_bulk_.push_back(k);
      owed_ = true;
      return;
    }
    call(code, "fi_trecv");
    ++posted_bulk_;
  }

  void used_small() {
    --posted_small_;
    if (unposted_small_.empty()) return;
    const std::uint32_t k = unposted_small_.front();
    unposted_small_.pop_front();
    post_small(k);
  }
  void used_bulk() {
    --posted_bulk_;
    if (unposted_bulk_.empty()) return;
    const std::uint32_t k = unposted_bulk_.front();
    unposted_bulk_.pop_front();
    post_bulk(k);
  }

  // One completion; true if it is a packet.
  bool digest(const fi_cq_tagged_entry& entry, Packet& packet) {
    if (entry.flags & FI_REMOTE_WRITE) {
      land(note_of(entry.data).tag);
      return false;
    }
    auto& operation = *static_cast<Operation*>(entry.op_context);
    const std::uint32_t k = operation.number;
    switch (operation.what) {
      case Operation::What::small_receive:
        used_small();
        return digest_small(entry, k, packet);
      case Operation::What::bulk_receive:
        used_bulk();
        packet = {.data = bulk_.buffers[k],
                  .bytes = entry.len,
                  .from = static_cast<Rank>(entry.data),
                  .ticket = k,
                  .what = Packet::What::bulk,
                  .note = {}};
        return true;
      case Operation::What::bounce:
        --unfinished_;
        bounces_.free.push_back(k);
        return false;
      case Operation::What::slot:
        --unfinished_;
        --peer_of(operation.peer).slots;
        slots_.free.push_back(k);
        return false;
      case Operation::What::piece: {
        Put& put = puts_.at(k);
        put.free.push_back(static_cast<std::size_t>(&operation - put.operations.data()));
        --put.in_flight;
        owed_ = true;
        return false;
      }
      case Operation::What::bye:
        --byes_sending_;
        return false;
    }
    return false;
  }

  bool digest_small(const fi_cq_tagged_entry& entry, std::uint32_t k, Packet& packet) {
    const Rank from = source_of(entry.data);
    const Note note = note_of(entry.data);
    switch (kind_of(entry.data)) {
      case Kind::message:
        packet = {.data = small_.buffers[k],
                  .bytes = entry.len,
                  .from = from,
                  .ticket = k,
                  .what = Packet::What::message,
                  .note = note};
        return true;
      case Kind::control: {
        if (control_free_.empty()) {
          control_free_.push_back(static_cast<std::uint32_t>(control_.size()));
          control_.emplace_back();
          note_memory();
        }
        const std::uint32_t copy = control_free_.back();
        control_free_.pop_back();
        std::memcpy(control_[copy].bytes.data(), small_.buffers[k], entry.len);
        post_small(k);
        packet = {.data = control_[copy].bytes.data(),
                  .bytes = entry.len,
                  .from = from,
                  .ticket = copy,
                  .what = Packet::What::control,
                  .note = note};
        return true;
      }
      default:
        post_small(k);
        hear(from, note);
        return false;
    }
  }

  static Packet end_of_put(Packet::What what, Rank other, std::uint64_t token) {
    Packet packet;
    packet.what = what;
    packet.from = other;
    packet.token = token;
    return packet;
  }

  static bool wants(TrafficSet wanted, const Packet& packet) {
    switch (packet.what) {
      case Packet::What::bulk:
        return contains(wanted, Traffic::bulk);
      case Packet::What::message:
        return contains(wanted, Traffic::message);
      case Packet::What::control:
        return contains(wanted, Traffic::control);
      default:
        return true;
    }
  }

  void queue(const Packet& packet) {
    queues_[static_cast<std::size_t>(packet.what)].push_back(packet);
    ++queued_;
  }

  std::size_t take_queued(std::span<Packet> packets, TrafficSet wanted) {
    std::size_t n = 0;
    // From the back: what frees memory goes first.
    for (auto q = queues_.rbegin(); q != queues_.rend(); ++q)
      while (n < packets.size() && !q->empty() && wants(wanted, q->front())) {
        packets[n++] = q->front();
        q->pop_front();
        --queued_;
      }
    return n;
  }

  // Reads the completion queue into the queues here; true if there was something.
  bool progress() {
    std::array<fi_cq_tagged_entry, kBatch> entries;
    const ssize_t got = fi_cq_read(endpoint_.queue(), entries.data(), entries.size());
    if (got < 0 && got != -FI_EAGAIN) fail(got);
    for (ssize_t i = 0; i < got; ++i) {
      Packet packet;
      if (digest(entries[static_cast<std::size_t>(i)], packet)) queue(packet);
    }
    if (owed_) pay();
    return got > 0;
  }

  // What the provider has refused so far, as far as it goes now.
  void pay() {
    owed_ = false;
    while (!unsaid_.empty() && say_now(unsaid_.front())) unsaid_.pop_front();
    while (!unsent_.empty() && send_slot(unsent_.front())) unsent_.pop_front();
    if (!puts_.empty()) drive_puts();
    for (std::size_t n = unposted_small_.size(); n > 0 && posted_small_ < most_posted_; --n) {
      const std::uint32_t k = unposted_small_.front();
      unposted_small_.pop_front();
      post_small(k);
    }
    for (std::size_t n = unposted_bulk_.size(); n > 0 && posted_bulk_ < most_posted_ / 2; --n) {
      const std::uint32_t k = unposted_bulk_.front();
      unposted_bulk_.pop_front();
      post_bulk(k);
    }
    owed_ = owed_ || !unsaid_.empty() || !unsent_.empty();
  }

  // ---- waiting ----

  bool found(TrafficSet wanted) {
    while (progress()) {
    }
    return std::any_of(queues_.begin(), queues_.end(),
                       [&](const auto& q) { return !q.empty() && wants(wanted, q.front()); });
  }

  bool wait_by_file(double timeout_s, TrafficSet wanted) {
    const Timer timer;
    for (bool rung = false;;) {
      double limit_s = 0;
      bool armed = false;
      if (lock_.try_lock()) {
        std::lock_guard hold(lock_, std::adopt_lock);
        if (found(wanted)) return true;
        fid* queue = &endpoint_.queue()->fid;
        // One that rang for nothing (a word, `net` at any time) is left alone for a nap.
        armed = !rung && fi_trywait(domain_.fabric.get(), &queue, 1) == 0;
        limit_s = armed && !owed_ ? 3600 : kNap_s;
      } else {
        limit_s = kNap_s;
      }
      const double left_s = timeout_s - timer.seconds();
      if (left_s <= 0) return false;
      limit_s = std::min(limit_s, left_s);
      std::array<pollfd, 2> files{{{wake_file_, POLLIN, 0}, {endpoint_.file(), POLLIN, 0}}};
      const auto whole_s = static_cast<time_t>(limit_s);
      const timespec limit{whole_s, static_cast<long>((limit_s - static_cast<double>(whole_s)) * 1e9)};
      rung = ppoll(files.data(), armed ? 2 : 1, &limit, nullptr) > 0;
      if (files[0].revents == 0) continue;
      std::uint64_t wakes = 0;
      // Another thread may have read them before.
      [[maybe_unused]] const auto got = read(wake_file_, &wakes, sizeof wakes);
      return true;
    }
  }

  bool wait_by_naps(double timeout_s, TrafficSet wanted, std::uint32_t seen) {
    const Timer timer;
    // Naps grow: a short wait costs little delay, a long one little of the core that another rank may need.
    for (double nap_s = 10e-6;; nap_s = std::min(2 * nap_s, 250e-6)) {
      if (lock_.try_lock()) {
        std::lock_guard hold(lock_, std::adopt_lock);
        if (found(wanted)) return true;
      }
      const double left_s = timeout_s - timer.seconds();
      if (left_s <= 0) return false;
      const timespec limit{0, static_cast<long>(std::min(nap_s, left_s) * 1e9)};
      syscall(SYS_futex, &wakes_, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
      if (wakes_.load(std::memory_order_acquire) != seen) return true;
    }
  }

  // For what is certain to come unless a peer is gone.
  template <class Done>
  void until(const Timer& timer, Done&& done, const char* what) {
    for (Backoff backoff; !done();) {
      if (progress() || backoff.pause()) continue;
      backoff.reset();
      if (timer.seconds() > kClose_s) {
        Rank missing = 0;
        for (Rank r = 0; r < size_; ++r)
          if (r != rank_ && !peer_of(r).said_bye && (rank_ == 0 || r == 0)) missing = r;
        throw TransportError(
            fmt::format("rank {} has waited {} s for {} rank {} (it has ended, or hangs). Look at its "
                        "messages.",
                        rank_, kClose_s, what, missing));
      }
    }
  }

  // ---- errors ----

  [[noreturn]] void lose(Rank peer, long code, const char* what) {
    throw TransportError(fmt::format("rank {} lost rank {}: {}: {} (by {}). Look at that rank's messages.", rank_, peer,
                                     what, fi_strerror(static_cast<int>(-code)), provider()));
  }

  [[noreturn]] void fail(ssize_t code) {
    if (code != -FI_EAVAIL) call(code, "fi_cq_read");
    fi_cq_err_entry error{};
    call(fi_cq_readerr(endpoint_.queue(), &error, 0), "fi_cq_readerr");
    const auto* operation = static_cast<const Operation*>(error.op_context);
    if (operation && operation->peer >= 0) lose(operation->peer, -error.err, "a send did not complete");
    throw TransportError(fmt::format("rank {}: a receive failed: {} (by {}). Look at the other ranks' messages.", rank_,
                                     fi_strerror(error.err), provider()));
  }

  // ---- memory ----

  void grow(Pool& pool) {
    pool.grow(endpoint_.get(), next_key_++);
    note_memory();
  }
  void note_memory() {
    memory_bytes_.store(small_.buffers.bytes() + bulk_.buffers.bytes() + bounces_.buffers.bytes() +
                            slots_.buffers.bytes() + control_.size() * sizeof(ControlCopy),
                        std::memory_order_relaxed);
  }

  // ---- addresses, measuring ----

  static std::string hex(const std::string& bytes) {
    std::string out;
    for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return out;
  }
  static std::vector<std::string> from_hex(const std::vector<std::string>& texts) {
    std::vector<std::string> out;
    for (const std::string& text : texts) {
      std::string& bytes = out.emplace_back();
      for (std::size_t at = 0; at + 1 < text.size(); at += 2)
        bytes += static_cast<char>(std::stoi(text.substr(at, 2), nullptr, 16));
    }
    return out;
  }

  template <class Loop>
  double raw(Loop&& loop) {
    check(size_ > 1, "a raw loop needs two ranks (there is one). Start with --ranks 2.");
    Endpoint endpoint(domain_, Endpoint::Sleep::by_file);
    endpoint.know(from_hex(bootstrap_->gather(hex(endpoint.address()))));
    const double result = rank_ < 2 ? loop(endpoint) : 0;
    bootstrap_->gather("");
    return rank_ == 0 ? result : 0;
  }

  const std::shared_ptr<Bootstrap> bootstrap_;
  const Rank rank_, size_;
  const std::vector<int> nodes_;
  const std::size_t slot_bytes_, message_bytes_;
  const std::int32_t slots_per_peer_;
  const std::size_t budget_bytes_;
  std::int32_t message_window_ = 0;
  std::atomic<std::size_t> memory_bytes_{0};
  std::atomic<std::uint32_t> wakes_{0};

  // The endpoint closes before the memory that it may write, the domain after both.
  const Domain domain_;
  const std::size_t inject_bytes_;
  const std::size_t most_posted_;  // small receives; of bulk half as many
  Pool small_, bulk_, bounces_, slots_;
  Endpoint endpoint_;
  const int wake_file_;

  alignas(64) SpinLock lock_;
  std::vector<Peer> peers_;
  std::size_t queued_ = 0;
  bool owed_ = false;  // pay() has something to do
  bool closed_ = false;
  std::size_t posted_small_ = 0, posted_bulk_ = 0;
  std::int64_t unfinished_ = 0;               // sends whose memory the provider still has
  std::array<std::deque<Packet>, 5> queues_;  // [what]: found, not wanted yet
  std::deque<std::uint32_t> unposted_small_, unposted_bulk_;
  std::deque<ControlCopy> control_;
  std::vector<std::uint32_t> control_free_;
  std::deque<Said> unsaid_;
  std::deque<Filled> unsent_;
  std::map<std::uint32_t, Exposed> exposed_;
  std::map<std::uint32_t, Put> puts_;
  std::deque<Operation> bye_operations_;
  std::uint32_t next_landing_ = 0, next_put_ = 0;
  std::uint64_t next_key_ = 1;
  Rank byes_ = 0, byes_sending_ = 0;
};

}  // namespace

std::unique_ptr<OfiFabric> make_rdm_fabric(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap, Info info,
                                           std::vector<int> nodes) {
  return std::make_unique<RdmFabric>(options, std::move(bootstrap), std::move(info), std::move(nodes));
}

}  // namespace atl::ofi
