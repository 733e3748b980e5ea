// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/engine/halo/halo_exchange.hpp>
#include <atoll/engine/mirror_bits.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <map>

#include "engine/halo/needs.hpp"
#include "shapes.hpp"

using namespace atl;
using needs::Rows;

namespace {

struct Ranks {
  Rank ranks;
  const char* domains;
  const char* route;
  int threads;
};
const std::vector<Ranks> kJobs = {{1, "", "direct", 1},      {2, "", "direct", 2},      {3, "2+1", "direct", 1},
                                  {4, "2x2", "row", 2},      {5, "3+2", "domain", 1},   {6, "2+1+3", "aml", 1},
                                  {6, "2+1+3", "domain", 2}, {8, "2x2x2", "direct", 1}, {8, "2x2x2", "auto", 1},
                                  {7, "4+3", "mst", 1}};

Plan plan_of(const Ranks& m) {
  Plan plan;
  plan.threads = m.threads;
  plan.domains = m.domains;
  plan.route = m.route;
  plan.slot_bytes = m.ranks == 3 ? 256 : 0;  // messages of many parts
  return plan;
}

// The value in `column` of a row that `rank` has before an exchange: small integers, so that sums are exact.
template <class T>
T value_at(Rank rank, Vertex row, std::size_t column) {
  return static_cast<T>(random_at(static_cast<std::uint64_t>(rank) * 1000 + column, static_cast<std::uint64_t>(row)) %
                        500);
}
// Whether it has changed: `share` of 3.
bool has_changed(Rank rank, Vertex row, std::size_t column, std::uint64_t share) {
  return random_at(static_cast<std::uint64_t>(rank) * 1000 + column, static_cast<std::uint64_t>(row + 100000)) % 3 <
         share;
}

template <class T>
struct Filled {
  std::vector<Vertex> local;
  std::size_t width;
  std::vector<T> values;
  VertexBits changed;

