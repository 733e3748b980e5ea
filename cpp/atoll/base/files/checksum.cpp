// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <atoll/base/files/checksum.hpp>

// The header alone: no library to link, and none for a wheel to carry. Only here, so that a project that uses atoll
// needs no xxHash.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace atl {

std::uint64_t checksum(const void* data, std::size_t n) noexcept { return XXH3_64bits(data, n); }

std::string hex(std::uint64_t sum) { return fmt::format("{:016x}", sum); }

}  // namespace atl
