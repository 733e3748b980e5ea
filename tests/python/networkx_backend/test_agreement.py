# SPDX-License-Identifier: Apache-2.0
"""Functions of the NetworkX backend agree with plain NetworkX on random graphs."""

import random

import pytest

nx = pytest.importorskip("networkx")

import atoll.networkx as backend  # noqa: E402
from agreement import CONFIG, DISTANCES, KINDS, both, listed, random_graph, refused, same, seeds  # noqa: E402

UNDIRECTED = ["connected_components", "number_connected_components", "is_connected"]
STRONG = ["strongly_connected_components", "number_strongly_connected_components", "is_strongly_connected"]
WEAK = ["weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected"]


def as_short(G, weight, ours, theirs):
    """A path as long as NetworkX's, between the same nodes, along edges; or the same error."""
    if isinstance(theirs, tuple):
        assert ours == theirs if CONFIG else isinstance(ours, tuple)
        return
    assert type(ours) is list and (ours[0], ours[-1]) == (theirs[0], theirs[-1])
    assert all(G.has_edge(u, v) for u, v in zip(ours, ours[1:]))
    if weight is None:
        assert len(ours) == len(theirs)
    else:
        assert nx.path_weight(G, ours, weight) == pytest.approx(nx.path_weight(G, theirs, weight))


def all_as_short(G, weight, ours, theirs):
    if isinstance(theirs, tuple):
        as_short(G, weight, ours, theirs)
        return
    assert type(ours) is dict and ours.keys() == theirs.keys()
    for node, path in theirs.items():
        as_short(G, weight, ours[node], path)


def test_pagerank_leaves_parallel_edges_that_differ_to_networkx():
    G = nx.MultiGraph([(0, 1, {"weight": 2}), (0, 1, {"weight": 1}), (1, 2, {"weight": 1})])
    assert "differ" in backend.can_run("pagerank", (G,), {})
    assert backend.can_run("pagerank", (nx.MultiGraph([(0, 1), (0, 1), (1, 2)]),), {}) is True


def test_degrees_that_are_alike_or_not_asked_for_have_no_assortativity_here():
    name = "degree_assortativity_coefficient"
    with pytest.warns(RuntimeWarning):
        assert repr(both(name, nx.cycle_graph(5))) == "[nan, nan]"
    assert both(name, nx.star_graph(6)) == [-1, pytest.approx(-1)]
    for G, options, why in [
        (nx.star_graph(3), {"weight": "w"}, "weight or nodes are given"),
        (nx.star_graph(3), {"nodes": [0]}, "weight or nodes are given"),
        (nx.empty_graph(3), {}, "no edge"),
        (nx.Graph([(0, 0), (0, 1)]), {}, "an edge to itself"),
        (nx.DiGraph([(0, 1)]), {}, "directed graphs"),
        (nx.MultiGraph([(0, 1)]), {}, "multigraphs"),
    ]:
        assert why in backend.can_run(name, (G,), options)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_paths_come_by_ascending_length_as_networkx_has_them(kind):
    for seed in seeds():
        G = random_graph(kind, seed)
        rng = random.Random(seed)
        for u, v in G.edges:
            G[u][v]["w"] = rng.randrange(5)
        for u, v in [(rng.choice(list(G)), rng.choice(list(G))) for _ in range(4 if len(G) else 0)]:
            for weight in (None, "w"):
                ours, theirs = listed("shortest_simple_paths", 8, G, u, v, weight=weight)
                if isinstance(theirs, tuple):
                    assert ours == theirs
                    continue
                assert len(ours) == len(theirs) == len({str(path) for path in ours})
                for path, expected in zip(ours, theirs):
                    as_short(G, weight, path, expected)
            ours, theirs = listed("all_shortest_paths", None, G, u, v)
            assert ours == theirs if isinstance(theirs, tuple) else sorted(map(str, ours)) == sorted(map(str, theirs))
    assert "multigraphs" in backend.can_run("shortest_simple_paths", (nx.MultiGraph([(0, 1)]), 0, 1), {})
    assert refused("all_shortest_paths", nx.path_graph(3), 0, 1, weight="w", method="bellman-ford")


