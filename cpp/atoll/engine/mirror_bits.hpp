// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/halo_plan.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <optional>

/// Broadcasts one bit of every master to its mirrors on other ranks, or of every row of a plan to its copies.
///
///     MirrorBits mirror_bits(graph);             // or a HaloPlan; collective, as are all that follow
///     mirror_bits.broadcast(frontier, 0.01);     // at most a hundredth of all masters have their bit set
///     mirror_bits.broadcast(bits);               // many have
///
/// On a direct route, and in the second form, each pair of ranks exchanges one message with a bit per mirror. On a
/// route of several hops, the first form sends each non-zero word of bits as a record: up to one and a half times the
/// bytes if no word is zero, but no message for each pair of ranks. The copies of a plan from row numbers share words,
/// so their bits always come in one message.
namespace atl {

class MirrorBits {
 public:
  explicit MirrorBits(const Graph& graph);
  explicit MirrorBits(std::shared_ptr<const HaloPlan> plan);
  MirrorBits(const MirrorBits&) = delete;
  MirrorBits& operator=(const MirrorBits&) = delete;

  /// Sets and clears the bits of all mirrors. `bits` are by local number, or by local row. `share`: upper bound of the
  /// fraction of masters whose bit is set; the same on all ranks.
  void broadcast(std::span<std::uint64_t> bits, double share);
  void broadcast(VertexBits& bits);
  std::size_t memory_bytes() const;

 private:
  // A word of bits and its index among the receiver's words.
  struct [[gnu::packed]] Word {
    std::uint32_t word;
    std::uint64_t bits;
  };
  struct Put {
    MirrorBits* to;
    void operator()(std::span<const Word> words) {
      for (const Word& w : words) to->bits_[w.word] = w.bits;
    }
  };
  // The bits of the own masters that a rank mirrors, packed.
  struct Packed {
    std::vector<std::uint64_t> bits;  // and a spare word for the kernels
    std::size_t words = 0;
  };
  using Compress = void (*)(const std::uint64_t* bits, const std::uint64_t* mask, std::size_t words,
                            std::uint64_t* out);

  // The mirrors of a rank's masters.
  struct Received {
    std::size_t begin = 0, count = 0;
    std::vector<std::uint64_t> bits;  // if they share words with others
  };

  void add_packed(std::size_t masters);
  std::span<const std::uint64_t> pack(std::size_t rank);
  void exchange();
  void send_words(double share);

  const std::shared_ptr<const HaloPlan> plan_;         // or
  const std::vector<Array<std::uint64_t>>* known_by_;  // a graph's
  World& world_;
  const Compress compress_;
  const std::size_t active_words_;  // words of active masters' bits: others have no mirrors
  const std::size_t first_mirror_;
  std::span<std::uint64_t> bits_;   // argument of the current broadcast
  std::vector<Packed> packed_;      // [rank]
  std::vector<Received> received_;  // [rank]
  std::vector<Edge> places_;        // [rank] first word there of its mirrors of the own masters
  double all_words_ = 0;            // words of packed_ on all ranks
  std::optional<Mailbox<Word, Put>> sent_words_;
};

}  // namespace atl
