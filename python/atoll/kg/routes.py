# SPDX-License-Identifier: Apache-2.0
"""Paths between concepts of a built graph: with names, weights, counts and sources; under constraints."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ConvergenceError, UsageError
from .distances import BuiltGraph, Concept, as_json
from .path_search import NO_PATH, Constraints, PathSearch, TimeIsUp, Walk, walk_lengths

__all__ = ["ConceptPath", "FoundPaths", "Step", "find_paths"]

_MOST_PASSES = 8  # states of a search: 2**passes for each concept


@dataclass(frozen=True)
class Step:
    """An edge of a path, in its direction."""

    source: Concept
    target: Concept
    weight: float
    """-ln(share) + offset, as it was built; 1 of hops."""
    count: int
    """Sum of the counts of `rows`."""
    rows: list[dict[str, Any]]
    """What the store has of it: relation, kind, count, source, file."""


@dataclass(frozen=True)
class ConceptPath:
    """A path: no concept twice."""

    concepts: list[Concept]
    steps: list[Step]
    weight: float
    """Sum of the steps' weights, exact in units of the built graph."""

    @property
    def hops(self) -> int:
        """Number of steps."""
        return len(self.steps)

    def to_json(self) -> dict[str, Any]:
        """Returns the values as JSON."""
        steps = [
            {"from": s.source.id, "to": s.target.id, "weight": s.weight, "count": s.count, "sources": s.rows}
            for s in self.steps
        ]
        return {
            "weight": self.weight,
            "hops": self.hops,
            "concepts": [as_json(concept) for concept in self.concepts],
            "steps": steps,
        }


@dataclass(frozen=True)
class FoundPaths:
    """The answer of `find_paths`."""

    source: Concept
    target: Concept
    paths: list[ConceptPath]
    """By ascending weight; fewer than were asked for where there are no more."""
    shorter_walk: ConceptPath | None
    """The shortest way that passes all that it must, where it visits a concept twice and so is no path; else None."""

    def to_json(self) -> dict[str, Any]:
        """Returns the values as JSON."""
        return {
            "from": as_json(self.source),
            "to": as_json(self.target),
            "paths": [path.to_json() for path in self.paths],
            "shorter_walk": None if self.shorter_walk is None else self.shorter_walk.to_json(),
        }


def find_paths(
    graph: BuiltGraph,
    source: str,
    target: str,
    *,
    k: int = 1,
    passes: Sequence[str] = (),
    avoids: Sequence[str] = (),
    max_hops: int | None = None,
    limit: float = 30.0,
) -> FoundPaths:
    """The k shortest paths between two concepts, no concept twice on one, that meet all constraints; exact.

    Without constraints one path takes microseconds from the distances; else see `atoll.kg.path_search`. A pair has the
    same path in both directions. Equally long paths come in no particular order.

    Parameters
    ----------
    graph : BuiltGraph
    source, target : str        ids or names
    k : int                     so many
    passes : sequence of str    types and concepts: for each, one such concept lies between the ends. Where the shortest
                                way that does so visits a concept twice, it is no path: the shortest path that does so
                                is found, and the way is `shorter_walk`
    avoids : sequence of str    types and concepts: none such lies between the ends
    max_hops : int, optional    at most so many edges
    limit : float               seconds, after which ConvergenceError says what has been found

    Raises
    ------
    InputError                  an unknown concept, with the nearest names
    UsageError                  constraints that contradict each other or the ends
    ConvergenceError            `limit` has passed; its `result` has the paths found by then, which are the shortest

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     for path in kg.find_paths(graph, "Velotamine", "Marden syndrome", k=2).paths:
    ...         print([c.name for c in path.concepts], [s.count for s in path.steps])
    ['Velotamine', 'TRK7', 'Marden syndrome'] [34, 57]
    ['Velotamine', 'PNN8', 'Marden syndrome'] [22, 3]
    """
    if k < 1:
        raise UsageError(f"k is {k} (a number of paths). Give 1 or more.")
    if max_hops is not None and max_hops < 1:
        raise UsageError(f"max_hops is {max_hops} (a path between two concepts has an edge). Give 1 or more.")
    if len(passes) > _MOST_PASSES:
        raise UsageError(f"{len(passes)} things to pass (a search takes {_MOST_PASSES}). Give fewer.")
    if not limit > 0:
        raise UsageError(f"limit is {limit} (seconds of a search). Give a number above 0.")
    ends = graph.concept(source), graph.concept(target)
    rows = [graph.row_of(end.concept) for end in ends]
    names = {"pass": passes, "avoid": avoids}
    sets = {verb: [_rows_of(graph, word, verb, rows) for word in words] for verb, words in names.items()}
    _refuse_contradictions(passes, sets)
    found: list[Walk] = []
    shorter: Walk | None = None
    if k == 1 and not passes and not avoids and max_hops is None:
        shortest = shortest_walk(graph, *rows)
        found += [shortest] if shortest else []
    else:
        deadline = time.monotonic() + limit
        search = _search(graph, rows, Constraints(sets["pass"], sets["avoid"], max_hops), deadline)
        try:
            for walk in itertools.islice(search.walks(), k):
                found.append(walk)
        except TimeIsUp:
            result = FoundPaths(*ends, with_names(graph, found), None)
            raise ConvergenceError(
                f"{len(found)} of {k} paths from {ends[0]} to {ends[1]} were found in {limit:g} s (what must be passed "
                "leads back over the same concepts in many ways). Ask for fewer, pass less, or give more time.",
                result,
            ) from None
        shorter = search.shorter_walk
        if shorter and found and shorter.length >= found[0].length:
            shorter = None
    paths = with_names(graph, found)
    return FoundPaths(*ends, paths, with_names(graph, [shorter])[0] if shorter else None)


