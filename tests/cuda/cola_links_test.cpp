// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <atoll/device/cola/cola_pipeline.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

#include "cola_cases.hpp"
#include "test_device.hpp"

using namespace atl;
using namespace cola_cases;

// Threads play the processes; each has an emulated device, and NVSHMEM and NCCL are emulated between them.
namespace {

struct LinksCase {
  const CsrMatrix& a;
  Shape shape;
  Blocks blocks;
  std::vector<std::int64_t> columns;  // of each product
};

// The products of one PE, given to its stream at once; its rows of C go where they belong in c.
ColaBytes multiply_all(const std::string& links, const ColaPlan& plan, const LinksCase& test,
                       std::span<const std::byte> id, const std::vector<Matrix<float>>& b,
                       std::vector<Matrix<float>>& c) {
  const std::shared_ptr<Device> device = open_device("cuda", 0);
  const auto pipeline = open_cola(links, *device, plan, id, [](const auto& own) { own(); });
  const StreamHandle stream = pipeline->stream(0);
  const Vertex begin = test.blocks.begin(plan.pe), rows = test.blocks.size(plan.pe);
  const auto bytes = [](std::int64_t values) { return static_cast<std::size_t>(values) * sizeof(float); };
  const std::int64_t widest = std::ranges::max(test.columns), stride = widest + 3;
  const DeviceArray<float> own_b(*device, static_cast<std::size_t>(rows * stride)),
      own_c(*device, static_cast<std::size_t>(rows * stride));
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::int64_t k = test.columns[i];
    // Now and then without gaps, so that a put of all rows needs no copy of them.
    const std::int64_t apart = i % 2 == 0 ? stride : k;
    device->copy(own_b.data(), bytes(apart), b[i].data() + begin * b[i].stride(), bytes(b[i].stride()), bytes(k),
                 static_cast<std::size_t>(rows), stream);
    const DeviceView<const float> b_view{own_b.data(), rows, k, apart};
    const DeviceView<float> c_view{own_c.data(), rows, k, apart};
    pipeline->multiply(k, {&b_view, 1}, {&c_view, 1});
    device->copy(c[i].data() + begin * c[i].stride(), bytes(c[i].stride()), own_c.data(), bytes(apart), bytes(k),
                 static_cast<std::size_t>(rows), stream);
  }
  device->wait(stream);
  pipeline->close();
  return pipeline->bytes();
}

