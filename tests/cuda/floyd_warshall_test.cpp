// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/apsp/device/on_device.hpp>
#include <atoll/base/random.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/runtime/job/launch.hpp>

#include "test_device.hpp"

using namespace atl;

namespace {

// A random graph: about one pair in `sparsity` has an arc.
template <class T>
Matrix<T> random_graph(std::int64_t n, std::uint64_t seed, unsigned sparsity, bool symmetric, T most) {
  Matrix<T> d(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const auto [a, b] = symmetric ? std::pair{std::min(i, j), std::max(i, j)} : std::pair{i, j};
      const std::uint64_t word = random_at(seed, static_cast<std::uint64_t>(a * n + b));
      d(i, j) = i == j                 ? T{0}
                : word % sparsity != 0 ? kNoPath<T>
                                       : static_cast<T>(word / sparsity % static_cast<std::uint64_t>(most));
    }
  return d;
}

template <class T>
std::int64_t differences(const Matrix<T>& a, const Matrix<T>& b) {
  std::int64_t out = 0;
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t j = 0; j < a.cols(); ++j) out += a(i, j) != b(i, j);
  return out;
}

template <class T>
void expect_closure(Device& device, std::int64_t n, unsigned sparsity, bool undirected, DevicePlacement placement,
                    std::int64_t block) {
  auto wanted = random_graph<T>(n, static_cast<std::uint64_t>(n), sparsity, undirected, T{100});
  auto got = random_graph<T>(n, static_cast<std::uint64_t>(n), sparsity, undirected, T{100});
  Team team(1);
  REQUIRE(!floyd_warshall<T>(Gemm({Semiring::min_plus, kElementOf<T>}), team, wanted.view()));
  const DeviceGemm gemm(device, kElementOf<T>, DeviceTile{64, 64, 16, 8, 4, 4});
  FloydWarshallReport report;
  REQUIRE(
      !floyd_warshall_on_device<T>(gemm, got.view(), {.block = block, .undirected = undirected}, &report, placement));
  CAPTURE(n);
  CAPTURE(undirected);
  CHECK(differences(got, wanted) == 0);
  CHECK(report.steps == (n + report.block - 1) / report.block);
}

}  // namespace

TEST_CASE_TEMPLATE("closures on a device are the host's", T, float, std::int32_t, std::uint16_t) {
  for (const int architecture : architectures()) {
    const TestDevice tested(architecture);
    for (const bool undirected : {false, true})
      for (const std::int64_t n : {1, 2, 63, 65, 200, 333})
        expect_closure<T>(tested.device(), n, 20, undirected, DevicePlacement::resident, n > 300 ? 128 : 0);
  }
}

TEST_CASE_TEMPLATE("closures of matrices that pass through a device in strips", T, float, std::int32_t, std::uint16_t) {
  const TestDevice tested;
  for (const std::int64_t n : {1, 64, 130, 400})
    expect_closure<T>(tested.device(), n, 10, false, DevicePlacement::streamed, n == 400 ? 64 : 128);
}

TEST_CASE("a matrix that does not fit passes in strips by itself") {
  if (TestDevice::is_real()) return;  // how much memory there is, is the emulation's to say
  setenv("ATOLL_EMULATION_BYTES", "800000", 1);
  const TestDevice tested;
  expect_closure<float>(tested.device(), 400, 10, true, DevicePlacement::automatic, 64);
  Matrix<float> d(2000, 2000);
  CHECK_THROWS_AS(floyd_warshall_on_device<float>(DeviceGemm(tested.device(), Element::float32), d.view(), {}, nullptr),
                  DeviceError);
  unsetenv("ATOLL_EMULATION_BYTES");
}

TEST_CASE("ranks that share a device plan with their parts of its memory") {
  if (TestDevice::is_real()) return;  // how much memory there is, is the emulation's to say
  // Two emulated devices; 400 x 400 values fit one of them, and not a third of it.
  setenv("ATOLL_EMULATION_BYTES", "2200000", 1);
  const TestDevice sets_the_architecture;
  for (const auto& [ranks, sharing] : {std::pair{1, 1}, {2, 1}, {6, 3}}) {
    CAPTURE(ranks);
    run_ranks(ranks, Plan{}, [&](World& world) {
      const auto device = device_of_rank(world, "cuda");
      CHECK(device->claimable_bytes() == device->free_bytes() / static_cast<std::size_t>(sharing));
      Matrix<float> d(400, 400);
      for (std::int64_t i = 0; i < 400; ++i) std::ranges::fill(d.view().row(i), 1.0f);
      const DeviceGemm gemm(*device, Element::float32, DeviceTile{64, 64, 16, 8, 4, 4});
      FloydWarshallReport report;
      floyd_warshall_on_device<float>(gemm, d.view(), {.steps = 1}, &report);
      // Only of a matrix in the device's memory are diagonal blocks timed apart.
      CHECK((report.diagonal_seconds > 0) == (sharing == 1));
    });
  }
  unsetenv("ATOLL_EMULATION_BYTES");
}

TEST_CASE("memory that cannot be pinned is said once, and passes all the same") {
  if (TestDevice::is_real()) return;  // what a host locks is the emulation's to say
  setenv("ATOLL_EMULATION_PINS", "0", 1);
  const TestDevice tested;
  std::vector<std::string> said;
  tested.device().log_to(Log([&](LogLevel level, std::string_view text) {
    CHECK(level == LogLevel::warn);
    said.emplace_back(text);
  }));
  for (int i = 0; i < 2; ++i) expect_closure<float>(tested.device(), 130, 10, false, DevicePlacement::streamed, 64);
  unsetenv("ATOLL_EMULATION_PINS");
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("cannot be pinned for this host: out of memory (copies of it wait") != std::string::npos);
  CHECK(said[0].find("`ulimit -l`") != std::string::npos);
}

TEST_CASE("an improving cycle is found on a device") {
  const TestDevice tested;
  for (const auto placement : {DevicePlacement::resident, DevicePlacement::streamed}) {
    Matrix<std::int32_t> d(200, 200);
    for (std::int64_t i = 0; i < 200; ++i)
      for (std::int64_t j = 0; j < 200; ++j) d(i, j) = i == j ? 0 : kNoPath<std::int32_t>;
    d(150, 170) = 5;
    d(170, 190) = -4;
    d(190, 150) = -2;
    const DeviceGemm gemm(tested.device(), Element::int32, DeviceTile{64, 64, 16, 8, 4, 4});
    const auto cycle = floyd_warshall_on_device<std::int32_t>(gemm, d.view(), {.block = 64}, nullptr, placement);
    REQUIRE(cycle);
    CHECK(cycle->vertex == 190);
  }
}

TEST_CASE("16-bit values that a device cannot hold are refused") {
  const TestDevice tested;
  Matrix<std::uint16_t> d(3, 3);
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 3; ++j) d(i, j) = i == j ? 0 : 40000;
  CHECK_THROWS_AS(
      floyd_warshall_on_device<std::uint16_t>(DeviceGemm(tested.device(), Element::uint16), d.view(), {}, nullptr),
      InputError);
}
