# SPDX-License-Identifier: Apache-2.0
"""The kernels that `atoll simulate --app` and the figures of Hamorder run: their messages and operations are those that
the programs have whose patterns they follow, by SMPI's traces."""

import math
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

SOURCE = Path(__file__).parents[3] / "python/atoll/smpi/kernels.c"
STRICT = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
HOSTS = 64
PLATFORM = f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="host-" radical="0-{HOSTS - 1}" suffix="" speed="100Gf" bw="5GBps" lat="60ns"
           loopback_bw="100GBps" loopback_lat="0"/>
</platform>
"""
SIMGRID = pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is missing (Debian: simgrid, libsimgrid-dev)")


def compiled(compiler, folder):
    subprocess.run([compiler, *STRICT, SOURCE, "-o", folder / "kernels", "-lm"], check=True)
    return folder / "kernels"


@pytest.fixture(scope="module")
def smpi(tmp_path_factory):
    """Runs the kernels on so many ranks under SMPI, and returns the process and the lines of all ranks' traces."""
    folder = tmp_path_factory.mktemp("smpi")
    program = compiled("smpicc", folder)
    (folder / "platform.xml").write_text(PLATFORM)
    (folder / "hosts").write_text("".join(f"host-{h}\n" for h in range(HOSTS)))

    def run(ranks, *words):
        command = ["smpirun", "-n", ranks, "-platform", "platform.xml", "-hostfile", "hosts", "-trace-ti"]
        settings = {"network/model": "CM02", "smpi/simulate-computation": "no", "smpi/coll-selector": "mpich"}
        if ranks & (ranks - 1) == 0:
            settings["smpi/alltoallv"] = "pair"
        command += ["-trace-file", "trace", *(f"--cfg={key}:{value}" for key, value in settings.items()), program]
        done = subprocess.run(
            [*map(str, command), *map(str, words)], capture_output=True, text=True, timeout=120, cwd=folder
        )
        lines = []
        if done.returncode == 0:
            for file in (folder / "trace").read_text().split():
                lines += [line.split()[1:] for line in (folder / file).read_text().splitlines()]
        return done, lines

    return run


# Bytes that a rank gives to a call, by the words of its line. Types: 0 double, 1 int, 4 long, 6 byte.
SIZES = {"0": 8, "1": 4, "4": 8, "6": 1}
BYTES = {
    "send": lambda words: int(words[3]) * SIZES[words[4]],
    "sendRecv": lambda words: int(words[1]) * SIZES[words[5]],
    "alltoall": lambda words: int(words[1]) * SIZES[words[3]],  # to each
    "alltoallv": lambda words: int(words[1]) * SIZES[words[-2]],  # to all
    "allreduce": lambda words: int(words[1]) * SIZES[words[3]],
    "reduce": lambda words: int(words[1]) * SIZES[words[4]],
    "bcast": lambda words: int(words[1]) * SIZES[words[3]],
}


def totals(lines):
    """Sums over all ranks: flops, and by call its number and its bytes."""
    flops, calls, moved = 0.0, {}, {}
    for words in lines:
        if words[0] == "compute":
            flops += float(words[1])
        elif words[0] in BYTES:
            calls[words[0]] = calls.get(words[0], 0) + 1
            moved[words[0]] = moved.get(words[0], 0) + BYTES[words[0]](words)
    return flops, calls, moved


def power_of_two(ranks):
    return ranks & (ranks - 1) == 0


def square(ranks):
    return math.isqrt(ranks) ** 2 == ranks


FITS = {"ft": power_of_two, "is": power_of_two, "cg": power_of_two, "mg": power_of_two, "bt": square, "sp": square}


def grid(ranks):
    """The two sides that divide the ranks, the smaller one first, as near to each other as can be."""
    side = max(s for s in range(1, math.isqrt(ranks) + 1) if ranks % s == 0)
    return side, ranks // side


def on_diagonal(ranks):
    """Ranks of cg's grid that are their own partners across the diagonal: its pairs of columns are transposed."""
    return grid(ranks)[1]


