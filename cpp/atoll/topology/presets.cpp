// SPDX-License-Identifier: Apache-2.0
#include <atoll/topology/machine.hpp>

// The machines of two papers.
//
// frontier and commodity have nodes of eight ranks. The first is COAST's machine, from its table III: four network cards
// of 25 GB/s a node. The second is ours, a cluster with one card of 12.5 GB/s a node, to compare with.
//
// The others are the two machines on which CoLa was measured [1, section 6.1.2], the first in two readings.
//
// A message's cost follows from its Table 4, whose unit must be microseconds, with MB of 10^6 bytes. Rows of 128 bytes
// read one by one over NVLink take 17 us and then as long as their bytes. In one piece, 0.25 to 8 MB over InfiniBand
// take 50.6 us and 18.0 GB/s. One by one each row takes 1.85 to 2.05 us there, however many there are: the proxy of the
// GPU that reads it needs that for a message, the owner's none. Here the ends of a message bear half of overhead_s each,
// so a rank bears all of it for a row that it reads where it serves as many, as in a product; one that only read would
// bear half. `atoll bench messages` on this platform gives Table 4, of two ranks that read from each other.
// Bandwidths are those that the paper names: NVLink 300, InfiniBand 18, PCIe 20, QPI 12 GB/s. It gives the bandwidth of
// the GPUs' memory; their arithmetic is the vendor's figure for 32-bit numbers.
//
// The paper does not say how many network cards a node has, but its tables for several nodes fit an uplink of 18 to 27
// GB/s: in Table 8 4 nodes take 4.87 ms for a million rows of 128 bytes, of which each node receives three quarters, 19.7
// GB/s. So a800 has one card a node, of 20 GB/s. a800-rails has one for each GPU, as such machines often have: 144 GB/s
// (docs/measurements/cola.md, `bench/figures.py spmm-programs`).
//
// [1] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication
// on GPUs." ICS 2025.
namespace atl {

std::optional<Machine> machine_preset(std::string_view name) {
  constexpr double kRead = 17e-6;     // of remote memory by a kernel
  constexpr double kProxy = 1.95e-6;  // for a message
  if (name == "a800" || name == "a800-rails") {
    const bool rails = name == "a800-rails";
    const int cards = rails ? 8 : 1;
    const double uplink = rails ? 8 * 18e9 : 20e9;
    Machine machine = Cost(
        {{.latency_s = kRead, .bytes_per_second = 300e9, .on_board = true},
         {.latency_s = 50.6e-6 - kProxy, .bytes_per_second = uplink, .overhead_s = kProxy, .cards = cards}},
        rails ? "preset: nodes of 8 GPUs, NVLink inside, a network card of 18 GB/s for each GPU (CoLa, Table 4)"
              : "preset: nodes of 8 GPUs, NVLink inside, one network card of 20 GB/s a node (CoLa, Tables 4, 7, 8)");
    machine.device = DeviceRates{.flops_per_second = 19.5e12, .memory_bytes_per_second = 1381e9};
    return machine;
  }
  if (name == "v100") {
    Machine machine = Cost({{.latency_s = kRead, .bytes_per_second = 20e9, .on_board = true},
                            {.latency_s = kRead, .bytes_per_second = 12e9, .on_board = true}},
                           "preset: a node of two NUMA domains of 4 GPUs, PCIe inside, QPI between them (CoLa)");
    machine.device = DeviceRates{.flops_per_second = 14e12, .memory_bytes_per_second = 725e9};
    return machine;
  }
  if (name == "frontier")
    return Cost({{.latency_s = 2e-6, .bytes_per_second = 50e9, .overhead_s = 1e-6},
                 {.latency_s = 5e-6, .bytes_per_second = 100e9, .overhead_s = 1e-6, .cards = 4}},
                "preset: nodes of 8 ranks with four network cards of 25 GB/s (COAST, Table III)");
  if (name == "commodity")
    return Cost({{.latency_s = 2e-6, .bytes_per_second = 10e9, .overhead_s = 1e-6},
                 {.latency_s = 20e-6, .bytes_per_second = 12.5e9, .overhead_s = 1e-6}},
                "preset: nodes of 8 ranks with one network card of 12.5 GB/s");
  return {};
}

}  // namespace atl
