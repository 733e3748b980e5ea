// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/file_handle.hpp>
#include <atoll/base/unpoison_pages.hpp>
#include <atoll/transport/shared_memory/shared_segment.hpp>
#include <cerrno>
#include <cstring>
#include <new>

namespace atl {
namespace {

[[noreturn]] void fail(const std::string& name, const char* what_to_do) {
  throw TransportError(fmt::format("/dev/shm{}: {} (shared memory between ranks of this node). {}", name,
                                   std::strerror(errno), what_to_do));
}

std::byte* map(const std::string& name, const FileHandle& file, std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (at == MAP_FAILED) fail(name, "Raise the limit of address space (ulimit -v), or use --node-transport none.");
  unpoison_pages(at, bytes);
  return static_cast<std::byte*>(at);
}

}  // namespace

SharedSegment::~SharedSegment() {
  if (data_) munmap(data_, bytes_);
}

SharedSegment SharedSegment::anonymous(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  unpoison_pages(at, bytes);
  SharedSegment out;
  out.data_ = static_cast<std::byte*>(at);
  out.bytes_ = bytes;
  return out;
}

SharedSegment SharedSegment::create(const std::string& name, std::size_t bytes) {
  const FileHandle file(shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (!file) fail(name, "Make /dev/shm writable, or use --node-transport none.");
  SharedSegment out;
  try {
    if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
      fail(name, "Enlarge /dev/shm, lower slot_bytes in the plan, or use --node-transport none.");
    out.data_ = map(name, file, bytes);
    out.bytes_ = bytes;
  } catch (...) {
    remove(name);
    throw;
  }
  return out;
}

SharedSegment SharedSegment::attach(const std::string& name) {
  const FileHandle file(shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0)
    fail(name,
         "Do all ranks of this node see the same /dev/shm? If they are in different containers, use "
         "--node-transport none.");
  SharedSegment out;
  out.data_ = map(name, file, static_cast<std::size_t>(status.st_size));
  out.bytes_ = static_cast<std::size_t>(status.st_size);
  return out;
}

void SharedSegment::remove(const std::string& name) noexcept { shm_unlink(name.c_str()); }

}  // namespace atl
