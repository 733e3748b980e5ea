// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/id_rule.hpp>
#include <atoll/base/timer.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

struct Searched {
  BfsResult result;
  double prepare_seconds = 0, seconds = 0;
};

// The layouts and buffers of a search stay with the graph for the next one.
nb::dict search(SharedGraph& g, Vertex source, const std::string& direction, bool depths) {
  BfsOptions options;
  options.direction = direction == "push"   ? Direction::push
                      : direction == "pull" ? Direction::pull
                                            : Direction::automatic;
  options.depths = depths ? Depths::yes : Depths::no;
  Searched s = g.world->call([&](World&) {
    Searched out;
    Timer timer;
    if (!g.search || g.search_options.direction != options.direction || g.search_options.depths != options.depths) {
      g.search.reset();
      g.search = std::make_unique<Bfs>(g.graph, options);
      g.search_options = options;
    }
    out.prepare_seconds = timer.lap();
    try {
      g.search->run(source, out.result);
    } catch (const InputError&) {  // before anything was begun
      throw;
    } catch (...) {
      g.search.reset();  // left in the midst
      throw;
    }
    out.seconds = timer.lap();
    return out;
  });
  nb::dict out;
  out["parent"] = to_numpy(std::move(s.result.parent));
  out["depth"] = nb::none();
  if (depths) out["depth"] = to_numpy(std::move(s.result.depth));
  out["reached"] = s.result.reached;
  out["edges"] = s.result.edges;
  out["levels"] = s.result.levels;
  out["pulls"] = s.result.pulls;
  out["prepare_seconds"] = s.prepare_seconds;
  out["seconds"] = s.seconds;
  return out;
}

}  // namespace

void bind_algorithms(nb::module_& m) {
  using namespace nb::literals;
  m.attr("MAX_ID") = kMaxVertex;
  m.attr("ID_RULE") = kIdRule;
  m.attr("NO_VERTEX") = kNoVertex;
  m.attr("UNREACHABLE") = kUnreachable;
  m.def("bfs", &search, "graph"_a, "source"_a, "direction"_a, "depths"_a);
}

}  // namespace atl::python
