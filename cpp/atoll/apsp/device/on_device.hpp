// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/apsp/floyd_warshall/floyd_warshall.hpp>
#include <atoll/device/device_gemm.hpp>

/// All pairs of a dense matrix by blocked Floyd-Warshall on a device (COAST, section IV), over min_plus.
///
///     DeviceGemm gemm(device, Element::float32);
///     floyd_warshall_on_device<float>(gemm, d.view(), options, &report);     // as floyd_warshall()
///
/// The matrix is in the device's memory if it fits there with its panels; else it stays in the host's, and strips of rows
/// pass through the device, one computed while the next one comes and the one before goes.
///
/// Results are those of the host, bit for bit where sums are exact. The host's matrix has kNoPath as everywhere; lengths
/// from DeviceGemm::no_path() on (of uint16 32,767) become "no path", which check_no_path_is_lost() of that device finds.
namespace atl {

/// Blocks are multiples of this, so that every block begins with a tile.
std::int64_t block_unit(const DeviceGemm& gemm);
/// About n / 16.
std::int64_t usual_block(const DeviceGemm& gemm, std::int64_t n);

/// The block of a grid whose matrix is on devices: what is wanted, rounded up to what their tiles divide; 768 (the
/// paper's on Frontier, section VI.A) if that is 0.
std::int64_t device_grid_block(std::int64_t wanted);

/// The type in which a device computes what the host would in `narrowest`: 16 bits hold shorter distances there.
/// `longest`: ReplicatedCsr::longest().
Element device_element(const Device& device, Element narrowest, double longest);

/// Which memory the matrix is in.
enum class DevicePlacement : std::uint8_t {
  automatic,  ///< resident if it fits
  resident,   ///< the device's
  streamed,   ///< the host's
};

/// d <- its closure. Returns an improving cycle. Throws InputError for values that a device cannot hold, DeviceError
/// where memory does not suffice even for strips.
template <class T>
std::optional<GainCycle> floyd_warshall_on_device(const DeviceGemm& gemm, MatrixView<T> d,
                                                  const FloydWarshallOptions& options, FloydWarshallReport* report,
                                                  DevicePlacement placement = DevicePlacement::automatic);

/// The same of a matrix that is on the device.
template <class T>
std::optional<GainCycle> floyd_warshall_on_device(const DeviceGemm& gemm, const Stream& stream, DeviceView<T> d,
                                                  const FloydWarshallOptions& options, FloydWarshallReport* report);

}  // namespace atl
