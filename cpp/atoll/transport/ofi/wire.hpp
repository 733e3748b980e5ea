// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/fabric.hpp>

/// The data that travels beside the bytes of every packet, and the fabric's own control words.
namespace atl::ofi {

enum class Kind : std::uint8_t { message, control, word };
enum class Word : std::uint8_t {
  hello,       // post receives for me
  grant,       // they are posted; tag: message window
  want_bulk,   // post receives for slots too
  grant_bulk,  // tag: how many
  credit_message,
  credit_control,
  credit_bulk,  // tag: how many
  put_arrived,  // tag: number of the target
  abort,        // tag: exit code
  bye,
};

/// The tag of bulk packets, which lets them match receives of their own size; other packets are untagged.
inline constexpr std::uint64_t kBulkTag = 1;

// Beside the bytes: tag 32, type 8, kind 2, source 22 bits.
inline constexpr Rank kMostRanks = 1 << 22;
inline std::uint64_t header(Kind kind, Note note, Rank from) {
  return note.tag | std::uint64_t{note.type} << 32 | static_cast<std::uint64_t>(kind) << 40 |
         static_cast<std::uint64_t>(from) << 42;
}
inline std::uint64_t header(Word word, std::uint32_t tag, Rank from) {
  return header(Kind::word, {tag, static_cast<std::uint8_t>(word)}, from);
}
inline Note note_of(std::uint64_t h) { return {static_cast<std::uint32_t>(h), static_cast<std::uint8_t>(h >> 32)}; }
inline Kind kind_of(std::uint64_t h) { return static_cast<Kind>(h >> 40 & 3); }
inline Rank source_of(std::uint64_t h) { return static_cast<Rank>(h >> 42); }

}  // namespace atl::ofi
