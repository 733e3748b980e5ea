// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/neighbor_sums.hpp>

namespace atl {
namespace {

GraphView view_of(const Graph& graph, CutRows rows) {
  const VertexCut* cut = graph.vertex_cut_if_any(rows);
  if (!cut) return GraphView::all_of(graph, rows);
  return rows == CutRows::targets ? GraphView::along_edges(*cut) : GraphView::against_edges(*cut);
}

// Hubs come first, so pieces of as many rows would differ too much.
constexpr std::size_t kChunksPerThread = 32;

std::vector<std::size_t> chunks_of(const Csr& lists, std::size_t rows, int threads) {
  const auto edges = static_cast<std::size_t>(lists.offsets[rows]);
  const std::size_t most = (edges + rows) / (kChunksPerThread * static_cast<std::size_t>(threads)) + 1;
  std::vector<std::size_t> first{0};
  const auto work = [&](std::size_t row) { return static_cast<std::size_t>(lists.offsets[row]) + row; };
  for (std::size_t row = 1; row < rows; ++row)
    if (work(row) - work(first.back()) >= most) first.push_back(row);
  first.push_back(rows);
  return first;
}

// Two sums at once, so that the processor does not wait for each addition.
template <class Real, class Term>
void add_rows(const Csr& lists, Real* y, std::size_t begin, std::size_t end, Term&& term) {
  for (std::size_t v = begin; v < end; ++v) {
    Real even = 0, odd = 0;
    auto e = static_cast<std::size_t>(lists.offsets[v]);
    const auto last = static_cast<std::size_t>(lists.offsets[v + 1]);
    for (; e + 1 < last; e += 2) {
      even += term(e);
      odd += term(e + 1);
    }
    if (e < last) even += term(e);
    y[v] = even + odd;
  }
}

}  // namespace

template <class Real>
NeighborSums<Real>::NeighborSums(const Graph& graph, CutRows rows)
    : view_(view_of(graph, rows)),
      masters_(graph.active()),
      exchange_(view_),
      chunks_(chunks_of(*view_.rows, index(view_.cut ? view_.locals : masters_), view_.world->team().size())) {}

template <class Real>
void NeighborSums<Real>::add_plain(const Real* x, Real* y, std::size_t begin, std::size_t end) const {
  const Local* const from = rows().targets.data();
  add_rows(rows(), y, begin, end, [&](std::size_t e) { return x[from[e]]; });
}

template <class Real>
void NeighborSums<Real>::add_scaled(const Real* x, Real* y, std::size_t begin, std::size_t end) const {
  const Local* const from = rows().targets.data();
  const Real* const factor = factors_.data();
  add_rows(rows(), y, begin, end, [&](std::size_t e) { return factor[e] * x[from[e]]; });
}

template <class Real>
std::size_t NeighborSums<Real>::memory_bytes() const {
  return exchange_.memory_bytes() + factors_.size() * sizeof(Real) + chunks_.size() * sizeof(std::size_t);
}

template class NeighborSums<float>;
template class NeighborSums<double>;

}  // namespace atl
