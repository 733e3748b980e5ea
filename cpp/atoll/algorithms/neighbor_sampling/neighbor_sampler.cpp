// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/neighbor_sampling/edge_draws.hpp>
#include <atoll/algorithms/neighbor_sampling/neighbor_sampler.hpp>
#include <atoll/algorithms/neighbor_sampling/vertex_positions.hpp>
#include <atoll/engine/id_ordered_rows.hpp>
#include <atoll/engine/vertex_lookup.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kSampleGrain = 64;
constexpr std::size_t kReserved = 4096;                      // edges of a grain that memory is taken for beforehand
constexpr std::size_t kAskedAhead = 8, kPositionsAhead = 8;  // prefetch distances in lists of vertices

const Csr& lists_of(const Graph& graph, SampleDirection direction) {
  return direction == SampleDirection::entering ? graph.in() : graph.out();
}

}  // namespace

class NeighborSampler::Internals {
 public:
  Internals(const Graph& graph, SampleDirection direction, EdgeWeighting weighting)
      : graph_(graph),
        direction_(direction),
        lookup_(graph.world(), graph.ids()),
        is_alone_(graph.world().size() == 1),
        begin_(graph.blocks().begin(graph.world().rank())),
        dense_(is_alone_ ? std::vector<Vertex>() : dense_numbers(graph)),
        rows_(graph, lists_of(graph, direction), graph.weighted() ? EdgeWeighting::of_edges : EdgeWeighting::ones),
        by_chance_(weighting == EdgeWeighting::of_edges),
        positions_(is_alone_ ? static_cast<Vertex>(graph.owned()) : graph.vertices()) {
    if (by_chance_) require_chances(graph, lists_of(graph, direction));
  }

  void set_chances(std::span<const double> chances);
  NeighborSample sample(std::span<const Vertex> seeds, const SampleOptions& options);
  std::size_t memory_bytes() const {
    return rows_.memory_bytes() + chances_.size() * sizeof(double) + dense_.capacity() * sizeof(Vertex) +
           positions_.memory_bytes();
  }

 private:
  // Inside, a vertex has a key: on one rank its local number, over several its dense number.
  struct Found {
    Vertex key, id;  // the id only over several ranks
    double weight;
  };
  // Edges of some vertices, one after the other.
  struct Answer {
    std::vector<std::int64_t> counts;
    std::vector<Found> found;
  };
  // The sample as it grows, and the keys of its vertices.
  struct Growing {
    NeighborSample sample;
    std::vector<Vertex> keys;
  };

  Local local_of(Vertex own_key) const {
    return is_alone_ ? static_cast<Local>(own_key) : graph_.local_of(own_key - begin_);
  }
  Found found_at(Local v, Edge k) const {
    const Local u = rows_.target(rows_.begin(v) + k);
    const double weight = rows_.weighted() ? rows_.weights(v)[index(k)] : 1;
    if (is_alone_) return {u, kNoVertex, weight};
    return {dense_[index(u)], graph_.id_of(u), weight};
  }
  std::vector<Vertex> find(std::span<const Vertex> seeds) const;
  std::span<const Edge> draw(Local v, Edge count, bool replace, Random& random, EdgeDraws& draws) const;
  std::vector<Answer> answer(std::span<const Vertex> asked, Edge count, const SampleOptions& options) const;
  std::vector<Answer> ask(std::span<const Vertex> frontier, Edge count, const SampleOptions& options) const;
  void add_layer(Growing& growing, std::size_t begin, const std::vector<Answer>& answers);

  const Graph& graph_;
  const SampleDirection direction_;
  const VertexLookup lookup_;
  const bool is_alone_;
  const Vertex begin_;               // the first dense number of this rank
  const std::vector<Vertex> dense_;  // [local]; empty on one rank
  const IdOrderedRows rows_;
  bool by_chance_;
  Array<double> chances_;  // [edge of rows_] if the weights number the edges
  VertexPositions positions_;
};

