// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <atoll/base/timer.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/graph/names/edges_of_names.hpp>
#include <atoll/graph/names/write_named.hpp>

#include "arrow_table.hpp"
#include "preparation.hpp"

namespace atl::python {
namespace {

// The names of a graph's vertices, as Python holds them.
struct SharedNames {
  std::shared_ptr<const Dictionary> names;
};

using NamedGraph = std::tuple<std::shared_ptr<SharedGraph>, double, std::optional<SharedNames>, std::string>;

/// The graph of what input(world) makes, with its names. Collective.
template <class F>
NamedGraph build_named(const std::shared_ptr<SharedWorld>& shared, const Preparation& preparation, F&& input) {
  NamedGraph built;
  std::get<0>(built) = shared->call([&](World& world) {
    Timer timer;
    NamedEdges named = input(world);
    std::get<1>(built) = timer.seconds();
    if (named.names) std::get<2>(built) = SharedNames{named.names};
    std::get<3>(built) = named.edges.columns;
    return std::make_shared<SharedGraph>(shared, Graph::build(world, std::move(named.edges), preparation.options));
  });
  return built;
}

// The texts of str objects, which the list keeps: with the GIL.
std::vector<std::string_view> views_of(const nb::list& list) {
  std::vector<std::string_view> views;
  views.reserve(list.size());
  for (nb::handle item : list) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (!text) throw nb::python_error();
    views.emplace_back(text, static_cast<std::size_t>(size));
  }
  return views;
}

NamedEdges with_weights(World& world, NamedEdges named, const std::optional<AnyColumn>& weight, bool directed) {
  world.collective_try([&] {
    check(!weight || weight->size() == named.edges.size(), "weight has {} values for {} edges (one each). Correct it.",
          weight ? weight->size() : 0, named.edges.size());
    named.edges.weight = weight_column(world.team(), weight, "weight");
  });
  named.edges.directed = directed;
  return named;
}

NamedGraph from_name_lists(const std::shared_ptr<SharedWorld>& shared, const nb::list& source, const nb::list& target,
                           const std::optional<AnyColumn>& weight, bool directed, const nb::list& further,
                           const Preparation& preparation) {
  const auto from = views_of(source), to = views_of(target), more = views_of(further);
  return build_named(shared, preparation, [&](World& world) {
    return with_weights(world, edges_of_names(world, from, to, more), weight, directed);
  });
}

NamedGraph from_arrow(const std::shared_ptr<SharedWorld>& shared, const ArrowTable& table, std::size_t source,
                      std::size_t target, const std::optional<AnyColumn>& weight, bool directed,
                      const Preparation& preparation) {
  return build_named(shared, preparation, [&](World& world) {
    std::vector<std::string_view> from, to;
    world.collective_try([&] {
      from = table.views(source);
      to = table.views(target);
    });
    return with_weights(world, edges_of_names(world, from, to), weight, directed);
  });
}

NamedGraph from_file(const std::shared_ptr<SharedWorld>& shared, const std::string& path, std::optional<bool> names,
                     const ReadChoice& choice, const Preparation& preparation) {
  ReadOptions options = choice.options;
  options.leading_zeros = names == false;
  return build_named(shared, preparation, [&](World& world) {
    const bool named = names ? *names : has_names(world, path, options);
    return read_names_or_ids(world, path, named, options);
  });
}

// The names of ids, None for what is no vertex.
nb::list take(const SharedNames& shared, const Numpy<const Vertex>& ids) {
  nb::list out;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const Vertex id = ids.data()[k];
    if (id < 0 || id >= shared.names->size()) {
      out.append(nb::none());
    } else {
      const std::string_view name = shared.names->name(id);
      out.append(nb::str(name.data(), name.size()));
    }
  }
  return out;
}

template <class T>
void write_named(const SharedGraph& g, const SharedNames& shared, const std::string& path,
                 const nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values, bool vertices) {
  g.world->call([&](World& world) {
    world.agree(values.size() == static_cast<std::size_t>(g.graph.owned()),
                "write: the array is not one value per vertex of this rank. Give it whole.");
    const IdOrder order(world, g.graph.ids());
    std::vector<Vertex> ids(static_cast<std::size_t>(order.size()));
    for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = order.id_at(static_cast<Vertex>(k));
    const std::vector<T> part = order.arrange(std::span<const T>(values.data(), values.size()));
    if constexpr (std::is_same_v<T, std::int64_t>) {
      write_named_result(world, path, *shared.names, ids, part, vertices ? Meaning::vertices : Meaning::numbers);
    } else {
      write_named_result(world, path, *shared.names, ids, part);
    }
  });
}

}  // namespace

void bind_names(nb::module_& m) {
  using namespace nb::literals;

  nb::class_<SharedNames>(m, "Names")
      .def("__len__", [](const SharedNames& n) { return n.names->size(); })
      .def(
          "find", [](const SharedNames& n, const std::string& name) { return n.names->find(name); }, "name"_a)
      .def(
          "nearest_text", [](const SharedNames& n, const std::string& name) { return n.names->nearest_text(name); },
          "name"_a)
      .def("take", &take, "ids"_a.noconvert())
      .def_prop_ro("memory", [](const SharedNames& n) { return n.names->memory_bytes(); });

  nb::class_<ArrowTable>(m, "ArrowTable")
      .def(nb::init<const nb::capsule&>(), "stream"_a)
      .def("__len__", &ArrowTable::rows)
      .def_prop_ro("columns",
                   [](const ArrowTable& table) {
                     std::vector<std::pair<std::string, std::string>> columns;
                     for (std::size_t k = 0; k < table.columns(); ++k)
                       columns.emplace_back(table.name(k), table.kind(k));
                     return columns;
                   })
      .def(
          "ints", [](const ArrowTable& table, std::size_t column) { return to_numpy(table.ints(column)); }, "column"_a,
          nb::rv_policy::move)
      .def(
          "reals", [](const ArrowTable& table, std::size_t column) { return to_numpy(table.reals(column)); },
          "column"_a, nb::rv_policy::move)
      .def("is_wide", &ArrowTable::is_wide, "column"_a);

  m.def("from_name_lists", &from_name_lists, "world"_a, "source"_a, "target"_a, "weight"_a.noconvert().none(),
        "directed"_a, "vertices"_a, "preparation"_a);
  m.def("from_arrow", &from_arrow, "world"_a, "table"_a, "source"_a, "target"_a, "weight"_a.noconvert().none(),
        "directed"_a, "preparation"_a);
  m.def("from_file", &from_file, "world"_a, "path"_a, "names"_a.none(), "choice"_a, "preparation"_a);
  m.def("write_named", &write_named<std::int64_t>, "graph"_a, "names"_a, "path"_a, "values"_a.noconvert(),
        "vertices"_a);
  m.def("write_named", &write_named<double>, "graph"_a, "names"_a, "path"_a, "values"_a.noconvert(), "vertices"_a);
  m.def(
      "any",
      [](const std::shared_ptr<SharedWorld>& shared, bool mine) {
        return shared->call([&](World& world) { return world.any(mine); });
      },
      "world"_a, "mine"_a);
}

}  // namespace atl::python
