// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/transport/shared_memory/inproc.hpp>
#include <atoll/transport/shared_memory/node_fabric.hpp>
#include <atoll/transport/shared_memory/shared_segment.hpp>
#include <atoll/transport/shared_memory/shm.hpp>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "runtime/aggregation/exchange.hpp"
#include "transport/meeting.hpp"

using namespace atl;

namespace {

std::string job_name(const std::string& test) { return fmt::format("t{}{}", getpid(), test); }

// Names in /dev/shm of this user's job.
std::vector<std::string> names_of(const std::string& job) {
  std::vector<std::string> names;
  const std::string prefix = fmt::format("atoll.{}.{}.", getuid(), job);
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (const std::string name = entry.path().filename(); name.starts_with(prefix)) names.push_back(name);
  return names;
}

void all_well(const std::vector<std::string>& errors) {
  for (const std::string& e : errors) CHECK(e == "");
}

Plan quick(const char* progress = "inline") {
  Plan plan;
  plan.threads = 1;
  plan.slots_per_peer = 2;
  plan.eager_bytes = 200;
  plan.packets = 32;
  plan.progress = progress;
  plan.timeout_seconds = 60;
  return plan;
}

// Small enough that all of it is reused many times.
ShmOptions small(std::uint64_t seed = 0) {
  return {.slot_bytes = 512, .slots_per_peer = 2, .ring_bytes = 1024, .control_ring_bytes = 256, .shuffle_seed = seed};
}

// Each rank sends `count` packets of every kind of traffic to every other: each arrives whole, exactly once, and
// messages in order.
void talk(Fabric& fabric, std::uint32_t count) {
  const Rank me = fabric.rank();
  constexpr int kKinds = 3;
  struct Peer {
    std::uint32_t sent[kKinds] = {}, got[kKinds] = {};
  };
  std::vector<Peer> peers(static_cast<std::size_t>(fabric.size()));
  int broken = 0, disordered = 0;
  // Encodes sender and number, followed by bytes derived from both.
  auto text = [](Rank from, std::uint32_t number, std::size_t bytes) { return text_of(from, number, bytes); };
  auto length = [&](Packet::What what, std::uint32_t number) -> std::size_t {
    const std::size_t most = what == Packet::What::control   ? kControlBytes
                             : what == Packet::What::message ? fabric.message_bytes()
                                                             : fabric.slot_bytes();
    return 4 + number * 13 % (most - 3);  // the sender's number first, then text
  };
  auto send = [&](Rank to, Packet::What what, std::uint32_t number) {
    std::vector<std::byte> bytes(length(what, number));
    std::memcpy(bytes.data(), &number, sizeof number);
    const auto rest = text(me, number, bytes.size() - 4);
    std::copy(rest.begin(), rest.end(), bytes.begin() + 4);
    if (what != Packet::What::bulk)
      return fabric.send(to, what == Packet::What::control ? Traffic::control : Traffic::message,
                         {number, static_cast<std::uint8_t>(me)}, bytes);
    Slot slot;
    const Busy busy = fabric.acquire(to, slot);
    if (busy != Busy::no) return busy;
    CHECK(slot.capacity == fabric.slot_bytes());
    std::copy(bytes.begin(), bytes.end(), slot.data);
    fabric.publish(slot, bytes.size());
    return busy;
  };
  auto some_left = [&] {
    for (Rank r = 0; r < fabric.size(); ++r)
      for (int k = 0; r != me && k < kKinds; ++k)
        if (peers[static_cast<std::size_t>(r)].sent[k] < count || peers[static_cast<std::size_t>(r)].got[k] < count)
          return true;
    return false;
  };
  while (some_left()) {
    for (Rank to = 0; to < fabric.size(); ++to)
      for (int k = 0; to != me && k < kKinds; ++k)
        if (auto& sent = peers[static_cast<std::size_t>(to)].sent[k];
            sent < count && send(to, static_cast<Packet::What>(k), sent) == Busy::no)
          ++sent;
    Packet packets[5];
    const int n = fabric.poll(packets);
    for (int i = 0; i < n; ++i) {
      const Packet& p = packets[i];
      std::uint32_t number = 0;
      std::memcpy(&number, p.data, sizeof number);
      const std::uint32_t got = peers[static_cast<std::size_t>(p.from)].got[static_cast<int>(p.what)]++;
      const auto rest = text(p.from, number, p.bytes - 4);
      broken += p.bytes != length(p.what, number) || !std::equal(rest.begin(), rest.end(), p.data + 4);
      if (p.what != Packet::What::bulk) {
        broken += p.note != Note{number, static_cast<std::uint8_t>(p.from)};
        disordered += number != got;
      }
      fabric.release(p);
    }
    if (n == 0) std::this_thread::yield();
  }
  CHECK(broken == 0);
  CHECK(disordered == 0);
}

}  // namespace

