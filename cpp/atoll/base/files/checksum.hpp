// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// A checksum of blocks in files: finds damage, not forgery.
///
///     const std::uint64_t sum = checksum(block.data(), bytes);   // about the speed of memory
namespace atl {

/// XXH3 of 64 bits, seed 0 (https://github.com/Cyan4973/xxHash): the same on every machine.
std::uint64_t checksum(const void* data, std::size_t n) noexcept;

/// A checksum as text of 16 digits, because JSON readers may not preserve numbers beyond 2^53.
std::string hex(std::uint64_t sum);

}  // namespace atl
