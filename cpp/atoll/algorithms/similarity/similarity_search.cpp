// SPDX-License-Identifier: Apache-2.0
// Similarity of all pairs by wedges: for each own vertex u the common neighbours with all v are added up along the lists
// of its neighbours. Pairs above a threshold are found from the vertex that comes first, which has as many neighbours
// or more, so that v has too few of them from some number on: lists are cut there.
//
//   in [1]                   here                      meaning
//   length filter            WedgeLists::first_below   v has enough neighbours
//   prefix filter            passed                    as many of u's neighbours need not be searched from: a pair that
//                                                      shares only these has too few; those that most vertices have
//   verification             count_most_followed       how many of these the pair has in common
//
// [1] C. Xiao, W. Wang, X. Lin, J. X. Yu. "Efficient similarity joins for near duplicate detection." WWW 2008.
#include <algorithm>
#include <atoll/algorithms/similarity/measure_values.hpp>
#include <atoll/algorithms/similarity/shared_neighbours.hpp>
#include <atoll/algorithms/similarity/similarity_search.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atomic>
#include <tuple>

namespace atl {
namespace {

constexpr std::size_t kSourceGrain = 8;

struct Found {
  Vertex source, target;
  double value;
};

// The best pairs of one vertex: as many as `count`, by falling value, equal ones by ascending id.
class BestPairs {
 public:
  explicit BestPairs(std::size_t count) : count_(count) {}

  /// The value that another pair needs; 0 while there are too few.
  double least() const { return least_; }
  void offer(Vertex target, double value) {
    pairs_.push_back({target, value});
    if (pairs_.size() >= 2 * count_ + kRoom) keep_best();
  }
  template <class F>
  void take(F&& f) {
    keep_best();
    std::sort(pairs_.begin(), pairs_.end(), is_before);
    for (const Pair& pair : pairs_) f(pair.target, pair.value);
    pairs_.clear();
    least_ = 0;
  }

 private:
  static constexpr std::size_t kRoom = 64;
  struct Pair {
    Vertex target;
    double value;
  };
  static bool is_before(const Pair& a, const Pair& b) {
    return a.value != b.value ? a.value > b.value : a.target < b.target;
  }
  void keep_best() {
    if (pairs_.size() <= count_) return;
    const auto last = pairs_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
    std::nth_element(pairs_.begin(), last, pairs_.end(), is_before);
    least_ = last->value;
    pairs_.resize(count_);
  }

