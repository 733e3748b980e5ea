// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atoll/base/file_handle.hpp>
#include <cerrno>

namespace atl {

FileHandle::~FileHandle() { close(); }

int FileHandle::close() noexcept {
  const int fd = std::exchange(fd_, -1);
  return fd >= 0 && ::close(fd) != 0 ? errno : 0;
}

}  // namespace atl
