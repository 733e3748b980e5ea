// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/gemm/gemm.hpp>
#include <atoll/tune/space.hpp>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>

/// The blocking of a product as something to tune, and the one that was found on this machine.
///
///     const tune::Space space = gemm_space(algebra, chosen_isa(), {48 << 10, 1 << 20, 32 << 20});
///     const auto found = tune::grid_search(space, [&](const tune::Point& p) { return rate(blocking_of(p)); });
///     Gemm gemm(algebra, stored_blocking(algebra, tune::Store()));    // nothing stored: the usual one
///
/// The paper's own space has nine factors of a GPU kernel and ten rules (COAST, figure 4); a processor with caches has four
/// factors, and rules of the same kind: what is read again and again fits its cache, and no size leaves a rest.
namespace atl::tune {
class Store;
}

namespace atl {

/// Bytes of one cache; 0: not known.
struct CacheSizes {
  std::size_t first = 0, second = 0, third = 0;
};

/// tile (as "12x32"), depth, rows, cols. Where the size of a cache is not known, a usual one is taken.
tune::Space gemm_space(Algebra algebra, Isa isa, CacheSizes caches);
/// What a point of gemm_space stands for.
GemmBlocking blocking_of(const tune::Point& point);

/// What `atoll tune gemm` keeps it under: "gemm/min_plus/int32".
std::string blocking_key(Algebra algebra);
/// As a point of gemm_space is written.
nlohmann::json blocking_to_json(const GemmBlocking& blocking, Algebra algebra, Isa isa);
/// The blocking that was stored for this processor and the instruction set in use; nothing if none was, or its tile is no
/// longer there. Throws InputError where the file is damaged.
std::optional<GemmBlocking> stored_blocking(Algebra algebra, const tune::Store& store);

}  // namespace atl
