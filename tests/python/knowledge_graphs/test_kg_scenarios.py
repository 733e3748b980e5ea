# SPDX-License-Identifier: Apache-2.0
"""Scenarios of pairs: by definition on small graphs, and the trial on the two real ones."""

import itertools
import math
import os
from pathlib import Path

import numpy as np
import pytest
from atoll.errors import InputError, IoError, UsageError

nx = pytest.importorskip("networkx")
duckdb = pytest.importorskip("duckdb")

from atoll import kg, plot  # noqa: E402
from atoll.kg import scenario_tables  # noqa: E402
from atoll.kg.scenarios import SCENARIOS  # noqa: E402
from kg_folder import make, random_rows  # noqa: E402

DATA = Path(os.environ.get("ATOLL_DATA", Path(__file__).parents[3] / "../shared/data")) / "kg"


def scenario_by_definition(graph, curated, counterparts, a, b, reading):
    """Returns the scenario of one pair, over the engine's own path; the curated one is NetworkX's."""
    path = graph.distances.path(a, b).tolist()
    lengths = {s: nx.single_source_shortest_path_length(curated, s) for s in curated}

    def apart(xs, ys):
        return min((lengths[x][y] for x in xs for y in ys if y in lengths[x]), default=math.inf)

    whole = apart(counterparts[a], counterparts[b])
    if not path:
        return "neither" if whole == math.inf else "4"
    collapsed = [v for v in path if v in counterparts]
    there = []
    for x, y in zip(collapsed, collapsed[1:]):
        edges = [e for e in itertools.product(counterparts[x], counterparts[y]) if curated.has_edge(*e)]
        if reading == "shortest":
            through = [apart(counterparts[a], [p]) + 1 + apart([q], counterparts[b]) for p, q in edges]
            edges = [length for length in through if length == whole < math.inf]
        there.append(bool(edges))
    is_all = all(there) and (reading == "edge" or len(there) == whole)
    return _name(len(collapsed) == len(path), is_all, any(there))


def _name(is_mapped, is_all, is_some):
    if is_mapped:
        return "1" if is_all else "2a" if is_some else "2b"
    return "3a" if is_all else "3b" if is_some else "3c"


@pytest.mark.parametrize("seed", range(12))
def test_scenarios_are_those_of_the_definition_under_both_readings(tmp_path, seed):
    rand = np.random.default_rng(seed)
    n, m = 14, 10
    rows = random_rows(seed, n, chance=0.13)
    curated = list(nx.gnp_random_graph(m, 0.25, seed=seed).edges)
    mappings = sorted({(int(rand.integers(n)), int(rand.integers(m))) for _ in range(13)})
    kg.build(make(tmp_path, rows, curated, mappings, n=n, curated_n=m))
    counterparts = {}
    for a, b in mappings:
        counterparts.setdefault(a, []).append(b)
    other = nx.Graph(curated)
    other.add_nodes_from(range(m))
    with kg.BuiltGraph(tmp_path) as graph:
        tables = kg.classify(graph, kg.CuratedSide(graph, "curated"), readings=("edge", "shortest"), threads=2)
        for table in tables:
            assert table.concepts.tolist() == sorted(counterparts)
            pairs = list(zip(*(column.tolist() for column in table.pairs())))
            assert pairs == list(itertools.combinations(sorted(counterparts), 2))
            for (a, b), code in zip(pairs, table.code):
                expected = scenario_by_definition(graph, other, counterparts, a, b, table.reading)
                assert SCENARIOS[code] == expected, (a, b, table.reading)
            assert sum(table.counts.values()) == len(pairs)


# The literature is the path 0 1 2 3 4 5, a pair 6 7 apart, and 8 alone; 2 is not mapped.
PATH = [(0, 1, 5), (1, 2, 5), (2, 3, 5), (3, 4, 5), (4, 5, 5), (6, 7, 5)]
MAPPED = [(i, i) for i in (0, 1, 3, 4, 5, 6, 7, 8)]


