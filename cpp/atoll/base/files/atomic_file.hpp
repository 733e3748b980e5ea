// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/files/file_handle.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace atl {

/// A file that appears whole or not at all: it is written under a temporary name beside its own.
///
///     AtomicFile file("costs.json");                 // costs.json.<process>-<k>.part
///     file.write_at(text.data(), text.size(), 0);    // any part, any thread
///     file.commit();                                 // fsync, rename, fsync of the folder
///
/// Until commit() a file of that name stays as it is; without it the destructor removes the temporary file. Several
/// writers of one name do not meet: the last commit() wins, whole. Throws IoError (output_target() too) with the path,
/// the reason and what to do.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  /// For another process that writes parts of a file that `temporary` was made for: it calls sync(), and then the one
  /// that made it commit().
  AtomicFile(std::string path, std::string temporary);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// The file that gets its name: a link's target.
  const std::string& path() const { return path_; }
  const std::string& temporary() const { return temporary_; }
  const FileHandle& handle() const { return handle_; }

  /// Makes the file that long, so that a full disk is found here.
  void reserve(std::uint64_t bytes);
  void write_at(const void* data, std::size_t n, std::uint64_t at) const;
  /// All that this process has written is on the disk; nothing can be written afterwards.
  void sync();
  void commit();

 private:
  std::string path_, temporary_;
  FileHandle handle_;
  bool made_ = false;  // the temporary file is this one's, and still there
};

/// Makes `text` the content of the file: atomically, or directly into what is no regular file, as a pipe, a terminal or
/// a link of an open file under /dev/fd.
void write_file(const std::string& path, std::string_view text);
/// Throws where write_file() could not write, as far as the path tells: to be asked before long work.
void check_output_path(const std::string& path);

/// The file that is written for `path`: a link's target. Throws where it can be none: a folder, a device, no folder for
/// it.
std::filesystem::path output_target(const std::string& path);

/// The name of the k-th temporary file or folder of this process for `path`.
std::string temporary_name(const std::string& path, int k);
std::filesystem::path folder_of(const std::filesystem::path& path);
/// The names in a folder are data too. A file system that cannot sync them loses nothing by being asked.
void sync_folder(const std::filesystem::path& folder) noexcept;

/// Throws the IoError of an output that cannot be `what`.
[[noreturn]] void fail_output(const std::string& path, int error, const char* what = "written");

}  // namespace atl
