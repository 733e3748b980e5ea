# SPDX-License-Identifier: Apache-2.0
"""Networks of Pajek: sections in any order, lists and matrices, relations, two modes, labels alike, projects."""

import atoll
import pytest
from graph_content import content, notes, read, told

ABC = '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n'

NETS = {
    "arcs": (ABC + "*Arcs\n1 2 2.5\n3 1 4\n", True, "abc", [("a", "b", 2.5), ("c", "a", 4)]),
    "edges": (ABC + "*Edges\n1 2 2.5\n3 1 4\n", False, "abc", [("a", "b", 2.5), ("c", "a", 4)]),
    "without weights": (ABC + "*Arcs\n1 2\n", True, "abc", [("a", "b")]),
    "a list of arcs": (ABC + "*Arcslist\n1 2 3\n2 3\n", True, "abc", [("a", "b"), ("a", "c"), ("b", "c")]),
    "a list of edges": (ABC + "*Edgeslist\n1 2 3\n2 3\n", False, "abc", [("a", "b"), ("a", "c"), ("b", "c")]),
    "edges, then arcs": (ABC + "*Edges\n2 3 1\n*Arcs\n1 2 1\n", True, "abc", [(*"ab", 1), (*"bc", 1), (*"cb", 1)]),
    "arcs, then edges": (ABC + "*Arcs\n1 2 1\n*Edges\n2 3 1\n", True, "abc", [(*"ab", 1), (*"bc", 1), (*"cb", 1)]),
    "lists of both": (ABC + "*Edgeslist\n2 3\n*Arcslist\n1 2\n", True, "abc", ["ab", "bc", "cb"]),
    "an empty section": (ABC + "*Arcs\n*Edges\n1 2\n", False, "abc", ["ab"]),
    "a loop beside arcs": (ABC + "*Edges\n1 1\n*Arcs\n1 2\n", True, "abc", ["aa", "ab"]),
    "two relations": (
        ABC + '*Arcs :1 "likes"\n1 2 1\n*Arcs :2 "knows"\n2 3 1\n',
        True,
        "abc",
        [(*"ab", 1), (*"bc", 1)],
    ),
    "relations by line": (ABC + "*Arcs\n1: 1 2 5\n2: 2 3 6\n", True, "abc", [(*"ab", 5), (*"bc", 6)]),
    "a matrix": (ABC + "*Matrix\n0 2 0\n0 0 3\n1 0 0\n", True, "abc", [(*"ab", 2), (*"bc", 3), (*"ca", 1)]),
    "no labels": ("*Vertices 3\n*Edges\n1 2\n2 3\n", False, [1, 2, 3], [(1, 2), (2, 3)]),
    "numbers only": ("*Vertices 2\n1\n2\n*Edges\n1 2\n", False, [1, 2], [(1, 2)]),
    "labels alike": ('*Vertices 3\n1 "x"\n2 "x"\n3 "y"\n*Edges\n1 3\n2 3\n', False, [1, 2, 3], [(1, 3), (2, 3)]),
    "a label of some": ('*Vertices 3\n2 "b"\n*Edges\n1 2\n', False, ["1", "b", "3"], [("1", "b")]),
    "a label that is another's number": ('*Vertices 2\n2 "1"\n*Edges\n1 2\n', False, [1, 2], [(1, 2)]),
    "vertices in any order": ('*Vertices 2\n2 "b"\n1 "a"\n*Arcs\n1 2\n', True, "ab", ["ab"]),
    "labels with blanks": (
        "*Vertices 2\n1 \"a b\" 0.1 0.2\n2 'c d'\n*Arcs\n1 2\n",
        True,
        ["a b", "c d"],
        [("a b", "c d")],
    ),
    "an apostrophe": (
        "*Vertices 2\n1 it's\n2 \"o'clock x\"\n*Arcs\n1 2\n",
        True,
        ["it's", "o'clock x"],
        [("it's", "o'clock x")],
    ),
    "a quote in a label": (
        '*Vertices 2\n1 "a "b" c" 0.0 0.0 ellipse\n2 "d"\n*Arcs\n1 2\n',
        True,
        ['a "b" c', "d"],
        [('a "b" c', "d")],
    ),
    "entities": ('*Vertices 2\n1 "&#34;a&#34;"\n2 "&#x10D;"\n*Arcs\n1 2\n', True, ['"a"', "č"], [('"a"', "č")]),
    "other words": (ABC + '*Arcs\n1 2 3 l "in love" c Blue\n2 3 p Dots\n', True, "abc", [(*"ab", 3), (*"bc", 1)]),
    "capitals, comments, blanks": (
        "% made by hand\n*NETWORK x y\n\n*VERTICES  2 \n 1 a\n\n2 b\n%\n*ARCS \n\n 1 2\n",
        True,
        "ab",
        ["ab"],
    ),
    "beginning with its mark": ("\ufeff" + ABC + "*Edges\n1 2\n", False, "abc", ["ab"]),
    "line ends of old Macs": ((ABC + "*Edges\n1 2\n2 3\n").replace("\n", "\r"), False, "abc", ["ab", "bc"]),
    "line ends of Windows": ((ABC + "*Edges\n1 2\n2 3\n").replace("\n", "\r\n"), False, "abc", ["ab", "bc"]),
    "UTF-16": ((ABC + "*Edges\n1 2\n").encode("utf-16"), False, "abc", ["ab"]),
    "Windows-1252": (
        '*Vertices 2\n1 "Zürich"\n2 "b"\n*Edges\n1 2\n'.encode("cp1252"),
        False,
        ["Zürich", "b"],
        [("Zürich", "b")],
    ),
    "letters that are no line ends": (
        '*Vertices 2\n1 "a\x0cb\u2028"\n2 "b"\n*Edges\n1 2\n',
        False,
        ["a\x0cb\u2028", "b"],
        [("a\x0cb\u2028", "b")],
    ),
    "parallel arcs": (ABC + "*Arcs\n1 2 1\n1 2 7\n", True, "abc", [(*"ab", 1), (*"ab", 7)]),
    "times": (ABC + "*Arcs\n1 2 3 [1-4]\n", True, "abc", [(*"ab", 3)]),
}

