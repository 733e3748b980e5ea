// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/device/cola/cola_pipeline.hpp>
#include <atoll/spmm/volume.hpp>
#include <exception>
#include <thread>

#include "cola_cases.hpp"
#include "test_device.hpp"

using namespace atl;
using namespace cola_cases;

namespace {

// The parts of a product on a device. Without gaps a part's rows lie together, so that they can be put as they are.
class Parts {
 public:
  Parts(Device& device, const Blocks& blocks, std::int64_t columns, bool gaps)
      : device_(device), blocks_(blocks), columns_(columns), stride_(gaps ? columns + 5 : columns) {
    for (Rank pe = 0; pe < blocks.ranks(); ++pe) {
      const auto size = static_cast<std::size_t>(blocks.size(pe) * stride_);
      b_.emplace_back(device, size);
      c_.emplace_back(device, size);
      b_views_.push_back({b_.back().data(), blocks.size(pe), columns, stride_});
      c_views_.push_back({c_.back().data(), blocks.size(pe), columns, stride_});
    }
  }
  // Gives the pipeline's streams the copies and the product, and waits for none of them.
  void multiply(ColaPipeline& pipeline, const Matrix<float>& b, Matrix<float>& c) {
    for (Rank pe = 0; pe < blocks_.ranks(); ++pe)
      copy(pe, b_[index(pe)].data(), stride_, b.data() + blocks_.begin(pe) * b.stride(), b.stride(), pipeline);
    pipeline.multiply(columns_, b_views_, c_views_);
    for (Rank pe = 0; pe < blocks_.ranks(); ++pe)
      copy(pe, c.data() + blocks_.begin(pe) * c.stride(), c.stride(), c_[index(pe)].data(), stride_, pipeline);
  }

 private:
  static std::size_t index(Rank pe) { return static_cast<std::size_t>(pe); }
  void copy(Rank pe, float* to, std::int64_t to_stride, const float* from, std::int64_t from_stride,
            ColaPipeline& pipeline) {
    const auto bytes = [](std::int64_t values) { return static_cast<std::size_t>(values) * sizeof(float); };
    device_.copy(to, bytes(to_stride), from, bytes(from_stride), bytes(columns_),
                 static_cast<std::size_t>(blocks_.size(pe)), pipeline.stream(index(pe)));
  }

  Device& device_;
  const Blocks& blocks_;
  const std::int64_t columns_, stride_;
  std::vector<DeviceArray<float>> b_, c_;
  std::vector<DeviceView<const float>> b_views_;
  std::vector<DeviceView<float>> c_views_;
};

void wait_all(Device& device, ColaPipeline& pipeline, Rank pes) {
  for (Rank pe = 0; pe < pes; ++pe) device.wait(pipeline.stream(static_cast<std::size_t>(pe)));
}

// `products` of them with new values of B, one after the other without a wait.
std::int64_t wrong_values(const CsrMatrix& a, const Shape& shape, const Blocks& blocks, std::int64_t columns,
                          int products, bool gaps) {
  const TestDevice tested;
  Device& device = tested.device();
  const auto pipeline = cola_on_one_device(device, plans(a, shape, blocks));
  Parts parts(device, blocks, columns, gaps);
  std::vector<Matrix<float>> b, c;
  for (int i = 0; i < products; ++i) {
    b.push_back(dense(a.n, columns, static_cast<std::uint64_t>(i)));
    c.emplace_back(a.n, columns);
  }
  for (std::size_t i = 0; i < b.size(); ++i) parts.multiply(*pipeline, b[i], c[i]);
  wait_all(device, *pipeline, shape.pes);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < b.size(); ++i) wrong += differences(c[i], product(a, b[i]));
  pipeline->close();
  return wrong;
}

