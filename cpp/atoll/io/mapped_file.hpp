// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// A file's bytes mapped into memory.
///
///     MappedFile file("d.npy");              // read-only; throws InputError and IoError as InputFile does
namespace atl {

class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  char* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  char* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace atl
