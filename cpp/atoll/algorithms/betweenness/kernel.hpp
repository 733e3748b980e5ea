// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/betweenness/serial.hpp>
#include <atoll/algorithms/betweenness/variant.hpp>
#include <atomic>
#include <optional>
#include <span>

/// Betweenness on one rank. On graphs of few levels all threads process the levels of one source together; on deep
/// graphs each thread processes sources of its own (SourcePerThread), as it does those from which a number of paths
/// overflows a double. Memory beside the graph: 37 bytes a vertex, and for each thread 8 or, on deep graphs, 36.
namespace atl {

class BetweennessKernel final : public BetweennessVariant {
 public:
  /// InputError if the graph is distributed over several ranks.
  explicit BetweennessKernel(const Graph& graph);

  /// InputError, before any work, if no vertex has the id of a source.
  void run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress = {}) override;
  std::size_t memory_bytes() const override;

 private:
  enum State : std::uint8_t { kUnseen, kNext, kSeen };
  struct Level {
    std::size_t begin = 0, end = 0;  // in queue_
    Edge out = 0, in = 0;            // leaving and entering edges of its vertices
  };
  struct alignas(128) Thread {
    static constexpr std::size_t kRoom = 1024;
    Array<double> pushed;  // [local] all 0 before each source
    Local found[kRoom];
    std::size_t count = 0;
    Edge out = 0, in = 0;  // edges of the vertices that this thread has found in the level
    bool overflow = false;
  };

  bool source_per_thread(std::span<const Vertex> sources);
  std::vector<Local> add_by_level(std::span<const Local> sources, const Progress& progress);
  bool add_source(Local source);
  bool count_paths(Local source);
  void push_paths(const Level& level);
  void pull_paths(const Level& level);
  void accumulate_by_push(const Level& level, const Level& above);
  void accumulate_by_pull(const Level& level, const Level& above);
  void found(Thread& thread, Local v);
  void flush(Thread& thread);
  Level close_level(std::size_t begin);
  template <class F>
  void for_vertices(const Level& level, std::size_t grain, F&& f);

  const Graph& graph_;
  Team& team_;
  Array<std::uint8_t> state_;     // [local]
  Array<double> paths_;           // [local] sigma, where seen
  Array<double> frontier_paths_;  // [local] sigma of the frontier's vertices, for a pull; 0 elsewhere
  Array<double> dependency_;      // [local] delta, where seen and finished
  Array<double> score_;           // [local]
  Array<Local> queue_;            // seen vertices, level after level
  std::atomic<std::size_t> queued_{0};
  std::vector<Level> levels_;
  std::vector<Thread> threads_;
  std::optional<bool> deep_;  // decided by the first run with a source
  SourcePerThread serial_;
};

// Calls f(thread, vertex) for the vertices of a level.
template <class F>
void BetweennessKernel::for_vertices(const Level& level, std::size_t grain, F&& f) {
  team_.for_range(level.end - level.begin, grain, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t i = level.begin + a; i < level.begin + b; ++i) f(threads_[thread], queue_[i]);
  });
}

}  // namespace atl
