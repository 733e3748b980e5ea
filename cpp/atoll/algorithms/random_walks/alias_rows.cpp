// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/random_walks/alias_rows.hpp>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t kAliasGrain = 1 << 10;

struct AliasScratch {
  std::vector<double> share;            // [slot] in slots: the mean is 1
  std::vector<std::size_t> less, more;  // slots with a share below 1, and the others
};

void fill(std::span<const Local> targets, std::span<const double> weights, AliasScratch& scratch,
          AliasRows::Slot* slots) {
  const std::size_t d = targets.size();
  if (d == 0) return;
  const auto heaviest = static_cast<std::size_t>(std::ranges::max_element(weights) - weights.begin());
  const double greatest = weights[heaviest];
  if (greatest == 0) {
    std::fill_n(slots, d, AliasRows::Slot{0, -1, -1});
    return;
  }
  auto& [share, less, more] = scratch;
  share.clear();
  less.clear();
  more.clear();
  double sum = 0;
  for (const double weight : weights) sum += weight / greatest;  // neither overflows
  for (std::size_t k = 0; k < d; ++k) {
    share.push_back(weights[k] / greatest * (static_cast<double>(d) / sum));
    (share[k] < 1 ? less : more).push_back(k);
  }
  while (!less.empty() && !more.empty()) {
    const std::size_t k = less.back(), other = more.back();
    less.pop_back();
    slots[k] = {share[k], targets[k], targets[other]};
    share[other] -= 1 - share[k];
    if (share[other] < 1) {
      more.pop_back();
      less.push_back(other);
    }
  }
  // Shares of the rest are 1 up to rounding, but an edge of weight 0 is never drawn.
  for (const auto& rest : {less, more})
    for (const std::size_t k : rest) {
      const Local kept = targets[weights[k] > 0 ? k : heaviest];
      slots[k] = {1, kept, kept};
    }
}

}  // namespace

AliasRows::AliasRows(Team& team, const Graph& graph, const IdOrderedRows& rows)
    : slots_(static_cast<std::size_t>(rows.begin(graph.owned()))) {
  std::vector<AliasScratch> scratch(static_cast<std::size_t>(team.size()));
  team.for_range(index(graph.owned()), kAliasGrain, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const auto master = static_cast<Local>(v);
      fill(rows.targets(master), rows.weights(master), scratch[static_cast<std::size_t>(thread)],
           slots_.data() + rows.begin(master));
    }
  });
}

}  // namespace atl
