// SPDX-License-Identifier: Apache-2.0
// Direction-optimising breadth-first search [1] over ranks. Each level is pushed along the edges of the frontier while
// that is small, and pulled by the unvisited vertices while it is large.
//
//   in the paper            here                meaning
//   frontier, next          state_              the last level's vertices, as a list or as bits; state.hpp
//   parents                 state_.parent()     original ids of the parents, by local number of the masters
//   top-down-step           push()              claim the neighbours of the frontier; remote ones are sent as records
//   bottom-up-step          pull()              look for a parent in the frontier's bits; kernel*.cpp
//   m_f, m_u                frontier.edges,     edges of the frontier; edges whose source no frontier has contained yet
//                           unexplored_edges
//   alpha                   BfsOptions::alpha
//
// Deviations: a frontier that does not grow is pulled only where this level's pull costs less than its push. The switch
// from pull back to push compares costs (a vertex of the frontier against an unvisited one) instead of the paper's
// n / beta, which returned too early on Kronecker graphs. Over ranks, mirrors have bits like masters: a pull step needs
// one exchange of bits before it (MirrorBits) and no messages while it runs; a push sends records (remote_updates.hpp).
// Levels that stay small (lattices, roads) are pushed by one thread of each rank and exchanged in one message per pair
// of ranks, which also has the size of the sender's frontier, so that no reduction is needed; by the message queue
// (Plan::exchange) all pushed levels are. On routes of several hops the packets that end an exchange add
// those sizes up on their way, and a search that only pushes takes no other reduction.
// Over a vertex-cut, mirrors have a part of their vertex's edges: they get the frontier's bits before a push too, and
// send records after a pull.
//
// [1] S. Beamer, K. Asanovic, D. Patterson. "Direction-optimizing breadth-first search." SC 2012.
#include <atoll/algorithms/bfs/push.hpp>
#include <atoll/algorithms/bfs/report.hpp>
#include <atoll/engine/mirror_bits.hpp>

