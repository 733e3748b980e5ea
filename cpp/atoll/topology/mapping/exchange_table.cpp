// SPDX-License-Identifier: Apache-2.0
#include <atoll/topology/mapping/exchange_table.hpp>
#include <utility>

namespace atl {
namespace {

constexpr int kFree = -1;

class ExchangeTable {
 public:
  ExchangeTable(const PlaceGraph& places, const Peers& peers, std::vector<int> mapping)
      : places_(places),
        peers_(peers),
        sites_(index(places.sites())),
        at_(std::move(mapping)),
        site_(at_.size()),
        who_(index(places.places()), kFree),
        site_at_(who_.size()),
        hops_(sites_ * sites_),
        cost_(at_.size() * sites_, 0),
        bytes_(at_.size(), 0),
        pulled_(at_.size(), 0),
        change_(sites_) {
    for (std::size_t r = 0; r < at_.size(); ++r) {
      who_[at_[r]] = static_cast<int>(r);
      site_[r] = places.site_of(at_[r]);
    }
    for (int p = 0; p < places.places(); ++p) site_at_[p] = places.site_of(p);
    for (std::size_t s = 0; s < sites_; ++s) {
      const auto hops = places.hops_from(static_cast<int>(s));
      for (std::size_t t = 0; t < sites_; ++t) hops_[s * sites_ + t] = static_cast<float>(hops[t]);
    }
    for (std::size_t r = 0; r < at_.size(); ++r) fill(r);
  }

  // Rounds over all ranks until one finds nothing.
  void descend() {
    constexpr int kMostRounds = 1000;
    for (int round = 0, moved = 1; moved > 0 && round < kMostRounds; ++round) {
      moved = 0;
      for (int r = 0; r < peers_.ranks(); ++r) moved += improve(r);
    }
  }

  std::vector<int> take() && { return std::move(at_); }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  float* row(std::size_t rank) { return cost_.data() + rank * sites_; }
  const float* hops_from(int site) const { return hops_.data() + index(site) * sites_; }

  void fill(std::size_t rank) {
    float* const cost = row(rank);
    const auto peers = peers_.of(static_cast<int>(rank));
    std::size_t i = 0;
    for (; i + 4 <= peers.size(); i += 4) {  // the row is read and written once for four
      const float *a = hops_from(site_[peers[i].rank]), *b = hops_from(site_[peers[i + 1].rank]),
                  *c = hops_from(site_[peers[i + 2].rank]), *d = hops_from(site_[peers[i + 3].rank]);
      const auto of_a = static_cast<float>(peers[i].bytes), of_b = static_cast<float>(peers[i + 1].bytes),
                 of_c = static_cast<float>(peers[i + 2].bytes), of_d = static_cast<float>(peers[i + 3].bytes);
      for (std::size_t s = 0; s < sites_; ++s) cost[s] += of_a * a[s] + of_b * b[s] + of_c * c[s] + of_d * d[s];
    }
    for (; i < peers.size(); ++i) {
      const float* const a = hops_from(site_[peers[i].rank]);
      const auto of_a = static_cast<float>(peers[i].bytes);
      for (std::size_t s = 0; s < sites_; ++s) cost[s] += of_a * a[s];
    }
  }

  // The best exchange of a rank, if it gains more than rounding could make it seem to.
  bool improve(int rank) {
    constexpr float kRounding = 1e-5F;
    const std::size_t r = index(rank);
    const int here = site_[r];
    const float *const mine = row(r), *const hops = hops_from(here);
    for (const Peers::Peer& p : peers_.of(rank)) bytes_[p.rank] = static_cast<float>(p.bytes);
    float most = 0;
    int best = -1;  // place
    for (std::size_t place = 0; place < who_.size(); ++place) {
      const int other = who_[place], there = site_at_[place];
      if (there == here) continue;
      float now = mine[here], after = mine[there];
      if (other != kFree) {
        const float* const theirs = row(index(other));
        now += theirs[there];
        after += theirs[here] + 2 * bytes_[other] * hops[there];  // as far apart as before
      }
      const float saved = now - after;
      if (saved <= most || saved <= kRounding * now) continue;
      most = saved;
      best = static_cast<int>(place);
    }
    for (const Peers::Peer& p : peers_.of(rank)) bytes_[p.rank] = 0;
    if (best < 0) return false;
    move(rank, best);
    return true;
  }

  void move(int rank, int to) {
    const int from = at_[rank], other = who_[to];
    const float *const old_hops = hops_from(site_[rank]), *const new_hops = hops_from(places_.site_of(to));
    for (std::size_t s = 0; s < sites_; ++s) change_[s] = new_hops[s] - old_hops[s];
    at_[rank] = to;
    who_[to] = rank;
    who_[from] = other;
    site_[rank] = places_.site_of(to);
    if (other != kFree) {
      at_[other] = from;
      site_[other] = places_.site_of(from);
    }
    // Who talks with both as much sees no difference.
    for (const Peers::Peer& p : peers_.of(rank)) pulled_[p.rank] = static_cast<float>(p.bytes);
    if (other != kFree)
      for (const Peers::Peer& p : peers_.of(other)) pulled_[p.rank] -= static_cast<float>(p.bytes);
    const auto follow = [&](int peer) {
      const float bytes = std::exchange(pulled_[peer], 0.0F);
      if (bytes == 0) return;
      float* const cost = row(index(peer));
      for (std::size_t s = 0; s < sites_; ++s) cost[s] += bytes * change_[s];
    };
    for (const Peers::Peer& p : peers_.of(rank)) follow(p.rank);
    if (other != kFree)
      for (const Peers::Peer& p : peers_.of(other)) follow(p.rank);
  }

  const PlaceGraph& places_;
  const Peers& peers_;
  const std::size_t sites_;
  std::vector<int> at_, site_;         // [rank] its place, and the site of that
  std::vector<int> who_;               // [place] the rank there, or kFree
  std::vector<int> site_at_;           // [place]
  std::vector<float> hops_;            // [site * sites + site]
  std::vector<float> cost_;            // [rank * sites + site] bytes * hops to its peers if the rank were there
  std::vector<float> bytes_, pulled_;  // [rank] 0 but for peers of the rank at work
  std::vector<float> change_;          // [site]
};

}  // namespace

std::vector<int> improve_by_table(const PlaceGraph& places, const Peers& peers, std::vector<int> mapping) {
  ExchangeTable table(places, peers, std::move(mapping));
  table.descend();
  return std::move(table).take();
}

}  // namespace atl
