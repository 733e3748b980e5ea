// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/matrix/gemm/tuning.hpp>
#include <atoll/tune/store.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "folder.hpp"

using namespace atl;

namespace {

constexpr CacheSizes kCaches{48 << 10, 1 << 20, 32 << 20};

}  // namespace

TEST_CASE("every tile of every algebra has tuning points, and they fit the caches") {
  for (const Semiring s : {Semiring::min_plus, Semiring::max_plus, Semiring::max_min, Semiring::or_and})
    for (const Element e : {Element::float32, Element::float32_nonnegative, Element::float64, Element::int32,
                            Element::uint16, Element::uint8})
      for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
        if (isa > machine_isa()) continue;  // the code that lists its tiles is compiled for it, too
        CAPTURE(name_of(s));
        CAPTURE(name_of(e));
        CAPTURE(name_of(isa));
        const Algebra algebra{s, e};
        if (tile_kernels(algebra, isa).empty()) {
          CHECK_THROWS_WITH_AS(gemm_space(algebra, isa, kCaches), doctest::Contains("not computed"), InputError);
          continue;
        }
        const tune::Space space = gemm_space(algebra, isa, kCaches);
        std::set<int> tiles;
        for (const tune::Point& p : space.points()) {
          const GemmBlocking b = blocking_of(p);
          tiles.insert(b.tile);
          const TileKernel& tile = tile_kernels(algebra, isa)[static_cast<std::size_t>(b.tile)];
          CHECK(b.rows % tile.rows == 0);
          CHECK(b.cols % tile.cols == 0);
          CHECK(b.depth * tile.cols * static_cast<std::int64_t>(bytes_of(e)) <= 2 * (48 << 10));
          CHECK(blocking_to_json(b, algebra, isa) == p.to_json());
        }
        CHECK(tiles.size() == tile_kernels(algebra, isa).size());
        CHECK_FALSE(gemm_space(algebra, isa, {}).points().empty());  // with unknown cache sizes
      }
}

TEST_CASE("the product does not depend on the blocking") {
  const Algebra algebra{Semiring::min_plus, Element::int32};
  Team team(2);
  constexpr std::int64_t m = 101, n = 259, k = 133;
  Matrix<std::int32_t> a(m, k), b(k, n), usual(m, n);
  for (std::int64_t i = 0; i < m * k; ++i)
    a(i / k, i % k) = static_cast<std::int32_t>(random_at(1, static_cast<std::uint64_t>(i)) % 1000);
  for (std::int64_t i = 0; i < k * n; ++i)
    b(i / n, i % n) = static_cast<std::int32_t>(random_at(2, static_cast<std::uint64_t>(i)) % 1000);
  const auto product = [&](const Gemm& gemm, Matrix<std::int32_t>& c) {
    for (std::int64_t i = 0; i < m; ++i) std::ranges::fill(c.view().row(i), kNoPath<std::int32_t>);
    gemm(team, plain(std::as_const(a).view()), plain(std::as_const(b).view()), c.view());
  };
  product(Gemm(algebra), usual);
  std::vector<tune::Point> points;
  const tune::Space space = gemm_space(algebra, chosen_isa(), kCaches);
  points = space.points();
  for (std::size_t i = 0; i < points.size(); i += 7) {
    CAPTURE(points[i].text());
    Matrix<std::int32_t> c(m, n);
    product(Gemm(algebra, blocking_of(points[i])), c);
    bool same = true;
    for (std::int64_t row = 0; row < m; ++row)
      same = same && std::ranges::equal(c.view().row(row), usual.view().row(row));
    CHECK(same);
  }
}

TEST_CASE("the default blocking of every type is a tuning point") {
  const CacheSizes zen5{48 << 10, 1 << 20, 32 << 20};
  for (const Element element : {Element::float32, Element::float32_nonnegative, Element::float64, Element::int32,
                                Element::uint16, Element::uint8}) {
    const Algebra algebra{Semiring::min_plus, element};
    const Isa isa = chosen_isa();
    const tune::Space space = gemm_space(algebra, isa, zen5);
    const GemmBlocking usual = Gemm::usual_blocking(algebra, isa);
    CAPTURE(name_of(element));
    CHECK(blocking_of(space.point(blocking_to_json(usual, algebra, isa))) == usual);
  }
}

TEST_CASE("a stored blocking is found again, unless its tile no longer exists") {
  const files::Folder folder;
  const tune::Store store(folder / "store");
  const Algebra algebra{Semiring::min_plus, Element::uint16};
  CHECK_FALSE(stored_blocking(algebra, store));
  const GemmBlocking b{0, 256, 192, 2048};
  nlohmann::json j = blocking_to_json(b, algebra, chosen_isa());
  store.write(blocking_key(algebra), {{"blocking", j}});
  CHECK(stored_blocking(algebra, store) == b);
  CHECK_FALSE(stored_blocking({Semiring::min_plus, Element::int32}, store));
  j["tile"] = "1x1";
  store.write(blocking_key(algebra), {{"blocking", j}});
  CHECK_FALSE(stored_blocking(algebra, store));
  j.erase("tile");
  store.write(blocking_key(algebra), {{"blocking", j}});
  CHECK_THROWS_WITH_AS(stored_blocking(algebra, store), doctest::Contains("not a stored blocking"), InputError);
}
