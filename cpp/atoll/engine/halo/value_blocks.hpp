// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/halo_rows.hpp>
#include <atoll/engine/neighbor_alltoallv.hpp>
#include <bit>
#include <cstring>

namespace atl {

/// Encodes values for NeighborAlltoallv, in blocks that fit a part. Only changed values of a block are sent, in the
/// shortest of four encodings: nothing, bits and values, offsets and values, all values. There are no ids: both ends
/// know the order.
///
///     const auto blocks = ValueBlocks<float>::that_fit(capacity, 1 << 15);
///     blocks.write(writer, positions, changed, begin, end, values.data(), scratch);
///     blocks.read(part, positions, [&](std::size_t position, float value) { ... });      // positions of the receiver
template <Plain T>
class ValueBlocks {
 public:
  enum class Encoding : std::uint32_t { bits, offsets, all };
  /// The changed values of a block, before its encoding is known.
  struct EncodeScratch {
    std::vector<T> values;
    std::vector<std::uint32_t> offsets;
    std::size_t memory_bytes() const {
      return values.capacity() * sizeof(T) + offsets.capacity() * sizeof(std::uint32_t);
    }
  };

  /// No blocks.
  ValueBlocks() = default;
  /// Blocks of as many values as fit a part, but at most `most`.
  static ValueBlocks that_fit(std::size_t capacity, std::size_t most) {
    ValueBlocks blocks;
    blocks.size_ = std::min(most, (capacity - sizeof(Head)) / sizeof(T));
    if (blocks.size_ > 64 && blocks.size_ < most)
      blocks.size_ -= blocks.size_ % 64;  // so that blocks share no word of bits
    return blocks;
  }
  static constexpr std::size_t kHeadBytes = 8;  ///< of a block, beside its values
  /// Values per block.
  std::size_t size() const { return size_; }
  /// [i] number of blocks for values[i] values.
  std::vector<std::size_t> counts(const std::vector<std::size_t>& values) const {
    std::vector<std::size_t> blocks;
    for (const std::size_t n : values) blocks.push_back((n + size_ - 1) / size_);
    return blocks;
  }

  /// Writes the changed ones of a block's values [begin, end) in the shortest encoding.
  void write(NeighborAlltoallv::Writer& writer, const HaloPositions& positions, const VertexBits& changed,
             std::size_t begin, std::size_t end, const T* values, EncodeScratch& scratch) const;
  void write_all(NeighborAlltoallv::Writer& writer, const HaloPositions& positions, std::size_t begin, std::size_t end,
                 const T* values) const;
  /// The same of values that are anywhere: row_at(row) is where those of a local row begin.
  template <class RowAt>
  void write_rows(NeighborAlltoallv::Writer& writer, const HaloPositions& positions, std::size_t begin, std::size_t end,
                  RowAt&& row_at) const;
  /// Calls f(begin, end, encoding, count, values) for each block of a part; `all`: number of values of the pair of
  /// ranks.
  template <class F>
  void for_blocks(std::span<const std::byte> part, std::size_t all, F&& f) const;
  /// Calls f(position, value) for each value that write() has written.
  template <class F>
  void read(std::span<const std::byte> part, const HaloPositions& positions, F&& f) const;

 private:
  // Header of a block in a part; blocks without changed values are omitted. The values follow, then their bits or
  // offsets.
  struct Head {
    std::uint32_t block;
    std::uint32_t what;  // encoding and count
    Encoding encoding() const { return static_cast<Encoding>(what & 3); }
    std::size_t count() const { return what >> 2; }
  };
  static_assert(sizeof(Head) == kHeadBytes);

