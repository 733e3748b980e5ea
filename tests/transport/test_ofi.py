# SPDX-License-Identifier: Apache-2.0
"""The laws of a fabric over libfabric, on loopback and in shared memory, and how its ranks find each other."""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from job_processes import joined_ranks_of

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ATOLL_BUILD", ROOT / "build" / "release"))
PROBE = BUILD / "bin" / "ofi_probe"
ATOLL = BUILD / "bin" / "atoll"
PROVIDERS = ["shm", "tcp;ofi_rxm"]

if not PROBE.exists() or not (BUILD / "lib" / "libatoll_ofi.so").exists():
    pytest.skip("ofi_probe or the plug-in is not built", allow_module_level=True)


def environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ATOLL_", "OMPI_", "PMI_", "PMIX_"))}
    return env | more


def ranks(folder, count, *command, missing=(), timeout=60, **env):
    """Outputs and exit codes of `count` processes that meet in `folder`; `missing` ones are not started."""
    started = {
        r: subprocess.Popen(
            [str(c) for c in command],
            env=environment(
                ATOLL_BOOTSTRAP=f"file:{folder}", ATOLL_RANK=str(r), ATOLL_BOOTSTRAP_RANKS=str(count), **env
            ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for r in range(count)
        if r not in missing
    }
    end = time.monotonic() + timeout
    try:
        out = {r: p.communicate(timeout=max(1, end - time.monotonic()))[0] for r, p in started.items()}
    finally:
        for p in started.values():
            p.kill()
    return out, {r: p.returncode for r, p in started.items()}


def holds(folder, count, provider, law):
    out, codes = ranks(folder, count, PROBE, provider, law)
    assert set(codes.values()) == {0}, out
    assert out[0].splitlines()[-1] == f"{provider} ok", out
    return out[0]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.parametrize("law", ["sizes", "order", "keep", "puts", "mix"])
def test_law_holds(tmp_path, provider, count, law):
    holds(tmp_path, count, provider, law)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("count,law", [(3, "threads"), (3, "sleep"), (2, "big_put")])
def test_law_holds_in_the_rarer_case(tmp_path, provider, count, law):
    holds(tmp_path, count, provider, law)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_memory_stays_bounded_when_all_send_to_one(tmp_path, provider):
    out = holds(tmp_path, 5, provider, "flood")
    # For each of four peers 64 messages of 4 KiB, 8 slots of 16 KiB, and the fabric's own words.
    assert int(out.split()[1]) < 4 * (64 * 4352 + 8 * 16640 + 64 * 4352)


@pytest.mark.parametrize(
    "provider,why",
    [
        ("sockets", "takes 44 ms"),
        ("udp;ofi_rxd", "stalls after a few messages"),
        ("carrier-pigeon", "is needed on all ranks"),
    ],
)
def test_provider_that_does_not_serve_is_refused_by_name(tmp_path, provider, why):
    out, codes = ranks(tmp_path, 2, PROBE, provider, "sizes")
    assert set(codes.values()) == {1}
    assert all(provider in text and why in text for text in out.values()), out


def test_rank_that_does_not_arrive_is_named(tmp_path):
    out, codes = ranks(tmp_path, 3, PROBE, "-", "meet", missing=[1])
    assert set(codes.values()) == {1}
    assert all("for rank 1 of 3" in text for text in out.values()), out


def test_rank_that_dies_ends_the_wait_of_the_others(tmp_path):
    command = [str(ATOLL), "run", "bfs", "kron:22", "--ranks", "2", "--transport", "ofi", "--provider", "tcp;ofi_rxm"]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as parent:
        victim = joined_ranks_of(parent, 2)[0]
        os.kill(victim, signal.SIGKILL)
        start = time.monotonic()
        message = parent.communicate(timeout=30)[1]
        assert time.monotonic() - start < 10
        assert parent.returncode == 1
        assert "was ended by SIGKILL in '" in message, message


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.mark.skipif(not shutil.which("mpiexec.mpich"), reason="no mpiexec.mpich")
def test_ranks_meet_by_pmi():
    done = subprocess.run(
        ["mpiexec.mpich", "-n", "3", str(PROBE), "-", "meet"], env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "pmi: 0 7 14 \n"


@pytest.mark.skipif(not shutil.which("mpiexec.mpich"), reason="no mpiexec.mpich")
def test_a_launcher_without_mpi_serves_the_command():
    done = subprocess.run(
        ["mpiexec.mpich", "-n", "2", str(ATOLL), "run", "bfs", "kron:10", "--transport", "ofi", "--json", "-"],
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["world"]["transport"] == "ofi"


def test_ranks_meet_by_a_list_of_hosts(tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text(f"127.0.0.1:{free_port()}\nlocalhost\nlocalhost\n")
    started = [
        subprocess.Popen(
            [str(PROBE), "-", "meet"],
            env=environment(ATOLL_HOSTS=str(hosts), ATOLL_RANK=str(r)),
            stdout=subprocess.PIPE,
            text=True,
        )
        for r in range(3)
    ]
    out = [p.communicate(timeout=30)[0] for p in started]
    assert [p.returncode for p in started] == [0, 0, 0], out
    assert out[2] == "hosts: 0 7 14 \n"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("graph", ["kron:10", "grid:30x40", "ring:7"])
def test_bfs_agrees_with_that_on_threads(provider, graph):
    def search(*options):
        done = subprocess.run(
            [str(ATOLL), "run", "bfs", graph, "--ranks", "3", "--sources", "4", "--verify", "--json", "-", *options],
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["verified"] is True
        return [(s["source"], s["reached"], s["levels"]) for s in result["result"]["per_source"]]

    assert search("--transport", "ofi", "--provider", provider) == search("--transport", "inproc")
