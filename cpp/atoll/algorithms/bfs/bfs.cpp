// SPDX-License-Identifier: Apache-2.0
// Direction-optimising breadth-first search [1] over ranks: one level at a time, from the frontier outwards (push) while
// it is small, from the unvisited vertices back (pull) while it is large.
//
//   in the paper            here                meaning
//   frontier, next          state_              the last level's vertices, as a list or as bits; bfs_state.hpp
//   parents                 state_.parent()     original ids of the parents, by local number of the masters
//   top-down-step           push()              claim the neighbours of the frontier; another rank's go to it as records
//   bottom-up-step          pull()              look for a parent in the frontier's bits; bfs_local*.cpp
//   m_f, m_u                frontier.edges,     edges of the frontier; edges that no frontier has had yet
//                           fresh_edges
//   alpha                   BfsOptions::alpha
//
// Deviations: the way back from pull to push compares costs (a vertex of the frontier against an unvisited one) instead
// of the paper's n / beta, which returned too early on Kronecker graphs. Over ranks, mirrors have bits like masters: a
// pull step needs one exchange of bits before it (MirrorBits) and no messages while it runs; a push sends records
// (bfs_visits.hpp). Levels that stay small (lattices, roads) are posted: pushed by one thread of each rank, and told in
// one message each way that also says how large the frontier was, so that nobody votes.
//
// [1] S. Beamer, K. Asanovic, D. Patterson. "Direction-optimizing breadth-first search." SC 2012.
#include <atoll/algorithms/bfs/push.hpp>
#include <atoll/algorithms/bfs/report.hpp>
#include <atoll/engine/mirror_bits.hpp>
#include <atoll/graph/mirror_values.hpp>

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
        ids_(std::get<Array<Id>>(graph.id_column())),
        heads_(world_.team(), graph, graph.in(), ids_),
        known_(known_masters(graph)),
        state_(graph, options),
        visits_(graph, options, known_, kernels_, state_),
        push_(graph, ids_, kernels_, state_, visits_),
        mirror_bits_(graph),
        report_(graph, kernels_),
        all_active_(world_.sum(static_cast<Vertex>(graph.active()))) {}

  void run(Vertex source, BfsResult& result) override {
    const auto [owner, natural] = graph_.find(source);
    const bool mine = owner == world_.rank();
    visits_.start();
    BfsLevel frontier = state_.start(mine ? graph_.local_of(natural) : -1, source).on_all(world_);
    Edge fresh_edges = report_.all_edges();
    Vertex unvisited = all_active_ - frontier.vertices;
    result.reached = 1;
    result.levels = 1;
    result.pulls = 0;
    result.rounds.clear();
    RankTimer timer(world_);
    double waited = world_.waited_seconds();
    bool pulling = false;
    int pulls_in_a_row = 0, pushes_in_a_row = 0;
    double alpha = options_.alpha;
    const auto end_level = [&](const BfsLevel& found) {
      visits_.note(found, unvisited);
      unvisited -= found.vertices;
      result.reached += found.vertices;
      result.levels += found.vertices > 0;
      result.pulls += pulling;
      const double waited_now = world_.waited_seconds();
      result.rounds.push_back({found.vertices, pulling, timer.lap(), waited_now - waited});
      waited = waited_now;
    };
    for (Local level = 1; frontier.vertices > 0; ++level) {
      const bool pull_now = choose(pulling, frontier, alpha, fresh_edges, unvisited);
      fresh_edges -= frontier.edges;
      if (pull_now && !pulling) {
        state_.to_bits();
        tell_mirrors(frontier.vertices);
      }
      if (!pull_now && pulling) {
        state_.to_queue();
        // It was one pull for nothing: on lattices and trees, where no vertex has many neighbours in the frontier.
        if (pulls_in_a_row == 1) alpha /= kDoubt;
      }
      pulling = pull_now;
      pulls_in_a_row = pulling ? pulls_in_a_row + 1 : 0;
      pushes_in_a_row = pulling ? 0 : pushes_in_a_row + 1;
      state_.begin_level(level);
      if (pushes_in_a_row <= kSteady || !is_narrow(frontier, alpha, fresh_edges, unvisited)) {
        frontier = pulling ? pull() : push(frontier);
        end_level(frontier);
        continue;
      }
      // One message each way a level, which also says how large the frontier was: the ranks hear it a level late.
      BfsLevel mine{.vertices = static_cast<Vertex>(state_.queue().size()), .edges = state_.queue_edges()};
      for (bool known = true;; known = false, state_.begin_level(++level)) {
        push_.post();
        const BfsLevel pushed = visits_.post(mine);
        mine = state_.end_push();
        if (!known) {
          frontier = pushed;
          fresh_edges -= frontier.edges;
          end_level(frontier);
        }
        if (frontier.vertices == 0 || !is_narrow(frontier, alpha, fresh_edges, unvisited)) break;
      }
      if (frontier.vertices == 0) break;
      frontier = mine.on_all(world_);
      end_level(frontier);
    }
    report_.write(state_, source, mine ? natural : -1, result);
  }

  std::size_t memory_bytes() const override {
    return heads_.memory_bytes() + state_.memory_bytes() + visits_.memory_bytes() + push_.memory_bytes() +
           mirror_bits_.memory_bytes() + report_.memory_bytes();
  }

 private:
  static constexpr double kDoubt = 4;
  // Levels are narrow after so many pushes in a row; before them graphs with hubs have pulled.
  static constexpr int kSteady = 4;
  // Edges of a narrow frontier, on all ranks: where they are more, sending while they are followed is worth the votes.
  static constexpr Edge kNarrowEdges = 1 << 16;

  bool choose(bool pulling, const BfsLevel& frontier, double alpha, Edge fresh_edges, Vertex unvisited) const {
    // Measured: an edge of the frontier costs a push half of what an unvisited vertex costs a pull, and a round of pulling
    // with its conversion is as much as 250 vertices. A pull does not say how many edges its frontier has: the mean is taken.
    constexpr Vertex kPullRound = 250;
    if (options_.direction != Direction::automatic) return options_.direction == Direction::pull;
    if (pulling) {
      const double degree = std::max(2.0, static_cast<double>(report_.all_edges()) / static_cast<double>(all_active_));
      return degree / 2 * static_cast<double>(frontier.vertices) > static_cast<double>(2 * kPullRound + unvisited);
    }
    // The levels to come may be larger still (alpha), but a pull of everything is not worth a few edges.
    return static_cast<double>(frontier.edges) * alpha > static_cast<double>(fresh_edges) &&
           2 * frontier.edges > unvisited;
  }

  // Nor is the next one pulled, should it be twice as large: that is known a level late.
  bool is_narrow(const BfsLevel& frontier, double alpha, Edge fresh_edges, Vertex unvisited) const {
    if (!visits_.may_post() || frontier.edges > kNarrowEdges) return false;
    const BfsLevel next{.vertices = 2 * frontier.vertices, .edges = 2 * frontier.edges};
    return !choose(false, next, alpha, fresh_edges, unvisited);
  }

  BfsLevel push(const BfsLevel& frontier) {
    visits_.expect(frontier);
    if (options_.degree_order) {
      push_.heaviest_first();
    } else {
      push_.all();
    }
    visits_.drain();
    const BfsLevel found = state_.end_push().on_all(world_);
    visits_.note_outcome();
    return found;
  }

  BfsLevel pull() {
    constexpr std::size_t kGrain = 32;  // words of bits that a thread takes at a time
    const PullView<Id> view = state_.pull_view(heads_, ids_);
    world_.team().for_range(state_.words(), kGrain, [&](int thread, std::size_t a, std::size_t b) {
      state_.thread(thread).found.vertices += static_cast<Vertex>(kernels_.pull(view, a, b));
    });
    const BfsLevel found = state_.end_pull();
    tell_mirrors(all_active_);  // nobody knows yet how many were found
    return found.on_all(world_);
  }

  // That at most so many vertices, on all ranks, are in the frontier's bits, and visited.
  void tell_mirrors(Vertex vertices) {
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
  const Array<Id>& ids_;
  const HeadColumns<Id> heads_;
  const std::vector<std::vector<Local>> known_;
  BfsState<Id> state_;
  BfsVisits<Id> visits_;
  BfsPush<Id> push_;
  MirrorBits mirror_bits_;
  const BfsReport<Id> report_;
  const Vertex all_active_;
};

Bfs::Bfs(const Graph& graph, const BfsOptions& options) {
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
