// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/paths/paths.hpp>
#include <atoll/apsp/queries/distance_queries.hpp>
#include <atoll/apsp/store/convert_values.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/timer.hpp>
#include <mutex>
#include <numeric>
#include <variant>

namespace atl {
namespace {

constexpr std::size_t kGrain = 256;  // pairs that a thread takes at a time

// The arcs of a file, with lengths of the distances' type, but for `left_out`.
template <class T>
ReplicatedCsr<T> arcs_of(const DistanceFile& file, Edge& left_out) {
  const DistanceGraph graph = file.graph();
  std::vector<Vertex> ids(static_cast<std::size_t>(file.n()));
  for (std::int64_t i = 0; i < file.n(); ++i) ids[i] = file.id_of(i);
  std::vector<Arc<T>> arcs;
  arcs.reserve(graph.targets.size());
  std::visit(
      [&]<class Lengths>(const Lengths& lengths) {
        for (std::size_t v = 0; v < ids.size(); ++v)
          for (auto e = static_cast<std::size_t>(graph.offsets[v]); e < static_cast<std::size_t>(graph.offsets[v + 1]);
               ++e) {
            T length{1};
            if constexpr (!std::is_same_v<Lengths, std::monostate>) {
              // A length that the distances' type cannot hold is on no shortest path, or it would be a distance itself.
              using From = std::remove_const_t<typename Lengths::element_type>;
              if (ConvertValues<T, From>(Semiring::min_plus)(&lengths[e], &length, 1) == 0 || length >= kNoPath<T>) {
                ++left_out;
                continue;
              }
            }
            arcs.push_back({static_cast<Local>(v), graph.targets[e], length});
          }
      },
      graph.lengths);
  // An undirected graph's edges are there in both directions already.
  ReplicatedCsr<T> csr = make_arcs<T>(std::move(ids), true, arcs, file.path());
  csr.directed = file.meta().directed;
  return csr;
}

// A row as its type has it: in place, or copied into memory that the next row takes again.
template <class T>
class RowReader {
 public:
  explicit RowReader(const DistanceFile& file) : file_(file) {}
  std::span<const T> operator()(std::int64_t i) {
    const auto n = static_cast<std::size_t>(file_.n());
    if (const void* view = file_.row_view(i)) return {static_cast<const T*>(view), n};
    if (i != read_) {
      copied_.resize(n);
      read_ = -1;
      file_.read_row(i, copied_.data());
      read_ = i;
    }
    return copied_;
  }

 private:
  const DistanceFile& file_;
  std::vector<T> copied_;
  std::int64_t read_ = -1;
};

void check_lengths(std::span<const Vertex> from, std::span<const Vertex> to) {
  if (from.size() != to.size())
    throw UsageError(fmt::format("{} vertices to start from and {} to end at (one each per question). Correct them.",
                                 from.size(), to.size()));
}

}  // namespace

/// The finder for the distances' type, made at the first question for a path.
struct DistanceQueries::Finder {
  std::mutex mutex;
  std::variant<std::monostate, PathFinder<float>, PathFinder<double>, PathFinder<std::int32_t>,
               PathFinder<std::uint16_t>, PathFinder<std::uint8_t>>
      made;
  Edge left_out = 0;  ///< arcs that are on no shortest path, but maybe on the next ones

  template <class T>
  const PathFinder<T>& of(const DistanceFile& file) {
    const std::scoped_lock lock(mutex);
    if (auto* finder = std::get_if<PathFinder<T>>(&made)) return *finder;
    check(file.has_arcs(), "{}: was written without arcs (paths are found by them). Write it with arcs.", file.path());
    check(file.meta().semiring == Semiring::min_plus,
          "{}: holds {} (paths are found where distances are min_plus). Ask for values.", file.path(),
          name_of(file.meta().semiring));
    left_out = 0;
    return made.emplace<PathFinder<T>>(arcs_of<T>(file, left_out));
  }
};

DistanceQueries::DistanceQueries(std::shared_ptr<const DistanceFile> file)
    : file_(std::move(file)), finder_(std::make_unique<Finder>()) {}
DistanceQueries::~DistanceQueries() = default;
DistanceQueries::DistanceQueries(DistanceQueries&&) noexcept = default;

std::vector<double> DistanceQueries::distances(Team& team, std::span<const Vertex> from,
                                               std::span<const Vertex> to) const {
  check_lengths(from, to);
  std::vector<double> found(from.size());
  team.for_range(from.size(), kGrain, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) found[i] = file_->distance(from[i], to[i]);
  });
  return found;
}

std::vector<Vertex> DistanceQueries::path(Vertex u, Vertex v) const {
  const std::int64_t i = file_->index_of(u), j = file_->index_of(v);
  return with_value_type(file_->element(), [&](auto type) {
    using T = decltype(type);
    const PathFinder<T>& finder = finder_->of<T>(*file_);
    std::vector<Vertex> ids;
    for (const Local x : finder.path(static_cast<Local>(i), static_cast<Local>(j), RowReader<T>(*file_)(i)))
      ids.push_back(file_->id_of(x));
    return ids;
  });
}

