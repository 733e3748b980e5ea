# SPDX-License-Identifier: Apache-2.0
"""The small graphs of atoll.datasets: facts about them, the same on any number of ranks."""

import atoll
import numpy as np
import pytest
from atoll import datasets

MAKERS = {name: getattr(datasets, name) for name in datasets.__all__}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_make_the_graph_of_one(name, ranks):
    one = MAKERS[name]()
    edges = sorted(zip(*(column.tolist() for column in one.edges.arrays())))

    def f(world):
        graph = MAKERS[name](comm=world, partition="hashed")
        parts = atoll.world.all_gather_objects(world, list(zip(*(column.tolist() for column in graph.edges.arrays()))))
        assert sorted(edge for part in parts for edge in part) == edges
        assert (graph.directed, graph.weighted, graph.partition) == (one.directed, one.weighted, "hashed")
        for column, values in one.vertex_attributes.items():
            here = dict(zip(one.names, values))
            assert [here[v] for v in graph.names] == graph.vertex_attributes[column].tolist()
        return graph.n

    assert atoll.run_ranks(ranks, f) == [one.n] * ranks


def test_the_karate_club_is_that_of_networkx():
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    known, club = nx.karate_club_graph(), datasets.karate_club()
    name_of = {0: "Mr. Hi", 33: "John A.", **{k: f"Actor {k + 1}" for k in range(1, 33)}}
    assert {frozenset((name_of[u], name_of[v])) for u, v in known.edges} == {
        frozenset(edge) for edge in club.to_networkx().edges
    }
    clubs = dict(zip(club.names, club.vertex_attributes["club"]))
    assert clubs == {name_of[k]: known.nodes[k]["club"] for k in known}


def test_characters_share_scenes():
    play = datasets.romeo_and_juliet()
    assert play["Romeo"]["Juliet"] == 5.0 and dict(play["Apothecary"]) == {"Balthasar": 1.0, "Romeo": 1.0}
    assert dict(play["Friar John"]) == {"Friar Laurence": 1.0}
    weights = play.edges.arrays()[2]
    assert (weights % 1 == 0).all() and weights.min() == 1.0
    assert atoll.connected_components(play).components == 1


def test_blood_groups_are_ordered():
    groups = datasets.blood_groups()
    assert (groups.n, groups.m, groups.directed) == (8, 19, True)
    assert list(groups["AB+"]) == [] and len(groups["0-"]) == 7
    assert all(u not in groups[v] for u in groups for v in groups[u])  # without a cycle, and transitive:
    assert all(w in groups[u] for u in groups for v in groups[u] for w in groups[v])


def test_distances_of_capitals_are_a_metric():
    cities = datasets.capitals()
    assert (cities.n, cities.directed, cities.weighted) == (17, False, True)
    place = {
        city: np.radians([latitude, longitude])
        for city, latitude, longitude in zip(
            cities.names, cities.vertex_attributes["latitude"], cities.vertex_attributes["longitude"]
        )
    }
    for one, other, distance in cities.to_pandas().itertuples(index=False):
        (a, x), (b, y) = place[one], place[other]  # by the law of cosines of a sphere
        angle = np.arccos(np.sin(a) * np.sin(b) + np.cos(a) * np.cos(b) * np.cos(x - y))
        assert abs(6371 * angle - distance) <= 0.51
    assert atoll.connected_components(cities).components == 1
