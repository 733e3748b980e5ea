# SPDX-License-Identifier: Apache-2.0
"""Every public function, every argument, every kind of wrong value: our own error names the argument."""

import inspect
import types

import atoll
import numpy as np
import pytest

GRAPH = atoll.Graph.from_edges([0, 1], [1, 2], [1.0, 2.0], directed=False)
PAIRS = atoll.all_pairs(GRAPH)
DEPTH = atoll.bfs(GRAPH, 0).depth
MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])
EDGES = {"src": [0, 1], "dst": [1, 2]}

WRONG = {  # by annotation
    "GraphLike": [None, 3, np.eye(2), {1: 2}, [1, 2], object()],
    "GraphLike | np.ndarray": [None, 3, {1: 2}, [1, 2], np.zeros(3), np.zeros((2, 3)), np.full((2, 2), "a"), MASKED],
    "World": [None, "world", 3],
    "bool | str": [1, 0.5, ["km"], np.array([True])],
    "bool": ["no", "", 1, 0.0, None, np.array([True])],
    "int": ["1", 1.5, True, None, [1], 2**40, 1j, np.float64(2)],
    "float": ["1", None, True, [1.0], 1j, 10**400, np.array([0.5])],
    "float | int": ["1", True, [1.0], 1j, np.array([0.5]), 3],
    "str": [3, b"auto", ["auto"], None, np.array(["auto", "x"])],
    "str | os.PathLike[str]": [3, None, b"d.npy", ["d.npy"], "a\0b"],
    "str | int": [1.5, None, b"x"],
    "dict[str, Any]": [3, "threads", [1], {"threads": object()}, {1j: 2}],
    "Callable[[World], T]": [None, 3, "f"],
    "Iterable[int | str]": [3, "abc", [1.5], ["x"], [True], [None]],
    "ArrayLike | Mapping[Any, Any]": [{1: 1}, "x", 3, [[1], [2, 3]], np.zeros((3, 1))],
    "ArrayLike": [{1: 1}, "x", 3, ["x", "y", "z"], [[1], [2, 3]], [1j, 1, 1], MASKED, np.zeros((3, 1))],
}
NAMED = {  # for arguments whose annotation is not specific enough
    "source": ["0", 0.0, True, None, [0], -1, 2**63],
    "target": ["0", 0.0, True, None, [0], -1, 2**63],
    "vertex": ["0", 0.0, True, None, [0], -1, 2**63],
    "u": ["0", 0.0, True, None, [0], -1, 2**63],
    "v": ["0", 0.0, True, None, [0], -1, 2**63],
    "us": [3, None, "ab", ["a", "b"], [0.5, 1], [True, False], {0, 1}, MASKED, [[1], [2]], [1, 2**70]],
    "vs": [3, None, "ab", ["a", "b"], [0.5, 1], [True, False], {0, 1}, MASKED, [[1], [2]], [1, 2**70]],
    "edges": [3, "x", [0, 1], ["x", "y"], [[True, False]], np.ones((2, 2), bool), [True] * 5, MASKED],
    "edge_attributes": [3, "km", ["miles"], [1]],
    "progress": [3, "yes", [print], {"update": print}],
    "pairs": [3, None, "ab", [0, 1, 2], (1,), [(0, 1, 2)], [("a", "b")], ["ab"], np.zeros((2, 2)), np.zeros(2), MASKED],
    "personalization": ["x", 3, ["x", "y", "z"], [[1], [2, 3]], MASKED, {0: "x"}, {0: 1j}, {1.5: 1}, {0: None}],
    "axis": [0, "x", (0,)],
    "fanout": [3, None, "15", [0.5], ["a"], [2, -2]],
    "seed": ["1", 1.5, True, None, -1],
    "obj": [None, 3, 1.5, [1, 2], [(1, 2), (3,)], {1: 2}, (1,), b"ring:5", object()],
    "comm": ["COMM_WORLD", 3, object()],
    "src": [3, None, "ab", ["a", "b"], [0.5, 1], [True, False], {0, 1}, np.array([0.5, 1]), MASKED, [1, 2**70]],
    "dst": [3, None, "ab", ["a", "b"], [0.5, 1], [True, False], {0, 1}, np.array([0.5, 1]), MASKED, [1, [2]]],
    "weight": [3, "ab", ["a", "b"], [1j, 1], {0: 1.0}, MASKED, [1.0, np.nan], [np.inf, 1.0], np.array([2, 2], "g")],
    "labels": [3, [0, 1], np.zeros((2, 2)), np.zeros(4, int), [{0}, {1}], [[0, 1], [1, 2]]],
    "color": [3, [0, 1], np.zeros((2, 2))],
    "size": [3, [0, 1], np.zeros((2, 2))],
    "around": ["x", 1.5, [9]],
    "place": [3, np.zeros((2, 2)), np.zeros(3)],
    "vertices": ["x", 1.5, [0.5], True, {1}, MASKED, [[1], [2, 3]]],
    "table": [3, None, "x", [1], {"a": [1]}, np.eye(2)],
    "A": [3, "x", np.eye(3), [[0, 1], [1, 0]]],
    "matrix": [3, "x", [[0, 1]], [[0, 1], [2]], np.full((2, 2), "a"), np.full((2, 2), np.nan), np.zeros((2, 3))],
    "G": [3, None, "ring:5", [(0, 1)], np.eye(3)],
    "B": [3, None, "x", [[1.0]], np.zeros(3), np.zeros((2, 2), "O"), np.zeros((2, 4)).T, MASKED],
    "out": [3, "x", [[1.0]], np.zeros(2), np.zeros((2, 2), "i8"), np.zeros((2, 4))[:, ::2], MASKED],
    "dtype": ["float31", 3, object(), "f4,f4", ["auto"]],
    "distances": [3, None, "x", [[0.0]], np.zeros(3), np.ma.masked_array(np.zeros((2, 2))), np.zeros((2, 2), "i8")],
    "ids": [3, "ab", [0.5, 1.5], [[0, 1]], ["a", "b"], np.ma.masked_array([0, 1]), [[1], [2, 3]]],
    "arcs": [3, "abc", ([0, 0, 0], [], None)[:2], ([0.5], [], None), ([0, 0, 0], ["x"], None)],
    "values": [{1: 1}, "x", 3.0, ["a"], np.zeros((2, 2)), MASKED, [1j]],
}
RIGHT = {  # the other arguments of a call
    "graph": GRAPH,
    "labels": [0, 0, 1],
    "seeds": [0],
    "fanout": [2],
    "source": 0,
    "target": 0,
    "vertex": 0,
    "vertices": [0],
    "u": 0,
    "v": 2,
    "us": [0],
    "vs": [2],
    "k": 1,
    "i": 0,
    "j": 0,
    "world": GRAPH.world,
    "ranks": 1,
    "threads": 1,
    "f": lambda world: world.rank,
    "text": "ring:5",
    "obj": "ring:5",
    "A": None,
    "G": None,
    "matrix": [[0, 1], [1, 0]],
    "pairs": [(0, 2)],
    "name": "x",
    "table": None,
    "B": np.ones((2, 2)),
    "values": [1.0, 2.0],
    "distances": np.zeros((2, 2)),
    "counts": {"a": 1},
    **EDGES,
}


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arguments")
    PAIRS.save(folder / "d.npy")
    (folder / "edges.txt").write_text("1 2\n")
    return {
        atoll.Graph: GRAPH,
        atoll.AllPairs: PAIRS,
        atoll.VertexArray: DEPTH,
        atoll.apsp.DistanceFile: atoll.apsp.open(folder / "d.npy"),
        atoll.SpMM: atoll.SpMM(atoll.Graph("path:2"), dtype="float64"),
        "path": {"read": folder / "edges.txt", "open": folder / "d.npy", "": folder / "new.npy"},
    }


