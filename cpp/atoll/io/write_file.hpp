// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/io/read_file.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

/// A file to which all ranks write parts; it appears complete or not at all.
///
///     OutputFile file(world, "depths.tsv");          // a temporary file beside it
///     file.reserve(total_bytes);                     // a full disk is found here, not after an hour
///     world.collective_try([&] { file.write_at(data, n, at); });   // any part, any thread
///     file.commit();                                 // fsync, rename
///
/// All calls but write_at are collective and throw the same IoError on every rank. Without commit() the
/// destructor removes the temporary file.
namespace atl {

/// The file written for `path`: a link's target. Throws if it cannot be a file: a folder, a device, or in no folder.
std::filesystem::path output_target(const std::string& path);

class OutputFile {
 public:
  OutputFile(World& world, const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void reserve(std::uint64_t bytes);
  void write_at(const void* data, std::size_t n, std::uint64_t at) const;
  void commit();

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  World& world_;
  std::string path_, temporary_;
  FileHandle handle_;
  bool ours_ = false;  // this rank created the temporary file, and it still exists
};

}  // namespace atl
