// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/store/distance_source.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <cstring>
#include <limits>

namespace atl {

DistanceFile::DistanceFile(const std::string& path) : source_(std::make_unique<Source>(path)) {}
DistanceFile::~DistanceFile() = default;
DistanceFile::DistanceFile(DistanceFile&&) noexcept = default;

const std::string& DistanceFile::path() const { return source_->path; }
DistanceForm DistanceFile::form() const { return source_->form; }
const DistanceMeta& DistanceFile::meta() const { return source_->meta; }
std::span<const Vertex> DistanceFile::ids() const { return source_->ids.as<Vertex>(); }

Vertex DistanceFile::id_of(std::int64_t index) const {
  return ids().empty() ? index : ids()[static_cast<std::size_t>(index)];
}

std::int64_t DistanceFile::index_of(Vertex id) const {
  const auto all = ids();
  if (all.empty()) {
    check(id >= 0 && id < n(), "{}: there is no vertex {} (its ids are 0 to {}). Ask for one of them.", path(), id,
          n() - 1);
    return id;
  }
  const auto at = std::lower_bound(all.begin(), all.end(), id);
  check(at != all.end() && *at == id,
        "{}: there is no vertex {} (its {} ids lie between {} and {}). Ask for one of them.", path(), id, n(),
        all.front(), all.back());
  return at - all.begin();
}

// The address of block (i, j); its rows are `stride` values apart.
const void* DistanceFile::place(std::int64_t i, std::int64_t j, std::int64_t& stride,
                                std::shared_ptr<const void>& owner) const {
  const Source& s = *source_;
  const std::size_t width = bytes_of(s.meta.element);
  switch (s.form) {
    case DistanceForm::npy:
    case DistanceForm::hdf5:
      stride = s.meta.n;
      return s.matrix.data() + s.begin + static_cast<std::uint64_t>((i * s.meta.n + j) * s.meta.block) * width;
    case DistanceForm::tiles: {
      const TileOrder order(s.meta.n, s.meta.block, width);
      stride = order.side.length_of(j);
      return s.matrix.data() + order.begin_of(i, j);
    }
    default:
      stride = s.meta.block;
      owner = s.chunks->at(i, j);
      return owner.get();
  }
}

template <class T>
DistanceFile::Tile<T> DistanceFile::tile(std::int64_t i, std::int64_t j) const {
  check(kElementOf<T> == element(), "{}: holds {} (it was asked for {}). Ask for its own type.", path(),
        name_of(element()), name_of(kElementOf<T>));
  check(i >= 0 && j >= 0 && i < tiles() && j < tiles(),
        "{}: there is no tile ({}, {}) (a side has {}). Ask for another.", path(), i, j, tiles());
  const BlockCyclic side{n(), meta().block, 1};
  Tile<T> out;
  std::int64_t stride = 0;
  const void* data = place(i, j, stride, out.owner);
  out.view = {static_cast<const T*>(data), side.length_of(i), side.length_of(j), stride};
  return out;
}

double DistanceFile::value(std::int64_t i, std::int64_t j) const {
  return with_value_type(element(), [&](auto type) {
    const std::int64_t b = meta().block;
    return static_cast<double>(tile<decltype(type)>(i / b, j / b).view(i % b, j % b));
  });
}

double DistanceFile::no_path() const {
  return with_value_type(element(),
                         [&](auto type) { return static_cast<double>(zero_of<decltype(type)>(meta().semiring)); });
}

double DistanceFile::distance(Vertex u, Vertex v) const {
  const double stored = value(index_of(u), index_of(v));
  if (meta().semiring == Semiring::or_and) return stored;  // 0 is no path, any other value a path
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (meta().semiring == Semiring::max_min &&
      with_value_type(element(), [&](auto type) { return stored == static_cast<double>(kNoPath<decltype(type)>); }))
    return kInfinity;  // a vertex to itself
  if (!is_no_path(stored)) return stored * meta().scale;
  return meta().semiring == Semiring::min_plus ? kInfinity : -kInfinity;
}

const void* DistanceFile::row_view(std::int64_t i) const {
  if (source_->form != DistanceForm::npy && source_->form != DistanceForm::hdf5) return nullptr;
  return source_->matrix.data() + source_->begin + static_cast<std::uint64_t>(i * n()) * bytes_of(element());
}

template <class T>
void DistanceFile::read_row(std::int64_t i, T* to) const {
  const std::int64_t b = meta().block;
  for (std::int64_t j = 0; j < tiles(); ++j) {
    const Tile<T> part = tile<T>(i / b, j);
    std::memcpy(to + j * b, &part.view(i % b, 0), static_cast<std::size_t>(part.view.cols) * sizeof(T));
  }
}

DistanceGraph DistanceFile::graph() const {
  const Source& s = *source_;
  DistanceGraph graph{.ids = ids(), .directed = s.meta.directed};
  if (!has_arcs()) return graph;
  graph.offsets = s.offsets.as<Edge>();
  graph.targets = s.targets.as<Local>();
  if (!s.meta.weights.empty())
    with_value_type(element_named(s.meta.weights), [&](auto type) { graph.lengths = s.weights.as<decltype(type)>(); });
  return graph;
}

template DistanceFile::Tile<float> DistanceFile::tile(std::int64_t, std::int64_t) const;
template DistanceFile::Tile<double> DistanceFile::tile(std::int64_t, std::int64_t) const;
template DistanceFile::Tile<std::int32_t> DistanceFile::tile(std::int64_t, std::int64_t) const;
template DistanceFile::Tile<std::uint16_t> DistanceFile::tile(std::int64_t, std::int64_t) const;
template DistanceFile::Tile<std::uint8_t> DistanceFile::tile(std::int64_t, std::int64_t) const;
template void DistanceFile::read_row(std::int64_t, float*) const;
template void DistanceFile::read_row(std::int64_t, double*) const;
template void DistanceFile::read_row(std::int64_t, std::int32_t*) const;
template void DistanceFile::read_row(std::int64_t, std::uint16_t*) const;
template void DistanceFile::read_row(std::int64_t, std::uint8_t*) const;

}  // namespace atl
