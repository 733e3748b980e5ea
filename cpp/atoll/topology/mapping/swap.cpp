// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/mapping/dual_bisection.hpp>
#include <atoll/topology/mapping/exchange_table.hpp>
#include <atoll/topology/mapping/local_search.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/mapping/swap.hpp>

namespace atl {
namespace {

// Below so many peers on average moves are priced one by one, above it by a table, if that is filled within seconds.
constexpr double kDense = 32, kMostTable = 4e9;

class Descent {
 public:
  Descent(const PlaceGraph& places, const TrafficMatrix& traffic)
      : places_(places),
        peers_(traffic),
        near_(places),
        dense_(static_cast<double>(peers_.size()) >= kDense * traffic.ranks) {}

  const Peers& peers() const { return peers_; }
  bool dense() const { return dense_; }
  LocalSearch search(std::vector<int> mapping) const { return {places_, near_, peers_, std::move(mapping)}; }

  std::vector<int> operator()(std::vector<int> mapping) const {
    if (dense_ && table_work(places_, peers_) <= kMostTable)
      return improve_by_table(places_, peers_, std::move(mapping));
    LocalSearch found = search(std::move(mapping));
    found.descend();
    return std::move(found).take();
  }

 private:
  const PlaceGraph& places_;
  const Peers peers_;
  const NearSites near_;
  const bool dense_;
};

void check_room(const PlaceGraph& places, int ranks) {
  check(ranks <= places.places(),
        "{} ranks onto {} places (each rank needs one). Have fewer ranks, or more places a host.", ranks,
        places.places());
}

}  // namespace

std::vector<int> improve_by_swaps(const PlaceGraph& places, const TrafficMatrix& traffic, std::vector<int> mapping) {
  check_room(places, traffic.ranks);
  return Descent(places, traffic)(std::move(mapping));
}

std::vector<int> swap_mapping(const PlaceGraph& places, const TrafficMatrix& traffic, std::span<const int> numbering,
                              const SwapOptions& options) {
  check_room(places, traffic.ranks);
  // With few ranks several bipartitionings take no time worth mentioning, and differ.
  constexpr int kRanksAtOnce = 1024, kMostStarts = 8;
  // Pairs of ranks times sweeps: annealing shall not take longer than the rest.
  constexpr double kMostAnnealing = 1.2e6;
  const Descent descent(places, traffic);
  std::vector<int> best(numbering.begin(), numbering.begin() + traffic.ranks);
  double least = hop_bytes_of(places, traffic, best), bytes = 0;
  const auto offer = [&](std::vector<int> mapping) {
    const double cost = hop_bytes_of(places, traffic, mapping);
    if (cost >= least) return;
    best = std::move(mapping);
    least = cost;
  };
  const int starts = descent.dense() ? 1 : std::clamp(kRanksAtOnce / traffic.ranks, 1, kMostStarts);
  for (int start = 0; start < starts; ++start)
    offer(dual_bisection(places, traffic, options.seed + static_cast<std::uint64_t>(start)));
  offer(descent(best));
  const auto pairs = static_cast<double>(traffic.pairs.size());
  const int sweeps =
      descent.dense() || pairs == 0 ? 0 : static_cast<int>(std::min<double>(options.sweeps, kMostAnnealing / pairs));
  if (sweeps > 0) {
    for (const RankPair& pair : traffic.pairs) bytes += pair.bytes;
    Random random(options.seed);
    LocalSearch search = descent.search(best);
    search.anneal(random, sweeps, bytes / pairs);
    search.descend();
    offer(std::move(search).take());
  }
  return best;
}

}  // namespace atl