TWO_MODES = '*Vertices 5 2\n1 "a"\n2 "b"\n3 "x"\n4 "y"\n5 "z"\n'
BETWEEN = told(False, "abxyz", [(*"ax", 1), (*"az", 2), (*"by", 3)])


@pytest.mark.parametrize("kind", NETS)
def test_a_net_is_its_vertices_and_edges(tmp_path, kind):
    text, directed, nodes, edges = NETS[kind]
    assert content(read(tmp_path, "a.net", text)) == told(directed, nodes, [tuple(edge) for edge in edges])


@pytest.mark.parametrize(
    "edges", ["*Matrix\n1 0 2\n0 3 0\n", "*Edges\n1 3 1\n1 5 2\n2 4 3\n", "*Matrix\n1 0 2 0\n3 0\n"]
)
def test_two_modes_are_an_attribute(tmp_path, edges):
    graph = read(tmp_path, "a.net", TWO_MODES + edges)
    assert content(graph) == BETWEEN
    assert dict(zip(graph.names, graph.vertex_attributes["mode"])) == {"a": 1, "b": 1, "x": 2, "y": 2, "z": 2}


@pytest.mark.parametrize(
    "kind", ["arcs", "edges", "a list of arcs", "a list of edges", "a matrix", "no labels", "UTF-8"]
)
def test_igraph_reads_the_same(tmp_path, kind):
    igraph = pytest.importorskip("igraph")
    text = NETS.get(kind, ('*Vertices 2\n1 "Zürich"\n2 "b"\n*Edges\n1 2\n',))[0]
    graph = read(tmp_path, "a.net", text)
    other = igraph.Graph.Read_Pajek(str(tmp_path / "a.net"))
    if "name" not in other.vs.attributes():
        other.vs["name"] = list(range(1, other.vcount() + 1))
    assert content(graph) == content(atoll.Graph(other, duplicates="keep"))


@pytest.mark.parametrize("kind", ["arcs", "edges", "other words"])
def test_networkx_reads_the_same(tmp_path, kind):
    networkx = pytest.importorskip("networkx")
    graph = read(tmp_path, "a.net", NETS[kind][0])
    assert content(graph) == content(atoll.Graph(networkx.read_pajek(tmp_path / "a.net"), duplicates="keep"))


def test_relations_and_other_words_are_attributes(tmp_path, caplog):
    graph = read(tmp_path, "a.net", ABC + '*Arcs :1 "likes"\n1 2 1 l "x y"\n*Edges :2 "knows"\n2 3\n')
    assert graph.edge_attributes["relation"].tolist() == ["likes", "knows", "knows"]
    assert graph.edge_attributes["l"].tolist() == ["x y", None, None]
    assert notes(caplog) == [
        f"{tmp_path / 'a.net'}: 2 relations ('likes', 'knows') are read together: edges have 'relation'"
    ]


def test_labels_alike_are_said_once_and_kept(tmp_path, caplog):
    graph = read(tmp_path, "a.net", NETS["labels alike"][0])
    assert graph.vertex_attributes["label"].tolist() == ["x", "x", "y"]
    (said,) = notes(caplog)
    assert "several nodes have the label 'x': nodes are named by their ids" in said


def test_another_encoding_and_times_are_said(tmp_path, caplog):
    read(tmp_path, "a.net", NETS["Windows-1252"][0])
    read(tmp_path, "b.net", NETS["times"][0])
    assert "is not UTF-8 and was read as Windows-1252" in notes(caplog)[0]
    assert "changes with time" in notes(caplog)[1]


