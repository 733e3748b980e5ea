// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <optional>

/// Products over min_plus on a device, C <- min(C, op(A) + op(B)), with the interface of Gemm.
///
///     const DeviceGemm gemm(device, Element::int32);
///     gemm(stream, {a.view(), false}, {b.view(), true}, c.view());   // "NT"
///
/// Any sizes and strides, and all four transpositions; results of integers are the host's bit for bit, those of floats
/// too, since minima do not depend on their order. Values of int32 lie in [-kNoPath, kNoPath]; those of uint16 in [0,
/// no_path()], which is less on a device.
namespace atl {

/// Whether a device has kernels for values of this type.
template <class T>
constexpr bool kOnDevice =
    std::is_same_v<T, float> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint16_t>;

/// A factor of a DeviceGemm, as Factor.
template <class T>
struct DeviceOperand {
  DeviceView<T> view;
  bool transposed = false;
  std::int64_t rows() const { return transposed ? view.cols : view.rows; }
  std::int64_t cols() const { return transposed ? view.rows : view.cols; }
};

class DeviceGemm;

/// A packed factor; reuses its memory.
class DevicePanel {
 public:
  using Side = PackedPanel::Side;
  explicit DevicePanel(Side side) : side_(side) {}
  /// Room for factors of up to this extent and depth, which pack() allocates otherwise: that waits for all of the device.
  void reserve(const DeviceGemm& gemm, const Stream& stream, std::int64_t extent, std::int64_t depth);
  template <class T>
  void pack(const DeviceGemm& gemm, const Stream& stream, DeviceOperand<T> factor);
  std::int64_t extent() const { return view_.extent; }
  std::int64_t depth() const { return view_.depth; }
  const DevicePanelView& view() const { return view_; }
  std::size_t memory_bytes() const { return bytes_.size(); }

 private:
  const Side side_;
  DevicePanelView view_;
  DeviceArray<std::byte> bytes_;
};

class DeviceGemm {
 public:
  /// Throws InputError where the element has no kernel on devices; tile: one of tiles(), none for the usual one.
  DeviceGemm(Device& device, Element element, std::optional<DeviceTile> tile = {});

  static std::span<const DeviceTile> tiles(const Device& device, Element element);
  Device& device() const { return device_; }
  Element element() const { return element_; }
  const DeviceTile& tile() const { return tiles(device_, element_)[tile_]; }
  int tile_number() const { return tile_; }
  const DeviceMinPlus& kernels() const { return device_.kernels().min_plus; }
  double no_path() const { return kernels().no_path(element_); }

  /// C overlaps neither factor. Allocates the packed factors, and waits for the stream.
  template <class T>
  void operator()(const Stream& stream, DeviceOperand<T> a, DeviceOperand<T> b, DeviceView<T> c) const;
  /// Restricted to at most kMostDeviceWindows windows that begin at multiples of the tile's sides; C may overlap what was
  /// packed. Enqueues only. Throws InputError for factors or windows that do not fit.
  template <class T>
  void multiply(const Stream& stream, const DevicePanel& a, const DevicePanel& b, DeviceView<T> c,
                std::span<const Window> windows) const;
  /// Bytes of a packed factor.
  std::size_t panel_bytes(DevicePanel::Side side, std::int64_t extent, std::int64_t depth) const;

 private:
  Device& device_;
  Element element_;
  int tile_ = 0;
};

}  // namespace atl
