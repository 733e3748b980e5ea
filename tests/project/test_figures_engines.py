# SPDX-License-Identifier: Apache-2.0
"""bench/figures.py engines: other engines on the same graphs, and the files that they are given."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]


PEER = """#!/bin/sh
echo "$0 $*" >> {log}
echo "Read Time:           0.5"
echo "Build Time:          0.25"
echo "Trial Time:          2.0"
echo "Trial Time:          4.0"
"""


def test_engines_take_turns_with_a_peer(table, tmp_path, no_variables):
    for name in ("bfs", "sssp", "cc"):
        file = tmp_path / name
        file.write_text(PEER.format(log=tmp_path / "log"))
        file.chmod(0o755)
    words = ["--gap", tmp_path, "--graphs", "kron:7", "--pairs", 2, "--threads", 1, "--cache", tmp_path / "cache"]
    code, rows, kept, printed = table("engines", *words, "--algorithms", "bfs", "sssp", "pagerank")
    assert code == 0, printed.err
    assert [(row["algorithm"], row["peer"]) for row in kept] == [("bfs", "GAP"), ("sssp", "GAP")]  # there is no pr
    for row in kept:
        assert row["theirs"] == {"seconds": 3.0, "prepare": 0.25}
        assert row["ratio"] == pytest.approx(3.0 / row["ours"]["seconds"], rel=0.9)
        assert row["edges"] > 0 and row["ours"]["prepare"] > 0
    calls = (tmp_path / "log").read_text().splitlines()
    assert len(calls) == 4 and calls[0].endswith("kron-7.el -s") and calls[2].endswith("kron-7.wel -s")
    weights = {int(line.split()[2]) for line in (tmp_path / "cache/kron-7.wel").read_text().splitlines()}
    assert min(weights) >= 1 and max(weights) <= 255 and len(weights) > 9


def test_a_peer_has_its_best_delta_and_the_worst_ratio_comes_first(table, tmp_path, no_variables):
    for name, seconds in (("sssp", '$(case "$*" in *"-d 64"*) echo 1.0;; *) echo 9.0;; esac)'), ("cc", "0.000001")):
        file = tmp_path / name
        file.write_text(f'#!/bin/sh\necho "Build Time: 0.25"\necho "Trial Time: {seconds}"\n')
        file.chmod(0o755)
    graph = tmp_path / "triangle.el"
    graph.write_text("0 1\n1 2\n2 0\n")
    words = ["--gap", tmp_path, "--graphs", graph, "--real", tmp_path, "--cache", tmp_path / "cache", "--pairs", 1]
    code, _, kept, printed = table("engines", *words, "--delta", 16, 64, "--algorithms", "sssp", "cc")
    assert code == 0, printed.err
    assert {row["algorithm"]: row["theirs"]["seconds"] for row in kept} == {"sssp": 1.0, "cc": 1e-6}
    assert printed.out.index("| cc | GAP |") < printed.out.index("| sssp | GAP |")
    ratio = next(row["ratio"] for row in kept if row["algorithm"] == "cc")
    assert ratio < 1 and f"**{ratio:.2f}**" in printed.out  # a lost cell stands out
    weights = [line.split()[2] for line in (tmp_path / "cache/triangle.wel").read_text().splitlines()]
    assert len(set(weights)) > 1 and all(1 <= int(weight) <= 255 for weight in weights)


def test_choices_are_compared_with_every_value(table, tmp_path, no_variables):
    words = ["--graphs", "kron:7", "--real", tmp_path, "--cache", tmp_path / "cache", "--turns", 1]
    code, _, kept, printed = table("choices", *words, "--choices", "bfs --direction", "pagerank --partition")
    assert code == 0, printed.err
    assert [sorted(row["seconds"]) for row in kept] == [
        ["chosen", "pull", "push"],
        ["balanced", "blocked", "cartesian", "chosen", "hashed", "hybrid"],
    ]
    for row in kept:
        assert row["regret"] >= 1
        assert row["regret"] == pytest.approx(row["seconds"]["chosen"] / min(row["seconds"].values()))
        assert row["seconds"][row["best"]] == min(row["seconds"].values())
    assert "Regret by choice" in printed.out


def test_algorithms_beside_a_library_have_the_same_answers(table, tmp_path, no_variables):
    pytest.importorskip("scipy")
    words = ["--python", sys.executable, "--peers", "SciPy", "--cache", tmp_path / "cache", "--turns", 1]
    words += ["--graphs", "kron:7", "--directed-graphs", "uniform:7", "--algorithms", "scc", "msf"]
    code, _, kept, printed = table("algorithms", *words)
    assert code == 0, printed.err
    assert [(row["algorithm"], row["graph"]) for row in kept] == [("msf", "kron:7"), ("scc", "uniform:7")]
    for row in kept:
        assert row["quality"] == row["their_quality"] > 0  # the weight of the forest; the number of components
        assert row["seconds"] > 0 and row["theirs"] > 0
    code, _, kept, printed = table("algorithms", *words[2:], "--python", "false")
    assert code == 1 and kept == [] and "SciPy ended (exit code 1)" in printed.err


def test_algorithms_run_on_several_numbers_of_ranks_and_a_slow_peer_is_ended(table, tmp_path, no_variables):
    pytest.importorskip("igraph")
    words = [
        "--python",
        sys.executable,
        "--peers",
        "igraph",
        "--cache",
        tmp_path / "cache",
        "--turns",
        2,
        "--trials",
        1,
    ]
    words += ["--graphs", "kron:7", "--ranks", 1, 2, "--threads", 2, "--samples", 9, "--pairs", 50]
    code, rows, kept, printed = table("algorithms", *words, "--algorithms", "closeness", "jaccard", "ktruss")
    assert code == 0, printed.err
    machines = [(1, 2), (2, 1)]
    assert [(row["algorithm"], row["ranks"], row["threads"], row["peer"]) for row in kept] == [
        (algorithm, *machine, peer)
        for algorithm, peer in (("closeness", "igraph"), ("jaccard", "igraph"), ("ktruss", None))
        for machine in machines
    ]
    for row in kept[2:4]:
        assert row["quality"] == pytest.approx(row["their_quality"]) and 0 < row["quality"] < 1
        assert row["their_turns"] == 2
    assert kept[4]["quality"] == kept[5]["quality"] > 3 and "ratio" not in kept[4]  # a truss of more than triangles
    assert len((tmp_path / "cache/kron-7-simple-undirected-50-drawn.el").read_text().splitlines()) == 50
    assert [row[:4] for row in rows if row[0] == "igraph"] != []  # geometric means by peer
    sleeps = tmp_path / "sleeps"
    sleeps.write_text("#!/bin/sh\necho ready\nread question\nexec sleep 100\n")
    sleeps.chmod(0o755)
    words[1] = sleeps
    code, rows, kept, printed = table("algorithms", *words, "--algorithms", "louvain", "--limit", 0.1)
    assert code == 0, printed.err
    assert all(row["over"] == 0.1 and "theirs" not in row for row in kept) and len(kept) == 2
    assert "over 0.1 s" in printed.out


def test_a_directed_lattice_has_edges_in_both_directions_and_in_one(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench")
    import inputs
    import numpy as np

    options = SimpleNamespace(cache=tmp_path, atoll=ROOT / "bin/atoll")
    rows = np.load(inputs.Input("grid:9x9", "--directed", options).simple_rows())
    weights = {(u, v): w for u, v, w in rows.tolist()}
    both = [pair for pair in weights if pair[::-1] in weights]
    assert 0 < len(weights) - len(both) < len(both)
    assert len(both) // 2 + len(weights) - len(both) == 2 * 9 * 8  # each neighbour of the lattice
    assert all(weights[pair] == weights[pair[::-1]] for pair in both)
    once = np.load(inputs.Input("grid:9x9", "--undirected", options).simple_rows())
    assert len(once) == 2 * 9 * 8 and (once[:, 0] < once[:, 1]).all()


def test_rows_are_written_as_text_without_leading_zeros(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench")
    import inputs
    import numpy as np

    rows = np.random.default_rng(2).integers(0, [1 << 40, 11, 1], size=((1 << 16) + 5, 3))
    inputs.write_rows(tmp_path / "rows", rows)
    assert (tmp_path / "rows").read_text() == "".join(f"{a} {b} {c}\n" for a, b, c in rows.tolist())


def test_the_script_of_networkx_is_timed_call_by_call_and_says_what_is_declined(table, no_variables):
    pytest.importorskip("networkx")
    code, rows, kept, printed = table("networkx-script", "--nodes", 60, 90, "--edges", 2, "--turns", 1)
    assert code == 0, printed.err
    assert [row["call"] for row in kept].count("the whole script") == 2 and len(kept) == 2 * 19
    for whole, *calls in (kept[:19], kept[19:]):
        assert whole["atoll"] == pytest.approx(sum(row["atoll"] for row in calls))
        assert all(row["ratio"] == row["networkx"] / row["atoll"] > 0 for row in calls)
    assert [row["call"] for row in kept if row["declined"]] == ["1 density"] * 2
    code, _, kept, printed = table("networkx-script", "--nodes", 60, "--python", "false")
    assert code == 1 and kept == [] and "the script on 60 nodes failed" in printed.err


def test_a_copy_numbered_by_degree_is_the_same_graph(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "bench")
    import inputs
    import numpy as np

    random = np.random.default_rng(3)
    edges = np.unique(random.integers(0, [40, 9], size=(300, 2)), axis=0)  # low ids have high degrees on one side
    weights = random.integers(1, 256, len(edges))

    def side(at):
        order = np.lexsort((edges[:, 1 - at], edges[:, at]))
        entries = np.zeros(len(edges), dtype=[("v", "<i4"), ("w", "<i4")])
        entries["v"], entries["w"] = edges[order, 1 - at], weights[order]
        return np.concatenate([[0], np.cumsum(np.bincount(edges[:, at], minlength=40))]), entries

    inputs.write_lists(tmp_path / "g.wsg", True, [side(0), side(1)])
    directed, sides = inputs.number_by_degree(*inputs.read_lists(tmp_path / "g.wsg", weighted=True))
    degree = sum(np.diff(offsets) for offsets, _ in sides)
    assert directed and (np.diff(degree) <= 0).all()
    number = np.argsort(np.argsort(-np.bincount(edges.ravel(), minlength=40), kind="stable"))
    expected = {(*map(int, number[[u, v]]), int(w)) for (u, v), w in zip(edges, weights)}
    for at, (offsets, entries) in enumerate(sides):
        row = np.repeat(np.arange(40), np.diff(offsets))
        ends = (row, entries["v"]) if at == 0 else (entries["v"], row)
        assert set(zip(*(column.tolist() for column in (*ends, entries["w"])))) == expected
        assert all((np.diff(entries["v"][a:b]) > 0).all() for a, b in zip(offsets, offsets[1:]))


def test_engines_without_a_peer_say_what_to_give(table, no_variables):
    if importlib.util.find_spec("networkit"):
        pytest.skip("networkit is here: it is a peer")
    code, _, kept, printed = table("engines")
    assert code == 2 and kept == [] and "--gap" in printed.err


def test_a_peer_that_fails_fails_the_table(table, tmp_path, no_variables):
    (tmp_path / "cc").write_text("#!/bin/sh\necho broken\nexit 1\n")
    (tmp_path / "cc").chmod(0o755)
    words = ["--gap", tmp_path, "--graphs", "kron:6", "--pairs", 1, "--cache", tmp_path / "cache"]
    code, _, kept, printed = table("engines", *words, "--algorithms", "cc")
    assert code == 1 and kept == [] and "broken" in printed.err
