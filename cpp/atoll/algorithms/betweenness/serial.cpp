// SPDX-License-Identifier: Apache-2.0
// Brandes' accumulation [1] by one thread.
//
//   in the paper                here
//   sigma(v)                    Mark::paths, with Mark::steps
//   delta(v)                    added to score_ by sum_dependencies
//   S, the stack                queue_ by levels, walked from its end
//   P(v), the predecessors      not stored: u sums over its neighbours in the next level instead
//
// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
#include <algorithm>
#include <atoll/algorithms/betweenness/serial.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kOffsetsAhead = 16, kAhead = 8, kMarksAhead = 4;  // prefetch distances in the queue
constexpr std::size_t kMarksOfList = 4;                                 // marks prefetched per list
constexpr std::size_t kFarBytes = std::size_t{4} << 20;
constexpr std::size_t kScoreGrain = 4096;

}  // namespace

std::vector<Local> active_locals(const Graph& graph, std::span<const Vertex> ids) {
  std::vector<Local> locals;
  for (const Vertex id : ids) locals.push_back(graph.local_of(graph.find(id).second));
  std::erase_if(locals, [&](Local v) { return v >= graph.active(); });
  return locals;
}

SerialBetweenness::SerialBetweenness(const Graph& graph, ScoresOf of)
    : out_(graph.out()),
      marks_(index(graph.active())),
      far_(marks_.size() * sizeof(Mark) > kFarBytes),
      of_(of),
      score_(of == ScoresOf::edges ? out_.targets.size() : marks_.size()),
      queue_(marks_.size()) {}

void SerialBetweenness::add(Local source) {
  count_paths(source);
  sum_dependencies();
}

double SerialBetweenness::power(std::int32_t steps) { return steps == -1 ? 1 / kStep : std::pow(kStep, steps); }

inline void SerialBetweenness::add_scaled(Mark& to, const Mark& from) {
  if (from.steps < to.steps) {
    to.paths += from.paths * power(from.steps - to.steps);
  } else {
    to.paths = to.paths * power(to.steps - from.steps) + from.paths;
    to.steps = from.steps;
  }
}

// Prefetches a list ahead of its turn. Its offset is prefetched before that, as it may have left the cache since the
// vertex was seen. `inline` because the compiler does not inline such calls in a shared library otherwise.
inline void SerialBetweenness::fetch_list(Local u) const { __builtin_prefetch(out_.targets.data() + out_.offsets[u]); }

// Prefetches the marks of the first neighbours of a vertex whose list has been prefetched.
inline void SerialBetweenness::fetch_marks(Local u) const {
  const std::span<const Local> list = out_.neighbours(u);
  for (const Local v : list.first(std::min(kMarksOfList, list.size()))) __builtin_prefetch(&marks_[v]);
}

inline void SerialBetweenness::count_from(Local u, std::int32_t level) {
  Mark& mark = marks_[u];
  if (mark.paths >= kStep) {
    mark.paths /= kStep;
    ++mark.steps;
  }
  const Mark from = mark;
  for (const Local v : out_.neighbours(u)) {
    Mark& to = marks_[v];
    if (to.level < level) continue;
    if (to.level == kUnseen) {
      to = {from.paths, level, from.steps};
      __builtin_prefetch(&out_.offsets[v]);
      queue_[queued_++] = v;
    } else if (to.steps == from.steps) {
      to.paths += from.paths;
    } else {
      add_scaled(to, from);
    }
  }
}

void SerialBetweenness::count_paths(Local source) {
  for (Mark& mark : marks_) mark.level = kUnseen;
  marks_[source] = {1, 0, 0};
  queue_[0] = source;
  queued_ = 1;
  begin_.assign(1, 0);
  for (std::size_t i = 0; i < queued_;) {
    begin_.push_back(queued_);
    const auto level = static_cast<std::int32_t>(begin_.size() - 1);
    for (const std::size_t end = queued_; i < end; ++i) {
      if (i + kOffsetsAhead < queued_) __builtin_prefetch(&out_.offsets[queue_[i + kOffsetsAhead]]);
      if (i + kAhead < queued_) fetch_list(queue_[i + kAhead]);
      if (far_ && i + kMarksAhead < queued_) fetch_marks(queue_[i + kMarksAhead]);
      count_from(queue_[i], level);
    }
  }
}

