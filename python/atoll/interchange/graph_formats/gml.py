# SPDX-License-Identifier: Apache-2.0
"""GML: ids without labels, text in UTF-8 or as entities, edges that repeat.

NetworkX's reader needs labels that are in ASCII and all different, and "multigraph 1" where edges repeat; igraph's
leaves out attributes that are lists.
"""

from __future__ import annotations

import re
from typing import Any

from ... import errors
from ...arguments import shown
from .file_contents import lines_of, unescaped
from .file_graph import FileGraph

__all__ = ["read_gml"]

_TOKEN = re.compile(
    r"(?P<blank>\s+|\#[^\n]*)"
    r'|"(?P<text>[^"]*)"'
    r"|(?P<bracket>[\[\]])"
    r'|(?P<word>[^\s"\[\]]+)'
)
_NUMBER = re.compile(r"[+-]?(?:\d+|(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?|INF|NAN)\Z", re.IGNORECASE)
_KEY = re.compile(r"[^\W\d]\w*\Z")

# Records are in records some five deep.
_DEEPEST = 200

# Attributes of NetworkX's, which tell a list of one value from the value.
_LIST_OF_ONE = "_networkx_list_start"


class _Record(dict[str, list[Any]]):
    """The values of keys in brackets, each maybe there several times; `line` where it begins."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


def _records(path: str, text: str) -> _Record:
    """The whole file, as keys and their values: numbers, texts and records. Without recursion, as files may nest."""
    top = _Record(1)
    open_ = [top]
    key: str | None = None
    line, counted, at = 1, 0, 0

    def refuse(what: str) -> errors.InputError:
        return errors.InputError(f"{path}:{line}: {what}")

    while at < len(text):
        token = _TOKEN.match(text, at)
        line += text.count("\n", counted, at)
        counted = at
        if token is None:
            raise refuse('a text has no closing " until the end of the file. Was it cut off? Copy it anew.')
        at = token.end()
        kind = str(token.lastgroup)
        if kind == "blank":
            continue
        word = token[kind]
        if key is None:
            if word == "]" and kind == "bracket" and len(open_) > 1:
                open_.pop()
            elif kind == "word" and _KEY.match(word):
                key = word
            else:
                raise refuse(
                    f"{shown(word)} stands where a key is needed (a name, with its value behind it). Correct it."
                )
            continue
        if kind == "bracket" and word == "[":
            if len(open_) == _DEEPEST:
                raise refuse(f"{_DEEPEST} records are in one another (no graph is so deep). Write it anew.")
            inner = _Record(line)
            open_[-1].setdefault(key, []).append(inner)
            open_.append(inner)
        elif kind == "text":
            open_[-1].setdefault(key, []).append(unescaped(word, names=True))
        elif kind == "word" and _NUMBER.match(word) and len(word) < 1000:
            open_[-1].setdefault(key, []).append(int(word) if word.lstrip("+-").isdigit() else float(word))
        else:
            raise refuse(f'{key} has the value {shown(word)} (a number, "text" or [ is needed). Put text in quotes.')
        key = None
    if len(open_) == 1 and key is not None:
        raise refuse(f"the key {shown(key)} has no value (each has one). Give it one, or is this no GML?")
    if len(open_) > 1:
        line = open_[-1].line
        raise refuse("a [ of this line has no ] until the end of the file. Was it cut off? Copy it anew.")
    return top


def _attributes(record: _Record) -> dict[str, Any]:
    """Returns attributes: a key that is there once as its value, one repeated or marked as a list as a list."""
    attributes: dict[str, Any] = {}
    for name, values in record.items():
        plain = [_attributes(value) if isinstance(value, _Record) else value for value in values]
        if plain[0] == _LIST_OF_ONE:
            attributes[name] = plain[1:]
        else:
            attributes[name] = plain if len(plain) > 1 else plain[0]
    return attributes


class _Reader:
    def __init__(self, path: str, notes: list[str]) -> None:
        self._graph = FileGraph(path, notes)

    def read(self, top: _Record) -> FileGraph:
        """The one graph of a file."""
        graphs = [value for value in top.get("graph", ()) if isinstance(value, _Record)]
        if len(graphs) != 1:
            lines = f" (in lines {', '.join(str(graph.line) for graph in graphs)})" if graphs else ""
            raise self._graph.refusal(0, f"holds {len(graphs)} graphs{lines}, and one is needed. Write one into it.")
        (graph,) = graphs
        directed = self._only(graph, "directed", "the graph", 0)
        if directed not in (0, 1):
            raise self._graph.refusal(graph.line, f"directed is {shown(directed)} (0 or 1 is needed). Correct it.")
        self._graph.directed = directed == 1
        labels = [self._node(record) for record in self._records(graph, "node")]
        for record in self._records(graph, "edge"):
            src, dst = (self._only(record, end, "an edge") for end in ("source", "target"))
            self._graph.add_edge(src, dst, directed == 1, _attributes(record), record.line)
        self._graph.check_ends()
        if any(isinstance(label, str) for label in labels):
            labels = [None if label is None else str(label) for label in labels]
        self._graph.name_by(labels, "label")
        return self._graph

    def _node(self, record: _Record) -> Any:
        """Adds a node; returns its label, or None."""
        one = self._only(record, "id", "a node")
        label = record.get("label", [None])
        named = len(label) == 1 and isinstance(label[0], (str, int, float)) and label[0] != ""
        if named:
            del record["label"]
        self._graph.add_node(one, _attributes(record), record.line)
        return label[0] if named else None

    def _records(self, graph: _Record, key: str) -> list[_Record]:
        records = graph.get(key, [])
        for value in records:
            if not isinstance(value, _Record):
                raise self._graph.refusal(graph.line, f"{key} is {shown(value)} (it is {key} [ ... ]). Correct it.")
        return records

    def _only(self, record: _Record, key: str, what: str, default: Any = None) -> Any:
        """The value of a key that is there once, which is taken out."""
        values = record.pop(key, [] if default is None else [default])
        if len(values) != 1 or isinstance(values[0], _Record):
            raise self._graph.refusal(
                record.line, f"{what} has {len(values)} values of {key} (one is needed). Correct it."
            )
        return values[0]


def read_gml(path: str, text: str, notes: list[str]) -> FileGraph:
    """The graph in a file of GML."""
    return _Reader(path, notes).read(_records(path, "\n".join(lines_of(text))))
