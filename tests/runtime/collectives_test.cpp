// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atoll/base/random.hpp>
#include <atoll/runtime/world.hpp>
#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include "shapes.hpp"

using namespace atl;

namespace {

const std::vector<Rank> kManyRanks = {1, 2, 3, 4, 5, 6, 7, 8, 11};

// Runs f on all numbers of ranks and all buffers; f checks its own rank.
template <class F>
void everywhere(F&& f) {
  for (const auto& [name, plan] : shapes::buffers())
    for (const Rank ranks : kManyRanks) {
      CAPTURE(name);
      CAPTURE(ranks);
      run_ranks(ranks, plan, f);
    }
}

template <std::size_t N>
using Block = std::array<std::uint32_t, N>;

template <std::size_t N>
Block<N> block_of(Rank rank, int salt = 0) {
  Block<N> b{};
  for (std::size_t i = 0; i < N; ++i)
    b[i] = static_cast<std::uint32_t>(random_at(static_cast<std::uint64_t>(rank * 100 + salt), i));
  return b;
}

template <std::size_t N>
void check_all_gather(World& world) {
  for (int salt = 0; salt < 3; ++salt) {
    const auto all = world.all_gather(block_of<N>(world.rank(), salt));
    bool good = all.size() == static_cast<std::size_t>(world.size());
    for (Rank r = 0; good && r < world.size(); ++r) good = all[static_cast<std::size_t>(r)] == block_of<N>(r, salt);
    CHECK(good);
  }
}

std::vector<std::uint16_t> list_of(Rank from, Rank to, std::size_t size) {
  std::vector<std::uint16_t> list(size);
  for (std::size_t i = 0; i < size; ++i)
    list[i] = static_cast<std::uint16_t>(random_at(static_cast<std::uint64_t>(from * 1000 + to), i));
  return list;
}

// Sizes around a slot's payload, and 0.
std::size_t size_of(Rank from, Rank to) {
  static const std::size_t kSizes[] = {0, 1, 47, 48, 49, 0, 300, 2, 96, 1000};
  return kSizes[static_cast<std::size_t>(from * 3 + to * 7) % std::size(kSizes)];
}

}  // namespace

TEST_CASE("all_gather has every rank's value in rank order, smaller and larger than a slot") {
  everywhere([](World& world) {
    check_all_gather<1>(world);
    check_all_gather<23>(world);
    check_all_gather<24>(world);
    check_all_gather<25>(world);
    check_all_gather<700>(world);
  });
}

TEST_CASE("reductions give every rank the same") {
  everywhere([](World& world) {
    const auto p = static_cast<Vertex>(world.size());
    const auto r = static_cast<Vertex>(world.rank());
    CHECK(world.sum(r) == p * (p - 1) / 2);
    CHECK(world.min(r + 5) == 5);
    CHECK(world.max(r - 5) == p - 6);
    CHECK(world.max(-1.5 * static_cast<double>(r)) == 0);
    CHECK(world.any(r == p - 1));
    CHECK_FALSE(world.any(false));
    CHECK(world.all(true));
    CHECK(world.all(r != 0) == false);
    CHECK(world.all(r != p - 1) == false);
  });
}

TEST_CASE("fold applies the operation in rank order, so it need not commute and floats round the same") {
  everywhere([](World& world) {
    struct Word {
      char text[16];
      int length;
    };
    Word mine{};
    mine.text[0] = static_cast<char>('a' + world.rank());
    mine.length = 1;
    const Word all = world.fold(mine, [](Word a, const Word& b) {
      for (int i = 0; i < b.length; ++i) a.text[a.length++] = b.text[i];
      return a;
    });
    CHECK(std::string(all.text, static_cast<std::size_t>(all.length)) ==
          std::string("abcdefghijk").substr(0, static_cast<std::size_t>(world.size())));
    float expected = 0.1f;
    for (Rank r = 1; r < world.size(); ++r) expected += 0.1f / static_cast<float>(r + 1);
    CHECK(world.sum(0.1f / static_cast<float>(world.rank() + 1)) == expected);
  });
}

TEST_CASE("a fold over more ranks than fit the stack is the same fold") {
  Plan plan;
  plan.threads = 1;
  plan.slot_bytes = 128;
  plan.slots_per_peer = 2;
  run_ranks(67, plan, [](World& world) {
    CHECK(world.sum(Vertex{1} << world.rank() % 40) == ((Vertex{1} << 40) - 1) + ((Vertex{1} << 27) - 1));
    CHECK(world.max(world.rank()) == 66);
  });
}

