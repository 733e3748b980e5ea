// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atoll/base/byte_count.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/io/output_folder.hpp>
#include <atoll/io/read_file.hpp>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace atl {
namespace fs = std::filesystem;
namespace {

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

OutputFolder::OutputFolder(World& world, const std::string& path, Existing existing, const std::string& mark,
                           Earlier earlier)
    : world_(world), path_(without_slash(path)), existing_(existing) {
  world_.collective_try([&] {
    if (world_.rank() != 0) return;
    std::error_code ignored;
    check(!path_.empty(), "the path of the output is empty. Name a folder.");
    const fs::path target(path_), beside = folder_of(path_);
    if (fs::exists(target, ignored)) {
      if (existing_ == Existing::refuse)
        throw IoError(
            fmt::format("{}: is there already (nothing is written over). Remove it, or name another.", path_));
      if (!fs::exists(target / mark, ignored))
        throw IoError(fmt::format("{}: is there and has no {} (only what was written by us is replaced). Name another.",
                                  path_, mark));
    }
    if (!fs::exists(beside, ignored))
      throw IoError(
          fmt::format("{}: cannot be written (there is no folder {}). Make it first.", path_, beside.string()));
    if (earlier == Earlier::go_on) return take_over();
    for (int attempt = 0; !ours_; ++attempt) {
      temporary_ = temporary_name(path_, attempt);
      std::error_code error;
      ours_ = fs::create_directory(temporary_, error);
      if (!ours_ && (error || attempt == 100)) fail_output(path_, error ? error.value() : EEXIST);
    }
  });
  broadcast_text(world_, temporary_);
}

void OutputFolder::take_over() {
  temporary_ = path_ + ".part";
  std::error_code error;
  fs::create_directory(temporary_, error);
  held_ = FileHandle(::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held_) fail_output(path_, error ? error.value() : errno);
  if (flock(held_.get(), LOCK_EX | LOCK_NB) != 0)
    throw IoError(fmt::format("{}: another run works in {}. Wait for its end, or name another.", path_, temporary_));
  ours_ = true;
  // Temporary files that a killed run left in it (AtomicFile).
  for (const auto& entry : fs::directory_iterator(temporary_, error))
    if (entry.path().extension() == ".part") fs::remove(entry.path(), error);
}

void OutputFolder::clear() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(temporary_, error)) fs::remove_all(entry.path(), error);
  if (error) fail_output(path_, error.value());
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (ours_) fs::remove_all(temporary_, ignored);
}

FileHandle OutputFolder::open(const std::string& name, int flags) const {
  FileHandle file(::open((temporary_ + "/" + name).c_str(), flags | O_CLOEXEC, 0666));
  if (!file) fail_output(path_, errno);
  return file;
}

void OutputFolder::make(const std::vector<std::string>& folders) {
  world_.collective_try([&] {
    if (world_.rank() != 0) return;
    for (const std::string& name : folders) {
      std::error_code error;
      fs::create_directory(temporary_ + "/" + name, error);
      if (error) fail_output(path_, error.value());
    }
  });
}

const FileHandle& OutputFolder::create_shared(const std::string& name, std::uint64_t bytes) {
  world_.collective_try([&] {
    if (world_.rank() == 0) create(name, bytes);
  });
  world_.collective_try([&] {
    if (world_.rank() != 0) files_.push_back(open(name, O_RDWR));
  });
  return files_.back();
}

const FileHandle& OutputFolder::create(const std::string& name, std::uint64_t bytes) {
  files_.push_back(open(name, O_RDWR | O_CREAT | (held_ ? 0 : O_EXCL)));
  if (const int error = files_.back().reserve(bytes)) fail_output(path_, error);
  return files_.back();
}

void OutputFolder::write_at(const FileHandle& file, const void* data, std::size_t n, std::uint64_t at) const {
  if (const int error = file.write_at(data, n, at)) fail_output(path_, error);
}

void OutputFolder::write(const std::string& name, const void* data, std::size_t n) {
  FileHandle file = open(name, O_WRONLY | O_CREAT | O_EXCL);
  write_at(file, data, n, 0);
  const std::lock_guard hold(lock_);
  if (files_.size() < kSyncedEach) {
    files_.push_back(std::move(file));
  } else {
    ++written_;
    if (const int error = file.close()) fail_output(path_, error);
  }
}

void OutputFolder::commit() {
  world_.collective_try([&] {
    for (FileHandle& file : files_) {
      if (const int error = file.sync()) fail_output(path_, error);
      if (const int error = file.close()) fail_output(path_, error);
    }
    files_.clear();
    if (written_ == 0) return;
    const FileHandle folder(::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder || syncfs(folder.get()) != 0) fail_output(path_, errno);
  });
  world_.collective_try([&] {
    if (world_.rank() != 0) return;
    sync_folder(temporary_);
    std::error_code ignored;
    if (existing_ == Existing::replace && fs::exists(path_, ignored)) {
      // Both names exist at all times; afterwards the old folder has the temporary name.
      if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0)
        fail_output(path_, errno, "put in place");
      sync_folder(folder_of(path_));
      fs::remove_all(temporary_, ignored);
    } else if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0 &&
               ((errno != EINVAL && errno != ENOSYS) || ::rename(temporary_.c_str(), path_.c_str()) != 0)) {
      fail_output(path_, errno, "put in place");  // another process has created that name meanwhile
    }
    ours_ = false;
    sync_folder(folder_of(path_));
  });
}

void check_room(World& world, const std::string& path, std::uint64_t bytes, Existing existing,
                const std::string& what) {
  world.collective_try([&] {
    if (world.rank() != 0) return;
    std::error_code ignored;
    if (existing == Existing::refuse && fs::exists(path, ignored))
      throw IoError(fmt::format("{}: is there already (nothing is written over). Remove it, or name another.", path));
    struct statvfs room {};
    const fs::path folder = folder_of(without_slash(path));
    if (statvfs(folder.c_str(), &room) != 0)
      throw IoError(
          fmt::format("{}: cannot be written (there is no folder {}). Make it first.", path, folder.string()));
    const std::uint64_t free = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize;
    if (bytes > free)
      throw IoError(fmt::format(
          "{}: needs {} for {} ({} are free in {}). Make room, write elsewhere, or choose a "
          "smaller type.",
          path, bytes_text(static_cast<double>(bytes)), what, bytes_text(static_cast<double>(free)), folder.string()));
  });
}

}  // namespace atl
