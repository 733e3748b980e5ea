// SPDX-License-Identifier: Apache-2.0
// What the threads of a block call: their places, barriers, exchanges in a warp, and asynchronous copies.
#include <cuda_runtime.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "block.hpp"

namespace emulation {

const Here& here() { return current_block().now().here; }
unsigned char* shared_memory() { return current_block().shared(); }
int lane() { return static_cast<int>(here().thread.x % 32); }

void sync_block() { current_block().sync(); }

void sync_warp(unsigned mask) {
  Block& block = current_block();
  mask &= block.all_lanes();
  auto& [come, meeting] = block.warp().meetings[mask];
  come |= 1u << lane();
  const unsigned mine = meeting;
  if (come == mask) {
    come = 0;
    ++meeting;
  }
  unsigned* const now = &meeting;
  block.wait("a meeting of its warp", [now, mine] { return *now != mine; });
}

void exchange(unsigned mask, const void* mine, std::size_t bytes, int from, void* theirs) {
  Block& block = current_block();
  std::memcpy(block.warp().told[lane()], mine, bytes);
  sync_warp(mask);
  std::memcpy(theirs, block.warp().told[from], bytes);
  sync_warp(mask);
}

unsigned ballot(unsigned mask, bool mine) {
  Block& block = current_block();
  block.warp().told[lane()][0] = std::byte{mine};
  sync_warp(mask);
  unsigned out = 0;
  for (int l = 0; l < 32; ++l)
    if ((mask & block.all_lanes()) >> l & 1) out |= static_cast<unsigned>(block.warp().told[l][0]) << l;
  sync_warp(mask);
  return out;
}

void check_aligned(const void* at, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(at) % bytes == 0) return;
  std::fprintf(stderr, "emulation: %p is not aligned to %zu bytes\n", at, bytes);
  std::abort();
}

float float_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float size = exponent == 31  ? (fraction ? std::nanf("") : std::numeric_limits<float>::infinity())
                     : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                     : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return bits >> 15 ? -size : size;
}

void copy_async(void* to, const void* from, std::size_t bytes) {
  Block& block = current_block();
  const Copy copy{to, from, bytes};
  if (block.draw() % 2 == 0) {
    run(copy);
  } else {
    block.now().open.push_back(copy);
  }
}
void commit_copies() {
  Thread& thread = current_block().now();
  thread.groups.push_back(std::move(thread.open));
  thread.open.clear();
}
void wait_copies(int pending) {
  auto& groups = current_block().now().groups;
  while (static_cast<int>(groups.size()) > pending) {
    for (const Copy& copy : groups.front()) run(copy);
    groups.erase(groups.begin());
  }
}

void init_barrier(unsigned long long* barrier, unsigned arrivals) {
  current_block().barriers()[barrier] = Barrier{.arrivals = arrivals, .late = {}};
}
namespace {
void end_phase_if_due(Barrier& b) {
  if (b.arrived < b.arrivals || b.bytes != 0) return;
  b.arrived = 0;
  ++b.phase;
}
}  // namespace
void start_bulk_phase(unsigned long long* barrier, unsigned bytes) {
  Barrier& b = current_block().barriers().at(barrier);
  b.bytes += bytes;
  ++b.arrived;
  end_phase_if_due(b);
}
void copy_bulk(void* to, const void* from, unsigned bytes, unsigned long long* barrier) {
  Block& block = current_block();
  if (bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(to) % 16 != 0 ||
      reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
    std::fprintf(stderr, "emulation: a bulk copy of %u bytes is not aligned to 16\n", bytes);
    std::abort();
  }
  Barrier& b = block.barriers().at(barrier);
  const Copy copy{to, from, bytes};
  if (block.draw() % 2 == 0) {
    run(copy);
    b.bytes -= bytes;
    end_phase_if_due(b);
  } else {
    b.late.push_back(copy);
  }
}
void wait_bulk_phase(unsigned long long* barrier, unsigned parity) {
  Block& block = current_block();
  Barrier* const b = &block.barriers().at(barrier);
  block.wait("a bulk copy's phase", [b, parity] {
    if (b->phase % 2 != parity) return true;
    for (const Copy& copy : b->late) {
      run(copy);
      b->bytes -= static_cast<std::int64_t>(copy.bytes);
    }
    b->late.clear();
    end_phase_if_due(*b);
    return b->phase % 2 != parity;
  });
}

}  // namespace emulation
