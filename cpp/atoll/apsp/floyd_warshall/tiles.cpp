// SPDX-License-Identifier: Apache-2.0
// Blocked Floyd-Warshall over tiles of a file; the block is the side of a tile. Step k, F_k:
//   close tile (k, k)                                  by floyd_warshall(), blocked once more
//   block row k, tile by tile: updated, packed         all of it stays packed through the step
//   tiles (i, .), row by row of tiles:
//     tile (i, k): updated, packed                     the left factor of the row
//     tiles (i, j): the outer product                  each is used once a step
// Of an undirected matrix only tiles i <= j are stored; block column k is the transpose of block row k.
//
// Why a run that was killed at any time can resume from the last recorded step k, although some tiles in the file are
// as recorded and others as later steps left them. Let D_k be the matrix before step k, and X the contents of the file.
//   X <= D_k        entries only decrease after the record (a value is written whole: no page boundary splits one)
//   F_k monotone    min and + are monotone: X <= Y implies F_k(X) <= F_k(Y). So steps k .. end lead from X to a result
//                   <= that from D_k, the distances
//   X is walks      each entry is and remains the length of a walk, so it is never less than the distance
// Together they give the distances, bit for bit for integers; a float may be a sum rounded in another order. An
// improving cycle is found again for the same reasons, and a restored "no path" is also "no path" after the remaining
// steps.
#include <atoll/apsp/floyd_warshall/restore_no_path.hpp>
#include <atoll/apsp/floyd_warshall/tiles.hpp>
#include <atoll/base/timer.hpp>
#include <atomic>

namespace atl {
namespace {

// Recording progress takes as long as writing the tiles in memory to disk: at most this fraction of the time.
constexpr double kNotesShare = 0.05;

/// A factor, packed in slices of the product's depth.
class PackedTile {
 public:
  explicit PackedTile(PackedPanel::Side side) : side_(side) {}

  template <class T>
  void pack(const Gemm& gemm, Team& team, Factor<T> factor) {
    const bool left = side_ == PackedPanel::Side::left;
    const std::int64_t depth = left ? factor.cols() : factor.rows(), extent = left ? factor.rows() : factor.cols();
    const std::int64_t step = gemm.blocking().depth;
    count_ = static_cast<std::size_t>((depth + step - 1) / step);
    while (slices_.size() < count_) slices_.emplace_back(side_);
    for (std::size_t s = 0; s < count_; ++s) {
      const std::int64_t k = static_cast<std::int64_t>(s) * step, here = std::min(step, depth - k);
      const auto part =
          left != factor.transposed ? factor.view.part(0, k, extent, here) : factor.view.part(k, 0, here, extent);
      slices_[s].pack(gemm, team, Factor<T>{part, factor.transposed});
    }
  }
  std::size_t slices() const { return count_; }
  const PackedPanel& operator[](std::size_t s) const { return slices_[s]; }

 private:
  PackedPanel::Side side_;
  std::size_t count_ = 0;
  std::vector<PackedPanel> slices_;
};

enum class UseKind : std::uint8_t { diagonal, row, left, product };

/// The work of a step on a tile: the one with entries (i, j) or, if undirected, perhaps (j, i).
struct Use {
  UseKind kind;
  std::int64_t i, j;
};

std::vector<Use> uses_of_step(std::int64_t k, std::int64_t side, bool undirected) {
  std::vector<Use> uses{{UseKind::diagonal, k, k}};
  for (std::int64_t j = 0; j < side; ++j)
    if (j != k) uses.push_back({UseKind::row, k, j});
  for (std::int64_t i = 0; i < side; ++i) {
    if (i == k) continue;
    uses.push_back({UseKind::left, i, k});
    for (std::int64_t j = undirected ? i : 0; j < side; ++j)
      if (j != k) uses.push_back({UseKind::product, i, j});
  }
  return uses;
}

template <class T>
class TileSteps {
 public:
  TileSteps(const Gemm& gemm, Team& team, const ReplicatedCsr<T>& arcs, TileFile<T>& tiles, const TilesOptions& options,
            TilesReport& report)
      : gemm_(gemm),
        team_(team),
        arcs_(arcs),
        tiles_(tiles),
        options_(options),
        report_(report),
        side_(tiles.tiles()),
        in_file_(static_cast<std::size_t>(side_ * side_), tiles.next_step() > 0) {
    right_.reserve(static_cast<std::size_t>(side_));
    while (std::ssize(right_) < side_) right_.emplace_back(PackedPanel::Side::right);
    std::vector<std::uint32_t> order;
    for (std::int64_t k = tiles.next_step(); k < side_; ++k)
      for (const Use& use : uses_of_step(k, side_, options.undirected))
        order.push_back(static_cast<std::uint32_t>(number_of(use.i, use.j)));
    const std::int64_t all = options.undirected ? side_ * (side_ + 1) / 2 : side_ * side_;
    const std::int64_t frames =
        std::clamp<std::int64_t>(options.frames > 0 ? options.frames : all, 2, std::max<std::int64_t>(all, 2));
    cache_ = std::make_unique<TileCache<T>>(
        in_file_.size(), static_cast<std::size_t>(tiles.block() * tiles.block()), static_cast<std::size_t>(frames),
        std::move(order),
        typename TileCache<T>::Disk{
            .load = [this](std::size_t tile, T* to) { load(tile, to); },
            .store = [this](std::size_t tile, T* from, bool last) { store(tile, from, last); }});
  }

