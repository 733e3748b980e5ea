// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "../simt/launch.hpp"
#include "min_plus.hpp"
#include "operations.cuh"

// The product of two packed factors (COAST [1], section IV.C and appendix C), for one type; included by tile_<type>.cu.
//
// A block of threads computes a tile of C. Each thread keeps its part of it in registers, and reads for each step of k
// thread_rows + thread_cols words of shared memory for thread_rows x thread_cols operations on them, 16 bytes at a time.
// Pieces of both factors, `depth` steps each, come into `stages` buffers in turn while others are computed: by the bulk
// copy engine since sm_90, by asynchronous copies before. A piece is one stretch of memory, in the order in which it is
// read, since factors are packed (pack.cu); so kernels check no bounds before C.
//
// In the paper          here
// blk_m, blk_n, blk_k   Rows, Cols, Depth
// dim_m, dim_n          Rows / ThreadRows, Cols / ThreadCols
// dim_*_a, dim_*_b      none: a piece is copied as it lies
//
// [1] R. Kannan et al. "Exaflop/s biomedical knowledge graph analytics." SC 2022.
namespace atl::cuda {

/// A window of C in tiles; `upper`: only tiles with an entry on or above the diagonal, counted from its corner.
struct TileWindow {
  long long row, row_end, col, col_end;
  int tile_rows, tile_cols;
  int upper;
};

template <class Op>
struct ProductArguments {
  const typename Op::Word* a;
  const typename Op::Word* b;
  typename Op::Value* c;
  long long stride;
  int pieces;
  int windows;
  TileWindow window[kMostDeviceWindows];
};

template <class Op, int Rows, int Cols, int Depth, int ThreadRows, int ThreadCols, int Stages>
struct TileShape {
  static constexpr int kThreads = Rows / ThreadRows * (Cols / ThreadCols);
  static constexpr int kStageWords = (Rows + Cols) * Depth;
  // Barriers first, in 128 bytes, so that stages stay aligned.
  static constexpr std::size_t kSharedBytes = 128 + sizeof(typename Op::Word) * Stages * kStageWords;
  static_assert(Stages * sizeof(BulkBarrier) <= 128 && ThreadRows % 4 == 0 && ThreadCols % 4 == 0);
};

// Tiles are taken in bands of this many rows of tiles, column after column, so that blocks that run together share what
// they read in the second-level cache.
constexpr int kBand = 16;

__device__ __forceinline__ bool find_tile(const TileWindow* windows, int count, long long block, int rows, int cols,
                                          const TileWindow*& window, long long& row, long long& col) {
  for (int w = 0; w < count; ++w) {
    const long long tiles = static_cast<long long>(windows[w].tile_rows) * windows[w].tile_cols;
    if (block >= tiles) {
      block -= tiles;
      continue;
    }
    window = &windows[w];
    const long long band = block / (static_cast<long long>(kBand) * window->tile_cols);
    const long long left = block - band * kBand * window->tile_cols;
    const long long in_band = window->tile_rows - band * kBand < kBand ? window->tile_rows - band * kBand : kBand;
    row = window->row + (band * kBand + left % in_band) * rows;
    col = window->col + left / in_band * cols;
    return !window->upper || col + cols - window->col > row - window->row;
  }
  return false;
}

template <class Op, int Rows, int Cols, int Depth, int ThreadRows, int ThreadCols, int Stages, bool Bulk>
__global__ void __launch_bounds__(Rows / ThreadRows * (Cols / ThreadCols))
    multiply_tiles(const ProductArguments<Op> p) {
  // A device gets the one of two variants that it runs; the other stays empty, which halves what is compiled.
#if defined(__CUDA_ARCH__)
  constexpr bool kHere = Bulk == (__CUDA_ARCH__ >= 900);
#else
  constexpr bool kHere = true;
#endif
  if constexpr (kHere) {
    using Word = typename Op::Word;
    using Value = typename Op::Value;
    using Shape = TileShape<Op, Rows, Cols, Depth, ThreadRows, ThreadCols, Stages>;
    constexpr int kRowGroups = ThreadRows / 4, kColGroups = ThreadCols / 4;
    constexpr int kAcross = Cols / ThreadCols;  // threads beside each other
    constexpr int kLanesAcross = kAcross < 4 ? kAcross : 4, kLanesDown = 32 / kLanesAcross;
    constexpr int kWarpsAcross = kAcross / kLanesAcross;
    static_assert(Rows / ThreadRows % kLanesDown == 0 && kAcross % kLanesAcross == 0);

    const TileWindow* window = nullptr;
    long long row = 0, col = 0;
    if (!find_tile(p.window, p.windows, blockIdx.x, Rows, Cols, window, row, col)) return;

    ATOLL_SHARED_MEMORY(shared);
    auto* const barriers = reinterpret_cast<BulkBarrier*>(shared);
    auto* const words = reinterpret_cast<Word*>(shared + 128);
    const int thread = static_cast<int>(threadIdx.x);
    // A warp covers 8 x 4 threads: it reads 8 and 4 neighbouring pieces of 16 bytes at a time.
    const int lane = thread % 32, warp = thread / 32;
    const int down = warp / kWarpsAcross * kLanesDown + lane / kLanesAcross,
              across = warp % kWarpsAcross * kLanesAcross + lane % kLanesAcross;

    const Word* const a = p.a + row / Rows * p.pieces * (Rows * Depth);
    const Word* const b = p.b + col / Cols * p.pieces * (Cols * Depth);
    const auto stage_of = [&](int piece) { return words + piece % Stages * Shape::kStageWords; };
    const auto fetch = [&](int piece) {
      Word* const to = stage_of(piece);
      const Word* const from_a = a + static_cast<long long>(piece) * (Rows * Depth);
      const Word* const from_b = b + static_cast<long long>(piece) * (Cols * Depth);
      if constexpr (Bulk) {
        if (thread != 0) return;
        BulkBarrier* const barrier = barriers + piece % Stages;
        start_bulk_phase(barrier, Shape::kStageWords * sizeof(Word));
        copy_bulk(to, from_a, Rows * Depth * sizeof(Word), barrier);
        copy_bulk(to + Rows * Depth, from_b, Cols * Depth * sizeof(Word), barrier);
      } else {
        constexpr int kEach = 16 / sizeof(Word);
        for (int i = thread * kEach; i < Rows * Depth; i += Shape::kThreads * kEach) copy_async(to + i, from_a + i);
        for (int i = thread * kEach; i < Cols * Depth; i += Shape::kThreads * kEach)
          copy_async(to + Rows * Depth + i, from_b + i);
      }
    };

    if constexpr (Bulk) {
      if (thread == 0)
        for (int s = 0; s < Stages; ++s) init_barrier(barriers + s, 1);
      __syncthreads();
    }
    for (int piece = 0; piece < Stages - 1; ++piece) {
      if (piece < p.pieces) fetch(piece);
      if constexpr (!Bulk) commit_copies();
    }

    Word best[ThreadRows][ThreadCols];
#pragma unroll
    for (int i = 0; i < ThreadRows; ++i)
#pragma unroll
      for (int j = 0; j < ThreadCols; ++j) best[i][j] = Op::none();

    for (int piece = 0; piece < p.pieces; ++piece) {
      if constexpr (Bulk) {
        wait_bulk_phase(barriers + piece % Stages, static_cast<unsigned>(piece / Stages % 2));
      } else {
        wait_copies<Stages - 2>();
      }
      // All have what came, and are done with the buffer of the piece before, into which the next copy goes. Their reads
      // have their values by now, so no fence between these reads and the copy engine's writes is needed; one would be
      // if threads had written there.
      __syncthreads();
      if (piece + Stages - 1 < p.pieces) fetch(piece + Stages - 1);
      if constexpr (!Bulk) commit_copies();

      const Word* const from_a = stage_of(piece) + down * 4;
      const Word* const from_b = stage_of(piece) + Rows * Depth + across * 4;
      // Words of the next step are read while this one is computed.
      Word left[2][ThreadRows], right[2][ThreadCols];
      const auto read = [&](int k) {
#pragma unroll
        for (int g = 0; g < kRowGroups; ++g) {
          const auto some = load_pack<Word, 4>(from_a + k * Rows + g * (Rows / kRowGroups));
#pragma unroll
          for (int i = 0; i < 4; ++i) left[k % 2][g * 4 + i] = some[i];
        }
#pragma unroll
        for (int g = 0; g < kColGroups; ++g) {
          const auto some = load_pack<Word, 4>(from_b + k * Cols + g * (Cols / kColGroups));
#pragma unroll
          for (int j = 0; j < 4; ++j) right[k % 2][g * 4 + j] = some[j];
        }
      };
      read(0);
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
        if (k + 1 < Depth) read(k + 1);
#pragma unroll
        for (int i = 0; i < ThreadRows; ++i)
#pragma unroll
          for (int j = 0; j < ThreadCols; ++j) best[i][j] = Op::better(left[k % 2][i], right[k % 2][j], best[i][j]);
      }
    }

#pragma unroll
    for (int i = 0; i < ThreadRows; ++i) {
      const long long at_row = row + i / 4 * (Rows / kRowGroups) + down * 4 + i % 4;
      if (at_row >= window->row_end) continue;
#pragma unroll
      for (int g = 0; g < kColGroups; ++g) {
        const long long at_col = col + g * (Cols / kColGroups) + across * 4;
        Value* const to = p.c + at_row * p.stride + at_col;
        if (at_col + 4 <= window->col_end && reinterpret_cast<std::uintptr_t>(to) % (4 * sizeof(Value)) == 0) {
          Pack<Value, 4> values = load_pack<Value, 4>(to);
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            const Value found = Op::least(best[i][g * 4 + j]);
            if (found < values[j]) values[j] = found;
          }
          store_pack<Value, 4>(to, values);
        } else {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            const Value found = Op::least(best[i][g * 4 + j]);
            if (at_col + j < window->col_end && found < to[j]) to[j] = found;
          }
        }
      }
    }
  }
}

