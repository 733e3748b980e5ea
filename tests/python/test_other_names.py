# SPDX-License-Identifier: Apache-2.0
"""The names that other packages have lead to calls that exist."""

import re

import atoll
import pytest
from atoll import other_names

GRAPH = atoll.Graph("ring:5")


@pytest.mark.parametrize("name", other_names._FUNCTIONS)
def test_a_name_of_the_package_leads_to_one(name):
    with pytest.raises(AttributeError, match=rf"^atoll has no {name}\. Use ") as raised:
        getattr(atoll, name)
    way = str(raised.value).partition("Use ")[2]
    first = re.match(r"\w+(?:\.\w+)*", way)[0]
    holder = atoll
    for part in first.split("."):
        holder = print if part == "print" else getattr(holder, part)
    assert callable(holder) or first.startswith("Graph.")
    if (further := re.match(r"\w+\(.*?\)\.(\w+)", way)) and first in atoll.__all__ and first != "Graph":
        assert hasattr(made_by(first), further[1])


def made_by(function):
    ends = {"maximum_flow", "minimum_cut", "shortest_path", "shortest_path_length"}
    sources = {"bfs", "sssp", "bellman_ford"}
    given = [0, 2] if function in ends else [0] if function in sources else []
    return getattr(atoll, function)(atoll.Graph("ring:5", weighted=True), *given)


def test_texts_of_generators_among_the_calls_are_generators():
    numbers = {"SCALE": "4", "DEGREE": "3", "AxBxC": "2x2x2", "AxB": "3x3", "N": "6"}
    ways = [*other_names._FUNCTIONS.values(), *other_names._CLASS.values()]
    texts = {text for way in ways for text in re.findall(r'Graph\("([\w:]+)"\)', way)}
    assert len(texts) > 6
    for text in texts:
        kind, *parts = text.split(":")
        assert atoll.Graph(":".join([kind, *(numbers[part] for part in parts)])).n > 0


def test_every_function_that_is_left_to_networkx_is_there():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    for names, module, path in (
        (other_names._NETWORKX, networkx, "networkx"),
        (other_names._NETWORKX_COMMUNITY, networkx.community, "networkx.community"),
        (other_names._NETWORKX_APPROXIMATION, networkx.approximation, "networkx.approximation"),
        (other_names._NETWORKX_MAKES, networkx, "networkx"),
    ):
        for name in names:
            assert callable(getattr(module, name)) and name not in atoll.__all__ and name not in other_names._FUNCTIONS
            with pytest.raises(AttributeError, match=rf"^atoll has no {name}\. Use (Graph\()?{path}\.{name}\("):
                getattr(atoll, name)
    with pytest.raises(
        AttributeError, match=r"^a Graph has no find_cliques\. Use networkx\.find_cliques\(graph\.to_net"
    ):
        GRAPH.find_cliques  # noqa: B018
    assert len(list(networkx.find_cliques(GRAPH.to_networkx()))) == 5


def test_the_center_is_found_as_the_hint_says():
    path = atoll.Graph("path:5")
    with pytest.raises(
        AttributeError, match=r"Use atoll\.eccentricity\(graph\): the vertices whose value is its radius"
    ):
        path.center  # noqa: B018
    found = atoll.eccentricity(path)
    assert [vertex for vertex, value in found.items() if value == found.radius] == [2]
    assert [vertex for vertex, value in found.items() if value == found.diameter] == [0, 4]


def test_groups_lead_to_their_sizes():
    with pytest.raises(AttributeError, match=r"a ComponentsResult has no counts\. Use sizes\(\)\.$"):
        atoll.connected_components(GRAPH).counts  # noqa: B018
    with pytest.raises(AttributeError, match=r"a PageRankResult has no counts$"):
        atoll.pagerank(GRAPH).counts  # noqa: B018


@pytest.mark.parametrize("name", other_names._GRAPH)
def test_a_name_of_a_graph_leads_to_one(name):
    with pytest.raises(AttributeError, match=rf"^a Graph has no {name}\. Use "):
        getattr(GRAPH, name)
    way = other_names._GRAPH[name]
    if way.startswith(("graph[", "print", "the graph", "`vertex", "Graph(")):
        return
    assert hasattr(GRAPH, re.match(r"\w+", way)[0]), way


def test_what_is_not_known_is_an_attribute_error_all_the_same():
    assert not hasattr(atoll, "pagernk") and not hasattr(GRAPH, "vs")
    with pytest.raises(AttributeError, match="atoll has no pagernk$") as raised:
        atoll.pagernk  # noqa: B018
    assert raised.value.name == "pagernk" and raised.value.obj is atoll
    with pytest.raises(AttributeError, match="a Graph has no neighbours$"):
        GRAPH.neighbours()
    for text in ("from atoll import number_connected_components", "import atoll.nothing"):
        with pytest.raises(ImportError):
            exec(text)
