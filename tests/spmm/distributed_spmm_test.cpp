// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/forecast.hpp>
#include <atoll/spmm/spmm_product.hpp>
#include <atoll/spmm/volume.hpp>
#include <atoll/topology/machine.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "shapes.hpp"
#include "spmm/dense_part.hpp"
#include "spmm/spmm_cases.hpp"

using namespace atl;
using dense_part::Part;
using dense_part::wrong_in;
using random_rows::dense;
using spmm_cases::Job;
using spmm_cases::kJobs;
using spmm_cases::plan_of;
using spmm_cases::strategies;

namespace {

// The strategies that DistributedSpmm has.
std::vector<SpmmStrategy> by_rows() {
  std::vector<SpmmStrategy> out;
  for (const SpmmStrategy& s : strategies())
    if (s.algorithm == SpmmStrategy::Algorithm::rows_1d) out.push_back(s);
  return out;
}

}  // namespace

TEST_CASE("products of several widths share a plan") {
  run_ranks(3, {}, [&](World& world) {
    const Blocks blocks = random_rows::blocks(world.size());
    const auto own = blocks.size(world.rank());
    DistributedSpmm<float> spmm(world, random_rows::rows<float>(blocks, world.rank()));
    for (const std::int64_t columns : {8, 200, 1, 8, 33}) {
      Part<float> b(own, columns), c(own, columns);
      b.fill(blocks.begin(world.rank()), 3);
      spmm(b.view(), c.view());
      CHECK(wrong_in(c.view(), blocks, world.rank(), 3, Reduce::sum, true) == 0);
    }
  });
}

TEST_CASE("a NaN of the matrix is in its row of the product and in no other") {
  for (const SpmmStrategy& strategy : by_rows())
    run_ranks(3, {}, [&](World& world) {
      const Blocks blocks = random_rows::blocks(world.size());
      const auto own = blocks.size(world.rank());
      MatrixRows<float> rows = random_rows::rows<float>(blocks, world.rank());
      const bool has_it = world.rank() == 0;
      if (has_it) rows.values[3] = std::numeric_limits<float>::quiet_NaN();
      const auto row = std::upper_bound(rows.offsets.begin(), rows.offsets.end(), Edge{3}) - rows.offsets.begin() - 1;
      DistributedSpmm<float> spmm(world, std::move(rows), Reduce::sum, strategy);
      Part<float> b(own, 5), c(own, 5);
      b.fill(blocks.begin(world.rank()), 0);
      spmm(b.view(), c.view());
      for (std::int64_t i = 0; i < own; ++i)
        for (std::int64_t j = 0; j < 5; ++j) CHECK(std::isnan(c.view()(i, j)) == (has_it && i == row));
    });
}

TEST_CASE("the transpose of the rows is the rows of the transpose") {
  for (const Rank ranks : shapes::kRanks)
    for (const bool weighted : {true, false})
      run_ranks(ranks, {}, [&](World& world) {
        const Blocks blocks = random_rows::blocks(world.size());
        const MatrixRows<double> t = transposed(world, random_rows::rows<double>(blocks, world.rank(), weighted));
        std::vector<std::multiset<std::pair<Vertex, double>>> right(
            static_cast<std::size_t>(blocks.size(world.rank())));
        for (Vertex i = 0; i < blocks.count(); ++i)
          for (const auto& [column, value] : random_rows::row(i, blocks.count(), weighted))
            if (blocks.owner(column) == world.rank())
              right[static_cast<std::size_t>(column - blocks.begin(world.rank()))].insert({i, value});
        REQUIRE(t.rows() == static_cast<std::int64_t>(right.size()));
        CHECK(t.values.empty() == (t.columns.empty() || !weighted));
        for (std::size_t i = 0; i < right.size(); ++i) {
          std::multiset<std::pair<Vertex, double>> found;
          for (auto e = static_cast<std::size_t>(t.offsets[i]); e < static_cast<std::size_t>(t.offsets[i + 1]); ++e) {
            found.insert({t.columns[e], t.values.empty() ? 1.0 : t.values[e]});
            if (e > static_cast<std::size_t>(t.offsets[i])) CHECK(t.columns[e - 1] <= t.columns[e]);
          }
          CHECK(found == right[i]);
        }
      });
}

