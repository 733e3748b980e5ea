// SPDX-License-Identifier: Apache-2.0
#include "sampling.hpp"

#include <algorithm>
#include <atoll/base/random.hpp>

namespace atl::catalog {

std::vector<Option> sampling_options(std::int64_t standard, std::string_view help) {
  return {{.name = "samples",
           .stage = Stage::check,
           .default_value = standard,
           .check_help = help,
           .range = Range::not_negative,
           .most = INT64_MAX},
          {.name = "seed",
           .stage = Stage::check,
           .default_value = std::int64_t{1},
           .check_help = "for drawing them (default 1)",
           .range = Range::not_negative,
           .most = INT64_MAX}};
}

Option seed_option(std::string_view help) {
  return {
      .name = "seed", .default_value = std::int64_t{1}, .help = help, .range = Range::not_negative, .most = INT64_MAX};
}

std::uint64_t seed_of(const Arguments& arguments) { return static_cast<std::uint64_t>(arguments.whole("seed")); }

// The vertices of the least random keys win; keys are all different, since random_at() is a bijection.
std::vector<Vertex> draw_vertices(const Graph& graph, Vertex count, std::uint64_t seed) {
  using Drawn = std::pair<std::uint64_t, Vertex>;
  const auto least = [count](std::vector<Drawn>& all) {
    if (static_cast<Vertex>(all.size()) > count) {
      std::nth_element(all.begin(), all.begin() + count, all.end());
      all.resize(static_cast<std::size_t>(count));
    }
  };
  std::vector<Drawn> mine;
  for (Vertex k = 0; k < graph.owned(); ++k) {
    const Vertex id = graph.ids().id_of(k);
    mine.emplace_back(random_at(seed, static_cast<std::uint64_t>(id)), id);
  }
  least(mine);
  std::vector<Vertex> ids;
  for (const Drawn& drawn : mine) ids.push_back(drawn.second);
  const std::vector<Vertex> of_all = graph.world().all_gather_varying(std::span<const Vertex>(ids));
  std::vector<Drawn> all;
  for (const Vertex id : of_all) all.emplace_back(random_at(seed, static_cast<std::uint64_t>(id)), id);
  least(all);
  ids.clear();
  for (const Drawn& drawn : all) ids.push_back(drawn.second);
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace atl::catalog
