// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/distributed_spmm.hpp>
#include <atoll/spmm/grid_spmm.hpp>
#include <atoll/spmm/product.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "shapes.hpp"
#include "spmm/random_rows.hpp"

using namespace atl;

namespace {

const std::vector<Rank> kUpTo8 =
    shapes::kSanitized ? std::vector<Rank>{1, 3, 4, 6} : std::vector<Rank>{1, 2, 3, 4, 5, 6, 7, 8};

// Rows of this rank, with an unused value behind each.
template <class T>
struct GridPart {
  std::int64_t rows, columns;
  std::vector<T> values;
  GridPart(std::int64_t r, std::int64_t c)
      : rows(r), columns(c), values(static_cast<std::size_t>(r * (c + 1)), std::numeric_limits<T>::quiet_NaN()) {}
  MatrixView<T> view() { return {values.data(), rows, columns, columns + 1}; }
  void fill(Vertex first, int call) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) view()(i, j) = static_cast<T>(random_rows::dense(first + i, j, call));
  }
};

// Values of c that are not those of `right`. Sums are exact, whatever their order; means are rounded, and what comes
// behind a row is left as it is.
template <class T>
int wrong_in(GridPart<T>& c, GridPart<T>& right, Reduce reduce) {
  int wrong = 0;
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      const T want = right.view()(i, j);
      const T error = reduce == Reduce::mean ? 4 * std::numeric_limits<T>::epsilon() * (std::abs(want) + 64) : 0;
      wrong += !(std::abs(c.view()(i, j) - want) <= error);
    }
    wrong += !std::isnan(c.values[static_cast<std::size_t>(i * (c.columns + 1) + c.columns)]);
  }
  return wrong;
}

// Three products with B of their own, against those of DistributedSpmm.
template <class T, class Product>
int wrong_products(World& world, Product& product, DistributedSpmm<T>& right, Vertex first_column, std::int64_t columns,
                   Reduce reduce) {
  int wrong = 0;
  for (int call = 0; call < 3; ++call) {
    GridPart<T> b(right.columns(), columns), c(right.rows(), columns), want(right.rows(), columns);
    b.fill(first_column, call);
    right(b.view(), want.view());
    product(b.view(), c.view());
    wrong += wrong_in(c, want, reduce);
  }
  return static_cast<int>(world.sum(wrong));
}

template <class T>
void check_all_grids(World& world, std::int64_t columns, Reduce reduce) {
  const Blocks blocks = random_rows::blocks(world.size());
  const Vertex first = blocks.begin(world.rank());
  const auto rows = [&] { return random_rows::rows<T>(blocks, world.rank(), reduce == Reduce::sum); };
  DistributedSpmm<T> right(world, rows(), reduce);
  for (Rank c = 1; c <= world.size(); ++c) {
    if (world.size() % c != 0) continue;
    ReplicatedSpmm<T> spmm(world, rows(), c, reduce);
    CHECK(wrong_products(world, spmm, right, first, columns, reduce) == 0);
  }
  SummaSpmm<T> summa(world, rows(), reduce);
  CHECK(wrong_products(world, summa, right, first, columns, reduce) == 0);
}

// The bytes that all ranks count in f(), but for 8 of each message.
template <class F>
std::uint64_t counted(World& world, F&& f) {
  world.barrier();
  const Counters before = world.counters();
  f();
  const Counters sent = world.counters().since(before);
  std::uint64_t bytes = 0;
  for (const LevelCount& level : sent.levels) bytes += level.bytes - 8 * level.messages;
  return world.sum(bytes);
}

}  // namespace

TEST_CASE("products in 1.5D and 2D equal those by rows, on any ranks, of any width") {
  for (const Rank ranks : kUpTo8)
    for (const std::int64_t columns : {1, 2, 3, 17}) {
      CAPTURE(ranks);
      CAPTURE(columns);
      Plan plan;
      plan.threads = ranks <= 3 ? 2 : 1;
      plan.timeout_seconds = 120;
      run_ranks(ranks, plan, [&](World& world) {
        check_all_grids<float>(world, columns, Reduce::sum);
        check_all_grids<double>(world, columns, Reduce::mean);
      });
    }
}

TEST_CASE("the same over small and shuffled buffers, and over domains") {
  for (const shapes::Shape& shape : shapes::buffers()) {
    CAPTURE(shape.name);
    run_ranks(6, shape.plan, [&](World& world) { check_all_grids<double>(world, 5, Reduce::sum); });
  }
  Plan plan;
  plan.threads = 1;
  plan.domains = "2x4";
  for (const char* progress : {"inline", "thread"}) {
    plan.progress = progress;
    run_ranks(8, plan, [&](World& world) { check_all_grids<float>(world, 5, Reduce::sum); });
  }
}

