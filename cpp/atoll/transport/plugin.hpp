// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/plugin_file.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <atoll/transport/fabric.hpp>
#include <optional>
#include <vector>

/// Transports that need a library which a machine may lack are plug-ins (base/plugin_file.hpp). This header: MPI, one
/// plug-in for each MPI library.
///
///     auto fabric = join_mpi({.slot_bytes = 16384});              // collective over MPI_COMM_WORLD
///     for (const PluginStatus& p : plugins()) print(p.name, p.detail);
namespace atl {

/// Input of the raw MPI_Alltoallv loop, the baseline of aggregation. A record's first word is the index it is applied
/// to: table[index] += 1, or += the second word if records have two.
struct AlltoallvInput {
  std::span<const Rank> to;              ///< of each record; may be this rank
  std::span<const std::uint64_t> words;  ///< words_per_record (1 or 2) for each record
  int words_per_record = 1;
  std::size_t chunk = 65536;       ///< records that each rank gives to one MPI_Alltoallv
  std::span<std::uint64_t> table;  ///< of this rank
};

/// How a bare MPI program may receive messages of unknown size. These loops are the baselines of our own messages (LCI,
/// Fig. 1).
enum class RawMode {
  no_probe,  ///< receives of the largest size, posted before the messages arrive
  iprobe,    ///< MPI_Iprobe, MPI_Get_count, MPI_Recv
  improbe,   ///< MPI_Improbe, MPI_Get_count, MPI_Mrecv
};

/// Bulk-synchronous exchange through RMA windows (LCI, III.C). For each pattern each rank has one window, in which
/// every other rank keeps a buffer for the most that this rank may ever send it ("all nodes are active"). `atoll bench
/// memory` measures the memory that this takes.
///
///     auto rounds = fabric->rma_exchange(bound_from);            // bytes, by rank
///     auto from = rounds->exchange(kReduce, to);                 // each round; from[r] is valid until the next one
///
/// Every call is collective over all ranks, with the same pattern. A pattern's windows are made at its first use.
class RmaExchange {
 public:
  virtual ~RmaExchange();
  /// Sends to[r] to rank r (this rank's own entry is ignored), at most the bound that r has given.
  virtual std::span<const std::span<const std::byte>> exchange(int pattern,
                                                               std::span<const std::span<const std::byte>> to) = 0;
  virtual std::size_t window_bytes() const = 0;  ///< held by this rank, over all patterns
  virtual double window_seconds() const = 0;     ///< spent making windows
  virtual void close() = 0;
};

/// A fabric over MPI, with the baselines that bench measures.
class MpiFabric : public Fabric {
 public:
  ~MpiFabric() override;
  virtual std::string library() const = 0;  ///< "Open MPI 4.1.4"
  /// Seconds that this rank has spent making windows (mpi_rma); 0 where there are none.
  virtual double window_seconds() const { return 0; }
  /// Gathers one text (at most 255 bytes) of each rank. Collective.
  virtual std::vector<std::string> gather_texts(const std::string& mine) = 0;
  /// Buckets the records, exchanges counts and records by MPI itself, and applies them. Returns the seconds between two
  /// barriers. Collective.
  virtual double alltoallv(const AlltoallvInput& input) = 0;
  /// The one-way latency between ranks 0 and 1 in seconds: half a round trip of bare MPI. With several threads, each
  /// has a partner there and a tag of its own, and MPI must run with MPI_THREAD_MULTIPLE (MpiOptions::multiple), else
  /// TransportError. Collective.
  virtual double raw_latency(RawMode mode, std::size_t bytes, long iterations, int threads = 1) = 0;
  /// Messages per second from rank 0 to 1, with at most two windows per thread in flight. Collective.
  virtual double raw_rate(RawMode mode, std::size_t bytes, long messages, int window, int threads = 1) = 0;
  /// bound_from[r]: the most bytes that r ever sends here in one exchange. Collective.
  virtual std::unique_ptr<RmaExchange> rma_exchange(std::span<const std::size_t> bound_from) = 0;
};

struct MpiOptions {
  std::string mpi = "auto";  ///< openmpi, mpich, or auto: the launcher's, else Open MPI, else MPICH
  std::size_t slot_bytes = 16384;
  int slots_per_peer = 8;                           ///< in flight per ordered pair of ranks
  std::size_t budget_bytes = std::size_t{1} << 30;  ///< for slots; two per peer are always granted
  std::string layer = "two_sided";                  ///< two_sided, probe or rma: transports mpi, mpi_probe, mpi_rma
  std::size_t message_bytes = 8192;                 ///< longest message; several times the size of a record or a vote
  bool threads = true;    ///< more than one thread of a rank calls the fabric (MPI_THREAD_SERIALIZED)
  bool multiple = false;  ///< MPI_THREAD_MULTIPLE, for raw loops with several threads
  /// Layer probe only. Items below eager_bytes to one peer travel together, until they add up to that or the oldest has
  /// waited eager_timeout_s. 8 KiB: what both libraries copy at once by default (4 KiB over shared memory, 8 KiB over
  /// most networks, without their headers). 20 us: some ten times the cost of a single small message on one node.
  std::size_t eager_bytes = 8192;
  double eager_timeout_s = 20e-6;
  /// Layer probe only: receive by MPI_Improbe and MPI_Imrecv, so that every thread that polls may receive
  /// (MPI_THREAD_MULTIPLE); else by MPI_Iprobe and MPI_Irecv on the communication thread.
  bool mprobe = false;
  /// Address of an MPI_Comm of a program that runs MPI (mpi4py: MPI._addressof(comm)), which is duplicated; null:
  /// COMM_WORLD.
  const void* communicator = nullptr;
  /// Rank r is the process of rank order[r] in the communicator; empty: each keeps its rank there.
  std::vector<Rank> order = {};
  /// With communicator: MPI.Get_library_version(), which picks the plug-in.
  std::string library_version = {};
  /// Whether close() also finalizes MPI if Atoll has initialised it. A program that opens several worlds says false and
  /// calls finish_mpi() at the end.
  bool finalize = true;
};

/// Joins the job by MPI, and initialises MPI unless it runs already. Collective. Throws TransportError if there is no
/// plug-in or it does not load, if MPI runs with too low a thread level, or if the launcher belongs to another MPI.
std::unique_ptr<MpiFabric> join_mpi(const MpiOptions& options);
/// A Bootstrap of the ranks of `fabric`, which must outlive it. Collective.
std::unique_ptr<Bootstrap> bootstrap_by_mpi(MpiFabric& fabric);
/// Finalizes each MPI that Atoll has initialised and whose fabrics are closed. Collective. Otherwise returns at once.
void finish_mpi();

/// The program that launched this process as one of several, known by the environment variables it sets.
struct Launcher {
  std::string name;  ///< "mpirun of Open MPI"
  std::string mpi;   ///< openmpi, mpich, or empty if both are possible
  Rank ranks = 1;
  Rank rank = 0;  ///< of this process
};
std::optional<Launcher> launcher();

std::vector<PluginStatus> plugins();
/// The path of the plug-in for that MPI, without opening it; empty: not found.
std::string plugin_path(const std::string& mpi);

// The exports of a plug-in; `abi` is checked before anything else is used.

struct MpiPlugin {
  std::uint32_t abi;
  std::string (*library)();  ///< may be called before MPI is initialised
  std::unique_ptr<MpiFabric> (*join)(const MpiOptions& options, const std::optional<Launcher>& launcher);
  void (*finish)();
};
inline constexpr const char* kMpiPluginEntry = "atoll_mpi_plugin";

}  // namespace atl
