// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <atoll/base/index_range.hpp>
#include <atoll/matrix/block_cyclic.hpp>
#include <atoll/runtime/world.hpp>
#include <utility>
#include <vector>

/// The steps of blocked Floyd-Warshall over a grid of ranks: COAST [1], algorithm 1 and appendix B.1. The template
/// parameter Blocks performs a step's operations on the matrix, so the same code computes a matrix or advances the time
/// of a simulation.
///
///   in the paper             here
///   DIAGUPDATE(k)            blocks.close_diagonal(k)                  on the rank that has block (k, k)
///   DIAGBCAST(k)             requests diagonal_row, diagonal_col       by tree: it is on the critical path
///   PANELUPDATE(k)           blocks.update_row(k), update_col(k)       on the ranks of its grid row, column
///   PANELBCAST(k)            requests row, col
///   OUTERUPDATE(k)           blocks.outer(k, rows, cols, progress)     on all, in strips; progress is made between tiles
///   look-ahead               ahead(k): step k's outer product on block row and column k+1 first
///
/// Deviation: the paper waits for diagonal block k+1 before the rest of outer product k. Here the strips continue, and
/// the panels are updated between two of them as soon as the block has arrived.
///
/// [1] R. Kannan et al. "Exaflop/s biomedical knowledge graph analytics." SC 2022.
namespace atl {

/// The requests of a class that broadcasts.
template <class Broadcasts>
struct RequestOf {
  using Type = typename Broadcasts::Request;
};
template <>
struct RequestOf<PanelBroadcast> {
  using Type = BroadcastRequest;
};

/// Blocks say what broadcasts their panels: Blocks::Broadcasts, made by blocks.broadcasts(world, groups, options).
template <class Blocks>
class GridSteps {
  using Request = typename RequestOf<typename Blocks::Broadcasts>::Type;

 public:
  GridSteps(World& world, const GridLayout& layout, const GridOptions& options, Blocks& blocks)
      : world_(world),
        layout_(layout),
        options_(options),
        blocks_(blocks),
        row_(layout.grid.row_of(world.rank())),
        col_(layout.grid.col_of(world.rank())),
        broadcasts_(blocks.broadcasts(world, groups(layout.grid, row_, col_), {.chunk_bytes = options.chunk_bytes})) {}

  /// Collective.
  GridRun run(const StepHook& pauses) {
    const std::int64_t all = layout_.rows.blocks();
    const std::int64_t end = options_.steps > 0 ? std::min(options_.steps, all) : all;
    const auto pauses_before = [&](std::int64_t k) { return pauses.at && pauses.every > 0 && k % pauses.every == 0; };
    GridRun result;
    result.next = pauses.first;
    const RankTimer timer(world_);
    bool has_panels = false;  // whether this rank has the panels of the next step
    for (std::int64_t& k = result.next; k < end; ++k) {
      if (k > pauses.first && pauses_before(k)) {
        for (StepBroadcasts& u : under_way_) finish(u);
        if (!pauses.at(k)) break;
      }
      now_ = &result.steps.emplace_back();
      if (!has_panels) {
        expect(k);
        begin_panels(k);
        end_panels(k);
      }
      has_panels = options_.look_ahead == GridOptions::LookAhead::on && k + 1 < end && !pauses_before(k + 1);
      wait_for_panels(k);
      if (result.gain_vertex = blocks_.gain_vertex(k); result.gain_vertex >= 0) break;
      timed(&GridStep::outer, [&] { blocks_.take_panels(k); });
      if (has_panels) {
        expect(k + 1);
        ahead(k);
        outer(k, k + 1);
        end_panels(k + 1);
      } else {
        outer(k, k);
      }
      result.operations += 2.0 * static_cast<double>(layout_.rows.size) * static_cast<double>(layout_.rows.size) *
                           static_cast<double>(layout_.rows.length_of(k));
      report_progress(options_.progress, k + 1, end);
    }
    if (!result.steps.empty())
      for (StepBroadcasts& u : under_way_) finish(u);
    result.seconds = timer.seconds();
    result.broadcasts = broadcasts_.counters();
    return result;
  }

