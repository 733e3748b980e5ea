// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "records.hpp"
#include "shapes.hpp"

using namespace atl;
using namespace records;

TEST_CASE("a run of records to one rank arrives whole; one to the own rank is handled in place") {
  for (const auto& [name, plan] : shapes::buffers())
    for (const Rank ranks : {1, 2, 3}) {
      CAPTURE(name);
      run_ranks(ranks, plan, [](World& world) {
        std::uint64_t sum = 0;
        Mailbox box(world, of_records<std::uint32_t>([&](std::uint32_t x) { sum += x; }));
        const std::vector<std::uint32_t> run(1000, 3);
        auto buffers = box.send_buffers();
        buffers.send_run(world.rank(), run);
        CHECK(sum >= 3000);  // plus what others have sent meanwhile
        for (Rank to = 0; to < world.size(); ++to)
          if (to != world.rank()) buffers.send_run(to, run);
        buffers.send_run((world.rank() + 1) % world.size(), {});
        box.drain();
        CHECK(sum == 3000u * static_cast<std::uint64_t>(world.size()));
      });
    }
}

TEST_CASE("the handler may take a record, a run, or a run and its sender") {
  Plan plan = shapes::buffers()[2].plan;
  run_ranks(4, plan, [](World& world) {
    std::uint64_t one = 0, run = 0, misattributed = 0, with_sender = 0;
    Mailbox a(world, of_records<Words<2>>([&](const Words<2>&) { ++one; }));
    Mailbox b(world, of_records<Words<2>>([&](std::span<const Words<2>> r) { run += r.size(); }));
    Mailbox c(world, of_records<Words<2>>([&](Rank from, std::span<const Words<2>> r) {
                for (const auto& w : r) misattributed += static_cast<Rank>(w.word[0] >> 24) != from;
                with_sender += r.size();
              }));
    for (std::size_t i = 0; i < 100; ++i)
      for (Rank to = 0; to < 4; ++to) {
        a.send(to, make<2>(world.rank(), i));
        b.send(to, make<2>(world.rank(), i));
        c.send(to, make<2>(world.rank(), i));
      }
    a.drain();
    b.drain();
    c.drain();
    CHECK(one == 400);
    CHECK(run == 400);
    CHECK(with_sender == 400);
    CHECK(misattributed == 0);
  });
}

TEST_CASE("a handler may send: chains run to their end inside one drain") {
  for (auto [name, plan] : shapes::buffers())
    for (const Rank ranks : shapes::kRanks)
      for (const int threads : {1, 2}) {
        if (threads > 1 && ranks > 3) continue;
        CAPTURE(name);
        CAPTURE(ranks);
        plan.threads = threads;
        constexpr std::uint32_t kHops = 40;
        const std::uint64_t chains = shapes::kSanitized ? 10 : 50;
        run_ranks(ranks, plan, [&](World& world) {
          struct Hop {
            std::uint32_t left, salt;
          };
          std::atomic<std::uint64_t> hops{0};
          Mailbox<Hop, std::function<void(const Hop&)>>* self = nullptr;
          std::function<void(const Hop&)> handler = [&](const Hop& h) {
            ++hops;
            if (h.left > 0)
              self->send(static_cast<Rank>(mix64(h.salt + h.left) % static_cast<std::uint64_t>(world.size())),
                         {h.left - 1, h.salt});
          };
          Mailbox<Hop, std::function<void(const Hop&)>> box(world, {handler});
          self = &box;
          for (int round = 1; round <= 2; ++round) {
            world.team().run([&](int thread) {
              for (std::uint32_t c = 0; c < chains; ++c)
                box.send(static_cast<Rank>(c % static_cast<std::uint32_t>(world.size())),
                         {kHops, c * 64 + static_cast<std::uint32_t>(thread)});
            });
            box.drain();
            const auto all = world.sum(hops.load());
            CHECK(all == static_cast<std::uint64_t>(round) * (kHops + 1) * chains *
                             static_cast<std::uint64_t>(world.size() * world.team().size()));
          }
        });
      }
}