template <class Op, int Rows, int Cols, int Depth, int ThreadRows, int ThreadCols, int Stages>
struct Tile {
  static constexpr DeviceTile kFactors{Rows, Cols, Depth, ThreadRows, ThreadCols, Stages};

  static void multiply(const DeviceProductCall& call, int architecture, StreamHandle stream) {
    using Shape = TileShape<Op, Rows, Cols, Depth, ThreadRows, ThreadCols, Stages>;
    constexpr int kSteps = Depth * Op::kSteps;
    ProductArguments<Op> p{};
    p.a = static_cast<const typename Op::Word*>(call.a.data);
    p.b = static_cast<const typename Op::Word*>(call.b.data);
    p.c = static_cast<typename Op::Value*>(call.c);
    p.stride = call.stride;
    p.pieces = static_cast<int>((call.a.depth + kSteps - 1) / kSteps);
    std::int64_t blocks = 0;
    for (const Window& w : call.windows) {  // DeviceGemm::multiply() has checked them
      if (w.row >= w.row_end || w.col >= w.col_end) continue;
      TileWindow& to = p.window[p.windows++];
      to = {w.row,
            w.row_end,
            w.col,
            w.col_end,
            static_cast<int>(blocks_for(w.row_end - w.row, Rows)),
            static_cast<int>(blocks_for(w.col_end - w.col, Cols)),
            w.upper};
      blocks += std::int64_t{to.tile_rows} * to.tile_cols;
    }
    const LaunchShape shape{.blocks = blocks, .threads = Shape::kThreads, .shared_bytes = Shape::kSharedBytes};
    if (architecture >= 90) {
      launch(multiply_tiles<Op, Rows, Cols, Depth, ThreadRows, ThreadCols, Stages, true>, shape, stream, p);
    } else {
      launch(multiply_tiles<Op, Rows, Cols, Depth, ThreadRows, ThreadCols, Stages, false>, shape, stream, p);
    }
  }
};

