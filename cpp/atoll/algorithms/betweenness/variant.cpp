// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/betweenness/variant.hpp>

namespace atl {

void write_scores(const Graph& graph, const Array<double>& score, BetweennessResult& result) {
  constexpr std::size_t kWriteGrain = 4096;
  const auto owned = index(graph.owned());
  if (result.score.size() != owned) result.score = Array<double>(owned);
  graph.world().team().for_range(owned, kWriteGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const auto local = index(graph.local_of(static_cast<Vertex>(v)));
      result.score[v] = local < score.size() ? score[local] : 0;
    }
  });
}

std::vector<std::size_t> mirrored_words(const GraphView& view) {
  std::vector<std::size_t> words;
  for (const Mirrors* mirrors : view.written)
    for (const auto& known : mirrors->known_by)
      for (std::size_t w = 0; w < known.size(); ++w)
        if (known[w] != 0) words.push_back(w);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace atl
