# SPDX-License-Identifier: Apache-2.0
"""From a store to weights and distances: shares by their definitions, distances beside NetworkX."""

import json
import logging
import math

import atoll
import numpy as np
import pytest
from atoll.errors import InputError, UsageError

nx = pytest.importorskip("networkx")
pytest.importorskip("duckdb")

from atoll import kg  # noqa: E402
from atoll.kg.relations import fixed_point  # noqa: E402
from atoll.kg.store import locked  # noqa: E402
from kg_folder import make, random_rows, shares  # noqa: E402


def edges_of(folder, **options):
    with kg.Store(folder) as store:
        found = kg.weighted_edges(store, **options)
    return found, dict(zip(zip(found.a.tolist(), found.b.tolist()), found.values.tolist()))


@pytest.mark.parametrize("seed", range(5))
def test_a_co_occurrence_has_its_share_of_the_co_occurrences_of_both_concepts(tmp_path, seed):
    rows = random_rows(seed, 9)
    found, share = edges_of(make(tmp_path, rows), weights="share")
    assert share == pytest.approx(shares(rows))
    assert found.duplicates == {"added_up": len(rows) - len(share), "parallel": 0}
    _, length = edges_of(tmp_path)
    assert length == pytest.approx({pair: -math.log(s) + 1e-6 for pair, s in shares(rows).items()})


def test_a_part_of_the_types_has_the_weights_of_the_whole(tmp_path):
    rows = random_rows(3, 9)
    make(tmp_path, rows)
    found, share = edges_of(tmp_path, types=["GENE", "drug"], weights="share")
    assert found.concepts.tolist() == [i for i in range(9) if i % 3]
    assert share == pytest.approx({(a, b): s for (a, b), s in shares(rows).items() if a % 3 and b % 3})


MIXED = [
    (0, 1, 3),
    (0, 3, 2, "mention", ""),
    (1, 3, 6, "mention", ""),
    (1, 4, 5, "mention", ""),
    (3, 4, 1, "citation", ""),
    (2, 3, 1, "citation", ""),
]
MIXED_TYPES = ["gene", "drug", "abstract", "abstract", "abstract"]


def test_mentions_have_their_share_of_the_abstract_and_citations_one_over_the_citations_of_both(tmp_path):
    make(tmp_path, MIXED, types=MIXED_TYPES)
    _, share = edges_of(tmp_path, relations=["mention", "citation"], weights="share")
    expected = {(0, 3): 2 / 8, (1, 3): 6 / 8, (1, 4): 1.0, (3, 4): 1 / (2 + 1), (2, 3): 1 / (1 + 2)}
    assert share == pytest.approx(expected)
    _, share = edges_of(tmp_path, weights="share")
    assert share == {(0, 1): 1.0}  # co-occurrences alone, where there are some


def test_of_several_relations_the_least_length_and_the_greatest_share_count(tmp_path):
    rows = [(0, 1, 2), (1, 2, 8), (0, 1, 5, "mention", "")]
    make(tmp_path, rows, types=["gene", "abstract", "gene"])
    relations = ["co-occurrence", "mention"]
    found, share = edges_of(tmp_path, relations=relations, weights="share")
    assert share[0, 1] == 1.0  # 0.2 as a co-occurrence
    assert found.duplicates == {"added_up": 0, "parallel": 1}
    assert edges_of(tmp_path, relations=relations, weights="log")[1][0, 1] == pytest.approx(1e-6)


def test_a_mention_between_two_abstracts_is_refused(tmp_path):
    make(tmp_path, [(0, 1, 1, "mention", "")], types=["abstract", "abstract"])
    with pytest.raises(InputError, match="1 mentions do not join a concept and an abstract"):
        edges_of(tmp_path)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"graph": "other"}, InputError, "graph other is not in the store"),
        ({"relations": ["citation"]}, InputError, "relation citation has no edge in .* .it has co-occurrence"),
        ({"relations": ["curated"], "graph": "curated", "weights": "log"}, UsageError, "no share"),
        ({"types": ["planet"]}, InputError, "type planet is not in graph literature .it has disease, drug, gene"),
        ({"offset": -1.0}, UsageError, "offset is -1.0"),
        ({"weights": "share"}, UsageError, "shares are widths"),
        ({"ranks": 0}, UsageError, "ranks is 0"),
        ({"graph": "../other"}, UsageError, "files are named after it"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, options, error, message):
    make(tmp_path, [(0, 1, 2), (1, 2, 3)], curated=[(0, 1)])
    with pytest.raises(error, match=message):
        kg.build(tmp_path, **options)