TEST_CASE("records that double at every hop exceed any buffer and still all arrive") {
  for (const auto& [name, plan] : shapes::buffers())
    for (const Rank ranks : {1, 2, 5}) {
      CAPTURE(name);
      CAPTURE(ranks);
      const int generations = shapes::kSanitized ? 9 : 13;
      run_ranks(ranks, plan, [&](World& world) {
        using Handler = std::function<void(const std::uint64_t&)>;
        std::uint64_t seen = 0;
        Mailbox<std::uint64_t, Handler>* self = nullptr;
        Mailbox<std::uint64_t, Handler> box(
            world, {[&](const std::uint64_t& x) {
              ++seen;
              if ((x >> 48) == 0) return;
              for (std::uint64_t child : {2 * x, 2 * x + 1}) {
                child = (child & 0xffffffffffff) | ((x >> 48) - 1) << 48;
                self->send(static_cast<Rank>(mix64(child) % static_cast<std::uint64_t>(world.size())), child);
              }
            }});
        self = &box;
        if (world.rank() == world.size() - 1) box.send(0, static_cast<std::uint64_t>(generations) << 48 | 1);
        box.drain();
        CHECK(world.sum(seen) == (std::uint64_t{2} << generations) - 1);
      });
    }
}

TEST_CASE("a flood from all ranks to one, answered record by record, completes with rings of one slot") {
  for (const Rank ranks : {2, 16, 19})
    for (const std::uint64_t seed : {0, 5}) {
      Plan plan;
      plan.threads = 1;
      plan.slot_bytes = 128;
      plan.slots_per_peer = 1;
      plan.shuffle_seed = seed;
      plan.timeout_seconds = 120;
      const int records = shapes::kSanitized ? 100 : 1000;
      CAPTURE(ranks);
      CAPTURE(seed);
      run_ranks(ranks, plan, [&](World& world) {
        struct Ask {
          Rank from;
          bool answer;
        };
        using Handler = std::function<void(const Ask&)>;
        int asked = 0, answered = 0;
        Mailbox<Ask, Handler>* self = nullptr;
        Mailbox<Ask, Handler> box(world, {[&](const Ask& a) {
                                    if (a.answer) {
                                      ++answered;
                                      return;
                                    }
                                    ++asked;
                                    self->send(a.from, {world.rank(), true});
                                  }});
        self = &box;
        for (Rank goal : {Rank{0}, world.size() - 1}) {
          asked = answered = 0;
          for (int i = 0; i < records; ++i) box.send(goal, {world.rank(), false});
          box.drain();
          CHECK(answered == records);
          CHECK(asked == (world.rank() == goal ? records * world.size() : 0));
        }
      });
    }
}

TEST_CASE("two mailboxes at once: the handler of one sends into the other") {
  for (auto [name, plan] : shapes::buffers())
    for (const Rank ranks : {1, 2, 3, 5, 8})
      for (const int threads : {1, 2}) {
        if (threads > 1 && ranks > 3) continue;
        CAPTURE(name);
        CAPTURE(ranks);
        plan.threads = threads;
        run_ranks(ranks, plan, [&](World& world) {
          struct Ask {
            std::uint32_t key;
            Rank from;
          };
          struct Reply {
            std::uint32_t key;
            std::uint32_t pad;
            std::uint64_t value;
          };
          const std::uint32_t keys = shapes::kSanitized ? 60 : 300;
          std::vector<std::atomic<std::uint64_t>> values(keys);
          std::atomic<int> twice{0};
          Mailbox reply(world,
                        of_records<Reply>([&](const Reply& r) { twice += values[r.key].exchange(r.value) != 0; }),
                        {.handler_sends = false});
          Mailbox ask(world, of_records<Ask>([&](const Ask& a) {
                        reply.send(a.from, {a.key, 0, mix64(a.key) + static_cast<std::uint64_t>(world.rank())});
                      }),
                      {.handler_sends = false});
          for (int round = 0; round < 3; ++round) {
            for (auto& v : values) v = 0;
            world.barrier();  // no replies arrive before these stores: the values do not belong to the mailbox
            world.team().for_range(keys, 10, [&](int, std::size_t a, std::size_t b) {
              for (std::size_t k = a; k < b; ++k)
                ask.send(static_cast<Rank>(k % static_cast<std::size_t>(world.size())),
                         {static_cast<std::uint32_t>(k), world.rank()});
            });
            ask.drain();
            reply.drain();
            std::uint32_t wrong = 0;
            for (std::uint32_t k = 0; k < keys; ++k)
              wrong += values[k] != mix64(k) + k % static_cast<std::uint64_t>(world.size());
            CHECK(wrong == 0);
            CHECK(twice == 0);
          }
        });
      }
}

