// SPDX-License-Identifier: Apache-2.0
#include "sources.hpp"

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/id_order.hpp>
#include <charconv>
#include <cli/cli11.hpp>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "cli/graph_input.hpp"

namespace atl::cli {

namespace {

/// 0 .. below - 1, from the bits of a random number.
Vertex scaled(std::uint64_t random, Vertex below) {
  return static_cast<Vertex>((static_cast<unsigned __int128>(random) * static_cast<std::uint64_t>(below)) >> 64);
}

// The ids of `count` distinct random places among `all` vertices. `places` are this rank's, at positions from `first`
// on. A shuffle that stores only what has moved.
std::vector<Vertex> draw_places(const IdOrder& order, World& world, std::span<const Vertex> places, Vertex first,
                                Vertex all, std::size_t count, std::uint64_t seed) {
  struct Drawn {
    Vertex turn, id;
  };
  std::vector<Drawn> mine;
  std::unordered_map<Vertex, Vertex> moved;
  const auto at = [&](Vertex place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  for (Vertex turn = 0; turn < static_cast<Vertex>(count); ++turn) {
    const Vertex other = turn + scaled(random_at(seed, static_cast<std::uint64_t>(turn)), all - turn);
    const Vertex place = at(other) - first;
    moved[other] = at(turn);
    if (place >= 0 && place < static_cast<Vertex>(places.size())) mine.push_back({turn, order.id_at(places[place])});
  }
  std::vector<Drawn> drawn = world.all_gather_varying(std::span<const Drawn>(mine));
  std::sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) { return a.turn < b.turn; });
  std::vector<Vertex> ids;
  for (const Drawn& d : drawn) ids.push_back(d.id);
  return ids;
}

// "3,5" as "3" and "5".
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = text.find(',', begin);
    parts.push_back(text.substr(begin, comma - begin));
    if (comma == std::string::npos) return parts;
    begin = comma + 1;
  }
}

}  // namespace

std::vector<Vertex> draw_sources(const Graph& graph, int count, std::uint64_t seed) {
  World& world = graph.world();
  std::vector<char> by_owned_index;
  for (Vertex k = 0; k < graph.owned(); ++k) by_owned_index.push_back(has_edges(graph, graph.local_of(k)));
  const IdOrder order(world, graph.ids());
  const std::vector<char> active = order.arrange(std::span<const char>(by_owned_index));
  std::vector<Vertex> places;
  for (std::size_t k = 0; k < active.size(); ++k)
    if (active[k]) places.push_back(static_cast<Vertex>(k));
  const std::vector<Vertex> counts = world.all_gather(static_cast<Vertex>(places.size()));
  const auto here = counts.begin() + world.rank();
  const Vertex first = std::accumulate(counts.begin(), here, Vertex{0}),
               all = std::accumulate(here, counts.end(), first);
  const auto wanted = static_cast<std::size_t>(std::min<Vertex>(count, all));
  std::unordered_set<Vertex> drawn;
  std::vector<Vertex> sources;
  // Each draw is a collective, so the number of draws is limited: if few vertices have an edge, or most are wanted, it
  // would take for ever.
  const std::uint64_t looks = 1000 + 4 * wanted;
  for (std::uint64_t i = 0; sources.size() < wanted && i < looks; ++i) {
    const Vertex v = scaled(random_at(seed, i), graph.vertices());
    if (!drawn.insert(v).second) continue;
    const Vertex k = v - order.blocks().begin(world.rank());
    const bool mine = order.blocks().owner(v) == world.rank();
    const Vertex id = world.max(mine && active[k] ? order.id_at(k) : -1);
    if (id >= 0) sources.push_back(id);
  }
  if (sources.size() == wanted) return sources;
  const std::unordered_set<Vertex> before(sources.begin(), sources.end());
  for (const Vertex id : draw_places(order, world, places, first, all, wanted, seed))
    if (sources.size() < wanted && !before.contains(id)) sources.push_back(id);
  return sources;
}

Vertex most_connected(const Graph& graph) {
  struct Best {
    Edge degree;
    Vertex id;
  };
  const auto better = [](const Best& a, const Best& b) {
    return a.degree != b.degree ? a.degree > b.degree : a.id < b.id;
  };
  Best best{-1, kNoVertex};
  for (Vertex k = 0; k < graph.owned(); ++k) {
    const Best here{graph.out().degree(graph.local_of(k)), graph.ids().id_of(k)};
    if (better(here, best)) best = here;
  }
  return graph.world().fold(best, [&](const Best& a, const Best& b) { return better(a, b) ? a : b; }).id;
}

void SourceChoice::add_to(CLI::App& app) {
  auto* count = app.add_option("--sources", count_, "how many are drawn by --seed (default 4), or all");
  count->check([](const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && number > 0;
    return whole || text == "all" ? "" : text + " (a number from 1 to 2147483647, or all)";
  });
  app.add_option("--source", given_,
                 "original ids instead, one or several; one that is named twice counts twice; with --names names")
      ->excludes(count);
  app.add_option("--seed", seed_, "for drawing sources (default 1)");
}

std::vector<Vertex> SourceChoice::of(const Graph& graph, const Dictionary* names) const {
  const int all = static_cast<int>(std::min<Vertex>(graph.vertices(), INT32_MAX));
  if (given_.empty()) return draw_sources(graph, count_ == "all" ? all : std::stoi(count_), seed_);
  return graph.world().collective_try([&] {
    std::vector<Vertex> sources;
    for (const std::string& text : given_) {
      // A name may hold a comma, which else separates several.
      if (names && names->find(text) != kNoVertex) {
        sources.push_back(names->find(text));
      } else {
        for (const std::string& part : parts_of(text)) sources.push_back(vertex_meant("--source", part, names));
      }
    }
    return sources;
  });
}

void SourceChoice::check_ids() const {
  for (const std::string& text : given_)
    for (const std::string& part : parts_of(text)) vertex_meant("--source", part, nullptr);
}

Vertex vertex_meant(std::string_view option, const std::string& text, const Dictionary* names) {
  if (names) {
    const Vertex id = names->find(text);
    if (id == kNoVertex)
      throw InputError(fmt::format("{} is '{}' (no vertex has that name{}). Give the name of a vertex.", option, text,
                                   names->nearest_text(text)));
    return id;
  }
  Vertex id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("{} is '{}' (an original id is a whole number). Give one, or read names by --names.",
                                 option, text));
  return id;
}

}  // namespace atl::cli
