// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/neighbor_alltoallv.hpp>
#include <bit>
#include <cstring>

namespace atl {

/// How values travel in posts: in blocks that fit a room, of each only those that have changed, in the shortest of four
/// forms: nothing, bits and values, offsets and values, all values. No ids: both ends know the order of the values.
///
///     const auto blocks = ValueBlocks<float>::that_fit(room, 1 << 15);
///     blocks.write(pen, for_changed, place_at, begin, end, values.data(), draft);      // for_changed(f): f(k, place)
///     blocks.read(part, all, [&](std::size_t k, float value) { ... });
template <Plain T>
class ValueBlocks {
 public:
  enum class Form : std::uint32_t { bits, offsets, all };
  /// The changed values of a block, before its form is known.
  struct Draft {
    std::vector<T> values;
    std::vector<std::uint32_t> offsets;
    std::size_t memory_bytes() const {
      return values.capacity() * sizeof(T) + offsets.capacity() * sizeof(std::uint32_t);
    }
  };

  /// Of none.
  ValueBlocks() = default;
  /// As long as a room has place for all of a block's values, but at most `most`.
  static ValueBlocks that_fit(std::size_t room_bytes, std::size_t most) {
    ValueBlocks blocks;
    blocks.size_ = std::min(most, (room_bytes - sizeof(Head)) / sizeof(T));
    if (blocks.size_ > 64) blocks.size_ -= blocks.size_ % 64;  // so that blocks share no word of bits
    return blocks;
  }
  /// Values of one.
  std::size_t size() const { return size_; }
  /// [i] of so many values.
  std::vector<std::size_t> counts(const std::vector<std::size_t>& values) const {
    std::vector<std::size_t> blocks;
    for (const std::size_t n : values) blocks.push_back((n + size_ - 1) / size_);
    return blocks;
  }

  /// The changed ones of a block's values [begin, end), in the shortest form. for_changed(f) calls f(k, place) for each,
  /// ascending; the k-th value lies at place_at(k).
  template <class ForChanged, class PlaceAt>
  void write(NeighborAlltoallv::Writer& pen, ForChanged&& for_changed, PlaceAt&& place_at, std::size_t begin,
             std::size_t end, const T* values, Draft& draft) const;
  template <class PlaceAt>
  void write_all(NeighborAlltoallv::Writer& pen, PlaceAt&& place_at, std::size_t begin, std::size_t end,
                 const T* values) const;
  /// f(begin, end, form, count, values) for each block of a part, of `all` values.
  template <class F>
  void for_blocks(std::span<const std::byte> part, std::size_t all, F&& f) const;
  /// f(k, value) for what write() has put in.
  template <class F>
  void read(std::span<const std::byte> part, std::size_t all, F&& f) const;

 private:
  // The changed values of a block, as a post has them; nothing where there is none. Then the values, and their bits or
  // offsets.
  struct Head {
    std::uint32_t block;
    std::uint32_t what;  // form and count
    Form form() const { return static_cast<Form>(what & 3); }
    std::size_t count() const { return what >> 2; }
  };

