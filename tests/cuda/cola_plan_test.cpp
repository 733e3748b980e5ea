// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/volume.hpp>
#include <set>
#include <tuple>

#include "cola_cases.hpp"

using namespace atl;
using namespace cola_cases;

namespace {

using Nonzero = std::tuple<Vertex, Vertex, float>;

// [PE][phase] which row of B each row of the PE's buffer is, as the puts have it.
std::vector<std::vector<std::vector<Vertex>>> buffers_of(const std::vector<ColaPlan>& plans, const Blocks& blocks) {
  std::vector<std::vector<std::vector<Vertex>>> out;
  for (const ColaPlan& plan : plans) {
    auto& phases = out.emplace_back();
    for (const ColaPhase& phase : plan.phases) phases.emplace_back(static_cast<std::size_t>(phase.buffer_rows), -1);
    for (Vertex r = 0; r < blocks.size(plan.pe); ++r)
      phases[0][static_cast<std::size_t>(r)] = blocks.begin(plan.pe) + r;
  }
  for (const ColaPlan& plan : plans)
    for (std::size_t j = 1; j < plan.phases.size(); ++j) {
      const ColaPut& put = plan.puts[j - 1];
      CHECK(put.all == (put.count == plan.own_rows));
      CHECK(std::ranges::is_sorted(put.rows));
      for (Local i = 0; i < put.count; ++i) {
        Vertex& at = out[static_cast<std::size_t>(put.to)][j].at(static_cast<std::size_t>(put.first + i));
        CHECK(at == -1);
        at = blocks.begin(plan.pe) + (put.all ? i : put.rows[static_cast<std::size_t>(i)]);
      }
    }
  return out;
}

// The nonzeros of the plans, with the columns that the buffers give their positions.
std::vector<Nonzero> nonzeros_of(const std::vector<ColaPlan>& plans, const Blocks& blocks) {
  const auto buffers = buffers_of(plans, blocks);
  std::vector<Nonzero> out;
  for (const ColaPlan& plan : plans)
    for (std::size_t j = 0; j < plan.phases.size(); ++j) {
      const ColaPhase& phase = plan.phases[j];
      const auto& own = buffers[static_cast<std::size_t>(plan.pe)][j];
      CHECK(std::ranges::count(own, -1) == 0);
      for (std::size_t i = 0; i + 1 < phase.local.offsets.size(); ++i)
        for (auto e = static_cast<std::size_t>(phase.local.offsets[i]);
             e < static_cast<std::size_t>(phase.local.offsets[i + 1]); ++e)
          out.emplace_back(blocks.begin(plan.pe) + static_cast<Vertex>(i),
                           own.at(static_cast<std::size_t>(phase.local.column_indices[e])), phase.local.values[e]);
      const ColaColumns& remote = phase.remote;
      for (std::size_t c = 0; c < remote.count(); ++c) {
        const Rank peer = plan.groups.begin(plan.groups.of(plan.pe)) + remote.peers[c];
        CHECK(peer != plan.pe);
        const Vertex column =
            buffers[static_cast<std::size_t>(peer)][j].at(static_cast<std::size_t>(remote.positions[c]));
        CHECK(remote.offsets[c] < remote.offsets[c + 1]);
        for (auto e = static_cast<std::size_t>(remote.offsets[c]); e < static_cast<std::size_t>(remote.offsets[c + 1]);
             ++e)
          out.emplace_back(blocks.begin(plan.pe) + remote.rows[e], column, remote.values[e]);
      }
    }
  std::ranges::sort(out);
  return out;
}

std::vector<Nonzero> nonzeros_of(const CsrMatrix& a) {
  std::vector<Nonzero> out;
  for (std::size_t i = 0; i + 1 < a.offsets.size(); ++i)
    for (auto e = static_cast<std::size_t>(a.offsets[i]); e < static_cast<std::size_t>(a.offsets[i + 1]); ++e)
      out.emplace_back(static_cast<Vertex>(i), a.columns[e], a.values[e]);
  std::ranges::sort(out);
  return out;
}

// Rows fetched inside workgroups by the rule of section 4.2: of a column of another PE once, unless the PE itself
// buffers it for its workgroup.
std::uint64_t fetched_by_definition(const CsrMatrix& a, const Shape& shape, const Blocks& blocks) {
  std::set<std::pair<Rank, Vertex>> fetched;
  for (const auto& [row, column, value] : nonzeros_of(a)) {
    const Rank by = blocks.owner(row), from = blocks.owner(column);
    const Rank group = by / shape.size, width = std::min(shape.size, shape.pes - group * shape.size);
    const Rank holder = from / shape.size == group ? from : group * shape.size + from % shape.size % width;
    if (holder != by) fetched.emplace(by, column);
  }
  return fetched.size();
}

void expect_plans(const CsrMatrix& a, const Shape& shape, const Blocks& blocks) {
  CAPTURE(a.name);
  CAPTURE(shape.pes);
  CAPTURE(shape.size);
  const std::vector<ColaPlan> all = plans(a, shape, blocks);
  CHECK(nonzeros_of(all, blocks) == nonzeros_of(a));
  std::uint64_t fetched = 0, put = 0;
  for (const ColaPlan& plan : all) {
    fetched += plan.rows_fetched();
    put += plan.rows_put();
  }
  const SparseMatrix<float> whole = a.whole();
  const FetchedRows counted = count_fetched(whole.pattern(), blocks, blocks, workgroups(shape.pes, shape.size));
  CHECK(put == (shape.size < shape.pes ? counted.fused.back() : 0));
  CHECK(fetched == fetched_by_definition(a, shape, blocks));
  // A PE receives the rows that others put, to the same place.
  for (const ColaPlan& plan : all)
    for (std::size_t j = 1; j < plan.phases.size(); ++j)
      for (const ColaPlan& other : all) {
        using Where = std::tuple<Local, Local>;
        std::vector<Where> expected, put;
        for (const ColaReceipt& receipt : plan.phases[j].receipts)
          if (receipt.from == other.pe) expected.emplace_back(receipt.first, receipt.count);
        const ColaPut& theirs = other.puts[j - 1];
        if (theirs.to == plan.pe && theirs.count > 0) put.emplace_back(theirs.first, theirs.count);
        CHECK(expected == put);
      }
  // The peers of a PE ask for the rows that their columns name, in the same order.
  for (const ColaPlan& plan : all)
    for (std::size_t j = 0; j < plan.phases.size(); ++j)
      for (Rank by = plan.groups.begin(plan.groups.of(plan.pe)); by < plan.groups.end(plan.groups.of(plan.pe)); ++by) {
        const ColaColumns& theirs = all[static_cast<std::size_t>(by)].phases[j].remote;
        std::vector<Local> wanted, asked;
        for (std::size_t c = 0; c < theirs.count(); ++c)
          if (plan.groups.begin(plan.groups.of(plan.pe)) + theirs.peers[c] == plan.pe)
            wanted.push_back(theirs.positions[c]);
        for (const ColaRequest& request : plan.phases[j].requests)
          if (request.by == by) asked = request.positions;
        CHECK(asked == wanted);
      }
}

}  // namespace

