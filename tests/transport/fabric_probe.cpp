// SPDX-License-Identifier: Apache-2.0
// One rank of a job over one MPI layer that runs laws without a World; started by test_mpi_layers.py under launchers.
// Each law has a fabric of its own; before it rank 0 prints "law" and its name, after it "ok" and measurements.
//
//     fabric_probe LAYER LAW[:THREADS] [LAW[:THREADS] ...]
//
// Laws: sizes order flood keep puts big_put mix exchange. Measurements only: figures raw.
#include <atoll/base/error.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/transport/plugin.hpp>

#include "fabric_laws.hpp"

using namespace atl;
using namespace atl::laws;

namespace {

// Several rounds of two patterns, with ranks that send nothing to some others.
void exchange(const Job& job, MpiFabric& fabric) {
  const auto bytes_of = [](Rank from, Rank to, int round) {
    return (from + to) % 3 == 2 ? std::size_t{0}
                                : static_cast<std::size_t>((from * 977 + to * 131 + round * 37) % 4000);
  };
  std::vector<std::size_t> bound(static_cast<std::size_t>(job.ranks));
  for (Rank r = 0; r < job.ranks; ++r) bound[static_cast<std::size_t>(r)] = (r + job.me) % 3 == 2 ? 0 : 4000;
  auto rounds = fabric.rma_exchange(bound);
  for (int round = 0; round < 20; ++round) {
    std::vector<Bytes> memory;
    std::vector<std::span<const std::byte>> to;
    for (Rank r = 0; r < job.ranks; ++r)
      memory.push_back(pattern(static_cast<std::uint64_t>(job.me * 10 + r + round), bytes_of(job.me, r, round)));
    for (const Bytes& m : memory) to.emplace_back(m);
    const auto from = rounds->exchange(round % 2, to);
    for (Bytes& m : memory) std::fill(m.begin(), m.end(), std::byte{0});  // it belongs to the caller again
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
  const bool alone = job.fabric.name() == "mpi";  // the fabric has no thread that competes for the core
  Backoff backoff;
  const auto look = [&](const Handler& handler) {
    if (take(job, handler) > 0 || !backoff.pause()) backoff.reset();
  };
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{64}, std::size_t{4096}}) {
    if (job.me > 1) break;
    const Bytes text = pattern(1, bytes);
    const long rounds = alone ? 20000 : 500;
    double seconds = 0;
    for (int warm = 0; warm < 2; ++warm) {
      const Timer timer;
      long got = 0;
      const Handler note = [&](const Packet&) { ++got; };
      for (long i = 0; i < rounds; ++i) {
        if (job.me == 0) send_small(job, other, Traffic::message, {}, text, note);
        while (got <= i) look(note);
        if (job.me == 1) send_small(job, other, Traffic::message, {}, text, note);
      }
      seconds = timer.seconds() / 2 / static_cast<double>(rounds);
    }
    if (job.me == 0) std::printf("latency %zu B: %.3f us\n", bytes, seconds * 1e6);
  }
  job.barrier();
  if (job.me > 1) return;
  const long messages = alone ? 1000000 : 100000;
  const Bytes text = pattern(1, 64);
  long got = 0;
  const Handler note = [&](const Packet&) { ++got; };
  const Timer timer;
  if (job.me == 0) {
    for (long i = 0; i < messages; ++i) send_small(job, 1, Traffic::message, {}, text, note);
    while (got == 0) look(note);
    std::printf("rate 64 B: %.2f M/s\n", static_cast<double>(messages) / timer.seconds() / 1e6);
  } else {
    while (got < messages) look(note);
    send_small(job, 0, Traffic::control, {}, {}, note);
  }
}

void raw(const Job& job, MpiFabric& fabric, int threads) {
  const std::pair<const char*, RawMode> modes[] = {
      {"no_probe", RawMode::no_probe}, {"iprobe", RawMode::iprobe}, {"improbe", RawMode::improbe}};
  for (const auto& [name, mode] : modes) {
    fabric.raw_latency(mode, 8, 1000, threads);
    const double l8 = fabric.raw_latency(mode, 8, 20000, threads), l64 = fabric.raw_latency(mode, 64, 20000, threads),
                 l4k = fabric.raw_latency(mode, 4096, 20000, threads),
                 rate = fabric.raw_rate(mode, 64, 500000, 64, threads);
    if (job.me == 0)
      std::printf("raw %-8s %d threads: 8 B %.3f us, 64 B %.3f us, 4 KiB %.3f us; 64 B %.2f M/s\n", name, threads,
                  l8 * 1e6, l64 * 1e6, l4k * 1e6, rate / 1e6);
  }
}

void judge(const std::string& layer, const std::string& law, int threads) {
  MpiOptions options;
  options.layer = layer == "mprobe" ? "probe" : layer;
  options.mprobe = layer == "mprobe";
  options.multiple = law == "raw" && threads > 1;
  options.finalize = false;
  if (const char* mpi = std::getenv("ATOLL_MPI")) options.mpi = mpi;
  auto fabric = join_mpi(options);
  const Job job{*fabric, fabric->rank(), fabric->size(),
                [&](const std::string& text) { return fabric->gather_texts(text); }};
  if (job.me == 0) std::printf("law %s:%d\n", law.c_str(), threads);
  if (law == "sizes") sizes(job);
  if (law == "order") order(job);
  if (law == "flood") flood(job);
  if (law == "keep") keep(job);
  if (law == "puts") puts(job, {0, 1, 4096, 100000, 3, (std::size_t{1} << 22) + 5});
  if (law == "big_put") big_put(job, (std::size_t{3} << 30) + 8);  // in four pieces
  if (law == "mix") mix(job, threads);
  if (law == "exchange") exchange(job, *fabric);
  if (law == "figures") figures(job);
  if (law == "raw") raw(job, *fabric, threads);
  job.barrier();
  if (job.me == 0 && fabric->window_seconds() > 0) std::printf("window seconds %.6f\n", fabric->window_seconds());
  fabric->close();
  if (job.me == 0) std::printf("ok\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("fabric_probe LAYER LAW... (see the head of its source)\n");
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that the output names a law that hangs
  try {
    for (int i = 2; i < argc; ++i) {
      const std::string law = argv[i];
      const auto colon = law.find(':');
      judge(argv[1], law.substr(0, colon), colon == law.npos ? 1 : std::atoi(law.c_str() + colon + 1));
    }
    finish_mpi();
  } catch (const std::exception& e) {
    std::printf("error: %s\n", e.what());
    return 1;
  }
}
