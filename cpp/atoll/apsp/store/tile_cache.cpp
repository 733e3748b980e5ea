// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/store/tile_cache.hpp>
#include <atoll/base/start_thread.hpp>
#include <atoll/base/timer.hpp>

namespace atl {

template <class T>
TileCache<T>::TileCache(std::size_t tiles, std::size_t values, std::size_t frames, std::vector<std::uint32_t> order,
                        Disk disk)
    : order_(std::move(order)), following_(order_.size(), kNever), disk_(std::move(disk)), frame_of_(tiles, kNone) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  const std::size_t step = (values + kLine - 1) / kLine * kLine;
  memory_ = Array<T>(frames * step);
  for (std::size_t f = 0; f < frames; ++f) frames_.push_back({.values = memory_.data() + f * step});
  std::vector<std::size_t> seen(tiles, kNever);
  for (std::size_t use = order_.size(); use-- > 0;) following_[use] = std::exchange(seen[order_[use]], use);
  thread_ = start_thread("the reader of tiles", [this] { work(); });
}

template <class T>
TileCache<T>::~TileCache() {
  {
    const std::lock_guard hold(lock_);
    ending_ = true;
  }
  moved_.notify_all();
  thread_.join();
}

template <class T>
template <class Condition>
void TileCache<T>::wait(std::unique_lock<std::mutex>& hold, Condition&& condition) {
  const Timer timer;
  moved_.wait(hold, [&] { return error_ || condition(); });
  transfers_.wait_seconds += timer.seconds();
  if (error_) std::rethrow_exception(error_);
}

template <class T>
T* TileCache<T>::next() {
  std::unique_lock hold(lock_);
  if (current_ != kNone) {
    Frame& before = frames_[frame_of_[order_[current_]]];
    before.use = following_[current_];
    before.changed = true;
  }
  current_ = current_ == kNone ? 0 : current_ + 1;
  moved_.notify_all();
  wait(hold, [&] { return ahead_ > current_; });
  return frames_[frame_of_[order_[current_]]].values;
}

template <class T>
void TileCache<T>::flush() {
  std::unique_lock hold(lock_);
  if (current_ != kNone) frames_[frame_of_[order_[current_]]].changed = true;
  flushing_ = true;
  moved_.notify_all();
  wait(hold, [&] { return !flushing_; });
}

template <class T>
void TileCache<T>::finish() {
  std::unique_lock hold(lock_);
  if (!order_.empty()) {
    Frame& last = frames_[frame_of_[order_[current_]]];
    last.use = kNever;
    last.changed = true;
  }
  finishing_ = true;
  moved_.notify_all();
  wait(hold, [&] { return !finishing_; });
}

template <class T>
void TileCache<T>::store(Frame& frame, std::unique_lock<std::mutex>& hold, bool last) {
  frame.changed = false;
  ++transfers_.stored;
  hold.unlock();
  disk_.store(frame.tile, frame.values, last);
  hold.lock();
}

// Loads the next tile in order that has no frame; false if that use is far ahead, or if all frames are needed earlier.
template <class T>
bool TileCache<T>::fetch(std::unique_lock<std::mutex>& hold) {
  if (ahead_ == order_.size() || ahead_ > (current_ == kNone ? 0 : current_) + kAhead) return false;
  const std::size_t tile = order_[ahead_];
  if (frame_of_[tile] == kNone) {
    Frame* given = nullptr;
    for (Frame& frame : frames_)
      if (!given || frame.use > given->use || (frame.use == given->use && frame.tile == kNone)) given = &frame;
    if (given->use < ahead_) return false;
    if (given->tile != kNone) {
      frame_of_[given->tile] = kNone;
      if (given->changed) store(*given, hold, given->use == kNever);
    }
    given->tile = tile;
    given->use = ahead_;
    ++transfers_.loaded;
    hold.unlock();
    disk_.load(tile, given->values);
    hold.lock();
    frame_of_[tile] = static_cast<std::size_t>(given - frames_.data());
  }
  ++ahead_;
  moved_.notify_all();
  return true;
}

template <class T>
bool TileCache<T>::store_last(std::unique_lock<std::mutex>& hold) {
  for (Frame& frame : frames_) {
    if (frame.tile == kNone || frame.use != kNever || !frame.changed) continue;
    store(frame, hold, true);
    return true;
  }
  return false;
}

template <class T>
void TileCache<T>::work() {
  std::unique_lock hold(lock_);
  try {
    while (!ending_) {
      if (flushing_) {
        for (Frame& frame : frames_)
          if (frame.tile != kNone && frame.changed) store(frame, hold, frame.use == kNever);
        flushing_ = false;
        moved_.notify_all();
      } else if (!fetch(hold) && !store_last(hold)) {
        finishing_ = false;
        moved_.notify_all();
        moved_.wait(hold);
      }
    }
  } catch (...) {
    if (!hold.owns_lock()) hold.lock();
    error_ = std::current_exception();
    moved_.notify_all();
  }
}

template class TileCache<float>;
template class TileCache<double>;
template class TileCache<std::int32_t>;
template class TileCache<std::uint16_t>;
template class TileCache<std::uint8_t>;

}  // namespace atl
