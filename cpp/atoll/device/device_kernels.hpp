// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <atoll/matrix/spmm/kernels.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

/// The kernels that a device's plug-in has: what is asked of each, as plain values. All of them only enqueue; what
/// fails is thrown as DeviceError by the launch or by waiting for the stream.
namespace atl {

using StreamHandle = void*;
using EventHandle = void*;

/// A view of a matrix in a device's memory: element (i, j) at data[i * stride + j].
template <class T>
struct DeviceView {
  T* data = nullptr;
  std::int64_t rows = 0, cols = 0, stride = 0;

  DeviceView part(std::int64_t i, std::int64_t j, std::int64_t height, std::int64_t width) const {
    return {data + i * stride + j, height, width, stride};
  }
  // A template, as nvcc warns of an operator to its own type where T is const already.
  template <class Const>
    requires(!std::is_const_v<T> && std::is_same_v<Const, const T>)
  operator DeviceView<Const>() const {
    return {data, rows, cols, stride};
  }
};

/// The same of values whose size is known at run time.
struct AnyDeviceView {
  void* data = nullptr;
  std::int64_t rows = 0, cols = 0, stride = 0;

  AnyDeviceView() = default;
  template <class T>
  AnyDeviceView(DeviceView<T> view) : data(view.data), rows(view.rows), cols(view.cols), stride(view.stride) {}
};

// --- products over min_plus ---------------------------------------------------------------------------------------

/// Blocking factors of a kernel (COAST, figure 4a). A block of threads computes rows x cols values of C, `depth` steps of
/// k at a time; each of its threads thread_rows x thread_cols of them.
struct DeviceTile {
  int rows = 0, cols = 0, depth = 0;  ///< blk_m, blk_n, blk_k; steps of 16-bit values count in pairs
  int thread_rows = 0, thread_cols = 0;
  int stages = 0;  ///< pieces of depth steps in shared memory, one computed while the others come
  int threads() const { return rows / thread_rows * (cols / thread_cols); }
  bool operator==(const DeviceTile&) const = default;
};

/// A factor in a device's memory, and whether its transpose is meant.
struct DeviceFactor {
  const void* data = nullptr;
  std::int64_t rows = 0, cols = 0, stride = 0;  ///< as stored
  bool transposed = false;
};

/// A packed factor: tile after tile of rows (of A) or columns (of B), of each the steps of k in pieces of `depth`, of
/// each piece word [step][row or column]. What the last tile and piece lack is filled with "no path".
struct DevicePanelView {
  void* data = nullptr;
  std::int64_t extent = 0;  ///< rows of A or columns of B
  std::int64_t depth = 0;   ///< steps of k
};

/// The most windows of a product: they are arguments of its kernel.
inline constexpr std::size_t kMostDeviceWindows = 4;

struct DeviceProductCall {
  Element element = Element::float32;  ///< float32, int32 or uint16
  int tile = 0;                        ///< index in tiles()
  DevicePanelView a, b;
  void* c = nullptr;
  std::int64_t rows = 0, cols = 0, stride = 0;  ///< of C
  std::span<const Window>
      windows;  ///< at most kMostDeviceWindows that are not empty; each begins at a multiple of the tile's sides
};

struct DeviceMinPlus {
  /// The value that the element's kernels take for "no path": no length is as great. For uint16 it is less than the
  /// host's, so that sums of two fit 16 bits, as the pairwise instruction does not saturate.
  double (*no_path)(Element element) = nullptr;
  /// The tiles that are compiled in, the usual one first; empty if the element has no kernel.
  std::span<const DeviceTile> (*tiles)(Element element) = nullptr;
  /// Bytes that a packed factor needs.
  std::size_t (*panel_bytes)(Element element, int tile, bool left, std::int64_t extent, std::int64_t depth) = nullptr;
  void (*pack)(Element element, int tile, bool left, const DeviceFactor& from, DevicePanelView to,
               StreamHandle stream) = nullptr;
  /// C <- min(C, min over k of A(i, k) + B(k, j)) in the windows.
  void (*multiply)(const DeviceProductCall& call, int architecture, StreamHandle stream) = nullptr;
  /// d <- its closure, for a diagonal block that begins at vertex `first`; *gain becomes the first vertex of an improving
  /// cycle, unless it has one (is not -1).
  void (*close)(Element element, AnyDeviceView d, std::int64_t first, std::int64_t* gain,
                StreamHandle stream) = nullptr;
  /// to(j, i) = from(i, j); value_bytes 2 or 4.
  void (*transpose)(std::size_t value_bytes, AnyDeviceView from, AnyDeviceView to, StreamHandle stream) = nullptr;
  /// The lower half becomes the transpose of the upper one.
  void (*mirror)(std::size_t value_bytes, AnyDeviceView d, StreamHandle stream) = nullptr;
  /// Values `from` become `to`; those above `limit` that are not `from` set *above to 1.
  void (*replace)(DeviceView<std::uint16_t> d, std::uint16_t from, std::uint16_t to, std::uint16_t limit,
                  std::int64_t* above, StreamHandle stream) = nullptr;
  /// Operations per second of additions and minima on registers only: the limit of the products. Waits.
  double (*peak)(Element element, int processors, StreamHandle stream) = nullptr;
};

// --- sparse matrices ------------------------------------------------------------------------------------------------

/// A dense matrix of float32, or of float16 as its bits (IEEE 754 binary16), that kernels read.
struct DeviceDense {
  const void* data = nullptr;
  std::int64_t rows = 0, cols = 0, stride = 0;
  bool half = false;

