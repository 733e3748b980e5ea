# SPDX-License-Identifier: Apache-2.0
"""Graphs from files that other libraries read: tables of Parquet and Arrow, and GraphML, GEXF, GML, Pajek and JSON.

=========  ==========================  =========  ====================================================================
format     endings                     read by    what it gives
=========  ==========================  =========  ====================================================================
parquet    .parquet .pq, or a folder   pyarrow    an edge for each row, as Graph.from_table
arrow      .arrow .feather .ipc        pyarrow    the same
graphml    .graphml                    NetworkX   nodes, edges and their weights, as Graph.from_networkx
gexf       .gexf                       NetworkX   the same
gml        .gml                        NetworkX   the same
pajek      .net .pajek                 NetworkX   the same
json       .json                       NetworkX   the same: node-link data (as D3's), adjacency or Cytoscape
=========  ==========================  =========  ====================================================================

Of a table each rank reads its rows, and only the columns that are needed. Of the other formats, which are read as a
whole, each rank parses all and keeps its part of the edges.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import errors
from ..world import agreed
from .frames import optional
from .graph_objects import networkx_attributes, networkx_columns
from .tables import chosen_columns

if TYPE_CHECKING:
    from ..graph import Graph
    from ..world import World

__all__ = ["FORMATS", "FromFiles", "format_of"]

_ENDINGS = {
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "graphml": (".graphml",),
    "gexf": (".gexf",),
    "gml": (".gml",),
    "pajek": (".net", ".pajek"),
    "json": (".json",),
}
_TABLES = ("parquet", "arrow")
FORMATS = {
    "parquet": "a table of Parquet, or a folder of such: an edge a row; by pyarrow",
    "arrow": "a table of Arrow (Feather), or a stream of its batches: an edge a row; by pyarrow",
    "graphml": "GraphML, by NetworkX",
    "gexf": "GEXF of Gephi, by NetworkX",
    "gml": "GML, by NetworkX",
    "pajek": "Pajek, by NetworkX",
    "json": "node-link data as of D3, adjacency or Cytoscape's JSON, by NetworkX",
}


def format_of(path: str, format: str = "auto") -> str | None:
    """Which of FORMATS a file has, by `format` or else its name; None: one that the core reads.

    >>> from atoll.interchange.graph_files import format_of
    >>> format_of("edges.parquet"), format_of("net.graphml.gz"), format_of("edges.txt")
    ('parquet', 'graphml', None)
    """
    if format != "auto":
        return format if format in FORMATS else None
    name = os.fspath(path).lower()
    if os.path.isdir(path):
        return "parquet" if next(Path(path).glob("*.parquet"), None) is not None else None
    name = name.removesuffix(".gz")
    return next((known for known, endings in _ENDINGS.items() if name.endswith(endings)), None)


def _table_in_file(path: str, format: str, world: World, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """This rank's rows as a pyarrow.Table, and which of its columns are what."""
    pyarrow = optional("pyarrow", "parquet", path)
    try:
        rows = _ParquetRows(path) if format == "parquet" else _ArrowRows(path)
        chosen = chosen_columns(rows.schema.empty_table(), **named)
        names = [chosen.source, chosen.target] + ([] if chosen.weight is None else [chosen.weight])
        first, end = (rows.count * k // world.size for k in (world.rank, world.rank + 1))
        table = rows.read(first, end, names)
    except pyarrow.ArrowInvalid as e:
        raise errors.InputError(f"{path}: is no {format} file that pyarrow reads ({e}). Was it cut off?") from None
    weighted = chosen.weight is not None
    return table, {"source": chosen.source, "target": chosen.target, "weight": chosen.weight, "weighted": weighted}


class _ParquetRows:
    """The rows of a file of Parquet, or of all in a folder, in the order of their names."""

    def __init__(self, path: str) -> None:
        import pyarrow.parquet

        files = sorted(map(str, Path(path).glob("*.parquet"))) if os.path.isdir(path) else [path]
        self._files = [pyarrow.parquet.ParquetFile(file, memory_map=True) for file in files]
        self.schema = self._files[0].schema_arrow
        for file, opened in zip(files, self._files):
            if not opened.schema_arrow.equals(self.schema):
                raise errors.InputError(
                    f"{file}: has other columns than {files[0]} (a folder is one table). Leave it out."
                )
        self._groups = [
            (opened, k, opened.metadata.row_group(k).num_rows)
            for opened in self._files
            for k in range(opened.metadata.num_row_groups)
        ]
        self.count = sum(rows for _, _, rows in self._groups)

    def read(self, first: int, end: int, names: list[str]) -> Any:
        import pyarrow

        parts = [self.schema.empty_table().select(names)]
        at = 0
        for opened, k, rows in self._groups:
            begin, stop = max(first - at, 0), min(end - at, rows)
            if begin < stop:
                parts.append(opened.read_row_group(k, columns=names).select(names).slice(begin, stop - begin))
            at += rows
        return pyarrow.concat_tables(parts)


class _ArrowRows:
    """The rows of a file of Arrow: random access (Feather) or a stream."""

    def __init__(self, path: str) -> None:
        import pyarrow

        self._path = path
        with pyarrow.memory_map(path) as file:
            self._is_file = file.read(6) == b"ARROW1"
        with self._reader() as reader:
            self.schema = reader.schema
            self.count = (
                sum(reader.get_batch(k).num_rows for k in range(reader.num_record_batches))
                if self._is_file
                else sum(batch.num_rows for batch in reader)
            )

    def _reader(self, fields: list[int] | None = None) -> Any:
        import pyarrow

        options = pyarrow.ipc.IpcReadOptions(included_fields=fields)
        open_ = pyarrow.ipc.open_file if self._is_file else pyarrow.ipc.open_stream
        return open_(pyarrow.memory_map(self._path), options=options)

    def read(self, first: int, end: int, names: list[str]) -> Any:
        with self._reader([self.schema.get_field_index(name) for name in names]) as reader:
            return reader.read_all().select(names).slice(first, end - first)


def _object_in_file(path: str, format: str) -> Any:
    """The graph of NetworkX in a file that is read as a whole; an InputError says why it cannot be."""
    networkx = optional("networkx", "networkx", path)
    try:
        return _READERS[format](networkx, path)
    except (errors.Error, OSError):
        raise
    except Exception as e:  # the parsers raise whatever they meet: of XML, of numbers, of keys
        raise errors.InputError(
            f"{path}: is no {format} file that NetworkX reads ({type(e).__name__}: {e}). Was it cut off?"
        ) from e


def _json_graph(networkx: Any, path: str) -> Any:
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8") as file:
        data = json.load(file)
    if isinstance(data, dict):
        for edges in ("edges", "links"):
            if edges in data and "nodes" in data:
                return networkx.node_link_graph(data, edges=edges)
        if "adjacency" in data and "nodes" in data:
            return networkx.adjacency_graph(data)
        if "elements" in data:
            return networkx.cytoscape_graph(data)
    raise errors.InputError(
        f"{path}: is JSON, but no graph (an object with nodes and links or edges, nodes and adjacency, or elements). "
        "Write it by networkx.node_link_data."
    )


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "graphml": lambda networkx, path: networkx.read_graphml(path),
    "gexf": lambda networkx, path: networkx.read_gexf(path),
    "gml": lambda networkx, path: networkx.read_gml(path),
    "pajek": lambda networkx, path: networkx.read_pajek(path),
    "json": _json_graph,
}


