# SPDX-License-Identifier: Apache-2.0
"""Graphs from tables: pandas, and whatever else hands over its columns by the Arrow C stream interface."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core, errors
from ..arguments import checked, shown
from ..preparation import preparation_of
from ..world import agreed, world_of
from .columns import column, name_list, whole_weights
from .frames import optional

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["FromTables", "chosen_columns", "is_table"]

_log = logging.getLogger("atoll")


def is_table(obj: Any) -> bool:
    """Whether it is a table of pandas, or gives its columns by the Arrow C stream or the DataFrame interchange."""
    return _is_pandas(obj) or hasattr(obj, "__arrow_c_stream__") or hasattr(obj, "__dataframe__")


def _table_of(obj: Any) -> Any:
    """What has the DataFrame interchange only, as a table of pandas."""
    if _is_pandas(obj) or hasattr(obj, "__arrow_c_stream__"):
        return obj
    return optional("pandas", "pandas", "a table by __dataframe__").api.interchange.from_dataframe(obj)


def _is_pandas(obj: Any) -> bool:
    return hasattr(obj, "columns") and any(base.__module__.partition(".")[0] == "pandas" for base in type(obj).__mro__)


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
        edge_attributes: Any = False,
        vertices: Any = None,
        vertex: str | None = None,
        directed: bool = True,
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
        graph says, and the logger "atoll" at level INFO.

        Parameters
        ----------
        table : pandas.DataFrame, polars.DataFrame, pyarrow.Table, or another
                                that has `__arrow_c_stream__`, or `__dataframe__` (by pandas); pyarrow is needed by
                                none but its own
        source, target : str, optional
                                names of columns; None: "source" and "target" if there are such, else the first two
        weight : str, optional  name of a column of numbers; None: "weight" if there is such; else, of the first two
                                columns, the third if it has numbers
        weighted : bool, optional
                                True: a table without weights is an error; False: they are left out
        edge_attributes : bool or list of str
                                columns that are kept (Graph.edge_attributes): True: all; these; False: none
        vertices : table, optional
                                a row for each vertex of `table`: its other columns become Graph.vertex_attributes;
                                each rank gives a part of the rows
        vertex : str, optional  the column of `vertices` with names or ids; None: the first
        directed, duplicates, self_loops
                                see from_edges
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
        "source 'gene', target 'partner', weight 'score'"
        >>> atoll.sssp(graph, "TP53").distance.to_dict()
        {'MDM2': 0.9, 'MDM4': 1.4, 'TP53': 0.0}
        """
        world = world_of(comm, plan)
        placing = f"{partition=}, {heavy=}, {fusion=}"
        call = f"from_table({source=}, {target=}, {weight=}, {weighted=}, {directed=}, {duplicates=}, {self_loops=}"
        with agreed(world, f"{call}, {placing})"):
            preparation = preparation_of(duplicates, self_loops, partition, heavy, fusion)
            for argument, name in (("source", source), ("target", target), ("weight", weight)):
                if name is not None and not isinstance(name, str):
                    raise TypeError(f"{argument} is {shown(name)} (the name of a column, a str, is needed). Give one.")
            if not is_table(table):
                raise TypeError(
                    f"table is {shown(table)} (a table of pandas, polars or pyarrow, or another with "
                    "__arrow_c_stream__, is needed). Give one, or use from_edges."
                )
            table = _table_of(table)
            columns: _Columns = _PandasColumns(table) if _is_pandas(table) else _ArrowColumns(table)
            chosen = _chosen(columns.kinds, source, target, weight, weighted)
        with agreed(world, f"a table with {chosen}"):
            weights = None if chosen.weight is None else columns.weights(chosen.weight)
            if not chosen.named:
                ends = columns.ids(chosen.source), columns.ids(chosen.target)
        if chosen.named:
            core = columns.named_graph(world, chosen, weights, directed, preparation)
        else:
            core = (*_core.from_arrays(world, *ends, weights, directed, None, None, preparation), None, "")
        told = str(chosen)
        if world.rank == 0:
            _log.info("from_table: %s", told)
        made: Graph = cls._made(world, comm, (*core[:3], told), partition)  # type: ignore[attr-defined]
        with agreed(world):
            edge_columns = _edge_columns(table, columns.kinds, chosen, edge_attributes)
            labels, vertex_columns = _vertex_columns(vertices, vertex)
            ends = [_values(table, name) for name in (chosen.source, chosen.target)] if edge_columns else [(), ()]
        made_by = {"weight": chosen.weight or "weight", "duplicates": duplicates, "self_loops": self_loops}
        made_by |= {"heavy": heavy, "fusion": fusion}
        made._keep_attributes(*ends, labels, vertex_columns, edge_columns, made_by)
        return made


