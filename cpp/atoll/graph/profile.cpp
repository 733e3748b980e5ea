// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/random.hpp>
#include <atoll/graph/enough_memory.hpp>
#include <atoll/graph/profile.hpp>
#include <atomic>
#include <bit>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kProfileGrain = std::size_t{1} << 16;

// Distinct hashes, counted in 2^12 registers of the longest run of zeros [1]: 1.6 % off on average, 4 KiB.
// [1] P. Flajolet et al. "HyperLogLog: the analysis of a near-optimal cardinality estimation algorithm." AofA
// 2007.
class DistinctCount {
 public:
  static constexpr int kBits = 12;
  static constexpr std::size_t kRegisters = std::size_t{1} << kBits;

  void add(std::uint64_t hash) {
    auto& r = registers_[hash >> (64 - kBits)];
    const auto zeros = static_cast<std::uint8_t>(std::countl_zero((hash << kBits) | 1) + 1);
    if (zeros > r) r = zeros;
  }
  void merge(const DistinctCount& other) {
    for (std::size_t i = 0; i < kRegisters; ++i) registers_[i] = std::max(registers_[i], other.registers_[i]);
  }
  double estimate() const {
    constexpr double m = static_cast<double>(kRegisters), alpha = 0.7213 / (1 + 1.079 / m);
    double sum = 0;
    int empty = 0;
    for (const std::uint8_t r : registers_) {
      sum += std::ldexp(1.0, -r);
      empty += r == 0;
    }
    const double raw = alpha * m * m / sum;
    return raw <= 2.5 * m && empty > 0 ? m * std::log(m / empty) : raw;
  }

 private:
  std::uint8_t registers_[kRegisters] = {};
};

// Disjoint sets under concurrent unions: links go from larger to smaller numbers, so there are no cycles.
class Components {
 public:
  explicit Components(Vertex n) : parent_(static_cast<std::size_t>(n)) {
    for (std::size_t v = 0; v < parent_.size(); ++v) parent_[v] = static_cast<Vertex>(v);
  }
  void join(Vertex a, Vertex b) {
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      if (Vertex expected = a; std::atomic_ref(at(a)).compare_exchange_weak(expected, b, std::memory_order_relaxed))
        return;
    }
  }
  Vertex root(Vertex v) {
    for (Vertex up; (up = load(v)) != v; v = up) {
      const Vertex above = load(up);
      if (above != up) std::atomic_ref(at(v)).store(above, std::memory_order_relaxed);  // halves the path
    }
    return v;
  }
  std::span<Vertex> parents() { return parent_; }

 private:
  Vertex& at(Vertex v) { return parent_[v]; }
  Vertex load(Vertex v) { return std::atomic_ref(at(v)).load(std::memory_order_relaxed); }
  Array<Vertex> parent_;
};

using Degrees = Array<std::uint32_t>;

// This rank's block of the sums over all ranks. Collective.
std::vector<Edge> total_degrees(World& world, const Degrees& mine, const Blocks& blocks) {
  std::vector<std::vector<std::uint32_t>> outgoing(static_cast<std::size_t>(world.size()));
  for (Rank r = 0; r < world.size(); ++r)
    if (r != world.rank()) outgoing[r].assign(mine.data() + blocks.begin(r), mine.data() + blocks.end(r));
  std::vector<Edge> total(mine.data() + blocks.begin(world.rank()), mine.data() + blocks.end(world.rank()));
  for (const auto& part : world.exchange(std::move(outgoing)))
    for (std::size_t v = 0; v < part.size(); ++v) total[v] += part[v];
  return total;
}

std::vector<Vertex> histogram_of(World& world, const std::vector<Edge>& degrees) {
  Vertex counts[65] = {};
  for (const Edge d : degrees) ++counts[std::bit_width(static_cast<std::uint64_t>(d))];
  std::vector<Vertex> histogram;
  for (const Vertex c : counts) histogram.push_back(world.sum(c));
  while (!histogram.empty() && histogram.back() == 0) histogram.pop_back();
  return histogram;
}

Edge most_of(World& world, const std::vector<Edge>& degrees) {
  Edge most = 0;
  for (const Edge d : degrees) most = std::max(most, d);
  return world.max(most);
}

}  // namespace

