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
  /// The descriptor is the caller's and stays open as long as this. `path` is for messages.
  MappedFile(int file, std::uint64_t bytes, const std::string& path);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), file_(other.file_) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(file_, other.file_);
    return *this;
  }
  ~MappedFile();

  char* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }

  /// Hints about [at, at + n): it will be read soon; it will not be for long, and is the system's cache's alone (which
  /// writes it, and gives its memory away, without stopping our threads: do it before start_writing); what was written to it
  /// goes on its way to the disk now (a full queue of the disk is waited for). None fails.
  void will_need(std::uint64_t at, std::uint64_t n) const;
  void release(std::uint64_t at, std::uint64_t n) const;
  void start_writing(std::uint64_t at, std::uint64_t n) const;

 private:
  char* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  int file_ = -1;  // the caller's; of a mapping to write to
};

}  // namespace atl
