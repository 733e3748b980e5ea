// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/store/distance_file_write.hpp>
#include <atoll/matrix/matrix.hpp>
#include <memory>
#include <string>

/// A matrix in a file, tile by tile: for one that is larger than memory. When it is done it is a file of distances, without
/// a copy; when its run ends before, it can be gone on with.
///
///     TileFile<float> tiles(world, "d.tiles", n, 2048, run);    // takes its room on the disk; "d.tiles.part" until commit()
///     std::int64_t step = tiles.next_step();                    // 0, or what a run that ended before has noted
///     tiles.write(i, j, values.data());                         // any thread; rows lie one after another
///     tiles.note(step + 1);                                     // what is written is on the disk, and a step is done
///     tiles.commit({.ids = ids});                               // only now it has its name
///
/// For one rank. Tiles have b x b entries, the last of a side fewer. Read and written by calls, not through a mapping: a
/// disk that fails is an IoError and not a signal, and no page is faulted in or protected again.
/// Throws IoError as write_distances() does. What is left behind: after keep(), or where the process was killed, the folder
/// with the ending .part; else nothing.
namespace atl {

template <class T>
class TileFile {
 public:
  /// `run` says what the values are of, in numbers: a file of another run is refused (InputError). What a run that ended
  /// has left is gone on with, in its tiles' side, where it has noted a step; else begun anew.
  TileFile(World& world, const std::string& path, std::int64_t n, std::int64_t block, std::uint64_t run,
           Existing existing = Existing::refuse);

  std::int64_t n() const { return order_.side.size; }
  std::int64_t block() const { return order_.side.block; }
  std::int64_t tiles() const { return order_.side.blocks(); }  ///< of a side
  std::int64_t length(std::int64_t i) const { return order_.side.length_of(i); }
  std::uint64_t bytes() const { return order_.bytes(); }
  std::int64_t next_step() const { return next_step_; }

  void read(std::int64_t i, std::int64_t j, T* to) const;
  /// It goes on its way to the disk at once.
  void write(std::int64_t i, std::int64_t j, const T* from) const;

  /// Once all that was written is on the disk: steps before this one are done. A note is whole or is not there.
  void note(std::int64_t next_step);
  /// The run may be gone on with later.
  void keep() { folder_->keep(); }
  /// Writes ids and arcs beside the tiles and gives the folder its name. options.element and zstd_level do not count.
  void commit(const DistanceGraph& graph = {}, const DistanceFileOptions& options = {});

 private:
  std::optional<nlohmann::json> read_note() const;
  [[noreturn]] void fail(const char* what, int error) const;

  World& world_;
  std::unique_ptr<OutputFolder> folder_;
  TileOrder order_;
  std::uint64_t run_;
  int file_ = -1;  // the folder's
  std::int64_t next_step_ = 0;
};

}  // namespace atl
