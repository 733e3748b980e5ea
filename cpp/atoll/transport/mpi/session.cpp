// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/saved_signal_handlers.hpp>
#include <atoll/transport/mpi/session.hpp>
#include <cstdlib>

// Exists in Open MPI's library only. Returns the previous setting.
extern "C" bool opal_progress_set_yield_when_idle(bool yield) __attribute__((weak));

namespace atl::mpi {
namespace {

// MPI is initialised once per process, so this state is per process too.
struct Process {
  bool begun_here = false;
  int sessions = 0;
  std::vector<MPI_Request> abandoned;
  bool library_yielded = false;  // before keep_the_core()
};
Process& process() {
  static Process p;
  return p;
}

// Both libraries copy a message within a node through shared memory at once ("eager") up to 4 or 8 KiB; above that they
// ask the receiver first and let the kernel copy. For 16 KiB slots eager messages reached 36 GB/s in both directions
// instead of 6, for 64 KiB 46 instead of 11 (2 ranks, Open MPI 4.1.4 and MPICH 4.0.2 over UCX). So slots are made eager
// up to this size.
constexpr std::size_t kEagerLimit = 64 << 10;
constexpr std::size_t kMpiHeader = 512;  // the libraries' own header before our bytes, rounded up

// Sets only variables that the user has not set, before MPI reads them.
void prefer_eager(const MpiOptions& options) {
  const std::size_t bytes = std::min(std::max(options.slot_bytes, options.message_bytes), kEagerLimit) + kMpiHeader;
  const std::string eager = std::to_string(bytes), most = std::to_string(std::max<std::size_t>(bytes, 32 << 10));
  for (const char* btl : {"vader", "sm"}) {  // Open MPI 4, Open MPI 5
    setenv((std::string("OMPI_MCA_btl_") + btl + "_eager_limit").c_str(), eager.c_str(), 0);
    setenv((std::string("OMPI_MCA_btl_") + btl + "_max_send_size").c_str(), most.c_str(), 0);
  }
  setenv("UCX_RNDV_THRESH", eager.c_str(), 0);
}

void begin(const MpiOptions& options, int needed) {
  int ended = 0, running = 0, level = 0;
  call(MPI_Finalized(&ended), "MPI_Finalized");
  if (ended)
    throw TransportError("MPI has been finalized in this process (it cannot start again). Open all worlds before.");
  call(MPI_Initialized(&running), "MPI_Initialized");
  if (!running) {
    prefer_eager(options);
    const SavedSignalHandlers ours;
    call(MPI_Init_thread(nullptr, nullptr, needed, &level), "MPI_Init_thread");
    process().begun_here = true;
    if (level < needed)
      throw TransportError(fmt::format("{} provides {} ({} is needed for {}). Use {}another MPI.", library(),
                                       name_of_level(level), name_of_level(needed),
                                       needed > MPI_THREAD_FUNNELED ? "several threads in a rank" : "a rank",
                                       needed == MPI_THREAD_SERIALIZED ? "--threads 1 or " : ""));
    return;
  }
  call(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level < needed && !(level == MPI_THREAD_SINGLE && needed == MPI_THREAD_FUNNELED))
    throw TransportError(fmt::format(
        "MPI runs with {} ({} is needed for several threads in a rank). Initialise it with that "
        "level (mpi4py: mpi4py.rc.thread_level = '{}' before importing MPI){}.",
        name_of_level(level), name_of_level(needed), needed == MPI_THREAD_MULTIPLE ? "multiple" : "serialized",
        needed == MPI_THREAD_MULTIPLE ? "" : ", or use --threads 1"));
  int main_thread = 0;
  call(MPI_Is_thread_main(&main_thread), "MPI_Is_thread_main");
  if (level < MPI_THREAD_SERIALIZED && !main_thread)
    throw TransportError(
        fmt::format("MPI runs with {} and this is not the thread that initialised it (only that one may "
                    "call it). Call from there, or initialise with MPI_THREAD_SERIALIZED.",
                    name_of_level(level)));
}

// If Open MPI has more ranks than cores, each of its calls that finds nothing to do yields the core. Beside another
// busy program each such call then costs a time slice: PageRank with 4 ranks on 2 cores took 4.7 s beside two endless
// loops, and 0.95 s without yields (kron:16, Open MPI 4.1.4). Our calls return at once, and our waits yield and sleep
// themselves. Only calls that block until other ranks enter (to begin, to end, to open windows) relied on the library's
// yield.
void keep_the_core() {
  Process& p = process();
  if (p.begun_here && opal_progress_set_yield_when_idle && !std::getenv("OMPI_MCA_mpi_yield_when_idle"))
    p.library_yielded = opal_progress_set_yield_when_idle(false) || p.library_yielded;
}

void let_the_library_yield() {
  Process& p = process();
  if (p.library_yielded) opal_progress_set_yield_when_idle(true);
  p.library_yielded = false;
}

}  // namespace

const char* name_of_level(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) return "an MPI of unknown version";
  std::string version(text, static_cast<std::size_t>(length));
  version = version.substr(0, version.find_first_of(",\n"));
  // "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\n..."
  if (version.rfind("Open MPI v", 0) == 0) version.erase(9, 1);
  if (version.rfind("MPICH Version:", 0) == 0)
    version = "MPICH " + version.substr(version.find_first_not_of(" \t", 14));
  return version;
}

