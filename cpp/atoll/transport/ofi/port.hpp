// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <atoll/transport/ofi/libfabric.hpp>
#include <atomic>

/// The state that all parts of the fabric share: the endpoint, the memory that the provider may write, and the
/// operations that identify completions.
namespace atl::ofi {

/// Identifies the operation of a completion. Libfabric may store data in `context`.
struct Operation {
  enum class What : std::uint8_t { small_receive, bulk_receive, bounce, slot, piece, bye };
  fi_context2 context{};
  What what = What::small_receive;
  std::uint32_t number = 0;  // index of the buffer or put
  Rank peer = -1;            // -1: unknown until it completes
};
static_assert(offsetof(Operation, context) == 0);

/// Buffers for one purpose, each with its operation.
struct Pool {
  Pool(const Domain& domain, std::size_t bytes, Operation::What what) : buffers(domain, bytes), what(what) {}
  void grow(fid_ep* endpoint, std::uint64_t key) {
    buffers.grow(endpoint, key);
    while (operations.size() < buffers.size()) {
      free.push_back(static_cast<std::uint32_t>(operations.size()));
      operations.push_back({.what = what, .number = free.back()});
    }
  }
  std::uint32_t take() {
    const std::uint32_t k = free.back();
    free.pop_back();
    return k;
  }
  Buffers buffers;
  const Operation::What what;
  std::deque<Operation> operations;
  std::vector<std::uint32_t> free;  // the warmest last
};

/// A rank's endpoint. The provider may refuse an operation temporarily. The caller then queues it and calls
/// note_deferred(), and the fabric retries it when it next polls completions.
class Port {
 public:
  Port(Info info, Rank rank) : rank_(rank), domain_(std::move(info)), endpoint_(domain_, Endpoint::Sleep::by_file) {}

  Rank rank() const { return rank_; }
  const Domain& domain() const { return domain_; }
  Endpoint& endpoint() { return endpoint_; }
  fid_ep* get() const { return endpoint_.get(); }
  fid_cq* queue() const { return endpoint_.queue(); }
  fi_addr_t operator[](Rank rank) const { return endpoint_[rank]; }
  std::string provider() const { return domain_.info->fabric_attr->prov_name; }

  /// A pool that lives as long as the endpoint may write to it.
  Pool& new_pool(std::size_t bytes, Operation::What what) { return pools_.emplace_back(domain_, bytes, what); }
  void grow(Pool& pool) {
    pool.grow(get(), next_key_++);
    note_memory(pool.buffers.growth_bytes());
  }
  Registered registered(const void* data, std::size_t bytes, std::uint64_t access) {
    return Registered(domain_, get(), data, bytes, access, next_key_++);
  }
  void note_memory(std::size_t bytes) { memory_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  std::size_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

  void note_deferred() { deferred_ = true; }
  bool has_deferred() const { return deferred_; }
  void begin_flush() { deferred_ = false; }

  /// Whether the provider has accepted the operation; if it accepts none now, a retry is owed.
  bool took(ssize_t code, Rank to, const char* name) {
    if (code == 0) [[likely]]
      return true;
    if (code != -FI_EAGAIN) lose(to, code, name);
    deferred_ = true;
    return false;
  }
  [[noreturn]] void lose(Rank peer, long code, const char* what) const;
  /// Throws the error behind fi_cq_read's return code.
  [[noreturn]] void fail(ssize_t code) const;

 private:
  const Rank rank_;
  std::atomic<std::size_t> memory_bytes_{0};
  std::uint64_t next_key_ = 1;
  bool deferred_ = false;
  // Members close in reverse order: the endpoint before the memory that it may write, the domain last.
  const Domain domain_;
  std::deque<Pool> pools_;
  Endpoint endpoint_;
};

/// Exchanges the addresses of all ranks' endpoints, and removes the names of their shared memory. Collective.
void introduce(Endpoint& endpoint, Bootstrap& bootstrap);

}  // namespace atl::ofi
