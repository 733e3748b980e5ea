// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/direction.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <concepts>
#include <optional>

/// A data-driven vertex program [1]: vertices have values, a vertex whose value has become another waits, and in a round
/// those that wait offer theirs along their edges. Shortest paths:
///
///     VertexProgram<float, MinOf> program(graph);                                  // collective, as all but put()
///     program.start(std::numeric_limits<float>::infinity());
///     if (mine) program.put(source, 0);
///     while (program.round([](float distance, const auto& edge) { return distance + edge.weight; })) {
///     }
///     program[graph.local_of(0)];                                                  // a master's distance
///
/// What is offered goes into the target's value by Combine, on whichever rank: as combining in any order, and twice, has to
/// be the same as once, Combine is a minimum, a maximum, or alike. A round goes from its sources (push: mirrors of targets
/// collect, then reduce) while few wait, and from the targets (pull: broadcast, then each asks its entering edges) when
/// they have more than one in `dense` of all edges, as in Gemini [2]. Over a vertex-cut it always goes from the sources.
///
/// T: at most a word. Memory: two T, five bits a local vertex, and the exchange's; a vertex-cut has lists of its own.
///
/// [1] section II of "A Lightweight Communication Runtime for Distributed Graph Analytics", IPDPS 2018 (Abelian).
/// [2] X. Zhu et al. "Gemini: A computation-centric distributed graph processing system." OSDI 2016.
namespace atl {

struct VertexProgramOptions {
  Direction direction = Direction::automatic;
  double dense = 20;  ///< pull where those that wait and their edges are more than one in so many of all edges
};

/// An edge as a program sees it. Weight: float or double as the graph has them; int, and 1, if it has none.
template <class Weight>
struct ProgramEdge {
  Local source, target;
  Weight weight;
};

template <Plain T, class Combine>
class VertexProgram {
 public:
  explicit VertexProgram(const Graph& graph, const VertexProgramOptions& options = {}, Combine combine = {});
  VertexProgram(const VertexProgram&) = delete;
  VertexProgram& operator=(const VertexProgram&) = delete;

  /// All begin with the value; or masters with value_of(master), and mirrors with their master's. Nobody waits, and none
  /// has offered anything.
  void start(const T& value);
  template <std::invocable<Local> F>
  void start(F&& value_of);
  /// Combines the value into a master's, which waits if that is another now. One thread.
  void put(Local master, const T& value);
  /// A master waits that has not offered the value it has.
  void wait(Local master) { changed_.set(master); }

  /// All that wait offer along(value, edge) to their targets; those whose value becomes another wait for the next round.
  /// False, and nothing was done, if nobody waits on any rank. A target for which wants(its value) is false is offered
  /// nothing, and a pull ends its list there.
  template <class Along, class Wants>
  bool round(Along&& along, Wants&& wants);
  template <class Along>
  bool round(Along&& along) {
    return round(std::forward<Along>(along), [](const T&) { return true; });
  }

  /// A round in two parts, for programs that go by priority, as delta-stepping does by buckets. Of those that wait, the
  /// ones that are due(value) offer theirs, on this rank again and again until none is:
  ///
  ///     for (;;) {
  ///       program.tell();                                          // ranks tell each other what has changed
  ///       program.for_waiting([&](float distance) { ... });        // the least; on all ranks: horizon
  ///       program.settle(along, [&](float distance) { return distance < horizon; });
  ///     }
  void tell();
  template <class F>
  void for_waiting(F&& f) const;
  template <class Along, class Due>
  void settle(Along&& along, Due&& due);

  /// By local number of the graph (masters) or of the cut. A mirror's may be older than its master's until tell_all().
  const T& operator[](Local v) const { return values_[static_cast<std::size_t>(v)]; }
  std::span<T> values() { return {values_.data(), values_.size()}; }
  /// All mirrors get their master's value.
  void tell_all();

