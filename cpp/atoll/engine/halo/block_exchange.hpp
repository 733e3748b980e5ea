// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/halo_plan.hpp>
#include <atoll/engine/halo/value_blocks.hpp>

namespace atl {

/// Moves the values of rows directly between two ranks that share them, in blocks: up to the owners, down to the
/// copies. Messages hold as many rows as fit a slot, or one each where they are not `coalesced`.
///
///     BlockExchange<float> exchange(world, plan->reduced(), plan->broadcast(), RowWidth(32));
///     exchange.up(values, &changed, [&](std::size_t position, float value) { ... });   // receiver, any thread
///     exchange.down(values, nullptr, [&](std::size_t position, float value) { ... });  // nullptr: all values
///
/// All are collective, as is the constructor.
template <Plain T>
class BlockExchange {
 public:
  [[gnu::cold]] BlockExchange(World& world, const HaloDirection& up, const HaloDirection& down, RowWidth width,
                              bool coalesced = true)
      : up_rows_(up), down_rows_(down), width_(width) {
    std::size_t capacity = NeighborAlltoallv::capacity_for(
        world, std::max(up.max_shared_rows, down.max_shared_rows) * width.values() * sizeof(T));
    if (!coalesced) capacity = std::min(capacity, Blocks::kHeadBytes + width.values() * sizeof(T));
    blocks_ = Blocks::that_fit(capacity, coalesced ? kGrain : width.values());
    scratch_.resize(static_cast<std::size_t>(world.team().size()));
    up_.emplace(world, capacity, blocks_of(up.copies), blocks_of(up.owned));
    down_.emplace(world, capacity, blocks_of(down.owned), blocks_of(down.copies));
  }

  /// Sends the changed values of copies (null: of all) to the owners.
  template <class Put>
  void up(const T* values, const VertexBits* changed, Put&& put) {
    exchange(*up_, up_rows_.copies, up_rows_.owned, values, changed, put);
  }
  /// Sends the changed values of owned rows (null: of all) to the copies.
  template <class Put>
  void down(const T* values, const VertexBits* changed, Put&& put) {
    exchange(*down_, down_rows_.owned, down_rows_.copies, values, changed, put);
  }
  /// All values of owned rows to the copies. Those of a range are contiguous, as in a message.
  void copy_down(T* values);
  /// The same of values that are anywhere: from(row) is where those of a local row begin, into(row) where those of a copy
  /// do. overlap() as in NeighborAlltoallv::exchange.
  template <class From, class Into, class Overlap>
  void copy_rows_down(From&& from, Into&& into, Overlap&& overlap);

  const HaloDirection& up_rows() const { return up_rows_; }
  const HaloDirection& down_rows() const { return down_rows_; }
  /// Whether no two blocks share a word of changed bits at copies that begin at multiples of 64 rows.
  bool blocks_have_whole_words() const { return blocks_.size() % 64 == 0; }
  /// Adds the heads of the blocks in which rows travel to the bytes that this rank sends.
  void add_heads(const World& world, const std::vector<HaloRows>& sent, std::vector<HaloTraffic>& levels) const {
    const std::vector<std::size_t> blocks = blocks_of(sent);
    for (std::size_t r = 0; r < blocks.size(); ++r)
      levels[world.level_to(static_cast<Rank>(r))].bytes += blocks[r] * Blocks::kHeadBytes;
  }
  std::size_t memory_bytes() const {
    std::size_t bytes = up_->memory_bytes() + down_->memory_bytes();
    for (const EncodeScratch& scratch : scratch_) bytes += scratch.memory_bytes();
    return bytes;
  }

 private:
  // Maximum number of values that a thread of the team writes at a time.
  static constexpr std::size_t kGrain = std::size_t{1} << 15;
  using Blocks = ValueBlocks<T>;
  using EncodeScratch = typename Blocks::EncodeScratch;

  std::vector<std::size_t> blocks_of(const std::vector<HaloRows>& rows) const {
    std::vector<std::size_t> values;
    for (const HaloRows& of_rank : rows) values.push_back(of_rank.size() * width_.values());
    return blocks_.counts(values);
  }
  template <class Read>
  void exchange_blocks(NeighborAlltoallv& alltoallv, const std::vector<HaloRows>& out, const std::vector<HaloRows>& in,
                       const T* values, const VertexBits* changed, Read&& read);
  template <class Put>
  void exchange(NeighborAlltoallv& alltoallv, const std::vector<HaloRows>& out, const std::vector<HaloRows>& in,
                const T* values, const VertexBits* changed, Put&& put) {
    exchange_blocks(
        alltoallv, out, in, values, changed,
        [&](const HaloPositions& positions, std::span<const std::byte> part) { blocks_.read(part, positions, put); });
  }

  const HaloDirection &up_rows_, &down_rows_;
  const RowWidth width_;
  Blocks blocks_;
  std::optional<NeighborAlltoallv> up_, down_;
  std::vector<EncodeScratch> scratch_;  // [thread]
};

// ---------------------------------------------------------------------------------------------------------------------

template <Plain T>
template <class Read>
void BlockExchange<T>::exchange_blocks(NeighborAlltoallv& alltoallv, const std::vector<HaloRows>& out,
                                       const std::vector<HaloRows>& in, const T* values, const VertexBits* changed,
                                       Read&& read) {
  alltoallv.exchange(
      [&](int thread, NeighborAlltoallv::Writer& writer, Rank to, std::size_t block) {
        const HaloPositions positions(out[to], width_);
        const std::size_t begin = block * blocks_.size(), end = std::min(positions.size(), begin + blocks_.size());
        if (changed) {
          blocks_.write(writer, positions, *changed, begin, end, values, scratch_[thread]);
        } else {
          blocks_.write_all(writer, positions, begin, end, values);
        }
      },
      [&](Rank from, std::span<const std::byte> part) { read(HaloPositions(in[from], width_), part); });
}

template <Plain T>
void BlockExchange<T>::copy_down(T* values) {
  exchange_blocks(
      *down_, down_rows_.owned, down_rows_.copies, values, nullptr,
      [&](const HaloPositions& positions, std::span<const std::byte> part) {
        if (!positions.is_range())
          return blocks_.read(part, positions, [&](std::size_t position, const T& value) { values[position] = value; });
        blocks_.for_blocks(
            part, positions.size(),
            [&](std::size_t begin, std::size_t, typename Blocks::Encoding, std::size_t count, const std::byte* from) {
              std::memcpy(&values[positions.at(begin)], from, count * sizeof(T));
            });
      });
}

template <Plain T>
template <class From, class Into, class Overlap>
void BlockExchange<T>::copy_rows_down(From&& from, Into&& into, Overlap&& overlap) {
  down_->exchange(
      [&](int, NeighborAlltoallv::Writer& writer, Rank to, std::size_t block) {
        const HaloPositions positions(down_rows_.owned[to], width_);
        const std::size_t begin = block * blocks_.size(), end = std::min(positions.size(), begin + blocks_.size());
        blocks_.write_rows(writer, positions, begin, end, from);
      },
      [&](Rank rank, std::span<const std::byte> part) {
        const HaloPositions positions(down_rows_.copies[rank], width_);
        blocks_.for_blocks(
            part, positions.size(),
            [&](std::size_t begin, std::size_t end, typename Blocks::Encoding, std::size_t, const std::byte* values) {
              positions.for_runs(begin, end,
                                 [&](std::size_t k, std::size_t row, std::size_t column, std::size_t count) {
                                   std::memcpy(into(row) + column, values + (k - begin) * sizeof(T), count * sizeof(T));
                                 });
            });
      },
      overlap);
}

}  // namespace atl
