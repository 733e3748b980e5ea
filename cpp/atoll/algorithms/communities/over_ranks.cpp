// SPDX-License-Identifier: Apache-2.0
// Over ranks: each moves its vertices on the first level, which has the most edges (moving_over_ranks.hpp). What they make
// of it is joined on rank 0, which does the levels behind it as one rank does, and tells the ranks the communities of
// their vertices.
#include <algorithm>
#include <atoll/algorithms/communities/search.hpp>
#include <atoll/engine/first_rank.hpp>
#include <limits>
#include <optional>

namespace atl {
namespace {

constexpr std::size_t kLocalsGrain = 4096;

// All ranks' values, in their order, on rank 0; empty on the others.
template <class T>
std::vector<T> gathered(World& world, std::vector<T> mine, std::vector<std::ptrdiff_t>* begins = nullptr) {
  std::vector<T> all;
  for (const std::vector<T>& part : on_first_rank(world, std::move(mine))) {
    if (begins) begins->push_back(static_cast<std::ptrdiff_t>(all.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

template <class T>
std::vector<T> values_of(const Array<T>& values, std::size_t size) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size)};
}

template <class T>
Array<T> array_of(const std::vector<T>& values) {
  Array<T> array(values.size());
  std::ranges::copy(values, array.begin());
  return array;
}

}  // namespace

CommunityDetection::OverRanks::OverRanks(const Graph& graph, CommunityMethod method, EdgeWeighting weights)
    : Search(graph, method, weights),
      team_(graph.world().team()),
      rows_(graph),
      moving_over_ranks_(graph, first_.view(), rows_),
      moving_(team_),
      refinement_(team_, moving_.sums()),
      aggregation_(team_, moving_.sums()) {}

// Numbers sets that are named by rows, [local].
CommunityDetection::OverRanks::Sets CommunityDetection::OverRanks::numbered(const Array<Local>& named) {
  const std::size_t rows = index(graph_.active());
  const Array<Local>& own_row = rows_.of();
  const auto index_of = [&](const std::vector<Vertex>& names) {
    return RowIndex(team_, rows_.blocks().count(), names, {0, 0}, graph_.world().plan().replicated_bytes);
  };
  const auto position = [](const RowIndex& in, Local name) -> std::optional<std::size_t> {
    const std::size_t at = in.position(name);
    return at < in.rows().size() && in.rows()[at] == name ? std::optional(at) : std::nullopt;
  };
  std::vector<Vertex> names(named.begin(), named.begin() + static_cast<std::ptrdiff_t>(rows));
  const RowIndex own = index_of(names);
  names.clear();
  for (std::size_t v = rows; v < named.size(); ++v)
    if (own_row[v] >= 0 && !position(own, named[v])) names.push_back(named[v]);
  const RowIndex others = index_of(names);
  Sets sets{.number = Array<Local>(named.size()), .row = {}, .own = own.rows().size(), .community = {}};
  team_.for_range(named.size(), kLocalsGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      if (own_row[v] < 0) continue;
      const auto at = position(own, named[v]);
      sets.number[v] = static_cast<Local>(at ? *at : sets.own + others.position(named[v]));
    }
  });
  for (const RowIndex* some : {&own, &others})
    for (const Vertex row : some->rows()) sets.row.push_back(static_cast<Local>(row));
  return sets;
}

CommunityDetection::OverRanks::Sets CommunityDetection::OverRanks::sets_of_communities() {
  Array<Local> named(moving_over_ranks_.slot().size(), Local{0});
  for (std::size_t v = 0; v < named.size(); ++v)
    if (rows_.of()[v] >= 0) named[v] = moving_over_ranks_.row(moving_over_ranks_.slot()[v]);
  Sets sets = numbered(named);
  sets.community.assign(sets.row.begin(), sets.row.begin() + static_cast<std::ptrdiff_t>(sets.own));
  return sets;
}

// Vertices join subsets of their own rank, so that each of these is connected here.
CommunityDetection::OverRanks::Sets CommunityDetection::OverRanks::refined_sets(const ModularityTerms& terms) {
  const Level level = first_.view();
  Array<Local> named(moving_over_ranks_.slot().size(), Local{0}), subset(level.rows);
  refinement_.run(level, terms, Workers::team, moving_over_ranks_.slot(), moving_over_ranks_.degrees(), subset);
  for (std::size_t v = 0; v < level.rows; ++v) named[v] = rows_.of()[subset[v]];
  rows_.exchange().broadcast_all({named.data(), named.size()});
  Sets sets = numbered(named);
  sets.community.resize(sets.own);
  for (std::size_t v = 0; v < level.rows; ++v)
    sets.community[index(sets.number[v])] = moving_over_ranks_.row(moving_over_ranks_.slot()[v]);
  return sets;
}

