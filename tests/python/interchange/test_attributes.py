# SPDX-License-Identifier: Apache-2.0
"""Attributes of vertices and edges: from NetworkX, igraph, tables and files, on any ranks, and back."""

import pickle

import atoll
import numpy as np
import pytest

networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")


def planets():
    G = networkx.Graph()
    G.add_node("Mars", moons=2, kind="rock")
    G.add_node("Venus", moons=0, kind="rock")
    G.add_node("Jupiter", moons=97)
    G.add_node("Pluto")
    G.add_edge("Mars", "Venus", weight=3.0, months=7, by="probe")
    G.add_edge("Mars", "Jupiter", months=30, by="probe")
    G.add_edge("Venus", "Venus", weight=0.5, months=0)
    return G


def rows(table):
    return sorted(zip(*(values.tolist() for values in table.values())), key=str)


def test_of_networkx_and_back():
    G = planets()
    graph = atoll.Graph(G)
    assert graph.names.tolist() == ["Jupiter", "Mars", "Pluto", "Venus"]
    np.testing.assert_equal(graph.vertex_attributes["moons"], [97, 2, np.nan, 0])
    assert graph.vertex_attributes["kind"].tolist() == [None, "rock", None, "rock"]
    assert list(graph.edge_attributes) == ["source", "target", "weight", "months", "by"]
    assert graph.edge_attributes["months"].tolist() == [7, 30, 0]
    assert graph.edge_attributes["by"].tolist() == ["probe", "probe", None]
    back = graph.to_networkx()
    assert back.nodes["Mars"] == {"moons": 2, "kind": "rock"} and back.nodes["Pluto"] == {}
    assert back["Mars"]["Venus"] == {"weight": 3.0, "months": 7, "by": "probe"}
    assert not atoll.Graph.from_networkx(G, attributes=False).edge_attributes


def test_another_attribute_becomes_the_weight():
    graph = atoll.Graph(planets())
    months = graph.with_weight("months")
    assert atoll.sssp(months, "Jupiter").distance.to_dict() == {"Jupiter": 0, "Mars": 30, "Pluto": np.inf, "Venus": 37}
    assert months.vertex_attributes["kind"].tolist() == [None, "rock", None, "rock"]
    assert not graph.with_weight(None).weighted and graph.with_weight(None).n == 4
    with pytest.raises(TypeError, match="'by' has values that are no numbers"):
        graph.with_weight("by")
    with pytest.raises(atoll.InputError, match="weight is 'years' .edges have the attributes 'weight', 'months', 'by'"):
        graph.with_weight("years")
    with pytest.raises(atoll.InputError, match="no attributes of edges"):
        atoll.Graph("ring:5").with_weight("km")


