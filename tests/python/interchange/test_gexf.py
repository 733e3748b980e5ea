# SPDX-License-Identifier: Apache-2.0
"""GEXF of any version: default values, both kinds of edges, nodes in nodes, values that change with time."""

import atoll
import pytest
from graph_content import content, notes, read, told

AB = '<nodes><node id="a" label="x"/><node id="b" label="x"/></nodes>'


def gexf(inside, default="undirected", version="1.2draft", mode="static"):
    return (
        f'<gexf xmlns="http://www.gexf.net/{version}" xmlns:viz="http://www.gexf.net/{version}/viz" version="1.2">'
        f'<graph defaultedgetype="{default}" mode="{mode}">{inside}</graph></gexf>'
    )


def edges(*some):
    return f"<edges>{''.join(some)}</edges>"


def edge(ends, inside="", **attributes):
    said = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<edge source="{ends[0]}" target="{ends[1]}"{said}>{inside}</edge>'


def declared(default="", kind="edge"):
    inside = f"<default>{default}</default>" if default else ""
    return f'<attributes class="{kind}"><attribute id="0" title="km" type="double">{inside}</attribute></attributes>'


def valued(value, key="0", **times):
    said = "".join(f' {name}="{value}"' for name, value in times.items())
    return f'<attvalues><attvalue for="{key}" value="{value}"{said}/></attvalues>'


INNER = '<nodes><node id="g"><nodes><node id="a"/><node id="b"/></nodes></node></nodes>'

GEXF = {
    "undirected": (gexf(AB + edges(edge("ab", weight=2.5))), False, "ab", [(*"ab", 2.5)]),
    "directed": (gexf(AB + edges(edge("ba")), "directed"), True, "ab", ["ba"]),
    "an arc among edges": (gexf(AB + edges(edge("ab", type="directed"), edge("bb"))), True, "ab", ["ab", "bb"]),
    "an edge among arcs": (
        gexf(AB + edges(edge("ab", type="undirected"), edge("bb")), "directed"),
        True,
        "ab",
        ["ab", "ba", "bb"],
    ),
    "mutual": (gexf(AB + edges(edge("ab", type="mutual", weight=2)), "directed"), True, "ab", [(*"ab", 2), (*"ba", 2)]),
    "mutual of edges": (gexf(AB + edges(edge("ab", type="mutual"))), False, "ab", ["ab"]),
    "parallel edges of one id": (
        gexf(AB + edges(edge("ab", id=0, weight=1), edge("ab", id=0, weight=2))),
        False,
        "ab",
        [(*"ab", 1), (*"ab", 2)],
    ),
    "nodes in nodes": (gexf(INNER + edges(edge("ab"))), False, "abg", ["ab"]),
    "version 1.1": (gexf(AB + edges(edge("ab")), version="1.1draft"), False, "ab", ["ab"]),
    "version 1.3": (gexf(AB + edges(edge("ab"))).replace("www.gexf.net/1.2draft", "gexf.net/1.3"), False, "ab", ["ab"]),
    "of Gephi 0.7": (gexf(AB + edges(edge("ab", valued(2.5, "weight")))), False, "ab", [(*"ab", 2.5)]),
    "its mark": ("\ufeff" + gexf(AB + edges(edge("ab"))), False, "ab", ["ab"]),
}


@pytest.mark.parametrize("kind", GEXF)
def test_gexf_is_its_nodes_and_edges(tmp_path, kind, caplog):
    text, directed, nodes, ends = GEXF[kind]
    assert content(read(tmp_path, "a.gexf", text)) == told(directed, nodes, [tuple(one) for one in ends])
    assert notes(caplog) == []


@pytest.mark.parametrize("kind", ["undirected", "directed", "mutual", "nodes in nodes", "version 1.1"])
def test_networkx_reads_the_same(tmp_path, kind):
    networkx = pytest.importorskip("networkx")
    graph = read(tmp_path, "a.gexf", GEXF[kind][0])
    assert content(graph) == content(atoll.Graph(networkx.read_gexf(tmp_path / "a.gexf")))


def test_attributes_have_defaults(tmp_path):
    text = gexf(declared(2.5) + AB + edges(edge("ab", id=7, label="road"), edge("bb", valued(4))))
    graph = read(tmp_path, "a.gexf", text)
    assert graph.edge_attributes["km"].tolist() == [2.5, 4]
    assert graph.edge_attributes["id"].tolist() == ["7", None]
    assert graph.vertex_attributes["label"].tolist() == ["x", "x"]
    assert content(read(tmp_path, "a.gexf", text, weight="km"))[2] == told(False, "", [(*"ab", 2.5), (*"bb", 4)])[2]
    drawn = '<nodes><node id="a"><viz:position x="1.5" y="2"/><viz:size value="3"/></node></nodes>'
    assert read(tmp_path, "a.gexf", gexf(drawn)).vertex_attributes["viz"][0] == {
        "position": {"x": 1.5, "y": 2},
        "size": 3,
    }
    assert read(tmp_path, "a.gexf", gexf(INNER)).vertex_attributes["pid"].tolist() == ["g", "g", None]


def test_a_graph_that_changes_with_time_is_said(tmp_path, caplog):
    once = edge("ab", valued(2, "weight", start="1", end="2"))
    assert content(read(tmp_path, "a.gexf", gexf(AB + edges(once), mode="dynamic"))) == told(False, "ab", [(*"ab", 2)])
    assert "changes with time" in notes(caplog)[0]
    twice = once.replace("</attvalues>", '<attvalue for="weight" value="3" start="2" end="3"/></attvalues>')
    with pytest.raises(
        atoll.InputError, match=r"a.gexf:1: edge 'a' - 'b' has \[\(2.0, '1', '2'\), .* as attribute 'weight'"
    ):
        read(tmp_path, "a.gexf", gexf(AB + edges(twice), mode="dynamic"))


REFUSED = {
    "a node twice": (gexf(AB.replace('"b"', '"a"')), "node 'a' is there twice"),
    "no such node": (gexf(AB + edges(edge("ax"))), "edge 0 ends at 'x'"),
    "two graphs": (
        gexf(AB).replace("</gexf>", '<graph><nodes><node id="d"/></nodes></graph></gexf>'),
        "the second graph",
    ),
    "no such attribute": (gexf(AB + edges(edge("ab", valued(2, "9")))), "a value of the attribute '9'"),
    "a weight that is no number": (gexf(AB + edges(edge("ab", weight="x"))), "'weight' is 'x'"),
    "an odd direction": (gexf(AB + edges(edge("ab", type="both"))), "an edge is 'both'"),
    "another class": (gexf(declared(kind="graph") + AB), "attributes of the class 'graph'"),
    "late attributes": (gexf(AB + declared()), "attributes are declared behind nodes"),
    "cut off": (gexf(AB)[:-9], "the XML parser cannot read it as GEXF .*Was it cut off"),
    "another root": ("<graphml/>", "begins with <graphml>"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_graph_is_refused_by_file_and_reason(tmp_path, kind):
    text, said = REFUSED[kind]
    with pytest.raises(atoll.InputError, match=said) as raised:
        read(tmp_path, "a.gexf", text)
    assert str(raised.value).startswith(str(tmp_path / "a.gexf"))
    assert ("cut off" in str(raised.value)) == ("cut off" in said)
