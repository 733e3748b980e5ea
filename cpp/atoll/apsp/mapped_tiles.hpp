// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/distance_file_write.hpp>
#include <atoll/apsp/mapped_file.hpp>
#include <atoll/apsp/matrix.hpp>
#include <memory>
#include <string>
#include <utility>

/// A matrix whose memory is a file: for one that is larger than memory. When it is done it is a file of distances, without
/// a copy.
///
///     auto tiles = MappedTiles<float>::create(world, "d.tiles", n, 2048);   // collective; takes its room on the disk
///     tiles.tile(i, j)(r, c) = 1;                                           // any thread; rows lie one after another
///     tiles.prefetch(i, j + 1);                                             // while tile (i, j) is worked on
///     tiles.release(i, j); tiles.flush(i, j);                               // written to, and not needed for long
///     tiles.commit({.ids = ids});                                           // collective; only now it has its name
///
/// Tiles have b x b entries, the last of a side fewer, and begin at a page: those of two ranks share no page, so ranks
/// of several machines may each work on their own where the file system is shared. Between ranks that read what another
/// has written, flush() is not enough on several machines: barrier after sync().
/// Throws IoError as write_distances() does; a disk error while a tile is used ends the process (SIGBUS). Without
/// commit() nothing is left.
namespace atl {

template <class T>
class MappedTiles {
 public:
  static MappedTiles create(World& world, const std::string& path, std::int64_t n, std::int64_t block,
                            Existing existing = Existing::refuse);

  std::int64_t n() const { return order_.side.size; }
  std::int64_t block() const { return order_.side.block; }
  std::int64_t tiles() const { return order_.side.blocks(); }  ///< of a side
  MatrixView<T> tile(std::int64_t i, std::int64_t j) const {
    const std::int64_t width = order_.side.length_of(j);
    return {reinterpret_cast<T*>(file_.data() + order_.begin_of(i, j)), order_.side.length_of(i), width, width};
  }
  /// Entry by place: slow, for tests and single questions.
  T& operator()(std::int64_t i, std::int64_t j) const {
    return tile(order_.side.block_of(i), order_.side.block_of(j))(i % block(), j % block());
  }

  /// Hints, of microseconds; flush() takes longer while the disk has more to do than it can queue.
  void prefetch(std::int64_t i, std::int64_t j) const { file_.will_need(order_.begin_of(i, j), order_.bytes_of(i, j)); }
  /// Both in pieces, 0 .. pieces(i, j) - 1: for a thread that has something else to do in between.
  static constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  std::int64_t pieces(std::int64_t i, std::int64_t j) const {
    return static_cast<std::int64_t>((order_.bytes_of(i, j) + kPiece - 1) / kPiece);
  }
  void prefetch_piece(std::int64_t i, std::int64_t j, std::int64_t piece) const {
    const auto [at, bytes] = piece_of(i, j, piece);
    file_.will_need(at, bytes);
  }
  void flush_piece(std::int64_t i, std::int64_t j, std::int64_t piece) const {
    const auto [at, bytes] = piece_of(i, j, piece);
    file_.start_writing(at, bytes);
  }
  void flush(std::int64_t i, std::int64_t j) const {
    file_.start_writing(order_.begin_of(i, j), order_.bytes_of(i, j));
  }
  void release(std::int64_t i, std::int64_t j) const { file_.release(order_.begin_of(i, j), order_.bytes_of(i, j)); }

  /// All that this rank has written is on the disk. IoError, of this rank alone.
  void sync() const;
  /// Writes ids and arcs beside the tiles and gives the folder its name. options.element and zstd_level do not count.
  /// The tiles can still be used. Collective.
  void commit(const DistanceGraph& graph = {}, const DistanceFileOptions& options = {});
  std::uint64_t bytes() const { return file_.bytes(); }

 private:
  std::pair<std::uint64_t, std::uint64_t> piece_of(std::int64_t i, std::int64_t j, std::int64_t piece) const {
    const std::uint64_t from = static_cast<std::uint64_t>(piece) * kPiece;
    return {order_.begin_of(i, j) + from, std::min(kPiece, order_.bytes_of(i, j) - from)};
  }
  MappedTiles(World& world, const std::string& path, std::int64_t n, std::int64_t block, Existing existing);

  World* world_;
  std::unique_ptr<OutputFolder> folder_;
  TileOrder order_;
  FileHandle handle_;
  MappedFile file_;
};

}  // namespace atl