GraphProfile profile_of(World& world, const EdgeList& edges, const IdMap& ids, Rank ranks) {
  // Degrees and sets; rank 0 takes 4 bytes more in place of the degrees' sums.
  require_vertices(world, edges.name, ids, static_cast<double>(ids.count()) * (edges.directed ? 20 : 16));
  GraphProfile p;
  p.ranks = ranks > 0 ? ranks : world.size();
  const Blocks blocks = p.ranks == world.size() ? ids.blocks() : Blocks::even(ids.count(), p.ranks);
  p.vertices = ids.count();
  p.edges = world.sum(static_cast<Edge>(edges.size()));
  p.directed = edges.directed;
  p.weight_bytes = edges.weight.index() == 0 ? 0 : edges.weight.index() == 1 ? 4 : 8;
  p.id_bytes = edges.source.index() == 0 ? 4 : 8;
  p.ids_are_a_range = ids.is_range();
  const Vertex owned = ids.blocks().size(world.rank());
  p.least_id = world.min(owned > 0 ? ids.id_of(0) : kMaxVertex);
  p.most_id = ids.largest() >= 0 ? ids.largest() : world.max(owned > 0 ? ids.id_of(owned - 1) : Vertex{-1});

  // Every thread of every rank its part of the edges.
  struct alignas(128) Part {
    Edge loops = 0, cut = 0;
    DistinctCount distinct;
  };
  std::vector<Part> parts(static_cast<std::size_t>(world.team().size()));
  const auto n = static_cast<std::size_t>(p.vertices);
  Degrees out(n, 0), in(p.directed ? n : 0, 0);
  Components components(p.vertices);
  std::visit(
      [&](const auto& source) {
        const auto& target = std::get<std::decay_t<decltype(source)>>(edges.target);
        world.team().for_range(source.size(), kProfileGrain, [&](int thread, std::size_t a, std::size_t b) {
          Part& part = parts[thread];
          for (std::size_t i = a; i < b; ++i) {
            const auto s = static_cast<Vertex>(source[i]), t = static_cast<Vertex>(target[i]);
            std::atomic_ref(out[s]).fetch_add(1, std::memory_order_relaxed);
            auto& other = p.directed ? in[t] : out[t];
            if (p.directed || s != t) std::atomic_ref(other).fetch_add(1, std::memory_order_relaxed);
            part.loops += s == t;
            part.cut += blocks.owner(s) != blocks.owner(t);
            const auto least = static_cast<std::uint64_t>(p.directed ? s : std::min(s, t));
            const auto most = static_cast<std::uint64_t>(p.directed ? t : std::max(s, t));
            part.distinct.add(mix64(mix64(least + 0x9e3779b97f4a7c15u) + most));
            components.join(s, t);
          }
        });
      },
      edges.source);
  for (std::size_t t = 1; t < parts.size(); ++t) {
    parts[0].loops += parts[t].loops;
    parts[0].cut += parts[t].cut;
    parts[0].distinct.merge(parts[t].distinct);
  }
  p.self_loops = world.sum(parts[0].loops);
  p.cut_edges = world.sum(parts[0].cut);
  const DistinctCount distinct = world.fold(parts[0].distinct, [](DistinctCount a, const DistinctCount& b) {
    a.merge(b);
    return a;
  });
  p.distinct_edges = std::min(p.edges, static_cast<Edge>(std::llround(distinct.estimate())));

  std::vector<Edge> degrees = total_degrees(world, out, ids.blocks());
  p.most_degree = most_of(world, degrees);
  p.degree_histogram = histogram_of(world, degrees);
  if (p.directed) {
    const std::vector<Edge> entering = total_degrees(world, in, ids.blocks());
    p.most_in_degree = most_of(world, entering);
    for (std::size_t v = 0; v < degrees.size(); ++v) degrees[v] += entering[v];
  }
  p.both_histogram = histogram_of(world, degrees);
  p.isolated = p.both_histogram.empty() ? 0 : p.both_histogram[0];

  // Up a binomial tree: whoever gets a peer's sets joins them with its own.
  const std::uint64_t tag = world.next_tag();
  const Rank me = world.rank();
  for (Rank step = 1; step < world.size(); step *= 2) {
    if (me % (2 * step) == step) {
      world.send(me - step, tag, std::as_bytes(components.parents()));
      break;
    }
    if (me % (2 * step) == 0 && me + step < world.size()) {
      Array<Vertex> theirs(n);
      world.receive(me + step, tag, std::as_writable_bytes(std::span<Vertex>(theirs)));
      for (std::size_t v = 0; v < n; ++v)
        if (theirs[v] != static_cast<Vertex>(v)) components.join(static_cast<Vertex>(v), theirs[v]);
    }
  }
  if (me == 0) {
    Array<std::uint32_t> size(n, 0);
    for (std::size_t v = 0; v < n; ++v) {
      const auto root = static_cast<std::size_t>(components.root(static_cast<Vertex>(v)));
      p.components += root == v;
      p.largest_component = std::max(p.largest_component, static_cast<Vertex>(++size[root]));
    }
  }
  Vertex found[2] = {p.components, p.largest_component};
  world.broadcast(std::span<Vertex>(found), 0);
  p.components = found[0];
  p.largest_component = found[1];
  return p;
}

