// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/random.hpp>
#include <atoll/graph/enough_memory.hpp>
#include <atoll/graph/generate/communities.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/world.hpp>
#include <charconv>
#include <cmath>
#include <new>

namespace atl {
namespace {

using Kind = GeneratorText::Kind;

struct GeneratorSyntax {
  Kind kind;
  std::string_view name;
  std::string_view form;
  std::string_view example;
};
constexpr GeneratorSyntax kGenerators[] = {
    {Kind::kron, "kron", "kron:SCALE[:EDGEFACTOR[:SEED]]", "kron:20:16:1"},
    {Kind::rmat, "rmat", "rmat:SCALE:A,B,C[:EDGEFACTOR[:SEED]]", "rmat:20:0.45,0.25,0.15:16:1"},
    {Kind::uniform, "uniform", "uniform:SCALE[:DEGREE[:SEED]]", "uniform:20:16:1"},
    {Kind::communities, "communities", "communities:SCALE[:DEGREE[:MIXING[:SEED]]]", "communities:20:24:0.1:1"},
    {Kind::grid, "grid", "grid:AxB[xC]", "grid:1000x1000"},
    {Kind::ring, "ring", "ring:N", "ring:1000"},
    {Kind::star, "star", "star:N", "star:1000"},
    {Kind::path, "path", "path:N", "path:1000"},
    {Kind::complete, "complete", "complete:N", "complete:100"},
};
constexpr Vertex kMostVertices = Vertex{1} << 48;
constexpr Edge kMostTuples = Edge{1} << 58;  // 16 bytes each still count in 63 bits
constexpr std::uint64_t kWeightStream = 0x77656967687473ULL;

const GeneratorSyntax* syntax_of(std::string_view text) {
  for (const GeneratorSyntax& syntax : kGenerators)
    if (text.size() > syntax.name.size() && text.substr(0, syntax.name.size()) == syntax.name &&
        text[syntax.name.size()] == ':')
      return &syntax;
  return nullptr;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Reads the fields of one text; every complaint ends with the right syntax.
class Fields {
 public:
  Fields(std::string_view text, const GeneratorSyntax& syntax)
      : text_(text), syntax_(syntax), fields_(split(text.substr(syntax.name.size() + 1), ':')) {}

  [[noreturn]] void wrong(const std::string& what) const {
    throw InputError(fmt::format("{}: {}. Write {}, for example {}.", text_, what, syntax_.form, syntax_.example));
  }
  void need(std::size_t least, std::size_t most) const {
    if (fields_.size() < least)
      wrong(fmt::format("a field is missing ({} of at least {} given)", fields_.size(), least));
    if (fields_.size() > most) wrong(fmt::format("it has {} fields (at most {} are known)", fields_.size(), most));
  }
  std::string_view at(std::size_t i) const { return fields_[i]; }

  std::uint64_t number(std::string_view field, std::string_view name, std::uint64_t least, std::uint64_t most) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    const bool digits = end == field.data() + field.size() && !field.empty();
    if (error == std::errc::invalid_argument || !digits)
      wrong(fmt::format("{} is '{}' (not a whole number)", name, field));
    if (error == std::errc::result_out_of_range || value > most)
      wrong(fmt::format("{} is {} (at most {})", name, field, most));
    if (value < least) wrong(fmt::format("{} is {} (at least {})", name, field, least));
    return value;
  }
  std::uint64_t number_or(std::size_t i, std::string_view name, std::uint64_t least, std::uint64_t most,
                          std::uint64_t otherwise) const {
    return i < fields_.size() ? number(fields_[i], name, least, most) : otherwise;
  }
  double probability(std::string_view field, std::string_view name) const {
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size() || field.empty())
      wrong(fmt::format("{} is '{}' (not a number)", name, field));
    if (!(value >= 0 && value <= 1)) wrong(fmt::format("{} is {} (a probability lies in [0, 1])", name, field));
    return value;
  }
  double probability_or(std::size_t i, std::string_view name, double otherwise) const {
    return i < fields_.size() ? probability(fields_[i], name) : otherwise;
  }
  Edge times(Edge a, Edge b, Edge most, std::string_view what) const {
    Edge product = 0;
    if (__builtin_mul_overflow(a, b, &product) || product > most)
      wrong(fmt::format("it has more than {} {} (the most that Atoll counts)", most, what));
    return product;
  }

