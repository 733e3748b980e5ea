// SPDX-License-Identifier: Apache-2.0
// From edges in any order on any rank to lists at the owner, in two passes: count, then place. Nothing is buffered
// between them, so that the fullest moment holds the edges and the lists once each.
#include <atoll/graph/enough_memory.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/graph/mirror.hpp>
#include <atoll/graph/partition/cut_quality.hpp>
#include <atoll/graph/relabel.hpp>
#include <atoll/graph/rows.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>

namespace atl {
namespace {

// Edges that a thread distributes at a time.
constexpr std::size_t kChunk = 2048;
// Records ahead of their use that a handler prefetches: the latency of memory over the time of a record.
constexpr std::size_t kAhead = 24;

template <class Dense, class W>
struct [[gnu::packed]] RowEdge {
  std::uint32_t row;  // owned index at the owner
  Dense target;
  [[no_unique_address]] W weight;
};
template <class Dense>
struct [[gnu::packed]] RowEdge<Dense, std::monostate> {
  std::uint32_t row;
  Dense target;
};

// Which ends of an edge get it into their list.
enum class Ends { source, target, both };

template <class W>
const W* data_of(const WeightColumn& column) {
  if constexpr (std::is_same_v<W, std::monostate>) {
    return nullptr;
  } else {
    return std::get<Array<W>>(column).data();
  }
}

std::size_t edge_bytes(const EdgeList& edges) {
  const std::size_t ids = std::visit([](const auto& c) { return 2 * c.size() * sizeof(c[0]); }, edges.source);
  return ids + edges.size() * (edges.weight.index() == 2 ? 8 : edges.weight.index() == 1 ? 4 : 0);
}

}  // namespace

class GraphBuilder {
 public:
  GraphBuilder(World& world, IdMap ids, const GraphOptions& options) : world_(world), options_(options) {
    graph_.world_ = &world;
    graph_.ids_ = std::move(ids);
  }

  /// `owner` is the same list when it may be freed.
  Graph build(const EdgeList& edges, EdgeList* owner) {
    number_locally(edges);
    graph_.name_ = edges.name;
    graph_.directed_ = edges.directed;
    graph_.input_edges_ = world_.sum(static_cast<Edge>(edges.size()));
    const EdgeList empty = agree_on_columns(edges);
    const EdgeList& shaped = edges.size() > 0 ? edges : empty;
    std::visit(
        [&](const auto& source, const auto& weight) {
          using Dense = std::decay_t<decltype(source[0])>;
          using C = std::decay_t<decltype(weight)>;
          if constexpr (std::is_same_v<C, std::monostate>) {
            build_typed<Dense, std::monostate>(shaped, owner);
          } else {
            build_typed<Dense, std::decay_t<decltype(weight[0])>>(shaped, owner);
          }
        },
        shaped.source, shaped.weight);
    Edge heaviest = 0;
    for (Local v = 0; v < graph_.active_; ++v) heaviest = std::max(heaviest, graph_.out_.degree(v));
    world_.prefer_monitors(heaviest);
    cut();
    graph_.report_.graph_bytes = graph_.memory_bytes();
    graph_.report_.peak_bytes = std::max(graph_.report_.peak_bytes, graph_.report_.graph_bytes);
    return std::move(graph_);
  }

 private:
  void number_locally(const EdgeList& edges) {
    const Vertex owned = graph_.blocks().size(world_.rank());
    // Each direction's offsets and positions, the two orders, the original ids.
    const double per_vertex = (edges.directed ? 2 : 1) * 2 * sizeof(Edge) + 2 * sizeof(Local) + sizeof(std::uint32_t);
    require_vertices(world_, edges.name, graph_.ids_, per_vertex * static_cast<double>(owned));
    world_.agree(owned < (Vertex{1} << 31) - 64,
                 fmt::format("rank {} would own {} vertices (local numbers have 31 bits). Use more ranks.",
                             world_.rank(), owned));
    graph_.owned_ = static_cast<Local>(owned);
  }

  void cut() {
    const PartitionOptions& placement = options_.placement;
    const Rank ranks = world_.size();
    if (ranks == 1) return;
    const RankTimer timer(world_);
    graph_.cut_ = CutRule(placement.cut, ranks, placement.heavy);
    if (placement.cut != Cut::chosen) return;
    graph_.cut_ = choose_cut(graph_, placement.heavy);
    graph_.report_.seconds["choose"] = timer.seconds();
  }