TEST_CASE("a matrix that is not square, with ranks that own no columns") {
  for (const Rank ranks : kUpTo8)
    run_ranks(ranks, {}, [&](World& world) {
      std::vector<Vertex> first_row{0}, first_column{0};
      for (Rank r = 0; r < ranks; ++r) {
        first_row.push_back(first_row.back() + 3 + (r == ranks - 1 ? 11 : 0));
        first_column.push_back(first_column.back() + 2 * r + (ranks == 1));
      }
      const Blocks blocks{first_row}, column_blocks{first_column};
      const auto rows = [&] {
        MatrixRows<double> a{.blocks = blocks, .column_blocks = column_blocks};
        const auto own = static_cast<std::size_t>(blocks.size(world.rank())),
                   width = static_cast<std::size_t>(column_blocks.count());
        a.offsets = Array<Edge>(own + 1);
        a.columns = Array<Vertex>(own * width);
        a.values = Array<double>(own * width);
        for (std::size_t i = 0; i <= own; ++i) a.offsets[i] = static_cast<Edge>(i * width);
        for (std::size_t e = 0; e < own * width; ++e) {
          a.columns[e] = static_cast<Vertex>(e % width);
          a.values[e] = static_cast<double>((e / width * 7 + e % width * 5) % 11) - 5;
        }
        return a;
      };
      DistributedSpmm<double> right(world, rows());
      const Vertex first = column_blocks.begin(world.rank());
      ReplicatedSpmm<double> spmm(world, rows(), ranks % 2 == 0 ? 2 : 1);
      CHECK(spmm.columns() == column_blocks.size(world.rank()));
      CHECK(wrong_products(world, spmm, right, first, 4, Reduce::sum) == 0);
      SummaSpmm<double> summa(world, rows());
      CHECK(summa.rows() == blocks.size(world.rank()));
      CHECK(wrong_products(world, summa, right, first, 4, Reduce::sum) == 0);
    });
}

TEST_CASE("1.5D moves its share of B to each rank and the teams' partial rows, as the counters count") {
  for (const Rank ranks : kUpTo8)
    for (Rank c = 1; c <= ranks; ++c) {
      if (ranks % c != 0) continue;
      CAPTURE(ranks);
      CAPTURE(c);
      run_ranks(ranks, {}, [&](World& world) {
        constexpr std::int64_t kColumns = 9;
        constexpr std::uint64_t kRow = kColumns * sizeof(float);
        const Blocks blocks = random_rows::blocks(ranks);
        const auto n = static_cast<std::uint64_t>(blocks.count()), p = static_cast<std::uint64_t>(ranks),
                   teams = p / static_cast<std::uint64_t>(c);
        std::uint64_t own = 0;  // in the own share
        for (Rank r = 0; r < ranks; ++r)
          if (r / (ranks / c) == r % c) own += static_cast<std::uint64_t>(blocks.size(r));
        ReplicatedSpmm<float> spmm(world, random_rows::rows<float>(blocks, world.rank()), c);
        const GridVolume volume = spmm.volume(kColumns);
        CHECK(volume.a == 0);
        CHECK(volume.b == kRow * (n * teams - own));
        CHECK(volume.c == kRow * n * static_cast<std::uint64_t>(c - 1));
        if (c == 1) CHECK(volume.total() == kRow * n * (p - 1));  // V_CG

        std::uint64_t rows = 0, heads = 0;
        for (const HaloTraffic& level : spmm.traffic(kColumns)) {
          rows += level.rows;
          heads += level.bytes - kRow * level.rows;
        }
        CHECK(world.sum(rows) * kRow == volume.total());
        GridPart<float> b(spmm.columns(), kColumns), result(spmm.rows(), kColumns);
        b.fill(blocks.begin(world.rank()), 1);
        const std::uint64_t agreement = counted(world, [&] {
          atl::spmm::check_shapes<float>(world, b.view(), result.view(), spmm.columns(), spmm.rows());
        });
        const std::uint64_t product = counted(world, [&] { spmm(b.view(), result.view()); });
        CHECK(product - agreement - world.sum(heads) == volume.total());
      });
    }
}

