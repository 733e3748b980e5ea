// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/engine/direction.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <concepts>
#include <optional>

/// A data-driven vertex program [1]: each vertex has a value; a vertex whose value has changed is active, and in a
/// round the active vertices send messages along their edges. Shortest paths:
///
///     VertexProgram<float, MinOf> program(graph);                       // collective, as all but update()
///     program.start(std::numeric_limits<float>::infinity());
///     if (mine) program.update(source, 0);
///     while (program.round([](float distance, const auto& edge) { return distance + edge.weight; })) {
///     }
///     program[graph.local_of(0)];                                       // a master's distance
///
/// A value may pass several edges in one round, on the rank that has them, so the number of rounds depends on ranks and
/// cut, the values after the last one do not. Combine folds a message into the target's value. Messages are combined on
/// several ranks, in any order, and some of them twice, so Combine must be commutative, associative and idempotent: a
/// minimum, a maximum, or alike. A round pushes from the active vertices (mirrors of targets collect, then reduce)
/// while these are few, and pulls into the targets (broadcast, then each target reads its entering edges) when the
/// active vertices and their edges are more than one in `dense` of all edges, as in Gemini [2]. Over a vertex-cut both
/// a push and a pull leave at mirrors what has to be reduced, and the first pull transposes this rank's edges.
///
/// T is at most a word, and has ==. Memory: two T and five bits a local vertex, the exchange's, and over a vertex-cut
/// that has pulled, or with reversed edges, the transposed edges of this rank.
///
/// [1] section II of "A Lightweight Communication Runtime for Distributed Graph Analytics", IPDPS 2018 (Abelian).
/// [2] X. Zhu et al. "Gemini: A computation-centric distributed graph processing system." OSDI 2016.
namespace atl {

/// The ends that messages travel between: from the source of an edge to its target, or back.
enum class Along { edges, reversed_edges };

struct VertexProgramOptions {
  Along along = Along::edges;
  Direction direction = Direction::automatic;
  double dense = 20;  ///< pull when active vertices and their edges exceed 1 / dense of all edges
};

/// An edge as a program sees it, from `source`, which sends, to `target`: of a reversed edge the graph's target sends.
/// Its ends are local numbers, mirrors included, of the graph or, over a vertex-cut, of
/// VertexProgram::cut(). Weight: float or double as in the graph; an int of 1 if the graph has no weights.
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

  /// Sets every value: to one value, or masters to value_of(master) and mirrors to their master's. No vertex is active,
  /// and none has sent anything.
  void start(const T& value);
  template <std::invocable<Local> F>
  void start(F&& value_of);
  /// Combines the value into a master's, which becomes active if that changes it. For one thread.
  void update(Local master, const T& value);
  /// Makes a master active, unless it has sent its current value already.
  void activate(Local master) { changed_.set(master); }

  /// Each active vertex sends message(value, edge) along its edges; targets whose value changes are active in the next
  /// round. False, and nothing was done, if no vertex of any rank is active. A target whose value fails
  /// condition(value) receives nothing, and a pull ends its list there.
  template <class Message, class Condition>
  bool round(Message&& message, Condition&& condition);
  template <class Message>
  bool round(Message&& message) {
    return round(std::forward<Message>(message), EveryTarget{});
  }

  /// A round in two parts, for programs with priorities, such as the buckets of delta-stepping. Active vertices that
  /// are due(value) send along their edges, on this rank again and again until none is due:
  ///
  ///     for (;;) {
  ///       program.synchronize();                                   // ranks exchange what has changed
  ///       program.for_active([&](float distance) { ... });         // the least; over all ranks: horizon
  ///       program.relax_until(message, [&](float distance) { return distance < horizon; });
  ///     }
  void synchronize();
  template <class F>
  void for_active(F&& f) const;
  template <class Message, class Due>
  void relax_until(Message&& message, Due&& due);

  /// By local number of the graph (masters) or of the cut. A mirror's may be older than its master's until
  /// synchronize_mirrors().
  const T& operator[](Local v) const { return values_[v]; }
  std::span<T> values() { return {values_.data(), values_.size()}; }
  /// All mirrors get their master's value.
  void synchronize_mirrors();

  /// The vertex-cut whose edges the program follows, if the graph has one.
  const VertexCut* cut() const { return cut_; }
  int pulls() const { return pulls_; }  ///< rounds since start() that pulled
  std::size_t memory_bytes() const;     ///< without the cut, which the graph counts

 private:
  static constexpr std::size_t kGrain = 16;    // words of bits that a thread takes at a time
  static constexpr std::size_t kParts = 4;     // of a pull, for each thread: values pass through a part in one round
  static constexpr double kSerialWork = 8192;  // below this many vertices and edges, waking the team does not pay
  static constexpr std::size_t kCandidates = 64;
  struct Size {
    double vertices, edges;
  };
  struct EveryTarget {  // the condition of a round without one
    bool operator()(const T&) const { return true; }
  };

