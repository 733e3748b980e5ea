// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/matrix.hpp>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

/// A cache of tiles that lie on a disk. A thread of its own loads tiles before they are used and stores them
/// afterwards.
///
///     TileCache<float> cache(tiles, b * b, frames, order, {.load = read, .store = write});
///     for (std::size_t use = 0; use < order.size(); ++use) {
///       float* const tile = cache.next();        // of order[use]; waits until it is loaded; releases the previous one
///       ...                                      // its values may change
///     }
///     cache.finish();                            // all are stored
///
/// The order of all uses is known, so the cache evicts the tile whose next use is furthest away (Belady). Of N tiles
/// used cyclically with F in memory, about N - F are read and written in each pass, which is the minimum. It prefetches
/// kAhead uses ahead; loading earlier would evict tiles that are needed before. The thread waits for the disk, so it is
/// separate from the team, which computes meanwhile.
///
/// The next call here rethrows an exception of load or store.
namespace atl {

struct TileTransfers {
  std::size_t loaded = 0, stored = 0;  ///< tiles
  double wait_seconds = 0;             ///< spent waiting in next() and finish()
};

template <class T>
class TileCache {
 public:
  struct Disk {
    std::function<void(std::size_t tile, T* to)> load;
    /// `last`: the tile is not used again.
    std::function<void(std::size_t tile, T* from, bool last)> store;
  };

  static constexpr std::size_t kAhead = 3;
  /// Tile numbers in `order` are below `tiles`. At least two frames, each for `values` values.
  TileCache(std::size_t tiles, std::size_t values, std::size_t frames, std::vector<std::uint32_t> order, Disk disk);
  ~TileCache();
  TileCache(const TileCache&) = delete;
  TileCache& operator=(const TileCache&) = delete;

  T* next();
  /// Whether the current tile is used for the last time.
  bool is_last() const { return following_[current_] == kNever; }
  /// Stores all changed tiles. The current tile stays, with its changes so far.
  void flush();
  /// Stores everything; call it after the last next().
  void finish();

  const TileTransfers& transfers() const { return transfers_; }

 private:
  static constexpr std::size_t kNever = SIZE_MAX, kNone = SIZE_MAX;
  struct Frame {
    T* values = nullptr;
    std::size_t tile = kNone;
    std::size_t use = kNever;  // the next use, or the current one
    bool changed = false;
  };

  void work();
  bool fetch(std::unique_lock<std::mutex>& hold);
  bool store_last(std::unique_lock<std::mutex>& hold);
  void store(Frame& frame, std::unique_lock<std::mutex>& hold, bool last);
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& hold, Condition&& condition);

  const std::vector<std::uint32_t> order_;
  std::vector<std::size_t> following_;  // [use] next use of the same tile, or kNever
  const Disk disk_;
  Array<T> memory_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> frame_of_;  // [tile]

  std::mutex lock_;
  std::condition_variable moved_;
  std::size_t current_ = kNone;  // use of the caller
  std::size_t ahead_ = 0;        // tiles of all uses before this are loaded
  bool flushing_ = false, finishing_ = false, ending_ = false;
  std::exception_ptr error_;
  TileTransfers transfers_;
  std::thread thread_;
};

}  // namespace atl
