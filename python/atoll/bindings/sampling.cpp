// SPDX-License-Identifier: Apache-2.0
// Random walks and samples of neighbourhoods, and the rows of a matrix that a sample needs.
#include <atoll/engine/halo/halo_exchange.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

using VertexColumn = nb::ndarray<const Vertex, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WordMatrix = nb::ndarray<const Local, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ChanceColumn = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> values_in(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& column) {
  return {column.data(), column.size()};
}

// One-dimensional numpy array that owns `values`.
template <class T>
Numpy<T> numpy_of(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return Numpy<T>(data, {size}, owner);
}

// The kept object, or a new one where any rank has none. Collective.
template <class T, class Make>
T& kept_or(World& world, std::unique_ptr<T>& kept, Make&& make) {
  if (world.any(kept == nullptr)) {
    kept.reset();
    kept = make();
  }
  return *kept;
}

Numpy<Vertex> random_walks(SharedGraph& g, const std::optional<VertexColumn>& starts, Vertex walks, Edge length,
                           double p, double q, bool by_weight, std::uint64_t seed) {
  Array<Vertex> rows;
  g.world->call([&](World& world) {
    const auto from = starts ? starts_at(g.graph, values_in(*starts), walks) : starts_at_all(g.graph, walks);
    const EdgeWeighting weighting = by_weight ? EdgeWeighting::of_edges : EdgeWeighting::ones;
    RandomWalks& kept = kept_or(world, g.edge_drawing.walks[by_weight],
                                [&] { return std::make_unique<RandomWalks>(g.graph, weighting); });
    rows = kept.run(from, {.length = length, .return_parameter = p, .in_out_parameter = q, .seed = seed});
    return 0;
  });
  return to_numpy(std::move(rows));
}

nb::dict arrays_of(NeighborSample&& sample, bool weighted) {
  nb::dict out;
  out["vertices"] = numpy_of(std::move(sample.vertices));
  out["source"] = numpy_of(std::move(sample.source));
  out["target"] = numpy_of(std::move(sample.target));
  out["weight"] = weighted ? nb::cast(numpy_of(std::move(sample.weights))) : nb::none();
  out["vertices_by_layer"] = sample.vertices_by_layer;
  out["edges_by_layer"] = sample.edges_by_layer;
  return out;
}

std::unique_ptr<NeighborSampler>& sampler_slot(SharedGraph& g, bool entering, EdgeDrawing::Chance chance) {
  return g.edge_drawing
      .samplers[static_cast<int>(entering ? SampleDirection::entering : SampleDirection::leaving)][chance];
}

// `chances`: for graphs whose weights number their edges; the same at each call.
nb::dict sample_neighbors(SharedGraph& g, const VertexColumn& seeds, const std::vector<std::int64_t>& fanout,
                          bool replace, bool entering, bool by_weight, const std::optional<ChanceColumn>& chances,
                          std::uint64_t seed) {
  NeighborSample sample;
  g.world->call([&](World& world) {
    const auto direction = entering ? SampleDirection::entering : SampleDirection::leaving;
    const auto chance = chances ? EdgeDrawing::by_table : by_weight ? EdgeDrawing::by_weight : EdgeDrawing::alike;
    NeighborSampler& kept = kept_or(world, sampler_slot(g, entering, chance), [&] {
      if (chances) return std::make_unique<NeighborSampler>(g.graph, direction, values_in(*chances));
      return std::make_unique<NeighborSampler>(g.graph, direction,
                                               by_weight ? EdgeWeighting::of_edges : EdgeWeighting::ones);
    });
    sample = kept.sample(values_in(seeds), {.fanout = fanout, .replace = replace, .seed = seed});
    return 0;
  });
  return arrays_of(std::move(sample), g.graph.weighted());
}

nb::dict important_neighbors(SharedGraph& g, const VertexColumn& seeds, const std::vector<std::int64_t>& fanout,
                             Vertex walks, Edge length, bool by_weight, std::uint64_t seed) {
  NeighborSample sample;
  g.world->call([&](World& world) {
    const EdgeWeighting weighting = by_weight ? EdgeWeighting::of_edges : EdgeWeighting::ones;
    ImportanceSampler& kept = kept_or(world, g.edge_drawing.important[by_weight],
                                      [&] { return std::make_unique<ImportanceSampler>(g.graph, weighting); });
    sample = kept.sample(values_in(seeds), {.fanout = fanout, .walks = walks, .length = length, .seed = seed});
    return 0;
  });
  return arrays_of(std::move(sample), true);
}

// The rows `needed`, by number over all ranks, of a matrix of which each rank has those of its vertices, by owned index.
// What the words are is of no importance. Collective.
Numpy<Local> fetch_rows(SharedGraph& g, const WordMatrix& own, const VertexColumn& needed) {
  const std::size_t width = own.shape(1);
  Array<Local> rows(needed.size() * width);
  if (width == 0) return to_numpy(std::move(rows));
  g.world->call([&](World& world) {
    const auto plan = std::make_shared<const HaloPlan>(world, g.graph.blocks(), values_in(needed));
    const HaloPath path = world.route().is_direct() ? HaloPath::direct : HaloPath::domains;
    HaloExchange<Local, MinOf> exchange(plan, width, path);
    Array<Local> copies((plan->rows() - plan->first_copy()) * width);
    exchange.broadcast_all(own.data(), static_cast<std::ptrdiff_t>(width), {copies.data(), copies.size()},
                           [](std::size_t) { return false; });
    for (std::size_t k = 0; k < needed.size(); ++k) {
      const auto row = index(plan->local_row(needed.data()[k]));
      const Local* from =
          row < plan->first_copy() ? own.data() + row * width : copies.data() + (row - plan->first_copy()) * width;
      std::copy_n(from, width, rows.data() + k * width);
    }
    return 0;
  });
  return to_numpy(std::move(rows));
}

}  // namespace

void bind_sampling(nb::module_& m) {
  using namespace nb::literals;
  m.def("random_walks", &random_walks, "graph"_a, "starts"_a.noconvert().none(), "walks"_a, "length"_a, "p"_a, "q"_a,
        "by_weight"_a, "seed"_a);
  m.def("sample_neighbors", &sample_neighbors, "graph"_a, "seeds"_a.noconvert(), "fanout"_a, "replace"_a, "entering"_a,
        "by_weight"_a, "chances"_a.noconvert().none(), "seed"_a);
  m.def("important_neighbors", &important_neighbors, "graph"_a, "seeds"_a.noconvert(), "fanout"_a, "walks"_a,
        "length"_a, "by_weight"_a, "seed"_a);
  m.def("fetch_rows", &fetch_rows, "graph"_a, "own"_a.noconvert(), "needed"_a.noconvert());
}

}  // namespace atl::python