  /// Of a graph with a vertex-cut; what its edges are.
  const VertexCut* cut() const { return cut_ ? &*cut_ : nullptr; }
  int pulls() const { return pulls_; }  ///< rounds since start() that went from the targets
  std::size_t memory_bytes() const;

 private:
  static constexpr std::size_t kGrain = 16;  // words of bits that a thread takes at a time
  static constexpr double kAlone = 2048;     // vertices and edges that are not worth waking the team for
  struct Size {
    double vertices, edges;
  };

  static std::size_t index(Local v) { return static_cast<std::size_t>(v); }
  SharedVertices shared() const { return cut_ ? SharedVertices::along_edges(*cut_) : SharedVertices::all_of(graph_); }
  bool has_edges(Local v) const { return index(v) < rows_end_ && rows_.degree(v) > 0; }
  T load(Local v) { return std::atomic_ref(values_[index(v)]).load(std::memory_order_relaxed); }
  Size waiting() const;
  template <class Along, class Wants>
  void push(Along&& along, Wants&& wants, bool alone);
  template <class Along, class Wants>
  void pull(Along&& along, Wants&& wants);
  template <class Along, class Wants, class Weight, class Then>
  void offer(Local v, Along& along, Wants& wants, const Weight& weight, Then&& then);

  const Graph& graph_;
  World& world_;
  Team& team_;
  const VertexProgramOptions options_;
  [[no_unique_address]] Combine combine_;
  const std::optional<VertexCut> cut_;
  const Csr& rows_;  // edges by source
  const std::size_t rows_end_;
  const Local first_mirror_;
  MirrorExchange<T, Combine> exchange_;
  const double all_edges_;     // of all ranks, each way
  Array<T> values_, offered_;  // [local]; those that were last offered here
  VertexBits silent_;          // have offered nothing yet
  VertexBits waiting_, frontier_;
  VertexBits changed_;  // since the last tell()
  VertexBits untold_;   // masters, since mirrors were last told; edge-cut
  bool pulled_ = true;  // since the last tell(): mirrors have nothing to tell
  int pulls_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------

/// f(weight) where weight(e) is that of the e-th edge of the lists.
template <class F>
void with_weights(const Csr& lists, F&& f) {
  if (const auto* narrow = std::get_if<Array<float>>(&lists.weights)) {
    f([of = narrow->data()](std::size_t e) { return of[e]; });
  } else if (const auto* wide = std::get_if<Array<double>>(&lists.weights)) {
    f([of = wide->data()](std::size_t e) { return of[e]; });
  } else {
    f([](std::size_t) { return 1; });
  }
}

template <Plain T, class Combine>
VertexProgram<T, Combine>::VertexProgram(const Graph& graph, const VertexProgramOptions& options, Combine combine)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      options_(options),
      combine_(std::move(combine)),
      cut_(graph.cut().cut() == Cut::edge
               ? std::optional<VertexCut>()
               : std::optional<VertexCut>(std::in_place, graph, graph.cut(), VertexCut::Rows::sources)),
      rows_(cut_ ? cut_->rows() : graph.out()),
      rows_end_(rows_.offsets.size() - 1),
      first_mirror_(shared().first_mirror),
      exchange_(shared(), combine_),
      all_edges_(world_.sum(static_cast<double>(rows_.size()))),
      values_(index(shared().locals)),
      offered_(index(shared().locals)),
      silent_(shared().locals),
      waiting_(shared().locals),
      frontier_(shared().locals),
      changed_(shared().locals),
      untold_(shared().locals) {}

template <Plain T, class Combine>
template <std::invocable<Local> F>
void VertexProgram<T, Combine>::start(F&& value_of) {
  start(T{});
  for (Local v = 0; v < graph_.owned(); ++v) values_[index(v)] = value_of(v);
  tell_all();
}

template <Plain T, class Combine>
void VertexProgram<T, Combine>::start(const T& value) {
  std::fill(values_.begin(), values_.end(), value);
  silent_.set_all();
  waiting_.clear();
  changed_.clear();
  untold_.clear();
  pulled_ = true;
  pulls_ = 0;
}

template <Plain T, class Combine>
void VertexProgram<T, Combine>::put(Local master, const T& value) {
  if (combine_(values_[index(master)], value)) wait(master);
}

template <Plain T, class Combine>
void VertexProgram<T, Combine>::tell_all() {
  exchange_.broadcast_all(values());
  untold_.clear();
  if (!cut_) return;
  SharedVertices ends = shared();  // mirrors that edges only enter
  ends.read = {&cut_->mirrors(VertexCut::only_written)};
  MirrorExchange<T, Combine>(ends, combine_).broadcast_all(values());
}

// Masters hear what their mirrors have been offered. Over a vertex-cut those tell mirrors that edges leave: they offer too.
// Who comes to have another value than it has offered waits.
template <Plain T, class Combine>
void VertexProgram<T, Combine>::tell() {
  if (!pulled_ || cut_) exchange_.reduce(values(), changed_);
  if (cut_) exchange_.broadcast(values(), changed_);
  for (std::size_t w = 0; w < changed_.words(); ++w) {
    const std::uint64_t changed = std::exchange(changed_.at(w), 0);
    if (!cut_) untold_.at(w) |= changed;
    for (std::uint64_t bits = changed; bits; bits &= bits - 1) {
      const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
      if (has_edges(v) && (silent_.test(v) || values_[index(v)] != offered_[index(v)])) waiting_.set_alone(v);
    }
  }
  pulled_ = true;
}

template <Plain T, class Combine>
template <class F>
void VertexProgram<T, Combine>::for_waiting(F&& f) const {
  for (std::size_t w = 0; w < waiting_.words(); ++w)
    for (std::uint64_t bits = waiting_.at(w); bits; bits &= bits - 1)
      f(values_[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
}

template <Plain T, class Combine>
typename VertexProgram<T, Combine>::Size VertexProgram<T, Combine>::waiting() const {
  Size mine{0, 0};
  for (std::size_t w = 0; w < waiting_.words(); ++w)
    for (std::uint64_t bits = waiting_.at(w); bits; bits &= bits - 1) {
      const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
      mine.vertices += 1;
      mine.edges += has_edges(v) ? static_cast<double>(rows_.degree(v)) : 0;
    }
  return mine;
}

template <Plain T, class Combine>
template <class Along, class Wants>
bool VertexProgram<T, Combine>::round(Along&& along, Wants&& wants) {
  tell();
  const Size here = waiting();
  const Size size =
      world_.fold(here, [](Size a, const Size& b) { return Size{a.vertices + b.vertices, a.edges + b.edges}; });
  if (size.vertices == 0) return false;
  const bool dense = (size.vertices + size.edges) * options_.dense > all_edges_;
  if (!cut_ && (options_.direction == Direction::automatic ? dense : options_.direction == Direction::pull)) {
    pull(along, wants);
    ++pulls_;
  } else {
    push(along, wants, here.vertices + here.edges < kAlone);
  }
  return true;
}

// The edges of v, with the value that it has now; then(target) for each whose value becomes another.
template <Plain T, class Combine>
template <class Along, class Wants, class Weight, class Then>
void VertexProgram<T, Combine>::offer(Local v, Along& along, Wants& wants, const Weight& weight, Then&& then) {
  const T value = load(v);
  offered_[index(v)] = value;
  silent_.reset_alone(v);
  if (!has_edges(v)) return;
  const auto end = static_cast<std::size_t>(rows_.offsets[index(v) + 1]);
  for (auto e = static_cast<std::size_t>(rows_.offsets[index(v)]); e < end; ++e) {
    const Local u = rows_.targets[e];
    if (!wants(load(u))) continue;
    const T offered = along(value, ProgramEdge<decltype(weight(e))>{v, u, weight(e)});
    if (combine_atomically(values_[index(u)], offered, combine_)) {
      changed_.set(u);
      then(u);
    }
  }
}

template <Plain T, class Combine>
template <class Along, class Wants>
void VertexProgram<T, Combine>::push(Along&& along, Wants&& wants, bool alone) {
  frontier_.swap(waiting_);
  with_weights(rows_, [&](const auto& weight) {
    const auto offer_all = [&](int, std::size_t a, std::size_t b) {
      for (std::size_t w = a; w < b; ++w)
        for (std::uint64_t bits = std::exchange(frontier_.at(w), 0); bits; bits &= bits - 1)
          offer(static_cast<Local>(w * 64) + std::countr_zero(bits), along, wants, weight, [](Local) {});
    };
    alone ? offer_all(0, 0, frontier_.words()) : team_.for_range(frontier_.words(), kGrain, offer_all);
  });
  pulled_ = false;
}

template <Plain T, class Combine>
template <class Along, class Due>
void VertexProgram<T, Combine>::settle(Along&& along, Due&& due) {
  const auto always = [](const T&) { return true; };
  std::atomic<bool> again{true};
  with_weights(rows_, [&](const auto& weight) {
    while (again.exchange(false))
      team_.for_range(waiting_.words(), kGrain, [&](int, std::size_t a, std::size_t b) {
        for (std::size_t w = a; w < b; ++w)
          for (std::uint64_t bits = std::atomic_ref(waiting_.at(w)).load(); bits; bits &= bits - 1) {
            const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
            if (!due(load(v))) continue;
            waiting_.reset(v);
            offer(v, along, always, weight, [&](Local u) {
              if (!has_edges(u)) return;
              waiting_.set(u);
              if (due(load(u))) again.store(true, std::memory_order_relaxed);
            });
          }
      });
  });
  pulled_ = false;
}

template <Plain T, class Combine>
template <class Along, class Wants>
void VertexProgram<T, Combine>::pull(Along&& along, Wants&& wants) {
  exchange_.broadcast(values(), untold_);
  // Mirrors that have been told what was pushed rounds ago offer it once more: it changes nothing.
  for (std::size_t w = 0; w < waiting_.words(); ++w) {
    const bool mirrors = w >= index(first_mirror_) / 64;
    frontier_.at(w) = mirrors ? untold_.at(w) : std::exchange(waiting_.at(w), 0);
  }
  untold_.clear();
  const Csr& in = graph_.in();
  with_weights(in, [&](const auto& weight) {
    team_.for_range((index(graph_.active()) + 63) / 64, kGrain, [&](int, std::size_t a, std::size_t b) {
      const std::size_t last = std::min(b * 64, index(graph_.active()));
      for (std::size_t v = a * 64; v < last; ++v) {
        const T before = values_[v];
        if (frontier_.test(static_cast<Local>(v))) {
          offered_[v] = before;
          silent_.reset_alone(static_cast<Local>(v));
        }
        if (!wants(before)) continue;
        T value = before;
        bool other = false;
        for (auto e = static_cast<std::size_t>(in.offsets[v]); e < static_cast<std::size_t>(in.offsets[v + 1]); ++e) {
          const Local u = in.targets[e];
          if (!frontier_.test(u)) continue;
          if (!combine_(value, along(load(u), ProgramEdge<decltype(weight(e))>{u, static_cast<Local>(v), weight(e)})))
            continue;
          other = true;
          if (!wants(value)) break;
        }
        if (!other) continue;
        std::atomic_ref(values_[v]).store(value, std::memory_order_relaxed);
        changed_.set_alone(static_cast<Local>(v));
      }
    });
  });
  frontier_.clear();
}

template <Plain T, class Combine>
std::size_t VertexProgram<T, Combine>::memory_bytes() const {
  return values_.size() * 2 * sizeof(T) + waiting_.words() * 5 * sizeof(std::uint64_t) + exchange_.memory_bytes() +
         (cut_ ? cut_->memory_bytes() : 0);
}

}  // namespace atl
