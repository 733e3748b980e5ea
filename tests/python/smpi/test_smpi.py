# SPDX-License-Identifier: Apache-2.0
"""MPI programs under SimGrid's SMPI: times, mappings, collectives, traffic, several at once, tuning, what fails."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from atoll import InputError, smpi
from atoll.smpi import collectives
from atoll.smpi.traffic import read_traffic
from smpi_program import PAPER, PROGRAM, program_fixture, run, simgrid, simulated  # noqa: F401

# Times

HEADER = 16  # bytes that SMPI adds to a message


@simgrid
@pytest.mark.parametrize("to, switches", [(1, 2), (3, 4), (4, 5)])
def test_a_message_takes_its_bytes_over_a_cable_and_60_ns_for_each_switch(program, to, switches):
    result = simulated(program, "mesh:8", "send", 1_000_000, to, options=PAPER)
    assert result["seconds"] == pytest.approx((1e6 + HEADER) / 5e9 + switches * 60e-9, rel=1e-5)
    assert result["routes"] == "network" and result["ranks"] == 8


@simgrid
def test_links_and_switches_have_the_rates_that_are_given(program):
    options = ["--link-latency", 1e-3, "--link-bandwidth", 1e6, "--switch-latency", 1e-2]
    result = simulated(program, "mesh:4", "send", 1000, 3, options=options)
    assert result["seconds"] == pytest.approx((1000 + HEADER) / 1e6 + 5 * 1e-3 + 4 * 1e-2, rel=1e-5)


@simgrid
def test_by_default_only_declared_computation_takes_time(program):
    assert simulated(program, "mesh:2", "loop", 20_000_000)["seconds"] == 0
    assert simulated(program, "mesh:2", "loop", 20_000_000, options=["--compute", "measured"])["seconds"] > 1e-4
    assert simulated(program, "mesh:2", "flops", 1_000_000)["seconds"] == pytest.approx(1e6 / 1e11)
    slower = simulated(program, "mesh:2", "flops", 1_000_000, options=["--host-speed", 1e9])
    assert slower["seconds"] == pytest.approx(1e6 / 1e9)


@simgrid
def test_time_is_what_simgrid_says_not_what_the_program_prints(program):
    words = ["--app", program, "--platform", "mesh:2"]
    done = run(*words, "--", "lie", "1000", env={**os.environ, "FLAVOUR": "sweet"})
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["variable sweet", "simulated  0.381 us on 2 ranks of mesh:2"]
    assert done.stderr.count("Simulated time: 99 seconds") == 2  # the program's own, and no line of SimGrid's
    assert done.stderr.count("\n") == 2


@simgrid
def test_the_same_run_takes_the_same_time(program):
    again = [simulated(program, "random:16:4", "alltoall", 5000, options=PAPER)["seconds"] for _ in range(2)]
    assert again[0] == again[1] > 0


@simgrid
def test_a_source_in_cpp_is_compiled_with_a_copy_of_its_variables_for_each_rank(tmp_path):
    # An inline function's static variable is one for the whole process unless -fno-gnu-unique says otherwise.
    source = tmp_path / "count.cpp"
    source.write_text(
        "#include <mpi.h>\ninline int& calls() { static int n = 0; return n; }\n"
        "int main(int c, char** v) { MPI_Init(&c, &v); ++calls(); MPI_Barrier(MPI_COMM_WORLD);\n"
        "MPI_Finalize(); return calls() == 1 ? 0 : 9; }\n"
    )
    assert simulated(source, "mesh:4")["seconds"] > 0


# Platforms and mappings


@simgrid
def test_a_map_puts_ranks_on_hosts_by_name_or_number(program, tmp_path):
    file = tmp_path / "hosts"
    file.write_text("host-7 # rank 0\n\n0\n")
    result = simulated(program, "mesh:8", "send", 1_000_000, 1, options=[*PAPER, "--map", file])
    assert result["hosts"] == ["host-7", "host-0"]
    assert result["seconds"] == pytest.approx((1e6 + HEADER) / 5e9 + 8 * 60e-9, rel=1e-5)


@simgrid
def test_a_method_is_that_of_atoll_map(program, tmp_path):
    file = tmp_path / "order"
    assert run("random:16:4", "--method", "hamorder-w", "--export", "simgrid", file, verb="map").returncode == 0
    result = simulated(program, "random:16:4", "alltoall", 100, options=["--map", "hamorder-w"])
    assert result["hosts"] == file.read_text().split()
    some = simulated(program, "random:16:4", "alltoall", 100, options=["--map", "hamorder-w", "--ranks", 5])
    assert some["hosts"] == result["hosts"][:5]


@simgrid
def test_several_ranks_of_a_map_may_share_a_host(program, tmp_path):
    file = tmp_path / "hosts"
    file.write_text("0\n0\n1\n1\n")
    result = simulated(program, "mesh:2", "alltoall", 100, options=["--map", file])
    assert result["ranks"] == 4 and result["seconds"] > 0


@simgrid
def test_a_platform_of_simgrid_is_taken_as_it_is(program, tmp_path):
    file = tmp_path / "net.xml"
    assert run("mesh:8", "--simgrid", file, *PAPER, verb="network").returncode == 0
    result = simulated(program, file, "send", 1_000_000, 3)
    assert result["routes"] == "file"
    assert result["seconds"] == simulated(program, "mesh:8", "send", 1_000_000, 3, options=PAPER)["seconds"]
    cluster = tmp_path / "cluster.xml"
    cluster.write_text(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>\n<platform version='4.1'>"
        "<!-- <host id='no'/> --><cluster id='c' prefix='node-' suffix='.x' radical='0-2,5' speed='1Gf' bw='1GBps' "
        "lat='1us'/></platform>\n"
    )
    result = simulated(program, cluster, "alltoall", 100)
    assert result["hosts"] == ["node-0.x", "node-1.x", "node-2.x", "node-5.x"]


@simgrid
def test_networks_of_more_hosts_than_a_table_has_run_over_shortest_paths(program):
    result = simulated(program, "mesh:300", "send", 1_000_000, 20, options=PAPER)
    assert result["routes"] == "dijkstra"
    assert result["seconds"] == pytest.approx((1e6 + HEADER) / 5e9 + 21 * 60e-9, rel=1e-5)


# Collectives


@simgrid
def test_a_chosen_algorithm_is_used():
    assert collectives.smpi_name("bcast", "Scatter logical-ring allgather") == "scatter_LR_allgather"
    assert collectives.smpi_name("bcast", "SCATTER_lr_allgather") == "scatter_LR_allgather"
    assert collectives.smpi_name("allreduce", "Rabenseifner var2") == "rab2"
    assert collectives.read_collectives({"alltoall": "default", "allgather": "Spread"}) == {
        "allgather": "spreading_simple"
    }
    lists = {  # of the Hamorder paper, section III.B
        "alltoall": "Bruck, 2dmesh, 3dmesh, Recursive doubling, Pair, Ring, Basic linear",
        "allreduce": "Recursive doubling, Logical ring, Rabenseifner, Rabenseifner var1, Rabenseifner var2",
        "allgather": "Bruck, 2dmesh, 3dmesh, Recursive doubling, Pair, Ring, Spread",
        "bcast": "Binomial tree, Flat tree, Scatter logical-ring allgather, Scatter recursive-doubling allgather",
    }
    for collective, names in lists.items():
        known = [collectives.smpi_name(collective, name) for name in names.split(", ")]
        assert len(set(known)) == len(known) and set(known) <= set(smpi.algorithms(collective))


@simgrid
@pytest.mark.parametrize("ranks", [63, 64, 65])
def test_many_ranks_exchange_blocks_whatever_their_number(program, ranks):
    assert simulated(program, "torus:5x13", "alltoallv", 100, options=["--ranks", ranks])["seconds"] > 0


@simgrid
def test_algorithms_and_implementations_change_the_time(program):
    def seconds(*options):
        return simulated(program, "torus:4x4", "bcast", 100_000, options=[*options, *PAPER])["seconds"]

    names = ("binomial_tree", "flattree", "scatter_LR_allgather")
    times = {name: seconds("--collectives", f"bcast={name}") for name in names}
    # The root sends all copies over its one cable; a tree's first hop halves the work.
    assert times["flattree"] >= 15 * 1e5 / 5e9 > times["binomial_tree"]
    assert len(set(times.values())) == 3
    ompi, mpich = (seconds("--mpi-implementation", name) for name in ("ompi", "mpich"))
    assert ompi != mpich


# Traffic


@simgrid
def test_traffic_is_exact(program, tmp_path):
    file = tmp_path / "talk.traffic"
    result = simulated(program, "mesh:4", "send", 12_345, 2, options=["--traffic", file])
    assert file.read_text() == "0 2 12345\n" and result["bytes"] == 12345 and result["pairs"] == 1
    # Each rank sends each other its part, whatever the algorithm passes on: a ring or pairs send no part twice.
    options = ["--traffic", file, "--collectives", "alltoall=pair"]
    simulated(program, "mesh:4", "alltoall", 1000, options=options)
    lines = [tuple(map(int, line.split())) for line in file.read_text().splitlines()]
    assert lines == [(a, b, 4000) for a in range(4) for b in range(4) if a != b]


@simgrid
def test_the_whole_circle_makes_a_program_faster(program, tmp_path):
    traffic, order = tmp_path / "far.traffic", tmp_path / "far.hosts"
    before = simulated(program, "torus:4x4", "far", 100_000, options=[*PAPER, "--traffic", traffic])
    done = run(
        *("torus:4x4", "--traffic", traffic, "--method", "swap", "--export", "simgrid", order, "--json", "-"),
        verb="map",
    )
    assert json.loads(done.stdout)["result"]["mean_hops"] == 1
    after = simulated(program, "torus:4x4", "far", 100_000, options=[*PAPER, "--map", order])
    assert after["seconds"] == pytest.approx((1e5 + HEADER) / 5e9 + 2 * 60e-9, rel=1e-3)
    assert before["seconds"] > after["seconds"]


def test_a_trace_that_is_cut_is_named(tmp_path):
    file = tmp_path / "cut.trace"
    file.write_text("%EventDef PajeStartLink 15\n%EndEventDef\n15 0.1 3 0 PTP 1 1_2_0_1\n")
    with pytest.raises(InputError, match=r"cut.trace: '15 0.1 3 0 PTP 1 1_2_0_1'"):
        read_traffic(file)


@simgrid
def test_a_time_independent_trace_is_kept(program, tmp_path):
    trace = tmp_path / "talk.trace"
    simulated(program, "mesh:2", "send", 500, 1, options=["--trace", trace])
    files = [Path(line) for line in trace.read_text().split()]
    assert "0 send 1 0 500" in files[0].read_text() and len(files) == 2


# Failures


@simgrid
@pytest.mark.parametrize(
    "arguments, message",
    [
        (["crash"], "killed by signal 11, Segmentation fault: about to crash"),
        (["exit", "7"], "exit code 7: no such input"),
        (["abort"], "MPI_Abort: gave up"),
        (["deadlock"], "SimGrid: Oops! Deadlock detected"),
    ],
)
def test_a_program_that_fails_is_told_with_its_last_line(program, tmp_path, arguments, message):
    result = tmp_path / "result.json"
    done = run("--app", program, "--platform", "mesh:2", "--json", result, "--", *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert f"atoll: error: {program}: {message}" in done.stderr and "Traceback" not in done.stderr
    assert "simulated" not in done.stdout and "Execution failed" not in done.stdout
    error = json.loads(result.read_text())["error"]
    assert error["kind"] == "run" and message in error["message"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json"]  # no core, no copy


@simgrid
def test_a_program_that_hangs_is_ended_with_all_that_it_started(program):
    mark = f"{os.getpid()}.{time.monotonic_ns() % 10**6}"  # seconds of a sleep that is ours
    begin = time.monotonic()
    done = run("--app", program, "--platform", "mesh:2", "--timeout", "2", "--", "hang", mark)
    assert done.returncode == 1 and "stopped after 2 s" in done.stderr
    assert time.monotonic() - begin < 30
    left = [p for p in Path("/proc").glob("[0-9]*/cmdline") if mark.encode() in _bytes(p)]
    assert left == []


def _bytes(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.nightly
@simgrid
def test_bad_input_is_refused(program, tmp_path):
    (tmp_path / "parts.links").write_text("0 1\n2 3\n")
    (tmp_path / "far.hosts").write_text("0\n1\nhost-9\n")
    (tmp_path / "bad.c").write_text("#include <mpi.h>\nint main(void) { return what; }\n")
    (tmp_path / "note.txt").write_text("hello\n")
    (tmp_path / "empty.xml").write_text("<platform version='4.1'></platform>\n")
    app = ["--app", program]
    for words, code, message in (
        ([*app], 2, "--platform is missing"),
        ([*app, "--platform", tmp_path / "parts.links"], 3, "no path from host 2 to host 0"),
        ([*app, "--platform", "mesh:0"], 3, "mesh:0"),
        ([*app, "--platform", tmp_path / "empty.xml"], 3, "without hosts"),
        ([*app, "--platform", "mesh:4", "--ranks", 5], 3, "4 hosts (there are 5 ranks)"),
        ([*app, "--platform", "mesh:4", "--ranks", 0], 2, "0 ranks"),
        ([*app, "--platform", "mesh:4", "--map", "best-of-all"], 2, "best-of-all"),
        ([*app, "--platform", "mesh:4", "--map", tmp_path / "far.hosts"], 3, "far.hosts:3: no host 'host-9'"),
        ([*app, "--platform", "mesh:9", "--map", tmp_path / "far.hosts", "--ranks", 4], 3, "no host 'host-9'"),
        ([*app, "--platform", "mesh:10", "--map", tmp_path / "far.hosts", "--ranks", 4], 3, "3 hosts"),
        ([*app, "--platform", "mesh:4", "--preset", "cray"], 2, "--preset cray is unknown"),
        ([*app, "--platform", "mesh:4", "--link-bandwidth", 0], 3, "links of 0 bytes/s"),
        ([*app, "--platform", "mesh:4", "--collectives", "sort=bruck"], 2, "there are alltoall, alltoallv, allreduce"),
        ([*app, "--platform", "mesh:4", "--collectives", "alltoall=quick"], 2, "2dmesh, 3dmesh, basic_linear, bruck"),
        ([*app, "--platform", "mesh:4", "--collectives", "alltoall"], 2, "as alltoall=bruck"),
        ([*app, "--platform", "mesh:4", "--mpi-implementation", "intel"], 2, "mpich, ompi, mvapich2"),
        ([*app, "--platform", "mesh:4", "--compute", "some"], 2, "none, measured"),
        ([*app, "--platform", "mesh:4", "--model", "tcp"], 2, "cm02, smpi"),
        ([*app, "--platform", "mesh:4", "--timeout", -1], 2, "seconds above 0"),
        ([*app, "--platform", "mesh:4", "--", "two words"], 2, "'two words'"),
        (["--app", tmp_path / "none", "--platform", "mesh:4"], 3, "no such file"),
        (["--app", tmp_path / "note.txt", "--platform", "mesh:4"], 3, "neither a program nor a source"),
        (["--app", shutil.which("sleep"), "--platform", "mesh:4"], 3, "not linked to libsimgrid"),
        (["--app", tmp_path / "bad.c", "--platform", "mesh:4"], 3, "bad.c: smpicc ends with exit code 1"),
    ):
        done = run(*words)
        assert (done.returncode, done.stdout) == (code, ""), (words, done.stderr)
        assert done.stderr.startswith("atoll: error: ") and message in done.stderr, done.stderr
        assert done.stderr.count("\n") == 1, done.stderr


def test_without_simgrid_it_says_what_to_install(tmp_path):
    (tmp_path / "talk.c").write_text(PROGRAM)
    env = {**os.environ, "PATH": str(tmp_path)}
    for words in (["simulate"], ["tune", "--space", tmp_path / "space.json"]):
        (tmp_path / "space.json").write_text('{"parameters": {"mpi": ["mpich", "ompi"]}}')
        verb, *more = words
        done = run("--app", tmp_path / "talk.c", "--platform", "mesh:4", *more, verb=verb, env=env)
        assert done.returncode == 2
        assert "smpirun is not on PATH" in done.stderr and "apt install libsimgrid-dev" in done.stderr
