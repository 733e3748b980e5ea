# SPDX-License-Identifier: Apache-2.0
"""A graph as the reader of a file found it: nodes by the file's ids, edges, and attributes of both."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from ... import errors
from ...arguments import shown
from ..weights import checked_weights, number_in

__all__ = ["Edges", "FileGraph", "named_twice"]


class Edges(NamedTuple):
    """The edges of a file as columns."""

    src: list[Any]
    dst: list[Any]
    data: list[dict[str, Any]]
    lines: list[int]  # 0 where none is known
    directed: bool


class FileGraph:
    """Nodes and edges in the order of the file.

    Nodes are told by the file's ids, as no two have one; `label` may give them better names. `notes` has what was
    assumed, or could not be kept, for one warning. `directed` is for a file without edges: those say it themselves.
    """

    __slots__ = ("directed", "dst", "edge_data", "edge_lines", "is_arc", "nodes", "notes", "path", "src")

    def __init__(self, path: str, notes: list[str] | None = None) -> None:
        self.path = path
        self.notes: list[str] = [] if notes is None else notes
        self.nodes: dict[Hashable, dict[str, Any]] = {}
        self.directed = False
        self.src: list[Any] = []
        self.dst: list[Any] = []
        self.is_arc: list[bool] = []
        self.edge_data: list[dict[str, Any]] = []
        self.edge_lines: list[int] = []

    def refusal(self, line: int, what: str) -> errors.InputError:
        """The error about a line, or with 0 about the file."""
        return errors.InputError(f"{self.path}:{line}: {what}" if line else f"{self.path}: {what}")

    def add_node(self, one: Hashable, data: dict[str, Any], line: int = 0) -> None:
        """A node with an id that no other has."""
        if one in self.nodes:
            raise self.refusal(line, f"node {shown(one)} is there twice (an id is of one node). Give each its own.")
        self.nodes[one] = data

    def add_edge(self, src: Hashable, dst: Hashable, is_arc: bool, data: dict[str, Any], line: int = 0) -> None:
        """An edge, or an arc from src to dst; either may come before its nodes."""
        self.src.append(src)
        self.dst.append(dst)
        self.is_arc.append(is_arc)
        self.edge_data.append(data)
        self.edge_lines.append(line)

    def add_missing_nodes(self) -> None:
        """Makes nodes of the ends of edges: of a file that lists none."""
        for ends in zip(self.src, self.dst):
            for one in ends:
                self.nodes.setdefault(one, {})

    def check_ends(self) -> None:
        """Refuses an edge that ends at no node."""
        for k, ends in enumerate(zip(self.src, self.dst)):
            for one in ends:
                if one not in self.nodes:
                    raise self.refusal(
                        self.edge_lines[k],
                        f"edge {k} ends at {shown(one)} (no node has this id). Add the node, or correct the end.",
                    )

    def name_by(self, labels: list[Any], called: str) -> None:
        """Names the nodes, in their order, by labels; None: one has none. Or keeps the ids, and notes why.

        The labels stay with the nodes as an attribute `called` where they do not name them.
        """
        there = [label for label in labels if label is not None]
        if not there:
            return
        twice = named_twice(there)
        if len(there) == len(labels) and twice is None:
            of = dict(zip(self.nodes, labels))
            self.nodes = dict(zip(labels, self.nodes.values()))
            self.src = [of[one] for one in self.src]
            self.dst = [of[one] for one in self.dst]
            return
        for data, label in zip(self.nodes.values(), labels):
            if label is not None:
                data[called] = label
        why = f"several nodes have the {called} {shown(twice)}" if twice is not None else f"some nodes have no {called}"
        self.notes.append(
            f"{why}: nodes are named by their ids, and the {called} is the vertices' attribute {called!r}"
        )

    def edges(self, directed: bool | None) -> Edges:
        """The edges, directed or not as is said, or as the file has them.

        Where it has both kinds the graph is directed, with an undirected edge as an arc each way.
        """
        if directed is not False and any(self.is_arc) and not all(self.is_arc):
            return self._both_ways()
        if directed is None:
            directed = self.is_arc[0] if self.is_arc else self.directed
        return Edges(self.src, self.dst, self.edge_data, self.edge_lines, directed)

    def _both_ways(self) -> Edges:
        made = Edges([], [], [], [], True)
        for src, dst, is_arc, data, line in zip(self.src, self.dst, self.is_arc, self.edge_data, self.edge_lines):
            for u, v in ((src, dst),) if is_arc or src == dst else ((src, dst), (dst, src)):
                made.src.append(u)
                made.dst.append(v)
                made.data.append(data)
                made.lines.append(line)
        return made

    def weights(self, edges: Edges, name: str | None) -> tuple[str, list[Any] | None]:
        """The attribute that is the edges' weight, and its values, 1 where an edge has none; None: no edge has it.

        Text that is a number is one. None as the name: "weight", in capitals too; "value", as others call it, is said.
        """
        found = {key for data in edges.data for key in data}
        if name is None:
            alike = sorted(key for key in found if key.casefold() == "weight")
            if len(alike) > 1 and "weight" not in alike:
                raise self.refusal(0, f"edges have the weights {' and '.join(alike)} (one is needed). Say weight=.")
            name = "weight" if len(alike) != 1 else alike[0]
            if not alike and "value" in found:
                self.notes.append("has no weights (if the edges' attribute 'value' is one, say weight='value')")
        elif name not in found and edges.data:
            there = ", ".join(map(repr, sorted(found))) or "none"
            raise self.refusal(0, f"weight is {shown(name)} (edges have the attributes {there}). Name one of them.")
        if name not in found:
            return name, None
        for data in edges.data:
            if isinstance(data.get(name), str):
                data[name] = number_in(data[name])
        values = [data.get(name, 1) for data in edges.data]

        def where(k: int) -> str:
            at = f"{self.path}:{edges.lines[k]}" if edges.lines[k] else self.path
            return f"{at}: edge {shown(edges.src[k])} - {shown(edges.dst[k])}"

        return name, checked_weights(values, name, where, errors.InputError)


def named_twice(names: list[Any]) -> Any:
    """The first that is there a second time; None: each is there once."""
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
