// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/id_order.hpp>
#include <numeric>

namespace atl {

IdOrder::IdOrder(World& world, const IdMap& ids) : world_(world), ids_(ids), blocks_(ids.blocks()) {
  const Vertex owned = ids.blocks().size(world.rank());
  if (!ids.ascends()) {
    // Splitters from a regular sample. Blocks ascend by id within each rank, so a rank's part is a piece of the block.
    constexpr Vertex kSamples = 256;
    std::vector<Vertex> sample;
    const Vertex samples = std::min(kSamples, owned);
    for (Vertex i = 0; i < samples; ++i) sample.push_back(ids.id_of(i * owned / samples));
    sample = world.all_gather_varying(std::span<const Vertex>(sample));
    std::sort(sample.begin(), sample.end());
    const auto p = static_cast<std::size_t>(world.size());
    cuts_.assign(p + 1, owned);
    cuts_[0] = 0;
    for (std::size_t r = 1; r < p && !sample.empty(); ++r)
      cuts_[r] = ids.lower_bound_here(sample[r * sample.size() / p]);
    std::vector<Vertex> own(static_cast<std::size_t>(owned));
    for (Vertex k = 0; k < owned; ++k) own[k] = ids.id_of(k);
    std::vector<std::vector<Vertex>> outgoing(p);
    for (std::size_t r = 0; r < p; ++r) outgoing[r].assign(own.begin() + cuts_[r], own.begin() + cuts_[r + 1]);
    std::vector<Vertex> came;
    for (const auto& part : world.exchange(std::move(outgoing))) came.insert(came.end(), part.begin(), part.end());
    from_.resize(came.size());
    std::iota(from_.begin(), from_.end(), std::size_t{0});
    std::sort(from_.begin(), from_.end(), [&](std::size_t a, std::size_t b) { return came[a] < came[b]; });
    for (const std::size_t from : from_) sorted_.push_back(came[from]);
    std::vector<Vertex> first{0};
    for (const Vertex size : world.all_gather(static_cast<Vertex>(sorted_.size())))
      first.push_back(first.back() + size);
    blocks_ = Blocks(std::move(first));
    std::iota(own.begin(), own.end(), ids.blocks().begin(world.rank()));
    dense_ = arrange(std::span<const Vertex>(own));
  }
  starts_ = world.all_gather(size() > 0 ? id_at(0) : INT64_MAX);
  for (std::size_t r = starts_.size() - 1; r-- > 0;) starts_[r] = std::min(starts_[r], starts_[r + 1]);
}

Vertex IdOrder::find_here(Vertex id) const {
  if (ascends_by_id()) return ids_.find_here(id);
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), id);
  return at != sorted_.end() && *at == id ? at - sorted_.begin() : -1;
}

}  // namespace atl
