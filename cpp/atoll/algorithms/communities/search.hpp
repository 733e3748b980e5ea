// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/communities/first_level.hpp>
#include <atoll/algorithms/communities/multilevel.hpp>
#include <atoll/engine/mirror_exchange.hpp>

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

class CommunityDetection::Distributed final : public Search {
 public:
  Distributed(const Graph& graph, CommunityMethod method, EdgeWeighting weights);
  void run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) override;
  std::size_t memory_bytes() const override;

 private:
  CoarseLevel own_rows();
  std::vector<Vertex> find_on_first_rank(const CommunityDetectionOptions& options, CommunityDetectionResult& result);

  MirrorExchange<Local, MinOf> exchange_;
  Array<Local> number_;  // [local] the vertex's row on rank 0
};

}  // namespace atl
