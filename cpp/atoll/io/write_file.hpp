// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/files/atomic_file.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <optional>
#include <string>

/// An AtomicFile to which all ranks write parts; they must all see its file system.
///
///     OutputFile file(world, "depths.tsv");          // a temporary file beside it
///     file.reserve(total_bytes);                     // a full disk is found here, not after an hour
///     world.collective_try([&] { file.write_at(data, n, at); });   // any part, any thread
///     file.commit();                                 // fsync, rename
///
/// All calls but write_at are collective and throw the same IoError on every rank. Without commit() the
/// destructor removes the temporary file.
namespace atl {

class OutputFile {
 public:
  OutputFile(World& world, const std::string& path);

  void reserve(std::uint64_t bytes);
  void write_at(const void* data, std::size_t n, std::uint64_t at) const { file_->write_at(data, n, at); }
  void commit();

 private:
  World& world_;
  std::optional<AtomicFile> file_;  // made by rank 0
};

}  // namespace atl
