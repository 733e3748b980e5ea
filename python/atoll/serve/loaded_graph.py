# SPDX-License-Identifier: Apache-2.0
"""A built graph whose names, edges and mappings are in memory, so that no question goes to the store."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..kg import BuiltGraph, Concept, CuratedSide
from ..kg.building import description_file
from ..kg.distances import as_json
from .concepts import Concepts, NamedConcepts
from .edge_rows import EdgeRows
from .mapped_memory import MappedMemory

__all__ = ["AmbiguousConcept", "LoadedGraph", "UnknownConcept", "UnknownType"]

_NEAREST = 5


class UnknownConcept(InputError):
    """No concept has this id or name; `nearest` have names like it."""

    def __init__(self, message: str, nearest: list[Concept]) -> None:
        super().__init__(message)
        self.nearest = nearest


class AmbiguousConcept(InputError):
    """Several concepts have this name: `candidates`."""

    def __init__(self, message: str, candidates: list[Concept]) -> None:
        super().__init__(message)
        self.candidates = candidates


class UnknownType(InputError):
    """No concept has this type."""


class LoadedGraph(BuiltGraph):
    """A `BuiltGraph` that any number of threads may ask: it only reads arrays and the mapped distances.

    Raises what `BuiltGraph` raises. Where the store has no graph `curated`, or maps nothing to it, `curated` is None,
    and `no_curated` says why.

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> from atoll.serve.loaded_graph import LoadedGraph
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> graph = LoadedGraph(folder)
    >>> [step.count for step in kg.find_paths(graph, "velotamine", "GENE:900001").paths[0].steps]
    [34]
    >>> [concept.name for concept in graph.nearest("velotamin")][0]
    'Velotamine'
    """

    def __init__(self, folder: str | os.PathLike[str], graph: str = "literature", *, curated: str = "curated") -> None:
        super().__init__(folder, graph)
        self._state = _state_of(description_file(folder, graph))
        with self.store:
            self.store.sql("set threads = 1")  # each thread of a database keeps memory
            degrees = np.diff(self.arcs[0])
            self.named = NamedConcepts(self.store, graph, self.distances.ids, degrees)
            self.edge_rows = EdgeRows(self.store, graph, self.description["relations"])
            self.curated: CuratedSide | None = None
            self.curated_concepts: Concepts | None = None
            self.no_curated = ""
            try:
                self.curated = CuratedSide(self, curated)
                self.curated_concepts = Concepts(self.store, curated)
            except InputError as e:
                self.no_curated = str(e)
        first = int(self.distances.ids[0])
        self.distances.path(first, first)  # maps the file, and turns the arcs round once
        self.memory = MappedMemory(self.distances.name)

    def concepts(self, numbers: Any) -> list[Concept]:
        """Concepts by number, in the order that is asked for."""
        found = self.named
        return [found.at(found.place_of(int(number))) for number in numbers]

    def concept(self, text: str) -> Concept:
        """The concept with an id, else with a name, else with a synonym.

        Raises
        ------
        UnknownConcept          there is none: has the nearest
        AmbiguousConcept        there are several: has some
        """
        places = self.named.named(text)
        if len(places) == 1:
            return self.named.at(places[0])
        if len(places):
            some = self.named.all_at(places[:_NEAREST])
            ids = ", ".join(concept.id for concept in some)
            raise AmbiguousConcept(
                f"{text!r} is the name of {len(places)} concepts of graph {self.graph} (ids {ids}). Give an id.", some
            )
        near = self.nearest(text)
        names = "; ".join(map(str, near)) or "there is none alike"
        raise UnknownConcept(
            f"{text!r} is no concept of graph {self.graph} (the nearest names: {names}). Give one of these or an id.",
            near,
        )

    def search(self, text: str, kind: str | None) -> np.ndarray:
        """Places in `named` of the concepts whose names have all words of a text, of a type, the best first.

        Without words, all by descending degree.
        """
        found = self.named.index.containing(text) if text.strip() else np.argsort(-self.named.weights, kind="stable")
        return found if kind is None else found[self.named.type[found] == self._type_place(kind)]

    def neighbours(self, of: Concept, kind: str | None, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
        """(how many there are, a part of them as JSON): concepts that an edge joins to one, the nearest first."""
        row = self.row_of(of.concept)
        offsets, targets, lengths = self.arcs
        span = slice(offsets[row], offsets[row + 1])
        near = np.stack([lengths[span], targets[span]])
        if kind is not None:
            places = np.searchsorted(self.named.numbers, self.distances.ids[near[1]])
            near = near[:, self.named.type[places] == self._type_place(kind)]
        near = near[:, np.lexsort(near[::-1])]
        found = []
        for length, target in near[:, offset : offset + limit].T.tolist():
            concept = self.concepts([self.distances.ids[target]])[0]
            sources = self.edge_rows.between(of.concept, concept.concept)
            count = sum(source["count"] or 0 for source in sources)
            found.append({**as_json(concept), "weight": self.length(length), "count": count, "sources": sources})
        return near.shape[1], found

    def _type_place(self, kind: str) -> int:
        known = self.type_named(kind)
        if known is None:
            there = ", ".join(kind for kind in self.named.types if kind) or "none"
            raise UnknownType(f"type {kind!r} is not in graph {self.graph} (it has {there}). Choose of these.")
        return self.named.types.index(known)

    def is_replaced(self) -> bool:
        """Whether the graph was built anew since it was opened, or is gone."""
        return _state_of(description_file(self.folder, self.graph)) != self._state

    def nearest(self, text: str, most: int = _NEAREST) -> list[Concept]:
        """Concepts whose name, synonym or id is most like a text."""
        return self.named.all_at(self.named.index.nearest(text, most))

    def type_named(self, text: str) -> str | None:
        """The type that a word names, in any case of letters; None where it is no type of the graph."""
        return self.named.type_named(text)

    def rows_of_type(self, kind: str) -> np.ndarray:
        """Rows of the concepts of a type."""
        found = self.named
        numbers = found.numbers[found.type == found.types.index(kind)]
        return np.flatnonzero(np.isin(self.distances.ids, numbers))

    def provenance(self, pairs: list[tuple[int, int]]) -> list[list[dict[str, Any]]]:
        """For each pair of concepts the rows that join them: relation, kind, count, source, file."""
        return [self.edge_rows.between(a, b) for a, b in pairs]


def _state_of(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
