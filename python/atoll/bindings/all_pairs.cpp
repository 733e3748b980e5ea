// SPDX-License-Identifier: Apache-2.0
// All pairs' shortest paths of a graph, and paths from them.
#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/arcs/matrix_arcs.hpp>
#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/apsp/device/on_device.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/apsp/paths/paths.hpp>
#include <atoll/apsp/store/graph_of_arcs.hpp>
#include <atoll/apsp/stored_rates.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/graph/edge_list_of.hpp>
#include <nlohmann/json.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

template <class T>
struct Pairs {
  ReplicatedCsr<T> arcs;
  AllPairs<T> all;
  std::unique_ptr<PathFinder<T>> finder;  // made by the first path that is asked for: over max_plus, of what is negated
  Semiring semiring() const { return all.report.semiring; }
};

struct SharedPairs {
  template <class T>
  using Held = std::shared_ptr<Pairs<T>>;
  std::shared_ptr<SharedWorld> world;
  std::variant<Held<float>, Held<double>, Held<std::int32_t>, Held<std::uint16_t>, Held<std::uint8_t>> pairs;
};

template <class T>
std::shared_ptr<Pairs<T>> compute(World& world, ReplicatedCsr<T> arcs, const AllPairsOptions& options) {
  auto pairs = std::make_shared<Pairs<T>>();
  pairs->arcs = std::move(arcs);
  pairs->all = all_pairs(world, pairs->arcs, with_stored_rates(world, pairs->arcs, options));
  return pairs;
}

AllPairsOptions options_of(const std::string& semiring, const std::string& method, double delta, bool peel,
                           const nb::object& on_progress) {
  return {.semiring = semiring_named(semiring),
          .method = pairs_method_named(method),
          .delta = delta,
          .pendant_trees = peel ? PendantTreeRemoval::yes : PendantTreeRemoval::no,
          .progress = progress_of(on_progress)};
}

ArcWeights weights_over(Semiring semiring) {
  return semiring == Semiring::or_and ? ArcWeights::ones : ArcWeights::as_given;
}

/// Computes in the type that is named, or the usual one.
template <class W>
void compute_in(SharedPairs& out, World& world, ReplicatedCsr<W> read, const std::string& type,
                const AllPairsOptions& options) {
  const Element narrowest = narrowest_type(read, options.semiring);
  const Element usual = options.device ? device_element(*options.device, narrowest, read.longest()) : narrowest;
  with_value_type(type == "auto" ? usual : element_named(type), [&](auto value) {
    using T = decltype(value);
    if constexpr (std::is_same_v<T, W>) {
      out.pairs = compute(world, std::move(read), options);
    } else {
      out.pairs = compute(world, world.collective_try([&] { return narrowed<T>(read); }), options);
    }
  });
}

SharedPairs all_pairs_of(const SharedGraph& g, const std::string& semiring, const std::string& type,
                         const std::string& method, double delta, bool peel, const std::string& device_kind,
                         const nb::object& on_progress) {
  AllPairsOptions options = options_of(semiring, method, delta, peel, on_progress);
  if ((options.semiring == Semiring::max_plus || options.semiring == Semiring::max_min) && g.merged_to_least)
    throw UsageError(fmt::format(
        "{}: edges of different weights between the same two vertices were merged to the least (over {} the "
        "greatest counts). Build the graph with duplicates=\"max\", or \"keep\".",
        g.graph.name(), semiring));
  SharedPairs out{.world = g.world, .pairs = {}};
  g.world->call([&](World& world) {
    const std::shared_ptr<Device> device = device_of_rank(world, device_kind);
    options.device = device.get();
    compute_in(out, world, gather_arcs(world, edge_list_of(g.graph), weights_over(options.semiring), options.semiring),
               type, options);
    return 0;
  });
  return out;
}

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

