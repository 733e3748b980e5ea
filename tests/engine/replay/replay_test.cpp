// SPDX-License-Identifier: Apache-2.0
// Traffic that was kept on one route and is sent again on another counts there what the program itself counts there.
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/engine/replay/replay.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/job/virtual_ranks.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include "folder.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

VirtualRun run(const std::string& domains, const Plan& plan, const std::function<void(World&)>& f) {
  const Hierarchy hierarchy = Hierarchy::parse(domains);
  return run_virtual(hierarchy, Cost::paper(hierarchy.depth()), plan, f);
}

Plan on(const std::string& route) {
  Plan plan;
  plan.route = route;
  return plan;
}

// The traffic of all ranks in their trials, and the virtual time of the slowest rank.
struct Spent {
  std::vector<LevelCount> levels;
  std::uint64_t records = 0;
  double seconds = 0;
};

// Times a trial the way the command does.
void time_trial(World& world, Spent& all, const std::function<void()>& f) {
  world.barrier();
  const Counters before = world.counters();
  const RankTimer timer(world);
  if (TrafficLog* traffic = world.traffic()) traffic->begin_trial();
  f();
  if (TrafficLog* traffic = world.traffic()) traffic->end_trial();
  const Counters spent = world.counters().since(before);
  all.levels.resize(spent.levels.size());
  for (std::size_t l = 0; l < spent.levels.size(); ++l) {
    all.levels[l].messages += spent.levels[l].messages;
    all.levels[l].bytes += spent.levels[l].bytes;
    all.levels[l].merged_bytes += spent.levels[l].merged_bytes;
  }
  all.records += spent.records;
  all.seconds = std::max(all.seconds, timer.seconds());
}

void check_equal(const Spent& a, const Spent& b) {
  REQUIRE(a.levels.size() == b.levels.size());
  for (std::size_t l = 0; l < a.levels.size(); ++l) {
    CAPTURE(l);
    CHECK(a.levels[l].messages == b.levels[l].messages);
    CHECK(a.levels[l].bytes == b.levels[l].bytes);
    CHECK(a.levels[l].merged_bytes == b.levels[l].merged_bytes);
  }
  CHECK(a.records == b.records);
  CHECK(std::abs(a.seconds - b.seconds) <= 0.05 * b.seconds);
}

struct [[gnu::packed]] Told {
  std::uint32_t key;
  double value;
};
struct KeyOfTold {
  std::uint32_t operator()(const Told& told) const { return told.key; }
};
struct AddTold {
  void operator()(Told& into, const Told& from) const { into.value = into.value + from.value; }
};
struct IgnoreTold {
  void operator()(std::span<const Told> /*told*/) const {}
};

// One of everything that a replay sends again; nothing in it depends on the route.
class Program {
 public:
  explicit Program(World& world)
      : world_(world),
        merging_(world, of_records<Told>(IgnoreTold{}, Merge{KeyOfTold{}, AddTold{}}), {.handler_sends = false}) {}

  void run(std::uint64_t round) {
    const Rank p = world_.size(), me = world_.rank();
    const auto seed = 100 * round + static_cast<std::uint64_t>(me);
    merging_.expect({.records = 300.0 * p, .keys = 40});
    for (std::uint64_t k = 0; k < 300; ++k) {
      const std::uint64_t word = random_at(seed, k);
      merging_.send(static_cast<Rank>(word % static_cast<std::uint64_t>(p)),
                    {static_cast<std::uint32_t>((word >> 32) % 40), 1});
    }
    merging_.drain({{1, 2, 3, 4}});
    world_.fold(std::array<std::int64_t, 3>{1, 2, me},
                [](const auto& a, const auto& b) { return std::array<std::int64_t, 3>{a[0] + b[0], a[1], a[2]}; });
    send_plainly();
    call_collectives();
    merging_.drain();
  }

 private:
  void send_plainly() {
    const Rank p = world_.size(), me = world_.rank();
    Mailbox plain(world_, of_records<std::uint64_t>([](std::span<const std::uint64_t>) {}));  // two votes
    for (Rank k = 0; k < 7 * me; ++k) plain.send((me + 1 + k % 2) % p, 5);
    plain.drain();
    Mailbox asking(world_, of_records<std::uint32_t>([](Rank, std::span<const std::uint32_t>) {}),
                   {.handler_sends = false});
    for (Rank to = 0; to < p; ++to) asking.send(to, 5);
    asking.drain();
  }

