// SPDX-License-Identifier: Apache-2.0
// PageRank [1] by pulling: every vertex sums what its incoming edges bring.
//
// Rows differ in length by orders of magnitude, so work is cut along a merge of nonzeros and row ends [2] into chunks
// of equal size, one for a warp. It gathers its values into shared memory, all loads under way together, and then sums
// row by row there [3], with as many lanes for a row as the chunk's rows leave. Rows that cross chunks are summed from
// parts by a second kernel. Sums are of doubles in an order that depends only on the graph: no atomics, and results
// that are the same bit for bit on every run.
//
// In the paper     here
// R(u) / N_u       sent
// E                the part of `base` that is not dangling mass
//
// [1] S. Brin, L. Page. "The anatomy of a large-scale hypertextual Web search engine." WWW 1998.
// [2] D. Merrill, M. Garland. "Merge-based parallel sparse matrix-vector multiplication." SC 2016.
// [3] J. L. Greathouse, M. Daga. "Efficient sparse matrix-vector multiplication on GPUs using the CSR storage format."
//     SC 2014: CSR-Stream.
#include <algorithm>

#include "../simt/launch.hpp"
#include "graph.hpp"
#include "warp.cuh"

namespace atl::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / kWarp;
// Grids do not grow beyond this, so that few partial sums are left. They do not depend on the device either, since the
// order of sums would.
#if defined(ATOLL_EMULATED)
constexpr std::int64_t kPullBlocks = 2, kJoinBlocks = 1;  // so that blocks of small graphs go round more than once too
#else
constexpr std::int64_t kPullBlocks = 4096, kJoinBlocks = 1024;
#endif
// Blocks of a multiprocessor that registers must leave room for, since loads wait for the cache: an iteration of kron:20 in
// float32 took 0.42 ms with 4 on an H200, 0.39 with 5, 0.36 with 6 and 0.42 with 8.
constexpr int kPullBlocksAtOnce = 6;
constexpr int kChunk = static_cast<int>(kChunkItems);
constexpr int kJoinLanes = 8;  // most split rows have two or three parts

template <class Real>
struct PageRankArguments {
  Local vertices;
  const Edge* offsets;
  const Local* column_indices;
  const Edge* out_offsets;
  const Local* first_row;
  int chunks, splits;
  const DeviceSplitRow* split;
  Real* rank;
  Real* inverse;
  Real* sent;
  Real* next;
  double* leaving;
  double* ending;
  double* partial;
  DevicePageRankState* state;
  double damping, tolerance;
  int spread;
};

// Sums of a thread, a block or a kernel.
struct Totals {
  double change = 0, dangling = 0;
};

