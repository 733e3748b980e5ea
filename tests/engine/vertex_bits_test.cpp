// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/engine/vertex_bits.hpp>
#include <vector>

using namespace atl;

TEST_CASE("for_words visits the nonzero words of any range, ascending") {
  for (const std::size_t words : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{29}})
    for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{9}, std::size_t{100}}) {
      VertexBits bits(words * 64);
      for (std::size_t w = step / 2; w < words; w += step) bits.set_unsynchronized(w * 64 + w % 64);
      for (std::size_t first = 0; first <= words; ++first)
        for (std::size_t end = first; end <= words; ++end) {
          std::vector<std::size_t> expected, visited;
          for (std::size_t w = first; w < end; ++w)
            if (bits.at(w) != 0) expected.push_back(w);
          bits.for_words(first, end, [&](std::size_t w) { visited.push_back(w); });
          CHECK(visited == expected);
        }
    }
}
