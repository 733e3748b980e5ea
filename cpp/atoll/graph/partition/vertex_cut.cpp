// SPDX-License-Identifier: Apache-2.0
// The owner of an edge's source sends it to the rank that the rule assigns. Ranks exchange counts first, so that edges
// are received into their final place; then mirrors get local numbers, and rows are built in place.
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/vertex_cut.hpp>
#include <atoll/graph/rows.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atomic>
#include <numeric>

namespace atl {
namespace {

// Grain sizes: masters whose edges a thread sends at a time, and edges whose ends it renumbers at a time.
constexpr std::size_t kMasters = 256, kEdges = 1 << 16;

template <class Dense, class W>
struct [[gnu::packed]] Arc {
  Dense source, target;
  [[no_unique_address]] W weight;
};
template <class Dense>
struct [[gnu::packed]] Arc<Dense, std::monostate> {
  Dense source, target;
};

Local round64(Local n) { return (n + 63) / 64 * 64; }

// Rows by `row`, with the other ends; sorted.
template <class W>
Csr rows_by(Team& team, const Array<Local>& row, const Array<Local>& end, const Array<W>* weight, Local locals) {
  Csr csr;
  csr.offsets = Array<Edge>(static_cast<std::size_t>(locals) + 1, 0);
  Array<Edge> next(static_cast<std::size_t>(locals), 0);
  team.for_range(row.size(), kEdges, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) std::atomic_ref(next[row[i]]).fetch_add(1, std::memory_order_relaxed);
  });
  Edge sum = 0;
  for (std::size_t v = 0; v < next.size(); ++v) {
    csr.offsets[v] = sum;
    sum += std::exchange(next[v], sum);
  }
  csr.offsets[next.size()] = sum;
  csr.targets = Array<Local>(row.size());
  Array<W> weights;
  if (weight) weights = Array<W>(row.size());
  team.for_range(row.size(), kEdges, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const auto at = static_cast<std::size_t>(std::atomic_ref(next[row[i]]).fetch_add(1, std::memory_order_relaxed));
      csr.targets[at] = end[i];
      if (weight) weights[at] = (*weight)[i];
    }
  });
  if (weight) csr.weights = std::move(weights);
  sort_rows(team, csr, Duplicates::keep, locals);
  return csr;
}

}  // namespace

VertexCut::VertexCut(const Graph& graph, const CutRule& rule, CutRows rows)
    : world_(graph.world()), owned_(graph.owned()) {
  std::visit(
      [&](const auto& weights) {
        using C = std::decay_t<decltype(weights)>;
        const bool narrow = graph.vertices() < kNarrowIds;
        if constexpr (std::is_same_v<C, std::monostate>) {
          narrow ? build<std::uint32_t, std::monostate>(graph, rule, rows)
                 : build<Vertex, std::monostate>(graph, rule, rows);
        } else {
          using W = std::decay_t<decltype(weights[0])>;
          narrow ? build<std::uint32_t, W>(graph, rule, rows) : build<Vertex, W>(graph, rule, rows);
        }
      },
      graph.out().weights);
}

