// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/bfs/flaws.hpp>
#include <atoll/verify/dense.hpp>

namespace atl::bfs_tree {

int rule_of(Flaw flaw) {
  switch (flaw) {
    case Flaw::none:
      return 0;
    case Flaw::depth:
      return 2;
    case Flaw::long_edge:
      return 3;
    case Flaw::leaving_edge:
      return 4;
    case Flaw::no_edge:
      return 5;
    default:
      return 1;
  }
}

std::string describe(World& world, const BfsTree& tree, const Ownership& blocks, const Finding& f) {
  const auto original = [&](Vertex v) {
    if (v < 0 || v >= blocks.n()) return v;  // the same on all ranks
    Vertex id = -1;
    if (blocks.owns(v)) id = tree.original ? tree.original(v) : v;
    return world.max(id);
  };
  const Vertex root = original(tree.root), a = original(f.a), b = original(f.b);
  const auto edge = [&] { return fmt::format("edge {} {} {}", a, tree.tuples == TupleKind::directed ? "->" : "-", b); };
  const std::string rule = fmt::format("rule {}: ", rule_of(f.flaw));
  switch (f.flaw) {
    case Flaw::none:
      return "";
    case Flaw::root_parent:
      if (b == kNoVertex) return rule + fmt::format("the root {} was not reached", a);
      return rule + fmt::format("the root {} has {} as parent (not itself)", a, b);
    case Flaw::outside:
      if (f.b == kUnknownVertex) return rule + fmt::format("the parent of vertex {} is no vertex", a);
      return rule + fmt::format("the parent of vertex {} has number {} (no vertex has it)", a, f.b);
    case Flaw::second_root:
      return rule + fmt::format("vertex {} is its own parent (the root is {})", a, root);
    case Flaw::orphan:
      return rule + fmt::format("vertex {} has the parent {}, which was not reached", a, b);
    case Flaw::cycle:
      return rule + fmt::format("the parents of vertex {} never lead to the root {} (a cycle)", a, root);
    case Flaw::depth:
      if (f.y == kUnreachable) return rule + fmt::format("vertex {} has depth {} but no parent", a, f.x);
      return rule + fmt::format("vertex {} with parent {} has depth {} (the tree puts it on level {})", a, b,
                                f.x == kUnreachable ? std::string("of the unreached") : std::to_string(f.x), f.y);
    case Flaw::long_edge:
      return rule + fmt::format("{} joins the levels {} and {}", edge(), f.x, f.y);
    case Flaw::leaving_edge: {
      const bool second = f.y == kUnreachable;
      return rule + fmt::format("{} leaves the tree: {} is on level {}, {} was not reached", edge(), second ? a : b,
                                second ? f.x : f.y, second ? b : a);
    }
    case Flaw::no_edge:
      return rule + fmt::format("no input edge joins vertex {} and its parent {}", a, b);
  }
  return rule;
}

}  // namespace atl::bfs_tree
