// SPDX-License-Identifier: Apache-2.0
// Why Atoll allocates MPI windows in whole pages: MPICH 4.0.2's MPI_Win_allocate misplaces puts if a rank's size is not
// a multiple of 16. Started by ctest on 3 ranks of MPICH. Fails if whole pages do not work either; reports the odd size
// without failing, since a newer MPICH may have fixed it.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr std::uint64_t kMark = 0x5ca1ab1e0ddba11u;

// Rank 0 puts one word to the beginning of every other rank's window. Returns its displacement on this rank, or `bytes`
// if it is nowhere in the window.
long displacement(std::size_t bytes) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win window;
  std::byte* data = nullptr;
  MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&data), &window);
  std::memset(data, 0, bytes);
  constexpr std::size_t kAt = 16;  // space for a displacement downwards
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, window);
  if (rank == 0)
    for (int r = 1; r < ranks; ++r) MPI_Put(&kMark, 8, MPI_BYTE, r, kAt, 8, MPI_BYTE, window);
  MPI_Win_fence(0, window);
  long found = static_cast<long>(bytes);
  for (std::size_t at = 0; at + 8 <= bytes; ++at)
    if (std::memcmp(data + at, &kMark, 8) == 0) found = static_cast<long>(at) - static_cast<long>(kAt);
  MPI_Win_free(&window);
  return rank == 0 ? 0 : found;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long odd = displacement(1000), page = displacement(4096);  // 1000 = 62 * 16 + 8
  long most_odd = 0, most_page = 0, least_odd = 0, least_page = 0;
  MPI_Allreduce(&odd, &most_odd, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&odd, &least_odd, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&page, &most_page, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&page, &least_page, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("1000 bytes a rank: puts land %ld to %ld bytes off (0: mended)\n", least_odd, most_odd);
    std::printf("4096 bytes a rank: puts land %ld to %ld bytes off\n", least_page, most_page);
  }
  MPI_Finalize();
  return most_page == 0 && least_page == 0 ? 0 : 1;
}