// An emulated device is a thread's own, and takes its seed when the thread first uses it.
template <class F>
void with_seed(int seed, F&& f) {
  setenv("ATOLL_EMULATION_SEED", std::to_string(seed).c_str(), 1);
  std::exception_ptr error;
  std::thread([&] {
    try {
      f();
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  unsetenv("ATOLL_EMULATION_SEED");
  if (error) std::rethrow_exception(error);
}

}  // namespace

TEST_CASE("products by CoLa are the host's, for any number of PEs, workgroups and columns") {
  for (const Shape& shape : shapes())
    for (const std::int64_t columns : {1, 7, 32, 65})
      for (const bool gaps : {false, true}) {
        CAPTURE(shape.pes);
        CAPTURE(shape.size);
        CAPTURE(columns);
        CAPTURE(gaps);
        const CsrMatrix a = random_matrix(45, 5);
        CHECK(wrong_values(a, shape, Blocks::even(a.n, shape.pes), columns, 1, gaps) == 0);
        const CsrMatrix skewed = kronecker_matrix(5, 200);
        CHECK(wrong_values(skewed, shape, unequal_blocks(skewed.n, shape.pes), columns, 2, gaps) == 0);
      }
}

TEST_CASE("products by CoLa follow each other at once, in any order of the streams") {
  for (const int seed : {1, 2, 3, 4, 5})
    for (const Shape& shape : {Shape{1, 1}, {3, 1}, {4, 2}, {5, 2}, {8, 2}, {4, 4}}) {
      CAPTURE(seed);
      CAPTURE(shape.pes);
      CAPTURE(shape.size);
      std::int64_t wrong = -1;
      with_seed(seed, [&] {
        const CsrMatrix a = random_matrix(23, 4);
        wrong = wrong_values(a, shape, Blocks::even(a.n, shape.pes), 3, 8, seed % 2 == 0);
      });
      CHECK(wrong == 0);
    }
}

TEST_CASE("a hundred products by CoLa, each with another B") {
  const CsrMatrix a = kronecker_matrix(5, 150);
  CHECK(wrong_values(a, {5, 2}, unequal_blocks(a.n, 5), 7, 100, false) == 0);
}

TEST_CASE("more columns later, and bytes that are those of the volume") {
  const TestDevice tested;
  Device& device = tested.device();
  const CsrMatrix a = random_matrix(40, 5);
  const Blocks blocks = Blocks::even(a.n, 6);
  const auto pipeline = cola_on_one_device(device, plans(a, {6, 2}, blocks));
  const SparseMatrix<float> whole = a.whole();
  const FetchedRows rows = count_fetched(whole.pattern(), blocks, blocks, workgroups(6, 2));
  std::uint64_t across = 0;
  for (const std::int64_t columns : {3, 40, 2}) {
    Parts parts(device, blocks, columns, false);
    const Matrix<float> b = dense(a.n, columns, 1);
    Matrix<float> c(a.n, columns);
    parts.multiply(*pipeline, b, c);
    wait_all(device, *pipeline, 6);
    CHECK(differences(c, product(a, b)) == 0);
    across += volume_of(rows, columns, sizeof(float)).fused_across;
    CHECK(pipeline->bytes().across == across);
  }
  std::uint64_t fetched = 0;
  for (const ColaPlan& plan : plans(a, {6, 2}, blocks)) fetched += plan.rows_fetched();
  CHECK(pipeline->bytes().inside == fetched * (3 + 40 + 2) * sizeof(float));
}

TEST_CASE("products by CoLa in a workgroup of any size, and with a column that all rows have") {
  const CsrMatrix random = random_matrix(200, 3), hub = hub_matrix(2100);
  CHECK(wrong_values(random, {130, 130}, Blocks::even(random.n, 130), 3, 2, false) == 0);
  CHECK(wrong_values(hub, {3, 3}, Blocks::even(hub.n, 3), 8, 2, true) == 0);
}

TEST_CASE("pipelines of CoLa refuse plans and views that do not fit") {
  const TestDevice tested;
  Device& device = tested.device();
  const CsrMatrix a = random_matrix(9, 2);
  const std::vector<ColaPlan> all = plans(a, {2, 1}, Blocks::even(9, 2));
  CHECK_THROWS_WITH_AS(cola_on_one_device(device, std::span(all).first(1)),
                       doctest::Contains("Give the plan of each PE"), InputError);
  const auto pipeline = cola_on_one_device(device, all);
  const std::vector<DeviceView<const float>> b(2);
  const std::vector<DeviceView<float>> c(2);
  CHECK_THROWS_WITH_AS(pipeline->multiply(0, b, c), doctest::Contains("B has 0 columns"), InputError);
  CHECK_THROWS_WITH_AS(pipeline->multiply(3, std::span(b).first(1), c), doctest::Contains("Give one for each"),
                       InputError);
  CHECK_THROWS_WITH_AS(pipeline->multiply(3, b, c), doctest::Contains("PE 0 has 0 x 0 of B"), InputError);
  const DeviceArray<float> values(device, 100);
  const std::vector<DeviceView<const float>> other_strides{{values.data(), 4, 3, 3}, {values.data(), 5, 3, 4}};
  const std::vector<DeviceView<float>> results{{values.data(), 4, 3, 3}, {values.data(), 5, 3, 3}};
  CHECK_THROWS_WITH_AS(pipeline->multiply(3, other_strides, results), doctest::Contains("Give them the same"),
                       InputError);
  CHECK_THROWS_WITH_AS(new_cola_id("infiniband"), doctest::Contains("nvshmem and nccl are known"), UsageError);
}
