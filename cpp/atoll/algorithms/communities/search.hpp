// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/communities/first_level.hpp>
#include <atoll/algorithms/communities/moving_over_ranks.hpp>
#include <atoll/algorithms/communities/multilevel.hpp>
#include <atoll/engine/rows_over_ranks.hpp>

namespace atl {

class CommunityDetection::Search {
 public:
  Search(const Graph& graph, CommunityMethod method, EdgeWeighting weights)
      : graph_(graph), method_(method), first_(graph, weights), levels_(graph.world().team()) {}
  virtual ~Search() = default;
  virtual void run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;

 protected:
  Multilevel::Terms terms_of(const CommunityDetectionOptions& options) const {
    return {method_, options.iterations, {options.resolution, first_.total()}};
  }

  /// [row] of this rank's vertices that have an edge.
  std::vector<Vertex> own_ids() const;
  /// [row] the smallest id in its community. `ids`: of the rows on which levels_ ran.
  std::vector<Vertex> smallest_of_communities(std::span<const Vertex> ids) const;
  /// Fills result.community by the `labels` of this rank's vertices that have an edge (none: as if there were no edge).
  /// Adds the vertices that are communities by themselves to result.communities. Collective.
  void label_owned(const std::vector<Vertex>& labels, CommunityDetectionResult& result) const;

  const Graph& graph_;
  const CommunityMethod method_;
  const FirstLevel first_;
  Multilevel levels_;
};

class CommunityDetection::OneRank final : public Search {
 public:
  using Search::Search;
  void run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) override;
  std::size_t memory_bytes() const override { return first_.memory_bytes() + levels_.memory_bytes(); }
};

class CommunityDetection::OnFirstRank final : public Search {
 public:
  OnFirstRank(const Graph& graph, CommunityMethod method, EdgeWeighting weights)
      : Search(graph, method, weights), weights_(weights), rows_(graph) {}
  /// Estimates what rank 0 holds of a graph with so many vertices that have an edge, and entries of lists.
  static double gathered_bytes(double rows, double edges, EdgeWeighting weights);
  void run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) override;
  std::size_t memory_bytes() const override {
    return first_.memory_bytes() + levels_.memory_bytes() + rows_.memory_bytes();
  }

 private:
  const EdgeWeighting weights_;
  RowsOverRanks rows_;
};

class CommunityDetection::OverRanks final : public Search {
 public:
  OverRanks(const Graph& graph, CommunityMethod method, EdgeWeighting weights);
  void run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) override;
  std::size_t memory_bytes() const override;

 private:
  // The first level as the ranks have left it: sets of their vertices, of which each is a vertex of the next one. Of
  // Louvain a set is a community, with vertices of several ranks; of Leiden it is a rank's.
  struct Sets {
    Array<Local> number;           // [local] of the vertex's set; those with own vertices come first
    std::vector<Local> row;        // [number] the row that names it
    std::size_t own = 0;           // with vertices of this rank
    std::vector<Local> community;  // [own number] the row that names its community
  };
  // The next level on rank 0, of the parts that ranks have of its sets.
  struct Joined {
    std::vector<std::ptrdiff_t> begins;  // [rank] its parts
    Array<Local> set;                    // [part] its set: a row of the level
    std::vector<Local> row;              // [set] the row that names it
    std::vector<Local> community;        // [set] a row of the level, its community's first
    CoarseLevel level;
  };

  void move_vertices(const Array<Local>& label, const ModularityTerms& terms, double tolerance);
  Sets sets_of_communities();
  Sets refined_sets(const ModularityTerms& terms);
  Sets numbered(const Array<Local>& named);
  Joined join(const Sets& sets);
  std::vector<Local> name_communities(const Joined& joined) const;
  std::vector<Vertex> smallest_ids(const Array<Local>& label, CommunityDetectionResult& result);

  Team& team_;
  RowsOverRanks rows_;
  MovingOverRanks moving_over_ranks_;
  LocalMoving moving_;
  Refinement refinement_;
  Aggregation aggregation_;
};

}  // namespace atl
