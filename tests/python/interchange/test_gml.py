# SPDX-License-Identifier: Apache-2.0
"""GML: with labels or ids, in any encoding, edges that repeat, values that are lists."""

import atoll
import pytest
from graph_content import content, notes, read, told


def gml(nodes, edges="", rest=""):
    lines = [f"  node [ id {k} {node} ]" for k, node in enumerate(nodes)]
    return "\n".join(["graph [", rest, *lines, *([edges] if edges else []), "]", ""])


def labels(*names):
    return [f'label "{name}"' for name in names]


AB = "edge [ source 0 target 1 ]"

GML = {
    "labels": (gml(labels("a", "b"), AB), False, "ab", ["ab"]),
    "directed": (gml(labels("a", "b"), "edge [ source 1 target 0 weight 2 ]", "directed 1"), True, "ab", [(*"ba", 2)]),
    "no labels": (gml(["", ""], "edge [ source 0 target 1 weight 2.5 ]", "directed 0"), False, [0, 1], [(0, 1, 2.5)]),
    "empty labels": (gml(labels("", ""), AB), False, [0, 1], [(0, 1)]),
    "labels that are numbers": (gml(["label 10", "label 20"], AB), False, [10, 20], [(10, 20)]),
    "labels of both kinds": (gml(["label 10", 'label "b"'], AB), False, ["10", "b"], [("10", "b")]),
    "ids that are text": (
        'graph [ node [ id "x" ] node [ id "y" ] edge [ source "x" target "y" ] ]',
        False,
        "xy",
        ["xy"],
    ),
    "braces on their own lines": ('graph\n[\n node\n [\n id 0\n label\n"a"\n ]\n]', False, "a", []),
    "one line": ("graph[node[id 0]node[id 5]edge[source 0 target 5]]", False, [0, 5], [(0, 5)]),
    "other keys": (
        'Creator "x"\nVersion 1\ngraph [ comment "y" node [ id 0 graphics [ x 1.5 fill "#ff0000" ] ] ]\n',
        False,
        [0],
        [],
    ),
    "comments": ('# a [ comment ] "\n' + gml(labels("a", "b"), "# more\n" + AB), False, "ab", ["ab"]),
    "edges that repeat": (gml(labels("a", "b"), AB + AB + "edge [ source 1 target 0 ]"), False, "ab", ["ab"] * 3),
    "edges before nodes": (f"graph [ {AB} node [ id 0 ] node [ id 1 ] ]", False, [0, 1], [(0, 1)]),
    "UTF-8": (gml(labels("Zürich", "Köln"), AB), False, ["Zürich", "Köln"], [("Zürich", "Köln")]),
    "its mark": ("\ufeff" + gml(labels("Zürich", "b"), AB), False, ["Zürich", "b"], [("Zürich", "b")]),
    "UTF-16": (gml(labels("Zürich", "b"), AB).encode("utf-16"), False, ["Zürich", "b"], [("Zürich", "b")]),
    "Latin-1": (gml(labels("Zürich", "b"), AB).encode("latin-1"), False, ["Zürich", "b"], [("Zürich", "b")]),
    "entities": (
        gml(labels("&quot;&#252;&amp;amp;", "&Auml;&unknown;&"), AB),
        False,
        ['"ü&amp;', "Ä&unknown;&"],
        [('"ü&amp;', "Ä&unknown;&")],
    ),
    "control characters": (gml(labels("&#128;", "b"), AB), False, ["\x80", "b"], [("\x80", "b")]),
    "line ends of old Macs": (gml(labels("a", "b"), AB).replace("\n", "\r"), False, "ab", ["ab"]),
    "numbers": (gml(["", ""], "edge [ source 0 target +1 weight -1.5E-3 ]"), False, [0, 1], [(0, 1, -0.0015)]),
    "a weight as text": (gml(["", ""], 'edge [ source 0 target 1 weight "2.5" ]'), False, [0, 1], [(0, 1, 2.5)]),
}


@pytest.mark.parametrize("kind", GML)
def test_gml_is_its_nodes_and_edges(tmp_path, kind, caplog):
    text, directed, nodes, edges = GML[kind]
    assert content(read(tmp_path, "a.gml", text)) == told(directed, nodes, [tuple(edge) for edge in edges])
    assert len(notes(caplog)) == (kind == "Latin-1")


@pytest.mark.parametrize(
    "kind", ["labels", "directed", "no labels", "UTF-8", "edges that repeat", "braces on their own lines"]
)
def test_igraph_reads_the_same(tmp_path, kind):
    igraph = pytest.importorskip("igraph")
    graph = read(tmp_path, "a.gml", GML[kind][0])
    other = igraph.Graph.Read_GML(str(tmp_path / "a.gml"))
    other.vs["name"] = other.vs["label"] if "label" in other.vs.attributes() else [int(one) for one in other.vs["id"]]
    assert content(graph) == content(atoll.Graph(other, duplicates="keep"))


