// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/files/file_handle.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

/// A folder that all ranks write files into; it appears complete or not at all. All ranks must see its file system.
///
///     OutputFolder folder(world, "d.zarr", Existing::refuse, ".zgroup");   // collective: a temporary folder beside it
///     const FileHandle& all = folder.create_shared("tiles.bin", bytes);    // collective: one file with its disk space
///     world.collective_try([&] {
///       folder.write_at(all, data, n, at);                                 // any thread
///       folder.write("distance/3.4", data, n);                             // a whole file of this rank's; any thread
///     });
///     folder.commit();                                                     // collective: sync, rename
///
/// Collective calls throw the same IoError on every rank; messages name the final path. Without commit() the destructor
/// of rank 0 removes the temporary folder; it is not collective.
namespace atl {

/// The action if the name is taken: throw IoError, or replace it once the new one is complete.
enum class Existing { refuse, replace };

class OutputFolder {
 public:
  /// The action on a temporary folder of an earlier run. go_on: take it over; its name is `path`.part, and one
  /// process at a time may hold it.
  enum class Earlier : bool { ignore, go_on };

  /// `mark` is a file that a folder must have to be replaced: what is not ours is never removed.
  OutputFolder(World& world, const std::string& path, Existing existing, const std::string& mark,
               Earlier earlier = Earlier::ignore);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// The folder being written.
  const std::string& temporary() const { return temporary_; }
  const std::string& path() const { return path_; }
  /// Creates folders in it. Collective.
  void make(const std::vector<std::string>& folders);
  /// A file for all ranks, with its disk space allocated; the folder keeps the handle until commit(). Collective.
  const FileHandle& create_shared(const std::string& name, std::uint64_t bytes);
  /// A file that only this rank writes.
  const FileHandle& create(const std::string& name, std::uint64_t bytes);
  void write_at(const FileHandle& file, const void* data, std::size_t n, std::uint64_t at) const;
  void write(const std::string& name, const void* data, std::size_t n);
  void commit();
  /// Leaves the temporary folder behind on destruction.
  void keep() { ours_ = false; }
  /// Removes its contents. Called on rank 0 only.
  void clear();

 private:
  void take_over();
  FileHandle open(const std::string& name, int flags) const;

  // With more files than this per rank, sync the whole file system: one journal commit per file would take longer.
  static constexpr std::size_t kSyncedEach = 8;
  World& world_;
  std::string path_, temporary_;
  const Existing existing_;
  FileHandle held_;               // the temporary folder, locked, if it may be resumed
  std::deque<FileHandle> files_;  // whose addresses stay valid
  std::mutex lock_;               // of files_ and written_, in write()
  std::size_t written_ = 0;       // number of files already closed
  bool ours_ = false;             // this rank made the temporary folder, and it is still there
};

/// Throws IoError, the same on every rank, if `path` exists and existing is refuse, or if its file system has less than
/// `bytes` free; the message has both numbers and `what` (such as "the distances of 38113 vertices as float32").
/// Collective; call it before a long computation too.
void check_room(World& world, const std::string& path, std::uint64_t bytes, Existing existing, const std::string& what);

}  // namespace atl
