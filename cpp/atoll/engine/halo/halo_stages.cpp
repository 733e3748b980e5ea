// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/halo/halo_plan.hpp>
#include <span>

// The owner of a row knows the ranks that need it and where their copies lie. It computes the row's route by itself and
// sends each rank on the route its steps: what to send and what to receive. A rank appends the steps in the order of
// the owners, so both ends of a stage have the same order.
namespace atl {
namespace {

// A rank with the row, and the row's position among those that it shares with the owner (at the owner, the local row).
struct Holder {
  int leaf;  // in the order of the tree, ranks of a domain are neighbours
  Rank rank;
  Local position;
};

// A rank's part in a stage: it sends a row to `peer`, or receives one.
struct Step {
  std::int32_t stage;
  Rank peer;
  Local position;
  std::int32_t receives;
};

class RowRoutes {
 public:
  /// all_needed: [rank] whether the rank needs every one of the `rows` rows that some rank needs.
  RowRoutes(World& world, std::size_t rows, const std::vector<bool>& all_needed,
            std::vector<std::vector<Step>>& outgoing)
      : hierarchy_(world.hierarchy()),
        rank_(static_cast<std::size_t>(world.rank())),
        rows_(rows),
        all_needed_(all_needed),
        outgoing_(outgoing) {}

  /// The `index`-th row, from a holder to all others in its domain at `level`.
  void spread(const Holder& from, std::span<const Holder> others, int level, std::size_t index) {
    for (std::size_t begin = 0, end = 0; begin < others.size(); begin = end) {
      while (end < others.size() && (level == 0 ? end == begin : level_of(others[begin], others[end]) < level)) ++end;
      const auto domain = others.subspan(begin, end - begin);
      if (level_of(from, domain[0]) < level) {
        spread(from, domain, level - 1, index);
        continue;
      }
      const std::size_t first = first_to_reach(domain, index);
      const Holder& receiver = domain[first];
      const int stage = hierarchy_.depth() - 1 - level;
      outgoing_[from.rank].push_back({stage, receiver.rank, from.position, 0});
      outgoing_[receiver.rank].push_back({stage, from.rank, receiver.position, 1});
      if (domain.size() == 1) continue;
      std::vector<Holder> rest(domain.begin(), domain.end());
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(first));
      spread(receiver, rest, level - 1, index);
    }
  }

 private:
  // Another rank of the domain for each row, so that all of them share the work of passing on. Where all of them need all
  // rows, neighbouring rows go to one rank: a block that lies as it is sent needs no list of its rows at either end.
  std::size_t first_to_reach(std::span<const Holder> domain, std::size_t index) const {
    const bool dense = std::ranges::all_of(domain, [&](const Holder& holder) { return all_needed_[holder.rank]; });
    return dense ? index * domain.size() / rows_ : (rank_ + index) % domain.size();
  }
  int level_of(const Holder& a, const Holder& b) const { return hierarchy_.level_between(a.rank, b.rank); }

  const Hierarchy& hierarchy_;
  const std::size_t rank_, rows_;
  const std::vector<bool>& all_needed_;
  std::vector<std::vector<Step>>& outgoing_;
};

}  // namespace

std::vector<HaloDirection> halo_stages(World& world, const HaloDirection& direction) {
  const Hierarchy& hierarchy = world.hierarchy();
  const auto p = static_cast<std::size_t>(world.size());
  struct Need {
    Local row;
    Holder by;
  };
  std::vector<Need> needs;
  for (std::size_t r = 0; r < p; ++r) {
    const auto rank = static_cast<Rank>(r);
    const HaloRows& rows = direction.owned[r];
    for (std::size_t k = 0; k < rows.size(); ++k)
      needs.push_back({rows.row(k), {hierarchy.leaf_of(rank), rank, static_cast<Local>(k)}});
  }
  std::sort(needs.begin(), needs.end(), [](const Need& a, const Need& b) {
    return std::tie(a.row, a.by.leaf, a.by.rank) < std::tie(b.row, b.by.leaf, b.by.rank);
  });

  std::size_t distinct = 0;
  for (std::size_t i = 0; i < needs.size(); ++i) distinct += i == 0 || needs[i].row != needs[i - 1].row;
  std::vector<bool> all_needed;
  for (const HaloRows& rows : direction.owned) all_needed.push_back(rows.size() == distinct);

  std::vector<std::vector<Step>> outgoing(p);
  RowRoutes routes(world, distinct, all_needed, outgoing);
  std::vector<Holder> others;
  std::size_t index = 0;
  for (std::size_t begin = 0, end = 0; begin < needs.size(); begin = end, ++index) {
    others.clear();
    for (; end < needs.size() && needs[end].row == needs[begin].row; ++end) others.push_back(needs[end].by);
    routes.spread({hierarchy.leaf_of(world.rank()), world.rank(), needs[begin].row}, others, hierarchy.depth() - 1,
                  index);
  }
  std::vector<Need>().swap(needs);

  const auto stages = static_cast<std::size_t>(hierarchy.depth());
  std::vector<std::vector<std::vector<Local>>> sent(stages), received(stages);
  for (auto& lists : sent) lists.resize(p);
  for (auto& lists : received) lists.resize(p);
  const auto steps = world.exchange(std::move(outgoing));
  for (std::size_t owner = 0; owner < p; ++owner) {
    const bool own = static_cast<Rank>(owner) == world.rank();
    const std::size_t begin = direction.copies[owner].begin();
    for (const Step& step : steps[owner]) {
      auto& lists = (step.receives ? received : sent)[step.stage];
      lists[step.peer].push_back(own ? step.position : static_cast<Local>(begin) + step.position);
    }
  }
  std::vector<HaloDirection> directions(stages);
  for (std::size_t s = 0; s < stages; ++s) {
    for (std::size_t r = 0; r < p; ++r) {
      directions[s].owned.push_back(HaloRows::listed(std::move(sent[s][r])));
      directions[s].copies.push_back(HaloRows::listed(std::move(received[s][r])));
    }
    count_halo(world, directions[s]);
  }
  return directions;
}

}  // namespace atl
