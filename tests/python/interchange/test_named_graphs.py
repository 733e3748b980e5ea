# SPDX-License-Identifier: Apache-2.0
"""Graphs whose vertices have names: from lists, files and tables; results, sources and errors are of names."""

import ctypes
import itertools
import subprocess
import sys
import textwrap

import atoll
import numpy as np
import pytest

STRINGS = getattr(np.dtypes, "StringDType", str)  # numpy 2
EDGES = [("BRCA1", "TP53", 2.0), ("TP53", "MDM2", 0.5), ("MDM2", "Müller", 1.0), ("BRCA1", "MDM2", 4.0)]
SOURCE, TARGET, WEIGHT = ([edge[k] for edge in EDGES] for k in range(3))
NAMES = ["BRCA1", "MDM2", "Müller", "TP53"]
NEAR = {"BRCA1": 2.0, "MDM2": 0.5, "Müller": 1.5, "TP53": 0.0}


@pytest.fixture
def graph():
    return atoll.Graph.from_edges(SOURCE, TARGET, WEIGHT, directed=False)


def test_names_are_in_the_order_of_their_bytes_whatever_the_order_of_edges(graph):
    assert graph.names.tolist() == NAMES and graph.ids.tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        graph.names[0] = "x"
    for order in itertools.permutations(range(4)):
        other = atoll.Graph.from_edges([SOURCE[k] for k in order], [TARGET[k] for k in order])
        assert other.names.tolist() == NAMES
    assert atoll.Graph("ring:5").names is None


def test_many_odd_names_against_sorted():
    random = np.random.default_rng(3)
    letters = ["", "a", "b", "é", "\0", "\U0001f600", '"', "\n"]
    names = ["".join(random.choice(letters, size=random.integers(0, 4))) for _ in range(5000)]
    source, target = names[::2], names[1::2]
    graph = atoll.Graph.from_edges(source, target, plan={"threads": 3})
    assert graph.names.tolist() == sorted(set(names), key=lambda name: name.encode())
    distinct = {(a, b) for a, b in zip(source, target)}
    assert graph.m == len(distinct)


@pytest.mark.parametrize("of", [list, tuple, np.array, lambda x: np.array(x, object), lambda x: np.array(x, STRINGS)])
def test_lists_and_arrays_of_names(of):
    assert atoll.Graph.from_edges(of(SOURCE), of(TARGET)).names.tolist() == NAMES


def test_a_source_is_a_name_or_an_id(graph):
    assert atoll.sssp(graph, "TP53").distance.to_dict() == NEAR
    assert atoll.sssp(graph, source="TP53").source == "TP53"
    assert atoll.sssp(graph, 3).distance.to_dict() == NEAR
    assert "source TP53 reaches 4" in repr(atoll.bfs(graph, "TP53"))
    assert atoll.betweenness_centrality(graph, sources=["TP53", "MDM2"]).names.tolist() == NAMES
    assert graph.find("MDM2") == 1


def test_an_unknown_name_is_an_error_with_the_nearest(graph):
    for call in (lambda: atoll.bfs(graph, "TP35"), lambda: atoll.sssp(graph, source="TP35")):
        with pytest.raises(
            atoll.InputError, match=r"source is 'TP35' \(no vertex has that name; the nearest: 'TP53'\)"
        ):
            call()
    with pytest.raises(TypeError, match=r"source is 'TP53', a str \(an original id is an int\)"):
        atoll.bfs(atoll.Graph("ring:5"), "TP53")


def test_values_that_are_vertices_are_names(graph):
    parent = atoll.bfs(graph, "TP53").parent
    assert parent.gather().tolist() == ["TP53", "TP53", "MDM2", "TP53"]
    assert parent.to_dict() == dict(zip(NAMES, parent.gather().tolist()))
    directed = atoll.Graph.from_edges(SOURCE, TARGET)
    assert atoll.bfs(directed, "TP53").parent.gather().tolist() == [None, "TP53", "MDM2", "TP53"]
    assert set(atoll.connected_components(graph).component.gather().tolist()) == {"BRCA1"}
    assert parent.local.dtype == np.int64


def test_top_is_by_value_then_by_name():
    star = atoll.Graph.from_edges(["c", "a", "b"], ["hub", "hub", "hub"], directed=False)
    score = atoll.pagerank(star).score
    assert [name for name, _ in score.top(3)] == ["hub", "a", "b"]
    assert score.top(0) == [] and len(score.top(100)) == 4
    assert atoll.bfs(atoll.Graph("path:3"), 0).depth.top(2) == [(2, 2), (1, 1)]
    apart = atoll.Graph.from_edges([0, 2], [1, 3])
    assert atoll.bfs(apart, 0).depth.top() == [(1, 1), (0, 0)]
    weighted = atoll.Graph.from_edges([0, 2], [1, 3], [1.0, 2.5])
    assert atoll.sssp(weighted, 2).distance.top(9) == [(3, 2.5), (2, 0.0)]
    with pytest.raises(TypeError, match="component holds vertices"):
        atoll.connected_components(star).component.top()
    with pytest.raises(atoll.InputError, match="count is -1"):
        score.top(-1)


