// SPDX-License-Identifier: Apache-2.0
// Similarity of neighbourhoods: of given pairs, above a threshold, the most similar.
#include <atoll/base/timer.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

using Ids = nb::ndarray<const Vertex, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const Vertex> span_of(const Ids& ids) { return {ids.data(), ids.size()}; }

struct Timed {
  double prepare_seconds = 0, seconds = 0;
};

// Calls run(kept object), which is made where any rank has none. Collective.
template <class T, class Run>
Timed timed(SharedGraph& g, std::unique_ptr<T>& kept, Run&& run) {
  Timed times;
  g.world->call([&](World& world) {
    Timer timer;
    if (world.any(kept == nullptr)) {
      kept = std::make_unique<T>(g.graph);
      times.prepare_seconds = timer.lap();
    }
    try {
      run(*kept);
    } catch (...) {
      kept.reset();  // left in the midst
      throw;
    }
    times.seconds = timer.lap();
  });
  return times;
}

nb::dict pair_similarity(SharedGraph& g, const std::string& measure, const Ids& source, const Ids& target) {
  Array<double> value;
  Vertex total = 0;
  const Timed times = timed(g, g.pair_similarity, [&](PairSimilarity& similarity) {
    similarity.run(similarity_named(measure), span_of(source), span_of(target), value);
    total = g.graph.world().sum(static_cast<Vertex>(value.size()));
  });
  nb::dict out;
  out["value"] = to_numpy(std::move(value));
  out["total"] = total;
  out["prepare_seconds"] = times.prepare_seconds;
  out["seconds"] = times.seconds;
  return out;
}

nb::dict to_dict(SimilarPairs&& pairs, const Timed& times) {
  nb::dict out;
  out["source"] = to_numpy(std::move(pairs.source));
  out["target"] = to_numpy(std::move(pairs.target));
  out["value"] = to_numpy(std::move(pairs.value));
  out["total"] = pairs.total;
  out["prepare_seconds"] = times.prepare_seconds;
  out["seconds"] = times.seconds;
  return out;
}

nb::dict similar_pairs(SharedGraph& g, const std::string& measure, double threshold, std::int64_t most_pairs) {
  SimilarPairs pairs;
  const Timed times = timed(g, g.similarity_search, [&](SimilaritySearch& search) {
    search.above(similarity_named(measure), {.threshold = threshold, .most_pairs = most_pairs}, pairs);
  });
  return to_dict(std::move(pairs), times);
}

nb::dict most_similar(SharedGraph& g, const std::string& measure, std::int64_t count,
                      const std::optional<Ids>& vertices) {
  SimilarPairs pairs;
  MostSimilarOptions options{.count = count};
  if (vertices) options.vertices = span_of(*vertices);
  const Timed times = timed(g, g.similarity_search, [&](SimilaritySearch& search) {
    search.most_similar(similarity_named(measure), options, pairs);
  });
  return to_dict(std::move(pairs), times);
}

}  // namespace

void bind_similarity(nb::module_& m) {
  using namespace nb::literals;
  nb::list names;
  for (const std::string_view name : similarity_names()) names.append(nb::str(name.data(), name.size()));
  m.attr("SIMILARITY_MEASURES") = nb::tuple(names);
  m.def("pair_similarity", &pair_similarity, "graph"_a, "measure"_a, "source"_a.noconvert(), "target"_a.noconvert());
  m.def("similar_pairs", &similar_pairs, "graph"_a, "measure"_a, "threshold"_a, "most_pairs"_a);
  m.def("most_similar", &most_similar, "graph"_a, "measure"_a, "count"_a, "vertices"_a.noconvert().none());
}

}  // namespace atl::python
