// SPDX-License-Identifier: Apache-2.0
// The communication of well-known parallel programs, with computation that takes the time of its floating-point
// operations: of the NAS Parallel Benchmarks 3.4 in class A [1], of a matrix product and of the Graph500 loop. Written
// for the simulation of mappings and collective algorithms by SimGrid's SMPI; under another MPI only the messages
// remain. It has their messages (who, to whom, how long, in which order) and counts of operations, but no numbers.
//
//   kernels NAME [ITERATIONS]      ft is cg mg lu bt sp mm graph500
//
// Rank 0 prints the seconds of the iterations. Where iterations are alike and class A has many, the default is fewer;
// ITERATIONS = class A's gives all. Per iteration, of P ranks together (n points a side, N points, q = sqrt(P)):
//
//   name      class A          default  operations                               bytes between ranks
//   ft        256 x 256 x 128        6  N (5.23518 + 7.21113 ln N) (a)           MPI_Alltoall, 16 N / P^2 a pair
//   is        N = 2^23 keys         10  10 N (b)                                 MPI_Alltoallv, 4 N / P^2 a pair (c)
//   cg        n = 14000        1 of 15  2 n (3 + 132 + 25 (5 + 132) + 3)         26 (l + 1) P 8 n / columns (d)
//   mg        256^3                  4  58 N                                     faces of n + 2 points (e)
//   lu        64^3            2 of 250  1984.77 n^3 - 10923.3 n^2 + ..           edges of planes and ghosts (f)
//   bt        64^3            5 of 200  3478.8 n^3 - 17655.7 n^2 + ..            P 8 n^2 / P (q - 1) (60 + 3 (30 + 5))
//   sp        64^3            5 of 400  881.174 n^3 - 4683.91 n^2 + ..           P 8 n^2 / P (q - 1) (60 + 3 (22 + 10))
//   mm        1000 x 1000            1  2 n^3                                    MPI_Bcast along rows and columns
//   graph500  scale 16         4 of 64  20 a looked-at edge (b)                  MPI_Alltoallv, 16 a looked-at edge (g)
//
// (a) and before the first N (14.8157 + 7.19641 ln N), with another transpose. (b) ours: they do not compute in
// floating point. (c) a rank's buckets hold N / P keys exactly; NPB's differ a little. (d) l = log2(columns) exchanges
// in a row and one across the diagonal, except where a rank is its own partner; besides 2 * 25 + 2 sums of 8 bytes and
// one of 16 along each row. (e) NPB's exchanges after each sweep of a V-cycle, but all of the same number of operations
// a point; a grid of fewer points than ranks is on every second, fourth .. rank in that dimension, and what NPB copies
// from them to the others is left out. (f) 2 sweeps of 62 planes with 40 bytes a point of an edge, ghosts of 80 bytes a
// point of a side. (g) shares of the edges by level: means of 16 searches; the validation looks at all edges.
// ft is cg mg need a power of two of ranks, bt sp a square, the others any number; where sides do not divide, bytes are
// rounded down. Not here: initialisation, verification, overlap of bt's and sp's messages with computation.
//
// [1] D. Bailey et al. "The NAS Parallel Benchmarks." RNR-94-007, 1994; operation counts as NPB 3.4 reports them.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef SMPI_H  // defined by SMPI's mpi.h
#define COMPUTE(flops) smpi_execute_flops(flops)
#define ALLOCATE(bytes) SMPI_SHARED_MALLOC(bytes)  // once for all ranks, and never copied
#define RELEASE(memory) SMPI_SHARED_FREE(memory)
#else
#define COMPUTE(flops) ((void)(flops))
#define ALLOCATE(bytes) calloc(1, bytes)
#define RELEASE(memory) free(memory)
#endif

static int rank, ranks;
static char* sent;  // contents do not matter: all messages come from and go to the same memory
static char* received;

