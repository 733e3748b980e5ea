// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/block_cyclic.hpp>
#include <atoll/matrix/semiring.hpp>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <type_traits>

/// The formats of distance files, shared by writer and reader.
///
///     NAME.npy     the matrix, and behind it in the same file (as numpy.save appends): meta, ids, offsets, targets,
///                  weights, checksums
///     NAME.tiles/  meta.json, tiles.bin, ids.npy, offsets.npy, targets.npy, weights.npy, checksums.npy
///     NAME.zarr/   a Zarr v2 group of the arrays distance (one chunk a block), ids, offsets, targets, weights,
///                  checksums; meta is .zattrs
///     NAME.h5      HDF5 of the datasets distances (contiguous), ids, offsets, targets, weights, checksums. Its user
///                  block is meta, to which "at" is added: the dataset's name -> the offset of its values in the file.
///                  So it is mapped without a library of HDF5. Python writes it (python/atoll/hdf5.py)
///
/// Numbers are little endian. Metadata is one JSON object:
///     {"format": "atoll distances", "version": 1, "n", "block", "type": "float32", "semiring": "min_plus",
///      "no_path": "Infinity" or a number, "scale": 1.0, "directed": bool, "ids": bool, "arcs": m or null,
///      "weights": "float32" or null, "about": {..}, "checksums": {"columns": b, "ids": "<16 hex digits>", ..} or null,
///      "checksum": "<16 hex digits>"}
///
/// Checksums are XXH3 of 64 bits. The array `checksums` has those of the values (ChecksumOrder), "checksums" those of
/// the arrays beside the matrix and how many columns one of the values covers, and "checksum" is that of the object
/// without it, its keys in order and without blanks. Files of earlier programs have none.
namespace atl {

enum class StorageFormat : std::uint8_t { npy, tiles, zarr, hdf5 };

/// By the ending of the name; throws UsageError with the list of endings.
StorageFormat storage_format_of(const std::string& path);

struct DistanceMeta {
  std::int64_t n = 0, block = 0;
  Element element = Element::float32;
  Semiring semiring = Semiring::min_plus;
  double scale = 1;  ///< a distance is the stored value times this
  bool directed = true, has_ids = false;
  std::int64_t arcs = -1;    ///< -1: not stored
  std::string weights;       ///< the arcs' type; empty: all have length 1
  std::string about = "{}";  ///< JSON
  /// Values of a row that one checksum covers; 0: the file has no checksums.
  std::int64_t checked_columns = 0;
  std::map<std::string, std::uint64_t> checksums = {};  ///< of the arrays beside the matrix, by name

  /// Without the checksum of itself: sealed() adds that.
  nlohmann::json to_json() const;
  /// Throws InputError that names `path` if it is not ours, of a later version or inconsistent.
  static DistanceMeta from_json(const std::string& path, const std::string& text);
};

/// The object with its own checksum, as it is written; an `indent` of -1: in one line.
std::string sealed(nlohmann::json meta, int indent = -1);

/// no_path as JSON: "Infinity", "-Infinity" or a number.
nlohmann::json no_path_json(Element element, Semiring semiring);

/// Tiles of a matrix in one file, in row-major order. Each begins at a page boundary, so that it can be mapped by
/// itself, and is contiguous: row r of tile (i, j) follows row r - 1 after width(j) values.
struct TileOrder {
  static constexpr std::uint64_t kAlign = 4096;
  BlockCyclic side;  ///< parts = 1
  std::uint64_t value_bytes = 4;

  TileOrder(std::int64_t n, std::int64_t block, std::size_t bytes) : side{n, block, 1}, value_bytes(bytes) {}
  std::uint64_t bytes_of(std::int64_t i, std::int64_t j) const { return padded(side.length_of(i), side.length_of(j)); }
  std::uint64_t begin_of(std::int64_t i, std::int64_t j) const {
    const std::int64_t full = side.blocks() - 1, last = side.length_of(full);
    const std::uint64_t row =
        static_cast<std::uint64_t>(full) * padded(side.block, side.block) + padded(side.block, last);
    return static_cast<std::uint64_t>(i) * row + static_cast<std::uint64_t>(j) * padded(side.length_of(i), side.block);
  }
  std::uint64_t bytes() const {
    const std::int64_t last = side.blocks() - 1;
    return begin_of(last, last) + bytes_of(last, last);
  }

 private:
  std::uint64_t padded(std::int64_t rows, std::int64_t cols) const {
    return (static_cast<std::uint64_t>(rows * cols) * value_bytes + kAlign - 1) / kAlign * kAlign;
  }
};

/// The order of the checksums of a matrix: one for each row of each tile, so that a pair is held against few bytes.
/// Those of tile (i, j) follow each other from begin_of(i, j) on; tiles are in row-major order.
struct ChecksumOrder {
  BlockCyclic side;  ///< parts = 1

  ChecksumOrder(std::int64_t n, std::int64_t block) : side{n, block, 1} {}
  std::int64_t begin_of(std::int64_t i, std::int64_t j) const {
    return i * side.block * side.blocks() + j * side.length_of(i);
  }
  std::int64_t size() const { return side.size * side.blocks(); }
};

/// The header of a .npy of n x n distances. It is a line longer than numpy.save makes it: by this a file that was cut
/// off behind the matrix is told from one of numpy.
std::string distance_npy_head(Element element, std::int64_t n);

/// numpy's name of the type: "<f4".
const char* numpy_type(Element element);

}  // namespace atl
