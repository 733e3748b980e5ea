// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/spmm/distributed_spmm.hpp>
#include <atoll/spmm/row_order.hpp>
#include <atoll/spmm/spmm_product.hpp>
#include <numeric>

#include "shapes.hpp"
#include "spmm/random_rows.hpp"

using namespace atl;
using random_rows::dense;

namespace {

Plan plan_of(const char* domains = "", int threads = 1) {
  Plan plan;
  plan.threads = threads;
  plan.domains = domains;
  plan.timeout_seconds = 120;
  return plan;
}

Matrix<double> filled(Vertex first, std::int64_t rows, std::int64_t columns) {
  Matrix<double> out(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) out(i, j) = dense(first + i, j, 1);
  return out;
}

// Entries of C that are not the definition's sum over the matrix as it was; sums of these values are exact.
int wrong_in(const Matrix<double>& c, const Blocks& blocks, Rank rank) {
  int wrong = 0;
  for (std::int64_t i = 0; i < c.rows(); ++i)
    for (std::int64_t j = 0; j < c.cols(); ++j) {
      double right = 0;
      for (const auto& [column, value] : random_rows::row(blocks.begin(rank) + i, blocks.count()))
        right += value * dense(column, j, 1);
      wrong += c(i, j) != right;
    }
  return wrong;
}

MatrixRows<float> rows_of_text(World& world, const char* text) {
  return rows_of<float>(Graph::build(world, generate(world, text)), {.values = EdgeValues::gcn});
}

}  // namespace

TEST_CASE(
    "a product in any order is that of the matrix as it was, by any strategy, and the blocks have like nonzeros") {
  for (const Rank ranks : shapes::kRanks)
    for (const std::string& name : ordering_names())
      run_ranks(ranks, plan_of(ranks == 4 ? "2x2" : "", ranks == 3 ? 2 : 1), [&](World& world) {
        CAPTURE(ranks);
        CAPTURE(name);
        const Blocks blocks = random_rows::blocks(ranks);
        const MatrixRows<double> a = random_rows::rows<double>(blocks, world.rank());
        Edge longest = 0;
        for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i)
          longest = std::max(longest, a.offsets[i + 1] - a.offsets[i]);
        longest = world.max(longest);
        const auto all = world.sum(static_cast<Edge>(a.columns.size()));
        const Matrix<double> b = filled(blocks.begin(world.rank()), a.rows(), 7);
        for (const SpmmStrategy& strategy : spmm_strategies()) {
          auto [rows, order] = reordered(world, a, ordering_named(name));
          CHECK(rows.rows() == order.new_rows());
          CHECK(order.old_rows() == a.rows());
          CHECK(static_cast<Edge>(rows.columns.size()) <= all / ranks + longest + 1);
          CHECK(world.sum(static_cast<Edge>(rows.columns.size())) == all);
          for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i)
            CHECK(std::is_sorted(rows.columns.begin() + rows.offsets[i], rows.columns.begin() + rows.offsets[i + 1]));
          Matrix<double> moved_b(order.new_rows(), 7), moved_c(order.new_rows(), 7), c(a.rows(), 7);
          order.to_new(b.view(), moved_b.view());
          SpmmProduct<double> spmm(world, std::move(rows), strategy);
          spmm(std::as_const(moved_b).view(), moved_c.view());
          order.to_old(std::as_const(moved_c).view(), c.view());
          CHECK(wrong_in(c, blocks, world.rank()) == 0);
        }
      });
}

TEST_CASE("rows that move to the new order come back as they were, of any type and width, and no row is lost") {
  for (const Rank ranks : shapes::kRanks)
    run_ranks(ranks, plan_of(), [&](World& world) {
      const Blocks blocks = random_rows::blocks(ranks);
      const auto found = reordered(world, random_rows::rows<float>(blocks, world.rank()), Ordering::random);
      const RowOrder& order = found.order;
      for (const std::int64_t columns : {1, 5, 32}) {
        const Matrix<double> x = filled(blocks.begin(world.rank()), order.old_rows(), columns);
        Matrix<double> y(order.new_rows(), columns), z(order.old_rows(), columns);
        order.to_new(x.view(), y.view());
        order.to_old(std::as_const(y).view(), z.view());
        int wrong = 0;
        for (std::int64_t i = 0; i < x.rows(); ++i)
          for (std::int64_t j = 0; j < columns; ++j) wrong += x(i, j) != z(i, j);
        CHECK(wrong == 0);
      }
      std::vector<std::int32_t> ids(static_cast<std::size_t>(order.old_rows()));
      std::iota(ids.begin(), ids.end(), static_cast<std::int32_t>(blocks.begin(world.rank())));
      const std::vector<std::int32_t> moved = order.to_new(std::span<const std::int32_t>(ids));
      std::vector<std::int32_t> everyone = world.all_gather_varying(std::span<const std::int32_t>(moved));
      CHECK(!std::ranges::is_sorted(everyone));
      std::ranges::sort(everyone);
      for (std::size_t i = 0; i < everyone.size(); ++i) CHECK(everyone[i] == static_cast<std::int32_t>(i));

      // A sparse matrix of features, whose row v has v % 3 entries.
      SparseMatrix<float> features{.rows = order.old_rows(), .columns = 9};
      features.offsets = Array<Edge>(ids.size() + 1, 0);
      for (std::size_t i = 0; i < ids.size(); ++i) features.offsets[i + 1] = features.offsets[i] + ids[i] % 3;
      features.column_indices = Array<Local>(static_cast<std::size_t>(features.offsets[ids.size()]));
      features.values = Array<float>(features.column_indices.size());
      for (std::size_t i = 0; i < ids.size(); ++i)
        for (auto e = static_cast<std::size_t>(features.offsets[i]);
             e < static_cast<std::size_t>(features.offsets[i + 1]); ++e) {
          features.column_indices[e] =
              static_cast<Local>(e - static_cast<std::size_t>(features.offsets[i])) + ids[i] % 7;
          features.values[e] = static_cast<float>(ids[i]);
        }
      const SparseMatrix<float> there = order.to_new(features);
      REQUIRE(there.rows == static_cast<std::int64_t>(moved.size()));
      for (std::size_t i = 0; i < moved.size(); ++i) {
        CHECK(there.offsets[i + 1] - there.offsets[i] == moved[i] % 3);
        for (auto e = static_cast<std::size_t>(there.offsets[i]); e < static_cast<std::size_t>(there.offsets[i + 1]);
             ++e) {
          CHECK(there.column_indices[e] ==
                static_cast<Local>(e - static_cast<std::size_t>(there.offsets[i])) + moved[i] % 7);
          CHECK(there.values[e] == static_cast<float>(moved[i]));
        }
      }
    });
}