  void call_collectives() {
    const Rank p = world_.size(), me = world_.rank();
    world_.all_gather(std::array<char, 5>{});
    std::vector<int> words(100, me);
    world_.broadcast(std::span<int>(words), p - 1);
    world_.all_gather_varying(std::span<const int>(words).first(static_cast<std::size_t>(me)));
    std::vector<std::vector<int>> outgoing(static_cast<std::size_t>(p));
    for (Rank to = 0; to < p; ++to)
      outgoing[static_cast<std::size_t>(to)].resize(static_cast<std::size_t>(me + to) % 3);
    world_.exchange(std::move(outgoing));
    world_.barrier();
    const std::uint64_t tag = world_.next_tag();
    std::vector<std::byte> bytes(500);
    if (p > 1) {
      world_.send((me + 1) % p, tag, bytes);
      world_.receive((me + p - 1) % p, tag, bytes);
    }
    std::vector<std::size_t> to(static_cast<std::size_t>(p)), from(to);
    to[static_cast<std::size_t>((me + 1) % p)] = 2;
    from[static_cast<std::size_t>((me + p - 1) % p)] = 2;
    constexpr std::size_t kCapacity = 200;
    NeighborAlltoallv alltoallv(world_, kCapacity, to, from);
    for (int round = 0; round < 2; ++round)
      alltoallv.exchange(
          [&](int, NeighborAlltoallv::Writer& writer, Rank, std::size_t item) {
            for (std::size_t part = 0; part <= item; ++part) {
              std::memset(writer.reserve(kCapacity / 3), 0, kCapacity / 3);
              writer.commit(kCapacity / 3);
            }
          },
          [](Rank, std::span<const std::byte>) {});
  }

  World& world_;
  Mailbox<Told, IgnoreTold, Merge<KeyOfTold, AddTold>> merging_;
};

// Changed values of masters go to their mirrors, and back.
class Mirroring {
 public:
  explicit Mirroring(World& world)
      : graph_(Graph::build(world, generate(world, "kron:7"))),
        exchange_(graph_),
        values_(static_cast<std::size_t>(graph_.locals()), 0),
        changed_(graph_.locals()) {}

  void run(std::uint64_t round) {
    changed_.clear();
    for (Local v = 0; v < graph_.active(); ++v)
      if (random_at(round, static_cast<std::uint64_t>(graph_.id_of(v))) % 3 == 0) changed_.set(v);
    exchange_.broadcast({values_.data(), values_.size()}, changed_);
    exchange_.reduce({values_.data(), values_.size()}, changed_);
  }

 private:
  const Graph graph_;
  MirrorExchange<float, MinOf> exchange_;
  Array<float> values_;
  VertexBits changed_;
};

// Two trials of a program that warms up, kept if there is a path.
template <class P>
Spent spent_by(const std::string& domains, const Plan& plan, const std::string& path = "") {
  Spent all;
  run(domains, plan, [&](World& world) {
    if (!path.empty()) keep_traffic(world);
    P program(world);
    if (TrafficLog* traffic = world.traffic()) traffic->begin_trial(TrafficLog::Trial::warms_up);
    program.run(3);
    if (TrafficLog* traffic = world.traffic()) traffic->end_trial();
    for (std::uint64_t round = 1; round <= 2; ++round) time_trial(world, all, [&] { program.run(round); });
    if (!path.empty()) save_traffic(world, path, "a program");
  });
  return all;
}

Spent spent_by_replay(const std::string& domains, const Plan& plan, const std::string& path) {
  Spent all;
  run(domains, plan, [&](World& world) {
    Replay replay(world, path);
    CHECK(replay.trials() == 2);
    CHECK(replay.about() == "a program");
    while (replay.next()) time_trial(world, all, [&] { replay.run(); });
  });
  return all;
}

std::vector<std::string> relayed_routes() {
  std::vector<std::string> all = Route::all_names();
  std::erase(all, "direct");
  all.emplace_back("auto");
  return all;
}

