// SPDX-License-Identifier: Apache-2.0
// Blocked Floyd-Warshall over tiles of a file, the block the side of a tile. Step k:
//   close tile (k, k)                                  by floyd_warshall(), blocked once more
//   block row k, tile by tile: updated, packed         all of it stays packed through the step
//   tiles (i, .), row by row of tiles:
//     tile (i, k): updated, packed                     the left factor of the row
//     tiles (i, j): the outer product                  each is fetched and written once a step
// Rows of tiles are passed there and back, from step to step: those that came last, and may still be in memory, come
// first in the next. An undirected matrix has tiles i <= j only; block column k is block row k, transposed.
#include <atoll/apsp/floyd_warshall_tiles.hpp>
#include <atoll/base/timer.hpp>
#include <cmath>
#include <deque>

namespace atl {
namespace {

// What a disk moves at least, reading and writing at a time: a virtual one of a cloud did 410 MB/s.
constexpr double kDiskBytesPerSecond = 4e8;

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

/// A tile of the matrix by its row and column of tiles.
struct Place {
  std::int64_t i, j;
};

/// Tiles on their way between disk and memory, a piece at a time: each piece may wait for the disk, and only the thread that
/// asks for it does.
template <class T>
class TileTraffic {
 public:
  explicit TileTraffic(const MappedTiles<T>& tiles) : tiles_(tiles) {}

  void fetch(Place p) { queue_.push_back({p, 0, true}); }
  void put(Place p) {
    // First: writing pages that are mapped interrupts every thread, page by page. n = 16384 in two thirds of its memory:
    // 10 s of system time instead of 15.
    tiles_.release(p.i, p.j);
    queue_.push_back({p, 0, false});
  }
  void advance() {
    if (queue_.empty()) return;
    Task& task = queue_.front();
    const auto [i, j] = task.place;
    if (task.fetches) {
      tiles_.prefetch_piece(i, j, task.done);
    } else {
      tiles_.flush_piece(i, j, task.done);
    }
    if (++task.done == tiles_.pieces(i, j)) queue_.pop_front();
  }
  /// Until all that was asked for is there; what goes to the disk may still be on its way.
  void wait_for_fetches() {
    while (std::ranges::any_of(queue_, &Task::fetches)) advance();
  }
  void finish() {
    while (!queue_.empty()) advance();
  }

 private:
  struct Task {
    Place place;
    std::int64_t done;
    bool fetches;
  };
  const MappedTiles<T>& tiles_;
  std::deque<Task> queue_;
};

template <class T>
class TileSteps {
 public:
  TileSteps(const Gemm& gemm, Team& team, const MappedTiles<T>& tiles, const TilesOptions& options)
      : gemm_(gemm), team_(team), tiles_(tiles), options_(options), traffic_(tiles) {
    right_.reserve(static_cast<std::size_t>(tiles.tiles()));
    while (std::ssize(right_) < tiles.tiles()) right_.emplace_back(PackedPanel::Side::right);
  }

  std::optional<GainCycle> run(FloydWarshallReport& report) {
    Timer timer;
    const std::int64_t side = tiles_.tiles();
    for (std::int64_t k = 0; k < side; ++k) {
      const MatrixView<T> diagonal = tiles_.tile(k, k);
      fetch_row(k, 0);
      if (auto cycle = floyd_warshall<T>(gemm_, team_, diagonal, {.undirected = options_.undirected})) {
        cycle->vertex += k * tiles_.block();
        return cycle;
      }
      report.diagonal_seconds += timer.lap();
      update_row(k);
      report.panel_seconds += timer.lap();
      outer(k, timer, report);
      ++report.steps;
      report.operations += (options_.undirected ? 1.0 : 2.0) * static_cast<double>(tiles_.n()) *
                           static_cast<double>(tiles_.n()) * static_cast<double>(diagonal.rows);
    }
    traffic_.finish();
    if (options_.undirected) mirror();
    traffic_.finish();
    report.panel_seconds += timer.lap();
    return std::nullopt;
  }