std::vector<ExpectedBytes> expected_bytes(const GraphProfile& p) {
  const auto n = static_cast<double>(p.vertices), distinct = static_cast<double>(p.distinct_edges),
             m = static_cast<double>(p.edges);
  const double r = static_cast<double>(p.ranks), lists = p.directed ? 2 : 1;
  const double loops_once = p.directed ? 0 : static_cast<double>(p.self_loops);
  const double entries = 2 * distinct - std::min(distinct, loops_once), entries_before = 2 * m - loops_once;
  // A vertex of degree d is known by (P - 1)(1 - (1 - 1/P)^d) other ranks, if its neighbours are anywhere;
  // and an edge that is cut makes two mirrors at most, which is what counts where ids are near each other.
  double mirrors = 0;
  for (std::size_t k = 1; k < p.both_histogram.size(); ++k) {
    const double degree = 0.75 * std::ldexp(1.0, static_cast<int>(k));  // the middle of 2^(k-1) .. 2^k
    mirrors += static_cast<double>(p.both_histogram[k]) * (r - 1) * (1 - std::pow(1 - 1 / r, k == 1 ? 1 : degree));
  }
  mirrors = std::min(mirrors, 2.0 * static_cast<double>(p.cut_edges));
  const double weight = static_cast<double>(p.weight_bytes), id = p.most_id < (Vertex{1} << 32) - 1 ? 4 : 8;
  std::vector<ExpectedBytes> table = {
      {"offsets", lists * (n + r) * sizeof(Edge)},
      {"targets", entries * sizeof(Local)},
      {"weights", entries * weight},
      {"orders", 2 * n * sizeof(Local)},
      {"ids of local vertices", (n + mirrors) * id},
      {"ids of blocks", p.ids_are_a_range ? 0 : n * sizeof(Vertex)},
      {"mirrors", r > 1 ? n * (r - 1) / 8 : 0},
  };
  double sum = 0;
  for (const ExpectedBytes& e : table) sum += e.bytes;
  const double edge_list = m * (2 * static_cast<double>(p.id_bytes) + weight);
  // Edge list, lists of dense numbers with their weights, offsets and cursors, orders.
  const double placing = edge_list + entries_before * (static_cast<double>(p.id_bytes) + weight) + 2 * table[0].bytes +
                         table[3].bytes + table[5].bytes;
  table.push_back({"graph", sum});
  table.push_back({"build", std::max(sum, placing)});
  return table;
}

ExpectedSeconds expected_seconds(const GraphProfile& profile, int workers) {
  // Measured on two Zen 5 cores with Kronecker scale 20, whose lists have 33.5 M entries before duplicates are merged:
  // 0.35 s to build, 1.5 ms to search.
  constexpr double kBuild = 2 * 0.35 / 33.5e6, kSearch = 2 * 1.5e-3 / 33.5e6;
  const double entries = 2.0 * static_cast<double>(profile.edges) / std::max(1, workers);
  return {entries * kBuild, entries * kSearch};
}

}  // namespace atl
