# SPDX-License-Identifier: Apache-2.0
"""A file of distances, asked in bulk, for the k best, next hops and neighbours: as one by one, and as NetworkX says."""

import math
import threading
import time

import atoll
import numpy as np
import pytest

nx = pytest.importorskip("networkx")


def edges(n, m, directed, seed):
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, n, (2, m))
    return src * 3 + 5, dst * 3 + 5, rng.integers(1, 20, m).astype(np.float64), directed


def networkx_of(src, dst, weight, directed):
    graph = nx.DiGraph() if directed else nx.Graph()
    for u, v, w in zip(src.tolist(), dst.tolist(), weight.tolist()):
        if u != v and w < graph.get_edge_data(u, v, {"weight": math.inf})["weight"]:
            graph.add_edge(u, v, weight=w)
    return graph


@pytest.fixture(params=["npy", "tiles", "zarr"])
def form(request):
    return request.param


def saved(folder, form, columns):
    src, dst, weight, directed = columns
    path = folder / f"d.{form}"
    atoll.all_pairs(atoll.Graph.from_edges(src, dst, weight, directed=directed)).save(path)
    return atoll.apsp.open(path)


@pytest.mark.parametrize("directed", [False, True])
def test_bulk_answers_are_those_of_single_questions(tmp_path, form, directed):
    file = saved(tmp_path, form, edges(61, 150, directed, 1))
    rng = np.random.default_rng(2)
    us, vs = rng.choice(file.ids, (2, 2000))
    distances = file.distances(us, vs)
    offsets, vertices = file.paths(us, vs)
    hops = file.next_hops(us, vs)
    assert distances.dtype == np.float64 and offsets.dtype == vertices.dtype == hops.dtype == np.int64
    for i, (u, v) in enumerate(zip(us.tolist(), vs.tolist())):
        path = vertices[offsets[i] : offsets[i + 1]]
        assert distances[i] == file.distance(u, v)
        assert path.tolist() == file.path(u, v).tolist()
        assert hops[i] == (path[1] if len(path) > 1 else -1)
    assert file.distances([], []).shape == (0,)


@pytest.mark.parametrize("directed", [False, True])
def test_the_k_best_and_neighbours_are_networkx_s(tmp_path, directed):
    columns = edges(30, 80, directed, 3)
    file, graph = saved(tmp_path, "npy", columns), networkx_of(*columns)
    rng = np.random.default_rng(4)
    for u, v in rng.choice(sorted(graph.nodes), (40, 2)).tolist():
        if u == v:
            continue
        best = file.k_shortest_paths(u, v, 6)
        if not nx.has_path(graph, u, v):
            assert best == []
            continue
        expected = []
        for path in nx.shortest_simple_paths(graph, u, v, weight="weight"):
            expected.append(nx.path_weight(graph, path, "weight"))
            if len(expected) == 6:
                break
        assert [length for length, _ in best] == expected
        for length, path in best:
            assert path[0] == u and path[-1] == v and len(set(path.tolist())) == len(path)
            assert nx.path_weight(graph, path.tolist(), "weight") == length
    for u in graph.nodes:
        ids, lengths = file.neighbors(u)
        assert dict(zip(ids.tolist(), lengths.tolist())) == {v: data["weight"] for v, data in graph.adj[u].items()}


def test_a_limit_gives_what_was_found(tmp_path):
    file = saved(tmp_path, "npy", edges(60, 600, False, 5))
    u, v = file.ids[0], file.ids[-1]
    with pytest.raises(atoll.TimeLimitError, match="of 1000000 paths from") as caught:
        begin = time.monotonic()
        file.k_shortest_paths(u, v, 1_000_000, limit=0.05)
    assert time.monotonic() - begin < 10
    found, first = caught.value.result, file.k_shortest_paths(u, v, 1)
    assert isinstance(caught.value, TimeoutError)
    if found:
        assert found[0][0] == first[0][0]
        assert [length for length, _ in found] == sorted(length for length, _ in found)
    with pytest.raises(atoll.errors.TimeLimitError, match=r"0 of 1 paths .* in 0\.0 s"):
        file.k_shortest_paths(u, v, 1, limit=0)


def test_threads_ask_one_file(tmp_path, form):
    file = saved(tmp_path, form, edges(61, 150, False, 1))
    ids, wrong = file.ids, []

    def ask(seed):
        rng = np.random.default_rng(seed)
        us, vs = rng.choice(ids, (2, 100))
        for u, v, d in zip(us.tolist(), vs.tolist(), file.distances(us, vs)):
            path = file.path(u, v)
            if (len(path) == 0) != math.isinf(d):
                wrong.append((u, v))

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_wrong_questions_are_refused(tmp_path):
    file = saved(tmp_path, "npy", edges(20, 60, False, 6))
    u = int(file.ids[0])
    for ask in (file.distances, file.paths, file.next_hops):
        with pytest.raises(atoll.errors.InputError, match="there is no vertex 4"):
            ask([u], [4])
        with pytest.raises(atoll.errors.UsageError, match="us has 1 ids and vs 2"):
            ask([u], [u, u])
        with pytest.raises(TypeError, match="vs are float64"):
            ask([u], [0.5])
    with pytest.raises(atoll.errors.UsageError, match="k is 0"):
        file.k_shortest_paths(u, u, 0)
    for limit in (-1, math.nan):
        with pytest.raises(atoll.errors.UsageError, match="limit is"):
            file.k_shortest_paths(u, u, 1, limit=limit)
    np.save(tmp_path / "bare.npy", np.zeros((3, 3), np.float32))
    bare = atoll.apsp.open(tmp_path / "bare.npy")
    assert bare.distances([0, 1], [2, 2]).tolist() == [0, 0]
    for ask in (lambda: bare.paths([0], [1]), lambda: bare.k_shortest_paths(0, 1, 1), lambda: bare.neighbors(0)):
        with pytest.raises(atoll.errors.InputError, match="without arcs"):
            ask()