TEST_CASE("shm: every kind of traffic arrives whole, once, and messages in order") {
  for (const Rank ranks : {2, 3, 5})
    for (const std::uint64_t seed : {0U, 1U}) {
      CAPTURE(ranks);
      CAPTURE(seed);
      Meeting job(job_name("talk"), ranks);
      all_well(job.run([&](Bootstrap& me) {
        auto fabric = join_shm(me, small(seed));
        CHECK(fabric->name() == "shm");
        CHECK(fabric->size() == ranks);
        CHECK(fabric->node_of(ranks - 1) == 0);
        CHECK_FALSE(fabric->can_put(0));
        talk(*fabric, 500);
      }));
      CHECK(names_of(job_name("talk")).empty());
    }
}

TEST_CASE("shm: a sender follows the layout of the inbox that it writes to, whatever its own") {
  Meeting job(job_name("unequal"), 3);
  all_well(job.run([&](Bootstrap& me) {
    const auto r = static_cast<std::size_t>(me.rank());
    ShmOptions mine{.slot_bytes = 256 + 192 * r,
                    .slots_per_peer = static_cast<int>(1 + 3 * r),
                    .ring_bytes = std::size_t{4096} >> (2 * r),
                    .control_ring_bytes = std::size_t{64} << r};
    auto fabric = join_shm(me, mine);
    // The limits that hold for all.
    CHECK(fabric->slot_bytes() == 256);
    CHECK(fabric->message_bytes() == ring::message_bytes(4096 >> 4));
    talk(*fabric, 500);
    me.gather("");  // before rank 0 sends what the others must not receive in talk()
    World world(std::move(fabric), quick(), Hierarchy::flat(3));
    exchange(world, 60, {0, 8, 56, 57, 300, 5000});
    world.close();
  }));
}

TEST_CASE("shm: queues over segments that each rank maps itself") {
  for (const char* progress : {"inline", "thread"})
    for (const Rank ranks : {1, 2, 4})
      for (const std::uint64_t seed : {0U, 3U}) {
        CAPTURE(progress);
        CAPTURE(ranks);
        CAPTURE(seed);
        Meeting job(job_name("queue"), ranks);
        all_well(job.run([&](Bootstrap& me) {
          World world(join_shm(me, small(seed)), quick(progress), Hierarchy::flat(ranks));
          exchange(world, 60, {0, 8, 55, 56, 57, 199, 200, 201, 3000, 40000});
          CHECK(world.sum(world.rank()) == ranks * (ranks - 1) / 2);
          world.close();
        }));
      }
}

TEST_CASE("shm: two simultaneous jobs on one host do not interfere") {
  std::vector<std::thread> jobs;
  std::vector<std::vector<std::string>> errors(2);
  for (const int j : {0, 1})
    jobs.emplace_back([&, j] {
      Meeting job(job_name(j ? "second" : "first"), 2);
      errors[static_cast<std::size_t>(j)] = job.run([&](Bootstrap& me) {
        World world(join_shm(me, small()), quick(), Hierarchy::flat(2));
        CHECK(world.sum(10 * j + 1) == 2 * (10 * j + 1));
        exchange(world, 100, {10, 300});
        world.close();
      });
    });
  for (std::thread& t : jobs) t.join();
  for (const auto& e : errors) all_well(e);
  CHECK(names_of(job_name("first")).empty());
  CHECK(names_of(job_name("second")).empty());
}

TEST_CASE("shm: segments of dead creators are removed, but not new ones or those of living ones") {
  constexpr int kNobody = (1 << 22) + 1;  // beyond the largest possible process number
  struct Case {
    int pid;
    double age_s;
    bool stays;
  };
  for (const Case& c : {Case{kNobody, 3600, false}, Case{kNobody, 0, true}, Case{getpid(), 3600, true}}) {
    const std::string file = fmt::format("/dev/shm/atoll.{}.{}.0.{}", getuid(), job_name("stale"), c.pid);
    CAPTURE(file);
    std::ofstream(file) << "left";
    const std::time_t then = std::time(nullptr) - static_cast<std::time_t>(c.age_s);
    const timeval times[2] = {{then, 0}, {then, 0}};
    REQUIRE(utimes(file.c_str(), times) == 0);
    // Removes leftovers, as each job does before it creates its own.
    Meeting job(job_name("after"), 2);
    all_well(job.run([&](Bootstrap& me) { join_shm(me, small()); }));
    CHECK(std::filesystem::exists(file) == c.stays);
    unlink(file.c_str());
  }
}

