// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/io/mapped_file.hpp>
#include <atoll/io/read_file.hpp>
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

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const InputFile file(path);
  bytes_ = file.bytes();
  data_ = map(file.fd(), bytes_, PROT_READ, path);
}

MappedFile::~MappedFile() {
  if (data_) munmap(data_, bytes_);
}

}  // namespace atl
