// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/point_to_point/plane_bounds.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <cmath>
#include <limits>

namespace atl {
namespace {

// Keeps bounds below the lengths that they bound, however both are rounded.
constexpr double kBelowRounding = 1 - 1e-12;

double distance_in_plane(double x0, double y0, double x1, double y1) { return std::hypot(x1 - x0, y1 - y0); }

}  // namespace

PlaneBounds::PlaneBounds(const Graph& graph, PathLength length, const PlaneCoordinates& coordinates)
    : graph_(graph), x_(index(graph.locals()), 0.0), y_(index(graph.locals()), 0.0) {
  World& world = graph.world();
  world.collective_try([&] {
    const auto owned = index(graph.owned());
    check(coordinates.x.size() == owned && coordinates.y.size() == owned,
          "path: {}: coordinates of {} and {} vertices, of {} (each vertex has one place). Give one row for each.",
          graph.name(), coordinates.x.size(), coordinates.y.size(), owned);
    for (Vertex k = 0; k < graph.owned(); ++k) {
      const Local v = graph.local_of(k);
      x_[v] = coordinates.x[index(k)];
      y_[v] = coordinates.y[index(k)];
      check(std::isfinite(x_[v]) && std::isfinite(y_[v]),
            "path: {}: vertex {} is at ({}, {}) (places are finite). Give it one, or leave coordinates out.",
            graph.name(), graph.id_of(v), x_[v], y_[v]);
    }
  });
  MirrorExchange<double, MinOf> exchange(GraphView::all_of(graph));
  exchange.broadcast_all({x_.data(), x_.size()});
  exchange.broadcast_all({y_.data(), y_.size()});
  const double least = world.min(least_ratio(length));
  scale_ = std::isfinite(least) ? least * kBelowRounding : 0;
}

// The least length for a unit of the plane among this rank's edges; infinity where no edge leads anywhere.
double PlaneBounds::least_ratio(PathLength length) const {
  double least = std::numeric_limits<double>::infinity();
  const auto take = [&](Local v, Local u, double weight) {
    const double apart = distance_in_plane(x_[v], y_[v], x_[u], y_[u]);
    if (apart > 0) least = std::min(least, weight / apart);
  };
  for (Local v = 0; v < graph_.active(); ++v) {
    if (length == PathLength::edges) {
      for (const Local u : graph_.out().neighbours(v)) take(v, u, 1);
    } else {
      graph_.out().for_edges(v, [&](Local u, auto w) { take(v, u, static_cast<double>(w)); });
    }
  }
  return least;
}

void PlaneBounds::set_ends(Local source, Local target) {
  constexpr double kElsewhere = std::numeric_limits<double>::infinity();
  const auto place = [&](Local v) { return v >= 0 ? Place{x_[v], y_[v]} : Place{kElsewhere, kElsewhere}; };
  struct Ends {
    Place source, target;
  };
  const auto known = [](const Place& a, const Place& b) { return std::isfinite(a.x) ? a : b; };
  const Ends ends = graph_.world().fold(Ends{place(source), place(target)}, [&](const Ends& a, const Ends& b) {
    return Ends{known(a.source, b.source), known(a.target, b.target)};
  });
  source_ = ends.source;
  target_ = ends.target;
}

double PlaneBounds::potential(Local v) const {
  return scale_ / 2 *
         (distance_in_plane(x_[v], y_[v], target_.x, target_.y) -
          distance_in_plane(source_.x, source_.y, x_[v], y_[v]));
}

}  // namespace atl
