// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atoll/base/array.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/random.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/inproc.hpp>
#include <atomic>
#include <mutex>

namespace atl {

std::string_view name_of(Busy reason) {
  switch (reason) {
    case Busy::no:
      return "not busy";
    case Busy::no_slot:
      return "no slot";
    case Busy::no_memory:
      return "no memory";
    case Busy::lock:
      return "lock";
    case Busy::reserved:
      return "reserved";
  }
  return "?";
}

namespace {

// Control word of a slot. A sender takes a free one, fills the slot and stores kFull + bytes; the receiver
// marks it kTaken while a handler reads, and frees it after. Slots are taken in any order, so that a thread that
// holds a half-filled slot stops nobody.
constexpr std::uint32_t kFree = 0, kHeld = 1, kTaken = 2, kFull = 3;

// All slots of one ordered pair of ranks.
struct Pair {
  Pair(int slots, std::size_t slot_bytes)
      : control(static_cast<std::size_t>(slots)),
        stride(slot_bytes + kSkew),
        memory(static_cast<std::size_t>(slots) * stride) {}
  std::byte* slot(std::uint32_t k) { return memory.data() + k * stride; }

  // Slots of a power of two apart fall on the same cache sets; measured 3-5 times slower.
  static constexpr std::size_t kSkew = 256;
  std::vector<std::atomic<std::uint32_t>> control;
  std::size_t stride;
  Array<std::byte> memory;
};

// What one rank waits on. The count of publications is a futex; it is rung only when the rank sleeps.
struct alignas(64) Bell {
  std::atomic<std::uint32_t> count{0};
  std::atomic<int> sleepers{0};

  void ring() {
    count.fetch_add(1, std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_seq_cst) > 0)
      syscall(SYS_futex, &count, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
  }
  void sleep(std::uint32_t seen, double timeout_s) {
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    timespec limit{static_cast<time_t>(timeout_s),
                   static_cast<long>((timeout_s - static_cast<double>(static_cast<time_t>(timeout_s))) * 1e9)};
    if (count.load(std::memory_order_seq_cst) == seen)
      syscall(SYS_futex, &count, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
    sleepers.fetch_sub(1, std::memory_order_seq_cst);
  }
};

struct Hub {
  explicit Hub(const InprocOptions& o)
      : options(o),
        pairs(static_cast<std::size_t>(o.ranks) * static_cast<std::size_t>(o.ranks)),
        bells(static_cast<std::size_t>(o.ranks)) {}
  ~Hub() {
    for (auto& p : pairs) delete p.load();
  }
  std::atomic<Pair*>& pair(Rank from, Rank to) {
    return pairs[static_cast<std::size_t>(to) * static_cast<std::size_t>(options.ranks) +
                 static_cast<std::size_t>(from)];
  }
  Pair& need(Rank from, Rank to) {
    auto& at = pair(from, to);
    if (Pair* p = at.load(std::memory_order_acquire)) return *p;
    auto fresh = std::make_unique<Pair>(options.slots_per_peer, options.slot_bytes);
    Pair* expected = nullptr;
    if (at.compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
    return *expected;
  }

  const InprocOptions options;
  std::vector<std::atomic<Pair*>> pairs;  // [to][from]
  std::vector<Bell> bells;
};

class Inproc final : public Fabric {
 public:
  Inproc(std::shared_ptr<Hub> hub, Rank rank)
      : hub_(std::move(hub)),
        rank_(rank),
        bell_(hub_->bells[static_cast<std::size_t>(rank)]),
        random_(random_at(hub_->options.shuffle_seed, static_cast<std::uint64_t>(rank))) {}

  std::string_view name() const override { return "inproc"; }
  Rank rank() const override { return rank_; }
  Rank size() const override { return hub_->options.ranks; }
  int node_of(Rank rank) const override {
    const auto& nodes = hub_->options.nodes;
    return nodes.empty() ? 0 : nodes[static_cast<std::size_t>(rank)];
  }
  std::size_t slot_bytes() const override { return hub_->options.slot_bytes; }
  std::size_t memory_bytes() const override {
    std::size_t bytes = 0;
    for (Rank to = 0; to < size(); ++to)
      if (const Pair* p = hub_->pair(rank_, to).load(std::memory_order_acquire)) bytes += p->memory.size();
    return bytes;
  }

  Busy acquire(Rank to, Slot& slot) override {
    Pair& pair = hub_->need(rank_, to);
    for (std::uint32_t k = 0; k < pair.control.size(); ++k) {
      std::uint32_t expected = kFree;
      if (pair.control[k].load(std::memory_order_relaxed) != kFree) continue;
      if (!pair.control[k].compare_exchange_strong(expected, kHeld, std::memory_order_acquire)) continue;
      slot = {pair.slot(k), hub_->options.slot_bytes, to, k};
      return Busy::no;
    }
    return Busy::no_slot;
  }