@pytest.mark.parametrize("make", [lambda x: x, "polars", "pyarrow"], ids=["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("named", [False, True])
def test_of_tables(make, named):
    ends = [["a", "b", "a"], ["b", "c", "b"]] if named else [[1, 2, 1], [2, 3, 2]]
    edges = pandas.DataFrame({"s": ends[0], "t": ends[1], "km": [7.0, 9.0, 8.0], "kind": ["road", "rail", "path"]})
    vertices = pandas.DataFrame({"v": ["c", "a"] if named else [3, 1], "size": [30, 10], "note": ["x", None]})
    if isinstance(make, str):
        module = pytest.importorskip(make, reason=f"{make} is not installed")
        make = module.from_pandas if make == "polars" else module.Table.from_pandas
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    graph = atoll.Graph(make(edges), source="s", target="t", edge_attributes=["kind", "km"], vertices=make(vertices))
    assert not graph.weighted and graph.m == 2
    np.testing.assert_equal(graph.vertex_attributes["size"], [10, np.nan, 30])
    assert graph.vertex_attributes["note"].tolist() == [None, None, "x"]
    assert graph.edge_attributes["kind"].tolist() == ["road", "rail", "path"]
    assert graph.edge_attributes["source"].tolist() == ends[0]
    found = atoll.sssp(graph.with_weight("km", duplicates="max"), ends[0][0]).distance.gather()
    assert found.tolist() == [0, 8, 17]
    assert list(atoll.Graph(make(edges), source="s", target="t", edge_attributes=True).edge_attributes) == [
        "source",
        "target",
        "km",
        "kind",
    ]
    with pytest.raises(atoll.InputError, match="edge_attributes has 'miles'"):
        atoll.Graph(make(edges), source="s", target="t", edge_attributes=["miles"])
    with pytest.raises(atoll.InputError, match="vertex is 'id'"):
        atoll.Graph(make(edges), source="s", target="t", vertices=make(vertices), vertex="id")


@pytest.mark.parametrize("ranks", [2, 3, 5])
@pytest.mark.parametrize("partition", ["blocked", "hashed"])
def test_each_rank_has_those_of_its_vertices(ranks, partition):
    G = planets()
    expected = atoll.Graph(G).vertex_attributes

    def build(world):
        table = pandas.DataFrame(list(G.edges()), columns=["source", "target"])[world.rank :: world.size]
        nodes = pandas.DataFrame([{"v": v, **data} for v, data in G.nodes(data=True) if v != "Pluto"])
        own = nodes[world.rank :: world.size]
        graph = atoll.Graph(table, vertices=own, edge_attributes=True, comm=world, partition=partition)
        assert {name: column.dtype for name, column in graph.vertex_attributes.items()} == {
            "moons": np.dtype(np.int64),
            "kind": np.dtype(object),
        }
        columns = graph.vertex_attributes
        return list(zip(graph._named(graph.ids).tolist(), columns["moons"].tolist(), columns["kind"].tolist()))

    found = sorted(sum(atoll.run_ranks(ranks, build, plan={"threads": 1}), []))
    assert [v for v, *_ in found] == ["Jupiter", "Mars", "Venus"]
    assert [moons for _, moons, _ in found] == [97, 2, 0]
    assert [kind for *_, kind in found] == [expected["kind"][0], "rock", "rock"]


def test_derived_graphs_and_pickles_have_them():
    graph = atoll.Graph(planets().to_directed())
    part = graph.subgraph(["Mars", "Venus"])
    assert part.vertex_attributes["moons"].tolist() == [2, 0]
    assert {(u, v) for u, v, *_ in rows(part.edge_attributes)} == {
        ("Mars", "Venus"),
        ("Venus", "Mars"),
        ("Venus", "Venus"),
    }
    back = graph.reverse()
    turned = [(v, u, *rest) for u, v, *rest in rows(back.edge_attributes)]
    assert sorted(map(str, turned)) == sorted(map(str, rows(graph.edge_attributes))) and len(turned) == 5
    np.testing.assert_equal(back.vertex_attributes, graph.vertex_attributes)
    more = graph.add_edges(["Mars"], ["Ceres"], np.array([1.0]))
    assert not more.edge_attributes and dict(zip(more.names, more.vertex_attributes["moons"]))["Mars"] == 2
    again = pickle.loads(pickle.dumps(graph))
    np.testing.assert_equal(again.vertex_attributes, graph.vertex_attributes)
    np.testing.assert_equal(again.edge_attributes, graph.edge_attributes)


def test_of_igraph():
    igraph = pytest.importorskip("igraph", reason="igraph is not installed")
    G = igraph.Graph([(0, 1), (1, 2)], vertex_attrs={"size": [1, 2, 3]}, edge_attrs={"km": [5.0, 6.0]})
    graph = atoll.Graph(G)
    assert graph.vertex_attributes["size"].tolist() == [1, 2, 3]
    assert atoll.sssp(graph.with_weight("km"), 0).distance.gather().tolist() == [0, 5, 11]


def test_of_a_file(tmp_path):
    networkx.write_graphml(planets(), tmp_path / "planets.graphml")
    graph = atoll.Graph(tmp_path / "planets.graphml")
    assert dict(zip(graph.names, graph.vertex_attributes["kind"]))["Mars"] == "rock"
    assert graph.with_weight("months").weighted


def test_algorithms_take_an_attribute_by_its_name():
    graph = atoll.Graph(planets())
    assert atoll.shortest_path(graph, "Jupiter", "Venus", weight="months").length == 37
    assert atoll.shortest_path(graph, "Jupiter", "Venus").length == 2
    by_months = atoll.pagerank(graph, weight="months")
    assert by_months.score.to_dict() == pytest.approx(networkx.pagerank(planets(), weight="months"), abs=1e-4)
    assert atoll.betweenness_centrality(planets_graph(), weight="months").to_dict()["Mars"] > 0
    with pytest.raises(atoll.InputError, match="weight is 'years'"):
        atoll.pagerank(graph, weight="years")
    with pytest.warns(DeprecationWarning, match="weighted is called weight now"):
        atoll.betweenness_centrality(atoll.Graph([(1, 2, 0.5)]), weighted=True)


def planets_graph():
    G = planets()
    G.remove_edge("Venus", "Venus")
    return atoll.Graph(G)


def test_the_name_of_the_weight_means_the_weight():
    table = pandas.DataFrame(
        {"source": [1, 1, 2], "target": [2, 2, 3], "weight": [1.0, 5.0, 2.0], "km": [1.0, 1.0, 1.0]}
    )
    graph = atoll.Graph(table, duplicates="sum", edge_attributes=True)
    for weight in (True, "weight"):
        assert atoll.shortest_path(graph, 1, 3, weight=weight).length == 8
    assert atoll.shortest_path(graph, 1, 3, weight="km").length == 3  # by the sum, as the graph was made
    assert atoll.shortest_path(graph.with_weight("km", duplicates="min"), 1, 3, weight=True).length == 2
    by_km = atoll.Graph(table, weight="km", edge_attributes=True)
    assert atoll.shortest_path(by_km, 1, 3, weight="weight").length == 3
    G = planets()  # an edge without the attribute counts 1, and by its name, too
    assert atoll.shortest_path(atoll.Graph(G), "Jupiter", "Mars", weight="weight").length == 1


def test_a_graph_with_another_weight_is_made_as_the_first():
    table = pandas.DataFrame({"source": [1, 1], "target": [1, 2], "km": [1.0, 2.0]})
    graph = atoll.Graph(table, self_loops="drop", edge_attributes=["km"], weighted=False)
    assert graph.m == 1 and graph.with_weight("km").m == 1
    with pytest.raises(atoll.InputError, match="'km' is missing for edge 1"):
        atoll.Graph(table.assign(km=[1.0, None]), edge_attributes=["km"], weighted=False).with_weight("km")


@pytest.mark.parametrize("partition", ["blocked", "hashed"])
@pytest.mark.parametrize("kind", ["ids", "names", "objects"])
def test_vertices_stay_the_same_with_another_weight(partition, kind):
    of = {"ids": lambda k: k, "names": lambda k: f"v{k:02d}", "objects": lambda k: (k % 7, k // 7)}[kind]
    G = networkx.relabel_nodes(networkx.gnm_random_graph(40, 90, seed=4), of)
    for k, (_, _, data) in enumerate(G.edges(data=True)):
        data["km"] = 1.0 + k * k % 17
    for node in G:
        G.nodes[node]["self"] = str(node)
    source, target = of(3), of(29)
    expected = networkx.shortest_path_length(G, source, target, weight="km")

    def search(world):
        graph = atoll.Graph(G, comm=world, partition=partition)
        path = atoll.shortest_path(graph, source, target, weight="km")
        other = graph.with_weight("km")
        labels = graph._labels()
        assert other._labels() == labels and graph.vertex_attributes["self"].tolist() == list(map(str, labels))
        assert other.vertex_attributes["self"].tolist() == list(map(str, labels))
        return path.length, path.vertices.tolist()

    found = atoll.run_ranks(3, search, plan={"threads": 1})
    assert found[0] == found[1] == found[2] and found[0][0] == expected
    assert networkx.path_weight(G, found[0][1], "km") == expected


def test_ranks_without_edges_have_the_columns_too():
    def build(world):
        G = networkx.Graph()
        if world.rank == 1:
            G.add_edge("A", "B", km=2.0, by="bus")
            G.add_edge("B", "C", km=3.0)
        graph = atoll.Graph(G, comm=world)
        assert list(graph.edge_attributes) == ["source", "target", "km", "by"]
        return atoll.shortest_path(graph, "A", "C", weight="km").length

    assert atoll.run_ranks(3, build, plan={"threads": 1}) == [5, 5, 5]


def test_values_are_kept_whatever_they_are():
    G = networkx.path_graph(3)
    G.nodes[0]["pos"], G.nodes[1]["pos"] = np.array([0.5, 1.5]), [1, 2]
    G.nodes[0]["big"], G.nodes[1]["big"] = 2**60 + 1, 0.5
    G.nodes[0]["wide"], G.nodes[1]["wide"], G.nodes[2]["wide"] = -1, 2**63, 0
    G.nodes[0]["yes"] = True
    columns = atoll.Graph(G).vertex_attributes
    assert columns["pos"][0].tolist() == [0.5, 1.5] and columns["pos"][1] == [1, 2] and columns["pos"][2] is None
    assert columns["big"].tolist() == [2**60 + 1, 0.5, None]
    assert columns["wide"].tolist() == [-1, 2**63, 0]
    assert columns["yes"].tolist() == [True, None, None]
    back = atoll.Graph(G).to_networkx()
    assert (
        back.nodes[0]["big"] == 2**60 + 1 and back.nodes[0]["pos"].tolist() == [0.5, 1.5] and "pos" not in back.nodes[2]
    )


def test_merged_edges_have_the_attributes_of_the_one_that_is_kept():
    G = networkx.MultiGraph()
    for km, by in ((9.0, "ship"), (4.0, "train"), (6.0, "bus")):
        G.add_edge("A", "B", weight=km, by=by)
    assert atoll.Graph(G, duplicates="min").to_networkx()["A"]["B"] == {"weight": 4.0, "by": "train"}
    assert atoll.Graph.from_networkx(G, duplicates="max").to_networkx()["A"]["B"] == {"weight": 9.0, "by": "ship"}
    plain = atoll.Graph.from_networkx(G, weight=None, duplicates="min")
    assert plain.to_networkx()["A"]["B"] == {"by": "ship"}
    kept = atoll.Graph(G)  # by default all are, of a multigraph
    assert sorted(w for *_, w in kept.to_networkx().edges(data="weight")) == [4.0, 6.0, 9.0]


def test_a_table_may_have_the_dataframe_interchange_only():
    table = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "km": [1.5, 2.5]})

    class Other:
        def __dataframe__(self, **options):
            return table.__dataframe__(**options)

    graph = atoll.Graph(Other(), weight="km", edge_attributes=True)
    assert atoll.sssp(graph, "a").distance.to_dict() == {"a": 0, "b": 1.5, "c": 4}
    assert graph.edge_attributes["km"].tolist() == [1.5, 2.5]


def test_ranks_may_hold_names_in_other_forms():
    def build(world):
        ends = {"source": ["a", "b"], "target": ["b", "c"]}
        dtype = object if world.rank == 1 else "str"
        graph = atoll.Graph(pandas.DataFrame(ends).astype(dtype), comm=world)
        return graph.n, graph.m

    assert atoll.run_ranks(3, build, plan={"threads": 1}) == [(3, 2)] * 3
