# SPDX-License-Identifier: Apache-2.0
"""Graphs from files of other programs: tables of Parquet and Arrow, and GraphML, GEXF, GML, Pajek and JSON.

=========  ==========================  =========  ====================================================================
format     endings                     read by    what it gives
=========  ==========================  =========  ====================================================================
parquet    .parquet .pq, or a folder   pyarrow    an edge for each row, as Graph.from_table
arrow      .arrow .feather .ipc        pyarrow    the same
graphml    .graphml                    Atoll      nodes, edges, their weights and attributes, by the ids of the file
gexf       .gexf                       Atoll      the same
gml        .gml                        Atoll      the same, by labels if each node has one of its own
pajek      .net .pajek .paj            Atoll      the same, by labels if no two are alike
json       .json .cyjs                 Atoll      the same: node-link data (as D3's), adjacency, Cytoscape's and others
=========  ==========================  =========  ====================================================================

Of a table each rank reads its rows, and only the columns that are needed. Of the other formats, which are read as a
whole, each rank parses all and keeps its part of the edges.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _core, errors
from ..arguments import one_of
from ..build_options import build_options
from ..collective_arguments import checked, renamed
from ..world import agreed, world_of
from .foreign import named, read_foreign
from .graph_formats.file_contents import file_bytes, text_of
from .graph_formats.file_graph import FileGraph
from .graph_formats.gexf import read_gexf
from .graph_formats.gml import read_gml
from .graph_formats.graphml import read_graphml
from .graph_formats.json_graph import read_json
from .graph_formats.pajek import read_pajek
from .graph_objects import columns_of_dicts
from .table_files import table_in_file
from .tables import merged_edges

if TYPE_CHECKING:
    from ..graph import Graph
    from ..world import World

__all__ = ["FORMATS", "FromFiles", "format_of"]

_log = logging.getLogger("atoll")

_DELIMITERS = ("\t", ",", ";", "|", " ")
_DECIMALS = (".", ",")

_ENDINGS = {
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "graphml": (".graphml",),
    "gexf": (".gexf",),
    "gml": (".gml",),
    "pajek": (".net", ".pajek", ".paj"),
    "json": (".json", ".cyjs"),
}
_TABLES = ("parquet", "arrow")
FORMATS = {
    "parquet": "a table of Parquet, or a folder of such: an edge a row; by pyarrow",
    "arrow": "a table of Arrow (Feather), or a stream of its batches: an edge a row; by pyarrow",
    "graphml": "GraphML, also with groups and default values",
    "gexf": "GEXF of Gephi, of all versions",
    "gml": "GML, with labels or without",
    "pajek": "Pajek, networks and projects of one network",
    "json": "JSON, node-link data as of D3, adjacency, Cytoscape's, graphology's or the JSON Graph Format",
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
    name = name.removesuffix(".gz").removesuffix(".bz2")
    return next((known for known, endings in _ENDINGS.items() if name.endswith(endings)), None)


def _read_whole(path: str, format: str) -> FileGraph:
    """The graph in a file that is read as a whole; an InputError says why it cannot be."""
    what = FORMATS[format].partition(",")[0]
    data = file_bytes(path)
    notes: list[str] = []

    def read() -> FileGraph:
        if format in _XML:
            return read_foreign(path, what, "the XML parser", lambda: _XML[format](path, data))
        return _TEXT[format](path, text_of(data, notes), notes)

    graph = read_foreign(path, what, "Atoll", read)
    if not graph.nodes:
        raise errors.InputError(f"{path}: has no node (a graph has one). Was it written to the end?")
    return graph


_XML: dict[str, Callable[[str, bytes], FileGraph]] = {"graphml": read_graphml, "gexf": read_gexf}
_TEXT: dict[str, Callable[[str, str, list[str]], FileGraph]] = {
    "gml": read_gml,
    "pajek": read_pajek,
    "json": read_json,
}


class FromFiles:
    """The constructor that takes a file, of the engine's own readers or of another program."""

    __slots__ = ()

    @classmethod
    @renamed(source_column="source", target_column="target", weight_column="weight")
    @checked
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str = "auto",
        directed: bool | None = None,
        weighted: bool | None = None,
        source: str | int = "",
        target: str | int = "",
        weight: str | int = "",
        names: bool | None = None,
        missing: str = "warn",
        headings: bool | None = None,
        delimiter: str | None = None,
        decimal: str | None = None,
        duplicates: str = "min",
        self_loops: str = "keep",
        partition: str = "blocked",
        heavy: int | None = None,
        fusion: bool = True,
        comm: Any = None,
        plan: dict[str, Any] | None = None,
    ) -> Graph:
        """A graph from a file, each rank reading its part. Collective.

        How an edge list was read, print(graph) says, `columns`, and the logger "atoll" at level INFO.

        Parameters
        ----------
        path : path             a file, also .gz or .zst; for Graphalytics a folder or the beginning of the
                                files' names; for Parquet also a folder of files
        format : str            "auto" goes by the first bytes and the ending; atoll.graph.file_formats() has
                                the others, of which pyarrow reads parquet and arrow
        directed : bool, optional
                                overrides what the format says
        weighted : bool, optional
                                True: a file without weights is an error; False: they are left out; None: as
                                the file has them
        source, target, weight : str or int
                                of an edge list: a column's number from 1 on, or its name in the header line; of a table
                                (Parquet, Arrow) its name; of GraphML and the like `weight` is an attribute of edges
        names : bool, optional  True: the vertices of an edge list have names; or those of any format, if a file
                                PATH.names lies beside it, as `atoll convert --names` writes. False: they are whole
                                numbers, 0012 is 12. None: names where the first lines of an edge list leave no doubt,
                                also where they have zeros in front, such as zip codes
        missing : {"warn", "drop", "error"}
                                of an edge list or a table: lines without an end, or without the weight that is taken
                                (an empty field, or NA, NaN, NULL or None without quotes): "drop" leaves them out, and
                                `columns` says how many; "warn" does the same with a warning of the logger "atoll", but
                                refuses them in an edge list without headings, as "error" does everywhere
        headings : bool, optional
                                of an edge list: whether the first line is one of headings or of counts; None: as it
                                looks
        delimiter : str, optional
                                of an edge list: "\\t", ",", ";", "|" or " " (any number of blanks); None: as the first
                                lines look (docs/formats.md)
        decimal : str, optional of an edge list: "." or ","; the other one then groups digits; None: as the first lines
                                look
        duplicates, self_loops  see from_edges
        partition, heavy, fusion, comm, plan
                                see Graph

        Raises
        ------
        InputError              as "file:line: what (why). What to do."
        IoError                 the file cannot be opened or read

        Examples
        --------
        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "roads.csv"
        >>> _ = file.write_text("from,to,km\\n10,20,1.5\\n20,30,2.5\\n")
        >>> atoll.Graph.read(file, directed=False).ids
        array([10, 20, 30])
        >>> atoll.Graph.read(file, names=True).names
        array(['10', '20', '30'], dtype=object)
        >>> _ = file.write_text("from,to,km\\nYork,Leeds,39\\nLeeds,Hull,\\n")
        >>> atoll.Graph(file, missing="drop").columns.partition("; ")[2]
        'cut by commas; directed; 1 of 2 lines left out, where an end or the weight is missing'
        """
        world = world_of(comm, plan)
        text = str(path)
        placing = f"{partition=}, {heavy=}, {fusion=}, {names=}, {missing=}, {headings=}, {delimiter=}, {decimal=}"
        call = f"read({text!r}, {format=}, {directed=}, {weighted=}, {duplicates=}, {self_loops=}, {placing})"
        with agreed(world, call):
            preparation = build_options(duplicates, self_loops, partition, heavy, fusion)
            one_of("missing", missing, ("warn", "drop", "error"))
            for option, value, known in (("delimiter", delimiter, _DELIMITERS), ("decimal", decimal, _DECIMALS)):
                if value is not None and not (isinstance(value, str) and value in known):
                    raise errors.UsageError(f"{option} is {value!r} (it is one of {known}). Give one, or leave it out.")
            foreign = format_of(text, format)
            if foreign is not None:
                told = {"headings": headings, "delimiter": delimiter, "decimal": decimal}
                for option, value in told.items():
                    if value is not None:
                        raise errors.UsageError(
                            f"{option} is {value!r} (it is for edge lists, and {text} is {foreign}). Leave it out."
                        )
                if missing == "drop" and foreign not in _TABLES:
                    raise errors.UsageError(
                        f"missing is 'drop' (it is for edge lists and tables, and {text} is {foreign}). Leave it out."
                    )
            if foreign is not None and names:
                raise errors.UsageError(
                    f"names is True (vertices of a {foreign} file have names where they are text there). Leave it out."
                )
            if foreign is None:
                ends = str(source), str(target), str(weight)
                signs = delimiter or "", decimal or ""
                choice = _core.ReadChoice(format, directed, weighted, *ends, headings, *signs, missing)
        if foreign is not None:
            columns = {
                "source": source or None,
                "target": target or None,
                "weight": weight or None,
                "weighted": weighted,
            }
            placed = {"partition": partition, "heavy": heavy, "fusion": fusion, "comm": comm, "plan": plan}
            options = {"duplicates": duplicates, "self_loops": self_loops, **placed}
            return cls._from_foreign_file(world, text, foreign, columns, missing, directed, options)
        core = _core.from_file(world, text, names, choice, preparation)
        made: Graph = cls._made(world, comm, core, partition)  # type: ignore[attr-defined]
        if isinstance(weight, str) and weight:  # by which algorithms may ask for it
            made._edge_made_by = {"weight": weight}
        if merged := merged_edges(made, duplicates, self_loops):
            made._columns = f"{made._columns}; {merged}" if made._columns else merged
            if world.rank == 0:
                _log.info("%s: %s", text, merged)
        return made

    from_file = read

    @classmethod
    def _from_foreign_file(
        cls,
        world: World,
        path: str,
        format: str,
        columns: dict[str, Any],
        missing: str,
        directed: bool | None,
        options: dict[str, Any],
    ) -> Graph:
        """`columns`: source, target, weight and weighted; `options`: of from_edges."""
        if format in _TABLES:
            with agreed(world):
                table, columns = table_in_file(path, format, world, columns)
            options = {"missing": missing, "directed": directed, **options}
            return cls.from_table(table, **columns, **options)  # type: ignore[attr-defined, no-any-return]
        with agreed(world):
            for name in ("source", "target"):
                if columns[name] is not None:
                    raise errors.UsageError(
                        f"{path}: {name} is {columns[name]!r} (columns are chosen in tables, and this is {format}). "
                        "Leave it out."
                    )
            graph = _read_whole(path, format)
            edges = graph.edges(directed)
            weight, weights = columns["weight"] or "weight", None
            if columns["weighted"] is not False:
                weight, weights = graph.weights(edges, columns["weight"])
            if columns["weighted"] and weights is None and edges.src:
                raise errors.InputError(f"{path}: no edge has the attribute {weight!r} (weighted=True). Name another.")
            attributes = columns_of_dicts(list(graph.nodes.values())), columns_of_dicts(edges.data)
        if world.rank == 0 and graph.notes:
            _log.warning("%s: %s", path, "; ".join(graph.notes))
        own = slice(world.rank, None, world.size)
        with named(path):
            return cls._from_nodes(  # type: ignore[attr-defined]
                edges.src[own],
                edges.dst[own],
                None if weights is None else weights[own],
                list(graph.nodes)[own],
                {"directed": edges.directed, **options},
                tuple({name: values[own] for name, values in columns.items()} for columns in attributes),
                weight,
            )