  // Records have one form on all ranks: so must the columns have. A rank without edges takes the form of the others:
  // returns an empty list of it.
  EdgeList agree_on_columns(const EdgeList& edges) {
    struct ColumnTypes {
      bool has_edges;
      int ids, weight, directed;
      bool operator==(const ColumnTypes&) const = default;
    };
    const ColumnTypes mine{edges.size() > 0, static_cast<int>(edges.source.index()),
                           static_cast<int>(edges.weight.index()), edges.directed};
    const ColumnTypes common = world_.fold(
        mine, [](const ColumnTypes& a, const ColumnTypes& b) { return b.has_edges && !a.has_edges ? b : a; });
    const auto size_of = [](const auto& column) {
      return std::visit(
          [](const auto& c) -> std::size_t {
            if constexpr (std::is_same_v<std::decay_t<decltype(c)>, std::monostate>) {
              return 0;
            } else {
              return c.size();
            }
          },
          column);
    };
    world_.agree(
        edges.size() == 0 || mine == common,
        fmt::format("{}: the edges of rank {} have {}-bit ids, {} weights, {} (other ranks' have another form). "
                    "Give the same on all ranks.",
                    edges.name, world_.rank(), edges.source.index() == 0 ? 32 : 64,
                    mine.weight == 0   ? "no"
                    : mine.weight == 1 ? "float"
                                       : "double",
                    edges.directed ? "directed" : "undirected"));
    world_.agree(edges.target.index() == edges.source.index() && size_of(edges.target) == edges.size() &&
                     (!edges.weighted() || size_of(edges.weight) == edges.size()),
                 fmt::format("{}: {} sources, {} targets, {} weights on rank {} (each edge has one of each, ids of one "
                             "width). Correct the columns.",
                             edges.name, edges.size(), size_of(edges.target), size_of(edges.weight), world_.rank()));
    EdgeList empty;
    if (common.ids == 1) {
      empty.source = Array<Vertex>();
      empty.target = Array<Vertex>();
    }
    if (common.weight == 1) empty.weight = Array<float>();
    if (common.weight == 2) empty.weight = Array<double>();
    empty.name = edges.name;
    graph_.directed_ = empty.directed = common.directed != 0;
    return empty;
  }

  // Sends make(row at the owner, other end, position) for the chosen ends of all edges, and drains.
  template <class Dense, class R, class Box, class Make>
  void distribute(const EdgeList& edges, Ends ends, Box& box, Make&& make) {
    const auto& source = std::get<Array<Dense>>(edges.source);
    const auto& target = std::get<Array<Dense>>(edges.target);
    const Blocks& blocks = graph_.blocks();
    const bool drop_loops = options_.self_loops == SelfLoops::drop;
    world_.team().for_range(source.size(), kChunk, [&](int, std::size_t a, std::size_t b) {
      auto buffers = box.send_buffers();
      Rank to[2 * kChunk];
      R records[2 * kChunk];
      std::size_t n = 0;
      auto emit = [&](Dense end, Dense other, std::size_t i) {
        const Rank owner = blocks.owner(static_cast<Vertex>(end));
        to[n] = owner;
        records[n++] = make(static_cast<std::uint32_t>(static_cast<Vertex>(end) - blocks.begin(owner)), other, i);
      };
      for (std::size_t i = a; i < b; ++i) {
        const Dense s = source[i], t = target[i];
        if (s == t && drop_loops) continue;
        if (ends != Ends::target) emit(s, t, i);
        if (ends == Ends::target || (ends == Ends::both && s != t)) emit(t, s, i);
      }
      buffers.send_many(std::span(to, n), std::span(records, n));
    });
    box.drain();
  }

  template <class Dense>
  Array<Edge> count(const EdgeList& edges, Ends ends) {
    Array<Edge> degree(static_cast<std::size_t>(graph_.owned_), 0);
    const bool alone = world_.team().size() == 1;
    Mailbox box(world_, of_records<std::uint32_t>([&](std::span<const std::uint32_t> rows) {
                  for (std::size_t i = 0; i < rows.size(); ++i) {
                    if (i + kAhead < rows.size()) __builtin_prefetch(&degree[rows[i + kAhead]], 1);
                    if (alone) {
                      ++degree[rows[i]];
                    } else {
                      std::atomic_ref(degree[rows[i]]).fetch_add(1, std::memory_order_relaxed);
                    }
                  }
                }),
                {.handling = Handling::parallel, .handler_sends = false, .handler_is_slow = true});
    distribute<Dense, std::uint32_t>(edges, ends, box, [](std::uint32_t row, Dense, std::size_t) { return row; });
    return degree;
  }

