// SPDX-License-Identifier: Apache-2.0
// Products on a GPU of arrays that are there, taken by DLPack without a copy, on the caller's stream.
#include <atoll/device/device_spmm.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

// Takes an array of any device: whether it is the product's is checked here, since an emulated one has the host's
// memory.
using Array1 = nb::ndarray<nb::ndim<1>, nb::c_contig>;
using Array2 = nb::ndarray<nb::ndim<2>, nb::c_contig>;

Reduce reduce_of(const std::string& name) {
  return name == "mean" ? Reduce::mean : name == "max" ? Reduce::max : name == "min" ? Reduce::min : Reduce::sum;
}

class DeviceProduct {
 public:
  /// offsets: int64 on the host, and again on the device with column_indices (int32) and values (float32), which stay.
  DeviceProduct(int number, const nb::ndarray<const Edge, nb::ndim<1>, nb::c_contig, nb::device::cpu>& host_offsets,
                Array1 offsets, Array1 column_indices, Array1 values, std::int64_t columns, const std::string& reduce,
                std::uintptr_t stream)
      : device_(open_device("cuda", number)),
        offsets_(std::move(offsets)),
        column_indices_(std::move(column_indices)),
        values_(std::move(values)),
        rows_(static_cast<std::int64_t>(host_offsets.size()) - 1) {
    expect(offsets_, nb::dtype<Edge>(), "offsets");
    expect(column_indices_, nb::dtype<Local>(), "columns");
    expect(values_, nb::dtype<float>(), "values");
    const DeviceSparseView a{rows_, columns, static_cast<const Edge*>(offsets_.data()),
                             static_cast<const Local*>(column_indices_.data()),
                             static_cast<const float*>(values_.data())};
    product_.emplace(on(stream), a, std::span(host_offsets.data(), host_offsets.size()), reduce_of(reduce));
  }

  DeviceProduct(const DeviceProduct&) = delete;
  DeviceProduct& operator=(const DeviceProduct&) = delete;
  /// The arrays may go to others once this is gone.
  ~DeviceProduct() {
    try {
      if (last_) last_->wait();
    } catch (const DeviceError&) {  // who reads the result hears of it
    }
  }

  /// c <- A b; b float32 or float16, c float32.
  void multiply(const Array2& b, const Array2& c, std::uintptr_t stream) {
    expect(c, nb::dtype<float>(), "C");
    const Stream mine = on(stream);
    if (last_) last_->hold(mine);  // products share the memory of long rows, on whatever streams they are
    (*product_)(mine, dense("B", b), view<float>(c));
    settle(mine);
  }
  /// values[e] <- x[i, :] . y[j, :]
  void sampled(const Array2& x, const Array2& y, const Array1& values, std::uintptr_t stream) {
    expect(x, nb::dtype<float>(), "dC");
    expect(values, nb::dtype<float>(), "values");
    const Stream mine = on(stream);
    product_->sampled_product(mine, view<const float>(x), dense("B", y), static_cast<float*>(values.data()));
    settle(mine);
  }
  std::int64_t rows() const { return rows_; }
  std::size_t memory_bytes() const { return product_->memory_bytes(); }

 private:
  Stream on(std::uintptr_t stream) const { return Stream::borrowed(*device_, reinterpret_cast<StreamHandle>(stream)); }
  // Later work waits for this; results of an emulated device are read by the host at once.
  void settle(const Stream& stream) {
    if (!last_) last_.emplace(*device_);
    last_->record(stream);
    if (device_->facts().emulated) stream.wait();
  }
  template <class A>
  void expect(const A& array, nb::dlpack::dtype type, const char* name) const {
    const bool here = device_->facts().emulated ? array.device_type() == nb::device::cpu::value
                                                : array.device_type() == nb::device::cuda::value &&
                                                      array.device_id() == device_->facts().number;
    check(here, "{} is on another device than the product, {}. Move it there by .to().", name, device_->facts().name);
    check(array.dtype() == type, "{} has another type than products on a GPU take. Use float32.", name);
  }
  template <class T>
  static DeviceView<T> view(const Array2& array) {
    const auto columns = static_cast<std::int64_t>(array.shape(1));
    return {static_cast<T*>(array.data()), static_cast<std::int64_t>(array.shape(0)), columns, columns};
  }
  DeviceDense dense(const char* name, const Array2& array) const {
    constexpr nb::dlpack::dtype kHalf{static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float), 16, 1};
    if (array.dtype() == kHalf) {
      expect(array, kHalf, name);
      return view<const std::uint16_t>(array);
    }
    expect(array, nb::dtype<float>(), name);
    return view<const float>(array);
  }

  std::shared_ptr<Device> device_;
  Array1 offsets_, column_indices_, values_;  // kept for as long as the product
  std::int64_t rows_;
  std::optional<DeviceSpmm<float>> product_;
  std::optional<Event> last_;
};

}  // namespace

void bind_device(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<DeviceProduct>(m, "DeviceProduct")
      .def(nb::init<int, const nb::ndarray<const Edge, nb::ndim<1>, nb::c_contig, nb::device::cpu>&, Array1, Array1,
                    Array1, std::int64_t, const std::string&, std::uintptr_t>(),
           "device"_a, "host_offsets"_a, "offsets"_a, "columns"_a, "values"_a, "count"_a, "reduce"_a, "stream"_a)
      .def("multiply", &DeviceProduct::multiply, "b"_a, "c"_a, "stream"_a)
      .def("sampled", &DeviceProduct::sampled, "x"_a, "y"_a, "values"_a, "stream"_a)
      .def_prop_ro("own_rows", &DeviceProduct::rows)
      .def_prop_ro("memory_bytes", &DeviceProduct::memory_bytes);
}

}  // namespace atl::python
