// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/id_rule.hpp>
#include <atoll/graph/numbering.hpp>
#include <bit>

namespace atl {

Vertex IdMap::find_here(Vertex id) const {
  if (!table_) {
    if (id < first_) return -1;
    const Vertex k = id - first_ - blocks_.begin(rank_);
    return k >= 0 && k < blocks_.size(rank_) ? k : -1;
  }
  const auto at = std::lower_bound(ids_.begin(), ids_.end(), id);
  return at != ids_.end() && *at == id ? at - ids_.begin() : -1;
}

Vertex IdMap::lower_bound_here(Vertex id) const {
  if (!table_) return std::clamp<Vertex>(id - first_ - blocks_.begin(rank_), 0, blocks_.size(rank_));
  return std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin();
}

namespace {

constexpr std::size_t kNumberingGrain = 1 << 16;

struct IdBounds {
  Vertex least = INT64_MAX, most = -1;
  IdBounds& operator+=(const IdBounds& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    return *this;
  }
};

template <class Id>
IdBounds extent_of(Team& team, const Array<Id>& ids) {
  std::vector<IdBounds> part(static_cast<std::size_t>(team.size()));
  team.for_range(ids.size(), kNumberingGrain, [&](int thread, std::size_t a, std::size_t b) {
    Id least = ids[a], most = ids[a];
    for (std::size_t i = a; i < b; ++i) {
      least = std::min(least, ids[i]);
      most = std::max(most, ids[i]);
    }
    part[thread] += {static_cast<Vertex>(least), static_cast<Vertex>(most)};
  });
  IdBounds all;
  for (const IdBounds& e : part) all += e;
  return all;
}

// Replaces each id by f(id). Where dense numbers need 32 bits only, a 64-bit column shrinks in place: thread by thread,
// each writes behind what it has read, and the pieces are moved together at the end.
template <class F>
void translate(Team& team, IdColumn& column, bool narrow, F&& f) {
  if (auto* ids = std::get_if<Array<std::uint32_t>>(&column)) {
    team.for_range(ids->size(), kNumberingGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) (*ids)[i] = static_cast<std::uint32_t>(f(static_cast<Vertex>((*ids)[i])));
    });
    return;
  }
  auto& wide = std::get<Array<Vertex>>(column);
  if (!narrow) {
    team.for_range(wide.size(), kNumberingGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) wide[i] = f(wide[i]);
    });
    return;
  }
  const std::size_t n = wide.size();
  team.run([&](int thread) {
    const auto [a, b] = team.share(thread, n);
    // memcpy: the same bytes are read as 64-bit and written as 32-bit values.
    auto* out = reinterpret_cast<std::byte*>(wide.data() + a);
    for (std::size_t i = a; i < b; ++i, out += sizeof(std::uint32_t)) {
      const auto dense = static_cast<std::uint32_t>(f(wide[i]));
      std::memcpy(out, &dense, sizeof dense);
    }
  });
  auto* base = reinterpret_cast<std::byte*>(wide.data());
  for (int t = 1; t < team.size(); ++t) {
    const auto [a, b] = team.share(t, n);
    if (a == b) continue;  // no column, no address
    std::memmove(base + a * sizeof(std::uint32_t), base + a * sizeof(Vertex), (b - a) * sizeof(std::uint32_t));
  }
  column = std::move(wide).template narrow<std::uint32_t>(n);
}

template <class F>
void translate_both(World& world, EdgeList& edges, Vertex count, F&& f) {
  const bool narrow = count <= (Vertex{1} << 32);
  translate(world.team(), edges.source, narrow, f);
  translate(world.team(), edges.target, narrow, f);
}