class FromFiles:
    """The constructor that takes a file which other libraries read."""

    __slots__ = ()

    @classmethod
    def _from_foreign_file(
        cls,
        world: World,
        path: str,
        format: str,
        columns: dict[str, Any],
        directed: bool | None,
        options: dict[str, Any],
    ) -> Graph:
        """`columns`: source, target, weight and weighted; `options`: of from_edges."""
        if format in _TABLES:
            with agreed(world):
                table, columns = _table_in_file(path, format, world, columns)
            directed = True if directed is None else directed
            return cls.from_table(table, **columns, directed=directed, **options)  # type: ignore[attr-defined, no-any-return]
        with agreed(world):
            for name in ("source", "target"):
                if columns[name] is not None:
                    raise errors.UsageError(
                        f"{path}: {name} is {columns[name]!r} (columns are chosen in tables, and this is {format}). "
                        "Leave it out."
                    )
            G = _object_in_file(path, format)
            weight = None if columns["weighted"] is False else columns["weight"] or "weight"
            src, dst, weights, nodes = networkx_columns(G, weight)
            attributes = networkx_attributes(G)
            if columns["weighted"] and weights is None and src:
                raise errors.InputError(f"{path}: no edge has the attribute {weight!r} (weighted=True). Name another.")
        own = slice(world.rank, None, world.size)
        return cls._from_nodes(  # type: ignore[attr-defined, no-any-return]
            src[own],
            dst[own],
            None if weights is None else weights[own],
            nodes[own],
            {"directed": G.is_directed() if directed is None else directed, **options},
            tuple({name: values[own] for name, values in columns.items()} for columns in attributes),
            weight or "weight",
        )
