// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/aggregation/slot_fill_bytes.hpp>
#include <atoll/runtime/collectives.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <atoll/runtime/world.hpp>
#include <mutex>

namespace atl {

namespace {

// Up to this many ranks a direct exchange costs about as many messages as a few rounds of half of the numbers each, and
// one latency instead of several.
constexpr Rank kDirectUpTo = 64;

}  // namespace

struct Collectives::Expected {
  Rank from;
  std::uint64_t tag;
  std::byte* into;
  std::size_t left;
};

// One entry for the messages of all ranks. With one entry per sender, an exchange would search P entries P times.
struct Collectives::ExpectedFromAll {
  std::uint64_t tag;
  const std::vector<std::span<std::byte>>& into;  // [from]
  std::size_t left;
};

struct Collectives::Unexpected {
  Rank from;
  Chunk chunk;
  std::vector<std::byte> bytes;
};

// Expected messages, and bytes that arrived before they were expected, by tag (and sender). Few entries: linear search.
struct Collectives::Inbox {
  SpinLock lock;
  std::vector<Expected*> expected;
  std::vector<ExpectedFromAll*> from_all;
  std::vector<Unexpected> unexpected;
};

void Collectives::open() {
  inbox_ = std::make_shared<Inbox>();
  channel_ = world_.open_channel(&Collectives::deliver, this);
}

void Collectives::shut() { world_.close_channel(channel_); }

Rank Collectives::ranks() const { return world_.size(); }

bool Collectives::follows_tree() const { return world_.votes_by_tree(); }

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
  for (ExpectedFromAll* e : inbox.from_all) {
    if (e->tag != chunk.tag) continue;
    std::memcpy(e->into[from].data() + chunk.offset, data, bytes);
    std::atomic_ref(e->left).fetch_sub(bytes, std::memory_order_release);
    return;
  }
  inbox.unexpected.push_back({from, chunk, std::vector<std::byte>(data, data + bytes)});
}

void Collectives::send(Rank to, std::uint64_t tag, std::span<const std::byte> bytes) {
  const KeptStep step(traffic_, StepKind::send, static_cast<std::uint64_t>(to), tag, bytes.size());
  // An empty message sends nothing, and receive() does not wait for it.
  const std::size_t payload = slot_fill_bytes(world_, bytes.size()), part = payload - sizeof(Chunk);
  for (std::size_t offset = 0; offset < bytes.size();) {
    Slot slot;
    world_.wait_until("send: a slot to the peer",
                      [&] { return acquire_for_message(world_, to, payload, slot) == Busy::no; });
    const std::size_t n = std::min(bytes.size() - offset, part);
    const Chunk chunk{tag, offset};
    std::memcpy(slot.data, &chunk, sizeof chunk);
    std::memcpy(slot.data + sizeof chunk, bytes.data() + offset, n);
    world_.publish(channel_, slot, sizeof chunk + n);
    offset += n;
  }
}

namespace {

// Registers an expected message and takes the bytes that came before it. The destructor withdraws it, also when a wait
// throws.
template <class Inbox, class Expected>
class Announce {
 public:
  /// `into(unexpected)`: the memory for that message's bytes; null if it is another message.
  template <class Into>
  Announce(Inbox& inbox, std::vector<Expected*>& list, Expected& e, Into&& into)
      : inbox_(inbox), list_(list), expected_(e) {
    std::lock_guard hold(inbox.lock);
    list.push_back(&e);
    std::erase_if(inbox.unexpected, [&](const auto& unexpected) {
      std::byte* start = unexpected.chunk.tag == e.tag ? into(unexpected) : nullptr;
      if (!start) return false;
      std::memcpy(start + unexpected.chunk.offset, unexpected.bytes.data(), unexpected.bytes.size());
      e.left -= unexpected.bytes.size();
      return true;
    });
  }
  ~Announce() {
    std::lock_guard hold(inbox_.lock);
    std::erase(list_, &expected_);
  }
  Announce(const Announce&) = delete;
  Announce& operator=(const Announce&) = delete;

 private:
  Inbox& inbox_;
  std::vector<Expected*>& list_;
  Expected& expected_;
};

template <class Inbox, class Expected>
Announce<Inbox, Expected> announce(Inbox& inbox, Expected& e) {
  return {inbox, inbox.expected, e,
          [&](const auto& unexpected) { return unexpected.from == e.from ? e.into : nullptr; }};
}

template <class E>
bool complete(E& expected) {
  return std::atomic_ref(expected.left).load(std::memory_order_acquire) == 0;
}

}  // namespace

void Collectives::receive(Rank from, std::uint64_t tag, std::span<std::byte> bytes) {
  const KeptStep step(traffic_, StepKind::receive, static_cast<std::uint64_t>(from), tag, bytes.size());
  if (bytes.empty()) return;
  Expected e{from, tag, bytes.data(), bytes.size()};
  const auto announced = announce(*inbox_, e);
  world_.wait_until("receive", [&] { return complete(e); });
}

