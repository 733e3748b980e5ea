// SPDX-License-Identifier: Apache-2.0
// Latency and rate of single messages as in LCI's Figure 1: the queue, and in the same rounds bare MPI with known
// message sizes (no-probe) and unknown ones (probe), and bare libfabric.
#include <atoll/runtime/queue/queue.hpp>
#include <atoll/transport/ofi_fabric.hpp>
#include <atoll/transport/plugin.hpp>
#include <cli/cli11.hpp>
#include <map>

#include "cli/measure.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

constexpr std::size_t kRateBytes = 64;  // the paper's

// Memory for messages that arrive by rendezvous, reused as a receiver concerned with speed would do.
class ReceiveBuffers {
 public:
  QueueOptions options() {
    return {.allocate =
                [this](std::size_t bytes) {
                  if (free_.empty() || bytes > kLargest) return new std::byte[bytes];
                  std::byte* memory = free_.back();
                  free_.pop_back();
                  return memory;
                },
            .free =
                [this](std::byte* memory, std::size_t bytes) {
                  if (bytes > kLargest) {
                    delete[] memory;
                  } else {
                    free_.push_back(memory);
                  }
                }};
  }
  ReceiveBuffers() {
    for (auto& m : memory_) {
      m.resize(kLargest);
      free_.push_back(m.data());
    }
  }

 private:
  static constexpr std::size_t kLargest = std::size_t{4} << 20;
  std::vector<std::byte> memory_[2];
  std::vector<std::byte*> free_;
};

void send(Queue& queue, Rank to, std::span<const std::byte> bytes, Request& request) {
  for (Backoff backoff; !queue.send(to, 0, bytes, request);) backoff.pause_or_sleep();
}

void receive(Queue& queue) {
  Message m;
  Request request;
  for (Backoff backoff; !queue.receive(m, request);) backoff.pause_or_sleep();
  if (!request.done()) queue.wait(request);
  queue.release(m);
}

// The one-way latency between ranks 0 and 1 in seconds.
double queue_latency(World& world, Queue& queue, std::span<const std::byte> bytes, long iterations) {
  world.barrier();
  const RankTimer timer(world);
  if (world.rank() < 2) {
    Request request;
    for (long i = 0; i < iterations; ++i) {
      if (world.rank() == 0) send(queue, 1, bytes, request);
      receive(queue);
      if (world.rank() == 1) send(queue, 0, bytes, request);
      if (!request.done()) queue.wait(request);
    }
  }
  const double seconds = timer.seconds();
  world.barrier();
  return seconds / static_cast<double>(iterations) / 2;
}

// Messages per second from rank 0 to rank 1, until the last is received; `batch` of them are sent at a time.
double queue_rate(World& world, Queue& queue, long messages, std::size_t batch, int threads) {
  const std::vector<std::byte> bytes(kRateBytes);
  std::atomic<long> left_to_send{messages}, left_to_receive{messages};
  world.barrier();
  const RankTimer timer(world);
  auto one_thread = [&] {
    if (world.rank() == 0) {
      std::vector<Queue::Short> some(batch, {bytes.data(), bytes.size(), 0});
      Request request;
      const long share = messages / threads;
      for (long sent = 0; sent < share;) {
        const std::size_t n = std::min<std::size_t>(batch, static_cast<std::size_t>(share - sent));
        if (batch == 1) {
          send(queue, 1, bytes, request);
          ++sent;
        } else {
          Backoff backoff;
          for (std::size_t done = 0; done < n;) {
            const std::size_t now = queue.send_many(1, std::span(some).first(n - done));
            done += now;
            if (now > 0)
              backoff.reset();
            else
              backoff.pause_or_sleep();
          }
          sent += static_cast<long>(n);
        }
      }
    } else if (world.rank() == 1) {
      constexpr std::size_t kMost = 64;
      Message some[kMost];
      Request request;
      Backoff backoff;
      const long all = messages / threads * threads;
      long before = messages - all;
      left_to_receive.fetch_sub(before);
      while (left_to_receive.load(std::memory_order_relaxed) > 0) {
        std::size_t n = 0;
        if (batch == 1) {
          n = queue.receive(some[0], request) ? 1 : 0;
        } else {
          n = queue.receive_many(some, request);
        }
        for (std::size_t i = 0; i < n; ++i) queue.release(some[i]);
        if (n > 0) {
          left_to_receive.fetch_sub(static_cast<long>(n), std::memory_order_relaxed);
          backoff.reset();
        } else {
          backoff.pause_or_sleep();
        }
      }
    }
  };
  if (threads == 1) {
    one_thread();
  } else {
    world.team().run([&](int thread) {
      if (thread < threads) one_thread();
    });
  }
  world.barrier();
  return static_cast<double>(messages) / timer.seconds();
}

// The number of round trips that take a tenth of a second: layers differ by a factor of thousands.
long affordable(World& world, double one_way_s) {
  constexpr double kSeconds = 0.1;
  constexpr long kFewest = 20, kMost = 10000;
  const double slowest = world.fold(one_way_s, [](double a, double b) { return std::max(a, b); });
  return std::clamp(static_cast<long>(kSeconds / 2 / slowest), kFewest, kMost);
}

using Series = std::map<std::string, std::vector<double>>;

std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] / b[i]);
  return out;
}

