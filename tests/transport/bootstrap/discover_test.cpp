// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/transport/plugin.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "folder.hpp"

using namespace atl;

namespace {

Placement at(int node, int package, int numa, int l3) {
  return {node, "host" + std::to_string(node), package, numa, l3};
}

}  // namespace

TEST_CASE("unbound ranks of a node are one domain") {
  const std::vector<Placement> ranks(3, at(0, -1, -1, -1));
  const Hierarchy h = hierarchy_of(ranks);
  CHECK(h.depth() == 1);
  CHECK(h.size() == 3);
  CHECK(h.root().name == "host0");
}

TEST_CASE("nodes form a level even with one rank each") {
  const std::vector<Placement> ranks{at(0, -1, -1, -1), at(1, -1, -1, -1), at(0, -1, -1, -1)};
  const Hierarchy h = hierarchy_of(ranks);
  CHECK(h.depth() == 2);
  CHECK(h.level_between(0, 2) == 0);
  CHECK(h.level_between(0, 1) == 1);
  CHECK(h.kind_at(1) == "system");
}

TEST_CASE("inside a node a level stays only if it separates some ranks and joins others") {
  // Two packages of two ranks; each rank has its own cache, and each package is a NUMA domain.
  const std::vector<Placement> ranks{at(0, 0, 0, 0), at(0, 0, 0, 1), at(0, 1, 1, 2), at(0, 1, 1, 3)};
  const Hierarchy h = hierarchy_of(ranks);
  CHECK(h.depth() == 2);
  CHECK(h.kind_at(0) == "package");
  CHECK(h.kind_at(1) == "node");
  CHECK(h.level_between(0, 1) == 0);
  CHECK(h.level_between(1, 2) == 1);
  // One rank per core under one cache: no level separates them.
  CHECK(hierarchy_of(std::vector<Placement>{at(0, 0, 0, 0), at(0, 0, 0, 0)}).depth() == 1);
  CHECK(hierarchy_of(std::vector<Placement>{at(0, 0, 0, 0), at(0, 1, 1, 1)}).depth() == 1);
}

TEST_CASE("a level needed on one node exists on all, so that leaves are equally deep") {
  const std::vector<Placement> ranks{at(0, 0, 0, 0), at(0, 0, 0, 0), at(0, 0, 0, 1), at(1, 0, 0, 0)};
  const Hierarchy h = hierarchy_of(ranks);
  CHECK(h.depth() == 3);
  CHECK(h.level_between(0, 1) == 0);
  CHECK(h.level_between(0, 2) == 1);
  CHECK(h.level_between(0, 3) == 2);
}

TEST_CASE("ranks that share cores are told apart by them") {
  // Two cores with two hardware threads each, under one cache.
  std::vector<Placement> ranks(4, at(0, 0, 0, 0));
  for (std::size_t r = 0; r < 4; ++r) ranks[r].core = static_cast<int>(r / 2);
  const Hierarchy h = hierarchy_of(ranks);
  CHECK(h.depth() == 2);
  CHECK(h.kind_at(0) == "core");
  CHECK(h.level_between(0, 1) == 0);
  CHECK(h.level_between(1, 2) == 1);
}

TEST_CASE("this process and this machine can be described") {
  CHECK_FALSE(placement().host.empty());
  const HostFacts m = host_facts();
  CHECK(m.cores >= 1);
  CHECK(m.usable_cores >= 1);
  CHECK(m.memory_bytes > m.free_memory_bytes);
  CHECK(m.to_json().at("host") == m.host);
}

TEST_CASE("domains are read as text or from a file") {
  CHECK(read_domains("2x4").size() == 8);
  CHECK_THROWS_AS(read_domains("nowhere.json"), InputError);
  CHECK_THROWS_AS(read_domains("two"), InputError);
  const files::Folder folder;
  const std::string file = folder.write("domains", Hierarchy::parse("3+2").to_json().dump());
  CHECK(read_domains(file).level_between(2, 3) == 1);
  folder.write("domains", "{ not json");
  CHECK_THROWS_AS(read_domains(file), InputError);
  folder.write("domains", "SwitchName=s Nodes=a,b,c\n");
  CHECK(read_domains(file).size() == 3);
  CHECK(read_domains(file, 6).size() == 6);  // two per host
  CHECK(read_domains(file, 6).level_between(0, 1) == 0);
  CHECK(read_domains(file, 4).size() == 3);  // does not fit: the caller reports it
  CHECK(read_domains("torus:3x3").depth() == 2);
}

TEST_CASE("a launcher is recognised by its environment variables") {
  struct Case {
    std::vector<std::pair<const char*, const char*>> variables;
    Rank ranks, rank;
    const char* mpi;
  };
  const char* const all[] = {
      "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",  "PMI_RANK",      "PMI_FD", "SLURM_NTASKS",
      "SLURM_PROCID",         "SLURM_STEP_NUM_TASKS", "PMIX_RANK", "PMIX_NAMESPACE"};
  std::vector<std::pair<const char*, std::string>> before;
  for (const char* name : all)
    if (const char* value = std::getenv(name)) before.emplace_back(name, value);
  const std::vector<Case> cases{
      {{{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"PMIX_RANK", "3"}}, 4, 3, "openmpi"},
      {{{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}, {"PMI_FD", "5"}}, 2, 1, "mpich"},
      {{{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "7"}}, 8, 7, ""},
      {{{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "7"}, {"PMIX_RANK", "7"}, {"PMIX_NAMESPACE", "s"}},
       8,
       7,
       "openmpi"},
      {{{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}, 0, 0, ""},  // a batch script, not one of several ranks
      {{}, 0, 0, ""},
  };
  for (const Case& c : cases) {
    for (const char* name : all) unsetenv(name);
    for (auto [name, value] : c.variables) setenv(name, value, 1);
    const auto by = launcher();
    CHECK(by.has_value() == (c.ranks > 0));
    if (!by) continue;
    CAPTURE(by->name);
    CHECK(by->ranks == c.ranks);
    CHECK(by->rank == c.rank);
    CHECK(by->mpi == c.mpi);
  }
  for (const char* name : all) unsetenv(name);
  for (const auto& [name, value] : before) setenv(name, value.c_str(), 1);
}

TEST_CASE("a missing plug-in is named with the package to install") {
  for (const PluginStatus& p : plugins()) {
    CAPTURE(p.name);
    CHECK_FALSE(p.detail.empty());
    if (!p.loads) CHECK(p.detail.find("Install lib") != std::string::npos);
  }
  CHECK_THROWS_AS(join_mpi({.mpi = "lam"}), InputError);
}
