// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/store/distance_file.hpp>
#include <atoll/base/files/mapped_file.hpp>
#include <atoll/io/zarr_chunks.hpp>
#include <cstdint>
#include <cstdlib>
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

/// Holds the values of an open file of distances against their checksums, each once, when they are first asked for.
/// Thread-safe: two threads may both find the same values right.
///
///     const DistanceChecks checks("d.npy", n, columns, bytes_of(element), sums);   // sums: mapped, ChecksumOrder
///     checks.hold(row, 3, values);              // those of columns 3 * columns on; throws InputError: damaged
class DistanceChecks {
 public:
  DistanceChecks(std::string path, std::int64_t n, std::int64_t columns, std::size_t value_bytes,
                 const std::uint64_t* sums);

  /// The columns that one checksum covers; the last ones are fewer.
  const BlockCyclic& side() const { return order_.side; }
  void hold(std::int64_t row, std::int64_t j, const void* values) const {
    const auto at = static_cast<std::uint64_t>(place_of(row, j));
    if (!(__atomic_load_n(&held_[at / 64], __ATOMIC_RELAXED) >> at % 64 & 1)) [[unlikely]]
      hold_first(row, j, values);
  }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::int64_t place_of(std::int64_t row, std::int64_t j) const {
    const std::int64_t i = row / order_.side.block;
    return order_.begin_of(i, j) + row % order_.side.block;
  }
  void hold_first(std::int64_t row, std::int64_t j, const void* values) const;

  const std::string path_;
  const ChecksumOrder order_;
  const std::size_t value_bytes_;
  const std::uint64_t* sums_;
  // A bit each. Their pages are zeros of the system until they are touched: a file of 10^6 rows has 10^9 checksums.
  std::unique_ptr<std::uint64_t[], Free> held_;
};

/// The state of an open DistanceFile: its mapped files and checked metadata.
struct DistanceFile::Source {
  using Column = DistanceColumn;

  std::string path;
  StorageFormat format;
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
