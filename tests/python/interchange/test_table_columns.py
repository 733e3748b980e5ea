# SPDX-License-Identifier: Apache-2.0
"""Which columns of a table are which, columns of other packages by themselves, and what is said of those not taken."""

import decimal
import re

import atoll
import numpy as np
import pytest

# Words that an error must not have: letters of Arrow's interface, and casts that the object has not.
JARGON = re.compile(r"\b(ts[smun]:|d:\d|td[sDmun]|dictionary of|<U\d|of the Arrow format)|\ba int\b")


def edges_of(graph):
    src, dst, *weight = graph.edges.arrays()
    if graph.names is not None:
        src, dst = graph.names[src], graph.names[dst]
    return sorted(zip(*(np.asarray(column).tolist() for column in (src, dst, *weight))))


def makers():
    """Functions that make a table of a dict, by package."""
    found = {}
    for package, name in (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")):
        try:
            found[package] = getattr(__import__(package), name)
        except ImportError:
            continue
    return found


MAKERS = makers()
pytestmark = pytest.mark.skipif(not MAKERS, reason="neither pandas, polars nor pyarrow is installed")
each_package = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)

HEADINGS = {
    "an index first": ({"index": [0, 1], "src": [9, 8], "dst": [1, 2], "wgt": [0.5, 0.6]}, True),
    "as Gephi's": ({"Id": [100, 101], "Source": [9, 8], "Target": [1, 2], "Weight": [0.5, 0.6]}, True),
    "capitals": ({"Source": [9, 8], "Target": [1, 2], "Type": ["d", "d"], "WEIGHT": [0.5, 0.6]}, True),
    "unnamed first": ({"Unnamed: 0": [0, 1], "from": [9, 8], "to": [1, 2]}, False),
    "citations": ({"cited": [1, 2], "citing": [9, 8]}, False),
    "any order": ({"dst": [1, 2], "weight": [0.5, 0.6], "src": [9, 8]}, True),
}


@each_package
@pytest.mark.parametrize("what", HEADINGS)
def test_headings_say_which_columns_are_the_ends(make, what):
    columns, weighted = HEADINGS[what]
    graph = atoll.Graph(make(columns))
    assert graph.has_edge(9, 1) and graph.has_edge(8, 2) and graph.n == 4
    assert graph.weighted == weighted, graph.columns


@pytest.mark.parametrize("what", HEADINGS)
def test_a_file_of_a_table_is_read_as_the_table(tmp_path, what):
    parquet = pytest.importorskip("pyarrow.parquet")
    columns, weighted = HEADINGS[what]
    parquet.write_table(MAKERS["pyarrow"](columns), tmp_path / "e.parquet")
    graph = atoll.Graph(tmp_path / "e.parquet")
    assert graph.has_edge(9, 1) and graph.has_edge(8, 2) and graph.weighted == weighted


@each_package
def test_subjects_of_triples_are_sources(make):
    for s, p, o in (("head", "relation", "tail"), ("subject", "predicate", "object")):
        graph = atoll.Graph(make({s: ["TP53", "MDM2"], p: ["binds", "binds"], o: ["MDM2", "EGFR"]}))
        assert edges_of(graph) == [("MDM2", "EGFR"), ("TP53", "MDM2")]


# ---- columns by themselves -----------------------------------------------------------------------------------------


def columns_of(package, values, kind=None):
    """The values as all that the package calls a column."""
    if package == "pandas":
        import pandas

        series = pandas.Series(values, dtype=kind)
        return [series, series.array, pandas.Index(series), series[::-1][::-1]]
    if package == "polars":
        import polars

        return [polars.Series(values, dtype=getattr(polars, kind.title().replace("Ui", "UI")) if kind else None)]
    import pyarrow

    array = pyarrow.array(values, kind)
    return [array, pyarrow.chunked_array([array[:1], array[1:]]), pyarrow.concat_arrays([array, array])[: len(values)]]


@pytest.mark.parametrize("package", MAKERS)
@pytest.mark.parametrize("kind", ["int64", "int32", "uint8", None])
def test_columns_of_tables_are_columns(package, kind):
    for src, dst in zip(columns_of(package, [1, 2], kind), columns_of(package, [2, 3], kind)):
        for weight in columns_of(package, [0.5, 0.7]):
            assert edges_of(atoll.Graph((src, dst, weight))) == [(1, 2, 0.5), (2, 3, 0.7)]
        assert atoll.Graph.from_edges(src, dst, src, vertices=dst).weight_dtype == np.float64
    assert atoll.Graph.from_edges([], [], vertices=columns_of(package, [4, 5])[0]).ids.tolist() == [4, 5]
    assert atoll.Graph(tuple(columns_of(package, [])[0] for _ in range(2))).n == 0