  DeviceDense() = default;
  DeviceDense(DeviceView<const float> view) : data(view.data), rows(view.rows), cols(view.cols), stride(view.stride) {}
  DeviceDense(DeviceView<float> view) : DeviceDense(DeviceView<const float>(view)) {}
  DeviceDense(DeviceView<const std::uint16_t> view)
      : data(view.data), rows(view.rows), cols(view.cols), stride(view.stride), half(true) {}
  DeviceDense(DeviceView<std::uint16_t> view) : DeviceDense(DeviceView<const std::uint16_t>(view)) {}
};

/// A sparse matrix in CSR form, as SparseView, whose arrays are all in a device's memory.
struct DeviceSparseView {
  std::int64_t rows = 0, columns = 0;
  const Edge* offsets = nullptr;          ///< rows + 1
  const Local* column_indices = nullptr;  ///< column of each nonzero
  const float* values = nullptr;          ///< of each nonzero; null: all are 1
};

/// The work of one group of lanes: the nonzeros [begin, end) of whole rows [first, last), or a piece of one long row.
struct DeviceSparseTask {
  Edge begin = 0, end = 0;
  Local first = 0, last = 0;
  Local piece = -1;  ///< number of the piece, whose result goes to row `piece` of the scratch memory
};
/// A row that is the reduction of pieces [first, last).
struct DeviceLongRow {
  Local row = 0, first = 0, last = 0;
};
/// All of a matrix, in a device's memory (DeviceSchedule).
struct DeviceTasks {
  const DeviceSparseTask* tasks = nullptr;
  std::int64_t count = 0;
  const DeviceLongRow* long_rows = nullptr;
  std::int64_t long_count = 0;
};

/// C <- A B, or with `accumulate` reduced with what C has.
struct DeviceSpmmCall {
  DeviceSparseView a;
  DeviceTasks tasks;
  DeviceDense b;
  DeviceView<float> c;
  Reduce reduce = Reduce::sum;     ///< a mean is a sum with factors
  const float* factors = nullptr;  ///< null, or by row: what the reduced row is multiplied with
  float empty = 0;                 ///< without accumulate: what a row without nonzeros gets
  bool accumulate = false;
  float* pieces = nullptr;  ///< scratch memory: one row of c.cols values for each piece
};

/// C(i, :) += A(i, j) B_j for the nonzeros (i, j) of columns j, by atomic additions. Row B_j is row positions[j] of the
/// matrix at tables[owners[j]], wherever that address lies that the device can read.
struct DeviceColumnsCall {
  DeviceSparseView a;  ///< the transpose: its rows are the columns j, its column indices the rows i
  DeviceTasks tasks;
  const void* const* tables = nullptr;
  const std::int32_t* owners = nullptr;
  const Local* positions = nullptr;
  std::int64_t b_stride = 0;  ///< of all tables, in values
  bool half = false;          ///< tables of float16
  /// The largest power of 2, up to 16, that the addresses of all tables are multiples of.
  std::size_t alignment = 0;
  const float* factors = nullptr;  ///< null, or by row of C: what each product is multiplied with
  DeviceView<float> c;
};

/// out[e] <- X(i, :) Y(j, :) for the nonzeros e = (i, j).
struct DeviceSampledCall {
  DeviceSparseView a;
  DeviceTasks tasks;
  DeviceView<const float> x;
  DeviceDense y;
  float* out = nullptr;
};

/// to(i, :) <- from(rows[i], :), of values of 2 or 4 bytes.
struct DeviceGatherCall {
  std::size_t value_bytes = 4;
  const void* from = nullptr;
  std::int64_t from_stride = 0;
  const Local* rows = nullptr;  ///< to.rows of them
  AnyDeviceView to;
};

struct DeviceSparse {
  void (*multiply)(const DeviceSpmmCall& call, StreamHandle stream) = nullptr;
  void (*add_columns)(const DeviceColumnsCall& call, int architecture, StreamHandle stream) = nullptr;
  void (*sampled)(const DeviceSampledCall& call, StreamHandle stream) = nullptr;
  void (*gather)(const DeviceGatherCall& call, StreamHandle stream) = nullptr;
};

// --- graphs -------------------------------------------------------------------------------------------------------

/// Lists of neighbours in a device's memory: those of vertex v are column_indices[offsets[v]] and on, up to, but not
/// including, column_indices[offsets[v + 1]].
struct DeviceLists {
  const Edge* offsets = nullptr;
  const Local* column_indices = nullptr;
};

/// Rows are cut into chunks of so many items, which a warp sums: the items of a row are its nonzeros, and then its end.
inline constexpr std::int64_t kChunkItems = 256;

/// A row that began in chunk `first`, goes through all between, and ends in chunk `last`.
struct DeviceSplitRow {
  Local row = 0;
  std::int32_t first = 0, last = 0;
};

/// State that PageRank's kernels share with each other and the host.
struct DevicePageRankState {
  double base = 0;    ///< what the next iteration adds to every vertex: jumps, and dangling mass if it is spread
  double change = 0;  ///< sum of |change| in the last iteration
  std::int32_t iterations = 0;
  std::int32_t ended = 0;  ///< the change was below the tolerance: further iterations do nothing
};

struct DevicePageRankCall {
  std::size_t value_bytes = 8;  ///< of a rank: 4 or 8, float or double
  Local vertices = 0;
  DeviceLists in;
  const Edge* out_offsets = nullptr;
  const Local* first_row = nullptr;  ///< [chunk, and one more] rows that end before it
  std::int32_t chunks = 0, splits = 0;
  const DeviceSplitRow* split = nullptr;
  void *rank = nullptr, *inverse = nullptr;      ///< [vertex] 1 / outdegree, 0 if dangling
  void *sent = nullptr, *next = nullptr;         ///< [vertex] rank / outdegree, before and after the iteration
  double *leaving = nullptr, *ending = nullptr;  ///< [chunk] partial sums of its last and first row
  double* partial = nullptr;                     ///< pagerank_partials doubles
  DevicePageRankState* state = nullptr;
  double damping = 0, tolerance = 0;
  bool spread = true;  ///< dangling mass is spread evenly, or lost
};

/// A chunk of a vertex's list: kChunkEdges edges from piece * kChunkEdges on, so that long lists are shared among
/// warps.
struct DeviceEdgeChunk {
  Local vertex = 0, piece = 0;
};
inline constexpr Edge kChunkEdges = 1024;

/// A level of a breadth-first search, counted.
struct DeviceFrontier {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;   ///< that leave them
  std::uint64_t chunks = 0;  ///< of their lists
};

/// When levels that follow each other in one kernel end.
struct DeviceSmallLevelLimits {
  std::uint64_t edges = 0;  ///< a level has been found whose vertices have more
  int levels = 0;           ///< so many have been found
};
struct DeviceSmallLevels {
  std::uint64_t vertices = 0, edges = 0;  ///< of all levels found
  DeviceFrontier last;                    ///< of them
  int levels = 0;
};

struct DeviceBfsCall {
  Local vertices = 0;
  DeviceLists in, out;
  Local *parent = nullptr, *depth = nullptr;           ///< [vertex] -1: not reached
  std::uint32_t *frontier = nullptr, *next = nullptr;  ///< a bit for each vertex
  DeviceEdgeChunk *queue = nullptr, *next_queue = nullptr;
  DeviceFrontier* found = nullptr;  ///< added to
  Local level = 0;                  ///< of what is found
};

struct DeviceGraph {
  /// Doubles of DevicePageRankCall::partial.
  std::int64_t pagerank_partials = 0;
  /// Every rank is 1 / vertices; state is that before the first iteration.
  void (*start_pagerank)(const DevicePageRankCall& call, StreamHandle stream) = nullptr;
  void (*iterate_pagerank)(const DevicePageRankCall& call, StreamHandle stream) = nullptr;
  /// The source has depth 0 and is found, in next_queue. parent and depth are all -1 before.
  void (*start_bfs)(const DeviceBfsCall& call, Local source, StreamHandle stream) = nullptr;
  /// From the queue's first `chunks`, whose vertices have depth level - 1, to next_queue.
  void (*push_bfs)(const DeviceBfsCall& call, std::int64_t chunks, int processors, StreamHandle stream) = nullptr;
  /// The same, and level after level, the queues being swapped, until one has no vertices or a limit ends it. Writes
  /// what was found; call.found stays as it is.
  void (*push_small_bfs_levels)(const DeviceBfsCall& call, std::int64_t chunks, const DeviceSmallLevelLimits& limits,
                                DeviceSmallLevels* out, StreamHandle stream) = nullptr;
  /// From the bits of the frontier to those of `next`.
  void (*pull_bfs)(const DeviceBfsCall& call, StreamHandle stream) = nullptr;
  /// Frontier <- bits of the vertices of depth level - 1.
  void (*bits_of_bfs)(const DeviceBfsCall& call, StreamHandle stream) = nullptr;
  /// Queue <- chunks of the vertices of depth level - 1, counted in `found`.
  void (*queue_of_bfs)(const DeviceBfsCall& call, StreamHandle stream) = nullptr;
};

// --- distributed sparse products ----------------------------------------------------------------------------------

class Device;
class ColaPipeline;
struct ColaPlan;

/// Everything, by the architectures and types that a plug-in was compiled for.
struct DeviceKernels {
  DeviceMinPlus min_plus;
  DeviceSparse sparse;
  /// cola_on_one_device().
  std::unique_ptr<ColaPipeline> (*cola)(Device& device, std::span<const ColaPlan> plans) = nullptr;
  DeviceGraph graph;
};

}  // namespace atl