void NeighborSampler::Internals::set_chances(std::span<const double> chances) {
  World& world = graph_.world();
  world.collective_try([&] {
    check(graph_.weighted(), "{} has no weights (they are to number its edges). Give them.", graph_.name());
    for (std::size_t i = 0; i < chances.size(); ++i)
      check(chances[i] >= 0 && std::isfinite(chances[i]),
            "edge {} is drawn in proportion to {} (that is finite and not negative). Correct it, or leave the weights "
            "out.",
            i, chances[i]);
  });
  chances_ = Array<double>(static_cast<std::size_t>(rows_.begin(graph_.owned())));
  world.collective_try([&] {
    for (Local v = 0; v < graph_.owned(); ++v) {
      auto e = static_cast<std::size_t>(rows_.begin(v));
      for (const double number : rows_.weights(v)) {
        check(number >= 0 && number < static_cast<double>(chances.size()) && number == std::floor(number),
              "{}: an edge has the number {} (there are {}, from 0 on). Number them so.", graph_.name(), number,
              chances.size());
        chances_[e++] = chances[static_cast<std::size_t>(number)];
      }
    }
  });
  by_chance_ = true;
}

// The keys of the seeds.
std::vector<Vertex> NeighborSampler::Internals::find(std::span<const Vertex> seeds) const {
  Array<Vertex> dense = lookup_.dense_of(seeds);
  graph_.world().collective_try([&] {
    for (std::size_t k = 0; k < seeds.size(); ++k)
      check(dense[k] >= 0,
            "{}: vertex {} does not exist (the graph has {} vertices, ids up to {}). Name one that does.",
            graph_.name(), seeds[k], graph_.vertices(), graph_.ids().largest());
  });
  std::vector<Vertex> keys(dense.begin(), dense.end());
  if (is_alone_)
    for (Vertex& key : keys) key = graph_.local_of(key);
  return keys;
}

std::span<const Edge> NeighborSampler::Internals::draw(Local v, Edge count, bool replace, Random& random,
                                                       EdgeDraws& draws) const {
  const Edge degree = rows_.degree(v);
  if (degree == 0) return {};
  if (by_chance_) {
    const std::span<const double> chances =
        chances_.empty() ? rows_.weights(v)
                         : std::span<const double>(chances_.data() + rows_.begin(v), static_cast<std::size_t>(degree));
    if (count < 0) return draws.distinct(chances, degree, random);
    return replace ? draws.independent(chances, count, random) : draws.distinct(chances, count, random);
  }
  if (count < 0 || (!replace && count >= degree)) return draws.all(degree);
  return replace ? draws.independent(degree, count, random) : draws.distinct(degree, count, random);
}

// Answers for vertices that this rank owns, kSampleGrain in each.
std::vector<NeighborSampler::Internals::Answer> NeighborSampler::Internals::answer(std::span<const Vertex> asked,
                                                                                   Edge count,
                                                                                   const SampleOptions& options) const {
  Team& team = graph_.world().team();
  std::vector<EdgeDraws> draws(static_cast<std::size_t>(team.size()));
  std::vector<Answer> chunks((asked.size() + kSampleGrain - 1) / kSampleGrain);
  team.for_range(asked.size(), kSampleGrain, [&](int thread, std::size_t a, std::size_t b) {
    Answer& chunk = chunks[a / kSampleGrain];
    chunk.counts.reserve(b - a);
    if (count > 0) chunk.found.reserve(std::min((b - a) * static_cast<std::size_t>(count), kReserved));
    for (std::size_t i = a; i < b; ++i) {
      if (i + kAskedAhead < asked.size()) __builtin_prefetch(rows_.offsets() + local_of(asked[i + kAskedAhead]));
      const Local v = local_of(asked[i]);
      Random random(random_at(options.seed, static_cast<std::uint64_t>(graph_.id_of(v))));
      const auto drawn = draw(v, count, options.replace, random, draws[static_cast<std::size_t>(thread)]);
      for (const Edge k : drawn) chunk.found.push_back(found_at(v, k));
      chunk.counts.push_back(static_cast<std::int64_t>(drawn.size()));
    }
  });
  return chunks;
}