TEST_CASE("more ranks than rows, and no rows at all") {
  for (const Vertex n : {3, 0})
    for (const std::string& name : ordering_names())
      run_ranks(8, plan_of(), [&](World& world) {
        CAPTURE(n);
        CAPTURE(name);
        const Blocks blocks = Blocks::even(n, world.size());
        const MatrixRows<double> a = random_rows::rows<double>(blocks, world.rank());
        auto [rows, order] = reordered(world, a, ordering_named(name));
        const Matrix<double> b = filled(blocks.begin(world.rank()), a.rows(), 2);
        Matrix<double> moved_b(order.new_rows(), 2), moved_c(order.new_rows(), 2), c(a.rows(), 2);
        order.to_new(b.view(), moved_b.view());
        DistributedSpmm<double> spmm(world, std::move(rows));
        spmm(std::as_const(moved_b).view(), moved_c.view());
        order.to_old(std::as_const(moved_c).view(), c.view());
        CHECK(wrong_in(c, blocks, world.rank()) == 0);
      });
}

TEST_CASE("auto takes Rabbit where communities lie scattered over ranks, and leaves what cannot gain") {
  run_ranks(4, plan_of(), [](World& world) {
    MatrixRows<float> scattered = rows_of_text(world, "communities:13");
    const RowOrderChoice taken = choose_row_order(world, scattered, 64, "auto");
    CHECK(taken.name == "rabbit");
    CHECK(taken.order.has_value());
    CHECK(taken.why.starts_with("rabbit (a product is predicted to take "));
    CHECK(world.min(taken.seconds) == world.max(taken.seconds));  // of the slowest rank
    // In its own order there is nothing left to gain.
    const RowOrderChoice again = choose_row_order(world, scattered, 64, "auto");
    CHECK(again.name == "none");
    CHECK(!again.order.has_value());

    MatrixRows<float> full = rows_of_text(world, "complete:400");
    const auto nonzeros = full.columns.size();
    const RowOrderChoice left = choose_row_order(world, full, 64, "auto");
    CHECK(left.name == "none");
    CHECK(!left.order.has_value());
    CHECK(full.columns.size() == nonzeros);

    MatrixRows<float> balanced = rows_of_text(world, "communities:10");
    CHECK(choose_row_order(world, balanced, 64, "auto", "broadcast+pipeline").name == "random");
  });
  run_ranks(1, plan_of(), [](World& world) {  // all of B fits the cache
    MatrixRows<float> small = rows_of_text(world, "communities:10");
    const RowOrderChoice choice = choose_row_order(world, small, 16, "auto");
    CHECK(choice.name == "none");
    CHECK(choice.why.find("no order would gain") != std::string::npos);
    CHECK(choose_row_order(world, small, 16, "auto", "broadcast+pipeline").name == "none");
    CHECK(choose_row_order(world, small, 16, "none").why == "none (as asked)");
    CHECK(choose_row_order(world, small, 16, "rcm").name == "rcm");
  });
}

TEST_CASE("what cannot be ordered is refused on all ranks alike, and left by auto") {
  run_ranks(3, plan_of(), [](World& world) {
    const Blocks blocks = random_rows::blocks(3);
    MatrixRows<float> a = random_rows::rows<float>(blocks, world.rank());
    CHECK_THROWS_AS(choose_row_order(world, a, 8, "alphabetical"), UsageError);
    a.column_blocks = Blocks::even(blocks.count(), 3);
    CHECK_THROWS_AS(reordered(world, a, Ordering::rabbit), InputError);
    CHECK(choose_row_order(world, a, 8, "auto").name == "none");
    a.column_blocks = blocks;
    if (world.rank() == 2) a.columns[0] = blocks.count();
    CHECK_THROWS_WITH_AS(reordered(world, a, Ordering::degree),
                         "the matrix to be ordered: a nonzero of rank 2 is in column 52 (the matrix has 52 columns). "
                         "Correct the column numbers.",
                         InputError);
    CHECK(choose_row_order(world, a, 8, "auto").name == "none");
    if (world.rank() == 2) a.columns[0] = 0;
    const auto found = reordered(world, a, Ordering::degree);
    Matrix<float> x(found.order.old_rows() + (world.rank() == 1), 4), y(found.order.new_rows(), 4);
    CHECK_THROWS_AS(found.order.to_new(std::as_const(x).view(), y.view()), InputError);
  });
}