Outcome measure(World& world, int rounds) {
  check(world.size() >= 2, "bench queue on {} rank (two are needed). Give --ranks 2.", world.size());
  auto* mpi = dynamic_cast<MpiFabric*>(&world.fabric().network());
  auto* ofi = dynamic_cast<OfiFabric*>(&world.fabric().network());
  ReceiveBuffers buffers;
  Queue queue(world, buffers.options());
  const std::size_t sizes[] = {8, 64, 512, 4096, 65536, 1 << 20, 4 << 20};
  std::map<std::size_t, Series> latency;
  std::map<std::size_t, long> iterations;
  Series rate;
  std::vector<double> ping;
  const std::vector<std::byte> text(sizes[std::size(sizes) - 1]);
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    const double own_ping = world.rank() == 0 ? cache_line_ping_ns() : 0;
    if (round >= 0) ping.push_back(own_ping);
    auto note = [&](Series& series, const char* name, double value) {
      if (round >= 0) series[name].push_back(value);
    };
    for (const std::size_t bytes : sizes) {
      if (round < 0)
        iterations[bytes] = affordable(world, queue_latency(world, queue, std::span(text).first(bytes), 20));
      const long n = iterations[bytes];
      Series& series = latency[bytes];
      note(series, "queue", queue_latency(world, queue, std::span(text).first(bytes), n));
      if (mpi) {
        note(series, "no_probe", mpi->raw_latency(RawMode::no_probe, bytes, n));
        note(series, "iprobe", mpi->raw_latency(RawMode::iprobe, bytes, n));
        note(series, "improbe", mpi->raw_latency(RawMode::improbe, bytes, n));
      }
      constexpr std::size_t kRawMost = 65536;
      if (ofi && bytes <= kRawMost) note(series, "libfabric", ofi->raw_latency(bytes, static_cast<int>(n)));
    }
    constexpr long kMessages = 300000;
    constexpr int kWindow = 64;
    note(rate, "queue", queue_rate(world, queue, kMessages, 1, 1));
    note(rate, "queue_batched", queue_rate(world, queue, kMessages, 32, 1));
    for (int t = 2; t <= world.team().size(); ++t)
      note(rate, fmt::format("queue_{}_threads", t).c_str(), queue_rate(world, queue, kMessages, 1, t));
    if (mpi) {
      note(rate, "no_probe", mpi->raw_rate(RawMode::no_probe, kRateBytes, kMessages, kWindow));
      note(rate, "iprobe", mpi->raw_rate(RawMode::iprobe, kRateBytes, kMessages, kWindow));
      note(rate, "improbe", mpi->raw_rate(RawMode::improbe, kRateBytes, kMessages, kWindow));
    }
    if (ofi) note(rate, "libfabric", ofi->raw_rate(kRateBytes, kMessages / 10));
  }

  Outcome outcome;
  outcome.text =
      fmt::format("two ranks, {}{}; cache line {:.0f} ns one way; medians of {} rounds\n", world.fabric().name(),
                  mpi   ? ", beside " + mpi->library()
                  : ofi ? ", beside libfabric " + ofi->provider()
                        : std::string(),
                  median(ping), rounds);
  nlohmann::json by_size = nlohmann::json::array();
  for (const auto& [bytes, series] : latency) {
    nlohmann::json row{{"bytes", bytes}};
    std::string line = fmt::format("{:>8} B ", bytes);
    for (const auto& [name, seconds] : series) {
      row["one_way_us"][name] = median(seconds) * 1e6;
      line += fmt::format("  {} {:.3f} us", name, median(seconds) * 1e6);
    }
    outcome.text += line + "\n";
    by_size.push_back(std::move(row));
  }
  outcome.result = {
      {"latency", by_size}, {"rate_bytes", kRateBytes}, {"cache_line_ping_ns", median(ping)}, {"rounds", rounds}};
  std::string line = fmt::format("{:>8} B ", kRateBytes);
  for (const auto& [name, per_second] : rate) {
    outcome.result["messages_per_second"][name] = median(per_second);
    line += fmt::format("  {} {:.2f} M/s", name, median(per_second) / 1e6);
  }
  outcome.text += line + "\n";
  auto put_ratio = [&](const char* name, const std::vector<double>& a, const std::vector<double>& b) {
    const std::vector<double> r = ratios(a, b);
    outcome.result[name] = median(r);
    outcome.text += fmt::format("{:<40} {:.2f} ({:.2f} to {:.2f})\n", name, median(r),
                                *std::min_element(r.begin(), r.end()), *std::max_element(r.begin(), r.end()));
  };
  if (mpi) {
    put_ratio("latency_ratio_to_mpi_noprobe", latency[8]["queue"], latency[8]["no_probe"]);
    put_ratio("bandwidth_ratio_to_mpi_1MiB", latency[1 << 20]["no_probe"], latency[1 << 20]["queue"]);
    put_ratio("rate_ratio_to_mpi_noprobe", rate["queue"], rate["no_probe"]);
    put_ratio("rate_ratio_to_mpi_probe", rate["queue"], rate["iprobe"]);
    put_ratio("batched_rate_ratio_to_mpi_noprobe", rate["queue_batched"], rate["no_probe"]);
  }
  if (ofi)
    for (const std::size_t bytes : {8, 64, 512, 4096})
      put_ratio(fmt::format("latency_ratio_to_libfabric_{}B", bytes).c_str(), latency[bytes]["queue"],
                latency[bytes]["libfabric"]);
  nlohmann::json retries;
  const auto counts = queue.retries();
  for (int i = 1; i < kRetryReasons; ++i) retries[std::string(name_of(static_cast<Retry>(i)))] = counts[i];
  outcome.result["retries"] = retries;
  return outcome;
}

}  // namespace

int bench_queue(const Words& words) {
  Command command("bench queue", "Latency and rate of single messages between ranks 0 and 1.");
  int rounds = 5;
  command.app().add_option("--rounds", rounds, "interleaved repetitions (default 5)")->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return measure(world, rounds); });
}

}  // namespace atl::cli
