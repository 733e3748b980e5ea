// SPDX-License-Identifier: Apache-2.0
// Triangles over a vertex-cut. A triangle v, u, w, in the order of forward_lists.hpp, is found where the rule of the cut
// puts the edge u -> w: v sends each rank those vertices of its list from which edges may leave there, and those that
// edges may enter. In a cartesian cut of P ranks a vertex of the list so goes to a row and a column of the grid, 2 sqrt(P)
// ranks [1], and not to all that own a vertex of the list. The rank answers with v's part of what it has found; that of u
// and w is reduced to their owners in the end.
//
// Deviation from [1]: lists are sent to where an edge may close their wedges, instead of blocks of the matrix in turns.
//
// [1] A. Tom, G. Karypis. "A 2D parallel triangle counting algorithm for distributed-memory architectures." ICPP 2019.
#include <algorithm>
#include <atoll/algorithms/triangles/vertex_cut.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {
VertexCutTriangles::VertexCutTriangles(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      rule_(graph.cut()),
      lists_(graph),
      dense_(dense_numbers(graph)),
      owner_(index(graph.locals()), world_.rank()),
      marked_(static_cast<std::size_t>(team_.size())),
      asked_(static_cast<std::size_t>(world_.size())),
      by_row_(static_cast<std::size_t>(world_.size())),
      by_column_(static_cast<std::size_t>(world_.size())) {
  const Mirrors& mirrors = graph.mirrors();
  for (std::size_t r = 0; r < mirrors.count.size(); ++r)
    std::fill_n(owner_.begin() + mirrors.begin[r], mirrors.count[r], static_cast<Rank>(r));
  place_lists();
  exchange_.emplace(plan_, 1);
  for (int t = 0; t < team_.size(); ++t) counts_.emplace_back(plan_->rows(), graph.directed());
}

// The k-th vertex of v's list for a message; in an undirected graph with 1 for the number of directions.
std::uint64_t VertexCutTriangles::entry(Local v, std::size_t k) const {
  return word_of(dense_[lists_.of(v)[k]], graph_.directed() ? lists_.directions_of(v)[k] : std::uint8_t{1});
}

void VertexCutTriangles::place_lists() {
  std::vector<Words> outgoing(static_cast<std::size_t>(world_.size()));
  for (Local v = 0; v < graph_.active(); ++v) {
    const auto list = lists_.of(v);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Local u = list[k];
      Words& words = outgoing[rule_.place(world_.rank(), owner_[u], static_cast<Edge>(lists_.degree(u)))];
      words.push_back(static_cast<std::uint64_t>(dense_[v]));
      words.push_back(entry(v, k));
    }
  }
  const std::vector<Words> placed = world_.exchange(std::move(outgoing));
  std::vector<Vertex> named;
  for (const Words& words : placed)
    for (std::size_t i = 0; i < words.size(); i += 2) {
      named.push_back(static_cast<Vertex>(words[i]));
      named.push_back(dense_of(words[i + 1]));
    }
  plan_ = std::make_shared<const HaloPlan>(world_, graph_.blocks(), named);
  begin_ = Array<Edge>(plan_->rows() + 1, 0);
  targets_ = Array<Local>(named.size() / 2);
  if (graph_.directed()) directions_ = Array<std::uint8_t>(named.size() / 2);
  const auto for_placed = [&](auto&& f) {
    for (const Words& words : placed)
      for (std::size_t i = 0; i < words.size(); i += 2)
        f(index(plan_->local_row(static_cast<Vertex>(words[i]))), words[i + 1]);
  };
  for_placed([&](std::size_t row, std::uint64_t) { ++begin_[row + 1]; });
  for (std::size_t row = 0; row < plan_->rows(); ++row) begin_[row + 1] += begin_[row];
  std::vector<Edge> next(begin_.begin(), begin_.end() - 1);
  for_placed([&](std::size_t row, std::uint64_t word) {
    const auto at = static_cast<std::size_t>(next[row]++);
    targets_[at] = plan_->local_row(dense_of(word));
    if (graph_.directed()) directions_[at] = directions_in(word);
  });
}

void VertexCutTriangles::count() {
  for (WedgeCounts& counts : counts_) counts.clear();
  for (Local v = 0; world_.any(v < graph_.active());) {
    std::vector<Words> outgoing(static_cast<std::size_t>(world_.size()));
    for (auto& vertices : asked_) vertices.clear();
    for (std::size_t words = 0; v < graph_.active() && words < kWedgeBatch; ++v) words += write_messages(v, outgoing);
    std::vector<Words> answers;
    for (const Words& message : world_.exchange(std::move(outgoing))) answers.push_back(answer(message));
    add_answers(world_.exchange(std::move(answers)));
  }
  add_up(team_, counts_);
  exchange_->reduce_all({counts_[0].corners.data(), counts_[0].corners.size()});
  if (graph_.directed()) exchange_->reduce_all({counts_[0].edges.data(), counts_[0].edges.size()});
}

// A message has for each vertex the numbers of sources and of targets, then these. Returns the words written.
std::size_t VertexCutTriangles::write_messages(Local v, std::vector<Words>& outgoing) {
  if (lists_.of(v).size() < 2) return 0;
  return rule_.cut() == Cut::cartesian ? write_cartesian(v, outgoing) : write_hybrid(v, outgoing);
}