TEST_CASE("a handler never gets a record of a round that its rank has not begun, however slow the rank") {
  for (const Rank ranks : {2, 3, 5})
    for (auto [name, plan] : shapes::buffers()) {
      CAPTURE(name);
      CAPTURE(ranks);
      run_ranks(ranks, plan, [&](World& world) {
        std::uint32_t round = 0, early = 0, late = 0, seen = 0;
        Mailbox box(world, of_records<std::uint32_t>([&](std::uint32_t r) {
                      early += r > round;
                      late += r < round;
                      ++seen;
                    }),
                    {.handler_sends = false});
        constexpr std::uint32_t kRounds = 6;
        for (std::uint32_t r = 1; r <= kRounds; ++r) {
          if (world.rank() == static_cast<Rank>(r) % world.size()) {
            // Slow: still in the old round, and making progress, while the others send.
            const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
            while (std::chrono::steady_clock::now() < until) world.progress();
          }
          round = r;
          for (Rank to = 0; to < world.size(); ++to)
            for (int i = 0; i < 20; ++i) box.send(to, r);
          box.drain();
          CHECK(seen == r * 20 * static_cast<std::uint32_t>(world.size()));
        }
        CHECK(early == 0);
        CHECK(late == 0);
      });
    }
}

TEST_CASE("packets deferred for a slow rank free their slots: a collective completes meanwhile") {
  Plan plan;
  plan.threads = 1;
  plan.slot_bytes = 128;
  plan.slots_per_peer = 1;
  plan.timeout_seconds = 60;
  run_ranks(3, plan, [](World& world) {
    int seen = 0;
    Mailbox box(world, of_records<int>([&](int) { ++seen; }), {.handler_sends = false});
    if (world.rank() == 0)
      for (int i = 0; i < 5000; ++i) box.send(1, i);  // rank 1 has not begun
    CHECK(world.sum(1) == 3);
    CHECK(seen == 0);
    box.drain();
    CHECK(seen == (world.rank() == 1 ? 5000 : 0));
  });
}

TEST_CASE("packets wait for a mailbox that its rank has not opened yet") {
  for (const std::uint64_t seed : {0, 9}) {
    Plan plan;
    plan.threads = 1;
    plan.slot_bytes = 256;
    plan.slots_per_peer = 4;
    plan.shuffle_seed = seed;
    plan.timeout_seconds = 60;
    run_ranks(3, plan, [](World& world) {
      for (int turn = 0; turn < 10; ++turn) {
        if (world.rank() == turn % 3) {
          const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
          while (std::chrono::steady_clock::now() < until) world.progress();
        }
        int seen = 0;
        Mailbox box(world, of_records<int>([&](int) { ++seen; }));
        for (Rank to = 0; to < 3; ++to)
          for (int i = 0; i < 30; ++i) box.send(to, i);
        box.drain();
        CHECK(seen == 90);
      }
    });
  }
}

TEST_CASE("a mailbox destroyed before draining releases its slots") {
  Plan plan;
  plan.threads = 1;
  plan.slot_bytes = 128;
  plan.slots_per_peer = 2;
  plan.timeout_seconds = 60;
  run_ranks(2, plan, [](World& world) {
    int seen = 0;
    auto count = of_records<int>([&](int) { ++seen; });
    for (int i = 0; i < 20; ++i) {
      Mailbox box(world, count);
      box.send(1 - world.rank(), i);  // one record in a slot that is never sent
    }
    Mailbox box(world, count);
    for (int i = 0; i < 1000; ++i) box.send(1 - world.rank(), i);
    box.drain();
    CHECK(seen == 1000);
    CHECK(world.sum(1) == 2);
  });
}

