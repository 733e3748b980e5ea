// SPDX-License-Identifier: Apache-2.0
// A command of several ranks that does as it is told: what test_jobs.py runs under launchers and kills.
//
//     job_probe RANKS sum|exchange|wait|code CODE|code-of-one CODE|leave CODE
#include <unistd.h>

#include <atoll/base/random.hpp>
#include <atoll/runtime/launch.hpp>
#include <atoll/runtime/mailbox.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>

using namespace atl;

namespace {

struct Visit {
  std::uint64_t what;
};

// Every thread of every rank sends records to all ranks, of which a third cause one more; the sums must
// agree.
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

void act(World& world, const std::string& what, int code) {
  if (what == "sum") {
    const int sum = world.sum(world.rank());
    if (world.rank() == 0)
      std::printf("%d ranks, sum %d, %s, %s\n", world.size(), sum, std::string(world.fabric().name()).c_str(),
                  world.hierarchy().depth() > 1 ? "domains" : "flat");
  } else if (what == "exchange") {
    exchange(world, 200000);
  } else if (what == "wait") {
    std::fprintf(stderr, "rank %d pid %d\n", world.rank(), getpid());
    if (world.rank() == world.size() - 1) sleep(60);
    world.barrier();
  } else if (what == "code") {  // the same error everywhere
    world.together([&] {
      if (code == 1) throw TransportError("told to leave with 1");
      if (code == 2) throw UsageError("told to leave with 2");
      if (code == 3) throw InputError("told to leave with 3");
    });
  } else if (what == "code-of-one") {  // past a collective that the others enter
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
      job.run([&](World& world) { act(world, argc > 2 ? command[2] : "sum", argc > 3 ? std::atoi(argv[3]) : 0); });
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
