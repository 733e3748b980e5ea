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

/// Basics for every file of this plug-in: libfabric calls that throw on errors, owning handles, an opened provider, its
/// endpoints, and registered memory.
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

/// The description of the named provider with the features that Atoll needs; null if it is missing on this machine or
/// lacks one. `inject_bytes`: the desired inject size.
Info find_provider(const std::string& name, bool one_node, std::size_t inject_bytes);
/// Names of the available providers, in order of preference.
std::vector<std::string> providers_here(bool one_node);
/// Throws UsageError for a provider known to stall or to be extremely slow.
void refuse_bad_provider(const std::string& name);

/// An opened provider. Its members close in reverse order.
struct Domain {
  explicit Domain(Info opened);
  Info info;
  Handle<fid_fabric> fabric;
  Handle<fid_domain> domain;

  bool needs(int mr_mode) const { return (info->domain_attr->mr_mode & mr_mode) != 0; }
};

/// Memory that the provider may read or write. Registered for its lifetime if the provider requires that.
class Registered {
 public:
  Registered() = default;
  /// `key`: unique in this process; used if the provider does not choose keys itself.
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
  enum class Sleep {
    no,
    by_file
  };  ///< whether the queue should have a file descriptor to sleep on, if the provider offers one
  Endpoint(const Domain& domain, Sleep sleep);

  fid_ep* get() const { return endpoint_.get(); }
  fid_cq* queue() const { return queue_.get(); }
  /// The file descriptor to sleep on; -1 if there is none.
  int file() const { return file_; }
  std::string address() const;
  /// Stores the addresses of all ranks, as returned by address() on each.
  void know(const std::vector<std::string>& addresses);
  fi_addr_t operator[](Rank rank) const { return known_[rank]; }

 private:
  Handle<fid_av> addresses_;
  Handle<fid_cq> queue_;
  Handle<fid_ep> endpoint_;
  std::vector<fi_addr_t> known_;
  int file_ = -1;
};

/// Equal buffers, allocated and registered in blocks, kept until the end.
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
  static constexpr std::size_t kSkew = 256;  // buffers at power-of-two distances would share cache sets
  struct Block {
    Array<std::byte> memory;
    Registered registered;
  };
  const Domain& domain_;
  const std::size_t stride_;
  std::deque<Block> blocks_;
};

/// See OfiFabric. Between ranks 0 and 1, over an endpoint that knows the addresses and has no other use; both ranks
/// make the same call.
double raw_latency(const Domain& domain, Endpoint& endpoint, Rank rank, std::size_t bytes, int iterations);
double raw_rate(const Domain& domain, Endpoint& endpoint, Rank rank, std::size_t bytes, int messages);

}  // namespace atl::ofi
