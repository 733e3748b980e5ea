// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/matrix/gemm/tuning.hpp>
#include <atoll/tune/store.hpp>
#include <nlohmann/json.hpp>
#include <set>

namespace atl {
namespace {

std::string label_of(const TileKernel& tile) { return fmt::format("{}x{}", tile.rows, tile.cols); }

std::vector<std::string> labels(std::span<const TileKernel> tiles) {
  std::vector<std::string> out;
  for (const TileKernel& t : tiles) out.push_back(label_of(t));
  return out;
}

std::int64_t known_or(std::size_t bytes, std::int64_t usual) {
  return bytes > 0 ? static_cast<std::int64_t>(bytes) : usual;
}

}  // namespace

tune::Space gemm_space(Algebra algebra, Isa isa, CacheSizes caches) {
  const std::span<const TileKernel> tiles = tile_kernels(algebra, isa);
  check(!tiles.empty(), "{} over {} is not computed (there is no kernel to tune). Choose another type.",
        name_of(algebra.semiring), name_of(algebra.element));
  const auto first = known_or(caches.first, 32 << 10), second = known_or(caches.second, 512 << 10),
             third = known_or(caches.third, 8 << 20);
  const auto element = static_cast<std::int64_t>(bytes_of(algebra.element));
  const auto tile = [tiles](const tune::Point& p) { return tiles[p["tile"]]; };

  std::set<std::int64_t> rows, cols;
  for (const TileKernel& t : tiles) {
    for (const int count : {4, 8, 16, 24, 32, 48}) rows.insert(std::int64_t{count} * t.rows);
    for (const int count : {8, 16, 32, 64, 128}) cols.insert(std::int64_t{count} * t.cols);
  }

  // The default blocking is always among the points.
  const GemmBlocking usual = Gemm::usual_blocking(algebra, isa);
  rows.insert(usual.rows);
  cols.insert(usual.cols);

  tune::Space space;
  space.choice("tile", labels(tiles))
      .integer("depth", {128, 192, 256, 320, 384, 512, 640, 768, 1024})
      .integer("rows", {rows.begin(), rows.end()})
      .integer("cols", {cols.begin(), cols.end()});
  space.require("tiles fill the rows of A's block",
                [=](const tune::Point& p) { return p["rows"] % tile(p).rows == 0; });
  space.require("tiles fill the columns of B's block",
                [=](const tune::Point& p) { return p["cols"] % tile(p).cols == 0; });
  // They are read again for every tile of A's block, in order, so what does not stay in the cache is prefetched. Twice
  // the cache was the best size for int32 on a Zen 5 processor (gemm_blocking.cpp).
  space.require("a tile's columns of B fit twice the first cache",
                [=](const tune::Point& p) { return p["depth"] * tile(p).cols * element <= 2 * first; });
  // It is read again for the columns of B of every tile.
  space.require("the block of A fits the second cache beside them", [=](const tune::Point& p) {
    return p["depth"] * (p["rows"] * tile(p).left_bytes + tile(p).cols * element) <= second;
  });
  space.require("the block of B fits the third cache",
                [=](const tune::Point& p) { return p["depth"] * p["cols"] * element <= third; });
  return space;
}

GemmBlocking blocking_of(const tune::Point& p) {
  return {static_cast<int>(p["tile"]), p["depth"], p["rows"], p["cols"]};
}

std::string blocking_key(Algebra algebra) {
  return fmt::format("gemm/{}/{}", name_of(algebra.semiring), name_of(algebra.element));
}

nlohmann::json blocking_to_json(const GemmBlocking& b, Algebra algebra, Isa isa) {
  return {
      {"tile", label_of(tile_kernels(algebra, isa)[b.tile])}, {"depth", b.depth}, {"rows", b.rows}, {"cols", b.cols}};
}

std::optional<GemmBlocking> stored_blocking(Algebra algebra, const tune::Store& store) {
  const auto entry = store.read(blocking_key(algebra));
  if (!entry) return std::nullopt;
  try {
    const nlohmann::json& j = entry->value.at("blocking");
    const std::vector<std::string> known = labels(tile_kernels(algebra, chosen_isa()));
    const auto tile = std::find(known.begin(), known.end(), j.at("tile").get<std::string>());
    if (tile == known.end()) return std::nullopt;
    const GemmBlocking b{static_cast<int>(tile - known.begin()), j.at("depth").get<std::int64_t>(),
                         j.at("rows").get<std::int64_t>(), j.at("cols").get<std::int64_t>()};
    check(b.depth > 0 && b.rows > 0 && b.cols > 0,
          "{}: depth {}, rows {}, cols {} (all must be more than 0). Remove the file, or run `atoll tune gemm`.",
          entry->file.string(), b.depth, b.rows, b.cols);
    return b;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}: {} (not a stored blocking). Remove the file, or run `atoll tune gemm`.",
                                 entry->file.string(), e.what()));
  }
}

}  // namespace atl
