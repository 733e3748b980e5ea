// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/store/distance_file_write.hpp>
#include <vector>

/// The metadata, ids and arcs beside the matrix in a distance file. Rank 0 writes them.
namespace atl {

struct SideArray {
  const char* name;
  const char* type;  ///< numpy's
  std::int64_t size;
  const void* data;
  std::size_t bytes;
};
std::vector<SideArray> side_arrays(const DistanceGraph& graph);

/// The shape of a one-dimensional array, as numpy writes it.
std::string shape_text(std::int64_t n);

/// Throws InputError if ids, offsets, targets and lengths do not fit n rows or each other.
void check_graph(const std::string& path, std::int64_t n, const DistanceGraph& graph);

DistanceMeta meta_of(std::int64_t n, std::int64_t block, Element element, const DistanceGraph& graph,
                     const DistanceFileOptions& options);

/// The file of the values' checksums in a folder of tiles.
class ChecksumFile {
 public:
  /// Collective.
  ChecksumFile(World& world, OutputFolder& folder, std::int64_t n, std::int64_t block);
  /// Writes the checksums of tile (i, j), one a row. Any thread may call it.
  void write(std::int64_t i, std::int64_t j, const std::uint64_t* sums) const;
  const FileHandle& handle() const { return *file_; }

 private:
  OutputFolder& folder_;
  const ChecksumOrder order_;
  const std::string head_;
  const FileHandle* file_ = nullptr;  // the folder's
};

/// Writes meta.json and the .npy files of a folder of tiles.
void write_sides(OutputFolder& folder, const DistanceMeta& meta, const DistanceGraph& graph);

}  // namespace atl
