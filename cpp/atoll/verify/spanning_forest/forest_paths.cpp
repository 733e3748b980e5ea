// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/fetch_values.hpp>
#include <atoll/verify/spanning_forest/forest_paths.hpp>

namespace atl {
namespace {

void take_later(TreeEdge& last, const TreeEdge& edge) {
  if (last.order() < edge.order()) last = edge;
}

}  // namespace

ForestPaths::ForestPaths(World& world, const Blocks& blocks, const std::vector<TreeEdge>& edges)
    : world_(world), blocks_(blocks), begin_(blocks.begin(world.rank())) {
  std::vector<Steps> steps;
  for (const TreeEdge& edge : edges)
    steps.push_back({edge.parent, edge.vertex != edge.parent, edge, edge.vertex == edge.parent});
  levels_.push_back(std::move(steps));
  // Where a circle has no end, 2^level passes the number of vertices.
  for (Vertex length = 1; length < 2 * blocks.count(); length *= 2) {
    std::vector<Steps> next = levels_.back();
    std::vector<Vertex> vertices;
    for (const Steps& one : next)
      if (!one.at_root) vertices.push_back(one.to);
    if (!world.any(!vertices.empty())) break;
    const std::vector<Steps> above = fetch(levels_.size() - 1, vertices);
    std::size_t k = 0;
    for (Steps& one : next) {
      if (one.at_root) continue;
      const Steps& more = above[k++];
      if (more.count > 0) take_later(one.last, more.last);
      one.to = more.to;
      one.count += more.count;
      one.at_root = more.at_root;
    }
    levels_.push_back(std::move(next));
  }
}

std::vector<ForestPaths::Steps> ForestPaths::fetch(std::size_t level, std::span<const Vertex> vertices) const {
  return fetch_values<Steps>(world_, blocks_, vertices, [&](Vertex v) { return levels_[level][index(v - begin_)]; });
}

// Moves the deeper of each pair up until both are as deep.
void ForestPaths::level_out(std::vector<Climb>& climbs) const {
  std::vector<Vertex> ends;
  for (const Climb& climb : climbs) {
    ends.push_back(climb.a);
    ends.push_back(climb.b);
  }
  const std::vector<Steps> depth = fetch(levels_.size() - 1, ends);
  std::vector<Vertex> deeper(climbs.size());
  for (std::size_t k = 0; k < climbs.size(); ++k) {
    deeper[k] = depth[2 * k].count - depth[2 * k + 1].count;
    if (deeper[k] < 0) {
      std::swap(climbs[k].a, climbs[k].b);
      deeper[k] = -deeper[k];
    }
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    std::vector<std::size_t> moving;
    std::vector<Vertex> from;
    for (std::size_t k = 0; k < climbs.size(); ++k)
      if (deeper[k] >> level & 1) {
        moving.push_back(k);
        from.push_back(climbs[k].a);
      }
    const std::vector<Steps> steps = fetch(level, from);
    for (std::size_t i = 0; i < moving.size(); ++i) {
      climbs[moving[i]].a = steps[i].to;
      take_later(climbs[moving[i]].last, steps[i].last);
    }
  }
}

std::vector<TreeEdge> ForestPaths::last_edges(std::span<const std::pair<Vertex, Vertex>> ends) const {
  constexpr TreeEdge kNone{-1, -1, -std::numeric_limits<double>::infinity()};
  std::vector<Climb> climbs;
  for (const auto& [a, b] : ends) climbs.push_back({a, b, kNone});
  level_out(climbs);
  // Steps that do not lead both to the same vertex, and at the end one edge from each.
  for (std::size_t level = levels_.size() + 1; level-- > 0;) {
    const bool is_end = level == 0;
    std::vector<Vertex> from;
    for (const Climb& climb : climbs) {
      from.push_back(climb.a);
      from.push_back(climb.b);
    }
    const std::vector<Steps> steps = fetch(is_end ? 0 : level - 1, from);
    for (std::size_t k = 0; k < climbs.size(); ++k) {
      const Steps &a = steps[2 * k], &b = steps[2 * k + 1];
      if (is_end ? climbs[k].a == climbs[k].b : a.to == b.to) continue;
      climbs[k] = {a.to, b.to, climbs[k].last};
      take_later(climbs[k].last, a.last);
      take_later(climbs[k].last, b.last);
    }
  }
  std::vector<TreeEdge> last;
  for (const Climb& climb : climbs) last.push_back(climb.last);
  return last;
}

}  // namespace atl