  const std::size_t count_;
  std::vector<Pair> pairs_;
  double least_ = 0;
};

void write(const std::vector<Found>& found, SimilarPairs& pairs) {
  if (pairs.source.size() != found.size()) {
    pairs.source = Array<Vertex>(found.size());
    pairs.target = Array<Vertex>(found.size());
    pairs.value = Array<double>(found.size());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    pairs.source[i] = found[i].source;
    pairs.target[i] = found[i].target;
    pairs.value[i] = found[i].value;
  }
}

}  // namespace

class SimilaritySearch::Wedges {
 public:
  explicit Wedges(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        lists_(graph),
        all_lists_here_(world_.size() == 1) {}

  void above(Similarity measure, const AboveOptions& options, SimilarPairs& pairs);
  void most_similar(Similarity measure, const MostSimilarOptions& options, SimilarPairs& pairs);
  std::size_t memory_bytes() const { return lists_.memory_bytes(); }

 private:
  template <Similarity kMeasure>
  using Sum = std::conditional_t<is_weighted(kMeasure), double, std::uint32_t>;

  // A thread that looks for pairs above a threshold.
  template <Similarity kMeasure>
  struct alignas(128) Searcher {
    explicit Searcher(const WedgeLists& lists) : shared(lists), is_most_followed(lists.size(), 0) {}
    SharedNeighbours<Sum<kMeasure>> shared;
    Array<std::uint8_t> is_most_followed;  // [number] u's neighbours that are not searched from
    std::vector<Found> found;
  };
  // A thread that looks for the most similar ones.
  template <Similarity kMeasure>
  struct alignas(128) Ranker {
    Ranker(const WedgeLists& lists, std::size_t count) : shared(lists), best(count) {}
    SharedNeighbours<Sum<kMeasure>> shared;
    BestPairs best;
    std::vector<Found> found;
  };
  struct Row {
    Vertex source;
    const std::vector<Found>* found;
    std::size_t begin, end;
  };

  template <Similarity kMeasure>
  Sum<kMeasure> contribution_of(Local w) const {
    if constexpr (is_weighted(kMeasure)) return contribution(kMeasure, static_cast<Edge>(lists_.followers(w).size()));
    return 1;
  }
  template <Similarity kMeasure>
  void find_above(double threshold, Local u, Searcher<kMeasure>& searcher) const;
  Edge count_most_followed(Local v, Local last, const Array<std::uint8_t>& is_most_followed) const;
  template <Similarity kMeasure>
  void find_most_similar(Local u, Ranker<kMeasure>& ranker) const;
  std::vector<Local> sources(const MostSimilarOptions& options) const;

  const Graph& graph_;
  World& world_;
  Team& team_;
  const WedgeLists lists_;
  const bool all_lists_here_;  // the neighbours of every vertex that is reached are known
};

// The pairs of u and vertices after it.
template <Similarity kMeasure>
void SimilaritySearch::Wedges::find_above(double threshold, Local u, Searcher<kMeasure>& searcher) const {
  constexpr bool kCounts =
      kMeasure == Similarity::jaccard || kMeasure == Similarity::cosine || kMeasure == Similarity::common_neighbors;
  const Edge degree = lists_.degree(u);
  if (degree == 0) return;
  double needed = 1, fewest = 1;  // common neighbours; neighbours of v
  if (kCounts) needed = fewest = std::max(1.0, std::ceil(least_shared(kMeasure, threshold, degree)));
  if (kMeasure == Similarity::preferential_attachment)
    fewest = std::max(1.0, std::ceil(threshold / static_cast<double>(degree) * kRounding));
  if (fewest > static_cast<double>(degree)) return;
  const Local end = lists_.first_below(static_cast<Edge>(fewest));
  const std::span<const Local> neighbours = lists_.neighbours(u);
  const std::size_t passed = all_lists_here_ ? static_cast<std::size_t>(needed) - 1 : 0;
  for (const Local w : neighbours.subspan(passed)) {
    const std::span<const Local> row = lists_.followers(w);
    const auto first = std::upper_bound(row.begin(), row.end(), u), last = std::lower_bound(first, row.end(), end);
    searcher.shared.add({first, last}, contribution_of<kMeasure>(w));
  }
  const auto most_followed = neighbours.first(passed);
  for (const Local w : most_followed) searcher.is_most_followed[w] = 1;
  const Local last = passed > 0 ? *std::ranges::max_element(most_followed) : -1;
  const Vertex id = lists_.id(u);
  searcher.shared.take([&](Local v, Sum<kMeasure> shared) {
    auto sum = static_cast<double>(shared);
    const Edge of_v = lists_.degree(v);
    if (passed > 0) {
      const double most = sum + std::min(static_cast<double>(passed), static_cast<double>(of_v) - sum);
      if (similarity_of(kMeasure, most, degree, of_v) < threshold) return;
      sum += static_cast<double>(count_most_followed(v, last, searcher.is_most_followed));
    }
    const double value = similarity_of(kMeasure, sum, degree, of_v);
    if (value < threshold) return;
    const Vertex other = lists_.id(v);
    searcher.found.push_back({std::min(id, other), std::max(id, other), value});
  });
  for (const Local w : most_followed) searcher.is_most_followed[w] = 0;
}

// The neighbours of v that are marked; `last` is the greatest of these. An undirected graph's lists ascend.
Edge SimilaritySearch::Wedges::count_most_followed(Local v, Local last,
                                                   const Array<std::uint8_t>& is_most_followed) const {
  std::span<const Local> list = lists_.neighbours(v);
  if (!graph_.directed()) list = {list.begin(), std::upper_bound(list.begin(), list.end(), last)};
  Edge count = 0;
  for (const Local w : list) count += is_most_followed[w];
  return count;
}

void SimilaritySearch::Wedges::above(Similarity measure, const AboveOptions& options, SimilarPairs& pairs) {
  check(options.threshold > 0, "threshold is {} (pairs without a common neighbour have 0). Give a number above 0.",
        options.threshold);
  check(options.most_pairs > 0, "most_pairs is {} (at least 1 is looked for). Change it.", options.most_pairs);
  std::vector<Found> found;
  std::atomic<std::int64_t> count{0};
  with_measure(measure, [&](auto constant) {
    constexpr Similarity kMeasure = decltype(constant)::value;
    std::vector<Searcher<kMeasure>> searchers;
    for (int t = 0; t < team_.size(); ++t) searchers.emplace_back(lists_);
    const std::vector<Local>& owned = lists_.owned();
    team_.for_range(owned.size(), kSourceGrain, [&](int thread, std::size_t a, std::size_t b) {
      Searcher<kMeasure>& searcher = searchers[thread];
      for (std::size_t i = a; i < b && count.load(std::memory_order_relaxed) <= options.most_pairs; ++i) {
        const std::size_t before = searcher.found.size();
        find_above(options.threshold, owned[i], searcher);
        count += static_cast<std::int64_t>(searcher.found.size() - before);
      }
    });
    for (Searcher<kMeasure>& searcher : searchers) {
      found.insert(found.end(), searcher.found.begin(), searcher.found.end());
      searcher.found = {};
    }
  });
  pairs.total = world_.sum(count.load());
  check(pairs.total <= options.most_pairs,
        "{}: more than {} pairs are at least {} alike (they would fill the memory). Raise the threshold, or the limit.",
        graph_.name(), options.most_pairs, options.threshold);
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tuple(-a.value, a.source, a.target) < std::tuple(-b.value, b.source, b.target);
  });
  write(found, pairs);
}

