# SPDX-License-Identifier: Apache-2.0
"""GraphML: default values, groups, several graphs, edges with a direction of their own, and what is refused."""

import atoll
import pytest
from graph_content import content, notes, read, told

WEIGHT = '<key id="w" for="edge" attr.name="weight" attr.type="double"/>'
ABC = '<node id="a"/><node id="b"/><node id="c"/>'


def graphml(inside, keys="", default="undirected", space=' xmlns="http://graphml.graphdrawing.org/xmlns"'):
    said = f' edgedefault="{default}"' if default else ""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml{space}>{keys}<graph{said}>{inside}</graph></graphml>'


def edge(ends, data="", **attributes):
    said = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<edge source="{ends[0]}" target="{ends[1]}"{said}>{data}</edge>'


def weighing(value, key="w"):
    return f'<data key="{key}">{value}</data>'


def default(value, kind="double", domain="edge"):
    return f'<key id="w" for="{domain}" attr.name="weight" attr.type="{kind}"><default>{value}</default></key>'


INNER = '<graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph>'
GROUP = f'<node id="g">{INNER}</node>'
PREFIXED = (
    '<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns"><g:graph edgedefault="directed"><g:node id="a"/>'
    '<g:node id="b"/><g:edge source="a" target="b"/></g:graph></g:graphml>'
)
DRAWN = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">'
    '<key for="node" id="d6" yfiles.type="nodegraphics"/><graph edgedefault="directed"><node id="n0"><data key="d6">'
    '<y:ShapeNode><y:Geometry x="1"/><y:NodeLabel>Start</y:NodeLabel></y:ShapeNode></data></node><node id="n1"/>'
    '<edge source="n0" target="n1"/></graph></graphml>'
)

GRAPHML = {
    "undirected": (graphml(ABC + edge("ab")), False, "abc", ["ab"]),
    "directed": (graphml(ABC + edge("ba"), default="directed"), True, "abc", ["ba"]),
    "no default direction": (graphml(ABC + edge("ab"), default=""), False, "abc", ["ab"]),
    "a default weight": (
        graphml(ABC + edge("ab") + edge("bc", weighing(7)), default(2.5)),
        False,
        "abc",
        [(*"ab", 2.5), (*"bc", 7)],
    ),
    "a default of all": (graphml(ABC + edge("ab"), default(2.5, domain="all")), False, "abc", [(*"ab", 2.5)]),
    "a default of nodes": (graphml(ABC + edge("ab"), default(2.5, domain="node")), False, "abc", ["ab"]),
    "a weight as text": (
        graphml(ABC + edge("ab", weighing(" 3.5 ")), WEIGHT.replace("double", "string")),
        False,
        "abc",
        [(*"ab", 3.5)],
    ),
    "a weight in capitals": (
        graphml(ABC + edge("ab", weighing(3)), WEIGHT.replace("weight", "Weight")),
        False,
        "abc",
        [(*"ab", 3)],
    ),
    "no weight": (
        graphml(ABC + edge("ab", weighing(3)) + edge("bc", weighing("")), WEIGHT),
        False,
        "abc",
        [(*"ab", 3), (*"bc", 1)],
    ),
    "a group": (graphml(GROUP + '<node id="c"/>' + edge("ac"), default="directed"), True, "abcg", ["ab", "ac"]),
    "a group of the other kind": (graphml(GROUP + '<node id="c"/>' + edge("ac")), True, "abcg", ["ab", "ac", "ca"]),
    "an arc among edges": (graphml(ABC + edge("ab", directed="true") + edge("bc")), True, "abc", ["ab", "bc", "cb"]),
    "an edge among arcs": (
        graphml(ABC + edge("ab") + edge("bc", directed="false"), default="directed"),
        True,
        "abc",
        ["ab", "bc", "cb"],
    ),
    "arcs only": (graphml(ABC + edge("ab", directed="true") + edge("bc", directed="1")), True, "abc", ["ab", "bc"]),
    "edges before nodes": (graphml(edge("ab") + ABC), False, "abc", ["ab"]),
    "parallel edges": (graphml(ABC + edge("ab") + edge("ab") + edge("ba")), False, "abc", ["ab", "ab", "ab"]),
    "no namespace": (graphml(ABC + edge("ab"), space=""), False, "abc", ["ab"]),
    "a prefix": (PREFIXED, True, "ab", ["ab"]),
    "an empty graph beside": (
        graphml(ABC + edge("ab"))
        .replace("<graphml", "<graphml", 1)
        .replace("</graphml>", '<graph edgedefault="directed"/></graphml>'),
        False,
        "abc",
        ["ab"],
    ),
    "its mark": ("\ufeff" + graphml(ABC + edge("ab")), False, "abc", ["ab"]),
    "UTF-16": (
        graphml('<node id="ü"/><node id="b"/>' + edge("üb")).replace("UTF-8", "UTF-16").encode("utf-16"),
        False,
        "üb",
        ["üb"],
    ),
    "Latin-1": (
        graphml('<node id="ü"/><node id="b"/>' + edge("üb")).replace("UTF-8", "ISO-8859-1").encode("latin-1"),
        False,
        "üb",
        ["üb"],
    ),
    "Windows-1252": (
        graphml('<node id="€"/><node id="b"/>' + edge("€b")).replace("UTF-8", "windows-1252").encode("cp1252"),
        False,
        "€b",
        ["€b"],
    ),
    "line ends of old Macs": (graphml("\r" + ABC + "\r" + edge("ab") + "\r").replace("\n", "\r"), False, "abc", ["ab"]),
    "labels alike": (
        graphml(
            '<node id="a"><data key="l">x</data></node><node id="b"><data key="l">x</data></node>',
            '<key id="l" for="node" attr.name="label" attr.type="string"/>',
        ),
        False,
        "ab",
        [],
    ),
    "yEd": (DRAWN, True, ["n0", "n1"], [("n0", "n1")]),
}


