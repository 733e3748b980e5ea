// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace atl {
namespace fs = std::filesystem;
namespace {

// A pipe or a terminal must not be replaced by a file.
bool is_written_in_place(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored) || fs::is_directory(path, ignored)) return false;
  if (!fs::is_regular_file(path, ignored)) return true;
  // Links of open files such as /dev/fd/63 may point to something without a path: "a.json (deleted)".
  return fs::is_symlink(path, ignored) && !fs::equivalent(path, fs::weakly_canonical(path, ignored), ignored);
}

}  // namespace

void fail_output(const std::string& path, int error, const char* what) {
  const char* remedy = "Check the path and the permissions of its folder.";
  if (error == ENOSPC || error == EDQUOT) remedy = "Make room, or write elsewhere.";
  if (error == EFBIG) remedy = "Raise the limit (ulimit -f), or write elsewhere.";
  throw IoError(fmt::format("{}: cannot be {} ({}). {}", path, what, std::generic_category().message(error), remedy));
}

std::string temporary_name(const std::string& path, int k) { return fmt::format("{}.{}-{}.part", path, getpid(), k); }

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

void sync_folder(const fs::path& folder) noexcept {
  const FileHandle entry(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  static_cast<void>(entry.sync());
}

fs::path output_target(const std::string& path) {
  std::error_code ignored;
  // A link stays, its target is replaced.
  fs::path target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : fs::path(path);
  check(!path.empty(), "the path of the output is empty. Name a file.");
  if (fs::is_directory(target, ignored))
    throw IoError(fmt::format("{}: is a folder (a file is to be written). Name a file in it.", path));
  if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored))
    throw IoError(fmt::format("{}: is no regular file (a finished file is renamed to it). Write to a file.", path));
  const fs::path folder = folder_of(target);
  if (!fs::exists(folder, ignored))
    throw IoError(fmt::format("{}: cannot be written (there is no folder {}). Make it first.", path, folder.string()));
  return target;
}

AtomicFile::AtomicFile(const std::string& path) : path_(output_target(path).string()) {
  constexpr int kMost = 100;  // that killed processes of this number may have left
  for (int k = 0; !handle_; ++k) {
    temporary_ = temporary_name(path_, k);
    handle_ = FileHandle(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!handle_ && (errno != EEXIST || k == kMost)) fail_output(path_, errno);
  }
  made_ = true;
}

AtomicFile::AtomicFile(std::string path, std::string temporary)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      handle_(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (!handle_) fail_output(path_, errno, "written by all ranks");
}

AtomicFile::~AtomicFile() {
  if (made_) ::unlink(temporary_.c_str());
}

void AtomicFile::reserve(std::uint64_t bytes) {
  if (const int error = handle_.reserve(bytes)) fail_output(path_, error);
}

void AtomicFile::write_at(const void* data, std::size_t n, std::uint64_t at) const {
  if (const int error = handle_.write_at(data, n, at)) fail_output(path_, error);
}

void AtomicFile::sync() {
  if (!handle_) return;
  if (const int error = handle_.sync()) fail_output(path_, error);
  if (const int error = handle_.close()) fail_output(path_, error);
}

void AtomicFile::commit() {
  sync();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_output(path_, errno, "put in place");
  made_ = false;
  sync_folder(folder_of(path_));
}

void check_output_path(const std::string& path) {
  if (!is_written_in_place(path)) output_target(path);
}

void write_file(const std::string& path, std::string_view text) {
  if (is_written_in_place(path)) {
    FileHandle file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    if (!file) fail_output(path, errno);
    if (const int error = file.write(text)) fail_output(path, error);
    if (const int error = file.close()) fail_output(path, error);
    return;
  }
  AtomicFile file(path);
  file.write_at(text.data(), text.size(), 0);
  file.commit();
}

}  // namespace atl