// The level of the sets, each of which may have parts on several ranks. Collective.
CommunityDetection::OverRanks::Joined CommunityDetection::OverRanks::join(const Sets& sets) {
  World& world = graph_.world();
  CoarseLevel part;
  aggregation_.run(first_.view(), Workers::team, sets.own, sets.row.size(), sets.number, part);
  std::vector<Edge> lengths(sets.own);
  for (std::size_t s = 0; s < sets.own; ++s) lengths[s] = part.offsets[s + 1] - part.offsets[s];
  std::vector<Local> targets(part.targets.size());
  for (std::size_t e = 0; e < targets.size(); ++e) targets[e] = sets.row[index(part.targets[e])];
  Joined joined;
  const std::vector<Local> own_rows(sets.row.begin(), sets.row.begin() + static_cast<std::ptrdiff_t>(sets.own));
  std::vector<Local> rows = gathered(world, own_rows, &joined.begins);
  lengths = gathered(world, std::move(lengths));
  targets = gathered(world, std::move(targets));
  const auto weights = gathered(world, values_of(part.weights, part.weights.size()));
  const auto degree = gathered(world, values_of(part.degree, sets.own));
  const auto inside = gathered(world, values_of(part.inside, sets.own));
  const auto communities = gathered(world, sets.community);
  world.collective_try([&] {
    if (world.rank() != 0) return;
    Array<Local> first_part(static_cast<std::size_t>(rows_.blocks().count()), Local{-1});  // [row that names a set]
    for (std::size_t p = rows.size(); p-- > 0;) first_part[rows[p]] = static_cast<Local>(p);
    CoarseLevel parts;
    parts.offsets = Array<Edge>(rows.size() + 1, 0);
    for (std::size_t p = 0; p < rows.size(); ++p) parts.offsets[p + 1] = parts.offsets[p] + lengths[p];
    parts.targets = Array<Local>(targets.size());
    for (std::size_t e = 0; e < targets.size(); ++e) parts.targets[e] = first_part[targets[e]];
    parts.weights = array_of(weights);
    parts.degree = array_of(degree);
    parts.inside = array_of(inside);
    joined.set = Array<Local>(rows.size());
    for (std::size_t p = 0; p < rows.size(); ++p) joined.set[p] = first_part[rows[p]];
    const auto sets_there = static_cast<std::size_t>(number_sets(joined.set, rows.size()));
    aggregation_.run(parts.view(), Workers::team, sets_there, sets_there, joined.set, joined.level);
    joined.row.resize(sets_there);
    joined.community.assign(sets_there, -1);
    std::fill(first_part.begin(), first_part.end(), Local{-1});  // now [row that names a community] its first set
    for (std::size_t p = 0; p < rows.size(); ++p) {
      const Local set = joined.set[p];
      joined.row[index(set)] = rows[p];
      Local& first = first_part[communities[p]];
      if (first < 0) first = set;
      joined.community[index(set)] = first;
    }
  });
  return joined;
}

// [part of this rank] the row that names its community: the least of those that name the community's sets. Collective.
std::vector<Local> CommunityDetection::OverRanks::name_communities(const Joined& joined) const {
  World& world = graph_.world();
  std::vector<Local> names;
  if (world.rank() == 0) {
    std::vector<Local> least(index(levels_.communities()), std::numeric_limits<Local>::max());
    const auto name_of = [&](std::size_t set) -> Local& { return least[index(levels_.community()[set])]; };
    for (std::size_t set = 0; set < joined.row.size(); ++set) name_of(set) = std::min(name_of(set), joined.row[set]);
    for (const Local set : joined.set) names.push_back(name_of(index(set)));
  }
  return from_first_rank(world, joined.begins, names);
}

// Communities of the first level, from those that rows in `label` name. Ranks move vertices at the same time by what they
// knew after the sweep before; where that lost, they do so by turns, where every move is a gain.
void CommunityDetection::OverRanks::move_vertices(const Array<Local>& label, const ModularityTerms& terms,
                                                  double tolerance) {
  moving_over_ranks_.start(label);
  const double before = moving_over_ranks_.modularity(terms);
  moving_over_ranks_.run(moving_, terms, tolerance, MovingOverRanks::Turns::all);
  if (moving_over_ranks_.modularity(terms) >= before) return;
  moving_over_ranks_.start(label);
  moving_over_ranks_.run(moving_, terms, tolerance, MovingOverRanks::Turns::one);
}

