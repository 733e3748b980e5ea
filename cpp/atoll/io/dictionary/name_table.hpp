// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

/// Distinct names in the order in which they came, each with its number: what one thread reads.
///
///     NameTable table;
///     const std::uint32_t k = table.number_of("TP53", [](std::string_view) {});   // 0, and 0 again the next time
///     table.name(k);                                                              // "TP53"
///
/// Bytes lie one after the other and numbers in an open-addressed table: 20 bytes a name beside its own, and no
/// allocation for each.
namespace atl {

class NameTable {
 public:
  /// The number of the name; where it is new, after accept(name), which may throw. InputError beyond 2^32 - 2 names.
  template <class F>
  std::uint32_t number_of(std::string_view name, F&& accept) {
    const std::uint32_t hash = hash_of(name);
    if (const std::uint32_t found = find(name, hash); found != kNone) return found;
    accept(name);
    return insert(name, hash);
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()); }
  std::string_view name(std::uint32_t k) const {
    const std::uint64_t begin = k == 0 ? 0 : ends_[k - 1];
    return {bytes_.data() + begin, ends_[k] - begin};
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Slot {
    std::uint32_t hash, number = kNone;
  };
  static std::uint32_t hash_of(std::string_view name);
  std::uint32_t find(std::string_view name, std::uint32_t hash) const;
  std::uint32_t insert(std::string_view name, std::uint32_t hash);
  void grow();

  std::vector<std::uint64_t> ends_;  // [number] of its bytes
  std::vector<char> bytes_;
  std::vector<Slot> slots_;  // a power of two of them, at most half used
};

}  // namespace atl
