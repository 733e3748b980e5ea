// SPDX-License-Identifier: Apache-2.0
// One rank of a job over libfabric that runs a law without a World; test_ofi.py starts several. Rank 0 prints "ok" and
// measurements.
//
//     ofi_probe PROVIDER sizes|order|flood|keep|puts|big_put|mix|threads|sleep
//     ofi_probe PROVIDER figures
//     ofi_probe - meet                                  // the bootstrap only
#include <atoll/base/error.hpp>
#include <atoll/transport/ofi_fabric.hpp>

#include "fabric_laws.hpp"

using namespace atl;
using namespace atl::laws;

namespace {

constexpr TrafficSet kOnlyBulk = static_cast<TrafficSet>(Traffic::bulk);

// Rank 0 sleeps until the others, who are late, have sent; wait() returns true in time, and false when nothing arrives.
void sleep(const Job& job) {
  const Handler ignore = [](const Packet&) {};
  if (job.me != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100 * job.me));
    send_small(job, 0, Traffic::message, {}, {}, ignore);
    bool told = false;
    take_until(job, [&](const Packet& p) { told = told || p.what == Packet::What::control; }, [&] { return told; });
    send_small(job, 0, Traffic::message, {}, {}, ignore);
    return;
  }
  Rank got = 0;
  const Timer timer;
  while (got < job.ranks - 1) {
    job.need(timer.seconds() < 10, "wait() wakes for what arrives");
    if (job.fabric.wait(5)) take(job, [&](const Packet& p) { got += p.what == Packet::What::message; });
  }
  take(job, ignore);
  Timer idle;
  while (job.fabric.wait(0) && idle.seconds() < 1) take(job, ignore);
  while (job.fabric.wait(0.05) && idle.seconds() < 1) take(job, ignore);
  job.need(idle.seconds() < 1, "wait() says no when nothing comes");
  std::thread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    job.fabric.wake();
  });
  idle.lap();
  job.fabric.wait(5);
  job.need(idle.seconds() < 2, "wake() wakes");
  waker.join();
  // An unwanted packet that is already there must not wake it.
  const Handler count = [&](const Packet& p) { got += p.what == Packet::What::message; };
  for (Rank r = 1; r < job.ranks; ++r) send_small(job, r, Traffic::control, {}, {}, count);
  idle.lap();
  while (job.fabric.wait(0.2, kOnlyBulk) && idle.seconds() < 1) {
  }
  job.need(idle.seconds() < 1, "wait() sleeps on what is not wanted");
  take_until(job, count, [&] { return got == 2 * (job.ranks - 1); });
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Our latency and libfabric's own, alternating, between ranks 0 and 1: medians of 7 pairs.
void figures(const Job& job, OfiFabric& fabric) {
  const Rank other = 1 - job.me;
  const int rounds = fabric.provider() == "shm" ? 20000 : 3000;
  long got = 0;
  const Handler note = [&](const Packet&) { ++got; };
  const auto latency = [&](std::size_t bytes) {
    const Bytes text = pattern(1, bytes);
    got = 0;
    if (job.me > 1) return 0.0;
    const auto round = [&](long i) {
      if (job.me == 0) send_small(job, other, Traffic::message, {}, text, note);
      while (got < i) take(job, note);
      if (job.me == 1) send_small(job, other, Traffic::message, {}, text, note);
    };
    round(1);
    const Timer timer;
    for (int i = 0; i < rounds; ++i) round(i + 2);
    return timer.seconds() / 2 / rounds;
  };
  const auto rate = [&](std::size_t bytes, int messages) {
    const Bytes text = pattern(1, bytes);
    got = 0;
    if (job.me > 1) return 0.0;
    const Timer timer;
    if (job.me == 0) {
      for (int i = 0; i < messages; ++i) send_small(job, 1, Traffic::message, {}, text, note);
      take_until(job, note, [&] { return got == 1; });
    } else {
      while (got < messages) take(job, note);
      send_small(job, 0, Traffic::message, {}, {}, note);
    }
    return messages / timer.seconds();
  };
  for (const std::size_t bytes : {8, 64, 512, 4096}) {
    std::vector<double> ours, raw, ratio;
    for (int pair = 0; pair < 7; ++pair) {
      raw.push_back(fabric.raw_latency(bytes, rounds));
      ours.push_back(latency(bytes));
      job.barrier();
      ratio.push_back(ours.back() / raw.back());
    }
    if (job.me == 0)
      std::printf("latency %4zu B: %.3f us, raw %.3f us, ratio %.2f\n", bytes, median(ours) * 1e6, median(raw) * 1e6,
                  median(ratio));
  }
  std::vector<double> ours, raw;
  for (int pair = 0; pair < 5; ++pair) {
    raw.push_back(fabric.raw_rate(64, 20 * rounds));
    ours.push_back(rate(64, 20 * rounds));
    job.barrier();
  }
  if (job.me == 0) std::printf("rate 64 B: %.3f M/s, raw %.3f M/s\n", median(ours) / 1e6, median(raw) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("ofi_probe PROVIDER LAW (see the head of its source)\n");
    return 2;
  }
  const std::string law = argv[2];
  try {
    const std::shared_ptr<Bootstrap> bootstrap = find_bootstrap(5);
    if (!bootstrap) throw UsageError("started alone (a law is for several ranks). Set ATOLL_BOOTSTRAP.");
    if (law == "meet") {
      std::string all;
      for (const std::string& text : bootstrap->gather(fmt::format("{}", bootstrap->rank() * 7))) all += text + " ";
      bootstrap->gather(all);
      if (bootstrap->rank() == bootstrap->size() - 1) std::printf("%s: %s\n", bootstrap->name().data(), all.c_str());
      return 0;
    }
    auto fabric = join_ofi({.provider = argv[1]}, bootstrap);
    const Job job{*fabric, fabric->rank(), fabric->size(),
                  [&](const std::string& mine) { return fabric->gather_texts(mine); }};
    if (law == "sizes") sizes(job);
    if (law == "order") order(job);
    if (law == "flood") flood(job);
    if (law == "keep") keep(job);
    if (law == "puts") puts(job, {0, 1, 4096, 100000, 3, (std::size_t{1} << 22) + 5});
    if (law == "big_put") big_put(job);
    if (law == "mix") mix(job, 1);
    if (law == "threads") mix(job, 3);
    if (law == "sleep") sleep(job);
    if (law == "figures") figures(job, *fabric);
    fabric->close();
    if (job.me == 0) std::printf("%s ok\n", fabric->provider().c_str());
  } catch (const std::exception& e) {
    std::printf("error: %s\n", e.what());
    return 1;
  }
}
