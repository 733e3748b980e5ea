# SPDX-License-Identifier: Apache-2.0
"""All pairs lose no weight and no length silently, and agree with sssp: for every method, command and Python."""

import json
import subprocess
from pathlib import Path

import atoll
import numpy as np
import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"

HOWS = [
    *(["--method", method] for method in ("fw", "dijkstra", "delta")),
    ["--method", "fw", "--peel", "off"],
    ["--ranks", "2", "--transport", "inproc"],
    ["--ranks", "4", "--grid", "2x2", "--transport", "inproc"],
]


def command(*words, code=0):
    run = subprocess.run([ATOLL, "run", *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == code, run.stdout + run.stderr
    return run.stderr if code else json.loads(run.stdout)


def apsp(file, out, *how):
    found = command("apsp", file, *how, "--threads", "1", "--output", out, "--json", "-")
    assert found["verified"] is True
    return found["result"], atoll.apsp.open(out)


def text_of(edges):
    return "".join(f"{u} {v} {w!r}\n" for u, v, w in edges)


# Values that float32 would round: to 0, to infinity, or to a neighbour.
CHAINS = [
    [1e-50, 1e-50],
    [5e-324, 1e-310],
    [16777217.5, 0.25],
    [0.1, 0.2, 0.3],
    [1e16, 1.5],
    [1e300, 1e300],
    [1e-300, 1e300],
]


@pytest.mark.parametrize("weights", CHAINS, ids=str)
@pytest.mark.parametrize("how", HOWS, ids=" ".join)
@pytest.mark.parametrize("directed", [True, False])
def test_fractions_of_float64_stay_float64(weights, how, directed, tmp_path):
    edges = [(k + 1, k + 2, w) for k, w in enumerate(weights)]
    file = tmp_path / "t.txt"
    file.write_text(text_of(edges))
    side = "--directed" if directed else "--undirected"
    result, found = apsp(file, tmp_path / "o.npy", side, *how)
    assert result["type"] == "float64" and result["rounded_weights"] == 0
    for u, v, w in edges:
        assert found.distance(u, v) == w
    assert found.distance(1, len(weights) + 1) == pytest.approx(sum(weights), rel=1e-15, abs=0)


@pytest.mark.parametrize("how", [["--out-of-core"], ["--checkpoint", "saved", "--checkpoint-steps", "1"]], ids=" ".join)
def test_files_and_checkpoints_have_the_values_in_memory(how, tmp_path):
    file = tmp_path / "t.txt"
    file.write_text(text_of([(1, 2, 1e-50), (2, 3, 1e-50), (3, 4, 16777217.5)]))
    how = [str(tmp_path / word) if word == "saved" else word for word in how]
    _, found = apsp(file, tmp_path / "o.tiles", "--directed", *how)
    assert [found.distance(1, v) for v in (2, 3, 4)] == [1e-50, 2e-50, 16777217.5]


@pytest.mark.parametrize("semiring", ["max_plus", "max_min"])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_other_semirings_hold_float64(semiring, ranks, tmp_path):
    file = tmp_path / "t.txt"
    file.write_text(text_of([(1, 2, 1e-50), (2, 3, 16777217.5)]))
    how = ["--semiring", semiring, "--ranks", ranks, "--transport", "inproc"]
    result, found = apsp(file, tmp_path / "o.npy", "--directed", *how)
    assert result["type"] == "float64"
    assert (found.distance(1, 2), found.distance(2, 3)) == (1e-50, 16777217.5)
    assert found.distance(1, 3) == (1e-50 if semiring == "max_min" else 16777217.5)


@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        ([1e-50, 1e-50], "float64"),
        ([16777217.5, 2], "float64"),
        (np.array([0.1, 0.2]), "float64"),
        (np.array([0.1, 0.2], np.float32), "float32"),
        (np.array([0.5, 0.25]), "float32"),
        ([3, 4], "int32"),
        (np.array([3e8, 3e8]), "float64"),
        (np.array([3e8, 3e8], np.float32), "float64"),
        (None, "uint16"),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["auto", "fw", "dijkstra", "delta"])
def test_the_type_depends_on_the_input(weights, dtype, method):
    pairs = atoll.all_pairs(atoll.Graph.from_edges([1, 2], [2, 3], weights), method=method)
    assert pairs.dtype == dtype and pairs.report["rounded_weights"] == 0
    first, second = (1, 1) if weights is None else (float(weights[0]), float(weights[1]))
    assert (pairs.distance(1, 2), pairs.distance(2, 3)) == (first, second)
    assert pairs.distance(1, 3) == np.dtype(dtype).type(first + second)
    assert pairs.path(1, 3).tolist() == [1, 2, 3]


def test_matrices_of_scipy_keep_their_values():
    sparse = pytest.importorskip("scipy.sparse")
    for dtype in (np.float64, np.float32):
        A = sparse.coo_array((np.array([1e-30, 0.1], dtype), ([0, 1], [1, 2])), shape=(3, 3))
        pairs = atoll.all_pairs(atoll.Graph(A))
        assert pairs.dtype == dtype and pairs.distance(0, 1) == dtype(1e-30)
    with pytest.raises(TypeError, match=r"A has ints above 2\*\*53"):
        atoll.Graph(sparse.coo_array((np.array([2**53 + 1]), ([0], [1])), shape=(2, 2)))
    with pytest.raises(TypeError, match="weights are numbers of at most 64 bits"):
        atoll.Graph.from_edges([1], [2], np.array([1], np.longdouble))


def test_requested_float32_is_reported(tmp_path):
    edges = [(1, 2, 0.1), (2, 3, 0.5)]
    file = tmp_path / "t.txt"
    file.write_text(text_of(edges))
    result, found = apsp(file, tmp_path / "o.npy", "--directed", "--type", "float32")
    assert (result["type"], result["rounded_weights"]) == ("float32", 1)
    assert found.distance(1, 2) == np.float32(0.1)
    table = subprocess.run(
        [ATOLL, "run", "apsp", file, "--directed", "--type", "float32"], capture_output=True, text=True, check=True
    ).stdout
    assert "1 of 2 are rounded to float32" in table
    graph = atoll.Graph.from_edges(*zip(*edges))
    assert atoll.all_pairs(graph, dtype="float32").report["rounded_weights"] == 1
    tiny = atoll.Graph.from_edges([1], [2], [1e-50])
    with pytest.raises(atoll.InputError, match="the edge from 1 to 2 weighs 1e-50: float32 would have 0"):
        atoll.all_pairs(tiny, dtype="float32")
    file.write_text("1 2 1e-50\n")
    for how in HOWS:
        if "--ranks" in how or how == HOWS[0]:
            assert "weighs 1e-50" in command("apsp", file, "--type", "float32", *how, code=3)


FAR = 2**53  # float64 holds whole numbers up to here, and only even ones above


@pytest.mark.parametrize("cut", [[], ["--ranks", "2"], ["--ranks", "3", "--partition", "hybrid"]], ids=" ".join)
@pytest.mark.parametrize(
    ("weights", "held"), [([FAR, 2, 2], True), ([FAR, 1, 1], False), ([1, FAR, 1], False), ([FAR - 2, 1], True)]
)
@pytest.mark.parametrize("others", [0, 600])  # vertices that make n times the greatest weight more than 2^62
def test_sssp_and_all_pairs_agree_beyond_exact_float64(weights, held, others, cut, tmp_path):
    file, out = tmp_path / "t.txt", tmp_path / "d.tsv"
    path = [(k + 1, k + 2, w) for k, w in enumerate(weights)]
    file.write_text(text_of(path + [(1000 + k, 1001 + k, 1) for k in range(others)]))
    machine = ["--directed", "--transport", "inproc", "--threads", "1"]
    sssp = ["sssp", file, "--source", 1, "--output", out, *machine, *cut]
    pairs = ["apsp", file, *machine, *cut[:2]]
    expected = {1 + k: sum(weights[:k]) for k in range(len(weights) + 1)}
    if not held:
        assert f"is {FAR + 1} long (float64 does not hold" in command(*sssp, code=3)
        said = command(*pairs, code=3)
        assert "float64 does not hold every whole number beyond 2^53" in said and "90071992547409" in said
        return
    assert command(*sssp, "--json", "-")["verified"] is True
    found = dict(line.split() for line in out.read_text().splitlines())
    assert {int(v): int(d) for v, d in found.items() if int(v) < 1000} == expected
    assert command(*pairs, "--output", tmp_path / "o.npy", "--json", "-")["verified"] is True
    found = atoll.apsp.open(tmp_path / "o.npy")
    assert {v: int(found.distance(1, v)) for v in expected} == expected


@pytest.mark.parametrize("how", HOWS, ids=" ".join)
def test_negative_fractions_are_verified_at_the_scale_of_the_summands(how, tmp_path):
    file = tmp_path / "t.txt"
    file.write_text(text_of([(1, 2, -1000.0), (2, 3, -0.1)]))
    _, found = apsp(file, tmp_path / "o.npy", "--directed", *how)
    assert found.distance(2, 3) == pytest.approx(-0.1, abs=1e-12)


def test_out_of_core_rejects_sums_that_it_would_not_check(tmp_path):
    file = tmp_path / "t.txt"
    file.write_text(text_of([(1, 2, FAR), (2, 3, 2)]))
    words = ["apsp", file, "--directed", "--out-of-core", "--output", tmp_path / "o.tiles"]
    assert "leave --out-of-core out" in command(*words, code=3)


def test_python_rejects_the_same_whole_lengths():
    odd = atoll.Graph.from_edges([1, 2, 3], [2, 3, 4], [FAR, 1, 1])
    with pytest.raises(atoll.InputError, match="float64 does not hold"):
        atoll.sssp(odd, 1)
    with pytest.raises(atoll.InputError, match="float64 does not hold"):
        atoll.all_pairs(odd)
    assert atoll.sssp(odd, 2).distance.gather().tolist() == [np.inf, 0, 1, 2]


def test_betweenness_rejects_lengths_that_rounding_could_make_equal():
    src, dst = [0, 0, 1], [2, 1, 2]
    tie = atoll.Graph.from_edges(
        src, dst, [FAR, FAR - 1, 2]
    )  # the path through 1 is longer by 1, which float64 cannot represent
    with pytest.raises(atoll.InputError, match="betweenness: edges: the shortest path to 2 is"):
        atoll.betweenness_centrality(tie, weight=True)
    near = atoll.Graph.from_edges(src, dst, [FAR - 2, FAR - 4, 1])
    assert atoll.betweenness_centrality(near, weight=True, normalized=False).gather().tolist() == [0, 1, 0]


SIDES = [([0, 0], [1, 1], True), ([0, 0], [1, 1], False), ([0, 1], [1, 0], False)]


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize(("src", "dst", "directed"), SIDES)
def test_parallel_edges_have_one_answer(src, dst, directed, ranks, tmp_path):
    file = tmp_path / "t.txt"
    file.write_text("".join(f"{u} {v} {w}\n" for u, v, w in zip(src, dst, (3.0, 7.0))))
    side = "--directed" if directed else "--undirected"
    semirings = ["min_plus", "max_min", "max_plus"] if directed else ["min_plus", "max_min"]
    expected = {}
    for semiring in semirings:
        out = tmp_path / f"{semiring}.npy"
        how = ["--semiring", semiring, "--ranks", ranks, "--transport", "inproc"]
        expected[semiring] = apsp(file, out, side, *how)[1].distance(0, 1)
    assert expected == {s: 3 if s == "min_plus" else 7 for s in semirings}

    def play(world):
        mine = slice(world.rank, None, world.size)
        part = np.array(src)[mine], np.array(dst)[mine], np.array([3.0, 7.0])[mine]
        part = [np.ascontiguousarray(column) for column in part]

        def distance(semiring, **how):
            graph = atoll.Graph.from_edges(*part, directed=directed, comm=world, **how)
            pairs = atoll.all_pairs(graph, semiring=semiring)
            out = tmp_path / f"{semiring} {how}.npy"
            pairs.save(out, replace=True)
            return atoll.apsp.open(out).distance(0, 1)

        for semiring in semirings:
            assert distance(semiring, duplicates="keep") == expected[semiring]
            if semiring == "min_plus":
                assert distance(semiring) == expected[semiring]
                continue
            assert distance(semiring, duplicates="max") == expected[semiring]
            with pytest.raises(atoll.UsageError, match='duplicates="max"'):
                distance(semiring)

    atoll.run_ranks(ranks, play)


def test_merging_without_loss_is_accepted():
    sparse = pytest.importorskip("scipy.sparse")
    for columns in [([0, 0], [1, 1], [7.0, 7.0]), ([0, 0], [1, 1]), ([0, 0, 0], [1, 0, 0], [7.0, 2.0, 3.0])]:
        for directed in (True, False):
            pairs = atoll.all_pairs(atoll.Graph.from_edges(*columns, directed=directed), semiring="max_min")
            assert pairs.distance(0, 1) == (7 if len(columns) == 3 else 1)
    graph = atoll.Graph.from_edges([0, 0], [1, 1], [3.0, 7.0])
    assert atoll.all_pairs(graph, semiring="or_and").distance(0, 1) is True
    A = sparse.csr_array(np.array([[0, 3.0], [7.0, 0]]))
    with pytest.raises(atoll.UsageError, match='duplicates="max"'):
        atoll.all_pairs(atoll.Graph(A, directed=False), semiring="max_min")
    widest = atoll.all_pairs(atoll.Graph(A, directed=False, duplicates="max"), semiring="max_min")
    assert widest.distance(0, 1) == 7
    assert atoll.all_pairs(atoll.Graph(A), semiring="max_min").distance(0, 1) == 3
    with pytest.raises(atoll.UsageError, match="duplicates is 'most'"):
        atoll.Graph(A, duplicates="most")


def test_the_command_keeps_the_greatest_weight_too(tmp_path):
    file, out = tmp_path / "t.txt", tmp_path / "d.tsv"
    file.write_text("0 1 3\n0 1 7\n1 0 9\n")
    for duplicates, length in (("min", 3), ("max", 7), ("sum", 10)):
        for ranks in (1, 2):
            how = [
                "--duplicates",
                duplicates,
                "--ranks",
                ranks,
                "--transport",
                "inproc",
                "--output",
                out,
                "--json",
                "-",
            ]
            command("sssp", file, "--directed", "--source", 0, *how)
            assert out.read_text().split() == ["0", "0", "1", str(length)]
