// SPDX-License-Identifier: Apache-2.0
#include "sources.hpp"

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/id_order.hpp>
#include <charconv>
#include <unordered_set>

#include "graph_input.hpp"

namespace atl::cli {

std::vector<Vertex> draw_sources(const Graph& graph, int count, std::uint64_t seed) {
  World& world = graph.world();
  std::vector<char> natural;
  Vertex mine_active = 0;
  for (Vertex k = 0; k < graph.owned(); ++k) {
    natural.push_back(has_edges(graph, graph.local_of(k)));
    mine_active += natural.back();
  }
  const IdOrder order(world, graph.ids());
  const std::vector<char> active = order.arrange(std::span<const char>(natural));
  const auto wanted = static_cast<std::size_t>(std::min<Vertex>(count, world.sum(mine_active)));
  std::unordered_set<Vertex> drawn;
  std::vector<Vertex> sources;
  for (std::uint64_t i = 0; sources.size() < wanted; ++i) {
    const auto v = static_cast<Vertex>(
        (static_cast<unsigned __int128>(random_at(seed, i)) * static_cast<std::uint64_t>(graph.vertices())) >> 64);
    if (!drawn.insert(v).second) continue;
    const Vertex k = v - order.blocks().begin(world.rank());
    const bool mine = order.blocks().owner(v) == world.rank();
    const Vertex id = world.max(mine && active[static_cast<std::size_t>(k)] ? order.id_at(k) : -1);
    if (id >= 0) sources.push_back(id);
  }
  return sources;
}

std::size_t recomputed_sources(const Graph& graph) {
  constexpr Edge kLooks = 100'000'000;  // at edges, with those of both ways: about a second of one thread
  return static_cast<std::size_t>(std::max<Edge>(16, kLooks / std::max<Edge>(1, 4 * graph.edges())));
}

void SourceChoice::add_to(CLI::App& app) {
  auto* count = app.add_option("--sources", count_, "how many are drawn by --seed (default 4), or all");
  count->check([](const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && number > 0;
    return whole || text == "all" ? "" : text + " (a number from 1 to 2147483647, or all)";
  });
  app.add_option("--source", given_, "original ids instead, one or several; one that is named twice counts twice")
      ->delimiter(',')
      ->excludes(count);
  app.add_option("--seed", seed_, "for drawing sources (default 1)");
}

std::vector<Vertex> SourceChoice::of(const Graph& graph) const {
  const int all = static_cast<int>(std::min<Vertex>(graph.vertices(), INT32_MAX));
  return given_.empty() ? draw_sources(graph, count_ == "all" ? all : std::stoi(count_), seed_) : given_;
}

}  // namespace atl::cli
