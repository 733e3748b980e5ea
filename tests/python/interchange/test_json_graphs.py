# SPDX-License-Identifier: Apache-2.0
"""JSON of graphs: node-link data by ids or positions, adjacency, Cytoscape, graphology, vis.js, JSON Graph Format."""

import json

import atoll
import pytest
from graph_content import content, notes, read, told

networkx = pytest.importorskip("networkx")

IDS = [{"id": "a"}, {"id": "b"}, {"id": "c"}]


def link(source, target, **rest):
    return {"source": source, "target": target, **rest}


def cytoscape(*edges, **rest):
    return {"elements": {"nodes": [{"data": one} for one in IDS], "edges": [{"data": one} for one in edges]}, **rest}


def graphology(kind, *edges):
    nodes = [{"key": "a", "attributes": {"size": 3}}, {"key": "b"}]
    return {"attributes": {}, "options": {"type": kind, "multi": False}, "nodes": nodes, "edges": list(edges)}


NAMED = [{"name": "Myriel", "group": 1}, {"name": "Napoleon", "group": 1}]

JSON = {
    "links": ({"nodes": IDS, "links": [link("a", "b", weight=2)]}, False, "abc", [(*"ab", 2)]),
    "edges": ({"nodes": IDS, "edges": [link("a", "b")], "directed": True}, True, "abc", ["ab"]),
    "empty links beside edges": ({"nodes": IDS, "links": [], "edges": [link("a", "b")]}, False, "abc", ["ab"]),
    "an arc among links": (
        {"nodes": IDS, "links": [link("a", "b", directed=True), link("b", "c")]},
        True,
        "abc",
        ["ab", "bc", "cb"],
    ),
    "ids that are numbers": ({"nodes": [{"id": 3}, {"id": 5}], "links": [link(5, 3)]}, False, [3, 5], [(3, 5)]),
    "ids that are lists": (
        {"nodes": [{"id": [1, [2]]}, {"id": [3, 4]}], "links": [link([1, [2]], [3, 4])]},
        False,
        [(1, (2,)), (3, 4)],
        [((1, (2,)), (3, 4))],
    ),
    "D3 before ids": ({"nodes": NAMED, "links": [link(1, 0, since=1815)]}, False, [0, 1], [(0, 1)]),
    "D3 by names": (
        {"nodes": NAMED, "links": [link("Myriel", "Napoleon")]},
        False,
        ["Myriel", "Napoleon"],
        [("Myriel", "Napoleon")],
    ),
    "no nodes": ({"links": [link("a", "b")]}, False, "ab", ["ab"]),
    "text for numbers": ({"nodes": [{"id": 1}, {"id": 20}], "links": [link("1", "20")]}, False, [1, 20], [(1, 20)]),
    "a weight as text": ({"nodes": IDS, "links": [link("a", "b", weight="2.5")]}, False, "abc", [(*"ab", 2.5)]),
    "adjacency": (
        {"nodes": IDS, "adjacency": [[{"id": "b", "weight": 3}, {"id": "a"}], [{"id": "a", "weight": 3}], []]},
        False,
        "abc",
        [(*"ab", 3), (*"aa", 1)],
    ),
    "adjacency of arcs": (
        {"directed": True, "nodes": IDS, "adjacency": [[{"id": "b"}], [{"id": "a"}], []]},
        True,
        "abc",
        ["ab", "ba"],
    ),
    "cytoscape": (cytoscape(link("a", "b", weight=2)), False, "abc", [(*"ab", 2)]),
    "cytoscape as a list": ({"elements": [{"data": one} for one in (*IDS, link("a", "b"))]}, False, "abc", ["ab"]),
    "elements alone": (
        [{"group": "nodes", "data": {"id": "a"}}, {"group": "edges", "data": link("a", "a")}],
        False,
        "a",
        ["aa"],
    ),
    "cytoscape's text for numbers": (
        {"elements": {"nodes": [{"data": {"id": "7"}}], "edges": [{"data": link(7, 7)}]}},
        False,
        ["7"],
        [("7", "7")],
    ),
    "JSON Graph Format": (
        {
            "graph": {
                "nodes": {"a": {"label": "x"}, "b": {"label": "x"}},
                "edges": [link("a", "b", metadata={"weight": 2})],
            }
        },
        True,
        "ab",
        [(*"ab", 2)],
    ),
    "its first version": (
        {"graph": {"directed": False, "nodes": IDS, "edges": [link("a", "b")]}},
        False,
        "abc",
        ["ab"],
    ),
    "its list of one": ({"graphs": [{"nodes": {"a": {}}, "edges": []}]}, True, "a", []),
    "its edge without direction": (
        {"graph": {"nodes": IDS, "edges": [link("a", "b"), link("b", "c", directed=False)]}},
        True,
        "abc",
        ["ab", "bc", "cb"],
    ),
    "graphology": (graphology("mixed", link("a", "b", attributes={"weight": 2})), True, "ab", [(*"ab", 2)]),
    "graphology of edges": (graphology("undirected", link("a", "b", undirected=True)), False, "ab", ["ab"]),
    "vis.js": ({"nodes": [{"id": 1}, {"id": 2}], "edges": [{"from": 1, "to": 2}]}, False, [1, 2], [(1, 2)]),
}