 private:
  // Where the tile lies that has entry (i, j) or, of an undirected matrix, perhaps (j, i).
  Place stored(Place p) const { return options_.undirected && p.i > p.j ? Place{p.j, p.i} : p; }
  MatrixView<T> tile(Place p) const { return tiles_.tile(p.i, p.j); }
  Factor<T> factor(Place p) const {
    const Place at = stored(p);
    return at.i == p.i ? plain(tile(at)) : transposed(tile(at));
  }
  // The next one, while the one at hand, which was asked for before, is worked on.
  void fetch(Place p) {
    traffic_.wait_for_fetches();
    if (options_.streams) traffic_.fetch(stored(p));
  }
  void fetch_row(std::int64_t k, std::int64_t j) {
    if (j < tiles_.tiles()) fetch({k, j});
  }
  void done(Place p) {
    if (options_.streams) traffic_.put(stored(p));
  }

  void multiply(const PackedTile& left, const PackedTile& right, MatrixView<T> c, bool upper = false) {
    const Window all{0, c.rows, 0, c.cols, upper};
    for (std::size_t s = 0; s < left.slices(); ++s)
      gemm_.multiply<T>(team_, left[s], right[s], c, {&all, 1}, [this] { traffic_.advance(); });
  }

  // Tile (k, j) <- (k, k) (x) (k, j) for all j, and the factors for the whole step.
  void update_row(std::int64_t k) {
    diagonal_left_.pack(gemm_, team_, factor({k, k}));
    diagonal_right_.pack(gemm_, team_, factor({k, k}));
    for (std::int64_t j = 0; j < tiles_.tiles(); ++j) {
      fetch_row(k, j + 1);
      if (j == k) continue;
      const Place at = stored({k, j});
      PackedTile& right = right_[static_cast<std::size_t>(j)];
      if (at.i == k) {
        right.pack(gemm_, team_, plain(tile(at)));
        multiply(diagonal_left_, right, tile(at));
      } else {
        left_.pack(gemm_, team_, plain(tile(at)));
        multiply(left_, diagonal_right_, tile(at));
      }
      right.pack(gemm_, team_, factor({k, j}));
      done({k, j});
    }
    done({k, k});
  }

  void outer(std::int64_t k, Timer& timer, FloydWarshallReport& report) {
    const std::vector<Place> places = order(k);
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (p + 1 < places.size()) fetch(places[p + 1]);
      const auto [i, j] = places[p];
      if (j == k) {
        update_left(i, k);
        report.panel_seconds += timer.lap();
      } else {
        multiply(left_, right_[static_cast<std::size_t>(j)], tile({i, j}), options_.undirected && i == j);
        report.outer_seconds += timer.lap();
      }
      if (j != k || !options_.undirected) done({i, j});
    }
  }

  void update_left(std::int64_t i, std::int64_t k) {
    left_.pack(gemm_, team_, factor({i, k}));
    if (options_.undirected) return;  // as a tile of block row k it is up to date
    multiply(left_, diagonal_right_, tile({i, k}));
    left_.pack(gemm_, team_, factor({i, k}));
  }

  std::vector<Place> order(std::int64_t k) const {
    const std::int64_t side = tiles_.tiles();
    const bool forth = k % 2 == 0;
    std::vector<Place> places;
    for (std::int64_t r = 0; r < side; ++r) {
      const std::int64_t i = forth ? r : side - 1 - r;
      if (i == k) continue;
      places.push_back({i, k});
      for (std::int64_t c = 0; c < side; ++c) {
        const std::int64_t j = forth == (i % 2 == 0) ? c : side - 1 - c;
        if (j != k && !(options_.undirected && j < i)) places.push_back({i, j});
      }
    }
    return places;
  }