@pytest.mark.parametrize("package", MAKERS)
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_reals_of_columns_keep_their_type(package, kind):
    for weight in columns_of(package, [0.1, 2.5], kind):
        graph = atoll.Graph(([0, 1], [1, 2], weight))
        assert graph.weight_dtype == kind and edges_of(graph)[0][2] == np.dtype(kind).type(0.1)


def test_nullable_columns_are_exact_or_refused():
    pandas = pytest.importorskip("pandas")
    big = pandas.Series([2**62 + 1, 7], dtype="Int64")
    assert atoll.Graph((big, big)).ids.tolist() == [7, 2**62 + 1]
    for missing in (pandas.Series([2**62 + 1, None], dtype="Int64"), pandas.Series([1.0, np.nan])):
        with pytest.raises(atoll.InputError, match="src is missing in row 1"):
            atoll.Graph((missing, [1, 2]))


@pytest.mark.parametrize("package", [name for name in MAKERS if name != "pandas"])
def test_nulls_of_columns_are_refused(package):
    for missing in columns_of(package, [1, None]):
        with pytest.raises(atoll.InputError, match="weight is missing in row 1"):
            atoll.Graph(([1, 2], [2, 3], missing))


@pytest.mark.parametrize("half", [0.0, 1.5, -2.25, 65504.0, 6e-8, -6.1e-5])
def test_halves_of_arrow_become_float32(half):
    pyarrow = pytest.importorskip("pyarrow")
    values = np.array([half, 1.0], np.float16)
    rows = pyarrow.table({"source": [1, 2], "target": [2, 3], "weight": pyarrow.array(values)})
    for graph in (atoll.Graph(rows), atoll.Graph(([1, 2], [2, 3], pyarrow.array(values)))):
        assert graph.weight_dtype == np.float32
        assert [w for *_, w in edges_of(graph)] == values.astype(float).tolist()


@pytest.mark.parametrize("half", [np.nan, np.inf, -np.inf])
def test_halves_that_are_no_numbers_are_refused(half):
    pyarrow = pytest.importorskip("pyarrow")
    values = pyarrow.array(np.array([half], np.float16))
    with pytest.raises(atoll.InputError, match="nan|inf"):
        atoll.Graph(pyarrow.table({"source": [1], "target": [2], "weight": values}))


def test_mixed_lists_are_not_rounded():
    with pytest.raises(TypeError, match=f"weight has {2**53 + 1} .float64 would round it"):
        atoll.Graph(([0, 1], [1, 2], [2**53 + 1, 0.5]))
    assert atoll.Graph(([0, 1], [1, 2], [2**53, 0.5])).weighted


# ---- what is said --------------------------------------------------------------------------------------------------