TEST_CASE("a broadcast has the root's bytes everywhere, whatever the root and the size") {
  everywhere([](World& world) {
    for (Rank root = 0; root < world.size(); ++root)
      for (const std::size_t size : {0u, 1u, 47u, 48u, 49u, 1500u}) {
        std::vector<std::uint16_t> values =
            world.rank() == root ? list_of(root, root, size) : std::vector<std::uint16_t>(size, 0xffff);
        world.broadcast(std::span(values), root);
        CHECK(values == list_of(root, root, size));
      }
  });
}

TEST_CASE("all_gather_varying joins lists in rank order, empty ones too") {
  everywhere([](World& world) {
    for (const Rank shift : {0, 1, 2}) {
      const auto mine = list_of(world.rank(), shift, size_of(world.rank(), shift));
      std::vector<Edge> counts;
      const auto all = world.all_gather_varying(std::span<const std::uint16_t>(mine), &counts);
      std::vector<std::uint16_t> expected;
      bool counted = counts.size() == static_cast<std::size_t>(world.size());
      for (Rank r = 0; r < world.size(); ++r) {
        const auto part = list_of(r, shift, size_of(r, shift));
        expected.insert(expected.end(), part.begin(), part.end());
        counted = counted && counts[static_cast<std::size_t>(r)] == static_cast<Edge>(part.size());
      }
      CHECK(all == expected);
      CHECK(counted);
    }
    CHECK(world.all_gather_varying(std::span<const Vertex>()).empty());
  });
}

TEST_CASE("an exchange brings each list to its rank, empty ones too") {
  everywhere([](World& world) {
    for (int round = 0; round < 3; ++round) {
      std::vector<std::vector<std::uint16_t>> outgoing;
      for (Rank to = 0; to < world.size(); ++to)
        outgoing.push_back(list_of(world.rank(), to + round, size_of(world.rank(), to + round)));
      const auto incoming = world.exchange(outgoing);
      bool good = incoming.size() == static_cast<std::size_t>(world.size());
      for (Rank from = 0; good && from < world.size(); ++from)
        good = incoming[static_cast<std::size_t>(from)] ==
               list_of(from, world.rank() + round, size_of(from, world.rank() + round));
      CHECK(good);
    }
    // Nothing at all, to any rank.
    const auto none = world.exchange(std::vector<std::vector<int>>(static_cast<std::size_t>(world.size())));
    CHECK(std::all_of(none.begin(), none.end(), [](const auto& list) { return list.empty(); }));
  });
}

TEST_CASE("tagged bytes match their receive, whichever comes first") {
  for (const auto& [name, plan] : shapes::buffers()) {
    CAPTURE(name);
    run_ranks(3, plan, [](World& world) {
      const std::uint64_t first = world.next_tag(), second = world.next_tag();
      const std::vector<std::byte> a(700, std::byte{1}), b(90, std::byte{2});
      const Rank to = (world.rank() + 1) % 3, from = (world.rank() + 2) % 3;
      world.send(to, first, a);
      world.send(to, second, b);
      std::vector<std::byte> got_b(b.size()), got_a(a.size());
      world.receive(from, second, got_b);
      world.receive(from, first, got_a);
      world.receive(from, first, {});
      CHECK(got_a == a);
      CHECK(got_b == b);
    });
  }
}

TEST_CASE("no rank leaves a barrier before all have entered") {
  for (const auto& [name, plan] : shapes::buffers())
    for (const Rank ranks : {2, 3, 5, 8}) {
      CAPTURE(name);
      std::atomic<int> come{0}, early{0};
      run_ranks(ranks, plan, [&](World& world) {
        for (int round = 1; round <= 20; ++round) {
          ++come;
          world.barrier();
          early += come.load() < round * world.size();
          world.barrier();
        }
      });
      CHECK(early == 0);
    }
}

TEST_CASE("a thousand consecutive collectives of different kinds do not mix") {
  Plan plan = shapes::buffers()[2].plan;
  run_ranks(5, plan, [](World& world) {
    bool good = true;
    for (int i = 0; i < (shapes::kSanitized ? 100 : 1000); ++i) {
      switch (i % 4) {
        case 0:
          good = good && world.sum(i) == i * world.size();
          break;
        case 1: {
          std::vector<int> x(static_cast<std::size_t>(i % 37), world.rank() == i % 5 ? i : -1);
          world.broadcast(std::span(x), i % 5);
          good = good && std::all_of(x.begin(), x.end(), [&](int v) { return v == i; });
          break;
        }
        case 2:
          world.barrier();
          break;
        default: {
          const std::vector<int> mine(static_cast<std::size_t>(world.rank()), i);
          good = good && world.all_gather_varying(std::span<const int>(mine)) == std::vector<int>(10, i);
        }
      }
    }
    CHECK(good);
  });
}
