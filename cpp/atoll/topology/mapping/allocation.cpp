// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/mapping/allocation.hpp>
#include <numeric>

namespace atl {

std::vector<std::vector<int>> allocate_by_order(std::span<const int> numbering, std::span<const int> occupied,
                                                std::span<const int> sizes) {
  std::vector<char> taken(numbering.size(), 0);
  for (const int p : occupied) {
    check(p >= 0 && static_cast<std::size_t>(p) < taken.size(),
          "place {} is occupied (places are 0 to {}). Correct it.", p, taken.size() - 1);
    taken[p] = 1;
  }
  std::int64_t wanted = 0;
  for (const int size : sizes) {
    check(size >= 1, "a job of {} ranks (at least one). Correct it.", size);
    wanted += size;
  }
  const std::int64_t free = std::ranges::count(taken, char{0});
  check(wanted <= free, "jobs of {} ranks together onto {} free places (each rank needs one). Have fewer ranks.",
        wanted, free);
  std::vector<std::vector<int>> jobs;
  std::size_t next = 0;
  for (const int size : sizes) {
    std::vector<int>& job = jobs.emplace_back();
    for (; job.size() < static_cast<std::size_t>(size); ++next)
      if (!taken[numbering[next]]) job.push_back(numbering[next]);
  }
  return jobs;
}

}  // namespace atl
