// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/plan.hpp>
#include <atoll/spmm/strategy.hpp>
#include <vector>

// Jobs, and the strategies that are tried in them.
namespace spmm_cases {

struct Job {
  atl::Rank ranks;
  const char* domains;
  int threads;
};
inline const std::vector<Job> kJobs = {{1, "", 1},    {2, "", 2},      {3, "", 1},      {4, "2x2", 1},  {5, "3+2", 2},
                                       {8, "2x4", 1}, {8, "2x2x2", 1}, {16, "2x8", 1},  {16, "4x4", 1}, {7, "4+2+1", 1},
                                       {8, "8x1", 1}, {9, "3x3", 1},   {16, "2x2x4", 1}};
inline atl::Plan plan_of(const Job& job) {
  atl::Plan plan;
  plan.threads = job.threads;
  plan.domains = job.domains;
  plan.timeout_seconds = 120;
  return plan;
}

// All of them, and those that have phases with as many as there can be: small matrices have one otherwise.
inline std::vector<atl::SpmmStrategy> strategies() {
  std::vector<atl::SpmmStrategy> out(atl::spmm_strategies().begin(), atl::spmm_strategies().end());
  for (const std::string_view name : {"broadcast+fusion", "columnwise+fusion+coalesced", "cola", "joint"}) {
    atl::SpmmStrategy& phased = out.emplace_back(atl::spmm_strategy(name));
    phased.phases = atl::SpmmStrategy::Phases::domains;
    phased.undivided_rows = 0;
  }
  return out;
}

}  // namespace spmm_cases
