// SPDX-License-Identifier: Apache-2.0
// Levels of a direction-optimising breadth-first search [1], and the table of all kernels over graphs.
//
// Pushing, a warp takes up to 32 chunks of lists, adds their lengths up and gives its lanes the edges of all of them
// in a row, so that short lists are read together [2]; lists longer than a chunk are several of them, which different
// warps take. Pulling, each lane looks through the first few incoming edges of a vertex of its own, where most searches
// end, and the warp through the rest of each list together.
//
// In the paper     here
// parents          parent, and depth
// frontier, next   queue and next_queue, or frontier and next (bits)
//
// Levels of few edges follow each other in one kernel of one block, as starting a kernel and hearing of its end takes many
// times as long as such a level: on graphs like roads there are thousands of them.
//
// The parent of a vertex is the smallest of the frontier if incoming lists ascend, however warps are timed: a pull
// finds it first, and pushes keep the minimum.
//
// [1] S. Beamer, K. Asanovic, D. Patterson. "Direction-optimizing breadth-first search." SC 2012.
// [2] D. Merrill, M. Garland, A. Grimshaw. "Scalable GPU graph traversal." PPoPP 2012: scan-based gathering.
#include <algorithm>

#include "../simt/launch.hpp"
#include "graph.hpp"
#include "warp.cuh"

namespace atl::cuda {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / kWarp;
#if defined(ATOLL_EMULATED)
constexpr std::int64_t kMostBlocks = 2;  // so that blocks of small graphs go round more than once too
#else
constexpr std::int64_t kMostBlocks = 1 << 14;
#endif
constexpr Edge kAloneEdges = 8;  // that a lane looks through before the warp helps
constexpr int kSmallLevelThreads = 1024, kSmallLevelWarps = kSmallLevelThreads / kWarp;

// Atomic functions take this type, which has 64 bits like std::uint64_t.
using Count = unsigned long long;
static_assert(sizeof(Count) == sizeof(std::uint64_t));

struct BfsArguments {
  Local vertices;
  DeviceLists in, out;
  unsigned* parent;  // "none", which is -1, is then the largest
  Local* depth;
  std::uint32_t* frontier;
  std::uint32_t* next;
  DeviceEdgeChunk* queue;
  DeviceEdgeChunk* next_queue;
  Count *vertices_found, *edges_found, *chunks_found;
  Local level;
};

__device__ __forceinline__ Edge degree_of(const DeviceLists& lists, Local v) {
  return lists.offsets[v + 1] - lists.offsets[v];
}

// The vertices that a thread has found; a vertex without leaving edges has no chunk.
struct Found {
  Count vertices = 0, edges = 0;

