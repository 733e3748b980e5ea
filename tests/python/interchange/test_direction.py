# SPDX-License-Identifier: Apache-2.0
"""An undirected graph is one again when it has gone through a table or a file, unless the user says otherwise."""

import atoll
import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

EDGES = {
    "names": [("Zoë", "Ann", 2.0), ("Ann", "Cid", 0.5), ("Cid", "Cid", 1.0)],
    "ids": [(7, 9, 2.0), (9, 10**12, 0.5), (7, 7, 1.0)],
}


def of_parquet(graph, folder):
    graph.to_parquet(folder / "g.parquet")
    return folder / "g.parquet"


def of_feather(graph, folder):
    import pyarrow.feather

    pyarrow.feather.write_feather(graph.to_arrow(), folder / "g.feather")
    return folder / "g.feather"


WAYS = {
    "pandas": lambda graph, folder: graph.to_pandas(),
    "rows of pandas": lambda graph, folder: graph.to_pandas().query("weight < 9"),
    "arrow": lambda graph, folder: graph.to_arrow(),
    "parquet": of_parquet,
    "feather": of_feather,
}


@pytest.mark.parametrize("kind", EDGES)
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_direction_is_kept(tmp_path, way, directed, kind):
    graph = atoll.Graph(EDGES[kind], directed=directed)
    table = WAYS[way](graph, tmp_path)
    again = atoll.Graph(table)
    assert (again.directed, again.n, again.m) == (directed, graph.n, graph.m)
    assert {v: dict(again[v]) for v in again} == {v: dict(graph[v]) for v in graph}
    assert atoll.Graph(table, directed=not directed).directed is not directed


@pytest.mark.parametrize("ranks", [2, 3])
def test_direction_is_kept_over_ranks(tmp_path, ranks):
    path = tmp_path / "g.parquet"

    def write(world):
        atoll.Graph(EDGES["names"][world.rank :: world.size], directed=False, comm=world).to_parquet(path)

    def read(world):
        assert not atoll.Graph(path, comm=world).directed

    atoll.run_ranks(ranks, write)
    atoll.run_ranks(ranks, read)


def test_a_table_of_another_program_is_directed():
    pandas = pytest.importorskip("pandas")
    assert atoll.Graph(pandas.DataFrame({"a": ["x"], "b": ["y"]})).directed
