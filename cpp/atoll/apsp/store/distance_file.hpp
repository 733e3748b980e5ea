// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/store/distance_file_write.hpp>
#include <atoll/matrix/matrix.hpp>
#include <memory>
#include <span>
#include <string>

/// Reads all-pairs distances from disk by row, tile and pair. Not collective: any process may open the file.
///
///     DistanceFile file("d.tiles");                       // or d.npy, d.zarr, d.h5; maps it, reads nothing
///     file.distance(17, 42);                              // original ids; infinity: no path
///     std::vector<float> row(file.n());
///     file.read_row(file.index_of(17), row.data());       // in the order of ids
///     MatrixView<const float> tile = file.tile<float>(0, 3).view;   // in place if it can be mapped
///
/// | format            | pair                   | row                     | tile                   |
/// |-------------------|------------------------|-------------------------|------------------------|
/// | .npy, .h5         | in place               | in place (row_view)     | in place, rows n apart |
/// | .tiles            | in place               | copied from n/b tiles   | in place               |
/// | .zarr             | in place, chunk mapped | copied from n/b chunks  | in place               |
/// | .zarr, compressed | decompresses a chunk   | decompresses n/b chunks | decompressed           |
///
/// Mapped chunks stay mapped; unpacked ones are cached up to kKeptBytes. A .npy written by numpy opens too: its ids are
/// 0 .. n-1. Several threads may make any call. Throws InputError (damaged, truncated, no such id), IoError.
///
/// Values are held against their checksums when they are first asked for: of a pair, those of a row of its tile. Files
/// of numpy and of earlier programs have none (has_checksums()).
namespace atl {

class DistanceFile {
 public:
  explicit DistanceFile(const std::string& path);
  ~DistanceFile();
  DistanceFile(DistanceFile&&) noexcept;

  const std::string& path() const;
  StorageFormat format() const;
  const DistanceMeta& meta() const;
  std::int64_t n() const { return meta().n; }
  Element element() const { return meta().element; }

  /// Original ids, ascending; empty: they are 0 .. n-1.
  std::span<const Vertex> ids() const;
  Vertex id_of(std::int64_t index) const;
  /// InputError that names the id if there is none.
  std::int64_t index_of(Vertex id) const;

  /// scale times the stored value; infinity if there is no path (-infinity for max_plus and max_min).
  double distance(Vertex u, Vertex v) const;
  /// The stored value as a double.
  double value(std::int64_t i, std::int64_t j) const;
  bool is_no_path(double value) const { return value == no_path(); }
  /// The stored value that means "no path".
  double no_path() const;

  /// Row i into n values of the file's type; T must be it.
  template <class T>
  void read_row(std::int64_t i, T* to) const;
  /// Row i in place; nullptr if it is not contiguous (.tiles and .zarr). Valid while the file is open.
  const void* row_view(std::int64_t i) const;

  std::int64_t tiles() const { return BlockCyclic{n(), meta().block, 1}.blocks(); }  ///< of a side
  /// A block of the matrix, and what keeps it in memory.
  template <class T>
  struct Tile {
    MatrixView<const T> view;
    std::shared_ptr<const void> owner;
  };
  template <class T>
  Tile<T> tile(std::int64_t i, std::int64_t j) const;

  bool has_checksums() const { return meta().checked_columns > 0; }
  /// The checksums of the values, in ChecksumOrder of meta().checked_columns; empty: there are none.
  std::span<const std::uint64_t> checksums() const;
  /// Reads all values that were not asked for yet and holds them against their checksums.
  void check_all() const;

  /// The arcs that were passed to write_distances(); has_arcs() is false if there were none.
  bool has_arcs() const { return meta().arcs >= 0; }
  DistanceGraph graph() const;

  static constexpr std::size_t kKeptBytes = std::size_t{256} << 20;

 private:
  struct Source;
  // A block of the matrix as it lies in memory; its rows are `stride` values apart.
  struct Place {
    const char* data = nullptr;
    std::int64_t stride = 0;
    std::shared_ptr<const void> owner = {};
  };
  Place place(std::int64_t i, std::int64_t j) const;
  template <class T>
  void check_type() const;
  void check_rows(const Place& block, std::int64_t i, std::int64_t j, std::int64_t first, std::int64_t rows) const;
  std::unique_ptr<Source> source_;
};

}  // namespace atl
