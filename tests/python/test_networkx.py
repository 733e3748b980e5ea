# SPDX-License-Identifier: Apache-2.0
"""The NetworkX backend agrees with plain NetworkX, and declines where it cannot."""

import copy
import os
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest

nx = pytest.importorskip("networkx")

import _nx_atoll  # noqa: E402
import atoll  # noqa: E402
import atoll.networkx as backend  # noqa: E402
from atoll.networkx import graph as convert  # noqa: E402
from networkx_agreement import CONFIG, DISTANCES, both, random_graph, same, seeds  # noqa: E402

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
UNDIRECTED = ["connected_components", "number_connected_components", "is_connected"]
WEAK = ["weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected"]


@pytest.fixture(autouse=True)
def quiet_about_the_cache(monkeypatch):
    if CONFIG:
        monkeypatch.setattr(nx.config, "warnings_to_ignore", {"cache"}, raising=False)


@pytest.mark.parametrize("kind", KINDS)
class TestAgreement:
    def test_pagerank(self, kind):
        for seed in seeds():
            same("pagerank", random_graph(kind, seed), exact=False)
            same("pagerank", random_graph(kind, seed), alpha=0.5, tol=1e-3, exact=False)
            same("pagerank", random_graph(kind, seed), tol=1e-15, max_iter=2, exact=False)

    def test_pagerank_of_a_personalization_to_the_tolerance(self, kind):
        for seed in seeds():
            G = random_graph(kind, seed)
            shares = {node: k for k, node in enumerate(list(G)[:5])}
            ours, theirs = both("pagerank", G, personalization=shares, tol=1e-12, max_iter=300)
            if isinstance(theirs, tuple) and theirs[0] is ZeroDivisionError:
                assert ours == theirs
            else:
                assert ours == pytest.approx(theirs, abs=1e-9)

    def test_pagerank_of_equal_weights(self, kind):
        for seed in seeds():
            G = random_graph(kind, seed)
            nx.set_edge_attributes(G, 2.5, "weight")
            same("pagerank", G, exact=False)

    def test_betweenness(self, kind):
        for seed in seeds():
            G = random_graph(kind, seed)
            for options in ({}, {"normalized": False}, {"endpoints": True}, {"endpoints": True, "normalized": False}):
                same("betweenness_centrality", G, exact=False, **options)
                for k in (1, 3, len(G), 99):
                    same("betweenness_centrality", G, k=k, seed=seed, exact=False, **options)

    @pytest.mark.parametrize("weights", ["ints", "floats", "mixed", "some", "large", "equal"])
    def test_weighted_betweenness(self, kind, weights):
        for seed in seeds(12):
            G = random_graph(kind, seed)
            rng = random.Random(seed)
            for *_, data in G.edges(data=True):
                if weights == "some" and rng.random() < 0.5:
                    continue
                number = {"large": rng.randrange(1, 2**40), "equal": 0.1}.get(weights, rng.randrange(1, 5))
                floats = weights == "floats" or (weights == "mixed" and rng.random() < 0.5)
                data["w"] = rng.random() + 1e-9 if floats else number
            for options in (
                {},
                {"normalized": False},
                {"endpoints": True},
                {"k": min(3, len(G)) or None, "seed": seed},
            ):
                same("betweenness_centrality", G, weight="w", exact=False, **options)

    def test_components(self, kind):
        for seed in seeds():
            G = random_graph(kind, seed)
            for name in UNDIRECTED + WEAK:
                same(name, G)
            for node in list(G)[:3] + ["nobody"]:
                same("node_connected_component", G, node)

    def test_distances(self, kind):
        for seed in seeds():
            G = random_graph(kind, seed)
            for node in list(G)[:3] + ["nobody", []]:
                for cutoff in (None, 2, 1.5, 0, -1):
                    for name in DISTANCES:
                        same(name, G, node, cutoff=cutoff)

    @pytest.mark.parametrize("weights", ["ints", "floats", "mixed", "some", "zeros", "large"])
    def test_weighted_distances(self, kind, weights):
        for seed in seeds():
            G = random_graph(kind, seed)
            rng = random.Random(seed)
            for *_, data in G.edges(data=True):
                if weights == "some" and rng.random() < 0.5:
                    continue
                number = {"zeros": rng.randrange(2), "large": rng.randrange(2**40)}.get(weights, rng.randrange(9))
                data["w"] = (
                    rng.random() if weights == "floats" or (weights == "mixed" and rng.random() < 0.5) else number
                )
            for node in list(G)[:3]:
                for cutoff in (None, 3):
                    ours, theirs = both("single_source_dijkstra_path_length", G, node, cutoff=cutoff, weight="w")
                    assert ours == theirs
                    assert list(ours.values()) == sorted(ours.values())
                    if weights in ("ints", "some", "zeros", "large"):
                        assert all(type(value) is int for value in ours.values())

    @pytest.mark.parametrize("weights", [None, "ints", "floats", "some", "zeros", "large"])
    def test_all_pairs(self, kind, weights):
        def total(name, *args, **kwargs):  # generators of pairs as one dict, in their order
            out = []
            for chosen in ({"backend": "atoll"}, {}):
                try:
                    found = getattr(nx, name)(G, *args, **chosen, **kwargs)
                    out.append(dict(found) if not isinstance(found, (int, float, list)) else found)
                except Exception as e:
                    out.append((type(e), str(e)))
            return out

        def equal(name, *args, **kwargs):
            ours, theirs = total(name, *args, **kwargs)
            if isinstance(theirs, tuple) and not CONFIG:
                assert isinstance(ours, tuple)
                return
            assert ours == theirs, name
            assert type(ours) is type(theirs), name
            if not isinstance(theirs, dict):
                return
            assert list(ours) == list(theirs), name
            for u, row in theirs.items():
                if not isinstance(row, dict):
                    assert type(ours[u]) is type(row), (name, u)
                    continue
                for v, value in row.items():
                    assert type(ours[u][v]) is type(value), (name, u, v, ours[u][v], value)

        for seed in seeds(3):
            G = random_graph(kind, seed)
            rng = random.Random(seed)
            for *_, data in G.edges(data=True):
                if weights is None or (weights == "some" and rng.random() < 0.5):
                    continue
                number = {"zeros": rng.randrange(2), "large": rng.randrange(2**40)}.get(weights, rng.randrange(9))
                data["w"] = rng.random() if weights == "floats" else number
            for cutoff in (None, 1.5):
                equal("all_pairs_shortest_path_length", cutoff=cutoff)
                equal("all_pairs_dijkstra_path_length", cutoff=cutoff, weight="w")
            equal("all_pairs_bellman_ford_path_length", weight="w")
            connected = len(G) and (nx.is_strongly_connected if G.is_directed() else nx.is_connected)(G)
            for H in (G, nx.compose(nx.path_graph(list(G), create_using=kind), G)):
                if H is not G and G.is_directed() and not connected:
                    H.add_edges_from(zip(list(G)[1:], G))
                if weights == "floats" and H is not G:
                    for *_, data in H.edges(data=True):  # ints among floats: equal values of other types
                        data.setdefault("w", 0.5)
                G = H
                for name in ("eccentricity", "diameter", "radius", "periphery"):
                    equal(name)
                    if weights != "some":
                        equal(name, weight="w")
                equal("average_shortest_path_length")
                equal("average_shortest_path_length", weight="w", method="unweighted")
                if weights == "floats" and any("w" in data for *_, data in G.edges(data=True)):
                    refused("floyd_warshall", G, weight="w")
                    refused("floyd_warshall_numpy", G, weight="w")
                    refused("average_shortest_path_length", G, weight="w")
                    continue
                equal("average_shortest_path_length", weight="w")
                if backend.can_run("floyd_warshall", (G,), {"weight": "w"}) is True:
                    equal("floyd_warshall", weight="w")
                if not kind().is_multigraph() and not any(data for *_, data in G.edges(data=True)):
                    equal("floyd_warshall", weight="nothing")
                if CONFIG:  # before that, an empty graph was an error
                    backwards = list(G)[::-1]
                    for order in (None, backwards):
                        ours = nx.floyd_warshall_numpy(G, order, weight="w", backend="atoll")
                        theirs = nx.floyd_warshall_numpy(G, order, weight="w")
                        assert (ours == theirs).all() and ours.dtype == theirs.dtype and ours.shape == theirs.shape

    def test_cores_and_triangles(self, kind):
        for seed in seeds():
            if kind in (nx.Graph, nx.MultiGraph):
                for loops in (False, True):
                    same("core_number", random_graph(kind, seed, loops=loops))
            if kind is not nx.Graph:
                continue
            G = random_graph(kind, seed)
            for name in ("triangles", "clustering", "average_clustering", "transitivity"):
                same(name, G)
            some = list(G)[::2] + ["nobody"]
            for name in ("triangles", "clustering", "average_clustering"):
                same(name, G, some)
            for node in list(G)[:2]:
                same("triangles", G, node)
                same("clustering", G, node)
            same("average_clustering", G, count_zeros=False)


