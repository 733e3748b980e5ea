// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>

#include <atoll/base/id_rule.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/graph/formats/write.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/graph/partition/placement_names.hpp>
#include <cmath>

#include "preparation.hpp"

namespace atl::python {
namespace {

constexpr std::size_t kGrain = 1 << 16;

/// The edges that input(world) makes, as a graph. Collective.
template <class F>
std::shared_ptr<SharedGraph> build(const std::shared_ptr<SharedWorld>& shared, const GraphOptions& options, F&& input,
                                   double& input_seconds) {
  return shared->call([&](World& world) {
    Timer timer;
    EdgeList edges = input(world);
    input_seconds = timer.seconds();
    return std::make_shared<SharedGraph>(shared, Graph::build(world, std::move(edges), options));
  });
}

struct Extent {
  Vertex least = INT64_MAX, most = -1;
};

template <class F>
void with_ids(const AnyColumn& column, F&& f) {
  if (column.dtype() == nb::dtype<std::int32_t>())
    f(std::span(static_cast<const std::int32_t*>(column.data()), column.size()));
  else if (column.dtype() == nb::dtype<std::int64_t>())
    f(std::span(static_cast<const std::int64_t*>(column.data()), column.size()));
  else
    throw UsageError("an id column is neither int32 nor int64. Use .astype(numpy.int64).");
}

void widen(Team& team, const AnyColumn& column, Extent& extent) {
  with_ids(column, [&](auto ids) {
    std::vector<Extent> part(static_cast<std::size_t>(team.size()));
    team.for_range(ids.size(), kGrain, [&](int thread, std::size_t a, std::size_t b) {
      auto least = ids[a], most = ids[a];
      for (std::size_t i = a; i < b; ++i) {
        least = std::min(least, ids[i]);
        most = std::max(most, ids[i]);
      }
      Extent& mine = part[thread];
      mine = {std::min<Vertex>(mine.least, least), std::max<Vertex>(mine.most, most)};
    });
    for (const Extent& e : part) extent = {std::min(extent.least, e.least), std::max(extent.most, e.most)};
  });
}

template <class To, class From>
Array<To> copied(Team& team, std::span<const From> from) {
  Array<To> to(from.size());
  team.for_range(from.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) to[i] = static_cast<To>(from[i]);
  });
  return to;
}

IdColumn id_column(Team& team, const AnyColumn& column, bool narrow) {
  IdColumn out;
  with_ids(column, [&](auto ids) {
    using From = typename decltype(ids)::value_type;
    if (narrow) {
      out = copied<std::uint32_t, From>(team, ids);
    } else {
      out = copied<Vertex, From>(team, ids);
    }
  });
  return out;
}

// Copies a column as the readers take it, with finite values only. `name` is Python's.
template <class Real>
Array<Real> finite_copy(Team& team, const AnyColumn& column, const char* name) {
  const std::span from(static_cast<const Real*>(column.data()), column.size());
  Array<Real> to(from.size());
  std::atomic<std::size_t> first{from.size()};
  team.for_range(from.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    bool finite = true;
    for (std::size_t i = a; i < b; ++i) {
      finite &= std::isfinite(from[i]);
      to[i] = from[i];
    }
    if (finite) return;
    while (std::isfinite(from[a])) ++a;
    for (std::size_t least = first; a < least && !first.compare_exchange_weak(least, a);) {
    }
  });
  check(first == from.size(), "{}[{}] is {} (weights are finite numbers). Leave the edge out, or correct it.", name,
        first.load(), first < from.size() ? from[first] : Real{});
  return to;
}

/// Narrow columns where the ids of all ranks fit. Collective; `least` and `most` of this rank.
bool agree_on_ids(World& world, const std::string& name, const Extent& extent) {
  world.agree(extent.least >= 0 && extent.most <= kMaxVertex,
              fmt::format("{}: id {} ({}). Renumber the vertices.", name, extent.least < 0 ? extent.least : extent.most,
                          kIdRule));
  return world.max(extent.most) < kNarrowIds;
}

using Built = std::pair<std::shared_ptr<SharedGraph>, double>;

Built from_arrays(const std::shared_ptr<SharedWorld>& shared, const AnyColumn& source, const AnyColumn& target,
                  const std::optional<AnyColumn>& weight, bool directed, std::optional<Vertex> count,
                  const std::optional<AnyColumn>& vertices, const Preparation& preparation) {
  Built built;
  built.first = build(
      shared, preparation.options,
      [&](World& world) {
        Team& team = world.team();
        Extent extent;
        widen(team, source, extent);
        widen(team, target, extent);
        if (vertices) widen(team, *vertices, extent);
        const bool narrow = agree_on_ids(world, "edges", extent);
        return world.collective_try([&] {
          check(source.size() == target.size() && (!weight || weight->size() == source.size()),
                "edges: columns of {}, {} entries (one each per edge). Correct them.", source.size(), target.size());
          EdgeList edges;
          edges.source = id_column(team, source, narrow);
          edges.target = id_column(team, target, narrow);
          edges.weight = weight_column(team, weight, "weight");
          edges.directed = directed;
          if (count) edges.range = IdRange{0, *count};
          if (vertices) with_ids(*vertices, [&](auto ids) { edges.vertices.assign(ids.begin(), ids.end()); });
          edges.name = "edges";
          return edges;
        });
      },
      built.second);
  return built;
}