MPI_Comm open_session(const MpiOptions& options, int level, const std::optional<Launcher>& launcher) {
  begin(options, level);
  const MPI_Comm from = options.communicator ? *static_cast<const MPI_Comm*>(options.communicator) : MPI_COMM_WORLD;
  int ranks = 0;
  call(MPI_Comm_size(from, &ranks), "MPI_Comm_size");
  if (launcher && launcher->ranks > 1 && ranks == 1)
    throw TransportError(
        fmt::format("{} has started {} processes, but each is alone in MPI_COMM_WORLD ({} is loaded here and does not "
                    "understand that launcher). Start with the launcher of {}, or choose the other MPI by --mpi.",
                    launcher->name, launcher->ranks, library(), library()));
  MPI_Comm comm = MPI_COMM_NULL;
  if (options.order.empty()) {
    call(MPI_Comm_dup(from, &comm), "MPI_Comm_dup");
  } else {
    int rank = 0;
    call(MPI_Comm_rank(from, &rank), "MPI_Comm_rank");
    const auto place = std::ranges::find(options.order, rank);
    if (options.order.size() != static_cast<std::size_t>(ranks) || place == options.order.end())
      throw UsageError(fmt::format("an order of {} ranks (the job has {}, and each is named once). Correct --map.",
                                   options.order.size(), ranks));
    call(MPI_Comm_split(from, 0, static_cast<int>(place - options.order.begin()), &comm), "MPI_Comm_split");
  }
  call(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  ++process().sessions;
  return comm;
}

void close_session(MPI_Comm comm, bool finalize) {
  let_the_library_yield();
  call(MPI_Comm_free(&comm), "MPI_Comm_free");
  --process().sessions;
  if (finalize) finish_session();
}

void abandon_session(std::vector<MPI_Request> receives) {
  let_the_library_yield();
  Process& p = process();
  --p.sessions;
  p.abandoned.insert(p.abandoned.end(), receives.begin(), receives.end());
}

void finish_session() {
  Process& p = process();
  if (!p.begun_here || p.sessions > 0) return;
  int ended = 0;
  call(MPI_Finalized(&ended), "MPI_Finalized");
  if (!ended) {
    for (MPI_Request& r : p.abandoned) {
      MPI_Cancel(&r);
      finish(r, "MPI_Test");
    }
    p.abandoned.clear();
    call(MPI_Finalize(), "MPI_Finalize");
  }
  p.begun_here = false;
}

}  // namespace atl::mpi

namespace {

std::unique_ptr<atl::MpiFabric> join(const atl::MpiOptions& options, const std::optional<atl::Launcher>& launcher) {
  if (options.layer == "probe") return atl::mpi::make_probe(options, launcher);
  if (options.layer == "rma") return atl::mpi::make_rma(options, launcher);
  atl::check(options.layer == "two_sided", "layer '{}' is unknown (there are two_sided, probe, rma). Choose one.",
             options.layer);
  auto fabric = atl::mpi::make_two_sided(options, launcher);
  atl::mpi::keep_the_core();
  return fabric;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const atl::MpiPlugin* atoll_mpi_plugin() {
  static const atl::MpiPlugin plugin{atl::kPluginAbi, atl::mpi::library, join, atl::mpi::finish_session};
  return &plugin;
}