  void mirror() {
    for (std::int64_t i = 0; i < tiles_.tiles(); ++i)
      for (std::int64_t j = i; j < tiles_.tiles(); ++j) {
        if (j + 1 < tiles_.tiles()) fetch({i, j + 1});
        if (i == j) {
          mirror_within(tile({i, i}));
        } else {
          transpose<T>(team_, tile({i, j}), tiles_.tile(j, i));
          if (options_.streams) traffic_.put({j, i});
        }
        done({i, j});
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
  const MappedTiles<T>& tiles_;
  const TilesOptions options_;
  TileTraffic<T> traffic_;
  std::vector<PackedTile> right_;  // [tile column]
  PackedTile left_{PackedPanel::Side::left};
  PackedTile diagonal_left_{PackedPanel::Side::left}, diagonal_right_{PackedPanel::Side::right};
};

}  // namespace

std::int64_t streamed_block(std::int64_t n, std::size_t value_bytes, double operations_per_second,
                            double memory_bytes) {
  const auto w = static_cast<double>(value_bytes), rows = static_cast<double>(n);
  const double hides = operations_per_second * w / kDiskBytesPerSecond;
  // (n b + 8 b^2) w = memory / 2
  const double fits = (std::sqrt(rows * rows + 16 * memory_bytes / w) - rows) / 16;
  const double most = std::clamp(std::min(hides, fits), 1.0, std::max(1.0, rows));
  const auto side = static_cast<std::int64_t>(std::ceil(rows / most));
  const std::int64_t least = (n + side - 1) / side;
  // An odd multiple of three lines is a multiple of the sides of most tiles of the product.
  const auto unit = static_cast<std::int64_t>(3 * 64 / value_bytes);
  const std::int64_t units = (least + unit - 1) / unit;
  return side == 1 ? n : (units | 1) * unit;
}

template <class T>
void fill_tiles(Team& team, const Arcs<T>& arcs, const MappedTiles<T>& tiles, const TilesOptions& options) {
  const std::int64_t b = tiles.block();
  for (std::int64_t i = 0; i < tiles.tiles(); ++i) {
    const std::int64_t first = options.undirected ? i : 0, rows = tiles.tile(i, i).rows;
    team.for_range(static_cast<std::size_t>(rows), 16, [&](int, std::size_t from, std::size_t to) {
      for (auto r = static_cast<std::int64_t>(from); r < static_cast<std::int64_t>(to); ++r) {
        for (std::int64_t j = first; j < tiles.tiles(); ++j) std::ranges::fill(tiles.tile(i, j).row(r), kNoPath<T>);
        tiles.tile(i, i)(r, r) = T{};
        const Vertex v = i * b + r;
        const auto heads = arcs.heads_of(v);
        const auto weights = arcs.weights_of(v);
        for (std::size_t e = 0; e < heads.size(); ++e)
          if (heads[e] / b >= first) tiles.tile(i, heads[e] / b)(r, heads[e] % b) = weights[e];
      }
    });
    for (std::int64_t j = first; options.streams && j < tiles.tiles(); ++j) tiles.release(i, j), tiles.flush(i, j);
  }
}

template <class T>
std::optional<GainCycle> floyd_warshall_tiles(const Gemm& gemm, Team& team, const MappedTiles<T>& tiles,
                                              const TilesOptions& options, FloydWarshallReport* report) {
  FloydWarshallReport mine;
  mine.block = tiles.block();
  const auto cycle = TileSteps<T>(gemm, team, tiles, options).run(mine);
  if (report) *report = mine;
  return cycle;
}

#define ATOLL_TILES_OF(T)                                                                           \
  template void fill_tiles(Team&, const Arcs<T>&, const MappedTiles<T>&, const TilesOptions&);      \
  template std::optional<GainCycle> floyd_warshall_tiles(const Gemm&, Team&, const MappedTiles<T>&, \
                                                         const TilesOptions&, FloydWarshallReport*);
ATOLL_TILES_OF(float)
ATOLL_TILES_OF(double)
ATOLL_TILES_OF(std::int32_t)
ATOLL_TILES_OF(std::uint16_t)
ATOLL_TILES_OF(std::uint8_t)
#undef ATOLL_TILES_OF

}  // namespace atl