  // The lists with dense targets; `next` is where the row of each owned index goes on.
  template <class Dense, class W>
  void place(const EdgeList& edges, Ends ends, Array<Edge>& next, Dense* targets, W* weights) {
    using R = RowEdge<Dense, W>;
    const bool alone = world_.team().size() == 1;
    Mailbox box(world_, of_records<R>([&](std::span<const R> records) {
                  constexpr std::size_t kBatch = 64;
                  Edge at[kBatch];
                  for (std::size_t first = 0; first < records.size(); first += kBatch) {
                    const std::size_t n = std::min(kBatch, records.size() - first);
                    // Positions first: the lines that they name are on their way while the next ones are asked for.
                    for (std::size_t i = 0; i < n; ++i) {
                      if (first + i + kAhead < records.size())
                        __builtin_prefetch(&next[records[first + i + kAhead].row], 1);
                      Edge& row = next[records[first + i].row];
                      at[i] = alone ? row++ : std::atomic_ref(row).fetch_add(1, std::memory_order_relaxed);
                      __builtin_prefetch(targets + at[i], 1);
                    }
                    for (std::size_t i = 0; i < n; ++i) {
                      targets[at[i]] = records[first + i].target;
                      if constexpr (!std::is_same_v<W, std::monostate>) weights[at[i]] = records[first + i].weight;
                    }
                  }
                }),
                {.handling = Handling::parallel, .handler_sends = false, .handler_is_slow = true});
    const W* weight = data_of<W>(edges.weight);
    distribute<Dense, R>(edges, ends, box, [&](std::uint32_t row, Dense target, std::size_t i) {
      if constexpr (std::is_same_v<W, std::monostate>) {
        return R{row, target};
      } else {
        return R{row, target, weight[i]};
      }
    });
  }

  // Offsets in local order; `degree` becomes the rows' next positions, by owned index.
  Array<Edge> offsets_of(Array<Edge>& degree, const LocalOrder& order) {
    Array<Edge> offsets(degree.size() + 1);
    Edge sum = 0;
    for (std::size_t v = 0; v < degree.size(); ++v) {
      if (v % (1 << 16) == 0) world_.team().cancellation_point();
      Edge& row = degree[order.owned_index_of[v]];
      offsets[v] = sum;
      sum += std::exchange(row, sum);
    }
    offsets[degree.size()] = sum;
    return offsets;
  }

  template <class Dense, class W>
  void build_typed(const EdgeList& edges, EdgeList* owner) {
    auto& seconds = graph_.report_.seconds;
    RankTimer whole(world_), timer(world_);
    const bool directed = edges.directed;
    Array<Edge> next_out = count<Dense>(edges, directed ? Ends::source : Ends::both);
    Array<Edge> next_in = directed ? count<Dense>(edges, Ends::target) : Array<Edge>();
    seconds["count"] = timer.lap();

    LocalOrder order;
    const RelabelOptions relabel{options_.degree_sort, options_.isolated == Isolated::drop};
    if (directed) {
      Array<Edge> degree(next_out.size());
      for (std::size_t v = 0; v < degree.size(); ++v) degree[v] = next_out[v] + next_in[v];
      order = order_by_degree(world_.team(), degree, relabel);
    } else {
      order = order_by_degree(world_.team(), next_out, relabel);
    }
    seconds["relabel"] = timer.lap();

    Csr &out = graph_.out_, &in = graph_.in_;
    out.offsets = offsets_of(next_out, order);
    if (directed) in.offsets = offsets_of(next_in, order);
    Array<Dense> out_dense(static_cast<std::size_t>(out.size())), in_dense(static_cast<std::size_t>(in.size()));
    auto place_one = [&](Csr& csr, Ends ends, Array<Edge>& next, Array<Dense>& dense) {
      W* weights = nullptr;
      if constexpr (!std::is_same_v<W, std::monostate>) {
        csr.weights = Array<W>(dense.size());
        weights = std::get<Array<W>>(csr.weights).data();
      }
      place<Dense, W>(edges, ends, next, dense.data(), weights);
    };
    place_one(out, directed ? Ends::source : Ends::both, next_out, out_dense);
    if (directed) place_one(in, Ends::target, next_in, in_dense);
    graph_.report_.peak_bytes = edge_bytes(edges) + (out_dense.size() + in_dense.size()) * sizeof(Dense) +
                                out.memory_bytes() + in.memory_bytes() +
                                next_out.size() * sizeof(Edge) * (directed ? 2 : 1) +
                                order.local_of.size() * 2 * sizeof(Local);
    next_out = {};
    next_in = {};
    if (owner) *owner = EdgeList{};
    seconds["place"] = timer.lap();

    const std::span<const Dense> lists[] = {out_dense, in_dense};
    LocalNames names = LocalNames::learn<Dense>(world_, graph_.ids_, order, lists);
    out.targets = localise(std::move(out_dense), names);
    in.targets = localise(std::move(in_dense), names);
    name_locals(order, names);
    graph_.mirrors_ = std::move(names.mirrors);
    graph_.locals_ = names.locals;
    graph_.hubs_ = order.hubs;
    graph_.active_ = order.active;
    graph_.local_of_ = std::move(order.local_of);
    graph_.owned_index_of_ = std::move(order.owned_index_of);
    seconds["translate"] = timer.lap();

    const auto [loops, merged] = sort_rows(world_.team(), out, options_.duplicates, names.locals);
    if (directed) sort_rows(world_.team(), in, options_.duplicates, names.locals);
    graph_.edges_ = directed ? world_.sum(out.size()) : (world_.sum(out.size()) + world_.sum(loops)) / 2;
    graph_.merged_to_least_ = graph_.weighted() && options_.duplicates == Duplicates::merge_min && world_.any(merged);
    seconds["sort"] = timer.lap();
    seconds["total"] = whole.seconds();
  }

