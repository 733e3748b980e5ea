# SPDX-License-Identifier: Apache-2.0
"""Biconnected components, articulation points and bridges of the NetworkX backend are NetworkX's, in another order."""

import pytest

nx = pytest.importorskip("networkx")

from agreement import CONFIG, KINDS, random_graph, same, seeds  # noqa: E402


def answer(name, G, kwargs):
    try:
        return list(getattr(nx, name)(G, **kwargs))
    except Exception as e:
        return type(e), str(e)


def both(name, G, **kwargs):
    return answer(name, G, {"backend": "atoll", **kwargs}), answer(name, G, kwargs)


def edges_of(part):
    return frozenset(frozenset(edge) for edge in part)


@pytest.mark.parametrize("kind", KINDS)
def test_components_of_nodes_and_edges(kind):
    for seed in seeds():
        G = random_graph(kind, seed)
        ours, theirs = both("biconnected_components", G)
        if isinstance(theirs, tuple):
            assert ours == theirs if CONFIG else isinstance(ours, tuple)
        else:
            assert len(ours) == len(theirs) and set(map(frozenset, ours)) == set(map(frozenset, theirs))
        ours, theirs = both("biconnected_component_edges", G)
        if isinstance(theirs, tuple):
            assert ours == theirs if CONFIG else isinstance(ours, tuple)
        else:
            assert sorted(map(len, ours)) == sorted(map(len, theirs))
            assert set(map(edges_of, ours)) == set(map(edges_of, theirs))


@pytest.mark.parametrize("kind", KINDS)
def test_points_and_bridges(kind):
    for seed in seeds():
        G = random_graph(kind, seed)
        same("is_biconnected", G)
        same("has_bridges", G)
        ours, theirs = both("articulation_points", G)
        assert ours == theirs if isinstance(theirs, tuple) else (len(ours), set(ours)) == (len(theirs), set(theirs))
        for kwargs in [{}, *({"root": node} for node in [*list(G)[:3], "nobody"])]:
            ours, theirs = both("bridges", G, **kwargs)
            if isinstance(theirs, tuple):
                assert ours == theirs
            else:
                assert len(ours) == len(theirs) and edges_of(ours) == edges_of(theirs)
                same("has_bridges", G, **kwargs)
