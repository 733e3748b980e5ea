// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/halo_plan.hpp>
#include <span>
#include <string_view>

/// How a distributed product fetches the rows of B that other ranks own: the strategies that CoLa [1] compares, as
/// values. All give the same result.
///
///     SpmmProduct<float> spmm(world, std::move(rows), spmm_strategy("cola"));
///
/// [1] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication
/// on GPUs." ICS 2025.
namespace atl {

/// Costs on a virtual clock of the program that a strategy stands for, in those of a device's roofline. The defaults are
/// the roofline itself; spmm_program() has those of the programs that CoLa measured.
struct SpmmProgram {
  double product = 1;  ///< time of the local products, in that of the roofline
  /// Time of a stage, in that of reading and writing the rank's rows of C once. A stage multiplies the rows of B that
  /// arrive together, or the rank's own.
  double stage = 0;
  double copy = 0;  ///< time of each copied row of B, in that of reading it once from the device's memory
};

struct SpmmStrategy {
  enum class Algorithm {
    rows_1d,          ///< each rank multiplies its rows (DistributedSpmm)
    replicated_1_5d,  ///< ranks of a team have each other's rows, and add up what they multiply (ReplicatedSpmm)
    summa_2d,         ///< ranks of a grid have blocks of rows and columns (SummaSpmm)
  };
  enum class Fetch {
    all,       ///< every row: V_CG (equation 5)
    nonzeros,  ///< a row for each nonzero in its column: V_FR (equation 6)
    columns,   ///< each row that the rank has nonzeros for once: V_FC (equation 7)
    blocks,    ///< the same, and all rows of other domains once into each domain: a rank takes those of a rank in each
    joint,  ///< each row of a least cover by rows of B and partial rows of C once (PartialRows); max and min: columns
  };
  /// The rows of B that one phase fetches and multiplies: all rows, the rows of a group of domains (as many groups as
  /// overlapped_phases() finds worth their latency), the rows of one domain, or those of one rank. A phase is divided
  /// further if a rank would hold copies of more rows than both twice its share of B and undivided_rows.
  enum class Phases { one, overlapped, domains, ranks };

  std::string_view name, description;
  Fetch fetch;
  Phases phases;
  HaloPath path;  ///< domains: fetched once into each domain (section 4.2)
  RowMessages messages;
  bool overlapped;                           ///< one phase is fetched while the one before is multiplied (section 5.1)
  Algorithm algorithm = Algorithm::rows_1d;  ///< the fields above take effect with rows_1d only, else describe
  /// Number of copied rows that any rank may hold: below it more phases cost more in latency than they save in memory.
  std::size_t undivided_rows = std::size_t{1} << 16;
  SpmmProgram program = {};
};

/// The program whose times CoLa's Table 6 has for a strategy: CAGNET's for broadcast, broadcast-1.5d and broadcast-2d,
/// MGGCN's for broadcast+pipeline, MGG's for rowwise, else CoLa's. Fitted to the column of 2 GPUs
/// (docs/measurements/cola.md).
SpmmProgram spmm_program(std::string_view strategy);

/// Returns the number of phases when each is fetched while the one before is multiplied. With p phases the last one's
/// share of the work, W / p, is not hidden, and each costs the latency L of all levels: W / p + p L is least at
/// p = sqrt(W / L). W is the time of `nonzeros` with 64 columns of 4 bytes, since a plan serves any width, on the
/// machine's device or else on a CPU.
std::size_t overlapped_phases(const Machine& machine, int levels, double nonzeros);
/// Returns the number of groups of domains, one for each phase: at most 8, and 1 if phases are not by domain.
/// `nonzeros` are the remote ones of a rank.
std::size_t domain_groups(const SpmmStrategy& strategy, const Machine& machine, int levels, std::size_t domains,
                          double nonzeros);

/// All of them, from the least to the most refined.
std::span<const SpmmStrategy> spmm_strategies();
/// Throws UsageError, which lists the names.
const SpmmStrategy& spmm_strategy(std::string_view name);
/// `cola` where the World has domains, else `halo`.
const SpmmStrategy& default_spmm_strategy(const World& world);

}  // namespace atl