def refused(name, G, *args, **kwargs):
    if CONFIG:  # before that, NetworkX silently did it itself
        with pytest.raises(NotImplementedError):
            getattr(nx, name)(G, *args, backend="atoll", **kwargs)
    reason = backend.can_run(name, (G, *args), kwargs)
    assert isinstance(reason, str) and len(reason) > 10
    return reason


def test_calls_that_cannot_agree_are_declined_with_a_reason():
    G = nx.path_graph(4)
    G[0][1]["weight"] = 3
    directed, multi = nx.DiGraph(G), nx.MultiGraph(G)
    assert "weight=None" in refused("pagerank", G)
    refused("pagerank", G, weight=None, nstart={0: 1})
    refused("pagerank", G, weight=None, dangling={0: 1})
    refused("pagerank", G, weight=None, alpha=1)
    refused("pagerank", G, weight=None, personalization={0: -1, 1: 2})
    G[1][2]["weight"] = 0
    refused("betweenness_centrality", G, weight="weight")
    refused("betweenness_centrality", G, weight=lambda u, v, data: 1)
    del G[1][2]["weight"]
    refused("clustering", G, weight="weight")
    refused("single_source_dijkstra_path_length", G, 0, weight=lambda u, v, data: 1)
    for bad in (-1, float("nan"), float("inf"), "3", None, 10**30, 2**60, [1]):
        G[1][2]["weight"] = bad
        refused("single_source_dijkstra_path_length", G, 0)
        refused("betweenness_centrality", G, weight="weight")
    refused("floyd_warshall", G)
    parallel = nx.MultiGraph([(0, 1, {"weight": 1}), (0, 1, {"weight": "2"}), (1, 2)])
    refused("pagerank", parallel)
    refused("single_source_dijkstra_path_length", parallel, 2, cutoff=0)
    refused("pagerank", nx.Graph([(0, 1, {"weight": float("inf")})]))
    G[1][2]["weight"] = 2
    assert "some edges" in refused("floyd_warshall", G)
    refused("floyd_warshall_numpy", G, nodelist=[0, 1, 2])
    refused("average_shortest_path_length", G, weight="weight", method="floyd-warshall")
    refused("eccentricity", G, 0)
    refused("eccentricity", G, sp={})
    refused("diameter", G, {0: 1})
    refused("radius", G, usebounds=True)
    assert "16384 nodes" in refused("all_pairs_shortest_path_length", nx.empty_graph(20_000))
    for name in ("core_number", "clustering", "average_clustering", "transitivity"):
        refused(name, directed)
    for name in ("triangles", "clustering", "average_clustering", "transitivity"):
        refused(name, multi)


