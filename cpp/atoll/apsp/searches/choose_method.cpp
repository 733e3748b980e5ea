// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/apsp/searches/choose_method.hpp>
#include <atoll/apsp/searches/row_searches.hpp>
#include <atoll/matrix/gemm/lane_kernels.hpp>
#include <cmath>
#include <ctime>
#include <functional>

namespace atl {
namespace {

constexpr std::array<std::string_view, kPairsMethods> kNames = {"fw", "dijkstra", "delta", "bfs"};

/// If Floyd-Warshall takes less than this, no other method is tried.
constexpr double kWorthTrying = 0.02;  // seconds

/// From this density on, searches are not tried on weighted arcs either: preparing one takes longer than Floyd-Warshall
/// (0.25 s against 0.1 s at n = 2048, density 1), which is much faster (4.7 times at n = 1331, density 0.18).
constexpr double kDense = 0.25;

/// The best two are told apart while the better takes more than this of the other's time, up to so many samples each.
constexpr double kClose = 0.7;
constexpr int kMostSamples = 8;
/// The samples of the best two take at most this part of the full run.
constexpr double kSamplesOfRun = 0.02;

/// Seconds for which a processor has run this thread.
double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// `count` sources that are close to each other by new number, as those of a batch in a full run are; sample k of a
/// method lies elsewhere than those before it.
std::vector<SourceRow> sample(std::size_t n, std::size_t count, int k) {
  constexpr double kGolden = 0.6180339887498949;  // its multiples are spread evenly over the unit interval
  count = std::min(count, n);
  double place = 0.5 + kGolden * k;
  place -= std::floor(place);
  const auto first = static_cast<std::size_t>(place * static_cast<double>(n - count));
  std::vector<SourceRow> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back({static_cast<Local>(first + i), static_cast<Local>(i)});
  return list;
}

/// Searches by one method that are timed on samples.
template <class T>
class Trial {
 public:
  /// run(sources, rows): false if the method cannot be used.
  using Run = std::function<bool(std::span<const SourceRow>, MatrixView<T>)>;
  Trial(PairsMethod method, std::size_t vertices, std::size_t batch, Run run)
      : method_(method), n_(vertices), batch_(batch), run_(std::move(run)) {}

  /// False if the method cannot be used.
  bool once() {
    const std::vector<SourceRow> sources = sample(n_, batch_, samples_);
    Matrix<T> rows(static_cast<std::int64_t>(sources.size()), static_cast<std::int64_t>(n_));
    if (samples_ == 0 && !run_(sources, rows.view())) return false;  // first touch of the memory
    const double before = thread_seconds();
    if (!run_(sources, rows.view())) return false;
    spent_ += thread_seconds() - before;
    done_ += sources.size();
    ++samples_;
    return true;
  }
  PairsMethod method() const { return method_; }
  int samples() const { return samples_; }
  double spent() const { return spent_; }
  /// For all sources, by one thread.
  double seconds() const { return spent_ * static_cast<double>(n_) / static_cast<double>(done_); }

