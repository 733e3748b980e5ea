// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/floyd_warshall/grid_steps.hpp>
#include <atoll/apsp/floyd_warshall/modelled_grid.hpp>

namespace atl {
namespace {

// The Blocks of GridSteps as times and sizes only (computed_blocks.hpp has those that compute).
class ModelledBlocks {
 public:
  using Broadcasts = PanelBroadcast;
  static PanelBroadcast broadcasts(World& world, std::vector<std::vector<Rank>> groups, BroadcastOptions options) {
    return PanelBroadcast(world, std::move(groups), options);
  }

  ModelledBlocks(World& world, const GridLayout& layout, const ModelledKernels& kernels)
      : world_(world),
        rows_(layout.rows),
        cols_(layout.cols),
        kernels_(kernels),
        local_rows_(rows_.size_on(layout.grid.row_of(world.rank()))),
        local_cols_(cols_.size_on(layout.grid.col_of(world.rank()))) {}

  PanelMemory diagonal(std::int64_t k) const { return memory(rows_.length_of(k), rows_.length_of(k)); }
  PanelMemory row_panel(std::int64_t k) const { return memory(rows_.length_of(k), local_cols_); }
  PanelMemory col_panel(std::int64_t k) const { return memory(local_rows_, cols_.length_of(k)); }
  std::int64_t strip_rows() const { return std::max<std::int64_t>(1, (local_rows_ + 7) / 8); }
  std::int64_t gain_vertex(std::int64_t) const { return -1; }

  void close_diagonal(std::int64_t k) {
    const std::int64_t b = rows_.length_of(k);
    const double rate = kernels_.diagonal_rate > 0 ? kernels_.diagonal_rate : product_rate(b);
    pass(operations(b, b, b) / rate, [&] { world_.progress(); });
  }
  void update_row(std::int64_t k, bool has_diagonal) { panel(rows_.length_of(k), local_cols_, has_diagonal); }
  void update_col(std::int64_t k, bool has_diagonal) { panel(rows_.length_of(k), local_rows_, has_diagonal); }
  void take_panels(std::int64_t k) { depth_ = rows_.length_of(k); }
  template <class OnProgress>
  void outer(std::int64_t, IndexRange rows, const std::vector<IndexRange>& cols, OnProgress&& on_progress) {
    std::int64_t width = 0;
    for (const IndexRange& c : cols) width += c.end - c.begin;
    pass(operations(rows.end - rows.begin, width, depth_) / product_rate(depth_), on_progress);
  }

 private:
  static double operations(std::int64_t m, std::int64_t n, std::int64_t k) {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  double product_rate(std::int64_t depth) const {
    const auto b = static_cast<double>(depth);
    return kernels_.rate * b / (b + kernels_.half_depth);
  }
  PanelMemory memory(std::int64_t rows, std::int64_t cols) const {
    constexpr std::size_t kVertex = sizeof(std::int64_t);  // behind the values, as in ComputedBlocks
    return {nullptr, static_cast<std::size_t>(static_cast<double>(rows * cols) * kernels_.value_bytes) + kVertex};
  }
  void panel(std::int64_t b, std::int64_t length, bool has_diagonal) {
    pass(operations(b, b, length - (has_diagonal ? b : 0)) / product_rate(b), [&] { world_.progress(); });
  }

  template <class OnProgress>
  void pass(double seconds, OnProgress&& on_progress) {
    if (kernels_.where == ModelledKernels::Where::tiles) {
      constexpr int kTiles = 16;
      for (int i = 0; i < kTiles; ++i) {
        world_.compute(seconds / kTiles);
        on_progress();
      }
      return;
    }
    const double end = world_.now() + seconds;
    for (double left = seconds; left > 0; left = end - world_.now()) {
      on_progress();
      if (left = end - world_.now(); left > 0) world_.fabric().wait(left);
    }
  }

  World& world_;
  const BlockCyclic rows_, cols_;
  const ModelledKernels kernels_;
  const std::int64_t local_rows_, local_cols_;
  std::int64_t depth_ = 0;
};

}  // namespace

GridRun modelled_floyd_warshall(World& world, const GridLayout& layout, const GridOptions& options,
                                const ModelledKernels& kernels) {
  world.agree(
      world.fabric().is_virtual(),
      fmt::format("modelled kernels over transport {} (they need virtual time). Take levels.", world.fabric().name()));
  world.agree(layout.grid.size() == world.size(),
              fmt::format("a grid of {} x {} ranks (the job has {}). Choose another grid.", layout.grid.rows,
                          layout.grid.cols, world.size()));
  ModelledBlocks blocks(world, layout, kernels);
  return GridSteps(world, layout, options, blocks).run({});
}

}  // namespace atl
