# SPDX-License-Identifier: Apache-2.0
"""Several MPI programs at once under SimGrid: the patterns of figure 3 of the Hamorder paper."""

import pytest
from smpi_program import PAPER, program_fixture, run, simgrid, simulated  # noqa: F401

pytestmark = pytest.mark.nightly

# Several at once: the patterns of figure 3 on a torus of 4 x 2, whose host 2 x + y is at (x, y)

PATTERNS = {
    "A": [[0, 1, 2, 3], [4, 5, 6, 7]],  # two meshes of 2 x 2
    "B": [[0, 2, 4, 6], [1, 3, 5, 7]],
    "C": [[0, 1, 4, 5], [2, 3, 6, 7]],
    "D": [[0, 3, 4, 7], [1, 2, 5, 6]],
}


def together(program, tmp_path, pattern, *arguments, options=()):
    words = []
    for job, hosts in enumerate(PATTERNS[pattern]):
        (file := tmp_path / f"{pattern}-{job}").write_text("".join(f"{h}\n" for h in hosts))
        words += ["--map", file]
    return simulated(program, "torus:4x2", *arguments, options=[*PAPER, *words, *options])


@simgrid
def test_jobs_that_share_links_slow_each_other_down(program, tmp_path):
    found = {pattern: together(program, tmp_path, pattern, "alltoall", 100_000) for pattern in PATTERNS}
    for job in found["A"]["jobs"]:
        assert job["seconds"] == job["alone_seconds"]  # no link is shared
    assert all(found[p]["average_seconds"] >= found["A"]["average_seconds"] for p in PATTERNS)
    for pattern in "CD":
        assert all(job["seconds"] > 1.2 * job["alone_seconds"] for job in found[pattern]["jobs"])
    assert found["C"]["seconds"] == pytest.approx(2 * found["A"]["seconds"], rel=0.02)


@simgrid
@pytest.mark.parametrize("implementation", ["mpich", "ompi"])
def test_alone_a_replay_takes_what_the_program_takes(program, tmp_path, implementation):
    options = ["--mpi-implementation", implementation]
    replayed = together(program, tmp_path, "A", "alltoall", 10_000, options=options)["jobs"][0]["alone_seconds"]
    file = tmp_path / "A-0"
    own = simulated(program, "torus:4x2", "alltoall", 10_000, options=[*PAPER, *options, "--map", file])["seconds"]
    assert replayed == pytest.approx(own, rel=1e-5)


@simgrid
def test_what_several_cannot_be_is_refused(program, tmp_path):
    (tmp_path / "one").write_text("0\n1\n")
    words = ["--app", program, "--platform", "mesh:4", "--map", tmp_path / "one"]
    for more, message in (
        (["--map", "hamorder-w"], "Give a file"),
        (["--app", program, "--app", program, "--map", tmp_path / "one"], "3 --app with 2 --map"),
        (["--map", tmp_path / "one", "--traffic", tmp_path / "t"], "Run that one by itself"),
        (["--map", tmp_path / "one", "--mpi-implementation", "mvapich2"], "Choose mpich or ompi"),
    ):
        done = run(*words, *more, "--", "alltoall", 10)
        assert done.returncode == 2 and message in done.stderr, done.stderr
    done = run(*words, "--map", tmp_path / "one", "--", "abort")
    assert done.returncode == 1 and "job 0: MPI_Abort: gave up" in done.stderr