// [rank] its answer for those of the frontier that it owns; of one rank those of answer().
std::vector<NeighborSampler::Internals::Answer> NeighborSampler::Internals::ask(std::span<const Vertex> frontier,
                                                                                Edge count,
                                                                                const SampleOptions& options) const {
  World& world = graph_.world();
  const auto ranks = static_cast<std::size_t>(world.size());
  if (is_alone_) return answer(frontier, count, options);
  std::vector<std::vector<Vertex>> asked(ranks);
  for (const Vertex v : frontier) asked[static_cast<std::size_t>(graph_.blocks().owner(v))].push_back(v);
  std::vector<std::vector<std::int64_t>> counts(ranks);
  std::vector<std::vector<Found>> found(ranks);
  const auto wanted = world.exchange(std::move(asked));
  for (std::size_t r = 0; r < ranks; ++r)
    for (const Answer& one : answer(wanted[r], count, options)) {
      counts[r].insert(counts[r].end(), one.counts.begin(), one.counts.end());
      found[r].insert(found[r].end(), one.found.begin(), one.found.end());
    }
  counts = world.exchange(std::move(counts));
  found = world.exchange(std::move(found));
  std::vector<Answer> answers(ranks);
  for (std::size_t r = 0; r < ranks; ++r) answers[r] = {std::move(counts[r]), std::move(found[r])};
  return answers;
}

// The edges of the vertices from position `begin` on.
void NeighborSampler::Internals::add_layer(Growing& growing, std::size_t begin, const std::vector<Answer>& answers) {
  NeighborSample& sample = growing.sample;
  std::vector<std::size_t> vertices(answers.size(), 0), edges(answers.size(), 0);  // of each answer's that were read
  const std::size_t end = sample.vertices.size(), edges_before = sample.source.size();
  for (std::size_t at = begin; at < end; ++at) {
    const std::size_t part =
        is_alone_ ? (at - begin) / kSampleGrain : static_cast<std::size_t>(graph_.blocks().owner(growing.keys[at]));
    const Answer& answer = answers[part];
    for (std::int64_t left = answer.counts[vertices[part]++]; left > 0; --left) {
      const std::size_t e = edges[part]++;
      if (e + kPositionsAhead < answer.found.size()) positions_.prefetch(answer.found[e + kPositionsAhead].key);
      const Found& found = answer.found[e];
      const auto next = static_cast<std::int64_t>(sample.vertices.size());
      const std::int64_t position = positions_.find_or_add(found.key, next);
      if (position == next) {
        sample.vertices.push_back(is_alone_ ? graph_.id_of(static_cast<Local>(found.key)) : found.id);
        growing.keys.push_back(found.key);
      }
      const auto here = static_cast<std::int64_t>(at);
      const bool enters = direction_ == SampleDirection::entering;
      sample.source.push_back(enters ? position : here);
      sample.target.push_back(enters ? here : position);
      if (rows_.weighted()) sample.weights.push_back(found.weight);
    }
  }
  sample.vertices_by_layer.push_back(static_cast<std::int64_t>(sample.vertices.size() - end));
  sample.edges_by_layer.push_back(static_cast<std::int64_t>(sample.source.size() - edges_before));
}

NeighborSample NeighborSampler::Internals::sample(std::span<const Vertex> seeds, const SampleOptions& options) {
  for (const std::int64_t count : options.fanout)
    check(count >= -1, "a fanout is {} (it is a number of edges, or -1 for all). Correct it.", count);
  Growing growing{.sample = {}, .keys = find(seeds)};
  growing.sample.vertices.assign(seeds.begin(), seeds.end());
  growing.sample.vertices_by_layer.push_back(static_cast<std::int64_t>(seeds.size()));
  positions_.clear(seeds.size());
  for (std::size_t k = 0; k < seeds.size(); ++k) positions_.find_or_add(growing.keys[k], static_cast<std::int64_t>(k));
  std::size_t begin = 0;
  for (const Edge count : options.fanout) {
    const std::size_t end = growing.keys.size();
    add_layer(growing, begin, ask(std::span(growing.keys).subspan(begin), count, options));
    begin = end;
  }
  return std::move(growing.sample);
}

NeighborSampler::NeighborSampler(const Graph& graph, SampleDirection direction, EdgeWeighting weighting)
    : internals_(std::make_unique<Internals>(graph, direction, weighting)) {}
NeighborSampler::NeighborSampler(const Graph& graph, SampleDirection direction, std::span<const double> chances)
    : internals_(std::make_unique<Internals>(graph, direction, EdgeWeighting::ones)) {
  internals_->set_chances(chances);
}
NeighborSampler::~NeighborSampler() = default;

NeighborSample NeighborSampler::sample(std::span<const Vertex> seeds, const SampleOptions& options) {
  return internals_->sample(seeds, options);
}
std::size_t NeighborSampler::memory_bytes() const { return internals_->memory_bytes(); }

}  // namespace atl
