// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/generate/communities.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <cmath>
#include <numeric>
#include <string>

using namespace atl;

namespace {

struct Tuples {
  std::vector<std::uint32_t> source, target;  // positions: labels before their permutation
};

Tuples tuples_of(const Communities& communities, std::size_t count, int scale) {
  std::vector<std::uint32_t> position(std::size_t{1} << scale);
  for (std::uint64_t v = 0; v < position.size(); ++v)
    position[static_cast<std::size_t>(communities.permutation()(v))] = static_cast<std::uint32_t>(v);
  Tuples t{std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count)};
  communities.fill(0, std::span(t.source), std::span(t.target));
  for (auto* column : {&t.source, &t.target})
    for (std::uint32_t& v : *column) v = position[v];
  return t;
}

std::size_t community_of(const Communities& communities, std::uint32_t position) {
  return static_cast<std::size_t>(std::ranges::upper_bound(communities.starts(), position) -
                                  communities.starts().begin());
}

std::string refusal(std::string_view text) {
  try {
    GeneratorText::parse(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("communities cover all vertices, and their sizes follow the power law") {
  const Communities communities(20, 0.1, 1);
  const auto starts = communities.starts();
  CHECK(starts.front() == 0);
  CHECK(starts.back() == 1U << 20);
  std::size_t below_256 = 0;
  for (std::size_t c = 0; c + 1 < starts.size(); ++c) {
    const auto size = starts[c + 1] - starts[c];
    REQUIRE(size >= 64);
    REQUIRE(size <= 8192 + 64);
    below_256 += size < 256;
  }
  // P(size < 256) = (64^-.5 - 256^-.5) / (64^-.5 - 8192^-.5) = .548; mean size 725.
  const auto count = static_cast<double>(starts.size() - 1);
  CHECK(count > 1300);
  CHECK(count < 1600);
  CHECK(static_cast<double>(below_256) / count > 0.50);
  CHECK(static_cast<double>(below_256) / count < 0.60);
}

TEST_CASE("a share of the tuples that is the mixing leaves its community") {
  for (const double mixing : {0.0, 0.1, 0.5, 1.0}) {
    constexpr std::size_t kTuples = 100'000;
    const Communities communities(14, mixing, 5);
    const Tuples t = tuples_of(communities, kTuples, 14);
    double leaving = 0;
    for (std::size_t k = 0; k < kTuples; ++k)
      leaving += community_of(communities, t.source[k]) != community_of(communities, t.target[k]);
    CAPTURE(mixing);
    CHECK(std::abs(leaving / kTuples - mixing) < 0.005);  // five standard deviations
  }
}

TEST_CASE("degrees follow a power law inside each community and have one mean in all") {
  constexpr int kScale = 16;
  const Communities communities(kScale, 0.1, 2);
  const std::size_t count = std::size_t{12} << kScale;
  const Tuples t = tuples_of(communities, count, kScale);
  std::vector<double> degree(std::size_t{1} << kScale);
  for (const auto* column : {&t.source, &t.target})
    for (const std::uint32_t v : *column) ++degree[v];
  const auto starts = communities.starts();
  double covered = 0;
  for (std::size_t c = 0; c + 1 < starts.size(); ++c) {
    const std::size_t first = starts[c], size = starts[c + 1] - first;
    // Both ends of a tuple inside count, so the sum's variance is 2 * .9 * 24 + .1 * 24 a vertex: six deviations.
    CHECK(std::abs(std::accumulate(degree.data() + first, degree.data() + first + size, 0.0) -
                   24 * static_cast<double>(size)) < 6 * std::sqrt(45.6 * static_cast<double>(size)));
    if (size < 2000) continue;
    covered += static_cast<double>(size);
    const auto sum = [&](std::size_t a, std::size_t b) {
      return std::accumulate(degree.data() + first + a, degree.data() + first + b, 0.0);
    };
    const double mean = sum(0, size) / static_cast<double>(size);
    CHECK(mean > 23);
    CHECK(mean < 25);
    // Over 1 .. 125 the tenth of greatest weight has (.1^(1/6) - a) / (1 - a) of it, a = 125^-.2: .49; weights fall.
    CHECK(sum(0, size / 10) / sum(0, size) > 0.45);
    CHECK(sum(0, size / 10) / sum(0, size) < 0.55);
    CHECK(degree[first] > 400);
    CHECK(sum(size / 2, size) / static_cast<double>(size - size / 2) < 12);
  }
  CHECK(covered > 10'000);
}

TEST_CASE("the smallest graphs are one community that nothing leaves") {
  for (const int scale : {1, 2, 6}) {
    const Communities communities(scale, 1, 1);
    CHECK(communities.starts().size() == 2);
    const Tuples t = tuples_of(communities, 1000, scale);
    CHECK(*std::ranges::max_element(t.source) < 1U << scale);
    CHECK(*std::ranges::max_element(t.target) < 1U << scale);
    CHECK(*std::ranges::max_element(t.target) > 0);
  }
}

TEST_CASE("a wrong text is refused with the right form") {
  for (const char* text : {"communities:0", "communities:31", "communities:9:0", "communities:9:8:1.5",
                           "communities:9:8:x", "communities:9:8:0.1:1:1", "communities:"}) {
    CAPTURE(text);
    CHECK(refusal(text).find("Write communities:SCALE[:DEGREE[:MIXING[:SEED]]], for example") != std::string::npos);
  }
  CHECK(refusal("communities:9:8:1.5").find("MIXING is 1.5 (a probability lies in [0, 1])") != std::string::npos);
}
