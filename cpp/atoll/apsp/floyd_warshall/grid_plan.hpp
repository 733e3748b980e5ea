// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <atoll/apsp/model/apsp_time.hpp>
#include <atoll/matrix/block_cyclic.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/tune/store.hpp>
#include <optional>

/// What a run on a grid of ranks leaves open, and what the model chooses for it (COAST, section IV.D to IV.F).
///
///     GridConstraints wishes;                                                 // all of it is open
///     wishes.sides = GridSides{2, 4};                                    // but for this
///     const GridPlan plan = plan_grid(machine, n, 8, {.ranks = 4}, wishes);
///     plan.grid; plan.apply_to(options);                                 // what to run
///     plan.expected_s; plan.next.expected_s;                             // why
///
/// The grid, b and the broadcast are those with the least expected time among all grids of so many ranks (model/apsp_time.hpp);
/// the ranks of a node are an inner grid that sends least over the network, in the order of a Latin square where the node
/// has several cards; a chunk is as long as makes a broadcast end first.
namespace atl {

struct GridSides {
  int rows = 1, cols = 1;
  bool operator==(const GridSides&) const = default;
};
/// Of "2x4". Throws UsageError: `option` is what the user called it.
GridSides grid_sides_of(std::string_view option, std::string_view text);

/// What is said is kept; what is not is chosen.
struct GridConstraints {
  std::optional<GridSides> sides = {};      ///< Px x Py
  std::optional<GridSides> placement = {};  ///< Qr x Qc, of the ranks of a node
  std::int64_t block = 0;                   ///< b; 0: open
  std::optional<BroadcastShape> panels = {};
  std::optional<std::size_t> chunk_bytes = {};
};

/// How ranks lie on the machine: nodes of so many each, which follow each other, with so many network cards.
struct NodeShape {
  int ranks = 1;  ///< 1: nodes are unequal, or there is one rank on each
  int cards = 1;
};
/// By the World's leaf domains.
NodeShape node_shape_of(const World& world);

struct GridPlan {
  ProcessGrid grid;
  std::int64_t block = 0;
  BroadcastShape panels = BroadcastShape::ring2m;
  std::size_t chunk_bytes = 0;

  enum class Rates : std::uint8_t {
    measured,
    usual
  } rates = Rates::usual;  ///< by `model fit`, or by a processor's peak
  ApspTime time;           ///< of all steps
  double expected_s = 0;
  /// The best of the other ways; without ranks: there is none.
  struct Next {
    GridSides sides = {0, 0};
    std::int64_t block = 0;
    BroadcastShape panels = BroadcastShape::ring2m;
    double expected_s = 0;
  } next;

  void apply_to(GridOptions& options) const;
  /// The model beside a run that took so many seconds and did that share of 2 n^3 operations: ideal, worst, expected,
  /// measured, and where between ideal (0) and worst (1) it lies.
  nlohmann::json beside(double seconds, double share) const;
  nlohmann::json to_json() const;
  std::string text() const;
};

/// Pure: the best of predict_apsp, what `atoll model predict apsp` shows. Throws UsageError where the wishes do not go together,
/// and what predict_apsp throws.
GridPlan plan_grid(const ApspMachine& machine, std::int64_t n, Rank ranks, NodeShape nodes,
                   const GridConstraints& wishes);
/// The same on all ranks: that of the first, by its `machine`, or by usual_machine. Collective.
GridPlan agree_on_grid(World& world, const std::optional<ApspMachine>& machine, const Gemm& gemm, std::int64_t n,
                       const GridConstraints& wishes);

/// What `atoll model fit` kept for this processor; none: it has not run, or not with such elements. Where it has not with
/// float32_nonnegative, what it kept of float32 (the products are slower, the broadcasts the same).
std::optional<ApspMachine> stored_machine(Element element, const tune::Store& store);
/// A machine that nobody has measured: shares of the peak of one rank, in operations a second.
ApspMachine usual_machine(Element element, double peak);
/// The share of the shorter of computing and communicating that is hidden where all ranks share one memory: the processors
/// that compute copy the panels too. Two ranks on two cores of a Zen 5 machine, float32, other work beside: with 0.3 and the
/// usual rates the model says 10, 67 and 480 ms for n = 1000, 2048 and 4096; runs took 9, 61 and 450 ms at least, and 17, 73
/// and 468 ms in the median.
inline constexpr double kOverlapInOneMemory = 0.3;
/// Whether they do.
bool share_one_memory(World& world);

}  // namespace atl