TEST_CASE("a rank fetches each remote row once, a domain once for all of its ranks") {
  for (const Job& job : kJobs) {
    if (job.ranks == 1) continue;
    CAPTURE(job.ranks);
    CAPTURE(std::string(job.domains));
    run_ranks(job.ranks, plan_of(job), [&](World& world) {
      constexpr std::int64_t kColumns = 24;
      const Blocks blocks = random_rows::blocks(world.size());
      const Hierarchy& tree = world.hierarchy();
      const auto domain_of = [&](Rank r) {  // of the highest level: the lowest rank in it
        for (Rank other = 0; other < r; ++other)
          if (tree.level_between(other, r) < tree.depth() - 1) return other;
        return r;
      };
      double nonzeros = 0;
      std::set<std::pair<Rank, Vertex>> fetched, entering;
      for (Rank r = 0; r < world.size(); ++r)
        for (Vertex i = blocks.begin(r); i < blocks.end(r); ++i)
          for (const auto& [column, value] : random_rows::row(i, blocks.count())) {
            const Rank owner = blocks.owner(column);
            if (owner == r) continue;
            ++nonzeros;
            fetched.insert({r, column});
            if (domain_of(owner) != domain_of(r)) entering.insert({domain_of(r), column});
          }
      const auto own = blocks.size(world.rank());
      DistributedSpmm<float> spmm(world, random_rows::rows<float>(blocks, world.rank()));
      CHECK(spmm.strategy().name == (tree.depth() > 1 ? "cola" : "halo"));
      const SpmmVolume volume = spmm.volume();
      CHECK(volume.remote_nonzeros == nonzeros);
      CHECK(volume.remote_columns == static_cast<double>(fetched.size()));
      if (tree.depth() > 1) CHECK(volume.crossing == static_cast<double>(entering.size()));

      Part<float> b(own, kColumns), c(own, kColumns);
      b.fill(blocks.begin(world.rank()), 1);
      const std::vector<HaloTraffic> said = spmm.traffic(kColumns);
      spmm(b.view(), c.view());
      // Each pair of ranks and stage has at least one block, of 8 bytes, beside its rows.
      double rows = 0;
      for (const HaloTraffic& level : said) {
        rows += static_cast<double>(level.rows);
        CHECK(level.bytes >= level.rows * kColumns * sizeof(float));
        CHECK((level.bytes - level.rows * kColumns * sizeof(float)) % 8 == 0);
      }
      CHECK(world.sum(rows) == static_cast<double>(fetched.size()));

      // The rank that takes whole blocks of an owner for its domain has the owner's number in there.
      std::set<std::pair<Rank, Vertex>> with_blocks = fetched;
      for (Rank owner = 0; owner < world.size() && tree.depth() > 1; ++owner)
        for (Rank domain = 0; domain < world.size(); ++domain) {
          if (domain_of(domain) != domain || domain_of(owner) == domain) continue;
          std::vector<Rank> members;
          for (Rank r = domain; r < world.size(); ++r)
            if (domain_of(r) == domain) members.push_back(r);
          const auto number = static_cast<std::size_t>(owner - domain_of(owner));
          for (Vertex row = blocks.begin(owner); row < blocks.end(owner); ++row)
            with_blocks.insert({members[number % members.size()], row});
        }
      const auto n = static_cast<double>(blocks.count());
      const SparseMatrix<float> whole = random_rows::matrix(blocks.count());
      const FetchedRows::Levels joint = count_joint(whole.pattern(), blocks, blocks, tree);
      for (const SpmmStrategy& strategy : by_rows()) {
        CAPTURE(std::string(strategy.name));
        DistributedSpmm<float> other(world, random_rows::rows<float>(blocks, world.rank()), Reduce::sum, strategy);
        CHECK(other.volume().remote_columns == volume.remote_columns);
        double sent = 0;
        for (const HaloTraffic& level : other.traffic(kColumns)) sent += static_cast<double>(level.rows);
        CHECK(world.sum(sent) ==
              (strategy.fetch == SpmmStrategy::Fetch::all        ? n * (world.size() - 1)
               : strategy.fetch == SpmmStrategy::Fetch::nonzeros ? nonzeros
               : strategy.fetch == SpmmStrategy::Fetch::joint
                   ? static_cast<double>(std::accumulate(joint.begin(), joint.end(), std::uint64_t{0}))
               : strategy.fetch == SpmmStrategy::Fetch::blocks ? static_cast<double>(with_blocks.size())
                                                               : volume.remote_columns));
        if (strategy.fetch == SpmmStrategy::Fetch::columns && strategy.path == HaloPath::domains && tree.depth() > 1)
          CHECK(other.volume().crossing == static_cast<double>(entering.size()));
        if (strategy.fetch == SpmmStrategy::Fetch::joint) {
          CHECK(other.volume().remote_nonzeros == nonzeros);
          CHECK(other.volume().crossing == static_cast<double>(joint.back()));
          CHECK(joint.back() <= (tree.depth() > 1 ? entering.size() : fetched.size()));
        }
      }
    });
  }
}

