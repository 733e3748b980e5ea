// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/gemm.hpp>
#include <atoll/tune/space.hpp>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>

/// The blocking of a product as a tuning space, and the blocking stored for this machine.
///
///     const tune::Space space = gemm_space(algebra, chosen_isa(), {48 << 10, 1 << 20, 32 << 20});
///     const auto found = tune::grid_search(space, [&](const tune::Point& p) { return rate(blocking_of(p)); });
///     Gemm gemm(algebra, stored_blocking(algebra, tune::Store()));    // the default if none is stored
///
/// The paper's space has nine parameters of a GPU kernel and ten rules (COAST, figure 4). A processor with caches has
/// four parameters and similar rules: what is read repeatedly fits its cache, and sizes divide without remainder.
namespace atl::tune {
class Store;
}

namespace atl {

/// Bytes of each level of cache; 0: not known.
struct CacheSizes {
  std::size_t first = 0, second = 0, third = 0;
};

/// Parameters: tile (as "12x32"), depth, rows, cols. A typical cache size is assumed where it is not known.
tune::Space gemm_space(Algebra algebra, Isa isa, CacheSizes caches);
/// The blocking that a point of gemm_space stands for.
GemmBlocking blocking_of(const tune::Point& point);

/// The key under which `atoll tune gemm` stores it: "gemm/min_plus/int32".
std::string blocking_key(Algebra algebra);
/// In the form of a point of gemm_space.
nlohmann::json blocking_to_json(const GemmBlocking& blocking, Algebra algebra, Isa isa);
/// The blocking stored for this processor and the instruction set in use; none if nothing was stored or its tile no
/// longer exists. Throws InputError if the file is damaged.
std::optional<GemmBlocking> stored_blocking(Algebra algebra, const tune::Store& store);

}  // namespace atl
