// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <atoll/runtime/routes/route_model.hpp>
#include <cmath>

namespace atl {
namespace {

// The expected number of nonempty bins after throwing `balls` balls.
double filled(double bins, double balls) {
  if (bins <= 0 || balls <= 0) return 0;
  return std::isinf(bins) ? balls : -bins * std::expm1(-balls / bins);
}

// On routes of several hops the target travels beside each record.
constexpr double kTargetBytes = sizeof(Rank);
constexpr std::string_view kRoutes[] = {"aml",        "mst",    "direct",      "aml-levels", "row",
                                        "mst-levels", "domain", "domain:leaf", "domain:rank"};
constexpr std::size_t kPublished = 2;  // the first ones
constexpr std::size_t kLeafMonitors = 7, kRankMonitors = 8;
constexpr std::size_t kVariants = 2;  // those two, of the route before them

std::size_t index_of(std::string_view route) {
  const auto* const found = std::find(std::begin(kRoutes), std::end(kRoutes), route);
  check(
      found != std::end(kRoutes),
      "route is '{}' (direct, aml, aml-levels, row, mst, mst-levels, domain, domain:leaf or domain:rank). Correct it.",
      route);
  return static_cast<std::size_t>(found - std::begin(kRoutes));
}

// Stands for zero domains beyond a boundary, to avoid a division by zero.
constexpr double kFewest = 1e-9;

}  // namespace

class RouteModel::Formulas {
 public:
  explicit Formulas(const RouteModel& model)
      : costs_(model.costs_),
        ranks_(model.ranks_),
        slots_(model.slots_),
        savings_(model.savings_),
        record_costs_(model.record_costs_) {}

  Estimate estimate(std::string_view route, const Exchange& exchange) const;
  double vote_seconds(bool over_tree) const;
  bool closing_pays(std::span<const int> levels, double hops) const;

 private:
  // The load of one round of hops over one level.
  struct Load {
    double messages = 0;    ///< of the busiest rank: the larger of sent and received
    double bytes = 0;       ///< of the busiest rank
    double mean_bytes = 0;  ///< mean over all ranks
    double trips = 0;       ///< how often a rank fills all slots to a peer
  };
  using Round = std::vector<Load>;  // [level]
  // The bytes that the busiest ranks of an exchange's rounds send.
  struct SentBytes {
    double all = 0, last = 0;  // of all rounds so far, and of the last one
    void add(const Round& round);
  };

  int depth() const { return static_cast<int>(ranks_.size()); }
  double ranks(int level) const { return level < 0 ? 1 : ranks_[level]; }
  /// The number of domains of the level below in one domain of this level.
  double parts(int level) const { return ranks(level) / ranks(level - 1); }
  /// The fraction of a rank's records that cross this level and no higher one.
  double share(int level) const { return (ranks(level) - ranks(level - 1)) / ranks(depth() - 1); }
  const LevelCost& cost(int level) const { return costs_[level]; }
  /// The slots of a sender on one level.
  struct Slots {
    double bytes, per_peer;
  };
  Slots direct_slots() const { return {static_cast<double>(slots_.bytes), static_cast<double>(slots_.per_peer)}; }
  Slots relay_slots(double hops, int level) const;
  /// The ranks that a rank sends to where it has one next rank for each other part of each of its domains.
  double hops_by_parts() const;
  static Load load(double peers, double records, double record_bytes, const Slots& slots);
  double seconds_of(const Round& round) const;
  /// The processor's time for a rank's records on a direct route, and over relays.
  double direct_record_seconds(const Exchange& e) const;
  double relayed_record_seconds(const Exchange& e, const SentBytes& sent) const;
  double barrier_seconds(int level) const;
  double voted(double round, bool any, bool over_tree) const;
  double agreement(const Exchange& e) const;
  Estimate estimate_of(const Round& top, double seconds) const {
    return {seconds, ranks(depth() - 1) * top.back().messages, ranks(depth() - 1) * top.back().mean_bytes};
  }
  Estimate direct(const Exchange& e) const;
  Estimate published(const Exchange& e, bool one_entry) const;
  Estimate aml_levels(const Exchange& e) const;
  Estimate row(const Exchange& e) const;
  Estimate gathering(const Exchange& e, bool one_monitor, int block_level) const;