namespace atl {

class Bfs::Search {
 public:
  virtual ~Search() = default;
  virtual void run(Vertex source, BfsResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class Id>
class Bfs::Typed final : public Search {
 public:
  Typed(const Graph& graph, const BfsOptions& options)
      : graph_(graph),
        world_(graph.world()),
        options_(options),
        kernels_(bfs_kernels<Id>(chosen_isa())),
        view_(graph),
        prefix_(world_.team(), view_.in(), view_.rows(), view_.locals(), view_.ids()),
        state_(view_, options),
        updates_(view_, options, kernels_, state_),
        push_(view_, kernels_, state_, updates_),
        mirror_bits_(view_.mirror_bits()),
        report_(graph, kernels_),
        all_active_(world_.sum(static_cast<Vertex>(graph.active()))),
        pushes_all_(options.direction == Direction::push && !view_.mirrors_have_rows() && !world_.route().is_direct()) {
  }

  void run(Vertex source, BfsResult& result) override {
    const auto [owner, owned_index] = graph_.find(source);
    const bool mine = owner == world_.rank();
    updates_.start();
    const BfsLevel first = state_.start(mine ? graph_.local_of(owned_index) : -1, source);
    // Its edges are added up while the first level is drained, if no later level has to know them before.
    if (pushes_all_) updates_.expect({.vertices = 1});
    const bool sums_travel = pushes_all_ && updates_.sums_travel();
    BfsLevel frontier = sums_travel ? BfsLevel{.vertices = 1} : first.on_all(world_);
    std::optional<typename BfsReport<Id>::Outside> outside;
    Edge unexplored_edges = report_.all_edges();
    Vertex unvisited = all_active_ - frontier.vertices;
    result.reached = 1;
    result.levels = 1;
    result.pulls = 0;
    result.rounds.clear();
    RankTimer timer(world_);
    double waited = world_.waited_seconds();
    bool pulling = false;
    Vertex last_vertices = 0;  // of the frontier before
    int pulls_in_a_row = 0, pushes_in_a_row = 0;
    double alpha = options_.alpha;
    const auto end_level = [&](const BfsLevel& found) {
      updates_.note(found, unvisited);
      unvisited -= found.vertices;
      result.reached += found.vertices;
      result.levels += found.vertices > 0;
      result.pulls += pulling;
      const double waited_now = world_.waited_seconds();
      result.rounds.add({found.vertices, pulling, timer.lap(), waited_now - waited});
      waited = waited_now;
    };
    for (Local level = 1; frontier.vertices > 0; ++level) {
      const bool growing = frontier.vertices > kGrowth * last_vertices;
      last_vertices = frontier.vertices;
      const bool pull_now = choose(pulling, growing, frontier, alpha, unexplored_edges, unvisited);
      unexplored_edges -= frontier.edges;
      if (!pulling && (pull_now || view_.mirrors_have_rows())) {
        state_.to_bits();
        broadcast_frontier(frontier.vertices);
      }
      if (!pull_now && pulling) {
        state_.to_queue();
        // The single pull did not pay, as on lattices and trees, where no vertex has many neighbours in the frontier.
        if (pulls_in_a_row == 1) alpha /= kAlphaBackoff;
      }
      if (!pull_now && view_.mirrors_have_rows()) state_.queue_mirrors();
      pulling = pull_now;
      pulls_in_a_row = pulling ? pulls_in_a_row + 1 : 0;
      pushes_in_a_row = pulling ? 0 : pushes_in_a_row + 1;
      state_.begin_level(level);
      if (!pulling && push_.suits_team(frontier)) {
        if (options_.degree_order) push_.sort_heaviest_first();
        push_.levels([&] {
          frontier = state_.end_push();
          end_level(frontier);
          if (options_.degree_order || !push_.suits_team(frontier, true) ||
              choose(false, frontier.vertices > kGrowth * last_vertices, frontier, alpha, unexplored_edges, unvisited))
            return false;
          last_vertices = frontier.vertices;
          unexplored_edges -= frontier.edges;
          ++pushes_in_a_row;
          state_.begin_level(++level);
          return true;
        });
        continue;
      }
      if (!may_run_ahead(pushes_in_a_row, frontier, alpha, unexplored_edges, unvisited)) {
        frontier = pulling ? pull() : push(frontier);
        end_level(frontier);
        continue;
      }
      // The messages of a level have the size of the sender's frontier before it, so ranks know the global size one
      // level late.
      BfsTotals here{.level = {.vertices = static_cast<Vertex>(state_.queue().size()), .edges = state_.queue_edges()}};
      for (bool known = true;; known = false, state_.begin_level(++level)) {
        const BfsTotals pushed = push_ahead(here.level, known ? &frontier : nullptr);
        here.level = state_.end_push();
        if (known) {
          if (level == 1) unexplored_edges -= pushed.level.edges - frontier.edges;
        } else {
          frontier = pushed.level;
          unexplored_edges -= frontier.edges;
          end_level(frontier);
        }
        if (frontier.vertices == 0 && pushes_all_) outside = {unexplored_edges, pushed.loops_outside};
        if (frontier.vertices == 0 || !may_stay_ahead(frontier, alpha, unexplored_edges, unvisited)) break;
      }
      if (frontier.vertices == 0) break;
      frontier = here.level.on_all(world_);
      end_level(frontier);
    }
    report_.write(state_, source, mine ? owned_index : -1, result, outside);
  }

  std::size_t memory_bytes() const override {
    return view_.memory_bytes() + prefix_.memory_bytes() + state_.memory_bytes() + updates_.memory_bytes() +
           push_.memory_bytes() + mirror_bits_.memory_bytes() + report_.memory_bytes();
  }

 private:
  static constexpr double kAlphaBackoff = 4;
  // Levels may be exchanged as small ones after this many pushes in a row; graphs with hubs have pulled by then.
  static constexpr int kSmallLevelsAfter = 4;
  // A frontier with more edges, on all ranks, is not small: overlapping its communication is worth the reductions.
  static constexpr Edge kSmallLevelEdges = 1 << 16;

  // A frontier that has become this many times as large will grow on.
  static constexpr Vertex kGrowth = 2;

  bool choose(bool pulling, bool growing, const BfsLevel& frontier, double alpha, Edge unexplored_edges,
              Vertex unvisited) const {
    // Measured: an edge of the frontier costs a push half of what an unvisited vertex costs a pull that finds it at
    // once, and a pull with its conversions has a fixed cost of 250 vertices. A pull does not count its frontier's
    // edges: the mean degree is used.
    constexpr Vertex kPullRound = 250;
    if (options_.direction != Direction::automatic) return options_.direction == Direction::pull;
    const double degree = std::max(2.0, static_cast<double>(report_.all_edges()) / static_cast<double>(all_active_));
    if (pulling)
      return degree / 2 * static_cast<double>(frontier.vertices) > static_cast<double>(2 * kPullRound + unvisited);
    const auto edges = static_cast<double>(frontier.edges), unexplored = static_cast<double>(unexplored_edges);
    if (edges * alpha <= unexplored) return false;
    // The next levels may be larger still (alpha), but a pull over all unvisited vertices does not pay for a few edges:
    // each looks along its list until it finds the frontier. Where lists begin with hubs that is sooner than the mean.
    // Without a look at these lengths cit-HepTh pulled a level in 270 us that a push finds in 42.
    if (growing) return (2 + 0.75 * std::min(degree, unexplored / edges)) * static_cast<double>(unvisited) < 4 * edges;
    // Where the frontier does not grow, as on meshes, this pull must cost less than a push (delaunay_n15: a fifth less).
    return frontier.edges / 2 > 2 * kPullRound + unvisited;
  }

  // Whether a level may be pushed before all ranks know the size of its frontier.
  bool may_run_ahead(int pushes_in_a_row, const BfsLevel& frontier, double alpha, Edge unexplored_edges,
                     Vertex unvisited) const {
    if (pushes_all_) return updates_.sums_travel();
    return pushes_in_a_row > kSmallLevelsAfter && is_small(frontier, alpha, unexplored_edges, unvisited);
  }
  // The same of the level after one that was; `frontier` is the last that is known, of the level before.
  bool may_stay_ahead(const BfsLevel& frontier, double alpha, Edge unexplored_edges, Vertex unvisited) {
    if (!pushes_all_ && !is_small(frontier, alpha, unexplored_edges, unvisited)) return false;
    return updates_.may_exchange_small_levels() || updates_.expect_any();
  }

  // The size is known one level late, so the next level must not need a pull even if it is twice as large.
  bool is_small(const BfsLevel& frontier, double alpha, Edge unexplored_edges, Vertex unvisited) const {
    const bool runs_ahead =
        updates_.may_exchange_small_levels() || (updates_.sums_travel() && !view_.mirrors_have_rows());
    if (!runs_ahead || frontier.edges > kSmallLevelEdges) return false;
    const BfsLevel next{.vertices = 2 * frontier.vertices, .edges = 2 * frontier.edges};
    return !choose(false, true, next, alpha, unexplored_edges, unvisited);
  }

  BfsLevel push(const BfsLevel& frontier) {
    if (updates_.exchanges_every_push()) {
      push_.small_level();
      updates_.exchange_small_level({});
      return state_.end_push().on_all(world_);
    }
    updates_.expect(frontier);
    push_in_order();
    updates_.drain();
    const BfsLevel found = state_.end_push().on_all(world_);
    updates_.note_outcome();
    return found;
  }

  void push_in_order() {
    if (options_.degree_order) push_.sort_heaviest_first();
    push_.all();
  }

  // Pushes a level; returns what the ranks knew before it, added up. `frontier`: null if that is not known yet.
  BfsTotals push_ahead(const BfsLevel& mine, const BfsLevel* frontier) {
    if (updates_.may_exchange_small_levels()) {
      push_.small_level();
      return {updates_.exchange_small_level(mine)};
    }
    if (frontier) updates_.expect(*frontier);
    push_in_order();
    // Only the last level's loops count, of which no rank has vertices.
    const Edge loops = pushes_all_ && mine.vertices == 0 ? report_.loops_outside(state_) : 0;
    const BfsTotals before = updates_.drain({mine, loops});
    updates_.note_outcome();
    return before;
  }

  BfsLevel pull() {
    constexpr std::size_t kGrain = 32;  // words of bits that a thread takes at a time
    const PullView<Id> view = state_.pull_view(prefix_);
    world_.team().for_range(state_.pulled_words(), kGrain, [&](int thread, std::size_t a, std::size_t b) {
      state_.thread(thread).found.vertices += static_cast<Vertex>(kernels_.pull(view, a, b));
    });
    if (view_.mirrors_have_rows()) send_to_owners();
    const BfsLevel found = state_.end_pull();
    broadcast_frontier(all_active_);  // the number found is not known yet
    return found.on_all(world_);
  }

  // Mirrors that have found a parent send it to their owners. A rank that still pulls defers what comes until it sends
  // or drains too.
  void send_to_owners() {
    updates_.expect_pulled();
    state_.for_pulled_mirrors([&](int, Local mirror, Id parent) { updates_.from(mirror, parent).send(mirror); });
    updates_.drain();
    updates_.note_outcome();
  }

  // Broadcasts the frontier's bits to mirrors, which become visited. `vertices`: upper bound of the bits set, on all
  // ranks.
  void broadcast_frontier(Vertex vertices) {
    if (world_.size() == 1) return;
    Array<std::uint64_t>& frontier = state_.frontier();
    mirror_bits_.broadcast({frontier.data(), frontier.size()},
                           static_cast<double>(vertices) / static_cast<double>(std::max<Vertex>(1, all_active_)));
    state_.visit_mirrors();
  }

  const Graph& graph_;
  World& world_;
  const BfsOptions options_;
  const BfsKernels<Id> kernels_;
  const TraversalView<Id> view_;
  const EllPrefix<Id> prefix_;
  BfsState<Id> state_;
  RemoteUpdates<Id> updates_;
  BfsPush<Id> push_;
  MirrorBits mirror_bits_;
  const BfsReport<Id> report_;
  const Vertex all_active_;
  const bool pushes_all_;  // over a route of several hops: no level has to know the size of its frontier
};

Bfs::Bfs(const Graph& graph, const BfsOptions& options) {
  check(options.fission == kNoFission || graph.cut().cut() == Cut::edge,
        "bfs: fission over a vertex-cut (that divides heavy vertices already). Leave one out.");
  check(options.alpha > 0, "alpha is {} (a number above 0; 30 is usual). Change it.", options.alpha);
  if (std::holds_alternative<Array<std::uint32_t>>(graph.id_column())) {
    search_ = std::make_unique<Typed<std::uint32_t>>(graph, options);
  } else {
    search_ = std::make_unique<Typed<Vertex>>(graph, options);
  }
}

Bfs::~Bfs() = default;

void Bfs::run(Vertex source, BfsResult& result) { search_->run(source, result); }

std::size_t Bfs::memory_bytes() const { return search_->memory_bytes(); }

BfsResult bfs(const Graph& graph, Vertex source, const BfsOptions& options) {
  BfsResult result;
  Bfs(graph, options).run(source, result);
  return result;
}

}  // namespace atl
