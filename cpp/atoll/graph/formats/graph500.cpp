// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/id_rule.hpp>
#include <atoll/graph/formats/columns.hpp>
#include <atoll/graph/formats/companions.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <cmath>
#include <filesystem>

// The edge tuples that the Graph500 reference code writes to $TMPFILE: packed_edge, twelve bytes (two low words, then
// two high half words), or two 64-bit numbers. Weights, if any, are floats in $TMPFILE.weights. The edges are
// undirected.
namespace atl {
namespace {

constexpr std::size_t kEdgesPerTurn = std::size_t{1} << 15;

struct Packed48 {
  std::uint32_t low[2];
  std::uint16_t high[2];
};
static_assert(sizeof(Packed48) == 12);
struct Pair64 {
  std::int64_t end[2];
};

std::uint64_t end_of(const Packed48& e, int i) { return e.low[i] | static_cast<std::uint64_t>(e.high[i]) << 32; }
std::uint64_t end_of(const Pair64& e, int i) { return static_cast<std::uint64_t>(e.end[i]); }

template <class Tuple>
EdgeList read_tuples(World& world, const std::string& path, const ReadOptions& options) {
  struct Scratch {
    std::vector<Tuple> tuples;
    std::vector<float> floats;
    std::vector<Vertex> source, target;
    std::vector<std::uint32_t> narrow_source, narrow_target;
    std::vector<double> weight;
  };
  // The file sizes, as rank 0 sees them; -1: no weights.
  std::int64_t sizes[2] = {0, -1};
  world.collective_try([&] {
    if (world.rank() != 0) return;
    sizes[0] = static_cast<std::int64_t>(InputFile(path).bytes());
    std::error_code ignored;
    if (options.weights != ReadOptions::Weights::none && std::filesystem::exists(weights_path(path), ignored))
      sizes[1] = static_cast<std::int64_t>(InputFile(weights_path(path)).bytes());
  });
  world.broadcast(std::span<std::int64_t>(sizes), 0);
  const auto bytes = static_cast<std::uint64_t>(sizes[0]), edges_in_file = bytes / sizeof(Tuple);
  check(bytes % sizeof(Tuple) == 0,
        "{}: has {} bytes (edges of {} bytes each leave a rest of {}). The file is cut off, or of another "
        "format.",
        path, bytes, sizeof(Tuple), bytes % sizeof(Tuple));
  const bool weighted = sizes[1] >= 0;
  check(weighted || options.weights != ReadOptions::Weights::required,
        "{}: has no weights (there is no {}.weights). Read it without them.", path, path);
  check(!weighted || static_cast<std::uint64_t>(sizes[1]) == 4 * edges_in_file,
        "{}.weights: has {} bytes ({} edges need {}). Write both again.", path, sizes[1], edges_in_file,
        4 * edges_in_file);

  const auto p = static_cast<std::uint64_t>(world.size()), r = static_cast<std::uint64_t>(world.rank());
  const std::uint64_t turns_in_file = (edges_in_file + kEdgesPerTurn - 1) / kEdgesPerTurn;
  const std::uint64_t first = turns_in_file * r / p, turns = turns_in_file * (r + 1) / p - first;
  EdgeColumns columns(turns * kEdgesPerTurn, weighted);
  world.collective_try([&] {
    const InputFile file(path);
    std::optional<InputFile> weights;
    if (weighted) weights.emplace(weights_path(path));
    std::vector<Scratch> scratch(static_cast<std::size_t>(world.team().size()));
    world.team().for_range(turns, 1, [&](int thread, std::size_t turn, std::size_t) {
      Scratch& s = scratch[thread];
      bool appended = false;
      try {
        const std::uint64_t begin = (first + turn) * kEdgesPerTurn;
        const std::size_t n = std::min<std::uint64_t>(kEdgesPerTurn, edges_in_file - begin);
        s.tuples.resize(n);
        s.source.resize(n);
        s.target.resize(n);
        file.read_at(s.tuples.data(), n * sizeof(Tuple), begin * sizeof(Tuple));
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const std::uint64_t a = end_of(s.tuples[i], 0), b = end_of(s.tuples[i], 1);
          s.source[i] = static_cast<Vertex>(a);
          s.target[i] = static_cast<Vertex>(b);
          all |= a | b;
        }
        if (all >= static_cast<std::uint64_t>(kMaxVertex)) {
          for (std::size_t i = 0; i < n; ++i)
            for (const Vertex id : {s.source[i], s.target[i]})
              check(id >= 0 && id <= kMaxVertex, "{}: edge {} has the id {} ({}). Is the file of this format?", path,
                    begin + i, id, kIdRule);
        }
        if (weighted) {
          s.floats.resize(n);
          weights->read_at(s.floats.data(), 4 * n, 4 * begin);
          s.weight.assign(s.floats.begin(), s.floats.end());
          for (std::size_t i = 0; i < n; ++i)
            check(std::isfinite(s.floats[i]),
                  "{}.weights: edge {} has the weight {} (weights are finite numbers). Write both again.", path,
                  begin + i, s.floats[i]);
        }
        if (all >> 32 == 0) {
          s.narrow_source.assign(s.source.begin(), s.source.end());
          s.narrow_target.assign(s.target.begin(), s.target.end());
          appended = true;
          columns.append(turn, s.narrow_source.data(), s.narrow_target.data(), s.weight.data(), n);
        } else {
          appended = true;
          columns.append(turn, s.source.data(), s.target.data(), s.weight.data(), n);
        }
      } catch (...) {
        if (!appended) columns.append(turn, static_cast<const Vertex*>(nullptr), nullptr, nullptr, 0);
        throw;
      }
    });
  });
  EdgeList edges;
  columns.finish(world, edges);
  edges.directed = options.directed.value_or(false);
  return edges;
}

}  // namespace

EdgeList read_graph500(World& world, const std::string& path, int bits, const ReadOptions& options) {
  return bits == 48 ? read_tuples<Packed48>(world, path, options) : read_tuples<Pair64>(world, path, options);
}

}  // namespace atl
