// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs_local.hpp>
#include <atoll/runtime/mailbox.hpp>
#include <optional>

/// The frontier's bits of this rank's masters, at the other ranks' mirrors of them.
///
///     BfsMirrorBits bits(graph, known, kernels.compress);   // collective
///     bits.tell(frontier, 1000, all);                       // collective: at most 1000 of `all` vertices have a bit
///
/// On the direct route each rank has one message for each other one, a bit a mirror. Where records have several hops, so
/// have the bits: as records of a word each, without the words of no bits. Twice the bytes where all have some, but not a
/// message for each pair of ranks.
namespace atl {

class BfsMirrorBits {
 public:
  using Compress = std::size_t (*)(const std::uint64_t* bits, const std::uint64_t* mask, std::size_t words,
                                   std::uint64_t* out);

  /// `known`: known_masters().
  BfsMirrorBits(const Graph& graph, const std::vector<std::vector<Local>>& known, Compress compress);
  BfsMirrorBits(const BfsMirrorBits&) = delete;
  BfsMirrorBits& operator=(const BfsMirrorBits&) = delete;

  /// Bits are by local number. `vertices` and `all` are the same on all ranks.
  void tell(Array<std::uint64_t>& frontier, Vertex vertices, Vertex all);

 private:
  // A word of bits, at its place among the receiver's mirrors.
  struct [[gnu::packed]] Word {
    std::uint32_t place;
    std::uint64_t bits;
  };
  struct Put {
    BfsMirrorBits* to;
    void operator()(std::span<const Word> words) {
      for (const Word& w : words) (*to->frontier_)[w.place] = w.bits;
    }
  };
  // Of a rank: its mirrors of the own masters.
  struct Packed {
    std::vector<std::uint64_t> bits;  // and a word to spare, for the kernels
    std::size_t words = 0;
  };

  std::span<const std::uint64_t> pack(std::size_t rank);
  void exchange();
  void send_words(double share);

  const Graph& graph_;
  World& world_;
  const Compress compress_;
  const std::size_t active_words_;            // of masters' bits: others have no mirrors
  Array<std::uint64_t>* frontier_ = nullptr;  // that is being told
  std::vector<Packed> packed_;                // [rank]
  std::vector<Edge> places_;                  // [rank] the word at which its mirrors of the own masters begin there
  double all_words_ = 0;                      // that all ranks may tell each other
  std::optional<Mailbox<Word, Put>> sent_words_;
};

}  // namespace atl