// The set of ids in [least, most], as bits with a directory of counts: rank_of(id) is the id's dense number.
class BitDirectory {
 public:
  BitDirectory(Vertex least, Vertex most) : least_(least), bits_(static_cast<std::size_t>(most - least) / 64 + 1, 0) {}
  std::span<std::uint64_t> words() { return bits_; }
  void insert(Vertex id) {
    const auto at = static_cast<std::uint64_t>(id - least_);
    std::atomic_ref word(bits_[at / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
  }
  void count() {
    before_ = Array<Vertex>(bits_.size() + 1);
    Vertex sum = 0;
    for (std::size_t w = 0; w < bits_.size(); ++w) {
      before_[w] = sum;
      sum += std::popcount(bits_[w]);
    }
    before_[bits_.size()] = sum;
  }
  Vertex size() const { return before_[bits_.size()]; }
  Vertex rank_of(Vertex id) const {
    const auto at = static_cast<std::uint64_t>(id - least_);
    const std::uint64_t below = bits_[at / 64] & ((std::uint64_t{1} << (at % 64)) - 1);
    return before_[at / 64] + std::popcount(below);
  }
  /// The ids with dense numbers [a, b).
  std::vector<Vertex> select(Vertex a, Vertex b) const {
    std::vector<Vertex> ids;
    ids.reserve(static_cast<std::size_t>(b - a));
    const auto from = std::upper_bound(before_.begin(), before_.end(), a) - before_.begin() - 1;
    for (auto w = static_cast<std::size_t>(from); w < bits_.size() && before_[w] < b; ++w) {
      Vertex number = before_[w];
      for (std::uint64_t word = bits_[w]; word; word &= word - 1, ++number)
        if (number >= a && number < b) ids.push_back(least_ + static_cast<Vertex>(w * 64) + std::countr_zero(word));
    }
    return ids;
  }

 private:
  Vertex least_;
  Array<std::uint64_t> bits_;
  Array<Vertex> before_;
};

template <class F>
void for_each_id(Team& team, const EdgeList& edges, F&& f) {
  for (const IdColumn* column : {&edges.source, &edges.target})
    std::visit(
        [&](const auto& ids) {
          team.for_range(ids.size(), kNumberingGrain, [&](int, std::size_t a, std::size_t b) {
            for (std::size_t i = a; i < b; ++i) f(static_cast<Vertex>(ids[i]));
          });
        },
        *column);
  for (Vertex id : edges.vertices) f(id);
}

// Every rank gets the union of all ranks' bits: each combines one share, then all shares go to everyone.
void unite(World& world, std::span<std::uint64_t> words) {
  const Rank p = world.size();
  if (p == 1) return;
  const Blocks shares = Blocks::even(static_cast<Vertex>(words.size()), p);
  auto part = [&](Rank r) {
    return words.subspan(static_cast<std::size_t>(shares.begin(r)), static_cast<std::size_t>(shares.size(r)));
  };
  std::vector<std::vector<std::uint64_t>> outgoing(static_cast<std::size_t>(p));
  for (Rank r = 0; r < p; ++r) outgoing[r].assign(part(r).begin(), part(r).end());
  const auto incoming = world.exchange(std::move(outgoing));
  auto mine = part(world.rank());
  for (const auto& other : incoming)
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] |= other[i];
  const auto all = world.all_gather_varying(std::span<const std::uint64_t>(mine));
  std::copy(all.begin(), all.end(), words.begin());
}

IdMap number_by_bits(World& world, EdgeList& edges, const IdBounds& extent) {
  BitDirectory ids(extent.least, extent.most);
  for_each_id(world.team(), edges, [&](Vertex id) { ids.insert(id); });
  unite(world, ids.words());
  ids.count();
  Blocks blocks = Blocks::even(ids.size(), world.size());
  translate_both(world, edges, ids.size(), [&](Vertex id) { return ids.rank_of(id); });
  auto mine = ids.select(blocks.begin(world.rank()), blocks.end(world.rank()));
  return IdMap(std::move(mine), std::move(blocks), world.rank());
}

// Distinct ids with a value each; open addressing, any number of threads insert at once.
class IdTable {
 public:
  explicit IdTable(std::size_t expected)
      : mask_(std::bit_ceil(std::max<std::size_t>(expected, 8) * 3 / 2) - 1), keys_(mask_ + 1, kEmpty) {}
  /// Once it is too full for short probes it takes no more.
  bool overfull() const { return size_.load(std::memory_order_relaxed) * 8 > keys_.size() * 7; }
  void make_values() { values_ = Array<Vertex>(keys_.size()); }
  void insert(Vertex id) {
    if (overfull()) return;
    for (std::size_t at = slot(id);; at = (at + 1) & mask_) {
      std::atomic_ref key(keys_[at]);
      Vertex found = key.load(std::memory_order_relaxed);
      if (found == id) return;
      if (found != kEmpty) continue;
      if (key.compare_exchange_strong(found, id, std::memory_order_relaxed)) {
        size_.fetch_add(1, std::memory_order_relaxed);
        return;
      }
      if (found == id) return;
    }
  }
  std::vector<Vertex> keys() const {
    std::vector<Vertex> ids;
    for (Vertex k : keys_)
      if (k != kEmpty) ids.push_back(k);
    return ids;
  }
  Vertex& operator[](Vertex id) { return values_[find(id)]; }
  Vertex operator()(Vertex id) const { return values_[find(id)]; }

 private:
  static constexpr Vertex kEmpty = -1;  // ids are >= 0
  std::size_t slot(Vertex id) const {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15ULL >> 17) & mask_;
  }
  std::size_t find(Vertex id) const {
    std::size_t at = slot(id);
    while (keys_[at] != id) at = (at + 1) & mask_;
    return at;
  }
  std::size_t mask_;
  std::atomic<std::size_t> size_{0};
  Array<Vertex> keys_;
  Array<Vertex> values_;
};

