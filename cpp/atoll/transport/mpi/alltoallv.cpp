// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/timer.hpp>
#include <atoll/transport/mpi/alltoallv.hpp>
#include <atoll/transport/mpi/session.hpp>

namespace atl::mpi {
namespace {

template <int kWords>
struct Record {
  std::uint64_t words[kWords];
};

template <int kWords>
double run(MPI_Comm comm, const AlltoallvInput& input) {
  using R = Record<kWords>;
  int ranks = 0;
  call(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  const auto p_ranks = static_cast<std::size_t>(ranks);
  const std::size_t records = input.to.size();
  const R* all = reinterpret_cast<const R*>(input.words.data());
  const std::size_t chunk = std::max<std::size_t>(1, input.chunk);

  // The exchange is collective: every rank takes part in as many chunks as the longest input has.
  std::uint64_t chunks = (records + chunk - 1) / chunk;
  call(MPI_Allreduce(MPI_IN_PLACE, &chunks, 1, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");

  std::vector<R> bucketed(chunk), received(2 * chunk);
  std::vector<int> sizes(p_ranks), starts(p_ranks), at(p_ranks), their_sizes(p_ranks), their_starts(p_ranks);
  MPI_Datatype type;
  call(MPI_Type_contiguous(kWords, MPI_UINT64_T, &type), "MPI_Type_contiguous");
  call(MPI_Type_commit(&type), "MPI_Type_commit");

  call(MPI_Barrier(comm), "MPI_Barrier");
  const Timer timer;
  for (std::uint64_t c = 0; c < chunks; ++c) {
    const std::size_t begin = std::min(records, c * chunk), end = std::min(records, begin + chunk);
    std::fill(sizes.begin(), sizes.end(), 0);
    for (std::size_t i = begin; i < end; ++i) ++sizes[input.to[i]];
    int sum = 0;
    for (std::size_t p = 0; p < p_ranks; ++p) {
      starts[p] = at[p] = sum;
      sum += sizes[p];
    }
    for (std::size_t i = begin; i < end; ++i) bucketed[at[input.to[i]]++] = all[i];

    call(MPI_Alltoall(sizes.data(), 1, MPI_INT, their_sizes.data(), 1, MPI_INT, comm), "MPI_Alltoall");
    int total = 0;
    for (std::size_t p = 0; p < p_ranks; ++p) {
      their_starts[p] = total;
      total += their_sizes[p];
    }
    if (static_cast<std::size_t>(total) > received.size()) received.resize(static_cast<std::size_t>(total));
    call(MPI_Alltoallv(bucketed.data(), sizes.data(), starts.data(), type, received.data(), their_sizes.data(),
                       their_starts.data(), type, comm),
         "MPI_Alltoallv");
    for (int i = 0; i < total; ++i) {
      const R& r = received[i];
      if constexpr (kWords == 1) {
        ++input.table[r.words[0]];
      } else {
        input.table[r.words[0]] += r.words[1];
      }
    }
  }
  call(MPI_Barrier(comm), "MPI_Barrier");
  const double seconds = timer.seconds();
  call(MPI_Type_free(&type), "MPI_Type_free");
  return seconds;
}

}  // namespace

double alltoallv_seconds(MPI_Comm comm, const AlltoallvInput& input) {
  check(input.words_per_record == 1 || input.words_per_record == 2,
        "records of {} words (1 or 2 are possible). Change the benchmark.", input.words_per_record);
  return input.words_per_record == 1 ? run<1>(comm, input) : run<2>(comm, input);
}

}  // namespace atl::mpi
