# SPDX-License-Identifier: Apache-2.0
"""The rows of the catalog: what the command lists is what it takes, and what Python prepares it keeps."""

import json
import re
import subprocess
from pathlib import Path

import atoll
import numpy as np
import pytest
from listed import ALGORITHMS

ROOT = Path(__file__).parents[2]
ATOLL = ROOT / "bin/atoll"

# what Python's functions cannot do without
NEEDED = {"source": 1, "sources": [0, 1]}


def atoll_command(*words):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def rows():
    listed = json.loads(atoll_command("run", "--list", "--json", "-"))["result"]["algorithms"]
    return {row["name"]: row for row in listed}


def test_the_list_has_every_algorithm_with_a_default_column(rows):
    declared = re.findall(r"^Algorithm (\w+)_row\(\);", (ROOT / "cpp/atoll/catalog/rows.hpp").read_text(), re.MULTILINE)
    assert list(rows) == sorted(declared) and len(declared) > 8
    for row in rows.values():
        assert [column["default"] for column in row["columns"]] == [True] + [False] * (len(row["columns"]) - 1)
        assert hasattr(atoll, row["python"]), row["python"]
        for file in row["on_one_rank"] + row["over_ranks"]:
            assert (ROOT / "cpp/atoll" / file).exists(), file


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_help_of_a_run_has_the_options_that_are_listed_for_it(rows, name):
    text = atoll_command("run", name, "--help")
    for option in rows[name]["options"]:
        taken = option["stage"] != "check" and option["command"]
        name_of = {"sources": "--sources", "source": "--source"}.get(option["name"], f"--{option['name']}")
        assert (f"{name_of} " in text) == taken, option


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_second_call_prepares_nothing_and_gives_the_same(name, ranks):
    row = ALGORITHMS[name]
    needed = {option["name"]: NEEDED[option["name"]] for option in row["options"] if option["name"] in NEEDED}
    # those of bc and closeness are the answers themselves
    column = None if name in ("bc", "closeness") else row["columns"][0]["name"]

    def call(graph):
        more = {"alpha": 0.001} if name == "katz" else {}  # below 1 over the largest eigenvalue
        return getattr(atoll, row["python"])(graph, **needed, **more)

    def twice(world):
        graph = atoll.Graph("kron:9", weighted=True, comm=world)
        before = graph.memory
        first, second = call(graph), call(graph)
        if column is None:
            assert np.allclose(first.local, second.local, rtol=1e-12)
        else:
            assert first.prepare_seconds > 0 and second.prepare_seconds == 0
            assert np.allclose(getattr(first, column).local, getattr(second, column).local, rtol=1e-12)
            assert getattr(first, column).local is not getattr(second, column).local
        kept = graph.memory - before
        assert kept > 0 or row["python"] == "clustering"  # it makes its lists in each run and frees them
        graph.release_layouts()
        assert graph.memory == before
        if column is not None:
            assert call(graph).prepare_seconds > 0

    atoll.run_ranks(ranks, twice, plan={"threads": 1})


def test_vertex_cuts_are_counted_once_and_stay_with_the_graph():
    def run(world):
        graph = atoll.Graph("complete:300", weighted=True, partition="cartesian", comm=world)
        memory = [graph.memory]
        for call in [lambda g: atoll.sssp(g, 1), lambda g: atoll.sssp(g, 2), lambda g: atoll.pagerank(g, weight=None)]:
            call(graph)
            memory.append(graph.memory)
            graph.release_layouts()
            memory.append(graph.memory)
        return memory

    for before, paths, cut, again, same_cut, ranks, both_cuts in atoll.run_ranks(4, run, plan={"threads": 1}):
        assert cut - before > 8 * 300 * 300 / 4 * 0.9 and same_cut == cut  # 8 bytes an edge, about a quarter of them
        assert both_cuts - before == pytest.approx(2 * (cut - before), rel=0.2)  # by targets beside by sources
        for full, kept in [(paths, cut), (again, same_cut), (ranks, both_cuts)]:
            assert 0 < full - kept < (cut - before) / 2  # values of 300 vertices, no edges


