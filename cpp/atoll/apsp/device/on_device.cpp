// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/device/on_device.hpp>
#include <atoll/apsp/device/products.hpp>
#include <atoll/apsp/device/range.hpp>
#include <atoll/apsp/device/streamed.hpp>
#include <atoll/apsp/floyd_warshall/block_steps.hpp>
#include <numeric>

namespace atl {
namespace {

// Bytes that a run needs beside the matrix: two packed panels of n x block, twice where C is a panel itself, and what
// the driver takes for itself.
constexpr double kOneDeviceOfMemory = 0.95;

// A diagonal block costs launches one after the other, so blocks are large; but as long as a step is short, the block on
// the diagonal is most of it.
constexpr std::int64_t kLargestUsual = 1024;
constexpr std::int64_t kSteps = 16;

template <class T>
double resident_bytes(const DeviceGemm& gemm, std::int64_t n, std::int64_t block) {
  const double panels = static_cast<double>(gemm.panel_bytes(DevicePanel::Side::left, n, block)) +
                        static_cast<double>(gemm.panel_bytes(DevicePanel::Side::right, n, block));
  return static_cast<double>(n) * static_cast<double>(n + 64) * sizeof(T) + panels;
}

std::int64_t block_of(const DeviceGemm& gemm, std::int64_t n, std::int64_t wanted) {
  const std::int64_t unit = block_unit(gemm);
  return wanted > 0 ? (wanted + unit - 1) / unit * unit : usual_block(gemm, n);
}

}  // namespace

std::int64_t block_unit(const DeviceGemm& gemm) { return std::lcm(gemm.tile().rows, gemm.tile().cols); }

std::int64_t usual_block(const DeviceGemm& gemm, std::int64_t n) {
  const std::int64_t unit = block_unit(gemm);
  return std::clamp((n / kSteps + unit - 1) / unit * unit, unit, std::max(unit, kLargestUsual / unit * unit));
}

std::int64_t device_grid_block(std::int64_t wanted) {
  constexpr std::int64_t kUnit = 128, kUsual = 768;
  return wanted > 0 ? (wanted + kUnit - 1) / kUnit * kUnit : kUsual;
}

Element device_element(const Device& device, Element narrowest, double longest) {
  if (narrowest == Element::uint8) narrowest = Element::uint16;
  const bool is_held = narrowest != Element::uint16 || longest < device.kernels().min_plus.no_path(narrowest);
  return is_held ? narrowest : Element::int32;
}

template <class T>
std::optional<GainCycle> floyd_warshall_on_device(const DeviceGemm& gemm, const Stream& stream, DeviceView<T> d,
                                                  const FloydWarshallOptions& options, FloydWarshallReport* report) {
  FloydWarshallReport own;
  FloydWarshallReport& mine = report ? *report : own;
  mine = {};
  DeviceProducts<T> products(gemm, stream);
  const auto cycle = run_blocks(products, d, block_of(gemm, d.rows, options.block), options, mine);
  products.add_times(mine);
  return cycle;
}

template <class T>
std::optional<GainCycle> floyd_warshall_on_device(const DeviceGemm& gemm, MatrixView<T> d,
                                                  const FloydWarshallOptions& options, FloydWarshallReport* report,
                                                  DevicePlacement placement) {
  Device& device = gemm.device();
  const std::int64_t block = block_of(gemm, d.rows, options.block);
  const double has = kOneDeviceOfMemory * static_cast<double>(device.claimable_bytes());
  if (placement == DevicePlacement::streamed ||
      (placement == DevicePlacement::automatic && resident_bytes<T>(gemm, d.rows, block) > has))
    return floyd_warshall_streamed(gemm, d, options, report);  // longer blocks of its own
  const Stream stream(device);
  const DeviceMatrix<T> on_device(device, d.rows, d.cols);
  const DeviceRange<T> range(gemm, stream);
  upload(stream, d, on_device.view());
  range.to_device(stream, on_device.view());
  range.check_seen(stream);
  const auto cycle = floyd_warshall_on_device(gemm, stream, on_device.view(), options, report);
  range.to_host(stream, on_device.view());
  download(stream, on_device.view(), d);
  stream.wait();
  return cycle;
}

#define ATOLL_ON_DEVICE_OF(T)                                                                                    \
  template std::optional<GainCycle> floyd_warshall_on_device(const DeviceGemm&, const Stream&, DeviceView<T>,    \
                                                             const FloydWarshallOptions&, FloydWarshallReport*); \
  template std::optional<GainCycle> floyd_warshall_on_device(                                                    \
      const DeviceGemm&, MatrixView<T>, const FloydWarshallOptions&, FloydWarshallReport*, DevicePlacement);
ATOLL_ON_DEVICE_OF(float)
ATOLL_ON_DEVICE_OF(std::int32_t)
ATOLL_ON_DEVICE_OF(std::uint16_t)
#undef ATOLL_ON_DEVICE_OF

}  // namespace atl
