// SPDX-License-Identifier: Apache-2.0
// Strongly connected components over ranks. First the component of one vertex of high degree, which is mostly the giant
// one: what it reaches and is reached by [1]. The rest is in three parts that no cycle joins. Then rounds of coloring
// [2]: each vertex of a part takes the highest priority among those that reach it there, and the vertex that has that
// priority names the color. A color's vertices that reach the vertex that names it are its component; those that do not
// are a part of the next round. Priorities are random, so that the expected number of rounds is logarithmic even where
// the condensation is a long path.
//
// [1] L. Fleischer, B. Hendrickson, A. Pinar. "On identifying strongly connected components in parallel." IPDPS
// Workshops 2000.
// [2] S. Orzan. "On distributed verification and verified distribution." PhD thesis, VU Amsterdam, 2004.
#include <atoll/algorithms/strong_components/distributed.hpp>

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
      part_(forward_.values().size()),
      component_(part_.size()) {}

void DistributedStrongComponents::run(StrongComponentsResult& result) {
  separate_component_of_pivot();
  while (any_left()) {
    color_by_ancestors();
    collect_components();
  }
  name_components(result);
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
void DistributedStrongComponents::separate_component_of_pivot() {
  const auto same = [](Color value, const auto&) { return value; };
  const Local start = pivot();
  for (auto* program : {&forward_, &backward_}) {
    program->start(kNone);
    if (start >= 0) program->update(start, color_named_by(start));
    run_to_end(*program, same);
  }
  for (std::size_t v = 0; v < part_.size(); ++v) {
    const Color after = forward_.values()[v], before = backward_.values()[v];
    component_[v] = after & before;
    part_[v] = component_[v] ? kNone : Color{1} + (after != kNone) + 2 * (before != kNone);
  }
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

// The smallest id of a component passes along its edges to all of its vertices.
void DistributedStrongComponents::name_components(StrongComponentsResult& result) {
  forward_.start([&](Local v) { return ~static_cast<Color>(graph_.id_of(v)); });  // the greatest is of the smallest id
  for (Local v = 0; v < graph_.owned(); ++v) forward_.activate(v);
  run_to_end(forward_, [&](Color inverted_id, const auto& edge) {
    return component_[edge.source] == component_[edge.target] ? inverted_id : kNone;
  });
  if (result.component.size() != index(graph_.owned())) result.component = Array<Vertex>(index(graph_.owned()));
  Vertex components = 0;
  for (Local v = 0; v < graph_.owned(); ++v) {
    const auto smallest = static_cast<Vertex>(~forward_[v]);
    result.component[graph_.owned_index_of(v)] = smallest;
    components += smallest == graph_.id_of(v);
  }
  result.components = world_.sum(components);
}

std::size_t DistributedStrongComponents::memory_bytes() const {
  return forward_.memory_bytes() + backward_.memory_bytes() + (part_.size() + component_.size()) * sizeof(Color);
}

}  // namespace atl
