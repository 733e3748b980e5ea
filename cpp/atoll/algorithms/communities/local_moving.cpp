// SPDX-License-Identifier: Apache-2.0
// Local moving in sweeps over the vertices that have a neighbour that moved since they were last looked at [1], several
// threads at once, without locks [2].
//
// | in the papers | here |
// |---|---|
// | a queue of vertices [1] | a flag for each, and sweeps, as in [2] |
// | C, Sigma [2] | community, degrees |
// | K(i -> c) [2] | CommunitySums |
//
// Sweeps go from the last row to the first, so that hubs, which are first, come when their neighbours have found each
// other.
//
// [1] V. A. Traag, L. Waltman, N. J. van Eck. "From Louvain to Leiden: guaranteeing well-connected communities."
// Scientific Reports 9, 2019. [2] S. Sahu. "GVE-Louvain: Fast Louvain algorithm for community detection in shared
// memory setting." arXiv 2312.04876, 2023.
#include <atoll/algorithms/communities/local_moving.hpp>
#include <cstdlib>

namespace atl {
namespace {

// Hubs are the graph's first rows.
constexpr std::size_t kFrontRows = 4096, kFrontGrain = 16, kMovingGrain = 512;
// With several threads a vertex may decide by what is no longer so, and go back and forth: sweeps come to an end.
constexpr int kMostSweeps = 100;
// Values of so many rows are not in the caches near a core. Where edges lead that far, a row asks for what the rows
// behind it will read: 1.4 times as fast on communities:20; a lattice, whose edges are short, would take a quarter longer.
constexpr std::size_t kFarRows = 1 << 17, kAhead = 4, kSampledRows = 1024;
constexpr Edge kMostAhead = 64, kSampledEdges = 4;

// Whether most edges, by a sample, lead further than a cache near a core holds the values of.
bool are_targets_far(const Level& level) {
  if (level.rows <= kFarRows) return false;
  std::size_t seen = 0, far = 0;
  const std::size_t step = level.rows / kSampledRows;
  for (std::size_t v = 0; v < level.rows; v += step)
    for (Edge e = level.offsets[v], end = std::min(level.offsets[v + 1], e + kSampledEdges); e < end; ++e, ++seen)
      far += index(std::abs(level.targets[e] - static_cast<Local>(v))) > kFarRows / 2;
  return 2 * far > seen;
}

struct alignas(128) Moved : LocalMoving::Moves {};

template <class Weight>
class Sweep {
 public:
  Sweep(const Level& level, const ModularityTerms& terms, const Weight& weight, Local* community, double* degrees,
        char* pending, LocalMoving::Returns returns)
      : level_(level),
        terms_(terms),
        least_gain_(terms.least_gain()),
        weight_(weight),
        community_(community),
        degrees_(degrees),
        pending_(pending),
        is_far_(are_targets_far(level)),
        returns_(returns) {}

  template <class Sums>
  void rows(std::size_t a, std::size_t b, Sums& sums, Moved& moved) const {
    for (std::size_t v = b; v-- > a;) {
      if (is_far_ && v >= a + 2 * kAhead) fetch_ahead(v - kAhead, sums);
      if (!load_relaxed(pending_[v])) continue;
      store_relaxed(pending_[v], char{0});
      decide(v, sums, moved);
    }
  }

 private:
  // Asks for what decide() will read of a row, and of one further ahead for the communities of its neighbours.
  template <class Sums>
  void fetch_ahead(std::size_t v, const Sums& sums) const {
    if (load_relaxed(pending_[v - kAhead]))
      for (Edge e = level_.offsets[v - kAhead], end = std::min(level_.offsets[v - kAhead + 1], e + kMostAhead); e < end;
           ++e)
        __builtin_prefetch(community_ + level_.targets[e]);
    if (load_relaxed(pending_[v]))
      for (Edge e = level_.offsets[v], end = std::min(level_.offsets[v + 1], e + kMostAhead); e < end; ++e) {
        const Local c = load_relaxed(community_[level_.targets[e]]);
        sums.prefetch(c);
        __builtin_prefetch(degrees_ + c);
      }
  }