  std::size_t size_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------

template <Plain T>
template <class ForChanged, class PlaceAt>
void ValueBlocks<T>::write(NeighborAlltoallv::Writer& pen, ForChanged&& for_changed, PlaceAt&& place_at,
                           std::size_t begin, std::size_t end, const T* values, Draft& draft) const {
  const std::size_t all = end - begin;
  auto& [changed, offsets] = draft;
  changed.resize(std::max(changed.size(), all));
  offsets.resize(std::max(offsets.size(), all));
  std::size_t count = 0;
  for_changed([&](std::size_t k, std::size_t place) {
    changed[count] = values[place];
    offsets[count++] = static_cast<std::uint32_t>(k - begin);
  });
  if (count == 0) return;
  const std::size_t bit_bytes = (all + 7) / 8, offset_bytes = count * sizeof(std::uint32_t),
                    where_bytes = std::min(bit_bytes, offset_bytes);
  if (all * sizeof(T) <= count * sizeof(T) + where_bytes) return write_all(pen, place_at, begin, end, values);
  const Form form = offset_bytes < bit_bytes ? Form::offsets : Form::bits;
  const Head head{static_cast<std::uint32_t>(begin / size_),
                  static_cast<std::uint32_t>(count) << 2 | static_cast<std::uint32_t>(form)};
  const std::size_t bytes = sizeof head + count * sizeof(T) + where_bytes;
  std::byte* const into = pen.room(bytes);
  std::memcpy(into, &head, sizeof head);
  std::memcpy(into + sizeof head, changed.data(), count * sizeof(T));
  std::byte* const where = into + sizeof head + count * sizeof(T);
  if (form == Form::offsets) {
    std::memcpy(where, offsets.data(), offset_bytes);
  } else {
    std::memset(where, 0, bit_bytes);
    for (std::size_t i = 0; i < count; ++i) where[offsets[i] / 8] |= std::byte{1} << (offsets[i] % 8);
  }
  pen.wrote(bytes);
}

template <Plain T>
template <class PlaceAt>
void ValueBlocks<T>::write_all(NeighborAlltoallv::Writer& pen, PlaceAt&& place_at, std::size_t begin, std::size_t end,
                               const T* values) const {
  const Head head{static_cast<std::uint32_t>(begin / size_),
                  static_cast<std::uint32_t>(end - begin) << 2 | static_cast<std::uint32_t>(Form::all)};
  const std::size_t bytes = sizeof head + (end - begin) * sizeof(T);
  std::byte* at = pen.room(bytes);
  std::memcpy(at, &head, sizeof head);
  at += sizeof head;
  for (std::size_t k = begin; k < end; ++k, at += sizeof(T))
    std::memcpy(at, &values[static_cast<std::size_t>(place_at(k))], sizeof(T));
  pen.wrote(bytes);
}

template <Plain T>
template <class F>
void ValueBlocks<T>::for_blocks(std::span<const std::byte> part, std::size_t all, F&& f) const {
  while (!part.empty()) {
    Head head;
    std::memcpy(&head, part.data(), sizeof head);
    const std::size_t begin = head.block * size_, end = std::min(all, begin + size_), count = head.count();
    f(begin, end, head.form(), count, part.data() + sizeof head);
    const std::size_t where = head.form() == Form::all    ? 0
                              : head.form() == Form::bits ? (end - begin + 7) / 8
                                                          : count * sizeof(std::uint32_t);
    part = part.subspan(sizeof head + count * sizeof(T) + where);
  }
}

template <Plain T>
template <class F>
void ValueBlocks<T>::read(std::span<const std::byte> part, std::size_t all, F&& f) const {
  for_blocks(part, all, [&](std::size_t begin, std::size_t end, Form form, std::size_t count, const std::byte* value) {
    const std::byte* const where = value + count * sizeof(T);
    const auto next = [&](std::size_t k) {
      T v;
      std::memcpy(&v, value, sizeof v);
      value += sizeof v;
      f(k, v);
    };
    switch (form) {
      case Form::all:
        for (std::size_t k = begin; k < end; ++k) next(k);
        break;
      case Form::offsets:
        for (std::size_t i = 0; i < count; ++i) {
          std::uint32_t k = 0;
          std::memcpy(&k, where + i * sizeof k, sizeof k);
          next(begin + k);
        }
        break;
      case Form::bits:
        for (std::size_t byte = 0; byte < (end - begin + 7) / 8; ++byte)
          for (auto bits = static_cast<unsigned>(where[byte]); bits; bits &= bits - 1)
            next(begin + byte * 8 + static_cast<std::size_t>(std::countr_zero(bits)));
        break;
    }
  });
}

}  // namespace atl
