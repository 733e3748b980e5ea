// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <memory>
#include <string>
#include <vector>

namespace atl::cli {

/// NVIDIA's cuSPARSE, opened at run time where it is found, as what products on a device are compared with.
///
///     std::string why;
///     if (const auto peer = Cusparse::open(stream, a, why))
///       for (const char* name : peer->prepare(b, c)) ...      // those of its algorithms that take this matrix
///     peer->multiply(0);
class Cusparse {
 public:
  /// Copies A, with 32-bit offsets, to the device. Null where the library does not load or A is not for it; `why` says so.
  static std::unique_ptr<Cusparse> open(const Stream& stream, const SparseMatrix<float>& a, std::string& why);
  ~Cusparse();

  /// Describes the factors to the library, and lets each of its algorithms look at the matrix. Returns the names of those
  /// that do not refuse; multiply() knows them by their place.
  std::vector<const char*> prepare(DeviceView<const float> b, DeviceView<float> c);
  /// C <- A B of prepare(). Enqueues only. Throws DeviceError if the library refuses.
  void multiply(std::size_t algorithm);

 private:
  struct Library;
  struct Prepared;
  Cusparse(const Stream& stream, std::unique_ptr<Library> library);

  const Stream& stream_;
  const std::unique_ptr<Library> library_;
  std::int64_t rows_ = 0, columns_ = 0;
  DeviceArray<std::int32_t> offsets_;
  DeviceArray<Local> places_;
  DeviceArray<float> values_;
  void* handle_ = nullptr;
  std::vector<std::unique_ptr<Prepared>> prepared_;
};

}  // namespace atl::cli
