// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/components/components.hpp>
#include <atoll/algorithms/strong_components/distributed.hpp>
#include <atoll/algorithms/strong_components/one_rank.hpp>

namespace atl {
namespace {

// Every path leads back along the same edges, so that the connected components are strong.
class UndirectedStrongComponents final : public StrongComponentsSearch {
 public:
  explicit UndirectedStrongComponents(const Graph& graph) : components_(graph) {}
  void run(StrongComponentsResult& result) override {
    found_.component = std::move(result.component);
    components_.run(found_);
    result.component = std::move(found_.component);
    result.components = found_.components;
  }
  std::size_t memory_bytes() const override { return components_.memory_bytes(); }

 private:
  Components components_;
  ComponentsResult found_;
};

}  // namespace

StrongComponents::StrongComponents(const Graph& graph) {
  if (!graph.directed()) {
    search_ = std::make_unique<UndirectedStrongComponents>(graph);
  } else if (graph.world().size() == 1) {
    search_ = std::make_unique<OneRankStrongComponents>(graph);
  } else {
    search_ = std::make_unique<DistributedStrongComponents>(graph);
  }
}

StrongComponents::~StrongComponents() = default;

void StrongComponents::run(StrongComponentsResult& result) { search_->run(result); }

std::size_t StrongComponents::memory_bytes() const { return search_->memory_bytes(); }

StrongComponentsResult strong_components(const Graph& graph) {
  StrongComponentsResult result;
  StrongComponents(graph).run(result);
  return result;
}

}  // namespace atl