  const std::vector<LevelCost>& costs_;
  const std::vector<double>& ranks_;
  const SlotRule& slots_;
  const Savings savings_;
  const RecordCosts record_costs_;
};

RouteModel::RouteModel(const Hierarchy& hierarchy, std::vector<LevelCost> costs, SlotRule slots, Savings savings,
                       RecordCosts records)
    : costs_(std::move(costs)), slots_(slots), savings_(savings), record_costs_(records) {
  check(costs_.size() >= static_cast<std::size_t>(hierarchy.depth()),
        "costs of {} levels (the hierarchy has {}). Add the missing ones.", costs_.size(), hierarchy.depth());
  std::vector<double> domains(static_cast<std::size_t>(hierarchy.depth()), 0);
  const auto count = [&](auto&& self, const Domain& domain, std::size_t level) -> void {
    ++domains[level];
    for (const Domain& child : domain.children) self(self, child, level - 1);
  };
  count(count, hierarchy.root(), domains.size() - 1);
  for (const double d : domains) ranks_.push_back(static_cast<double>(hierarchy.size()) / d);
}

RouteModel::Estimate RouteModel::Formulas::estimate(std::string_view route, const Exchange& exchange) const {
  Exchange e = exchange;
  const bool as_published = route == "aml" || route == "mst";
  if (!savings_.merging || as_published) e.keys = std::numeric_limits<double>::infinity();
  if (route == "direct" || depth() == 1) return direct(e);
  if (as_published) return published(e, /*one_entry=*/route == "mst");
  if (route == "aml-levels") return aml_levels(e);
  if (route == "row") return row(e);
  switch (index_of(route)) {
    case kLeafMonitors:
      return gathering(e, /*one_monitor=*/false, 0);
    case kRankMonitors:
      return gathering(e, /*one_monitor=*/false, -1);
    default:
      return gathering(e, /*one_monitor=*/route == "mst-levels", depth() - 1);
  }
}

RouteModel::Estimate RouteModel::estimate(std::string_view route, const Exchange& e) const {
  return Formulas(*this).estimate(route, e);
}

double RouteModel::vote_seconds(bool over_tree) const { return Formulas(*this).vote_seconds(over_tree); }

bool RouteModel::closing_pays(std::span<const int> levels, double hops) const {
  return Formulas(*this).closing_pays(levels, hops);
}

std::span<const std::string_view> RouteModel::choices(std::string_view plan_route, bool many_monitors) {
  const std::span<const std::string_view> all(kRoutes);
  const std::size_t variants = many_monitors ? kVariants : 0;
  if (plan_route == "auto") return all.subspan(kPublished, all.size() - kPublished - kVariants + variants);
  return all.subspan(index_of(plan_route), plan_route == "domain" ? 1 + variants : 1);
}

RouteModel::Choice RouteModel::best_of_both(const Exchange& a, const Exchange& b,
                                            std::span<const std::string_view> routes) const {
  const double least_a = seconds(best(a, routes), a), least_b = seconds(best(b, routes), b);
  Choice choice{.route = {}, .loss_seconds = std::numeric_limits<double>::infinity()};
  for (const std::string_view route : routes)
    if (const double loss = std::max(seconds(route, a) - least_a, seconds(route, b) - least_b);
        loss < choice.loss_seconds)
      choice = {route, loss};
  return choice;
}

std::string_view RouteModel::best(const Exchange& e, std::span<const std::string_view> routes) const {
  return *std::min_element(routes.begin(), routes.end(),
                           [&](std::string_view a, std::string_view b) { return seconds(a, e) < seconds(b, e); });
}

// The load of one rank that sends `records` records, spread evenly over `peers` peers.
RouteModel::Formulas::Load RouteModel::Formulas::load(double peers, double records, double record_bytes,
                                                      const Slots& slots) {
  const double some = filled(peers, records), bytes = records * record_bytes;
  const double messages = std::max(some, bytes / slots.bytes + some / 2);  // the last slot to a peer is half full
  return {messages, bytes, bytes, messages / std::max(1.0, peers) / slots.per_peer};
}

RouteModel::Formulas::Slots RouteModel::Formulas::relay_slots(double hops, int level) const {
  const std::size_t bytes = slots_.bytes_for(hops);
  return {static_cast<double>(bytes), static_cast<double>(slots_.per_peer_for(bytes, costs_, level))};
}

double RouteModel::Formulas::hops_by_parts() const {
  double hops = 0;
  for (int l = 0; l < depth(); ++l) hops += parts(l) - 1;
  return hops;
}

double RouteModel::Formulas::seconds_of(const Round& round) const {
  double latency = 0, overhead = 0, of_rank = 0, fullest = 0, beyond = 0;
  double held_up_s = 0;  // of the rank's link by its message rate, beyond the time of the bytes
  for (int l = depth() - 1; l >= 0; --l) {
    const Load& load = round[l];
    if (load.messages > 0) latency = std::max(latency, cost(l).latency_s * std::max(1.0, std::ceil(load.trips)));
    overhead += load.messages * cost(l).overhead_s;
    of_rank += load.bytes;
    if (const double rate = cost(l).messages_per_second; rate > 0)
      held_up_s += std::max(0.0, load.messages / rate - load.bytes / cost(0).bytes_per_second);
    // A domain's uplink carries what crosses this level or any level above.
    beyond += load.mean_bytes * (l == 0 ? 0 : 1);
    if (l > 0) fullest = std::max(fullest, ranks(l - 1) * beyond / cost(l).bytes_per_second);
  }
  return latency + overhead + std::max(fullest, of_rank / cost(0).bytes_per_second + held_up_s);
}

void RouteModel::Formulas::SentBytes::add(const Round& round) {
  last = 0;
  for (const Load& load : round) last += load.bytes;
  all += last;
}

double RouteModel::Formulas::direct_record_seconds(const Exchange& e) const {
  const double mine = e.records / ranks(depth() - 1), bytes = static_cast<double>(e.record_bytes);
  return mine *
         (record_costs_.appended_record_s + bytes * record_costs_.copied_byte_s + record_costs_.handled_record_s);
}

// Each record that arrives is handled there or appended once more; a rank's records to itself do not travel. Where
// records merge, those of the last round and those that stay at their rank in it are handled.
double RouteModel::Formulas::relayed_record_seconds(const Exchange& e, const SentBytes& sent) const {
  const double bytes = static_cast<double>(e.record_bytes) + kTargetBytes, mine = e.records / ranks(depth() - 1);
  const bool merges = std::isfinite(e.keys);
  const double staying = ranks(0) > 1 ? ranks(0) / (ranks(0) - 1) : 1;
  const double handled = merges ? std::min(mine, sent.last / bytes * staying) : mine;
  const double of_others = std::max(0.0, handled - mine / ranks(depth() - 1));
  const double appended = mine + std::max(0.0, sent.all / bytes - of_others);
  return sent.all * record_costs_.copied_byte_s +
         appended * (record_costs_.appended_record_s + bytes * record_costs_.copied_byte_s +
                     (merges ? record_costs_.merged_record_s : 0)) +
         handled * record_costs_.handled_record_s;
}

double RouteModel::Formulas::barrier_seconds(int level) const {
  double sum = 0;
  for (int l = 0; l <= level; ++l) sum += 2 * cost(l).latency_s + std::max(1.0, parts(l) - 1) * cost(l).overhead_s;
  return sum;
}

double RouteModel::Formulas::vote_seconds(bool over_tree) const {
  if (over_tree) return barrier_seconds(depth() - 1);
  constexpr double kGatheredByAll = 64;  // as in Collectives
  double sum = 0;
  for (double distance = 1; distance < ranks(depth() - 1); distance *= 2) {
    int level = 0;
    while (ranks(level) <= distance) ++level;
    sum += cost(level).latency_s + cost(level).overhead_s;
  }
  // Either up and down a tree of domains, or recursive doubling, where steps within a domain's size still cross each
  // level once, at the domain's end.
  if (ranks(depth() - 1) > kGatheredByAll) return 2 * sum;
  return sum + cost(depth() - 1).latency_s - cost(0).latency_s;
}

bool RouteModel::Formulas::closing_pays(std::span<const int> levels, double hops) const {
  if (!savings_.closing) return false;
  double closed = hops * cost(depth() - 1).overhead_s, voted = 2 * vote_seconds(true);  // a vote seldom ends at once
  for (std::size_t i = 0; i < levels.size(); ++i) {
    closed += cost(levels[i]).latency_s;
    if (i + 1 < levels.size()) voted += barrier_seconds(levels[i]);
  }
  return closed <= voted;
}

double RouteModel::Formulas::voted(double round, bool any, bool over_tree) const {
  const double vote = vote_seconds(over_tree);
  return vote * ((any ? 1 + std::max(1.0, round / vote) : 1) + 1);
}

// The agreement on the next exchange, after hops that are closed. If the top level joins two domains, what crosses it
// last overlaps with the agreement's way up the tree.
double RouteModel::Formulas::agreement(const Exchange& e) const {
  const int top = depth() - 1;
  return e.agrees_apart ? vote_seconds(true) - (parts(top) > 2 ? 0 : cost(top).latency_s) : 0;
}

RouteModel::Estimate RouteModel::Formulas::direct(const Exchange& e) const {
  const double mine = e.records / ranks(depth() - 1), bytes = static_cast<double>(e.record_bytes);
  Round round(ranks_.size());
  for (int l = 0; l < depth(); ++l) round[l] = load(ranks(l) - ranks(l - 1), mine * share(l), bytes, direct_slots());
  return estimate_of(round, voted(seconds_of(round) + direct_record_seconds(e), e.records > 0, false));
}

// Across at once to a leaf domain, then inside: nothing merges, and barriers and votes end it. One entry: a leaf
// domain's ranks all send to the same rank of another one.
RouteModel::Estimate RouteModel::Formulas::published(const Exchange& e, bool one_entry) const {
  const int top = depth() - 1;
  const double bytes = static_cast<double>(e.record_bytes) + kTargetBytes, mine = e.records / ranks(top);
  const double next_ranks = ranks(top) / ranks(0) - 1 + ranks(0) - 1, senders = one_entry ? ranks(0) : 1;
  Round across(ranks_.size()), inside(ranks_.size());
  double handed_on = 0;  // records that enter at the busiest rank
  for (int l = 1; l <= top; ++l) {
    const double peers = (ranks(l) - ranks(l - 1)) / ranks(0), records = mine * share(l);
    across[l] = load(peers, records, bytes, relay_slots(next_ranks, l));
    handed_on = one_entry ? std::max(handed_on, senders * records) : handed_on + records;
    if (l < top) continue;
    across[l].messages *= senders;
    across[l].bytes *= senders;
  }
  const double near = ranks(0) - 1;
  inside[0] = load(near, handed_on * near / ranks(0) + mine * share(0), bytes, relay_slots(next_ranks, 0));
  SentBytes sent;
  sent.add(across);
  sent.add(inside);
  Estimate sum =
      estimate_of(across, std::max(seconds_of(across), barrier_seconds(top)) +
                              voted(seconds_of(inside), e.records > 0, true) + relayed_record_seconds(e, sent));
  sum.top_messages /= senders;
  return sum;
}

RouteModel::Estimate RouteModel::Formulas::aml_levels(const Exchange& e) const {
  const double bytes = static_cast<double>(e.record_bytes) + kTargetBytes;
  double mine = e.records / ranks(depth() - 1);
  std::vector<int> levels;
  for (int l = depth() - 1; l >= 0; --l) levels.push_back(l);
  const bool closes = closing_pays(levels, hops_by_parts());
  Estimate sum;
  SentBytes sent;
  for (int l = depth() - 1; l >= 0; --l) {
    const double peers = parts(l) - 1, moved = peers * filled(e.keys * ranks(l - 1), mine / parts(l));
    Round round(ranks_.size());
    round[l] = load(peers, moved, bytes, relay_slots(hops_by_parts(), l));
    if (closes) round[l].messages = std::max(round[l].messages, peers);
    const double seconds = seconds_of(round);
    sent.add(round);
    if (l == depth() - 1) sum = estimate_of(round, 0);
    if (closes) {
      sum.seconds += seconds;
    } else {
      sum.seconds += l > 0 ? std::max(seconds, barrier_seconds(l)) : voted(seconds, e.records > 0, true);
    }
    mine = moved + mine / parts(l);
  }
  if (closes) sum.seconds += agreement(e);
  sum.seconds += relayed_record_seconds(e, sent);
  return sum;
}

RouteModel::Estimate RouteModel::Formulas::row(const Exchange& e) const {
  const double bytes = static_cast<double>(e.record_bytes) + kTargetBytes, mine = e.records / ranks(depth() - 1);
  Round inside(ranks_.size()), across(ranks_.size());
  double targets = 0;  // domains for which one rank is the intermediate hop
  for (int h = 1; h < depth(); ++h) targets += parts(h) - 1;
  const double next_ranks = ranks(depth() - 2) - 1 + targets;
  const std::vector<int> levels{depth() - 2, depth() - 1};
  const bool closes = closing_pays(levels, next_ranks + ranks(0) - 1);
  for (int l = 0; l < depth(); ++l) {
    const auto at = static_cast<std::size_t>(l);
    const double near = ranks(l) - ranks(l - 1);
    double records = 0;
    for (int h = l + 1; h < depth(); ++h) records += mine * share(h) * near / ranks(h - 1);
    inside[at] =
        load(near, near * filled(e.keys * targets, records / std::max(1.0, near)), bytes, relay_slots(next_ranks, l));
    const double peers = l == 0 ? near : parts(l) - 1;
    if (closes) inside[at].messages = l + 1 < depth() ? std::max(inside[at].messages, near) : 0;
    across[at] =
        load(peers, peers * filled(e.keys, mine * share(l) / std::max(1.0, peers)), bytes, relay_slots(next_ranks, l));
    if (closes) across[at].messages = std::max(across[at].messages, peers);
  }
  SentBytes sent;
  sent.add(inside);
  sent.add(across);
  const double of_records = relayed_record_seconds(e, sent);
  if (closes) return estimate_of(across, seconds_of(inside) + seconds_of(across) + agreement(e) + of_records);
  return estimate_of(across, std::max(seconds_of(inside), barrier_seconds(depth() - 2)) +
                                 voted(seconds_of(across), e.records > 0, true) + of_records);
}

// One monitor: the same rank for all domains. block_level: of the domains that a monitor gathers for; -1: ranks.
RouteModel::Estimate RouteModel::Formulas::gathering(const Exchange& e, bool one_monitor, int block_level) const {
  const double bytes = static_cast<double>(e.record_bytes) + kTargetBytes, mine = e.records / ranks(depth() - 1);
  const int top = depth() - 1;
  // For each level h: the blocks of a domain of the level below, and the records that one domain of that level has for
  // one block beyond the boundary, after merging.
  const auto block_ranks = [&](int h) { return ranks(std::min(block_level, h - 1)); };
  const auto blocks = [&](int h) { return ranks(h - 1) / block_ranks(h); };
  const auto targets_at = [&](int h) { return (parts(h) - 1) * blocks(h); };
  std::vector<double> gathered(ranks_.size(), 0);
  for (int h = 1; h <= top; ++h)
    gathered[h] = filled(e.keys * block_ranks(h), mine * share(h) / std::max(kFewest, targets_at(h)));
  Estimate sum;
  SentBytes sent;
  const auto add = [&](const Round& round, int level, bool last) {
    const double seconds = seconds_of(round);
    sent.add(round);
    sum.seconds += savings_.closing ? seconds
                   : last           ? voted(seconds, e.records > 0, true)
                                    : std::max(seconds, barrier_seconds(level));
  };
  if (savings_.closing) sum.seconds = agreement(e);
  for (int l = 0; l <= top; ++l) {  // up, and across that level
    double targets = 0, records = 0;
    for (int h = l + 1; h <= top; ++h) {
      targets += targets_at(h);
      records += targets_at(h) * gathered[h];
    }
    // Monitors for domains of different levels are the same ranks, as far as they go.
    const auto monitors_in = [&](int level) {
      double most = 1;
      for (int h = l + 1; h <= top; ++h) most = std::max(most, std::min(targets_at(h), ranks(level)));
      return one_monitor ? static_cast<double>(top - l) : most;
    };
    const double monitors = monitors_in(l);
    const Slots slots = relay_slots(hops_by_parts(), l);
    Load load;
    if (targets > 0) {
      const double in = parts(l) - 1, out = monitors / std::max(1.0, l == 0 ? 1 : monitors_in(l - 1));
      load.bytes = in * records / monitors * bytes;
      load.mean_bytes = in * records / ranks(l) * bytes;
      load.messages = (std::max(in, load.bytes / slots.bytes + in / 2) + std::max(1.0, out)) / 2;
    }
    if (l > 0) {
      const double peers = targets_at(l), crossing = gathered[l];  // a block is a peer
      const double crossers = one_monitor ? 1 : std::min(peers, ranks(l - 1));
      const double to_a_peer = std::max(1.0, crossing * bytes / slots.bytes);
      load.trips = to_a_peer / slots.per_peer;
      const double pairs = ranks(top) / ranks(l - 1) * peers;
      sum.top_messages = pairs * to_a_peer;  // the last pass of the loop leaves the top level's
      sum.top_bytes = pairs * crossing * bytes;
      load.messages += to_a_peer * peers / crossers;
      load.bytes += crossing * bytes * peers / crossers;
      load.mean_bytes += crossing * bytes * peers / ranks(l - 1);
    }
    Round round(ranks_.size());
    round[l] = load;
    add(round, l, false);
    for (int h = l + 1; h <= top; ++h) {
      double& g = gathered[h];
      g = filled(e.keys * block_ranks(h), parts(l) * g);
    }
  }
  for (int l = top - 1; l >= 0; --l) {  // down
    double records = 0;                 // that a domain of this level receives from outside
    const bool hands_on = l <= block_level;
    for (int h = l + 1; hands_on && h <= top; ++h) records += targets_at(h) * gathered[h] * ranks(l) / ranks(h - 1);
    if (!hands_on && l > 0) continue;
    const double landers = one_monitor ? 1 : std::min(ranks(l), targets_at(l + 1));
    const double out = parts(l) - 1, crossing = records * out / parts(l);
    // Records inside a leaf share the packets of the last round.
    const double inside = l == 0 ? mine * share(0) : 0, mine_bytes = (crossing / landers + inside) * bytes;
    Round round(ranks_.size());
    const double slot_bytes = relay_slots(hops_by_parts(), l).bytes;
    round[l] = {std::max(l == 0 ? out : (out + landers / parts(l)) / 2, mine_bytes / slot_bytes + out / 2), mine_bytes,
                (crossing / ranks(l) + inside) * bytes, 1};
    add(round, l, l == 0);
  }
  sum.seconds += relayed_record_seconds(e, sent);
  return sum;
}

}  // namespace atl