def ft(ranks):
    points = 256 * 256 * 128
    flops = points * (14.8157 + 5.23518 + (7.19641 + 7.21113) * math.log(points))
    return flops, {"alltoall": 2 * 16 * (points // ranks**2) * ranks, "reduce": 16 * ranks}


def is_(ranks):
    keys = 2**23
    return 10 * keys, {"alltoallv": 4 * keys, "alltoall": 4 * ranks, "allreduce": (1024 + 5) * 4 * ranks}


def cg(ranks):
    n = 14000
    flops = 2 * n * (3 + 132 + 25 * (5 + 132) + 3)
    rows, columns = grid(ranks)
    bits = int(math.log2(columns))
    sums = 26 * (bits * ranks + ranks - on_diagonal(ranks)) * int(8 * n / columns)
    return flops, {"sendRecv": sums + ranks * bits * (52 * 8 + 16)}


def mg(ranks):
    bits = int(math.log2(ranks))
    sides = [2 ** (bits // 3), 2 ** ((bits - bits // 3) // 2)]
    sides.append(ranks // sides[0] // sides[1])
    total = 0
    for level in range(1, 9):
        sweeps = 2 if level == 1 else 3
        active = [min(2**level, side) for side in sides]
        a, b, c = (2**level // side for side in active)
        faces = [b * c, (a + 2) * c, (a + 2) * (b + 2)]
        total += sweeps * math.prod(active) * sum(2 * 8 * f for f, side in zip(faces, active) if side > 1)
    return 58 * 256**3, {"sendRecv": total, "allreduce": 4 * 8 * ranks}


def lu(ranks):
    n = 64
    flops = 1984.77 * n**3 - 10923.3 * n**2 + 27770.9 * n - 144010
    side, other = grid(ranks)
    edges = (side - 1) * other * 40 * (n // other) + (other - 1) * side * 40 * (n // side)  # of all ranks, one way
    return flops, {"send and sendRecv": 2 * (62 + 2 * 64) * edges, "allreduce": 5 * 8 * ranks}


def multipartition(ranks, flops, forward, back):
    q = math.isqrt(ranks)
    exchanged = ranks * 8 * 64**2 / ranks * (q - 1) * (60 + 3 * (forward + back))
    return flops, {"sendRecv": exchanged}


def bt(ranks):
    n = 64
    return multipartition(ranks, 3478.8 * n**3 - 17655.7 * n**2 + 28023.7 * n, 30, 5)


def sp(ranks):
    n = 64
    return multipartition(ranks, 881.174 * n**3 - 4683.91 * n**2 + 11484.5 * n - 19272.4, 22, 10)


def mm(ranks):
    columns, rows = grid(ranks)
    panels = int(8e6 / rows / rows) + int(8e6 / rows / columns)  # each rank takes part in a broadcast of both
    return 2e9, {"bcast": rows * ranks * panels}


def graph500(ranks):
    edges, parts = 2 * 16 * 2**16, [4e-5, 0.0418, 0.5584, 0.3891, 0.0106, 3e-5, 1 / 32, 1]
    moved = sum(16 * ranks**2 * math.ceil(part * edges / ranks / ranks) for part in parts)
    return 20 * edges * sum(parts), {"alltoallv": moved, "allreduce": 8 * ranks * len(parts)}


KERNELS = {"ft": ft, "is": is_, "cg": cg, "mg": mg, "lu": lu, "bt": bt, "sp": sp, "mm": mm, "graph500": graph500}


@SIMGRID
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("ranks", [1, 5, 8, 64])
def test_operations_and_bytes_are_those_of_the_closed_formulas(smpi, name, ranks):
    done, lines = smpi(ranks, name, 1)
    if not FITS.get(name, lambda ranks: True)(ranks):
        assert done.returncode != 0
        assert f"kernels: {name} (it needs a " in done.stderr and "of ranks, as NPB's does" in done.stderr
        return
    assert done.returncode == 0 and float(done.stdout.split("seconds: ")[1]) > 0
    flops, calls, moved = totals(lines)
    expected_flops, expected = KERNELS[name](ranks)
    assert flops == pytest.approx(expected_flops, rel=1e-5)  # six digits of each in a trace
    if "send and sendRecv" in expected:
        moved["send and sendRecv"] = moved.pop("send", 0) + moved.pop("sendRecv", 0)
    assert {call: count for call, count in moved.items() if count} == {
        call: pytest.approx(count) for call, count in expected.items() if count
    }
    if name == "cg":
        bits = int(math.log2(grid(ranks)[1]))
        assert calls.get("sendRecv", 0) == 26 * (ranks - on_diagonal(ranks)) + ranks * bits * (26 + 52 + 1)


@SIMGRID
def test_flops_of_all_iterations_are_what_npb_reports_for_class_a(smpi):
    known = {"ft": 7.14e9, "cg": 1.50e9, "mg": 3.89e9, "bt": 168.3e9, "lu": 119.3e9, "sp": 85.0e9}  # NPB 3.4
    counts = {"ft": 6, "cg": 15, "mg": 4, "bt": 200, "lu": 250, "sp": 400}
    for name, total in known.items():
        (_, one), (_, two) = smpi(4, name, 1), smpi(4, name, 2)
        first, second = totals(one)[0], totals(two)[0]
        assert first + (counts[name] - 1) * (second - first) == pytest.approx(total, rel=3e-3), name


@SIMGRID
@pytest.mark.parametrize(
    "words, why",
    [
        ([], "no NAME (there is ft is cg mg lu bt sp mm graph500"),
        (["fft"], "fft (there is ft is cg"),
        (["cg", "0"], "0 (ITERATIONS is one number from 1"),
        (["cg", "2x"], "2x (ITERATIONS"),
        (["cg", "2", "3"], "3 (ITERATIONS"),
    ],
)
def test_wrong_arguments_are_refused(smpi, words, why):
    done, _ = smpi(2, *words)
    assert done.returncode != 0 and f"kernels: {why}" in done.stderr
    assert done.stderr.count("kernels: ") == 1


@pytest.mark.mpi
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_other_mpis_exchange_the_same_messages(mpi, tmp_path):
    compiler, launcher = f"mpicc.{mpi}", f"mpiexec.{mpi}"
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is missing")
    program = compiled(compiler, tmp_path)
    more = ["--oversubscribe", "--allow-run-as-root"] if mpi == "openmpi" else []
    for name in KERNELS:
        done = subprocess.run(
            [launcher, *more, "-n", "4", program, name, "1"], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0 and done.stdout.startswith("seconds: "), done.stderr