 private:
  // The broadcasts of one step. They reuse the buffers of step k - 2.
  struct StepBroadcasts {
    Request diagonal_row, diagonal_col, row, col;
  };
  static constexpr std::uint32_t kRow = 0, kCol = 1;  // groups: the ranks of this rank's grid row and column

  static std::vector<std::vector<Rank>> groups(const ProcessGrid& grid, int row, int col) {
    std::vector<Rank> of_row, of_col;
    for (int c = 0; c < grid.cols; ++c) of_row.push_back(grid.rank_at(row, c));
    for (int r = 0; r < grid.rows; ++r) of_col.push_back(grid.rank_at(r, col));
    return {of_row, of_col};
  }
  bool has_row(std::int64_t k) const { return layout_.rows.part_of(k) == row_; }
  bool has_col(std::int64_t k) const { return layout_.cols.part_of(k) == col_; }
  StepBroadcasts& broadcasts_of(std::int64_t k) { return under_way_[k % 2]; }
  static std::uint32_t tag(std::int64_t k, int what) { return static_cast<std::uint32_t>(4 * k + what); }

  // Runs f and adds its time to `part`.
  template <class F>
  void timed(double GridStep::*part, F&& f) {
    const RankTimer timer(world_);
    f();
    now_->*part += timer.seconds();
  }
  bool progress() {
    const RankTimer timer(world_);
    const bool moved = broadcasts_.progress();
    if (moved) now_->copy += timer.seconds();  // a poll without result counts to the work that it interrupted
    return moved;
  }

  void start(Request& request, std::uint32_t group, std::int64_t k, int what, PanelMemory panel) {
    const bool diagonal = what < 2;
    broadcasts_.start(request, group, tag(k, what), group == kRow ? layout_.cols.part_of(k) : layout_.rows.part_of(k),
                      panel, diagonal ? BroadcastShape::tree : options_.panels,
                      diagonal ? Urgency::urgent : Urgency::normal);
  }
  void finish(StepBroadcasts& u) {
    timed(&GridStep::wait, [&] {
      for (Request* f : {&u.diagonal_row, &u.diagonal_col, &u.row, &u.col}) broadcasts_.finish(*f);
    });
  }

  // Starts the broadcasts of step k that this rank receives, when their buffers are free.
  void expect(std::int64_t k) {
    StepBroadcasts& u = broadcasts_of(k);
    finish(u);
    timed(&GridStep::copy, [&] {
      if (has_row(k) && !has_col(k)) start(u.diagonal_row, kRow, k, 0, blocks_.diagonal(k));
      if (has_col(k) && !has_row(k)) start(u.diagonal_col, kCol, k, 1, blocks_.diagonal(k));
      if (!has_col(k)) start(u.col, kRow, k, 2, blocks_.col_panel(k));
      if (!has_row(k)) start(u.row, kCol, k, 3, blocks_.row_panel(k));
    });
  }

  // On the owner of the diagonal block: closes and sends it. Afterwards panels are due on all ranks of its row and
  // column.
  void begin_panels(std::int64_t k) {
    panels_due_ = has_row(k) || has_col(k);
    if (!has_row(k) || !has_col(k)) return;
    timed(&GridStep::diagonal, [&] { blocks_.close_diagonal(k); });
    timed(&GridStep::copy, [&] {
      start(broadcasts_of(k).diagonal_row, kRow, k, 0, blocks_.diagonal(k));
      start(broadcasts_of(k).diagonal_col, kCol, k, 1, blocks_.diagonal(k));
    });
  }
  const Request& diagonal_request(std::int64_t k) {
    return has_row(k) ? broadcasts_of(k).diagonal_row : broadcasts_of(k).diagonal_col;
  }
  // Updates the panels of step k and sends them, if the diagonal block has arrived.
  void try_panels(std::int64_t k) {
    if (!panels_due_ || !diagonal_request(k).arrived()) return;
    panels_due_ = false;
    if (has_row(k)) {
      timed(&GridStep::panel, [&] { blocks_.update_row(k, has_col(k)); });
      timed(&GridStep::copy, [&] { start(broadcasts_of(k).row, kCol, k, 3, blocks_.row_panel(k)); });
    }
    if (has_col(k)) {
      timed(&GridStep::panel, [&] { blocks_.update_col(k, has_row(k)); });
      timed(&GridStep::copy, [&] { start(broadcasts_of(k).col, kRow, k, 2, blocks_.col_panel(k)); });
    }
  }
  void end_panels(std::int64_t k) {
    if (panels_due_) timed(&GridStep::wait, [&] { broadcasts_.wait_arrived(diagonal_request(k)); });
    try_panels(k);
  }
  void wait_for_panels(std::int64_t k) {
    timed(&GridStep::wait, [&] {
      broadcasts_.wait_arrived(broadcasts_of(k).row);
      broadcasts_.wait_arrived(broadcasts_of(k).col);
    });
  }

