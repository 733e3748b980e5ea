// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

/// The machines and buffers on which tests are repeated.
namespace shapes {

/// Sanitizers make each step 5 to 20 times slower: they run the same cases with fewer repetitions.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline const std::vector<atl::Rank> kRanks =
    kSanitized ? std::vector<atl::Rank>{1, 3, 4} : std::vector<atl::Rank>{1, 2, 3, 4, 5, 8};

struct Shape {
  const char* name;
  atl::Plan plan;
};

/// One thread per rank; from comfortable buffers to one slot of the smallest size; in order, and with delays and
/// reordering.
inline std::vector<Shape> buffers() {
  auto plan = [](std::size_t slot_bytes, int slots, std::uint64_t seed) {
    atl::Plan p;
    p.threads = 1;
    p.slot_bytes = slot_bytes;
    p.slots_per_peer = slots;
    p.shuffle_seed = seed;
    p.timeout_seconds = 120;  // a test that hangs reports where
    return p;
  };
  atl::Plan by_queue = plan(16384, 8, 0);
  by_queue.exchange = "queue";
  by_queue.eager_bytes = 512;  // what is longer goes by rendezvous
  return {{"slots of 16 KiB", plan(16384, 8, 0)},
          {"by the queue", by_queue},
          {"1 slot of 128 bytes", plan(128, 1, 0)},
          {"1 slot of 256 bytes, shuffled by 1", plan(256, 1, 1)},
          {"2 slots of 192 bytes, shuffled by 2", plan(192, 2, 2)},
          {"3 slots of 1 KiB, shuffled by 3", plan(1024, 3, 3)}};
}

/// Sets ATOLL_ISA for a scope.
class WithIsa {
 public:
  explicit WithIsa(const std::string& name) {
    if (const char* old = std::getenv("ATOLL_ISA")) old_ = old;
    setenv("ATOLL_ISA", name.c_str(), 1);
  }
  ~WithIsa() {
    if (old_) {
      setenv("ATOLL_ISA", old_->c_str(), 1);
    } else {
      unsetenv("ATOLL_ISA");
    }
  }
  WithIsa(const WithIsa&) = delete;
  WithIsa& operator=(const WithIsa&) = delete;

 private:
  std::optional<std::string> old_;
};

}  // namespace shapes
