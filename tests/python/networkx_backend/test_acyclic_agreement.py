# SPDX-License-Identifier: Apache-2.0
"""Orders, paths and reach of directed graphs agree with plain NetworkX on random graphs."""

import random

import pytest

nx = pytest.importorskip("networkx")

import atoll.networkx as backend  # noqa: E402
from agreement import KINDS, both, listed, random_graph, same, seeds  # noqa: E402


@pytest.mark.parametrize("kind", KINDS)
def test_topological_orders(kind):
    for seed in seeds(48):
        G = random_graph(kind, seed, loops=seed % 3 == 0)
        if seed % 2:  # edges to nodes that come later: no cycle
            place = {node: k for k, node in enumerate(G)}
            G.remove_edges_from([edge for edge in list(G.edges) if place[edge[0]] >= place[edge[1]]])
        same("is_directed_acyclic_graph", G)
        ours, theirs = listed("topological_generations", None, G)
        if isinstance(theirs, tuple):
            assert ours == theirs
        else:
            assert list(map(set, ours)) == list(map(set, theirs))
        ours, theirs = listed("topological_sort", None, G)
        if isinstance(theirs, tuple):
            assert ours == theirs
        else:
            assert set(ours) == set(theirs)
            place = {node: k for k, node in enumerate(ours)}
            assert all(place[u] < place[v] for u, v in G.edges())
        weigh = random.Random(seed)
        for *_, data in G.edges(data=True):
            data["weight"] = weigh.randint(-3, 9) / (1 + seed % 4 // 2)
        G.__networkx_cache__.clear()
        for weight in ("weight", "absent", None):
            check_longest_path(G, weight)


def check_longest_path(G, weight):
    if G.is_directed() and backend.can_run("dag_longest_path", (G, weight), {}) is not True:
        assert G.is_multigraph() and weight is not None
        return
    same("dag_longest_path_length", G, weight=weight)
    ours, theirs = both("dag_longest_path", G, weight=weight)
    if isinstance(theirs, tuple):
        assert ours == theirs
        return

    def length(path):
        return sum(1 if weight is None else G[u][v].get(weight, 1) for u, v in zip(path, path[1:]))

    if not G.is_multigraph():
        assert length(ours) == length(theirs)
    assert bool(ours) == bool(theirs) and all(G.has_edge(u, v) for u, v in zip(ours, ours[1:]))


@pytest.mark.parametrize("kind", KINDS)
def test_nodes_before_and_after(kind):
    for seed in seeds():
        G = random_graph(kind, seed)
        for name in ("ancestors", "descendants"):
            for node in [*list(G)[:3], "no such node"]:
                same(name, G, node)