TEST_CASE("a matrix that is not square: its columns are owned as B's rows are") {
  for (const Rank ranks : shapes::kRanks)
    run_ranks(ranks, {}, [&](World& world) {
      // A has 3 rows a rank and 11 more on the last; rank r owns 2 r columns.
      std::vector<Vertex> first_row{0}, first_column{0};
      for (Rank r = 0; r < ranks; ++r) {
        first_row.push_back(first_row.back() + 3 + (r == ranks - 1 ? 11 : 0));
        first_column.push_back(first_column.back() + 2 * r + (ranks == 1));
      }
      const Blocks rows{first_row}, columns{first_column};
      const auto value = [&](Vertex i, Vertex j) { return static_cast<double>((i * 7 + j * 5) % 11) - 5; };
      MatrixRows<double> a{.blocks = rows, .column_blocks = columns};
      const auto own = static_cast<std::size_t>(rows.size(world.rank())),
                 width = static_cast<std::size_t>(columns.count());
      a.offsets = Array<Edge>(own + 1);
      a.columns = Array<Vertex>(own * width);
      a.values = Array<double>(own * width);
      for (std::size_t i = 0; i <= own; ++i) a.offsets[i] = static_cast<Edge>(i * width);
      for (std::size_t e = 0; e < own * width; ++e) {
        a.columns[e] = static_cast<Vertex>(e % width);
        a.values[e] = value(rows.begin(world.rank()) + static_cast<Vertex>(e / width), a.columns[e]);
      }
      const MatrixRows<double> t = transposed(world, a);
      CHECK(t.rows() == columns.size(world.rank()));
      CHECK(t.column_blocks.count() == rows.count());
      DistributedSpmm<double> spmm(world, std::move(a));
      CHECK(spmm.columns() == columns.size(world.rank()));
      Part<double> b(spmm.columns(), 5), c(spmm.rows(), 5);
      b.fill(columns.begin(world.rank()), 1);
      spmm(b.view(), c.view());
      int wrong = 0;
      for (std::int64_t i = 0; i < spmm.rows(); ++i)
        for (std::int64_t k = 0; k < 5; ++k) {
          double sum = 0;
          for (Vertex j = 0; j < columns.count(); ++j) sum += value(rows.begin(world.rank()) + i, j) * dense(j, k, 1);
          wrong += c.view()(i, k) != sum;
        }
      CHECK(wrong == 0);
    });
}

TEST_CASE("phases are as many as hide more work than they cost in latency") {
  const Machine machine = *machine_preset("a800");
  CHECK(overlapped_phases(machine, 2, 1e3) == 1);
  const std::size_t some = overlapped_phases(machine, 2, 1e7), more = overlapped_phases(machine, 2, 1e9);
  CHECK(some > 1);
  CHECK(more > 8 * some);  // as the root of the work
  CHECK(more < 12 * some);
  CHECK(overlapped_phases(machine, 1, 1e7) > some);  // fewer levels, less latency
}

TEST_CASE("phases by domain are at most 8, and no more than overlap") {
  const Machine machine = *machine_preset("a800");
  const auto groups = [&](const char* name, SpmmStrategy::Phases phases, std::size_t domains, double nonzeros) {
    SpmmStrategy strategy = spmm_strategy(name);
    strategy.phases = phases;
    return domain_groups(strategy, machine, 2, domains, nonzeros);
  };
  using Phases = SpmmStrategy::Phases;
  CHECK(groups("halo", Phases::one, 100, 1e9) == 1);
  CHECK(groups("cola", Phases::domains, 3, 1) == 3);
  CHECK(groups("cola", Phases::domains, 100, 1) == 8);
  CHECK(groups("cola", Phases::overlapped, 3, 1e9) == 3);
  CHECK(groups("cola", Phases::overlapped, 100, 1e12) == 8);
  CHECK(groups("cola", Phases::overlapped, 100, 1e3) == 1);
}