// Thread 0 writes the block's sums; `shared` has room for 2 * kWarps doubles.
__device__ void write_totals(Totals mine, double* shared, double* to) {
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  mine.change = sum_of_lanes(mine.change);
  mine.dangling = sum_of_lanes(mine.dangling);
  if (lane_here() == 0) {
    shared[2 * warp] = mine.change;
    shared[2 * warp + 1] = mine.dangling;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  Totals all;
  for (int w = 0; w < kWarps; ++w) {
    all.change += shared[2 * w];
    all.dangling += shared[2 * w + 1];
  }
  to[0] = all.change;
  to[1] = all.dangling;
}

template <class Real>
__global__ void __launch_bounds__(kThreads) start_ranks(const PageRankArguments<Real> p) {
  ATOLL_SHARED_MEMORY(shared);
  Totals mine;
  const Real rank = static_cast<Real>(1.0 / p.vertices);
  for (long long v = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x; v < p.vertices;
       v += static_cast<long long>(gridDim.x) * kThreads) {
    const Edge degree = p.out_offsets[v + 1] - p.out_offsets[v];
    const Real inverse = degree > 0 ? Real(1) / static_cast<Real>(degree) : Real(0);
    p.rank[v] = rank;
    p.inverse[v] = inverse;
    p.sent[v] = rank * inverse;
    if (degree == 0) mine.dangling += static_cast<double>(rank);
  }
  write_totals(mine, reinterpret_cast<double*>(shared), p.partial + 2 * blockIdx.x);
}

template <class Real>
__device__ __forceinline__ void finish_vertex(const PageRankArguments<Real>& p, double base, Local v, double sum,
                                              Totals& mine) {
  const Real rank = static_cast<Real>(p.damping * sum + base), inverse = p.inverse[v];
  mine.change += fabs(static_cast<double>(rank) - static_cast<double>(p.rank[v]));
  if (inverse == Real(0)) mine.dangling += static_cast<double>(rank);
  p.rank[v] = rank;
  p.next[v] = rank * inverse;
}

// A warp's chunk; `values`: its own kChunk in shared memory.
template <class Real>
__device__ void pull_chunk(const PageRankArguments<Real>& p, double base, int chunk, Real* values, Totals& mine) {
  const int lane = lane_here();
  const Local row = p.first_row[chunk], row_end = p.first_row[chunk + 1];
  const long long items = p.offsets[p.vertices] + p.vertices, item = static_cast<long long>(chunk) * kChunk,
                  item_end = item + kChunk < items ? item + kChunk : items;
  const Edge edge = item - row, edge_end = item_end - row_end;
  const int count = static_cast<int>(edge_end - edge);
#pragma unroll 8
  for (int i = lane; i < count; i += kWarp) values[i] = p.sent[p.column_indices[edge + i]];
  __syncwarp();
  // The rows that end here, and the one that goes on.
  const int rows = row_end - row + 1;
  int width = kWarp;
  while (width > 1 && width * rows > kWarp) width /= 2;
  for (int first = 0; first < rows; first += kWarp / width) {
    const int i = first + lane / width;
    double sum = 0;
    Edge begin = 0, end = 0;
    if (i < rows) {
      begin = p.offsets[row + i];
      end = i < rows - 1 ? p.offsets[row + i + 1] : edge_end;
      const int from = begin > edge ? static_cast<int>(begin - edge) : 0, to = static_cast<int>(end - edge);
      for (int k = from + lane % width; k < to; k += width) sum += static_cast<double>(values[k]);
    }
    sum = sum_of_lanes(sum, width);
    if (i >= rows || lane % width != 0) continue;
    if (i == rows - 1) {
      if (end > begin) p.leaving[chunk] = sum;
    } else if (begin < edge) {
      p.ending[chunk] = sum;
    } else {
      finish_vertex(p, base, row + i, sum, mine);
    }
  }
  __syncwarp();  // before the next chunk's values
}

template <class Real>
__global__ void __launch_bounds__(kThreads, kPullBlocksAtOnce) pull_ranks(const PageRankArguments<Real> p) {
  if (p.state->ended) return;
  ATOLL_SHARED_MEMORY(shared);
  auto* const sums = reinterpret_cast<double*>(shared);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  Real* const values = reinterpret_cast<Real*>(sums + 2 * kWarps) + warp * kChunk;
  const double base = p.state->base;
  Totals mine;
  for (long long chunk = static_cast<long long>(blockIdx.x) * kWarps + warp; chunk < p.chunks;
       chunk += static_cast<long long>(gridDim.x) * kWarps)
    pull_chunk(p, base, static_cast<int>(chunk), values, mine);
  write_totals(mine, sums, p.partial + 2 * blockIdx.x);
}

template <class Real>
__global__ void __launch_bounds__(kThreads) join_split_rows(const PageRankArguments<Real> p, double* partial) {
  if (p.state->ended) return;
  ATOLL_SHARED_MEMORY(shared);
  constexpr int kRows = kThreads / kJoinLanes;
  const int lane = static_cast<int>(threadIdx.x) % kJoinLanes;
  const double base = p.state->base;
  Totals mine;
  // All threads of the block go as often, since lanes meet in the sum.
  for (long long first = static_cast<long long>(blockIdx.x) * kRows; first < p.splits;
       first += static_cast<long long>(gridDim.x) * kRows) {
    const long long i = first + threadIdx.x / kJoinLanes;
    const DeviceSplitRow split = i < p.splits ? p.split[i] : DeviceSplitRow{};
    double sum = 0;
#pragma unroll 4
    for (int c = split.first + lane; c < split.last; c += kJoinLanes) sum += p.leaving[c];
    sum = sum_of_lanes(sum, kJoinLanes);
    if (i < p.splits && lane == 0) finish_vertex(p, base, split.row, sum + p.ending[split.last], mine);
  }
  write_totals(mine, reinterpret_cast<double*>(shared), partial + 2 * blockIdx.x);
}

// One block: the sums of all blocks, and from them what the next iteration begins with.
__global__ void __launch_bounds__(kThreads)
    end_iteration(const double* partial, int count, Local vertices, double damping, double tolerance, int spread,
                  int is_first, DevicePageRankState* state) {
  if (!is_first && state->ended) return;
  ATOLL_SHARED_MEMORY(shared);
  auto* const sums = reinterpret_cast<double*>(shared);
  Totals mine;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
    mine.change += partial[2 * i];
    mine.dangling += partial[2 * i + 1];
  }
  double all[2] = {};
  write_totals(mine, sums, all);
  if (threadIdx.x != 0) return;
  DevicePageRankState next = is_first ? DevicePageRankState{} : *state;
  next.base = (1 - damping + (spread ? damping * all[1] : 0)) / vertices;
  next.change = all[0];
  if (!is_first) {
    ++next.iterations;
    next.ended = next.change < tolerance;
  }
  *state = next;
}

