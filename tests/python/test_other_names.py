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
    first = re.match(r"[\w.]+", way)[0]
    holder = atoll
    for part in first.split("."):
        holder = print if part == "print" else getattr(holder, part)
    assert callable(holder)
    if (further := re.search(r"\)\.(\w+)", way)) and first in atoll.__all__ and first != "Graph":
        made = {"clustering": GRAPH, "connected_components": GRAPH, "strongly_connected_components": GRAPH}
        made |= {"minimum_spanning_forest": GRAPH, "eccentricity": GRAPH, "bfs": GRAPH}
        result = getattr(atoll, first)(made[first], *([0] if first == "bfs" else []))
        assert hasattr(result, further[1])


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
