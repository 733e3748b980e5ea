// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/distances.hpp>
#include <atoll/apsp/store/distance_format.hpp>
#include <atoll/io/output_folder.hpp>
#include <optional>
#include <span>
#include <string>
#include <variant>

/// Writes all-pairs distances to a file, each rank its own blocks.
///
///     write_distances(world, "d.npy", distances, {.ids = ids});                       // one matrix
///     write_distances(world, "d.tiles", distances, {ids, offsets, targets, lengths},  // tiles, to be mapped
///                     {.element = Element::uint16});
///     write_distances(world, "d.zarr", distances, {}, {.zstd_level = 3});             // one chunk per block
///
/// Every call is collective and throws the same error on every rank: UsageError for an unknown ending, InputError for a
/// value that the requested type cannot hold, IoError if the name is taken, or if the file system is too full (checked
/// before anything is written) or reports an error. The name appears only when everything is written.
namespace atl {

/// Lengths of arcs: none (each has length 1), or one value per arc.
using ArcLengths =
    std::variant<std::monostate, std::span<const float>, std::span<const double>, std::span<const std::int32_t>,
                 std::span<const std::uint16_t>, std::span<const std::uint8_t>>;

/// The graph of the distances. Rank 0's is used; other ranks may pass nothing.
struct DistanceGraph {
  std::span<const Vertex> ids = {};    ///< original ids, ascending; none: 0 .. n-1
  std::span<const Edge> offsets = {};  ///< arcs by dense number of their source, n + 1; none: paths cannot be rebuilt
  std::span<const Local> targets = {};
  ArcLengths lengths = {};
  bool directed = true;
};

struct DistanceFileOptions {
  std::optional<Element> element = {};  ///< type of the values in the file; none: as they are
  Semiring semiring = Semiring::min_plus;
  double scale = 1;    ///< what a value of 1 means (fixed point)
  int zstd_level = 0;  ///< .zarr: 0 leaves chunks as they are, so that they can be mapped
  Existing existing = Existing::refuse;
  std::string about = "{}";  ///< JSON that is kept with the file: the command, its input
};

/// A conversion keeps the meaning of values: "no path" stays "no path". Whole numbers are never rounded; float64 is, to
/// float32.
template <class T>
void write_distances(World& world, const std::string& path, const Distances<T>& distances,
                     const DistanceGraph& graph = {}, const DistanceFileOptions& options = {});

/// form_of() for a file that is to be written; throws UsageError for .h5, which Python writes.
StorageFormat storage_format_to_write(const std::string& path);

/// The bytes of the matrix on disk; an upper bound for compressed chunks.
std::uint64_t distance_bytes(StorageFormat format, std::int64_t n, std::int64_t block, Element element);

}  // namespace atl
