// SPDX-License-Identifier: Apache-2.0
// The host's side of PageRank and breadth-first search on a device: memory, iterations and levels. The kernels, and the
// papers that they follow, are in cpp/cuda/graph.
#include <algorithm>
#include <atoll/device/device_graph.hpp>
#include <limits>
#include <vector>

namespace atl {
namespace {

void check_shape(const SparsePattern& p, const char* what) {
  check(
      p.rows == p.columns && p.rows >= 0 && p.rows <= std::numeric_limits<Local>::max(),
      "the {} edges are {} rows by {} columns (a graph on a device has as many of both, below 2^31). Pass the lists of "
      "a graph.",
      what, p.rows, p.columns);
  check(
      p.offsets.size() == static_cast<std::size_t>(p.rows) + 1 &&
          p.nonzeros() == static_cast<Edge>(p.column_indices.size()),
      "the {} edges have {} offsets and {} column indices ({} rows need one more offset, and the last is the number of "
      "column indices). Pass CSR arrays.",
      what, p.offsets.size(), p.column_indices.size(), p.rows);
}

// Levels between two looks of the host, so that one kernel does not take long.
constexpr int kMostSmallLevels = 1 << 12;

template <class T>
void resize(PinnedArray<T>& array, Device& device, Local vertices) {
  if (array.size() != static_cast<std::size_t>(vertices))
    array = PinnedArray<T>(device, static_cast<std::size_t>(vertices));
}

}  // namespace

// --- lists ----------------------------------------------------------------------------------------------------------

DeviceCsr::DeviceCsr(const Stream& stream, const SparsePattern& out, const SparsePattern& in) {
  check_shape(out, "leaving");
  check_shape(in, "entering");
  check(out.rows == in.rows && out.nonzeros() == in.nonzeros(),
        "{} edges leave {} vertices, and {} enter {} (they are the same edges). Pass a pattern and its transpose.",
        out.nonzeros(), out.rows, in.nonzeros(), in.rows);
  vertices_ = static_cast<Local>(out.rows);
  edges_ = out.nonzeros();
  out_ = lists_of(stream, out);
  in_ = lists_of(stream, in);
  cut_into_chunks(stream, in);
}

DeviceCsr::DeviceCsr(const Stream& stream, const SparsePattern& symmetric) {
  check_shape(symmetric, "undirected");
  vertices_ = static_cast<Local>(symmetric.rows);
  edges_ = symmetric.nonzeros();
  out_ = lists_of(stream, symmetric);
  cut_into_chunks(stream, symmetric);
}

DeviceCsr::Lists DeviceCsr::lists_of(const Stream& stream, const SparsePattern& pattern) {
  return {uploaded(stream, pattern.offsets), uploaded(stream, pattern.column_indices)};
}

// Place e of row r is item e + r, and the end of row r is item offsets[r + 1] + r.
void DeviceCsr::cut_into_chunks(const Stream& stream, const SparsePattern& in) {
  const std::int64_t items = edges_ + vertices_, chunks = (items + kChunkItems - 1) / kChunkItems;
  check(chunks < std::numeric_limits<std::int32_t>::max(),
        "{} edges are more than a device's kernels count (below 2^39). Take a smaller graph, or --device cpu.", edges_);
  chunks_ = static_cast<std::int32_t>(chunks);
  std::vector<Local> first_row(static_cast<std::size_t>(chunks) + 1);
  const auto offset = [&](Local row) { return in.offsets[row]; };
  Local row = 0;
  for (std::int64_t c = 0; c <= chunks; ++c) {
    while (row < vertices_ && offset(row + 1) + row < std::min(c * kChunkItems, items)) ++row;
    first_row[c] = row;
  }
  std::vector<DeviceSplitRow> splits;
  for (std::int32_t c = 1; c < chunks_; ++c) {
    const Local begun = first_row[c];
    const bool ends_here = begun < first_row[static_cast<std::size_t>(c) + 1];
    if (ends_here && offset(begun) < c * kChunkItems - begun)
      splits.push_back({begun, static_cast<std::int32_t>((offset(begun) + begun) / kChunkItems), c});
  }
  first_row_ = uploaded(stream, std::span<const Local>(first_row));
  splits_ = uploaded(stream, std::span<const DeviceSplitRow>(splits));
  stream.wait();  // before the vectors go
}

std::size_t DeviceCsr::memory_bytes() const {
  return out_.memory_bytes() + in_.memory_bytes() + first_row_.memory_bytes() + splits_.memory_bytes();
}

// --- PageRank -------------------------------------------------------------------------------------------------------

template <class Real>
DevicePageRank<Real>::DevicePageRank(const Stream& stream, const DeviceCsr& csr) : stream_(stream), csr_(csr) {
  Device& device = stream.device();
  const auto n = static_cast<std::size_t>(csr.vertices()), chunks = static_cast<std::size_t>(csr.chunks());
  for (DeviceArray<Real>* of_vertices : {&rank_, &inverse_, &sent_, &next_})
    *of_vertices = DeviceArray<Real>(device, n);
  leaving_ = DeviceArray<double>(device, chunks);
  ending_ = DeviceArray<double>(device, chunks);
  partial_ = DeviceArray<double>(device, static_cast<std::size_t>(device.kernels().graph.pagerank_partials));
  state_ = DeviceArray<DevicePageRankState>(device, 1);
  host_state_ = PinnedArray<DevicePageRankState>(device, 1);
}

template <class Real>
void DevicePageRank<Real>::run(const DevicePageRankOptions& options, DevicePageRankResult<Real>& result) {
  result.iterations = 0;
  result.change = 0;
  result.converged = false;
  resize(result.rank, stream_.device(), csr_.vertices());
  if (csr_.vertices() == 0) return;
  DevicePageRankCall call{.value_bytes = sizeof(Real),
                          .vertices = csr_.vertices(),
                          .in = csr_.in(),
                          .out_offsets = csr_.out().offsets,
                          .first_row = csr_.first_row().data(),
                          .chunks = csr_.chunks(),
                          .splits = static_cast<std::int32_t>(csr_.split_rows().size()),
                          .split = csr_.split_rows().data(),
                          .rank = rank_.data(),
                          .inverse = inverse_.data(),
                          .sent = sent_.data(),
                          .next = next_.data(),
                          .leaving = leaving_.data(),
                          .ending = ending_.data(),
                          .partial = partial_.data(),
                          .state = state_.data(),
                          .damping = options.damping,
                          .tolerance = options.tolerance.value_or(0),  // no change is below it
                          .spread = options.spread_dangling};
  const DeviceGraph& kernels = stream_.device().kernels().graph;
  kernels.start_pagerank(call, stream_);
  // The host looks once in so many iterations, so that the device does not wait for it; those after the end do nothing.
  constexpr int kBetweenLooks = 4;
  const DevicePageRankState& state = *host_state_.data();
  for (int given = 0; given < options.max_iterations;) {
    for (int i = 0; i < kBetweenLooks && given < options.max_iterations; ++i, ++given) {
      kernels.iterate_pagerank(call, stream_);
      std::swap(call.sent, call.next);
    }
    download(stream_, state_, std::span(host_state_.data(), 1));
    stream_.wait();
    if (state.ended) break;
  }
  result.iterations = state.iterations;
  result.change = state.change;
  result.converged = state.ended != 0;
  download(stream_, rank_, std::span(result.rank.data(), result.rank.size()));
  stream_.wait();
}

template <class Real>
std::size_t DevicePageRank<Real>::memory_bytes() const {
  return rank_.memory_bytes() + inverse_.memory_bytes() + sent_.memory_bytes() + next_.memory_bytes() +
         leaving_.memory_bytes() + ending_.memory_bytes() + partial_.memory_bytes() + state_.memory_bytes();
}

template class DevicePageRank<float>;
template class DevicePageRank<double>;

// --- breadth-first search -------------------------------------------------------------------------------------------

DeviceBfs::DeviceBfs(const Stream& stream, const DeviceCsr& csr) : stream_(stream), csr_(csr) {
  Device& device = stream.device();
  const auto n = static_cast<std::size_t>(csr.vertices());
  const auto chunks = n + static_cast<std::size_t>(csr.edges() / kChunkEdges);
  parent_ = DeviceArray<Local>(device, n);
  depth_ = DeviceArray<Local>(device, n);
  frontier_ = DeviceArray<std::uint32_t>(device, (n + 31) / 32);
  next_ = DeviceArray<std::uint32_t>(device, (n + 31) / 32);
  queue_ = DeviceArray<DeviceEdgeChunk>(device, chunks);
  next_queue_ = DeviceArray<DeviceEdgeChunk>(device, chunks);
  found_ = DeviceArray<DeviceFrontier>(device, 1);
  host_found_ = PinnedArray<DeviceFrontier>(device, 1);
  small_levels_ = DeviceArray<DeviceSmallLevels>(device, 1);
  host_small_levels_ = PinnedArray<DeviceSmallLevels>(device, 1);
}

DeviceFrontier DeviceBfs::read_found() {
  download(stream_, found_, std::span(host_found_.data(), 1));
  stream_.wait();
  return *host_found_.data();
}

void DeviceBfs::run(Local source, const DeviceBfsOptions& options, DeviceBfsResult& result) {
  using enum DeviceBfsOptions::Direction;
  check(source >= 0 && source < csr_.vertices(), "bfs: the source is {} (vertices are 0 to {}). Choose one of them.",
        source, csr_.vertices() - 1);
  check(options.alpha > 0 && options.beta > 0,
        "bfs: alpha is {} and beta {} (numbers above 0; 14 and 24 are usual). "
        "Change them.",
        options.alpha, options.beta);
  Device& device = stream_.device();
  const DeviceGraph& kernels = device.kernels().graph;
  const auto n = static_cast<double>(csr_.vertices());
  DeviceBfsCall call{.vertices = csr_.vertices(),
                     .in = csr_.in(),
                     .out = csr_.out(),
                     .parent = parent_.data(),
                     .depth = depth_.data(),
                     .frontier = frontier_.data(),
                     .next = next_.data(),
                     .queue = queue_.data(),
                     .next_queue = next_queue_.data(),
                     .found = found_.data(),
                     .level = 0};
  const auto count_anew = [&] { device.fill(found_.data(), 0, found_.memory_bytes(), stream_); };
  device.fill(parent_.data(), 0xff, parent_.memory_bytes(), stream_);
  device.fill(depth_.data(), 0xff, depth_.memory_bytes(), stream_);
  count_anew();
  kernels.start_bfs(call, source, stream_);
  std::swap(call.queue, call.next_queue);
  DeviceFrontier frontier = read_found();
  result.reached = 1;
  result.edges = 0;
  result.levels = 1;
  result.pulls = 0;
  auto unexplored = static_cast<double>(csr_.edges());
  bool pulling = false, grows = true;
  while (frontier.vertices > 0) {
    call.level = result.levels;
    const auto vertices = static_cast<double>(frontier.vertices), edges = static_cast<double>(frontier.edges);
    const bool pull_pays =
        pulling ? grows || vertices * options.beta > n : edges * options.alpha > unexplored && edges * options.beta > n;
    const bool pull =
        options.direction == automatic ? pull_pays : options.direction == DeviceBfsOptions::Direction::pull;
    if (pull && !pulling) kernels.bits_of_bfs(call, stream_);
    if (!pull && pulling) {
      count_anew();
      kernels.queue_of_bfs(call, stream_);
    }
    pulling = pull;
    if (!pull && frontier.edges <= options.small_level_edges) {
      // Pulling pays from more edges than that on, so no level that should be pulled is pushed in there.
      const auto pushed_anyway = static_cast<std::uint64_t>(n / options.beta);
      kernels.push_small_bfs_levels(
          call, static_cast<std::int64_t>(frontier.chunks),
          {.edges = options.direction == automatic ? std::min(options.small_level_edges, pushed_anyway)
                                                   : options.small_level_edges,
           .levels = kMostSmallLevels},
          small_levels_.data(), stream_);
      download(stream_, small_levels_, std::span(host_small_levels_.data(), 1));
      stream_.wait();
      const DeviceSmallLevels& levels = host_small_levels_[0];
      if (levels.levels % 2 == 1) std::swap(call.queue, call.next_queue);
      // The pushed levels are all that were found but the last, and the one before them.
      const auto pushed = static_cast<Edge>(frontier.edges + levels.edges - levels.last.edges);
      unexplored -= static_cast<double>(pushed);
      result.edges += pushed;
      result.reached += static_cast<Vertex>(levels.vertices);
      result.levels += levels.levels - (levels.last.vertices == 0);
      frontier = levels.last;
      continue;
    }
    count_anew();
    if (pulling) {
      kernels.pull_bfs(call, stream_);
      std::swap(call.frontier, call.next);
    } else {
      kernels.push_bfs(call, static_cast<std::int64_t>(frontier.chunks), device.facts().processors, stream_);
      std::swap(call.queue, call.next_queue);
    }
    unexplored -= edges;
    result.edges += static_cast<Edge>(frontier.edges);
    const DeviceFrontier found = read_found();
    grows = found.vertices > frontier.vertices;
    frontier = found;
    result.reached += static_cast<Vertex>(frontier.vertices);
    result.levels += frontier.vertices > 0;
    result.pulls += pulling;
  }
  resize(result.parent, device, csr_.vertices());
  resize(result.depth, device, csr_.vertices());
  download(stream_, parent_, std::span(result.parent.data(), result.parent.size()));
  download(stream_, depth_, std::span(result.depth.data(), result.depth.size()));
  stream_.wait();
}

std::size_t DeviceBfs::memory_bytes() const {
  return parent_.memory_bytes() + depth_.memory_bytes() + frontier_.memory_bytes() + next_.memory_bytes() +
         queue_.memory_bytes() + next_queue_.memory_bytes() + found_.memory_bytes();
}

}  // namespace atl