template <class Dense, class W>
void VertexCut::build(const Graph& graph, const CutRule& rule, CutRows rows) {
  Team& team = world_.team();
  const auto p = static_cast<std::size_t>(world_.size());
  const Rank me = world_.rank();
  const std::vector<Vertex> dense = dense_numbers(graph);
  Array<Edge> in_degree(static_cast<std::size_t>(graph.locals()), 0);
  for (Local v = 0; v < graph.active(); ++v) in_degree[v] = graph.in().degree(v);
  broadcast_to_mirrors(graph, std::span(in_degree.data(), in_degree.size()));

  // f(thread, target rank, source, position of the edge) for this rank's edges.
  const Csr& out = graph.out();
  const auto for_arcs = [&](auto&& f) {
    team.for_range(static_cast<std::size_t>(graph.active()), kMasters, [&](int thread, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v)
        for (auto e = static_cast<std::size_t>(out.offsets[v]); e < static_cast<std::size_t>(out.offsets[v + 1]); ++e) {
          const auto u = static_cast<std::size_t>(out.targets[e]);
          f(thread, rule.place(me, graph.blocks().owner(dense[u]), in_degree[u]), v, e);
        }
    });
  };
  std::vector<std::vector<Edge>> counted(static_cast<std::size_t>(team.size()), std::vector<Edge>(p, 0));
  for_arcs([&](int thread, Rank to, std::size_t, std::size_t) { ++counted[thread][to]; });
  std::vector<Edge> leaving(p, 0);
  for (const auto& counts : counted)
    for (std::size_t r = 0; r < p; ++r) leaving[r] += counts[r];
  const std::vector<Edge> coming = world_.exchange_lengths(leaving);
  const auto arcs = static_cast<std::size_t>(std::accumulate(coming.begin(), coming.end(), Edge{0}));

  constexpr bool kWeighted = !std::is_same_v<W, std::monostate>;
  using Weight = std::conditional_t<kWeighted, W, float>;
  Array<Dense> source(arcs), target(arcs);
  Array<Weight> weight(kWeighted ? arcs : 0);
  std::atomic<std::size_t> filled{0};
  {
    using R = Arc<Dense, W>;
    Mailbox box(world_, of_records<R>([&](std::span<const R> records) {
                  std::size_t at = filled.fetch_add(records.size(), std::memory_order_relaxed);
                  for (const R& r : records) {
                    source[at] = r.source;
                    target[at] = r.target;
                    if constexpr (kWeighted) weight[at] = r.weight;
                    ++at;
                  }
                }),
                {.handling = Handling::parallel, .handler_sends = false});
    for_arcs([&](int, Rank to, std::size_t v, std::size_t e) {
      R arc;
      arc.source = static_cast<Dense>(dense[v]);
      arc.target = static_cast<Dense>(dense[out.targets[e]]);
      if constexpr (kWeighted) arc.weight = std::get<Array<W>>(out.weights)[e];
      box.send(to, arc);
    });
    box.drain();
  }
  name_mirrors(graph, source, target);
  const auto localise = [&](const Array<Dense>& ends) {
    Array<Local> locals(ends.size());
    team.for_range(ends.size(), kEdges, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) locals[i] = local_of(graph, static_cast<Vertex>(ends[i]));
    });
    return locals;
  };
  const Array<Local> from = localise(source);
  source = {};
  const Array<Local> to = localise(target);
  target = {};
  known_ = {};
  mirror_at_ = {};
  const Array<Weight>* const weights = kWeighted ? &weight : nullptr;
  rows_ =
      rows == CutRows::sources ? rows_by(team, from, to, weights, locals_) : rows_by(team, to, from, weights, locals_);
}