  static GraphView view_of(const Graph& graph, Along along) {
    if (along == Along::edges) return GraphView::of(graph, CutRows::sources);
    const VertexCut* cut = graph.vertex_cut_if_any(CutRows::sources);
    return cut ? GraphView::against_edges(*cut) : GraphView::all_of(graph, CutRows::targets);
  }
  /// Edges by the end that is told; of a vertex-cut once they have been transposed.
  const Csr& entering() const {
    if (along_ == Along::edges) return cut_ ? transposed_ : graph_.in();
    return cut_ ? cut_->rows() : graph_.out();
  }
  bool has_edges(Local v) const { return index(v) < leaving_end_ && leaving_.degree(v) > 0; }
  T load(Local v) { return std::atomic_ref(values_[v]).load(std::memory_order_relaxed); }
  Size active() const;
  template <class Message, class Condition>
  void push(Message&& message, Condition&& condition, bool serial);
  template <class Message, class Condition>
  void pull(Message&& message, Condition&& condition);
  template <bool threads, class Message, class Condition, class Weight, class Then>
  void send_along_edges(Local v, Message& message, Condition& condition, const Weight& weight, Then&& then);
  template <bool threads>
  static void mark(VertexBits& bits, Local v) {
    threads ? (void)bits.set(index(v)) : bits.set_unsynchronized(index(v));
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const VertexProgramOptions options_;
  [[no_unique_address]] Combine combine_;
  const Along along_;
  const GraphView view_;
  const VertexCut* const cut_;
  Csr transposed_;      // the cut's edges by their other ends: if these send, or once they are pulled into
  const Csr& leaving_;  // edges by the end that sends
  const std::size_t leaving_end_;
  const Local first_mirror_;
  const bool shared_;  // other ranks have values of the same vertices
  MirrorExchange<T, Combine> exchange_;
  const double all_edges_;  // on all ranks, in both directions
  Array<T> values_, sent_;  // [local]; the value last sent on this rank
  VertexBits never_sent_;   // vertices that have sent nothing yet
  VertexBits active_, frontier_;
  VertexBits changed_;         // values changed since the last synchronize()
  VertexBits unsynchronized_;  // edge-cut: masters changed since the last broadcast
  bool pulled_ = true;         // no push since the last synchronize(): mirrors are unchanged
  int pulls_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------

/// Calls f(weight) with a function such that weight(e) is the weight of the e-th edge of the lists.
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
      along_(options.along),
      view_(view_of(graph, along_)),
      cut_(view_.cut),
      transposed_(cut_ && along_ == Along::reversed_edges ? cut_->transposed(VertexCut::WithWeights::yes) : Csr()),
      leaving_(cut_ && along_ == Along::reversed_edges ? transposed_ : *view_.rows),
      leaving_end_(leaving_.offsets.size() - 1),
      first_mirror_(view_.first_mirror),
      shared_(cut_ || world_.size() > 1),
      exchange_(view_, combine_),
      all_edges_(world_.sum(static_cast<double>(leaving_.size()))),
      values_(index(view_.locals)),
      sent_(index(view_.locals)),
      never_sent_(view_.locals),
      active_(view_.locals),
      frontier_(view_.locals),
      changed_(view_.locals),
      unsynchronized_(view_.locals) {}

template <Plain T, class Combine>
template <std::invocable<Local> F>
void VertexProgram<T, Combine>::start(F&& value_of) {
  start(T{});
  for (Local v = 0; v < graph_.owned(); ++v) values_[v] = value_of(v);
  synchronize_mirrors();
}

template <Plain T, class Combine>
void VertexProgram<T, Combine>::start(const T& value) {
  std::fill(values_.begin(), values_.end(), value);
  never_sent_.set_all();
  active_.clear();
  frontier_.clear();  // a round that was cancelled leaves some
  changed_.clear();
  unsynchronized_.clear();
  pulled_ = true;
  pulls_ = 0;
}

template <Plain T, class Combine>
void VertexProgram<T, Combine>::update(Local master, const T& value) {
  if (combine_(values_[master], value)) activate(master);
}

template <Plain T, class Combine>
void VertexProgram<T, Combine>::synchronize_mirrors() {
  exchange_.broadcast_all(values());
  unsynchronized_.clear();
  if (!cut_) return;
  GraphView ends = view_;  // mirrors that edges only enter
  ends.read = {&cut_->mirrors(along_ == Along::edges ? VertexCut::only_written : VertexCut::only_read)};
  MirrorExchange<T, Combine>(ends, combine_).broadcast_all(values());
}

// Reduces the values of mirrors to their masters; over a vertex-cut, then broadcasts to the mirrors that edges leave,
// since these push too. A vertex whose value differs from the one it last sent becomes active.
template <Plain T, class Combine>
void VertexProgram<T, Combine>::synchronize() {
  if (!pulled_ || cut_) exchange_.reduce(values(), changed_);
  if (cut_) exchange_.broadcast(values(), changed_);
  changed_.for_words(0, changed_.words(), [&](std::size_t w) {
    const std::uint64_t changed = std::exchange(changed_.at(w), 0);
    if (!cut_) unsynchronized_.at(w) |= changed;
    for (std::uint64_t bits = changed; bits; bits &= bits - 1) {
      const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
      if (has_edges(v) && (never_sent_.test(v) || values_[v] != sent_[v])) active_.set_unsynchronized(v);
    }
  });
  pulled_ = true;
}

template <Plain T, class Combine>
template <class F>
void VertexProgram<T, Combine>::for_active(F&& f) const {
  active_.for_words(0, active_.words(), [&](std::size_t w) {
    for (std::uint64_t bits = active_.at(w); bits; bits &= bits - 1)
      f(values_[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
  });
}

template <Plain T, class Combine>
typename VertexProgram<T, Combine>::Size VertexProgram<T, Combine>::active() const {
  Size mine{0, 0};
  active_.for_words(0, active_.words(), [&](std::size_t w) {
    for (std::uint64_t bits = active_.at(w); bits; bits &= bits - 1) {
      const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
      mine.vertices += 1;
      mine.edges += has_edges(v) ? static_cast<double>(leaving_.degree(v)) : 0;
    }
  });
  return mine;
}

template <Plain T, class Combine>
template <class Message, class Condition>
bool VertexProgram<T, Combine>::round(Message&& message, Condition&& condition) {
  synchronize();
  const Size here = active();
  const Size size =
      world_.fold(here, [](Size a, const Size& b) { return Size{a.vertices + b.vertices, a.edges + b.edges}; });
  if (size.vertices == 0) return false;
  const bool dense = (size.vertices + size.edges) * options_.dense > all_edges_;
  if (options_.direction == Direction::automatic ? dense : options_.direction == Direction::pull) {
    pull(message, condition);
    ++pulls_;
  } else {
    push(message, condition, here.vertices + here.edges < kSerialWork);
  }
  return true;
}

// Sends v's current value along its edges; calls then(target) for each target whose value changes. Without `threads`
// nobody else writes values, and no instruction locks a line.
template <Plain T, class Combine>
template <bool threads, class Message, class Condition, class Weight, class Then>
void VertexProgram<T, Combine>::send_along_edges(Local v, Message& message, Condition& condition, const Weight& weight,
                                                 Then&& then) {
  const T value = load(v);
  sent_[v] = value;
  never_sent_.reset_unsynchronized(v);
  if (!has_edges(v)) return;
  const auto end = static_cast<std::size_t>(leaving_.offsets[index(v) + 1]);
  auto e = static_cast<std::size_t>(leaving_.offsets[v]);
  // Data pointers of their own: a value written could be one of the arrays' for all that the compiler knows.
  T* const values = values_.data();
  const Local* const targets = leaving_.targets.data();
  const auto known = [&](Local u) { return std::atomic_ref(values[index(u)]).load(std::memory_order_relaxed); };
  const auto take = [&](Local u, const T& sent) {
    T& into = values[index(u)];
    if (threads ? combine_atomically(into, sent, combine_) : combine_(into, sent)) then(u);
  };
  if constexpr (std::is_same_v<std::remove_cvref_t<Condition>, EveryTarget>) {
    // Few messages change anything, and which ones is hard to foresee: they are found without a branch.
    struct Candidate {
      Local target;
      T sent;
    };
    std::array<Candidate, kCandidates> candidates;
    while (e < end) {
      std::size_t found = 0;
      for (const std::size_t stop = std::min(end, e + kCandidates); e < stop; ++e) {
        const Local u = targets[e];
        const T sent = message(value, ProgramEdge<decltype(weight(e))>{v, u, weight(e)});
        T changed = known(u);
        candidates[found] = {u, sent};
        found += combine_(changed, sent);
      }
      for (std::size_t c = 0; c < found; ++c) take(candidates[c].target, candidates[c].sent);
    }
  } else {
    for (; e < end; ++e) {
      const Local u = targets[e];
      if (condition(known(u))) take(u, message(value, ProgramEdge<decltype(weight(e))>{v, u, weight(e)}));
    }
  }
}

template <Plain T, class Combine>
template <class Message, class Condition>
void VertexProgram<T, Combine>::push(Message&& message, Condition&& condition, bool serial) {
  frontier_.swap(active_);
  with_weights(leaving_, [&](const auto& weight) {
    const auto send_all = [&]<bool threads>(std::bool_constant<threads>, std::size_t a, std::size_t b) {
      frontier_.for_words(a, b, [&](std::size_t w) {
        for (std::uint64_t bits = std::exchange(frontier_.at(w), 0); bits; bits &= bits - 1)
          send_along_edges<threads>(static_cast<Local>(w * 64) + std::countr_zero(bits), message, condition, weight,
                                    [&](Local u) { mark<threads>(changed_, u); });
      });
    };
    const bool one_writer = serial || team_.size() == 1;
    team_.for_range(frontier_.words(), serial ? std::max(kGrain, frontier_.words()) : kGrain,
                    [&](int, std::size_t a, std::size_t b) {
                      one_writer ? send_all(std::false_type{}, a, b) : send_all(std::true_type{}, a, b);
                    });
  });
  pulled_ = false;
}

template <Plain T, class Combine>
template <class Message, class Due>
void VertexProgram<T, Combine>::relax_until(Message&& message, Due&& due) {
  constexpr EveryTarget always;
  std::atomic<bool> again{true};
  with_weights(leaving_, [&](const auto& weight) {
    const auto relax = [&]<bool threads>(std::bool_constant<threads>, std::size_t a, std::size_t b) {
      for (std::size_t w = a; w < b; ++w)
        for (std::uint64_t bits = active_.load(w); bits; bits &= bits - 1) {
          const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
          if (!due(load(v))) continue;
          threads ? active_.reset(index(v)) : active_.reset_unsynchronized(index(v));
          send_along_edges<threads>(v, message, always, weight, [&](Local u) {
            if (shared_) mark<threads>(changed_, u);  // else it is known here that it is active
            if (!has_edges(u)) return;
            mark<threads>(active_, u);
            if (due(load(u))) again.store(true, std::memory_order_relaxed);
          });
        }
    };
    const bool one_writer = team_.size() == 1;
    while (again.exchange(false))
      team_.for_range(active_.words(), kGrain, [&](int, std::size_t a, std::size_t b) {
        one_writer ? relax(std::false_type{}, a, b) : relax(std::true_type{}, a, b);
      });
  });
  pulled_ = false;
}

template <Plain T, class Combine>
template <class Message, class Condition>
void VertexProgram<T, Combine>::pull(Message&& message, Condition&& condition) {
  if (cut_) {
    frontier_.swap(active_);  // synchronize() has told the mirrors
    if (transposed_.offsets.empty()) transposed_ = cut_->transposed(VertexCut::WithWeights::yes);
  } else {
    exchange_.broadcast(values(), unsynchronized_);
    // A mirror in this broadcast may have sent the same value in an earlier push; sending it again changes nothing.
    for (std::size_t w = 0; w < active_.words(); ++w) {
      const bool mirrors = w >= index(first_mirror_) / 64;
      frontier_.at(w) = mirrors ? unsynchronized_.at(w) : std::exchange(active_.at(w), 0);
    }
    unsynchronized_.clear();
  }
  const Csr& in = entering();
  const std::size_t end = index(cut_ ? view_.locals : graph_.active());
  T* const values = values_.data();
  const Local* const sources = in.targets.data();
  with_weights(in, [&](const auto& weight) {
    const std::size_t words = (end + 63) / 64, parts = kParts * static_cast<std::size_t>(team_.size());
    team_.for_range(words, std::max(kGrain, words / parts), [&](int, std::size_t a, std::size_t b) {
      const std::size_t last = std::min(b * 64, end);
      for (std::size_t v = a * 64; v < last; ++v) {
        const T old_value = values_[v];
        if (frontier_.test(static_cast<Local>(v))) {
          sent_[v] = old_value;
          never_sent_.reset_unsynchronized(static_cast<Local>(v));
        }
        if (!condition(old_value)) continue;
        T value = old_value;
        bool changed = false;
        const auto stop = static_cast<std::size_t>(in.offsets[v + 1]);
        for (auto e = static_cast<std::size_t>(in.offsets[v]); e < stop; ++e) {
          const Local u = sources[e];
          if (!frontier_.test(index(u))) continue;
          const T other = std::atomic_ref(values[index(u)]).load(std::memory_order_relaxed);
          if (!combine_(value, message(other, ProgramEdge<decltype(weight(e))>{u, static_cast<Local>(v), weight(e)})))
            continue;
          changed = true;
          if (!condition(value)) break;
        }
        if (!changed) continue;
        std::atomic_ref(values_[v]).store(value, std::memory_order_relaxed);
        changed_.set_unsynchronized(static_cast<Local>(v));
      }
    });
  });
  frontier_.clear();
}

template <Plain T, class Combine>
std::size_t VertexProgram<T, Combine>::memory_bytes() const {
  return transposed_.memory_bytes() + values_.size() * 2 * sizeof(T) + active_.words() * 5 * sizeof(std::uint64_t) +
         exchange_.memory_bytes();
}

}  // namespace atl
