# SPDX-License-Identifier: Apache-2.0
"""Files of NetworkX and igraph are read back: directions, weights, lone vertices, and names of any letters."""

import json
import warnings

import atoll
import pytest
from graph_content import content

networkx = pytest.importorskip("networkx")

NAMES = ["plain", "two words", "Zürich", "данные", 'a "quoted" word', "it's", "<&>", "back\\slash", "tab\tin", "7"]
LONE = "no edges"


def graph_of(directed, weighted):
    G = networkx.DiGraph() if directed else networkx.Graph()
    for k, (u, v) in enumerate(zip(NAMES, NAMES[1:])):
        G.add_edge(u, v, **({"weight": k + 0.5} if weighted else {}))
    G.add_edge("plain", "plain", **({"weight": 9.0} if weighted else {}))
    G.add_node(LONE)
    return G


def node_link(G, path):
    path.write_text(json.dumps(networkx.node_link_data(G, edges="links")))


def adjacency(G, path):
    path.write_text(json.dumps(networkx.adjacency_data(G), ensure_ascii=False), encoding="utf-8")


def cytoscape(G, path):
    path.write_text(json.dumps(networkx.cytoscape_data(G)))


OF_NETWORKX = {
    "graphml": networkx.write_graphml,
    "graphml.gz": networkx.write_graphml,
    "gexf": networkx.write_gexf,
    "gml": networkx.write_gml,
    "gml.bz2": networkx.write_gml,
    "net": networkx.write_pajek,
    "json": node_link,
    "adjacency.json": adjacency,
    "cyjs": cytoscape,
}


@pytest.mark.parametrize("ending", OF_NETWORKX)
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_networkx_writes_what_is_read(tmp_path, ending, directed, weighted):
    G = graph_of(directed, weighted)
    if ending == "net":
        G.remove_node("tab\tin")  # which a line of Pajek has not
    path = tmp_path / f"a.{ending}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        OF_NETWORKX[ending](G, path)
    weighs_anyway = ending == "net" and not weighted  # NetworkX writes 1.0
    assert content(atoll.Graph(path, weighted=False if weighs_anyway else None)) == content(atoll.Graph(G))


@pytest.mark.parametrize("ending, key", [("graphml", "name"), ("gml", "name"), ("net", None)])
@pytest.mark.parametrize("directed", [False, True])
def test_igraph_writes_what_is_read(tmp_path, ending, key, directed):
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph.from_networkx(graph_of(directed, True))
    G.vs["name"] = [name.replace("\t", " ") for name in G.vs["_nx_name"]]
    del G.vs["_nx_name"]
    path = tmp_path / f"a.{ending}"
    G.write(str(path), format="pajek" if ending == "net" else ending)
    graph = atoll.Graph(path)
    if key is not None:  # igraph numbers the nodes, and has their names as an attribute
        name_of = dict(zip(graph.ids.tolist() if graph.names is None else graph.names, graph.vertex_attributes[key]))
        made = networkx.relabel_nodes(graph.to_networkx(), name_of)
        graph = atoll.Graph(made)
    assert content(graph) == content(atoll.Graph(G))


def test_vertices_of_igraph_that_have_one_name_are_not_merged():
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph(n=3, edges=[(0, 2), (1, 2)])
    G.vs["name"] = ["A", "A", "B"]
    with pytest.raises(atoll.InputError, match=r"vertices 0 and 1 are both named 'A' .*del G.vs\[\"name\"\]"):
        atoll.Graph(G)
    del G.vs["name"]
    assert content(atoll.Graph(G)) == (False, [0, 1, 2], [(0, 2), (1, 2)])


@pytest.mark.parametrize("value", ["3.5", None, [1], True, 1j])
def test_weights_that_are_no_numbers_name_edge_and_attribute(value):
    igraph = pytest.importorskip("igraph")
    said = r"edge 'x' - 'y' has .* as attribute 'km' \(a weight is a number\)"
    G = networkx.Graph()
    G.add_edge("w", "x", km=1.5)
    G.add_edge("x", "y", km=value)
    with pytest.raises(TypeError, match=said):
        atoll.Graph.from_networkx(G, weight="km")
    H = igraph.Graph(n=3, edges=[(0, 1), (1, 2)])
    H.vs["name"], H.es["km"] = ["w", "x", "y"], [1.5, value]
    with pytest.raises(TypeError, match=said):
        atoll.Graph.from_igraph(H, weight="km")


def test_an_edge_without_weight_weighs_one():
    G = networkx.Graph([("a", "b", {"weight": 2}), ("b", "c")])
    assert content(atoll.Graph(G)) == (False, ["a", "b", "c"], [("a", "b", 2), ("b", "c", 1)])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53 + 1])
def test_weights_that_are_not_exact_or_finite_name_the_edge(value):
    G = networkx.Graph([("a", "b", {"weight": 0.5}), ("b", "c", {"weight": value})])
    with pytest.raises(atoll.InputError, match="edge 'b' - 'c' has the weight"):
        atoll.Graph(G)
