// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/random_walks/one_rank.hpp>
#include <utility>

namespace atl {
namespace {

// Walks that a thread advances together, so that as many loads are under way: a step of kron:15 took 25 ns of a core.
constexpr std::size_t kTogether = 32;

struct Walk {
  Random random{0};
  Local at = -1;
  Dart dart{0, 0, 0};
};

// Steps of first order. Each loop over the walks asks for the memory that the next one reads.
template <class Id>
void walk_together(const Transition& transition, const Array<Id>& ids, std::span<Walk> walks, std::size_t width,
                   Vertex* rows) {
  for (std::size_t step = 1; step < width; ++step) {
    for (Walk& walk : walks) {
      if (walk.at < 0) continue;
      if (transition.is_dead_end(walk.at)) {
        walk.at = -1;
        continue;
      }
      walk.dart = transition.draw(walk.at, walk.random);
      transition.prefetch(walk.dart);
    }
    for (Walk& walk : walks) {
      if (walk.at < 0) continue;
      walk.at = transition.candidate(walk.dart, -1);
      if (walk.at < 0) continue;
      __builtin_prefetch(transition.rows().offsets() + walk.at);
      __builtin_prefetch(&ids[walk.at]);
    }
    for (std::size_t k = 0; k < walks.size(); ++k)
      rows[k * width + step] = walks[k].at < 0 ? kNoVertex : static_cast<Vertex>(ids[walks[k].at]);
  }
}

// A walk of second order, in stages that end where the next one's memory has been asked for.
template <class Id>
class SecondOrderWalk {
 public:
  SecondOrderWalk() = default;
  SecondOrderWalk(const Walk& start, std::span<Vertex> row) : random_(start.random), at_(start.at), row_(row) {}

  /// Runs a stage; false once the walk is over.
  bool advance(const Transition& transition, const Array<Id>& ids, const SecondOrder& order) {
    switch (stage_) {
      case Stage::arrive:
        if (step_ > 0) row_[step_] = static_cast<Vertex>(ids[at_]);
        if (step_ + 1 == row_.size() || transition.is_dead_end(at_)) return end();
        returning_ = previous_ < 0 ? 0 : transition.returning_area(at_, previous_, order);
        [[fallthrough]];
      case Stage::draw:
        dart_ = previous_ < 0 || transition.has_one_way(at_) ? transition.draw(at_, random_)
                                                             : transition.throw_dart(at_, returning_, order, random_);
        transition.prefetch(dart_);
        stage_ = Stage::look;
        return true;
      case Stage::look:
        candidate_ = transition.candidate(dart_, previous_);
        if (candidate_ < 0) return end();
        switch (order.judge(dart_, candidate_ == previous_)) {
          case SecondOrder::Verdict::accepted:
            return move(transition, ids);
          case SecondOrder::Verdict::rejected:
            stage_ = Stage::draw;
            return true;
          case SecondOrder::Verdict::by_adjacency:
            __builtin_prefetch(transition.rows().offsets() + candidate_);
            stage_ = Stage::ask;
        }
        return true;
      case Stage::ask:
        if (order.accepts(dart_.height, is_adjacent(transition))) return move(transition, ids);
        stage_ = Stage::draw;
        return true;
      case Stage::over:
        break;
    }
    return false;
  }

 private:
  enum class Stage { arrive, draw, look, ask, over };

  bool move(const Transition& transition, const Array<Id>& ids) {
    previous_ = std::exchange(at_, candidate_);
    ++step_;
    __builtin_prefetch(transition.rows().offsets() + at_);
    __builtin_prefetch(&ids[at_]);
    stage_ = Stage::arrive;
    return true;
  }
  bool end() {
    std::fill(row_.begin() + static_cast<std::ptrdiff_t>(step_) + 1, row_.end(), kNoVertex);
    stage_ = Stage::over;
    return false;
  }
  // An undirected graph has the edge in both lists.
  bool is_adjacent(const Transition& transition) const {
    const Graph& graph = transition.graph();
    return !graph.directed() && graph.out().degree(candidate_) < graph.out().degree(previous_)
               ? transition.has_edge(candidate_, previous_)
               : transition.has_edge(previous_, candidate_);
  }

  Random random_{0};
  Local at_ = -1, previous_ = -1, candidate_ = -1;
  Stage stage_ = Stage::arrive;
  Dart dart_{0, 0, 0};
  double returning_ = 0;
  std::size_t step_ = 0;
  std::span<Vertex> row_;
};

template <class Id>
void walk_together_of_second_order(const Transition& transition, const Array<Id>& ids, std::span<const Walk> starts,
                                   std::size_t width, const SecondOrder& order, Vertex* rows) {
  SecondOrderWalk<Id> walks[kTogether];
  for (std::size_t k = 0; k < starts.size(); ++k) walks[k] = {starts[k], {rows + k * width, width}};
  for (bool any = true; any;) {
    any = false;
    for (std::size_t k = 0; k < starts.size(); ++k) any |= walks[k].advance(transition, ids, order);
  }
}

}  // namespace

void walk_on_one_rank(const Transition& transition, std::span<const WalkStart> starts, std::span<const Local> locals,
                      const WalkOptions& options, std::span<Vertex> rows) {
  const SecondOrder order(options);
  const std::size_t width = static_cast<std::size_t>(options.length) + 1;
  transition.graph().world().team().for_range(starts.size(), kTogether, [&](int, std::size_t first, std::size_t end) {
    Walk walks[kTogether];
    const std::size_t count = end - first;
    for (std::size_t k = 0; k < count; ++k) {
      walks[k].random = Random(random_at(options.seed, starts[first + k].number));
      walks[k].at = locals[first + k];
      rows[(first + k) * width] = starts[first + k].vertex;
    }
    std::visit(
        [&](const auto& ids) {
          Vertex* const to = rows.data() + first * width;
          if (order.is_needed) {
            walk_together_of_second_order(transition, ids, {walks, count}, width, order, to);
          } else {
            walk_together(transition, ids, {walks, count}, width, to);
          }
        },
        transition.graph().id_column());
  });
}

}  // namespace atl
