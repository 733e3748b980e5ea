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
///       for (int algorithm = 0; algorithm < Cusparse::kAlgorithms; ++algorithm) {
///         peer->prepare(algorithm, b, c);
///         peer->multiply(algorithm, b, c);
class Cusparse {
 public:
  static constexpr int kAlgorithms = 4;
  /// Copies A, with 32-bit offsets, to the device. Null where the library does not load or A has too many nonzeros;
  /// `why` says so.
  static std::unique_ptr<Cusparse> open(const Stream& stream, const SparseMatrix<float>& a, std::string& why);
  ~Cusparse();

  static const char* name(int algorithm);
  /// Takes scratch memory and lets the library look at the matrix; false where it refuses this algorithm.
  bool prepare(int algorithm, DeviceView<const float> b, DeviceView<float> c);
  /// C <- A B. Enqueues only.
  void multiply(int algorithm, DeviceView<const float> b, DeviceView<float> c);

 private:
  struct Library;
  Cusparse(const Stream& stream, const SparseMatrix<float>& a, std::unique_ptr<Library> library);
  struct Dense;

  const Stream& stream_;
  std::unique_ptr<Library> library_;
  std::int64_t rows_, columns_, nonzeros_;
  DeviceArray<std::int32_t> offsets_;
  DeviceArray<Local> places_;
  DeviceArray<float> values_;
  std::vector<DeviceArray<std::byte>> scratch_;
  void* handle_ = nullptr;
  void* matrix_ = nullptr;
};

}  // namespace atl::cli
