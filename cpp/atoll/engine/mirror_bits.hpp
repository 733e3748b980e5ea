// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <optional>

/// A bit of every master to its mirrors on other ranks.
///
///     MirrorBits mirror_bits(graph);             // collective, as are all that follow
///     mirror_bits.broadcast(frontier, 0.01);     // at most a hundredth of all masters have a bit
///     mirror_bits.broadcast(bits);               // most have
///
/// Each rank has one message for each other one, a bit a mirror. Bits of few masters go as records of a word each where
/// records have several hops, without the words of no bits: up to one and a half times the bytes where all have some, but
/// not a message for each pair of ranks.
namespace atl {

class MirrorBits {
 public:
  explicit MirrorBits(const Graph& graph);
  MirrorBits(const MirrorBits&) = delete;
  MirrorBits& operator=(const MirrorBits&) = delete;

  /// Sets and clears the bits of all mirrors. `bits` are by local number; `share` is the same on all ranks.
  void broadcast(std::span<std::uint64_t> bits, double share);
  void broadcast(VertexBits& bits);
  std::size_t memory_bytes() const;

 private:
  // A word of bits, at its place among the receiver's mirrors.
  struct [[gnu::packed]] Word {
    std::uint32_t place;
    std::uint64_t bits;
  };
  struct Put {
    MirrorBits* to;
    void operator()(std::span<const Word> words) {
      for (const Word& w : words) to->bits_[w.place] = w.bits;
    }
  };
  // Of a rank: its mirrors of the own masters.
  struct Packed {
    std::vector<std::uint64_t> bits;  // and a word to spare, for the kernels
    std::size_t words = 0;
  };
  using Compress = void (*)(const std::uint64_t* bits, const std::uint64_t* mask, std::size_t words,
                            std::uint64_t* out);

  std::span<const std::uint64_t> pack(std::size_t rank);
  void exchange();
  void send_words(double share);

  const Graph& graph_;
  World& world_;
  const Compress compress_;
  const std::size_t active_words_;  // of masters' bits: others have no mirrors
  std::span<std::uint64_t> bits_;   // that are being told
  std::vector<Packed> packed_;      // [rank]
  std::vector<Edge> places_;        // [rank] the word at which its mirrors of the own masters begin there
  double all_words_ = 0;            // that all ranks may tell each other
  std::optional<Mailbox<Word, Put>> sent_words_;
};

}  // namespace atl
