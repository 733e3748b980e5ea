// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/path_length.hpp>
#include <atoll/graph/graph.hpp>

/// Lower bounds on distances by places in a plane, and the potential by which two searches that meet prefer what lies
/// between their ends [1].
///
/// Each edge u -> v is at least as long as c |u - v|, for the greatest c of which that is true: so each path is, and
/// c |v - t| bounds what is left from v to t. With h_s(v) = c |s - v| and h_t(v) = c |v - t| the potential
/// (h_t(v) - h_s(v)) / 2 is consistent for the search from s, and with the other sign for that from t.
///
/// [1] T. Ikeda et al. "A fast algorithm for finding better routes by AI search techniques." VNIS 1994.
namespace atl {

struct PlaneCoordinates {
  Array<double> x, y;  ///< [owned index] in any unit, the same on both axes
};

class PlaneBounds {
 public:
  /// Collective. InputError, the same on all ranks, if there is not one finite place for each vertex. The weights must be
  /// finite and not negative.
  PlaneBounds(const Graph& graph, PathLength length, const PlaneCoordinates& coordinates);
  /// Sets the ends of a path; -1 where another rank has it. Collective.
  void set_ends(Local source, Local target);
  /// Half of what is left from v to the target, less half of what is behind it from the source; v is a master.
  double potential(Local v) const;
  /// c: length for a unit of the plane; 0 if some edge of a length in the plane adds nothing.
  double length_per_unit() const { return scale_; }
  std::size_t memory_bytes() const { return 2 * x_.size() * sizeof(double); }

 private:
  struct Place {
    double x, y;
  };
  double least_ratio(PathLength length) const;
  const Graph& graph_;
  Array<double> x_, y_;  // [local]
  double scale_ = 0;
  Place source_{}, target_{};
};

}  // namespace atl
