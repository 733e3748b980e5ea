// SPDX-License-Identifier: Apache-2.0
// Packing, diagonal blocks and transposes for products over min_plus, and the table of all of it.
#include "../simt/launch.hpp"
#include "min_plus.hpp"
#include "operations.cuh"

namespace atl::cuda {
namespace {

TileKernels tiles_of(Element element) {
  if (element == Element::int32) return tile_kernels_int32();
  if (element == Element::uint16) return tile_kernels_uint16();
  if (element == Element::float32 || element == Element::float32_nonnegative) return tile_kernels_float32();
  return {};
}

const DeviceTile& tile_of(Element element, int tile) { return tiles_of(element).tiles[static_cast<std::size_t>(tile)]; }

/// Calls f(operations) of the element.
template <class F>
void with_operations(Element element, F&& f) {
  if (element == Element::int32) return f(MinPlusInt{});
  if (element == Element::uint16) return f(MinPlusShort{});
  f(MinPlusFloat{});
}

// --- packing --------------------------------------------------------------------------------------------------------

constexpr int kPackSide = 32, kPackThreads = 256;

template <class Op>
struct PackArguments {
  const typename Op::Value* from;
  long long along_extent, along_depth;  // strides of a row (or column), and of a step
  long long extent, depth;
  typename Op::Word* to;
  int side, piece_depth, pieces;
  long long word_blocks;
};

// A block packs 32 rows (or columns) by 32 words of steps: read along whichever is contiguous, written along rows.
template <class Op>
__global__ void __launch_bounds__(kPackThreads) pack_words(const PackArguments<Op> p) {
  using Value = typename Op::Value;
  constexpr int kWide = kPackSide * Op::kSteps;
  ATOLL_SHARED_MEMORY(shared);
  auto* const values = reinterpret_cast<Value*>(shared);  // [row][step], a row more than kWide apart against conflicts
  constexpr int kApart = kWide + 1;
  const long long first = blockIdx.x / p.word_blocks * kPackSide, first_word = blockIdx.x % p.word_blocks * kPackSide;
  for (int i = static_cast<int>(threadIdx.x); i < kPackSide * kWide; i += kPackThreads) {
    const bool along_steps = p.along_depth == 1;
    const int r = along_steps ? i / kWide : i % kPackSide, s = along_steps ? i % kWide : i / kPackSide;
    const long long row = first + r, step = first_word * Op::kSteps + s;
    values[r * kApart + s] =
        row < p.extent && step < p.depth ? p.from[row * p.along_extent + step * p.along_depth] : Op::no_path();
  }
  __syncthreads();
  const long long words = static_cast<long long>(p.pieces) * p.piece_depth;
  for (int i = static_cast<int>(threadIdx.x); i < kPackSide * kPackSide; i += kPackThreads) {
    const int r = i % kPackSide, w = i / kPackSide;
    const long long row = first + r, word = first_word + w;
    if (word >= words) continue;
    Value steps[Op::kSteps];
    for (int s = 0; s < Op::kSteps; ++s) steps[s] = values[r * kApart + w * Op::kSteps + s];
    const long long piece = row / p.side * p.pieces + word / p.piece_depth;
    p.to[(piece * p.piece_depth + word % p.piece_depth) * p.side + row % p.side] = Op::word(steps);
  }
}

double no_path(Element element) {
  double none = 0;
  with_operations(element, [&]<class Op>(Op) { none = Op::no_path(); });
  return none;
}

int pieces_of(Element element, const DeviceTile& tile, std::int64_t depth) {
  return static_cast<int>(blocks_for(depth, std::int64_t{tile.depth} * steps_per_word(element)));
}

std::size_t panel_bytes(Element element, int tile, bool left, std::int64_t extent, std::int64_t depth) {
  const DeviceTile& t = tile_of(element, tile);
  const int side = left ? t.rows : t.cols;
  return static_cast<std::size_t>(blocks_for(extent, side) * side * pieces_of(element, t, depth) * t.depth) * 4;
}

void pack(Element element, int tile, bool left, const DeviceFactor& from, DevicePanelView to, StreamHandle stream) {
  const DeviceTile& t = tile_of(element, tile);
  with_operations(element, [&]<class Op>(Op) {
    // Rows of A are its extent, and columns of B.
    const bool by_rows = left != from.transposed;
    PackArguments<Op> p{};
    p.from = static_cast<const typename Op::Value*>(from.data);
    p.along_extent = by_rows ? from.stride : 1;
    p.along_depth = by_rows ? 1 : from.stride;
    p.extent = to.extent;
    p.depth = to.depth;
    p.to = static_cast<typename Op::Word*>(to.data);
    p.side = left ? t.rows : t.cols;
    p.piece_depth = t.depth;
    p.pieces = pieces_of(element, t, to.depth);
    p.word_blocks = blocks_for(std::int64_t{p.pieces} * p.piece_depth, kPackSide);
    const std::int64_t rows = blocks_for(to.extent, p.side) * p.side;
    launch(pack_words<Op>,
           {.blocks = rows / kPackSide * p.word_blocks,
            .threads = kPackThreads,
            .shared_bytes = kPackSide * (kPackSide * Op::kSteps + 1) * sizeof(typename Op::Value)},
           stream, p);
  });
}

// --- diagonal blocks ------------------------------------------------------------------------------------------------

constexpr int kSide = 64, kCloseThreads = 256;  // of the tiles in a diagonal block: 4 x 4 values a thread

template <class Op>
struct CloseArguments {
  typename Op::Value* d;
  long long stride;
  int n, tiles, k;  // k: the tile on the diagonal that this step is about
  long long first;
  long long* gain;
};

template <class Op>
struct SharedTile {
  typename Op::Value values[kSide][kSide + 1];

