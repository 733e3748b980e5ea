# SPDX-License-Identifier: Apache-2.0
"""Results do not depend on the partition and the preparation, and are in the order of the input's ids."""

import itertools
import json
import random
import subprocess
from pathlib import Path

import pytest
from listed import ALGORITHMS

ATOLL = Path(__file__).parents[2] / "bin/atoll"
PARTITIONS = ["blocked", "balanced", "hashed", "hierarchy"]
CUTS = ["cartesian", "hybrid", "auto"]


def atoll(*words):
    assert ATOLL.exists(), "make build makes bin/atoll"
    return subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120)


def report(*words):
    done = atoll(*words, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def roads(tmp_path_factory):
    """A grid of 20 x 20 whose ids are sparse and shuffled, and a star beside it."""
    dice = random.Random(3)
    ids = dice.sample(range(10**12), 400 + 101)
    pairs = [(ids[i], ids[i + 1]) for i in range(400) if i % 20 < 19]
    pairs += [(ids[i], ids[i + 20]) for i in range(380)]
    pairs += [(ids[400], ids[401 + k]) for k in range(100)]
    path = tmp_path_factory.mktemp("graphs") / "roads.el"
    path.write_text("".join(f"{u} {v}\n" for u, v in pairs))
    return path, ids[0]


@pytest.fixture(scope="module")
def expected(roads, tmp_path_factory):
    path, source = roads
    out = tmp_path_factory.mktemp("expected") / "depth.tsv"
    report("run", "bfs", path, "--undirected", "--source", source, "--output", out, "--threads", 1)
    text = out.read_text()
    ids = [int(line.split()[0]) for line in text.splitlines()]
    assert ids == sorted(ids) and len(ids) == 501
    return text


@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize(
    "machine", [("3", []), ("4", ["--domains", "3+1"]), ("4", ["--domains", "2x2", "--route", "domain"])]
)
def test_a_result_is_the_same_under_every_partition(roads, expected, tmp_path, partition, machine):
    path, source = roads
    ranks, words = machine
    words = ["--ranks", ranks, "--threads", 1, "--transport", "inproc", *words]
    fusions = ["on", "off"] if partition == "hierarchy" else ["off"]
    for fusion, fission, sort in itertools.product(fusions, ["off", "5"], ["on", "off"]):
        out = tmp_path / f"{fusion}{fission}{sort}.tsv"
        found = report(
            *["run", "bfs", path, "--undirected", "--source", source, "--output", out, "--verify"],
            *["--partition", partition, "--fission", fission, "--degree-sort", sort],
            *(["--fusion", fusion] if partition == "hierarchy" else []),
            *words,
        )
        assert out.read_text() == expected
        assert found["verified"] is True
        done = {"partition": partition, "fusion": fusion, "degree_sort": sort, "isolated": "drop"}
        assert found["input"]["preparation"] == done
        phases = found["seconds"]["build_phases"]
        assert ("assign" in phases) == (partition != "blocked")
        assert ("fuse" in phases) == (partition == "hierarchy" and fusion == "on")


def test_sources_are_drawn_alike_under_every_partition():
    def drawn(*words):
        found = report(
            "run", "bfs", "kron:9", "--sources", 6, "--ranks", 3, "--threads", 1, "--transport", "inproc", *words
        )
        return [(one["source"], one["reached"], one["levels"]) for one in found["result"]["per_source"]]

    expected = drawn()
    for partition, isolated in itertools.product([*PARTITIONS, "auto"], ["drop", "keep"]):
        assert drawn("--partition", partition, "--isolated", isolated) == expected


def test_inspect_compares_the_partitions_of_a_machine_larger_than_the_job(roads):
    path, _ = roads
    found = report("inspect", path, "--undirected", "--hierarchy", "--for-domains", "2x2x4", "--threads", 1)["result"]
    assert found["machine"]["ranks"] == 16
    by_name = {one["partition"]: one for one in found["partitions"]}
    assert list(by_name) == PARTITIONS
    for one in by_name.values():
        assert one["edges_inside_ranks"] + sum(one["edges_at_level"]) == 860
        assert one["inter_domain_edges"] == sum(one["edges_at_level"][1:])
        latencies = [level["latency_s"] for level in found["machine"]["cost"]["levels"]]
        cost = sum(n * s for n, s in zip(one["edges_at_level"], latencies))
        assert one["equation1_seconds"] == pytest.approx(cost)
    assert by_name["hierarchy"]["inter_domain_edges"] * 5 < by_name["hashed"]["inter_domain_edges"]
    three = report(
        "inspect", path, "--undirected", "--hierarchy", "--for-domains", "2x2x4", "--ranks", 3, "--threads", 1
    )
    for one in three["result"]["partitions"]:
        assert one["edges_at_level"] == by_name[one["partition"]]["edges_at_level"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_vertex_cut_gives_what_the_edge_cut_gives(algorithm, tmp_path):
    def values(partition, *words):
        out = tmp_path / f"{partition}.tsv"
        more = {
            "bellman_ford": ["--weighted", "--source", 5],
            "bfs": ["--source", 5],
            "katz": ["--alpha", 0.001],
            "pagerank": ["--max-iter", 20],
            "sssp": ["--weighted", "--source", 5],
        }.get(algorithm, [])
        found = report(
            *["run", algorithm, "kron:9", "--verify", "--output", out, "--partition", partition],
            *["--ranks", 4, "--threads", 1, "--transport", "inproc", *more, *words],
        )
        assert found["verified"] is True
        assert found["input"]["cut"] == {"cartesian": "cartesian", "hybrid": "hybrid"}.get(partition, "edge")
        return [line.split() for line in out.read_text().splitlines()]

    expected = values("balanced")
    for partition, words in [("cartesian", []), ("hybrid", ["--heavy", 20]), ("cartesian", ["--domains", "2x2"])]:
        got = values(partition, *words)
        assert [v for v, _ in got] == [v for v, _ in expected]
        if algorithm in (
            "bc",
            "eigenvector",
            "hits",
            "katz",
            "pagerank",
        ):  # sums, added in the order in which they come
            assert [float(x) for _, x in got] == pytest.approx([float(x) for _, x in expected], rel=1e-10)
        else:
            assert got == expected


@pytest.mark.parametrize("cut", ["cartesian", "hybrid"])
def test_a_verb_that_needs_whole_lists_refuses_a_vertex_cut_and_says_whose_it_is(cut):
    words = ["run", "path", "kron:6", "--from", 1, "--to", 5, "--ranks", 4, "--threads", 1, "--transport", "inproc"]
    done = atoll(*words, "--partition", cut)
    assert done.returncode == 2
    assert (
        f"--partition: {cut} (a cut for the algorithms of atoll run --list; this goes over the edge-cut" in done.stderr
    )
    assert report(*words, "--partition", "auto")["input"]["vertices"] == 64


def test_options_that_a_partition_does_not_use_are_rejected():
    for words, message in [
        (["pagerank", "--heavy", 7], "--heavy: 7 (--partition blocked has no heavy vertices, hybrid has)"),
        (["sssp", "--partition", "hashed", "--fusion", "on"], "--fusion: on (--partition hashed fuses nothing"),
    ]:
        done = atoll("run", words[0], "path:5", *words[1:])
        assert done.returncode == 2 and message in done.stderr
    for words, message in [
        (["--direction", "pull", "--degree-order"], "--degree-order with --direction pull"),
        (["--provider", "tcp"], "--provider tcp with --transport auto (providers are libfabric's)"),
        (["--transport", "inproc", "--mpi", "mpich"], "--mpi mpich with --transport inproc (its ranks live in one"),
        (["--format", "mtx"], "--format mtx (it is for files, and path:5 is generated)"),
        (["--weight-column", "3"], "--weight-column 3 (it is for files, and path:5 is generated)"),
    ]:
        done = atoll("run", "bfs", "path:5", *words)
        assert done.returncode == 2 and message in done.stderr, done.stderr
    words = ["run", "pagerank", "kron:6", "--ranks", 4, "--threads", 1, "--transport", "inproc", "--partition"]
    hybrid = report(*words, "hybrid", "--heavy", 7)["input"]
    assert (hybrid["cut"], hybrid["preparation"]["partition"], hybrid["preparation"]["heavy"]) == (
        "hybrid",
        "balanced",
        7,
    )
    assert "heavy" not in report(*words, "cartesian")["input"]["preparation"]


@pytest.mark.parametrize(
    "direction, words",
    [
        *((direction, []) for direction in ("push", "pull", "auto")),
        *((direction, ["--domains", "2x2", "--route", "domain"]) for direction in ("push", "pull", "auto")),
        *((direction, ["--degree-order"]) for direction in ("push", "auto")),  # a pull has no order
    ],
)
def test_a_search_over_a_vertex_cut_pushes_and_pulls(direction, words):
    for cut in ["cartesian", "hybrid"]:
        found = report(
            *["run", "bfs", "kron:10", "--direction", direction, "--partition", cut, "--heavy", 20][
                : None if cut == "hybrid" else -2
            ],
            *["--sources", 4, "--verify", "--ranks", 4, "--threads", 2, "--transport", "inproc", *words],
        )
        assert found["verified"] is True
        assert found["input"]["cut"] == cut
        pulls = [one["pulls"] for one in found["result"]["per_source"]]
        assert all(p == 0 for p in pulls) if direction == "push" else all(p > 0 for p in pulls)


def test_fission_over_a_vertex_cut_is_rejected():
    words = ["run", "bfs", "kron:6", "--ranks", 4, "--threads", 1, "--transport", "inproc", "--fission", "on"]
    done = atoll(*words, "--partition", "cartesian")
    assert done.returncode == 3 and "bfs: fission over a vertex-cut" in done.stderr, done.stderr


def test_auto_uses_a_vertex_cut_only_for_rounds_over_all_edges():
    def cut(algorithm, graph, ranks):
        found = report(
            *["run", algorithm, graph, "--partition", "auto", "--ranks", ranks, "--threads", 1, "--trials", 1],
            *["--transport", "inproc", "--verify"],
        )
        assert found["verified"] is True
        return found["input"]["cut"]

    assert cut("pagerank", "uniform:9:16", 9) == "cartesian"
    assert cut("pagerank", "grid:30x30", 4) == "edge"
    assert cut("cc", "uniform:9:16", 9) == "edge"


def test_inspect_reports_the_cost_of_each_cut():
    def cuts(*words):
        found = report("inspect", "kron:10", "--threads", 1, *words)["result"]
        return found["grid"], {one["partition"]: one for one in found["cuts"]}

    grid, by_name = cuts("--for-ranks", 16)
    assert grid == [4, 4]
    assert list(by_name) == ["blocked", "balanced", "hashed", *CUTS]
    for one in by_name.values():
        assert one["bytes_per_round"] == 4 * (one["mirrors_read"] + one["mirrors_written"])
        assert one["replication"] == pytest.approx(one["copies"] / 1024)
    for name in ["blocked", "balanced", "hashed"]:
        assert by_name[name]["mirrors_written"] == 0
        assert by_name[name]["copies"] == 1024 + by_name[name]["mirrors_read"]
    assert by_name["cartesian"]["bytes_per_round"] < by_name["balanced"]["bytes_per_round"]
    assert by_name["auto"] == by_name[by_name["auto"]["cut"]] | {"partition": "auto"}
    # The same whoever computes it, and the heavy vertices are who one says.
    assert cuts("--for-ranks", 16, "--ranks", 3, "--transport", "inproc") == (grid, by_name)
    _, all_heavy = cuts("--for-ranks", 16, "--heavy", 1)
    assert all_heavy["hybrid"]["mirrors_read"] == 0
    assert cuts("--ranks", 3, "--transport", "inproc")[0] == [1, 3]
    assert "cuts" not in report("inspect", "kron:10", "--threads", 1)["result"]


def test_unknown_names_are_rejected():
    for words in [
        ["--partition", "metis"],
        ["--fission", "0"],
        ["--fission", "many"],
        ["--degree-sort", "up"],
        ["--heavy", "0"],
    ]:
        done = atoll("run", "bfs", "path:5", *words)
        assert done.returncode == 2, (words, done.stderr)
        assert words[1] in done.stderr
    assert atoll("inspect", "path:5", "--for-domains", "2x2").returncode == 2
    done = atoll("inspect", "path:5", "--hierarchy", "--for-domains", "2xx")
    assert done.returncode == 3 and "2xx" in done.stderr
