// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/io/write_file.hpp>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace atl {
namespace fs = std::filesystem;

fs::path output_target(const std::string& path) {
  std::error_code ignored;
  // A link is kept and its target replaced.
  fs::path target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : fs::path(path);
  check(!path.empty(), "the path of the output is empty. Name a file.");
  if (fs::is_directory(target, ignored))
    throw IoError(fmt::format("{}: is a folder (a file is to be written). Name a file in it.", path));
  if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored))
    throw IoError(fmt::format("{}: is no regular file (a finished file is renamed to it). Write to a file.", path));
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::exists(folder, ignored))
    throw IoError(fmt::format("{}: cannot be written (there is no folder {}). Make it first.", path, folder.string()));
  return target;
}

OutputFile::OutputFile(World& world, const std::string& path) : world_(world), path_(path) {
  world_.collective_try([&] {
    if (world_.rank() != 0) return;
    path_ = output_target(path).string();
    for (int attempt = 0; handle_.get() < 0; ++attempt) {
      temporary_ = fmt::format("{}.{}-{}.part", path_, getpid(), attempt);
      handle_ = FileHandle(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (handle_.get() < 0 && (errno != EEXIST || attempt == 100)) fail("written", errno);
    }
    ours_ = true;
  });
  broadcast_text(world_, path_);
  broadcast_text(world_, temporary_);
  world_.collective_try([&] {
    if (world_.rank() == 0) return;
    handle_ = FileHandle(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC));
    if (handle_.get() < 0) fail("written by all ranks", errno);
  });
}

OutputFile::~OutputFile() {
  if (ours_) ::unlink(temporary_.c_str());
}

void OutputFile::fail(const char* what, int error) const {
  const char* remedy = "Check the path and the permissions of its folder.";
  if (error == ENOSPC || error == EDQUOT) remedy = "Make room, or write elsewhere.";
  throw IoError(fmt::format("{}: cannot be {} ({}). {}", path_, what, std::generic_category().message(error), remedy));
}

void OutputFile::reserve(std::uint64_t bytes) {
  world_.collective_try([&] {
    if (world_.rank() != 0 || bytes == 0) return;
    if (fallocate(handle_.get(), 0, 0, static_cast<off_t>(bytes)) != 0 && errno != EOPNOTSUPP && errno != ENOSYS &&
        errno != EINVAL)
      fail("written", errno);
    if (ftruncate(handle_.get(), static_cast<off_t>(bytes)) != 0) fail("written", errno);
  });
}

void OutputFile::write_at(const void* data, std::size_t n, std::uint64_t at) const {
  const auto* p = static_cast<const char*>(data);
  while (n > 0) {
    const ssize_t done = pwrite(handle_.get(), p, n, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("written", done < 0 ? errno : ENOSPC);
    p += done;
    n -= static_cast<std::size_t>(done);
    at += static_cast<std::uint64_t>(done);
  }
}

void OutputFile::commit() {
  world_.collective_try([&] {
    if (fsync(handle_.get()) != 0) fail("written", errno);
    if (const int error = handle_.close()) fail("written", error);
  });
  world_.collective_try([&] {
    if (world_.rank() != 0) return;
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("put in place", errno);
    ours_ = false;
    // A folder's entry must be synced too; file systems that cannot sync a folder ignore the request.
    const fs::path folder = fs::path(path_).has_parent_path() ? fs::path(path_).parent_path() : fs::path(".");
    const FileHandle entry(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (entry.get() >= 0) ::fsync(entry.get());
  });
}

}  // namespace atl
