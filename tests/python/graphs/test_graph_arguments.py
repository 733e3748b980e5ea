# SPDX-License-Identifier: Apache-2.0
"""Functions of graphs take what Graph() takes, and give what they give for that Graph."""

import inspect

import atoll
import numpy as np
import pytest
from atoll import errors

EDGES = [("Ann", "Bob", 2.0), ("Bob", "Cid", 0.5), ("Cid", "Ann", 1.0), ("Dan", "Ann", 4.0)]
REST = {"vertex": "Ann", "source": "Dan", "target": "Cid", "labels": [0, 0, 1, 1], "k": 3, "pairs": [("Dan", "Cid")]}
REST |= {"seeds": ["Dan"], "fanout": [2]}
UNDIRECTED = [  # which a list does not say
    "articulation_points",
    "biconnected_components",
    "bridges",
    "core_number",
    "eccentricity",
    "conductance",
    "greedy_color",
    "k_core",
    "k_truss",
    "leiden_communities",
    "louvain_communities",
    "maximal_independent_set",
    "maximal_matching",
    "minimum_spanning_forest",
    "modularity",
    "truss_numbers",
]
FUNCTIONS = {
    name: f
    for name in atoll.__all__
    if inspect.isfunction(f := getattr(atoll, name)) and next(iter(inspect.signature(f).parameters), "") == "graph"
}


def arguments_of(f):
    return {name: REST[name] for name in inspect.signature(f).parameters if name in REST}


def shown(result):
    """The values of a result, whatever its class; times are left out."""
    if isinstance(result, atoll.VertexArray):
        return result.to_dict()
    if isinstance(result, atoll.Graph):
        return sorted(map(tuple, result.to_pandas().to_numpy().tolist()))
    if isinstance(result, atoll.AllPairs):
        return np.asarray(result).tolist()
    if isinstance(result, np.ndarray):
        return result.tolist()
    if inspect.isgenerator(result) or isinstance(result, (list, tuple)):
        return [shown(one) for one in result]
    if hasattr(result, "__dataclass_fields__"):
        return {name: shown(value) for name, value in vars(result).items() if not name.endswith("seconds")}
    return result


def test_all_functions_of_graphs_are_here():
    assert {"bfs", "sssp", "pagerank", "connected_components", "all_pairs", "eccentricity"} <= set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_list_of_edges_does_for_a_graph(name):
    f = FUNCTIONS[name]
    if name in UNDIRECTED:
        with pytest.raises(errors.InputError, match=r"Use graph.to_undirected\(\), or Graph\(x, directed=False\)"):
            f(EDGES, **arguments_of(f))
        return
    if name in ("topological_sort", "dag_longest_path", "dag_longest_path_length"):
        with pytest.raises(errors.InputError, match="has the cycle 'Ann' -> 'Bob' -> 'Cid' -> 'Ann'"):
            f(EDGES)
        return
    expected = shown(f(atoll.Graph(EDGES), **arguments_of(f)))
    assert shown(f(EDGES, **arguments_of(f))) == expected
    assert shown(f(graph=EDGES, **arguments_of(f))) == expected
    assert shown(f(**arguments_of(f), graph=EDGES)) == expected  # the graph is made before its vertices are looked up


def test_inputs_of_every_kind(tmp_path):
    (tmp_path / "edges.txt").write_text("0 1\n1 2\n")
    pairs = [(0, 1), (1, 2)]
    inputs = [pairs, {0: [1], 1: [2]}, ([0, 1], [1, 2]), tmp_path / "edges.txt", str(tmp_path / "edges.txt")]
    inputs.append((np.array([0, 1]), np.array([1, 2])))
    for graph in inputs:
        assert atoll.bfs(graph, 0).depth.to_dict() == {0: 0, 1: 1, 2: 2}, graph
    assert atoll.bfs("path:3", 0).depth.to_dict() == {0: 0, 1: 1, 2: 2}
    assert atoll.connected_components([]).components == 0
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    assert atoll.bfs(nx.path_graph(["a", "b", "c"]), "a").depth.to_dict() == {"a": 0, "b": 1, "c": 2}
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    matrix = sparse.coo_array(([1.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3))
    assert atoll.sssp(matrix, 0).distance.to_dict() == {0: 0.0, 1: 1.0, 2: 3.0}


def test_a_graph_stays_the_one_that_is_given():
    def f(world):
        graph = atoll.Graph("ring:6", comm=world)
        score = atoll.pagerank(graph).score
        return score.graph is graph and score.graph.world is world

    assert all(atoll.run_ranks(2, f))


def test_what_is_wrong_is_said_of_the_graph():
    for call, error, text in (
        (lambda: atoll.bfs(None, 0), TypeError, r"^graph: a Graph cannot be made from a builtins.NoneType"),
        (lambda: atoll.pagerank([("a", 1.5), (None, "b")]), TypeError, r"^graph: a node is None"),
        (lambda: atoll.pagerank("kron:x"), errors.InputError, "kron"),
        (lambda: atoll.pagerank("nowhere.txt"), errors.InputError, "nowhere.txt"),
        (lambda: atoll.bfs(EDGES, "Eve"), errors.InputError, r"source is 'Eve' \(no vertex has that name"),
        (lambda: atoll.bfs(EDGES, 9), errors.InputError, r"source is 9 \(the 4 vertices of this graph have names\)"),
        (lambda: atoll.pagerank(), TypeError, "graph"),
    ):
        with pytest.raises(error, match=text):
            call()
