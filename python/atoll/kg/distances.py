# SPDX-License-Identifier: Apache-2.0
"""A built graph, opened: its distances and arcs, and the names, types and sources of its concepts in the store."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..apsp import DistanceFile
from ..apsp import open as open_distances
from ..errors import InputError, UsageError
from ..interchange.foreign import read_foreign
from .building import FORMAT, FORMS, description_file, distance_file
from .relations import RELATIONS
from .store import Store

__all__ = ["BuiltGraph", "Concept"]

_NEAREST = 5
# Keys taken from the description of a built graph, and tests of their values.
_DESCRIBED: dict[str, Callable[[Any], bool]] = {
    "form": lambda value: value in FORMS,
    "fingerprint": lambda value: isinstance(value, str),
    "unit": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1,
    "relations": lambda value: isinstance(value, list) and all(one in RELATIONS for one in value),
    "weights": lambda value: value in ("log", "unit"),
    "vertices": lambda value: isinstance(value, int),
    "edges": lambda value: isinstance(value, int),
}
log = logging.getLogger("atoll")


@dataclass(frozen=True)
class Concept:
    """A vertex of a graph of the store."""

    concept: int
    """Its number, which is its id in the distance file."""
    id: str
    name: str
    type: str

    def __str__(self) -> str:
        return f"{self.name} ({self.id})" if self.name else self.id


class BuiltGraph:
    """A graph of the store that `build` has made, opened for questions; a context manager that closes the store.

    The store, and what is computed with the graph, takes `threads`, 0: as many as there are cores.

    Raises InputError where the graph has not been built, or by another version. A store that has changed since is
    warned of, and `is_stale` is True.

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     print(graph.concept("trk7"), round(graph.length(graph.distances.distance(1, 2)), 4))
    TRK7 (GENE:900001) 2.4059
    """

    def __init__(self, folder: str | os.PathLike[str], graph: str = "literature", *, threads: int = 0) -> None:
        self.folder, self.graph, self.threads = folder, graph, threads
        self.store = Store(folder, threads=threads)
        try:
            self.store.check_graph(graph)
            self.description = _read_description(folder, graph)
            form = self.description["form"]
            self.distances: DistanceFile = open_distances(distance_file(folder, graph, form))
            if _read_description(folder, graph) != self.description:  # read again: distances and this belong together
                raise UsageError(
                    f"graph {graph} of {folder} is being built by another process. Try again when it has ended."
                )
        except BaseException:
            self.store.close()
            raise
        self.is_stale = self.description["fingerprint"] != self.store.fingerprint(graph)
        if self.is_stale:
            log.warning(
                "graph %s was built from another state of the store (something was imported since). "
                "Build it again: atoll kg build %s --graph %s.",
                graph,
                folder,
                graph,
            )

    @property
    def unit(self) -> float:
        """The length of one unit of the distances."""
        return self.description["unit"]

    def length(self, units: float) -> float:
        """Units of the distances as a length; hops stay whole numbers."""
        return units if self.unit == 1 else units * self.unit

    @cached_property
    def arcs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(offsets, targets, lengths in units) by row, int64; an undirected edge is two arcs."""
        found = self.distances.arcs
        assert found is not None  # AllPairs.save always writes them
        offsets, targets, units = found
        lengths = np.ones(len(targets), np.int64) if units is None else units.astype(np.int64)
        return offsets.astype(np.int64), targets.astype(np.int64), lengths

    def row_of(self, concept: int) -> int:
        """The row of a concept in the distances."""
        ids = self.distances.ids
        row = int(np.searchsorted(ids, concept))
        if row == len(ids) or ids[row] != concept:
            raise InputError(
                f"concept {self.concepts([concept])[0]} is not among the types that were built. Build all types."
            )
        return row

    def units_from(self, row: int) -> np.ndarray:
        """Distances from a row to all, int64 units; -1 where there is no path."""
        stored = self.distances.row(int(self.distances.ids[row]))
        return np.where(stored == self.distances.no_path, -1, stored.astype(np.int64))

    def concepts(self, numbers: Any) -> list[Concept]:
        """Concepts by number, in the order that is asked for."""
        return concepts_of(self.store, self.graph, numbers)

    def concept(self, text: str) -> Concept:
        """The concept with an id, else with a name, else with a synonym; upper and lower case of names are the same.

        Raises
        ------
        InputError              there is none, and which have the nearest names; there are several, and their ids
        """
        numbers = numbers_named(self.store, self.graph, [text])[text]
        if len(numbers) == 1:
            return self.concepts(numbers)[0]
        if numbers:
            ids = ", ".join(concept.id for concept in self.concepts(numbers[:_NEAREST]))
            raise InputError(
                f"{text!r} is the name of {len(numbers)} concepts of graph {self.graph} (ids {ids}). Give an id."
            )
        near = "; ".join(map(str, self.nearest(text)))
        raise InputError(
            f"{text!r} is no concept of graph {self.graph} (the nearest names: {near}). Give one of these or an id."
        )

    def nearest(self, text: str, most: int = _NEAREST) -> list[Concept]:
        """Concepts whose name, synonym or id is most like a text: those that contain it first, then by Jaro-Winkler."""
        rows = self.store.sql(
            "select concept from ("
            "  select concept, name from concepts where graph = $graph union all"
            "  select concept, id from concepts where graph = $graph union all"
            "  select concept, name from synonyms where graph = $graph"
            ") where name is not null and name <> '' group by concept order by "
            "max(jaro_winkler_similarity(lower(name), lower($text)) + contains(lower(name), lower($text))::integer) "
            "desc, concept limit $most",
            {"graph": self.graph, "text": text, "most": most},
        ).fetchall()
        return self.concepts([row[0] for row in rows])

    def type_named(self, text: str) -> str | None:
        """The type that a word names, in any case of letters; None where it is no type of the graph."""
        return self.store.value(
            "select distinct type from concepts where graph = ? and lower(type) = lower(?) limit 1", [self.graph, text]
        )

    def rows_of_type(self, kind: str) -> np.ndarray:
        """Rows of the concepts of a type."""
        found = self.store.sql("select concept from concepts where graph = ? and type = ?", [self.graph, kind])
        return np.flatnonzero(np.isin(self.distances.ids, found.fetchnumpy()["concept"]))

    def provenance(self, pairs: list[tuple[int, int]]) -> list[list[dict[str, Any]]]:
        """For each pair of concepts the rows of the store that join them: relation, kind, count, source, path."""
        ends = [(min(pair), max(pair)) for pair in pairs]
        rows = self.store.sql(
            "select a, b, relation, kind, count, e.source, s.path from edges e left join sources s using (source) "
            "where e.graph = ? and (a, b) in (select unnest(?::integer[]), unnest(?::integer[])) "
            "and relation in (select unnest(?::varchar[])) order by relation, kind, e.source",
            [self.graph, [a for a, _ in ends], [b for _, b in ends], self.description["relations"]],
        ).fetchall()
        found: dict[tuple[int, int], list[dict[str, Any]]] = {}
        for a, b, *rest in rows:
            found.setdefault((a, b), []).append(dict(zip(("relation", "kind", "count", "source", "file"), rest)))
        return [found.get(pair, []) for pair in ends]

    def close(self) -> None:
        """Closes the store; a second time does nothing."""
        self.store.close()

    def __enter__(self) -> BuiltGraph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def numbers_named(store: Store, graph: str, names: Sequence[str]) -> dict[str, list[int]]:
    """For each name the concepts of a graph that have it as id, or else as name, or else as synonym; ascending.

    >>> import tempfile
    >>> from atoll import kg
    >>> from atoll.kg.distances import numbers_named
    >>> with kg.Store(kg.sample_store(tempfile.mkdtemp())) as store:
    ...     numbers_named(store, "literature", ["trk7", "GENE:900001", "no such"])
    {'trk7': [1], 'GENE:900001': [1], 'no such': []}
    """
    found: dict[str, list[int]] = {name: [] for name in names}
    rows = store.sql(
        "with given as (select unnest($names::varchar[]) as name), hits as ("
        "  select g.name, 0 as place, concept from given g join concepts c on c.graph = $graph and c.id = g.name union"
        "  select g.name, 1, concept from given g join concepts c on c.graph = $graph and "
        "  lower(coalesce(c.name, c.id)) = lower(g.name)"
        "  union select g.name, 2, concept from given g join synonyms s on s.graph = $graph and "
        "  lower(s.name) = lower(g.name)"
        ") select name, concept from hits qualify place = min(place) over (partition by name) order by name, concept",
        {"names": list(found), "graph": graph},
    ).fetchall()
    for name, concept in rows:
        found[name].append(concept)
    return found