def _rows_of(graph: BuiltGraph, word: str, verb: str, ends: Sequence[int]) -> np.ndarray:
    """Rows of the concepts of a type, or of one concept."""
    kind = graph.type_named(word)
    if kind is not None:
        return graph.rows_of_type(kind)
    row = graph.row_of(graph.concept(word).concept)
    if row in ends:
        raise UsageError(f"--{verb} {word} is an end of the path (constraints are on what lies between). Leave it out.")
    return np.array([row])


def _refuse_contradictions(passes: Sequence[str], sets: dict[str, list[np.ndarray]]) -> None:
    avoided = np.concatenate([np.zeros(0, np.int64), *sets["avoid"]])
    for word, rows in zip(passes, sets["pass"]):
        if np.isin(rows, avoided).all():
            raise UsageError(f"all of {word} must be passed and avoided (no path does both). Leave one out.")


def shortest_walk(graph: BuiltGraph, source: int, target: int) -> Walk | None:
    """Found from the lesser concept on, so that a pair has one path."""
    ids = graph.distances.ids
    path = graph.distances.path(int(ids[min(source, target)]), int(ids[max(source, target)]))
    if not len(path):
        return None
    rows = np.searchsorted(ids, path if source <= target else path[::-1])
    return Walk(tuple(rows.tolist()), int(graph.distances.distance(int(ids[source]), int(ids[target]))))


def _search(graph: BuiltGraph, ends: Sequence[int], constraints: Constraints, deadline: float) -> PathSearch:
    source, target = ends
    units = graph.units_from(target)  # the graph is undirected
    to_target = np.where(units < 0, NO_PATH, units)
    ids = graph.distances.ids
    through = walk_lengths(constraints.passes, to_target, lambda row: graph.distances.row(int(ids[row])))
    return PathSearch(graph.arcs, to_target, source, target, constraints, through=through, deadline=deadline)


def with_names(graph: BuiltGraph, walks: Sequence[Walk]) -> list[ConceptPath]:
    """Walks as paths of concepts, by one question to the store for all concepts and one for all edges."""
    ids = graph.distances.ids
    offsets, targets, lengths = graph.arcs
    rows = sorted({row for walk in walks for row in walk.vertices})
    concepts = dict(zip(rows, graph.concepts(ids[rows])))
    pairs = [pair for walk in walks for pair in zip(walk.vertices, walk.vertices[1:])]
    sources = dict(zip(pairs, graph.provenance([(int(ids[a]), int(ids[b])) for a, b in pairs])))

    def step(a: int, b: int) -> Step:
        place = offsets[a] + np.searchsorted(targets[offsets[a] : offsets[a + 1]], b)
        kept = sources[a, b]
        count = sum(row["count"] or 0 for row in kept)
        return Step(concepts[a], concepts[b], graph.length(int(lengths[place])), count, kept)

    return [
        ConceptPath(
            [concepts[row] for row in walk.vertices],
            [step(a, b) for a, b in zip(walk.vertices, walk.vertices[1:])],
            graph.length(walk.length),
        )
        for walk in walks
    ]