  IndexRange rows_of(std::int64_t k) const {
    const std::int64_t begin = layout_.rows.local_begin(k);
    return {begin, begin + layout_.rows.length_of(k)};
  }
  IndexRange cols_of(std::int64_t k) const {
    const std::int64_t begin = layout_.cols.local_begin(k);
    return {begin, begin + layout_.cols.length_of(k)};
  }
  // The parts of [0, size) outside the local blocks j and k.
  static std::vector<IndexRange> others(std::int64_t size, bool has_j, IndexRange j, bool has_k, IndexRange k) {
    std::vector<IndexRange> cut;
    if (has_j) cut.push_back(j);
    if (has_k && (!has_j || k.begin != j.begin)) cut.push_back(k);
    if (cut.size() == 2 && cut[1].begin < cut[0].begin) std::swap(cut[0], cut[1]);
    std::vector<IndexRange> left;
    std::int64_t from = 0;
    for (const IndexRange& c : cut) {
      if (from < c.begin) left.push_back({from, c.begin});
      from = c.end;
    }
    if (from < size) left.push_back({from, size});
    return left;
  }
  std::vector<IndexRange> rows_beside(std::int64_t j, std::int64_t k) const {
    return others(layout_.rows.size_on(row_), has_row(j), rows_of(j), has_row(k), rows_of(k));
  }
  std::vector<IndexRange> cols_beside(std::int64_t j, std::int64_t k) const {
    return others(layout_.cols.size_on(col_), has_col(j), cols_of(j), has_col(k), cols_of(k));
  }

  void outer_product(std::int64_t k, IndexRange rows, const std::vector<IndexRange>& cols) {
    const double copied = now_->copy;
    const RankTimer timer(world_);
    blocks_.outer(k, rows, cols, [this] { return progress(); });
    now_->outer += timer.seconds() - (now_->copy - copied);
  }

  // Outer product k on block row and column k+1, and the updates that depend on it.
  void ahead(std::int64_t k) {
    const std::int64_t next = k + 1;
    if (has_row(next) && has_col(next)) outer_product(k, rows_of(next), {cols_of(next)});
    begin_panels(next);
    if (has_row(next)) outer_product(k, rows_of(next), cols_beside(k, next));
    if (has_col(next))
      for (const IndexRange& rows : rows_beside(k, next)) outer_product(k, rows, {cols_of(next)});
    progress();
    try_panels(next);
  }

  // Outer product k outside block row and column k, and outside those of `done`.
  void outer(std::int64_t k, std::int64_t done) {
    const std::vector<IndexRange> all_cols = cols_beside(k, done);
    for (const IndexRange& rows : rows_beside(k, done)) {
      const std::int64_t height = blocks_.strip_rows();
      for (std::int64_t begin = rows.begin; begin < rows.end; begin += height) {
        outer_product(k, {begin, std::min(begin + height, rows.end)}, all_cols);
        if (done != k) try_panels(done);
      }
    }
  }

  World& world_;
  const GridLayout layout_;
  const GridOptions options_;
  Blocks& blocks_;
  const int row_, col_;
  typename Blocks::Broadcasts broadcasts_;
  StepBroadcasts under_way_[2];
  bool panels_due_ = false;
  GridStep* now_ = nullptr;
};

}  // namespace atl