def concepts_of(store: Store, graph: str, numbers: Any) -> list[Concept]:
    """Concepts of any graph of the store by number, in the order that is asked for."""
    wanted = [int(number) for number in numbers]
    rows = store.sql(
        "select concept, id, name, type from concepts where graph = ? and concept in (select unnest(?::integer[]))",
        [graph, wanted],
    ).fetchall()
    found = {row[0]: Concept(row[0], row[1], row[2] or "", row[3] or "") for row in rows}
    return [found[number] for number in wanted]


def as_json(concept: Concept) -> dict[str, Any]:
    return dict(vars(concept))


def _read_description(folder: str | os.PathLike[str], graph: str) -> dict[str, Any]:
    file = description_file(folder, graph)
    again = f"Build it: atoll kg build {folder} --graph {graph}."
    if not file.exists():
        raise InputError(f"graph {graph} has not been built ({file} is missing). {again}")
    description = read_foreign(str(file), "JSON", "Python", lambda: json.loads(file.read_bytes()), again)
    version = description.get("format") if isinstance(description, dict) else None
    if version != FORMAT:
        raise InputError(f"{file}: has format {version} (this Atoll reads {FORMAT}). {again}")
    for key, is_right in _DESCRIBED.items():
        if not is_right(description.get(key)):
            raise InputError(f"{file}: {key} is {str(description.get(key))[:60]} (no build writes this). {again}")
    return description
