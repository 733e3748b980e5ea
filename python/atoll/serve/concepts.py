# SPDX-License-Identifier: Apache-2.0
"""All concepts of a graph of the store, read once: by number, id, name and type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..kg import Concept, Store
from .names import NameIndex, Texts, folded

__all__ = ["Concepts", "NamedConcepts"]

_ROWS = 4096  # of a query at a time, so that few objects of Python are there at once


class Concepts:
    """Concepts of a graph, ascending by number; a place is an index into them.

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> from atoll.serve.concepts import Concepts
    >>> with kg.Store.writing(tempfile.mkdtemp()) as store:
    ...     _ = store.sql("insert into concepts values ('literature', 4, 'D1', 'disease', 'Fever', 3, 0)")
    ...     concepts = Concepts(store, "literature")
    >>> concepts.at(0), concepts.place_of(4)
    (Concept(concept=4, id='D1', name='Fever', type='disease'), 0)
    """

    def __init__(self, store: Store, graph: str) -> None:
        self.ids, self.names = Texts(), Texts()
        numbers, types = [], []
        places: dict[str, int] = {}
        query = "select concept, id, name, type from concepts where graph = ? order by concept"
        for number, id_, name, kind in _rows(store, query, graph):
            numbers.append(number)
            self.ids.append(id_)
            self.names.append(name or "")
            types.append(places.setdefault(kind or "", len(places)))
        self.numbers = np.array(numbers, np.int64)
        self._is_dense = bool(numbers) and numbers[-1] == len(numbers) - 1
        self.types = list(places)
        self.type = np.array(types, np.int32)
        """[place] of its type in `types`."""

    def __len__(self) -> int:
        return len(self.numbers)

    def place_of(self, number: int) -> int:
        """Returns the index of the concept with this number, which must exist."""
        return number if self._is_dense else int(self.numbers.searchsorted(number))

    def at(self, place: int) -> Concept:
        """The concept at a place."""
        kind = self.types[self.type[place]]
        return Concept(int(self.numbers[place]), self.ids[place], self.names[place], kind)

    def all_at(self, places: Iterable[int]) -> list[Concept]:
        """Concepts at places, in their order."""
        return [self.at(place) for place in places]


class NamedConcepts(Concepts):
    """Concepts that are found by their ids, names and synonyms.

    Parameters
    ----------
    store, graph
    vertices, weights : arrays  numbers of concepts, and what makes one of them come before others that match as well

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from atoll import kg
    >>> from atoll.serve.concepts import NamedConcepts
    >>> with kg.Store(kg.sample_store(tempfile.mkdtemp())) as store:
    ...     found = NamedConcepts(store, "literature", np.arange(61), np.ones(61))
    >>> [str(found.at(place)) for place in found.named("ms1")], found.type_named("Gene")
    (['Marden syndrome (MESH:D900000)'], 'gene')
    """

    def __init__(self, store: Store, graph: str, vertices: np.ndarray, weights: np.ndarray) -> None:
        super().__init__(store, graph)
        self.weights = np.zeros(len(self))
        self.weights[np.searchsorted(self.numbers, vertices)] = weights
        self.index = NameIndex(self._lines(store, graph), self.weights)

    def _lines(self, store: Store, graph: str) -> Iterator[tuple[str, int]]:
        for texts in (self.ids, self.names):
            for place in range(len(self)):
                yield texts[place], place
        for name, number in _rows(store, "select name, concept from synonyms where graph = ?", graph):
            yield name or "", self.place_of(number)

    def named(self, text: str) -> list[int]:
        """Places of the concept with an id, else of those with a name, else of those with a synonym."""
        places = self.index.exactly(text)
        wanted = folded(text)
        by_id = [place for place in places if self.ids[place] == text]
        return by_id or [place for place in places if folded(self.names[place]) == wanted] or places

    def type_named(self, text: str) -> str | None:
        """The type that a word names, in any case of letters."""
        return next((kind for kind in self.types if kind and kind.lower() == text.lower()), None)


def _rows(store: Store, query: str, graph: str) -> Iterator[tuple]:
    found = store.sql(query, [graph])
    while rows := found.fetchmany(_ROWS):
        yield from rows