def test_what_is_said_in_full_is_not_said(tmp_path, caplog):
    for kind in ("arcs", "edges, then arcs", "no labels", "a matrix"):
        read(tmp_path, "a.net", NETS[kind][0])
    assert notes(caplog) == []


def test_a_project_is_its_network_with_partitions_and_vectors(tmp_path, caplog):
    text = "*Network trade\n" + ABC + "*Arcs\n1 2 3\n\n*Partition continents\n*Vertices 3\n1\n1\n2\n\n"
    text += "*Vector wealth\n*Vertices 3\n0.5\n1.5\n2.5\n*Partition short\n*Vertices 2\n1\n2\n"
    text += "*Permutation p\n*Vertices 3\n3\n2\n1\n"
    graph = read(tmp_path, "a.paj", text)
    assert content(graph) == told(True, "abc", [("a", "b", 3)])
    assert graph.vertex_attributes["continents"].tolist() == [1, 1, 2]
    assert graph.vertex_attributes["wealth"].tolist() == [0.5, 1.5, 2.5]
    assert notes(caplog) == [f"{tmp_path / 'a.paj'}: *Permutation, 'short' left out"]


def test_any_ranks_read_the_same(tmp_path):
    path = tmp_path / "a.net"
    path.write_text(NETS["edges, then arcs"][0])

    def kept(world):
        graph = atoll.Graph(path, comm=world)
        return graph.n, graph.m, graph.directed

    for ranks in (1, 2, 5):
        assert atoll.run_ranks(ranks, kept, plan={"threads": 1}) == [(3, 3, True)] * ranks


def test_directions_can_be_said(tmp_path):
    text = ABC + "*Edges\n2 3\n*Arcs\n1 2\n"
    assert content(read(tmp_path, "a.net", text, directed=False)) == told(False, "abc", [("b", "c"), ("a", "b")])
    both = told(True, "abc", [("a", "b"), ("b", "c"), ("c", "b")])
    assert content(read(tmp_path, "a.net", text, directed=True)) == content(read(tmp_path, "a.net", text)) == both
    assert content(read(tmp_path, "a.net", ABC + "*Edges\n2 3\n", directed=True)) == told(True, "abc", [("b", "c")])


REFUSED = {
    "two networks": ("*Network A\n" + ABC + "*Network B\n" + ABC, ":6: a second network: 'A' and that of this line"),
    "two networks without names": (ABC + ABC, ":5: a second network"),
    "no such vertex": (ABC + "*Arcs\n1 4\n", r":6: '4' is no vertex \(they have the numbers 1 to 3\)"),
    "vertex 0": (ABC + "*Arcs\n0 1\n", ":6: '0' is no vertex"),
    "a vertex twice": ('*Vertices 2\n1 "a"\n1 "b"\n', ":3: vertex 1 is there twice"),
    "a decimal comma": (ABC + "*Arcs\n1 2 3,5\n", ":6: '3,5' is no weight .*with a point"),
    "a weight that is none": (ABC + "*Arcs\n1 2 nan\n", ":6: edge 'a' - 'b' has the weight nan"),
    "one end": (ABC + "*Arcs\n1\n", ":6: '1' has one end"),
    "an unknown heading": (ABC + "*Events\n1 2\n", r":5: '\*Events' is no heading that is read"),
    "arcs first": ("*Arcs\n1 2\n", r":1: \*arcs is before \*Vertices"),
    "no heading": ("1 2\n2 3\n", r":1: '1 2' is before \*Vertices"),
    "vertices without a number": ("*Vertices\n1 a\n", r":1: \*Vertices has ''"),
    "vertices beyond the file": ("*Vertices 999999999999\n", "a file of this size has at most"),
    "a matrix too small": (ABC + "*Matrix\n0 1\n", "the matrix has 2 numbers .3 x 3 are needed.*Was it cut off"),
    "a matrix too small inside": (ABC + "*Matrix\n0 1\n*Arcs\n1 2\n", "3 x 3 are needed.. Correct it"),
    "a matrix too large": (ABC + "*Matrix\n0 1 1\n0 1 1\n0 1 1\n5\n", ":9: the matrix has '5'"),
    "text in a matrix": (ABC + "*Matrix\n0 x 1\n", ":6: the matrix has 'x' .numbers are needed"),
    "an open quote": ('*Vertices 2\n1 "a\n2 "b"\n', ":2: .* has a quote within a word"),
    "no vertices": ("*Vertices 0\n", "has no node"),
    "nothing": ("", "is empty"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_net_is_refused_by_line(tmp_path, kind):
    text, said = REFUSED[kind]
    with pytest.raises(atoll.InputError, match=said) as raised:
        read(tmp_path, "a.net", text)
    assert str(raised.value).startswith(str(tmp_path / "a.net"))
    assert ("cut off" in str(raised.value)) == ("cut off" in said)