 private:
  std::string_view text_;
  const GeneratorSyntax& syntax_;
  std::vector<std::string_view> fields_;
};

/// Tuples first, first + 1, .. of the neighbours along each axis in turn. Along an axis of length L whose steps are
/// `stride` ids wide, blocks of L * stride ids have (L-1) * stride edges.
template <class Id>
void fill_grid(const GeneratorText& g, Edge first, std::span<Id> source, std::span<Id> target) {
  Edge begin = 0;  // of this axis' tuples
  std::size_t done = 0;
  Vertex stride = g.vertices;
  for (const Vertex side : g.sides) {
    const Vertex block = stride;
    stride /= side;
    const Vertex edges_per_block = block - stride;
    const Edge end = begin + g.vertices / block * edges_per_block;
    while (done < source.size() && first + static_cast<Edge>(done) < end) {
      const Edge j = first + static_cast<Edge>(done) - begin;
      Vertex v = j / edges_per_block * block + j % edges_per_block;
      const Edge run = std::min(edges_per_block - j % edges_per_block, static_cast<Edge>(source.size() - done));
      for (Edge k = 0; k < run; ++k, ++v, ++done) {
        source[done] = static_cast<Id>(v);
        target[done] = static_cast<Id>(v + stride);
      }
    }
    begin = end;
  }
}

/// Pairs u < v in lexicographic order.
template <class Id>
void fill_complete(Vertex n, Edge first, std::span<Id> source, std::span<Id> target) {
  if (source.empty()) return;
  const auto row = [n](Vertex u) {  // tuples before those of u: sum of n-1-x for x < u
    return static_cast<Edge>((static_cast<__int128>(u) * (2 * static_cast<__int128>(n) - u - 1)) / 2);
  };
  Vertex low = 0, high = n - 1;  // row(low) <= first < row(high)
  while (high - low > 1) {
    const Vertex middle = low + (high - low) / 2;
    (row(middle) <= first ? low : high) = middle;
  }
  Vertex u = low, v = u + 1 + (first - row(u));
  for (std::size_t k = 0; k < source.size(); ++k) {
    source[k] = static_cast<Id>(u);
    target[k] = static_cast<Id>(v);
    if (++v == n) v = ++u + 1;
  }
}

template <class Id>
void fill_uniform(const GeneratorText& g, Edge first, std::span<Id> source, std::span<Id> target) {
  const std::uint64_t mask = static_cast<std::uint64_t>(g.vertices) - 1;
  const auto begin = static_cast<std::uint64_t>(first);
  if (g.scale <= 32) {  // one word is enough for both ends
    for (std::size_t k = 0; k < source.size(); ++k) {
      const std::uint64_t word = random_at(g.seed, begin + k);
      source[k] = static_cast<Id>(word & mask);
      target[k] = static_cast<Id>(word >> 32 & mask);
    }
  } else {
    for (std::size_t k = 0; k < source.size(); ++k) {
      source[k] = static_cast<Id>(random_at(g.seed, 2 * (begin + k)) & mask);
      target[k] = static_cast<Id>(random_at(g.seed, 2 * (begin + k) + 1) & mask);
    }
  }
}

// The tables that a kind needs for all of its tuples.
struct Tables {
  explicit Tables(const GeneratorText& g) {
    if (g.kind == Kind::kron || g.kind == Kind::rmat) kronecker.emplace(g.scale, g.quadrants, g.seed);
    if (g.kind == Kind::communities) communities.emplace(g.scale, g.mixing, g.seed);
  }
  std::optional<Kronecker> kronecker;
  std::optional<Communities> communities;
};

template <class Id>
void fill(const GeneratorText& g, const Tables& tables, Edge first, std::span<Id> source, std::span<Id> target) {
  switch (g.kind) {
    case Kind::kron:
    case Kind::rmat:
      tables.kronecker->fill(static_cast<std::uint64_t>(first), source, target);
      break;
    case Kind::communities:
      tables.communities->fill(static_cast<std::uint64_t>(first), source, target);
      break;
    case Kind::uniform:
      fill_uniform(g, first, source, target);
      break;
    case Kind::grid:
    case Kind::path:
      fill_grid(g, first, source, target);
      break;
    case Kind::complete:
      fill_complete(g.vertices, first, source, target);
      break;
    case Kind::ring:
    case Kind::star:
      for (std::size_t k = 0; k < source.size(); ++k) {
        const Vertex i = first + static_cast<Edge>(k);
        const Vertex next = i + 1 == g.vertices ? 0 : i + 1;
        source[k] = static_cast<Id>(g.kind == Kind::star ? 0 : i);
        target[k] = static_cast<Id>(next);
      }
  }
}

}  // namespace