  __device__ void add(Edge degree) {
    ++vertices;
    edges += static_cast<Count>(degree);
  }
};

__device__ __forceinline__ int chunks_of(Edge degree) {
  return static_cast<int>((degree + kChunkEdges - 1) / kChunkEdges);
}

__device__ __forceinline__ void add_found(const BfsArguments& p, Found mine) {
  mine.vertices = sum_of_lanes(mine.vertices);
  mine.edges = sum_of_lanes(mine.edges);
  if (lane_here() != 0 || mine.vertices == 0) return;
  atomicAdd(p.vertices_found, mine.vertices);
  atomicAdd(p.edges_found, mine.edges);
}

// Appends the chunks of each lane's vertex, if it `has` one, and counts it. All lanes of the warp call it.
__device__ __forceinline__ void append(const BfsArguments& p, DeviceEdgeChunk* queue, bool has, Local v, Found& mine) {
  const Edge degree = has ? degree_of(p.out, v) : 0;
  if (has) mine.add(degree);
  const int count = chunks_of(degree);
  if (__ballot_sync(kAllLanes, count > 0) == 0) return;
  const int up_to_mine = sum_up_to_lane(count);
  Count first = 0;
  if (lane_here() == kWarp - 1) first = atomicAdd(p.chunks_found, static_cast<Count>(up_to_mine));
  first = __shfl_sync(kAllLanes, first, kWarp - 1);
  DeviceEdgeChunk* const to = queue + (first + static_cast<Count>(up_to_mine - count));
  for (int piece = 0; piece < count; ++piece) to[piece] = {v, piece};
}

// One warp.
__global__ void begin_at_source(const BfsArguments p, Local source) {
  const bool mine = lane_here() == 0;
  if (mine) {
    p.depth[source] = 0;
    p.parent[source] = static_cast<unsigned>(source);
  }
  Found found;
  append(p, p.next_queue, mine, source, found);
  add_found(p, found);
}

// Whether this edge is the first to reach v.
__device__ __forceinline__ bool reach(const BfsArguments& p, Local from, Local v) {
  Local depth = p.depth[v];
  bool first = false;
  if (depth < 0) {
    depth = atomicCAS(p.depth + v, -1, p.level);
    first = depth < 0;
  }
  // The value read may be older than what another warp has written, but is not smaller.
  if ((first || depth == p.level) && static_cast<unsigned>(from) < p.parent[v])
    atomicMin(p.parent + v, static_cast<unsigned>(from));
  return first;
}

// A warp's chunks from `first` on, of which it takes `each`.
__device__ __forceinline__ void push_some(const BfsArguments& p, long long first_chunk, int each, long long chunks,
                                          Found& found) {
  const int lane = lane_here();
  const long long mine = first_chunk + lane;
  DeviceEdgeChunk chunk;
  Edge begin = 0;
  int count = 0;
  if (lane < each && mine < chunks) {
    chunk = p.queue[mine];
    begin = p.out.offsets[chunk.vertex] + chunk.piece * kChunkEdges;
    const Edge left = p.out.offsets[chunk.vertex + 1] - begin;
    count = static_cast<int>(left < kChunkEdges ? left : kChunkEdges);
  }
  const int up_to_mine = sum_up_to_lane(count), all = __shfl_sync(kAllLanes, up_to_mine, kWarp - 1);
  begin -= up_to_mine - count;  // so that this and the edge's number among all give its place
  for (int first = 0; first < all; first += kWarp) {
    const int i = first + lane;
    int owner = 0;  // the first lane that, with those before it, has more than i edges
    for (int step = kWarp / 2; step > 0; step /= 2)
      if (__shfl_sync(kAllLanes, up_to_mine, owner + step - 1) <= i) owner += step;
    const Local from = __shfl_sync(kAllLanes, chunk.vertex, owner);
    const Edge at = __shfl_sync(kAllLanes, begin, owner) + i;
    Local v = 0;
    bool is_new = false;
    if (i < all) {
      v = p.out.column_indices[at];
      is_new = reach(p, from, v);
    }
    append(p, p.next_queue, is_new, v, found);
  }
}

// A small frontier's chunks are distributed over as many warps as there are.
__host__ __device__ __forceinline__ int chunks_each(long long chunks, long long warps) {
  int each = kWarp;
  while (each > 1 && chunks < each * warps) each /= 2;
  return each;
}

__global__ void __launch_bounds__(kThreads) push_chunks(const BfsArguments p, long long chunks, int each) {
  const long long warp = static_cast<long long>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kWarp;
  Found found;
  push_some(p, warp * each, each, chunks, found);
  add_found(p, found);
}

// One block. What a level finds is counted in shared memory.
__global__ void __launch_bounds__(kSmallLevelThreads)
    push_small_levels(BfsArguments p, long long chunks, DeviceSmallLevelLimits limits, DeviceSmallLevels* out) {
  ATOLL_SHARED_MEMORY(shared);
  auto* const counts = reinterpret_cast<Count*>(shared);
  p.vertices_found = counts;
  p.edges_found = counts + 1;
  p.chunks_found = counts + 2;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  DeviceSmallLevels all;
  do {
    if (threadIdx.x < 3) counts[threadIdx.x] = 0;
    __syncthreads();
    const int each = chunks_each(chunks, kSmallLevelWarps);
    Found found;
    for (long long first = static_cast<long long>(warp) * each; first < chunks; first += kSmallLevelWarps * each)
      push_some(p, first, each, chunks, found);
    add_found(p, found);
    __syncthreads();  // what the level wrote is there for all of the block
    all.last = {counts[0], counts[1], counts[2]};
    all.vertices += counts[0];
    all.edges += counts[1];
    ++all.levels;
    __syncthreads();  // all have read the counts
    chunks = static_cast<long long>(all.last.chunks);
    DeviceEdgeChunk* const before = p.queue;
    p.queue = p.next_queue;
    p.next_queue = before;
    ++p.level;
  } while (all.last.vertices > 0 && all.last.edges <= limits.edges && all.levels < limits.levels);
  if (threadIdx.x == 0) *out = all;
}

__device__ __forceinline__ bool has_bit(const std::uint32_t* bits, Local v) { return bits[v / 32] >> (v % 32) & 1u; }

__global__ void __launch_bounds__(kThreads) pull_words(const BfsArguments p, long long words) {
  const int lane = lane_here();
  Found found;
  Count chunks = 0;
  for (long long word = static_cast<long long>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kWarp;
       word < words; word += static_cast<long long>(gridDim.x) * kWarps) {
    const long long v = word * kWarp + lane;
    const bool open = v < p.vertices && p.depth[v] < 0;
    Edge at = open ? p.in.offsets[v] : 0;
    const Edge end = open ? p.in.offsets[v + 1] : 0;
    Local parent = -1;
    for (const Edge stop = end - at < kAloneEdges ? end : at + kAloneEdges; at < stop && parent < 0; ++at)
      if (const Local u = p.in.column_indices[at]; has_bit(p.frontier, u)) parent = u;
    for (unsigned left = __ballot_sync(kAllLanes, parent < 0 && at < end); left != 0; left &= left - 1) {
      const int whose = __ffs(static_cast<int>(left)) - 1;
      const Edge last = __shfl_sync(kAllLanes, end, whose);
      for (Edge first = __shfl_sync(kAllLanes, at, whose); first < last; first += kWarp) {
        const Local u = first + lane < last ? p.in.column_indices[first + lane] : -1;
        const unsigned hits = __ballot_sync(kAllLanes, u >= 0 && has_bit(p.frontier, u));
        if (hits == 0) continue;
        const Local hit = __shfl_sync(kAllLanes, u, __ffs(static_cast<int>(hits)) - 1);
        if (lane == whose) parent = hit;
        break;
      }
    }
    const unsigned bits = __ballot_sync(kAllLanes, parent >= 0);
    if (lane == 0) p.next[word] = bits;
    if (parent < 0) continue;
    p.depth[v] = p.level;
    p.parent[v] = static_cast<unsigned>(parent);
    const Edge degree = degree_of(p.out, static_cast<Local>(v));
    found.add(degree);
    chunks += static_cast<Count>(chunks_of(degree));
  }
  add_found(p, found);
  chunks = sum_of_lanes(chunks);
  if (lane == 0 && chunks > 0) atomicAdd(p.chunks_found, chunks);
}

template <bool ToBits>
__global__ void __launch_bounds__(kThreads) collect_level(const BfsArguments p, long long words) {
  Found found;
  for (long long word = static_cast<long long>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kWarp;
       word < words; word += static_cast<long long>(gridDim.x) * kWarps) {
    const long long v = word * kWarp + lane_here();
    const bool in_level = v < p.vertices && p.depth[v] == p.level - 1;
    if constexpr (ToBits) {
      const unsigned bits = __ballot_sync(kAllLanes, in_level);
      if (lane_here() == 0) p.frontier[word] = bits;
    } else {
      append(p, p.queue, in_level, static_cast<Local>(v), found);
    }
  }
  if constexpr (!ToBits) add_found(p, found);
}

BfsArguments arguments_of(const DeviceBfsCall& call) {
  const auto count = [](std::uint64_t* at) { return reinterpret_cast<Count*>(at); };
  return {.vertices = call.vertices,
          .in = call.in,
          .out = call.out,
          .parent = reinterpret_cast<unsigned*>(call.parent),
          .depth = call.depth,
          .frontier = call.frontier,
          .next = call.next,
          .queue = call.queue,
          .next_queue = call.next_queue,
          .vertices_found = count(&call.found->vertices),
          .edges_found = count(&call.found->edges),
          .chunks_found = count(&call.found->chunks),
          .level = call.level};
}

std::int64_t words_of(const DeviceBfsCall& call) { return blocks_for(call.vertices, kWarp); }

LaunchShape shape_over_words(const DeviceBfsCall& call) {
  return {.blocks = std::min(kMostBlocks, blocks_for(words_of(call), kWarps)), .threads = kThreads};
}

void start_bfs(const DeviceBfsCall& call, Local source, StreamHandle stream) {
  launch(begin_at_source, {.blocks = 1, .threads = kWarp}, stream, arguments_of(call), source);
}

void push_bfs(const DeviceBfsCall& call, std::int64_t chunks, int processors, StreamHandle stream) {
  const int each = chunks_each(chunks, std::int64_t{processors} * (2048 / kWarp));
  launch(push_chunks, {.blocks = blocks_for(chunks, std::int64_t{each} * kWarps), .threads = kThreads}, stream,
         arguments_of(call), chunks, each);
}

void push_small_bfs_levels(const DeviceBfsCall& call, std::int64_t chunks, const DeviceSmallLevelLimits& limits,
                           DeviceSmallLevels* out, StreamHandle stream) {
  launch(push_small_levels, {.blocks = 1, .threads = kSmallLevelThreads, .shared_bytes = 3 * sizeof(Count)}, stream,
         arguments_of(call), chunks, limits, out);
}

void pull_bfs(const DeviceBfsCall& call, StreamHandle stream) {
  launch(pull_words, shape_over_words(call), stream, arguments_of(call), words_of(call));
}

void bits_of_bfs(const DeviceBfsCall& call, StreamHandle stream) {
  launch(collect_level<true>, shape_over_words(call), stream, arguments_of(call), words_of(call));
}

void queue_of_bfs(const DeviceBfsCall& call, StreamHandle stream) {
  launch(collect_level<false>, shape_over_words(call), stream, arguments_of(call), words_of(call));
}

}  // namespace

DeviceGraph graph_kernels() {
  return {.pagerank_partials = pagerank_partials(),
          .start_pagerank = &start_pagerank,
          .iterate_pagerank = &iterate_pagerank,
          .start_bfs = &start_bfs,
          .push_bfs = &push_bfs,
          .push_small_bfs_levels = &push_small_bfs_levels,
          .pull_bfs = &pull_bfs,
          .bits_of_bfs = &bits_of_bfs,
          .queue_of_bfs = &queue_of_bfs};
}

}  // namespace atl::cuda