 private:
  PairsMethod method_;
  std::size_t n_, batch_;
  Run run_;
  int samples_ = 0;
  std::size_t done_ = 0;
  double spent_ = 0;
};

/// The searches that can be used, timed until it is clear which is the fastest. Weights are not negative.
template <class T>
std::vector<Trial<T>> timed_searches(const NearArcs<T>& near) {
  const auto n = static_cast<std::size_t>(near.arcs.vertices());
  Team one(1);
  std::vector<Trial<T>> trials;
  trials.emplace_back(PairsMethod::dijkstra, n, 1, [&](std::span<const SourceRow> sources, MatrixView<T> rows) {
    const Local vertex = sources.front().source;
    dijkstra_rows<T>(one, near.arcs, {&vertex, 1}, rows);
    return true;
  });
  const double delta = near.arcs.greatest > T{} ? static_cast<double>(near.arcs.greatest) : 1.0;
  trials.emplace_back(PairsMethod::delta, n, kLanes<T>, [&](std::span<const SourceRow> sources, MatrixView<T> rows) {
    delta_rows<T>(one, near, sources, rows, delta);
    return true;
  });
  if (near.arcs.is_unit())
    trials.emplace_back(PairsMethod::breadth_first, n, kSearches,
                        [&](std::span<const SourceRow> sources, MatrixView<T> rows) {
                          return breadth_first_rows<T>(one, near, sources, rows).empty();
                        });
  std::erase_if(trials, [](Trial<T>& trial) { return !trial.once(); });
  const auto faster = [](const Trial<T>& a, const Trial<T>& b) { return a.seconds() < b.seconds(); };
  for (;;) {
    std::ranges::stable_sort(trials, faster);
    if (trials.size() < 2) break;
    Trial<T>&best = trials[0], &next = trials[1];
    if (best.seconds() < kClose * next.seconds()) break;
    if (best.samples() + next.samples() >= 2 * kMostSamples) break;
    if (best.spent() + next.spent() >= kSamplesOfRun * best.seconds()) break;
    for (Trial<T>* trial : {&best, &next})
      if (trial->samples() < kMostSamples) trial->once();
  }
  return trials;
}

}  // namespace

std::string_view name_of(PairsMethod method) { return kNames[static_cast<std::size_t>(method)]; }

std::optional<PairsMethod> pairs_method_named(std::string_view name) {
  if (name == "auto") return {};
  for (std::size_t m = 0; m < kNames.size(); ++m)
    if (name == kNames[m]) return static_cast<PairsMethod>(m);
  throw InputError(fmt::format("method is {} (not one there is). Use one of auto, fw, dijkstra, delta, bfs.", name));
}

RowSearch search_of(PairsMethod method) {
  switch (method) {
    case PairsMethod::dijkstra:
      return RowSearch::dijkstra;
    case PairsMethod::breadth_first:
      return RowSearch::breadth_first;
    default:
      return RowSearch::delta;
  }
}

template <class T>
double floyd_warshall_seconds(const ReplicatedCsr<T>& arcs, double operations_per_second) {
  const auto n = static_cast<double>(arcs.vertices());
  return n * n * n * (arcs.directed ? 2.0 : 1.0) / operations_per_second;
}

template <class T>
std::vector<MethodEstimate> estimate_methods(Team& team, PreparedArcs<T>& prepared, double floyd_warshall_seconds,
                                             Rank ranks) {
  const ReplicatedCsr<T>& arcs = prepared.given();
  const auto n = static_cast<double>(arcs.vertices());
  std::vector<MethodEstimate> list{{PairsMethod::floyd_warshall, floyd_warshall_seconds}};
  const bool dense = static_cast<double>(arcs.size()) >= kDense * n * n;
  if (floyd_warshall_seconds < kWorthTrying || (dense && !arcs.is_unit())) return list;
  // Potentials may be much greater than a distance: seven digits of both are fewer of their difference.
  if (std::is_same_v<T, float> && arcs.has_negative()) return list;
  if (!prepared.has_nonnegative()) return list;
  for (const Trial<T>& trial : timed_searches(prepared.near()))
    list.push_back({trial.method(), trial.seconds() / (team.size() * ranks)});
  std::ranges::stable_sort(list, {}, &MethodEstimate::seconds);
  return list;
}

#define ATOLL_CHOOSE_METHOD(T)                                             \
  template double floyd_warshall_seconds(const ReplicatedCsr<T>&, double); \
  template std::vector<MethodEstimate> estimate_methods(Team&, PreparedArcs<T>&, double, Rank);
ATOLL_CHOOSE_METHOD(float)
ATOLL_CHOOSE_METHOD(double)
ATOLL_CHOOSE_METHOD(std::int32_t)
ATOLL_CHOOSE_METHOD(std::uint16_t)
ATOLL_CHOOSE_METHOD(std::uint8_t)
#undef ATOLL_CHOOSE_METHOD

}  // namespace atl
