// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/saved_signal_handlers.hpp>
#include <atoll/transport/ofi/libfabric.hpp>
#include <cstdlib>
#include <cstring>

namespace atl::ofi {
namespace {

constexpr std::uint32_t kApi = FI_VERSION(1, 11);  // Ubuntu 22.04

struct Known {
  const char* name;
  bool sockets;  // addresses belong to interfaces, of which "lo" only connects ranks of one node
  bool one_node;
};
// In order of preference: providers for special hardware first.
constexpr Known kKnown[] = {{"verbs;ofi_rxm", false, false}, {"psm3", false, false}, {"psm2", false, false},
                            {"cxi", false, false},           {"efa", false, false},  {"shm", false, true},
                            {"tcp;ofi_rxm", true, false}};
// Used only if named by the user. In libfabric 1.15 to 1.17 `net` is tcp's experimental successor: 8 bytes over
// loopback took 4.9 us one way, against 6.3 with tcp;ofi_rxm. From 1.18 on `tcp` is that code.
constexpr Known kByName[] = {{"net", true, false}, {"tcp", true, false}};

const Known* known(const std::string& name) {
  for (const Known& k : kKnown)
    if (name == k.name) return &k;
  for (const Known& k : kByName)
    if (name == k.name) return &k;
  return nullptr;
}

Info ask(const std::string& name, bool sockets, std::size_t inject_bytes) {
  Info hints(fi_allocinfo());
  if (!hints) throw std::bad_alloc();
  hints->caps = FI_MSG | FI_TAGGED | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;  // the fabric has one lock of its own
  hints->domain_attr->cq_data_size = sizeof(std::uint64_t);
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->tx_attr->msg_order = FI_ORDER_SAS;
  hints->rx_attr->msg_order = FI_ORDER_SAS;
  hints->tx_attr->inject_size = inject_bytes;
  hints->fabric_attr->prov_name = strdup(name.c_str());  // freed with the hints
  if (sockets) hints->addr_format = FI_SOCKADDR_IN;
  fi_info* found = nullptr;
  const SavedSignalHandlers ours;
  return Info(fi_getinfo(kApi, nullptr, nullptr, 0, hints.get(), &found) == 0 ? found : nullptr);
}

// The first entry on the wanted interface, without the others.
Info on_interface(Info list, bool one_node) {
  const char* wanted = std::getenv("FI_TCP_IFACE");
  if (!wanted && one_node) wanted = "lo";
  const fi_info* chosen = nullptr;
  for (const fi_info* i = list.get(); i && !chosen; i = i->next) {
    const std::string_view interface = i->domain_attr->name;
    if (wanted ? interface == wanted : interface != "lo") chosen = i;
  }
  return Info(fi_dupinfo(chosen ? chosen : list.get()));
}

}  // namespace

Info find_provider(const std::string& name, bool one_node, std::size_t inject_bytes) {
  const Known* k = known(name);
  const bool sockets = k && k->sockets;
  // These providers are wanted without a layer above them; libfabric adds one if asked for a larger inject size than
  // they have.
  const bool bare = name.find(';') == std::string::npos && sockets;
  Info info = bare ? nullptr : ask(name, sockets, inject_bytes);
  if (!info) info = ask(name, sockets, 0);
  if (!info) return nullptr;
  return sockets ? on_interface(std::move(info), one_node) : Info(fi_dupinfo(info.get()));
}

std::vector<std::string> providers_here(bool one_node) {
  std::vector<std::string> names;
  for (const Known& k : kKnown)
    if ((one_node || !k.one_node) && find_provider(k.name, one_node, 0)) names.emplace_back(k.name);
  return names;
}

void refuse_bad_provider(const std::string& name) {
  auto refuse = [&](const char* why) {
    throw UsageError(fmt::format("provider '{}' ({}). Use tcp;ofi_rxm, or auto.", name, why));
  };
  if (name == "sockets") refuse("it takes 44 ms for a message of a few bytes, and is no longer maintained");
  if (name == "udp" || name == "udp;ofi_rxd" || name.ends_with("ofi_rxd")) refuse("it stalls after a few messages");
}

Domain::Domain(Info opened) : info(std::move(opened)) {
  const SavedSignalHandlers ours;
  fid_fabric* f = nullptr;
  call(fi_fabric(info->fabric_attr, &f, nullptr), "fi_fabric");
  fabric.reset(f);
  fid_domain* d = nullptr;
  call(fi_domain(f, info.get(), &d, nullptr), "fi_domain");
  domain.reset(d);
}

Registered::Registered(const Domain& domain, fid_ep* endpoint, const void* data, std::size_t bytes,
                       std::uint64_t access, std::uint64_t key) {
  const bool remote = (access & FI_REMOTE_WRITE) != 0;
  if (!remote && !domain.needs(FI_MR_LOCAL)) return;
  fid_mr* mr = nullptr;
  call(fi_mr_reg(domain.domain.get(), data, bytes, access, 0, key, 0, &mr, nullptr), "fi_mr_reg");
  mr_.reset(mr);
  if (!domain.needs(FI_MR_ENDPOINT)) return;
  call(fi_mr_bind(mr, &endpoint->fid, 0), "fi_mr_bind");
  call(fi_mr_enable(mr), "fi_mr_enable");
}

Endpoint::Endpoint(const Domain& domain, Sleep sleep) {
  const SavedSignalHandlers ours;
  fi_av_attr of_addresses{};
  of_addresses.type = FI_AV_TABLE;
  fid_av* av = nullptr;
  call(fi_av_open(domain.domain.get(), &of_addresses, &av, nullptr), "fi_av_open");
  addresses_.reset(av);

  fi_cq_attr of_queue{};
  of_queue.format = FI_CQ_FORMAT_TAGGED;  // the smallest with the sender's 8 bytes
  of_queue.size = domain.info->tx_attr->size + domain.info->rx_attr->size;
  fid_cq* cq = nullptr;
  if (sleep == Sleep::by_file) {
    of_queue.wait_obj = FI_WAIT_FD;
    if (fi_cq_open(domain.domain.get(), &of_queue, &cq, nullptr) != 0) cq = nullptr;
  }
  if (!cq) {
    of_queue.wait_obj = FI_WAIT_NONE;
    call(fi_cq_open(domain.domain.get(), &of_queue, &cq, nullptr), "fi_cq_open");
  }
  queue_.reset(cq);
  if (of_queue.wait_obj == FI_WAIT_FD && fi_control(&cq->fid, FI_GETWAIT, &file_) != 0) file_ = -1;

  fid_ep* ep = nullptr;
  call(fi_endpoint(domain.domain.get(), domain.info.get(), &ep, nullptr), "fi_endpoint");
  endpoint_.reset(ep);
  call(fi_ep_bind(ep, &av->fid, 0), "fi_ep_bind");
  call(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
  call(fi_enable(ep), "fi_enable");
}

std::string Endpoint::address() const {
  std::size_t bytes = 0;
  if (const int code = fi_getname(&endpoint_->fid, nullptr, &bytes); code != -FI_ETOOSMALL) call(code, "fi_getname");
  std::string address(bytes, '\0');
  call(fi_getname(&endpoint_->fid, address.data(), &bytes), "fi_getname");
  return address;
}

void Endpoint::know(const std::vector<std::string>& addresses) {
  known_.assign(addresses.size(), FI_ADDR_UNSPEC);
  for (std::size_t r = 0; r < addresses.size(); ++r)
    if (const int code = fi_av_insert(addresses_.get(), addresses[r].data(), 1, &known_[r], 0, nullptr); code != 1)
      call(code < 0 ? code : -FI_EADDRNOTAVAIL, "fi_av_insert");
}

Buffers::Buffers(const Domain& domain, std::size_t bytes) : domain_(domain), stride_((bytes + 63) / 64 * 64 + kSkew) {}

void Buffers::grow(fid_ep* endpoint, std::uint64_t key) {
  Array<std::byte> memory(kAtOnce * stride_);
  Registered registered(domain_, endpoint, memory.data(), memory.size(), FI_SEND | FI_RECV, key);
  blocks_.push_back({std::move(memory), std::move(registered)});
}

}  // namespace atl::ofi