def test_the_backend_info_lists_all_functions():
    functions = _nx_atoll.get_info()["functions"]
    assert all(callable(getattr(backend, name)) for name in functions)
    others = {
        "DiGraph",
        "Graph",
        "can_run",
        "convert_from_nx",
        "convert_to_nx",
        "from_atoll",
        "read_edgelist",
        "should_run",
    }
    assert functions.keys() == set(backend.__all__) - others


def test_importing_networkx_does_not_load_atoll():
    program = (
        "import sys, networkx as nx; assert 'atoll' in nx.utils.backends.backends; sys.exit('atoll' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(8))
def test_conversion_there_and_back_keeps_nodes_and_edges(kind, seed):
    G = random_graph(kind, seed)
    for k, (*_, data) in enumerate(G.edges(data=True)):
        data["weight"] = k // 2
    attributes = None if G.is_multigraph() else {"weight": 1}
    back = backend.convert_to_nx(backend.convert_from_nx(G, edge_attrs=attributes))
    assert type(back) is kind and list(back) == list(G)
    if attributes:
        assert nx.utils.graphs_equal(back, G)
    else:
        key = lambda ends: sorted(map(repr, ends)) if not G.is_directed() else list(map(repr, ends))  # noqa: E731
        assert sorted(key(e[:2]) for e in back.edges) == sorted(key(e[:2]) for e in G.edges)


@pytest.mark.parametrize("kind", KINDS)
def test_edges_and_weights_are_those_of_the_walk_in_python(kind):
    for seed in seeds():
        G = random_graph(kind, seed)
        rng = random.Random(seed)
        for *_, data in G.edges(data=True):
            if rng.random() < 0.7:
                data["w"] = rng.choice([rng.randrange(9), rng.random()]) if seed % 2 else rng.randrange(9)
        nodes = list(G)
        walked = convert._walk(G, nodes, "w", 1)
        assert (walked is not None) == all(type(node) in (int, str) for node in nodes)
        slow = convert._walk_by_python(G, nodes, "w", 1)
        if walked is None:
            continue
        for ours, theirs in zip(walked[:3], slow[:3]):
            assert np.array_equal(ours, theirs) if theirs is not None else ours is None
        ours, theirs = walked[3], slow[3]
        if ours is None:  # no edge has the attribute
            assert theirs is None or np.all(theirs.values == 1)
        else:
            assert np.array_equal(ours.values, theirs.values) and ours.integral == theirs.integral


def test_a_conversion_by_a_condition_is_not_used_after_a_change():
    G = nx.path_graph(4)
    assert backend.can_run("pagerank", (G,), {}) is True
    G.add_edge(3, 4)
    assert len(nx.pagerank(G, backend="atoll")) == 5
    H = nx.path_graph(4)
    assert backend.can_run("single_source_dijkstra_path_length", (H, 0), {}) is True
    H[0][1]["weight"] = 7  # NetworkX does not notice this, and has not converted yet
    assert nx.single_source_dijkstra_path_length(H, 0, backend="atoll")[3] == 9


def test_a_graph_can_be_copied_and_pickled_after_a_call():
    G = nx.path_graph(5)
    expected = nx.pagerank(G, backend="atoll")
    for made in (copy.copy(G), copy.deepcopy(G), pickle.loads(pickle.dumps(G)), G.copy()):
        assert nx.pagerank(made, backend="atoll") == pytest.approx(expected)


def test_views_are_converted():
    G = nx.subgraph_view(nx.path_graph(6), filter_node=lambda v: v != 2)
    same("connected_components", G)
    same("pagerank", nx.reverse_view(nx.gnp_random_graph(20, 0.2, seed=1, directed=True)), exact=False)


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.3 or later is needed")
def test_networkx_keeps_the_conversion_until_the_graph_changes():
    G = nx.path_graph(5)
    assert nx.number_connected_components(G, backend="atoll") == 1
    (made,) = G.__networkx_cache__["backends"]["atoll"].values()
    built = made._built["plain"]
    assert nx.is_connected(G, backend="atoll") and made._built["plain"] is built
    assert backend.should_run("is_connected", (G,), {}) is True
    G.add_node("new")
    assert nx.number_connected_components(G, backend="atoll") == 2
    assert backend.should_run("is_connected", (nx.path_graph(5),), {}) is not True


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.3 or later is needed")
def test_priority_leaves_small_graphs_to_networkx(monkeypatch):
    called = []
    monkeypatch.setattr(backend, "pagerank", lambda *_, **__: called.append(1) or {})
    with nx.config.backend_priority(algos=["atoll"]):
        nx.pagerank(nx.path_graph(5))
        assert not called
        nx.pagerank(nx.path_graph(2000))
        assert called


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_graph_of_atoll_needs_no_conversion(directed, weighted):
    rng = np.random.default_rng(5)
    src, dst = rng.integers(100, 140, (2, 150))
    weight = rng.random(150) if weighted else None
    graph = atoll.Graph.from_edges(src, dst, weight, directed=directed)
    G = backend.from_atoll(graph)
    assert len(G) == graph.n and G.number_of_edges() == graph.m and not G.is_multigraph()
    assert G._plain() is graph
    plain = backend.convert_to_nx(G)
    assert plain.number_of_edges() == graph.m
    source = next(iter(plain))
    assert nx.single_source_dijkstra_path_length(G, source) == nx.single_source_dijkstra_path_length(plain, source)
    assert nx.betweenness_centrality(G, k=5, seed=1) == pytest.approx(nx.betweenness_centrality(plain, k=5, seed=1))
    assert nx.pagerank(G, weight=None) == pytest.approx(nx.pagerank(plain, weight=None))
    components = nx.weakly_connected_components if directed else nx.connected_components
    assert list(components(G)) == list(components(plain))
    if weighted:
        with pytest.raises(NotImplementedError):
            nx.pagerank(G)
        with pytest.raises(NotImplementedError, match="weight=None"):
            backend.pagerank(G)


def test_parallel_edges_of_an_atoll_graph_make_a_multigraph():
    graph = atoll.Graph.from_edges([1, 1, 1, 2, 2, 2], [2, 2, 3, 2, 2, 1], directed=False, duplicates="keep")
    G = backend.from_atoll(graph)
    assert G.is_multigraph() and G.number_of_edges() == 6
    assert nx.pagerank(G) == pytest.approx(nx.pagerank(backend.convert_to_nx(G)))
    assert nx.betweenness_centrality(G) == pytest.approx(nx.betweenness_centrality(backend.convert_to_nx(G)))


def test_a_file_is_read_without_a_conversion(tmp_path):
    file = tmp_path / "roads.csv"
    file.write_text("from,to,km\n10,20,1.5\n20,30,2.5\n")
    G = backend.read_edgelist(file, weight_column="km")
    assert nx.single_source_dijkstra_path_length(G, 10) == {10: 0, 20: 1.5, 30: 4.0}
    with pytest.raises(nx.NodeNotFound, match="11"):
        nx.single_source_shortest_path_length(G, 11)


def test_a_graph_over_several_ranks_is_refused():
    def play(world):
        with pytest.raises(atoll.InputError, match="spread over 2 ranks"):
            backend.from_atoll(atoll.Graph("ring:6", comm=world))

    atoll.run_ranks(2, play)


MODULES = {
    "link_analysis.tests.test_pagerank",
    "centrality.tests.test_betweenness_centrality",
    "components.tests.test_connected",
    "components.tests.test_weakly_connected",
    "shortest_paths.tests.test_dense",
    "shortest_paths.tests.test_dense_numpy",
    "shortest_paths.tests.test_generic",
    "shortest_paths.tests.test_unweighted",
    "shortest_paths.tests.test_weighted",
    "tests.test_core",
    "tests.test_cluster",
}


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.2's tests also try a backend of their own, beside atoll")
def test_networkx_own_tests_pass(tmp_path):
    pytest.importorskip("scipy")
    names = [f"networkx.algorithms.{module}" for module in sorted(MODULES)]
    # Functions that are not registered, or declined, go to NetworkX; all registered ones run here.
    environment = {**os.environ, "NETWORKX_TEST_BACKEND": "atoll", "NETWORKX_FALLBACK_TO_NX": "True"}
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--pyargs", *names]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    last = done.stdout.splitlines()[-1]
    assert "skipped" not in last and int(last.split(" passed")[0].split()[-1]) > 250, last


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.3 or later is needed")
@pytest.mark.parametrize("weight", [None, 2, 2.5])
def test_distances_on_a_graph_converted_for_pagerank_have_weights(weight):
    G = nx.path_graph(5)
    if weight is not None:
        nx.set_edge_attributes(G, weight, "weight")
    nx.pagerank(G, backend="atoll")
    (kept,) = G.__networkx_cache__["backends"]["atoll"].values()
    expected = nx.single_source_dijkstra_path_length(G, 0)
    assert nx.single_source_dijkstra_path_length(G, 0, backend="atoll") == expected == {k: k * (weight or 1) for k in G}
    assert list(G.__networkx_cache__["backends"]["atoll"].values()) == [kept]
