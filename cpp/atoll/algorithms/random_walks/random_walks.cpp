// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/random_walks/distributed.hpp>
#include <atoll/algorithms/random_walks/one_rank.hpp>
#include <atoll/algorithms/random_walks/random_walks.hpp>
#include <atoll/engine/id_positions.hpp>
#include <atoll/engine/vertex_lookup.hpp>
#include <atoll/graph/enough_memory.hpp>

namespace atl {
namespace {

constexpr std::size_t kFillGrain = 1 << 16;

void check_parameter(std::string_view name, double value) {
  check(value >= 1 / kMostParameter && value <= kMostParameter,
        "random walks: {} is {} (it lies between 1/{} and {}, as steps are drawn until one is accepted). Choose one "
        "there.",
        name, value, kMostParameter, kMostParameter);
}

void check_walks(Vertex walks) {
  check(walks >= 0, "random walks: {} walks begin at a vertex (they are counted from 0 on). Give another number.",
        walks);
}

}  // namespace

std::vector<WalkStart> starts_at(const Graph& graph, std::span<const Vertex> vertices, Vertex walks) {
  check_walks(walks);
  World& world = graph.world();
  const std::vector<std::uint64_t> counts = world.all_gather(static_cast<std::uint64_t>(vertices.size()));
  std::uint64_t number = 0;
  for (Rank r = 0; r < world.rank(); ++r) number += counts[static_cast<std::size_t>(r)];
  number *= static_cast<std::uint64_t>(walks);
  std::vector<WalkStart> starts;
  starts.reserve(vertices.size() * static_cast<std::size_t>(walks));
  for (const Vertex v : vertices)
    for (Vertex k = 0; k < walks; ++k) starts.push_back({v, number++});
  return starts;
}

std::vector<WalkStart> starts_at_all(const Graph& graph, Vertex walks) {
  check_walks(walks);
  const Vertex begin = graph.blocks().begin(graph.world().rank());
  std::vector<WalkStart> starts;
  starts.reserve(index(graph.owned()) * static_cast<std::size_t>(walks));
  const auto add = [&](Vertex owned_index, Vertex position) {
    for (Vertex k = 0; k < walks; ++k)
      starts.push_back({graph.ids().id_of(owned_index), static_cast<std::uint64_t>(position * walks + k)});
  };
  if (graph.ids().ascends()) {
    for (Vertex i = 0; i < graph.owned(); ++i) add(i, begin + i);
  } else {
    const IdPositions positions(graph);
    for (Vertex i = 0; i < graph.owned(); ++i) add(i, positions[graph.local_of(i)]);
  }
  return starts;
}

class RandomWalks::Internals {
 public:
  Internals(const Graph& graph, EdgeWeighting weighting)
      : graph_(graph), lookup_(graph.world(), graph.ids()), transition_(graph, weighting) {
    if (graph.world().size() > 1) distributed_.emplace(transition_);
  }

  Array<Vertex> run(std::span<const WalkStart> starts, const WalkOptions& options) {
    check(options.length >= 0, "random walks: the length is {} (steps are counted from 0 on). Give another.",
          options.length);
    check_parameter("p", options.return_parameter);
    check_parameter("q", options.in_out_parameter);
    World& world = graph_.world();
    const double width = static_cast<double>(options.length) + 1;
    require_memory(world, width * static_cast<double>(starts.size()) * sizeof(Vertex), "random walks: their rows take",
                   "Make fewer, shorter, or at fewer vertices at a time.");
    const Array<Vertex> dense = find(starts);
    Array<Vertex> rows(static_cast<std::size_t>(width) * starts.size());
    const std::span<Vertex> all(rows.data(), rows.size());
    if (distributed_) {
      world.team().for_range(rows.size(), kFillGrain, [&](int, std::size_t a, std::size_t b) {
        std::fill(rows.begin() + a, rows.begin() + b, kNoVertex);
      });
      distributed_->run(starts, {dense.data(), dense.size()}, options, all);
    } else {
      Array<Local> locals(dense.size());
      for (std::size_t k = 0; k < dense.size(); ++k) locals[k] = graph_.local_of(dense[k]);
      walk_on_one_rank(transition_, starts, {locals.data(), locals.size()}, options, all);
    }
    return rows;
  }
  std::size_t memory_bytes() const {
    return transition_.memory_bytes() + (distributed_ ? distributed_->memory_bytes() : 0);
  }

 private:
  Array<Vertex> find(std::span<const WalkStart> starts) const {
    std::vector<Vertex> ids;
    ids.reserve(starts.size());
    for (const WalkStart& start : starts) ids.push_back(start.vertex);
    Array<Vertex> dense = lookup_.dense_of(ids);
    graph_.world().collective_try([&] {
      for (std::size_t k = 0; k < ids.size(); ++k)
        check(dense[k] >= 0,
              "{}: vertex {} does not exist (the graph has {} vertices, ids up to {}). Name one that does.",
              graph_.name(), ids[k], graph_.vertices(), graph_.ids().largest());
    });
    return dense;
  }

  const Graph& graph_;
  const VertexLookup lookup_;
  const Transition transition_;
  std::optional<DistributedWalks> distributed_;  // empty on one rank
};

RandomWalks::RandomWalks(const Graph& graph, EdgeWeighting weighting)
    : internals_(std::make_unique<Internals>(graph, weighting)) {}
RandomWalks::~RandomWalks() = default;

Array<Vertex> RandomWalks::run(std::span<const WalkStart> starts, const WalkOptions& options) {
  return internals_->run(starts, options);
}
std::size_t RandomWalks::memory_bytes() const { return internals_->memory_bytes(); }

}  // namespace atl