// Row i of the matrix is the edges of vertex i.
template <class Index, class Id>
std::pair<Array<Id>, Array<Id>> ends_of(Team& team, std::span<const Index> rows, std::span<const Index> columns) {
  Array<Id> source(columns.size()), target = copied<Id, Index>(team, columns);
  constexpr std::size_t kRows = 1024;
  team.for_range(rows.size() - 1, kRows, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t r = a; r < b; ++r)
      std::fill(source.begin() + rows[r], source.begin() + rows[r + 1], static_cast<Id>(r));
  });
  return {std::move(source), std::move(target)};
}

Built from_csr(const std::shared_ptr<SharedWorld>& shared, const AnyColumn& rows, const AnyColumn& columns,
               const std::optional<AnyColumn>& weight, bool directed, const Preparation& preparation) {
  Built built;
  built.first = build(
      shared, preparation.options,
      [&](World& world) {
        Team& team = world.team();
        Extent extent;
        widen(team, columns, extent);
        const bool narrow = agree_on_ids(world, "matrix", extent) && static_cast<Vertex>(rows.size()) < kNarrowIds;
        return world.collective_try([&] {
          EdgeList edges;
          check(rows.dtype() == columns.dtype(),
                "matrix: indptr and indices have different dtypes. Convert one of them.");
          with_ids(rows, [&](auto offsets) {
            using Index = typename decltype(offsets)::value_type;
            const std::span<const Index> targets(static_cast<const Index*>(columns.data()), columns.size());
            check(!offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<Index>(targets.size()) &&
                      std::is_sorted(offsets.begin(), offsets.end()),
                  "matrix: indptr does not rise from 0 to the {} entries (it is damaged). Rebuild the matrix.",
                  targets.size());
            if (narrow) {
              auto [source, target] = ends_of<Index, std::uint32_t>(team, offsets, targets);
              edges.source = std::move(source);
              edges.target = std::move(target);
            } else {
              auto [source, target] = ends_of<Index, Vertex>(team, offsets, targets);
              edges.source = std::move(source);
              edges.target = std::move(target);
            }
          });
          edges.weight = weight_column(team, weight, "A.data");
          check(!weight || weight->size() == columns.size(), "matrix: {} values for {} entries (one each). Rebuild it.",
                weight ? weight->size() : 0, columns.size());
          edges.directed = directed;
          edges.range = IdRange{0, static_cast<Vertex>(rows.size()) - 1};
          edges.name = "matrix";
          return edges;
        });
      },
      built.second);
  return built;
}

Built from_text(const std::shared_ptr<SharedWorld>& shared, const std::string& text, bool weighted,
                const Preparation& preparation) {
  Built built;
  built.first = build(
      shared, preparation.options,
      [&](World& world) { return generate(world, text, {.weights = weighted ? Weights::uniform : Weights::none}); },
      built.second);
  return built;
}

Numpy<Vertex> ids_of(const SharedGraph& g) {
  Array<Vertex> ids(static_cast<std::size_t>(g.graph.owned()));
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = g.graph.ids().id_of(static_cast<Vertex>(k));
  return to_numpy(std::move(ids));
}

// The rank that owns the vertex, and its owned index there. Collective; InputError where there is none.
std::pair<Rank, Vertex> owner_of(const SharedGraph& g, Vertex id) {
  return g.world->call([&](World&) { return g.graph.find(id); });
}

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using ValuesOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Each rank's values into `all` of the ranks that have one, by ascending id. T is as wide as a value. Collective.
template <class T>
void gather(const SharedGraph& g, const Values<T>& mine, const std::optional<ValuesOut<T>>& all, Rank root) {
  g.world->call([&](World& world) {
    const bool here = root < 0 || root == world.rank();
    world.agree(mine.size() == static_cast<std::size_t>(g.graph.owned()) &&
                    (!here || (all && all->size() == static_cast<std::size_t>(g.graph.vertices()))),
                "gather: the array is not one value per vertex of this rank. Give it as the algorithm returned it.");
    std::span<const T> part(mine.data(), mine.size());
    std::vector<T> arranged;
    std::optional<IdOrder> order;  // where the blocks do not ascend by id themselves
    if (!g.graph.ids().ascends()) part = arranged = order.emplace(world, g.graph.ids()).arrange(part);
    const Blocks& blocks = order ? order->blocks() : g.graph.blocks();
    const auto ranks = static_cast<std::size_t>(world.size());
    std::vector<std::span<const std::byte>> outgoing(ranks);
    std::vector<std::span<std::byte>> incoming(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      const auto rank = static_cast<Rank>(r);
      if (root < 0 || root == rank) outgoing[r] = std::as_bytes(part);
      if (here)
        incoming[r] = std::as_writable_bytes(
            std::span(all->data() + blocks.begin(rank), static_cast<std::size_t>(blocks.size(rank))));
    }
    world.exchange_bytes(outgoing, incoming);
  });
}

