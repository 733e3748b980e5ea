// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <atoll/transport/ofi/port.hpp>
#include <fstream>
#include <iterator>

namespace atl::ofi {
namespace {

std::string hex(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::vector<std::string> from_hex(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const std::string& text : texts) {
    std::string& bytes = out.emplace_back();
    for (std::size_t at = 0; at + 1 < text.size(); at += 2)
      bytes += static_cast<char>(std::stoi(text.substr(at, 2), nullptr, 16));
  }
  return out;
}

// The shared-memory name of an address of libfabric's shm provider, such as "/4711:1000:0"; empty for other providers.
std::string segment_of(const std::string& address) {
  constexpr std::string_view kScheme = "fi_shm://";
  return address.starts_with(kScheme) ? fmt::format("/{}", address.c_str() + kScheme.size()) : std::string();
}

// Whether this process has mapped the shared memory of all addresses.
bool are_mapped(const std::vector<std::string>& addresses) {
  std::ifstream file("/proc/self/maps");
  const std::string maps((std::istreambuf_iterator<char>(file)), {});
  return std::all_of(addresses.begin(), addresses.end(), [&](const std::string& address) {
    return maps.find(fmt::format("/dev/shm{}\n", segment_of(address))) != std::string::npos;
  });
}

}  // namespace

void Port::lose(Rank peer, long code, const char* what) const {
  throw TransportError(fmt::format("rank {} lost rank {}: {}: {} (by {}). Look at that rank's messages.", rank_, peer,
                                   what, fi_strerror(static_cast<int>(-code)), provider()));
}

void Port::fail(ssize_t code) const {
  if (code != -FI_EAVAIL) call(code, "fi_cq_read");
  fi_cq_err_entry error{};
  call(fi_cq_readerr(queue(), &error, 0), "fi_cq_readerr");
  const auto* operation = static_cast<const Operation*>(error.op_context);
  if (operation && operation->peer >= 0) lose(operation->peer, -error.err, "a send did not complete");
  throw TransportError(fmt::format("rank {}: a receive failed: {} (by {}). Look at the other ranks' messages.", rank_,
                                   fi_strerror(error.err), provider()));
}

void introduce(Endpoint& endpoint, Bootstrap& bootstrap) {
  const std::vector<std::string> addresses = from_hex(bootstrap.gather(hex(endpoint.address())));
  endpoint.know(addresses);
  if (segment_of(addresses[0]).empty()) return;
  // A killed process cannot remove its segment of 16 MB, and once all ranks have mapped all segments nobody needs the
  // names.
  for (const std::string& mapped : bootstrap.gather(are_mapped(addresses) ? "mapped" : ""))
    if (mapped.empty()) return;
  shm_unlink(segment_of(addresses[bootstrap.rank()]).c_str());
}

}  // namespace atl::ofi
