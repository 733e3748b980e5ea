// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <atomic>
#include <cstdint>

namespace atl::mpi {

/// The link of a SendQueue, a member of each queued item.
struct Queued {
  std::atomic<Queued*> next{nullptr};
};

/// A multi-producer single-consumer queue: linked nodes, one exchange per push (D. Vyukov's intrusive queue). It has no
/// capacity of its own; the owner of the nodes bounds their number.
class SendQueue {
 public:
  void push(Queued* node) {
    node->next.store(nullptr, std::memory_order_relaxed);
    Queued* before = newest_.exchange(node, std::memory_order_acq_rel);
    before->next.store(node, std::memory_order_release);
  }
  /// The oldest; null if there is none, or while its producer is between its two steps.
  Queued* pop() {
    Queued* first = oldest_;
    Queued* second = first->next.load(std::memory_order_acquire);
    if (first == &stub_) {
      if (!second) return nullptr;
      oldest_ = first = second;
      second = first->next.load(std::memory_order_acquire);
    }
    if (!second) {
      if (first != newest_.load(std::memory_order_acquire)) return nullptr;
      push(&stub_);  // the last node cannot leave without a successor
      second = first->next.load(std::memory_order_acquire);
      if (!second) return nullptr;
    }
    oldest_ = second;
    return first;
  }

 private:
  Queued stub_;
  alignas(64) std::atomic<Queued*> newest_{&stub_};
  alignas(64) Queued* oldest_ = &stub_;
};

}  // namespace atl::mpi
