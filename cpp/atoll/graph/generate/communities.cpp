// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/generate/communities.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::uint64_t kLeast = 64, kMost = 8192;  // vertices in a community
constexpr double kMostRatio = 125;                  // of weights
constexpr std::uint64_t kRoom = 16;                 // vertices of a community for each unit of the ratio
constexpr std::uint64_t kCommunityLabelStream = 0x6c6162656c73ULL, kSizeStream = 0x73697a6573ULL;
constexpr double k32 = 0x1p-32;

// x of density x^-1.5 over [kLeast, kMost], for u uniform in [0, 1): x^-0.5 is uniform.
std::uint64_t size_of(double u) {
  const double high = 1 / std::sqrt(static_cast<double>(kLeast)), low = 1 / std::sqrt(static_cast<double>(kMost));
  const double root = high - u * (high - low);
  return std::clamp(static_cast<std::uint64_t>(1 / (root * root)), kLeast, kMost);
}

}  // namespace

Communities::Communities(int scale, double mixing, std::uint64_t seed)
    : vertices_(std::uint64_t{1} << scale),
      leave_(static_cast<std::uint64_t>(mixing * 0x1p32)),
      seed_(seed),
      permutation_(scale, random_at(seed, kCommunityLabelStream)) {
  Random random(random_at(seed, kSizeStream));
  for (std::uint64_t start = 0; start < vertices_;) {
    const std::uint64_t left = vertices_ - start;
    std::uint64_t size = std::min(size_of(random.unit()), left);
    if (left - size < kLeast) size = left;  // too few for one more
    starts_.push_back(static_cast<std::uint32_t>(start));
    const double ratio = std::clamp(static_cast<double>(size) / static_cast<double>(kRoom), 2.0, kMostRatio);
    least_.push_back(std::pow(ratio, -0.2));
    start += size;
  }
  starts_.push_back(static_cast<std::uint32_t>(vertices_));
  cells_.resize(vertices_ / kLeast + 1);
  std::uint32_t community = 0;
  for (std::uint64_t cell = 0; cell < cells_.size(); ++cell) {
    while (community + 2 < starts_.size() && starts_[community + 1] <= cell * kLeast) ++community;
    cells_[cell] = community;
  }
}

// No community is smaller than a cell, so a cell meets two at most.
std::uint64_t Communities::community_at(std::uint64_t position) const {
  const std::uint64_t community = cells_[position / kLeast];
  return community + (position >= starts_[community + 1]);
}

// A position of the community, drawn by weight. A vertex of weight w is drawn with density w * w^-2.2, so w^-0.2 is
// uniform; the share of vertices with a greater weight goes with w^-1.2, its sixth power.
std::uint64_t Communities::draw(std::uint64_t community, std::uint32_t random) const {
  const double least = least_[community];
  const auto sixth = [](double y) { return y * y * y * (y * y * y); };
  const double y = 1 - static_cast<double>(random) * k32 * (1 - least);
  const double above = (sixth(y) - sixth(least)) / (1 - sixth(least));
  const std::uint64_t start = starts_[community], size = starts_[community + 1] - start;
  return start + std::min(static_cast<std::uint64_t>(above * static_cast<double>(size)), size - 1);
}

template <class Id>
void Communities::fill(std::uint64_t first, std::span<Id> source, std::span<Id> target) const {
  const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
  for (std::size_t k = 0; k < source.size(); ++k) {
    // A uniform position, its community, then a vertex of that by weight: as the mean weights of communities are equal,
    // this draws from all vertices by weight.
    const std::uint64_t at = 3 * (first + k), word = random_at(seed_, at), other = random_at(seed_, at + 1);
    const std::uint64_t home = community_at(word & (vertices_ - 1));
    const std::uint64_t start = starts_[home], size = starts_[home + 1] - start;
    std::uint64_t away = home;
    if ((other & UINT32_MAX) < leave_ && size < vertices_) {
      const std::uint64_t drawn = random_at(seed_, at + 2);
      std::uint64_t position =
          static_cast<std::uint64_t>(static_cast<unsigned __int128>(drawn) * (vertices_ - size) >> 64);
      if (position >= start) position += size;
      away = community_at(position);
    }
    source[k] = static_cast<Id>(permutation_(draw(home, high(word))));
    target[k] = static_cast<Id>(permutation_(draw(away, high(other))));
  }
}

template void Communities::fill(std::uint64_t, std::span<std::uint32_t>, std::span<std::uint32_t>) const;
template void Communities::fill(std::uint64_t, std::span<Vertex>, std::span<Vertex>) const;

}  // namespace atl
