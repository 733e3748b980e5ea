// SPDX-License-Identifier: Apache-2.0
// Strongly connected components over ranks. First the component of one vertex of high degree, which is mostly the giant
// one: what it reaches and is reached by [1]. The rest is in three parts that no cycle joins. Where it fits, rank 0
// searches it depth-first: it is mostly small, and deep. Where it does not, rounds of coloring [2] make it smaller: each
// vertex of a part takes the highest priority among those that reach it there, and the vertex that has that priority
// names the color. A color's vertices that reach the vertex that names it are its component; those that do not are a
// part of the next round. Priorities are random, so that the expected number of rounds is logarithmic even where the
// condensation is a long path.
//
// [1] L. Fleischer, B. Hendrickson, A. Pinar. "On identifying strongly connected components in parallel." IPDPS
// Workshops 2000.
// [2] S. Orzan. "On distributed verification and verified distribution." PhD thesis, VU Amsterdam, 2004.
#include <atoll/algorithms/strong_components/distributed.hpp>
#include <atoll/algorithms/strong_components/gathered.hpp>
#include <limits>

namespace atl {
namespace {

constexpr std::size_t kVertexGrain = 1024;

// Permutes 64-bit numbers, and maps none but 0 to 0 (the finalizer of MurmurHash3).
std::uint64_t shuffled(std::uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ x >> 33;
}

}  // namespace

DistributedStrongComponents::DistributedStrongComponents(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      forward_(graph),
      backward_(graph, {.along = Along::reversed_edges}),
      view_(GraphView::of(graph, CutRows::sources)),
      numbers_(view_),
      part_(forward_.values().size()),
      component_(part_.size()) {}

void DistributedStrongComponents::run(StrongComponentsResult& result) {
  if (result.component.size() != index(graph_.owned())) result.component = Array<Vertex>(index(graph_.owned()));
  separate_component_of_pivot(result.component);
  bool are_colored = false;
  while (any_left()) {
    if (fits_on_first_rank()) {
      search_on_first_rank(result.component);
      break;
    }
    color_by_ancestors();
    collect_components();
    are_colored = true;
  }
  if (are_colored) name_colored(result.component);
  Vertex components = 0;
  for (Vertex k = 0; k < graph_.owned(); ++k)
    components += result.component[static_cast<std::size_t>(k)] == graph_.id_of(graph_.local_of(k));
  result.components = world_.sum(components);
}

// Values pass as many edges as a rank has of their way before ranks exchange them.
template <class Program, class Message>
void DistributedStrongComponents::run_to_end(Program& program, Message&& message) {
  for (;;) {
    program.synchronize();
    bool any = false;
    program.for_active([&](Color) { any = true; });
    if (!world_.any(any)) break;
    program.relax_until(message, [](Color) { return true; });
  }
  program.synchronize_mirrors();
}

// The master with most pairs of an entering and a leaving edge; -1 on all ranks but one.
Local DistributedStrongComponents::pivot() const {
  struct Best {
    double pairs = 0;
    Vertex id = kNoVertex;
  };
  Best mine;
  Local at = -1;
  for (Local v = 0; v < graph_.active(); ++v) {
    const double pairs = static_cast<double>(graph_.out().degree(v)) * static_cast<double>(graph_.in().degree(v));
    if (pairs <= mine.pairs) continue;
    mine = {pairs, graph_.id_of(v)};
    at = v;
  }
  const Best best = world_.fold(
      mine, [](Best a, const Best& b) { return b.pairs > a.pairs || (b.pairs == a.pairs && b.id < a.id) ? b : a; });
  return best.id == mine.id ? at : -1;
}

// Afterwards the vertices that only lead to the component, those that it only leads to, and all others are parts.
void DistributedStrongComponents::separate_component_of_pivot(Array<Vertex>& names) {
  const auto same = [](Color value, const auto&) { return value; };
  const Local start = pivot();
  for (auto* program : {&forward_, &backward_}) {
    program->start(kNone);
    if (start >= 0) program->update(start, color_named_by(start));
    run_to_end(*program, same);
  }
  Vertex smallest = std::numeric_limits<Vertex>::max();
  for (std::size_t v = 0; v < part_.size(); ++v) {
    const Color after = forward_.values()[v], before = backward_.values()[v];
    component_[v] = kNone;
    part_[v] = after && before ? kNone : Color{1} + (after != kNone) + 2 * (before != kNone);
    if (v < index(graph_.active()) && !part_[v]) smallest = std::min(smallest, graph_.id_of(static_cast<Local>(v)));
  }
  smallest = world_.min(smallest);
  for (Vertex k = 0; k < graph_.owned(); ++k) {
    const Local v = graph_.local_of(k);
    const bool has_edges = v < graph_.active();
    if (!has_edges) part_[v] = kNone;
    names[static_cast<std::size_t>(k)] = has_edges && !part_[v] ? smallest : graph_.id_of(v);
  }
}

bool DistributedStrongComponents::fits_on_first_rank() const {
  double vertices = 0, arcs = 0;
  for (Local v = 0; v < graph_.active(); ++v) vertices += part_[v] != kNone;
  for_arcs_left([&](Local, Local) { ++arcs; });
  vertices = world_.sum(vertices);
  return vertices < std::numeric_limits<Local>::max() &&
         gathered_component_bytes(vertices, world_.sum(arcs)) <= static_cast<double>(world_.plan().replicated_bytes);
}

// The vertices that are left are numbered over the ranks, those of a rank one after another.
void DistributedStrongComponents::search_on_first_rank(Array<Vertex>& names) {
  std::vector<Vertex> ids;
  std::vector<Local> masters;
  for (Local v = 0; v < graph_.active(); ++v)
    if (part_[v]) {
      ids.push_back(graph_.id_of(v));
      masters.push_back(v);
    }
  Array<Vertex> number(part_.size(), kNoVertex);
  Vertex next = 0;
  const std::vector<Vertex> counts = world_.all_gather(static_cast<Vertex>(masters.size()));
  for (Rank r = 0; r < world_.rank(); ++r) next += counts[static_cast<std::size_t>(r)];
  for (const Local v : masters) number[v] = next++;
  numbers_.broadcast_all({number.data(), number.size()});
  std::vector<Arc> arcs;
  for_arcs_left(
      [&](Local v, Local u) { arcs.push_back({static_cast<Local>(number[v]), static_cast<Local>(number[u])}); });
  const std::vector<Vertex> smallest = gathered_components(world_, ids, std::move(arcs));
  for (std::size_t k = 0; k < masters.size(); ++k)
    names[static_cast<std::size_t>(graph_.owned_index_of(masters[k]))] = smallest[k];
}

// Calls f(source, target) for each edge of this rank within a part.
template <class F>
void DistributedStrongComponents::for_arcs_left(F&& f) const {
  const Csr& rows = *view_.rows;
  for (Local v = 0; v < static_cast<Local>(rows.offsets.size() - 1); ++v)
    if (part_[v])
      for (const Local u : rows.neighbours(v))
        if (u != v && part_[u] == part_[v]) f(v, u);
}

// Differs from vertex to vertex, is not kNone, and is the vertex's priority.
DistributedStrongComponents::Color DistributedStrongComponents::color_named_by(Local v) const {
  return shuffled(static_cast<Color>(graph_.id_of(v)) + 1);
}

void DistributedStrongComponents::color_by_ancestors() {
  forward_.start([&](Local v) { return part_[v] ? color_named_by(v) : kNone; });
  for (Local v = 0; v < graph_.owned(); ++v)
    if (part_[v]) forward_.activate(v);
  run_to_end(forward_,
             [&](Color color, const auto& edge) { return part_[edge.source] == part_[edge.target] ? color : kNone; });
}

void DistributedStrongComponents::collect_components() {
  const auto color = forward_.values();
  const auto names_color = [&](Local v) { return part_[v] && color[v] == color_named_by(v); };
  backward_.start([&](Local v) { return names_color(v) ? color[v] : kNone; });
  for (Local v = 0; v < graph_.owned(); ++v)
    if (names_color(v)) backward_.activate(v);
  run_to_end(backward_,
             [&](Color sent, const auto& edge) { return color[edge.source] == color[edge.target] ? sent : kNone; });
  world_.team().for_range(part_.size(), kVertexGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      if (!part_[v]) continue;
      const bool found = backward_.values()[v] != kNone;
      if (found) component_[v] = color[v];
      part_[v] = found ? kNone : color[v];
    }
  });
}

bool DistributedStrongComponents::any_left() const {
  const auto end = part_.begin() + graph_.owned();
  return world_.any(std::any_of(part_.begin(), end, [](Color part) { return part != kNone; }));
}

// The smallest id of a component that was found by its color passes along its edges to all of its vertices.
void DistributedStrongComponents::name_colored(Array<Vertex>& names) {
  forward_.start([&](Local v) { return ~static_cast<Color>(graph_.id_of(v)); });  // the greatest is of the smallest id
  for (Local v = 0; v < graph_.active(); ++v)
    if (component_[v]) forward_.activate(v);
  run_to_end(forward_, [&](Color inverted_id, const auto& edge) {
    return component_[edge.source] && component_[edge.source] == component_[edge.target] ? inverted_id : kNone;
  });
  for (Local v = 0; v < graph_.active(); ++v)
    if (component_[v]) names[static_cast<std::size_t>(graph_.owned_index_of(v))] = static_cast<Vertex>(~forward_[v]);
}

std::size_t DistributedStrongComponents::memory_bytes() const {
  return forward_.memory_bytes() + backward_.memory_bytes() + numbers_.memory_bytes() +
         (part_.size() + component_.size()) * sizeof(Color);
}

}  // namespace atl
