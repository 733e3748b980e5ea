# SPDX-License-Identifier: Apache-2.0
"""The MPI program of the tests of atoll.smpi, and its runs by the command."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from atoll import smpi

ATOLL = Path(__file__).parents[3] / "bin/atoll"
simgrid = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid's smpirun is not installed")

PROGRAM = r"""
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0, to = argc > 3 ? atoi(argv[3]) : 0;
  char* out = calloc(ranks, number + 1);
  char* in = calloc(ranks, number + 1);
  if (!strcmp(what, "send")) {
    if (rank == 0) MPI_Send(out, number, MPI_CHAR, to, 0, MPI_COMM_WORLD);
    if (rank == to) MPI_Recv(in, number, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (!strcmp(what, "alltoall"))
    for (int i = 0; i < 4; ++i) MPI_Alltoall(out, number, MPI_CHAR, in, number, MPI_CHAR, MPI_COMM_WORLD);
  if (!strcmp(what, "alltoallv")) {
    int counts[256], places[256];
    for (int r = 0; r < ranks; ++r) {
      counts[r] = number;
      places[r] = r * number;
    }
    MPI_Alltoallv(out, counts, places, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  }
  if (!strcmp(what, "bcast")) MPI_Bcast(out, number, MPI_CHAR, 0, MPI_COMM_WORLD);
  const int far = (rank + ranks / 2) % ranks;
  if (!strcmp(what, "far"))
    MPI_Sendrecv(out, number, MPI_CHAR, far, 0, in, number, MPI_CHAR, far, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!strcmp(what, "flops")) smpi_execute_flops(number);
  if (!strcmp(what, "loop"))
    for (volatile int i = 0; i < number; ++i) continue;
  if (!strcmp(what, "lie")) {
    if (rank == 0) MPI_Send(out, 1000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(in, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fprintf(stderr, "[0.000000] [smpi_utils/INFO] Simulated time: 99 seconds.\n");
    if (rank == 0) printf("variable %s\n", getenv("FLAVOUR") ? getenv("FLAVOUR") : "none");
  }
  if (!strcmp(what, "crash")) {
    fprintf(stderr, "about to crash\n");
    *(volatile int*)0 = 1;
  }
  if (!strcmp(what, "exit") && rank == 1) {
    fprintf(stderr, "no such input\n");
    exit(number);
  }
  if (!strcmp(what, "abort") && rank == 1) {
    fprintf(stderr, "gave up\n");
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  if (!strcmp(what, "deadlock")) MPI_Recv(in, 1, MPI_CHAR, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!strcmp(what, "hang")) {
    if (rank == 0 && fork() == 0) {
      setsid();
      execlp("sleep", "sleep", argv[2], NULL);
    }
    for (volatile int i = 0;; ++i) continue;
  }
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(scope="module", name="program")
def program_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("program")
    (folder / "talk.c").write_text(PROGRAM)
    made = smpi.program_of(folder / "talk.c", folder)
    assert made.name == "talk.smpi"
    return made


def run(*words, verb="simulate", **more):
    return subprocess.run([ATOLL, verb, *map(str, words)], capture_output=True, text=True, timeout=300, **more)


def simulated(app, platform, *arguments, options=()):
    done = run("--app", app, "--platform", platform, *options, "--json", "-", "--", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]


PAPER = ("--preset", "hamorder-paper")


def space_file(folder, parameters, **more):
    file = folder / "space.json"
    file.write_text(json.dumps({"parameters": parameters, **more}))
    return file