std::string error_of(const std::string& domains, const Plan& plan, const std::string& path) {
  try {
    spent_by_replay(domains, plan, path);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("records and collectives of one route count on each route what the program counts there") {
  const files::Folder folder;
  const std::string path = folder / "program.traffic";
  for (const std::string domains : {"2x2", "3+2", "2x2x2"}) {
    CAPTURE(domains);
    const Spent plain = spent_by<Program>(domains, on("domain"));
    check_equal(spent_by<Program>(domains, on("domain"), path), plain);  // keeping costs no messages
    std::vector<std::string> routes = relayed_routes();
    routes.emplace_back("direct");
    for (const std::string& route : routes) {
      CAPTURE(route);
      check_equal(spent_by_replay(domains, on(route), path), spent_by<Program>(domains, on(route)));
    }
  }
}

TEST_CASE("values for many ranks count on each route what a broadcast and a reduce count there") {
  const files::Folder folder;
  const std::string path = folder / "mirroring.traffic";
  for (const std::string domains : {"2x2", "3+2", "2x2x2"})
    for (const std::string kept_on : {"domain", "row"}) {
      if (shapes::kSanitized && kept_on == "row") continue;
      CAPTURE(domains);
      CAPTURE(kept_on);
      spent_by<Mirroring>(domains, on(kept_on), path);
      for (const std::string& route : relayed_routes()) {
        CAPTURE(route);
        check_equal(spent_by_replay(domains, on(route), path), spent_by<Mirroring>(domains, on(route)));
      }
    }
}

TEST_CASE("traffic is sent again with other monitors, without savings and by other buffers") {
  const files::Folder folder;
  const std::string path = folder / "program.traffic";
  spent_by<Program>("2x4", on("row"), path);
  std::vector<Plan> plans(5, on("domain"));
  plans[0].monitors = "one";
  plans[1].monitors = "single";
  plans[2].without = "merging,closing";
  plans[3].lane_bytes = 0;
  plans[4].slot_bytes = 512;
  for (const Plan& plan : plans) {
    CAPTURE(plan.monitors);
    CAPTURE(plan.without);
    CAPTURE(plan.lane_bytes);
    CAPTURE(plan.slot_bytes);
    check_equal(spent_by_replay("2x4", plan, path), spent_by<Program>("2x4", plan));
  }
}

TEST_CASE("messages of route direct are sent again there, and on no other route") {
  const files::Folder folder;
  const std::string path = folder / "mirroring.traffic";
  const Spent kept = spent_by<Mirroring>("2x2", on("direct"), path);
  check_equal(spent_by_replay("2x2", on("direct"), path), kept);
  CHECK(error_of("2x2", on("row"), path).find("kept on route direct") != std::string::npos);
}

TEST_CASE("one rank alone") {
  const files::Folder folder;
  const std::string path = folder / "program.traffic";
  const Spent kept = spent_by<Program>("1", on("domain"), path);
  check_equal(spent_by_replay("1", on("domain"), path), kept);
}

TEST_CASE("ranks that are threads keep their traffic and send it again") {
  const files::Folder folder;
  const std::string path = folder / "program.traffic";
  Plan plan = on("domain");
  plan.domains = "2x2";
  plan.threads = 2;
  std::uint64_t kept = 0, again = 0;
  const auto records = [](World& world, const std::function<void()>& f) {
    Spent mine;
    time_trial(world, mine, f);
    return world.sum(mine.records);
  };
  run_ranks(4, plan, [&](World& world) {
    keep_traffic(world);
    Program program(world);
    const std::uint64_t sum = records(world, [&] { program.run(1); });
    save_traffic(world, path, "a program");
    if (world.rank() == 0) kept = sum;
  });
  run_ranks(4, plan, [&](World& world) {
    Replay replay(world, path);
    CHECK(replay.next());
    const std::uint64_t sum = records(world, [&] { replay.run(); });
    CHECK(!replay.next());
    if (world.rank() == 0) again = sum;
  });
  CHECK(kept > 4 * 300);
  CHECK(again == kept);
}

TEST_CASE("a file of other ranks or with other steps on one of them is refused by all ranks") {
  const files::Folder folder;
  const std::string path = folder / "program.traffic";
  spent_by<Program>("2x2", on("domain"), path);
  const std::string other = error_of("3", on("direct"), path);
  CHECK(other.find(path + ": has the traffic of 4 ranks (this job has 3)") == 0);
  CHECK(other.find("--ranks 4") != std::string::npos);

  TrafficFile file = read_traffic(path);
  const std::vector<std::vector<std::byte>> good = file.parts;
  file.parts[2].clear();
  write_traffic(path, file);
  CHECK(error_of("2x2", on("domain"), path).find("do not take the same steps") != std::string::npos);

  // Any damage that a checksum was made for: each rank throws, or all have alike steps.
  Random random(3);
  int refused = 0;
  for (int turn = 0; turn < (shapes::kSanitized ? 20 : 200); ++turn) {
    file.parts = good;
    std::vector<std::byte>& part = file.parts[random() % 4];
    part[random() % part.size()] = static_cast<std::byte>(random());
    write_traffic(path, file);
    refused += !error_of("2x2", on("domain"), path).empty();
  }
  CHECK(refused > 10);
}

TEST_CASE("traffic beyond its share of memory is refused on all ranks, and nothing is written") {
  const files::Folder folder;
  const std::string path = folder / "program.traffic";
  std::string why;
  try {
    run("2x2", on("domain"), [&](World& world) {
      world.keep_traffic(world.rank() == 1 ? 500 : 1 << 20);  // rank 1 would keep 929
      Program program(world);
      Spent all;
      time_trial(world, all, [&] { program.run(1); });
      save_traffic(world, path, "a program");
    });
  } catch (const InputError& e) {
    why = e.what();
  }
  CHECK(why.find(path + ": the traffic of rank 1 takes more than 500 bytes") == 0);
  CHECK(folder.names().empty());
}