  std::optional<GainCycle> run() {
    Timer timer, since_note;
    double note_seconds = static_cast<double>(tiles_.bytes()) / kDiskBytesPerSecond;
    report_.first = tiles_.next_step();
    report_.paths.assign(static_cast<std::size_t>(tiles_.n()), 0);
    for (std::int64_t k = report_.first; k < side_; ++k) {
      for (const Use& use : uses_of_step(k, side_, options_.undirected)) {
        const MatrixView<T> tile = view(number_of(use.i, use.j), cache_->next());
        if (auto cycle = apply(use, tile)) {
          cycle->vertex += k * tiles_.block();
          return cycle;
        }
        if (cache_->is_last()) make_final(use, tile);
        part_of(use.kind) += timer.lap();
        if (!options_.stop || !options_.stop()) continue;
        note(k);
        tiles_.keep();
        report_.stopped = true;
        return std::nullopt;
      }
      ++report_.steps;
      report_.operations += (options_.undirected ? 1.0 : 2.0) * static_cast<double>(tiles_.n()) *
                            static_cast<double>(tiles_.n()) * static_cast<double>(tiles_.length(k));
      const bool due = options_.every_steps > 0 ? (k + 1) % options_.every_steps == 0
                                                : kNotesShare * since_note.seconds() > note_seconds;
      if (!due || k + 1 == side_) continue;
      note_seconds = note(k + 1);
      timer.lap();
      since_note = Timer();
    }
    cache_->finish();
    return std::nullopt;
  }

  void fill_report() const {
    const auto tile_bytes = static_cast<double>(tiles_.block() * tiles_.block()) * sizeof(T);
    report_.bytes_read = static_cast<double>(read_.load()) * tile_bytes;
    report_.bytes_written = static_cast<double>(written_.load()) * tile_bytes;
    report_.wait_seconds = cache_->transfers().wait_seconds;
  }

 private:
  std::size_t number_of(std::int64_t i, std::int64_t j) const {
    if (options_.undirected && i > j) std::swap(i, j);
    return static_cast<std::size_t>(i * side_ + j);
  }
  std::int64_t row_of(std::size_t tile) const { return static_cast<std::int64_t>(tile) / side_; }
  std::int64_t col_of(std::size_t tile) const { return static_cast<std::int64_t>(tile) % side_; }
  MatrixView<T> view(std::size_t tile, T* values) const {
    const std::int64_t width = tiles_.length(col_of(tile));
    return {values, tiles_.length(row_of(tile)), width, width};
  }
  double& part_of(UseKind kind) {
    return kind == UseKind::diagonal  ? report_.diagonal_seconds
           : kind == UseKind::product ? report_.outer_seconds
                                      : report_.panel_seconds;
  }

  // Both are called by the cache's thread.
  void load(std::size_t tile, T* to) {
    if (in_file_[tile]) {
      ++read_;
      tiles_.read(row_of(tile), col_of(tile), to);
    } else {
      fill(tile, view(tile, to));
    }
  }
  void store(std::size_t tile, T* from, bool last) {
    const std::int64_t i = row_of(tile), j = col_of(tile);
    ++written_;
    tiles_.write(i, j, from);
    in_file_[tile] = true;
    if (!last || !options_.undirected || i == j) return;
    ++written_;
    if (turned_.empty()) turned_ = Array<T>(static_cast<std::size_t>(tiles_.block() * tiles_.block()));
    const std::int64_t width = tiles_.length(i);
    transpose<T>(serial_team_, view(tile, from), {turned_.data(), tiles_.length(j), width, width});
    tiles_.write(j, i, turned_.data());
  }

  // 0 on the diagonal, the arcs' weights, else kNoPath.
  void fill(std::size_t tile, MatrixView<T> d) const {
    const std::int64_t top = row_of(tile) * tiles_.block(), left = col_of(tile) * tiles_.block();
    std::fill_n(d.data, d.rows * d.cols, kNoPath<T>);
    for (std::int64_t r = 0; r < d.rows; ++r) {
      const auto heads = arcs_.heads_of(top + r);
      const auto weights = arcs_.weights_of(top + r);
      auto e = static_cast<std::size_t>(std::lower_bound(heads.begin(), heads.end(), left) - heads.begin());
      for (; e < heads.size() && heads[e] < left + d.cols; ++e) d(r, heads[e] - left) = weights[e];
      if (top == left) d(r, r) = T{};
    }
  }

  double note(std::int64_t next_step) {
    const Timer timer;
    cache_->flush();
    tiles_.note(next_step);
    ++report_.notes;
    report_.note_seconds += timer.seconds();
    return timer.seconds();
  }

