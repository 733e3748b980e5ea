// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <atoll/apsp/model/apsp_time.hpp>
#include <atoll/matrix/block_cyclic.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <atoll/runtime/world.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>

/// Chooses what the user leaves open for a run on a grid of ranks, by the model (COAST, section IV.D to IV.F).
///
///     GridConstraints constraints;                                       // everything is open
///     constraints.shape = GridShape{2, 4};                               // except this
///     const GridPlan plan = plan_grid(machine, n, 8, {.ranks = 4}, constraints);
///     plan.grid; plan.apply_to(options);                                 // what to run
///     plan.expected_s; plan.next.expected_s;                             // why
///
/// The grid, b and the broadcast are those with the least expected time among all grids of that many ranks
/// (model/apsp_time.hpp). The ranks of a node form the inner grid that sends least over the network, in the order of a
/// Latin square if the node has several cards. The chunk length is the one for which a broadcast ends first.
namespace atl::tune {
class Store;
}

namespace atl {

struct GridShape {
  int rows = 1, cols = 1;
  bool operator==(const GridShape&) const = default;
};
/// Parses "2x4". Throws UsageError; `option` is the name of the user's option.
GridShape grid_shape_of(std::string_view option, std::string_view text);

/// Choices that the user has fixed; plan_grid() chooses the rest.
struct GridConstraints {
  std::optional<GridShape> shape = {};      ///< Px x Py
  std::optional<GridShape> placement = {};  ///< Qr x Qc, of the ranks of a node
  std::int64_t block = 0;                   ///< b; 0: open
  std::optional<BroadcastShape> panels = {};
  std::optional<std::size_t> chunk_bytes = {};
};

/// How ranks are placed on the machine: consecutive ranks per node, and network cards per node.
struct NodeShape {
  int ranks = 1;  ///< 1: nodes are unequal, or there is one rank on each
  int cards = 1;
};
/// The shape of the World's leaf domains.
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
  /// The second-best plan; no ranks: there is none.
  struct Next {
    GridShape shape = {0, 0};
    std::int64_t block = 0;
    BroadcastShape panels = BroadcastShape::ring2m;
    double expected_s = 0;
  } next;

  void apply_to(GridOptions& options) const;
  /// Compares the model with a run that took `seconds` and did `share` of the 2 n^3 operations: ideal, worst, expected,
  /// measured, and where between ideal (0) and worst (1) it lies.
  nlohmann::json utilisation(double seconds, double share) const;
  nlohmann::json to_json() const;
  std::string text() const;
};

/// Pure: the best plan of predict_apsp, as `atoll model predict apsp` prints it. Throws UsageError if the constraints
/// contradict each other, and the errors of predict_apsp.
GridPlan plan_grid(const ApspMachine& machine, std::int64_t n, Rank ranks, NodeShape nodes,
                   const GridConstraints& constraints);
/// The plan made by rank 0 from its `machine`, or else from usual_machine, on all ranks. Collective.
GridPlan agree_on_grid(World& world, const std::optional<ApspMachine>& machine, const Gemm& gemm, std::int64_t n,
                       const GridConstraints& constraints);

/// The machine that `atoll model fit` stored for this processor and element type; none if there is none.
/// float32_nonnegative falls back on float32 (its products are slower, its broadcasts the same).
std::optional<ApspMachine> stored_machine(Element element, const tune::Store& store);
/// Default rates for an unmeasured machine: fractions of the peak of one rank, in operations per second.
ApspMachine usual_machine(Element element, double peak);
/// The fraction of the shorter of computing and communicating that is hidden if all ranks share one memory, where the
/// computing processors also copy the panels. With 0.3 and the usual rates the model predicts 10, 67 and 480 ms for n =
/// 1000, 2048 and 4096. Two ranks on two cores of a loaded Zen 5 machine (float32) took at least 9, 61 and 450 ms, in
/// the median 17, 73 and 468 ms.
inline constexpr double kOverlapInOneMemory = 0.3;
/// Whether all ranks share one memory.
bool share_one_memory(World& world);

}  // namespace atl