template <Similarity kMeasure>
void SimilaritySearch::Wedges::find_most_similar(Local u, Ranker<kMeasure>& ranker) const {
  for (const Local w : lists_.neighbours(u)) ranker.shared.add(lists_.followers(w), contribution_of<kMeasure>(w));
  const Edge degree = lists_.degree(u);
  const Vertex id = lists_.id(u);
  double bound = 0, least = 0;
  ranker.shared.take([&](Local v, Sum<kMeasure> shared) {
    const auto sum = static_cast<double>(shared);
    if (sum < bound || v == u) return;
    const double value = similarity_of(kMeasure, sum, degree, lists_.degree(v));
    if (value < least) return;
    ranker.best.offer(lists_.id(v), value);
    if (ranker.best.least() == least) return;
    least = ranker.best.least();
    bound = least_shared(kMeasure, least, degree);
  });
  ranker.best.take([&](Vertex target, double value) { ranker.found.push_back({id, target, value}); });
}

std::vector<Local> SimilaritySearch::Wedges::sources(const MostSimilarOptions& options) const {
  if (!options.vertices) return lists_.owned();
  std::vector<Vertex> here;
  std::vector<Local> numbers;
  for (const Vertex id : *options.vertices) {
    const Vertex k = graph_.ids().find_here(id);
    if (k < 0) continue;
    here.push_back(id);
    numbers.push_back(lists_.number_of(k));
  }
  std::vector<Vertex> all = world_.all_gather_varying(std::span<const Vertex>(here));
  std::sort(all.begin(), all.end());
  for (const Vertex id : *options.vertices)
    check(std::binary_search(all.begin(), all.end(), id), "{} has no vertex {}. Give ids of its vertices.",
          graph_.name(), id);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void SimilaritySearch::Wedges::most_similar(Similarity measure, const MostSimilarOptions& options,
                                            SimilarPairs& pairs) {
  check(options.count > 0, "count is {} (at least 1 is looked for). Change it.", options.count);
  const std::vector<Local> from = sources(options);
  const std::size_t count = std::min(static_cast<std::size_t>(options.count), lists_.size());
  std::vector<Found> found;
  with_measure(measure, [&](auto constant) {
    constexpr Similarity kMeasure = decltype(constant)::value;
    std::vector<Ranker<kMeasure>> rankers;
    for (int t = 0; t < team_.size(); ++t) rankers.emplace_back(lists_, count);
    std::vector<std::vector<Row>> rows(rankers.size());
    team_.for_range(from.size(), kSourceGrain, [&](int thread, std::size_t a, std::size_t b) {
      Ranker<kMeasure>& ranker = rankers[thread];
      for (std::size_t i = a; i < b; ++i) {
        const std::size_t begin = ranker.found.size();
        find_most_similar(from[i], ranker);
        rows[thread].push_back({lists_.id(from[i]), &ranker.found, begin, ranker.found.size()});
      }
    });
    std::vector<Row> ordered;
    for (const std::vector<Row>& part : rows) ordered.insert(ordered.end(), part.begin(), part.end());
    std::ranges::sort(ordered, {}, &Row::source);
    for (const Row& row : ordered)
      found.insert(found.end(), row.found->begin() + static_cast<std::ptrdiff_t>(row.begin),
                   row.found->begin() + static_cast<std::ptrdiff_t>(row.end));
  });
  pairs.total = world_.sum(static_cast<Vertex>(found.size()));
  write(found, pairs);
}

SimilaritySearch::SimilaritySearch(const Graph& graph) : wedges_(std::make_unique<Wedges>(graph)) {}
SimilaritySearch::~SimilaritySearch() = default;

void SimilaritySearch::above(Similarity measure, const AboveOptions& options, SimilarPairs& pairs) {
  wedges_->above(measure, options, pairs);
}

void SimilaritySearch::most_similar(Similarity measure, const MostSimilarOptions& options, SimilarPairs& pairs) {
  wedges_->most_similar(measure, options, pairs);
}

std::size_t SimilaritySearch::memory_bytes() const { return wedges_->memory_bytes(); }

}  // namespace atl