def test_other_options_of_preparing_replace_the_layouts_that_were_kept():
    graph = atoll.Graph("kron:9")
    assert atoll.pagerank(graph).prepare_seconds > 0
    assert atoll.pagerank(graph, alpha=0.5).prepare_seconds == 0
    wide = graph.memory
    assert atoll.pagerank(graph, precision="float").prepare_seconds > 0
    assert graph.memory < wide
    assert atoll.pagerank(graph).prepare_seconds > 0


def test_a_run_that_is_refused_leaves_no_layouts_behind_and_the_graph_as_it_was():
    graph = atoll.Graph("kron:9")
    before = graph.memory
    with pytest.raises(atoll.InputError, match="does not exist"):
        atoll.bfs(graph, 10**9)
    assert graph.memory == before
    assert atoll.bfs(graph, 1).prepare_seconds > 0
    assert atoll.bfs(graph, 1).prepare_seconds == 0


@pytest.mark.parametrize("partition", ["balanced", "hashed", "hierarchy", "cartesian", "hybrid", "auto"])
def test_a_partition_changes_no_result_and_not_its_order(partition, tmp_path):
    def values(world, **options):
        graph = atoll.Graph("kron:9", weighted=True, comm=world, **options)
        file = tmp_path / f"{options.get('partition')}.tsv"
        depth = atoll.bfs(graph, 1).depth
        depth.write(file)
        text = file.read_text() if world.rank == 0 else ""
        ids = atoll.VertexArray(graph, graph.ids).gather()
        return (
            graph.cut,
            text,
            [
                ids,
                depth.gather(),
                atoll.sssp(graph, 1).distance.gather(),
                atoll.connected_components(graph).component.gather(),
                atoll.core_number(graph).core.gather(),
                atoll.label_propagation(graph).label.gather(),
                atoll.clustering(graph).triangles.gather(),
                atoll.clustering(graph).coefficient.gather(),
            ],
        )

    cut, text, expected = atoll.run_ranks(4, values, plan={"threads": 1})[0]
    assert cut == "edge" and expected[0].tolist() == sorted(expected[0].tolist())
    parts = atoll.run_ranks(4, lambda world: values(world, partition=partition), plan={"threads": 1})
    assert parts[0][1] == text
    assert {part[0] for part in parts} <= {partition if partition in ("cartesian", "hybrid") else "edge", "cartesian"}
    for part in parts:
        assert all(map(np.array_equal, part[2], expected))


@pytest.mark.parametrize(
    "options, error, match",
    [
        ({"partition": "metis"}, atoll.UsageError, "partition is 'metis'"),
        ({"heavy": 7}, atoll.UsageError, "'blocked' has no heavy vertices"),
        ({"partition": "hybrid", "heavy": 0}, atoll.InputError, "heavy is 0"),
    ],
)
def test_partitions_that_are_none_are_refused(options, error, match):
    with pytest.raises(error, match=match):
        atoll.Graph("ring:5", **options)


def test_arrays_reach_the_core_without_a_copy_or_not_at_all():
    graph = atoll.Graph("path:3")
    with pytest.raises(atoll.UsageError, match="sources is no array in one piece of int64"):
        atoll.algorithms.catalog.run(graph, "bc", sources=np.array([0.0]))
    with pytest.raises(atoll.UsageError, match="option sideways is unknown"):
        atoll.algorithms.catalog.run(graph, "cc", sideways=1)
    with pytest.raises(atoll.UsageError, match="'nothing' is unknown"):
        atoll.algorithms.catalog.run(graph, "nothing")


def test_the_table_of_the_documentation_is_that_of_the_rows():
    done = subprocess.run(
        ["python3", ROOT / "scripts/algorithms_table.py", "--check", "--atoll", ATOLL], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
