// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atoll/apsp/mapped_file.hpp>
#include <atoll/base/error.hpp>
#include <atoll/graph/read_file.hpp>
#include <cerrno>
#include <system_error>

namespace atl {
namespace {

char* map(int file, std::uint64_t bytes, int protection, const std::string& path) {
  void* p = mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
  if (p == MAP_FAILED)
    throw IoError(fmt::format("{}: its {} bytes cannot be mapped ({}). Copy it to a local disk, or raise ulimit -v.",
                              path, bytes, std::generic_category().message(errno)));
  return static_cast<char*>(p);
}

// The whole pages that have a part in [at, at + n).
std::pair<std::uint64_t, std::uint64_t> pages_of(std::uint64_t at, std::uint64_t n) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = at / page * page;
  return {begin, at + n - begin};
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const InputFile file(path);
  bytes_ = file.bytes();
  data_ = map(file.fd(), bytes_, PROT_READ, path);
}

MappedFile::MappedFile(int file, std::uint64_t bytes, const std::string& path)
    : data_(map(file, bytes, PROT_READ | PROT_WRITE, path)), bytes_(bytes), file_(file) {}

MappedFile::~MappedFile() {
  if (data_) munmap(data_, bytes_);
}

void MappedFile::will_need(std::uint64_t at, std::uint64_t n) const {
  const auto [begin, size] = pages_of(at, n);
  madvise(data_ + begin, size, MADV_WILLNEED);
}

void MappedFile::release(std::uint64_t at, std::uint64_t n) const {
  const auto [begin, size] = pages_of(at, n);
  madvise(data_ + begin, size, MADV_DONTNEED);  // of a shared mapping: nothing is lost
}

void MappedFile::start_writing(std::uint64_t at, std::uint64_t n) const {
  // msync(MS_ASYNC) does nothing on Linux.
  const auto [begin, size] = pages_of(at, n);
  sync_file_range(file_, static_cast<off_t>(begin), static_cast<off_t>(size), SYNC_FILE_RANGE_WRITE);
}

}  // namespace atl
