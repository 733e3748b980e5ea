// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// A file's bytes as memory.
///
///     MappedFile file("d.npy");              // read-only; throws InputError and IoError as InputFile does
///     MappedFile own(descriptor, bytes);     // to read and write; what is written is in the file
namespace atl {

class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::string& path);
  /// The descriptor may be closed afterwards. `path` is for messages.
  MappedFile(int file, std::uint64_t bytes, const std::string& path);
  MappedFile(MappedFile&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  char* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

  /// Advice about [at, at + n): it will be read soon; its pages are not needed (what was written stays in the file);
  /// what was written goes on its way to the disk now, without a wait. They are hints, and never fail.
  void will_need(std::uint64_t at, std::uint64_t n) const;
  void drop(std::uint64_t at, std::uint64_t n) const;
  void start_writing(std::uint64_t at, std::uint64_t n) const;

 private:
  char* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace atl
