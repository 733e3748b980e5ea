// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/communities/local_moving.hpp>
#include <atoll/engine/halo/row_index.hpp>
#include <atoll/engine/rows_over_ranks.hpp>
#include <unordered_map>

/// Local moving of the vertices of a graph over ranks, each of which sweeps over its own.
///
///     MovingOverRanks moving(graph, first, rows);              // collective, as all below
///     moving.start(label);                                     // [local] masters' communities, by rows over the ranks
///     moving.run(local_moving, terms, 1e-3, MovingOverRanks::Turns::all);
///     moving.slot()[v]; moving.row(slot);                      // of each local vertex, mirrors included
///
/// A community is called by a row: a number of a vertex over all ranks, whose rank has the sum of its degrees. A rank
/// knows the communities of its local vertices, in slots, and their sums as they were after the sweep before. After a
/// sweep ranks tell each other which vertices have moved, and the changed sums [1]. So moves of different ranks may
/// lose what each of them believed to gain.
///
/// Memory: 30 bytes a local vertex, 4 for each edge to a mirror, and 50 for each community that a rank knows besides.
///
/// [1] S. Ghosh et al. "Distributed Louvain algorithm for graph community detection." IPDPS 2018.
namespace atl {

class MovingOverRanks {
 public:
  /// `level` is of the graph's masters with an edge.
  MovingOverRanks(const Graph& graph, const Level& level, RowsOverRanks& rows);

  /// Whether all ranks sweep at the same time, or one after another: then every move is a gain.
  enum class Turns { all, one };
  /// `label`: [local] of masters the row that names the community.
  void start(const Array<Local>& label);
  /// Sweeps until one, or of turns one of every rank, raises the modularity by less than `tolerance`.
  void run(LocalMoving& moving, const ModularityTerms& terms, double tolerance, Turns turns);
  double modularity(const ModularityTerms& terms) const;

  /// [local] the slot of the vertex's community.
  Array<Local>& slot() { return slot_; }
  std::size_t slots() const { return row_of_.size(); }
  Local row(Local slot) const { return row_of_[index(slot)]; }
  /// [slot] the sum of the degrees.
  const Array<double>& degrees() const { return degrees_; }
  std::size_t memory_bytes() const;

 private:
  struct Change {
    Local row;
    Local is_new;  // the sender wants to know the sum from now on
    double degree;
  };
  struct Sum {
    Local row;
    double degree;
  };
  struct Subscriber {
    Rank rank;
    Local next;
  };

  void list_neighbours_of_mirrors();
  Local find_slot(Local row) const;
  Local slot_of(Local row);
  void tell_moved(LocalMoving& moving);
  void exchange_sums();

  const Graph& graph_;
  World& world_;
  const Level level_;
  RowsOverRanks& rows_;
  Array<Local> label_;          // [local] the row that names the community
  Array<Local> slot_;           // [local]
  VertexBits moved_;            // [local] whose label has changed
  Array<Local> left_;           // [own row] the slot that it left last
  std::vector<Local> mirrors_;  // local numbers, by the position of their rows
  RowIndex mirror_rows_;
  Array<Edge> begin_;        // [mirror - first_mirror_] of its neighbours
  Array<Local> neighbours_;  // rows with an edge to a mirror
  Local first_mirror_;
  std::vector<Local> row_of_;                     // [slot]; the first ones are of the local vertices
  std::unordered_map<Local, Local> other_slots_;  // of rows that no local vertex has
  Array<double> degrees_, known_;                 // [slot] as the rank believes, and as the owner had it
  std::vector<Local> new_slots_;                  // whose sum is not known yet
  Array<double> totals_;                          // [own row]
  Array<Local> first_subscriber_;                 // [own row]
  std::vector<Subscriber> subscribers_;
};

}  // namespace atl