  template <class Sums>
  void decide(std::size_t v, Sums& sums, Moved& moved) const {
    const Edge begin = level_.offsets[v], end = level_.offsets[v + 1];
    sums.add(
        begin, end,
        [&](Edge e) {
          const Local u = level_.targets[e];
          return u == static_cast<Local>(v) ? -1 : load_relaxed(community_[u]);
        },
        weight_);
    if (sums.empty()) return;
    const Local from = community_[v];
    const double degree = level_.degree[v], loss = terms_.loss(degree);
    const double stay = static_cast<double>(sums.of(from)) - loss * (load_relaxed(degrees_[from]) - degree);
    Local to = from;
    double best = stay + least_gain_;
    sums.take([&](Local c, auto sum) {
      const double score = static_cast<double>(sum) - loss * load_relaxed(degrees_[c]);
      if (score > best && c != from) {
        best = score;
        to = c;
      }
    });
    if (to == from || !returns_.allow(v, from, to)) return;
    if (returns_.left) returns_.left[v] = from;
    std::atomic_ref(degrees_[from]).fetch_sub(degree, std::memory_order_relaxed);
    std::atomic_ref(degrees_[to]).fetch_add(degree, std::memory_order_relaxed);
    store_relaxed(community_[v], to);
    moved.gain += best - stay;
    ++moved.count;
    for (Edge e = begin; e < end; ++e)
      if (const Local u = level_.targets[e]; load_relaxed(community_[u]) != to) store_relaxed(pending_[u], char{1});
  }

  const Level& level_;
  const ModularityTerms& terms_;
  const double least_gain_;
  const Weight& weight_;
  Local* const community_;
  double* const degrees_;
  char* const pending_;
  const bool is_far_;
  const LocalMoving::Returns returns_;
};

}  // namespace

void LocalMoving::start(std::size_t locals) {
  if (pending_.size() < locals) pending_ = Array<char>(locals);
  std::fill_n(pending_.data(), locals, char{1});
}

LocalMoving::Moves LocalMoving::sweep(const Level& level, const ModularityTerms& terms, Workers workers,
                                      std::size_t communities, Array<Local>& community, Array<double>& degrees,
                                      Returns returns) {
  Moves all;
  with_level_weights(level, [&]<class Weight>(const Weight& weight) {
    using Number = decltype(weight(Edge{0}));
    for (ThreadSums& sums : sums_) sums.by<Number>().resize(communities);
    const Sweep sweep(level, terms, weight, community.data(), degrees.data(), pending_.data(), returns);
    std::vector<Moved> moved(sums_.size());
    const auto rows_before = [&](std::size_t end) {
      return [&, end](int thread, std::size_t a, std::size_t b) {
        sweep.rows(end - b, end - a, sums_[thread].by<Number>(), moved[thread]);
      };
    };
    const std::size_t front = std::min(level.rows, kFrontRows);
    for_rows(team_, workers, level.rows - front, kMovingGrain, rows_before(level.rows));
    for_rows(team_, workers, front, kFrontGrain, rows_before(front));
    for (const Moved& part : moved) all += part;
  });
  all.gain /= terms.total / 2;
  return all;
}

Vertex LocalMoving::run(const Level& level, const ModularityTerms& terms, double tolerance, Workers workers,
                        Array<Local>& community, Array<double>& degrees) {
  Vertex all_moves = 0;
  start(level.rows);
  for (int sweeps = 1;; ++sweeps) {
    const Moves moves = sweep(level, terms, workers, level.rows, community, degrees, {});
    all_moves += moves.count;
    if (moves.count == 0 || moves.gain < tolerance || sweeps == kMostSweeps) return all_moves;
  }
}

std::size_t LocalMoving::memory_bytes() const {
  std::size_t bytes = pending_.size();
  for (const ThreadSums& sums : sums_) bytes += sums.memory_bytes();
  return bytes;
}

}  // namespace atl
