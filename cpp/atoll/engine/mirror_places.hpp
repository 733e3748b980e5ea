// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/shared_vertices.hpp>
#include <atoll/engine/vertex_bits.hpp>
#include <bit>

namespace atl {

/// Where the values lie that a rank shares with another, in the order on which both agreed when the graph was built: the
/// k-th value of a pair of ranks, up (from mirrors to masters) and down. With several values a vertex (`lanes`), lane l of
/// vertex v lies at v * lanes + l.
class MirrorPlaces {
 public:
  /// What a direction is about.
  struct Side {
    std::vector<const Mirrors*> groups;
    std::vector<Local> begin;                    // [rank] the first of its mirrors' values here
    std::vector<std::vector<Local>> known;       // [rank][k] the k-th of the own masters that it mirrors
    std::vector<std::size_t> masters, mirrored;  // [rank] values of those of mine that it mirrors; of its that I do
    double all = 0;                              // values of the mirrors of all ranks
    std::size_t longest = 0;                     // the most that are about any two ranks
  };

  /// `lanes`: a power of two. Collective.
  MirrorPlaces(const SharedVertices& shared, Local lanes);

  const Side& up() const { return sides_.front(); }
  const Side& down() const { return sides_.back(); }
  std::size_t lanes() const { return std::size_t{1} << shift_; }
  int shift() const { return shift_; }  ///< lanes are 1 << shift
  /// Values of mirrors begin here, and end there.
  Local first_mirror() const { return first_mirror_ << shift_; }
  Local locals() const { return locals_ << shift_; }

  /// The k-th of the values that messages to and from a rank are about: where it is.
  Local mirror(const Side& side, std::size_t rank, std::size_t k) const {
    return side.begin[rank] + static_cast<Local>(k);
  }
  Local master(const Side& side, std::size_t rank, std::size_t k) const { return lane_of(side.known[rank], k); }
  Local lane_of(const std::vector<Local>& vertices, std::size_t k) const {
    return (vertices[k >> shift_] << shift_) + static_cast<Local>(k & (lanes() - 1));
  }

  /// Needed by for_masters().
  void count_masters();
  /// f(k, place) for those of values [begin, end) of `up`, of mirrors of a rank's vertices, that have changed, ascending.
  template <class F>
  void for_mirrors(const VertexBits& changed, std::size_t rank, std::size_t begin, std::size_t end, F&& f) const;
  /// The same of `down`, of the masters that a rank mirrors.
  template <class F>
  void for_masters(const VertexBits& changed, std::size_t rank, std::size_t begin, std::size_t end, F&& f) const;

  std::size_t memory_bytes() const;

 private:
  Side side_of(World& world, const std::vector<const Mirrors*>& groups) const;

  const int shift_;
  const Local first_mirror_, locals_;
  std::vector<Side> sides_;                                      // up, down; one where they are the same
  std::vector<std::vector<std::vector<std::uint32_t>>> before_;  // [group][rank][word] of down: how many are before it
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

// By the words of bits, not by the masters: mostly few have changed.
template <class F>
void MirrorPlaces::for_masters(const VertexBits& changed, std::size_t rank, std::size_t begin, std::size_t end,
                               F&& f) const {
  std::size_t first = 0;  // values of the groups before
  for (std::size_t group = 0; group < before_.size() && first < end; ++group) {
    const auto& words = down().groups[group]->known_by[rank];
    const auto& before = before_[group][rank];
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
