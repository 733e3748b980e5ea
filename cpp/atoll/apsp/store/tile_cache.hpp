// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/matrix.hpp>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

/// Tiles in as much memory as is given, while all of them lie on a disk: fetched before they are used and written after,
/// by a thread of its own.
///
///     TileCache<float> cache(tiles, b * b, frames, order, {.load = read, .store = write});
///     for (std::size_t use = 0; use < order.size(); ++use) {
///       float* const tile = cache.next();        // of order[use]; waits until it is there; the one before is let go
///       ...                                      // its values may change
///     }
///     cache.finish();                            // all are stored
///
/// The order of all uses is known, so the tile that gives way is the one that is not needed for the longest time (Belady):
/// of N tiles that are passed through again and again, F in memory, about N - F are read and written in each pass, which is
/// the least. It looks kAhead uses ahead: what is fetched earlier takes the place of what is used again. The thread waits for the disk, so it is none of the team's: those compute meanwhile.
///
/// An exception of load or store is thrown again by the next call here.
namespace atl {

struct TileTransfers {
  std::size_t loaded = 0, stored = 0;  ///< tiles
  double wait_seconds = 0;             ///< that next() and finish() have waited
};

template <class T>
class TileCache {
 public:
  struct Disk {
    std::function<void(std::size_t tile, T* to)> load;
    /// `last`: it is not used again.
    std::function<void(std::size_t tile, T* from, bool last)> store;
  };

  static constexpr std::size_t kAhead = 3;
  /// Numbers of tiles below `tiles`; at least two frames, each for `values` values.
  TileCache(std::size_t tiles, std::size_t values, std::size_t frames, std::vector<std::uint32_t> order, Disk disk);
  ~TileCache();
  TileCache(const TileCache&) = delete;
  TileCache& operator=(const TileCache&) = delete;

  T* next();
  /// Whether the tile that next() gave is used again.
  bool is_last() const { return following_[current_] == kNever; }
  /// Stores all that has changed, and goes on: the tile in use stays, and may have been changed until now.
  void flush();
  /// After the last next().
  void finish();

  const TileTransfers& transfers() const { return transfers_; }

 private:
  static constexpr std::size_t kNever = SIZE_MAX, kNone = SIZE_MAX;
  struct Frame {
    T* values = nullptr;
    std::size_t tile = kNone;
    std::size_t use = kNever;  // the next one, or the one that is
    bool changed = false;
  };

  void work();
  bool fetch(std::unique_lock<std::mutex>& hold);
  bool store_last(std::unique_lock<std::mutex>& hold);
  void store(Frame& frame, std::unique_lock<std::mutex>& hold, bool last);
  template <class Condition>
  void wait(std::unique_lock<std::mutex>& hold, Condition&& condition);

  const std::vector<std::uint32_t> order_;
  std::vector<std::size_t> following_;  // [use] of the same tile, or kNever
  const Disk disk_;
  Array<T> memory_;
  std::vector<Frame> frames_;
  std::vector<std::size_t> frame_of_;  // [tile]

  std::mutex lock_;
  std::condition_variable moved_;
  std::size_t current_ = kNone;  // use, of the caller
  std::size_t ahead_ = 0;        // uses before it have their tiles here
  bool flushing_ = false, finishing_ = false, ending_ = false;
  std::exception_ptr error_;
  TileTransfers transfers_;
  std::thread thread_;
};

}  // namespace atl