TEST_CASE("copies of rows take at most about twice a rank's share of B") {
  run_ranks(8, {}, [&](World& world) {
    const Blocks blocks{std::vector<Vertex>{0, 100, 200, 300, 400, 500, 600, 700, 800}};
    MatrixRows<double> a{.blocks = blocks, .column_blocks = blocks};  // a rank needs all columns
    a.offsets = Array<Edge>(101);
    a.columns = Array<Vertex>(800);
    for (std::size_t i = 0; i <= 100; ++i) a.offsets[i] = static_cast<Edge>(8 * i);
    for (std::size_t e = 0; e < 800; ++e) a.columns[e] = static_cast<Vertex>(e);
    SpmmStrategy strategy = spmm_strategy("halo");
    strategy.undivided_rows = 0;
    DistributedSpmm<double> spmm(world, std::move(a), Reduce::sum, strategy);
    CHECK(spmm.phases() == 7);
    Part<double> b(100, 64), c(100, 64);
    b.fill(blocks.begin(world.rank()), 1);
    spmm(b.view(), c.view());  // plans the exchanges
    const std::size_t without = spmm.memory_bytes();
    Part<double> wide_b(100, 640), wide_c(100, 640);
    spmm.traffic(640);
    const std::size_t planned = spmm.memory_bytes();
    CHECK(planned >= without);
    spmm(wide_b.view(), wide_c.view());
    const double share = 100 * 640 * sizeof(double), copies = static_cast<double>(spmm.memory_bytes() - planned);
    CHECK(copies <= 2.2 * share);
    int wrong = 0;
    for (std::int64_t i = 0; i < 100; ++i)
      for (std::int64_t k = 0; k < 64; ++k) {
        double sum = 0;
        for (Vertex j = 8 * i; j < 8 * i + 8; ++j) sum += dense(j, k, 1);
        wrong += c.view()(i, k) != sum;
      }
    CHECK(wrong == 0);
  });
}

TEST_CASE("by any strategy copies take at most about twice a rank's share of B, where ranks have unequal shares") {
  for (const char* domains : {"", "2x4", "3+3+2"})
    run_ranks(8, plan_of({8, domains, 1}), [&](World& world) {
      CAPTURE(std::string(domains));
      constexpr std::int64_t kColumns = 640;
      const Blocks blocks{std::vector<Vertex>{0, 10, 310, 310, 360, 560, 650, 750, 800}};
      const auto own = blocks.size(world.rank());
      for (SpmmStrategy strategy : by_rows()) {
        strategy.undivided_rows = 0;
        CAPTURE(std::string(strategy.name));
        DistributedSpmm<double> spmm(world, dense_part::full_columns<double>(blocks, world.rank()), Reduce::sum,
                                     strategy);
        spmm.traffic(kColumns);  // plans the exchanges
        const std::size_t planned = spmm.memory_bytes();
        Part<double> b(own, kColumns), c(own, kColumns);
        b.fill(blocks.begin(world.rank()), 1);
        spmm(b.view(), c.view());
        // Rows are distributed evenly; each phase may have one more of each owner.
        const double share = (800 / 8 + 8) * kColumns * sizeof(double);
        // Rows of C that are computed for others, or received from them, are not divided: at most all rows.
        const double of_c = strategy.fetch == SpmmStrategy::Fetch::joint ? 800 * kColumns * sizeof(double) : 0;
        CHECK(static_cast<double>(spmm.memory_bytes() - planned) <= 2 * share + of_c);
      }
    });
}