void CommunityDetection::OverRanks::run(const CommunityDetectionOptions& options, CommunityDetectionResult& result) {
  World& world = graph_.world();
  const Multilevel::Terms terms = terms_of(options);
  result.communities = result.levels = 0;
  result.modularity = 0;
  if (first_.total() == 0) return label_owned({}, result);
  Array<Local> label(index(graph_.locals()));
  std::ranges::copy(rows_.of(), label.begin());
  for (int pass = 1;; ++pass) {
    move_vertices(label, terms.measure, Passes::tolerance(pass));
    const Sets sets = method_ == CommunityMethod::louvain ? sets_of_communities() : refined_sets(terms.measure);
    const Joined joined = join(sets);
    struct Found {
      double modularity = 0;
      std::int64_t levels = 0;
    } found;
    world.collective_try([&] {
      if (world.rank() != 0) return;
      const bool is_leiden = method_ == CommunityMethod::leiden;
      levels_.run(joined.level.view(), {method_, 1, terms.measure},
                  is_leiden ? std::span(joined.community) : std::span<const Local>(), options.progress);
      found = {levels_.modularity(), levels_.levels()};
    });
    world.broadcast(std::span(&found, 1), 0);
    const std::vector<Local> names = name_communities(joined);
    result.levels += 1 + static_cast<int>(found.levels);
    if (pass > 1 && found.modularity < result.modularity) break;
    const double gain = found.modularity - result.modularity;
    result.modularity = found.modularity;
    for (Local v = 0; v < graph_.active(); ++v) label[v] = names[index(sets.number[v])];
    if (pass == terms.iterations || (pass > 1 && gain < Passes::kLeastGain)) break;
  }
  label_owned(smallest_ids(label, result), result);
}

// Calls each community by the smallest original id of its vertices, which the rank of the row that names it finds, and
// counts them.
std::vector<Vertex> CommunityDetection::OverRanks::smallest_ids(const Array<Local>& label,
                                                                CommunityDetectionResult& result) {
  struct Least {
    Local row;
    Vertex id;
  };
  World& world = graph_.world();
  const auto active = index(graph_.active());
  std::vector<Least> mine(active);
  for (std::size_t v = 0; v < active; ++v) mine[v] = {label[v], graph_.id_of(static_cast<Local>(v))};
  std::sort(mine.begin(), mine.end(),
            [](const Least& a, const Least& b) { return a.row != b.row ? a.row < b.row : a.id < b.id; });
  mine.erase(std::unique(mine.begin(), mine.end(), [](const Least& a, const Least& b) { return a.row == b.row; }),
             mine.end());
  std::vector<std::vector<Least>> outgoing(static_cast<std::size_t>(world.size()));
  for (const Least& one : mine) outgoing[rows_.blocks().owner(one.row)].push_back(one);
  auto received = world.exchange(std::move(outgoing));
  std::vector<Vertex> least(active, std::numeric_limits<Vertex>::max());
  const auto least_of = [&](Local row) -> Vertex& { return least[index(row - rows_.begin())]; };
  for (const auto& part : received)
    for (const Least& one : part) least_of(one.row) = std::min(least_of(one.row), one.id);
  Vertex communities = 0;
  for (const Vertex id : least) communities += id != std::numeric_limits<Vertex>::max();
  result.communities = world.sum(communities);
  for (auto& part : received)
    for (Least& one : part) one.id = least_of(one.row);
  mine.clear();  // ascending again: so are the ranks' rows
  for (const auto& part : world.exchange(std::move(received))) mine.insert(mine.end(), part.begin(), part.end());
  std::vector<Vertex> ids(active);
  for (std::size_t v = 0; v < active; ++v)
    ids[v] = std::lower_bound(mine.begin(), mine.end(), label[v], [](const Least& one, Local row) {
               return one.row < row;
             })->id;
  return ids;
}

std::size_t CommunityDetection::OverRanks::memory_bytes() const {
  return first_.memory_bytes() + levels_.memory_bytes() + rows_.memory_bytes() + moving_over_ranks_.memory_bytes() +
         moving_.memory_bytes() + refinement_.memory_bytes() + aggregation_.memory_bytes();
}

}  // namespace atl