bool is_generator(std::string_view text) { return syntax_of(text) != nullptr; }

GeneratorText GeneratorText::parse(std::string_view text) {
  const GeneratorSyntax* syntax = syntax_of(text);
  if (!syntax) {
    std::string forms;
    for (const GeneratorSyntax& f : kGenerators) forms += fmt::format("{}{}", forms.empty() ? "" : ", ", f.form);
    throw InputError(fmt::format("{}: no generator has this name. Write one of {}.", text, forms));
  }
  const Fields fields(text, *syntax);
  constexpr std::uint64_t kMaxSeed = UINT64_MAX, kMaxFactor = std::uint64_t{1} << 32;
  GeneratorText g;
  g.kind = syntax->kind;
  switch (g.kind) {
    case Kind::kron:
    case Kind::rmat:
    case Kind::uniform: {
      const std::size_t shift = g.kind == Kind::rmat ? 1 : 0;  // a field more after the scale
      fields.need(1 + shift, 3 + shift);
      g.scale = static_cast<int>(fields.number(fields.at(0), "SCALE", 1, Kronecker::kMaxScale));
      g.vertices = Vertex{1} << g.scale;
      if (g.kind == Kind::rmat) {
        g.directed = true;
        const auto parts = split(fields.at(1), ',');
        if (parts.size() != 3)
          fields.wrong(fmt::format("A,B,C is '{}' ({} of 3 probabilities given)", fields.at(1), parts.size()));
        g.quadrants = {fields.probability(parts[0], "A"), fields.probability(parts[1], "B"),
                       fields.probability(parts[2], "C")};
        const double sum = g.quadrants.a + g.quadrants.b + g.quadrants.c;
        if (sum > 1 + 1e-12) fields.wrong(fmt::format("A + B + C is {} (at most 1; D is what is left)", sum));
      }
      const auto factor =
          fields.number_or(1 + shift, g.kind == Kind::uniform ? "DEGREE" : "EDGEFACTOR", 1, kMaxFactor, 16);
      g.seed = fields.number_or(2 + shift, "SEED", 0, kMaxSeed, 1);
      g.tuples = fields.times(g.vertices, static_cast<Edge>(factor), kMostTuples, "tuples");
      break;
    }
    case Kind::communities: {
      fields.need(1, 4);
      g.scale = static_cast<int>(fields.number(fields.at(0), "SCALE", 1, Communities::kMaxScale));
      g.vertices = Vertex{1} << g.scale;
      const auto degree = fields.number_or(1, "DEGREE", 1, kMaxFactor, 24);
      g.mixing = fields.probability_or(2, "MIXING", 0.1);
      g.seed = fields.number_or(3, "SEED", 0, kMaxSeed, 1);
      g.tuples = fields.times(g.vertices / 2, static_cast<Edge>(degree), kMostTuples, "tuples");
      break;
    }
    case Kind::grid: {
      fields.need(1, 1);
      const auto sides = split(fields.at(0), 'x');
      if (sides.size() != 2 && sides.size() != 3) fields.wrong(fmt::format("it has {} sides (2 or 3)", sides.size()));
      g.vertices = 1;
      for (std::size_t i = 0; i < sides.size(); ++i) {
        g.sides[i] =
            static_cast<Vertex>(fields.number(sides[i], "a side", 1, static_cast<std::uint64_t>(kMostVertices)));
        g.vertices = fields.times(g.vertices, g.sides[i], kMostVertices, "vertices");
      }
      for (const Vertex side : g.sides) g.tuples += g.vertices - g.vertices / side;
      break;
    }
    case Kind::ring:
    case Kind::star:
    case Kind::path:
    case Kind::complete: {
      fields.need(1, 1);
      g.vertices = static_cast<Vertex>(
          fields.number(fields.at(0), "N", g.kind == Kind::ring ? 3 : 1, static_cast<std::uint64_t>(kMostVertices)));
      g.sides[0] = g.vertices;
      g.tuples = g.vertices - 1;
      if (g.kind == Kind::ring) g.tuples = g.vertices;
      if (g.kind == Kind::complete) {
        const bool even = g.vertices % 2 == 0;
        g.tuples = fields.times(even ? g.vertices / 2 : g.vertices, even ? g.vertices - 1 : (g.vertices - 1) / 2,
                                kMostTuples, "tuples");
      }
      break;
    }
  }
  return g;
}

