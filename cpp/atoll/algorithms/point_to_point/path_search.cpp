// SPDX-License-Identifier: Apache-2.0
// Bidirectional search [1] over any ranks. Each round relaxes, in the search that has fewer vertices waiting, all those
// within one step of its nearest, and mirrors' distances are reduced to their masters. A vertex with a distance in both
// searches gives a path. The shortest is known once no path over what both searches have not relaxed yet can be shorter:
// the sum of their least keys is at least its length.
//
//   in the paper      here                 meaning
//   mu                best_                length of the shortest path found
//   top_f + top_r     least[0] + least[1]  what every other path is at least as long as
//
// A key is a distance. Where vertices have places in a plane it is the distance plus a potential (plane_bounds.hpp): both
// searches go as by edges w(u, v) - p(u) + p(v) >= 0, and since p is added by one and taken away by the other, the sum of
// two keys bounds a path's length as before.
//
// The path itself is read off the distances: from where the searches meet, back to each end.
//
// [1] A. Goldberg, C. Harrelson. "Computing the shortest path: A* search meets graph theory." SODA 2005, section 3.
#include <algorithm>
#include <atoll/algorithms/point_to_point/frontier.hpp>
#include <atoll/algorithms/point_to_point/path_search.hpp>
#include <atoll/algorithms/point_to_point/plane_bounds.hpp>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <unordered_set>

namespace atl {
namespace {

// An unreached vertex. Two of them can be added.
template <class Sum>
constexpr Sum kUnreached =
    std::is_integral_v<Sum> ? std::numeric_limits<Sum>::max() / 4 : std::numeric_limits<Sum>::infinity();

// The keys of vertices in the search from the source, and in that from the target.
template <class Sum>
struct ByDistance {
  using Key = Sum;
  static constexpr Key kFar = kUnreached<Sum>;
  void set_ends(Local, Local) {}
  Key from_source(Sum distance, Local) const { return distance; }
  Key from_target(Sum distance, Local) const { return distance; }
  /// Two keys that add up to this allow no shorter path.
  Key enough(Sum best) const { return best; }
  std::size_t memory_bytes() const { return 0; }
};

template <class Sum>
struct ByPlace {
  using Key = double;
  static constexpr Key kFar = std::numeric_limits<double>::infinity();
  PlaneBounds bounds;
  void set_ends(Local source, Local target) { bounds.set_ends(source, target); }
  Key from_source(Sum distance, Local v) const { return static_cast<double>(distance) + bounds.potential(v); }
  Key from_target(Sum distance, Local v) const { return static_cast<double>(distance) - bounds.potential(v); }
  // A potential is at most half a path's length, so sums of keys are rounded by less than this.
  Key enough(Sum best) const { return best < kUnreached<Sum> ? static_cast<double>(best) * (1 + 1e-12) : kFar; }
  std::size_t memory_bytes() const { return bounds.memory_bytes(); }
};

// The distances from one end along `lists`: the leaving edges from the source, the entering edges from the target.
template <class Sum, class Keys>
class SearchDirection {
 public:
  using Key = typename Keys::Key;
  enum class End { source, target };
  SearchDirection(const Graph& graph, const Keys& keys, End end)
      : graph_(graph),
        keys_(keys),
        end_(end),
        lists_(end == End::source ? graph.out() : graph.in()),
        distance_(index(graph.locals()), kUnreached<Sum>) {}

  Sum distance(Local v) const { return distance_[v]; }
  const Csr& lists() const { return lists_; }
  std::span<Sum> distances() { return {distance_.data(), distance_.size()}; }
  const std::vector<Local>& touched() const { return touched_; }
  const Frontier<Key>& frontier() const { return frontier_; }

  /// Relaxes the edges of the vertices whose keys are below `horizon`; lowered(v) for each vertex whose distance falls.
  template <class Weight, class Lowered>
  void relax(Key horizon, const Weight& weight, Lowered&& lowered) {
    const auto is_stale = [this](Key k, Local v) { return k > key(v); };
    frontier_.begin_round(horizon, is_stale);
    for (Local v = frontier_.take(is_stale); v >= 0; v = frontier_.take(is_stale)) {
      const Sum here = distance(v);
      const auto end = static_cast<std::size_t>(lists_.offsets[index(v) + 1]);
      for (auto e = static_cast<std::size_t>(lists_.offsets[v]); e < end; ++e) {
        const Local u = lists_.targets[e];
        const Sum there = here + weight(e);
        if (!(there < distance(u))) continue;
        distance_[u] = there;
        lowered(u);
      }
    }
  }
  /// A vertex whose distance has fallen.
  void note(Local v) {
    touched_.push_back(v);
    if (v < graph_.owned()) frontier_.put(key(v), v);
  }
  void start(Local master) {
    distance_[master] = 0;
    note(master);
  }
  /// Makes it as new; returns how many masters were reached.
  Vertex reset() {
    Vertex reached = 0;
    for (const Local v : touched_)
      if (std::exchange(distance_[v], kUnreached<Sum>) < kUnreached<Sum> && v < graph_.owned()) ++reached;
    touched_.clear();
    frontier_.clear();
    return reached;
  }
  std::size_t memory_bytes() const { return distance_.size() * sizeof(Sum) + touched_.capacity() * sizeof(Local); }

