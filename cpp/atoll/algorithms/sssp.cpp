// SPDX-License-Identifier: Apache-2.0
// Shortest paths by delta-stepping [1] over ranks: vertices whose distance lies in the current bucket of width delta
// follow their edges until the bucket is empty on this rank; then the mirrors that have come closer tell their masters,
// and the bucket is empty when no rank has anything left in it.
//
//   in the paper        here              meaning
//   tent                distance_         best known, by local number, mirrors included
//   B[i]                pending_          masters that have not followed their edges from this distance
//   Delta               delta_
//   relax               follow()
//
// Deviations: no split into light and heavy edges (a rank's bucket fills again without a message, so nothing is saved by
// holding the heavy ones back); a rank empties its bucket before it tells others (bucket fusion over ranks).
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.
#include <atoll/algorithms/sssp.hpp>
#include <atoll/algorithms/sssp_local.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <cmath>

namespace atl {

namespace {

template <class Real>
void check_weights(const Graph& graph, const Csr& lists) {
  check(graph.weighted(), "sssp: {} has no weights. Use bfs, or give its edges weights.", graph.name());
  const auto* weights = std::get_if<Array<Real>>(&lists.weights);
  check(weights != nullptr, "sssp: the weights of {} have {} bits (this form takes {}). Use the other one.",
        graph.name(), sizeof(Real) == 4 ? 64 : 32, sizeof(Real) * 8);
  for (Local v = 0; v < graph.active(); ++v)
    for (auto e = static_cast<std::size_t>(lists.offsets[static_cast<std::size_t>(v)]);
         e < static_cast<std::size_t>(lists.offsets[static_cast<std::size_t>(v) + 1]); ++e)
      check((*weights)[e] >= 0 && (*weights)[e] < std::numeric_limits<Real>::infinity(),
            "sssp: {}: the edge between {} and {} weighs {} (paths would have no shortest: a weight is finite and not "
            "negative). Correct it.",
            graph.name(), graph.id_of(v), graph.id_of(lists.targets[e]), (*weights)[e]);
}

}  // namespace

template <class Real>
class Sssp<Real>::Search {
 public:
  virtual ~Search() = default;
  virtual void run(Vertex source, SsspResult<Real>& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class Real>
class Sssp<Real>::Alone final : public Search {
 public:
  Alone(const Graph& graph, const SsspOptions& options) : local_(graph, options) {}
  void run(Vertex source, SsspResult<Real>& result) override { local_.run(source, result); }
  std::size_t memory_bytes() const override { return local_.memory_bytes(); }

 private:
  SsspLocal<Real> local_;
};

template <class Real>
class Sssp<Real>::Together final : public Search {
 public:
  Together(const Graph& graph, const SsspOptions& options)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        out_(std::get<Array<Real>>(graph.out().weights)),
        in_(std::get<Array<Real>>(graph.in().weights)),
        exchange_(graph),
        locals_(static_cast<std::size_t>(graph.locals())),
        distance_(locals_),
        pending_(graph.locals()),
        closer_(graph.locals()) {
    delta_ = options.delta ? *options.delta : usual_delta();
  }

  void run(Vertex source, SsspResult<Real>& result) override {
    const auto [owner, natural] = graph_.find(source);
    std::fill(distance_.begin(), distance_.end(), kFar);
    pending_.clear();
    closer_.clear();
    Local first = -1;
    if (owner == world_.rank()) {
      first = graph_.local_of(natural);
      distance_[static_cast<std::size_t>(first)] = 0;
      pending_.set(first);
    }
    for (double least = next(); least < kFar; least = next()) {
      const double limit = (std::floor(least / delta_) + 1) * delta_;
      while (empty_bucket(std::max(limit, std::nextafter(least, double{kFar})))) {
      }
      exchange_.reduce({distance_.data(), locals_}, closer_);
      take_closer();
    }
    find_parents(first);
    write(result);
  }

  std::size_t memory_bytes() const override {
    return locals_ * sizeof(Real) + parent_.size() * sizeof(Vertex) + exchange_.memory_bytes();
  }

 private:
  static constexpr Real kFar = std::numeric_limits<Real>::infinity();
  static constexpr std::size_t kWords = 64;
  static constexpr std::size_t kGrain = 2048;

  // Mean weight of the edges; over a mean degree it holds about one lighter edge of each vertex.
  double usual_delta() {
    struct Sums {
      double weight = 0, edges = 0, vertices = 0;
    } mine;
    for (const Real w : out_) mine.weight += static_cast<double>(w);
    mine.edges = static_cast<double>(out_.size());
    mine.vertices = static_cast<double>(graph_.active());
    const Sums all = world_.fold(mine, [](Sums a, const Sums& b) {
      return Sums{a.weight + b.weight, a.edges + b.edges, a.vertices + b.vertices};
    });
    const double degree = std::max(1.0, all.edges / std::max(1.0, all.vertices));
    const double mean = all.edges > 0 ? all.weight / all.edges : 1;
    return mean > 0 ? 2 * mean / degree : 1;
  }

  Real distance(Local v) {
    return std::atomic_ref(distance_[static_cast<std::size_t>(v)]).load(std::memory_order_relaxed);
  }

  /// The least distance of a pending vertex on all ranks.
  double next() {
    std::vector<Real> least(static_cast<std::size_t>(team_.size()), kFar);
    team_.for_range(pending_.words(), kWords, [&](int thread, std::size_t a, std::size_t b) {
      Real& mine = least[static_cast<std::size_t>(thread)];
      for_words(a, b, [&](Local v) { mine = std::min(mine, distance(v)); });
    });
    return static_cast<double>(world_.min(*std::min_element(least.begin(), least.end())));
  }

  template <class F>
  void for_words(std::size_t a, std::size_t b, F&& f) {
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = std::atomic_ref(pending_.at(w)).load(std::memory_order_relaxed); bits; bits &= bits - 1)
        f(static_cast<Local>(w * 64) + std::countr_zero(bits));
  }

  /// Follows the edges of the pending vertices below the limit; whether there were some.
  bool empty_bucket(double limit) {
    std::atomic<bool> any{false};
    team_.for_range(pending_.words(), kWords, [&](int, std::size_t a, std::size_t b) {
      bool here = false;
      for_words(a, b, [&](Local v) {
        if (static_cast<double>(distance(v)) >= limit) return;
        pending_.reset(v);
        follow(v);
        here = true;
      });
      if (here) any.store(true, std::memory_order_relaxed);
    });
    return any;
  }

  void follow(Local v) {
    // Read after the bit was taken: whoever lowers it from here on sets the bit again.
    const Real base = std::atomic_ref(distance_[static_cast<std::size_t>(v)]).load();
    const auto begin = static_cast<std::size_t>(graph_.out().offsets[static_cast<std::size_t>(v)]),
               end = static_cast<std::size_t>(graph_.out().offsets[static_cast<std::size_t>(v) + 1]);
    for (std::size_t e = begin; e < end; ++e) {
      const Local u = graph_.out().targets[e];
      if (!combine_atomically(distance_[static_cast<std::size_t>(u)], base + out_[e], MinOf{})) continue;
      if (u < graph_.active()) {
        pending_.set(u);
      } else {
        closer_.set(u);
      }
    }
  }

  void take_closer() {
    for (std::size_t w = 0; w < (static_cast<std::size_t>(graph_.active()) + 63) / 64; ++w) {
      pending_.at(w) |= closer_.at(w);
      closer_.at(w) = 0;
    }
  }

  // A neighbour over a tight edge, dist(u) + w == dist(v), that is closer; those that have none (weights of 0, or too
  // small to change a sum) take one that has a parent already.
  void find_parents(Local source) {
    VertexBits& reached = closer_;  // who is not is known to be so: a mirror that was reached has a master that was
    reached.clear();
    for (Local v = 0; v < graph_.active(); ++v)
      if (distance_[static_cast<std::size_t>(v)] < kFar) reached.set(v);
    exchange_.broadcast({distance_.data(), locals_}, reached);
    if (parent_.size() == 0) parent_ = Array<Vertex>(locals_);
    std::fill(parent_.begin(), parent_.end(), kNoVertex);
    std::atomic<bool> flat{false};
    const auto look = [&](auto&& fits) {
      team_.for_range(static_cast<std::size_t>(graph_.active()), kGrain, [&](int, std::size_t a, std::size_t b) {
        for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
          const auto at = static_cast<std::size_t>(v);
          if (parent_[at] != kNoVertex || distance_[at] == kFar || v == source) continue;
          const Csr& in = graph_.in();
          const auto end = static_cast<std::size_t>(in.offsets[at + 1]);
          auto e = static_cast<std::size_t>(in.offsets[at]);
          while (e < end && !(distance_[static_cast<std::size_t>(in.targets[e])] + in_[e] == distance_[at] &&
                              fits(in.targets[e], v)))
            ++e;
          if (e < end) {
            std::atomic_ref(parent_[at]).store(graph_.id_of(in.targets[e]), std::memory_order_relaxed);
          } else {
            flat.store(true, std::memory_order_relaxed);
          }
        }
      });
    };
    look([&](Local u, Local v) { return distance_[static_cast<std::size_t>(u)] < distance_[static_cast<std::size_t>(v)]; });
    if (source >= 0) parent_[static_cast<std::size_t>(source)] = graph_.id_of(source);
    if (!world_.any(flat)) return;
    // Who has a parent, by rounds, so that nobody's way back ends in a circle.
    MirrorExchange<std::uint32_t, MinOf> hung(graph_);
    Array<std::uint32_t> has(locals_);
    do {
      for (std::size_t v = 0; v < static_cast<std::size_t>(graph_.owned()); ++v) has[v] = parent_[v] != kNoVertex;
      hung.broadcast({has.data(), locals_}, reached);
      flat = false;
      look([&](Local u, Local) { return has[static_cast<std::size_t>(u)] != 0; });
    } while (world_.any(flat));
  }

