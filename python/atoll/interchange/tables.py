# SPDX-License-Identifier: Apache-2.0
"""Graphs from tables: pandas, and whatever else hands over its columns by the Arrow C stream interface."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core, errors
from ..arguments import one_of, shown
from ..build_options import build_options
from ..collective_arguments import checked
from ..world import agreed, all_gather, world_of
from .frames import said_direction
from .square_tables import Matrix, graph_of_matrix
from .table_columns import (
    Columns,
    columns_of_table,
    is_table,
    table_of,
    values_of,
    with_whole_numbers,
    without_missing,
)

if TYPE_CHECKING:
    from ..graph import Graph
    from ..world import World

__all__ = ["FromTables", "chosen_columns"]

_log = logging.getLogger("atoll")


def merged_edges(graph: Graph, duplicates: str, self_loops: str) -> str:
    """How many parallel edges of its input became one, in words; empty where none did, or loops were dropped too."""
    merged = graph.report["entries"] - graph.m
    if merged <= 0 or duplicates == "keep" or self_loops != "keep":
        return ""
    remedy = "; duplicates='sum' adds their weights" if graph.weighted and duplicates != "sum" else ""
    return f"{merged} parallel edge{'' if merged == 1 else 's'} merged by {duplicates}{remedy}"


class FromTables:
    """The constructor that takes a table."""

    __slots__ = ()

    @classmethod
    @checked
    def from_table(
        cls,
        table: Any,
        *,
        source: str | None = None,
        target: str | None = None,
        weight: str | None = None,
        weighted: bool | None = None,
        missing: str = "warn",
        edge_attributes: Any = False,
        vertices: Any = None,
        vertex: str | None = None,
        directed: bool | None = None,
        duplicates: str = "min",
        self_loops: str = "keep",
        partition: str = "blocked",
        heavy: int | None = None,
        fusion: bool = True,
        comm: Any = None,
        plan: dict[str, Any] | None = None,
    ) -> Graph:
        """A graph with an edge for each row of a table. Collective: each rank gives a part of the rows, maybe none.

        Vertices are names (str, also categories), or ids (whole numbers). Which columns were taken, `columns` of the
        graph says, and the logger "atoll" at level INFO. A table of pandas whose rows have the labels of its columns is
        an adjacency matrix; what may be either is refused (docs/arrays-and-tables.md).

        Parameters
        ----------
        table : pandas.DataFrame, polars.DataFrame, pyarrow.Table, or another
                                that has `__arrow_c_stream__`, or `__dataframe__` (by pandas); pyarrow is needed by
                                none but its own
        source, target : str, optional
                                names of columns; None: those with a known heading, such as "source" and "target",
                                "src" and "dst", "head" and "tail", in any case; else the first two that are no index
        weight : str, optional  name of a column of numbers; None: one with a known heading, such as "weight"; else, of
                                the first two columns, the third if it has numbers
        weighted : bool, optional
                                True: a table without weights is an error; False: they are left out
        missing : {"warn", "drop", "error"}
                                rows in which the source, the target or the weight is missing: "drop" leaves them out,
                                and `columns` of the graph says how many; "warn" does the same with a warning of the
                                logger "atoll"
        edge_attributes : bool or list of str
                                columns that are kept (Graph.edge_attributes): True: all; these; False: none
        vertices : table, optional
                                a row for each vertex of `table`: its other columns become Graph.vertex_attributes;
                                each rank gives a part of the rows
        vertex : str, optional  the column of `vertices` with names or ids; None: the first
        directed : bool, optional
                                whether edges go one way; None: True, unless the table says otherwise, as those of
                                Graph.to_pandas(), to_arrow() and to_parquet() do
        duplicates, self_loops  see from_edges
        partition, heavy, fusion, comm, plan
                                see Graph

        Raises
        ------
        InputError              a column that is not there, a missing value, a weight that is infinite or not a number
        TypeError               columns of other types than names or whole numbers, or of one each

        Examples
        --------
        >>> import pandas
        >>> table = pandas.DataFrame({"gene": ["TP53", "MDM2"], "partner": ["MDM2", "MDM4"], "score": [0.9, 0.5]})
        >>> graph = atoll.Graph(table, directed=False)
        >>> graph.columns
        "source 'gene', target 'partner', weight 'score'; undirected"
        >>> atoll.sssp(graph, "TP53").distance.to_dict()
        {'MDM2': 0.9, 'MDM4': 1.4, 'TP53': 0.0}
        >>> table = pandas.DataFrame({"caller": ["Ann", "Bob", None], "callee": ["Bob", "Cid", "Ann"]})
        >>> atoll.Graph(table, missing="drop").columns
        "source 'caller', target 'callee', no weight; directed; 1 of 3 rows left out, where one of these is missing"
        """
        world = world_of(comm, plan)
        placing = f"{partition=}, {heavy=}, {fusion=}"
        choice = f"{source=}, {target=}, {weight=}, {weighted=}, {missing=}"
        call = f"from_table({choice}, {directed=}, {duplicates=}, {self_loops=}"
        with agreed(world, f"{call}, {placing})"):
            preparation = build_options(duplicates, self_loops, partition, heavy, fusion)
            one_of("missing", missing, ("warn", "drop", "error"))
            for argument, name in (("source", source), ("target", target), ("weight", weight)):
                if name is not None and not isinstance(name, str):
                    raise TypeError(f"{argument} is {shown(name)} (the name of a column, a str, is needed). Give one.")
            if not is_table(table):
                if hasattr(table, "collect"):
                    raise TypeError(
                        f"table is a {type(table).__qualname__} (it is not there yet). Use table.collect()."
                    )
                raise TypeError(
                    f"table is {shown(table)} (a table of pandas, polars or pyarrow, or another with "
                    "__arrow_c_stream__, is needed). Give one, or use from_edges."
                )
            if directed is None:
                directed = said_direction(table) is not False
            table = table_of(table)
            if missing != "error":
                table = with_whole_numbers(table)
            columns = columns_of_table(table)
            matrix = columns.matrix() if source is None and target is None and weight is None else None
            chosen = matrix or _chosen(columns, source, target, weight, weighted)
            rows = kept = columns.rows
            if missing != "error" and matrix is None:
                names = [name for name in chosen[:3] if name is not None]
                whole, table = table, without_missing(table, names, missing == "drop")
                if table is not whole:
                    columns = columns_of_table(table)
                    kept = columns.rows
        with agreed(world, f"a table with {chosen}, {directed=}"):
            pass
        if isinstance(chosen, Matrix):
            options = {"directed": directed, "duplicates": duplicates, "self_loops": self_loops, "partition": partition}
            options |= {"heavy": heavy, "fusion": fusion, "comm": comm, "plan": plan}
            return cls._from_matrix(world, chosen, weighted, vertices, vertex, edge_attributes, options)
        named = _core.any(world, chosen.named is True)
        filled = _core.any(world, columns.rows > 0)
        with agreed(world):
            if not filled:
                raise errors.InputError(
                    "the table has no rows (an edge is a row, and a graph has a vertex). Give one with edges, or "
                    "Graph.from_edges([], [], vertices=...)."
                )
            if named and chosen.named is False:
                raise TypeError(
                    f"column {chosen.source!r} has whole numbers here and names on another rank (vertices are of one "
                    "kind). Convert one of them."
                )
            weights = None if chosen.weight is None else columns.weights(chosen.weight)
            if not named:
                ends = columns.ids(chosen.source), columns.ids(chosen.target)
        if named:
            pair = chosen.source, chosen.target
            core = columns.named_graph(world, pair, weights, directed, preparation)
        else:
            core = (*_core.from_arrays(world, *ends, weights, directed, None, None, preparation), None, "")
        told = f"{chosen}; {'directed' if directed else 'undirected'}"
        if missing != "error":
            rows, kept = (int(all_gather(world, np.array([count])).sum()) for count in (rows, kept))
            left_out = f"{rows - kept} of {rows} rows left out, where one of these is missing"
            if missing == "drop" or kept < rows:
                told += f"; {left_out}"
            if missing == "warn" and kept < rows and world.rank == 0:
                _log.warning('from_table: %s; missing="error" refuses them', told)
        made: Graph = cls._made(world, comm, (*core[:3], told), partition)  # type: ignore[attr-defined]
        if merged := merged_edges(made, duplicates, self_loops):
            made._columns = told = f"{told}; {merged}"
        if world.rank == 0:
            _log.info("from_table: %s", told)
        with agreed(world):
            edge_columns = _edge_columns(table, columns.kinds, chosen, edge_attributes)
            labels, vertex_columns = _vertex_columns(vertices, vertex)
            ends = [values_of(table, name) for name in (chosen.source, chosen.target)] if edge_columns else [(), ()]
        made_by = {"weight": chosen.weight or "weight", "duplicates": duplicates, "self_loops": self_loops}
        made_by |= {"heavy": heavy, "fusion": fusion}
        made._keep_attributes(*ends, labels, vertex_columns, edge_columns, made_by)
        return made

    @classmethod
    def _from_matrix(
        cls,
        world: World,
        matrix: Matrix,
        weighted: bool | None,
        vertices: Any,
        vertex: str | None,
        edge_attributes: Any,
        options: dict[str, Any],
    ) -> Graph:
        with agreed(world):
            if edge_attributes not in (False, None, True):
                raise errors.UsageError(
                    f"edge_attributes is {shown(edge_attributes)} (the table is {matrix}, and none of its columns "
                    "has attributes). Leave it out."
                )
            if weighted and matrix.weight is None:
                raise errors.InputError("the matrix has no weights (its values are bool). Convert them to numbers.")
            labels, vertex_columns = _vertex_columns(vertices, vertex)
        weight = None if weighted is False else matrix.weight
        made: Graph = graph_of_matrix(cls, matrix, weight, options)
        made._columns = told = f"a matrix of {len(matrix.labels)} rows and columns"
        if world.rank == 0:
            _log.info("from_table: %s", told)
        made_by = {name: options[name] for name in ("duplicates", "self_loops", "heavy", "fusion")}
        made._keep_attributes((), (), labels, vertex_columns, {}, {"weight": "weight", **made_by})
        return made


def _edge_columns(table: Any, kinds: dict[str, str], chosen: _Chosen, wanted: Any) -> dict[str, np.ndarray]:
    if wanted is False or wanted is None:
        return {}
    names = [name for name in kinds if name not in (chosen.source, chosen.target)] if wanted is True else wanted
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"edge_attributes is {shown(wanted)} (True, or a list of columns, is needed). Give one.")
    unknown = [name for name in names if name not in kinds]
    if unknown:
        there = ", ".join(map(repr, kinds))
        raise errors.InputError(f"edge_attributes has {unknown[0]!r} (the table has the columns {there}). Name one.")
    return {name: values_of(table, name) for name in names}


def _vertex_columns(vertices: Any, vertex: str | None) -> tuple[list[Any], dict[str, np.ndarray]]:
    if vertex is not None and (vertices is None or not isinstance(vertex, str)):
        why = "it is the column of a table of vertices" if vertices is None else "the name of a column is needed"
        raise TypeError(f"vertex is {shown(vertex)} ({why}). Give vertices=, or leave it out.")
    if vertices is None:
        return [], {}
    if not is_table(vertices):
        raise TypeError(f"vertices is {shown(vertices)} (a table is needed, a row for each vertex). Give one.")
    vertices = table_of(vertices)
    names = list(columns_of_table(vertices).kinds)
    vertex = names[0] if vertex is None else vertex
    if vertex not in names:
        there = ", ".join(map(repr, names))
        raise errors.InputError(f"vertex is {vertex!r} (the table of vertices has the columns {there}). Name one.")
    return values_of(vertices, vertex).tolist(), {name: values_of(vertices, name) for name in names if name != vertex}


class _Chosen(NamedTuple):
    """Columns by name, and whether vertices are names; None: the table has no row, and its ends no type."""

    source: str
    target: str
    weight: str | None
    named: bool | None

    def __str__(self) -> str:
        weight = "no weight" if self.weight is None else f"weight {self.weight!r}"
        return f"source {self.source!r}, target {self.target!r}, {weight}"


def chosen_columns(
    table: Any, source: str | None, target: str | None, weight: str | None, weighted: bool | None, place: str
) -> _Chosen:
    """Which columns from_table takes of a table, by what C++ chooses for any; `place` is what errors begin with."""
    return _chosen(columns_of_table(table), source, target, weight, weighted, place)


def _chosen(
    columns: Columns,
    source: str | None,
    target: str | None,
    weight: str | None,
    weighted: bool | None,
    place: str = "the table",
) -> _Chosen:
    kinds = columns.kinds
    names = list(kinds)
    if len(names) < 2:
        count = f"{len(names)} column{'' if len(names) == 1 else 's'}"
        raise errors.InputError(f"{place} has {count} (an edge has two ends). Give both as columns.")
    samples = [columns.sample(name) for name in names] if source is None and target is None else []
    places = _core.choose_columns(names, list(kinds.values()), source, target, weight, weighted, place, samples)
    beyond = next((k for k in places if k is not None and k >= len(names)), None)
    if beyond is not None:
        raise errors.InputError(f"{place} has {len(names)} columns (none is the {beyond + 1}th). Name one of them.")
    source, target = names[places[0]], names[places[1]]
    weight = None if places[2] is None else names[places[2]]
    for name in (source, target):
        if kinds[name] not in ("names", "ints"):
            raise TypeError(
                f"column {name!r} is {kinds[name]} (vertices are names or whole numbers). "
                "Convert it to int64 or to text."
            )
    ends = {kinds[name] for name in (source, target) if name not in columns.untyped}
    if len(ends) > 1:
        raise TypeError(
            f"column {source!r} is {kinds[source]} and {target!r} {kinds[target]} (both are of one kind). "
            "Convert one of them."
        )
    if weight is not None and kinds[weight] not in ("ints", "reals"):
        raise TypeError(
            f"column {weight!r} is {kinds[weight]} (weights are numbers). Convert it to float64, or say weighted=False."
        )
    return _Chosen(source, target, weight, "names" in ends if ends else None)
