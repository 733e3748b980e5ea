// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/shortest_paths/path_violations.hpp>

namespace atl::path_violations {

template <class Number>
std::string describe(const Violation& b, bool directed, Vertex source, const char* distance, bool parents) {
  const Number x = static_cast<Number>(b.x), y = static_cast<Number>(b.y), z = static_cast<Number>(b.z);
  const auto edge = [&] { return fmt::format("edge {} {} {}", b.a, directed ? "->" : "-", b.b); };
  switch (static_cast<PathRule>(b.rule)) {
    case source_value:
      return fmt::format("rule 2: the source {} has the {} {} (it is 0)", b.a, distance, x);
    case value:
      return fmt::format("rule 2: vertex {} has the {} {} (it is 0 or more)", b.a, distance, x);
    case no_value:
      return fmt::format("rule 2: vertex {} has the {} {} (it is a number, or inf where not reached)", b.a, distance,
                         x);
    case source_parent:
      if (b.p == kNoVertex) return fmt::format("rule 1: the source {} has no parent (it is its own)", b.a);
      return fmt::format("rule 1: the source {} has {} as parent (not itself)", b.a, b.p);
    case stray_parent:
      return fmt::format("rule 1: vertex {} has the parent {} but was not reached", b.a, b.p);
    case no_parent:
      return fmt::format("rule 1: vertex {} has the {} {} but no parent", b.a, distance, x);
    case no_edge:
      return fmt::format("rule 5: no edge joins vertex {} and its parent {}", b.a, b.p);
    case tree_edge:
      return fmt::format("rule 2: vertex {} has the {} {} (its parent {} and the edge between them make {})", b.a,
                         distance, x, b.p, y);
    case no_tight_edge:
      return fmt::format("rule 2: vertex {} has the {} {} (no edge into it makes that)", b.a, distance, x);
    case long_edge:
      return fmt::format("rule 3: {} of length {} joins the {}s {} and {} (there is a shorter path)", edge(), z,
                         distance, x, y);
    case leaving_edge:
      return fmt::format("rule 4: {} leaves what was reached: {} has the {} {}, {} none", edge(), b.a, distance, x,
                         b.b);
    case no_path_to_source:
      if (parents)
        return fmt::format("rule 1: the parents of vertex {} never lead to the source {} (a cycle)", b.a, source);
      return fmt::format("rule 1: no path that makes the {}s leads from the source {} to vertex {}", distance, source,
                         b.a);
  }
  return {};
}
template std::string describe<float>(const Violation&, bool, Vertex, const char*, bool);
template std::string describe<double>(const Violation&, bool, Vertex, const char*, bool);

template <class Real>
void check_sums(const Graph& graph, std::size_t weights) {
  graph.world().agree(
      weights == 1 || (weights == 2 && std::is_same_v<Real, double>),
      fmt::format("verify: {} has {} (distances are sums of weights, as wide or wider). Verify them against "
                  "the graph that they come from.",
                  graph.name(), weights == 0 ? "no weights" : "wider weights"));
}
template void check_sums<float>(const Graph&, std::size_t);
template void check_sums<double>(const Graph&, std::size_t);

}  // namespace atl::path_violations