  void write(SsspResult<Real>& result) {
    const auto owned = static_cast<std::size_t>(graph_.owned());
    if (result.distance.size() != owned) {
      result.distance = Array<Real>(owned);
      result.parent = Array<Vertex>(owned);
    }
    std::atomic<Vertex> reached{0};
    team_.for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
      Vertex here = 0;
      for (std::size_t v = a; v < b; ++v) {
        const auto at = static_cast<std::size_t>(graph_.local_of(static_cast<Vertex>(v)));
        result.distance[v] = distance_[at];
        result.parent[v] = parent_[at];
        here += distance_[at] < kFar;
      }
      reached += here;
    });
    result.reached = world_.sum(reached.load());
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const Array<Real>&out_, &in_;
  MirrorExchange<Real, MinOf> exchange_;
  const std::size_t locals_;
  Array<Real> distance_;
  Array<Vertex> parent_;  // [local] original ids
  VertexBits pending_;
  VertexBits closer_;  // mirrors since they told their masters
  double delta_ = 0;
};

template <class Real>
Sssp<Real>::Sssp(const Graph& graph, const SsspOptions& options) {
  check(!options.delta || (*options.delta > 0 && std::isfinite(*options.delta)),
        "sssp: delta is {} (a finite number above 0). Change it, or leave it out.", options.delta.value_or(0));
  graph.world().together([&] { check_weights<Real>(graph, graph.out()); });
  if (graph.world().size() == 1) {
    search_ = std::make_unique<Alone>(graph, options);
  } else {
    search_ = std::make_unique<Together>(graph, options);
  }
}

template <class Real>
Sssp<Real>::~Sssp() = default;

template <class Real>
void Sssp<Real>::run(Vertex source, SsspResult<Real>& result) {
  search_->run(source, result);
}

template <class Real>
std::size_t Sssp<Real>::memory_bytes() const {
  return search_->memory_bytes();
}

template class Sssp<float>;
template class Sssp<double>;

}  // namespace atl
