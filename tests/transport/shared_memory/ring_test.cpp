// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/transport/shared_memory/ring.hpp>
#include <atoll/transport/shared_memory/shared_segment.hpp>
#include <deque>
#include <set>
#include <thread>
#include <vector>

using namespace atl;

namespace {

// Both ends of one ring of `bytes`.
struct Ring {
  explicit Ring(std::size_t bytes)
      : memory(SharedSegment::anonymous(RingMemory::bytes_for(bytes))),
        sender(reinterpret_cast<RingMemory*>(memory.data()), bytes),
        receiver(reinterpret_cast<RingMemory*>(memory.data()), bytes) {}

  SharedSegment memory;
  RingSender sender;
  RingReceiver receiver;
};

// The text of message `number`; almost no word is 0.
std::vector<std::byte> numbered_text(std::uint64_t number, std::size_t bytes) {
  std::vector<std::byte> text(bytes);
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<std::byte>(mix64(number) + i * 5 + 1);
  return text;
}

// Released memory is returned in eighths of the ring.
std::uint64_t lag(std::size_t bytes) { return std::max<std::uint64_t>(kCacheLine, bytes / 8); }

constexpr std::uint8_t kType = 0xa5;
Note note_of(std::uint64_t number) { return {static_cast<std::uint32_t>(mix64(number)), kType}; }

bool is(const RingMessage& m, std::uint64_t number, std::size_t bytes) {
  const auto text = numbered_text(number, bytes);
  return m.bytes == bytes && m.note == note_of(number) && std::equal(text.begin(), text.end(), m.data);
}

Busy push(RingSender& ring, std::uint64_t number, std::size_t bytes) {
  const auto text = numbered_text(number, bytes);
  return ring.push(note_of(number), text.data(), text.size());
}

// Lengths around those at which a message takes another line, as far as a ring of `ring_bytes` holds them.
std::vector<std::size_t> lengths_for(std::size_t ring_bytes) {
  const std::size_t most = ring::message_bytes(ring_bytes);
  std::set<std::size_t> all{0, 1, 7, 8, 9, most - 1, most};
  for (std::size_t edge = 56; edge <= most + 1; edge += 64)
    for (const std::size_t n : {edge - 1, edge, edge + 1})
      if (n <= most) all.insert(n);
  return {all.begin(), all.end()};
}

constexpr std::size_t kRings[] = {64, 128, 256, 512, 1024, 2048, 4096};

}  // namespace

TEST_CASE("a message of any length passes unchanged through a ring of any size, lap after lap") {
  for (const std::size_t bytes : kRings) {
    CAPTURE(bytes);
    Ring ring(bytes);
    const auto lengths = lengths_for(bytes);
    CHECK(lengths.back() + 8 <= std::max<std::size_t>(bytes / 4, kCacheLine));
    for (std::uint64_t number = 0; number < 40 * lengths.size(); ++number) {
      const std::size_t n = lengths[number % lengths.size()];
      RingMessage m{};
      CHECK(ring.receiver.empty());
      CHECK_FALSE(ring.receiver.next(m));
      REQUIRE(push(ring.sender, number, n) == Busy::no);
      CHECK_FALSE(ring.receiver.empty());
      REQUIRE(ring.receiver.next(m));
      CHECK(is(m, number, n));
      ring.receiver.release(m.ticket);
      ring.receiver.reclaim();
      CHECK(ring.receiver.held() < lag(bytes));
    }
  }
}

TEST_CASE("a full ring refuses messages, overwrites no held one, and accepts more after a release") {
  for (const std::size_t bytes : kRings) {
    CAPTURE(bytes);
    Ring ring(bytes);
    for (std::uint64_t lap = 0; lap < 5; ++lap) {
      std::vector<RingMessage> held;
      std::uint64_t sent = 0;
      while (push(ring.sender, lap * 1000 + sent, 20) == Busy::no) ++sent;
      CHECK(sent == bytes / kCacheLine);
      RingMessage m{};
      while (ring.receiver.next(m)) held.push_back(m);
      REQUIRE(held.size() == sent);
      CHECK(ring.receiver.held() == bytes);
      CHECK(ring.receiver.empty());  // all messages in it are held
      CHECK(push(ring.sender, 0, 0) == Busy::no_slot);
      for (std::uint64_t i = 0; i < sent; ++i) CHECK(is(held[i], lap * 1000 + i, 20));
      // In reverse order: nothing can be returned before the first.
      for (std::uint64_t i = sent; i-- > 1;) {
        ring.receiver.release(held[i].ticket);
        CHECK_FALSE(ring.receiver.reclaim());
      }
      CHECK(push(ring.sender, 0, 0) == Busy::no_slot);
      CHECK(is(held[0], lap * 1000, 20));
      ring.receiver.release(held[0].ticket);
      CHECK(ring.receiver.reclaim());
      CHECK(ring.receiver.held() == 0);
    }
  }
}

