// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include <atoll/base/array.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/types.hpp>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// What every file of this plug-in needs of libfabric: errors as exceptions, handles that close, a provider that is
/// opened, endpoints on it, and memory that is registered where the provider wants that.
namespace atl::ofi {

/// Throws TransportError if a libfabric call failed.
///
///     call(fi_enable(endpoint), "fi_enable");
inline void call(long code, const char* name) {
  if (code >= 0) [[likely]]
    return;
  throw TransportError(fmt::format("{}: {} (libfabric refused). Run again with FI_LOG_LEVEL=warn to see its reasons.",
                                   name, fi_strerror(static_cast<int>(-code))));
}

struct Close {
  template <class T>
  void operator()(T* object) const {
    fi_close(&object->fid);
  }
};
template <class T>
using Handle = std::unique_ptr<T, Close>;

struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

/// What Atoll needs of the provider of that name, as it is on this machine; null: it is not here, or lacks something.
/// `inject_bytes`: what fi_inject should take, if it can.
Info find_provider(const std::string& name, bool one_node, std::size_t inject_bytes);
/// In the order of preference.
std::vector<std::string> providers_here(bool one_node);
/// Throws UsageError for a provider that is known to stall or crawl.
void refuse_bad_provider(const std::string& name);

/// An opened provider. Its parts close in reverse.
struct Domain {
  explicit Domain(Info opened);
  Info info;
  Handle<fid_fabric> fabric;
  Handle<fid_domain> domain;

  bool needs(int mr_mode) const { return (info->domain_attr->mr_mode & mr_mode) != 0; }
};

/// Memory that the provider may read or write. Registered for as long as it lives, if the provider wants it.
class Registered {
 public:
  Registered() = default;
  /// `key`: of this process alone; used where the provider does not choose keys itself.
  Registered(const Domain& domain, fid_ep* endpoint, const void* data, std::size_t bytes, std::uint64_t access,
             std::uint64_t key);
  void* descriptor() const { return mr_ ? fi_mr_desc(mr_.get()) : nullptr; }
  std::uint64_t key() const { return fi_mr_key(mr_.get()); }

 private:
  Handle<fid_mr> mr_;
};

/// A connectionless endpoint with one completion queue for everything.
class Endpoint {
 public:
  enum class Sleep { no, by_file };  ///< whether the queue has a file to sleep on; by_file is a wish
  Endpoint(const Domain& domain, Sleep sleep);

  fid_ep* get() const { return endpoint_.get(); }
  fid_cq* queue() const { return queue_.get(); }
  /// Of the file to sleep on; -1: there is none.
  int file() const { return file_; }
  std::string address() const;
  /// Of all ranks, by rank, as address() gave them.
  void know(const std::vector<std::string>& addresses);
  fi_addr_t operator[](Rank rank) const { return known_[static_cast<std::size_t>(rank)]; }

 private:
  Handle<fid_av> addresses_;
  Handle<fid_cq> queue_;
  Handle<fid_ep> endpoint_;
  std::vector<fi_addr_t> known_;
  int file_ = -1;
};

/// Equal buffers, taken from the kernel and registered some at a time, kept until the end.
class Buffers {
 public:
  Buffers(const Domain& domain, std::size_t bytes);
  std::byte* operator[](std::size_t k) { return blocks_[k / kAtOnce].memory.data() + k % kAtOnce * stride_; }
  void* descriptor(std::size_t k) const { return blocks_[k / kAtOnce].registered.descriptor(); }
  std::size_t size() const { return blocks_.size() * kAtOnce; }
  std::size_t bytes() const { return size() * stride_; }
  std::size_t growth_bytes() const { return kAtOnce * stride_; }
  void grow(fid_ep* endpoint, std::uint64_t key);

  static constexpr std::size_t kAtOnce = 8;

 private:
  static constexpr std::size_t kSkew = 256;  // buffers a power of two apart fall on the same cache sets
  struct Block {
    Array<std::byte> memory;
    Registered registered;
  };
  const Domain& domain_;
  const std::size_t stride_;
  std::deque<Block> blocks_;
};

/// See OfiFabric. Of ranks 0 and 1, over an endpoint that knows the addresses and is used for nothing else; the other
/// of the two calls the same.
double raw_latency(const Domain& domain, Endpoint& endpoint, Rank rank, std::size_t bytes, int iterations);
double raw_rate(const Domain& domain, Endpoint& endpoint, Rank rank, std::size_t bytes, int messages);

}  // namespace atl::ofi