 private:
  Key key(Local v) const {
    return end_ == End::source ? keys_.from_source(distance(v), v) : keys_.from_target(distance(v), v);
  }
  const Graph& graph_;
  const Keys& keys_;
  const End end_;
  const Csr& lists_;
  Array<Sum> distance_;         // [local]
  std::vector<Local> touched_;  // whose distance may differ from kUnreached; some twice
  Frontier<Key> frontier_{Keys::kFar};
};

}  // namespace

class PathSearch::Variant {
 public:
  virtual ~Variant() = default;
  virtual VertexPath run(Vertex source, Vertex target) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// Sum: std::int64_t counts edges; double adds weights, std::uint64_t whole ones that double would round.
template <class Sum, class Keys>
class PathSearch::Bidirectional final : public PathSearch::Variant {
 public:
  Bidirectional(const Graph& graph, Keys&& keys)
      : graph_(graph),
        world_(graph.world()),
        keys_(std::move(keys)),
        directions_{Direction(graph, keys_, Direction::End::source), Direction(graph, keys_, Direction::End::target)},
        exchange_(graph),
        changed_(index(graph.locals())),
        shared_(world_.any(graph.locals() > graph.mirrors().begin[0])),
        step_(step_of(graph)) {}

  VertexPath run(Vertex source, Vertex target) override;
  std::size_t memory_bytes() const override {
    return directions_[0].memory_bytes() + directions_[1].memory_bytes() + exchange_.memory_bytes() +
           keys_.memory_bytes() + changed_.words() * sizeof(std::uint64_t);
  }

 private:
  static constexpr bool kByEdges = std::is_same_v<Sum, std::int64_t>;
  using Key = typename Keys::Key;
  using Direction = SearchDirection<Sum, Keys>;
  struct Round {
    Sum best;
    Vertex meeting;  // original id
    Key least[2];
    double waiting[2];
  };
  struct Link {
    Vertex id = kNoVertex;
    double weight = 0;
    bool is_nearer = false;
  };

  static Key step_of(const Graph& graph);
  template <class F>
  void with_sums(const Csr& lists, F&& f) const;
  Local master(Vertex id) const {
    const auto [owner, owned_index] = graph_.find(id);
    return owner == world_.rank() ? graph_.local_of(owned_index) : -1;
  }
  void met(Local v);
  Round search(Local source, Local target);
  void relax(int direction, Key horizon);
  void share_distances(Direction& direction);
  std::vector<Link> walk(const Direction& direction, const Csr& back, Vertex from, Vertex to) const;
  Link link_towards(const Direction& direction, const Csr& back, Local v,
                    const std::unordered_set<Vertex>& passed) const;

