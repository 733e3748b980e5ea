# SPDX-License-Identifier: Apache-2.0
"""GraphML: keys with default values, graphs in nodes, and edges that say themselves whether they are directed.

NetworkX's reader leaves out the default values of keys and the graphs in nodes, and takes the first of several graphs;
igraph's leaves out graphs in nodes and the directions of single edges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...arguments import shown
from .file_graph import FileGraph
from .xml_elements import Element, OneGraph, read_elements, truth, value_of

__all__ = ["read_graphml"]


class _Key(NamedTuple):
    name: str
    domain: str
    kind: str
    default: str | None


class _Reader:
    """Takes elements as they end."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._graph = FileGraph(path)
        self._one = OneGraph(path)
        self._keys: dict[str, _Key] = {}
        self._edges_at_ports = 0

    def read(self, data: bytes) -> FileGraph:
        """The graph that the file holds."""
        closed = {"key": self._key, "node": self._node, "edge": self._edge, "hyperedge": self._hyperedge}
        read_elements(self._path, data, "graphml", closed)
        self._graph.check_ends()
        self._graph.directed = self._one.first is not None and self._one.first.get("edgedefault") == "directed"
        if self._edges_at_ports:
            self._graph.notes.append(
                f"ports are left out: {self._edges_at_ports} edges end at the nodes that have them"
            )
        return self._graph

    def _key(self, element: Element, parents: list[Element]) -> None:
        one = element.get("id")
        if one is None or one in self._keys:
            raise self._graph.refusal(
                element.line, f"this key has the id {shown(one)} (each has its own). Give it another."
            )
        if self._graph.nodes or self._graph.src:
            raise self._graph.refusal(
                element.line,
                f"the key {shown(one)} is behind nodes (which may need its default). Move it to the front.",
            )
        default = next((child.text for child in element.all("default")), None)
        name, domain = element.get("attr.name") or one, element.get("for") or "all"
        self._keys[one] = _Key(name, domain, element.get("attr.type") or "string", default)

    def _node(self, element: Element, parents: list[Element]) -> None:
        self._one.around(element, parents)
        one = element.get("id")
        if one is None:
            raise self._graph.refusal(element.line, "a node has no id (edges tell nodes by it). Give it one.")
        self._graph.add_node(one, self._attributes(element, "node"), element.line)

    def _edge(self, element: Element, parents: list[Element]) -> None:
        default = self._one.around(element, parents).get("edgedefault") or "undirected"
        src, dst = element.get("source"), element.get("target")
        if src is None or dst is None:
            raise self._graph.refusal(element.line, "an edge lacks its source or target (it has both). Add it.")
        said = element.get("directed")
        try:
            directed = {"directed": True, "undirected": False}[default] if said is None else truth(said)
        except (ValueError, KeyError):
            raise self._graph.refusal(
                element.line, f"an edge is {shown(said or default)} (directed or undirected is needed). Say which."
            ) from None
        self._edges_at_ports += "sourceport" in element.attributes or "targetport" in element.attributes
        attributes = self._attributes(element, "edge")
        if (one := element.get("id")) is not None:
            attributes.setdefault("id", one)
        self._graph.add_edge(src, dst, directed, attributes, element.line)

    def _hyperedge(self, element: Element, parents: list[Element]) -> None:
        ends = sum(1 for _ in element.all("endpoint"))
        raise self._graph.refusal(
            element.line, f"a hyperedge of {ends} ends (an edge has two). Write it as edges, or as a node with edges."
        )

    def _attributes(self, element: Element, domain: str) -> dict[str, Any]:
        """By the names of their keys, from data or by default."""
        attributes: dict[str, Any] = {}
        given = set()
        for child in element.all("data"):
            key = child.get("key")
            if key not in self._keys or key in given:
                why = "it is there twice" if key in given else "no key has this id"
                raise self._graph.refusal(child.line, f"data for the key {shown(key)} ({why}). Correct it.")
            given.add(key)
            if child.children:  # a drawing, of which the label is kept
                name, value = "label", _drawn_label(child)
            else:
                name, value = self._keys[key].name, self._value(key, child.text, child.line)
            if value is not None and name in attributes:
                raise self._graph.refusal(child.line, f"two keys have the attribute {name!r} (one has). Rename one.")
            if value is not None:
                attributes[name] = value
        for key, declared in self._keys.items():
            if declared.default is not None and declared.domain in (domain, "all") and key not in given:
                value = self._value(key, declared.default, element.line)
                if value is not None:
                    attributes.setdefault(declared.name, value)
        return attributes

    def _value(self, key: str, text: str, line: int) -> Any:
        name, _, kind, _ = self._keys[key]
        try:
            return value_of(kind, text)
        except ValueError:
            raise self._graph.refusal(
                line, f"the attribute {name!r} is {shown(text)} (its key says {kind}). Correct one of them."
            ) from None


def _drawn_label(data: Element) -> str | None:
    """The text of a label in what yEd has drawn."""
    labels = (child.text.strip() for child in data.below() if child.tag.endswith((" NodeLabel", " EdgeLabel")))
    return next((label for label in labels if label), None)


def read_graphml(path: str, data: bytes) -> FileGraph:
    """The graph in a file of GraphML."""
    return _Reader(path).read(data)