void expect_products(const std::string& links, const LinksCase& test) {
  const std::vector<ColaPlan> all = plans(test.a, test.shape, test.blocks);
  const std::vector<std::byte> id = new_cola_id(links);
  std::vector<Matrix<float>> b, c;
  for (const std::int64_t k : test.columns) {
    b.push_back(dense(test.a.n, k, b.size()));
    c.emplace_back(test.a.n, k);
  }
  std::vector<ColaBytes> moved(all.size());
  std::vector<std::exception_ptr> errors(all.size());
  std::vector<std::thread> threads;
  for (std::size_t pe = 0; pe < all.size(); ++pe)
    threads.emplace_back([&, pe] {
      try {
        moved[pe] = multiply_all(links, all[pe], test, id, b, c);
      } catch (...) {
        errors[pe] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  CAPTURE(links);
  CAPTURE(test.shape.pes);
  CAPTURE(test.shape.size);
  for (std::size_t i = 0; i < b.size(); ++i) {
    CAPTURE(i);
    CHECK(differences(c[i], product(test.a, b[i])) == 0);
  }
  std::uint64_t values = 0;
  for (const std::int64_t k : test.columns) values += static_cast<std::uint64_t>(k) * sizeof(float);
  for (std::size_t pe = 0; pe < all.size(); ++pe) {
    CHECK(moved[pe].inside == all[pe].rows_fetched() * values);
    CHECK(moved[pe].across == all[pe].rows_put() * values);
  }
}

void expect_all_shapes(const std::string& links) {
  const TestDevice tested;  // sets the architecture for all threads
  const CsrMatrix random = random_matrix(45, 5), skewed = kronecker_matrix(5, 200);
  for (const Shape& shape : shapes()) {
    expect_products(links, {random, shape, Blocks::even(random.n, shape.pes), {7, 32, 1, 65, 7, 7}});
    expect_products(links, {skewed, shape, unequal_blocks(skewed.n, shape.pes), {3, 3, 3, 3}});
  }
}

}  // namespace

// The part of NCCL that runs on a machine with one GPU: NCCL refuses two PEs on it.
TEST_CASE("products by CoLa with one PE over each of the links") {
  const TestDevice tested;
  const CsrMatrix a = random_matrix(45, 5);
  for (const std::string links : {"nccl", "nvshmem"})
    SUBCASE(links.c_str()) expect_products(links, {a, {1, 1}, Blocks::even(a.n, 1), {7, 32, 1, 65, 7, 7}});
}

TEST_CASE("products by CoLa over NCCL are the host's") { expect_all_shapes("nccl"); }

TEST_CASE("products by CoLa over NVSHMEM are the host's") { expect_all_shapes("nvshmem"); }

TEST_CASE("products by CoLa over NVSHMEM where no PE can read another one's memory") {
  setenv("ATOLL_EMULATION_MAPPED", "0", 1);
  expect_all_shapes("nvshmem");
  unsetenv("ATOLL_EMULATION_MAPPED");
}

TEST_CASE("products by CoLa with a column of more nonzeros than one group of lanes takes") {
  const TestDevice tested;
  const CsrMatrix a = hub_matrix(2100);
  const LinksCase test{a, {3, 3}, Blocks::even(a.n, 3), {5, 8}};
  for (const std::string links : {"nccl", "nvshmem"}) expect_products(links, test);
  setenv("ATOLL_EMULATION_MAPPED", "0", 1);
  expect_products("nvshmem", test);
  unsetenv("ATOLL_EMULATION_MAPPED");
}

TEST_CASE("products by CoLa over NVSHMEM where some peers can be read and others not") {
  setenv("ATOLL_EMULATION_MAPPED", "even", 1);
  expect_all_shapes("nvshmem");
  unsetenv("ATOLL_EMULATION_MAPPED");
}

TEST_CASE("links of CoLa refuse an id of another kind") {
  const TestDevice tested;
  const CsrMatrix a = random_matrix(9, 2);
  const std::vector<ColaPlan> all = plans(a, {1, 1}, Blocks::even(9, 1));
  for (const std::string links : {"nccl", "nvshmem"})
    CHECK_THROWS_WITH_AS(
        open_cola(links, tested.device(), all[0], std::vector<std::byte>(3), [](const auto& own) { own(); }),
        doctest::Contains("an id of 3 bytes"), InputError);
}

namespace {

// Two ranks with a PE each, until an error; each rank's text.
std::array<std::string, 2> errors_of_two(
    const std::string& links,
    const std::function<void(World&, Device&, const ColaPlan&, std::span<const std::byte>)>& run) {
  const CsrMatrix a = random_matrix(9, 2);
  const std::vector<ColaPlan> all = plans(a, {2, 2}, Blocks::even(9, 2));
  const std::vector<std::byte> id = new_cola_id(links);
  Plan plan;
  plan.timeout_seconds = 0.5;
  std::array<std::string, 2> said;
  // In a thread of its own, since what is left behind of NVSHMEM is the thread's.
  std::thread([&] {
    run_ranks(2, plan, [&](World& world) {
      const auto at = static_cast<std::size_t>(world.rank());
      const std::shared_ptr<Device> device = open_device("cuda", 0);
      try {
        run(world, *device, all[at], id);
      } catch (const Error& e) {
        said[at] = e.what();
      }
    });
  }).join();
  return said;
}

}  // namespace

TEST_CASE("a PE that does not come to a product is an error of the others, not a wait without end") {
  const TestDevice tested;
  for (const std::string links : {"nccl", "nvshmem"}) {
    CAPTURE(links);
    std::atomic<bool> over{false};
    const auto said =
        errors_of_two(links, [&](World& world, Device& device, const ColaPlan& plan, std::span<const std::byte> id) {
          const auto pipeline = open_cola(links, device, plan, id, [&](const auto& own) { world.collective_try(own); });
          const DeviceArray<float> b(device, 15), c(device, 15);
          Event ended(device);
          const auto multiply = [&] {
            const DeviceView<const float> b_view{b.data(), plan.own_rows, 3, 3};
            const DeviceView<float> c_view{c.data(), plan.own_rows, 3, 3};
            pipeline->multiply(3, {&b_view, 1}, {&c_view, 1});
            ended.record(pipeline->stream(0));
            wait_with_peers(world, device, ended, "a product on devices");
          };
          multiply();
          if (world.rank() == 0) {
            world.barrier();
            try {
              multiply();
            } catch (...) {
              over = true;
              throw;
            }
          } else {
            world.barrier();
            while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        });
    CHECK(said[0].find("rank 0 waited 0.") == 0);
    CHECK(said[0].find("in 'a product on devices' without any progress (timeout_seconds is 0.5)") != std::string::npos);
    CHECK(said[1].empty());
  }
}

TEST_CASE("a PE that cannot make its part is the error of all PEs, before they wait for each other") {
  const TestDevice tested;
  for (const std::string links : {"nccl", "nvshmem"}) {
    CAPTURE(links);
    const auto said =
        errors_of_two(links, [&](World& world, Device& device, const ColaPlan& plan, std::span<const std::byte> id) {
          open_cola(links, device, plan, id, [&](const auto& own) {
            world.collective_try([&] {
              own();
              if (world.rank() == 1) throw DeviceError("no room on rank 1");
            });
          });
        });
    CHECK(said == std::array<std::string, 2>{"no room on rank 1", "no room on rank 1"});
  }
}