// Queries owners for the local numbers of the vertices that edges here name; the owners record which ranks mirror them.
template <class Dense>
void VertexCut::name_mirrors(const Graph& graph, const Array<Dense>& source, const Array<Dense>& target) {
  const Blocks& blocks = graph.blocks();
  const auto p = static_cast<std::size_t>(world_.size());
  const auto words = static_cast<std::size_t>(blocks.count() / 64 + 1);
  check(2 * words * 8 <= world_.plan().replicated_bytes,
        "{} vertices need two tables of {} bytes on each rank (replicated_bytes is {}). Raise it in the plan.",
        blocks.count(), words * 8, world_.plan().replicated_bytes);
  const auto seen = [&](const Array<Dense>& ends) {
    Array<std::uint64_t> bits(words, 0);
    for (const Dense end : ends) bits[static_cast<std::size_t>(end) / 64] |= std::uint64_t{1} << (end % 64);
    return bits;
  };
  const Array<std::uint64_t> read = seen(source), written = seen(target);
  known_.bits = Array<std::uint64_t>(words);
  known_.before = Array<std::uint32_t>(words);
  std::vector<std::vector<std::uint32_t>> asked[kinds];  // [kind][rank] owned indices at the owner, ascending
  for (auto& of_rank : asked) of_rank.resize(p);
  struct Named {
    Rank owner;
    Kind kind;
  };
  std::vector<Named> named;
  const Vertex begin = blocks.begin(world_.rank()), end = blocks.end(world_.rank());
  for (std::size_t w = 0; w < words; ++w) {
    known_.before[w] = static_cast<std::uint32_t>(named.size());
    known_.bits[w] = 0;
    for (std::uint64_t word = read[w] | written[w]; word; word &= word - 1) {
      const int bit = std::countr_zero(word);
      const Vertex v = static_cast<Vertex>(w * 64) + bit;
      if (v >= begin && v < end) continue;
      known_.bits[w] |= std::uint64_t{1} << bit;
      const Kind kind = !(written[w] >> bit & 1) ? only_read : !(read[w] >> bit & 1) ? only_written : both;
      const Rank owner = blocks.owner(v);
      asked[kind][owner].push_back(static_cast<std::uint32_t>(v - blocks.begin(owner)));
      named.push_back({owner, kind});
    }
  }

  std::vector<std::vector<std::uint32_t>> positions[kinds];  // [kind][rank] of what was asked
  for (const Kind kind : {only_read, both, only_written}) {
    mirrors_[kind].begin.resize(p);
    mirrors_[kind].count.resize(p);
    mirrors_[kind].known_by.resize(p);
    for (std::size_t r = 0; r < p; ++r) mirrors_[kind].count[r] = static_cast<Local>(asked[kind][r].size());
    const auto wanted = world_.exchange(std::move(asked[kind]));
    std::vector<std::vector<std::uint32_t>> outgoing(p);
    std::vector<std::uint32_t> before(static_cast<std::size_t>(round64(owned_)) / 64);
    for (std::size_t r = 0; r < p; ++r) {
      if (wanted[r].empty()) continue;
      Array<std::uint64_t> known(before.size(), 0);
      for (const std::uint32_t owned_index : wanted[r]) {
        const auto local = static_cast<std::size_t>(graph.local_of(owned_index));
        known[local / 64] |= std::uint64_t{1} << (local % 64);
      }
      std::uint32_t sum = 0;
      for (std::size_t w = 0; w < known.size(); ++w)
        before[w] = std::exchange(sum, sum + static_cast<std::uint32_t>(std::popcount(known[w])));
      for (const std::uint32_t owned_index : wanted[r]) {
        const auto local = static_cast<std::size_t>(graph.local_of(owned_index));
        const std::uint64_t below = known[local / 64] & ((std::uint64_t{1} << (local % 64)) - 1);
        outgoing[r].push_back(before[local / 64] + static_cast<std::uint32_t>(std::popcount(below)));
      }
      mirrors_[kind].known_by[r] = std::move(known);
    }
    positions[kind] = world_.exchange(std::move(outgoing));
  }

  first_mirror_ = round64(owned_);
  Vertex next = first_mirror_;
  for (std::size_t r = 0; r < p; ++r) {
    for (Mirrors& mirrors : mirrors_) {
      mirrors.begin[r] = static_cast<Local>(next);
      next += mirrors.count[r];
    }
    next = (next + 63) / 64 * 64;
  }
  world_.agree(
      next < (Vertex{1} << 31) - 64,
      fmt::format("rank {} would know {} vertices (local numbers have 31 bits). Use more ranks.", world_.rank(), next));
  locals_ = static_cast<Local>(next);
  std::vector<std::size_t> asked_before(p * kinds, 0);
  mirror_at_.reserve(named.size());
  for (const auto& [owner, kind] : named) {
    const auto r = static_cast<std::size_t>(owner);
    mirror_at_.push_back(mirrors_[kind].begin[r] +
                         static_cast<Local>(positions[kind][r][asked_before[r * kinds + kind]++]));
  }
}

Local VertexCut::local_of(const Graph& graph, Vertex dense) const {
  const Vertex owned_index = dense - graph.blocks().begin(world_.rank());
  if (owned_index >= 0 && owned_index < owned_) return graph.local_of(owned_index);
  const auto w = static_cast<std::size_t>(dense) / 64;
  const std::uint64_t below = known_.bits[w] & ((std::uint64_t{1} << (dense % 64)) - 1);
  return mirror_at_[known_.before[w] + static_cast<std::uint32_t>(std::popcount(below))];
}

Csr VertexCut::transposed(WithWeights weights) const {
  Team& team = world_.team();
  Array<Local> row(rows_.targets.size());
  team.for_range(static_cast<std::size_t>(locals_), kMasters, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      std::fill(row.begin() + rows_.offsets[v], row.begin() + rows_.offsets[v + 1], static_cast<Local>(v));
  });
  if (weights == WithWeights::yes)
    if (const auto* wide = std::get_if<Array<double>>(&rows_.weights))
      return rows_by(team, rows_.targets, row, wide, locals_);
  const auto* narrow = weights == WithWeights::yes ? std::get_if<Array<float>>(&rows_.weights) : nullptr;
  return rows_by(team, rows_.targets, row, narrow, locals_);
}

const VertexCut& Graph::vertex_cut(CutRows rows) const {
  auto& cut = vertex_cuts_[static_cast<std::size_t>(rows)];
  if (!cut) cut = std::make_shared<const VertexCut>(*this, cut_, rows);
  return *cut;
}

std::size_t VertexCut::memory_bytes() const {
  std::size_t bytes = rows_.memory_bytes();
  for (const Mirrors& mirrors : mirrors_)
    for (const auto& known : mirrors.known_by) bytes += known.size() * 8;
  return bytes;
}

}  // namespace atl
