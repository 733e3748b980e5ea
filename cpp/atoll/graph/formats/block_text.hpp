// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/formats/blocks.hpp>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>

/// Shared by the readers of plain and compressed files: the text of a block, and the first error in it.
namespace atl {

/// Memory for a block's text; grows for a longer line.
class BlockBuffer {
 public:
  char* data() { return data_.get(); }
  std::size_t room() const { return room_; }
  // Keeps the first `used` bytes.
  void reserve(std::size_t room, std::size_t used) {
    if (room <= room_) return;
    auto larger = std::make_unique_for_overwrite<char[]>(room + kTextPadding);
    if (used > 0) std::memcpy(larger.get(), data_.get(), used);
    data_ = std::move(larger);
    room_ = room;
  }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t room_ = 0;
};

/// The first error on this rank, by its position in the text.
class FirstFailure {
 public:
  static constexpr std::uint64_t kNone = UINT64_MAX;

  std::uint64_t at() const {
    std::lock_guard hold(mutex_);
    return at_;
  }
  // Stored in the form in which it will be thrown, except for the line number, which is counted once it is known to be
  // the first error.
  void note(std::uint64_t at, std::string what) { keep(at, std::move(what), nullptr); }
  void note(std::uint64_t at, std::exception_ptr error) { keep(at, {}, std::move(error)); }
  const std::string& what() const { return what_; }
  const std::exception_ptr& error() const { return error_; }

 private:
  void keep(std::uint64_t at, std::string what, std::exception_ptr error) {
    std::lock_guard hold(mutex_);
    if (at >= at_) return;
    at_ = at;
    what_ = std::move(what);
    error_ = std::move(error);
  }
  mutable std::mutex mutex_;
  std::uint64_t at_ = kNone;
  std::string what_;
  std::exception_ptr error_;
};

/// Runs the work on a block; records an exception.
void do_block(const BlockWork& work, int thread, const Block& block, FirstFailure& failure);
std::string too_long(std::size_t longest);
/// Terminates a block: adds a missing line end and defined padding. Returns the end of its text.
char* close_text(BlockBuffer& buffer, std::size_t size);

/// The blocks of a plain file, which every rank reads, and of a compressed one, which rank 0 decompresses (`file` is
/// null on the others). Both are collective, return the number of rows like for_each_block, and record errors in
/// `failure`.
std::int64_t for_plain_blocks(World& world, const InputFile& file, const BlockPlan& plan, const BlockWork& work,
                              FirstFailure& failure);
std::int64_t for_packed_blocks(World& world, const InputFile* file, const BlockPlan& plan, const BlockWork& work,
                               FirstFailure& failure);

}  // namespace atl
