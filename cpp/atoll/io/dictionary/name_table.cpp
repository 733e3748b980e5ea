// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/io/dictionary/name_table.hpp>

namespace atl {

std::uint32_t NameTable::hash_of(std::string_view name) {
  const std::uint64_t sum = checksum(name.data(), name.size());
  return static_cast<std::uint32_t>(sum ^ sum >> 32);
}

std::uint32_t NameTable::find(std::string_view name, std::uint32_t hash) const {
  if (slots_.empty()) return kNone;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].number != kNone; at = (at + 1) & mask)
    if (slots_[at].hash == hash && this->name(slots_[at].number) == name) return slots_[at].number;
  return kNone;
}

std::uint32_t NameTable::insert(std::string_view name, std::uint32_t hash) {
  check(size() < kNone - 1, "a thread has read {} distinct names (a table holds no more). Use more ranks.", size());
  if (2 * ends_.size() >= slots_.size()) grow();
  const std::uint32_t number = size();
  bytes_.insert(bytes_.end(), name.begin(), name.end());
  ends_.push_back(bytes_.size());
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].number != kNone) at = (at + 1) & mask;
  slots_[at] = {hash, number};
  return number;
}

void NameTable::grow() {
  constexpr std::size_t kFirst = 1024;
  std::vector<Slot> before(slots_.empty() ? kFirst : 2 * slots_.size(), Slot{0, kNone});
  before.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.number == kNone) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].number != kNone) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace atl