def public():
    """Name, owner and callable of everything that a user calls with arguments."""
    names = "apsp graph pairs plot vertices world".split()
    algorithms = "acyclic bellman_ford biconnected centrality closeness communities edge_betweenness flow".split()
    algorithms += "greedy longest_path measures neighborhoods paths point_to_point sampling similarity".split()
    algorithms += "spanning_forest spectral structure truss".split()
    modules = [getattr(atoll, name) for name in names] + [getattr(atoll.algorithms, name) for name in algorithms]
    for module in (atoll, *modules):
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, types.FunctionType):
                yield f"{thing.__module__}.{name}", None, thing
            elif thing in (atoll.Graph, atoll.AllPairs, atoll.VertexArray, atoll.apsp.DistanceFile, atoll.SpMM):
                for method, f in [item for base in thing.__mro__[:-1] for item in vars(base).items()]:
                    made_by_users = thing in (atoll.Graph, atoll.SpMM) and method == "__init__"
                    if method.startswith("_") and not (made_by_users or method == "__call__"):
                        continue
                    f = getattr(f, "__func__", f)
                    if isinstance(f, types.FunctionType):
                        yield f"{thing.__name__}.{method}", thing, f


PUBLIC = {name: (owner, f) for name, owner, f in public()}


def wrong_values(parameter):
    annotation = str(parameter.annotation)
    kind = annotation.removesuffix(" | None")
    values = WRONG[kind] if kind in ("str | int", "bool | str") else NAMED.get(parameter.name, WRONG.get(kind))
    if values is None:
        return None
    optional = kind != annotation or parameter.default is None
    return [value for value in values if not (value is None and optional)]


def cases():
    for name, (_, f) in PUBLIC.items():
        for parameter in inspect.signature(f).parameters.values():
            if parameter.name not in ("self", "cls", "options") and parameter.kind is not parameter.VAR_POSITIONAL:
                yield name, parameter