TEST_CASE("shm: a failure on one rank is the same error on every rank, and no name is left behind") {
  // A rank that requests more than any machine has.
  const std::string job = job_name("large");
  Meeting large(job, 3);
  auto errors = large.run([&](Bootstrap& me) {
    ShmOptions mine = small();
    if (me.rank() == 1) {
      mine.slot_bytes = (std::size_t{1} << 31) - 64;
      mine.slots_per_peer = 64;
    }
    join_shm(me, mine);
  });
  CHECK(errors[0].find("/dev/shm: ") == 0);
  CHECK(errors[0].find("MiB are free") != std::string::npos);
  for (const std::string& e : errors) CHECK(e == errors[0]);
  CHECK(names_of(job).empty());

  // A rank whose name exists already and is not ours to remove.
  const std::string taken = job_name("taken");
  const std::string name = fmt::format("/atoll.{}.{}.2.{}", getuid(), taken, getpid());
  {
    const SharedSegment other = SharedSegment::create(name, 4096);
    Meeting job_of_taken(taken, 3);
    errors = job_of_taken.run([&](Bootstrap& me) { join_shm(me, small()); });
    CHECK(errors[0].find(name) != std::string::npos);
    for (const std::string& e : errors) CHECK(e == errors[0]);
    CHECK(names_of(taken).size() == 1);
    SharedSegment::remove(name);
  }

  // An invalid plan.
  Meeting wrong(job_name("wrong"), 2);
  errors = wrong.run([&](Bootstrap& me) {
    ShmOptions mine = small();
    if (me.rank() == 0) mine.ring_bytes = 100;
    join_shm(me, mine);
  });
  CHECK(errors[0].find("a ring of 100 bytes") == 0);
  CHECK(errors[1] == errors[0]);
  CHECK(names_of(job_name("wrong")).empty());
}

TEST_CASE("shm: ranks of other emulated domains are not reached by rings") {
  Meeting job(job_name("domains"), 5);
  const std::vector<int> domains{0, 0, 1, 1, 1};
  all_well(job.run([&](Bootstrap& me) {
    ShmOptions mine = small();
    mine.may_be_apart = true;
    mine.domains = domains;
    const auto fabric = join_shm(me, mine);
    for (Rank r = 0; r < 5; ++r) {
      const bool near =
          r != me.rank() && domains[static_cast<std::size_t>(r)] == domains[static_cast<std::size_t>(me.rank())];
      CHECK(fabric->rings()->reaches(r) == near);
      CHECK((fabric->rings()->to(r) != nullptr) == near);
      CHECK(fabric->node_of(r) == 0);  // the domains are emulated
    }
  }));
}

TEST_CASE("composed: shared memory inside emulated domains, another fabric between them") {
  for (const char* network : {"inproc", "shm"})
    for (const char* progress : {"inline", "thread"})
      for (const std::uint64_t seed : {0U, 4U}) {
        CAPTURE(network);
        CAPTURE(progress);
        CAPTURE(seed);
        Meeting job(job_name("composed"), 4);
        auto inproc = make_inproc({.ranks = 4,
                                   .slot_bytes = 448,
                                   .slots_per_peer = 2,
                                   .ring_bytes = 2048,
                                   .shuffle_seed = seed,
                                   .nodes = {}});
        all_well(job.run([&](Bootstrap& me) {
          ShmOptions near = small(seed);
          near.may_be_apart = true;
          near.domains = {0, 0, 1, 1};
          auto node = join_shm(me, near);
          auto far = *network == 'i' ? std::move(inproc[static_cast<std::size_t>(me.rank())]) : join_shm(me, small());
          auto fabric = compose(std::move(node), std::move(far));
          CHECK(fabric->name() == std::string("shm+") + network);
          CHECK(fabric->slot_bytes() == (*network == 'i' ? 448 : 512));
          CHECK(fabric->message_bytes() == ring::message_bytes(1024));
          World world(std::move(fabric), quick(progress), Hierarchy::parse("2x2"));
          exchange(world, 60, {0, 56, 57, 199, 200, 201, 3000});
          CHECK(world.sum(world.rank()) == 6);
          world.close();
        }));
      }
  // All ranks are in one domain: the network is not used.
  Meeting together(job_name("near"), 2);
  all_well(together.run([&](Bootstrap& me) {
    auto fabric = compose(join_shm(me, small()), join_shm(me, small()));
    CHECK(fabric->name() == "shm");
    World world(std::move(fabric), quick(), Hierarchy::flat(2));
    exchange(world, 60, {0, 300});
    world.close();
  }));
}
