// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/tune/search.hpp>

namespace atl::tune {
namespace {

double median_of(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::sort(values.begin(), values.end());
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void sort_by_rate(std::vector<Measured>& points) {
  std::stable_sort(points.begin(), points.end(), [](const Measured& a, const Measured& b) {
    return a.rates.size() != b.rates.size() ? a.rates.size() > b.rates.size() : a.rate > b.rate;
  });
}

}  // namespace

std::vector<Measured> grid_search(const Space& space, const std::function<double(const Point&)>& rate,
                                  const SearchOptions& options) {
  check(options.rounds >= 1 && options.keep >= 0 && options.keep <= 1 && options.at_most >= 1,
        "a search of {} rounds that keeps {} and at most {} points (1 or more, a share from 0 to 1, 1 or more). "
        "Correct it.",
        options.rounds, options.keep, options.at_most);
  std::vector<Point> points = space.points();
  check(!points.empty(), "no point of the space keeps its rules ({} were tried). Loosen a rule or add values.",
        space.size());
  Random random(options.seed);
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random.below(i)]);
  const Timer timer;
  std::vector<Measured> measured;
  for (const Point& p : points) {
    if (!measured.empty() && timer.seconds() > options.seconds) break;
    const double r = rate(p);
    measured.push_back({p, r, {r}});
    if (options.progress) options.progress(measured.size(), points.size());
  }
  sort_by_rate(measured);
  check(measured.front().rate > 0,
        "the best of {} points has the rate {} (none could be measured). Look at what each "
        "says.",
        measured.size(), measured.front().rate);

  std::size_t kept = measured.size();
  for (int round = 1; round < options.rounds; ++round) {
    kept = std::min(kept, static_cast<std::size_t>(options.at_most));
    while (kept > 1 && measured[kept - 1].rate < options.keep * measured[0].rate) --kept;
    for (std::size_t i = 0; i < kept; ++i) {
      if (timer.seconds() > options.seconds) {
        sort_by_rate(measured);
        return measured;
      }
      measured[i].rates.push_back(rate(measured[i].point));
      measured[i].rate = median_of(measured[i].rates);
    }
    sort_by_rate(measured);
  }
  return measured;
}

}  // namespace atl::tune
