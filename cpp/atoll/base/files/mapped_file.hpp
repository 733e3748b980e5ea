// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/files/file_handle.hpp>
#include <cstddef>
#include <string>
#include <utility>

namespace atl {

/// A file's first bytes as memory, shared with all who map it. The handle may close afterwards.
///
///     const MappedFile map(file, bytes, MappedFile::Access::read, path);   // throws IoError, which names the path
class MappedFile {
 public:
  enum class Access : bool { read, read_write };

  MappedFile() = default;
  /// The file has that many bytes already, at least one: access beyond its end is a signal.
  MappedFile(const FileHandle& file, std::size_t bytes, Access access, const std::string& path);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  char* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Leaves it mapped until the process ends.
  void release() noexcept { data_ = nullptr; }

 private:
  char* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace atl