std::size_t VertexCutTriangles::write(Rank to, Local v, std::initializer_list<std::span<const std::uint64_t>> sources,
                                      std::initializer_list<std::span<const std::uint64_t>> targets,
                                      std::vector<Words>& outgoing) {
  Words& words = outgoing[to];
  const std::size_t head = words.size();
  words.resize(head + 2, 0);
  for (const auto& some : sources) words.insert(words.end(), some.begin(), some.end());
  words[head] = words.size() - head - 2;
  for (const auto& some : targets) words.insert(words.end(), some.begin(), some.end());
  words[head + 1] = words.size() - head - 2 - words[head];
  if (words[head] == 0 || words[head + 1] == 0) {
    words.resize(head);
    return 0;
  }
  asked_[to].push_back(v);
  return words.size() - head;
}

// The edge u -> w is in the row of u's owner and the column of w's.
std::size_t VertexCutTriangles::write_cartesian(Local v, std::vector<Words>& outgoing) {
  const Grid& grid = rule_.grid();
  const auto list = lists_.of(v);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::uint64_t word = entry(v, k);
    const Rank owner = owner_[list[k]];
    by_row_[grid.row_of(owner)].push_back(word);
    by_column_[grid.column_of(owner)].push_back(word);
  }
  std::size_t words = 0;
  for (Rank i = 0; i < grid.rows; ++i) {
    const Words& sources = by_row_[i];
    if (sources.empty()) continue;
    for (Rank j = 0; j < grid.columns; ++j) {
      const Words& targets = by_column_[j];
      if (targets.empty() || (sources.size() == 1 && sources == targets)) continue;
      words += write(grid.at(i, j), v, {sources}, {targets}, outgoing);
    }
  }
  for (Words& some : by_row_) some.clear();
  for (Words& some : by_column_) some.clear();
  return words;
}

// The edge u -> w is with w's owner, or with u's if w is heavy: a rank that owns a light vertex of the list needs all of it
// as sources, another one what it owns; all need the heavy ones as targets.
std::size_t VertexCutTriangles::write_hybrid(Local v, std::vector<Words>& outgoing) {
  const auto list = lists_.of(v);
  Words all, heavy;
  for (std::size_t k = 0; k < list.size(); ++k) {
    all.push_back(entry(v, k));
    const auto owner = static_cast<std::size_t>(owner_[list[k]]);
    const bool is_heavy = rule_.is_heavy(static_cast<Edge>(lists_.degree(list[k])));
    (is_heavy ? heavy : by_column_[owner]).push_back(all.back());
    by_row_[owner].push_back(all.back());
  }
  std::size_t words = 0;
  for (Rank r = 0; r < world_.size(); ++r) {
    Words &owned = by_row_[r], &light = by_column_[r];
    if (!owned.empty()) words += write(r, v, {light.empty() ? owned : all}, {light, heavy}, outgoing);
    owned.clear();
    light.clear();
  }
  return words;
}

// Counts the triangles that a message asks for; returns v's part for each v in it.
VertexCutTriangles::Words VertexCutTriangles::answer(const Words& message) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < message.size(); at += 2 + message[at] + message[at + 1]) starts.push_back(at);
  const std::size_t width = words_of_answer();
  Words sums(starts.size() * width);
  team_.for_range(starts.size(), kWedgeGrain, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const std::uint64_t* const head = message.data() + starts[i];
      const std::span sources(head + 2, head[0]), targets(head + 2 + head[0], head[1]);
      const WedgeCounts::Sum sum = graph_.directed() ? close_wedges<true>(thread, sources, targets)
                                                     : close_wedges<false>(thread, sources, targets);
      sums[i * width] = static_cast<std::uint64_t>(sum.triangles);
      if (width > 1) sums[i * width + 1] = static_cast<std::uint64_t>(sum.edges);
    }
  });
  return sums;
}

template <bool kDirected>
WedgeCounts::Sum VertexCutTriangles::close_wedges(int thread, std::span<const std::uint64_t> sources,
                                                  std::span<const std::uint64_t> targets) {
  WedgeCounts& mine = counts_[thread];
  std::vector<Local>& marked = marked_[thread];
  marked.clear();
  for (const std::uint64_t word : targets) {
    const Local w = plan_->local_row_if_any(dense_of(word));
    if (w < 0) continue;
    mine.mark[w] = directions_in(word);
    marked.push_back(w);
  }
  WedgeCounts::Sum sum;
  if (!marked.empty())
    for (const std::uint64_t word : sources) {
      const Local u = plan_->local_row_if_any(dense_of(word));
      if (u < 0) continue;
      const auto first = static_cast<std::size_t>(begin_[u]);
      const auto size = static_cast<std::size_t>(begin_[index(u) + 1]) - first;
      sum += mine.close<kDirected>(u, directions_in(word), {targets_.data() + first, size},
                                   kDirected ? directions_.data() + first : nullptr);
    }
  for (const Local w : marked) mine.mark[w] = 0;
  return sum;
}

void VertexCutTriangles::add_answers(const std::vector<Words>& answers) {
  const std::size_t width = words_of_answer();
  for (std::size_t r = 0; r < answers.size(); ++r)
    for (std::size_t i = 0; i < asked_[r].size(); ++i)
      counts_[0].add(static_cast<Local>(row_of(asked_[r][i])),
                     {.triangles = static_cast<Edge>(answers[r][i * width]),
                      .edges = width > 1 ? static_cast<Edge>(answers[r][i * width + 1]) : 0});
}

std::size_t VertexCutTriangles::memory_bytes() const {
  std::size_t bytes = lists_.memory_bytes() + dense_.size() * sizeof(Vertex) + owner_.size() * sizeof(Rank) +
                      begin_.size() * sizeof(Edge) + targets_.size() * sizeof(Local) + directions_.size() +
                      exchange_->memory_bytes();
  for (const WedgeCounts& counts : counts_) bytes += counts.memory_bytes();
  return bytes;
}

}  // namespace atl