IdMap number_by_table(World& world, EdgeList& edges) {
  const auto p = static_cast<std::size_t>(world.size());
  const std::size_t mentions = 2 * edges.size() + edges.vertices.size();
  // Most graphs name a vertex many times: start small, and double until the distinct ids fit.
  constexpr std::size_t kGuess = 8;
  auto fill = [&](std::size_t expected) {
    auto t = std::make_unique<IdTable>(expected);
    for_each_id(world.team(), edges, [&](Vertex id) { t->insert(id); });
    return t;
  };
  std::size_t expected = mentions / kGuess;
  auto filled = fill(expected);
  while (filled->overfull()) {
    filled.reset();
    filled = fill(expected = 2 * expected + 64);
  }
  IdTable& table = *filled;
  table.make_values();
  std::vector<Vertex> distinct = table.keys();
  std::sort(distinct.begin(), distinct.end());

  // Splitters from a regular sample: every rank's block of ids has about the same size.
  constexpr std::size_t kSamples = 256;
  std::vector<Vertex> sample;
  for (std::size_t i = 0; i < std::min(kSamples, distinct.size()); ++i)
    sample.push_back(distinct[i * distinct.size() / std::min(kSamples, distinct.size())]);
  sample = world.all_gather_varying(std::span<const Vertex>(sample));
  std::sort(sample.begin(), sample.end());
  auto first_of = [&](std::size_t r) {
    if (r == 0) return distinct.begin();
    if (r == p || sample.empty()) return distinct.end();
    return std::lower_bound(distinct.begin(), distinct.end(), sample[r * sample.size() / p]);
  };
  std::vector<std::vector<Vertex>> asked(p);
  for (std::size_t r = 0; r < p; ++r) asked[r].assign(first_of(r), first_of(r + 1));
  const auto wanted = world.exchange(asked);

  std::vector<Vertex> mine;
  for (const auto& ids : wanted) mine.insert(mine.end(), ids.begin(), ids.end());
  std::sort(mine.begin(), mine.end());
  mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  std::vector<Vertex> first{0};
  for (Edge size : world.all_gather(static_cast<Edge>(mine.size()))) first.push_back(first.back() + size);
  Blocks blocks(std::move(first));

  // Answer with dense numbers, in the order in which they were asked for.
  std::vector<std::vector<Vertex>> answers(p);
  for (std::size_t r = 0; r < p; ++r)
    for (Vertex id : wanted[r])
      answers[r].push_back(blocks.begin(world.rank()) +
                           (std::lower_bound(mine.begin(), mine.end(), id) - mine.begin()));
  const auto numbers = world.exchange(std::move(answers));
  for (std::size_t r = 0; r < p; ++r)
    for (std::size_t i = 0; i < asked[r].size(); ++i) table[asked[r][i]] = numbers[r][i];
  translate_both(world, edges, blocks.count(), [&](Vertex id) { return table(id); });
  return IdMap(std::move(mine), std::move(blocks), world.rank());
}

}  // namespace

IdMap number(World& world, EdgeList& edges) {
  IdBounds extent;
  for (const IdColumn* column : {&edges.source, &edges.target})
    std::visit([&](const auto& ids) { extent += extent_of(world.team(), ids); }, *column);
  for (Vertex id : edges.vertices) extent += {id, id};
  extent = world.fold(extent, [](IdBounds a, const IdBounds& b) { return a += b; });
  const Edge mentions = world.sum(static_cast<Edge>(2 * edges.size() + edges.vertices.size()));

  // Whether there is a range decides what is collective next.
  const IdRange mine = edges.range.value_or(IdRange{-1, -1});
  const IdRange common = world.fold(mine, [](const IdRange& a, const IdRange&) { return a; });
  world.agree(mine.first == common.first && mine.count == common.count,
              fmt::format("{}: rank {} knows other ids than rank 0 (the range of ids must be the same on all ranks). "
                          "Correct the range.",
                          edges.name, world.rank()));
  IdMap ids;
  if (edges.range) {
    const auto [first, count] = *edges.range;
    world.agree(mentions == 0 || (extent.least >= first && extent.most < first + count),
                fmt::format("{}: id {} (ids are {} to {}). Correct the edges or the number of vertices.", edges.name,
                            extent.least < first ? extent.least : extent.most, first, first + count - 1));
    translate_both(world, edges, count, [first = first](Vertex id) { return id - first; });
    ids = IdMap(first, Blocks::even(count, world.size()), world.rank());
    ids.set_largest(first + count - 1);
  } else {
    world.agree(mentions > 0, fmt::format("{}: no edges (an empty graph has no vertex to start from). Give a file with "
                                          "edges, or one whose header says how many vertices there are.",
                                          edges.name));
    world.agree(extent.least >= 0 && extent.most <= kMaxVertex,
                fmt::format("{}: id {} ({}). Renumber the vertices.", edges.name,
                            extent.least < 0 ? extent.least : extent.most, kIdRule));
    // Bits cost (most - least) / 8 bytes a rank, a table 32 bytes per distinct id: at most one per mention.
    const double bits_bytes = static_cast<double>(extent.most - extent.least) * (1.0 / 8 + 1.0 / 8);
    const bool compact = bits_bytes < static_cast<double>(mentions) * 4 + 4096 &&
                         bits_bytes < static_cast<double>(world.plan().replicated_bytes);
    ids = compact ? number_by_bits(world, edges, extent) : number_by_table(world, edges);
    ids.set_largest(extent.most);
  }
  edges.vertices = {};
  return ids;
}

}  // namespace atl
