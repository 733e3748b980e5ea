// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/store/distance_checks.hpp>
#include <atoll/apsp/store/distance_file.hpp>
#include <atoll/base/files/mapped_file.hpp>
#include <atoll/io/zarr_chunks.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace atl {

/// An array in mapped memory.
struct DistanceColumn {
  const char* data = nullptr;
  std::int64_t size = 0;
  std::string type;

  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data), static_cast<std::size_t>(size)};
  }
};

/// The state of an open DistanceFile: its mapped files and checked metadata.
struct DistanceFile::Source {
  using Column = DistanceColumn;

  std::string path;
  DistanceForm form;
  DistanceMeta meta;
  MappedFile matrix;        // .npy, .h5 and tiles.bin
  std::uint64_t begin = 0;  // .npy and .h5: offset of the matrix
  std::unique_ptr<ZarrChunks> chunks;
  std::vector<MappedFile> sides;  // the mapped files of the columns, in folders
  Column ids, offsets, targets, weights, checksums;
  std::unique_ptr<DistanceChecks> checks;  // of the values; none: the file has no checksums

  explicit Source(const std::string& p);

 private:
  void open_npy();
  void open_tiles();
  void open_zarr();
  void open_hdf5();
  // The columns that the metadata names, each as found(name, number of values, numpy's type) gives it.
  template <class F>
  void find_columns(F&& found);
  void check_sums();
  void check_columns() const;
};

}  // namespace atl