SharedPairs all_pairs_of_matrix(const std::shared_ptr<SharedWorld>& shared_world, const AnyMatrix& matrix,
                                const nb::object& no_edge, bool weighted, const std::string& semiring,
                                const std::string& type, const std::string& method, double delta, bool peel,
                                const std::string& device_kind, const nb::object& on_progress) {
  AllPairsOptions options = options_of(semiring, method, delta, peel, on_progress);
  SharedPairs out{.world = shared_world, .pairs = {}};
  const auto solve = [&]<class S>(S) {
    const auto n = static_cast<std::int64_t>(matrix.shape(0));
    MatrixWeights<S> weights{.view = {static_cast<const S*>(matrix.data()), n, n, n},
                             .semiring = options.semiring,
                             .weights = weighted ? weights_over(options.semiring) : ArcWeights::ones};
    if (!no_edge.is_none()) weights.no_edge = nb::cast<S>(no_edge);
    shared_world->call([&](World& world) {
      const std::shared_ptr<Device> device = device_of_rank(world, device_kind);
      options.device = device.get();
      MatrixArcs read = world.collective_try([&] { return arcs_of_matrix(world.team(), weights); });
      std::visit([&](auto& arcs) { compute_in(out, world, std::move(arcs), type, options); }, read);
      return 0;
    });
  };
  if (matrix.dtype() == nb::dtype<float>()) solve(float{});
  if (matrix.dtype() == nb::dtype<double>()) solve(double{});
  if (matrix.dtype() == nb::dtype<std::int32_t>()) solve(std::int32_t{});
  if (matrix.dtype() == nb::dtype<std::int64_t>()) solve(std::int64_t{});
  return out;
}

template <class F>
decltype(auto) visit(const SharedPairs& shared, F&& f) {
  return std::visit([&](const auto& pairs) -> decltype(auto) { return f(pairs); }, shared.pairs);
}

Local index_of(std::span<const Vertex> ids, Vertex id) {
  const auto at = std::ranges::lower_bound(ids, id);
  check(at != ids.end() && *at == id, "vertex {} is not in the graph (it has {} vertices). Give one of .ids.", id,
        ids.size());
  return static_cast<Local>(at - ids.begin());
}

template <class T>
std::span<const T> row_of(const Pairs<T>& pairs, Local u) {
  return pairs.all.distances.local.view().row(u);
}

// This rank's part, a view that keeps the distances.
nb::object local(const SharedPairs& shared) {
  return visit(shared, [](const auto& pairs) -> nb::object {
    const auto view = std::as_const(pairs->all.distances.local).view();
    using T = std::remove_const_t<std::remove_pointer_t<decltype(view.data)>>;
    auto kept = std::make_unique<std::shared_ptr<void>>(pairs);
    nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
    kept.release();
    const std::size_t shape[] = {static_cast<std::size_t>(view.rows), static_cast<std::size_t>(view.cols)};
    const std::int64_t strides[] = {view.stride, 1};
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<2>>(view.data, 2, shape, owner, strides));
  });
}

Numpy<Vertex> original(std::span<const Vertex> ids, std::span<const Local> vertices) {
  Array<Vertex> out(vertices.size());
  for (std::size_t k = 0; k < vertices.size(); ++k) out[k] = ids[vertices[k]];
  return to_numpy(std::move(out));
}

template <class T>
PathFinder<T>& finder_of(Pairs<T>& pairs) {
  if (!pairs.finder)
    pairs.finder = pairs.semiring() == Semiring::max_plus ? std::make_unique<PathFinder<T>>(negated(pairs.arcs))
                                                          : std::make_unique<PathFinder<T>>(pairs.arcs);
  return *pairs.finder;
}

template <class T>
std::vector<Local> path_of(Pairs<T>& pairs, Local u, Local v) {
  const std::span<const T> row = row_of(pairs, u);
  const T value = row[v];
  if (value == zero_of<T>(pairs.semiring())) return {};
  switch (pairs.semiring()) {
    case Semiring::min_plus:
      return finder_of(pairs).path(u, v, row);
    case Semiring::max_plus: {
      std::vector<T> lengths(row.size());
      std::ranges::transform(row, lengths.begin(), [](T x) { return static_cast<T>(T{} - x); });
      return finder_of(pairs).path(u, v, std::span<const T>(lengths));
    }
    case Semiring::max_min:
      return u == v ? std::vector<Local>{u} : widest_path(pairs.arcs, u, v, value);
    default:
      return widest_path(pairs.arcs, u, v, T{});  // any path will do
  }
}

