# SPDX-License-Identifier: Apache-2.0
"""Files of tables and of other programs, as graphs; files that are none of what is read are named by their content."""

import gzip
import json
import pickle
import warnings
import zipfile

import atoll
import numpy as np
import pytest

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")

from pyarrow import feather, parquet  # noqa: E402

RANKS = [1, 2, 3, 5]


def table(rows=211, named=False, seed=3):
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, 40, (2, rows))
    ends = [[f"v{i}" for i in column] if named else column for column in (src, dst)]
    return pyarrow.table({"km": rng.random(rows), "from": ends[0], "kind": ["road"] * rows, "to": ends[1]})


def write_parquet(path, rows):
    parquet.write_table(rows, path, row_group_size=17)
    return path


def write_folder(path, rows):
    path = path.with_suffix("")
    path.mkdir()
    for k in range(3):
        write_parquet(path / f"part-{k}.parquet", rows.slice(k * 71, 71))
    return path


def write_feather(path, rows):
    feather.write_feather(rows, path, compression="zstd", chunksize=23)
    return path


def write_stream(path, rows):
    with pyarrow.ipc.new_stream(path, rows.schema) as stream:
        stream.write_table(rows, max_chunksize=29)
    return path


TABLES = {
    "parquet": (".parquet", write_parquet),
    "folder": (".parquet", write_folder),
    "feather": (".feather", write_feather),
    "stream": (".arrow", write_stream),
}


def edges(graph):
    return sorted(zip(*[column.tolist() for column in graph.edges.arrays()]))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("ranks", RANKS)
def test_each_rank_reads_its_rows_of_a_table(tmp_path, kind, named, ranks):
    ending, write = TABLES[kind]
    rows = table(named=named)
    path = write(tmp_path / ("edges" + ending), rows)
    columns = {"source": "from", "target": "to", "weight": "km"}
    expected = atoll.Graph(rows, duplicates="keep", **columns)

    def read(world):
        graph = atoll.Graph(path, duplicates="keep", comm=world, **columns)
        assert graph.weighted and graph.directed
        return graph.n, graph.m, atoll.pagerank(graph).score.to_dict() if world.size == 1 else None, edges(graph)

    found = atoll.run_ranks(ranks, read, plan={"threads": 1})
    assert found[0][:2] == (expected.n, expected.m)
    assert sorted(sum((part for *_, part in found), [])) == edges(expected)
    if ranks == 1:
        assert found[0][2] == pytest.approx(atoll.pagerank(expected).score.to_dict())


def test_a_table_of_few_rows_leaves_ranks_without(tmp_path):
    path = write_parquet(tmp_path / "two.parquet", pyarrow.table({"source": ["a", "b"], "target": ["b", "c"]}))

    def read(world):
        graph = atoll.Graph(path, comm=world)
        return graph.n, graph.m, graph.weighted

    assert atoll.run_ranks(5, read) == [(3, 2, False)] * 5


def test_only_the_needed_columns_are_read(tmp_path):
    rows = table().append_column("rest", pyarrow.array([b"x" * 1000] * 211))
    path = write_parquet(tmp_path / "wide.parquet", rows)
    graph = atoll.Graph(path, source="from", target="to", weighted=False)
    assert not graph.weighted and graph.columns.startswith("source 'from', target 'to', no weight")


