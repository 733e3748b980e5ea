// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/halo/halo_plan.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <limits>

namespace atl {
namespace {

HaloDirection direction_of(const GraphView& view, const std::vector<const Mirrors*>& groups) {
  World& world = *view.world;
  HaloDirection direction;
  for (std::size_t r = 0; r < static_cast<std::size_t>(world.size()); ++r) {
    std::vector<const Array<std::uint64_t>*> masks;
    std::size_t mirrored = 0;
    for (const Mirrors* group : groups) {
      masks.push_back(&group->known_by[r]);
      mirrored += static_cast<std::size_t>(group->count[r]);
    }
    // Records of a route are sent from the list alone.
    direction.owned.push_back(HaloRows::masked(masks, world.route().is_direct()));
    direction.copies.push_back(HaloRows::range(static_cast<std::size_t>(groups[0]->begin[r]), mirrored));
  }
  count_halo(world, direction);
  return direction;
}

void add_traffic(std::vector<HaloTraffic>& levels, const World& world, const std::vector<HaloRows>& sent,
                 std::size_t row_bytes) {
  for (std::size_t r = 0; r < sent.size(); ++r) {
    if (sent[r].size() == 0) continue;
    HaloTraffic& level = levels[world.level_to(static_cast<Rank>(r))];
    level.rows += sent[r].size();
    level.bytes += sent[r].size() * row_bytes;
  }
}

}  // namespace

void count_halo(World& world, HaloDirection& direction) {
  double copies = 0;
  std::size_t longest = 0;
  for (const HaloRows& rows : direction.copies) copies += static_cast<double>(rows.size());
  for (const HaloRows& rows : direction.owned) longest = std::max(longest, rows.size());
  direction.copies_on_all_ranks = world.sum(copies);
  direction.max_shared_rows = world.max(longest);
}

HaloPlan::HaloPlan(const GraphView& view)
    : world_(*view.world),
      first_copy_(static_cast<std::size_t>(view.first_mirror)),
      rows_(static_cast<std::size_t>(view.locals)) {
  directions_.push_back(direction_of(view, view.written));
  if (view.read != view.written) directions_.push_back(direction_of(view, view.read));
}

HaloPlan::HaloPlan(World& world, const Blocks& owners, std::span<const Vertex> needed, Repeats repeats)
    : world_(world), first_copy_(static_cast<std::size_t>(owners.size(world.rank()))) {
  const auto p = static_cast<std::size_t>(world.size());
  world.agree(owners.ranks() == world.size(), fmt::format("rows are owned by {} ranks (the job has {}). Deal them out "
                                                          "among the job's ranks.",
                                                          owners.ranks(), world.size()));
  const auto wrong =
      std::find_if(needed.begin(), needed.end(), [&](Vertex row) { return row < 0 || row >= owners.count(); });
  world.agree(wrong == needed.end(),
              fmt::format("rank {} needs row {} (rows are numbered from 0, and there are {}). Name one that exists.",
                          world.rank(), wrong == needed.end() ? 0 : *wrong, owners.count()));
  first_owned_ = owners.begin(world.rank());
  needed_ = RowIndex(world.team(), owners.count(), needed, {first_owned_, owners.end(world.rank())},
                     world.plan().replicated_bytes, repeats);
  const std::span<const Vertex> copied = needed_.rows();
  rows_ = first_copy_ + copied.size();
  world.agree(rows_ < static_cast<std::size_t>(std::numeric_limits<Local>::max()),
              fmt::format("rank {} has {} rows, copies included (local numbers have 31 bits). Use more ranks.",
                          world.rank(), rows_));

  std::vector<std::vector<Local>> asked(p);  // their numbers at the owner
  HaloDirection& direction = directions_.emplace_back();
  for (std::size_t r = 0, next = 0; r < p; ++r) {
    const auto owner = static_cast<Rank>(r);
    const std::size_t begin = next;
    for (; next < copied.size() && copied[next] < owners.end(owner); ++next)
      asked[r].push_back(static_cast<Local>(copied[next] - owners.begin(owner)));
    direction.copies.push_back(HaloRows::range(first_copy_ + begin, next - begin));
  }
  for (auto& rows : world.exchange(std::move(asked))) direction.owned.push_back(HaloRows::listed(std::move(rows)));
  count_halo(world, direction);
}

Local HaloPlan::local_row(Vertex row) const {
  const Local local = local_row_if_any(row);
  ATOLL_ASSERT(local >= 0);
  return local;
}

Local HaloPlan::local_row_if_any(Vertex row) const {
  const Vertex owned = row - first_owned_;
  if (owned >= 0 && owned < static_cast<Vertex>(first_copy_)) return static_cast<Local>(owned);
  const std::size_t at = needed_.position(row);
  return at < needed_.rows().size() && needed_.rows()[at] == row ? static_cast<Local>(first_copy_ + at) : -1;
}

const std::vector<HaloDirection>& HaloPlan::stages_of(const HaloDirection& direction) const {
  auto& stages = stages_[&direction - directions_.data()];
  if (stages.empty()) stages = halo_stages(world_, direction);
  return stages;
}

std::vector<HaloTraffic> HaloPlan::broadcast_traffic(HaloPath path, std::size_t row_bytes) const {
  ATOLL_ASSERT(path != HaloPath::route);
  std::vector<HaloTraffic> levels(static_cast<std::size_t>(world_.hierarchy().depth()));
  if (path == HaloPath::direct) {
    add_traffic(levels, world_, broadcast().owned, row_bytes);
  } else {
    for (const HaloDirection& stage : broadcast_stages()) add_traffic(levels, world_, stage.owned, row_bytes);
  }
  return levels;
}

std::vector<HaloTraffic> HaloPlan::reduced_traffic(HaloPath path, std::size_t row_bytes) const {
  ATOLL_ASSERT(path != HaloPath::route);
  std::vector<HaloTraffic> levels(static_cast<std::size_t>(world_.hierarchy().depth()));
  if (path == HaloPath::direct) {
    add_traffic(levels, world_, reduced().copies, row_bytes);
  } else {
    for (const HaloDirection& stage : reduced_stages()) add_traffic(levels, world_, stage.copies, row_bytes);
  }
  return levels;
}

std::size_t HaloPlan::memory_bytes() const {
  std::size_t bytes = needed_.memory_bytes();
  const auto add = [&](const std::vector<HaloDirection>& directions) {
    for (const HaloDirection& direction : directions) {
      for (const HaloRows& rows : direction.owned) bytes += rows.memory_bytes();
      for (const HaloRows& rows : direction.copies) bytes += rows.memory_bytes();
    }
  };
  add(directions_);
  for (const auto& stages : stages_) add(stages);
  return bytes;
}

}  // namespace atl
