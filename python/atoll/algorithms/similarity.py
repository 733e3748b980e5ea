# SPDX-License-Identifier: Apache-2.0
"""How alike the neighbourhoods of vertices are: of given pairs, of all pairs above a threshold, the most similar ones.

N(v) are the vertices that an edge leads to from v, v itself left out; in an undirected graph its neighbours. Weights,
self-loops and the number of edges between two vertices do not matter. Values have the same bits on any number of ranks
and threads. All are collective over graph.comm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core, errors
from ..arguments import one_of, shown
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..interchange.columns import is_int
from ..interchange.frames import pandas_table
from ..named_errors import in_names
from ..selection import vertex_ids
from ..world import agreed
from .results import Result

__all__ = [
    "SimilarityResult",
    "adamic_adar",
    "common_neighbors",
    "cosine",
    "jaccard",
    "most_similar",
    "overlap",
    "preferential_attachment",
    "resource_allocation",
    "similar_pairs",
]

_MEASURES: tuple[str, ...] = _core.SIMILARITY_MEASURES


@dataclass(frozen=True, repr=False, eq=False)
class SimilarityResult(Result):
    """Pairs of vertices on this rank, and how alike their neighbourhoods are."""

    _main = "value"
    measure: str
    source: np.ndarray
    """int64 original ids, or names (object), shape (pairs,)."""
    target: np.ndarray
    value: np.ndarray
    """float64, shape (pairs,)."""
    total: int
    """Pairs on all ranks."""
    prepare_seconds: float
    seconds: float

    @checked
    def to_pandas(self, *, nullable: bool = False) -> Any:
        """This rank's pairs as a pandas.DataFrame: `source`, `target` and the measure's name; none is missing.

        Examples
        --------
        >>> atoll.similar_pairs([("Ann", "Bob"), ("Cid", "Bob")], measure="jaccard").to_pandas()
          source target  jaccard
        0    Ann    Cid      1.0
        """
        return pandas_table({"source": self.source, "target": self.target, self.measure: self.value})

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        here = f", {len(self)} on this rank" if self.total != len(self) else ""
        return f"<atoll.SimilarityResult: {self.measure} of {counted(self.total, 'pair')}{here}>"


def _result(graph: Graph, measure: str, source: np.ndarray, target: np.ndarray, found: dict[str, Any]) -> Any:
    return SimilarityResult(
        measure=measure,
        source=graph._as_known(source),
        target=graph._as_known(target),
        value=found["value"],
        total=found["total"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


def _columns(pairs: Any) -> tuple[Any, Any]:
    """Returns the ends of pairs that a user gives as one pair, several, a tuple of two columns, or an array of rows."""
    is_row = isinstance(pairs, (tuple, list)) or (type(pairs) is np.ndarray and pairs.ndim == 1)
    if is_row and len(pairs) == 2 and all(map(_is_vertex, pairs)):
        return [pairs[0]], [pairs[1]]
    if isinstance(pairs, tuple) and len(pairs) == 2:
        if all(isinstance(part, tuple) and len(part) == 2 for part in pairs):
            raise TypeError(
                f"pairs is {shown(pairs)} (two pairs, or the sources and the targets of two?). Give a list of pairs, "
                "or two lists (u, v)."
            )
        return pairs
    if isinstance(pairs, np.ndarray):
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise TypeError(
                f"pairs has the shape {pairs.shape} (pairs are rows of two). Give an array of shape (k, 2)."
            )
        return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    if isinstance(pairs, str) or not hasattr(pairs, "__iter__"):
        raise TypeError(f"pairs is {shown(pairs)} (pairs of vertices are needed). Give a pair, or a list of pairs.")
    rows = list(pairs)
    for row in rows:
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
            raise TypeError(f"pairs has {shown(row)} (a pair is two vertices). Give a list of pairs, or (u, v).")
    return [u for u, _ in rows], [v for _, v in rows]


def _is_vertex(value: Any) -> bool:
    return isinstance(value, str) or is_int(value)


def pair_values(graph: Graph, measure: str, source: np.ndarray, target: np.ndarray) -> dict[str, Any]:
    """Returns the values of pairs by original ids, and the seconds that they took. Collective.

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.algorithms.similarity import pair_values
    >>> pair_values(atoll.Graph("star:4"), "jaccard", np.array([1]), np.array([2]))["value"]
    array([1.])
    """
    with in_names(graph):
        return _core.pair_similarity(graph._core, measure, source, target)


def _of_pairs(graph: Graph, measure: str, pairs: Any) -> SimilarityResult:
    with agreed(graph.world, f"{measure}()"):
        source, target = (vertex_ids(graph, "pairs", end) for end in _columns(pairs))
        if len(source) != len(target):
            raise errors.InputError(
                f"pairs has {len(source)} sources and {len(target)} targets (a pair has one of each). Give as many."
            )
    return _result(graph, measure, source, target, pair_values(graph, measure, source, target))


@checked
def jaccard(graph: GraphLike, pairs: Any) -> SimilarityResult:
    """Returns the Jaccard coefficient of pairs: how many of the neighbours of either vertex are common [1]_.

    ``|N(u) and N(v)|`` / ``|N(u) or N(v)|``, and 0 where neither has a neighbour. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               directed: N(v) are the vertices that edges of v lead to
    pairs                       ids, or names, of vertices: a pair (u, v), a list of pairs, an array of shape (k, 2), or
                                a tuple of two columns. Each rank gives pairs of its own, of any vertices, maybe none

    Returns
    -------
    SimilarityResult            .value (float64, shape (k,)) in the order of the pairs; .source, .target

    Raises
    ------
    InputError                  the graph has no such vertex; columns of different lengths

    References
    ----------
    .. [1] D. Liben-Nowell, J. Kleinberg. "The link-prediction problem for social networks." JASIST 58(7), 2007.

    Examples
    --------
    >>> graph = atoll.Graph([(0, 2), (1, 2), (0, 3)], directed=False)
    >>> atoll.jaccard(graph, [(0, 1), (2, 3)]).value
    array([0.5, 0.5])
    >>> atoll.jaccard([("Ann", "Bob"), ("Cid", "Bob")], ("Ann", "Cid")).value
    array([1.])
    """
    return _of_pairs(graph, "jaccard", pairs)


@checked
def overlap(graph: GraphLike, pairs: Any) -> SimilarityResult:
    """Returns the overlap coefficient of pairs: ``|N(u) and N(v)|`` / min(``|N(u)|``, ``|N(v)|``).

    It is 0 where one has no neighbour. Arguments, result and errors are those of jaccard(). Collective over graph.comm.

    Examples
    --------
    >>> atoll.overlap(atoll.Graph([(0, 2), (1, 2), (0, 3)], directed=False), [(0, 1)]).value
    array([1.])
    """
    return _of_pairs(graph, "overlap", pairs)


@checked
def cosine(graph: GraphLike, pairs: Any) -> SimilarityResult:
    """Returns the cosine of pairs' rows of the adjacency matrix, and 0 where one is empty.

    ``|N(u) and N(v)|`` / sqrt(``|N(u)|`` ``|N(v)|``). Arguments, result and errors are those of jaccard(). Collective
    over graph.comm.

    Examples
    --------
    >>> atoll.cosine(atoll.Graph([(0, 2), (1, 2), (0, 3)], directed=False), [(0, 1)]).value.round(3)
    array([0.707])
    """
    return _of_pairs(graph, "cosine", pairs)


@checked
def common_neighbors(graph: GraphLike, pairs: Any) -> SimilarityResult:
    """Counts the neighbours that pairs have in common, ``|N(u) and N(v)|``, as float64.

    Arguments, result and errors are those of jaccard(). Collective over graph.comm.

    Examples
    --------
    >>> atoll.common_neighbors(atoll.Graph("complete:5"), [(0, 1), (2, 4)]).value
    array([3., 3.])
    """
    return _of_pairs(graph, "common_neighbors", pairs)


@checked
def adamic_adar(graph: GraphLike, pairs: Any) -> SimilarityResult:
    """Returns the Adamic-Adar index of pairs: the sum of 1 / log ``|F(w)|`` over their common neighbours w [1]_.

    F(w) are the vertices that have w as a neighbour; in an undirected graph its neighbours. Infinity for a vertex and
    itself where it is the only one with some neighbour. Arguments, result and errors are those of jaccard(). Collective
    over graph.comm.

    References
    ----------
    .. [1] L. Adamic, E. Adar. "Friends and neighbors on the web." Social Networks 25(3), 2003.

    Examples
    --------
    >>> atoll.adamic_adar(atoll.Graph("ring:5"), [(0, 2), (0, 1)]).value.round(3)
    array([1.443, 0.   ])
    """
    return _of_pairs(graph, "adamic_adar", pairs)


@checked
def resource_allocation(graph: GraphLike, pairs: Any) -> SimilarityResult:
    """Returns the resource allocation index of pairs: the sum of 1 / ``|F(w)|`` over their common neighbours w [1]_.

    F(w) are the vertices that have w as a neighbour; in an undirected graph its neighbours. Arguments, result and
    errors are those of jaccard(). Collective over graph.comm.

    References
    ----------
    .. [1] T. Zhou, L. Lue, Y.-C. Zhang. "Predicting missing links via local information." Eur. Phys. J. B 71(4), 2009.

    Examples
    --------
    >>> atoll.resource_allocation(atoll.Graph("complete:5"), [(0, 1)]).value
    array([0.75])
    """
    return _of_pairs(graph, "resource_allocation", pairs)


@checked
def preferential_attachment(graph: GraphLike, pairs: Any) -> SimilarityResult:
    """Returns the preferential attachment score of pairs: ``|N(u)|`` ``|N(v)|``, as float64.

    Arguments, result and errors are those of jaccard(). Collective over graph.comm.

    Examples
    --------
    >>> atoll.preferential_attachment(atoll.Graph("star:5"), [(0, 1)]).value
    array([4.])
    """
    return _of_pairs(graph, "preferential_attachment", pairs)


@checked
def similar_pairs(
    graph: GraphLike, *, measure: str = "jaccard", threshold: float = 0.5, most_pairs: int = 100_000_000
) -> SimilarityResult:
    """Finds all pairs of vertices with a common neighbour that are at least so much alike. Collective over graph.comm.

    They are found along wedges, a vertex at a time, and no matrix of all pairs is made [1]_. Memory: the lists of the
    graph once more, over ranks with those of mirrors, 12 bytes for each vertex and thread, 72 for each pair found. The
    lists are those of the edge-cut, whatever the graph's cut.

    Parameters
    ----------
    graph : Graph               directed: N(v) are the vertices that edges of v lead to
    measure : str               "jaccard", "overlap", "cosine", "common_neighbors", "adamic_adar", "resource_allocation"
                                or "preferential_attachment", each as the function of that name says
    threshold : float           above 0, of the measure
    most_pairs : int            on all ranks; where there are more it ends with an error, and fills no memory

    Returns
    -------
    SimilarityResult            .source, .target, .value: each pair once, on one rank, with the smaller id (or first
                                name) as its source; the most similar first, equal ones by their ids

    Raises
    ------
    InputError                  threshold is not above 0; more pairs than most_pairs
    UsageError                  another measure

    References
    ----------
    .. [1] C. Xiao, W. Wang, X. Lin, J. X. Yu. "Efficient similarity joins for near duplicate detection." WWW 2008.

    Examples
    --------
    >>> found = atoll.similar_pairs("ring:4", threshold=0.5)
    >>> found
    <atoll.SimilarityResult: jaccard of 2 pairs>
    >>> found.source, found.target, found.value
    (array([0, 1]), array([2, 3]), array([1., 1.]))
    """
    with agreed(graph.world, f"similar_pairs({measure=}, {threshold=}, {most_pairs=})"):
        one_of("measure", measure, _MEASURES)
    with in_names(graph):
        found = _core.similar_pairs(graph._core, measure, threshold, most_pairs)
    return _result(graph, measure, found["source"].view(np.int64), found["target"].view(np.int64), found)


@checked
def most_similar(graph: GraphLike, *, k: int = 10, measure: str = "jaccard", vertices: Any = None) -> SimilarityResult:
    """Finds for each vertex the k most similar others, of those with a common neighbour. Collective over graph.comm.

    Found along wedges, as by similar_pairs(), with the same memory but for 24 bytes for each pair. An edge between the
    two does not matter: links that may be missing are pairs without one.

    Parameters
    ----------
    graph : Graph               directed: N(v) are the vertices that edges of v lead to
    k : int                     for each vertex, at most
    measure : str               as of similar_pairs()
    vertices : array of int32 or int64, or names, optional
                                the vertices to find them for, the same on all ranks; None: all

    Returns
    -------
    SimilarityResult            .source, .target, .value: of this rank's vertices by ascending id (or name), the most
                                similar first, equal ones by the target's id

    Raises
    ------
    InputError                  k is below 1; the graph has no such vertex
    UsageError                  another measure

    Examples
    --------
    >>> found = atoll.most_similar([("Ann", "Bob"), ("Cid", "Bob"), ("Cid", "Dan")], k=1, vertices=["Ann"])
    >>> found.source, found.target, found.value
    (array(['Ann'], dtype=object), array(['Cid'], dtype=object), array([0.5]))
    """
    with agreed(graph.world, f"most_similar({k=}, {measure=}, vertices={shown(vertices)})"):
        one_of("measure", measure, _MEASURES)
        if k < 1:
            raise errors.InputError(f"k is {k} (at least 1 is looked for). Change it.")
        given = None if vertices is None else vertex_ids(graph, "vertices", vertices)
    with in_names(graph):
        found = _core.most_similar(graph._core, measure, k, given)
    return _result(graph, measure, found["source"].view(np.int64), found["target"].view(np.int64), found)
