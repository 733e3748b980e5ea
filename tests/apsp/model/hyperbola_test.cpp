// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/model/hyperbola.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

using namespace atl;

namespace {

std::vector<MeasuredRate> sampled(const Hyperbola& h, std::initializer_list<double> xs, double noise = 0,
                                  std::uint64_t seed = 0) {
  std::vector<MeasuredRate> out;
  for (const double x : xs) {
    const double u = static_cast<double>(random_at(seed, out.size()) >> 11) * 0x1p-53;
    out.push_back({x, h(x) * std::exp(noise * (2 * u - 1))});
  }
  return out;
}

}  // namespace

TEST_CASE("a fit to points of a hyperbola recovers its parameters, at any scale") {
  const auto xs = {1., 2., 4., 8., 16., 32., 64., 128., 256., 512., 1024., 2048., 4096.};
  for (const Hyperbola h : {Hyperbola{15.56e12, 70}, Hyperbola{1, 4}, Hyperbola{8.7e9, 1500}, Hyperbola{3e-3, 0.7}}) {
    const HyperbolaFit fit = fit_hyperbola(sampled(h, xs));
    CHECK(fit.curve.a == doctest::Approx(h.a).epsilon(1e-6));
    CHECK(fit.curve.d == doctest::Approx(h.d).epsilon(1e-6));
    CHECK(fit.worst_ratio == doctest::Approx(1).epsilon(1e-6));
  }
  const HyperbolaFit flat = fit_hyperbola(sampled({5, 0}, xs));
  CHECK(flat.curve.a == doctest::Approx(5));
  CHECK(flat.curve.d < 1e-2);
}

TEST_CASE("the fit starts at equations 8 and 9, and is never worse by equation 7") {
  const MeasuredRate points[] = {{32, 4}, {64, 6}, {128, 8}, {256, 11}, {512, 12}};
  CHECK(start_of_fit(points) == Hyperbola{12, 64});
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const auto noisy = sampled({100, 50}, {5., 10., 20., 50., 100., 300., 1000.}, 0.2, 1000 * seed);
    const HyperbolaFit fit = fit_hyperbola(noisy);
    CHECK(fit.misfit <= misfit(start_of_fit(noisy), noisy));
    CHECK(fit.misfit == doctest::Approx(misfit(fit.curve, noisy)));
    CHECK(fit.curve.d == doctest::Approx(50).epsilon(0.6));
    // No neighbour is better, so it is a minimum.
    for (const double a : {0.999, 1.001})
      for (const double d : {0.999, 1.001})
        CHECK(fit.misfit <= misfit({fit.curve.a * a, fit.curve.d * d}, noisy) * (1 + 1e-9));
  }
}

TEST_CASE("rates proportional to x are fitted within the measured range") {
  const std::vector<MeasuredRate> line{{1, 2}, {10, 20}, {100, 200}};
  const HyperbolaFit fit = fit_hyperbola(line);
  CHECK(fit.curve.d <= 100 * 100 * 1.001);
  CHECK(fit.worst_ratio < 1.02);
}

TEST_CASE("points that cannot be fitted are rejected with the reason") {
  CHECK_THROWS_AS(fit_hyperbola({}), InputError);
  const MeasuredRate one[] = {{5, 1}, {5, 2}};
  CHECK_THROWS_WITH_AS(fit_hyperbola(one), doctest::Contains("two with different x"), InputError);
  const MeasuredRate zero[] = {{5, 1}, {6, 0}};
  CHECK_THROWS_WITH_AS(fit_hyperbola(zero), doctest::Contains("(6, 0)"), InputError);
  CHECK(Hyperbola::from_json(Hyperbola{3, 4}.to_json()) == Hyperbola{3, 4});
  CHECK_THROWS_AS(Hyperbola::from_json(nlohmann::json::parse(R"({"a": 3})")), InputError);
  CHECK_THROWS_AS(Hyperbola::from_json(nlohmann::json::parse(R"({"a": -3, "d": 1})")), InputError);
}
