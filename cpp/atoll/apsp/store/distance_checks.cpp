// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/store/distance_checks.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/files/checksum.hpp>
#include <new>

namespace atl {

DistanceChecks::DistanceChecks(std::string path, std::int64_t n, std::int64_t columns, std::size_t value_bytes,
                               const std::uint64_t* sums)
    : path_(std::move(path)),
      order_(n, columns),
      value_bytes_(value_bytes),
      sums_(sums),
      held_(static_cast<std::uint64_t*>(
          std::calloc(static_cast<std::size_t>(order_.size()) / 64 + 1, sizeof(std::uint64_t)))) {
  if (!held_) throw std::bad_alloc();
}

void DistanceChecks::hold_first(std::int64_t row, std::int64_t j, const void* values) const {
  const std::int64_t at = place_of(row, j);
  const auto bytes = static_cast<std::size_t>(order_.side.length_of(j)) * value_bytes_;
  check(checksum(values, bytes) == sums_[at],
        "{}: tile ({}, {}) is damaged (the checksum of its values of row {} is another). Get the file again, or compute "
        "it anew.",
        path_, row / order_.side.block, j, row);
  __atomic_fetch_or(&held_[static_cast<std::size_t>(at) / 64], std::uint64_t{1} << at % 64, __ATOMIC_RELAXED);
}

}  // namespace atl