/// Calls f(thread, question, path) for every pair, with the path as row numbers.
template <class F>
void DistanceQueries::each_pair(Team& team, std::span<const Vertex> from, std::span<const Vertex> to, F&& f) const {
  check_lengths(from, to);
  std::vector<std::int64_t> rows(from.size());
  team.for_range(from.size(), kGrain, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) rows[i] = file_->index_of(from[i]);
  });
  std::vector<std::size_t> order(from.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(rows[i], i); });
  with_value_type(file_->element(), [&](auto type) {
    using T = decltype(type);
    const PathFinder<T>& finder = finder_->of<T>(*file_);
    std::vector<RowReader<T>> readers(static_cast<std::size_t>(team.size()), RowReader<T>(*file_));
    std::vector<std::vector<Local>> found(static_cast<std::size_t>(team.size()));
    team.for_range(order.size(), kGrain, [&](int thread, std::size_t begin, std::size_t end) {
      auto& path = found[thread];
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t i = order[k];
        const auto u = static_cast<Local>(rows[i]), v = static_cast<Local>(file_->index_of(to[i]));
        path.clear();
        finder.append_path(u, v, readers[thread](u), path);
        f(thread, i, std::span<const Local>(path));
      }
    });
  });
}

DistanceQueries::Paths DistanceQueries::paths(Team& team, std::span<const Vertex> from,
                                              std::span<const Vertex> to) const {
  struct Piece {
    std::size_t question, begin, size;
  };
  struct Found {
    std::vector<Piece> pieces;
    std::vector<Vertex> vertices;
  };
  std::vector<Found> found(static_cast<std::size_t>(team.size()));
  each_pair(team, from, to, [&](int thread, std::size_t i, std::span<const Local> path) {
    Found& mine = found[thread];
    mine.pieces.push_back({i, mine.vertices.size(), path.size()});
    for (const Local x : path) mine.vertices.push_back(file_->id_of(x));
  });
  Paths paths{std::vector<Edge>(from.size() + 1, 0), {}};
  for (const Found& one : found)
    for (const Piece& piece : one.pieces) paths.offsets[piece.question + 1] = static_cast<Edge>(piece.size);
  std::partial_sum(paths.offsets.begin(), paths.offsets.end(), paths.offsets.begin());
  paths.vertices.resize(static_cast<std::size_t>(paths.offsets.back()));
  team.run([&](int thread) {
    const Found& mine = found[thread];
    for (const Piece& piece : mine.pieces)
      std::copy_n(mine.vertices.begin() + static_cast<std::ptrdiff_t>(piece.begin), piece.size,
                  paths.vertices.begin() + static_cast<std::ptrdiff_t>(paths.offsets[piece.question]));
  });
  return paths;
}

std::vector<Vertex> DistanceQueries::next_hops(Team& team, std::span<const Vertex> from,
                                               std::span<const Vertex> to) const {
  std::vector<Vertex> hops(from.size(), -1);
  each_pair(team, from, to, [&](int, std::size_t i, std::span<const Local> path) {
    if (path.size() > 1) hops[i] = file_->id_of(path[1]);
  });
  return hops;
}

DistanceQueries::Best DistanceQueries::k_best(Vertex u, Vertex v, int k, const Limits& limits) const {
  const Timer timer;
  const std::int64_t i = file_->index_of(u), j = file_->index_of(v);
  return with_value_type(file_->element(), [&](auto type) {
    using T = decltype(type);
    const PathFinder<T>& finder = finder_->of<T>(*file_);
    check(k <= 1 || finder_->left_out == 0,
          "{}: {} of the arcs are longer or finer than {} holds (they are on no shortest path, but may be on the next "
          "ones). "
          "Write the distances in a wider type.",
          file_->path(), finder_->left_out, name_of(file_->element()));
    RowReader<T> row(*file_);
    Best best;
    const auto keep_on = [&] {
      if (limits.ask) limits.ask();
      return best.is_complete = timer.seconds() < limits.limit_s;
    };
    for (const KnownPath<T>& known : finder.k_best(static_cast<Local>(i), static_cast<Local>(j), k, row(i), keep_on)) {
      Best::Path& path = best.paths.emplace_back();
      path.length = file_->meta().scale * static_cast<double>(known.length);
      for (const Local x : known.vertices) path.vertices.push_back(file_->id_of(x));
    }
    return best;
  });
}

DistanceQueries::Neighbors DistanceQueries::neighbors(Vertex u) const {
  const auto i = static_cast<std::size_t>(file_->index_of(u));
  check(file_->has_arcs(), "{}: was written without arcs (they say who is whose neighbour). Write it with arcs.",
        file_->path());
  const DistanceGraph graph = file_->graph();
  const auto begin = static_cast<std::size_t>(graph.offsets[i]), end = static_cast<std::size_t>(graph.offsets[i + 1]);
  Neighbors out;
  for (std::size_t e = begin; e < end; ++e) out.ids.push_back(file_->id_of(graph.targets[e]));
  std::visit(
      [&]<class Lengths>(const Lengths& lengths) {
        const double scale = file_->meta().scale;
        if constexpr (std::is_same_v<Lengths, std::monostate>)
          out.lengths.assign(end - begin, scale);
        else
          for (std::size_t e = begin; e < end; ++e) out.lengths.push_back(scale * static_cast<double>(lengths[e]));
      },
      graph.lengths);
  return out;
}

}  // namespace atl