@pytest.mark.parametrize("name, parameter", list(cases()), ids=lambda x: getattr(x, "name", x))
def test_wrong_argument_is_named(name, parameter, objects):
    owner, f = PUBLIC[name]
    values = wrong_values(parameter)
    assert values, f"{name}: nothing wrong is known for {parameter}"
    right = {}
    for other in inspect.signature(f).parameters.values():
        if other.name == "path":
            right["path"] = objects["path"].get(f.__name__, objects["path"][""])
        elif other.kind is other.VAR_POSITIONAL:
            continue
        elif other.name == "dst" or (other.default is other.empty and other.name not in ("self", "cls", "options")):
            right[other.name] = RIGHT[other.name]
    if "A" in right:
        right["A"] = pytest.importorskip("scipy.sparse", reason="SciPy is not installed").eye_array(2).tocsr()
    if "G" in right:
        igraph = pytest.importorskip("igraph", reason="igraph is not installed")
        networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")
        right["G"] = igraph.Graph.Ring(3) if f.__name__ == "from_igraph" else networkx.path_graph(3)
    if "table" in right:
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        right["table"] = pandas.DataFrame({"source": [0], "target": [1]})
    call = getattr(objects[owner] if f.__name__ != "__init__" else owner, f.__name__) if owner else f
    if f.__name__ == "__init__":
        call = owner
    for value in values:
        with pytest.raises((TypeError, ValueError)) as raised:
            call(**{**right, parameter.name: value})
        told = str(raised.value)
        assert "incompatible function arguments" not in told, (value, told)
        first = told.split("(")[0]
        assert parameter.name in first or parameter.name in ("obj", "sources", "arcs"), (value, told)


def test_values_of_numpy_are_accepted():
    assert atoll.bfs(GRAPH, np.int32(0), depths=np.bool_(False)).depth is None
    assert atoll.sssp(GRAPH, np.int64(0), delta=np.float32(0.5)).reached == 3
    assert atoll.sssp(GRAPH, 0, tree=np.bool_(False)).parent is None
    assert atoll.label_propagation(GRAPH, iterations=np.uint8(2)).iterations == 2
    assert atoll.pagerank(GRAPH, personalization=(1, 2, 3)).converged


def test_an_argument_that_a_function_has_not_is_named_with_those_that_it_has():
    def f(world):
        graph = atoll.Graph("ring:6", comm=world)
        with pytest.raises(TypeError, match=r"^closeness_centrality\(\) has no argument 'distance' .* Is it weight\?$"):
            atoll.closeness_centrality(graph, **({"distance": "km"} if world.rank == 0 else {}))
        return atoll.bfs(graph, 0).reached

    assert atoll.run_ranks(2, f) == [6, 6]
    with pytest.raises(TypeError, match=r"\(it has graph, .*, iterations, progress\)\. It draws nothing at random"):
        atoll.louvain_communities("ring:6", seed=1)
    with pytest.raises(TypeError, match=r"^from_edges\(\) has no argument 'num_nodes' .* Is it vertices\?$"):
        atoll.Graph(([0, 1], [1, 2]), num_nodes=5)


def test_the_message_shows_the_value():
    with pytest.raises(TypeError, match=r"^directed is 'no' \(True or False is needed\)\. Give one of them\.$"):
        atoll.Graph.from_edges([0], [1], directed="no")
    with pytest.raises(TypeError, match=r"^delta is '1' \(a number is needed, or None\)\. Give one\.$"):
        atoll.sssp(GRAPH, 0, delta="1")
    with pytest.raises(TypeError, match=r"^personalization is 'x' \(numbers in one dimension are needed\)"):
        atoll.pagerank(GRAPH, personalization="x")
    with pytest.raises(TypeError, match=r"^src is a masked array \(its mask would be lost\)\. Use src\.compressed"):
        atoll.Graph.from_edges(np.ma.masked_array([0, 1], mask=[True, False]), [1, 2])
    with pytest.raises(atoll.InputError, match=r"^weight\[1\] is nan \(weights are finite numbers\)\."):
        atoll.Graph.from_edges([0, 1], [1, 2], [1.0, np.nan])


@pytest.mark.parametrize(
    "text, call",
    [
        ("delta is '1'", lambda w, bad: atoll.sssp(weighted(w), 0, delta="1" if bad else 1.0)),
        ("source is 'a'", lambda w, bad: atoll.bfs(weighted(w), "a" if bad else 0)),
        ("directed is 'no'", lambda w, bad: atoll.Graph.from_edges([0], [1], directed="no" if bad else True, comm=w)),
        ("weighted is 'no'", lambda w, bad: atoll.Graph("ring:5", weighted="no" if bad else True, comm=w)),
        ("root is 'a'", lambda w, bad: atoll.bfs(weighted(w), 0).depth.gather("a" if bad else 0)),
        ("dtype is 3", lambda w, bad: atoll.all_pairs(weighted(w), dtype=3 if bad else "auto")),
        ("personalization is", lambda w, bad: atoll.pagerank(weighted(w), personalization="x" if bad else None)),
    ],
)
def test_a_wrong_value_on_one_rank_raises_on_every_rank(text, call):
    def f(world):
        with pytest.raises((TypeError, atoll.UsageError), match=text) as raised:
            call(world, world.rank == 1)
        assert atoll.Graph("path:3", comm=world).n == 3  # the ranks can still communicate
        return str(raised.value)

    assert len(set(atoll.run_ranks(3, f))) == 1


def weighted(world):
    return atoll.Graph.generate("ring:6", weighted=True, comm=world)