@pytest.mark.parametrize("kind", GRAPHML)
def test_graphml_is_its_nodes_and_edges(tmp_path, kind, caplog):
    text, directed, nodes, edges = GRAPHML[kind]
    assert content(read(tmp_path, "a.graphml", text)) == told(directed, nodes, [tuple(one) for one in edges])
    assert notes(caplog) == []


@pytest.mark.parametrize("kind", ["undirected", "directed", "a default weight", "a weight as text", "parallel edges"])
def test_igraph_reads_the_same(tmp_path, kind):
    igraph = pytest.importorskip("igraph")
    graph = read(tmp_path, "a.graphml", GRAPHML[kind][0])
    other = igraph.Graph.Read_GraphML(str(tmp_path / "a.graphml"))
    other.vs["name"] = other.vs["id"]
    if "weight" in other.es.attributes():
        other.es["weight"] = [float(weight) for weight in other.es["weight"]]
    assert content(graph) == content(atoll.Graph(other, duplicates="keep"))


def test_attributes_have_types_and_defaults(tmp_path):
    keys = '<key id="k" for="node" attr.name="kind" attr.type="string"><default>gene</default></key>'
    keys += '<key id="n" for="node" attr.name="count" attr.type="int"/>'
    keys += '<key id="t" for="edge" attr.name="is" attr.type="boolean"/>'
    nodes = '<node id="a"><data key="n"> 7 </data></node><node id="b"><data key="k"> x </data></node>'
    graph = read(tmp_path, "a.graphml", graphml(nodes + edge("ab", '<data key="t">true</data>', id="e0"), keys))
    assert graph.vertex_attributes["kind"].tolist() == ["gene", " x "]
    assert graph.vertex_attributes["count"][0] == 7
    assert graph.edge_attributes["is"].tolist() == [True] and graph.edge_attributes["id"].tolist() == ["e0"]
    assert read(tmp_path, "y.graphml", DRAWN).vertex_attributes["label"].tolist() == ["Start", None]


