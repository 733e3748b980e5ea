// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/apsp/stored_rates.hpp>
#include <atoll/device/gemm_tuning.hpp>
#include <atoll/matrix/gemm/tuning.hpp>
#include <atoll/tune/store.hpp>

namespace atl {

template <class T>
AllPairsOptions with_stored_rates(World& world, const ReplicatedCsr<T>& arcs, AllPairsOptions options) {
  const Algebra algebra = all_pairs_algebra(arcs, options.semiring);
  world.collective_try([&] {
    const tune::Store store;
    options.blocking = stored_blocking(algebra, store);
    options.machine = stored_machine(algebra.element, store);
    if (options.device) options.device_tile = stored_device_tile(*options.device, kElementOf<T>, store);
  });
  return options;
}

template AllPairsOptions with_stored_rates(World&, const ReplicatedCsr<float>&, AllPairsOptions);
template AllPairsOptions with_stored_rates(World&, const ReplicatedCsr<double>&, AllPairsOptions);
template AllPairsOptions with_stored_rates(World&, const ReplicatedCsr<std::int32_t>&, AllPairsOptions);
template AllPairsOptions with_stored_rates(World&, const ReplicatedCsr<std::uint16_t>&, AllPairsOptions);
template AllPairsOptions with_stored_rates(World&, const ReplicatedCsr<std::uint8_t>&, AllPairsOptions);

}  // namespace atl
