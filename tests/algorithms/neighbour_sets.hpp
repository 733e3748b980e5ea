// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "spread_samples.hpp"

namespace samples {

/// The distinct neighbours of each vertex but itself, by owned index.
inline std::vector<std::set<std::size_t>> neighbour_sets(const Sample& sample) {
  std::vector<std::set<std::size_t>> sets(sample.vertices());
  for (const Arc& a : sample.arcs())
    if (a.from != a.to) sets[static_cast<std::size_t>(a.from)].insert(static_cast<std::size_t>(a.to));
  return sets;
}

/// Calls f(sample, graph) on each rank for larger graphs, on 1 to 3 threads of 1 to 5 ranks, multi-edges kept or not.
template <class F>
void for_each_larger(const std::vector<const char*>& texts, F&& f) {
  for (const char* text : texts) {
    const Sample sample{from_text(text), false, Duplicates::merge_min};
    for (const Rank ranks : {1, 2, 3, 5})
      for (const int threads : {1, 3})
        for (const Duplicates duplicates : {Duplicates::merge_min, Duplicates::keep}) {
          const bool is_variant =
              duplicates == Duplicates::keep || (ranks == 1 ? threads == 1 : ranks != 3 || threads == 3);
          if (shapes::kSanitized && is_variant) continue;
          CAPTURE(text);
          CAPTURE(ranks);
          CAPTURE(threads);
          Plan plan;
          plan.threads = threads;
          run_ranks(ranks, plan, [&](World& world) {
            const Partition partition = ranks == 5 ? Partition::hashed : Partition::balanced;
            const Cut cut = ranks == 3 && threads == 1 ? Cut::cartesian : Cut::edge;
            f(sample, Graph::build(world, generate(world, text),
                                   {.duplicates = duplicates, .placement = {.partition = partition, .cut = cut}}));
          });
        }
  }
}

}  // namespace samples
