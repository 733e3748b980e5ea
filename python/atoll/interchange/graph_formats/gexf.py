# SPDX-License-Identifier: Apache-2.0
"""GEXF of Gephi, all versions: default values, nodes in nodes, and edges that say themselves whether they are directed.

NetworkX's reader refuses edges of both kinds, leaves out default values, takes the first of several graphs and makes
one node of two with the same id.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...arguments import shown
from ..weights import number_in
from .file_graph import FileGraph
from .xml_elements import Element, OneGraph, read_elements, value_of

__all__ = ["read_gexf"]


class _Attribute(NamedTuple):
    title: str
    kind: str
    default: str | None


class _Reader:
    """Takes elements as they end."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._graph = FileGraph(path)
        self._one = OneGraph(path)
        # Gephi 0.7 uses "weight" of edges undeclared.
        self._declared = {"node": {}, "edge": {"weight": _Attribute("weight", "double", None)}}
        self._is_dynamic = False

    def read(self, data: bytes) -> FileGraph:
        """The graph that the file holds."""
        closed = {"attributes": self._declare, "node": self._node, "edge": self._edge}
        read_elements(self._path, data, "gexf", closed)
        self._graph.check_ends()
        self._graph.directed = self._one.first is not None and self._one.first.get("defaultedgetype") == "directed"
        if self._is_dynamic:
            self._graph.notes.append("changes with time, and is read as one graph of all nodes and edges of any time")
        return self._graph

    def _declare(self, element: Element, parents: list[Element]) -> None:
        declared = self._declared.get(element.get("class") or "")
        if declared is None:
            raise self._graph.refusal(
                element.line,
                f"attributes of the class {shown(element.get('class'))} (there are node and edge). Say one.",
            )
        if self._graph.nodes or self._graph.src:
            raise self._graph.refusal(
                element.line, "attributes are declared behind nodes (which may need defaults). Move them to the front."
            )
        for one in element.all("attribute"):
            default = next((child.text for child in one.all("default")), None)
            key = one.get("id") or ""
            declared[key] = _Attribute(one.get("title") or key, one.get("type") or "string", default)

    def _node(self, element: Element, parents: list[Element]) -> None:
        self._one.around(element, parents)
        attributes = self._attributes(element, "node")
        outer = next((parent.get("id") for parent in reversed(parents) if parent.tag == "node"), None)
        for name, value in (("label", element.get("label")), ("pid", element.get("pid") or outer)):
            if value is not None:
                attributes[name] = value
        one = element.get("id")
        if one is None:
            raise self._graph.refusal(element.line, "a node has no id (edges tell nodes by it). Give it one.")
        self._graph.add_node(one, attributes, element.line)

    def _edge(self, element: Element, parents: list[Element]) -> None:
        graph = self._one.around(element, parents)
        self._is_dynamic |= graph.get("mode") == "dynamic"
        default = graph.get("defaultedgetype") or "undirected"
        kind = element.get("type") or default
        src, dst = element.get("source"), element.get("target")
        if src is None or dst is None:
            raise self._graph.refusal(element.line, "an edge lacks its source or target (it has both). Add it.")
        if kind not in ("directed", "undirected", "mutual"):
            raise self._graph.refusal(
                element.line, f"an edge is {shown(kind)} (there are directed, undirected and mutual). Say which."
            )
        attributes = self._attributes(element, "edge")
        attributes.pop("networkx_key", None)
        for name in ("id", "label"):
            if (text := element.get(name)) is not None:
                attributes[name] = text
        if (text := element.get("weight")) is not None:
            attributes["weight"] = self._value(_Attribute("weight", "double", None), text, element.line)
        is_arc = kind == "directed" or (kind == "mutual" and default == "directed")
        self._graph.add_edge(src, dst, is_arc, attributes, element.line)
        if kind == "mutual" and is_arc:
            self._graph.add_edge(dst, src, is_arc, dict(attributes), element.line)

    def _attributes(self, element: Element, domain: str) -> dict[str, Any]:
        """By their titles, from values or by default; a list of (value, start, end) where it changes with time."""
        found: dict[str, list[tuple[Any, str | None, str | None]]] = {}
        for values in element.all("attvalues"):
            for one in values.all("attvalue"):
                key = one.get("for") or one.get("id") or ""
                if key not in self._declared[domain]:
                    raise self._graph.refusal(
                        one.line,
                        f"a value of the attribute {shown(key)} (no attribute of a {domain} has this id). Add it.",
                    )
                value = self._value(self._declared[domain][key], one.get("value") or "", one.line)
                found.setdefault(key, []).append((value, one.get("start"), one.get("end")))
        attributes: dict[str, Any] = {}
        for key, declared in self._declared[domain].items():
            given = found.get(key, [])
            value = given if len(given) > 1 else given[0][0] if given else None
            if not given and declared.default is not None:
                value = self._value(declared, declared.default, element.line)
            if value is None:
                continue
            if declared.title in attributes:
                raise self._graph.refusal(
                    element.line, f"two attributes have the title {declared.title!r} (one has). Rename one."
                )
            attributes[declared.title] = value
        for name in ("start", "end"):
            if (text := element.get(name)) is not None:
                attributes.setdefault(name, text)
        drawn = {child.tag.rpartition(" ")[2]: _drawn(child) for child in element.children if "/viz " in child.tag}
        return {**attributes, "viz": drawn} if drawn else attributes

    def _value(self, declared: _Attribute, text: str, line: int) -> Any:
        try:
            return value_of(declared.kind, text)
        except ValueError:
            raise self._graph.refusal(
                line,
                f"the attribute {declared.title!r} is {shown(text)} (it is declared as {declared.kind}). Correct one.",
            ) from None


def _drawn(element: Element) -> Any:
    """How something is drawn: one value, or several by name."""
    values = {name: number_in(text) for name, text in element.attributes.items()}
    return next(iter(values.values())) if len(values) == 1 else values


def read_gexf(path: str, data: bytes) -> FileGraph:
    """The graph in a file of GEXF."""
    return _Reader(path).read(data)
