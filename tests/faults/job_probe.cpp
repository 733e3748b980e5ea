// SPDX-License-Identifier: Apache-2.0
// A command with several ranks for test_jobs.py, which runs it under launchers and kills its ranks.
//
//     job_probe RANKS sum|exchange|queue|wait|code CODE|code-of-one CODE|leave CODE
//     job_probe RANKS compute-SECONDS        the last rank computes while the others wait
//     job_probe RANKS all-pairs FOLDER       resumes from the checkpoint there; prints a hash of the distances
//     job_probe RANKS rendezvous-before|rendezvous-during|rendezvous-after    the last rank sends, stops there, is killed
#include <unistd.h>

#include <algorithm>
#include <atoll/apsp/store/checkpoint.hpp>
#include <atoll/base/random.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/queue/queue.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>

using namespace atl;

namespace {

struct Visit {
  std::uint64_t what;
};

// Every thread of every rank sends records to all ranks, a third of which cause another record; the sums must agree.
struct Ledger {
  std::atomic<std::uint64_t> sent{0}, sum_sent{0}, got{0}, sum_got{0};
  void send(std::uint64_t what) { ++sent, sum_sent += what; }
  void get(std::uint64_t what) { ++got, sum_got += what; }
};

struct Answering {
  Ledger& ledger;
  std::function<void(Visit)>& answer;
  void operator()(const Visit& v) const {
    ledger.get(v.what);
    if (v.what % 3 == 0) answer({v.what + 1});
  }
};

void exchange(World& world, long records) {
  const auto ranks = static_cast<std::uint64_t>(world.size());
  Ledger ledger;
  std::function<void(Visit)> answer;
  Mailbox box(world, of_records<Visit>(Answering{ledger, answer}));
  answer = [&](Visit v) {
    ledger.send(v.what);
    box.send(static_cast<Rank>(v.what % ranks), v);
  };
  world.team().run([&](int thread) {
    Random random(static_cast<std::uint64_t>(world.rank() * world.team().size() + thread) + 1);
    for (long i = 0; i < records; ++i) {
      const Visit v{random() >> 20};
      ledger.send(v.what);
      box.send(static_cast<Rank>(random.below(ranks)), v);
    }
  });
  box.drain();
  const auto sent = world.sum(ledger.sent.load()), got = world.sum(ledger.got.load());
  const auto sum_sent = world.sum(ledger.sum_sent.load()), sum_got = world.sum(ledger.sum_got.load());
  world.agree(sent == got && sum_sent == sum_got,
              fmt::format("{} records were sent and {} arrived (each must arrive once). Mend the fabric.", sent, got));
  if (world.rank() == 0) std::printf("%llu records\n", static_cast<unsigned long long>(got));
}

void stop_here(const World& world) {
  std::fprintf(stderr, "rank %d pid %d\n", world.rank(), getpid());
  if (world.rank() == world.size() - 1) std::this_thread::sleep_for(std::chrono::minutes(1));
}

void compute(World& world, double seconds) {
  std::fprintf(stderr, "rank %d pid %d\n", world.rank(), getpid());
  for (const Timer timer; world.rank() == world.size() - 1 && timer.seconds() < seconds;) {
  }
  world.barrier();
  if (world.rank() == 0) std::printf("computed\n");
}

// Every rank sends messages of all lengths to every other; the sums must agree.
void talk(World& world, std::uint32_t messages) {
  Queue queue(world);
  std::vector<std::byte> text(100000);
  Random random(static_cast<std::uint64_t>(world.rank()));
  const std::uint64_t expected = messages * static_cast<std::uint64_t>(world.size() - 1);
  std::uint64_t got = 0, bytes_sent = 0, bytes_got = 0;
  Message m;
  Request came, sent;
  auto receive = [&] {
    if (!queue.receive(m, came)) return;
    queue.wait(came);
    bytes_got += m.bytes;
    queue.release(m);
    ++got;
  };
  for (std::uint32_t i = 0; i < messages; ++i)
    for (Rank to = 0; to < world.size(); ++to) {
      if (to == world.rank()) continue;
      const std::size_t bytes = random.below(i % 50 == 0 ? text.size() : 200);
      bytes_sent += bytes;
      while (!queue.send(to, 0, std::span(text).first(bytes), sent)) receive();
      while (!sent.done()) {
        receive();
        queue.progress();
      }
    }
  while (got < expected) {
    queue.wait_for_message();
    receive();
  }
  const auto all_sent = world.sum(bytes_sent), all_got = world.sum(bytes_got);
  world.agree(all_sent == all_got, fmt::format("{} bytes were sent and {} arrived (each must arrive once). Mend the "
                                               "queue.",
                                               all_sent, all_got));
  if (world.rank() == 0) std::printf("%llu bytes\n", static_cast<unsigned long long>(all_got));
}

// The last rank sends a message that needs a rendezvous to rank 0, and stops: after the announcement, after some of the
// bytes, or after all of them were received.
void rendezvous(World& world, const std::string& when) {
  Queue queue(world);
  Message m;
  Request request;
  if (world.rank() == world.size() - 1) {
    const std::vector<std::byte> text(std::size_t{64} << 20);
    while (!queue.send(0, 0, text, request)) {
    }
    if (when == "during")
      while (!request.done() && queue.describe().find(" 0 rendezvous have") != std::string::npos) queue.progress();
    if (when == "after") queue.wait(request);
    stop_here(world);
  } else {
    stop_here(world);
    if (world.rank() == 0) {
      queue.wait_for_message();
      while (!queue.receive(m, request)) {
      }
      queue.wait(request);
      queue.release(m);
    }
  }
  world.barrier();
}

// All pairs of a random graph, slowly, one pivot at a time; saved before every step.
void all_pairs(World& world, const std::string& folder) {
  const GridLayout layout(120, 8, {world.size(), 1});
  const int row = layout.grid.row_of(world.rank());
  const std::int64_t n = layout.rows.size;
  Distances<std::int32_t> d{layout, Matrix<std::int32_t>(layout.rows.size_on(row), n)};
  for (std::int64_t r = 0; r < d.local.rows(); ++r)
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t i = layout.rows.index_of(row, r);
      const std::uint64_t word = random_at(1, static_cast<std::uint64_t>(i * n + j));
      d.local(r, j) = i == j           ? 0
                      : word % 20 == 0 ? static_cast<std::int32_t>(word >> 32 & 1023) + 1
                                       : kNoPath<std::int32_t>;
    }
  std::fprintf(stderr, "rank %d pid %d\n", world.rank(), getpid());
  Checkpoint checkpoint(
      world, {.folder = folder, .every_steps = 1, .run = {n, Element::int32, Semiring::min_plus, hash_of(world, d)}});
  std::int64_t step = 0;
  if (auto saved = checkpoint.load<std::int32_t>(layout)) {
    step = saved->step;
    d = std::move(saved->distances);
  }
  const std::int64_t first = step;
  std::vector<std::int32_t> pivot(static_cast<std::size_t>(n));
  for (; step < layout.rows.blocks(); ++step) {
    if (const Due due = checkpoint.due(step); due != Due::no) {
      checkpoint.save(step, d);
      if (due == Due::save_and_end) {
        if (world.rank() == 0) std::printf("left at step %lld\n", static_cast<long long>(step));
        return;
      }
    }
    for (std::int64_t k = layout.rows.begin_of(step); k < layout.rows.begin_of(step) + layout.rows.length_of(step);
         ++k) {
      const Rank owner = layout.owner(k, 0);
      if (owner == world.rank()) std::ranges::copy(d.local.view().row(layout.rows.local_of(k)), pivot.begin());
      world.broadcast(std::span(pivot), owner);
      for (std::int64_t r = 0; r < d.local.rows(); ++r)
        for (std::int64_t j = 0; j < n; ++j)
          d.local(r, j) = std::min(d.local(r, j), d.local(r, k) + pivot[static_cast<std::size_t>(j)]);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const std::uint64_t hash = hash_of(world, d);
  if (world.rank() == 0)
    std::printf("from step %lld: %016llx\n", static_cast<long long>(first), static_cast<unsigned long long>(hash));
}

void act(World& world, const std::string& what, const std::string& argument) {
  const int code = std::atoi(argument.c_str());
  if (what == "sum") {
    const int sum = world.sum(world.rank());
    if (world.rank() == 0)
      std::printf("%d ranks, sum %d, %s, %s\n", world.size(), sum, std::string(world.fabric().name()).c_str(),
                  world.hierarchy().depth() > 1 ? "domains" : "flat");
  } else if (what == "exchange") {
    exchange(world, 200000);
  } else if (what == "queue") {
    talk(world, 500);
  } else if (what == "all-pairs") {
    all_pairs(world, argument);
  } else if (what.starts_with("rendezvous-")) {
    rendezvous(world, what.substr(what.find('-') + 1));
  } else if (what.starts_with("compute-")) {
    compute(world, std::atof(what.c_str() + what.find('-') + 1));
  } else if (what == "wait") {
    world.barrier();  // MPI windows are created at first use, and a peer that stops meanwhile leaves MPI spinning
    stop_here(world);
    world.barrier();
  } else if (what == "code") {  // the same error everywhere
    world.collective_try([&] {
      if (code == 1) throw TransportError("told to leave with 1");
      if (code == 2) throw UsageError("told to leave with 2");
      if (code == 3) throw InputError("told to leave with 3");
    });
  } else if (what == "code-of-one") {  // outside a collective that the others enter
    if (world.rank() == world.size() - 1) throw InputError("rank alone");
    world.barrier();
  } else if (what == "leave") {
    if (world.rank() == world.size() - 1) _exit(code);
    world.barrier();
  }
}

void print(const std::exception& e) { std::fprintf(stderr, "error: %s\n", e.what()); }

int code_of(const std::exception& e) {
  switch (kind_of(e)) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::input:
    case ErrorKind::io:
      return 3;
    default:
      return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> command(argv, argv + argc);
  try {
    Job job(argc > 1 ? std::atoi(argv[1]) : 0, Plan::from_environment({}), command);
    if (job.part() == Job::Part::parent) return job.run_children();
    try {
      World::Options options;
      options.alarm =
          Log([](LogLevel, std::string_view text) { std::fprintf(stderr, "%s\n", std::string(text).c_str()); });
      job.run([&](World& world) { act(world, argc > 2 ? command[2] : "sum", argc > 3 ? command[3] : ""); }, options);
    } catch (const std::exception& e) {
      if (job.reports_errors()) print(e);
      return job.finish(code_of(e), e.what());
    }
    return job.finish(0);
  } catch (const std::exception& e) {
    print(e);
    return code_of(e);
  }
}