// Bruck's all-gather: in round k a rank holds 2^k blocks, its own and its successors', and receives as many more.
void Collectives::all_gather_bytes(const std::byte* mine, std::size_t bytes, std::byte* all) {
  const auto p = static_cast<std::size_t>(ranks()), me = static_cast<std::size_t>(world_.rank());
  if (p == 1) {
    std::memcpy(all, mine, bytes);
    return;
  }
  const std::uint64_t first_tag = tag_ + 1;
  tag_ += 64;  // one tag per round
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
    const auto announced = announce(*inbox_, e);
    send(to, first_tag + round, {blocks, n * bytes});
    world_.wait_until("all_gather", [&] { return complete(e); });
    have += n;
  }
  // Block i belongs to rank me + i.
  for (std::size_t i = 0; i < p; ++i) std::memcpy(all + (me + i) % p * bytes, blocks + i * bytes, bytes);
}

void Collectives::barrier() {
  fold(char{0}, [](char a, char) { return a; });
}

void Collectives::imitate_fold(std::size_t bytes) {
  if (ranks() == 1) return;
  if (folds_by_all_gather()) return imitate_all_gather(bytes);
  std::vector<std::byte> value(bytes);
  gather_bytes(value);
  hand_down(value);
}

void Collectives::imitate_all_gather(std::size_t bytes) {
  const std::vector<std::byte> mine(bytes);
  std::vector<std::byte> all(static_cast<std::size_t>(ranks()) * bytes);
  all_gather_bytes(mine.data(), bytes, all.data());
}

void Collectives::barrier_within(int level) {
  const Route& route = world_.route();
  const std::uint64_t up = next_tag(), down = next_tag();
  const Rank me = world_.rank();
  std::byte token{};
  int led = 0;  // the number of levels whose leader this rank is
  for (; led <= level && route.leader(led, me) == me; ++led)
    for (const Rank r : route.led(led, me)) receive(r, up, {&token, 1});
  if (led <= level) {
    send(route.leader(led, me), up, {&token, 1});
    receive(route.leader(led, me), down, {&token, 1});
  }
  while (led-- > 0)
    for (const Rank r : route.led(led, me)) send(r, down, {&token, 1});
}

std::vector<std::byte> Collectives::gather_bytes(std::span<const std::byte> mine) {
  const std::uint64_t tag = next_tag();
  const auto p = static_cast<std::size_t>(ranks()), me = static_cast<std::size_t>(world_.rank());
  std::vector<std::byte> blocks(mine.begin(), mine.end());
  const auto append_from = [&](Rank from, std::size_t n) {
    const std::size_t before = blocks.size();
    blocks.resize(before + n * mine.size());
    receive(from, tag, std::span(blocks).subspan(before));
  };
  if (!follows_tree()) {
    // Up a binomial tree: a rank sends its own block and those of the ranks after it.
    for (std::size_t bit = 1; bit < p; bit <<= 1) {
      if (me & bit) {
        send(static_cast<Rank>(me - bit), tag, blocks);
        return {};
      }
      if (me + bit < p) append_from(static_cast<Rank>(me + bit), std::min(bit, p - me - bit));
    }
    return blocks;
  }
  const Route& route = world_.route();
  const Rank rank = world_.rank();
  for (int level = 0; level < route.depth(); ++level) {
    if (const Rank leader = route.leader(level, rank); leader != rank) {
      send(leader, tag, blocks);
      return {};
    }
    for (const Rank r : route.led(level, rank)) append_from(r, level == 0 ? 1 : route.domain(level - 1, r).size());
  }
  std::vector<std::byte> in_rank_order(blocks.size());
  const std::span<const Rank> at = route.domain(route.depth() - 1, rank);
  for (std::size_t i = 0; i < p; ++i)
    std::memcpy(in_rank_order.data() + static_cast<std::size_t>(at[i]) * mine.size(), blocks.data() + i * mine.size(),
                mine.size());
  return in_rank_order;
}

void Collectives::hand_down(std::span<std::byte> bytes) {
  if (!follows_tree()) return broadcast_bytes(bytes, 0);
  const std::uint64_t tag = next_tag();
  const Route& route = world_.route();
  const Rank me = world_.rank();
  int led = 0;
  while (led < route.depth() && route.leader(led, me) == me) ++led;
  if (led < route.depth()) receive(route.leader(led, me), tag, bytes);
  while (led-- > 0)
    for (const Rank r : route.led(led, me)) send(r, tag, bytes);
}

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