def test_ports_are_said_to_be_left_out(tmp_path, caplog):
    text = graphml('<node id="a"><port name="in"/></node><node id="b"/>' + edge("ab", sourceport="in"))
    assert content(read(tmp_path, "a.graphml", text)) == told(False, "ab", [("a", "b")])
    assert notes(caplog) == [f"{tmp_path / 'a.graphml'}: ports are left out: 1 edges end at the nodes that have them"]


SECOND = '<graph id="G2" edgedefault="directed"><node id="d"/></graph></graphml>'
REFUSED = {
    "two graphs": (graphml(ABC).replace("</graphml>", SECOND), ":2: this is the second graph with nodes: .*'G2'"),
    "a hyperedge": (
        graphml(ABC + '<hyperedge><endpoint node="a"/><endpoint node="b"/><endpoint node="c"/></hyperedge>'),
        "a hyperedge of 3 ends",
    ),
    "a node twice": (graphml(ABC + '<node id="a"/>'), "node 'a' is there twice"),
    "no such node": (graphml(ABC + edge("ax")), "edge 0 ends at 'x' .no node has this id"),
    "a weight that is no number": (
        graphml(ABC + edge("ab", weighing("x")), WEIGHT),
        "'weight' is 'x' .its key says double",
    ),
    "a text that is no weight": (
        graphml(ABC + edge("ab", weighing("x")), WEIGHT.replace("double", "string")),
        ":2: edge 'a' - 'b' has 'x' as attribute 'weight'",
    ),
    "a decimal comma": (
        graphml(ABC + edge("ab", weighing("3,5")), WEIGHT.replace("double", "string")),
        "has '3,5' as attribute",
    ),
    "an underscore": (graphml(ABC + edge("ab", weighing("1_0")), WEIGHT), "'weight' is '1_0'"),
    "no such key": (graphml(ABC + edge("ab", weighing(1))), "data for the key 'w' .no key has this id"),
    "data twice": (
        graphml(ABC + edge("ab", weighing(1) + weighing(2)), WEIGHT),
        "data for the key 'w' .it is there twice",
    ),
    "two keys of a name": (
        graphml(ABC + edge("ab", weighing(1) + weighing(2, "v")), WEIGHT + WEIGHT.replace('"w"', '"v"')),
        "two keys have the attribute 'weight'",
    ),
    "a key twice": (graphml(ABC, WEIGHT + WEIGHT), "this key has the id 'w'"),
    "a late key": (graphml(ABC).replace("</graphml>", WEIGHT + "</graphml>"), "the key 'w' is behind nodes"),
    "an odd direction": (graphml(ABC + edge("ab", directed="maybe")), "an edge is 'maybe'"),
    "no source": (graphml(ABC + '<edge target="b"/>'), "an edge lacks its source or target"),
    "no id": (graphml("<node/>"), "a node has no id"),
    "GEXF": ("<gexf><graph/></gexf>", "begins with <gexf> .where <graphml> is needed"),
    "no node": (graphml(""), "has no node"),
    "cut off": (graphml(ABC)[:-20], "the XML parser cannot read it as GraphML .*Was it cut off"),
    "no XML": ("hello", "the XML parser cannot read it as GraphML .*give it as another format"),
    "a wrong letter": (graphml(ABC).replace('"c"/>', '"c">'), "mismatched tag.*give it as another format"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_graph_is_refused_by_file_and_reason(tmp_path, kind):
    text, said = REFUSED[kind]
    with pytest.raises(atoll.InputError, match=said) as raised:
        read(tmp_path, "a.graphml", text)
    assert str(raised.value).startswith(str(tmp_path / "a.graphml"))
    assert ("cut off" in str(raised.value)) == ("cut off" in said)


def test_a_weight_that_is_not_wanted_may_be_anything(tmp_path):
    text = REFUSED["a text that is no weight"][0]
    assert content(read(tmp_path, "a.graphml", text, weighted=False)) == told(False, "abc", [("a", "b")])
