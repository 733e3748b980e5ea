// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace atl {

class World;

/// Records longer than a slot. The sender cuts them into pieces, the receiver reassembles them. They take one hop,
/// because aggregating such records gains nothing.
class Pieces {
 public:
  using Whole = void (*)(void* box, Rank from, std::uint32_t epoch, const std::byte* record);

  /// Collective by order, like a declaration. `whole` runs where handlers run, with each complete record.
  Pieces(World& world, std::size_t record_bytes, Whole whole, void* box);
  ~Pieces();
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  /// Waits while the fabric is busy, so not inside handlers. Any thread of the team.
  void send(Rank to, std::uint32_t epoch, const std::byte* record);

 private:
  struct Piece {
    std::uint64_t record;  // the sender's sequence number
    std::uint64_t offset;
  };
  struct Partial {
    Rank from;
    std::uint64_t record;
    std::atomic<std::size_t> missing;
    std::unique_ptr<std::byte[]> bytes;
  };
  static void deliver(void* self, Rank from, std::uint32_t epoch, const std::byte* data, std::size_t bytes);
  Partial& partial(Rank from, std::uint64_t record);
  std::unique_ptr<Partial> take_out(const Partial& done);

  World& world_;
  const std::size_t record_bytes_;
  const Whole whole_;
  void* const box_;
  std::uint32_t channel_ = 0;
  std::atomic<std::uint64_t> next_record_{0};
  SpinLock lock_;
  std::vector<std::unique_ptr<Partial>> partials_;  // incomplete records, at most one per sending thread
};

}  // namespace atl
