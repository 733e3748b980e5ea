// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/store/distance_sides.hpp>
#include <atoll/matrix/matrix.hpp>
#include <memory>
#include <string>
#include <vector>

/// A matrix in a file of tiles, for matrices larger than memory. When complete, it is a distance file without a copy.
/// If its run ends before, it can be resumed.
///
///     TileFile<float> tiles(world, "d.tiles", n, 2048, run);    // reserves the disk space; "d.tiles.part" until commit()
///     std::int64_t step = tiles.next_step();                    // 0, or the step an earlier run has recorded
///     tiles.write(i, j, values.data());                         // any thread; row-major
///     tiles.note(step + 1);                                     // syncs to disk and records that a step is done
///     tiles.commit({.ids = ids});                               // gives it its name
///
/// For one rank. Tiles have b x b entries, the last of a side fewer. They are read and written by calls, not through a
/// mapping: a failing disk is an IoError and not a signal, and there are no page faults. Throws IoError like
/// write_distances(). After keep(), or if the process is killed, the folder with the ending .part remains; otherwise
/// nothing does.
namespace atl {

template <class T>
class TileFile {
 public:
  /// `run` identifies the run: a file of another run is rejected (InputError). If an earlier run has left a file and
  /// recorded a step in it, this run resumes there, with the same tile side; otherwise it starts anew.
  TileFile(World& world, const std::string& path, std::int64_t n, std::int64_t block, std::uint64_t run,
           Existing existing = Existing::refuse);

  std::int64_t n() const { return order_.side.size; }
  std::int64_t block() const { return order_.side.block; }
  std::int64_t tiles() const { return order_.side.blocks(); }  ///< of a side
  std::int64_t length(std::int64_t i) const { return order_.side.length_of(i); }
  std::uint64_t bytes() const { return order_.bytes(); }
  std::int64_t next_step() const { return next_step_; }

  void read(std::int64_t i, std::int64_t j, T* to) const;
  /// Starts writing to the disk at once.
  void write(std::int64_t i, std::int64_t j, const T* from) const;

  /// Syncs everything written to the disk, then records that steps before `next_step` are done. A record is written
  /// atomically.
  void note(std::int64_t next_step);
  /// Keeps the folder, so that the run can be resumed.
  void keep() { folder_->keep(); }
  /// Writes ids and arcs beside the tiles and gives the folder its name. options.element and zstd_level do not count.
  void commit(const DistanceGraph& graph = {}, const DistanceFileOptions& options = {});

 private:
  std::optional<nlohmann::json> read_note() const;

  World& world_;
  std::unique_ptr<OutputFolder> folder_;
  TileOrder order_;
  std::uint64_t run_;
  const FileHandle* file_ = nullptr;  // the folder's
  std::unique_ptr<ChecksumFile> checksums_;
  std::int64_t next_step_ = 0;
};

}  // namespace atl
