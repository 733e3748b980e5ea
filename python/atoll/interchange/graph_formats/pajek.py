# SPDX-License-Identifier: Apache-2.0
"""Pajek: networks with arcs and edges, as lines, lists or a matrix, of one or two modes, with relations; and projects.

NetworkX's reader makes one node of several with a label, and vertices of headings that it does not know; igraph's reads
an edge beside arcs as one arc, knows no relations, and leaves out what is behind an empty line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

from ...arguments import shown
from ..weights import number_in
from .file_contents import lines_of, unescaped
from .file_graph import FileGraph

__all__ = ["read_pajek"]

# A vertex needs no line of its own, so that a file of a few bytes may have many; more than these have a byte each.
_MANY_VERTICES = 1 << 20

_FIELD = re.compile(r"""\s*(?:"([^"]*)"(?=\s|$)|'([^']*)'(?=\s|$)|([^\s"]+))""")
_LEFT_OUT = ("cluster", "permutation", "hierarchy", "macro", "colors")


def _fields(line: str) -> list[str] | None:
    """The fields of a line, of which those in quotes may have blanks; None: a quote is within a word."""
    fields = []
    at, end = 0, len(line)
    while at < end:
        found = _FIELD.match(line, at)
        if found is None:
            return None
        fields.append(next(group for group in found.groups() if group is not None))
        at = found.end()
    return fields


class _Reader:
    """Takes one line after the other: headings, which begin with *, and the lines below them."""

    def __init__(self, path: str, size: int, notes: list[str]) -> None:
        self._graph = FileGraph(path, notes)
        self._most = max(_MANY_VERTICES, size)
        self._line = 0
        self._take: Callable[[str], None] | None = self._before
        self._count: int | None = None  # of vertices
        self._rows: int | None = None  # those of the first mode, if there are two
        self._vertices: dict[int, dict[str, Any]] = {}
        self._network = ""
        self._is_network = True  # else another object of a project, with vertices of its own
        self._relation: str | None = None
        self._relations: dict[str, None] = {}
        self._cells = -1  # of the matrix, that were read until now; -1: there is none
        self._columns: dict[str, list[str]] = {}  # partitions and vectors
        self._has_times = False
        self._left_out: dict[str, None] = {}

    def read(self, text: str) -> FileGraph:
        """The one network of a file, or project."""
        for self._line, line in enumerate(lines_of(text), 1):
            line = line.strip()
            if line.startswith("*"):
                self._end_matrix()
                self._heading(line)
            elif line and not line.startswith(("%", "/*")):
                if self._take is not None:
                    self._take(line)
        self._end_matrix("Was it cut off? Copy it anew.")
        return self._network_read()

    def _refuse(self, what: str) -> NoReturn:
        raise self._graph.refusal(self._line, what)

    def _words(self, line: str) -> list[str]:
        fields = _fields(line)
        if fields is None:
            self._refuse(
                f"{shown(line)} has a quote within a word. Put the text in quotes, and write &#34; for one in it."
            )
        return fields

    def _heading(self, line: str) -> None:
        fields = _fields(line[1:]) or line[1:].split()
        name, colon, rest = (fields[0] if fields else "").lower().partition(":")
        fields = [*([f":{rest}"] if colon else []), *fields[1:]]
        if name == "vertices":
            self._begin_vertices(fields)
        elif name == "network":
            self._one_network()
            self._network, self._is_network, self._take = " ".join(fields), True, self._before
        elif name in ("partition", "vector"):
            self._is_network = False
            self._column = self._columns.setdefault(" ".join(fields) or name, [])
            self._take = self._before
        elif name in _LEFT_OUT:
            self._is_network, self._take = False, None
            self._left_out[f"*{name.capitalize()}"] = None
        elif name in ("arcs", "edges", "arcslist", "edgeslist", "matrix"):
            if self._count is None or not self._is_network:
                self._refuse(f"*{name} is before *Vertices (which says how many there are). Write that first.")
            self._set_relation(fields)
            is_arc = name.startswith("arcs")
            self._graph.directed |= is_arc
            if name == "matrix":
                self._cells, self._take = 0, self._row_of_matrix
            elif name.endswith("list"):
                self._take = lambda line: self._list(line, is_arc)
            else:
                self._take = lambda line: self._edge(line, is_arc)
        else:
            self._refuse(
                f"{shown(line)} is no heading that is read (*Vertices, *Arcs, *Edges and others). Leave it out."
            )

    def _one_network(self) -> None:
        if self._count is not None:
            names = f"{shown(self._network or 'one without a name')} and that of this line"
            self._refuse(f"a second network: {names} (which is meant?). Keep one of them in the file.")

    def _begin_vertices(self, fields: list[str]) -> None:
        counts = [int(field) if field.isdecimal() and len(field) < 19 else -1 for field in fields[:2]]
        if not counts or min(counts) < 0 or (len(counts) == 2 and counts[1] > counts[0]):
            self._refuse(f"*Vertices has {shown(' '.join(fields))} (how many there are is needed). Write their number.")
        if counts[0] > self._most:
            self._refuse(
                f"*Vertices has {counts[0]} (a file of this size has at most {self._most}). Correct the number."
            )
        if not self._is_network:
            self._take = lambda line: self._column.extend(line.split())
            return
        self._one_network()
        self._count = counts[0]
        self._rows = counts[1] if len(counts) == 2 and 0 < counts[1] < counts[0] else None
        self._take = self._vertex

    def _before(self, line: str) -> None:
        self._refuse(f"{shown(line)} is before *Vertices (a net begins with that). Correct it.")

    def _vertex(self, line: str) -> None:
        fields = _fields(line)
        if fields is None:  # as NetworkX writes a label with quotes in it: up to the last quote
            found = re.match(r'(\d+)\s+"(.*)"(?=\s|$)([^"]*)$', line)
            fields = [found[1], found[2], *found[3].split()] if found else self._words(line)
        number = self._number(fields[0])
        if number in self._vertices:
            self._refuse(f"vertex {number} is there twice (each has one line). Correct its number.")
        attributes: dict[str, Any] = {}
        self._vertices[number] = attributes
        if len(fields) > 1 and fields[1]:
            attributes["label"] = unescaped(fields[1], names=False)
        rest = self._without_times(fields[2:], attributes)
        for axis in "xyz":
            place = number_in(rest[0]) if rest else None
            if isinstance(place, (int, float)):
                attributes[axis] = float(place)
                rest = rest[1:]
        if len(rest) % 2 == 1:
            attributes["shape"], *rest = rest
        self._pairs(rest, attributes)

    def _number(self, field: str) -> int:
        """The number of a vertex."""
        number = int(field) if field.isdecimal() and len(field) < 19 else 0
        if not 1 <= number <= (self._count or 0):
            self._refuse(f"{shown(field)} is no vertex (they have the numbers 1 to {self._count}). Correct it.")
        return number

    def _edge(self, line: str, is_arc: bool) -> None:
        fields = self._of_relation(self._words(line))
        if len(fields) < 2:
            self._refuse(f"{shown(line)} has one end (an edge has two). Correct it.")
        attributes = self._edge_attributes()
        rest = self._without_times(fields[2:], attributes)
        weight = number_in(rest[0]) if rest else None
        if isinstance(weight, (int, float)):
            attributes["weight"] = weight
            rest = rest[1:]
        if len(rest) % 2 == 1:
            self._refuse(f"{shown(rest[0])} is no weight (numbers are, with a point), nor has it a value. Correct it.")
        self._pairs(rest, attributes)
        self._add(self._number(fields[0]), self._number(fields[1]), is_arc, attributes)

    def _list(self, line: str, is_arc: bool) -> None:
        fields = self._of_relation(self._words(line))
        src = self._number(fields[0])
        for field in fields[1:]:
            self._add(src, self._number(field), is_arc, self._edge_attributes())

    def _row_of_matrix(self, line: str) -> None:
        rows = self._rows or self._count or 0
        columns = (self._count or 0) - (self._rows or 0)
        for field in line.split():
            row, column = divmod(self._cells, columns)
            value = number_in(field)
            if not isinstance(value, (int, float)) or row >= rows:
                why = f"{rows} x {columns} are needed" if row >= rows else "numbers are needed"
                self._refuse(f"the matrix has {shown(field)} ({why}). Correct it.")
            self._cells += 1
            if value != 0:
                attributes = {**self._edge_attributes(), "weight": value}
                self._add(row + 1, (self._rows or 0) + column + 1, self._rows is None, attributes)

    def _end_matrix(self, remedy: str = "Correct it.") -> None:
        rows, columns = self._rows or self._count or 0, (self._count or 0) - (self._rows or 0)
        if 0 <= self._cells < rows * columns:
            self._refuse(f"the matrix has {self._cells} numbers ({rows} x {columns} are needed). {remedy}")
        self._cells = -1

    def _add(self, src: int, dst: int, is_arc: bool, attributes: dict[str, Any]) -> None:
        self._graph.add_edge(src, dst, is_arc, attributes, self._line)

    def _set_relation(self, fields: list[str]) -> None:
        """From what is behind a heading: :2 "likes"."""
        numbers = [field for field in fields if field.startswith(":")]
        names = [field for field in fields if not field.startswith(":")]
        self._relation = " ".join(names) or (numbers[0].strip(": ") if numbers else None)
        if self._relation is not None:
            self._relations[self._relation] = None

    def _of_relation(self, fields: list[str]) -> list[str]:
        """The fields of a line, without the number of a relation that it may begin with: 2: 1 3."""
        if len(fields) > 1 and fields[0].endswith(":"):
            self._relation = fields[0][:-1]
            self._relations[self._relation] = None
            return fields[1:]
        return fields

    def _edge_attributes(self) -> dict[str, Any]:
        return {} if self._relation is None else {"relation": self._relation}

    def _without_times(self, fields: list[str], attributes: dict[str, Any]) -> list[str]:
        """The fields without those of times, [1-3,5], which become an attribute."""
        times = [field for field in fields if field.startswith("[") and field.endswith("]")]
        if not times:
            return fields
        self._has_times = True
        attributes["times"] = times[0]
        return [field for field in fields if field not in times]

    def _pairs(self, fields: list[str], attributes: dict[str, Any]) -> None:
        for name, value in zip(fields[::2], fields[1::2]):
            attributes.setdefault(name, value)

    def _network_read(self) -> FileGraph:
        graph, count = self._graph, self._count
        if count is None:
            raise graph.refusal(0, "has no *Vertices (a net begins with that). Is it one of Pajek?")
        numbers = range(1, count + 1)
        for number in numbers:
            graph.add_node(number, self._vertices.get(number, {}))
            if self._rows is not None:
                graph.nodes[number]["mode"] = 1 if number <= self._rows else 2
        labels = [graph.nodes[number].pop("label", None) for number in numbers]
        for name, values in self._columns.items():
            if len(values) != count:
                self._left_out[shown(name)] = None
                continue
            for attributes, value in zip(graph.nodes.values(), values):
                attributes[name] = number_in(value)
        if any(label is not None for label in labels):
            graph.name_by([label or str(number) for number, label in zip(numbers, labels)], "label")
        if len(self._relations) > 1:
            of = ", ".join(map(shown, self._relations))
            graph.notes.append(f"{len(self._relations)} relations ({of}) are read together: edges have 'relation'")
        if self._has_times:
            graph.notes.append("changes with time, and is read as one graph of all vertices and edges of any time")
        if self._left_out:
            graph.notes.append(f"{', '.join(self._left_out)} left out")
        return graph


def read_pajek(path: str, text: str, notes: list[str]) -> FileGraph:
    """The network in a file, or a project, of Pajek."""
    return _Reader(path, len(text), notes).read(text)
