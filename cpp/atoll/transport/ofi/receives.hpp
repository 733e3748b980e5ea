// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rdma/fi_tagged.h>

#include <array>
#include <atoll/transport/ofi/port.hpp>
#include <atoll/transport/ofi/wire.hpp>
#include <cstring>

/// The memory into which packets arrive.
namespace atl::ofi {

/// Receives of one size. Receives that the provider does not accept now wait until others complete.
class Receives {
 public:
  enum class Meets { untagged, bulk };
  /// At most `most` are posted at once.
  Receives(Port& port, std::size_t bytes, Meets meets, std::size_t most)
      : port_(port),
        pool_(port.new_pool(bytes,
                            meets == Meets::bulk ? Operation::What::bulk_receive : Operation::What::small_receive)),
        bytes_(bytes),
        meets_(meets),
        most_(most) {}

  std::byte* operator[](std::uint32_t k) { return pool_.buffers[k]; }
  std::size_t growth_bytes() const { return pool_.buffers.growth_bytes(); }

  /// Adds `count` receives.
  void add(int count) {
    for (int i = 0; i < count; ++i) {
      if (pool_.free.empty()) port_.grow(pool_);
      post(pool_.take());
    }
  }
  /// The buffer has been read: posts it again.
  void post(std::uint32_t k) {
    if (posted_ >= most_) {
      unposted_.push_back(k);
      return;
    }
    fid_ep* const endpoint = port_.get();
    void* const context = &pool_.operations[k].context;
    void* const descriptor = pool_.buffers.descriptor(k);
    const ssize_t code =
        meets_ == Meets::bulk
            ? fi_trecv(endpoint, pool_.buffers[k], bytes_, descriptor, FI_ADDR_UNSPEC, kBulkTag, 0, context)
            : fi_recv(endpoint, pool_.buffers[k], bytes_, descriptor, FI_ADDR_UNSPEC, context);
    if (code == -FI_EAGAIN) {
      unposted_.push_back(k);
      port_.note_deferred();
      return;
    }
    call(code, meets_ == Meets::bulk ? "fi_trecv" : "fi_recv");
    ++posted_;
  }
  /// A posted receive has been filled.
  void used() {
    --posted_;
    if (!unposted_.empty()) post_next();
  }
  /// Retries what the provider has refused.
  void flush_deferred() {
    for (std::size_t n = unposted_.size(); n > 0 && posted_ < most_; --n) post_next();
  }

 private:
  void post_next() {
    const std::uint32_t k = unposted_.front();
    unposted_.pop_front();
    post(k);
  }

  Port& port_;
  Pool& pool_;
  const std::size_t bytes_;
  const Meets meets_;
  const std::size_t most_;
  std::size_t posted_ = 0;
  std::deque<std::uint32_t> unposted_;
};

/// Copies control packets at their arrival and posts their receives again: a caller that holds control packets holds
/// none of their receives.
class ControlCopies {
 public:
  explicit ControlCopies(Port& port) : port_(port) {}
  const std::byte* operator[](std::uint32_t k) const { return copies_[k].data(); }
  std::uint32_t copy(const std::byte* data, std::size_t bytes) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(copies_.size()));
      copies_.emplace_back();
      port_.note_memory(kControlBytes);
    }
    const std::uint32_t k = free_.back();
    free_.pop_back();
    std::memcpy(copies_[k].data(), data, bytes);
    return k;
  }
  void release(std::uint32_t k) { free_.push_back(k); }

 private:
  Port& port_;
  std::deque<std::array<std::byte, kControlBytes>> copies_;
  std::vector<std::uint32_t> free_;
};

}  // namespace atl::ofi