  Filled(const Rows& rows, Rank rank, std::size_t w, std::uint64_t share)
      : local(rows.local(rank)), width(w), values(local.size() * w), changed(local.size() * w) {
    for (std::size_t i = 0; i < local.size(); ++i)
      for (std::size_t c = 0; c < width; ++c) {
        values[i * width + c] = value_at<T>(rank, local[i], c);
        if (has_changed(rank, local[i], c, share)) changed.set(i * width + c);
      }
  }
};

template <class T>
void check_broadcast(World& world, const Rows& rows, HaloExchange<T, SumOf>& exchange, std::size_t width) {
  const auto owner_of = [&](Vertex row) { return rows.owners.owner(row); };
  for (const std::uint64_t share : {0U, 1U, 3U}) {
    Filled<T> here(rows, world.rank(), width, share);
    exchange.broadcast(here.values, here.changed);
    const std::size_t first = exchange.plan().first_copy() * width;
    std::size_t wrong = 0;
    for (std::size_t position = 0; position < here.values.size(); ++position) {
      const Vertex row = here.local[position / width];
      const std::size_t column = position % width;
      const T mine = value_at<T>(world.rank(), row, column), theirs = value_at<T>(owner_of(row), row, column);
      if (position >= first && has_changed(owner_of(row), row, column, share)) {
        wrong += here.values[position] != theirs || !here.changed.test(position);
      } else {
        // Where most have changed all are told.
        wrong += here.values[position] != mine && here.values[position] != theirs;
      }
    }
    CHECK(wrong == 0);
  }
  Filled<T> here(rows, world.rank(), width, 0);
  exchange.broadcast_all(here.values);
  std::size_t wrong = 0;
  for (std::size_t position = 0; position < here.values.size(); ++position) {
    const Vertex row = here.local[position / width];
    wrong += here.values[position] != value_at<T>(owner_of(row), row, position % width);
  }
  CHECK(wrong == 0);
}

template <class T>
void check_reduce(World& world, const Rows& rows, HaloExchange<T, SumOf>& exchange, std::size_t width) {
  const std::size_t first = exchange.plan().first_copy() * width;
  for (const std::uint64_t share : {0U, 1U, 3U, 4U}) {
    const bool all = share == 4;  // reduce_all
    Filled<T> here(rows, world.rank(), width, share);
    all ? exchange.reduce_all(here.values) : exchange.reduce(here.values, here.changed);
    std::size_t wrong = 0;
    for (std::size_t position = 0; position < first; ++position) {
      const Vertex row = here.local[position / width];
      const std::size_t column = position % width;
      T sum = value_at<T>(world.rank(), row, column);
      bool changed = has_changed(world.rank(), row, column, share);
      for (Rank r = 0; r < world.size(); ++r)
        if (r != world.rank() && rows.needs(r, row) && has_changed(r, row, column, share)) {
          sum += value_at<T>(r, row, column);
          changed = true;
        }
      wrong += here.values[position] != sum || (!all && here.changed.test(position) != changed);
    }
    for (std::size_t position = first; !all && position < here.values.size(); ++position)
      wrong += here.changed.test(position);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("rows of any width reach their copies, and are summed by their owners, on every path and machine") {
  for (const Ranks& m : kJobs)
    for (const std::string& kind : needs::kKinds)
      for (const std::size_t width :
           {std::size_t{1}, std::size_t{3}, std::size_t{32}, std::size_t{65}, std::size_t{513}}) {
        if (width == 513 && (kind == "all" || shapes::kSanitized)) continue;
        CAPTURE(m.ranks);
        CAPTURE(std::string(m.route));
        CAPTURE(kind);
        CAPTURE(width);
        run_ranks(m.ranks, plan_of(m), [&](World& world) {
          const Rows rows(m.ranks, kind);
          const auto plan = std::make_shared<const HaloPlan>(world, rows.owners, rows.list(world.rank()));
          for (const HaloPath path : {HaloPath::direct, HaloPath::route, HaloPath::domains}) {
            if (path == HaloPath::route && (world.route().is_direct() || width == 513)) continue;
            CAPTURE(static_cast<int>(path));
            HaloExchange<float, SumOf> exchange(plan, width, path);
            CHECK(exchange.path() == path);
            check_broadcast(world, rows, exchange, width);
            check_reduce(world, rows, exchange, width);
          }
          HaloExchange<std::int64_t, SumOf> exchange(plan, width);
          CHECK(exchange.path() == (world.route().is_direct() ? HaloPath::direct
                                    : width >= 8              ? HaloPath::domains
                                                              : HaloPath::route));
          check_broadcast(world, rows, exchange, width);
        });
      }
}

TEST_CASE("a bit of each row reaches its copies, and no other bit changes") {
  for (const Ranks& m : kJobs)
    for (const std::string& kind : needs::kKinds) {
      CAPTURE(m.ranks);
      CAPTURE(std::string(m.route));
      CAPTURE(kind);
      run_ranks(m.ranks, plan_of(m), [&](World& world) {
        const Rows rows(m.ranks, kind);
        const auto plan = std::make_shared<const HaloPlan>(world, rows.owners, rows.list(world.rank()));
        MirrorBits exchange(plan);
        for (const bool sparse : {false, true}) {
          Filled<float> here(rows, world.rank(), 1, 1);
          std::vector<std::uint64_t> words(here.changed.words());
          for (std::size_t w = 0; w < words.size(); ++w) words[w] = here.changed.at(w);
          sparse ? exchange.broadcast(words, 1.0) : exchange.broadcast(here.changed);
          for (std::size_t w = 0; sparse && w < words.size(); ++w) here.changed.at(w) = words[w];
          std::size_t wrong = 0;
          for (std::size_t row = 0; row < here.local.size(); ++row)
            wrong += here.changed.test(row) != has_changed(rows.owners.owner(here.local[row]), here.local[row], 0, 1);
          for (std::size_t bit = here.local.size(); bit < 64 * here.changed.words(); ++bit)
            wrong += here.changed.test(bit);
          CHECK(wrong == 0);
        }
      });
    }
}

TEST_CASE("the bytes that cross each level are those that the plan says") {
  for (const Ranks& m : kJobs)
    for (const std::string& kind : needs::kKinds)
      for (const std::size_t width : {std::size_t{1}, std::size_t{3}, std::size_t{65}, std::size_t{513}}) {
        CAPTURE(m.ranks);
        CAPTURE(std::string(m.domains));
        CAPTURE(kind);
        CAPTURE(width);
        run_ranks(m.ranks, plan_of(m), [&](World& world) {
          const Rows rows(m.ranks, kind);
          const auto plan = std::make_shared<const HaloPlan>(world, rows.owners, rows.list(world.rank()));
          for (const HaloPath path : {HaloPath::direct, HaloPath::domains})
            for (const bool up : {false, true}) {
              HaloExchange<float, SumOf> exchange(plan, width, path);
              std::vector<float> values(plan->rows() * width, 1.0F);
              const auto said = up ? exchange.reduced_traffic() : exchange.broadcast_traffic();
              const auto rows_said = up ? plan->reduced_traffic(path, width * sizeof(float))
                                        : plan->broadcast_traffic(path, width * sizeof(float));
              world.barrier();
              const Counters before = world.counters();
              up ? exchange.reduce_all(values) : exchange.broadcast_all(values);
              const Counters spent = world.counters().since(before);
              REQUIRE(said.size() == spent.levels.size());
              // A message has 8 bytes of its own, and so has a block of values: at least one for each pair of ranks.
              for (std::size_t level = 0; level < said.size(); ++level) {
                CHECK(spent.levels[level].bytes - 8 * spent.levels[level].messages == said[level].bytes);
                CHECK(rows_said[level].rows == said[level].rows);
                CHECK(rows_said[level].bytes == said[level].rows * width * sizeof(float));
                CHECK((said[level].bytes > rows_said[level].bytes) == (said[level].rows > 0));
                CHECK((said[level].bytes - rows_said[level].bytes) % 8 == 0);
              }
            }
        });
      }
}

TEST_CASE("by domains a row crosses the boundary once for all copies behind it") {
  for (const char* domains : {"2x2", "3+2", "2+1+3", "2x2x2"}) {
    CAPTURE(std::string(domains));
    const Hierarchy machine = Hierarchy::parse(domains);
    const Rank ranks = machine.size();
    const int top = machine.depth() - 1;
    const Rows rows(ranks, "every fourth");
    // Distinct pairs of a row and another domain that needs it, and all pairs of a row and a rank there.
    std::uint64_t once = 0, each = 0;
    for (Vertex row = 0; row < rows.owners.count(); ++row) {
      std::vector<Rank> entered;
      for (Rank r = 0; r < ranks; ++r) {
        if (!rows.needs(r, row) || machine.level_between(r, rows.owners.owner(row)) < top) continue;
        ++each;
        if (std::none_of(entered.begin(), entered.end(), [&](Rank e) { return machine.level_between(e, r) < top; })) {
          ++once;
          entered.push_back(r);
        }
      }
    }
    run_ranks(ranks, needs::serial(domains), [&](World& world) {
      const HaloPlan plan(world, rows.owners, rows.list(world.rank()));
      const auto crossing = [&](const std::vector<HaloTraffic>& levels) {
        return world.sum(levels[static_cast<std::size_t>(top)].rows);
      };
      CHECK(crossing(plan.broadcast_traffic(HaloPath::domains, 4)) == once);
      CHECK(crossing(plan.reduced_traffic(HaloPath::domains, 4)) == once);
      CHECK(crossing(plan.broadcast_traffic(HaloPath::direct, 4)) == each);
    });
    if (ranks > 4) CHECK(once < each);
  }
}