def _values(table: Any, name: str) -> np.ndarray:
    """A column as numpy has it: text as objects."""
    if _is_pandas(table):
        values = next(table[label] for label in table.columns if str(label) == name).to_numpy()
    elif hasattr(table, "get_column"):
        values = table.get_column(name).to_numpy()
    else:
        pyarrow = optional("pyarrow", "parquet", "attributes of edges")
        values = pyarrow.table(table)[name].to_numpy()
    return values.astype(object) if values.dtype.kind in "OUST" else values


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
    return {name: _values(table, name) for name in names}


def _vertex_columns(vertices: Any, vertex: str | None) -> tuple[list[Any], dict[str, np.ndarray]]:
    if vertex is not None and (vertices is None or not isinstance(vertex, str)):
        why = "it is the column of a table of vertices" if vertices is None else "the name of a column is needed"
        raise TypeError(f"vertex is {shown(vertex)} ({why}). Give vertices=, or leave it out.")
    if vertices is None:
        return [], {}
    if not is_table(vertices):
        raise TypeError(f"vertices is {shown(vertices)} (a table is needed, a row for each vertex). Give one.")
    vertices = _table_of(vertices)
    names = list((_PandasColumns(vertices) if _is_pandas(vertices) else _ArrowColumns(vertices)).kinds)
    vertex = names[0] if vertex is None else vertex
    if vertex not in names:
        there = ", ".join(map(repr, names))
        raise errors.InputError(f"vertex is {vertex!r} (the table of vertices has the columns {there}). Name one.")
    return _values(vertices, vertex).tolist(), {name: _values(vertices, name) for name in names if name != vertex}


def chosen_columns(
    table: Any, source: str | None, target: str | None, weight: str | None, weighted: bool | None
) -> _Chosen:
    """Which columns from_table takes of a table with the Arrow C stream interface."""
    return _chosen(_ArrowColumns(table).kinds, source, target, weight, weighted)


class _Chosen(NamedTuple):
    """Columns by name, and whether vertices are names."""

    source: str
    target: str
    weight: str | None
    named: bool

    def __str__(self) -> str:
        weight = "no weight" if self.weight is None else f"weight {self.weight!r}"
        return f"source {self.source!r}, target {self.target!r}, {weight}"


def _chosen(
    kinds: dict[str, str], source: str | None, target: str | None, weight: str | None, weighted: bool | None
) -> _Chosen:
    names = list(kinds)
    shown_names = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
    by_place = source is None and target is None and not {"source", "target"} <= kinds.keys()
    # By place the ends are the first two columns but for what is called weight.
    ends = [name for name in names if name not in (weight, "weight")] if by_place else ["source", "target"]
    if len(ends) < 2:
        raise errors.InputError(f"the table has the columns {shown_names} (an edge has two ends). Give both.")
    source, target = source or ends[0], target or ends[1]
    if weight is None and weighted is not False:
        third = names[2] if by_place and len(names) > 2 and kinds[names[2]] in ("ints", "reals") else None
        weight = "weight" if "weight" in kinds else third
    if weighted and weight is None:
        raise errors.InputError(f"the table has no weights (its columns: {shown_names}). Name the column: weight=...")
    if weighted is False:
        weight = None
    for argument, name in (("source", source), ("target", target), ("weight", weight)):
        if name is not None and name not in kinds:
            raise errors.InputError(f"{argument} is {name!r} (the table has the columns {shown_names}). Name one.")
    if source == target:
        raise errors.InputError(f"source and target are both {source!r} (an edge has two ends). Name two columns.")
    if weight in (source, target):
        raise errors.InputError(
            f"weight is {weight!r}, which is an end of the edges too (which is meant?). Name others."
        )
    for name in (source, target):
        if kinds[name] not in ("names", "ints"):
            raise TypeError(f"column {name!r} is {kinds[name]} (vertices are names or whole numbers). Convert it.")
    if kinds[source] != kinds[target]:
        raise TypeError(
            f"column {source!r} is {kinds[source]} and {target!r} {kinds[target]} (both are of one kind). "
            "Convert one of them."
        )
    if weight is not None and kinds[weight] not in ("ints", "reals"):
        raise TypeError(f"column {weight!r} is {kinds[weight]} (weights are numbers). Convert it, or weighted=False.")
    return _Chosen(source, target, weight, kinds[source] == "names")


