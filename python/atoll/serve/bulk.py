# SPDX-License-Identifier: Apache-2.0
"""Distances or paths of many pairs, a part at a time: lines of CSV, or batches of Arrow's stream format."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..kg import Concept
from ..kg.routes import shortest_walk
from .loaded_graph import LoadedGraph

__all__ = ["COLUMNS", "MEDIA_TYPES", "parts"]

COLUMNS = {
    "distances": ("from", "to", "distance"),
    "paths": ("from", "to", "distance", "hops", "path"),
}
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "arrow": "application/vnd.apache.arrow.stream"}
_PART = {"distances": 2048, "paths": 128}  # pairs: a few milliseconds of a thread
Pairs = Sequence[tuple[Concept, Concept]]
Row = tuple[Any, ...]


def parts(graph: LoadedGraph, pairs: Pairs, what: str, form: str) -> Iterator[Callable[[], bytes]]:
    """Calls that compute the answer's parts, in order. A cell that is empty, or null, says that there is no path.

    The cells of `path` have the ids of the concepts on it, joined by `|`.

    >>> import tempfile
    >>> from atoll import kg
    >>> from atoll.serve.loaded_graph import LoadedGraph
    >>> from atoll.serve.bulk import parts
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> graph = LoadedGraph(folder)
    >>> pair = graph.concept("Velotamine"), graph.concept("Marden syndrome")
    >>> lines = b"".join(part() for part in parts(graph, [pair], "paths", "csv")).decode().splitlines()
    >>> lines[0], lines[1].split(",")[-1]
    ('from,to,distance,hops,path', 'MESH:C900002|GENE:900001|MESH:D900000')
    """
    write = _Csv(COLUMNS[what]) if form == "csv" else _Arrow(COLUMNS[what])
    step = _PART[what]

    def part(first: int) -> bytes:
        rows = [_row(graph, a, b, what) for a, b in pairs[first : first + step]]
        graph.memory.trim()
        return write.rows(rows)

    yield write.begin
    for first in range(0, len(pairs), step):
        yield lambda first=first: part(first)
    yield write.end


def _row(graph: LoadedGraph, a: Concept, b: Concept, what: str) -> Row:
    rows = graph.row_of(a.concept), graph.row_of(b.concept)
    if what == "distances":
        units = graph.distances.distance(a.concept, b.concept)
        return a.id, b.id, None if units == float("inf") else graph.length(units)
    walk = shortest_walk(graph, *rows)
    if walk is None:
        return a.id, b.id, None, None, None
    on_it = graph.concepts(graph.distances.ids[list(walk.vertices)])
    return a.id, b.id, graph.length(walk.length), len(on_it) - 1, "|".join(concept.id for concept in on_it)


class _Csv:
    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns

    def begin(self) -> bytes:
        return self.rows([tuple(self._columns)])

    def rows(self, rows: Sequence[Row]) -> bytes:
        text = io.StringIO()
        csv.writer(text).writerows(rows)
        return text.getvalue().encode()

    def end(self) -> bytes:
        return b""


class _Arrow:
    def __init__(self, columns: Sequence[str]) -> None:
        import pyarrow

        self._arrow = pyarrow
        types = {"distance": pyarrow.float64(), "hops": pyarrow.int32()}
        self._schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in columns])
        self._sink = io.BytesIO()
        self._writer = pyarrow.ipc.new_stream(self._sink, self._schema)

    def _taken(self) -> bytes:
        taken = self._sink.getvalue()
        self._sink.seek(0)
        self._sink.truncate()
        return taken

    def begin(self) -> bytes:
        return self._taken()

    def rows(self, rows: Sequence[Row]) -> bytes:
        columns = [self._arrow.array(column, field.type) for column, field in zip(zip(*rows), self._schema)]
        self._writer.write_batch(self._arrow.record_batch(columns, schema=self._schema))
        return self._taken()

    def end(self) -> bytes:
        self._writer.close()
        return self._taken()