template <class Real>
PageRankArguments<Real> arguments_of(const DevicePageRankCall& call) {
  return {.vertices = call.vertices,
          .offsets = call.in.offsets,
          .column_indices = call.in.column_indices,
          .out_offsets = call.out_offsets,
          .first_row = call.first_row,
          .chunks = call.chunks,
          .splits = call.splits,
          .split = call.split,
          .rank = static_cast<Real*>(call.rank),
          .inverse = static_cast<Real*>(call.inverse),
          .sent = static_cast<Real*>(call.sent),
          .next = static_cast<Real*>(call.next),
          .leaving = call.leaving,
          .ending = call.ending,
          .partial = call.partial,
          .state = call.state,
          .damping = call.damping,
          .tolerance = call.tolerance,
          .spread = call.spread};
}

constexpr std::size_t kTotalsBytes = 2 * kWarps * sizeof(double);

void end(const DevicePageRankCall& call, std::int64_t partials, bool is_first, StreamHandle stream) {
  launch(end_iteration, {.blocks = 1, .threads = kThreads, .shared_bytes = kTotalsBytes}, stream, call.partial,
         static_cast<int>(partials), call.vertices, call.damping, call.tolerance, call.spread, is_first, call.state);
}

template <class Real>
void start(const DevicePageRankCall& call, StreamHandle stream) {
  const std::int64_t blocks = std::min(kPullBlocks, blocks_for(call.vertices, kThreads));
  launch(start_ranks<Real>, {.blocks = blocks, .threads = kThreads, .shared_bytes = kTotalsBytes}, stream,
         arguments_of<Real>(call));
  end(call, blocks, true, stream);
}

template <class Real>
void iterate(const DevicePageRankCall& call, StreamHandle stream) {
  const auto p = arguments_of<Real>(call);
  const std::int64_t pulls = std::min(kPullBlocks, blocks_for(call.chunks, kWarps)),
                     joins = std::min(kJoinBlocks, blocks_for(call.splits, kThreads / kJoinLanes));
  launch(pull_ranks<Real>,
         {.blocks = pulls, .threads = kThreads, .shared_bytes = kTotalsBytes + kWarps * kChunk * sizeof(Real)}, stream,
         p);
  launch(join_split_rows<Real>, {.blocks = joins, .threads = kThreads, .shared_bytes = kTotalsBytes}, stream, p,
         call.partial + 2 * pulls);
  end(call, pulls + joins, false, stream);
}

}  // namespace

std::int64_t pagerank_partials() { return 2 * (kPullBlocks + kJoinBlocks); }

void start_pagerank(const DevicePageRankCall& call, StreamHandle stream) {
  if (call.value_bytes == sizeof(float)) return start<float>(call, stream);
  start<double>(call, stream);
}

void iterate_pagerank(const DevicePageRankCall& call, StreamHandle stream) {
  if (call.value_bytes == sizeof(float)) return iterate<float>(call, stream);
  iterate<double>(call, stream);
}

}  // namespace atl::cuda
