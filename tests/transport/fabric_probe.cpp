// SPDX-License-Identifier: Apache-2.0
// One rank of a job over one MPI layer that does what a law speaks of, without any World: what test_mpi_layers.py starts
// under launchers. Rank 0 prints "ok" and figures; who finds a law broken prints which and aborts the job.
//
//     fabric_probe LAYER sizes|order|flood|keep|puts|big_put|mix|threads|exchange|memory
//     fabric_probe LAYER figures|raw [THREADS]
#include <atoll/base/array.hpp>
#include <atoll/base/random.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/transport/plugin.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

using namespace atl;

namespace {

using Bytes = std::vector<std::byte>;

struct Job {
  MpiFabric& fabric;
  Rank me, ranks;

  void need(bool law, const char* text) const {
    if (law) return;
    std::printf("rank %d: broken: %s\n", me, text);
    std::fflush(stdout);
    fabric.abort(1);
    std::_Exit(1);
  }
  void barrier() const { fabric.gather_texts(""); }
};

std::byte byte_at(std::uint64_t seed, std::size_t i) { return static_cast<std::byte>((seed * 131 + i * 7 + i / 251) & 255); }

Bytes pattern(std::uint64_t seed, std::size_t bytes) {
  Bytes out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = byte_at(seed, i);
  return out;
}
bool is_pattern(std::uint64_t seed, const std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    if (data[i] != byte_at(seed, i)) return false;
  return true;
}

using Handler = std::function<void(const Packet&)>;

// Takes what has come; releases it unless the handler keeps it.
int take(const Job& job, const Handler& handler, TrafficSet wanted = kAllTraffic, bool keep = false) {
  Packet packets[16];
  const int n = job.fabric.poll(packets, wanted);
  for (int i = 0; i < n; ++i) {
    handler(packets[i]);
    const bool memory = packets[i].what != Packet::What::put_sent && packets[i].what != Packet::What::put_landed;
    if (memory && !keep) job.fabric.release(packets[i]);
  }
  return n;
}

void send_bulk(const Job& job, Rank to, std::span<const std::byte> bytes, const Handler& handler) {
  Slot slot;
  while (job.fabric.acquire(to, slot) != Busy::no)
    if (take(job, handler) == 0) std::this_thread::yield();
  std::memcpy(slot.data, bytes.data(), bytes.size());
  job.fabric.publish(slot, bytes.size());
}

void send_small(const Job& job, Rank to, Traffic traffic, Note note, std::span<const std::byte> bytes,
                const Handler& handler) {
  while (job.fabric.send(to, traffic, note, bytes) != Busy::no)
    if (take(job, handler) == 0) std::this_thread::yield();
}

void take_until(const Job& job, const Handler& handler, const std::function<bool()>& done) {
  while (!done())
    if (take(job, handler) == 0) job.fabric.wait(1e-3);
}

// Every rank sends every size of every kind to every other one.
void sizes(const Job& job) {
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
void order(const Job& job) {
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

// What a rank may hold for each peer, far below what is sent here.
constexpr std::size_t kMost = std::size_t{6} << 20;

// Everyone sends to rank 0, which at first does not look.
void flood(const Job& job) {
  constexpr int kMessages = 20000, kSlots = 2000;
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

// Rank 0 keeps every bulk packet and every message that it gets; control still comes through, both ways.
void keep(const Job& job) {
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
    // Until nothing more goes for a while.
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
void puts(const Job& job, const std::vector<std::size_t>& sizes) {
  struct Exposed {
    std::uint64_t seed;
    Bytes memory;
  };
  std::vector<Exposed> exposed;
  std::vector<Bytes> sources;
  std::size_t sent = 0, landed = 0, asked = 0;
  const std::size_t all = sizes.size() * static_cast<std::size_t>(job.ranks - 1);
  struct Ask {
    Landing landing;
    std::uint64_t seed, bytes;
  };
  std::vector<std::pair<Rank, Ask>> asks;
  const Handler note = [&](const Packet& p) {
    if (p.what == Packet::What::put_sent) ++sent;
    if (p.what == Packet::What::put_landed) {
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
      while (job.fabric.expose(from, exposed.back().memory, exposed.size() - 1, ask.landing) != Busy::no)
        take(job, note);
      send_small(job, from, Traffic::control, {}, std::as_bytes(std::span(&ask, 1)), note);
    }
  take_until(job, note, [&] {
    while (asked < asks.size()) {
      const auto& [to, ask] = asks[asked];
      sources.push_back(pattern(ask.seed, ask.bytes));
      while (job.fabric.put(to, ask.landing, sources.back(), asked) != Busy::no) std::this_thread::yield();
      ++asked;
    }
    return sent == all && landed == all;
  });
}

// 3 GiB from rank 0 to 1, more than one count of MPI. Words, so that filling and checking take no longer than moving.
void big_put(const Job& job) {
  constexpr std::size_t kWords = (std::size_t{3} << 30) / 8 + 1;
  Landing landing;
  if (job.me > 1) return;
  Array<std::uint64_t> words(kWords);
  const std::span all(words.data(), kWords);
  bool over = false;
  bool asked = false;
  const Handler note = [&](const Packet& p) {
    over = over || p.what == Packet::What::put_landed || p.what == Packet::What::put_sent;
    if (p.what != Packet::What::control) return;
    std::memcpy(&landing, p.data, sizeof landing);
    asked = true;
  };
  if (job.me == 0) {
    for (std::size_t i = 0; i < kWords; ++i) words[i] = i * 3;
    take_until(job, note, [&] { return asked; });
    const Timer timer;
    while (job.fabric.put(1, landing, std::as_bytes(all), 9) != Busy::no) std::this_thread::yield();
    take_until(job, note, [&] { return over; });
    std::printf("put %.2f GB/s\n", static_cast<double>(all.size_bytes()) / timer.seconds() / 1e9);
  } else {
    while (job.fabric.expose(0, std::as_writable_bytes(all), 9, landing) != Busy::no) std::this_thread::yield();
    send_small(job, 0, Traffic::control, {}, std::as_bytes(std::span(&landing, 1)), note);
    take_until(job, note, [&] { return over; });
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < kWords; ++i) wrong += words[i] != i * 3;
    job.need(wrong == 0, "3 GiB lie as they were put");
  }
}

// Everything in both directions at once; the sums agree. With threads, all of them send and receive.
void mix(const Job& job, int threads) {
  constexpr int kEach = 3000;  // a multiple of every number of peers that is tried
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
  // Everyone sends as many, in turn to each.
  const auto expected = static_cast<std::uint64_t>(kEach * threads);
  take_until(job, count, [&] { return got >= expected; });
  std::uint64_t all_sent = 0, all_got = 0, all = 0;
  for (const std::string& text :
       job.fabric.gather_texts(std::to_string(sum_sent) + " " + std::to_string(sum_got) + " " + std::to_string(got))) {
    char* end = nullptr;
    all_sent += std::strtoull(text.c_str(), &end, 10);
    all_got += std::strtoull(end, &end, 10);
    all += std::strtoull(end, nullptr, 10);
  }
  job.need(all == expected * static_cast<std::uint64_t>(job.ranks) && all_sent == all_got, "all arrives exactly once");
}

// Several rounds of two patterns, with ranks that send nothing to some others.
void exchange(const Job& job) {
  const auto bytes_of = [](Rank from, Rank to, int round) {
    return (from + to) % 3 == 2 ? std::size_t{0} : static_cast<std::size_t>((from * 977 + to * 131 + round * 37) % 4000);
  };
  std::vector<std::size_t> bound(static_cast<std::size_t>(job.ranks));
  for (Rank r = 0; r < job.ranks; ++r) bound[static_cast<std::size_t>(r)] = (r + job.me) % 3 == 2 ? 0 : 4000;
  auto rounds = job.fabric.rma_exchange(bound);
  for (int round = 0; round < 20; ++round) {
    std::vector<Bytes> memory;
    std::vector<std::span<const std::byte>> to;
    for (Rank r = 0; r < job.ranks; ++r)
      memory.push_back(pattern(static_cast<std::uint64_t>(job.me * 10 + r + round), bytes_of(job.me, r, round)));
    for (const Bytes& m : memory) to.emplace_back(m);
    const auto from = rounds->exchange(round % 2, to);
    for (Bytes& m : memory) std::fill(m.begin(), m.end(), std::byte{0});  // it is the caller's again
    for (Rank r = 0; r < job.ranks; ++r) {
      if (r == job.me) continue;
      const auto part = from[static_cast<std::size_t>(r)];
      job.need(part.size() == bytes_of(r, job.me, round), "each part has the length that was sent");
      job.need(is_pattern(static_cast<std::uint64_t>(r * 10 + job.me + round), part.data(), part.size()),
               "each part arrives as it was sent");
    }
  }
  if (job.me == 0) std::printf("windows %zu bytes, %.6f s\n", rounds->window_bytes(), rounds->window_seconds());
  rounds->close();
}

// Latency of messages and rate of 64-byte ones between ranks 0 and 1.
void figures(const Job& job) {
  const Rank other = 1 - job.me;
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{64}, std::size_t{4096}}) {
    if (job.me > 1) break;
    const Bytes text = pattern(1, bytes);
    const long rounds = job.fabric.name() == "mpi" ? 20000 : 2000;
    double seconds = 0;
    for (int warm = 0; warm < 2; ++warm) {
      const Timer timer;
      long got = 0;
      const Handler note = [&](const Packet&) { ++got; };
      for (long i = 0; i < rounds; ++i) {
        if (job.me == 0) send_small(job, other, Traffic::message, {}, text, note);
        while (got <= i) take(job, note);
        if (job.me == 1) send_small(job, other, Traffic::message, {}, text, note);
      }
      seconds = timer.seconds() / 2 / static_cast<double>(rounds);
    }
    if (job.me == 0) std::printf("latency %zu B: %.3f us\n", bytes, seconds * 1e6);
  }
  job.barrier();
  if (job.me > 1) return;
  constexpr long kMessages = 1000000;
  const Bytes text = pattern(1, 64);
  long got = 0;
  const Handler note = [&](const Packet&) { ++got; };
  const Timer timer;
  if (job.me == 0) {
    for (long i = 0; i < kMessages; ++i) send_small(job, 1, Traffic::message, {}, text, note);
    while (got == 0) take(job, note);
    std::printf("rate 64 B: %.2f M/s\n", kMessages / timer.seconds() / 1e6);
  } else {
    while (got < kMessages) take(job, note);
    send_small(job, 0, Traffic::control, {}, {}, note);
  }
}

void raw(const Job& job, int threads) {
  const std::pair<const char*, RawMode> modes[] = {
      {"no_probe", RawMode::no_probe}, {"iprobe", RawMode::iprobe}, {"improbe", RawMode::improbe}};
  for (const auto& [name, mode] : modes) {
    job.fabric.raw_latency(mode, 8, 1000, threads);
    const double l8 = job.fabric.raw_latency(mode, 8, 20000, threads),
                 l64 = job.fabric.raw_latency(mode, 64, 20000, threads),
                 l4k = job.fabric.raw_latency(mode, 4096, 20000, threads),
                 rate = job.fabric.raw_rate(mode, 64, 500000, 64, threads);
    if (job.me == 0)
      std::printf("raw %-8s %d threads: 8 B %.3f us, 64 B %.3f us, 4 KiB %.3f us; 64 B %.2f M/s\n", name, threads,
                  l8 * 1e6, l64 * 1e6, l4k * 1e6, rate / 1e6);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("fabric_probe LAYER LAW (see the head of its source)\n");
    return 2;
  }
  const std::string layer = argv[1], law = argv[2];
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  try {
    MpiOptions options;
    options.layer = layer == "mprobe" ? "probe" : layer;
    options.mprobe = layer == "mprobe";
    options.multiple = law == "raw" && threads > 1;
    if (const char* mpi = std::getenv("ATOLL_MPI")) options.mpi = mpi;
    auto fabric = join_mpi(options);
    const Job job{*fabric, fabric->rank(), fabric->size()};
    if (law == "sizes") sizes(job);
    if (law == "order") order(job);
    if (law == "flood") flood(job);
    if (law == "keep") keep(job);
    if (law == "puts") puts(job, {0, 1, 4096, 100000, 3, (std::size_t{1} << 22) + 5});
    if (law == "big_put") big_put(job);
    if (law == "mix") mix(job, threads);
    if (law == "exchange") exchange(job);
    if (law == "figures") figures(job);
    if (law == "raw") raw(job, threads);
    job.barrier();
    if (job.me == 0 && fabric->window_seconds() > 0) std::printf("window seconds %.6f\n", fabric->window_seconds());
    fabric->close();
    if (job.me == 0) std::printf("ok\n");
  } catch (const std::exception& e) {
    std::printf("error: %s\n", e.what());
    return 1;
  }
}
