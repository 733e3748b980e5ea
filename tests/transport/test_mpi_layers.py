# SPDX-License-Identifier: Apache-2.0
"""The guarantees of every fabric, over each layer of each MPI: fabric_probe under a launcher, once per job."""

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ATOLL_BUILD", ROOT / "build" / "release"))
PROBE = BUILD / "bin" / "fabric_probe"
LAUNCHERS = {
    "openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"],
    "mpich": ["mpiexec.mpich", "-bind-to", "none"],
}
LAYERS = ["two_sided", "probe", "mprobe", "rma"]

pytestmark = pytest.mark.mpi


@pytest.fixture(params=sorted(LAUNCHERS))
def mpi(request):
    assert PROBE.exists(), f"make build makes {PROBE}"
    if not (BUILD / "lib" / f"libatoll_mpi_{request.param}.so").exists():
        pytest.skip(f"no plug-in for {request.param}")
    if not shutil.which(LAUNCHERS[request.param][0]):
        pytest.skip(f"no {LAUNCHERS[request.param][0]}")
    return request.param


# Law, with its number of threads | numbers of ranks | layers | output
LAWS = [
    ("sizes:1", [1, 2, 3, 5], LAYERS, "every size of every kind arrives as it was sent"),
    ("order:1", [2, 3, 5], LAYERS, "messages of a pair keep their order"),
    ("flood:1", [2, 3], LAYERS, "a flood is pushed back and memory stays bounded"),
    ("keep:1", [3], LAYERS, "who keeps all packets still gets control"),
    ("mix:1", [2, 3], LAYERS, "all arrives once in both directions"),
    ("mix:3", [2], LAYERS, "all arrives once from several threads"),
    ("puts:1", [2, 3], ["two_sided"], "puts lie where they were put"),
    ("big_put:1", [2], ["two_sided"], "a put may be longer than a count"),
    ("exchange:1", [1, 2, 3, 5], ["two_sided"], "bulk synchronous exchange through windows"),
]


def laws_of(ranks, layer):
    return [law for law, counts, layers, _ in LAWS if ranks in counts and layer in layers]


CASES = [
    pytest.param(layer, ranks, law, id=f"{layer}-{ranks}-{text}")
    for layer in LAYERS
    for ranks in (1, 2, 3, 5)
    for law, counts, layers, text in LAWS
    if ranks in counts and layer in layers
]


def launch(mpi, ranks, layer, laws, timeout):
    """The job's output and exit code, None if it hung."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ATOLL_", "OMPI_", "PMI_", "PMIX_"))}
    if os.geteuid() == 0:
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    words = [*LAUNCHERS[mpi], "-n", str(ranks), str(PROBE), layer, *laws]
    job = subprocess.Popen(
        words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        out, _ = job.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        out, _ = job.communicate()
        return f"hung: {' '.join(words)}\n{out}", None
    return out, job.returncode


def judged(mpi, ranks, layer, laws, timeout=120):
    """For each law that was begun: whether it holds, and its output."""
    out, code = launch(mpi, ranks, layer, laws, timeout)
    _, *parts = re.split(r"^law (\S+)\n", out, flags=re.MULTILINE)
    texts = dict(zip(parts[::2], parts[1::2]))
    found = {law: ("ok" in text.splitlines(), text) for law, text in texts.items()}
    if code != 0:  # whatever the output: the law begun last, or the first if none was
        found[next(reversed(found), laws[0])] = False, out
    return found


@pytest.fixture(scope="session")
def jobs():
    """The verdicts on the laws of each job; one start judges all of them except those after a broken one."""
    return {}


def hold(jobs, mpi, ranks, layer, law):
    """Rank 0's output of the law, if every rank found that it holds."""
    known = jobs.setdefault((mpi, ranks, layer), {})
    if not known:
        known.update(judged(mpi, ranks, layer, laws_of(ranks, layer)))
    if law not in known:
        known.update(judged(mpi, ranks, layer, [law]))
    assert law in known, f"{law} was not begun: {known}"
    held, out = known[law]
    assert held, out
    return out


@pytest.mark.parametrize("layer, ranks, law", CASES)
def test_law_holds(jobs, mpi, layer, ranks, law):
    out = hold(jobs, mpi, ranks, layer, law)
    if law == "flood:1":
        memory = int(re.search(r"memory (\d+)", out)[1])
        assert memory < ranks * 2**21  # at least 160 MB were sent to that rank


@pytest.mark.nightly
@pytest.mark.parametrize("threads", [1, 2])
def test_bare_loops_give_figures(mpi, threads):
    held, out = judged(mpi, 2, "two_sided", [f"raw:{threads}"])[f"raw:{threads}"]
    assert held, out
    rows = re.findall(r"raw (\w+) +\d threads: 8 B ([\d.]+) us, .*; 64 B ([\d.]+) M/s", out)
    assert [mode for mode, _, _ in rows] == ["no_probe", "iprobe", "improbe"]
    assert all(float(latency) > 0 and float(rate) > 0 for _, latency, rate in rows)
