// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/apsp/paths/paths.hpp>
#include <atoll/apsp/queries/pair_paths.hpp>
#include <atoll/apsp/searches/search_rows.hpp>
#include <atoll/base/error.hpp>
#include <atoll/graph/edge_list_of.hpp>
#include <cmath>

namespace atl {

class PairPaths::Sequence::Search {
 public:
  virtual ~Search() = default;
  virtual std::optional<Path> next(const KeepOn& keep_on) = 0;
};

class PairPaths::Arcs : public std::enable_shared_from_this<PairPaths::Arcs> {
 public:
  virtual ~Arcs() = default;
  virtual std::unique_ptr<Sequence::Search> between(Vertex source, Vertex target) const = 0;
  virtual double slack() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class T>
class PairPaths::ArcsOf final : public PairPaths::Arcs {
 public:
  ArcsOf(World& world, const ReplicatedCsr<T>& arcs)
      : world_(world), finder_(arcs), slack_(arcs.is_whole() ? 0 : kPathSlack<T>) {}

  std::unique_ptr<Sequence::Search> between(Vertex source, Vertex target) const override {
    return std::make_unique<Search>(std::static_pointer_cast<const ArcsOf>(this->shared_from_this()), vertex_of(source),
                                    vertex_of(target));
  }
  double slack() const override { return slack_; }
  std::size_t memory_bytes() const override { return 2 * finder_.entering().memory_bytes(); }

 private:
  class Search final : public Sequence::Search {
   public:
    Search(std::shared_ptr<const ArcsOf> arcs, Local u, Local v)
        : arcs_(std::move(arcs)),
          from_u_(arcs_->distances_from(u)),
          paths_(arcs_->finder_, u, v, from_u_.view().row(0)) {}
    std::optional<Path> next(const KeepOn& keep_on) override {
      const auto found = paths_.next(keep_on);
      if (!found) return std::nullopt;
      Path path{static_cast<double>(found->length), {}};
      for (const Local x : found->vertices) path.vertices.push_back(arcs_->finder_.entering().ids[x]);
      return path;
    }

   private:
    const std::shared_ptr<const ArcsOf> arcs_;
    const Matrix<T> from_u_;
    SimplePaths<T> paths_;
  };

  Local vertex_of(Vertex id) const {
    const std::vector<Vertex>& ids = finder_.entering().ids;
    const auto at = std::ranges::lower_bound(ids, id);
    check(at != ids.end() && *at == id, "path: {}: there is no vertex {} (it has {}). Give an id that an edge names.",
          finder_.entering().name, id, ids.size());
    return static_cast<Local>(at - ids.begin());
  }
  Matrix<T> distances_from(Local u) const {
    Matrix<T> row(1, finder_.vertices());
    search_rows<T>(world_.team(), finder_.leaving(), RowSearch::dijkstra, {&u, 1}, row.view());
    return row;
  }

  World& world_;
  const PathFinder<T> finder_;
  const double slack_;
};

PairPaths::Sequence::Sequence(std::unique_ptr<Search> search, double slack)
    : search_(std::move(search)), slack_(slack) {}
PairPaths::Sequence::~Sequence() = default;
PairPaths::Sequence::Sequence(Sequence&&) noexcept = default;

std::optional<PairPaths::Path> PairPaths::Sequence::next(const KeepOn& keep_on) {
  std::optional<Path> path = search_->next(keep_on);
  if (path && !first_) first_ = path->length;
  return path;
}

std::optional<PairPaths::Path> PairPaths::Sequence::next_shortest(const KeepOn& keep_on) {
  std::optional<Path> path = next(keep_on);
  if (path && !(std::abs(path->length - *first_) <= slack_ * std::max(std::abs(path->length), std::abs(*first_))))
    path.reset();
  return path;
}

PairPaths::PairPaths(const Graph& graph, PathLength length) {
  World& world = graph.world();
  world.agree(length == PathLength::edges || graph.weighted(),
              fmt::format("path: {} has no weights. Give its edges weights, or count edges.", graph.name()));
  const ReplicatedCsr<double> read =
      gather_arcs(world, edge_list_of(graph), length == PathLength::edges ? ArcWeights::ones : ArcWeights::as_given);
  const Element narrowest = narrowest_type(read);
  if (narrowest == Element::float32 || narrowest == Element::float64) {
    arcs_ = std::make_shared<ArcsOf<double>>(world, read);
  } else {
    arcs_ = std::make_shared<ArcsOf<std::int32_t>>(world, narrowed<std::int32_t>(read));
  }
}
PairPaths::~PairPaths() = default;
PairPaths::PairPaths(PairPaths&&) noexcept = default;

PairPaths::Sequence PairPaths::between(Vertex source, Vertex target) const {
  return Sequence(arcs_->between(source, target), arcs_->slack());
}

std::vector<PairPaths::Path> PairPaths::k_shortest(Vertex source, Vertex target, std::int64_t k,
                                                   const KeepOn& keep_on) const {
  check(k >= 1, "path: {} paths are asked for (at least 1). Give 1 or more.", k);
  Sequence all = between(source, target);
  std::vector<Path> paths;
  while (std::ssize(paths) < k) {
    std::optional<Path> path = all.next(keep_on);
    if (!path) break;
    paths.push_back(std::move(*path));
  }
  return paths;
}

std::vector<PairPaths::Path> PairPaths::all_shortest(Vertex source, Vertex target, std::int64_t most,
                                                     const KeepOn& keep_on) const {
  check(most >= 1, "path: {} paths are asked for (at least 1). Give 1 or more.", most);
  Sequence all = between(source, target);
  std::vector<Path> paths;
  while (std::ssize(paths) < most) {
    std::optional<Path> path = all.next_shortest(keep_on);
    if (!path) break;
    paths.push_back(std::move(*path));
  }
  return paths;
}

std::size_t PairPaths::memory_bytes() const { return arcs_->memory_bytes(); }

}  // namespace atl