inline double SerialBetweenness::shares_below(Local u, const Mark& mark) const {
  const std::int32_t below = mark.level + 1;
  double shares = 0;
  bool uneven = false;
  for (const Local v : out_.neighbours(u)) {
    const Mark& to = marks_[v];
    const bool counts = to.level == below, even = to.steps == mark.steps;
    shares += counts & even ? to.paths : 0;
    uneven |= counts & !even;
  }
  if (!uneven) return shares;
  for (const Local v : out_.neighbours(u)) {
    const Mark& to = marks_[v];
    if (to.level == below && to.steps != mark.steps) shares += to.paths * power(mark.steps - to.steps);
  }
  return shares;
}

// The same, and adds its summand times sigma(u), which is delta of the edge, to each edge's score.
double SerialBetweenness::keep_shares_below(Local u, const Mark& mark) {
  const std::int32_t below = mark.level + 1;
  double shares = 0;
  for (Edge e = out_.offsets[u]; e < out_.offsets[index(u) + 1]; ++e) {
    const Mark& to = marks_[out_.targets[e]];
    if (to.level != below) continue;
    const double share = to.steps == mark.steps ? to.paths : to.paths * power(mark.steps - to.steps);
    shares += share;
    score_[e] += mark.paths * share;
  }
  return shares;
}

void SerialBetweenness::sum_dependencies() {
  const bool by_edge = of_ == ScoresOf::edges;
  for (std::size_t i = queued_; i-- > 1;) {
    const Local u = queue_[i];
    if (i > kOffsetsAhead) {
      __builtin_prefetch(&out_.offsets[queue_[i - kOffsetsAhead]]);
      fetch_list(queue_[i - kAhead]);
      if (far_) fetch_marks(queue_[i - kMarksAhead]);
      if (!by_edge) __builtin_prefetch(&score_[queue_[i - kAhead]], 1);
    }
    Mark& mark = marks_[u];
    const double dependency = mark.paths * (by_edge ? keep_shares_below(u, mark) : shares_below(u, mark));
    if (!by_edge) score_[u] += dependency;
    mark.paths = (1 + dependency) / mark.paths;
  }
  if (by_edge) keep_shares_below(queue_[0], marks_[queue_[0]]);
}

std::size_t SerialBetweenness::memory_bytes() const {
  return marks_.size() * (sizeof(Mark) + sizeof(Local)) + score_.size() * sizeof(double);
}

void SourcePerThread::add(std::span<const Local> sources, Array<double>& score, const Progress& progress) {
  Team& team = graph_.world().team();
  const std::size_t threads = std::min(sources.size(), static_cast<std::size_t>(team.size()));
  threads_.resize(std::max(threads_.size(), threads));
  std::size_t reported = 0;
  team.for_range(threads, 1, [&](int thread, std::size_t t, std::size_t) {
    if (!threads_[t]) threads_[t] = std::make_unique<SerialBetweenness>(graph_, of_);
    threads_[t]->clear();
    for (std::size_t i = t; i < sources.size(); i += threads) {
      team.cancellation_point(thread);
      threads_[t]->add(sources[i]);
      if (thread == 0 && i >= reported) {  // if it takes another's part too, that has been reported
        reported = std::min(i + threads, sources.size());
        report_progress(progress, static_cast<std::int64_t>(reported), static_cast<std::int64_t>(sources.size()));
      }
    }
  });
  team.for_range(score.size(), kScoreGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i)
      for (std::size_t t = 0; t < threads; ++t) score[i] += threads_[t]->score()[i];
  });
}

std::size_t SourcePerThread::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& thread : threads_) bytes += thread ? thread->memory_bytes() : 0;
  return bytes;
}

}  // namespace atl
