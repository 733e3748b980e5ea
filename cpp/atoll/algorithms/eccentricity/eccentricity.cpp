// SPDX-License-Identifier: Apache-2.0
// Eccentricities by bounds [1]: a search from s with eccentricity e(s) says of every vertex v at distance d from s
//
//     max(d, e(s) - d) <= e(v) <= e(s) + d.
//
// A vertex is done when its bounds meet. Searches start in turn from the vertex of the greatest upper and of the least lower
// bound, of several from that of highest degree. Where only the diameter and the radius are wanted, a vertex is done once it can
// change neither.
//
// Deviation: all components are searched at once, each from a vertex of its own.
//
//   in the paper   here                 meaning
//   W              open_                vertices that are not done
//   D_L, D_U       diameter_lower, ..   bounds on the diameter
//
// [1] F. Takes, W. Kosters. "Computing the eccentricity distribution of large graphs." Algorithms 6(1), 2013.
#include <algorithm>
#include <atoll/algorithms/components/components.hpp>
#include <atoll/algorithms/eccentricity/eccentricity.hpp>
#include <atoll/engine/vertex_program.hpp>
#include <limits>
#include <unordered_map>

namespace atl {
namespace {

constexpr Local kUnreached = std::numeric_limits<Local>::max() / 4;

const Graph& undirected(const Graph& graph) {
  check(!graph.directed(),
        "eccentricity: {} is directed (eccentricities are of undirected graphs). Read it as undirected.", graph.name());
  return graph;
}

// Folds the ranks' values of each component by `better`.
template <class T, class Better>
std::unordered_map<Vertex, T> by_component(World& world, const std::vector<T>& mine, Better&& better) {
  std::unordered_map<Vertex, T> all;
  for (const T& one : world.all_gather_varying(std::span<const T>(mine))) {
    const auto [at, is_first] = all.try_emplace(one.component, one);
    if (!is_first && better(one, at->second)) at->second = one;
  }
  return all;
}

}  // namespace

class Eccentricity::Bounding {
 public:
  explicit Bounding(const Graph& graph)
      : graph_(undirected(graph)),
        world_(graph.world()),
        distance_(graph),
        component_at_(index(graph.owned()), -1),
        lower_(index(graph.owned()), 0),
        upper_(index(graph.owned()), 0) {
    find_components();
  }

  void run(const EccentricityOptions& options, EccentricityResult& result);
  std::size_t memory_bytes() const {
    return distance_.memory_bytes() + (component_at_.size() + lower_.size() + upper_.size()) * sizeof(Local) +
           labels_.size() * sizeof(Vertex);
  }

 private:
  struct Candidate {
    Vertex component;
    Local bound;  // the greatest is taken
    Edge degree;
    Vertex id;
    bool is_before(const Candidate& other) const {
      return std::tuple(-bound, -degree, id) < std::tuple(-other.bound, -other.degree, other.id);
    }
  };
  struct Depth {
    Vertex component;
    Local depth;
  };
  struct Extremes {
    Local diameter_lower = 0, diameter_upper = 0, radius_lower = kUnreached, radius_upper = kUnreached;
  };

  void find_components();
  std::vector<Local> sources(bool from_upper) const;
  void search(const std::vector<Local>& sources);
  void tighten();
  Extremes extremes() const;

