// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/mapped_file.hpp>
#include <cerrno>
#include <system_error>

namespace atl {

MappedFile::MappedFile(const FileHandle& file, std::size_t bytes, Access access, const std::string& path)
    : bytes_(bytes) {
  const int protection = access == Access::read ? PROT_READ : PROT_READ | PROT_WRITE;
  void* p = mmap(nullptr, bytes, protection, MAP_SHARED, file.get(), 0);
  if (p == MAP_FAILED)
    throw IoError(fmt::format("{}: its {} bytes cannot be mapped ({}). Copy it to a local disk, or raise ulimit -v.",
                              path, bytes, std::generic_category().message(errno)));
  data_ = static_cast<char*>(p);
}

MappedFile::~MappedFile() {
  if (data_) munmap(data_, bytes_);
}

}  // namespace atl
