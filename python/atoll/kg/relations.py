# SPDX-License-Identifier: Apache-2.0
"""The three relations of a literature graph and their weights (COAST paper, appendix E).

==============  ====================  ==========================================  =======================
relation        joins                 share s                                     totals
==============  ====================  ==========================================  =======================
co-occurrence   concept, concept      c / (T_i + T_j - c)                         T: a concept's counts
mention         concept, abstract     c / N_p                                     N_p: an abstract's counts
citation        abstract, abstract    1 / (N_p + N_q)                             N: an abstract's citations
curated         concept, concept      none: every edge has length 1
==============  ====================  ==========================================  =======================

c is the edge's count: of predications or abstracts in which both concepts occur, of a concept's occurrences in an
abstract. T_i is the sum of the counts of all edges of concept i in the relation, in the whole graph: a part of the
types has the weights of the whole. T_i + T_j - c is then the number of co-occurrences in which i or j takes part. The
paper's "total number of concepts that appear in p" is read with multiplicity, so that the shares of an abstract add up
to 1. A citation counts for both abstracts, whichever cites the other.

The length of an edge is -ln s, so that a shortest path is one whose product of shares is the greatest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError, UsageError

__all__ = ["RELATIONS", "Edges", "FixedPoint", "fixed_point", "log_lengths", "merge_parallel", "shares", "totals"]

RELATIONS = ("co-occurrence", "mention", "citation", "curated")
LONGEST_PATH = 2**30 - 2  # in units: atoll's int32 distances end below 2**30 - 1, which means "no path"
_MOST_BITS = 40


@dataclass(frozen=True)
class Edges:
    """Undirected edges of one relation, a row each: int64 arrays of one length."""

    relation: str
    a: np.ndarray
    b: np.ndarray
    count: np.ndarray


def totals(edges: Edges, n: int) -> np.ndarray:
    """Sum of the counts of each concept's edges: T of co-occurrences, N of mentions and citations.

    Parameters
    ----------
    edges : Edges               of concepts 0 to n - 1
    n : int

    Returns
    -------
    ndarray of int64, length n

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.kg.relations import Edges, totals
    >>> totals(Edges("co-occurrence", np.array([0, 1]), np.array([1, 2]), np.array([3, 4])), 3)
    array([3, 7, 4])
    """
    total = np.zeros(n, np.int64)  # not bincount: its sums are floats
    np.add.at(total, edges.a, edges.count)
    np.add.at(total, edges.b, edges.count)
    return total


def shares(edges: Edges, total: np.ndarray, is_abstract: np.ndarray | None = None) -> np.ndarray:
    """The share of every edge, in (0, 1], by the table of this module; of curated edges 1.

    Parameters
    ----------
    edges : Edges
    total : array of int64      of all concepts, as `totals` gives it
    is_abstract : array of bool, optional
                                which concepts are abstracts; for mentions

    Raises
    ------
    InputError                  a mention that does not join a concept and an abstract

    Examples
    --------
    Two concepts occur together 2 times, and 3 and 4 times in all: 2 / (3 + 4 - 2).

    >>> import numpy as np
    >>> from atoll.kg.relations import Edges, shares
    >>> shares(Edges("co-occurrence", np.array([0]), np.array([1]), np.array([2])), np.array([3, 4]))
    array([0.4])
    """
    if edges.relation == "curated":
        return np.ones(len(edges.a))
    if edges.relation == "mention":
        if is_abstract is None:
            raise UsageError("is_abstract is None (of a mention one end is an abstract). Give which concepts are.")
        wrong = np.flatnonzero(is_abstract[edges.a] == is_abstract[edges.b])
        if len(wrong):
            first = wrong[0]
            raise InputError(
                f"{len(wrong)} mentions do not join a concept and an abstract (the first joins concepts "
                f"{edges.a[first]} and {edges.b[first]}). Give abstracts the type 'abstract', and import again."
            )
        return edges.count / total[np.where(is_abstract[edges.a], edges.a, edges.b)]
    both = total[edges.a] + total[edges.b]
    return 1.0 / both if edges.relation == "citation" else edges.count / (both - edges.count)


def log_lengths(share: np.ndarray, offset: float) -> np.ndarray:
    """-ln s + offset. A share of 1 has the logarithm 0, and edges of length 0 let a path go round in circles.

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.kg.relations import log_lengths
    >>> log_lengths(np.array([1.0, 0.5]), 1e-6).round(4)
    array([0.    , 0.6931])
    """
    return np.maximum(-np.log(share), 0.0) + offset


def merge_parallel(
    a: np.ndarray, b: np.ndarray, values: np.ndarray, *, keep: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One edge for each pair of concepts, where several relations join them.

    Counts of one relation have been added up before. Of several relations the least length counts, since a shortest
    path takes it anyway; of shares, which are widths to a widest path (the bottleneck), the greatest.

    Parameters
    ----------
    a, b : arrays of int64      a < b
    values : array
    keep : {"least", "greatest"}

    Returns
    -------
    (a, b, values), ascending by (a, b)

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.kg.relations import merge_parallel
    >>> merge_parallel(np.array([0, 0]), np.array([1, 1]), np.array([5.0, 2.0]), keep="least")
    (array([0]), array([1]), array([2.]))
    """
    order = np.lexsort((values if keep == "least" else -values, b, a))
    a, b, values = a[order], b[order], values[order]
    first = np.ones(len(a), bool)
    first[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return a[first], b[first], values[first]


@dataclass(frozen=True)
class FixedPoint:
    """Lengths as whole numbers of units: exact sums, for kernels of integers."""

    units: np.ndarray
    """float64 holding whole numbers >= 1, as atoll.Graph takes weights."""
    bits: int
    """A unit is 2**-bits."""
    raised: int
    """Edges shorter than half a unit, which have one unit: a path must become longer with every edge."""


def fixed_point(lengths: np.ndarray, longest: float, vertices: int) -> FixedPoint:
    """Lengths in the finest units, a power of two, in which every shortest path still fits 30 bits.

    Rounding moves a length by half a unit at most. Everything after it is exact: which path is shortest, its length,
    which paths are equally long.

    Parameters
    ----------
    lengths : array of float64, >= 0
    longest : float             no shortest path is longer
    vertices : int              of the graph: no shortest path has more edges

    Raises
    ------
    InputError                  paths so long or of so many edges that whole units do not tell lengths apart

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.kg.relations import fixed_point
    >>> fixed_point(np.array([0.5, 1.5]), 2.0, 3)
    FixedPoint(units=array([1.34217728e+08, 4.02653184e+08]), bits=28, raised=0)
    """
    room = LONGEST_PATH - vertices  # a path's rounding, and units that edges are raised to, go here
    if longest > max(room, 0):
        raise InputError(
            f"paths may be {longest:g} long over {vertices} vertices (distances hold 30 bits). "
            "Build fewer types, or --weights unit."
        )
    bits = min(int(np.floor(np.log2(room / longest))), _MOST_BITS) if longest > 0 else _MOST_BITS
    units = np.rint(lengths * 2.0**bits)
    raised = int((units < 1).sum())
    return FixedPoint(np.maximum(units, 1.0), bits, raised)
