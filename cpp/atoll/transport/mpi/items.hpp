// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/fabric.hpp>
#include <cstring>

/// The layout of several packets in one message: for each an ItemHead and its bytes, padded so that the next head lies
/// at a multiple of 16 (records in bulk packets are read in place).
namespace atl::mpi {

struct ItemHead {
  std::uint32_t bytes = 0;
  std::uint32_t tag = 0;
  std::uint8_t type = 0;
  std::uint8_t kind = 0;  ///< as Packet::What counts, or the layer's own
  std::uint8_t unused[2] = {};
  std::uint32_t number = 0;  ///< the layer's own
};
static_assert(sizeof(ItemHead) == 16);

inline constexpr std::size_t item_bytes(std::size_t bytes) { return sizeof(ItemHead) + (bytes + 15) / 16 * 16; }

/// Calls f(head, data) for each item.
template <class F>
void for_each_item(const std::byte* data, std::size_t bytes, F&& f) {
  for (std::size_t at = 0; at < bytes;) {
    ItemHead head;
    std::memcpy(&head, data + at, sizeof head);
    f(head, data + at + sizeof head);
    at += item_bytes(head.bytes);
  }
}

}  // namespace atl::mpi
