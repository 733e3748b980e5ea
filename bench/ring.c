// SPDX-License-Identifier: Apache-2.0
// Passes blocks around a ring of ranks, as a ring all-gather or a systolic product does: in each step every rank sends its
// block to the next rank and gets the previous one's. A step takes the mean of the ring's links, so it depends on the order
// of ranks. Rank 0 prints the microseconds of a step.
//
//     mpirun -n 4 ./ring 1024 2000     // bytes of a block, steps
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bytes = argc > 1 ? atoi(argv[1]) : 1024, steps = argc > 2 ? atoi(argv[2]) : 2000;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* block = calloc(2, bytes);
  double start = 0;
  for (int step = -10; step < steps; ++step) {
    if (step == 0) {  // before it the connections were made
      MPI_Barrier(MPI_COMM_WORLD);
      start = MPI_Wtime();
    }
    MPI_Sendrecv(block, bytes, MPI_BYTE, (rank + 1) % ranks, 0, block + bytes, bytes, MPI_BYTE,
                 (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.3f\n", (MPI_Wtime() - start) / steps * 1e6);
  free(block);
  MPI_Finalize();
  return 0;
}