TEST_CASE(
    "only the front of a long ring is touched while its receiver keeps pace, and all of it once it falls behind") {
  constexpr std::size_t kBytes = 128 << 10;
  Ring ring(kBytes);
  const auto touched = [&] { return reinterpret_cast<RingMemory*>(ring.memory.data())->touched.load(); };
  std::uint64_t number = 0;
  const auto pass = [&](std::size_t bytes) {
    REQUIRE(push(ring.sender, number, bytes) == Busy::no);
    RingMessage m{};
    REQUIRE(ring.receiver.next(m));
    CHECK(is(m, number++, bytes));
    ring.receiver.release(m.ticket);
    ring.receiver.reclaim();
  };
  CHECK(touched() == 0);
  pass(8);
  CHECK(touched() == 4096);
  for (int i = 0; i < 20000; ++i) pass(8);
  CHECK(touched() == 32 << 10);
  for (int i = 0; i < 2000; ++i) pass(static_cast<std::size_t>(random_at(1, number) % 3000));
  CHECK(touched() <= 64 << 10);

  std::vector<RingMessage> held;
  const std::uint64_t first = number;
  while (push(ring.sender, number, 20) == Busy::no) ++number;
  CHECK((number - first) * kCacheLine >= kBytes / 4);
  RingMessage m{};
  while (ring.receiver.next(m)) held.push_back(m);
  CHECK(held.size() == number - first);
  for (std::size_t i = 0; i < held.size(); ++i) {
    CHECK(is(held[i], first + i, 20));
    ring.receiver.release(held[i].ticket);
  }
  ring.receiver.reclaim();
  const std::size_t most = ring::message_bytes(kBytes);
  for (int i = 0; i < 2000; ++i) pass(i % 40 == 0 ? most : static_cast<std::size_t>(random_at(2, number) % 3000));
  CHECK(touched() == kBytes);
}

TEST_CASE("messages that are held and released in any order stay whole until then, whatever their lengths") {
  for (const std::size_t bytes : kRings)
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      CAPTURE(bytes);
      CAPTURE(seed);
      Ring ring(bytes);
      Random random(seed);
      const std::size_t most = ring::message_bytes(bytes);
      struct Held {
        RingMessage message;
        std::uint64_t number;
      };
      std::vector<Held> held;
      std::deque<std::size_t> lengths;  // of messages sent and not read
      std::uint64_t sent = 0, read = 0, refused = 0;
      while (read < 3000) {
        if (const std::size_t n = random.below(most + 1); random.below(2) == 0) {
          const Busy busy = push(ring.sender, sent, n);
          CHECK(busy != Busy::lock);
          if (busy == Busy::no) {
            lengths.push_back(n);
            ++sent;
          } else {
            ++refused;
          }
        }
        if (RingMessage m{}; random.below(2) == 0 && ring.receiver.next(m)) {
          if (random.below(4) == 0) {  // peek only
            ring.receiver.put_back(m);
            REQUIRE(ring.receiver.next(m));
          }
          REQUIRE(is(m, read, lengths.front()));
          lengths.pop_front();
          held.push_back({m, read++});
        }
        // Nearly full of held messages: release one to continue.
        if (!held.empty() && (random.below(3) == 0 || held.size() * kCacheLine >= bytes / 2)) {
          const std::size_t k = random.below(held.size());
          REQUIRE(is(held[k].message, held[k].number, held[k].message.bytes));
          ring.receiver.release(held[k].message.ticket);
          held.erase(held.begin() + static_cast<std::ptrdiff_t>(k));
        }
        ring.receiver.reclaim();
      }
      CHECK(refused > 0);
    }
}

TEST_CASE("a message never wraps around the end: the rest of the ring is skipped, and returned") {
  Ring ring(1024);
  auto one = [&](std::uint64_t number, std::size_t bytes) {
    REQUIRE(push(ring.sender, number, bytes) == Busy::no);
    RingMessage m{};
    REQUIRE(ring.receiver.next(m));
    CHECK(is(m, number, bytes));
    ring.receiver.release(m.ticket);
    ring.receiver.reclaim();
    return m.ticket;
  };
  for (std::uint64_t i = 0; i < 15; ++i) CHECK(one(i, 56) == i);  // one line is left
  CHECK(one(15, 57) == 0);                                        // two lines: from the beginning
  CHECK(ring.receiver.held() < lag(1024));
  CHECK(one(16, 56) == 2);
  // Padding before a message that is put back is not read twice.
  for (std::uint64_t i = 17; i < 29; ++i) one(i, 56);
  REQUIRE(push(ring.sender, 29, 200) == Busy::no);
  for (int again = 0; again < 3; ++again) {
    RingMessage m{};
    REQUIRE(ring.receiver.next(m));
    CHECK(m.ticket == 0);
    CHECK(is(m, 29, 200));
    ring.receiver.put_back(m);
    ring.receiver.reclaim();
  }
}