def networkx_of(rows, n, offset=1e-6):
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for (a, b), share in shares(rows).items():
        graph.add_edge(a, b, weight=-math.log(share) + offset)
    return graph


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ranks", [1, 2])
def test_distances_are_those_of_networkx(tmp_path, seed, ranks):
    rows, n = random_rows(seed, 12, chance=0.2), 14
    built = kg.build(make(tmp_path, rows, n=n), ranks=ranks)
    graph = networkx_of(rows, n)
    assert built["components"] == nx.number_connected_components(graph)
    assert built["vertices"] == n and built["edges"] == graph.number_of_edges()
    distances = atoll.apsp.open(tmp_path / "literature.distances.npy")
    assert distances.dtype == np.int32
    known = dict(nx.all_pairs_dijkstra_path_length(graph))
    for u in range(n):
        for v in range(n):
            expected = known[u].get(v, math.inf)
            assert distances.distance(u, v) * built["unit"] == pytest.approx(expected, abs=n * built["unit"])
    offsets, targets, units = distances.arcs
    assert (units >= 1).all() and len(units) == 2 * built["edges"]


def test_curated_edges_have_length_one(tmp_path):
    curated = [(0, 1), (1, 2), (2, 3), (5, 6)]
    make(tmp_path, [(0, 1, 1)], curated=curated)
    built = kg.build(tmp_path, graph="curated")
    distances = atoll.apsp.open(tmp_path / "curated.distances.npy")
    assert built["weights"] == "unit" and built["unit"] == 1 and distances.dtype == np.uint8
    assert [distances.distance(0, v) for v in range(7)] == [0, 1, 2, 3, math.inf, math.inf, math.inf]


@pytest.mark.parametrize("ranks", [1, 2])
def test_either_form_has_the_same_paths_and_only_one_is_kept(tmp_path, ranks):
    make(tmp_path, random_rows(1, 12, chance=0.3))
    found = []
    for form in ("npy", "tiles", "npy"):
        assert kg.build(tmp_path, form=form, ranks=ranks)["form"] == form
        assert [file.suffix for file in tmp_path.glob("literature.distances.*")] == [f".{form}"]
        with kg.BuiltGraph(tmp_path) as graph:
            assert graph.distances.form == form
            found.append([graph.distances.path(u, v).tolist() for u in range(12) for v in range(12)])
    assert found[0] == found[1] == found[2]
    with pytest.raises(UsageError, match="'zarr'"):
        kg.build(tmp_path, form="zarr")


def test_a_share_of_one_never_has_length_zero(tmp_path):
    make(tmp_path, [(0, 1, 3), (2, 3, 1), (3, 4, 1)])
    assert kg.build(tmp_path)["raised"] == 0  # the offset of 1e-6 is many units
    built = kg.build(tmp_path, offset=0.0)
    assert built["raised"] == 1
    assert atoll.apsp.open(tmp_path / "literature.distances.npy").distance(0, 1) == 1


def test_units_are_the_finest_that_hold_every_path():
    lengths = np.array([1e-9, 3.0])
    found = fixed_point(lengths, longest=7.0, vertices=100)
    assert 7.0 * 2.0**found.bits + 100 <= 2**30 - 2 < 7.0 * 2.0 ** (found.bits + 1) + 100
    assert found.raised == 1 and found.units.tolist() == [1.0, 3.0 * 2.0**found.bits]
    with pytest.raises(InputError, match="distances hold 30 bits"):
        fixed_point(lengths, longest=7.0, vertices=2**30)


def test_a_build_tells_what_it_did_and_a_changed_store_is_warned_of(tmp_path, caplog):
    make(tmp_path, [(0, 1, 2), (1, 2, 3)])
    built = kg.build(tmp_path)
    assert json.loads((tmp_path / "literature.graph.json").read_text()) == built
    with kg.BuiltGraph(tmp_path) as graph:
        assert not graph.is_stale
    with kg.Store.writing(tmp_path) as store:
        store.sql("update sources set digest = 'other'")
    with caplog.at_level(logging.WARNING, "atoll"), kg.BuiltGraph(tmp_path) as graph:
        assert graph.is_stale and "built from another state of the store" in caplog.text


def test_two_builds_of_a_graph_do_not_mix(tmp_path):
    make(tmp_path, [(0, 1, 2)])
    with locked(tmp_path, 0, name="literature.build.lock"), pytest.raises(UsageError, match="by another process"):
        kg.build(tmp_path, wait=0.0)
    kg.build(tmp_path, wait=0.0)


def test_a_graph_that_was_not_built_says_how(tmp_path):
    make(tmp_path, [(0, 1, 2)])
    with pytest.raises(InputError, match="has not been built .* Build it: atoll kg build"):
        kg.BuiltGraph(tmp_path)
    (tmp_path / "literature.graph.json").write_text('{"format": 99}')
    with pytest.raises(InputError, match="has format 99 .this Atoll reads 1."):
        kg.BuiltGraph(tmp_path)