TEST_CASE("copies of few rows are not divided, and those of many take no more memory than the rows that are allowed") {
  for (const auto& [own, phases] : {std::pair{100, 1}, {9'000, 1}, {16'384, 4}})
    for (const char* name : {"halo", "columnwise"})
      run_ranks(8, {}, [&, own = own, phases = phases](World& world) {
        CAPTURE(own);
        constexpr std::int64_t kColumns = 2;
        std::vector<Vertex> first;
        for (int r = 0; r <= 8; ++r) first.push_back(Vertex{own} * r);
        const Blocks blocks(std::move(first));
        MatrixRows<double> a = world.rank() == 3 ? dense_part::full_columns<double>(blocks, 3)
                                                 : MatrixRows<double>{.blocks = blocks, .column_blocks = blocks};
        if (world.rank() != 3) a.offsets = Array<Edge>(static_cast<std::size_t>(own) + 1, 0);
        DistributedSpmm<double> spmm(world, std::move(a), Reduce::sum, spmm_strategy(name));
        CHECK(spmm.phases() == static_cast<std::size_t>(phases));
        spmm.traffic(kColumns);  // plans the exchanges
        const std::size_t planned = spmm.memory_bytes();
        Part<double> b(own, kColumns), c(own, kColumns);
        b.fill(blocks.begin(world.rank()), 1);
        spmm(b.view(), c.view());
        const std::size_t copied = (spmm.memory_bytes() - planned) / (kColumns * sizeof(double));
        // Rank 3 has all copies of one phase, and of several those of two at a time.
        CHECK(copied == static_cast<std::size_t>(world.rank() != 3 ? 0 : phases == 1 ? 7 * own : 7 * own / 2));
        CHECK(copied <= spmm.strategy().undivided_rows);
        double sum = 0, wanted = 0;
        for (const double x : c.values)
          if (x != -77) sum += x;
        if (world.rank() == 3)
          for (Vertex j = 0; j < blocks.count(); ++j) wanted += dense(j, 0, 1) + dense(j, 1, 1);
        CHECK(sum == wanted);
      });
}

TEST_CASE("a product that fetches nothing sends what one reduction does") {
  run_ranks(8, plan_of({8, "2x4", 1}), [](World& world) {
    const Blocks blocks{std::vector<Vertex>{0, 4, 8, 12, 16, 20, 24, 28, 32}};
    MatrixRows<float> diagonal{.blocks = blocks, .column_blocks = blocks};
    diagonal.offsets = Array<Edge>(5);
    diagonal.columns = Array<Vertex>(4);
    for (std::size_t i = 0; i < 5; ++i) diagonal.offsets[i] = static_cast<Edge>(i);
    for (std::size_t i = 0; i < 4; ++i) diagonal.columns[i] = blocks.begin(world.rank()) + static_cast<Vertex>(i);
    DistributedSpmm<float> spmm(world, std::move(diagonal));
    Part<float> b(4, 3), c(4, 3);
    b.fill(blocks.begin(world.rank()), 1);
    const auto messages_of = [&](auto&& f) {
      world.barrier();
      const Counters before = world.counters();
      f();
      const Counters sent = world.counters().since(before);
      std::uint64_t messages = 0;
      for (const auto& level : sent.levels) messages += level.messages;
      return world.sum(messages);
    };
    struct Shape {
      std::int64_t a, b, c;
    };
    const auto reduction = messages_of([&] { world.fold(Shape{}, [](Shape x, Shape) { return x; }); });
    CHECK(reduction > 0);
    CHECK(messages_of([&] { spmm(b.view(), c.view()); }) == reduction);
  });
}

TEST_CASE("the forecast prefers fusion where links between domains are slow, and plain halos where they are not") {
  for (const auto& [between, name] : {std::pair{1e8, "cola"}, {1e13, "halo"}}) {
    Plan plan = plan_of({8, "2x4", 1});
    run_ranks(8, plan, [&, between = between, name = name](World& world) {
      // Rows that all ranks need: fused, a domain fetches them once instead of four times.
      const Blocks blocks{std::vector<Vertex>{0, 100, 200, 300, 400, 500, 600, 700, 800}};
      MatrixRows<float> a{.blocks = blocks, .column_blocks = blocks};
      a.offsets = Array<Edge>(101);
      a.columns = Array<Vertex>(800);
      for (std::size_t i = 0; i <= 100; ++i) a.offsets[i] = static_cast<Edge>(8 * i);
      for (std::size_t e = 0; e < 800; ++e) a.columns[e] = static_cast<Vertex>(e);
      const Machine machine =
          Cost({{.latency_s = 1e-6, .bytes_per_second = 1e10}, {.latency_s = 1e-6, .bytes_per_second = between}});
      const SpmmForecast forecast = forecast_spmm(world, machine, a, 32);
      CHECK(forecast.entries.size() == 3);
      CHECK(forecast.best().strategy->name == name);
      CHECK(forecast.text().starts_with(name));
      for (const SpmmForecast::Entry& entry : forecast.entries)
        CHECK(entry.crossing_rows == (entry.strategy->name == std::string_view("halo") ? 3200 : 800));
    });
  }
}

