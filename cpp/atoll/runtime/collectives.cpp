// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/collectives.hpp>
#include <atoll/runtime/world.hpp>

namespace atl {

// Bytes that have been received, or are expected, by (from, tag). Small and short-lived: linear search.
struct Collectives::Inbox {
  SpinLock lock;
  std::vector<Expected*> expected;
  std::vector<Unexpected> early;  // before receive() was called
};

void Collectives::open() {
  inbox_ = std::make_shared<Inbox>();
  channel_ = world_.open_channel(&Collectives::deliver, this);
}

void Collectives::shut() { world_.close_channel(channel_); }

Rank Collectives::ranks() const { return world_.size(); }

void Collectives::deliver(void* self, Rank from, std::uint32_t, const std::byte* data, std::size_t bytes) {
  auto& inbox = *static_cast<Collectives*>(self)->inbox_;
  Chunk chunk;
  std::memcpy(&chunk, data, sizeof chunk);
  data += sizeof chunk;
  bytes -= sizeof chunk;
  std::lock_guard hold(inbox.lock);
  for (Expected* e : inbox.expected) {
    if (e->from != from || e->tag != chunk.tag) continue;
    std::memcpy(e->into + chunk.offset, data, bytes);
    std::atomic_ref(e->left).fetch_sub(bytes, std::memory_order_release);
    return;
  }
  inbox.early.push_back({from, chunk, std::vector<std::byte>(data, data + bytes)});
}

void Collectives::send(Rank to, std::uint64_t tag, std::span<const std::byte> bytes) {
  // A message without bytes still arrives, as one empty chunk, only where receive() waits for bytes: none.
  for (std::size_t offset = 0; offset < bytes.size();) {
    Slot slot;
    world_.wait_until("send: a slot to the peer", [&] { return world_.acquire(to, slot) == Busy::no; });
    const std::size_t n = std::min(bytes.size() - offset, slot.capacity - sizeof(Chunk));
    const Chunk chunk{tag, offset};
    std::memcpy(slot.data, &chunk, sizeof chunk);
    std::memcpy(slot.data + sizeof chunk, bytes.data() + offset, n);
    world_.publish(channel_, slot, sizeof chunk + n);
    offset += n;
  }
}

namespace {

// Announces a receive and takes what has come before it; withdraws it at the end, also when a wait throws.
template <class Inbox, class Expected>
class Announce {
 public:
  Announce(Inbox& inbox, Expected& e) : inbox_(inbox), expected_(e) {
    std::lock_guard hold(inbox.lock);
    inbox.expected.push_back(&e);
    std::erase_if(inbox.early, [&](const auto& early) {
      if (early.from != e.from || early.chunk.tag != e.tag) return false;
      std::memcpy(e.into + early.chunk.offset, early.bytes.data(), early.bytes.size());
      e.left -= early.bytes.size();
      return true;
    });
  }
  ~Announce() {
    std::lock_guard hold(inbox_.lock);
    std::erase(inbox_.expected, &expected_);
  }

 private:
  Inbox& inbox_;
  Expected& expected_;
};

}  // namespace

void Collectives::receive(Rank from, std::uint64_t tag, std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  Expected e{from, tag, bytes.data(), bytes.size()};
  Announce announce(*inbox_, e);
  world_.wait_until("receive", [&] { return std::atomic_ref(e.left).load(std::memory_order_acquire) == 0; });
}

// Bruck's all-gather: in round k a rank has 2^k blocks (its own and its successors') and gets as many more.
void Collectives::all_gather_bytes(const std::byte* mine, std::size_t bytes, std::byte* all) {
  const auto p = static_cast<std::size_t>(ranks()), me = static_cast<std::size_t>(world_.rank());
  if (p == 1) {
    std::memcpy(all, mine, bytes);
    return;
  }
  const std::uint64_t first_tag = tag_ + 1;
  tag_ += 64;  // one tag a round
  constexpr std::size_t kOnStack = 1024;
  std::byte small[kOnStack];
  std::vector<std::byte> large;
  std::byte* blocks = small;
  if (p * bytes > kOnStack) {
    large.resize(p * bytes);
    blocks = large.data();
  }
  std::memcpy(blocks, mine, bytes);
  std::uint64_t round = 0;
  for (std::size_t have = 1; have < p; ++round) {
    const std::size_t n = std::min(have, p - have);
    const auto to = static_cast<Rank>((me + p - have) % p), from = static_cast<Rank>((me + have) % p);
    Expected e{from, first_tag + round, blocks + have * bytes, n * bytes};
    Announce announce(*inbox_, e);
    send(to, first_tag + round, {blocks, n * bytes});
    world_.wait_until("all_gather", [&] { return std::atomic_ref(e.left).load(std::memory_order_acquire) == 0; });
    have += n;
  }
  // Block i is rank me + i's.
  for (std::size_t i = 0; i < p; ++i) std::memcpy(all + (me + i) % p * bytes, blocks + i * bytes, bytes);
}

void Collectives::barrier() { all_gather(char{0}); }

// Down a binomial tree rooted at `root`.
void Collectives::broadcast_bytes(std::span<std::byte> bytes, Rank root) {
  const std::uint64_t tag = next_tag();
  const Rank p = ranks(), me = (world_.rank() - root + p) % p;
  Rank bit = 1;
  while (bit < p && !(me & bit)) bit <<= 1;
  if (me != 0) receive((me - bit + root) % p, tag, bytes);
  for (Rank b = bit >> 1; b > 0; b >>= 1)
    if (me + b < p) send((me + b + root) % p, tag, bytes);
}

// Everyone to everyone directly, starting with the right-hand neighbour so that no rank is flooded.
void Collectives::exchange_bytes(const std::vector<std::span<const std::byte>>& outgoing,
                                 const std::vector<std::span<std::byte>>& incoming) {
  const std::uint64_t tag = next_tag();
  const Rank p = ranks(), me = world_.rank();
  std::deque<Expected> expected;
  std::deque<Announce<Inbox, Expected>> announced;
  for (Rank r = 0; r < p; ++r) {
    const auto& in = incoming[static_cast<std::size_t>(r)];
    if (r == me || in.empty()) continue;
    expected.push_back({r, tag, in.data(), in.size()});
    announced.emplace_back(*inbox_, expected.back());
  }
  if (const auto& own = outgoing[static_cast<std::size_t>(me)]; !own.empty())
    std::memcpy(incoming[static_cast<std::size_t>(me)].data(), own.data(), own.size());
  for (Rank i = 1; i < p; ++i) {
    const Rank to = (me + i) % p;
    send(to, tag, outgoing[static_cast<std::size_t>(to)]);
  }
  world_.wait_until("exchange", [&] {
    return std::all_of(expected.begin(), expected.end(),
                       [](Expected& e) { return std::atomic_ref(e.left).load(std::memory_order_acquire) == 0; });
  });
}

void Collectives::all_gather_varying_bytes(std::span<const std::byte> mine, const std::vector<std::size_t>& offsets,
                                           std::byte* all) {
  const auto p = static_cast<std::size_t>(ranks());
  std::vector<std::span<const std::byte>> outgoing(p, mine);
  std::vector<std::span<std::byte>> incoming(p);
  for (std::size_t r = 0; r < p; ++r) incoming[r] = {all + offsets[r], offsets[r + 1] - offsets[r]};
  exchange_bytes(outgoing, incoming);
}

}  // namespace atl
