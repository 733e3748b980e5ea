// SPDX-License-Identifier: Apache-2.0
// All pairs' distances in files.
#include <nanobind/stl/tuple.h>

#include <atoll/apsp/queries/distance_queries.hpp>
#include <atoll/apsp/store/distance_file.hpp>
#include <atoll/base/files/checksum.hpp>
#include <cstring>
#include <nlohmann/json.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

// A distance file as Python holds it: arrays that lie in the file keep it open.
struct SharedFile {
  std::shared_ptr<DistanceFile> file;
  std::shared_ptr<DistanceQueries> queries = std::make_shared<DistanceQueries>(file);
};

nb::capsule owner_of(std::shared_ptr<const void> owner) {
  auto kept = std::make_unique<std::shared_ptr<const void>>(std::move(owner));
  nb::capsule capsule(kept.get(), [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  kept.release();
  return capsule;
}

template <class T>
nb::object array_in(const std::shared_ptr<DistanceFile>& file, std::span<const T> values) {
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner_of(file)));
}

SharedFile open(const std::string& path) {
  nb::gil_scoped_release free;
  return {std::make_shared<DistanceFile>(path)};
}

// A view where the row lies in one piece, else a new array.
nb::object row(const SharedFile& shared, Vertex u) {
  const DistanceFile& file = *shared.file;
  const std::int64_t i = file.index_of(u);
  return with_value_type(file.element(), [&](auto type) -> nb::object {
    using T = decltype(type);
    const auto n = static_cast<std::size_t>(file.n());
    if (const void* view = file.row_view(i)) return array_in<T>(shared.file, std::span(static_cast<const T*>(view), n));
    Array<T> values(n);
    {
      nb::gil_scoped_release free;
      file.read_row(i, values.data());
    }
    return nb::cast(to_numpy(std::move(values)));
  });
}

nb::object two_dimensional(const DistanceFile& file, const void* data, std::int64_t rows, std::int64_t cols,
                           std::int64_t stride, std::shared_ptr<const void> owner) {
  return with_value_type(file.element(), [&](auto type) -> nb::object {
    using T = decltype(type);
    const std::size_t shape[] = {static_cast<std::size_t>(rows), static_cast<std::size_t>(cols)};
    const std::int64_t strides[] = {stride, 1};
    return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<2>>(static_cast<const T*>(data), 2, shape,
                                                                 owner_of(std::move(owner)), strides));
  });
}

nb::object tile(const SharedFile& shared, std::int64_t i, std::int64_t j) {
  return with_value_type(shared.file->element(), [&](auto type) {
    const auto part = shared.file->tile<decltype(type)>(i, j);
    const auto owner = part.owner ? part.owner : std::shared_ptr<const void>(shared.file);
    return two_dimensional(*shared.file, part.view.data, part.view.rows, part.view.cols, part.view.stride, owner);
  });
}

// The whole matrix where it lies in one piece, else None. Its values are not held against their checksums by this.
nb::object matrix(const SharedFile& shared) {
  const std::int64_t n = shared.file->n();
  const void* data = shared.file->row_view(0);
  return data ? two_dimensional(*shared.file, data, n, n, n, shared.file) : nb::none();
}

nb::object checksums(const SharedFile& shared) {
  return shared.file->has_checksums() ? array_in(shared.file, shared.file->checksums()) : nb::none();
}

void check_all(const SharedFile& shared) {
  nb::gil_scoped_release free;
  shared.file->check_all();
}

// (offsets, targets, weights or None), or None.
nb::object arcs(const SharedFile& shared) {
  if (!shared.file->has_arcs()) return nb::none();
  const DistanceGraph graph = shared.file->graph();
  const nb::object lengths = std::visit(
      [&]<class Lengths>(const Lengths& values) -> nb::object {
        if constexpr (std::is_same_v<Lengths, std::monostate>) {
          return nb::none();
        } else {
          return array_in(shared.file, values);
        }
      },
      graph.lengths);
  return nb::make_tuple(array_in(shared.file, graph.offsets), array_in(shared.file, graph.targets), lengths);
}

