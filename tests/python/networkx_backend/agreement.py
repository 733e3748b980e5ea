# SPDX-License-Identifier: Apache-2.0
"""Random graphs of NetworkX, and whether a function of atoll gives what NetworkX's own gives on them."""

import random
from itertools import islice

import atoll.networkx as backend
import networkx as nx
import pytest

CONFIG = hasattr(nx, "config")  # from NetworkX 3.3 on


def labels(seed, n):
    """Hashables of all kinds, including ints that could be mistaken for positions."""
    rng = random.Random(seed)
    odd = ["a", ("t", 1), frozenset({2}), -5, 10**20, 2.5, b"x", True]
    names = [
        list(range(n)),
        [7 * k + 3 for k in range(n)],
        [f"n{k}" for k in range(n)],
        (odd + [(k,) for k in range(n)])[:n],
    ]
    chosen = names[seed % 4]
    rng.shuffle(chosen)
    return chosen


def random_graph(kind, seed, *, loops=True):
    """Up to 30 nodes, some isolated, with self-loops and, if the kind has them, parallel edges."""
    rng = random.Random(seed)
    n = rng.choice([0, 1, 2, 5, 12, 30])
    names = labels(seed, n)
    G = kind()
    G.add_nodes_from(names)
    if n:
        ends = names[: max(1, n - 2)]
        for _ in range(rng.choice([0, n // 2, n, 3 * n])):
            u, v = rng.choice(ends), rng.choice(ends)
            if loops or u != v:
                G.add_edge(u, v)
    return G


def seeds(count=24):
    for seed in range(count):
        print("seed", seed)  # shown if the test fails
        yield seed


def both(name, G, *args, **kwargs):
    """(result or error of atoll, that of NetworkX)"""
    out = []
    for chosen in ({"backend": "atoll"}, {}):
        try:
            found = getattr(nx, name)(G, *args, **chosen, **kwargs)
            out.append(list(found) if name.endswith("_components") and not isinstance(found, int) else found)
        except Exception as e:
            out.append((type(e), str(e)))
    return out


def same(name, G, *args, exact=True, **kwargs):
    ours, theirs = both(name, G, *args, **kwargs)
    if isinstance(theirs, dict):
        assert type(ours) is dict, ours
        assert list(ours) == list(theirs) if name not in DISTANCES else ours.keys() == theirs.keys()
        for key, value in theirs.items():
            assert type(ours[key]) is type(value), (key, ours[key], value)
            if exact:
                assert ours[key] == value
            else:
                assert ours[key] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), key
    elif isinstance(theirs, tuple) and not CONFIG:
        assert isinstance(ours, tuple)  # classes and texts of errors have changed since
    elif exact or not isinstance(theirs, float):
        assert ours == theirs
        assert type(ours) is type(theirs)
    else:
        assert ours == pytest.approx(theirs)


DISTANCES = ["single_source_shortest_path_length", "single_source_dijkstra_path_length"]
KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def refused(name, G, *args, **kwargs):
    if CONFIG:  # before that, NetworkX silently did it itself
        with pytest.raises(NotImplementedError):
            getattr(nx, name)(G, *args, backend="atoll", **kwargs)
    reason = backend.can_run(name, (G, *args), kwargs)
    assert isinstance(reason, str) and len(reason) > 10
    return reason


def listed(name, most, G, *args, **kwargs):
    """The first of a generator's paths by atoll and by NetworkX, or (class, text) of the error."""
    out = []
    for chosen in ({"backend": "atoll"}, {}):
        try:
            out.append(list(islice(getattr(nx, name)(G, *args, **chosen, **kwargs), most)))
        except Exception as e:
            out.append((type(e), str(e)))
    return out
