// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/device/device_gemm.hpp>

namespace atl {

std::span<const DeviceTile> DeviceGemm::tiles(const Device& device, Element element) {
  return device.kernels().min_plus.tiles(element);
}

DeviceGemm::DeviceGemm(Device& device, Element element, std::optional<DeviceTile> tile)
    : device_(device), element_(element) {
  const auto all = tiles(device, element);
  check(!all.empty(),
        "{} has no kernels on a device (float32, int32 and uint16 have). Choose another --type, or --device cpu.",
        name_of(element));
  if (!tile) return;
  const auto at = std::ranges::find(all, *tile);
  check(at != all.end(),
        "a tile of {} x {}, depth {}, {} x {} a thread, {} stages is not compiled in (`atoll tune gemm --device cuda` "
        "shows those that are). Leave it out.",
        tile->rows, tile->cols, tile->depth, tile->thread_rows, tile->thread_cols, tile->stages);
  tile_ = static_cast<int>(at - all.begin());
}

std::size_t DeviceGemm::panel_bytes(DevicePanel::Side side, std::int64_t extent, std::int64_t depth) const {
  return kernels().panel_bytes(element_, tile_, side == DevicePanel::Side::left, extent, depth);
}

void DevicePanel::reserve(const DeviceGemm& gemm, const Stream& stream, std::int64_t extent, std::int64_t depth) {
  const std::size_t bytes = gemm.panel_bytes(side_, extent, depth);
  if (bytes <= bytes_.size()) return;
  if (bytes_.size() > 0) stream.wait();  // it may still be read
  bytes_ = {};
  bytes_ = DeviceArray<std::byte>(gemm.device(), bytes);
}

template <class T>
void DevicePanel::pack(const DeviceGemm& gemm, const Stream& stream, DeviceOperand<T> factor) {
  const bool left = side_ == Side::left;
  view_.extent = left ? factor.rows() : factor.cols();
  view_.depth = left ? factor.cols() : factor.rows();
  reserve(gemm, stream, view_.extent, view_.depth);
  view_.data = bytes_.data();
  gemm.kernels().pack(gemm.element(), gemm.tile_number(), left,
                      {factor.view.data, factor.view.rows, factor.view.cols, factor.view.stride, factor.transposed},
                      view_, stream);
}

template <class T>
void DeviceGemm::multiply(const Stream& stream, const DevicePanel& a, const DevicePanel& b, DeviceView<T> c,
                          std::span<const Window> windows) const {
  check(a.depth() == b.depth() && a.extent() == c.rows && b.extent() == c.cols,
        "a product of packed factors of {} x {} and {} x {} into {} x {} (the inner sides differ, or the outer ones). "
        "Pack "
        "the factors of this product.",
        a.extent(), a.depth(), b.depth(), b.extent(), c.rows, c.cols);
  // A window that begins within a tile would be computed from the wrong pieces of the factors, without any other sign.
  std::size_t count = 0;
  for (const Window& w : windows) {
    if (w.row >= w.row_end || w.col >= w.col_end) continue;
    ++count;
    check(
        w.row >= 0 && w.col >= 0 && w.row % tile().rows == 0 && w.col % tile().cols == 0 && w.row_end <= c.rows &&
            w.col_end <= c.cols,
        "a product in rows {} to {} and columns {} to {} of {} x {} (windows lie in the matrix, and begin at multiples "
        "of the tile's {} rows and {} columns). Choose a block that they divide.",
        w.row, w.row_end, w.col, w.col_end, c.rows, c.cols, tile().rows, tile().cols);
  }
  check(count <= kMostDeviceWindows, "a product in {} windows (a kernel takes {}). Multiply in several calls.", count,
        kMostDeviceWindows);
  kernels().multiply({element_, tile_, a.view(), b.view(), c.data, c.rows, c.cols, c.stride, windows},
                     device_.facts().architecture, stream);
}

template <class T>
void DeviceGemm::operator()(const Stream& stream, DeviceOperand<T> a, DeviceOperand<T> b, DeviceView<T> c) const {
  check(a.cols() == b.rows() && a.rows() == c.rows && b.cols() == c.cols,
        "a product of {} x {} and {} x {} into {} x {} (the inner sides differ, or the outer ones). Correct a shape.",
        a.rows(), a.cols(), b.rows(), b.cols(), c.rows, c.cols);
  DevicePanel left(DevicePanel::Side::left), right(DevicePanel::Side::right);
  left.pack(*this, stream, a);
  right.pack(*this, stream, b);
  multiply(stream, left, right, c, std::array{Window{0, c.rows, 0, c.cols}});
  stream.wait();  // before the panels go
}

#define ATOLL_DEVICE_GEMM_OF(T)                                                                            \
  template void DevicePanel::pack(const DeviceGemm&, const Stream&, DeviceOperand<T>);                     \
  template void DeviceGemm::multiply(const Stream&, const DevicePanel&, const DevicePanel&, DeviceView<T>, \
                                     std::span<const Window>) const;                                       \
  template void DeviceGemm::operator()(const Stream&, DeviceOperand<T>, DeviceOperand<T>, DeviceView<T>) const;
ATOLL_DEVICE_GEMM_OF(float)
ATOLL_DEVICE_GEMM_OF(std::int32_t)
ATOLL_DEVICE_GEMM_OF(std::uint16_t)
#undef ATOLL_DEVICE_GEMM_OF

}  // namespace atl