  std::size_t size_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------

template <Plain T>
void ValueBlocks<T>::write(NeighborAlltoallv::Writer& writer, const HaloPositions& positions, const VertexBits& changed,
                           std::size_t begin, std::size_t end, const T* values, EncodeScratch& scratch) const {
  const std::size_t all = end - begin;
  auto& [sent, offsets] = scratch;
  sent.resize(std::max(sent.size(), all));
  offsets.resize(std::max(offsets.size(), all));
  std::size_t count = 0;
  positions.for_changed(changed, begin, end, [&](std::size_t k, std::size_t position) {
    sent[count] = values[position];
    offsets[count++] = static_cast<std::uint32_t>(k - begin);
  });
  if (count == 0) return;
  const std::size_t bit_bytes = (all + 7) / 8, offset_bytes = count * sizeof(std::uint32_t),
                    where_bytes = std::min(bit_bytes, offset_bytes);
  if (all * sizeof(T) <= count * sizeof(T) + where_bytes) return write_all(writer, positions, begin, end, values);
  const Encoding encoding = offset_bytes < bit_bytes ? Encoding::offsets : Encoding::bits;
  const Head head{static_cast<std::uint32_t>(begin / size_),
                  static_cast<std::uint32_t>(count) << 2 | static_cast<std::uint32_t>(encoding)};
  const std::size_t bytes = sizeof head + count * sizeof(T) + where_bytes;
  std::byte* const into = writer.reserve(bytes);
  std::memcpy(into, &head, sizeof head);
  std::memcpy(into + sizeof head, sent.data(), count * sizeof(T));
  std::byte* const where = into + sizeof head + count * sizeof(T);
  if (encoding == Encoding::offsets) {
    std::memcpy(where, offsets.data(), offset_bytes);
  } else {
    std::memset(where, 0, bit_bytes);
    for (std::size_t i = 0; i < count; ++i) where[offsets[i] / 8] |= std::byte{1} << (offsets[i] % 8);
  }
  writer.commit(bytes);
}

template <Plain T>
void ValueBlocks<T>::write_all(NeighborAlltoallv::Writer& writer, const HaloPositions& positions, std::size_t begin,
                               std::size_t end, const T* values) const {
  const Head head{static_cast<std::uint32_t>(begin / size_),
                  static_cast<std::uint32_t>(end - begin) << 2 | static_cast<std::uint32_t>(Encoding::all)};
  const std::size_t bytes = sizeof head + (end - begin) * sizeof(T);
  std::byte* const into = writer.reserve(bytes);
  std::memcpy(into, &head, sizeof head);
  std::byte* const at = into + sizeof head;
  if (positions.is_range()) {
    std::memcpy(at, &values[positions.at(begin)], (end - begin) * sizeof(T));
  } else {
    positions.for_all(begin, end, [&](std::size_t k, std::size_t position) {
      std::memcpy(at + (k - begin) * sizeof(T), &values[position], sizeof(T));
    });
  }
  writer.commit(bytes);
}

template <Plain T>
template <class RowAt>
void ValueBlocks<T>::write_rows(NeighborAlltoallv::Writer& writer, const HaloPositions& positions, std::size_t begin,
                                std::size_t end, RowAt&& row_at) const {
  const Head head{static_cast<std::uint32_t>(begin / size_),
                  static_cast<std::uint32_t>(end - begin) << 2 | static_cast<std::uint32_t>(Encoding::all)};
  const std::size_t bytes = sizeof head + (end - begin) * sizeof(T);
  std::byte* const into = writer.reserve(bytes);
  std::memcpy(into, &head, sizeof head);
  std::byte* const at = into + sizeof head;
  positions.for_runs(begin, end, [&](std::size_t k, std::size_t row, std::size_t column, std::size_t count) {
    std::memcpy(at + (k - begin) * sizeof(T), row_at(row) + column, count * sizeof(T));
  });
  writer.commit(bytes);
}

template <Plain T>
template <class F>
void ValueBlocks<T>::for_blocks(std::span<const std::byte> part, std::size_t all, F&& f) const {
  while (!part.empty()) {
    Head head;
    std::memcpy(&head, part.data(), sizeof head);
    const std::size_t begin = head.block * size_, end = std::min(all, begin + size_), count = head.count();
    f(begin, end, head.encoding(), count, part.data() + sizeof head);
    const std::size_t where = head.encoding() == Encoding::all    ? 0
                              : head.encoding() == Encoding::bits ? (end - begin + 7) / 8
                                                                  : count * sizeof(std::uint32_t);
    part = part.subspan(sizeof head + count * sizeof(T) + where);
  }
}

template <Plain T>
template <class F>
void ValueBlocks<T>::read(std::span<const std::byte> part, const HaloPositions& positions, F&& f) const {
  const auto read_block = [&](std::size_t begin, std::size_t end, Encoding encoding, std::size_t count,
                              const std::byte* value) {
    const std::byte* const where = value + count * sizeof(T);
    const auto take = [&](std::size_t position) {
      T v;
      std::memcpy(&v, value, sizeof v);
      value += sizeof v;
      f(position, v);
    };
    const auto next = [&](std::size_t k) { take(positions.at(k)); };
    switch (encoding) {
      case Encoding::all:
        positions.for_all(begin, end, [&](std::size_t, std::size_t position) { take(position); });
        break;
      case Encoding::offsets:
        for (std::size_t i = 0; i < count; ++i) {
          std::uint32_t k = 0;
          std::memcpy(&k, where + i * sizeof k, sizeof k);
          next(begin + k);
        }
        break;
      case Encoding::bits:
        for (std::size_t byte = 0; byte < (end - begin + 7) / 8; ++byte)
          for (auto bits = static_cast<unsigned>(where[byte]); bits; bits &= bits - 1)
            next(begin + byte * 8 + static_cast<std::size_t>(std::countr_zero(bits)));
        break;
    }
  };
  for_blocks(part, positions.size(), read_block);
}

}  // namespace atl
