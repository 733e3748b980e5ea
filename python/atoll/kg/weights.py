# SPDX-License-Identifier: Apache-2.0
"""Edges of a store as a weighted graph: any of its relations, any of its types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..arguments import one_of
from ..errors import InputError, UsageError
from .relations import RELATIONS, Edges, log_lengths, merge_parallel, shares, totals
from .store import Store

__all__ = ["OFFSET", "WEIGHTS", "WeightedEdges", "weighted_edges"]

WEIGHTS = ("log", "unit", "share")
OFFSET = 1e-6
"""Added to every -ln s: a share of 1 would otherwise give the length 0, and paths could go round in circles."""


@dataclass(frozen=True)
class WeightedEdges:
    """An undirected graph of concepts: what `atoll.Graph.from_edges` takes."""

    concepts: np.ndarray
    """int64, ascending: all of the chosen types, those without an edge too."""
    a: np.ndarray
    b: np.ndarray
    """int64 concepts, a < b; each pair once."""
    values: np.ndarray
    """float64: lengths, or with weights="share" widths."""
    relations: tuple[str, ...]
    weights: str
    duplicates: dict[str, int] = field(default_factory=dict)
    """Rows of the store that were merged: `added_up`, counts of one relation; `parallel`, edges of several."""


def default_relations(store: Store, graph: str) -> tuple[str, ...]:
    """Co-occurrences where the graph has some, as the paper's use case; else all relations that it has."""
    present = {row[0] for row in store.sql("select distinct relation from edges where graph = ?", [graph]).fetchall()}
    if "co-occurrence" in present:
        return ("co-occurrence",)
    return tuple(name for name in RELATIONS if name in present)


def weighted_edges(
    store: Store,
    *,
    graph: str = "literature",
    relations: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    weights: str | None = None,
    offset: float = OFFSET,
) -> WeightedEdges:
    """The edges of a graph of the store, with the weights of `atoll.kg.relations`.

    Parameters
    ----------
    store : Store
    graph : str
    relations : sequence of str, optional
                                of "co-occurrence", "mention", "citation", "curated"; None: co-occurrences where there
                                are some, else all that the graph has
    types : sequence of str, optional
                                only concepts of these types, and edges between them. Shares are those of the whole
                                graph. None: all
    weights : {"log", "unit", "share"}, optional
                                log: -ln(share) + offset; unit: 1; share: the share itself, a width. None: log, of
                                only curated edges unit
    offset : float              see `OFFSET`; only of "log"

    Returns
    -------
    WeightedEdges

    Raises
    ------
    InputError                  no such graph, relation or type in the store; counts that are missing

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> with kg.Store.writing(tempfile.mkdtemp()) as store:
    ...     _ = store.sql("insert into concepts values ('literature', 0, 'D1', 'disease', 'Fever', 3, 0), "
    ...                   "('literature', 1, 'C1', 'drug', 'Aspirin', 4, 0)")
    ...     _ = store.sql("insert into edges values ('literature', 0, 1, 'co-occurrence', 'DC', 2, 0), "
    ...                   "('literature', 0, 1, 'co-occurrence', 'TREATS', 1, 0)")
    ...     edges = kg.weighted_edges(store, weights="share")
    >>> edges.a, edges.b, edges.values, edges.duplicates
    (array([0]), array([1]), array([1.]), {'added_up': 1, 'parallel': 0})
    """
    store.check_graph(graph)
    chosen = tuple(relations) if relations else default_relations(store, graph)
    if not chosen:
        raise InputError(
            f"graph {graph} has no edge (there is nothing to weigh). Import edges: atoll kg import --edges FILE."
        )
    for name in chosen:
        one_of("relation", name, RELATIONS)
    if not offset >= 0 or not np.isfinite(offset):
        raise UsageError(f"offset is {offset} (it is added to lengths). Give 0 or a small number above it.")
    weights = weights or ("unit" if set(chosen) <= {"curated"} else "log")
    one_of("weights", weights, WEIGHTS)
    if weights != "unit" and "curated" in chosen:
        raise UsageError(
            f"weights is {weights!r} with curated edges (they have no share). Use 'unit', or leave out that relation."
        )

    rows = store.sql("select concept, type from concepts where graph = ? order by concept", [graph]).fetchnumpy()
    n = int(rows["concept"][-1]) + 1
    kinds = np.full(n, "", object)
    kinds[rows["concept"]] = np.ma.filled(rows["type"], "")
    kept = np.zeros(n, bool)
    kept[rows["concept"]] = True
    if types:
        kept &= _of_types(kinds, types, graph)

    parts = []
    added_up = 0
    for relation in chosen:
        edges, stored = _read(store, graph, relation)
        values = np.ones(len(edges.a))
        if weights != "unit":
            values = shares(edges, totals(edges, n), kinds == "abstract")
        if weights == "log":
            values = log_lengths(values, offset)
        inside = kept[edges.a] & kept[edges.b]
        parts.append((edges.a[inside], edges.b[inside], values[inside]))
        added_up += stored - len(edges.a)
    columns = [np.concatenate(column) for column in zip(*parts)]
    a, b, values = merge_parallel(*columns, keep="greatest" if weights == "share" else "least")
    return WeightedEdges(
        concepts=np.flatnonzero(kept),
        a=a,
        b=b,
        values=values,
        relations=chosen,
        weights=weights,
        duplicates={"added_up": added_up, "parallel": len(columns[0]) - len(a)},
    )


def _of_types(kinds: np.ndarray, types: Sequence[str], graph: str) -> np.ndarray:
    known = {str(kind).lower(): kind for kind in sorted(set(kinds.tolist()) - {""})}
    for name in types:
        if name.lower() not in known:
            there = ", ".join(map(str, known.values())) or "none"
            raise InputError(f"type {name} is not in graph {graph} (it has {there}). Choose of these.")
    return np.isin(kinds, [known[name.lower()] for name in types])


def _read(store: Store, graph: str, relation: str) -> tuple[Edges, int]:
    """A relation's edges, a row for each pair of concepts, and how many rows of the store they were."""
    columns = store.sql(
        "select a, b, sum(count)::bigint as count, count(*) as stored, min(count) as least from edges "
        "where graph = ? and relation = ? group by a, b order by a, b",
        [graph, relation],
    ).fetchnumpy()
    if not len(columns["a"]):
        there = [
            r
            for (r,) in store.sql("select distinct relation from edges where graph = ? order by 1", [graph]).fetchall()
        ]
        raise InputError(
            f"relation {relation} has no edge in graph {graph} (it has {', '.join(there) or 'none'}). "
            "Import such edges, or choose another."
        )
    count = columns["count"]
    if relation != "curated" and (np.ma.is_masked(columns["least"]) or np.ma.filled(columns["least"], 0).min() < 1):
        raise InputError(
            f"edges of relation {relation} have no count above 0 (shares are made of counts). Import them with counts."
        )
    edges = Edges(
        relation, columns["a"].astype(np.int64), columns["b"].astype(np.int64), np.ma.filled(count, 1).astype(np.int64)
    )
    return edges, int(columns["stored"].sum())