TEST_CASE("plans of CoLa have each nonzero once, and move what the volume counts") {
  for (const Shape& shape : shapes()) {
    for (const CsrMatrix& a : {random_matrix(61, 6), random_matrix(7, 2), kronecker_matrix(6, 400)}) {
      expect_plans(a, shape, Blocks::even(a.n, shape.pes));
      expect_plans(a, shape, unequal_blocks(a.n, shape.pes));
    }
  }
}

TEST_CASE("a block that all of a workgroup's rows are needed of goes without a list") {
  std::vector<std::vector<Vertex>> rows(12);
  for (auto& row : rows)
    for (Vertex column = 0; column < 12; ++column) row.push_back(column);
  for (const ColaPlan& plan : plans(of_rows("full", rows), {4, 2}, Blocks::even(12, 4))) {
    REQUIRE(plan.puts.size() == 1);
    CHECK(plan.puts[0].all);
    CHECK(plan.puts[0].count == 3);
  }
}

TEST_CASE("plans of CoLa refuse lists and blocks that do not fit") {
  const CsrMatrix a = random_matrix(20, 5);
  std::vector<Edge> offsets;
  const Blocks blocks = Blocks::even(20, 4);
  const ColaRows rows = a.rows(0, 5, offsets);
  const std::vector<std::vector<Vertex>> none(4);
  CHECK_THROWS_WITH_AS(ColaPlan({4, 2}, 0, blocks, rows, none), doctest::Contains("Make the list of the same rows"),
                       InputError);
  CHECK_THROWS_WITH_AS(ColaPlan({4, 2}, 0, blocks, rows, std::span(none).first(3)),
                       doctest::Contains("Give one for each PE"), InputError);
  CHECK_THROWS_WITH_AS(ColaPlan({4, 5}, 0, blocks, rows, none), doctest::Contains("Take 1 to 4"), InputError);
  CHECK_THROWS_WITH_AS(ColaPlan({4, 2}, 0, Blocks::even(10, 4), rows, none), doctest::Contains("Correct the matrix"),
                       InputError);
}