class _Columns:
    """Columns of a table by name: their kinds ("names", "ints", "reals" or another), and what the core takes."""

    kinds: dict[str, str]

    def ids(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def weights(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def named_graph(self, world: Any, chosen: _Chosen, weights: Any, directed: bool, preparation: Any) -> Any:
        raise NotImplementedError


class _ArrowColumns(_Columns):
    def __init__(self, table: Any) -> None:
        self._table = _core.ArrowTable(table.__arrow_c_stream__())
        columns = self._table.columns
        self._place = {name: k for k, (name, _) in enumerate(columns)}
        self.kinds = dict(columns)
        if len(self._place) < len(columns):
            raise errors.InputError("two columns of the table have one name (which is meant?). Rename one.")

    def ids(self, name: str) -> np.ndarray:
        return self._table.ints(self._place[name])

    def weights(self, name: str) -> np.ndarray:
        if self.kinds[name] == "ints":
            return whole_weights(f"column {name!r}", self._table.ints(self._place[name]))
        reals = self._table.reals(self._place[name])
        return reals if self._table.is_wide(self._place[name]) else reals.astype(np.float32)

    def named_graph(self, world: Any, chosen: _Chosen, weights: Any, directed: bool, preparation: Any) -> Any:
        ends = self._place[chosen.source], self._place[chosen.target]
        return _core.from_arrow(world, self._table, *ends, weights, directed, preparation)


class _PandasColumns(_Columns):
    """A DataFrame as it is: its own Arrow stream would need pyarrow."""

    def __init__(self, table: Any) -> None:
        import pandas

        self._table = table
        self._types = pandas.api.types
        if not table.columns.is_unique:
            raise errors.InputError("two columns of the table have one name (which is meant?). Rename one.")
        if len({str(name) for name in table.columns}) < len(table.columns):
            raise errors.InputError("two columns of the table have one name as text (which is meant?). Rename one.")
        self.kinds = {str(name): self._kind(table[name]) for name in table.columns}
        self._label = {str(name): name for name in table.columns}

    def _kind(self, series: Any) -> str:
        if self._types.is_bool_dtype(series.dtype):
            return "bool"
        if self._types.is_integer_dtype(series.dtype):
            return "ints"
        if self._types.is_float_dtype(series.dtype):
            return "reals"
        values = series.dtype.categories if hasattr(series.dtype, "categories") else series
        text = self._types.is_string_dtype(values.dtype) or values.dtype == object
        return "names" if text else str(series.dtype)

    def _series(self, name: str) -> Any:
        series = self._table[self._label[name]]
        missing = np.flatnonzero(series.isna().to_numpy())
        if len(missing):
            raise errors.InputError(
                f"column {name!r} is missing in row {missing[0]} (an edge needs it). Drop such rows, or fill them."
            )
        return series

    def ids(self, name: str) -> np.ndarray:
        values = self._series(name).to_numpy()
        if values.dtype.kind == "u" and values.dtype.itemsize == 8 and len(values) and values.max() > _core.MAX_ID:
            raise errors.InputError(
                f"column {name!r} has {shown(values.max())} ({_core.ID_RULE}). Renumber the vertices."
            )
        return column(name, np.ascontiguousarray(values.astype(np.int64)), "id")

    def weights(self, name: str) -> np.ndarray:
        values = self._series(name).to_numpy()
        if self.kinds[name] == "ints":
            return whole_weights(f"column {name!r}", values)
        narrow = values.dtype in (np.float16, np.float32)
        return np.ascontiguousarray(values, dtype=np.float32 if narrow else np.float64)

    def named_graph(self, world: Any, chosen: _Chosen, weights: Any, directed: bool, preparation: Any) -> Any:
        with agreed(world):
            ends = [self._series(name) for name in (chosen.source, chosen.target)]
        lists = not all(getattr(end.dtype, "storage", None) == "pyarrow" for end in ends)
        if not _core.any(world, lists):  # as text in one piece, without a Python string for each end
            columns = self._table[[self._label[chosen.source], self._label[chosen.target]]]
            return _core.from_arrow(world, _ArrowColumns(columns)._table, 0, 1, weights, directed, preparation)
        with agreed(world):
            names = [name_list(name, end) for name, end in zip((chosen.source, chosen.target), ends)]
        return _core.from_name_lists(world, *names, weights, directed, [], preparation)
