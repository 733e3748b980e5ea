# SPDX-License-Identifier: Apache-2.0
"""Single numbers of a graph, and the graphs around a vertex and of cores, are NetworkX's."""

import math

import atoll
import numpy as np
import pytest

nx = pytest.importorskip("networkx", reason="NetworkX is not installed")


def pairs():
    """Graphs of both packages, with names where the seed is odd."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        directed = seed % 4 > 1
        src, dst = rng.integers(0, 25, (2, 5 * seed))
        apart = src != dst
        edges = [
            (f"v{u}", f"v{v}", float(w)) for u, v, w in zip(src[apart], dst[apart], rng.integers(1, 9, apart.sum()))
        ]
        nodes = [f"v{k}" for k in range(25)]
        G = (nx.DiGraph if directed else nx.Graph)()
        G.add_nodes_from(nodes)
        for u, v, w in edges:
            if not G.has_edge(u, v) or G[u][v]["weight"] > w:
                G.add_edge(u, v, weight=w)
        columns = list(zip(*edges)) or [(), (), ()]
        weight = np.array(columns[2], dtype=float)
        yield atoll.Graph.from_edges(list(columns[0]), list(columns[1]), weight, vertices=nodes, directed=directed), G


def test_numbers_are_networkx_s():
    for graph, G in pairs():
        assert atoll.density(graph) == pytest.approx(nx.density(G))
        assert atoll.degree_centrality(graph).to_dict() == pytest.approx(nx.degree_centrality(G))
        assert atoll.is_connected(graph) == (nx.is_weakly_connected(G) if graph.directed else nx.is_connected(G))
        assert (graph.number_of_nodes(), graph.number_of_edges()) == (G.number_of_nodes(), G.number_of_edges())
        assert graph.is_directed() is G.is_directed()
        for target in ("v1", "v7", "v24"):
            assert atoll.has_path(graph, "v0", target) == nx.has_path(G, "v0", target)
            for weight in (None, True):
                found = atoll.shortest_path_length(graph, "v0", target, weight=weight)
                if nx.has_path(G, "v0", target):
                    assert found == nx.shortest_path_length(G, "v0", target, weight="weight" if weight else None)
                    assert type(found) is (float if weight else int)
                else:
                    assert found == math.inf


def same_graph(graph, G):
    table = graph.to_pandas()
    found = nx.from_pandas_edgelist(table, edge_attr="weight", create_using=type(G)) if len(table) else type(G)()
    found.add_nodes_from(graph)
    return nx.utils.graphs_equal(found, G)


def test_graphs_within_a_graph_are_networkx_s():
    pytest.importorskip("pandas")
    for graph, G in pairs():
        for radius in (0, 1, 2, 100):
            assert same_graph(atoll.ego_graph(graph, "v3", radius), nx.ego_graph(G, "v3", radius))
            near = atoll.ego_graph(graph, "v3", 2.5 * radius, weight=True)
            assert same_graph(near, nx.ego_graph(G, "v3", 2.5 * radius, distance="weight"))
        if not graph.directed:
            for k in (None, 0, 1, 2, 3):
                assert same_graph(atoll.k_core(graph, k), nx.k_core(G, k))


def test_over_ranks_they_are_the_same():
    def ask(world):
        graph = atoll.Graph("kron:7", comm=world)
        near = atoll.ego_graph(graph, 3, 1)
        return (
            atoll.density(graph),
            atoll.degree_centrality(graph).gather().tolist(),
            atoll.is_connected(graph),
            (near.n, near.m),
            (atoll.k_core(graph).n, atoll.k_core(graph, 2).m),
            atoll.shortest_path_length(graph, 0, 5),
        )

    (one,) = atoll.run_ranks(1, ask)
    assert all(found == one for ranks in (2, 3, 4, 5, 8) for found in atoll.run_ranks(ranks, ask))


def test_small_graphs_and_wrong_arguments():
    assert atoll.density([]) == 0 and not atoll.is_connected([])
    alone = atoll.Graph.from_edges([], [], vertices=1)
    assert atoll.degree_centrality(alone).to_dict() == nx.degree_centrality(nx.empty_graph(1)) == {0: 1}
    for radius in (-1, float("nan")):
        with pytest.raises(atoll.InputError, match="radius is"):
            atoll.ego_graph("ring:5", 0, radius)
    with pytest.raises(atoll.InputError, match="directed"):
        atoll.k_core([(1, 2)], 1)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("named", [False, True])
def test_a_graph_is_a_parquet_file_again(tmp_path, ranks, named):
    pytest.importorskip("pyarrow")
    path = tmp_path / "g.parquet"

    def write(world):
        edges = [("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5)] if named else [(7, 9, 2.0), (9, 10**12, 0.5)]
        graph = atoll.Graph(edges[world.rank : world.rank + 1] if world.size > 1 else edges, comm=world)
        graph.to_parquet(path)

    atoll.run_ranks(ranks, write)
    graph = atoll.Graph(path)
    assert (graph.n, graph.m, graph.directed) == (3, 2, True)
    assert graph["Bob"] == {"Cid": 0.5} if named else graph[9] == {10**12: 0.5}


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_places_may_be_given_by_name(ranks):
    edges = [("Ann", "Bob", 2.0), ("Bob", "Cid", 1.0), ("Ann", "Cid", 4.0)]
    places = {"Ann": (0, 0), "Bob": (0, 1), "Cid": (1, 1)}

    def ask(world):
        graph = atoll.Graph(edges[world.rank :: world.size], directed=False, comm=world)
        path = atoll.shortest_path(graph, "Ann", "Cid", weight=True, coordinates=places)
        with pytest.raises(atoll.InputError, match="coordinates has nothing for 'Cid'"):
            atoll.shortest_path(graph, "Ann", "Cid", weight=True, coordinates={"Ann": (0, 0), "Bob": (0, 1)})
        return list(path), path.length

    assert atoll.run_ranks(ranks, ask) == [(["Ann", "Bob", "Cid"], 3.0)] * ranks