// The compiler may not know that a value is the same as in the round before, or one round would be all.
template <class Word>
__device__ __forceinline__ void hide(Word& value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Word) == 4 && Word(0.5) == Word(0)) {
    asm volatile("" : "+r"(value));
  } else {
    asm volatile("" : "+f"(value));
  }
#else
  static_cast<void>(value);
#endif
}

constexpr int kPeakSide = 8, kPeakThreads = 256, kPeakRounds = 1 << 14, kPeakBlocks = 2;  // of a multiprocessor

template <class Op>
__global__ void __launch_bounds__(kPeakThreads) run_in_registers(int rounds, typename Op::Word* out) {
  using Word = typename Op::Word;
  Word left[kPeakSide], right[kPeakSide], best[kPeakSide][kPeakSide];
#pragma unroll
  for (int i = 0; i < kPeakSide; ++i) {
    left[i] = static_cast<Word>(threadIdx.x + static_cast<unsigned>(i));
    right[i] = static_cast<Word>(threadIdx.x * 3 + static_cast<unsigned>(i));
#pragma unroll
    for (int j = 0; j < kPeakSide; ++j) best[i][j] = Op::none();
  }
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kPeakSide; ++i) hide(left[i]);
#pragma unroll
    for (int i = 0; i < kPeakSide; ++i)
