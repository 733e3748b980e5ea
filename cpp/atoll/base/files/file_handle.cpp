// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <atoll/base/files/file_handle.hpp>
#include <cerrno>

namespace atl {

FileHandle::~FileHandle() { close(); }

int FileHandle::read_at(void* into, std::size_t n, std::uint64_t at) const noexcept {
  auto* p = static_cast<char*>(into);
  while (n > 0) {
    const ssize_t got = pread(fd_, p, n, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : ENODATA;
    p += got;
    n -= static_cast<std::size_t>(got);
    at += static_cast<std::uint64_t>(got);
  }
  return 0;
}

int FileHandle::write_at(const void* data, std::size_t n, std::uint64_t at) const noexcept {
  const auto* p = static_cast<const char*>(data);
  while (n > 0) {
    const ssize_t done = pwrite(fd_, p, n, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    p += done;
    n -= static_cast<std::size_t>(done);
    at += static_cast<std::uint64_t>(done);
  }
  return 0;
}

int FileHandle::write(std::string_view text) const noexcept {
  while (!text.empty()) {
    const ssize_t done = ::write(fd_, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

int FileHandle::reserve(std::uint64_t bytes) const noexcept {
  const auto size = static_cast<off_t>(bytes);
  // Not posix_fallocate: where a file system cannot reserve, it writes to every block, and each is written twice.
  if (size > 0 && fallocate(fd_, 0, 0, size) != 0 && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
    return errno;
  return ftruncate(fd_, size) != 0 ? errno : 0;
}

int FileHandle::sync() const noexcept { return fsync(fd_) != 0 ? errno : 0; }

int FileHandle::close() noexcept {
  const int fd = std::exchange(fd_, -1);
  return fd >= 0 && ::close(fd) != 0 ? errno : 0;
}

}  // namespace atl
