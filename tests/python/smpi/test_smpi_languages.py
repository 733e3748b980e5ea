# SPDX-License-Identifier: Apache-2.0
"""Programs of Fortran, flags for compilers, and the reason that a program itself gives for its end."""

import json
import shutil

import pytest
from smpi_program import run, simgrid

pytestmark = pytest.mark.nightly

fortran = pytest.mark.skipif(shutil.which("smpiff") is None, reason="SimGrid's smpiff is not installed")

FREE = """program {name}
  use mpi
  implicit none
  integer :: rank, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  {body}
  call MPI_Finalize(ierr)
end program {name}
"""
FIXED = """      program fixed
      include 'mpif.h'
      integer rank, ierr
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      {body}
      call MPI_FINALIZE(ierr)
      end
"""
C = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {{
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {body}
  MPI_Finalize();
  return 0;
}}
"""


def simulate(app, *options):
    return run("--app", app, "--platform", "mesh:2", *options)


def free(body, name="free"):
    return FREE.format(name=name, body=body)


@simgrid
@fortran
@pytest.mark.parametrize(
    "ending, source",
    [(end, free("if (rank == 1) print *, 'here'")) for end in ("f90", "f95", "f03", "f08")]
    + [(end, FIXED.format(body="if (rank .eq. 1) print *, 'here'")) for end in ("f", "for", "ftn")]
    + [("F90", "#define SAID 'here'\n" + free("if (rank == 1) print *, SAID"))]
    + [("F", "#define SAID 'here'\n" + FIXED.format(body="if (rank .eq. 1) print *, SAID"))],
)
def test_fortran_of_every_ending_runs(tmp_path, ending, source):
    file = tmp_path / f"prog.{ending}"
    file.write_text(source)
    done = simulate(file)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "here" and "simulated" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == [file.name]  # nothing beside the source


@simgrid
@fortran
def test_a_source_finds_what_lies_beside_it_and_in_the_folders_of_its_flags(tmp_path):
    (tmp_path / "more").mkdir()
    (tmp_path / "beside.inc").write_text("  print *, 'beside'\n")
    (tmp_path / "more/far.inc").write_text("  print *, 'far', N\n")
    file = tmp_path / "prog.F90"
    file.write_text(free('if (rank == 0) then\n#include "beside.inc"\n#include "far.inc"\n  end if'))
    done = simulate(file, "--compile-flags", f"-I{tmp_path}/more -DN=8")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:3] == ["beside", "far", "8"]
    assert "far.inc" in simulate(file).stderr


@simgrid
@pytest.mark.parametrize(
    "flags", [["--compile-flags", "-DN=7"], ["--compile-flags", "-O0 -DN=7 -lm"], ["--compile-flags=-DN=7"]]
)
def test_flags_go_to_the_compiler_of_c(tmp_path, flags):
    file = tmp_path / "prog.c"
    file.write_text(C.format(body='if (rank == 0) printf("%d\\n", N);'))
    done = simulate(file, *flags)
    assert (done.returncode, done.stdout.split()[0]) == (0, "7"), done.stderr


@simgrid
def test_flags_that_do_not_fit_are_refused(tmp_path):
    file = tmp_path / "prog.c"
    file.write_text(C.format(body=""))
    shutil.copy(shutil.which("sleep"), tmp_path / "made")
    assert "Correct the quotes" in simulate(file, "--compile-flags", "-DN='a").stderr
    assert "it is compiled already" in simulate(tmp_path / "made", "--compile-flags", "-O3").stderr
    assert simulate(file, "--compile-flags", "-fno-such-flag").returncode == 3


@simgrid
@fortran
def test_the_first_error_of_a_source_is_told_with_its_line(tmp_path):
    file = tmp_path / "bad.f90"
    file.write_text(free("call nowhere(2"))
    done = simulate(file)
    assert done.returncode == 3
    assert f"{file}: smpiff ends with exit code 1: {file}:7:" in done.stderr and "Error: " in done.stderr, done.stderr
    file.write_text(free("call nowhere(2)"))
    assert "undefined reference to `nowhere" in simulate(file).stderr


@simgrid
@fortran
@pytest.mark.parametrize(
    "body, reason",
    [
        ("if (rank == 1) stop 3", "STOP 3"),
        ("error stop 'the mesh is empty'", "ERROR STOP the mesh is empty"),
        (
            "open(10, file='none.in', status='old')",
            "At line 7 of file prog.f90 (unit = 10); Fortran runtime error: Cannot open file 'none.in': No such file",
        ),
    ],
)
def test_fortran_says_itself_why_it_ended(tmp_path, body, reason):
    file = tmp_path / "prog.f90"
    file.write_text(free(body))
    result = tmp_path / "result.json"
    done = simulate(file, "--json", result, "--quiet")
    assert done.returncode == 1
    assert f"{file}: the program ended without MPI_Finalize: {reason}" in done.stderr, done.stderr
    assert reason in json.loads(result.read_text())["error"]["message"]


@simgrid
@pytest.mark.parametrize(
    "body, message",
    [
        ('if (rank == 1) { fprintf(stderr, "usage: prog FILE\\n"); return 4; } MPI_Barrier(MPI_COMM_WORLD);',
         "exit code 4: usage: prog FILE (SimGrid: Oops! Deadlock detected"),
        ('fprintf(stderr, "read a.in\\nno column 3\\nused by rank 0\\n"); exit(5);', "no column 3; used by rank 0"),
        ('if (rank == 0) { fprintf(stderr, "no memory\\n"); abort(); }', "killed by signal 6, Aborted: no memory"),
        ('fprintf(stderr, "waits for 1\\n"); MPI_Recv(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);',
         "perfectly clean: waits for 1"),
    ],
)  # fmt: skip
def test_what_the_program_said_last_is_told_whatever_simgrid_says(tmp_path, body, message):
    file = tmp_path / "prog.c"
    file.write_text(C.format(body=body))
    done = simulate(file, "--quiet")
    assert done.returncode == 1 and message in done.stderr, done.stderr