  __device__ void load(const CloseArguments<Op>& p, int row, int col) {
    for (int e = static_cast<int>(threadIdx.x); e < kSide * kSide; e += kCloseThreads) {
      const int i = e / kSide, j = e % kSide;
      values[i][j] = row * kSide + i < p.n && col * kSide + j < p.n
                         ? p.d[(row * kSide + i) * p.stride + col * kSide + j]
                         : Op::no_path();
    }
  }
};

// Where there is a negative value on the diagonal, what is computed is no distance any more, and is not used.
template <class Op>
__global__ void __launch_bounds__(kCloseThreads) close_tile(const CloseArguments<Op> p) {
  using Value = typename Op::Value;
  ATOLL_SHARED_MEMORY(shared);
  auto& tile = *reinterpret_cast<SharedTile<Op>*>(shared);
  tile.load(p, p.k, p.k);
  __syncthreads();
  const int n = p.n - p.k * kSide < kSide ? p.n - p.k * kSide : kSide;
  for (int k = 0; k < n; ++k) {
    if constexpr (std::is_signed_v<Value>) {
      if (threadIdx.x == 0 && tile.values[k][k] < Value(0) && *p.gain < 0) *p.gain = p.first + p.k * kSide + k;
    }
    for (int e = static_cast<int>(threadIdx.x); e < kSide * kSide; e += kCloseThreads) {
      const int i = e / kSide, j = e % kSide;
      if (i != k && j != k) tile.values[i][j] = Op::one(tile.values[i][k], tile.values[k][j], tile.values[i][j]);
    }
    __syncthreads();
  }
  for (int e = static_cast<int>(threadIdx.x); e < kSide * kSide; e += kCloseThreads) {
    const int i = p.k * kSide + e / kSide, j = p.k * kSide + e % kSide;
    if (i < p.n && j < p.n) p.d[i * p.stride + j] = tile.values[e / kSide][e % kSide];
  }
}

// C(row, col) <- min(C(row, col), A(row, inner) + B(inner, col)) by 4 x 4 values a thread, 16 apart.
template <class Op>
__device__ void multiply_tile(const CloseArguments<Op>& p, int row, int col, unsigned char* shared) {
  using Value = typename Op::Value;
  auto& a = reinterpret_cast<SharedTile<Op>*>(shared)[0];
  auto& b = reinterpret_cast<SharedTile<Op>*>(shared)[1];
  a.load(p, row, p.k);
  b.load(p, p.k, col);
  __syncthreads();
  constexpr int kApart = 16;
  const int down = static_cast<int>(threadIdx.x) / kApart, across = static_cast<int>(threadIdx.x) % kApart;
  Value best[4][4];
  for (auto& r : best)
    for (Value& v : r) v = Op::no_path();
#pragma unroll 8
  for (int k = 0; k < kSide; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        best[i][j] = Op::one(a.values[down + i * kApart][k], b.values[k][across + j * kApart], best[i][j]);
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int r = row * kSide + down + i * kApart, c = col * kSide + across + j * kApart;
      if (r >= p.n || c >= p.n) continue;
      Value& to = p.d[r * p.stride + c];
      if (best[i][j] < to) to = best[i][j];
    }
}

// The tiles of row and column k. Each reads the closed tile on the diagonal and itself.
template <class Op>
__global__ void __launch_bounds__(kCloseThreads) close_strips(const CloseArguments<Op> p) {
  ATOLL_SHARED_MEMORY(shared);
  const int other = static_cast<int>(blockIdx.x) / 2, tile = other + (other >= p.k);
  if (blockIdx.x % 2 == 0) {
    multiply_tile<Op>(p, p.k, tile, shared);
  } else {
    multiply_tile<Op>(p, tile, p.k, shared);
  }
}

template <class Op>
__global__ void __launch_bounds__(kCloseThreads) close_rest(const CloseArguments<Op> p) {
  ATOLL_SHARED_MEMORY(shared);
  const int row = static_cast<int>(blockIdx.x) / (p.tiles - 1), col = static_cast<int>(blockIdx.x) % (p.tiles - 1);
  multiply_tile<Op>(p, row + (row >= p.k), col + (col >= p.k), shared);
}

void close(Element element, AnyDeviceView d, std::int64_t first, std::int64_t* gain, StreamHandle stream) {
  with_operations(element, [&]<class Op>(Op) {
    CloseArguments<Op> p{};
    p.d = static_cast<typename Op::Value*>(d.data);
    p.stride = d.stride;
    p.n = static_cast<int>(d.rows);
    p.tiles = static_cast<int>(blocks_for(d.rows, kSide));
    p.first = first;
    p.gain = reinterpret_cast<long long*>(gain);
    constexpr std::size_t kTwo = 2 * sizeof(SharedTile<Op>);
    for (p.k = 0; p.k < p.tiles; ++p.k) {
      launch(close_tile<Op>, {.blocks = 1, .threads = kCloseThreads, .shared_bytes = kTwo / 2}, stream, p);
      const std::int64_t others = p.tiles - 1;
      launch(close_strips<Op>, {.blocks = 2 * others, .threads = kCloseThreads, .shared_bytes = kTwo}, stream, p);
      launch(close_rest<Op>, {.blocks = others * others, .threads = kCloseThreads, .shared_bytes = kTwo}, stream, p);
    }
  });
}

// --- transposes and single values -----------------------------------------------------------------------------------

constexpr int kFlip = 32, kFlipThreads = 256;

template <class T>
struct FlipArguments {
  const T* from;
  T* to;
  long long from_stride, to_stride, rows, cols;  // of `from`
  long long across;                              // tiles
  bool upper;                                    // only what lies above the diagonal
};

template <class T>
__global__ void __launch_bounds__(kFlipThreads) flip(const FlipArguments<T> p) {
  ATOLL_SHARED_MEMORY(shared);
  auto* const values = reinterpret_cast<T*>(shared);  // [row][col], kFlip + 1 apart
  const long long row = blockIdx.x / p.across * kFlip, col = blockIdx.x % p.across * kFlip;
  if (p.upper && col < row) return;
  for (int e = static_cast<int>(threadIdx.x); e < kFlip * kFlip; e += kFlipThreads) {
    const long long i = row + e / kFlip, j = col + e % kFlip;
    if (i < p.rows && j < p.cols) values[e / kFlip * (kFlip + 1) + e % kFlip] = p.from[i * p.from_stride + j];
  }
  __syncthreads();
  for (int e = static_cast<int>(threadIdx.x); e < kFlip * kFlip; e += kFlipThreads) {
    const long long i = row + e % kFlip, j = col + e / kFlip;
    if (i < p.rows && j < p.cols && (!p.upper || j > i))
      p.to[j * p.to_stride + i] = values[e % kFlip * (kFlip + 1) + e / kFlip];
  }
}

void flip_any(std::size_t value_bytes, AnyDeviceView from, AnyDeviceView to, bool upper, StreamHandle stream) {
  const auto run = [&]<class T>(T) {
    const FlipArguments<T> p{static_cast<const T*>(from.data),
                             static_cast<T*>(to.data),
                             from.stride,
                             to.stride,
                             from.rows,
                             from.cols,
                             blocks_for(from.cols, kFlip),
                             upper};
    launch(flip<T>,
           {.blocks = blocks_for(from.rows, kFlip) * p.across,
            .threads = kFlipThreads,
            .shared_bytes = kFlip * (kFlip + 1) * sizeof(T)},
           stream, p);
  };
  value_bytes == 2 ? run(std::uint16_t{}) : run(std::uint32_t{});
}
void transpose(std::size_t value_bytes, AnyDeviceView from, AnyDeviceView to, StreamHandle stream) {
  flip_any(value_bytes, from, to, false, stream);
}
void mirror(std::size_t value_bytes, AnyDeviceView d, StreamHandle stream) {
  flip_any(value_bytes, d, d, true, stream);
}

__global__ void __launch_bounds__(256)
    replace_values(std::uint16_t* d, long long rows, long long cols, long long stride, std::uint16_t from,
                   std::uint16_t to, std::uint16_t limit, long long* above) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long e = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; e < rows * cols; e += step) {
    std::uint16_t& value = d[e / cols * stride + e % cols];
    if (value == from) {
      value = to;
    } else if (value > limit) {
      *above = 1;
    }
  }
}

void replace(DeviceView<std::uint16_t> d, std::uint16_t from, std::uint16_t to, std::uint16_t limit,
             std::int64_t* above, StreamHandle stream) {
  launch(replace_values, {.blocks = std::min<std::int64_t>(blocks_for(d.rows * d.cols, 256), 4096), .threads = 256},
         stream, d.data, d.rows, d.cols, d.stride, from, to, limit, reinterpret_cast<long long*>(above));
}

}  // namespace

DeviceMinPlus min_plus_kernels() {
  return {.no_path = &no_path,
          .tiles = [](Element element) { return tiles_of(element).tiles; },
          .panel_bytes = &panel_bytes,
          .pack = &pack,
          .multiply = [](const DeviceProductCall& call, int architecture,
                         StreamHandle stream) { tiles_of(call.element).multiply(call, architecture, stream); },
          .close = &close,
          .transpose = &transpose,
          .mirror = &mirror,
          .replace = &replace,
          .peak = [](Element element, int processors,
                     StreamHandle stream) { return tiles_of(element).peak(processors, stream); }};
}

}  // namespace atl::cuda