TEST_CASE("where every domain needs all rows auto says that fusion buys nothing, and is no slower than a broadcast") {
  for (const auto& [domains, between] :
       {std::pair{"2x4", 1e8}, {"2x4", 1e13}, {"4x2", 1e9}, {"3+3+2", 1e8}, {"2x2x2", 1e8}}) {
    CAPTURE(std::string(domains));
    CAPTURE(between);
    run_ranks(8, plan_of({8, domains, 1}), [&, between = between](World& world) {
      const Blocks blocks = random_rows::blocks(8);
      // The complete graph: every rank needs all rows.
      MatrixRows<float> complete{.blocks = blocks, .column_blocks = blocks};
      const auto own = static_cast<std::size_t>(blocks.size(world.rank())),
                 n = static_cast<std::size_t>(blocks.count());
      complete.offsets = Array<Edge>(own + 1);
      complete.columns = Array<Vertex>(own * n);
      for (std::size_t i = 0; i <= own; ++i) complete.offsets[i] = static_cast<Edge>(i * n);
      for (std::size_t e = 0; e < own * n; ++e) complete.columns[e] = static_cast<Vertex>(e % n);
      std::vector<LevelCost> levels{{.latency_s = 1e-6, .bytes_per_second = 1e10}};
      while (static_cast<int>(levels.size()) < world.hierarchy().depth())
        levels.push_back({.latency_s = 1e-6, .bytes_per_second = between});
      const Machine machine = Cost(levels);
      const SpmmForecast forecast = forecast_spmm(world, machine, complete, 32);
      // A rank without rows needs none; its domain has others.
      CHECK(forecast.domains_need_all);
      CHECK(forecast.text().find("fusion buys nothing: every domain needs all rows") != std::string::npos);
      for (const SpmmForecast::Entry& entry : forecast.entries) CHECK(forecast.best().seconds <= entry.seconds);
      CHECK(std::ranges::any_of(forecast.entries,
                                [](const auto& entry) { return entry.strategy->name == "broadcast+fusion"; }));

      const SpmmForecast sparse =
          forecast_spmm(world, machine, random_rows::rows<float>(random_rows::blocks(8), world.rank()), 32);
      CHECK(!sparse.domains_need_all);
      CHECK(sparse.text().find("fusion buys nothing") == std::string::npos);
    });
  }
}

TEST_CASE("wrong matrices are refused on all ranks alike") {
  run_ranks(3, {}, [&](World& world) {
    const Blocks blocks = random_rows::blocks(world.size());
    const auto own = blocks.size(world.rank());
    {
      MatrixRows<float> rows = random_rows::rows<float>(blocks, world.rank());
      if (world.rank() == 2) rows.columns[0] = blocks.count();
      CHECK_THROWS_AS(DistributedSpmm<float>(world, std::move(rows)), InputError);
    }
    CHECK_THROWS_AS(DistributedSpmm<float>(world, random_rows::rows<float>(random_rows::blocks(4), world.rank())),
                    InputError);
    DistributedSpmm<float> spmm(world, random_rows::rows<float>(blocks, world.rank()));
    Part<float> b(own, 4), c(own, 4), short_b(own + (world.rank() == 2), 4), wide(own, world.rank() == 0 ? 5 : 4);
    CHECK_THROWS_AS(spmm(short_b.view(), c.view()), InputError);
    CHECK_THROWS_AS(spmm(wide.view(), wide.view()), InputError);
    Part<float> none(own, 0), nothing(own, 0);
    CHECK_THROWS_AS(spmm(none.view(), nothing.view()), InputError);
    b.fill(blocks.begin(world.rank()), 2);
    spmm(b.view(), c.view());
    CHECK(wrong_in(c.view(), blocks, world.rank(), 2, Reduce::sum, true) == 0);
  });
}