def test_results_are_written_and_tabled_with_names(graph, tmp_path):
    pandas = pytest.importorskip("pandas")
    result = atoll.sssp(graph, "TP53")
    series = result.distance.to_pandas()
    assert series.to_dict() == NEAR and series.index.name == "name"
    result.distance.write(tmp_path / "d.tsv")
    assert (tmp_path / "d.tsv").read_text() == "BRCA1\t2\nMDM2\t0.5\nMüller\t1.5\nTP53\t0\n"
    result.parent.write(tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text() == "id,value\nBRCA1,TP53\nMDM2,TP53\nMüller,MDM2\nTP53,TP53\n"
    with pytest.raises(atoll.UsageError, match="its vertices have names"):
        result.distance.write(tmp_path / "d.npy")
    pytest.importorskip("pyarrow")
    result.distance.write(tmp_path / "d.parquet")
    assert pandas.read_parquet(tmp_path / "d.parquet").to_dict("list") == {
        "name": NAMES,
        "distance": list(NEAR.values()),
    }


def test_all_pairs_are_asked_by_name(graph):
    pairs = atoll.all_pairs(graph)
    assert pairs.distance("TP53", "Müller") == 1.5
    assert pairs.path("BRCA1", "Müller").tolist() == ["BRCA1", "TP53", "MDM2", "Müller"]
    assert pairs.row("TP53").tolist() == list(NEAR.values())
    assert [p.tolist() for _, p in pairs.k_shortest_paths("TP53", "MDM2", 2)] == [
        ["TP53", "MDM2"],
        ["TP53", "BRCA1", "MDM2"],
    ]


def test_further_names_are_vertices(graph):
    more = atoll.Graph.from_edges(SOURCE, TARGET, vertices=["alone", "TP53"])
    assert more.names.tolist() == [*NAMES, "alone"]
    with pytest.raises(TypeError, match="vertices is 7"):
        atoll.Graph.from_edges(SOURCE, TARGET, vertices=7)
    with pytest.raises(TypeError, match="vertices is 'BRCA1' .a column of names is needed"):
        atoll.Graph.from_edges(SOURCE, TARGET, vertices="BRCA1")


@pytest.mark.parametrize(
    "wrong, message",
    [
        ((["a", None], ["b", "c"]), r"src\[1\] is None"),
        ((["a"], ["b", "c"]), "source has 1 names and target 2"),
        ((["a"], ["b"], [1.0, 2.0]), "weight has 2 values for 1 edges"),
        ((["a"], ["b"], [float("nan")]), r"weight\[0\] is nan"),
    ],
)
def test_wrong_lists_are_refused(wrong, message):
    with pytest.raises((TypeError, atoll.InputError), match=message):
        atoll.Graph.from_edges(*wrong)
    with pytest.raises(atoll.InputError, match=r"src\[0\] is .* half a surrogate pair"):
        atoll.Graph.from_edges(["\ud800"], ["b"])


def test_files_with_names(tmp_path):
    path = tmp_path / "genes.tsv"
    path.write_text("".join(f"{a}\t{b}\t{w}\n" for a, b, w in EDGES))
    read = atoll.Graph.read(path, names=True, directed=False)
    assert read.names.tolist() == NAMES and atoll.sssp(read, "TP53").distance.to_dict() == NEAR
    assert read.columns == "source in column 1, target in column 2, weight in column 3; cut by tabs; undirected"
    assert atoll.Graph.read(path, names=True, headings=True).m == 3
    with pytest.raises(atoll.InputError, match="source is 'TP53' .not a whole number"):
        atoll.Graph.read(path, names=False, headings=True)
    assert atoll.Graph(path).names.tolist() == NAMES
    path.write_text("a b\nc\n")
    with pytest.raises(atoll.InputError, match=rf"{path}:2: the line has 1 column"):
        atoll.Graph.read(path, names=True)


# ---- tables --------------------------------------------------------------------------------------------------------


def frame(pandas, **changes):
    return pandas.DataFrame({"source": SOURCE, "target": TARGET, "weight": WEIGHT, **changes})


def test_tables_of_pandas():
    pandas = pytest.importorskip("pandas")
    table = frame(pandas)
    for other in (table, table.astype(object).assign(weight=WEIGHT), table.astype({"source": "category"})):
        graph = atoll.Graph(other, directed=False)
        assert atoll.sssp(graph, "TP53").distance.to_dict() == NEAR
        assert graph.columns == "source 'source', target 'target', weight 'weight'; undirected"
    assert not atoll.Graph(table, weighted=False).weighted
    assert atoll.Graph(table.astype({"weight": "float32"})).weight_dtype == np.float32
    whole = atoll.Graph(pandas.DataFrame({"p": [10, 20], "q": [20, 30], "n": [1, 2]}))
    assert whole.ids.tolist() == [10, 20, 30] and whole.names is None and whole.weight_dtype == np.float64
    assert whole.columns == "source 'p', target 'q', weight 'n'; directed"
    for columns in ({"weight": [7], "from": [1], "to": [2]}, {"from": [1], "weight": [7], "to": [2]}):
        told = atoll.Graph(pandas.DataFrame(columns)).columns
        assert told == "source 'from', target 'to', weight 'weight'; directed"
    with pytest.raises(atoll.InputError, match="one name as text"):
        atoll.Graph(pandas.DataFrame({1: [1], "1": [2], "x": [3]}))
    swapped = atoll.Graph(pandas.DataFrame({"x": [1], "to": ["b"], "by": ["a"]}), source="by", target="to")
    assert swapped.columns == "source 'by', target 'to', no weight; directed"


@pytest.mark.parametrize(
    "changes, options, message",
    [
        ({}, {"source": "gene"}, r"source.* is 'gene' \(the columns are: 'source', 'target', 'weight'\)"),
        ({"source": [1, 2, 3, 4]}, {}, "column 'source' is ints and 'target' names"),
        ({"source": WEIGHT, "target": WEIGHT}, {}, "column 'source' is reals"),
        ({"weight": SOURCE}, {}, "column 'weight' is names .weights are numbers"),
        ({"source": ["a", None, "b", "c"]}, {"missing": "error"}, "column 'source' is missing in row 1"),
        ({"weight": [1.0, np.nan, 1.0, 1.0]}, {"missing": "error"}, "column 'weight' is missing in row 1"),
        ({"weight": [1.0, np.inf, 1.0, 1.0]}, {}, r"weight\[1\] is inf"),
        ({"weight": [1, 2**60, 1, 1]}, {}, r"has ints above 2\*\*53"),
        ({}, {"source": "target", "target": "target"}, "source and target are both 'target'"),
        ({}, {"weight": "source"}, "weight is 'source', which is an end of the edges too"),
        ({}, {"weighted": True, "weight": "w"}, "weight.* is 'w'"),
    ],
)
def test_tables_that_are_no_edges_are_refused(changes, options, message):
    pandas = pytest.importorskip("pandas")
    with pytest.raises((TypeError, atoll.InputError, atoll.UsageError), match=message):
        atoll.Graph(frame(pandas, **changes), **options)
    if not changes and options.get("source") != "target":
        arrow = pytest.importorskip("pyarrow")
        with pytest.raises((TypeError, atoll.InputError), match=message):
            atoll.Graph(arrow.table({"source": SOURCE, "target": TARGET, "weight": WEIGHT}), **options)


class Stream:
    """A table of another package: all that is known of it is its stream."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("text", ["string", "large_string", "string_view", "dictionary"])
@pytest.mark.parametrize("weights", ["float64", "float32", "int64", "int8", "uint16"])
def test_arrow_streams_in_chunks_and_slices(text, weights):
    arrow = pytest.importorskip("pyarrow")
    kinds = {"string": arrow.string, "large_string": arrow.large_string, "string_view": arrow.string_view}
    kind = arrow.dictionary(arrow.int16(), arrow.string()) if text == "dictionary" else kinds[text]()

    def names(values):
        long = arrow.array(["?", *(value + " of more than twelve bytes" for value in values), "?"])
        return (long.dictionary_encode().cast(kind) if text == "dictionary" else long.cast(kind))[1:-1]

    numbers = [1, 2, 3, 4] if "int" in weights else WEIGHT
    columns = {"source": names(SOURCE), "target": names(TARGET), "weight": arrow.array(numbers).cast(weights)}
    table = arrow.table(columns)
    chunked = arrow.concat_tables([table[:1], table[1:1], table[1:3], table[3:]])
    for other in (table, chunked, chunked.combine_chunks()):
        graph = atoll.Graph(Stream(other))
        assert graph.names.tolist() == [name + " of more than twelve bytes" for name in NAMES]
        assert graph.m == 4 and graph.weight_dtype == (np.float32 if weights == "float32" else np.float64)
        near = atoll.sssp(graph, NAMES[0] + " of more than twelve bytes").distance.to_dict()
        assert near[NAMES[3] + " of more than twelve bytes"] == numbers[0]


def test_arrow_streams_of_ids_and_their_errors():
    arrow = pytest.importorskip("pyarrow")
    for kind in ("int64", "uint8", "int32", "uint64"):
        columns = {"a": arrow.array([7, 9], kind), "b": arrow.array([9, 8], kind)}
        assert atoll.Graph(Stream(arrow.table(columns))).ids.tolist() == [7, 8, 9]
    with pytest.raises(atoll.InputError, match=r"column 'a' is null in row 1"):
        atoll.Graph(Stream(arrow.table({"a": ["x", None], "b": ["y", "z"]})))
    with pytest.raises(atoll.InputError, match=r"column 'b' is null in row 0"):
        atoll.Graph(
            Stream(arrow.table({"a": arrow.array(["x"]), "b": arrow.array([None], "string").dictionary_encode()}))
        )
    with pytest.raises(atoll.InputError, match=rf"column 'a' has {2**63} in row 0 \(beyond int64\)"):
        atoll.Graph(Stream(arrow.table({"a": arrow.array([2**63], "uint64"), "b": arrow.array([1], "uint64")})))
    with pytest.raises(atoll.InputError, match="two columns of the table have one name"):
        atoll.Graph(Stream(arrow.table([arrow.array(["x"])] * 2, names=["a", "a"])))
    with pytest.raises(atoll.InputError, match="an edge has two ends"):
        atoll.Graph(Stream(arrow.table({"a": ["x"]})))
    empty = arrow.table({"a": arrow.array([], "string"), "b": arrow.array([], "string")})
    with pytest.raises(atoll.InputError, match="the table has no rows"):
        atoll.Graph(Stream(empty))


def test_a_stream_that_was_read_is_refused():
    arrow = pytest.importorskip("pyarrow")
    capsule = arrow.table({"a": ["x"], "b": ["y"]}).__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule

    assert atoll.Graph(Once()).m == 1
    with pytest.raises(atoll.InputError, match="used up"):
        atoll.Graph(Once())
    ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
    ctypes.pythonapi.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    other = ctypes.pythonapi.PyCapsule_New(8, b"other", None)
    capsule = other
    with pytest.raises(atoll.InputError, match="gave a capsule 'other'"):
        atoll.Graph(Once())


def test_neither_pyarrow_nor_pandas_is_imported_for_a_stream():
    pytest.importorskip("pyarrow")
    program = """
        import sys, pyarrow
        stream = pyarrow.table({"a": ["x", "y"], "b": ["y", "z"]}).__arrow_c_stream__()
        class Table:
            def __arrow_c_stream__(self, requested_schema=None):
                return stream
        sys.modules["pyarrow"] = sys.modules["pandas"] = None
        import atoll
        print(atoll.Graph(Table()).names.tolist())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "['x', 'y', 'z']", done.stderr


def _of_rank(world, form, partition):
    part = EDGES[world.rank :: world.size]
    source, target, weight = ([edge[k] for edge in part] for k in range(3))
    if form == "lists":
        return atoll.Graph.from_edges(source, target, np.array(weight), directed=False, partition=partition, comm=world)
    import pyarrow as arrow

    strings, numbers = arrow.string(), arrow.float64()
    columns = {"s": arrow.array(source, strings), "t": arrow.array(target, strings), "w": arrow.array(weight, numbers)}
    return atoll.Graph(Stream(arrow.table(columns)), directed=False, partition=partition, comm=world)


@pytest.mark.parametrize("form", ["lists", "arrow"])
@pytest.mark.parametrize("partition", ["blocked", "hashed"])
@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_give_parts_and_all_know_the_names(form, partition, ranks):
    if form == "arrow":
        pytest.importorskip("pyarrow")

    def check(world):
        graph = _of_rank(world, form, partition)
        near = atoll.sssp(graph, "TP53").distance
        assert near.gather().tolist() == list(NEAR.values())
        assert near.top(1) == [("BRCA1", 2.0)]
        assert near.to_dict() == {name: NEAR[name] for name in graph.names}
        with pytest.raises(atoll.InputError, match="the nearest: 'TP53'"):
            atoll.bfs(graph, "TP35")
        with pytest.raises(TypeError, match="others are names"):
            atoll.Graph.from_edges(["a"] if world.rank else [1], ["b"] if world.rank else [2], comm=world)
        return graph.names.tolist()

    assert sorted(sum(atoll.run_ranks(ranks, check), [])) == NAMES


def test_headings_of_another_encoding_are_shown_by_their_bytes(tmp_path):
    path = tmp_path / "m.csv"
    path.write_bytes(b"source,target,gr\xf6\xdfe\na,b,1\n")
    assert atoll.Graph.read(path, names=True, weight=3).columns.endswith(
        "weight 'gr\\xf6\\xdfe' (column 3); cut by commas; directed"
    )
