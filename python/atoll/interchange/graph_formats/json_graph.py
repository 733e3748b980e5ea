# SPDX-License-Identifier: Apache-2.0
"""Graphs as JSON: node-link data of NetworkX and D3, graphology's, adjacency, Cytoscape's, and the JSON Graph Format.

NetworkX's readers make nodes of ends that are none (D3's were positions in the nodes once), merge nodes that have one
id, and know of Cytoscape's JSON only what NetworkX itself has written.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any

from ...arguments import shown
from ..foreign import read_foreign
from .file_graph import FileGraph, named_twice

__all__ = ["read_json"]

_Object = dict[str, Any]
_FORMS = (
    "an object with nodes and links or edges, with nodes and adjacency, with elements as of Cytoscape, or with graph "
    "as of the JSON Graph Format"
)


class _Reader:
    def __init__(self, path: str, notes: list[str]) -> None:
        self._path = path
        self._graph = FileGraph(path, notes)

    def read(self, text: str) -> FileGraph:
        """The graph that the document is."""
        data = read_foreign(self._path, "JSON", "json", lambda: json.loads(text, object_pairs_hook=self._object))
        if isinstance(data, list) and data and all(isinstance(one, dict) and "data" in one for one in data):
            data = {"elements": data}
        if not isinstance(data, dict):
            data = {}
        if isinstance(data.get("nodes", []), list) and ("links" in data or "edges" in data):
            self._node_link(data)
        elif "nodes" in data and "adjacency" in data:
            self._adjacency(data)
        elif "elements" in data:
            self._cytoscape(data)
        elif "graph" in data or "graphs" in data:
            self._json_graph_format(data)
        else:
            raise self._graph.refusal(0, f"is JSON, but no graph ({_FORMS}). Write it by networkx.node_link_data.")
        self._graph.check_ends()
        return self._graph

    def _object(self, pairs: list[tuple[str, Any]]) -> _Object:
        """An object with each key once: of two, Python would keep the last in silence."""
        made = dict(pairs)
        if len(made) < len(pairs):
            twice = named_twice([key for key, _ in pairs])
            raise self._graph.refusal(0, f"an object has the key {shown(twice)} twice (which is meant?). Leave one.")
        return made

    def _node_link(self, data: _Object) -> None:
        """Reads node-link data of NetworkX, D3 (ends are positions up to version 3), vis.js, and graphology."""
        filled = [key for key in ("links", "edges") if data.get(key)]
        if len(filled) == 2:
            raise self._graph.refusal(0, "has links and edges (which are the graph's?). Leave the others out.")
        nodes = self._objects(data.get("nodes", []), "nodes")
        edges = self._objects(data[filled[0]], filled[0]) if filled else []
        ends = [self._ends(edge, k) for k, edge in enumerate(edges)]
        key = self._id_of(nodes, ends)
        for k, node in enumerate(nodes):
            one = k if key is None else self._id(node, key, f"node {k}")
            self._graph.add_node(one, self._rest(node, key))
        options = data.get("options")
        of_graphology = key == "key" and (options.get("type") if isinstance(options, dict) else "") != "undirected"
        directed = self._graph.directed = self._truth(data, "directed", of_graphology)
        for edge, (src, dst) in zip(edges, ends):
            is_arc = self._truth(edge, "directed", directed and not self._truth(edge, "undirected", False))
            self._graph.add_edge(src, dst, is_arc, self._rest(edge))
        if "nodes" in data and nodes:
            self._resolve()
        else:
            self._graph.add_missing_nodes()

    def _id_of(self, nodes: list[_Object], ends: list[tuple[Any, Any]]) -> str | None:
        """Returns the key by which edges name nodes; None if by position."""
        if any("id" in node for node in nodes):
            return "id"
        for key in ("key", "name"):
            if nodes and ends and all(isinstance(node.get(key), str) for node in nodes):
                names = {node[key] for node in nodes}
                if all(end in names for pair in ends for end in pair):
                    return key
        return None

    def _resolve(self) -> None:
        """Finds what ends mean that are no ids: ids of another type, or positions in the nodes."""
        graph = self._graph
        ends = [*graph.src, *graph.dst]
        if all(end in graph.nodes for end in ends):
            return
        readings = []
        by_text = {str(one): one for one in graph.nodes}
        if len(by_text) == len(graph.nodes) and all(str(end) in by_text for end in ends):
            readings.append([by_text[str(end)] for end in ends])
        by_position = list(graph.nodes)
        if all(type(end) is int and 0 <= end < len(by_position) for end in ends):
            readings.append([by_position[end] for end in ends])
            if len(readings) == 1:
                graph.notes.append("the ends of edges are positions in nodes, from 0 on, as some are no node's id")
        if len(readings) == 2 and readings[0] != readings[1]:
            raise graph.refusal(
                0,
                f"edge 0 ends at {shown(ends[0])}, which may be the node {shown(readings[0][0])} by its id, or "
                f"{shown(readings[1][0])} by its position. Write ids and ends alike: both as numbers, or both as text.",
            )
        if readings:
            graph.src, graph.dst = readings[0][: len(graph.src)], readings[0][len(graph.src) :]

    def _adjacency(self, data: _Object) -> None:
        """Reads adjacency data of NetworkX: neighbours of each node; an undirected edge is there from both ends."""
        nodes = self._objects(data["nodes"], "nodes")
        lists = data["adjacency"]
        if not isinstance(lists, list) or len(lists) != len(nodes):
            raise self._graph.refusal(0, "has not as many lists in adjacency as nodes (one for each). Write it anew.")
        for k, node in enumerate(nodes):
            self._graph.add_node(self._id(node, "id", f"node {k}"), self._rest(node, "id"))
        directed = self._graph.directed = self._truth(data, "directed", False)
        single: dict[tuple[Any, Any, Any], list[_Object]] = {}  # seen from one end until now
        for src, neighbours in zip(self._graph.nodes, lists):
            for edge in self._objects(neighbours, f"the adjacency of {shown(src)}"):
                dst = self._id(edge, "id", f"a neighbour of {shown(src)}")
                attributes = self._rest(edge, "id")
                key = str(edge.get("key"))
                seen = single.get((dst, src, key))
                if directed or src == dst or not seen:
                    self._graph.add_edge(src, dst, directed, attributes)
                    single.setdefault((src, dst, key), []).append(attributes)
                elif seen.pop(0) != attributes:
                    raise self._graph.refusal(
                        0, f"edge {shown(dst)} - {shown(src)} has other attributes from its other end. Write it anew."
                    )

    def _cytoscape(self, data: _Object) -> None:
        """Reads data of Cytoscape, Cytoscape.js, and NetworkX, which has its nodes as "value"."""
        elements = data["elements"]
        if isinstance(elements, list):
            parts: dict[str, list[Any]] = {"nodes": [], "edges": []}
            for one in self._objects(elements, "elements"):
                inner = one.get("data")
                is_edge = isinstance(inner, dict) and "source" in inner and "target" in inner
                group = one.get("group") or ("edges" if is_edge else "nodes")
                if group not in ("nodes", "edges"):
                    raise self._graph.refusal(0, f"group is {shown(group)} (nodes or edges is needed). Correct it.")
                parts[group].append(one)
            elements = parts
        if not isinstance(elements, dict):
            raise self._graph.refusal(0, f"elements is {shown(elements)} (nodes and edges are needed). Write it anew.")
        nodes, edges = (
            self._objects([one.get("data") for one in self._objects(elements.get(part, []), part)], f"data of {part}")
            for part in ("nodes", "edges")
        )
        key = "value" if "multigraph" in data and all("value" in node for node in nodes) else "id"
        for k, node in enumerate(nodes):
            self._graph.add_node(self._id(node, key, f"node {k}"), self._rest(node, key))
        directed = self._graph.directed = self._truth(data, "directed", False)
        for k, edge in enumerate(edges):
            self._graph.add_edge(*self._ends(edge, k), self._truth(edge, "directed", directed), self._rest(edge))
        self._resolve()

    def _json_graph_format(self, data: _Object) -> None:
        """https://jsongraphformat.info, where edges have a direction if nothing is said."""
        graphs = [data["graph"]] if "graph" in data else data["graphs"]
        if not isinstance(graphs, list) or len(graphs) != 1 or not isinstance(graphs[0], dict):
            count = len(graphs) if isinstance(graphs, list) else 0
            raise self._graph.refusal(
                0, f"is JSON that has {count} graphs (one is needed). Keep one of them in the file."
            )
        (graph,) = graphs
        if graph.get("hyperedges"):
            raise self._graph.refusal(0, "has hyperedges (an edge has two ends). Write them as edges.")
        if not {"nodes", "edges"} & graph.keys():
            raise self._graph.refusal(0, f"is JSON, but no graph ({_FORMS}). Write it by networkx.node_link_data.")
        nodes = graph.get("nodes", [])
        if isinstance(nodes, dict):
            for one, node in nodes.items():
                self._graph.add_node(one, self._rest(node) if isinstance(node, dict) else {})
        else:
            for k, node in enumerate(self._objects(nodes, "nodes")):
                self._graph.add_node(self._id(node, "id", f"node {k}"), self._rest(node, "id"))
        directed = self._graph.directed = self._truth(graph, "directed", True)
        for k, edge in enumerate(self._objects(graph.get("edges", []), "edges")):
            self._graph.add_edge(*self._ends(edge, k), self._truth(edge, "directed", directed), self._rest(edge))
        if not nodes:
            self._graph.add_missing_nodes()

    def _objects(self, values: Any, what: str) -> list[_Object]:
        wrong = [value for value in values if not isinstance(value, dict)] if isinstance(values, list) else [values]
        if wrong:
            raise self._graph.refusal(
                0,
                f"{what} holds {shown(wrong[0])} (objects in a list are needed). Write it by networkx.node_link_data.",
            )
        return values  # type: ignore[no-any-return]

    def _ends(self, edge: _Object, k: int) -> tuple[Hashable, Hashable]:
        """The ends of an edge, which are taken out of it."""
        names = ("from", "to") if "from" in edge and "source" not in edge else ("source", "target")
        ends = [self._id(edge, name, f"edge {k}") for name in names]
        for name in names:
            del edge[name]
        return ends[0], ends[1]

    def _id(self, record: _Object, key: str, what: str) -> Hashable:
        """An id, of which lists are tuples, as NetworkX writes them."""
        one = _tuples(record.get(key))
        if one is None or isinstance(one, bool) or one != one or not _is_hashable(one):
            raise self._graph.refusal(
                0, f"{what} has {shown(record.get(key))} as {key} (an id is needed). Give it one."
            )
        return one

    def _truth(self, record: _Object, key: str, default: bool) -> bool:
        value = record.get(key, default)
        if not isinstance(value, bool) and value not in (0, 1):
            raise self._graph.refusal(0, f"{key} is {shown(value)} (true or false is needed). Correct it.")
        return bool(value)

    def _rest(self, record: _Object, key: str | None = None) -> _Object:
        """Returns the other attributes of a node or an edge, those in `attributes` or `metadata` included."""
        without = (key, "directed", "undirected")
        rest = {name: value for name, value in record.items() if name not in without}
        for inner in ("attributes", "metadata"):
            if isinstance(rest.get(inner), dict) and not rest[inner].keys() & rest.keys():
                rest |= rest.pop(inner)
        return rest


def _tuples(value: Any) -> Any:
    return tuple(_tuples(one) for one in value) if isinstance(value, list) else value


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def read_json(path: str, text: str, notes: list[str]) -> FileGraph:
    """The graph in a file of JSON."""
    return _Reader(path, notes).read(text)
