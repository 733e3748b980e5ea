// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "skip.hpp"

using namespace atl;
namespace fs = std::filesystem;

TEST_CASE("files of real machines give their hosts and depth, or an error that names their format" *
          doctest::test_suite("real files")) {
  struct Case {
    const char* name;
    int hosts, depth;     // 0: rejected
    const char* message;  // a part of it
    int routers, links;
  };
  const Case cases[] = {
      {"slurm/maatthias_topology.conf", 39, 3, "", 5, 43},
      {"slurm/nstda_topology.conf", 10, 3, "", 5, 14},
      {"slurm/topograph-dra-block.conf", 96, 5, "", 22, 117},
      {"slurm/topograph-oci-sim-tree.conf", 96, 4, "", 19, 114},
      {"topograph-models/dual-xclr-regular.yaml", 96, 4, "", 19, 114},
      {"topograph-models/large.yaml", 96, 4, "", 19, 114},
      {"topograph-models/medium.yaml", 8, 4, "", 7, 14},
      {"topograph-models/nvl72.yaml", 72, 4, "", 7, 78},
      {"topograph-models/small-tree.yaml", 6, 3, "", 3, 8},
      {"topograph-models/netq-topologyGraph.json", 0, 0, "NetQ", 0, 0},
      {"infiniband/ibsim-net", 2, 2, "", 2, 4},
      {"infiniband/ibsim-net.1", 2, 2, "", 1, 2},
      {"infiniband/ibsim-net.2sw2path", 2, 3, "", 2, 4},
      {"infiniband/ibsim-net.2sw2path4hca", 4, 3, "", 2, 6},
      {"infiniband/ibsim-net.2sw2path4hca2port", 2, 3, "", 2, 6},
      {"infiniband/topograph-dgx-ibnetdiscover.out.zst", 193, 3, "", 40, 1074},
      {"simgrid/batsim-cluster512.xml", 513, 3, "", 3, 515},
      {"simgrid/batsim-cluster_locality_32x16.xml", 513, 3, "", 34, 546},
      {"simgrid/cluster_dragonfly.xml", 120, 5, "", 60, 522},
      {"simgrid/cluster_fat_tree.xml", 16, 3, "", 6, 32},
      {"simgrid/cluster_multi.xml", 24, 3, "", 4, 27},
      {"simgrid/cluster_torus.xml", 12, 4, "", 12, 36},
      {"simgrid/g5k.xml", 1528, 5, "", 61, 1588},
      {"simgrid/griffon.xml", 92, 3, "", 4, 95},
      {"simgrid/simulacrum_7_hosts.xml", 7, 2, "", 1, 7},
      {"hwloc-xml/linux_32em64t-2n8c+dax+nvme+mic+dimms.xml", 16, 3, "", 3, 18},
      {"hwloc-xml/linux_nvidia-dgx-gb10.xml", 20, 3, "", 3, 22},
      {"hwloc-xml/x86+linux_64amd64-4p2n4ca2co.xml", 64, 5, "", 45, 108},
      {"hwloc-xml/x86_AMD-17h-Zen-2xEpyc-7451.xml", 48, 4, "", 19, 66},
      {"hwloc-xml/x86_AMD-19h-Zen3-2xEpyc-7763.xml", 128, 4, "", 19, 146},
      {"hwloc-xml/x86_AMD-19h-Zen4-2xEpyc-9654.xml.zst", 192, 4, "", 27, 218},
      {"hwloc-xml/x86_Intel-CascadeLake-2xXeon6230.xml", 40, 3, "", 3, 42},
      {"hwloc-xml/x86_Intel-KnightsLanding-XeonPhi-7210.xml", 64, 3, "", 33, 96},
      {"hwloc-xml/x86_Zhaoxin-2xCentaurHauls-KaiSheng-KH-40000.xml", 64, 5, "", 23, 86},
      {"hwloc-xml/xml_16amd64-4distances.xml", 16, 4, "", 11, 26},
      {"hwloc-xml/xml_192em64t-12gr2n8c2t.xml.zst", 192, 4, "", 37, 228},
      {"hwloc-xml/xml_64intel64-heteromem.xml", 16, 4, "", 13, 28},
      {"hwloc-xml/xml_96em64t-4n4d3ca2co-pci.xml", 96, 5, "", 69, 164},
      {"hwloc-xml/xml_cxlmem+dax.v2.xml", 4, 2, "", 1, 4},
      {"hwloc-xml/xml_fakeheterodistances.xml", 8, 5, "", 10, 17},
      {"hwloc-xml/xml_nvidiaDGX2.xml", 4, 3, "", 3, 6},
      {"hwloc-xml/xml_power8gpudistances.xml", 8, 3, "", 3, 10},
      {"hwloc-sysfs/128arm-2pa2n8cluster4co.tar.bz2", 0, 0, "lstopo", 0, 0},
      {"hwloc-sysfs/256ppc-8n8s4t.tar.bz2", 0, 0, "lstopo", 0, 0},
      {"hwloc-sysfs/96em64t-4no4pa3ca2co.tar.bz2", 0, 0, "lstopo", 0, 0},
      {"hwloc-sysfs/memorysidecaches.tar.bz2", 0, 0, "lstopo", 0, 0},
  };
  const char* folder = std::getenv("ATOLL_DATA");
  std::size_t missing = 0;
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const fs::path path = fs::path(folder ? folder : "../shared/data") / "graphs/topology" / c.name;
    if (!fs::exists(path)) {
      ++missing;
      continue;
    }
    if (c.hosts == 0) {
      std::string message;
      try {
        read_hierarchy(path.string());
      } catch (const InputError& e) {
        message = e.what();
      }
      CHECK(message.find(c.message) != std::string::npos);
      continue;
    }
    const Hierarchy h = read_hierarchy(path.string());
    CHECK(h.size() == c.hosts);
    CHECK(h.depth() == c.depth);
    CHECK(Hierarchy::from_json(h.to_json()).to_json() == h.to_json());
    CHECK(read_hierarchy(path.string(), 2).size() == 2 * c.hosts);
    const Network n = read_network(path.string());
    CHECK(n.hosts() == c.hosts);
    CHECK(n.routers() == c.routers);
    CHECK(static_cast<int>(n.links().size()) == c.links);
    CHECK(n.hierarchy().size() == c.hosts);
  }
  if (missing == std::size(cases)) return skip("none of the files is there (ATOLL_DATA names their folder)");
  if (missing > 0) MESSAGE("left out: " << missing << " files that are not there (ATOLL_DATA names their folder)");
}
