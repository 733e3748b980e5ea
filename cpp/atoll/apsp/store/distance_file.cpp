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
StorageFormat DistanceFile::format() const { return source_->format; }
const DistanceMeta& DistanceFile::meta() const { return source_->meta; }
std::span<const Vertex> DistanceFile::ids() const { return source_->ids.as<Vertex>(); }

Vertex DistanceFile::id_of(std::int64_t index) const { return ids().empty() ? index : ids()[index]; }

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

DistanceFile::Place DistanceFile::place(std::int64_t i, std::int64_t j) const {
  const Source& s = *source_;
  const std::size_t width = bytes_of(s.meta.element);
  switch (s.format) {
    case StorageFormat::npy:
    case StorageFormat::hdf5:
      return {s.matrix.data() + s.begin + static_cast<std::uint64_t>((i * s.meta.n + j) * s.meta.block) * width,
              s.meta.n};
    case StorageFormat::tiles: {
      const TileOrder order(s.meta.n, s.meta.block, width);
      return {s.matrix.data() + order.begin_of(i, j), order.side.length_of(j)};
    }
    default: {
      std::shared_ptr<const void> chunk = s.chunks->at(i, j);
      return {static_cast<const char*>(chunk.get()), s.meta.block, std::move(chunk)};
    }
  }
}

// Rows of block (i, j) from its row `first` on. A block may be wider than what one checksum covers: that of HDF5 is
// all.
void DistanceFile::check_rows(const Place& block, std::int64_t i, std::int64_t j, std::int64_t first,
                              std::int64_t rows) const {
  const DistanceChecks* checks = source_->checks.get();
  if (!checks) return;
  const BlockCyclic side{n(), meta().block, 1}, &under = checks->side();
  const std::int64_t left = side.begin_of(j), width = static_cast<std::int64_t>(bytes_of(element()));
  const std::int64_t last = under.block_of(left + side.length_of(j) - 1);
  for (std::int64_t r = first; r < first + rows; ++r)
    for (std::int64_t k = under.block_of(left); k <= last; ++k)
      checks->hold(side.begin_of(i) + r, k, block.data + (r * block.stride + under.begin_of(k) - left) * width);
}

template <class T>
void DistanceFile::check_type() const {
  check(kElementOf<T> == element(), "{}: holds {} (it was asked for {}). Ask for its own type.", path(),
        name_of(element()), name_of(kElementOf<T>));
}

template <class T>
DistanceFile::Tile<T> DistanceFile::tile(std::int64_t i, std::int64_t j) const {
  check_type<T>();
  check(i >= 0 && j >= 0 && i < tiles() && j < tiles(),
        "{}: there is no tile ({}, {}) (a side has {}). Ask for another.", path(), i, j, tiles());
  const BlockCyclic side{n(), meta().block, 1};
  Place block = place(i, j);
  check_rows(block, i, j, 0, side.length_of(i));
  const T* values = reinterpret_cast<const T*>(block.data);
  return {{values, side.length_of(i), side.length_of(j), block.stride}, std::move(block.owner)};
}

double DistanceFile::value(std::int64_t i, std::int64_t j) const {
  return with_value_type(element(), [&](auto type) {
    const std::int64_t b = meta().block;
    const Place block = place(i / b, j / b);
    if (const DistanceChecks* checks = source_->checks.get()) {
      const std::int64_t k = checks->side().block_of(j), at = checks->side().begin_of(k) - j / b * b;
      checks->hold(i, k, block.data + (i % b * block.stride + at) * static_cast<std::int64_t>(sizeof type));
    }
    return static_cast<double>(reinterpret_cast<const decltype(type)*>(block.data)[i % b * block.stride + j % b]);
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
  if (source_->format != StorageFormat::npy && source_->format != StorageFormat::hdf5) return nullptr;
  const std::int64_t b = meta().block;
  if (source_->checks)
    for (std::int64_t j = 0; j < tiles(); ++j) check_rows(place(i / b, j), i / b, j, i % b, 1);
  return source_->matrix.data() + source_->begin + static_cast<std::uint64_t>(i * n()) * bytes_of(element());
}

template <class T>
void DistanceFile::read_row(std::int64_t i, T* to) const {
  check_type<T>();
  const std::int64_t b = meta().block;
  for (std::int64_t j = 0; j < tiles(); ++j) {
    const Place block = place(i / b, j);
    check_rows(block, i / b, j, i % b, 1);
    const auto length = static_cast<std::size_t>(std::min(b, n() - j * b));
    std::memcpy(to + j * b, block.data + i % b * block.stride * static_cast<std::int64_t>(sizeof(T)),
                length * sizeof(T));
  }
}

std::span<const std::uint64_t> DistanceFile::checksums() const { return source_->checksums.as<std::uint64_t>(); }

void DistanceFile::check_all() const {
  if (!source_->checks) return;
  const BlockCyclic side{n(), meta().block, 1};
  for (std::int64_t i = 0; i < tiles(); ++i)
    for (std::int64_t j = 0; j < tiles(); ++j) check_rows(place(i, j), i, j, 0, side.length_of(i));
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
