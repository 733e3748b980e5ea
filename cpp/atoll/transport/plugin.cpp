// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <atoll/base/error.hpp>
#include <atoll/base/plugin_file.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <atoll/transport/flows_plugin.hpp>
#include <atoll/transport/ofi_fabric.hpp>
#include <atoll/transport/plugin.hpp>
#include <cstdlib>
#include <filesystem>

namespace atl {

MpiFabric::~MpiFabric() = default;
RmaExchange::~RmaExchange() = default;

namespace {

struct Kind {
  const char* mpi;      // as in MpiOptions
  const char* name;     // for people
  const char* package;  // Debian, Ubuntu
  const char* version;  // how its MPI_Get_library_version() starts
};
constexpr Kind kKinds[] = {{"openmpi", "Open MPI", "libopenmpi3 openmpi-bin", "Open MPI"},
                           {"mpich", "MPICH", "libmpich12 mpich", "MPICH"}};

struct Opened {
  const MpiPlugin* plugin = nullptr;
  std::string path;
  std::string why;  // not opened
};

Opened open_plugin(const Kind& kind) {
  const PluginFile file = open_plugin_file({.name = std::string("mpi_") + kind.mpi,
                                            .entry = kMpiPluginEntry,
                                            .library = kind.name,
                                            .package = kind.package,
                                            .build_package = std::string("lib") + kind.mpi + "-dev"});
  return {static_cast<const MpiPlugin*>(file.plugin), file.path, file.why};
}

const Kind* kind_named(std::string_view mpi) {
  for (const Kind& k : kKinds)
    if (mpi == k.mpi) return &k;
  return nullptr;
}

const MpiPlugin& need_plugin(const Kind& kind, const std::string& wanted_by) {
  const Opened opened = open_plugin(kind);
  if (!opened.plugin)
    throw TransportError(fmt::format("no plug-in for {}, which {}: {}", kind.name, wanted_by, opened.why));
  return *opened.plugin;
}

const MpiPlugin& choose_plugin(const MpiOptions& options, const std::optional<Launcher>& by) {
  if (options.communicator) {
    for (const Kind& k : kKinds)
      if (options.library_version.rfind(k.version, 0) == 0) return need_plugin(k, "the given communicator belongs to");
    throw TransportError(
        fmt::format("a communicator of '{}' (there are plug-ins for Open MPI and MPICH). Use an mpi4py "
                    "that is built for one of these.",
                    options.library_version.substr(0, options.library_version.find('\n'))));
  }
  if (options.mpi != "auto") {
    const Kind* kind = kind_named(options.mpi);
    check(kind != nullptr, "mpi '{}' is unknown (there are auto, openmpi, mpich). Choose one.", options.mpi);
    return need_plugin(*kind, "--mpi asks for");
  }
  if (by && !by->mpi.empty())
    return need_plugin(*kind_named(by->mpi), fmt::format("{} has started this process for", by->name));
  std::string why;
  for (const Kind& k : kKinds) {
    const Opened opened = open_plugin(k);
    if (opened.plugin) return *opened.plugin;
    why += std::string(why.empty() ? "" : " ") + opened.why;
  }
  throw TransportError("no MPI plug-in can be used: " + why);
}

std::optional<Rank> number(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end != 0 || value < 0 || value > INT32_MAX) return std::nullopt;
  return static_cast<Rank>(value);
}

}  // namespace

std::optional<Launcher> launcher() {
  if (const auto n = number("ATOLL_BOOTSTRAP_RANKS"))
    return Launcher{"atoll", "", *n, number("ATOLL_RANK").value_or(0)};
  if (const char* hosts = std::getenv("ATOLL_HOSTS"))
    if (const auto rank = number("ATOLL_RANK")) return Launcher{"ATOLL_HOSTS", "", ranks_of_hosts(hosts), *rank};
  // The innermost launcher first: an mpirun inside a batch job also sees the variables of the batch system.
  if (const auto n = number("OMPI_COMM_WORLD_SIZE"))
    return Launcher{"mpirun of Open MPI", "openmpi", *n, number("OMPI_COMM_WORLD_RANK").value_or(0)};
  if (const auto n = number("PMI_SIZE"); n && std::getenv("PMI_RANK")) {
    // Slurm's PMI-2 sets the same variables as MPICH's own launcher.
    const bool slurm = std::getenv("SLURM_PROCID") != nullptr && std::getenv("PMI_FD") == nullptr;
    return Launcher{slurm ? "srun of Slurm (PMI)" : "mpiexec of MPICH", "mpich", *n, number("PMI_RANK").value_or(0)};
  }
  // A job step; SLURM_NTASKS alone is also set in a batch script that is not yet one of several.
  const auto steps = number("SLURM_STEP_NUM_TASKS");
  const bool pmix = std::getenv("PMIX_RANK") != nullptr && std::getenv("PMIX_NAMESPACE") != nullptr;
  if (steps && *steps > 1 && std::getenv("SLURM_PROCID"))
    return Launcher{pmix ? "srun of Slurm (PMIx)" : "srun of Slurm", pmix ? "openmpi" : "", *steps,
                    number("SLURM_PROCID").value_or(0)};
  if (pmix)
    return Launcher{"a launcher with PMIx", "openmpi", number("PMIX_SIZE").value_or(1),
                    number("PMIX_RANK").value_or(0)};
  return std::nullopt;
}

std::unique_ptr<MpiFabric> join_mpi(const MpiOptions& options) {
  const auto by = options.communicator ? std::nullopt : launcher();
  return choose_plugin(options, by).join(options, by);
}

void finish_mpi() {
  for (const Kind& kind : kKinds) {
    // Only what is open already can have begun MPI.
    for (const auto& folder : plugin_folders()) {
      const auto path = folder / (std::string("libatoll_mpi_") + kind.mpi + ".so");
      void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
      if (!handle) continue;
      using Entry = const MpiPlugin* (*)();
      if (const auto entry = reinterpret_cast<Entry>(dlsym(handle, kMpiPluginEntry));
          entry && entry()->abi == kPluginAbi)
        entry()->finish();
    }
  }
}

std::string plugin_path(const std::string& mpi) {
  std::error_code ignored;
  for (const auto& folder : plugin_folders())
    if (const auto path = folder / ("libatoll_mpi_" + mpi + ".so"); std::filesystem::exists(path, ignored))
      return path.string();
  return {};
}

std::vector<PluginStatus> plugins() {
  std::vector<PluginStatus> out;
  for (const Kind& kind : kKinds) {
    const Opened opened = open_plugin(kind);
    out.push_back(
        {std::string("mpi_") + kind.mpi, opened.path, opened.plugin != nullptr,
         opened.plugin ? opened.plugin->library() + ": transports mpi, mpi_probe, mpi_mprobe, mpi_rma" : opened.why});
  }
  out.push_back(ofi_plugin_status());
  out.push_back(flows_plugin_status());
  return out;
}

}  // namespace atl
