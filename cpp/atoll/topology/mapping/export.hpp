// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/numbering/place_graph.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Mappings as the files that launchers read.
///
///     write_file("ranks.txt", exported("openmpi-rankfile", places, mapping, names));
///     // mpirun --rankfile ranks.txt ./app
///
namespace atl {

/// The formats:
///
///     openmpi-rankfile  rank 0=node17 slot=0      mpirun --rankfile FILE (Open MPI)
///     mpich-hosts       node17:1                  mpiexec -f FILE (Hydra); node17:2 for two consecutive ranks
///     slurm-hostfile    node17, a line a rank     SLURM_HOSTFILE=FILE srun --distribution=arbitrary
///     cray-rank-order   3,0,1,2                   MPICH_RANK_ORDER in the job's folder, MPICH_RANK_REORDER_METHOD=3
///     simgrid           node17, a line a rank     smpirun -hostfile FILE
///     places            3, a line a rank          atoll run --map FILE: rank 0 is the process launched as number 3
///
/// A Cray launcher fills hosts in its own order, as many ranks each as the mapping has places a host: the file says
/// which rank sits where. It so needs a mapping that leaves no place free before the last, and so do places.
/// `host_names` are those of all hosts of the network, in order, for a format that names them. Throws InputError for
/// another format, and where one of these rules does not hold.
std::string exported(std::string_view format, const PlaceGraph& places, std::span<const int> mapping,
                     std::span<const std::string> host_names);
std::vector<std::string> export_formats();
/// Whether the format has names of hosts, which then are to be given.
bool names_hosts(std::string_view format);

/// A file with a host name on each line, as launchers have it: `n1`, `n1:2` (MPICH), `n1 slots=2 max_slots=4` (Open
/// MPI), or a line for each slot. Blank lines and '#' comments are left out. Throws InputError unless there are `hosts`
/// different names, and each that says its slots has `per_host`.
std::vector<std::string> read_host_names(const std::string& path, int hosts, int per_host = 1);

}  // namespace atl