TEST_CASE("records longer than a slot arrive whole, on every route, among short ones and from handlers") {
  for (const char* route : {"direct", "aml", "domain", "auto"})
    for (const int slots : {1, 4})
      for (const int threads : {1, 3}) {
        CAPTURE(route);
        CAPTURE(slots);
        CAPTURE(threads);
        Plan plan;
        plan.threads = threads;
        plan.slot_bytes = 128;
        plan.slots_per_peer = slots;
        plan.domains = "3+1";
        plan.route = route;
        run_ranks(4, plan, [](World& world) {
          std::atomic<std::uint64_t> fits{0}, whole{0}, answers{0};
          // 112 bytes fill a slot on the direct route; with a target beside them they do not fit.
          Mailbox slot(world, of_records<Words<28>>([&](const Words<28>& w) { fits += intact(w); }));
          Mailbox<Words<1000>, std::function<void(const Words<1000>&)>>* self = nullptr;
          Mailbox box(world, of_records<Words<1000>>(std::function<void(const Words<1000>&)>([&](const Words<1000>& w) {
                        if (!intact(w)) return;
                        if ((w.word[0] & 0xffffff) != 0) {
                          ++whole;
                          self->send(static_cast<Rank>(w.word[0] >> 24), make<1000>(world.rank(), 0));
                        } else {
                          ++answers;
                        }
                      })));
          self = &box;
          constexpr std::size_t kEach = 7;
          for (int epoch = 0; epoch < 2; ++epoch) {
            world.team().for_range(kEach, 1, [&](int, std::size_t a, std::size_t b) {
              for (std::size_t i = a; i < b; ++i)
                for (Rank to = 0; to < world.size(); ++to) {
                  box.send(to, make<1000>(world.rank(), i + 1));
                  slot.send(to, make<28>(world.rank(), i));
                }
            });
            box.drain();
            slot.drain();
          }
          const std::uint64_t all = 2 * kEach * static_cast<std::uint64_t>(world.size());
          CHECK(fits == all);
          CHECK(whole == all);
          CHECK(answers == all);
        });
      }
}

TEST_CASE("a serial handler never runs twice at once; a parallel one may") {
  Plan plan = shapes::buffers()[4].plan;
  plan.threads = 4;
  run_ranks(2, plan, [](World& world) {
    std::atomic<int> inside{0}, overlaps{0};
    long plain = 0;
    Mailbox box(world, of_records<std::uint64_t>([&](std::span<const std::uint64_t> run) {
                  overlaps += inside.fetch_add(1) != 0;
                  plain += static_cast<long>(run.size());
                  std::this_thread::yield();
                  --inside;
                }),
                {.handling = Handling::serial, .handler_sends = false});
    world.team().run([&](int) {
      for (std::uint64_t i = 0; i < 1000; ++i) box.send(static_cast<Rank>(i % 2), i);
    });
    box.drain();
    CHECK(overlaps == 0);
    CHECK(plain == 4000);
  });
}

TEST_CASE("counters of a uniform exchange: records x size over each level, and each record is counted") {
  for (const std::size_t slot_bytes : {128u, 16384u}) {
    Plan plan;
    plan.threads = 1;
    plan.domains = "2x2";
    plan.slot_bytes = slot_bytes;
    constexpr std::uint64_t kRecords = 1000;  // from each rank to each rank
    std::vector<Counters> spent(4);
    run_ranks(4, plan, [&](World& world) {
      std::uint64_t seen = 0;
      Mailbox box(world, of_records<Words<3>>([&](const Words<3>&) { ++seen; }), {.handler_sends = false});
      const Counters before = world.counters();
      for (std::size_t i = 0; i < kRecords; ++i)
        for (Rank to = 0; to < 4; ++to) box.send(to, make<3>(world.rank(), i));
      box.drain();
      CHECK(seen == 4 * kRecords);
      spent[static_cast<std::size_t>(world.rank())] = world.counters().since(before);
    });
    Counters all;
    for (const Counters& c : spent) {
      CHECK(c.records == 4 * kRecords);
      all += c;
    }
    REQUIRE(all.levels.size() == 2);
    // Besides the records there are k rounds of counting per drain: an all-gather of 16 bytes over 4 ranks. Rank r
    // sends 1 block to r-1 and 2 blocks to r-2, each message with a header of 16 bytes: 2 messages of 32 bytes inside
    // each domain, 2 of 32 and 4 of 48 between them.
    const std::uint64_t inside = all.levels[0].bytes - 4 * kRecords * 12,
                        between = all.levels[1].bytes - 8 * kRecords * 12;
    CHECK(inside % 64 == 0);
    const std::uint64_t rounds = inside / 64;
    CHECK(rounds >= 1);
    CHECK(between == rounds * 256);
    // Messages: full slots and at most one partial slot per pair.
    const std::uint64_t capacity = (slot_bytes - World::kHeaderBytes) / 12,
                        slots = (kRecords + capacity - 1) / capacity;
    CHECK(all.levels[0].messages == 4 * slots + 2 * rounds);
    CHECK(all.levels[1].messages == 8 * slots + 6 * rounds);
  }
}