@pytest.mark.parametrize("kind", ["parquet", "feather"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_wrong_tables_are_refused_the_same_on_all_ranks(tmp_path, kind, ranks):
    ending, write = TABLES[kind]
    good = write(tmp_path / ("good" + ending), table())
    cut = tmp_path / ("cut" + ending)
    cut.write_bytes(good.read_bytes()[:-40])

    def refused(path, said, error=atoll.InputError, **columns):
        def read(world):
            with pytest.raises(error, match=said) as raised:
                atoll.Graph(path, comm=world, **columns)
            return str(raised.value)

        assert len(set(atoll.run_ranks(ranks, read))) == 1

    refused(good, "source.* is 'start' .*the columns are: 'km', 'from', 'kind', 'to'", source="start")
    refused(good, "is bool|is other|names", TypeError, source="from", target="kind")
    refused(cut, "Was it cut off")
    refused(tmp_path / ("none" + ending), "none", OSError)
    refused(good, "names is True", atoll.UsageError, names=True)


def small(multi=False, directed=False):
    G = (networkx.MultiDiGraph if multi else networkx.DiGraph if directed else networkx.Graph)()
    G.add_edge("Mars", "Earth", weight=2.5)
    G.add_edge("Earth", "Venus", weight=0.5)
    G.add_edge("Venus", "Mercury", weight=1.0)
    if multi:
        G.add_edge("Mars", "Earth", weight=1.5)
    G.add_node("Pluto")
    return G


def write_json(G, path, edges="links"):
    path.write_text(json.dumps(networkx.node_link_data(G, edges=edges)))


def write_gz(G, path):
    networkx.write_graphml(G, path)


WRITERS = {
    "graphml": networkx.write_graphml,
    "graphml.gz": write_gz,
    "gexf": networkx.write_gexf,
    "gml": networkx.write_gml,
    "json": write_json,
    "net": networkx.write_pajek,
}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("ranks", [1, 2, 7])
def test_files_of_networkx_are_its_graphs(tmp_path, ending, directed, ranks):
    G = small(directed=directed)
    path = tmp_path / f"planets.{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        WRITERS[ending](G, path)

    def read(world):
        graph = atoll.Graph(path, comm=world)
        assert graph.directed == directed and graph.weighted
        return graph.n, graph.m, graph.names.tolist(), edges(graph)

    found = atoll.run_ranks(ranks, read, plan={"threads": 1})
    expected = atoll.Graph(G)
    assert found[0][0] == 5 and found[0][1] == 3
    assert sorted(sum((names for _, _, names, _ in found), [])) == ["Earth", "Mars", "Mercury", "Pluto", "Venus"]
    if ranks == 1:
        assert found[0][3] == edges(expected)
    unweighted = atoll.Graph(path, weighted=False)
    assert not unweighted.weighted and unweighted.m == 3


def test_parallel_edges_count_once_on_any_ranks(tmp_path):
    path = tmp_path / "multi.graphml"
    networkx.write_graphml(small(multi=True), path)

    def read(world):
        graph = atoll.Graph(path, duplicates="sum", comm=world)
        return graph.m, sum(graph.edges.arrays()[2].tolist())

    for ranks in (1, 3):
        found = atoll.run_ranks(ranks, read)
        assert found[0][0] == 3 and sum(weight for _, weight in found) == 2.5 + 1.5 + 0.5 + 1.0


@pytest.mark.parametrize(
    "write",
    [
        lambda G, path: write_json(G, path, edges="edges"),
        lambda G, path: path.write_text(json.dumps(networkx.adjacency_data(G))),
        lambda G, path: path.write_text(json.dumps(networkx.cytoscape_data(G))),
    ],
    ids=["edges", "adjacency", "cytoscape"],
)
def test_other_json_of_graphs(tmp_path, write):
    path = tmp_path / "g.json"
    write(small(), path)
    graph = atoll.Graph(path)
    assert (graph.n, graph.m) == (5, 3)
    assert atoll.shortest_path(graph, "Mars", "Mercury", weight=True).length == 4


def test_whole_numbers_stay_ids(tmp_path):
    path = tmp_path / "ring.json"
    write_json(networkx.cycle_graph(5), path)
    assert atoll.Graph(path).ids.tolist() == [0, 1, 2, 3, 4] and atoll.Graph(path).names is None


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize(
    "name, text, said",
    [
        ("a.json", "[1, 2]", "is JSON, but no graph"),
        ("a.json", "{", "json cannot read it as JSON .* Was it cut off"),
        ("a.graphml", "<graphml><graph", "the XML parser cannot read it as GraphML"),
        ("a.gexf", "hello", "the XML parser cannot read it as GEXF"),
        ("a.gml", "hello", "the key 'hello' has no value"),
    ],
)
def test_wrong_files_are_refused_the_same_on_all_ranks(tmp_path, ranks, name, text, said):
    (tmp_path / name).write_text(text)

    def read(world):
        with pytest.raises(atoll.InputError, match=said) as raised:
            atoll.Graph(tmp_path / name, comm=world)
        return str(raised.value)

    assert len(set(atoll.run_ranks(ranks, read))) == 1


def test_what_does_not_fit_a_format_is_refused(tmp_path):
    path = tmp_path / "planets.graphml"
    G = small()
    for _, _, data in G.edges(data=True):
        data["distance"] = data.pop("weight")
    networkx.write_graphml(G, path)
    assert not atoll.Graph(path).weighted
    assert atoll.Graph(path, weight="distance").weighted
    with pytest.raises(atoll.InputError, match="no edge has the attribute 'weight'"):
        atoll.Graph(path, weighted=True)
    with pytest.raises(atoll.UsageError, match="columns are chosen in tables"):
        atoll.Graph(path, source="a")


def test_a_missing_library_is_named(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "e.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(ImportError, match=r"pip install pyarrow, or pip install .\[parquet\]"):
        atoll.Graph(path)


def test_columns_of_an_edge_list_have_the_names_of_a_table(tmp_path):
    path = tmp_path / "roads.csv"
    path.write_text("km,from,to\n1.5,10,20\n2.5,20,30\n")
    graph = atoll.Graph(path, source="from", target="to", weight="km")
    assert edges(graph) == [(10, 20, 1.5), (20, 30, 2.5)]
    with pytest.warns(DeprecationWarning, match="source_column is called source now"):
        assert atoll.Graph.read(path, source_column="from", target_column=3, weight_column=1).m == 2
    with pytest.raises(TypeError, match="source_column and source are both given"):
        atoll.Graph.read(path, source_column="from", source="from")


CONTENTS = {
    "GraphML": b'<?xml version="1.0"?>\n<graphml xmlns="x"><graph/></graphml>',
    "GEXF": b"\xef\xbb\xbf <gexf version='1.3'></gexf>",
    "a page of HTML": b"<!DOCTYPE html><html><body>404</body></html>",
    "XML": b"<osm version='0.6'></osm>",
    "JSON": b'\n{"nodes": [], "links": []}',
    "GML": b"graph [\n  directed 0\n]",
    "a net of Pajek": b'*Vertices 3\n1 "a"\n',
    "DOT of Graphviz": b"digraph G { a -> b }",
    "a table of Parquet": b"PAR1\x15\x04",
    "a table of Arrow": b"ARROW1\x00\x00",
    "a file of HDF5": b"\x89HDF\r\n\x1a\n\x00",
    "a PDF": b"%PDF-1.4",
    "a database of SQLite": b"SQLite format 3\x00",
    "a pickle of Python": pickle.dumps({"a": 1}),
    "packed by bzip2": b"BZh91AY&SY",
}


@pytest.mark.parametrize("what", CONTENTS)
@pytest.mark.parametrize("name", ["edges.txt", "edges", "edges.mtx.gz"])
def test_a_wrong_format_is_named_by_its_content(tmp_path, what, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(CONTENTS[what]) if name.endswith(".gz") else CONTENTS[what])
    with pytest.raises(atoll.InputError, match=f"this is {what}"):
        atoll.Graph(path)


def test_arrays_and_archives_are_named_too(tmp_path):
    np.save(tmp_path / "e.npy", np.eye(3))
    np.savez(tmp_path / "e.npz", np.eye(3))
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as file:
        file.writestr("edges.txt", "0 1\n")
    with pytest.raises(atoll.InputError, match="this is an array of NumPy"):
        atoll.Graph(tmp_path / "e.npy")
    for name in ("e.npz", "e.zip"):
        with pytest.raises(atoll.InputError, match="this is a zip archive"):
            atoll.Graph(tmp_path / name)