template <class T>
Numpy<T> array_of(std::span<const T> values) {
  Array<T> out(values.size());
  std::ranges::copy(values, out.data());
  return to_numpy(std::move(out));
}

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ids = Column<Vertex>;

std::span<const Vertex> span_of(const Ids& ids) { return {ids.data(), ids.size()}; }

// Original ids from u to v, both included; empty where there is no path.
Numpy<Vertex> path_in_file(const SharedFile& shared, Vertex u, Vertex v) {
  const std::vector<Vertex> found = [&] {
    nb::gil_scoped_release free;
    return shared.queries->path(u, v);
  }();
  return array_of<Vertex>(found);
}

Numpy<double> distances(const SharedFile& file, SharedWorld& shared, const Ids& from, const Ids& to) {
  return array_of<double>(
      shared.call([&](World& world) { return file.queries->distances(world.team(), span_of(from), span_of(to)); }));
}

nb::tuple paths(const SharedFile& file, SharedWorld& shared, const Ids& from, const Ids& to) {
  const auto found =
      shared.call([&](World& world) { return file.queries->paths(world.team(), span_of(from), span_of(to)); });
  return nb::make_tuple(array_of<Edge>(found.offsets), array_of<Vertex>(found.vertices));
}

Numpy<Vertex> next_hops(const SharedFile& file, SharedWorld& shared, const Ids& from, const Ids& to) {
  return array_of<Vertex>(
      shared.call([&](World& world) { return file.queries->next_hops(world.team(), span_of(from), span_of(to)); }));
}

// (paths as (length, ids), whether that is all)
nb::tuple k_best_in_file(const SharedFile& file, SharedWorld& shared, Vertex u, Vertex v, int k, double limit_s) {
  const auto best = shared.call([&](World& world) {
    return file.queries->k_best(u, v, k, {limit_s, [&] { world.team().cancellation_point(); }});
  });
  nb::list out;
  for (const auto& known : best.paths) out.append(nb::make_tuple(known.length, array_of<Vertex>(known.vertices)));
  return nb::make_tuple(out, best.is_complete);
}

nb::tuple neighbors(const SharedFile& file, Vertex u) {
  const auto found = file.queries->neighbors(u);
  return nb::make_tuple(array_of<Vertex>(found.ids), array_of<double>(found.lengths));
}

nb::object ids(const SharedFile& shared) {
  const auto all = shared.file->ids();
  return all.empty() ? nb::none() : array_in(shared.file, all);
}

template <class T>
using Square = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const std::optional<Column<T>>& column) {
  return column ? std::span<const T>(column->data(), column->size()) : std::span<const T>();
}

ArcLengths lengths_of(const std::optional<AnyColumn>& column) {
  if (!column) return {};
  for (const Element e : {Element::float32, Element::float64, Element::int32, Element::uint16, Element::uint8}) {
    ArcLengths found = with_value_type(e, [&](auto type) -> ArcLengths {
      using T = decltype(type);
      if (column->dtype() != nb::dtype<T>()) return {};
      return std::span(static_cast<const T*>(column->data()), column->size());
    });
    if (found.index() != 0) return found;
  }
  throw UsageError("weights are of a type that distances do not have. Use .astype(numpy.float64).");
}