TEST_CASE("2D moves A along grid rows, B along grid columns, and the slices that are elsewhere") {
  for (const Rank ranks : kUpTo8)
    for (const std::int64_t columns : {1, 3, 10}) {
      CAPTURE(ranks);
      CAPTURE(columns);
      run_ranks(ranks, {}, [&](World& world) {
        const Blocks blocks = random_rows::blocks(ranks);
        SummaSpmm<double> summa(world, random_rows::rows<double>(blocks, world.rank()));
        const Rank pr = summa.grid_rows(), pc = summa.grid_columns();
        CHECK(pr * pc == ranks);
        CHECK(pr == (ranks == 4 || ranks == 6 || ranks == 8 ? 2 : 1));
        const Rank stages = std::lcm(pr, pc), of_stage = ranks / stages;
        std::uint64_t a = 0, elsewhere = 0;
        for (Rank r = 0; r < pr; ++r)
          for (Rank s = 0; s < stages; ++s) {
            const Vertex begin = blocks.begin(r * pc), end = blocks.end(r * pc + pc - 1);
            std::uint64_t nonzeros = 0;
            for (Vertex i = begin; i < end; ++i)
              for (const auto& entry : random_rows::row(i, blocks.count()))
                nonzeros += blocks.owner(entry.column) / of_stage == s;
            if (nonzeros > 0) a += static_cast<std::uint64_t>(end - begin + 1) * 8 + nonzeros * (4 + 8);
          }
        const Blocks slices = Blocks::even(columns, pc);
        for (Rank r = 0; r < ranks; ++r)
          elsewhere += static_cast<std::uint64_t>(blocks.size(r) * (columns - slices.size(r % pc))) * 8;
        const GridVolume volume = summa.volume(columns);
        CHECK(volume.a == a * static_cast<std::uint64_t>(pc - 1));
        CHECK(volume.b == static_cast<std::uint64_t>(blocks.count() * columns * (pr - 1)) * 8 + elsewhere);
        CHECK(volume.c == elsewhere);

        GridPart<double> b(summa.columns(), columns), c(summa.rows(), columns);
        b.fill(blocks.begin(world.rank()), 1);
        std::uint64_t before = 0;
        for (std::uint64_t call = 1; call <= 2; ++call) {
          const std::uint64_t product = counted(world, [&] { summa(b.view(), c.view()); });
          const std::uint64_t sent = world.sum(summa.sent_bytes());
          CHECK(sent - before == volume.total());
          CHECK(product >= volume.total());
          before = sent;
        }
      });
    }
}

TEST_CASE("what does not fit 1.5D or 2D is refused on all ranks alike") {
  run_ranks(4, {}, [&](World& world) {
    const Blocks blocks = random_rows::blocks(4);
    const auto rows = [&] { return random_rows::rows<float>(blocks, world.rank()); };
    for (const Reduce reduce : {Reduce::max, Reduce::min}) {
      CHECK_THROWS_AS(ReplicatedSpmm<float>(world, rows(), 2, reduce), UsageError);
      CHECK_THROWS_AS(SummaSpmm<float>(world, rows(), reduce), UsageError);
    }
    CHECK_THROWS_WITH_AS(SummaSpmm<float>(world, rows(), Reduce::max),
                         "SpMM in 1.5D or 2D: the reduction is max (partial results are added). Take sum or mean, or "
                         "another strategy.",
                         UsageError);
    for (const Rank replication : {0, 3, 8})
      CHECK_THROWS_AS(ReplicatedSpmm<float>(world, rows(), replication), UsageError);
    CHECK_THROWS_WITH_AS(ReplicatedSpmm<float>(world, rows(), 3),
                         "SpMM in 1.5D: the replication is 3 (it must divide the 4 ranks). Take a divisor.",
                         UsageError);
    for (const bool summa : {true, false}) {
      MatrixRows<float> outside = rows();
      if (world.rank() == 2) outside.columns[0] = blocks.count();
      if (summa)
        CHECK_THROWS_AS(SummaSpmm<float>(world, std::move(outside)), InputError);
      else
        CHECK_THROWS_AS(ReplicatedSpmm<float>(world, std::move(outside), 2), InputError);
    }
    SummaSpmm<float> summa(world, rows());
    const auto own = blocks.size(world.rank());
    GridPart<float> b(own, 4), c(own, 4), short_b(own + (world.rank() == 2), 4), wide(own, world.rank() == 0 ? 5 : 4);
    CHECK_THROWS_AS(summa(short_b.view(), c.view()), InputError);
    CHECK_THROWS_AS(summa(wide.view(), wide.view()), InputError);
    b.fill(blocks.begin(world.rank()), 0);
    DistributedSpmm<float> right(world, rows());
    CHECK(wrong_products(world, summa, right, blocks.begin(world.rank()), 4, Reduce::sum) == 0);
  });
}
