// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/label_propagation/label_counts.hpp>
#include <map>
#include <random>

namespace atl {
namespace {

template <class Label>
Label by_map(std::span<const Local> out, std::span<const Local> in, const std::vector<Label>& label) {
  std::map<Label, int> count;
  for (const auto list : {out, in})
    for (const Local u : list) ++count[label[static_cast<std::size_t>(u)]];
  int most = 0;
  Label best = 0;
  for (const auto& [l, n] : count)
    if (n > most) {
      most = n;
      best = l;
    }
  return best;
}

}  // namespace

TEST_CASE("counters, tables and runs find the most frequent label, and the smallest of equally frequent ones") {
  std::mt19937 random(7);
  LabelCounters counters(1000);
  LabelTable<Local> narrow(0);
  LabelTable<Vertex> wide(0);
  for (const std::size_t labels : {1, 2, 3, 50, 1000}) {
    std::vector<Local> label(1000);
    for (Local& l : label) l = static_cast<Local>(random() % labels);
    std::vector<Vertex> far(label.size()), id(label.size());
    for (std::size_t v = 0; v < label.size(); ++v) {
      far[v] = Vertex{label[v]} << 40;
      id[v] = static_cast<Vertex>((v * 7919) % 1000);
    }
    for (const std::size_t size : {1, 2, 3, 7, 16, 17, 100, 2000}) {
      std::vector<Local> out(size), in(size / 3);
      for (auto* list : {&out, &in}) {
        for (Local& u : *list) u = static_cast<Local>(random() % label.size());
        std::sort(list->begin(), list->end());
      }
      const auto found = [&](auto& counts, const auto& labels_of) {
        counts.open(out.size() + in.size());
        counts.add(out, labels_of.data());
        counts.add(in, labels_of.data());
        return counts.most_frequent();
      };
      CHECK(found(counters, label) == by_map<Local>(out, in, label));
      CHECK(found(narrow, label) == by_map<Local>(out, in, label));
      CHECK(found(wide, far) == by_map<Vertex>(out, in, far));
      CHECK(most_repeated<Vertex>(out, in, id.data()) == by_map<Vertex>(out, in, id));
    }
  }
}

}  // namespace atl
