// SPDX-License-Identifier: Apache-2.0
// Greedy colours in an order of the vertices. A vertex waits for the last of the neighbours before it that have no colour
// yet; when it waits for none, it takes the least colour that they leave.
#include <algorithm>
#include <atoll/algorithms/coloring/coloring.hpp>
#include <atoll/base/random.hpp>
#include <atoll/engine/decision_rounds.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <numeric>
#include <tuple>

namespace atl {
namespace {

constexpr Local kNoColor = -1;
constexpr std::size_t kDegreeGrain = 512;

const Graph& undirected(const Graph& graph) {
  check(!graph.directed(), "coloring: {} is directed (colours are of undirected graphs). Read it as undirected.",
        graph.name());
  return graph;
}

}  // namespace

class Coloring::Greedy {
 public:
  explicit Greedy(const Graph& graph)
      : graph_(undirected(graph)),
        world_(graph.world()),
        team_(world_.team()),
        colors_(graph),
        degree_(index(graph.locals()), 0),
        position_(index(graph.locals()), 0),
        threads_(static_cast<std::size_t>(team_.size())) {
    count_neighbours();
    Local most = 0;
    for (Local v = 0; v < graph.owned(); ++v) most = std::max(most, degree_[v]);
    for (Thread& thread : threads_) thread.taken_by = Array<Local>(index(most) + 1);
    for (Local v = 0; v < graph.active(); ++v) vertices_.push_back(v);
    const Mirrors& mirrors = graph.mirrors();
    for (std::size_t r = 0; r < mirrors.count.size(); ++r)
      for (Local m = mirrors.begin[r]; m < mirrors.begin[r] + mirrors.count[r]; ++m) vertices_.push_back(m);
  }

  void run(const ColoringOptions& options, ColoringResult& result) {
    arrange(options);
    for (Thread& thread : threads_) std::fill(thread.taken_by.begin(), thread.taken_by.end(), -1);
    colors_.start(kNoColor);
    colors_.run(
        masters_, [&](auto& worker, Local v) { examine(worker, v); },
        [&](auto& worker, Local mirror) {
          if (colors_[mirror] != kNoColor) worker.close(mirror);
        });
    const auto owned = index(graph_.owned());
    if (result.color.size() != owned) result.color = Array<Vertex>(owned);
    Vertex greatest = -1;
    for (std::size_t k = 0; k < owned; ++k) {
      const Local v = graph_.local_of(static_cast<Vertex>(k));
      result.color[k] = v < graph_.active() ? colors_[v] : 0;
      greatest = std::max(greatest, result.color[k]);
    }
    result.colors = world_.max(greatest) + 1;
  }
  std::size_t memory_bytes() const {
    std::size_t bytes = colors_.memory_bytes() + (degree_.size() + position_.size()) * sizeof(Local) +
                        (vertices_.capacity() + masters_.capacity()) * sizeof(Local);
    for (const Thread& thread : threads_) bytes += thread.taken_by.size() * sizeof(Local);
    return bytes;
  }

 private:
  struct alignas(128) Thread {
    Array<Local> taken_by;  // [color] the vertex that last found it at a neighbour
  };

  void count_neighbours() {
    team_.for_range(index(graph_.active()), kDegreeGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        Local before = static_cast<Local>(v);
        for (const Local u : graph_.out().neighbours(static_cast<Local>(v))) {
          degree_[v] += u != static_cast<Local>(v) && u != before;
          before = u;
        }
      }
    });
    broadcast_to_mirrors(graph_, std::span(degree_.data(), degree_.size()));
  }

  // Sorts this rank's vertices, mirrors included, as all ranks would sort theirs.
  void arrange(const ColoringOptions& options) {
    std::visit(
        [&](const auto& ids) {
          const auto id = [&](Local v) { return static_cast<std::uint64_t>(ids[v]); };
          if (options.order == ColoringOrder::random) {
            std::sort(vertices_.begin(), vertices_.end(), [&](Local u, Local v) {
              return random_at(options.seed, id(u)) > random_at(options.seed, id(v));
            });
          } else {
            std::sort(vertices_.begin(), vertices_.end(), [&](Local u, Local v) {
              return std::tuple(-degree_[u], id(u)) < std::tuple(-degree_[v], id(v));
            });
          }
        },
        graph_.id_column());
    masters_.clear();
    for (std::size_t k = 0; k < vertices_.size(); ++k) {
      position_[vertices_[k]] = static_cast<Local>(k);
      if (vertices_[k] < graph_.owned()) masters_.push_back(vertices_[k]);
    }
  }

  template <class Worker>
  void examine(Worker& worker, Local v) {
    Array<Local>& taken_by = threads_[worker.thread].taken_by;
    Local last = -1;
    for (const Local u : graph_.out().neighbours(v)) {
      if (position_[u] >= position_[v]) continue;  // of a loop too
      const Local color = colors_[u];
      if (color == kNoColor) {
        if (last < 0 || position_[u] > position_[last]) last = u;
      } else if (color <= degree_[v]) {
        taken_by[color] = v;
      }
    }
    if (last >= 0) return worker.wait(v, last);
    Local least = 0;
    while (taken_by[least] == v) ++least;
    worker.decide(v, least);
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  DecisionRounds<Local> colors_;
  Array<Local> degree_;                    // [local] neighbours, itself not counted
  Array<Local> position_;                  // [local] in the order among this rank's vertices
  std::vector<Local> vertices_, masters_;  // in the order; masters with an edge
  std::vector<Thread> threads_;
};

Coloring::Coloring(const Graph& graph) : greedy_(std::make_unique<Greedy>(graph)) {}
Coloring::~Coloring() = default;
void Coloring::run(const ColoringOptions& options, ColoringResult& result) { greedy_->run(options, result); }
std::size_t Coloring::memory_bytes() const { return greedy_->memory_bytes(); }

}  // namespace atl