// A direct exchange. Each rank starts with its right-hand neighbour, so that no rank is flooded.
void Collectives::exchange_bytes(const std::vector<std::span<const std::byte>>& outgoing,
                                 const std::vector<std::span<std::byte>>& incoming) {
  const KeptStep step(traffic_, outgoing);
  const std::uint64_t tag = next_tag();
  const Rank p = ranks(), me = world_.rank();
  ExpectedFromAll expected{tag, incoming, 0};
  for (Rank r = 0; r < p; ++r)
    if (r != me) expected.left += incoming[r].size();
  const Announce announced(*inbox_, inbox_->from_all, expected,
                           [&](const Unexpected& e) { return incoming[e.from].data(); });
  if (const auto& own = outgoing[me]; !own.empty()) std::memcpy(incoming[me].data(), own.data(), own.size());
  for (Rank i = 1; i < p; ++i) {
    const Rank to = (me + i) % p;
    send(to, tag, outgoing[to]);
  }
  world_.wait_until("exchange", [&] { return complete(expected); });
}

// Bruck's index algorithm: number i is for rank me + i at first, and from rank me - i in the end. Round k sends the
// numbers whose index has bit k to the rank 2^k further on. (J. Bruck et al., "Efficient algorithms for all-to-all
// communications in multiport message-passing systems", 1997.)
std::vector<Edge> Collectives::exchange_lengths(const std::vector<Edge>& outgoing) {
  const KeptStep step(traffic_, StepKind::exchange_lengths);
  const auto p = static_cast<std::size_t>(ranks()), me = static_cast<std::size_t>(world_.rank());
  std::vector<Edge> result(p);
  if (ranks() <= kDirectUpTo) {
    std::vector<std::span<const std::byte>> out(p);
    std::vector<std::span<std::byte>> in(p);
    for (std::size_t r = 0; r < p; ++r) {
      out[r] = std::as_bytes(std::span(&outgoing[r], 1));
      in[r] = std::as_writable_bytes(std::span(&result[r], 1));
    }
    exchange_bytes(out, in);
    return result;
  }
  std::vector<Edge> numbers(p), outgoing_numbers, incoming_numbers;
  for (std::size_t i = 0; i < p; ++i) numbers[i] = outgoing[(me + i) % p];
  for (std::size_t bit = 1; bit < p; bit <<= 1) {
    outgoing_numbers.clear();
    for (std::size_t i = bit; i < p; ++i)
      if (i & bit) outgoing_numbers.push_back(numbers[i]);
    incoming_numbers.resize(outgoing_numbers.size());
    const std::span into = std::as_writable_bytes(std::span(incoming_numbers));
    const std::uint64_t tag = next_tag();
    Expected e{static_cast<Rank>((me + p - bit) % p), tag, into.data(), into.size()};
    const auto announced = announce(*inbox_, e);
    send(static_cast<Rank>((me + bit) % p), tag, std::as_bytes(std::span(outgoing_numbers)));
    world_.wait_until("exchange of lengths", [&] { return complete(e); });
    for (std::size_t i = bit, k = 0; i < p; ++i)
      if (i & bit) numbers[i] = incoming_numbers[k++];
  }
  for (std::size_t i = 0; i < p; ++i) result[(me + p - i) % p] = numbers[i];
  return result;
}

// Bruck's all-gather with blocks of different lengths; long blocks go directly to every rank, without a copy.
void Collectives::all_gather_varying_bytes(std::span<const std::byte> mine, const std::vector<std::size_t>& offsets,
                                           std::byte* all) {
  const auto p = static_cast<std::size_t>(ranks()), me = static_cast<std::size_t>(world_.rank());
  if (ranks() <= kDirectUpTo || offsets.back() / p > world_.payload_bytes() / 2) {
    std::vector<std::span<const std::byte>> outgoing(p, mine);
    std::vector<std::span<std::byte>> incoming(p);
    for (std::size_t r = 0; r < p; ++r) incoming[r] = {all + offsets[r], offsets[r + 1] - offsets[r]};
    exchange_bytes(outgoing, incoming);
    return;
  }
  std::vector<std::size_t> starts(p + 1, 0);  // of the block of rank me + i
  for (std::size_t i = 0; i < p; ++i) {
    const std::size_t r = (me + i) % p;
    starts[i + 1] = starts[i] + offsets[r + 1] - offsets[r];
  }
  std::vector<std::byte> blocks(offsets.back());
  if (!mine.empty()) std::memcpy(blocks.data(), mine.data(), mine.size());
  for (std::size_t have = 1; have < p;) {
    const std::size_t n = std::min(have, p - have);
    const std::uint64_t tag = next_tag();
    Expected e{static_cast<Rank>((me + have) % p), tag, blocks.data() + starts[have], starts[have + n] - starts[have]};
    const auto announced = announce(*inbox_, e);
    send(static_cast<Rank>((me + p - have) % p), tag, {blocks.data(), starts[n]});
    world_.wait_until("all_gather", [&] { return complete(e); });
    have += n;
  }
  for (std::size_t i = 0; i < p; ++i)
    if (starts[i + 1] > starts[i])
      std::memcpy(all + offsets[(me + i) % p], blocks.data() + starts[i], starts[i + 1] - starts[i]);
}

}  // namespace atl