Numpy<Vertex> path_of_pair(const SharedPairs& shared, Vertex u, Vertex v) {
  return visit(shared, [&](const auto& pairs) {
    const Local from = index_of(pairs->arcs.ids, u), to = index_of(pairs->arcs.ids, v);
    return original(pairs->arcs.ids, path_of(*pairs, from, to));
  });
}

nb::list k_best_of_pair(const SharedPairs& shared, Vertex u, Vertex v, int k) {
  return visit(shared, [&](const auto& pairs) {
    const Local from = index_of(pairs->arcs.ids, u), to = index_of(pairs->arcs.ids, v);
    if (pairs->semiring() != Semiring::min_plus)
      throw UsageError(fmt::format("the next best paths over {} (they are found of shortest ones only). Take .path.",
                                   name_of(pairs->semiring())));
    const auto paths = shared.world->call([&](World& world) {
      return finder_of(*pairs).k_best(from, to, k, row_of(*pairs, from), [&] {
        world.team().cancellation_point();
        return true;
      });
    });
    nb::list out;
    for (const auto& known : paths) out.append(nb::make_tuple(known.length, original(pairs->arcs.ids, known.vertices)));
    return out;
  });
}

void save(const SharedPairs& shared, const std::string& path, const std::optional<std::string>& type, int zstd_level,
          bool replace) {
  visit(shared, [&](const auto& pairs) {
    shared.world->call([&](World& world) {
      const GraphOfArcs graph(pairs->arcs);
      DistanceFileOptions options{.semiring = pairs->semiring(),
                                  .zstd_level = zstd_level,
                                  .existing = replace ? Existing::replace : Existing::refuse};
      if (type) options.element = element_named(*type);
      write_distances(world, path, pairs->all.distances, graph.graph(), options);
      return 0;
    });
  });
}

}  // namespace

void bind_all_pairs(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<SharedPairs>(m, "AllPairs")
      .def_prop_ro("n", [](const SharedPairs& p) { return visit(p, [](const auto& x) { return x->arcs.vertices(); }); })
      .def_prop_ro("type",
                   [](const SharedPairs& p) {
                     return visit(p, []<class T>(const std::shared_ptr<Pairs<T>>&) {
                       return std::string(name_of(kElementOf<T>));
                     });
                   })
      .def_prop_ro(
          "report",
          [](const SharedPairs& p) { return visit(p, [](const auto& x) { return x->all.report.to_json().dump(); }); })
      .def("ids",
           [](const SharedPairs& p) {
             return visit(p, [](const auto& x) {
               Array<Vertex> ids(x->arcs.ids.size());
               std::ranges::copy(x->arcs.ids, ids.data());
               return to_numpy(std::move(ids));
             });
           })
      .def("index_of", [](const SharedPairs& p,
                          Vertex id) { return visit(p, [&](const auto& x) { return index_of(x->arcs.ids, id); }); })
      .def("local", &local)
      .def("path", &path_of_pair, "u"_a, "v"_a)
      .def("k_best", &k_best_of_pair, "u"_a, "v"_a, "k"_a)
      .def("save", &save, "path"_a, "type"_a.none(), "zstd_level"_a, "replace"_a);
  m.def("all_pairs", &all_pairs_of, "graph"_a, "semiring"_a, "type"_a, "method"_a, "delta"_a, "peel"_a, "device"_a,
        "progress"_a.none());
  m.def("all_pairs_of_matrix", &all_pairs_of_matrix, "world"_a, "matrix"_a, "no_edge"_a.none(), "weighted"_a,
        "semiring"_a, "type"_a, "method"_a, "delta"_a, "peel"_a, "device"_a, "progress"_a.none());
}

}  // namespace atl::python
