// SPDX-License-Identifier: Apache-2.0
#include <atoll/io/read_file.hpp>
#include <atoll/io/write_file.hpp>

namespace atl {

OutputFile::OutputFile(World& world, const std::string& path) : world_(world) {
  std::string target, temporary;
  world_.collective_try([&] {
    if (world_.rank() != 0) return;
    file_.emplace(path);
    target = file_->path();
    temporary = file_->temporary();
  });
  broadcast_text(world_, target);
  broadcast_text(world_, temporary);
  world_.collective_try([&] {
    if (world_.rank() != 0) file_.emplace(target, temporary);
  });
}

void OutputFile::reserve(std::uint64_t bytes) {
  world_.collective_try([&] {
    if (world_.rank() == 0) file_->reserve(bytes);
  });
}

void OutputFile::commit() {
  world_.collective_try([&] { file_->sync(); });
  world_.collective_try([&] {
    if (world_.rank() == 0) file_->commit();
  });
}

}  // namespace atl
