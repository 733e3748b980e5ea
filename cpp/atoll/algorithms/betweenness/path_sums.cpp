// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/betweenness/path_sums.hpp>
#include <atoll/algorithms/betweenness/variant.hpp>
#include <limits>

namespace atl {
namespace {

constexpr std::size_t kSumGrain = 4096;

}  // namespace

const Graph& PathSums::with_lanes(const Graph& graph) {
  constexpr Local kMost = std::numeric_limits<Local>::max() / kLanes;
  graph.world().agree(graph.locals() <= kMost,
                      fmt::format("betweenness: {}: a rank has {} vertices and mirrors (by weight, or with more "
                                  "shortest paths than a double can count, it takes {}). "
                                  "Use more ranks.",
                                  graph.name(), graph.locals(), kMost));
  return graph;
}

PathSums::PathSums(const Graph& graph)
    : world_(graph.world()),
      serial_(world_.team().size() == 1),
      first_mirror_(std::min(graph.mirrors().begin[0], graph.locals())),
      lanes_(with_lanes(graph), {}, kLanes),
      sums_(index(graph.locals())),
      changed_(graph.locals() * kLanes),
      touched_(static_cast<std::size_t>(world_.team().size())),
      mirrored_(mirrored_words(GraphView::all_of(graph))) {}

void PathSums::clear() {
  world_.team().for_range(sums_.size(), kSumGrain, [&](int, std::size_t a, std::size_t b) {
    std::fill(sums_.begin() + a, sums_.begin() + b, Sums{0, 0});
  });
}

void PathSums::ignore_received() {
  for (const std::size_t word : mirrored_)
    for (std::size_t w = word * kLanes; w < (word + 1) * kLanes; ++w) changed_.at(w) = 0;
}

void PathSums::reduce() {
  if (world_.size() == 1) return;
  double* const lanes = reinterpret_cast<double*>(sums_.data());  // null on a rank without vertices
  static_assert(sizeof(Sums) == kLanes * sizeof(double));
  lanes_.reduce({lanes, sums_.size() * kLanes}, changed_);
  for (auto& touched : touched_) {
    for (const Local lane : touched) lanes[lane] = 0;
    touched.clear();
  }
}

}  // namespace atl
