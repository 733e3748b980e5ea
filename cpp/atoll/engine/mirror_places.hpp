// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/shared_vertices.hpp>
#include <atoll/engine/vertex_bits.hpp>
#include <bit>

namespace atl {

/// Indices of the values that two ranks share. Both ranks number them in the same order, fixed when the graph was
/// built: this class maps the k-th value of a pair of ranks to its index, up (mirrors to masters) and down (masters to
/// mirrors). With several values per vertex (`lanes`), lane l of vertex v is at index v * lanes + l.
class MirrorPlaces {
 public:
  /// The shared values of one direction.
  struct Side {
    std::vector<const Mirrors*> groups;
    std::vector<Local> begin;               // [rank] index of the first value of its vertices' mirrors here
    std::vector<std::vector<Local>> known;  // [rank][k] the k-th own master that it mirrors
    std::vector<std::size_t> masters,
        mirrored;             // [rank] values of own masters that it mirrors; of its masters mirrored here
    double all = 0;           // values of mirrors on all ranks
    std::size_t longest = 0;  // maximum number of values that a pair of ranks shares
  };

  /// `lanes`: a power of two. Collective.
  MirrorPlaces(const SharedVertices& shared, Local lanes);

  const Side& up() const { return sides_.front(); }
  const Side& down() const { return sides_.back(); }
  std::size_t lanes() const { return std::size_t{1} << shift_; }
  int shift() const { return shift_; }  ///< lanes are 1 << shift
  /// Values of mirrors are at indices [first_mirror(), locals()).
  Local first_mirror() const { return first_mirror_ << shift_; }
  Local locals() const { return locals_ << shift_; }

  /// Index of the k-th value shared with a rank, at its mirror or at its master here.
  Local mirror(const Side& side, std::size_t rank, std::size_t k) const {
    return side.begin[rank] + static_cast<Local>(k);
  }
  Local master(const Side& side, std::size_t rank, std::size_t k) const { return lane_of(side.known[rank], k); }
  Local lane_of(const std::vector<Local>& vertices, std::size_t k) const {
    return (vertices[k >> shift_] << shift_) + static_cast<Local>(k & (lanes() - 1));
  }

  /// Prepares for_masters().
  void count_masters();
  /// f(k, index), ascending, for the changed ones among the values [begin, end) of `up`, at mirrors of a rank's
  /// vertices.
  template <class F>
  void for_mirrors(const VertexBits& changed, std::size_t rank, std::size_t begin, std::size_t end, F&& f) const;
  /// The same for `down`, at the masters that a rank mirrors.
  template <class F>
  void for_masters(const VertexBits& changed, std::size_t rank, std::size_t begin, std::size_t end, F&& f) const;

  std::size_t memory_bytes() const;

 private:
  Side side_of(World& world, const std::vector<const Mirrors*>& groups) const;

  const int shift_;
  const Local first_mirror_, locals_;
  std::vector<Side> sides_;  // up, down; only one if they are the same
  std::vector<std::vector<std::vector<std::uint32_t>>>
      masters_before_;  // [group][rank][word] of down: masters before the word
};

// ---------------------------------------------------------------------------------------------------------------------

template <class F>
void MirrorPlaces::for_mirrors(const VertexBits& changed, std::size_t rank, std::size_t begin, std::size_t end,
                               F&& f) const {
  const std::size_t first = static_cast<std::size_t>(up().begin[rank]) + begin, shift = first % 64;
  for (std::size_t k = 0; k < end - begin; k += 64) {
    const std::size_t w = (first + k) / 64;
    std::uint64_t bits = changed.at(w) >> shift;
    if (shift > 0 && w + 1 < changed.words()) bits |= changed.at(w + 1) << (64 - shift);
    if (end - begin - k < 64) bits &= ~(~std::uint64_t{0} << (end - begin - k));
    for (; bits; bits &= bits - 1) {
      const std::size_t at = k + static_cast<std::size_t>(std::countr_zero(bits));
      f(begin + at, first + at);
    }
  }
}

// Iterates over words of bits, not over masters: usually few have changed.
template <class F>
void MirrorPlaces::for_masters(const VertexBits& changed, std::size_t rank, std::size_t begin, std::size_t end,
                               F&& f) const {
  std::size_t first = 0;  // values of the groups before
  for (std::size_t group = 0; group < masters_before_.size() && first < end; ++group) {
    const auto& words = down().groups[group]->known_by[rank];
    const auto& before = masters_before_[group][rank];
    if (words.empty()) continue;
    const std::size_t skipped = begin > first ? (begin - first) >> shift_ : 0;
    auto w = static_cast<std::size_t>(std::upper_bound(before.begin(), before.end(), skipped) - before.begin()) - 1;
    for (; w < words.size() && first + (std::size_t{before[w]} << shift_) < end; ++w) {
      const std::uint64_t known = words[w];
      if (known == 0) continue;
      for (std::size_t at = w << shift_; at < (w + 1) << shift_; ++at)
        for (std::uint64_t bits = changed.at(at); bits; bits &= bits - 1) {
          const std::size_t place = at * 64 + static_cast<std::size_t>(std::countr_zero(bits));
          const std::uint64_t bit = std::uint64_t{1} << (place >> shift_) % 64;
          if (!(known & bit)) continue;
          const auto vertex = before[w] + static_cast<std::size_t>(std::popcount(known & (bit - 1)));
          const std::size_t k = first + (vertex << shift_) + (place & (lanes() - 1));
          if (k >= begin && k < end) f(k, place);
        }
    }
    first += (before.back() + static_cast<std::size_t>(std::popcount(words[words.size() - 1]))) << shift_;
  }
}

}  // namespace atl
