// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/fabric.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <thread>
#include <vector>

/// The guarantees of every fabric, as programs of several ranks without a World: each rank calls the same law. A rank
/// that finds one broken prints its name and aborts the job.
namespace atl::laws {

using Bytes = std::vector<std::byte>;

struct Job {
  Fabric& fabric;
  Rank me, ranks;
  std::function<std::vector<std::string>(const std::string&)> gather_texts;

  void need(bool law, const char* text) const {
    if (law) return;
    std::printf("rank %d: broken: %s\n", me, text);
    std::fflush(stdout);
    fabric.abort(1);
    std::_Exit(1);
  }
  void barrier() const { gather_texts(""); }
};

inline std::byte byte_at(std::uint64_t seed, std::size_t i) {
  return static_cast<std::byte>((seed * 131 + i * 7 + i / 251) & 255);
}

inline Bytes pattern(std::uint64_t seed, std::size_t bytes) {
  Bytes out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = byte_at(seed, i);
  return out;
}
inline bool is_pattern(std::uint64_t seed, const std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (data[i] != byte_at(seed, i)) return false;
  return true;
}

using Handler = std::function<void(const Packet&)>;

// Takes arrived packets; releases each unless the handler keeps it.
inline int take(const Job& job, const Handler& handler, TrafficSet wanted = kAllTraffic, bool keep = false) {
  Packet packets[16];
  const int n = job.fabric.poll(packets, wanted);
  for (int i = 0; i < n; ++i) {
    handler(packets[i]);
    const bool memory = packets[i].what != Packet::What::put_sent && packets[i].what != Packet::What::put_arrived;
    if (memory && !keep) job.fabric.release(packets[i]);
  }
  return n;
}

inline void send_bulk(const Job& job, Rank to, std::span<const std::byte> bytes, const Handler& handler) {
  Slot slot;
  while (job.fabric.acquire(to, slot) != Busy::no)
    if (take(job, handler) == 0) std::this_thread::yield();
  std::memcpy(slot.data, bytes.data(), bytes.size());
  job.fabric.publish(slot, bytes.size());
}

inline void send_small(const Job& job, Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes,
                       const Handler& handler) {
  while (job.fabric.send(to, traffic, note, bytes) != Busy::no)
    if (take(job, handler) == 0) std::this_thread::yield();
}

inline void take_until(const Job& job, const Handler& handler, const std::function<bool()>& done) {
  while (!done())
    if (take(job, handler) == 0) job.fabric.wait(1e-3);
}

// Every rank sends every size of every kind to every other one.
inline void sizes(const Job& job) {
  const std::size_t longest = job.fabric.message_bytes(), slot = job.fabric.slot_bytes();
  const std::vector<std::size_t> message_sizes{0, 1, 8, longest / 2, longest - 1, longest};
  const std::vector<std::size_t> control_sizes{0, 1, kControlBytes - 1, kControlBytes};
  const std::vector<std::size_t> bulk_sizes{1, 16, slot / 2, slot - 1, slot};
  std::size_t got = 0;
  const Handler check = [&](const Packet& p) {
    ++got;
    const auto seed = static_cast<std::uint64_t>(p.from * 100 + job.me);
    job.need(is_pattern(seed + p.bytes, p.data, p.bytes), "the bytes arrive as they were sent");
    if (p.what == Packet::What::bulk) return;
    job.need(p.note == Note{static_cast<std::uint32_t>(p.bytes * 3), 200}, "the note arrives as it was sent");
  };
  for (Rank to = 0; to < job.ranks; ++to) {
    if (to == job.me) continue;
    const auto seed = static_cast<std::uint64_t>(job.me * 100 + to);
    const auto note_of = [](std::size_t n) { return Note{static_cast<std::uint32_t>(n * 3), 200}; };
    for (const std::size_t n : message_sizes)
      send_small(job, to, Traffic::message, note_of(n), pattern(seed + n, n), check);
    for (const std::size_t n : control_sizes)
      send_small(job, to, Traffic::control, note_of(n), pattern(seed + n, n), check);
    for (const std::size_t n : bulk_sizes) send_bulk(job, to, pattern(seed + n, n), check);
  }
  const std::size_t each = message_sizes.size() + control_sizes.size() + bulk_sizes.size();
  take_until(job, check, [&] { return got == each * static_cast<std::size_t>(job.ranks - 1); });
}

// Messages of all sizes from everyone to everyone, with bulk and control in between.
inline void order(const Job& job) {
  constexpr std::uint32_t kMessages = 4000;
  std::vector<std::uint32_t> next(static_cast<std::size_t>(job.ranks));
  const Handler check = [&](const Packet& p) {
    if (p.what != Packet::What::message) return;
    std::uint32_t& n = next[static_cast<std::size_t>(p.from)];
    job.need(p.note.tag == n, "messages of a pair arrive in the order of their sends");
    ++n;
  };
  Random random(static_cast<std::uint64_t>(job.me) + 1);
  const Bytes longest = pattern(1, job.fabric.message_bytes());
  for (std::uint32_t i = 0; i < kMessages; ++i)
    for (Rank to = 0; to < job.ranks; ++to) {
      if (to == job.me) continue;
      const std::size_t n = i % 7 == 0 ? longest.size() : random.below(300);
      send_small(job, to, Traffic::message, {i, 0}, std::span(longest).first(n), check);
      if (i % 100 == 0) send_small(job, to, Traffic::control, {}, {}, check);
      if (i % 50 == 0) send_bulk(job, to, std::span(longest).first(100), check);
    }
  std::size_t extra = 0;
  take_until(job, check, [&] {
    extra = 0;
    for (const std::uint32_t n : next) extra += n;
    return extra == static_cast<std::size_t>(kMessages) * static_cast<std::size_t>(job.ranks - 1);
  });
}

// The most that a rank may buffer per peer, far below what is sent here.
constexpr std::size_t kMost = std::size_t{6} << 20;

// Everyone sends to rank 0, which does not poll at first.
inline void flood(const Job& job) {
  constexpr int kMessages = 5000, kSlots = 500;
  const Bytes message = pattern(3, job.fabric.message_bytes()), bulk = pattern(4, job.fabric.slot_bytes());
  const std::size_t bound = kMost * static_cast<std::size_t>(job.ranks);
  int refused = 0;
  if (job.me != 0) {
    Slot slot;
    for (int i = 0; i < kMessages; ++i) {
      while (job.fabric.send(0, Traffic::message, {static_cast<std::uint32_t>(i), 1}, message) != Busy::no) {
        ++refused;
        take(job, [](const Packet&) {});
        std::this_thread::yield();
      }
      if (i % (kMessages / kSlots) != 0) continue;
      while (job.fabric.acquire(0, slot) != Busy::no) {
        ++refused;
        take(job, [](const Packet&) {});
        std::this_thread::yield();
      }
      std::memcpy(slot.data, bulk.data(), bulk.size());
      job.fabric.publish(slot, bulk.size());
    }
    job.need(refused > 0, "who floods a rank that does not look is pushed back");
  } else {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    int messages = 0, slots = 0;
    const Handler check = [&](const Packet& p) {
      (p.what == Packet::What::bulk ? slots : messages) += 1;
      job.need(is_pattern(p.what == Packet::What::bulk ? 4 : 3, p.data, p.bytes), "the flood is whole");
    };
    take_until(job, check,
               [&] { return messages == kMessages * (job.ranks - 1) && slots == kSlots * (job.ranks - 1); });
    std::printf("memory %zu\n", job.fabric.memory_bytes());
  }
  job.need(job.fabric.memory_bytes() < bound, "memory stays bounded under a flood");
}

// Rank 0 keeps every bulk packet and every message; control still works in both directions.
inline void keep(const Job& job) {
  constexpr int kRounds = 300;
  const Bytes text = pattern(5, 100);
  std::vector<Packet> kept;
  std::vector<int> control(static_cast<std::size_t>(job.ranks));
  const Handler note = [&](const Packet& p) {
    if (p.what == Packet::What::control) ++control[static_cast<std::size_t>(p.from)];
  };
  const auto take_and_keep = [&] {
    Packet packets[16];
    const int n = job.fabric.poll(packets);
    for (int i = 0; i < n; ++i) {
      note(packets[i]);
      if (packets[i].what == Packet::What::control) {
        job.fabric.release(packets[i]);
      } else {
        kept.push_back(packets[i]);
      }
    }
    return n;
  };
  if (job.me != 0) {
    // Until nothing can be sent for a while.
    const auto fill = [&](const std::function<Busy()>& one) {
      for (Timer idle; idle.seconds() < 0.2;) {
        if (one() == Busy::no) {
          idle.lap();
        } else {
          take(job, note);
          std::this_thread::yield();
        }
      }
    };
    fill([&] { return job.fabric.send(0, Traffic::message, {}, text); });
    fill([&] {
      Slot slot;
      const Busy busy = job.fabric.acquire(0, slot);
      if (busy != Busy::no) return busy;
      std::memcpy(slot.data, text.data(), text.size());
      job.fabric.publish(slot, text.size());
      return busy;
    });
    for (int i = 0; i < kRounds; ++i) {
      send_small(job, 0, Traffic::control, {}, {}, note);
      take_until(job, note, [&] { return control[0] > i; });
    }
  } else {
    std::vector<int> answered(control.size());
    const auto all = [&] {
      for (Rank r = 1; r < job.ranks; ++r)
        if (answered[static_cast<std::size_t>(r)] < kRounds) return false;
      return true;
    };
    while (!all()) {
      if (take_and_keep() == 0) job.fabric.wait(1e-3);
      for (Rank r = 1; r < job.ranks; ++r)
        for (int& n = answered[static_cast<std::size_t>(r)]; n < control[static_cast<std::size_t>(r)]; ++n)
          while (job.fabric.send(r, Traffic::control, {}, {}) != Busy::no) take_and_keep();
    }
    for (const Packet& p : kept) {
      job.need(is_pattern(5, p.data, p.bytes), "a kept packet stays as it came");
      job.fabric.release(p);
    }
    job.need(kept.size() >= 8 * static_cast<std::size_t>(job.ranks - 1), "packets were kept");
    std::printf("kept %zu\n", kept.size());
  }
}

// Puts of these sizes between all pairs, both directions at once.
inline void puts(const Job& job, const std::vector<std::size_t>& sizes) {
  struct Exposed {
    std::uint64_t seed;
    Bytes memory;
  };
  std::vector<Exposed> exposed;
  std::vector<Bytes> sources;
  std::size_t sent = 0, landed = 0, asked = 0;
  const std::size_t all = sizes.size() * static_cast<std::size_t>(job.ranks - 1);
  struct Ask {
    PutTarget target;
    std::uint64_t seed, bytes;
  };
  std::vector<std::pair<Rank, Ask>> asks;
  const Handler note = [&](const Packet& p) {
    if (p.what == Packet::What::put_sent) ++sent;
    if (p.what == Packet::What::put_arrived) {
      ++landed;
      const Exposed& e = exposed[p.token];
      job.need(is_pattern(e.seed, e.memory.data(), e.memory.size()), "what was put is what lies there");
    }
    if (p.what != Packet::What::control) return;
    Ask ask;
    std::memcpy(&ask, p.data, sizeof ask);
    asks.emplace_back(p.from, ask);
  };
  exposed.reserve(all);
  for (const std::size_t bytes : sizes)
    for (Rank from = 0; from < job.ranks; ++from) {
      if (from == job.me) continue;
      job.need(job.fabric.can_put(from), "this fabric puts");
      const auto seed = exposed.size() + static_cast<std::size_t>(job.me) * 1000;
      exposed.push_back({seed, Bytes(bytes)});
      Ask ask{{}, seed, bytes};
      while (job.fabric.expose(from, exposed.back().memory, exposed.size() - 1, ask.target) != Busy::no)
        take(job, note);
      send_small(job, from, Traffic::control, {}, std::as_bytes(std::span(&ask, 1)), note);
    }
  take_until(job, note, [&] {
    while (asked < asks.size()) {
      const auto& [to, ask] = asks[asked];
      sources.push_back(pattern(ask.seed, ask.bytes));
      while (job.fabric.put(to, ask.target, sources.back(), asked) != Busy::no) std::this_thread::yield();
      ++asked;
    }
    return sent == all && landed == all;
  });
}

// A long sequence of words in little memory: one piece mapped repeatedly, and a last one of its own.
class LongWords {
 public:
  explicit LongWords(std::size_t words) : pieces_((words * 8 + kPiece - 1) / kPiece) {
    const int file = memfd_create("atoll-long-words", MFD_CLOEXEC);
    void* all = mmap(nullptr, pieces_ * kPiece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool mapped = file >= 0 && ftruncate(file, 2 * kPiece) == 0 && all != MAP_FAILED;
    for (std::size_t p = 0; mapped && p < pieces_; ++p)
      mapped = mmap(static_cast<std::byte*>(all) + p * kPiece, kPiece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                    file, p + 1 < pieces_ ? 0 : kPiece) != MAP_FAILED;
    close(file);
    if (!mapped) throw std::bad_alloc();
    words_ = {static_cast<std::uint64_t*>(all), words};
  }
  ~LongWords() { munmap(words_.data(), pieces_ * kPiece); }
  LongWords(const LongWords&) = delete;
  LongWords& operator=(const LongWords&) = delete;

  std::span<std::uint64_t> words() const { return words_; }
  /// Word i of the source; all pieces except the last are equal.
  std::uint64_t expected(std::size_t i) const { return i / kWords + 1 < pieces_ ? i % kWords * 3 : i * 5; }
  void fill() {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] = expected(i);
    for (std::size_t i = (pieces_ - 1) * kWords; i < words_.size(); ++i) words_[i] = expected(i);
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{64} << 20, kWords = kPiece / 8;
  const std::size_t pieces_;
  std::span<std::uint64_t> words_;
};

// More than 2 GiB from rank 0 to 1.
inline void big_put(const Job& job, std::size_t bytes = (std::size_t{2} << 30) + 8000000) {
  PutTarget target;
  if (job.me > 1) return;
  LongWords memory(bytes / 8);
  bool over = false;
  bool asked = false;
  const Handler note = [&](const Packet& p) {
    over = over || p.what == Packet::What::put_arrived || p.what == Packet::What::put_sent;
    if (p.what != Packet::What::control) return;
    std::memcpy(&target, p.data, sizeof target);
    asked = true;
  };
  if (job.me == 0) {
    memory.fill();
    take_until(job, note, [&] { return asked; });
    const Timer timer;
    while (job.fabric.put(1, target, std::as_bytes(memory.words()), 9) != Busy::no) std::this_thread::yield();
    take_until(job, note, [&] { return over; });
    std::printf("put %.2f GB/s\n", static_cast<double>(bytes) / timer.seconds() / 1e9);
  } else {
    while (job.fabric.expose(0, std::as_writable_bytes(memory.words()), 9, target) != Busy::no)
      std::this_thread::yield();
    send_small(job, 0, Traffic::control, {}, std::as_bytes(std::span(&target, 1)), note);
    take_until(job, note, [&] { return over; });
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < memory.words().size(); ++i) wrong += memory.words()[i] != memory.expected(i);
    job.need(wrong == 0, "more than 2 GiB lie as they were put");
  }
}

// All kinds of traffic in both directions at once; the sums agree. With threads, all of them send and receive.
inline void mix(const Job& job, int threads) {
  constexpr int kEach = 3000;  // a multiple of every number of peers tried
  std::atomic<std::uint64_t> sum_sent{0}, sum_got{0}, got{0};
  const auto value = [](const Packet& p) {
    std::uint64_t v = 0;
    std::memcpy(&v, p.data, std::min<std::size_t>(8, p.bytes));
    return v + p.note.tag;
  };
  const Handler count = [&](const Packet& p) {
    sum_got += value(p);
    ++got;
  };
  const auto play = [&](int thread) {
    Random random(static_cast<std::uint64_t>(job.me * 64 + thread) + 1);
    Bytes bytes(std::max(job.fabric.slot_bytes(), job.fabric.message_bytes()));
    for (int i = 0; i < kEach; ++i) {
      const Rank to = (job.me + 1 + i % (job.ranks - 1)) % job.ranks;
      const std::uint64_t v = random() >> 20;
      std::memcpy(bytes.data(), &v, 8);
      const auto tag = static_cast<std::uint32_t>(random() >> 40);
      if (i % 3 == 0) {
        sum_sent += v;
        send_bulk(job, to, std::span(bytes).first(8 + random.below(job.fabric.slot_bytes() - 8)), count);
      } else {
        const bool control = i % 3 == 1;
        sum_sent += v + tag;
        const std::size_t most = control ? kControlBytes : job.fabric.message_bytes();
        send_small(job, to, control ? Traffic::control : Traffic::message, {tag, 3},
                   std::span(bytes).first(8 + random.below(most - 8 + 1)), count);
      }
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(play, t);
  play(0);
  for (std::thread& t : others) t.join();
  // Everyone sends the same number of packets, to each rank in turn.
  const auto expected = static_cast<std::uint64_t>(kEach * threads);
  take_until(job, count, [&] { return got >= expected; });
  std::uint64_t all_sent = 0, all_got = 0, all = 0;
  for (const std::string& text :
       job.gather_texts(std::to_string(sum_sent) + " " + std::to_string(sum_got) + " " + std::to_string(got))) {
    char* end = nullptr;
    all_sent += std::strtoull(text.c_str(), &end, 10);
    all_got += std::strtoull(end, &end, 10);
    all += std::strtoull(end, nullptr, 10);
  }
  job.need(all == expected * static_cast<std::uint64_t>(job.ranks) && all_sent == all_got, "all arrives exactly once");
}

}  // namespace atl::laws