@pytest.mark.parametrize("kind", JSON)
def test_json_is_its_nodes_and_edges(tmp_path, kind, caplog):
    data, directed, nodes, edges = JSON[kind]
    expected = told(directed, nodes, [tuple(edge) for edge in edges])
    assert content(read(tmp_path, "a.json", json.dumps(data))) == expected
    assert content(read(tmp_path, "b.json", "\ufeff" + json.dumps(data, indent=1).replace("\n", "\r"))) == expected
    assert content(read(tmp_path, "c.cyjs", json.dumps(data).encode("utf-16"))) == expected
    assert notes(caplog) == []


def test_ends_that_are_no_ids_are_positions(tmp_path, caplog):
    data = {"nodes": IDS, "links": [link(0, 2)]}
    assert content(read(tmp_path, "a.json", json.dumps(data))) == told(False, "abc", [("a", "c")])
    data = {"nodes": [{"id": 1}, {"id": 2}], "links": [link(0, 1)]}
    assert content(read(tmp_path, "a.json", json.dumps(data))) == told(False, [1, 2], [(1, 2)])
    assert len(notes(caplog)) == 2 and "the ends of edges are positions in nodes" in notes(caplog)[0]


@pytest.mark.parametrize("kind", ["links", "ids that are numbers", "adjacency", "adjacency of arcs"])
def test_networkx_reads_the_same(tmp_path, kind):
    data = {"multigraph": False, **JSON[kind][0]}
    other = networkx.adjacency_graph(data) if "adjacency" in data else networkx.node_link_graph(data, edges="links")
    assert content(read(tmp_path, "a.json", json.dumps(data))) == content(atoll.Graph(other))


@pytest.mark.parametrize("kind", [networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph])
@pytest.mark.parametrize("write", ["node_link_data", "adjacency_data", "cytoscape_data"])
def test_networkx_writes_what_is_read(tmp_path, kind, write):
    G = kind()
    G.add_weighted_edges_from([(1, 2, 0.5), (2, 3, 1.5), (3, 1, 2.5), (2, 2, 4.0)])
    if G.is_multigraph():
        G.add_weighted_edges_from([(1, 2, 0.5), (2, 1, 7.5), (2, 2, 4.0)])
    G.add_node(9)
    data = getattr(networkx, write)(G)
    graph = read(tmp_path, "a.json", json.dumps(data))
    assert content(graph) == content(atoll.Graph(G, duplicates="keep"))


def test_other_attributes_are_kept(tmp_path):
    graph = read(tmp_path, "a.json", json.dumps(JSON["D3 before ids"][0]))
    assert graph.vertex_attributes["name"].tolist() == ["Myriel", "Napoleon"]
    assert graph.edge_attributes["since"].tolist() == [1815]
    assert read(tmp_path, "a.json", json.dumps(JSON["graphology"][0])).vertex_attributes["size"][0] == 3
    graph = read(tmp_path, "a.json", json.dumps(JSON["JSON Graph Format"][0]))
    assert graph.vertex_attributes["label"].tolist() == ["x", "x"]