def test_labels_alike_are_said_once_and_kept(tmp_path, caplog):
    graph = read(tmp_path, "a.gml", gml(labels("x", "x", "y"), "edge [ source 0 target 2 ] edge [ source 1 target 2 ]"))
    assert content(graph) == told(False, [0, 1, 2], [(0, 2), (1, 2)])
    assert graph.vertex_attributes["label"].tolist() == ["x", "x", "y"]
    (said,) = notes(caplog)
    assert "several nodes have the label 'x': nodes are named by their ids" in said
    graph = read(tmp_path, "b.gml", gml(['label "x"', ""], AB))
    assert content(graph) == told(False, [0, 1], [(0, 1)])
    assert "some nodes have no label" in notes(caplog)[1]


def test_values_may_be_weights(tmp_path, caplog):
    text = gml(["", ""], "edge [ source 0 target 1 value 3 ]")
    assert content(read(tmp_path, "a.gml", text)) == told(False, [0, 1], [(0, 1)])
    assert notes(caplog) == [
        f"{tmp_path / 'a.gml'}: has no weights (if the edges' attribute 'value' is one, say weight='value')"
    ]
    assert content(read(tmp_path, "a.gml", text, weight="value")) == told(False, [0, 1], [(0, 1, 3)])
    assert content(read(tmp_path, "a.gml", text, weighted=False)) == told(False, [0, 1], [(0, 1)])
    assert len(notes(caplog)) == 1


def test_attributes_may_be_records_and_lists(tmp_path):
    nodes = ["graphics [ x 1.5 y 2 ]", 'tag "a" tag "b"', 'one "_networkx_list_start" one 5']
    columns = read(tmp_path, "a.gml", gml(nodes)).vertex_attributes
    assert columns["graphics"].tolist() == [{"x": 1.5, "y": 2}, None, None]
    assert columns["tag"].tolist() == [None, ["a", "b"], None]
    assert columns["one"].tolist() == [None, None, [5]]


REFUSED = {
    "a list as weight": (
        gml(["", ""], "edge [ source 0 target 1 weight 1 weight 2 ]"),
        r"a.gml:5: edge 0 - 1 has \[1, 2\] as attribute 'weight'",
    ),
    "a record as weight": (
        gml(["", ""], "edge [ source 0 target 1 weight [ x 1 ] ]"),
        "a.gml:5: edge 0 - 1 has {'x': 1} as attribute",
    ),
    "no end of weights": (gml(["", ""], "edge [ source 0 target 1 weight INF ]"), "edge 0 - 1 has the weight inf"),
    "two graphs": (gml([""]) + gml([""]), r"holds 2 graphs \(in lines 1, 5\)"),
    "no graph": ('Creator "x"\n', "holds 0 graphs"),
    "a node twice": ("graph [ node [ id 0 ] node [ id 0 ] ]", ":1: node 0 is there twice"),
    "no id": ("graph [\n node [ label 1 ]\n]", ":2: a node has 0 values of id"),
    "no such node": (gml([""], AB), ":4: edge 0 ends at 1 .no node has this id"),
    "one end": (gml(["", ""], "edge [ source 0 ]"), ":5: an edge has 0 values of target"),
    "an odd direction": (gml([""], "", "directed 2"), "directed is 2"),
    "text without quotes": (gml(["label abc"]), ":3: label has the value 'abc' .*Put text in quotes"),
    "no key": (gml(["5 6"]), ":3: '5' stands where a key is needed"),
    "a bracket too many": (gml([""]) + "]", "stands where a key is needed"),
    "no record": ("graph [ node 5 ]", "node is 5"),
    "cut off in a record": (gml(["", ""])[:-4], "has no . until the end of the file. Was it cut off"),
    "cut off in a text": ('graph [ node [ id 0 label "a', 'no closing " until the end of the file. Was it cut off'),
    "cut off before a value": ("graph [ node [ id", "Was it cut off"),
    "a number without end": (gml(["x " + "9" * 5000]), "x has the value"),
    "no GML": ("hello", ":1: the key 'hello' has no value"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_gml_is_refused_by_line(tmp_path, kind):
    text, said = REFUSED[kind]
    with pytest.raises(atoll.InputError, match=said) as raised:
        read(tmp_path, "a.gml", text)
    assert str(raised.value).startswith(str(tmp_path / "a.gml"))
    assert ("cut off" in str(raised.value)) == ("cut off" in said)