static void send_to(int to, int bytes) {
  if (to != MPI_PROC_NULL) MPI_Send(sent, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static void receive_from(int from, int bytes) {
  if (from != MPI_PROC_NULL) MPI_Recv(received, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Calls with MPI_PROC_NULL would be in SMPI's traces, which it then cannot replay.
static void exchange(int to, int from, size_t size) {
  const int bytes = (int)size;
  if (from == MPI_PROC_NULL)
    send_to(to, bytes);
  else if (to == MPI_PROC_NULL)
    receive_from(from, bytes);
  else
    MPI_Sendrecv(sent, bytes, MPI_BYTE, to, 0, received, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void swap_with(int peer, size_t bytes) {
  if (peer != rank) exchange(peer, peer, bytes);
}

static _Noreturn void fail(const char* what, const char* why) {
  if (rank == 0) fprintf(stderr, "kernels: %s (%s).\n", what, why);
  MPI_Finalize();
  exit(2);
}

static void need_power_of_two(const char* name) {
  if (ranks & (ranks - 1)) fail(name, "it needs a power of two of ranks, as NPB's does");
}

// The largest factor of `n` that is at most its root.
static int side_of(int n) {
  int side = (int)sqrt((double)n);
  while (n % side) --side;
  return side;
}

// A transpose of the complex numbers, which lie in slabs, in each three-dimensional transform; then a checksum.
static void ft(int iterations) {
  need_power_of_two("ft");
  const double points = 256.0 * 256 * 128;
  const int bytes = (int)(16 * points / ranks / ranks);
  for (int i = 0; i <= iterations; ++i) {
    COMPUTE(points / ranks * (i == 0 ? 14.8157 + 7.19641 * log(points) : 5.23518 + 7.21113 * log(points)));
    MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
    if (i > 0) MPI_Reduce(sent, received, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
}

// Bucket sort in 1,024 buckets: their sizes and 5 sampled keys are summed, then keys go to the rank of their bucket.
static void is(int iterations) {
  need_power_of_two("is");
  const double keys = 8388608;
  int* counts = malloc(2 * (size_t)ranks * sizeof(int));
  int* displacements = counts + ranks;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = (int)(4 * keys / ranks / ranks);
    displacements[r] = r * counts[r];
  }
  for (int i = 0; i < iterations; ++i) {
    COMPUTE(6 * keys / ranks);
    MPI_Allreduce(sent, received, 1024 + 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(sent, counts, displacements, MPI_BYTE, received, counts, displacements, MPI_BYTE, MPI_COMM_WORLD);
    COMPUTE(4 * keys / ranks);
  }
  free(counts);
}

// Conjugate gradients. Ranks are a grid, at most twice as wide as high: rows of `columns` ranks. A product is summed
// along rows by exchanges with ranks 1, 2, 4 .. beside, and goes to the rank across the diagonal.
static void cg(int iterations) {
  need_power_of_two("cg");
  const double n = 14000, row_entries = 11 * 12;
  const int rows = side_of(ranks), columns = ranks / rows, row = rank / columns, column = rank % columns;
  const size_t vector = (size_t)(8 * n / columns);
  // If the grid is twice as wide as high, pairs of columns are the units that are transposed.
  const int across = rows == columns ? column * rows + row : 2 * (column / 2 * rows + row) + column % 2;
  for (int i = 0; i < iterations; ++i) {
    for (int product = 0; product <= 25; ++product) {
      COMPUTE(2 * n / ranks * (row_entries + (product == 0 ? 3 + 3 : 5)));
      for (int bit = 1; bit < columns; bit <<= 1) swap_with(row * columns + (column ^ bit), vector);
      swap_with(across, vector);
      for (int dot = 0; dot < 2; ++dot)  // after the last product the norm of the residual; before the first one rho
        for (int bit = columns / 2; bit > 0; bit >>= 1) swap_with(row * columns + (column ^ bit), 8);
    }
    for (int bit = columns / 2; bit > 0; bit >>= 1) swap_with(row * columns + (column ^ bit), 16);
  }
}

// A block of a grid of 2^3k points, of which each rank of a box has one: its faces go to the neighbours, periodically.
struct Box {
  int sides[3], at[3], stride[3];
};

static void exchange_faces(const struct Box* box, int n) {
  int step[3], points[3];
  for (int d = 0; d < 3; ++d) {
    step[d] = n < box->sides[d] ? box->sides[d] / n : 1;
    points[d] = n < box->sides[d] ? 1 : n / box->sides[d];
    if (box->at[d] % step[d]) return;  // this rank has no point of so coarse a grid
  }
  const size_t faces[3] = {(size_t)points[1] * (size_t)points[2], (size_t)(points[0] + 2) * (size_t)points[2],
                           (size_t)(points[0] + 2) * (size_t)(points[1] + 2)};
  for (int d = 0; d < 3; ++d) {
    const int side = box->sides[d], at = box->at[d];
    const int up = rank + ((at + step[d]) % side - at) * box->stride[d];
    const int down = rank + ((at + side - step[d]) % side - at) * box->stride[d];
    if (up == rank) continue;
    exchange(up, down, 8 * faces[d]);
    exchange(down, up, 8 * faces[d]);
  }
}

// V-cycles. Sweeps: the residual goes to the coarser grid down to 2^3, is smoothed there, and on each finer grid the
// correction has its residual taken and is smoothed; on the finest one the cycle ends with the residual.
static void mg(int iterations) {
  need_power_of_two("mg");
  int bits = 0;
  while (1 << bits < ranks) ++bits;
  struct Box box = {{1 << bits / 3, 1 << (bits - bits / 3) / 2, 1}, {0, 0, 0}, {1, 0, 0}};
  box.sides[2] = ranks / box.sides[0] / box.sides[1];
  box.stride[1] = box.sides[0];
  box.stride[2] = box.sides[0] * box.sides[1];
  for (int d = 0; d < 3; ++d) box.at[d] = rank / box.stride[d] % box.sides[d];
  // Three sweeps on each grid, but two on the coarsest.
  double swept = 2 * 8;
  for (int n = 4; n <= 256; n *= 2) swept += 3.0 * n * n * n;
  const double flops = 58.0 * 256 * 256 * 256 / swept / ranks;  // of a point in a sweep
  for (int norm = 0; norm < 2; ++norm) MPI_Allreduce(sent, received, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < iterations; ++i) {
    for (int n = 128; n >= 2; n /= 2) {
      COMPUTE(flops * n * n * n);
      exchange_faces(&box, n);
    }
    for (int n = 2; n <= 256; n *= 2)
      for (int sweep = 0; sweep < (n == 2 ? 1 : n < 256 ? 2 : 3); ++sweep) {
        COMPUTE(flops * n * n * n);
        exchange_faces(&box, n);
      }
  }
  for (int norm = 0; norm < 2; ++norm) MPI_Allreduce(sent, received, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// Wavefronts over 62 planes, from the first rank of a grid of ranks to the last one and back: after each plane its
// edges go on. Then ghosts, two layers of each block. Ranks are numbered along the first dimension, as in NPB.
static void lu(int iterations) {
  const double n = 64, flops = 1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010;
  const int side = side_of(ranks), other = ranks / side;
  const int first = rank % side, second = rank / side;
  const int north = first > 0 ? rank - 1 : MPI_PROC_NULL, south = first + 1 < side ? rank + 1 : MPI_PROC_NULL;
  const int west = second > 0 ? rank - side : MPI_PROC_NULL;
  const int east = second + 1 < other ? rank + side : MPI_PROC_NULL;
  const int north_south = 5 * 8 * (int)(n / other), west_east = 5 * 8 * (int)(n / side);  // bytes of an edge
  for (int i = 0; i < iterations; ++i) {
    for (int back = 0; back < 2; ++back)
      for (int plane = 0; plane < 62; ++plane) {
        receive_from(back ? south : north, north_south);
        receive_from(back ? east : west, west_east);
        COMPUTE(0.7 * flops / ranks / 2 / 62);  // solving takes some 70 % of a time step, the right-hand side the rest
        send_to(back ? north : south, north_south);
        send_to(back ? west : east, west_east);
      }
    exchange(south, north, (size_t)(2 * 64 * north_south));
    exchange(north, south, (size_t)(2 * 64 * north_south));
    exchange(east, west, (size_t)(2 * 64 * west_east));
    exchange(west, east, (size_t)(2 * 64 * west_east));
    COMPUTE(0.3 * flops / ranks);
  }
  MPI_Allreduce(sent, received, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// Diagonal multipartitions of 64^3 points for q x q ranks: each has q cells, no two of them in one layer of any
// dimension, so that a solve along a dimension goes through all ranks at once, q - 1 times to the same neighbour, and
// back. `forward` and `back`: numbers that go on for each point of a cell's face.
static void multipartition(const char* name, int iterations, double flops, int forward, int back) {
  const int q = side_of(ranks);
  if (q * q != ranks) fail(name, "it needs a square number of ranks, as NPB's does");
  const int first = rank % q, second = rank / q;
  const int next[3] = {second * q + (first + 1) % q, (second + 1) % q * q + first,
                       (second + 1) % q * q + (first + q - 1) % q};
  const int previous[3] = {second * q + (first + q - 1) % q, (second + q - 1) % q * q + first,
                           (second + q - 1) % q * q + (first + 1) % q};
  const double face = 64.0 / q * 64.0 / q;
  for (int i = 0; i < iterations; ++i) {
    for (int d = 0; d < 3 && q > 1; ++d) {  // two layers of five numbers of each cell but those at the border
      const size_t ghosts = (size_t)(2 * 5 * 8 * face * (q - 1));
      exchange(next[d], previous[d], ghosts);
      exchange(previous[d], next[d], ghosts);
    }
    COMPUTE(0.2 * flops / ranks);  // the right-hand side; solving is the rest
    for (int d = 0; d < 3; ++d)
      for (int way = 0; way < 2; ++way)
        for (int cell = 0; cell < q; ++cell) {
          COMPUTE(0.8 * flops / ranks / 3 / 2 / q);
          if (cell + 1 == q) continue;
          const int to = way ? previous[d] : next[d], from = way ? next[d] : previous[d];
          exchange(to, from, (size_t)(8 * face * (way ? back : forward)));
        }
  }
}

static void bt(int iterations) {
  const double n = 64;
  multipartition("bt", iterations, 3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n, 30, 5);
}

static void sp(int iterations) {
  const double n = 64;
  multipartition("sp", iterations, 881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4, 22, 10);
}

// C = A B by SUMMA on a grid of ranks: panels of A go along rows, those of B along columns.
static void mm(int iterations) {
  const int columns = side_of(ranks), rows = ranks / columns;
  MPI_Comm along_row, along_column;
  MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &along_row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &along_column);
  const double n = 1000;
  for (int i = 0; i < iterations; ++i)
    for (int k = 0; k < rows; ++k) {  // panels of n / rows columns of A and rows of B
      MPI_Bcast(sent, (int)(8 * n / rows * n / rows), MPI_BYTE, k * columns / rows, along_row);
      MPI_Bcast(sent, (int)(8 * n / columns * n / rows), MPI_BYTE, k, along_column);
      COMPUTE(2 * n * n * n / rows / ranks);
    }
  MPI_Comm_free(&along_row);
  MPI_Comm_free(&along_column);
}

// Breadth-first searches of a Kronecker graph and their validation: by level, the part of the edges that is looked at,
// each as two numbers to the owner of its end.
static void graph500(int iterations) {
  const double edges = 2 * 16 * 65536.0;  // each in both directions
  // The last two validate: the tree's edges, then the graph's.
  const double parts[] = {4e-5, 0.0418, 0.5584, 0.3891, 0.0106, 3e-5, 1.0 / 32, 1};
  int* counts = malloc(2 * (size_t)ranks * sizeof(int));
  int* displacements = counts + ranks;
  for (int i = 0; i < iterations; ++i)
    for (size_t level = 0; level < sizeof parts / sizeof *parts; ++level) {
      for (int r = 0; r < ranks; ++r) {
        counts[r] = 16 * (int)ceil(parts[level] * edges / ranks / ranks);
        displacements[r] = r * counts[r];
      }
      COMPUTE(20 * parts[level] * edges / ranks);
      MPI_Alltoallv(sent, counts, displacements, MPI_BYTE, received, counts, displacements, MPI_BYTE, MPI_COMM_WORLD);
      MPI_Allreduce(sent, received, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    }
  free(counts);
}

static const struct Kernel {
  const char* name;
  void (*run)(int);
  int iterations;
} kernels[] = {{"ft", ft, 6}, {"is", is, 10}, {"cg", cg, 1},
               {"mg", mg, 4}, {"lu", lu, 2},  {"bt", bt, 5},
               {"sp", sp, 5}, {"mm", mm, 1},  {"graph500", graph500, 4}};

static const struct Kernel* kernel_of(const char* name) {
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i)
    if (strcmp(name, kernels[i].name) == 0) return &kernels[i];
  fail(name, "there is ft is cg mg lu bt sp mm graph500; then ITERATIONS may follow");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct Kernel* kernel = kernel_of(argc > 1 ? argv[1] : "no NAME");
  char* rest = NULL;
  const long iterations = argc > 2 ? strtol(argv[2], &rest, 10) : kernel->iterations;
  if (argc > 3 || (rest && (*rest || iterations < 1 || iterations > 1000000)))
    fail(argv[argc - 1], "ITERATIONS is one number from 1 to 1000000");
  const size_t bytes = ((size_t)1 << 27) / (size_t)ranks + (1 << 20);  // what ft needs, and what does not get less
  sent = ALLOCATE(bytes);
  received = ALLOCATE(bytes);
  if (!sent || !received) fail("no memory", "two times 1 MiB are needed, and two times 128 MiB shared by the ranks");
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  kernel->run((int)iterations);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("seconds: %.9g\n", MPI_Wtime() - begin);
  RELEASE(sent);
  RELEASE(received);
  return MPI_Finalize();
}