  const Graph& graph_;
  World& world_;
  Keys keys_;
  Direction directions_[2];  // from the source, from the target
  MirrorExchange<Sum, MinOf> exchange_;
  VertexBits changed_;
  const bool shared_;  // some rank has mirrors
  const Key step_;     // what a round relaxes beyond the nearest
  Sum best_ = kUnreached<Sum>;
  Local meeting_ = -1;
};

// By weight a part of the mean: shorter steps are more rounds, longer ones relax vertices beyond the path. Of 1/4 and 4
// times the mean a path took 6.5 and 140 ms on web-Stanford, and as long on a grid (weights at random).
template <class Sum, class Keys>
Keys::Key PathSearch::Bidirectional<Sum, Keys>::step_of(const Graph& graph) {
  if constexpr (kByEdges) {
    return 1;
  } else {
    constexpr double kOfMean = 0.25;
    const EdgeWeights<double> weights("path", graph, graph.out());
    double sum = 0;
    for (std::size_t e = 0; e < weights.size(); ++e) sum += weights[e];
    const double all = graph.world().sum(sum), edges = graph.world().sum(static_cast<double>(weights.size()));
    const double mean = std::min(edges > 0 ? all / edges : 0, std::numeric_limits<double>::max() / 2);
    return std::max(static_cast<Key>(kOfMean * mean), std::is_integral_v<Key> ? Key{1} : Key{0});
  }
}

// Calls f(weight) with a function such that weight(e) is what the e-th edge of the lists adds.
template <class Sum, class Keys>
template <class F>
void PathSearch::Bidirectional<Sum, Keys>::with_sums(const Csr& lists, F&& f) const {
  if constexpr (kByEdges) {
    f([](std::size_t) { return Sum{1}; });
  } else {
    const EdgeWeights<double> weights("path", graph_, lists);
    f([&](std::size_t e) { return static_cast<Sum>(weights[e]); });
  }
}

template <class Sum, class Keys>
void PathSearch::Bidirectional<Sum, Keys>::met(Local v) {
  const Sum length = directions_[0].distance(v) + directions_[1].distance(v);
  if (length < best_) {
    best_ = length;
    meeting_ = v;
  }
}

template <class Sum, class Keys>
void PathSearch::Bidirectional<Sum, Keys>::relax(int direction, Key horizon) {
  Direction& here = directions_[direction];
  const auto lowered = [&](Local v) {
    here.note(v);
    if (v < graph_.owned()) {
      met(v);
    } else {
      changed_.set_unsynchronized(index(v));
    }
  };
  with_sums(here.lists(), [&](const auto& weight) { here.relax(horizon, weight, lowered); });
  if (!shared_) return;
  exchange_.reduce(here.distances(), changed_);
  for (std::size_t w = 0; w < changed_.words(); ++w)
    for (std::uint64_t bits = std::exchange(changed_.at(w), 0); bits; bits &= bits - 1)
      lowered(static_cast<Local>(w * 64) + std::countr_zero(bits));
}

template <class Sum, class Keys>
typename PathSearch::Bidirectional<Sum, Keys>::Round PathSearch::Bidirectional<Sum, Keys>::search(Local source,
                                                                                                  Local target) {
  best_ = kUnreached<Sum>;
  meeting_ = -1;
  keys_.set_ends(source, target);
  if (source >= 0) directions_[0].start(source);
  if (target >= 0) directions_[1].start(target);
  for (;;) {
    const Round mine{.best = best_,
                     .meeting = meeting_ >= 0 ? graph_.id_of(meeting_) : kNoVertex,
                     .least = {directions_[0].frontier().least(), directions_[1].frontier().least()},
                     .waiting = {static_cast<double>(directions_[0].frontier().waiting()),
                                 static_cast<double>(directions_[1].frontier().waiting())}};
    const Round all = world_.fold(mine, [](const Round& a, const Round& b) {
      Round sum = b.best < a.best ? b : a;
      for (int direction = 0; direction < 2; ++direction) {
        sum.least[direction] = std::min(a.least[direction], b.least[direction]);
        sum.waiting[direction] = a.waiting[direction] + b.waiting[direction];
      }
      return sum;
    });
    const Key enough = keys_.enough(all.best);
    if (!(all.least[0] + all.least[1] < enough)) return all;
    const int direction = all.waiting[0] <= all.waiting[1] ? 0 : 1;
    const Key least = all.least[direction];
    // A vertex of a greater key is on no shorter path. The nearest ones are relaxed however keys are rounded.
    const Key horizon = std::min(least + step_, enough - all.least[1 - direction]);
    if constexpr (std::is_integral_v<Key>) {
      relax(direction, std::max(horizon, least + 1));
    } else {
      relax(direction, std::max(horizon, std::nextafter(least, Keys::kFar)));
    }
  }
}

// Gives the copies of all that was reached their masters' distances.
template <class Sum, class Keys>
void PathSearch::Bidirectional<Sum, Keys>::share_distances(Direction& direction) {
  if (!shared_) return;
  for (const Local v : direction.touched())
    if (v < graph_.owned()) changed_.set_unsynchronized(index(v));
  exchange_.broadcast(direction.distances(), changed_);
  for (std::size_t w = 0; w < changed_.words(); ++w)
    for (std::uint64_t bits = std::exchange(changed_.at(w), 0); bits; bits &= bits - 1) {
      const Local v = static_cast<Local>(w * 64) + std::countr_zero(bits);
      if (v >= graph_.owned()) direction.note(v);
    }
}

// The next vertex on a shortest path from v to the direction's end: nearer than v if one is, else as near, over an edge
// that adds nothing, and not passed yet.
template <class Sum, class Keys>
typename PathSearch::Bidirectional<Sum, Keys>::Link PathSearch::Bidirectional<Sum, Keys>::link_towards(
    const Direction& direction, const Csr& back, Local v, const std::unordered_set<Vertex>& passed) const {
  Link link;
  with_sums(back, [&](const auto& weight) {
    const auto end = static_cast<std::size_t>(back.offsets[index(v) + 1]);
    for (auto e = static_cast<std::size_t>(back.offsets[v]); e < end && !link.is_nearer; ++e) {
      const Local u = back.targets[e];
      if (direction.distance(u) + weight(e) != direction.distance(v)) continue;
      const bool is_nearer = direction.distance(u) < direction.distance(v);
      if (!is_nearer && (link.id != kNoVertex || passed.contains(graph_.id_of(u)))) continue;
      link = {.id = graph_.id_of(u), .weight = static_cast<double>(weight(e)), .is_nearer = is_nearer};
    }
  });
  return link;
}

// The links of a shortest path from `from` to the direction's end `to`. Where edges that add nothing lead astray it
// goes back.
template <class Sum, class Keys>
std::vector<typename PathSearch::Bidirectional<Sum, Keys>::Link> PathSearch::Bidirectional<Sum, Keys>::walk(
    const Direction& direction, const Csr& back, Vertex from, Vertex to) const {
  std::vector<Link> links;
  std::unordered_set<Vertex> passed{from};
  for (Vertex at = from; at != to; at = links.empty() ? from : links.back().id) {
    const Local v = master(at);
    const Link mine = v >= 0 ? link_towards(direction, back, v, passed) : Link{};
    const Link next = world_.fold(mine, [](const Link& a, const Link& b) { return b.id != kNoVertex ? b : a; });
    if (next.id != kNoVertex) {
      passed.insert(next.id);
      links.push_back(next);
      continue;
    }
    if (links.empty()) throw Error("path: the distances lead to no end. This is a defect: report it with the graph.");
    links.pop_back();
  }
  return links;
}

template <class Sum, class Keys>
VertexPath PathSearch::Bidirectional<Sum, Keys>::run(Vertex source, Vertex target) {
  const Local from = master(source), to = master(target);
  if (source == target) return {.vertices = {source}, .length = 0, .visited = 1};
  const Round found = search(from, to);
  VertexPath path{.vertices = {}, .length = std::numeric_limits<double>::infinity(), .visited = 0};
  if (found.best < kUnreached<Sum>) {
    for (Direction& direction : directions_) share_distances(direction);
    const std::vector<Link> back = walk(directions_[0], graph_.in(), found.meeting, source),
                            on = walk(directions_[1], graph_.out(), found.meeting, target);
    for (auto link = back.rbegin(); link != back.rend(); ++link) path.vertices.push_back(link->id);
    path.vertices.push_back(found.meeting);
    for (const Link& link : on) path.vertices.push_back(link.id);
    Sum length = 0;
    for (auto link = back.rbegin(); link != back.rend(); ++link) length += static_cast<Sum>(link->weight);
    for (const Link& link : on) length += static_cast<Sum>(link.weight);
    path.length = static_cast<double>(length);
  }
  const Vertex visited = directions_[0].reset() + directions_[1].reset();
  path.visited = world_.sum(visited);
  if constexpr (std::is_integral_v<Sum>)
    check(
        found.best == kUnreached<Sum> || static_cast<Sum>(path.length) == found.best,
        "path: {}: the shortest path from {} to {} is {} long (float64 does not hold every whole number beyond 2^53). "
        "Scale the weights down.",
        graph_.name(), source, target, found.best);
  return path;
}

template <class Sum>
void PathSearch::make(const Graph& graph, PathLength length, const PlaneCoordinates* coordinates) {
  if constexpr (!std::is_same_v<Sum, std::uint64_t>)  // beyond 2^53 no double is a bound that is near enough
    if (coordinates) {
      variant_ = std::make_unique<Bidirectional<Sum, ByPlace<Sum>>>(
          graph, ByPlace<Sum>{PlaneBounds(graph, length, *coordinates)});
      return;
    }
  variant_ = std::make_unique<Bidirectional<Sum, ByDistance<Sum>>>(graph, ByDistance<Sum>());
}

PathSearch::PathSearch(const Graph& graph, PathLength length, const PlaneCoordinates* coordinates) {
  if (length == PathLength::weights) check_weights<double>("path", graph, ZeroWeights::allowed);
  if (length == PathLength::edges) {
    make<std::int64_t>(graph, length, coordinates);
  } else if (may_round_whole(longest_whole_path(graph))) {
    make<std::uint64_t>(graph, length, coordinates);
  } else {
    make<double>(graph, length, coordinates);
  }
}

PathSearch::~PathSearch() = default;

VertexPath PathSearch::run(Vertex source, Vertex target) { return variant_->run(source, target); }

std::size_t PathSearch::memory_bytes() const { return variant_->memory_bytes(); }

}  // namespace atl
