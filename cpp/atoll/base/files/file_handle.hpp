// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace atl {

/// A file descriptor that closes itself. Calls that can fail return the error number, 0 for success: the caller knows
/// the path and what to do.
///
///     FileHandle file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
///     if (!file) ...
///     if (const int error = file.write_at(data, n, at)) ...
class FileHandle {
 public:
  explicit FileHandle(int fd = -1) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileHandle();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  /// Reads [at, at + n). ENODATA where the file ends before.
  int read_at(void* into, std::size_t n, std::uint64_t at) const noexcept;
  /// Any part, any thread.
  int write_at(const void* data, std::size_t n, std::uint64_t at) const noexcept;
  /// At the descriptor's own position, as pipes and terminals need it.
  int write(std::string_view text) const noexcept;
  /// Makes the file `bytes` long and takes room on the disk for it, where the file system can promise any.
  int reserve(std::uint64_t bytes) const noexcept;
  /// Returns when everything written is on the disk.
  int sync() const noexcept;
  /// Closes now. Network file systems report a full disk only here.
  int close() noexcept;

 private:
  int fd_;
};

}  // namespace atl
