// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/benchmarks/graph500/statistics.hpp>
#include <cmath>

using namespace atl;

TEST_CASE("quartiles average the two values at a cut") {
  const std::vector<double> values{4, 1, 3, 2};
  const Statistics s = Statistics::of(values);
  CHECK(s.min == 1);
  CHECK(s.first_quartile == 1.5);
  CHECK(s.median == 2.5);
  CHECK(s.third_quartile == 3.5);
  CHECK(s.max == 4);
  CHECK(s.mean == 2.5);
  CHECK(s.stddev == doctest::Approx(std::sqrt(5.0 / 3)));
  const Statistics five = Statistics::of(std::vector<double>{5, 4, 3, 2, 1});
  CHECK(five.first_quartile == 2);
  CHECK(five.median == 3);
  CHECK(five.third_quartile == 4);
}

TEST_CASE("rates have a harmonic mean with Norris' standard deviation") {
  const std::vector<double> rates{2, 4, 4};  // 1/x: .5 .25 .25, mean 1/3, deviation sqrt(.0625/3)
  const Statistics s = Statistics::of_rates(rates);
  CHECK(s.mean == doctest::Approx(3));
  CHECK(s.stddev == doctest::Approx(std::sqrt(0.0625 / 3) * 9 / std::sqrt(2)));
  CHECK(s.median == 4);
}

TEST_CASE("one value has no deviation and no value is all zeros") {
  const Statistics one = Statistics::of_rates(std::vector<double>{7});
  CHECK(one.mean == doctest::Approx(7));
  CHECK(one.stddev == 0);
  CHECK(one.first_quartile == 7);
  CHECK(Statistics::of_rates({}).max == 0);
}

TEST_CASE("the block has the specification's names, zeros for a kernel that did not run") {
  const std::string block = statistics_block("bfs", {{0.5, 0.25}, {100, 100}});
  for (const char* name :
       {"bfs_min_time: 2.5", "bfs_firstquartile_time: ", "bfs_median_time: 3.75",
        "bfs_thirdquartile_time: ", "bfs_max_time: 5.", "bfs_mean_time: ", "bfs_stddev_time: ", "bfs_min_nedge: 1.0",
        "bfs_stddev_nedge: 0.0", "bfs_max_TEPS: 4.0", "bfs_harmonic_mean_TEPS: 2.66", "bfs_harmonic_stddev_TEPS: "})
    CHECK_MESSAGE(block.find(name) != std::string::npos, name);
  CHECK(statistics_block("sssp", {}).find("sssp_harmonic_mean_TEPS: 0.0") != std::string::npos);
}