#pragma unroll
      for (int j = 0; j < kPeakSide; ++j) best[i][j] = Op::better(left[i], right[j], best[i][j]);
  }
  Word greatest = best[0][0];
#pragma unroll
  for (int i = 0; i < kPeakSide; ++i)
#pragma unroll
    for (int j = 0; j < kPeakSide; ++j) greatest = greatest < best[i][j] ? best[i][j] : greatest;
  out[blockIdx.x * kPeakThreads + threadIdx.x] = greatest;
}

template <class Op>
double peak_of(int processors, StreamHandle stream) {
  const int blocks = kPeakBlocks * processors;
  typename Op::Word* out = nullptr;
  check_cuda(cudaMalloc(reinterpret_cast<void**>(&out), sizeof(typename Op::Word) * blocks * kPeakThreads),
             "memory for a measurement");
  cudaEvent_t first = nullptr, last = nullptr;
  check_cuda(cudaEventCreateWithFlags(&first, cudaEventDefault), "making an event");
  check_cuda(cudaEventCreateWithFlags(&last, cudaEventDefault), "making an event");
#if defined(ATOLL_EMULATED)
  constexpr int kRounds = 4;
#else
  constexpr int kRounds = kPeakRounds;
#endif
  const LaunchShape shape{.blocks = blocks, .threads = kPeakThreads};
  launch(run_in_registers<Op>, shape, stream, kRounds, out);  // the clock rises
  check_cuda(cudaEventRecord(first, stream_of(stream)), "recording an event");
  launch(run_in_registers<Op>, shape, stream, kRounds, out);
  check_cuda(cudaEventRecord(last, stream_of(stream)), "recording an event");
  check_cuda(cudaEventSynchronize(last), "a measurement");
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, first, last), "reading the time");
  static_cast<void>(cudaEventDestroy(first));
  static_cast<void>(cudaEventDestroy(last));
  static_cast<void>(cudaFree(out));
  return 2.0 * Op::kSteps * kPeakSide * kPeakSide * kRounds * blocks * kPeakThreads / (1e-3 * milliseconds);
}

/// The tiles compiled in, the usual one first. The part of the paper's space that they cover is measured by `atoll tune
/// gemm`.
template <class Op>
struct Tiles {
  template <class... T>
  struct Of {
    static constexpr std::array<DeviceTile, sizeof...(T)> kFactors{T::kFactors...};
    static void multiply(const DeviceProductCall& call, int architecture, StreamHandle stream) {
      static constexpr void (*kVariants[])(const DeviceProductCall&, int, StreamHandle) = {&T::multiply...};
      kVariants[call.tile](call, architecture, stream);
    }
  };
  //            Rows Cols Depth thread's rows, cols, stages
  using All = Of<Tile<Op, 128, 128, 16, 8, 8, 3>, Tile<Op, 128, 128, 8, 8, 8, 4>, Tile<Op, 128, 256, 8, 8, 16, 4>,
                 Tile<Op, 256, 128, 8, 16, 8, 4>, Tile<Op, 256, 128, 16, 16, 8, 3>, Tile<Op, 128, 128, 16, 16, 8, 3>,
                 Tile<Op, 128, 128, 32, 8, 8, 2>, Tile<Op, 128, 64, 16, 8, 8, 4>, Tile<Op, 64, 64, 16, 8, 4, 4>>;
  static TileKernels kernels() { return {All::kFactors, &All::multiply, &peak_of<Op>}; }
};

}  // namespace atl::cuda
