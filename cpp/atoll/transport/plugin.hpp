// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/bootstrap.hpp>
#include <atoll/transport/fabric.hpp>
#include <optional>
#include <vector>

/// Transports that need a library which a machine may lack are plug-ins: they lie beside libatoll (or in the
/// folders of ATOLL_PLUGINS), are opened when first asked for, and never closed. Here: MPI, built once for
/// each kind of MPI.
///
///     auto fabric = join_mpi({.slot_bytes = 16384});              // collective over MPI_COMM_WORLD
///     for (const PluginStatus& p : plugins()) print(p.name, p.detail);
///
namespace atl {

/// Input of the raw MPI_Alltoallv loop that aggregation is measured against. A record's first word is the
/// index that it is applied to: table[index] += 1, or += the second word where records have two.
struct AlltoallvInput {
  std::span<const Rank> to;              ///< of each record; this rank is allowed
  std::span<const std::uint64_t> words;  ///< words_per_record (1 or 2) for each record
  int words_per_record = 1;
  std::size_t chunk = 65536;       ///< records that each rank gives to one MPI_Alltoallv
  std::span<std::uint64_t> table;  ///< of this rank
};

/// A fabric over MPI; what bench asks for beyond Fabric.
class MpiFabric : public Fabric {
 public:
  ~MpiFabric() override;
  virtual std::string library() const = 0;  ///< "Open MPI 4.1.4"
  /// One text (at most 255 bytes) of each rank. Collective.
  virtual std::vector<std::string> gather_texts(const std::string& mine) = 0;
  /// Buckets, exchanges the counts and the records by MPI itself, applies; seconds between two barriers.
  /// Collective.
  virtual double alltoallv(const AlltoallvInput& input) = 0;
};

struct MpiOptions {
  std::string mpi = "auto";  ///< openmpi, mpich, or auto: the launcher's, else Open MPI, else MPICH
  std::size_t slot_bytes = 16384;
  int slots_per_peer = 8;                           ///< in flight per ordered pair of ranks
  std::size_t budget_bytes = std::size_t{1} << 30;  ///< of slots; two a peer are always granted
  bool threads = true;  ///< more than one thread of a rank calls the fabric (MPI_THREAD_SERIALIZED)
  /// Address of an MPI_Comm of a program that runs MPI (mpi4py: MPI._addressof(comm)), duplicated; null:
  /// COMM_WORLD.
  const void* communicator = nullptr;
  /// With communicator: MPI.Get_library_version(), which picks the plug-in.
  std::string library_version = {};
  /// close() also ends MPI if it was begun here. A program that opens several worlds says false, and ends MPI
  /// by finish_mpi().
  bool finalize = true;
};

/// Joins the job by MPI, which is initialised unless it runs already. Collective. Throws TransportError: no
/// plug-in, or one that does not load; MPI runs with too low a thread level; the launcher belongs to another
/// MPI.
std::unique_ptr<MpiFabric> join_mpi(const MpiOptions& options);
/// The ranks of `fabric`, which must outlive it. Collective.
std::unique_ptr<Bootstrap> bootstrap_by_mpi(MpiFabric& fabric);
/// Ends each MPI that was begun here and whose fabrics are closed. Collective. Nothing to do: returns at
/// once.
void finish_mpi();

/// The program that started this process as one of several, by the environment variables it leaves.
struct Launcher {
  std::string name;  ///< "mpirun of Open MPI"
  std::string mpi;   ///< openmpi, mpich, or empty where both are possible
  Rank ranks = 1;
  Rank rank = 0;  ///< of this process
};
std::optional<Launcher> launcher();

struct PluginStatus {
  std::string name;  ///< "mpi_openmpi"
  std::string path;  ///< where it was found; empty: nowhere
  bool loads = false;
  std::string detail;  ///< the MPI's version, or why it does not load and what to do
};
std::vector<PluginStatus> plugins();
/// Where the plug-in for that MPI lies, without opening it; empty: nowhere.
std::string plugin_path(const std::string& mpi);

// What a plug-in exports; checked before anything else of it is used.

/// Changes whenever this header or fabric.hpp does.
inline constexpr std::uint32_t kPluginAbi = 1;

struct MpiPlugin {
  std::uint32_t abi;
  std::string (*library)();  ///< may be called before MPI is initialised
  std::unique_ptr<MpiFabric> (*join)(const MpiOptions& options, const std::optional<Launcher>& launcher);
  void (*finish)();
};
inline constexpr const char* kMpiPluginEntry = "atoll_mpi_plugin";

}  // namespace atl