@pytest.mark.parametrize(
    "curated, pair, edge, shortest",
    [
        ([(0, 1)], (0, 1), "1", "1"),
        ([(3, 4), (4, 5)], (3, 5), "1", "1"),
        ([(3, 4), (4, 5), (3, 5)], (3, 5), "1", "2b"),  # a shorter curated path
        ([(3, 4), (4, 5), (3, 8), (8, 5)], (3, 5), "1", "1"),  # one of two that are equally long
        ([(3, 4)], (3, 5), "2a", "2b"),  # no curated path between the ends
        ([(3, 4), (4, 8), (8, 5)], (3, 5), "2a", "2a"),
        ([], (3, 5), "2b", "2b"),
        ([(0, 1), (1, 3)], (0, 3), "3a", "3a"),
        ([(0, 1), (1, 3), (0, 3)], (0, 3), "3a", "3c"),
        ([(0, 1)], (0, 3), "3b", "3c"),
        ([(0, 1), (1, 8), (8, 3)], (0, 3), "3b", "3b"),
        ([(1, 8)], (0, 3), "3c", "3c"),
        ([(0, 8), (8, 6)], (0, 6), "4", "4"),
        ([(0, 8)], (0, 6), "neither", "neither"),
    ],
)
def test_each_scenario_comes_out_where_it_is_meant(tmp_path, curated, pair, edge, shortest):
    kg.build(make(tmp_path, PATH, curated, MAPPED, n=9, curated_n=9))
    with kg.BuiltGraph(tmp_path) as graph:
        for table, expected in zip(
            kg.classify(graph, kg.CuratedSide(graph, "curated"), np.array(pair), readings=("edge", "shortest")),
            (edge, shortest),
        ):
            assert {name for name, count in table.counts.items() if count} == {expected}


def test_counterparts_stand_for_their_concept_together(tmp_path):
    # 0 is mapped to 0 and 1, of which the second has the edge; 1 and 2 share a counterpart, which is no edge.
    kg.build(make(tmp_path, [(0, 1, 5), (1, 2, 5)], [(1, 2)], [(0, 0), (0, 1), (1, 2), (2, 2)]))
    with kg.BuiltGraph(tmp_path) as graph:
        [table] = kg.classify(graph, kg.CuratedSide(graph, "curated"))
        assert [SCENARIOS[code] for code in table.code] == ["1", "2a", "2b"]


def test_the_most_co_occurring_are_mapped_and_by_count(tmp_path):
    rows = [(0, 1, 5), (0, 2, 9), (0, 3, 7), (0, 4, 7), (0, 5, 1), (0, 5, 8, "co-occurrence", "again")]
    kg.build(make(tmp_path, rows, [(0, 1)], [(i, i) for i in (0, 1, 3, 4, 5)]))
    with kg.BuiltGraph(tmp_path) as graph:
        mapped = kg.CuratedSide(graph, "curated").concepts
        assert kg.co_occurring(graph, 0, 2, mapped).tolist() == [0, 3, 5]
        assert kg.co_occurring(graph, 0, 100, mapped).tolist() == [0, 1, 3, 4, 5]
        with pytest.raises(InputError, match=r"concept 2 \(L2\) has no counterpart"):
            kg.co_occurring(graph, 2, 3, mapped)
        with pytest.raises(UsageError, match="top is 0"):
            kg.co_occurring(graph, 0, 0, mapped)
        with pytest.raises(InputError, match="concept 2 .* has no counterpart"):
            kg.classify(graph, kg.CuratedSide(graph, "curated"), np.array([0, 2]))


def test_a_store_without_mappings_says_so(tmp_path):
    kg.build(make(tmp_path, [(0, 1, 5)], [(0, 1)]))
    with kg.BuiltGraph(tmp_path) as graph, pytest.raises(InputError, match="the store maps none.*atoll kg map"):
        kg.CuratedSide(graph, "curated")