  const Graph& graph_;
  World& world_;
  VertexProgram<Local, MinOf> distance_;
  Array<Local> component_at_;   // [local master] place of its component in labels_; -1: it has no neighbour
  std::vector<Vertex> labels_;  // components that have a master here with a neighbour
  Vertex components_ = 0, largest_ = kNoVertex;  // the label of the largest
  Array<Local> lower_, upper_;                   // [local master]
  std::vector<Local> members_;                   // masters of components that are not done
  std::vector<Local> open_;                      // masters that are not done
};

void Eccentricity::Bounding::find_components() {
  ComponentsResult found;
  Components(graph_).run(found);
  components_ = found.components;
  std::unordered_map<Vertex, Local> index_of_label;
  struct Size {
    Vertex component, vertices;
  };
  std::vector<Size> sizes;
  Vertex least = std::numeric_limits<Vertex>::max();
  for (Vertex owned_index = 0; owned_index < graph_.owned(); ++owned_index) {
    const Vertex label = found.component[owned_index];
    least = std::min(least, label);
    const Local v = graph_.local_of(owned_index);
    const std::span<const Local> list = graph_.out().neighbours(v);
    if (std::all_of(list.begin(), list.end(), [v](Local u) { return u == v; })) continue;
    const auto [at, is_new] = index_of_label.try_emplace(label, static_cast<Local>(labels_.size()));
    if (is_new) {
      labels_.push_back(label);
      sizes.push_back({label, 0});
    }
    component_at_[v] = at->second;
    ++sizes[at->second].vertices;
  }
  std::unordered_map<Vertex, Vertex> vertices;
  for (const Size& size : world_.all_gather_varying(std::span<const Size>(sizes)))
    vertices[size.component] += size.vertices;
  Size most{vertices.empty() ? world_.min(least) : kNoVertex, 0};  // without edges any vertex is as good
  for (const auto& [component, count] : vertices)
    if (count > most.vertices || (count == most.vertices && component < most.component)) most = {component, count};
  largest_ = most.component;
}

// A source for each component that is not done: its master, if that is this rank's.
std::vector<Local> Eccentricity::Bounding::sources(bool from_upper) const {
  std::vector<Candidate> best(labels_.size(), Candidate{kNoVertex, 0, 0, kNoVertex});
  std::vector<Local> master(labels_.size(), -1);
  for (const Local v : open_) {
    const auto at = index(component_at_[v]);
    const Candidate here{.component = labels_[at],
                         .bound = from_upper ? upper_[v] : -lower_[v],
                         .degree = graph_.out().degree(v),
                         .id = graph_.id_of(v)};
    if (master[at] >= 0 && !here.is_before(best[at])) continue;
    best[at] = here;
    master[at] = v;
  }
  std::vector<Candidate> mine;
  for (std::size_t at = 0; at < best.size(); ++at)
    if (master[at] >= 0) mine.push_back(best[at]);
  const auto chosen = by_component(world_, mine, [](const Candidate& a, const Candidate& b) { return a.is_before(b); });
  std::vector<Local> sources;
  for (std::size_t at = 0; at < best.size(); ++at)
    if (master[at] >= 0 && chosen.at(labels_[at]).id == best[at].id) sources.push_back(master[at]);
  return sources;
}

void Eccentricity::Bounding::search(const std::vector<Local>& sources) {
  distance_.start(kUnreached);
  for (const Local v : sources) distance_.update(v, 0);
  while (distance_.round([](Local depth, const auto&) { return depth + 1; },
                         [](Local depth) { return depth == kUnreached; })) {
  }
}

void Eccentricity::Bounding::tighten() {
  std::vector<Depth> deepest(labels_.size());
  for (std::size_t at = 0; at < deepest.size(); ++at) deepest[at] = {labels_[at], -1};
  for (const Local v : members_) {
    Local& depth = deepest[component_at_[v]].depth;
    if (distance_[v] < kUnreached) depth = std::max(depth, distance_[v]);
  }
  std::erase_if(deepest, [](const Depth& one) { return one.depth < 0; });
  const auto eccentricity =
      by_component(world_, deepest, [](const Depth& a, const Depth& b) { return a.depth > b.depth; });
  std::vector<Local> of_source(labels_.size(), -1);
  for (std::size_t at = 0; at < of_source.size(); ++at)
    if (const auto found = eccentricity.find(labels_[at]); found != eccentricity.end())
      of_source[at] = found->second.depth;
  for (const Local v : members_) {
    const Local d = distance_[v], e = of_source[component_at_[v]];
    if (d == kUnreached) continue;
    lower_[v] = std::max({lower_[v], d, e - d});
    upper_[v] = std::min(upper_[v], e + d);
  }
}

Eccentricity::Bounding::Extremes Eccentricity::Bounding::extremes() const {
  Extremes mine;
  for (Local v = 0; v < graph_.owned(); ++v) {
    const Local at = component_at_[v];
    mine.diameter_lower = std::max(mine.diameter_lower, lower_[v]);
    mine.diameter_upper = std::max(mine.diameter_upper, upper_[v]);
    if ((at >= 0 ? labels_[at] : graph_.id_of(v)) != largest_) continue;
    mine.radius_lower = std::min(mine.radius_lower, lower_[v]);
    mine.radius_upper = std::min(mine.radius_upper, upper_[v]);
  }
  return world_.fold(mine, [](const Extremes& a, const Extremes& b) {
    return Extremes{.diameter_lower = std::max(a.diameter_lower, b.diameter_lower),
                    .diameter_upper = std::max(a.diameter_upper, b.diameter_upper),
                    .radius_lower = std::min(a.radius_lower, b.radius_lower),
                    .radius_upper = std::min(a.radius_upper, b.radius_upper)};
  });
}

void Eccentricity::Bounding::run(const EccentricityOptions& options, EccentricityResult& result) {
  check(!options.max_searches || *options.max_searches > 0,
        "eccentricity: max_searches is {} (at least 1 search bounds anything). Change it.",
        options.max_searches.value_or(0));
  members_.clear();
  for (Local v = 0; v < graph_.owned(); ++v) {
    lower_[v] = 0;
    upper_[v] = component_at_[v] >= 0 ? kUnreached : 0;
    if (component_at_[v] >= 0) members_.push_back(v);
  }
  open_ = members_;
  result.searches = 0;
  Extremes found = extremes();
  const auto open_on_all_ranks = [&] { return world_.sum(static_cast<Vertex>(open_.size())); };
  for (Vertex open = open_on_all_ranks(), first = open;
       open > 0 && (!options.max_searches || result.searches < *options.max_searches); open = open_on_all_ranks()) {
    report_progress(options.progress, first - open, first);
    search(sources(result.searches % 2 == 0));
    tighten();
    ++result.searches;
    found = extremes();
    std::erase_if(open_, [&](Local v) {
      if (lower_[v] == upper_[v]) return true;
      if (options.find == Eccentricities::all) return false;
      const bool is_in_largest = labels_[component_at_[v]] == largest_;
      return upper_[v] <= found.diameter_lower && (!is_in_largest || lower_[v] >= found.radius_upper);
    });
  }
  result.exact = options.find == Eccentricities::all
                     ? !world_.any(!open_.empty())
                     : found.diameter_lower == found.diameter_upper && found.radius_lower == found.radius_upper;
  result.components = components_;
  const bool is_empty = graph_.vertices() == 0;
  result.diameter_lower = found.diameter_lower;
  result.diameter_upper = std::min<Vertex>(found.diameter_upper, std::max<Vertex>(graph_.vertices() - 1, 0));
  result.radius_lower = is_empty ? 0 : found.radius_lower;
  result.radius_upper = is_empty ? 0 : std::min<Vertex>(found.radius_upper, graph_.vertices() - 1);
  const auto owned = index(graph_.owned());
  for (Array<Vertex>* bounds : {&result.lower, &result.upper})
    if (bounds->size() != owned) *bounds = Array<Vertex>(owned);
  for (std::size_t k = 0; k < owned; ++k) {
    const Local v = graph_.local_of(static_cast<Vertex>(k));
    result.lower[k] = lower_[v];
    result.upper[k] = upper_[v];
  }
}

Eccentricity::Eccentricity(const Graph& graph) : bounding_(std::make_unique<Bounding>(graph)) {}
Eccentricity::~Eccentricity() = default;
void Eccentricity::run(const EccentricityOptions& options, EccentricityResult& result) {
  bounding_->run(options, result);
}
std::size_t Eccentricity::memory_bytes() const { return bounding_->memory_bytes(); }

}  // namespace atl