  // Dense numbers -> local numbers, in place; 64-bit ones shrink.
  template <class Dense>
  Array<Local> localise(Array<Dense> dense, const LocalNames& names) {
    Team& team = world_.team();
    const std::size_t n = dense.size();
    constexpr std::size_t kGrain = 1 << 16;
    if constexpr (sizeof(Dense) == sizeof(Local)) {
      team.for_range(n, kGrain, [&](int, std::size_t a, std::size_t b) {
        for (std::size_t i = a; i < b; ++i) dense[i] = static_cast<Dense>(names.of(static_cast<Vertex>(dense[i])));
      });
    } else {
      auto* bytes = reinterpret_cast<std::byte*>(dense.data());
      for (std::size_t i = 0; i < n; ++i) {
        if (i % kGrain == 0) team.cancellation_point();
        const Local local = names.of(static_cast<Vertex>(dense[i]));
        std::memcpy(bytes + i * sizeof(Local), &local, sizeof local);
      }
    }
    return std::move(dense).template narrow<Local>(n);
  }

  void name_locals(const LocalOrder& order, const LocalNames& names) {
    const auto locals = static_cast<std::size_t>(names.locals);
    auto fill = [&](auto column) {
      using Id = std::decay_t<decltype(column[0])>;
      const auto owned = order.owned_index_of.size();
      constexpr std::size_t kGrain = 1 << 15;
      world_.team().for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
        for (std::size_t v = a; v < b; ++v) column[v] = static_cast<Id>(graph_.ids_.id_of(order.owned_index_of[v]));
      });
      const std::size_t first_mirror = locals - names.mirror_ids.size();
      for (std::size_t v = owned; v < first_mirror; ++v) column[v] = 0;
      for (std::size_t m = 0; m < names.mirror_ids.size(); ++m)
        column[first_mirror + m] = static_cast<Id>(names.mirror_ids[m]);
      graph_.id_column_ = std::move(column);
    };
    if (graph_.ids_.largest() < kNarrowIds) {
      fill(Array<std::uint32_t>(locals));
    } else {
      fill(Array<Vertex>(locals));
    }
  }

  World& world_;
  const GraphOptions options_;
  Graph graph_;
};

Graph Graph::build(World& world, EdgeList&& edges, const GraphOptions& options) {
  const RankTimer timer(world);
  IdMap ids = number(world, edges);
  std::map<std::string, double> seconds{{"number", timer.seconds()}};
  ids = assign(world, edges, std::move(ids), options.placement, &seconds);
  const double before = timer.seconds();
  Graph graph = GraphBuilder(world, std::move(ids), options).build(edges, &edges);
  graph.report_.seconds.merge(seconds);
  graph.report_.seconds["total"] += before;
  return graph;
}

Graph Graph::build(World& world, const EdgeList& dense, IdMap ids, const GraphOptions& options) {
  return GraphBuilder(world, std::move(ids), options).build(dense, nullptr);
}

}  // namespace atl
