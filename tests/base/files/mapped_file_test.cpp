// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/mapped_file.hpp>

#include "folder.hpp"

using namespace atl;

TEST_CASE("a mapped file is its bytes, read or written, also after its handle has closed") {
  files::Folder folder;
  const std::string path = folder.write("a", "0123456789");
  const auto map = [&](std::size_t bytes, MappedFile::Access access) {
    return MappedFile(FileHandle(open(path.c_str(), O_RDWR | O_CLOEXEC)), bytes, access, path);
  };
  const MappedFile shown = map(10, MappedFile::Access::read);
  {
    MappedFile changed = map(4, MappedFile::Access::read_write);
    changed.data()[3] = 'x';
    MappedFile moved = std::move(changed);
    CHECK(changed.data() == nullptr);
    moved.data()[0] = 'y';
    CHECK(moved.bytes() == 4);
  }
  CHECK(std::string(shown.data(), shown.bytes()) == "y12x456789");
  CHECK(files::content(path) == "y12x456789");
  CHECK_THROWS_WITH_AS(map(0, MappedFile::Access::read),
                       (path + ": its 0 bytes cannot be mapped (Invalid argument). Copy it to a local disk, or raise "
                               "ulimit -v.")
                           .c_str(),
                       IoError);
}