@pytest.mark.parametrize("kind", KINDS)
def test_paths_by_weights_of_both_signs(kind):
    for seed in seeds(48):
        G = random_graph(kind, seed, loops=seed % 3 == 0)
        rng = random.Random(seed)
        potential = {node: rng.randrange(20) for node in G}
        for u, v, data in G.edges(data=True):
            data["w"] = rng.randrange(4) + (potential[u] - potential[v] if G.is_directed() else 0)
            data["x"] = data["w"] + (0.5 if seed % 2 else -1)
        for weight in ("w", "x", "missing"):
            same("negative_edge_cycle", G.copy(), weight=weight)
            if not len(G):
                continue
            source, target = rng.choice(list(G)), rng.choice(list(G))
            ours, theirs = both("single_source_bellman_ford_path_length", G, source, weight=weight)
            assert ours == theirs
            ours, theirs = both("bellman_ford_path_length", G, source, target, weight=weight)
            assert ours == theirs
            if not G.is_multigraph():
                known = None if weight == "missing" else weight
                as_short(G, known, *both("bellman_ford_path", G, source, target, weight=weight))
            ours, theirs = both("single_source_bellman_ford", G, source, weight=weight)
            if isinstance(theirs[0], dict):
                assert ours[0] == theirs[0] and ours[1].keys() == theirs[1].keys()
            else:
                assert ours == theirs
            ours, theirs = both("find_negative_cycle", G, source, weight=weight)
            if isinstance(ours, list):
                assert ours[0] == ours[-1] and all(G.has_edge(u, v) for u, v in zip(ours, ours[1:]))
                if not G.is_multigraph():
                    assert nx.path_weight(G, ours, weight) < 0
            else:
                assert ours == theirs


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_betweenness_of_edges(kind):
    for seed in seeds():
        G = random_graph(kind, seed)
        rng = random.Random(seed)
        for u, v in G.edges:
            G[u][v]["w"] = rng.randrange(1, 4)
        for options in ({}, {"normalized": False}, {"weight": "w"}, {"k": max(1, len(G) // 3), "seed": 5}):
            if "k" not in options or len(G):
                same("edge_betweenness_centrality", G, exact=False, **options)
    assert refused("edge_betweenness_centrality", nx.MultiGraph([(0, 1)]))


@pytest.mark.parametrize("kind", KINDS)
def test_hubs_and_authorities(kind):
    pytest.importorskip("scipy")
    for seed in range(6):
        # Connected and not bipartite, so that one answer alone satisfies the equations.
        G = kind(nx.gnm_random_graph(30, 120, seed=seed, directed=kind().is_directed()))
        G.add_edge(0, 0)
        ours, theirs = both("hits", G)
        for scores, expected in zip(ours, theirs):
            assert list(scores) == list(expected)
            assert scores == pytest.approx(expected, rel=1e-6, abs=1e-9)
        if not G.is_multigraph():
            nx.set_edge_attributes(G, {edge: 1 + k % 3 for k, edge in enumerate(G.edges)}, "weight")
            ours, theirs = both("hits", G)
            assert ours[1] == pytest.approx(theirs[1], rel=1e-6, abs=1e-9)
    assert nx.hits(kind(), backend="atoll") == ({}, {})
    for options in ({"nstart": {}}, {"normalized": False}):
        assert refused("hits", G, **options)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_flows_and_cuts(kind):
    for seed in seeds():
        G = random_graph(kind, seed)
        rng = random.Random(seed)
        for u, v in G.edges:
            G[u][v]["capacity"] = rng.randrange(5) if seed % 2 else rng.choice([0.0, 0.5, 1.25, 3.0])
        if not G.number_of_edges():
            continue
        for u, v in [(rng.choice(list(G)), rng.choice(list(G))) for _ in range(3)]:
            for name in ("maximum_flow_value", "minimum_cut_value"):
                ours, theirs = both(name, G, u, v)
                assert ours == theirs if isinstance(theirs, tuple) else ours == pytest.approx(theirs)
            ours, theirs = both("minimum_cut", G, u, v)
            assert ours == theirs
            ours, theirs = both("maximum_flow", G, u, v)
            if isinstance(theirs[0], type):
                assert ours == theirs
                continue
            assert ours[0] == pytest.approx(theirs[0])
            flows = ours[1]
            assert {n: set(of) for n, of in flows.items()} == {n: set(of) for n, of in theirs[1].items()}
            for n in G:
                net = sum(flows[n].values()) - sum(flows[m].get(n, 0) for m in G)
                assert net == pytest.approx(ours[0] if n == u else -ours[0] if n == v else 0)
                assert all(0 <= flow <= G[n][m]["capacity"] for m, flow in flows[n].items())
    G = nx.path_graph(4)
    assert "no 'capacity'" in refused("maximum_flow", G, 0, 3)
    nx.set_edge_attributes(G, 1, "capacity")
    assert refused("minimum_cut", G, 0, 3, flow_func=nx.algorithms.flow.dinitz)


@pytest.mark.parametrize("kind", KINDS)
class TestAgreement:
    def test_pagerank(self, kind):
        for seed in seeds():
            same("pagerank", random_graph(kind, seed), exact=False)
            same("pagerank", random_graph(kind, seed), alpha=0.5, tol=1e-3, exact=False)
            same("pagerank", random_graph(kind, seed), tol=1e-15, max_iter=2, exact=False)

    def test_spectral_centralities(self, kind):
        for seed in seeds():
            G = random_graph(kind, seed)
            for name in ("eigenvector_centrality", "katz_centrality"):
                same(name, G, exact=False, max_iter=200)
                same(name, G, exact=False, max_iter=3, tol=1e-12)
            same("katz_centrality", G, exact=False, alpha=0.02, beta=3.0)
            for k, (*_, data) in enumerate(G.edges(data=True)):
                data["w"] = k % 5 / 2
            same("eigenvector_centrality", G, exact=False, weight="w", max_iter=300)

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

    @pytest.mark.parametrize("weights", ["ints", "floats", "some", "zeros"])
    def test_pagerank_by_weight(self, kind, weights):
        for seed in seeds():
            G = random_graph(kind, seed)
            rng = random.Random(seed)
            for *_, data in G.edges(data=True):
                if weights != "some" or rng.random() < 0.5:
                    data["w"] = {"floats": rng.random(), "zeros": rng.randrange(2)}.get(weights, rng.randrange(1, 9))
            different = {data.get("w", 1) for *_, data in G.edges(data=True)} - {0}
            if G.is_multigraph() and (len(different) > 1 or weights == "zeros"):
                continue  # refused: parallel edges are added up
            same("pagerank", G, weight="w", exact=False)

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

    def test_closeness(self, kind):
        for seed in seeds():
            G = random_graph(kind, seed)
            same("closeness_centrality", G)
            same("closeness_centrality", G, wf_improved=False)
            same("harmonic_centrality", G, exact=False)
            rng = random.Random(seed)
            for *_, data in G.edges(data=True):
                data["w"] = rng.randrange(4) / (1 + seed % 2)
            for options in ({}, {"wf_improved": False}):
                same("closeness_centrality", G, exact=False, distance="w", **options)
            same("harmonic_centrality", G, exact=False, distance="w")

    def test_components(self, kind):
        for seed in seeds():
            G = random_graph(kind, seed)
            for name in UNDIRECTED + WEAK:
                same(name, G)
            for name in STRONG:
                ours, theirs = both(name, G)
                if name == STRONG[0] and isinstance(theirs, list):  # in no order that NetworkX promises
                    ours, theirs = (sorted(map(sorted, map(lambda c: map(str, c), found))) for found in (ours, theirs))
                assert ours == theirs
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

    @pytest.mark.parametrize("weights", [None, "ints", "floats", "zeros"])
    def test_paths_are_shortest(self, kind, weights):
        for seed in seeds(12):
            G = random_graph(kind, seed)
            rng = random.Random(seed)
            for *_, data in G.edges(data=True):
                if weights is not None:
                    data["w"] = {"floats": rng.random(), "zeros": rng.randrange(2)}.get(weights, rng.randrange(9))
            weight = None if weights is None else "w"
            for source in [*list(G)[:2], "nobody"]:
                for target in [*list(G)[-4:], source, "nowhere"]:
                    for name in ("shortest_path_length", "has_path", "dijkstra_path_length"):
                        options = {} if name == "has_path" else {"weight": weight or "none"}
                        if name == "shortest_path_length" and weight is None:
                            options = {}
                        same(name, G, source, target, **options)
                    for name in ("shortest_path", "dijkstra_path", "bidirectional_shortest_path"):
                        options = {} if name.startswith("bidirectional") else {"weight": weight or "none"}
                        as_short(G, weight if "weight" in options else None, *both(name, G, source, target, **options))
                for name in ("single_source_shortest_path", "single_source_dijkstra_path", "shortest_path"):
                    options = {} if name.startswith("single_source_s") else {"weight": weight or "none"}
                    for cutoff in ({}, {"cutoff": 2}) if name != "shortest_path" else ({},):
                        all_as_short(
                            G, weight if "weight" in options else None, *both(name, G, source, **options, **cutoff)
                        )
                same("single_source_shortest_path_length", G, source)
                if not G.is_directed():
                    all_as_short(G, weight, *both("shortest_path", G, None, source, weight))

    def test_degrees(self, kind):
        for seed in seeds():
            for loops in (False, True):
                G = random_graph(kind, seed, loops=loops)
                same("degree_centrality", G)
            G = random_graph(kind, seed, loops=False)
            if kind is nx.Graph and len({d for _, d in G.degree if d}) > 1:
                same("degree_assortativity_coefficient", G, exact=False)
        for n in range(3):
            same("degree_centrality", nx.empty_graph(n, kind))

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