template <class T>
void save(SharedWorld& shared, const std::string& path, const Square<T>& values,
          const std::optional<Column<Vertex>>& own_ids, const std::optional<Column<Edge>>& offsets,
          const std::optional<Column<Local>>& targets, const std::optional<AnyColumn>& weights, bool directed,
          const std::string& type, const std::string& semiring, std::int64_t block, double scale, int zstd_level,
          bool replace, const std::string& about) {
  const DistanceGraph graph{span_of(own_ids), span_of(offsets), span_of(targets), lengths_of(weights), directed};
  shared.call([&](World& world) {
    const auto n = static_cast<std::int64_t>(values.shape(0));
    Distances<T> distances{GridLayout(n, block, {}), Matrix<T>(n, n)};
    for (std::int64_t i = 0; i < n; ++i) {
      world.team().cancellation_point();
      std::memcpy(distances.local.data() + i * distances.local.stride(), values.data() + i * n,
                  static_cast<std::size_t>(n) * sizeof(T));
    }
    write_distances(world, path, distances, graph,
                    {.element = type.empty() ? std::optional<Element>() : element_named(type),
                     .semiring = semiring_named(semiring),
                     .scale = scale,
                     .zstd_level = zstd_level,
                     .existing = replace ? Existing::replace : Existing::refuse,
                     .about = about});
  });
}

template <class T>
void bind_save(nb::module_& m) {
  using namespace nb::literals;
  m.def("save_distances", &save<T>, "world"_a, "path"_a, "distances"_a.noconvert(), "ids"_a.noconvert().none(),
        "offsets"_a.noconvert().none(), "targets"_a.noconvert().none(), "weights"_a.noconvert().none(), "directed"_a,
        "type"_a, "semiring"_a, "block"_a, "scale"_a, "zstd_level"_a, "replace"_a, "about"_a);
}

}  // namespace

void bind_apsp(nb::module_& m) {
  using namespace nb::literals;

  nb::class_<SharedFile>(m, "DistanceFile")
      .def_prop_ro("name", [](const SharedFile& s) { return s.file->path(); })
      .def_prop_ro("n", [](const SharedFile& s) { return s.file->n(); })
      .def_prop_ro("form",
                   [](const SharedFile& s) {
                     constexpr const char* kFormats[] = {"npy", "tiles", "zarr", "hdf5"};
                     return kFormats[static_cast<int>(s.file->format())];
                   })
      .def_prop_ro("meta", [](const SharedFile& s) { return s.file->meta().to_json().dump(); })
      .def_prop_ro("no_path", [](const SharedFile& s) { return s.file->no_path(); })
      .def_prop_ro("ids", &ids)
      .def_prop_ro("matrix", &matrix)
      .def_prop_ro("checksums", &checksums)
      .def("check_all", &check_all)
      .def_prop_ro("arcs", &arcs)
      .def(
          "index_of", [](const SharedFile& s, Vertex id) { return s.file->index_of(id); }, "id"_a)
      .def(
          "distance", [](const SharedFile& s, Vertex u, Vertex v) { return s.file->distance(u, v); }, "u"_a, "v"_a)
      .def("path", &path_in_file, "u"_a, "v"_a)
      .def("distances", &distances, "world"_a, "us"_a.noconvert(), "vs"_a.noconvert())
      .def("paths", &paths, "world"_a, "us"_a.noconvert(), "vs"_a.noconvert())
      .def("next_hops", &next_hops, "world"_a, "us"_a.noconvert(), "vs"_a.noconvert())
      .def("k_best", &k_best_in_file, "world"_a, "u"_a, "v"_a, "k"_a, "limit_s"_a)
      .def("neighbors", &neighbors, "u"_a)
      .def("row", &row, "u"_a)
      .def("tile", &tile, "i"_a, "j"_a);

  m.def("open_distances", &open, "path"_a);
  m.def("checksum", [](const Column<std::uint8_t>& bytes) { return checksum(bytes.data(), bytes.size()); }, "bytes"_a);
  m.def("sealed_distances", [](const std::string& meta) { return sealed(nlohmann::json::parse(meta)); }, "meta"_a);
  bind_save<float>(m);
  bind_save<double>(m);
  bind_save<std::int32_t>(m);
  bind_save<std::uint16_t>(m);
  bind_save<std::uint8_t>(m);
}

}  // namespace atl::python
