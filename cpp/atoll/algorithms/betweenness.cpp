// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes' accumulation [1] over ranks. Forwards, level by level: the frontier's numbers of paths are added
// up at its targets, mirrors included, and the mirrors' sums go to their masters. Backwards: what the vertices of a level
// give to those before them, (1 + delta) / sigma, is told to their mirrors, and each vertex of the level above adds up its
// own targets'.
//
//   in the paper        here              meaning
//   sigma               paths_            number of shortest paths from the source, by local number of the masters
//   d                   depth_            of masters; of mirrors: the level in which they were first reached from here
//   delta               dependency_
//   S                   levels_           vertices by level
//
// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
#include <atoll/algorithms/betweenness.hpp>
#include <atoll/algorithms/betweenness_local.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <cmath>

namespace atl {

class Betweenness::Sum {
 public:
  virtual ~Sum() = default;
  virtual void run(std::span<const Vertex> sources, BetweennessResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

class Betweenness::Alone final : public Sum {
 public:
  explicit Alone(const Graph& graph) : local_(graph) {}
  void run(std::span<const Vertex> sources, BetweennessResult& result) override { local_.run(sources, result); }
  std::size_t memory_bytes() const override { return local_.memory_bytes(); }

 private:
  BetweennessLocal local_;
};

class Betweenness::Together final : public Sum {
 public:
  explicit Together(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        exchange_(graph),
        locals_(static_cast<std::size_t>(graph.locals())),
        owned_(static_cast<std::size_t>(graph.owned())),
        depth_(locals_),
        arriving_(locals_),
        paths_(owned_),
        dependency_(owned_),
        score_(owned_),
        reached_(graph.locals()) {}

  void run(std::span<const Vertex> sources, BetweennessResult& result) override {
    for (const Vertex source : sources) graph_.find(source);
    std::fill(score_.begin(), score_.end(), 0.0);
    for (const Vertex source : sources) from(source);
    if (result.score.size() != owned_) result.score = Array<double>(owned_);
    for (std::size_t v = 0; v < owned_; ++v)
      result.score[v] = score_[static_cast<std::size_t>(graph_.local_of(static_cast<Vertex>(v)))];
  }

  std::size_t memory_bytes() const override {
    return locals_ * (sizeof(Local) + sizeof(double)) + 3 * owned_ * sizeof(double) + exchange_.memory_bytes();
  }

 private:
  static constexpr Local kUnseen = -1;
  static constexpr std::size_t kGrain = 1024;

  void from(Vertex source) {
    const auto [owner, natural] = graph_.find(source);
    team_.for_range(locals_, kGrain * 8, [&](int, std::size_t a, std::size_t b) {
      std::fill(depth_.begin() + a, depth_.begin() + b, kUnseen);
      std::fill(arriving_.begin() + a, arriving_.begin() + b, 0.0);
    });
    reached_.clear();
    levels_.assign(1, {});
    Local first = kUnseen;
    if (owner == world_.rank()) {
      first = graph_.local_of(natural);
      depth_[static_cast<std::size_t>(first)] = 0;
      paths_[static_cast<std::size_t>(first)] = 1;
      levels_[0].push_back(first);
    }
    for (Local level = 0; world_.any(!levels_.back().empty()); ++level) {
      count_paths(level);
      arrive(level + 1, source);
    }
    for (auto level = static_cast<Local>(levels_.size()) - 1; level-- > 0;) accumulate(level);
    for (const auto& level : levels_)
      for (const Local v : level)
        if (v != first) score_[static_cast<std::size_t>(v)] += dependency_[static_cast<std::size_t>(v)];
  }

  // Adds the numbers of paths of the level's vertices to what arrives at their targets.
  void count_paths(Local level) {
    const auto& frontier = levels_[static_cast<std::size_t>(level)];
    const bool alone = team_.size() == 1;
    team_.for_range(frontier.size(), kGrain / 16, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) {
        const double paths = paths_[static_cast<std::size_t>(frontier[i])];
        for (const Local u : graph_.out().neighbours(frontier[i])) {
          const auto at = static_cast<std::size_t>(u);
          const std::atomic_ref depth(depth_[at]);
          Local known = depth.load(std::memory_order_relaxed);
          // A mirror that was reached from here before has a master that was reached.
          if (known == kUnseen && u >= static_cast<Local>(owned_))
            depth.compare_exchange_strong(known, level + 1, std::memory_order_relaxed), known = depth.load();
          if (known != kUnseen && known != level + 1) continue;
          if (alone) {
            arriving_[at] += paths;
          } else {
            combine_atomically(arriving_[at], paths, SumOf{});
          }
          reached_.set(u);
        }
      }
    });
  }

  // The masters among those reached that were not seen before are the next level.
  void arrive(Local depth, Vertex source) {
    exchange_.reduce({arriving_.data(), locals_}, reached_);
    clear_mirrors();
    auto& next = levels_.emplace_back();
    bool countable = true;
    for (std::size_t w = 0; w < (owned_ + 63) / 64; ++w) {
      for (std::uint64_t bits = reached_.at(w); bits; bits &= bits - 1) {
        const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (depth_[v] == kUnseen) {
          depth_[v] = depth;
          paths_[v] = arriving_[v];
          countable = countable && std::isfinite(paths_[v]);
          next.push_back(static_cast<Local>(v));
        }
        arriving_[v] = 0;
      }
      reached_.at(w) = 0;
    }
    world_.agree(countable,
                 fmt::format("betweenness: {} has more shortest paths from vertex {} than a double can count (1.8e308). "
                             "Leave this source out.",
                             graph_.name(), source));
  }

  // delta(v) = sum over targets w of the next level of sigma(v) / sigma(w) (1 + delta(w)).
  void accumulate(Local level) {
    const auto& below = levels_[static_cast<std::size_t>(level) + 1];
    auto& given = arriving_;  // by local number; 0 but for the next level
    for (const Local v : below) {
      const auto at = static_cast<std::size_t>(v);
      given[at] = (1 + dependency_[at]) / paths_[at];
      reached_.set(v);
    }
    exchange_.broadcast({given.data(), locals_}, reached_);
    const auto& vertices = levels_[static_cast<std::size_t>(level)];
    team_.for_range(vertices.size(), kGrain / 16, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) {
        double sum = 0;
        for (const Local u : graph_.out().neighbours(vertices[i])) sum += given[static_cast<std::size_t>(u)];
        dependency_[static_cast<std::size_t>(vertices[i])] = paths_[static_cast<std::size_t>(vertices[i])] * sum;
      }
    });
    for (const Local v : below) given[static_cast<std::size_t>(v)] = 0;
    clear_mirrors();
    reached_.clear();
  }

  void clear_mirrors() {
    std::fill(arriving_.begin() + std::min(static_cast<std::size_t>(graph_.mirrors().begin[0]), locals_),
              arriving_.end(), 0.0);
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  MirrorExchange<double, SumOf> exchange_;
  const std::size_t locals_, owned_;
  Array<Local> depth_;
  Array<double> arriving_;  // [local] paths, or what the next level gives
  Array<double> paths_, dependency_, score_;
  VertexBits reached_;
  std::vector<std::vector<Local>> levels_;
};

Betweenness::Betweenness(const Graph& graph) {
  if (graph.world().size() == 1) {
    sum_ = std::make_unique<Alone>(graph);
  } else {
    sum_ = std::make_unique<Together>(graph);
  }
}

Betweenness::~Betweenness() = default;

void Betweenness::run(std::span<const Vertex> sources, BetweennessResult& result) { sum_->run(sources, result); }

std::size_t Betweenness::memory_bytes() const { return sum_->memory_bytes(); }

}  // namespace atl