  void publish(const Slot& slot, std::size_t bytes) override {
    ATOLL_ASSERT(bytes > 0 && bytes <= slot.capacity);
    hub_->pair(rank_, slot.to)
        .load(std::memory_order_relaxed)
        ->control[slot.ticket]
        .store(kFull + static_cast<std::uint32_t>(bytes), std::memory_order_release);
    hub_->bells[static_cast<std::size_t>(slot.to)].ring();
  }

  void abandon(const Slot& slot) override {
    hub_->pair(rank_, slot.to)
        .load(std::memory_order_relaxed)
        ->control[slot.ticket]
        .store(kFree, std::memory_order_release);
  }

  int poll(std::span<Packet> packets) override {
    // Unless something was published since the last scan that found nothing, there is nothing to find.
    const std::uint32_t count = bell_.count.load(std::memory_order_acquire);
    if (count == quiet_at_.load(std::memory_order_relaxed)) return 0;
    if (!scan_.try_lock()) return 0;
    std::lock_guard hold(scan_, std::adopt_lock);
    const bool shuffled = hub_->options.shuffle_seed != 0;
    const Rank ranks = size();
    std::size_t n = 0;
    bool left = false;
    const Rank first = shuffled ? static_cast<Rank>(random_.below(static_cast<std::uint64_t>(ranks))) : next_from_;
    for (Rank i = 0; i < ranks && n < packets.size(); ++i) {
      const Rank from = (first + i) % ranks;
      Pair* pair = hub_->pair(from, rank_).load(std::memory_order_acquire);
      if (!pair) continue;
      const auto slots = static_cast<std::uint32_t>(pair->control.size());
      const std::uint32_t start = shuffled ? static_cast<std::uint32_t>(random_.below(slots)) : 0;
      for (std::uint32_t j = 0; j < slots; ++j) {
        const std::uint32_t k = (start + j) % slots;
        const std::uint32_t word = pair->control[k].load(std::memory_order_acquire);
        if (word < kFull) continue;
        if (n == packets.size() || (shuffled && (random_() & 1))) {
          left = true;
          continue;
        }
        pair->control[k].store(kTaken, std::memory_order_relaxed);
        packets[n++] = {pair->slot(k), word - kFull, from, k};
      }
      if (n == packets.size()) next_from_ = from;
    }
    if (n == 0 && !left) quiet_at_.store(count, std::memory_order_relaxed);
    return static_cast<int>(n);
  }

  void release(const Packet& packet) override {
    hub_->pair(packet.from, rank_)
        .load(std::memory_order_relaxed)
        ->control[packet.ticket]
        .store(kFree, std::memory_order_release);
    // A sender that found no slot waits on its own bell.
    Bell& bell = hub_->bells[static_cast<std::size_t>(packet.from)];
    if (bell.sleepers.load(std::memory_order_seq_cst) > 0) bell.ring();
  }

  bool wait(double timeout_s) override {
    const std::uint32_t seen = bell_.count.load(std::memory_order_acquire);
    if (seen != quiet_at_.load(std::memory_order_relaxed)) return true;
    bell_.sleep(seen, timeout_s);
    return bell_.count.load(std::memory_order_acquire) != seen;
  }

  void wake() override { bell_.ring(); }
  void abort(int) noexcept override {}
  void close() override {}

 private:
  std::shared_ptr<Hub> hub_;
  const Rank rank_;
  Bell& bell_;
  SpinLock scan_;  // one thread scans at a time; handlers run outside it
  Rank next_from_ = 0;
  Random random_;
  std::atomic<std::uint32_t> quiet_at_{0};
};

}  // namespace

std::vector<std::unique_ptr<Fabric>> make_inproc(const InprocOptions& options) {
  check(options.ranks >= 1, "{} ranks (at least 1). Give --ranks 1 or more.", options.ranks);
  check(options.slots_per_peer >= 1 && options.slots_per_peer <= 64,
        "slots_per_peer is {} (1 to 64 are possible). Change it in the plan.", options.slots_per_peer);
  check(options.slot_bytes >= 128 && options.slot_bytes % 64 == 0,
        "slot_bytes is {} (a multiple of 64 from 128 on is needed). Change it in the plan.", options.slot_bytes);
  auto hub = std::make_shared<Hub>(options);
  std::vector<std::unique_ptr<Fabric>> fabrics;
  for (Rank r = 0; r < options.ranks; ++r) fabrics.push_back(std::make_unique<Inproc>(hub, r));
  return fabrics;
}

}  // namespace atl
