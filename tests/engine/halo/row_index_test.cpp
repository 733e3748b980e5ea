// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/engine/halo/row_index.hpp>
#include <set>

using namespace atl;

TEST_CASE("each needed row outside a range has its position in ascending order, by bits and by sorting") {
  for (const int threads : {1, 3})
    for (const Vertex count : {Vertex{1}, Vertex{64}, Vertex{65}, Vertex{1000}, Vertex{100000}})
      for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{5000}, std::size_t{300000}})
        for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 30}) {
          CAPTURE(count);
          CAPTURE(length);
          CAPTURE(budget);
          Team team(threads);
          const IndexRange without{count / 3, count / 2};
          std::vector<Vertex> needed;
          std::set<Vertex> right;
          for (std::size_t i = 0; i < length; ++i) {
            const auto row = static_cast<Vertex>(random_at(5, i) % static_cast<std::uint64_t>(count));
            needed.push_back(row);
            if (row < without.begin || row >= without.end) right.insert(row);
          }
          const RowIndex index(team, count, needed, without, budget);
          REQUIRE(std::vector<Vertex>(right.begin(), right.end()) ==
                  std::vector<Vertex>(index.rows().begin(), index.rows().end()));
          std::size_t position = 0, wrong = 0;
          for (const Vertex row : right) wrong += index.position(row) != position++;
          CHECK(wrong == 0);
          CHECK(index.memory_bytes() <= right.size() * sizeof(Vertex) + needed.size() * sizeof(Vertex));
        }
}