def test_pairs_are_exported_whole(tmp_path):
    kg.build(make(tmp_path, PATH, [(0, 1), (3, 4)], MAPPED, n=9))
    with kg.BuiltGraph(tmp_path) as graph:
        curated = kg.CuratedSide(graph, "curated")
        [table] = kg.classify(graph, curated)
        for name in ("pairs.parquet", "pairs.csv"):
            scenario_tables.export_pairs(graph, table, tmp_path / name)
            rows = duckdb.sql(f"select * from '{tmp_path / name}'").fetchall()
            assert len(rows) == 28
            assert ("L3", "concept 3", "L4", "concept 4", "1", 1, 1) in [tuple(map(_plain, row)) for row in rows]
            counts = duckdb.sql(f"select scenario, count(*) from '{tmp_path / name}' group by all").fetchall()
            assert {str(k): v for k, v in counts} == {k: v for k, v in table.counts.items() if v}
        with pytest.raises(UsageError, match="does not end in .parquet or .csv"):
            scenario_tables.export_pairs(graph, table, tmp_path / "pairs.xlsx")
        with pytest.raises(IoError, match="cannot be written"):
            scenario_tables.export_pairs(graph, table, tmp_path / "none" / "pairs.csv")
        assert [p.name for p in tmp_path.iterdir() if "part" in p.name] == []


def _plain(value):
    return int(value) if str(value).isdigit() and not isinstance(value, str) else value


def test_examples_show_both_paths(tmp_path):
    kg.build(make(tmp_path, PATH, [(0, 1), (1, 8), (8, 3), (0, 6)], MAPPED, n=9))
    with kg.BuiltGraph(tmp_path) as graph:
        curated = kg.CuratedSide(graph, "curated")
        [table] = kg.classify(graph, curated)
        shown = {}
        for example in scenario_tables.examples(graph, curated, "curated", table, 10):
            shown[example["from"]["id"], example["to"]["id"]] = example
    partly = shown["L0", "L3"]
    assert partly["scenario"] == "3b"
    assert [c["id"] for c in partly["path"]] == ["L0", "L1", "L2", "L3"]
    assert [c["counterparts"] for c in partly["path"]] == [["C0"], ["C1"], [], ["C3"]]
    assert partly["steps"] == [
        {"from": "L0", "to": "L1", "curated": True},
        {"from": "L1", "to": "L3", "curated": False},
    ]
    assert [c["id"] for c in partly["curated"]] == ["C0", "C1", "C8", "C3"]
    assert shown["L0", "L6"]["scenario"] == "4" and shown["L0", "L6"]["path"] is None
    assert shown["L0", "L7"]["curated"] is None
    assert "C0" in scenario_tables.example_text(partly)


def test_bars_have_a_height_for_every_count():
    picture = plot.bars({"1": 131, "2a": 0, "<": 4517}, "pairs")
    assert picture.count("<rect") == 3 and "4,517" in picture and "&lt;" in picture
    with pytest.raises(TypeError, match="whole numbers from 0 on"):
        plot.bars({"1": -1})


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    if not DATA.is_dir():
        pytest.skip(f"{DATA} is not there")
    folder = tmp_path_factory.mktemp("trial")
    with kg.Store.writing(folder) as store:
        for graph in ("literature", "curated"):
            kg.import_nodes(store, str(DATA / f"{graph}_nodes.tsv.zst"), graph=graph)
            kg.import_edges(store, str(DATA / f"{graph}_edges.tsv.zst"), graph=graph)
    kg.build(folder)
    return folder


@pytest.mark.nightly
def test_the_trial_of_covid_19_comes_out(trial):
    with kg.BuiltGraph(trial) as graph:
        curated = kg.CuratedSide(graph, "curated")
        assert len(curated.concepts) == 6144
        chosen = kg.co_occurring(graph, graph.concept("COVID-19").concept, 100, curated.concepts)
        [table] = kg.classify(graph, curated, chosen)
    assert table.counts == {"1": 131, "2a": 64, "2b": 4517, "3a": 5, "3b": 0, "3c": 333, "4": 0, "neither": 0}