NODES = json.dumps(IDS)
REFUSED = {
    "no graph": ("[1, 2]", "is JSON, but no graph"),
    "nodes alone": (f'{{"nodes": {NODES}}}', "is JSON, but no graph"),
    "an object of lists": ('{"a": ["b"]}', "is JSON, but no graph"),
    "links and edges": (
        json.dumps({"nodes": IDS, "links": [link("a", "b")], "edges": [link("b", "c")]}),
        "has links and edges",
    ),
    "a node twice": (json.dumps({"nodes": [*IDS, {"id": "a"}], "links": []}), "node 'a' is there twice"),
    "a key twice": ('{"graph": {"nodes": {"a": {}, "a": {}}, "edges": []}}', "an object has the key 'a' twice"),
    "no such node": (json.dumps({"nodes": IDS, "links": [link("a", "x")]}), "edge 0 ends at 'x'"),
    "no such position": (json.dumps({"nodes": IDS, "links": [link(0, 3)]}), "edge 0 ends at 0 .no node has this id"),
    "two readings": (
        json.dumps({"nodes": [{"id": "0"}, {"id": "2"}, {"id": "1"}], "links": [link(1, 2)]}),
        "may be the node '1' by its id, or '2' by its position",
    ),
    "an id of some": (json.dumps({"nodes": [{"id": 1}, {}], "links": []}), "node 1 has None as id"),
    "an object as id": (json.dumps({"nodes": [{"id": {}}], "links": []}), "node 0 has {} as id"),
    "an end that lacks": (json.dumps({"nodes": IDS, "links": [{"source": "a"}]}), "edge 0 has None as target"),
    "nodes as text": ('{"nodes": ["a"], "links": []}', "nodes holds 'a'"),
    "null as weight": (
        json.dumps({"nodes": IDS, "links": [link("a", "b", weight=None)]}),
        "edge 'a' - 'b' has None as attribute 'weight'",
    ),
    "text as weight": (
        json.dumps({"nodes": IDS, "links": [link("a", "b", weight="x")]}),
        "edge 'a' - 'b' has 'x' as attribute 'weight'",
    ),
    "a weight that float64 rounds": (
        json.dumps({"nodes": IDS, "links": [link("a", "b", weight=2**53 + 1), link("b", "c", weight=0.5)]}),
        "edge 'a' - 'b' has the weight 9007199254740993",
    ),
    "text as direction": (json.dumps({"directed": "no", "nodes": IDS, "links": []}), "directed is 'no'"),
    "two graphs": ('{"graphs": [{"nodes": {}}, {"nodes": {}}]}', "is JSON that has 2 graphs"),
    "hyperedges": ('{"graph": {"nodes": {}, "hyperedges": [{"nodes": ["a", "b"]}]}}', "has hyperedges"),
    "fewer lists than nodes": (f'{{"nodes": {NODES}, "adjacency": []}}', "has not as many lists"),
    "ends that differ": (
        '{"nodes": [{"id": 1}, {"id": 2}], "adjacency": [[{"id": 2, "weight": 1}], [{"id": 1, "weight": 2}]]}',
        "edge 1 - 2 has other attributes from its other end",
    ),
    "half a character": ('{"nodes": [{"id": "\\ud800"}], "links": []}', "half a surrogate pair"),
    "cut off": ('{"nodes": [{"id": 1', "json cannot read it as JSON .*Was it cut off"),
    "cut off in text": ('{"nodes": [{"id": "a', "json cannot read it as JSON .*Was it cut off"),
    "lines": ('{"source": 1}\n{"source": 2}\n', "json cannot read it as JSON .*Extra data"),
    "a wrong letter": ('{"nodes": x}', "json cannot read it as JSON .*Expecting value"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_graph_is_refused_by_file_and_reason(tmp_path, kind):
    text, said = REFUSED[kind]
    with pytest.raises(atoll.InputError, match=said) as raised:
        read(tmp_path, "a.json", text)
    assert str(raised.value).startswith(str(tmp_path / "a.json"))
    assert ("cut off" in str(raised.value)) == ("cut off" in said)