TEST_CASE("messages pushed together appear together, as many as fit, and in order") {
  for (const std::size_t bytes : kRings)
    for (const std::uint64_t seed : {1U, 2U}) {
      CAPTURE(bytes);
      Ring ring(bytes);
      Random random(seed);
      const std::size_t most = ring::message_bytes(bytes);
      std::uint64_t sent = 0, read = 0;
      std::deque<std::size_t> lengths;
      while (read < 2000) {
        std::vector<std::vector<std::byte>> texts;
        std::vector<Outgoing> batch;
        const std::size_t n = 1 + random.below(9);
        for (std::size_t i = 0; i < n; ++i) texts.push_back(numbered_text(sent + i, random.below(most + 1)));
        for (std::size_t i = 0; i < n; ++i) batch.push_back({texts[i].data(), texts[i].size(), note_of(sent + i).tag});
        const std::size_t took = ring.sender.push_many(batch, kType);
        for (std::size_t i = 0; i < took; ++i) lengths.push_back(batch[i].bytes);
        sent += took;
        RingMessage m{};
        std::size_t here = 0;
        while (ring.receiver.next(m)) {
          REQUIRE(is(m, read++, lengths.front()));
          lengths.pop_front();
          ring.receiver.release(m.ticket);
          ++here;
        }
        CHECK(here == took);
        ring.receiver.reclaim();
      }
      CHECK(ring.sender.push_many({}, kType) == 0);
    }
}

TEST_CASE("several producers, one receiver, holders that release from other threads") {
  constexpr int kProducers = 3;
  constexpr std::uint32_t kEach = 4000;
  for (const std::size_t bytes : {64, 256, 4096}) {
    CAPTURE(bytes);
    Ring ring(bytes);
    const std::size_t most = ring::message_bytes(bytes);
    std::vector<std::thread> producers;
    auto number_of = [](int p, std::uint32_t i) { return static_cast<std::uint64_t>(p) << 24 | i; };
    for (int p = 0; p < kProducers; ++p)
      producers.emplace_back([&, p] {
        for (std::uint32_t i = 0; i < kEach;) {
          const auto text = numbered_text(number_of(p, i), i % (most + 1));
          const Note note{static_cast<std::uint32_t>(number_of(p, i)), 9};
          const Outgoing one{text.data(), text.size(), note.tag};
          const bool sent = i % 2 ? ring.sender.push(note, text.data(), text.size()) == Busy::no
                                  : ring.sender.push_many({&one, 1}, note.type) == 1;
          if (sent)
            ++i;
          else
            std::this_thread::yield();
        }
      });
    // Released by another thread than the reader.
    SpinLock lock;
    std::deque<RingMessage> read;
    std::atomic<bool> over{false};
    std::atomic<int> broken{0}, disordered{0};
    std::thread releaser([&] {
      std::vector<std::uint32_t> next(kProducers);
      for (bool last = false; !last;) {
        last = over;
        std::deque<RingMessage> mine;
        {
          std::lock_guard hold(lock);
          mine.swap(read);
        }
        for (const RingMessage& m : mine) {
          const auto p = m.note.tag >> 24;
          const std::uint32_t i = m.note.tag & 0xffffff;
          disordered += next[p]++ != i;
          const auto text = numbered_text(m.note.tag, i % (most + 1));
          broken += m.bytes != text.size() || !std::equal(text.begin(), text.end(), m.data);
          ring.receiver.release(m.ticket);
        }
        std::this_thread::yield();
      }
    });
    for (std::uint32_t got = 0; got < kProducers * kEach;) {
      ring.receiver.reclaim();
      RingMessage m{};
      if (ring.receiver.next(m)) {
        std::lock_guard hold(lock);
        read.push_back(m);
        ++got;
      } else {
        std::this_thread::yield();
      }
    }
    over = true;
    releaser.join();
    for (auto& t : producers) t.join();
    CHECK(broken == 0);
    CHECK(disordered == 0);
    ring.receiver.reclaim();
    CHECK(ring.receiver.held() < lag(bytes));
  }
}