template <class T>
void write(const SharedGraph& g, const std::string& path, const Values<T>& values) {
  g.world->call([&](World& world) {
    world.agree(values.size() == static_cast<std::size_t>(g.graph.owned()),
                "write: the array is not one value per vertex of this rank. Give it whole.");
    const IdOrder order(world, g.graph.ids());
    std::vector<Vertex> ids(static_cast<std::size_t>(order.size()));
    for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = order.id_at(static_cast<Vertex>(k));
    std::span<const T> part(values.data(), values.size());
    std::vector<T> arranged;
    if (!g.graph.ids().ascends()) part = arranged = order.arrange(part);
    write_result(world, path, ids, part);
  });
}

}  // namespace

Preparation::Preparation(const std::string& duplicates, const std::string& self_loops, const std::string& partition,
                         Edge heavy, bool fusion) {
  options.duplicates = duplicates_named(duplicates);
  options.self_loops = self_loops == "drop" ? SelfLoops::drop : SelfLoops::keep;
  options.placement = placement_named(partition);
  options.placement.heavy = heavy;
  options.placement.fusion = fusion;
}

WeightColumn weight_column(Team& team, const std::optional<AnyColumn>& column, const char* name) {
  if (!column) return std::monostate{};
  if (column->dtype() == nb::dtype<float>()) return finite_copy<float>(team, *column, name);
  if (column->dtype() == nb::dtype<double>()) return finite_copy<double>(team, *column, name);
  throw UsageError("a weight column is neither float32 nor float64. Use .astype(numpy.float64).");
}

void bind_graph(nb::module_& m) {
  using namespace nb::literals;

  nb::class_<Preparation>(m, "Preparation")
      .def(nb::init<const std::string&, const std::string&, const std::string&, Edge, bool>(), "duplicates"_a,
           "self_loops"_a, "partition"_a, "heavy"_a, "fusion"_a);
  m.def("partitions", &every_placement);
  m.attr("HEAVY_DEGREE") = kHeavyDegree;

  nb::class_<SharedGraph> graph(m, "Graph");
  bind_edges(graph);
  graph.def_prop_ro("name", [](const SharedGraph& g) { return g.graph.name(); })
      .def_prop_ro("n", [](const SharedGraph& g) { return g.graph.vertices(); })
      .def_prop_ro("m", [](const SharedGraph& g) { return g.graph.edges(); })
      .def_prop_ro("input_edges", [](const SharedGraph& g) { return g.graph.input_edges(); })
      .def_prop_ro("directed", [](const SharedGraph& g) { return g.graph.directed(); })
      .def_prop_ro("weight_type", [](const SharedGraph& g) { return g.graph.out().weights.index(); })
      .def_rw("merged_to_least", &SharedGraph::merged_to_least)
      .def_prop_ro("ids", &ids_of, nb::rv_policy::move)
      .def_prop_ro("memory", &SharedGraph::memory_bytes)
      .def_prop_ro("cut", [](const SharedGraph& g) { return name_of(g.graph.cut().cut()); })
      .def_prop_ro("seconds", [](const SharedGraph& g) { return g.graph.report().seconds; })
      .def_prop_ro("peak_bytes", [](const SharedGraph& g) { return g.graph.report().peak_bytes; })
      .def_prop_ro("graph_bytes", [](const SharedGraph& g) { return g.graph.report().graph_bytes; })
      .def("owner", &owner_of, "id"_a)
      .def("gather", &gather<std::uint8_t>, "mine"_a.noconvert(), "all"_a.noconvert().none(), "root"_a)
      .def("gather", &gather<std::uint16_t>, "mine"_a.noconvert(), "all"_a.noconvert().none(), "root"_a)
      .def("gather", &gather<std::uint32_t>, "mine"_a.noconvert(), "all"_a.noconvert().none(), "root"_a)
      .def("gather", &gather<std::uint64_t>, "mine"_a.noconvert(), "all"_a.noconvert().none(), "root"_a)
      .def("write", &write<std::int64_t>, "path"_a, "values"_a.noconvert())
      .def("write", &write<double>, "path"_a, "values"_a.noconvert());

  m.def("from_arrays", &from_arrays, "world"_a, "source"_a.noconvert(), "target"_a.noconvert(),
        "weight"_a.noconvert().none(), "directed"_a, "count"_a.none(), "vertices"_a.noconvert().none(),
        "preparation"_a);
  m.def("from_csr", &from_csr, "world"_a, "rows"_a.noconvert(), "columns"_a.noconvert(), "weight"_a.noconvert().none(),
        "directed"_a, "preparation"_a);
  m.def("from_text", &from_text, "world"_a, "text"_a, "weighted"_a, "preparation"_a);
}

}  // namespace atl::python