def cases():
    """Input by what its error has to say."""
    found = {
        r"weight\[0\] is '3.5', a str": lambda: ([1], [2], ["3.5"]),
        r"weight\[1\] is None, .*Give each edge one": lambda: ([1, 2], [2, 3], [1.0, None]),
        r"weight\[0\] is .*a Decimal .*Convert all by float\(\)": lambda: ([1], [2], [decimal.Decimal("0.1")]),
        r"weight\[0\] is \{'weight': 3\}, a dict .*data='weight'": lambda: ([1], [2], [{"weight": 3}]),
        r"src\[1\] is 2.5, a float .*whole numbers or names": lambda: ([1, 2.5], [2, 3]),
        "weight is text .*weight.astype": lambda: ([1], [2], np.array(["3.5"])),
    }
    if "pandas" in MAKERS:
        import pandas

        def of(source, weight=None):
            return pandas.DataFrame({"source": source, "target": [2], **({} if weight is None else {"weight": weight})})

        found |= {
            "column 'source' is whole numbers as objects": lambda: of(pandas.Series([1], dtype=object)),
            "column 'source' is categories of whole numbers": lambda: of(pandas.Categorical([1])),
            "column 'source' is bool": lambda: of([True]),
            "column 'weight' is names .weights are numbers": lambda: of([1], ["3.5"]),
            "column 'weight' is decimals as objects": lambda: of([1], [decimal.Decimal("0.1")]),
            "column 'weight' is datetime64": lambda: of([1], pandas.to_datetime(["2020-01-01"])),
            r"src is categories of whole numbers .*src.astype\(\"int64\"\)": lambda: (
                pandas.Series([1], dtype="category"),
                [2],
            ),
            "weight is datetime64.*such as seconds": lambda: (
                [1],
                [2],
                pandas.Series(pandas.to_datetime(["2020-01-01"])),
            ),
            "src is a DataFrame .a column is needed": lambda: (pandas.DataFrame({"a": [1]}), [2]),
            "a single column": lambda: pandas.Series([1, 2]),
            "the table has no rows": lambda: pandas.DataFrame({"source": [], "target": []}),
            "the table has no rows .an edge": lambda: pandas.DataFrame(columns=["source", "target"]),
            "an edge has two ends": lambda: pandas.DataFrame(),
        }
    if "polars" in MAKERS:
        import polars

        found |= {
            r"use Graph\(table.collect\(\)\)": lambda: polars.LazyFrame({"source": [1], "target": [2]}),
            r"weight is String .*weight.cast\(polars.Float64\)": lambda: ([1], [2], polars.Series(["3.5"])),
            "the table has no rows .an edge is a row": lambda: polars.DataFrame({"source": [], "target": []}),
            "column 'weight' is time": lambda: polars.DataFrame(
                {"source": [1], "target": [2], "weight": polars.Series([1]).cast(polars.Datetime("ms"))}
            ),
        }
    if "pyarrow" in MAKERS:
        import pyarrow

        def rows(weight):
            return pyarrow.table({"source": [1], "target": [2], "weight": weight})

        of_type = {
            "timestamp[s]": pyarrow.array([1], pyarrow.timestamp("s")),
            "timestamp[us, tz=UTC]": pyarrow.array([1], pyarrow.timestamp("us", "UTC")),
            "decimal128(5, 2)": pyarrow.array([1], pyarrow.decimal128(5, 2)),
            "decimal256(50, 2)": pyarrow.array([1], pyarrow.decimal256(50, 2)),
            "duration[ms]": pyarrow.array([1], pyarrow.duration("ms")),
            "time[s]": pyarrow.array([1], pyarrow.time32("s")),
            "date": pyarrow.array([1], pyarrow.date32()),
            "bool": pyarrow.array([True]),
            "bytes": pyarrow.array([b"1"]),
            "lists of int64": pyarrow.array([[1]]),
            "lists of text": pyarrow.array([["1"]]),
            "struct": pyarrow.array([{"a": 1}]),
            "categories of reals": pyarrow.array([1.5]).dictionary_encode(),
            "null": pyarrow.array([None]),
        }
        for words, weight in of_type.items():
            found[rf"column 'weight' is {re.escape(words)} \("] = lambda weight=weight: rows(weight)
        found |= {
            "column 'source' is categories of whole numbers": lambda: pyarrow.table(
                {"source": pyarrow.array([10]).dictionary_encode(), "target": [20]}
            ),
            r"weight is string .*weight.cast": lambda: ([1], [2], pyarrow.array(["1"])),
            "a single column, int64": lambda: pyarrow.chunked_array([[1, 2]]),
        }
    return found


CASES = cases()


@pytest.mark.parametrize("said", CASES)
def test_errors_are_in_the_words_of_what_was_given(said):
    with pytest.raises((TypeError, atoll.InputError), match=said) as raised:
        atoll.Graph(CASES[said]())
    assert not JARGON.search(str(raised.value)), raised.value


def test_a_lazy_table_is_named_by_from_table_too():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match=r"Use table.collect\(\)"):
        atoll.Graph.from_table(polars.LazyFrame({"source": [1], "target": [2]}))


@pytest.mark.parametrize("named", [False, True])
def test_ranks_without_rows_fit_any_kind(named):
    pandas = pytest.importorskip("pandas")
    ends = [["a", "b"], ["b", "c"]] if named else [[1, 2], [2, 3]]

    def make(world):
        rows = {"source": ends[0], "target": ends[1]} if world.rank == 1 else {"source": [], "target": []}
        graph = atoll.Graph(pandas.DataFrame(rows), comm=world)
        return graph.n, graph.m

    assert atoll.run_ranks(3, make) == [(3, 2)] * 3


def test_names_here_and_numbers_there_are_an_error_on_all():
    pandas = pytest.importorskip("pandas")

    def make(world):
        with pytest.raises(TypeError, match="whole numbers here and names on another rank"):
            atoll.Graph(
                pandas.DataFrame({"source": ["a"] if world.rank else [1], "target": ["b"] if world.rank else [2]}),
                comm=world,
            )

    atoll.run_ranks(2, make)


def test_a_reader_of_batches_is_read_once():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"source": [1, 2], "target": [2, 3], "km": [0.5, 0.7]})
    graph = atoll.Graph(table.to_reader(), edge_attributes=True)
    assert graph.edge_attributes["km"].tolist() == [0.5, 0.7]
