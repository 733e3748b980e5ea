// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>

/// Blocked Floyd-Warshall [1, section IV] of one matrix, the three steps of each block k:
///
///   in the paper                            here
///   DiagUpdate   A(k,k) <- FW(A(k,k))       products.close()
///   PanelUpdate  A(k,:), A(:,k)             update_panels()
///   OuterUpdate  A(i,j), i, j != k          products.multiply() over the four windows beside row and column k
///
/// Undirected (not in the paper): A = A^T, so the column panel is the transposed row panel, and the outer product
/// computes only the upper half, with half the operations. It is then A^T A of one panel with itself, "TN".
///
/// `Products` is a memory and what multiplies there: the host's (floyd_warshall.cpp) or a device's (apsp/device/), which
/// only enqueues. Its View has part(); pack(panel, view, transposed), multiply(left, right, c, windows), transpose(),
/// mirror() and close() work on views; cycle() is an improving cycle that is known by now, finish() that of the whole run.
///
/// [1] R. Kannan et al. "Exaflop/s biomedical knowledge graph analytics." SC 2022.
namespace atl {

/// Row and column panel of block [k0, k1), packed for the outer product.
template <class Products>
class BlockPanels {
 public:
  using View = typename Products::View;
  explicit BlockPanels(const Products& products) : products_(products) {}

  void update(View d, std::int64_t k0, std::int64_t k1) {
    const std::int64_t n = d.rows, b = k1 - k0;
    const View diagonal = d.part(k0, k0, b, b), row = d.part(k0, 0, b, n), column = d.part(0, k0, n, b);
    update_row(diagonal, row, k0);
    products_.pack(right_, diagonal, false);
    products_.pack(left_, column, false);
    products_.multiply(left_, right_, column, std::array{Window{0, k0, 0, b}, Window{k1, n, 0, b}});
    products_.pack(left_, column, false);
    products_.pack(right_, row, false);
  }
  void outer(View d, std::int64_t k0, std::int64_t k1) const {
    const std::int64_t n = d.rows;
    products_.multiply(
        left_, right_, d,
        std::array{Window{0, k0, 0, k0}, Window{0, k0, k1, n}, Window{k1, n, 0, k0}, Window{k1, n, k1, n}});
  }

 protected:
  void update_row(View diagonal, View row, std::int64_t k0) {
    const std::int64_t b = diagonal.rows;
    products_.pack(left_, diagonal, false);
    products_.pack(right_, row, false);
    products_.multiply(left_, right_, row, std::array{Window{0, b, 0, k0}, Window{0, b, k0 + b, row.cols}});
  }

  const Products& products_;
  typename Products::Panel left_{PackedPanel::Side::left}, right_{PackedPanel::Side::right};
};

/// The same for a symmetric matrix of which only the upper half is kept up to date. The whole row panel is built in the
/// unused lower half, where its rows are in the order in which both factors are packed.
template <class Products>
class SymmetricBlockPanels : BlockPanels<Products> {
 public:
  using View = typename Products::View;
  using BlockPanels<Products>::BlockPanels;

  void update(View d, std::int64_t k0, std::int64_t k1) {
    const std::int64_t n = d.rows, b = k1 - k0;
    const View row = d.part(k0, 0, b, n), above = d.part(0, k0, k0, b), before = d.part(k0, 0, b, k0);
    this->products_.transpose(above, before);
    this->update_row(d.part(k0, k0, b, b), row, k0);
    this->products_.transpose(before, above);
    this->products_.pack(this->left_, row, true);
    this->products_.pack(this->right_, row, false);
  }
  void outer(View d, std::int64_t k0, std::int64_t k1) const {
    const std::int64_t n = d.rows;
    this->products_.multiply(this->left_, this->right_, d,
                             std::array{Window{0, k0, 0, k0, true}, Window{0, k0, k1, n}, Window{k1, n, k1, n, true}});
  }
};

/// Runs the steps of `options` with blocks of `block`, and adds to the report what was done; `products` keeps the times.
template <class Products, class Panels>
std::optional<GainCycle> run_blocks(Products& products, Panels&& panels, typename Products::View d, std::int64_t block,
                                    const FloydWarshallOptions& options, FloydWarshallReport& report) {
  const std::int64_t n = d.rows;
  report.block = block;
  products.begin_laps();
  for (std::int64_t k0 = 0; k0 < n && (options.steps == 0 || report.steps < options.steps); k0 += block) {
    const std::int64_t k1 = std::min(n, k0 + block);
    const auto diagonal = d.part(k0, k0, k1 - k0, k1 - k0);
    if (options.undirected) products.mirror(diagonal);
    products.close(diagonal, k0);
    products.lap(&FloydWarshallReport::diagonal_seconds, report);
    if (products.cycle()) break;
    panels.update(d, k0, k1);
    products.lap(&FloydWarshallReport::panel_seconds, report);
    panels.outer(d, k0, k1);
    products.lap(&FloydWarshallReport::outer_seconds, report);
    products.finish_step();
    ++report.steps;
    report.operations += (options.undirected ? 1.0 : 2.0) * static_cast<double>(n) * static_cast<double>(n) *
                         static_cast<double>(k1 - k0);
    if (options.after_block && !options.after_block(report.steps)) break;
  }
  if (options.undirected) products.mirror(d);
  products.lap(&FloydWarshallReport::panel_seconds, report);
  return products.finish();
}

template <class Products>
std::optional<GainCycle> run_blocks(Products& products, typename Products::View d, std::int64_t block,
                                    const FloydWarshallOptions& options, FloydWarshallReport& report) {
  return options.undirected ? run_blocks(products, SymmetricBlockPanels<Products>(products), d, block, options, report)
                            : run_blocks(products, BlockPanels<Products>(products), d, block, options, report);
}

}  // namespace atl
