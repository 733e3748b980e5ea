// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace atl {

/// A file descriptor that closes itself.
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
  /// Closes now; the error number, or 0. Network file systems report a full disk only here.
  int close() noexcept;

 private:
  int fd_;
};

}  // namespace atl
