# SPDX-License-Identifier: Apache-2.0
"""Orders of ranks for networks by the command: what they cost, jobs by order, and the files that launchers read."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
METHODS = ["hamorder-w", "hamorder", "identity", "random", "gorder", "rabbit", "dbg", "hubsort", "rcm", "swap"]


def atoll(*words):
    assert ATOLL.exists(), "make build makes bin/atoll"
    return subprocess.run([ATOLL, *map(str, words), "--threads", "1"], capture_output=True, text=True, timeout=120)


def mapped(*words):
    done = atoll("map", *words, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def has_scotch():
    return atoll("map", "mesh:2", "--method", "scotch").returncode == 0


def write_hosts(path, count):
    names = [f"node{h:02}" for h in range(count)]
    path.write_text("\n".join(names) + "\n")
    return names


@pytest.mark.parametrize("method", [*METHODS, "scotch"])
def test_each_method_gives_each_rank_a_host_of_its_own(method):
    if method == "scotch" and not has_scotch():
        pytest.skip("no Scotch")
    result = mapped("random:64:4", "--method", method)["result"]
    assert sorted(result["order"]) == list(range(64))
    assert result["method"] == method
    # A line has 63 pairs of neighbours; each jump costs links more, at most as many as the longest.
    more = round(63 * (result["mean_hops"] - 1))
    assert result["jumps"] <= more <= result["jumps"] * (result["dilation"] - 1)
    assert result["aspl"] == pytest.approx(mapped("random:64:4", "--method", "identity")["result"]["aspl"])


def test_by_default_neighbour_ranks_are_neighbours():
    whole = mapped("random:64:6:3")
    result = whole["result"]
    assert result["method"] == "hamorder-w" and result["traffic"] == "line"
    assert (result["jumps"], result["dilation"], result["contention"], result["mean_hops"]) == (0, 1, 1, 1)
    assert whole["input"]["hosts"] == 64 and whole["input"]["network_diameter"] >= result["dilation"]
    assert mapped("random:64:6:3", "--method", "hamorder")["result"]["jumps"] > 0


def test_with_traffic_the_best_of_all_methods_is_taken(tmp_path):
    traffic = tmp_path / "app.traffic"
    traffic.write_text("".join(f"{r} {r ^ 8} 100\n{r} {(r + 5) % 32} 7\n" for r in range(32)))
    result = mapped("random:64:4", "--traffic", traffic)["result"]
    costs = {m["name"]: m["cost"] for m in result["methods"]}
    assert [m for m in costs if m != "scotch"] == METHODS
    assert ("scotch" in costs) == has_scotch()
    assert result["hop_bytes"] == pytest.approx(min(costs.values()))
    assert result["method"] == min(METHODS, key=costs.get) == "swap"
    assert result["mapped_ranks"] == 32 == len(set(result["order"]))


@pytest.mark.parametrize("network", ["random:64:4:2", "torus:8x8", "dragonfly:2,4,2,8", "cluster:4x4x4"])
def test_with_traffic_the_best_is_not_worse_than_any_numbering(tmp_path, network):
    traffic = tmp_path / "app.traffic"
    for stencil in ([1, 8], [1], [5, 17, 23]):
        traffic.write_text("".join(f"{r} {(r + k) % 64} {k + r % 3}\n" for r in range(64) for k in stencil))
        words = [network, "--traffic", traffic, "--method"]
        best = mapped(*words, "best")["result"]["hop_bytes"]
        for method in METHODS:
            assert best <= mapped(*words, method)["result"]["hop_bytes"] * (1 + 1e-9), method


def test_without_scotch_the_error_says_what_to_install_and_best_goes_on(tmp_path, monkeypatch):
    for name in ["scotch", "scotcherr"]:
        for version in ["-7.0", "-6.1", ""]:
            (tmp_path / f"lib{name}{version}.so").touch()  # found first, and not a library
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    done = atoll("map", "mesh:4", "--method", "scotch")
    assert done.returncode == 3
    assert (
        "(Scotch does not load). Install it (Debian, Ubuntu: libscotch-7.0), or choose another method." in done.stderr
    )
    methods = [m["name"] for m in mapped("mesh:4", "--method", "best")["result"]["methods"]]
    assert methods == METHODS


def test_what_a_run_counted_is_traffic(tmp_path):
    run = tmp_path / "run.json"
    done = atoll("run", "bfs", "kron:10", "--ranks", "4", "--transport", "inproc", "--json", run)
    assert done.returncode == 0, done.stderr
    result = mapped("mesh:2x3", "--traffic", run)["result"]
    sent = json.loads(run.read_text())["counters"]["traffic"]["bytes"]
    assert result["mapped_ranks"] == 4
    place = [divmod(h, 3) for h in result["order"]]
    hops = [abs(a - c) + abs(b - d) for a, b in place for c, d in place]
    assert result["hop_bytes"] == sum(n * bytes for n, bytes in zip(hops, sent, strict=True))


def test_paths_of_equal_cost_share_the_traffic():
    words = ["mesh:2x2", "--pattern", "alltoall", "--method", "identity"]
    one, all_paths = (mapped(*words, "--paths", paths)["result"] for paths in ("network", "equal-cost"))
    # Eight of 12 pairs are neighbours, and 4 have two paths each over two of the 8 directed links.
    assert (one["hop_bytes"], all_paths["hop_bytes"], all_paths["contention"]) == (16, 16, 2)
    assert one["contention"] >= 2


def test_jobs_by_order_on_a_partly_occupied_network():
    result = mapped("mesh:12", "--jobs", "4,5", "--occupied", "0-1,4", "--method", "identity")["result"]
    assert result["order"] == [2, 3, 5, 6, 7, 8, 9, 10, 11]
    rows = {row["numbering"]: row["job_aspl"] for row in result["numberings"]}
    assert list(rows) == METHODS[:-1]
    assert rows["identity"] == pytest.approx([(1 + 3 + 4 + 2 + 3 + 1) / 6, 2])
    best = mapped("random:64:4", "--jobs", "16,8", "--method", "best")["result"]
    assert "swap" not in [m["name"] for m in best["methods"]]


def test_exported_files_name_the_hosts_in_the_mapping(tmp_path):
    names = write_hosts(tmp_path / "hosts.txt", 16)
    words = ["torus:4x4", "--ranks", "32", "--per-host", "2", "--host-names", tmp_path / "hosts.txt"]
    formats = ["openmpi-rankfile", "mpich-hosts", "slurm-hostfile", "cray-rank-order", "simgrid"]
    for form in formats:
        words += ["--export", form, tmp_path / form]
    result = mapped(*words)["result"]
    assert [e["format"] for e in result["exports"]] == formats
    text = {form: (tmp_path / form).read_text().split() for form in formats}
    on = [names[h] for h in result["order"]]
    assert text["slurm-hostfile"] == text["simgrid"] == on
    assert text["mpich-hosts"] == [f"{name}:2" for name in on[::2]]
    assert text["openmpi-rankfile"][1::3] == [f"{r}={name}" for r, name in enumerate(on)]
    cray = [int(r) for r in text["cray-rank-order"][0].split(",")]
    assert [on[r] for r in cray] == [names[h // 2] for h in range(32)]


def test_an_order_for_cray_names_no_hosts_and_needs_no_names(tmp_path):
    words = ["mesh:4", "--method", "random", "--export", "cray-rank-order", tmp_path / "order"]
    order = mapped(*words)["result"]["order"]
    assert [order[int(rank)] for rank in (tmp_path / "order").read_text().split(",")] == [0, 1, 2, 3]


@pytest.mark.mpi
@pytest.mark.skipif(not shutil.which("mpiexec.mpich"), reason="no mpiexec.mpich")
def test_mpich_starts_each_rank_on_the_host_of_its_line(tmp_path):
    names = write_hosts(tmp_path / "hosts.txt", 3)
    words = ["mesh:3", "--per-host", "2", "--host-names", tmp_path / "hosts.txt", "--method", "random", "--seed", "3"]
    order = mapped(*words, "--export", "mpich-hosts", tmp_path / "order")["result"]["order"]
    assert order != sorted(order) and any(a != b for a, b in zip(order[::2], order[1::2], strict=True))
    # The launcher's own way to reach hosts is left out: all are this machine, under their names.
    where = 'echo "$PMI_RANK $MPIR_CVAR_CH3_INTERFACE_HOSTNAME"'
    command = ["mpiexec.mpich", "-launcher", "fork", "-f", tmp_path / "order", "-n", "6", "sh", "-c", where]
    for _ in range(5):  # MPICH 4.0.2's launcher now and then dies of a closed pipe to its own helpers
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        if done.returncode != -signal.SIGPIPE:
            break
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [f"{rank} {names[host]}" for rank, host in enumerate(order)]


@pytest.mark.mpi
@pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="no mpirun.openmpi")
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")
def test_openmpi_puts_each_rank_on_the_slot_of_its_line(tmp_path):
    (tmp_path / "hosts.txt").write_text("localhost\n")
    words = ["mesh:1", "--per-host", "2", "--host-names", tmp_path / "hosts.txt", "--method", "random"]
    slots = []
    for seed in range(20):
        mapped(*words, "--seed", seed, "--export", "openmpi-rankfile", tmp_path / "order")
        slots = [int(line.split("slot=")[1]) for line in (tmp_path / "order").read_text().splitlines()]
        if slots == [1, 0]:
            break
    assert slots == [1, 0]
    where = 'echo "$OMPI_COMM_WORLD_RANK $(taskset -pc $$ | sed "s/.*: //")"'
    command = ["mpirun.openmpi", "--allow-run-as-root", "--rankfile", tmp_path / "order", "-n", "2", "sh", "-c", where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    cores = dict(line.split() for line in done.stdout.splitlines())
    assert int(cores["0"]) > int(cores["1"])


def test_the_text_names_what_was_measured(tmp_path):
    done = atoll("map", "torus:4x4", "--method", "best", "--pattern", "ring")
    assert done.returncode == 0, done.stderr
    for part in ["ASPL 2.133", "dilation 1, contention 1.00", "hop-bytes by method", "  hamorder-w"]:
        assert part in done.stdout


@pytest.mark.parametrize(
    "words, code, message",
    [
        ([], 2, "network is required"),
        (["moebius:4"], 3, "network 'moebius:4' (networks are"),
        (["mesh:4", "--method", "metis"], 2, "metis not in {"),
        (
            ["mesh:4", "--ranks", "5"],
            3,
            "mesh:4: 4 hosts with 1 place each (there are 5 ranks). Have fewer ranks, or give",
        ),
        (["mesh:4", "--ranks", "0"], 2, "--ranks"),
        (["mesh:4", "--traffic", "t", "--pattern", "ring"], 2, "excludes"),
        (["mesh:4", "--traffic", "t"], 3, "t: no such file"),
        (["mesh:4", "--jobs", "2,3"], 3, "mesh:4: 4 hosts with 1 place each (there are 5 ranks)"),
        (["mesh:4", "--jobs", "2,1", "--occupied", "0-1"], 3, "jobs of 3 ranks together onto 2 free places"),
        (["mesh:4", "--jobs", "2", "--occupied", "1-4"], 2, "--occupied 1-4 (hosts are 0 to 3, as 0-2,7). Correct it."),
        (["mesh:4", "--jobs", "2", "--method", "swap"], 2, "--method swap with --jobs (it places one job"),
        (["mesh:4", "--jobs", "2", "--method", "scotch"], 2, "--method scotch with --jobs (it places one job"),
        (["mesh:4", "--occupied", "1"], 2, "--jobs"),
        (["mesh:4", "--export", "lsf", "out"], 2, "--export lsf (formats are openmpi-rankfile,"),
        (["mesh:4", "--export", "mpich-hosts", "out"], 2, "--export mpich-hosts without --host-names"),
        (["mesh:4", "--export", "cray-rank-order", "nowhere/out"], 3, "nowhere"),
        (["mesh:4", "--host-names", "h"], 3, "h: no such file"),
    ],
)
def test_wrong_commands_say_what_to_do_and_write_nothing(tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    done = atoll("map", *words)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_malformed_line_of_traffic_is_named(tmp_path):
    traffic = tmp_path / "app.traffic"
    traffic.write_text("0 1 100\n1 two 3\n")
    done = atoll("map", "mesh:4", "--traffic", traffic)
    assert done.returncode == 3
    assert f"{traffic}:2: '1 two 3'" in done.stderr


def network(*words):
    done = atoll("network", *words, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_network_is_measured_and_a_better_one_of_its_degree_is_found_written_and_mapped(tmp_path):
    links = tmp_path / "best.links"
    words = ["random:64:4", "--optimize", "aspl", "--restarts", "4", "--output", links]
    result = network(*words)["result"]
    assert result["least_degree"] == result["most_degree"] == 4
    assert result["moore_bound"] == pytest.approx(180 / 63)
    assert result["moore_bound"] < result["aspl"] < result["base_aspl"]
    assert result["moore_gap"] == pytest.approx(result["aspl"] / result["moore_bound"] - 1)
    again = network(links)["result"]
    assert again["aspl"] == pytest.approx(result["aspl"])
    assert "base_aspl" not in again
    mapped_again = mapped(links)
    assert mapped_again["input"]["network_aspl"] == pytest.approx(result["aspl"])
    assert mapped_again["result"]["jumps"] == 0


def test_a_search_for_bisection_says_that_its_cut_is_a_bound():
    result = network("torus:4x4", "--optimize", "bisection", "--patience", "200")["result"]
    assert result["bisection_bound"] > result["base_bisection_bound"] == 8
    assert result["bisection"] is None
    regular = network("hyperx:4x4")["result"]
    assert regular["bisection"] == regular["bisection_bound"] == 16
    done = atoll("network", "random:32:4")
    assert "best cut found" in done.stdout and "Moore bound" in done.stdout


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["torus:4", "--optimize", "speed"], 2, "speed not in {"),
        (["torus:4", "--patience", "5"], 2, "--optimize"),
        (["fat-tree:4", "--optimize", "aspl"], 3, "hosts, router 0 has 2 (the search is among networks"),
        (["fat-tree:4", "--output", "out.links"], 3, "network fat-tree:4: host 1 at router 0 (a list of links has"),
        (["apart.links"], 3, "apart.links: no path from host 2 to host 0"),
        (["broken.links"], 3, "broken.links:2: '1 two'"),
    ],
)
def test_wrong_networks_say_why(tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    Path("apart.links").write_text("0 1\n2 3\n")
    Path("broken.links").write_text("0 1\n1 two\n")
    done = atoll("network", *words)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert not Path("out.links").exists()