  void multiply(const PackedTile& left, const PackedTile& right, MatrixView<T> c, bool upper = false) {
    const Window all{0, c.rows, 0, c.cols, upper};
    for (std::size_t s = 0; s < left.slices(); ++s) gemm_.multiply<T>(team_, left[s], right[s], c, {&all, 1});
  }

  std::optional<GainCycle> apply(const Use& use, MatrixView<T> tile) {
    const bool turned = options_.undirected && use.i > use.j;
    const Factor<T> factor = turned ? transposed(tile) : plain(tile);
    PackedTile& right = right_[use.j];
    switch (use.kind) {
      case UseKind::diagonal:
        if (auto cycle = floyd_warshall<T>(gemm_, team_, tile, {.undirected = options_.undirected})) return cycle;
        diagonal_left_.pack(gemm_, team_, factor);
        diagonal_right_.pack(gemm_, team_, factor);
        break;
      case UseKind::row:  // (k, j) <- (k, k) (x) (k, j); the tile is stored as is or transposed
        if (turned) {
          left_.pack(gemm_, team_, plain(tile));
          multiply(left_, diagonal_right_, tile);
        } else {
          right.pack(gemm_, team_, plain(tile));
          multiply(diagonal_left_, right, tile);
        }
        right.pack(gemm_, team_, factor);
        break;
      case UseKind::left:
        left_.pack(gemm_, team_, factor);
        if (options_.undirected) break;  // as a tile of block row k it is up to date
        multiply(left_, diagonal_right_, tile);
        left_.pack(gemm_, team_, factor);
        break;
      case UseKind::product:
        multiply(left_, right, tile, options_.undirected && use.i == use.j);
        break;
    }
    return std::nullopt;
  }

  void make_final(const Use& use, MatrixView<T> tile) {
    if (options_.undirected && use.i == use.j) mirror_within(tile);
    if (adds_to_no_path(arcs_, Semiring::min_plus)) restore_no_path(team_, Semiring::min_plus, tile);
    count_paths(use, tile);
  }
  // A tile beside the diagonal of an undirected matrix stands for its transpose, too.
  void count_paths(const Use& use, MatrixView<T> tile) {
    const std::size_t stored = number_of(use.i, use.j);
    Vertex* const from_rows = report_.paths.data() + row_of(stored) * tiles_.block();
    Vertex* const from_cols = report_.paths.data() + col_of(stored) * tiles_.block();
    const bool both = options_.undirected && use.i != use.j;
    for (std::int64_t r = 0; r < tile.rows; ++r)
      for (std::int64_t c = 0; c < tile.cols; ++c) {
        const Vertex is_path = tile(r, c) != kNoPath<T>;
        from_rows[r] += is_path;
        if (both) from_cols[c] += is_path;
      }
  }
  void mirror_within(MatrixView<T> d) const {
    constexpr std::int64_t kBand = 256;
    for (std::int64_t begin = 0; begin < d.rows; begin += kBand) {
      const std::int64_t rows = std::min(kBand, d.rows - begin);
      transpose<T>(team_, d.part(0, begin, begin, rows), d.part(begin, 0, rows, begin));
      for (std::int64_t i = begin; i < begin + rows; ++i)
        for (std::int64_t j = begin; j < i; ++j) d(i, j) = d(j, i);
    }
  }

  const Gemm& gemm_;
  Team& team_;
  const ReplicatedCsr<T>& arcs_;
  TileFile<T>& tiles_;
  const TilesOptions& options_;
  TilesReport& report_;
  const std::int64_t side_;
  std::vector<PackedTile> right_;  // [tile column]
  PackedTile left_{PackedPanel::Side::left};
  PackedTile diagonal_left_{PackedPanel::Side::left}, diagonal_right_{PackedPanel::Side::right};

  // Used by the cache's thread.
  std::vector<bool> in_file_;                      // [tile]
  std::atomic<std::size_t> read_{0}, written_{0};  // tiles; fill_report() may read them while the thread runs
  Team serial_team_{1};
  Array<T> turned_;
  std::unique_ptr<TileCache<T>> cache_;  // last: its thread ends first
};

}  // namespace

template <class T>
std::optional<GainCycle> floyd_warshall_tiles(const Gemm& gemm, Team& team, const ReplicatedCsr<T>& arcs,
                                              TileFile<T>& tiles, const TilesOptions& options, TilesReport* report) {
  TilesReport mine;
  mine.block = tiles.block();
  TileSteps<T> steps(gemm, team, arcs, tiles, options, mine);
  const auto cycle = steps.run();
  steps.fill_report();
  if (report) *report = mine;
  return cycle;
}

#define ATOLL_TILES_OF(T)                                                                                           \
  template std::optional<GainCycle> floyd_warshall_tiles(const Gemm&, Team&, const ReplicatedCsr<T>&, TileFile<T>&, \
                                                         const TilesOptions&, TilesReport*);
ATOLL_TILES_OF(float)
ATOLL_TILES_OF(double)
ATOLL_TILES_OF(std::int32_t)
ATOLL_TILES_OF(std::uint16_t)
ATOLL_TILES_OF(std::uint8_t)
#undef ATOLL_TILES_OF

}  // namespace atl