EdgeList generate(World& world, std::string_view text, const GenerateOptions& options) {
  const GeneratorText g = GeneratorText::parse(text);
  const auto slice_start = [&](Rank r) {
    return static_cast<Edge>(static_cast<__int128>(g.tuples) * r / world.size());
  };
  const Edge first = slice_start(world.rank());
  const auto count = static_cast<std::size_t>(slice_start(world.rank() + 1) - first);
  const bool narrow = g.vertices <= Vertex{1} << 32;
  const bool weighted = options.weights == Weights::uniform;

  require_memory(world, static_cast<double>(count) * ((narrow ? 8 : 16) + (weighted ? 4 : 0)),
                 fmt::format("{}: the tuples alone take", text), "Use a smaller scale or more machines.");
  EdgeList edges;
  world.collective_try([&] {
    try {
      if (narrow) {
        edges.source.emplace<Array<std::uint32_t>>(count);
        edges.target.emplace<Array<std::uint32_t>>(count);
      } else {
        edges.source.emplace<Array<Vertex>>(count);
        edges.target.emplace<Array<Vertex>>(count);
      }
      if (weighted) edges.weight.emplace<Array<float>>(count);
    } catch (const std::bad_alloc&) {
      throw InputError(fmt::format("{}: no memory for {} tuples on rank {}. Use a smaller scale or more machines.",
                                   text, count, world.rank()));
    }
  });
  edges.directed = g.directed;
  edges.range = IdRange{0, g.vertices};
  edges.name = std::string(text);

  const Tables tables(g);
  constexpr std::size_t kGrain = 1 << 16;
  const auto fill_columns = [&]<class Id>(Array<Id>& source, Array<Id>& target) {
    world.team().for_range(count, kGrain, [&](int, std::size_t a, std::size_t b) {
      fill(g, tables, first + static_cast<Edge>(a), std::span(source.data() + a, b - a),
           std::span(target.data() + a, b - a));
    });
  };
  if (narrow) {
    fill_columns(std::get<Array<std::uint32_t>>(edges.source), std::get<Array<std::uint32_t>>(edges.target));
  } else {
    fill_columns(std::get<Array<Vertex>>(edges.source), std::get<Array<Vertex>>(edges.target));
  }
  if (weighted) {
    auto& weight = std::get<Array<float>>(edges.weight);
    const std::uint64_t stream = random_at(g.seed, kWeightStream);
    world.team().for_range(count, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t k = a; k < b; ++k)
        weight[k] = static_cast<float>(random_at(stream, static_cast<std::uint64_t>(first) + k) >> 40) * 0x1p-24f;
    });
  }
  return edges;
}

}  // namespace atl
