// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The header of numpy's .npy files (numpy.lib.format, versions 1 to 3).
///
///     file << npy_head("<f4", "(10, 10)", 0);                 // then the array's bytes
///     const NpyHead head = read_npy_head(path, data, size, 0);   // the array begins at data + head.begin
namespace atl {

/// The bytes before an array in a .npy file; they begin at byte `at` of the file, and the array is 64-byte aligned. Any
/// number of blanks may fill a header: `blanks` more than it needs.
std::string npy_head(const char* type, const std::string& shape, std::uint64_t at, std::size_t blanks = 0);
/// The parsed header.
struct NpyHead {
  std::string type;
  std::vector<std::int64_t> shape;
  bool by_columns = false;
  std::uint64_t begin = 0;  ///< offset of the array in the file
};
/// Throws InputError that names `path` if the `size` bytes at `data`, from byte `at` of the file, are not a header.
NpyHead read_npy_head(const std::string& path, const char* data, std::uint64_t size, std::uint64_t at);

}  // namespace atl
