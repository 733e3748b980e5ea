// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/measure_records.hpp>
#include <atoll/runtime/record_charges.hpp>
#include <cstring>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t kTimedRecords = 1 << 18;
constexpr std::size_t kHandlerPlaces = 1 << 20;  // 4 MiB: a handler's data lie beyond the inner caches
constexpr std::size_t kMergedRecords = 1 << 14;  // records, about those of a full lane
constexpr std::size_t kCopiedBlock = 64 << 10, kCopiedMemory = 16 << 20;

struct TimedRecord {
  std::uint32_t place, value;
};
struct PlaceOfRecord {
  std::uint32_t operator()(const TimedRecord& r) const { return r.place; }
};
struct KeepLeastValue {
  void operator()(TimedRecord& into, const TimedRecord& r) const { into.value = std::min(into.value, r.value); }
};

std::vector<TimedRecord> random_records(std::size_t n, std::size_t places) {
  std::vector<TimedRecord> records(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t x = random_at(n, i);
    records[i] = {static_cast<std::uint32_t>(x % places), static_cast<std::uint32_t>(x >> 32)};
  }
  return records;
}

double copied_byte_seconds(World& world, const RecordCharges& charges, std::vector<std::byte>& memory) {
  std::vector<std::byte> block(kCopiedBlock);
  const RankTimer timer(world);
  for (std::size_t at = 0; at < memory.size(); at += kCopiedBlock) {
    block[at / kCopiedBlock % kCopiedBlock] ^= std::byte{1};  // so that no copy is like the one before
    std::memcpy(memory.data() + at, block.data(), kCopiedBlock);
    charges.copy(kCopiedBlock);
  }
  return timer.seconds() / static_cast<double>(memory.size());
}

double merged_record_seconds(World& world, const RecordCharges& charges) {
  // Records that are drawn from 5/8 as many keys name about half as many.
  std::vector<TimedRecord> records = random_records(kMergedRecords, kMergedRecords * 5 / 8);
  std::vector<Rank> targets(kMergedRecords);
  std::vector<std::uint32_t> seen;
  Merge merge{PlaceOfRecord{}, KeepLeastValue{}};
  std::size_t kept = merge_equal(merge, records.data(), targets.data(), records.size(), seen);  // has `seen` in memory
  records = random_records(kMergedRecords, kMergedRecords * 5 / 8);
  const RankTimer timer(world);
  kept = merge_equal(merge, records.data(), targets.data(), records.size(), seen);
  charges.merge(kMergedRecords);
  const double seconds = timer.seconds();
  ATOLL_ASSERT(kept > 0 && kept < kMergedRecords);
  return seconds / kMergedRecords;
}

double median_seconds(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

RecordCosts measure_record_costs(World& world, int rounds) {
  check(rounds > 0, "{} rounds of measuring records (at least 1 is needed). Change it.", rounds);
  const RecordCharges charges(world);
  if (world.fabric().is_virtual() && !charges.is_on()) return {};  // nothing takes time
  const std::vector<TimedRecord> records = random_records(kTimedRecords, kHandlerPlaces);
  std::vector<std::uint32_t> least(kHandlerPlaces, UINT32_MAX);
  std::vector<std::byte> memory(kCopiedMemory);
  std::size_t handled = 0;
  // It asks for the sender, so that its records take one hop on every route.
  Mailbox box(world, of_records<TimedRecord>([&](Rank, std::span<const TimedRecord> some) {
                for (const TimedRecord& r : some) least[r.place] = std::min(least[r.place], r.value);
                handled += some.size();
              }),
              {.handler_sends = false});

  std::vector<double> copied, appended, merged, taken;
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    world.barrier();
    const double byte_s = copied_byte_seconds(world, charges, memory);
    const double merge_s = merged_record_seconds(world, charges);
    auto buffers = box.send_buffers();
    const Rank me = world.rank();
    const RankTimer in_place(world);
    buffers.send_run(me, records);
    const double handler_s = in_place.seconds() / static_cast<double>(records.size());
    handled = 0;
    const RankTimer by_buffers(world);
    for (const TimedRecord& r : records) buffers.send(me, r);
    const double seconds = by_buffers.seconds();
    const auto passed = static_cast<double>(std::max<std::size_t>(1, handled));  // not what the last block holds
    box.drain();
    if (round < 0) continue;
    copied.push_back(byte_s);
    merged.push_back(merge_s);
    taken.push_back(handler_s);
    appended.push_back(std::max(0.0, seconds / passed - handler_s - sizeof(TimedRecord) * byte_s));
  }
  RecordCosts costs{.copied_byte_s = median_seconds(copied),
                    .appended_record_s = median_seconds(appended),
                    .merged_record_s = median_seconds(merged),
                    .handled_record_s = median_seconds(taken)};
  for (double* cost : {&costs.copied_byte_s, &costs.appended_record_s, &costs.merged_record_s, &costs.handled_record_s})
    *cost = world.max(*cost);
  return costs;
}

}  // namespace atl
