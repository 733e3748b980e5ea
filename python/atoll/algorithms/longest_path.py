# SPDX-License-Identifier: Apache-2.0
"""The longest path of a directed graph without cycles. Collective over graph.comm."""

from __future__ import annotations

import numpy as np

from .. import errors
from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..world import agreed, all_gather
from .acyclic import orders_of

__all__ = ["dag_longest_path", "dag_longest_path_length"]


@checked
def dag_longest_path(graph: GraphLike, *, weight: bool | str | None = True) -> np.ndarray:
    """Finds a longest path of a directed graph without cycles: the critical path of tasks, say.

    Generation by generation, each vertex takes the longest path that ends there [1]_. The edges are gathered on every
    rank, on which one thread searches. Of several longest paths it is the one that ends at the least id, and comes from
    the least ones. A path may begin anywhere, so it is never shorter than 0. Collective over graph.comm; every rank
    returns the same.

    Parameters
    ----------
    graph : Graph               directed, without cycles; n vertices
    weight : bool, str or None  True: a path is as long as the sum of its weights, where the graph has some; a name: of
                                that attribute of its edges; False or None: as its number of edges

    Returns
    -------
    array                       the vertices along the path: int64 original ids, or names (object); empty if there is
                                none

    Raises
    ------
    InputError                  the graph is undirected, or has a cycle, which the message names; by weight: parallel
                                edges of the graph were merged to the least one (duplicates="max" is right then)

    References
    ----------
    .. [1] T. Cormen, C. Leiserson, R. Rivest, C. Stein. "Introduction to Algorithms", 3rd ed., 2009, section 24.2.

    Examples
    --------
    >>> tasks = [("dig", "wall", 2.0), ("dig", "pipes", 1.0), ("pipes", "roof", 0.5), ("wall", "roof", 4.0)]
    >>> atoll.dag_longest_path(tasks).tolist()
    ['dig', 'wall', 'roof']
    """
    return _longest(graph, weight, "dag_longest_path")[0]


@checked
def dag_longest_path_length(graph: GraphLike, *, weight: bool | str | None = True) -> float:
    """Returns the length of a longest path of a directed graph without cycles: see dag_longest_path. Collective.

    Parameters
    ----------
    graph, weight               as of dag_longest_path

    Returns
    -------
    float                       the sum of its weights; without weights an int, its number of edges

    Examples
    --------
    >>> atoll.dag_longest_path_length([("dig", "wall", 2.0), ("dig", "pipes", 1.0), ("wall", "roof", 4.0)])
    6.0
    >>> atoll.dag_longest_path_length([(1, 2), (2, 3), (1, 3)])
    2
    """
    return _longest(graph, weight, "dag_longest_path_length")[1]


def _longest(graph: Graph, weight: bool | str | None, name: str) -> tuple[np.ndarray, float]:
    with agreed(graph.world, f"{name}({weight=})"):
        pass
    graph, by_weight = weighted_graph(graph, weight, optional=True)
    with agreed(graph.world):
        if by_weight and graph._core.merged_to_least:
            raise errors.InputError(
                f"{graph.name}: parallel edges were merged to the least weight (the longest path may go along a "
                'greater one). Build the graph with duplicates="max", or give weight=None.'
            )
    ids, generation = orders_of(graph)
    source, target, *weights = (all_gather(graph.world, column) for column in graph.edges.arrays())
    ends = np.searchsorted(ids, source), np.searchsorted(ids, target)
    path, length = longest_path(generation, *ends, weights[0] if by_weight else None)
    return (graph._as_known(ids[path])), length


def longest_path(
    generation: np.ndarray, source: np.ndarray, target: np.ndarray, weight: np.ndarray | None
) -> tuple[np.ndarray, float]:
    """Returns the vertices along a longest path, and its length; vertices are numbers from 0 on.

    Parameters
    ----------
    generation : array of int, n
                                edges lead from a lower one to a higher one
    source, target : array of int, m
    weight : array of float, m, optional
                                None: 1 each, and `generation` is the number of edges of the longest path to a vertex

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.algorithms.longest_path import longest_path
    >>> longest_path(np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([1, 2, 2]), np.array([1.0, 1.0, 5.0]))
    (array([0, 2]), 5.0)
    """
    n = len(generation)
    if n == 0:
        return np.zeros(0, np.int64), 0
    order = np.lexsort((target, generation[target]))
    source, target = source[order], target[order]
    first = np.flatnonzero(np.diff(target, prepend=-1))  # edges of one target lie side by side
    begin, end = np.zeros(n, np.int64), np.zeros(n, np.int64)
    begin[target[first]] = first
    end[target[first]] = np.append(first[1:], len(target))[: len(first)]
    length: np.ndarray = generation
    if weight is not None:
        weight = weight[order].astype(np.float64)
        length = _lengths(generation, source, target, weight, first)
    path = [int(length.argmax())]
    while True:
        entering = slice(begin[path[-1]], end[path[-1]])
        step = 1 if weight is None else weight[entering]
        before = source[entering][length[source[entering]] + step == length[path[-1]]]
        if len(before) == 0:
            break
        path.append(int(before.min()))
    return np.array(path[::-1], np.int64), length.max().item()


def _lengths(
    generation: np.ndarray, source: np.ndarray, target: np.ndarray, weight: np.ndarray, first: np.ndarray
) -> np.ndarray:
    """Returns for each vertex the length of the longest path that ends there; `first`: the first edge of each."""
    length = np.zeros(len(generation))
    heads = target[first]
    of_generation = np.flatnonzero(np.diff(generation[heads], prepend=-1))
    for a, b in zip(of_generation, np.append(of_generation[1:], len(first))):
        edges = slice(first[a], first[b] if b < len(first) else len(target))
        sums = length[source[edges]] + weight[edges]
        length[heads[a:b]] = np.maximum(np.maximum.reduceat(sums, first[a:b] - first[a]), 0)
    return length
