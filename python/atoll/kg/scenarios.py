# SPDX-License-Identifier: Apache-2.0
"""Shortest paths of the literature held against a curated graph: the four scenarios of the COAST paper (Table VI).

========  ====================================================================================================
scenario  the literature's shortest path between two concepts
========  ====================================================================================================
1         has counterparts of all its concepts in the curated graph, and all its edges are there
2a        all its concepts have counterparts, some of its edges are there
2b        all its concepts have counterparts, none of its edges is there
3a        some concepts have none: with these left out, all edges of the collapsed path are there
3b        the same, some edges are there
3c        the same, no edge is there
4         does not exist, but the curated graph has a path between counterparts
neither   does not exist, nor does a curated path
========  ====================================================================================================

The paper leaves open when an edge "is there". Two readings:

- "edge" (the default): a curated edge joins any counterpart of one concept and any of the other.
- "shortest": the curated edge also lies, in its direction, on a shortest path of the curated graph between the ends'
  nearest counterparts, on any one of several that are equally long; and of 1 and 3a the whole path is as long as that.

Two concepts with one counterpart in common have no curated edge for it. Ends are always mapped.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import one_of
from ..errors import InputError, UsageError
from ..progress import Progress
from .curated_side import CuratedSide
from .distances import BuiltGraph
from .shortest_path_trees import ShortestPathTrees

__all__ = ["READINGS", "SCENARIOS", "PairScenarios", "classify", "co_occurring"]

SCENARIOS = ("1", "2a", "2b", "3a", "3b", "3c", "4", "neither")
READINGS = ("edge", "shortest")
_LINKED, _NEITHER = SCENARIOS.index("4"), SCENARIOS.index("neither")


@dataclass(frozen=True)
class PairScenarios:
    """The scenario of every pair among some concepts, under one reading.

    >>> import numpy as np
    >>> from atoll.kg import PairScenarios
    >>> codes, hops, found = np.array([0, 2, 0], np.uint8), np.array([1, 1, 2]), np.array([1, 0, 2])
    >>> table = PairScenarios("edge", np.array([4, 7, 9]), codes, hops, found)
    >>> table.counts["1"], table.pairs(table.numbers_of("2b", 5))
    (2, (array([4]), array([9])))
    """

    reading: str
    concepts: np.ndarray
    """int64, ascending: numbers of the literature graph. Pairs are (0, 1), (0, 2), ..., (1, 2), ... of them."""
    code: np.ndarray
    """uint8, by pair: the place of its scenario in `SCENARIOS`."""
    hops: np.ndarray
    """uint16 or uint32: edges of the collapsed path; 0 where there is none."""
    found: np.ndarray
    """The same type: how many of these are there."""

    @property
    def counts(self) -> dict[str, int]:
        """Pairs by scenario: the bars of the paper's Figure 10."""
        return dict(zip(SCENARIOS, np.bincount(self.code, minlength=len(SCENARIOS)).tolist()))

    def pairs(self, which: Any = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """(a, b): concepts of the pairs numbered `which`, an array or slice."""
        n = len(self.concepts)
        numbers = np.arange(len(self.code))[which]
        starts = np.concatenate([[0], np.cumsum(np.arange(n - 1, 0, -1))])
        a = np.searchsorted(starts, numbers, side="right") - 1
        return self.concepts[a], self.concepts[numbers - starts[a] + a + 1]

    def numbers_of(self, scenario: str, most: int) -> np.ndarray:
        """The first pairs of a scenario, by number."""
        one_of("scenario", scenario, SCENARIOS)
        return np.flatnonzero(self.code == SCENARIOS.index(scenario))[:most]


def co_occurring(graph: BuiltGraph, concept: int, top: int, mapped: np.ndarray) -> np.ndarray:
    """A concept and the `top` mapped ones with which it occurs most often, ascending by number.

    By the sum of the counts of the edges between the two; of equal sums the lesser number first. Fewer, where it has
    not so many neighbours.

    Parameters
    ----------
    graph : BuiltGraph
    concept : int               its number
    top : int                   1 or more
    mapped : array of int64     numbers of the concepts that have counterparts, ascending: `CuratedSide.concepts`

    Returns
    -------
    ndarray of int64

    Raises
    ------
    InputError                  the concept is not among `mapped`

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     trk7 = graph.concept("TRK7").concept
    ...     kg.co_occurring(graph, trk7, 3, kg.CuratedSide(graph, "curated").concepts)
    array([0, 1, 2, 9])
    """
    if top < 1:
        raise UsageError(f"top is {top} (a number of concepts). Give 1 or more.")
    if concept not in mapped:
        raise InputError(
            f"{graph.concepts([concept])[0]} has no counterpart (a scenario needs mapped ends). Choose another."
        )
    rows = graph.store.sql(
        "select case when a = $concept then b else a end as other, sum(count) as total from edges "
        "where graph = $graph and (a = $concept or b = $concept) "
        "and relation in (select unnest($relations::varchar[])) group by other order by total desc, other",
        {"graph": graph.graph, "concept": concept, "relations": graph.description["relations"]},
    ).fetchnumpy()["other"]
    others = rows[np.isin(rows, mapped)][:top]
    return np.sort(np.append(others, concept)).astype(np.int64)


def classify(
    graph: BuiltGraph,
    curated: CuratedSide,
    concepts: np.ndarray | None = None,
    *,
    readings: Sequence[str] = ("edge",),
    threads: int = 0,
    quiet: bool = True,
) -> list[PairScenarios]:
    """The scenarios of all pairs among mapped concepts, under each of `readings`.

    A tree of shortest paths from each concept, by whole arrays (`ShortestPathTrees`); threads share the concepts.
    The path of a pair is that from its lesser concept.

    Parameters
    ----------
    graph : BuiltGraph          of the literature
    curated : CuratedSide       of the same graph
    concepts : array of int64, optional
                                numbers of mapped concepts, ascending; None: all of them
    readings : sequence of {"edge", "shortest"}
    threads : int               0: the cores that this process may use
    quiet : bool                False: say on stderr how many concepts are done, if it takes long

    Raises
    ------
    InputError                  a concept without counterpart

    Examples
    --------
    A disease, a gene and a drug of the sample: the edge of the last two is curated.

    >>> import tempfile
    >>> from atoll import kg
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     [table] = kg.classify(graph, kg.CuratedSide(graph, "curated"), np.array([0, 1, 2]))
    >>> {scenario: count for scenario, count in table.counts.items() if count}
    {'1': 1, '2a': 1, '2b': 1}
    """
    for reading in readings:
        one_of("reading", reading, READINGS)
    if threads < 0:
        raise UsageError(f"threads is {threads} (0 takes the cores there are). Give 0 or more.")
    chosen = np.arange(len(curated.concepts))
    if concepts is not None:
        chosen = np.searchsorted(curated.concepts, concepts)
        wrong = curated.concepts[np.minimum(chosen, len(curated.concepts) - 1)] != concepts
        if wrong.any():
            raise InputError(
                f"{graph.concepts(np.asarray(concepts)[wrong][:1])[0]} has no counterpart (a scenario needs mapped "
                "ends). Leave it out."
            )
    far = curated.distances(chosen.tolist()) if "shortest" in readings else None
    judge = _Judge(curated, ShortestPathTrees(graph, curated.concepts), chosen, readings, far)

    def row(place: int) -> list[_Columns]:
        columns = judge.row(place)
        done()
        return columns

    with Progress("concepts", len(chosen), quiet=quiet) as done:
        with ThreadPoolExecutor(threads or len(os.sched_getaffinity(0))) as pool:
            rows = list(pool.map(row, range(len(chosen))))
    return [
        PairScenarios(reading, curated.concepts[chosen], *(np.concatenate(column) for column in zip(*by_reading)))
        for reading, by_reading in zip(readings, zip(*rows))
    ]


_Columns = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class _Judge:
    """Decides the pairs of one concept with those behind it."""

    curated: CuratedSide
    trees: ShortestPathTrees
    chosen: np.ndarray
    readings: Sequence[str]
    far: np.ndarray | None

    def row(self, place: int) -> list[_Columns]:
        """(code, hops, found) of the pairs of chosen[place] with those behind it, by reading."""
        root, targets = int(self.chosen[place]), self.chosen[place + 1 :]
        tree = self.trees.tree(root)
        edges = self.curated.edge_of(tree.before, np.arange(len(tree.before)))
        hops, found, skips = (column[targets] for column in tree.sums(np.ones(len(edges)), edges >= 0, tree.skips))
        reached = tree.reached[targets]
        missed = np.full(len(targets), _NEITHER)
        if not reached.all():
            linked = self.curated.are_linked(root, targets[~reached])
            missed[~reached] = np.where(linked, _LINKED, _NEITHER)
        hops[~reached] = found[~reached] = 0
        columns = []
        for reading in self.readings:
            there, whole = found, found == hops
            if reading == "shortest":
                there, whole = self._on_shortest(tree.before, edges, root, targets, hops, np.where(reached, found, 0))
            code = np.where(whole, 0, np.where(there > 0, 1, 2)) + np.where(skips > 0, 3, 0)
            kind = np.uint16 if len(edges) <= 65536 else np.uint32  # a path has fewer edges than there are concepts
            columns.append((np.where(reached, code, missed).astype(np.uint8), hops.astype(kind), there.astype(kind)))
        return columns

    def _on_shortest(
        self, before: np.ndarray, edges: np.ndarray, root: int, targets: np.ndarray, hops: np.ndarray, found: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """How many edges of each path lie on a shortest curated path between its ends, and whether the path is one."""
        assert self.far is not None
        there = np.zeros(len(targets), np.int64)
        whole = np.zeros(len(targets), bool)
        some = np.flatnonzero(found)  # few: an edge that is not curated needs no further look
        if not len(some):
            return there, whole
        apart = self.curated.nearest_pairs(self.far, root, targets[some]).astype(np.int64)
        at, left = targets[some], np.arange(len(some))
        while len(left):
            edge = edges[at]
            asked = left[edge >= 0]
            ends = np.full(len(asked), root), targets[some[asked]]
            lie = self.curated.lie_between(self.far, edge[edge >= 0], *ends, apart[asked])
            there[some[asked]] += lie
            at = before[at]
            left, at = left[at != root], at[at != root]
        whole[some] = (there[some] == hops[some]) & (hops[some] == apart)
        return there, whole
