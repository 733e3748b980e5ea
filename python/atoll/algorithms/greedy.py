# SPDX-License-Identifier: Apache-2.0
"""Independent sets, colours and matchings of undirected graphs, each that of a serial greedy algorithm.

They are the same for any ranks, threads and partition. All are collective over graph.comm, take original ids and answer
in them. Self-loops and the number of edges between two vertices do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import errors
from ..arguments import one_of
from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import GraphLike
from ..graph_properties import counted
from ..vertices import NO_VERTEX, VertexArray
from ..views.edges import EdgeView
from ..world import agreed
from .catalog import run
from .results import GroupResult, Result

__all__ = [
    "ColoringResult",
    "IndependentSetResult",
    "MatchingResult",
    "greedy_color",
    "maximal_independent_set",
    "maximal_matching",
]

_SEED_BELOW = 2**63


def _check_seed(seed: int) -> None:
    if seed >= _SEED_BELOW:
        raise errors.InputError(f"seed is {seed} (it has 63 bits). Give a smaller one.")


@dataclass(frozen=True, repr=False, eq=False)
class IndependentSetResult(Result):
    """Vertices of which no two are neighbours, and to which none can be added."""

    member: VertexArray
    """int64: 1 if the vertex is in the set, else 0."""
    size: int
    """Members on all ranks."""
    prepare_seconds: float
    seconds: float

    def members(self) -> np.ndarray:
        """The members on this rank: int64 original ids, ascending, or names (object). Not collective.

        Examples
        --------
        >>> atoll.maximal_independent_set([("Ann", "Bob")], seed=1).members().size
        1
        """
        keys: np.ndarray = self.member._keys()
        return keys[self.member.local == 1]

    def __repr__(self) -> str:
        return f"<atoll.IndependentSetResult: {self.size} of {counted(self.member.graph.n, 'vertex', 'vertices')}>"


@checked
def maximal_independent_set(graph: GraphLike, *, seed: int = 1) -> IndependentSetResult:
    """Draws a maximal independent set: no two members are neighbours, all others have a member as one [1]_.

    It is the set of the algorithm that takes vertices in an order drawn by the seed, and keeps those without a
    neighbour taken; the largest such set it need not be. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               undirected, n vertices
    seed : int                  from 0 on, below 2**63: another seed draws another order

    Returns
    -------
    IndependentSetResult        .member (VertexArray of int64, 1 or 0), .members() of this rank, .size

    Raises
    ------
    InputError                  the graph is directed

    References
    ----------
    .. [1] G. Blelloch, J. Fineman, J. Shun. "Greedy sequential maximal independent set and matching are parallel on
       average." SPAA 2012.

    Examples
    --------
    >>> result = atoll.maximal_independent_set("ring:6")
    >>> result.member.gather().sum() == result.size, 2 <= result.size <= 3
    (True, True)
    """
    with agreed(graph.world, f"maximal_independent_set({seed=})"):
        _check_seed(seed)
    found = run(graph, "mis", seed=seed)
    return IndependentSetResult(
        member=VertexArray(graph, found["member"], "member"),
        size=found["size"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@dataclass(frozen=True, repr=False, eq=False)
class ColoringResult(GroupResult):
    """Colours of which neighbours have different ones."""

    color: VertexArray
    """int64, from 0 on."""
    colors: int
    """How many are used."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        vertices = counted(self.color.graph.n, "vertex", "vertices")
        return f"<atoll.ColoringResult: {counted(self.colors, 'color')} for {vertices}>"


@checked
def greedy_color(graph: GraphLike, *, order: str = "largest_first", seed: int = 1) -> ColoringResult:
    """Colours vertices one after another with the least colour that no neighbour has, in parallel [1]_.

    Neighbours differ, and there are at most as many colours as the largest number of neighbours, and one; the fewest
    possible they need not be. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               undirected, n vertices
    order : {"largest_first", "random"}
                                vertices with the most neighbours first, equal ones by ascending id (or name); or an
                                order drawn by the seed
    seed : int                  from 0 on, below 2**63, of the random order

    Returns
    -------
    ColoringResult              .color (VertexArray of int64), .colors; .sizes() says how often each is used

    Raises
    ------
    InputError                  the graph is directed

    References
    ----------
    .. [1] M. Jones, P. Plassmann. "A parallel graph coloring heuristic." SIAM J. Sci. Comput. 14(3), 1993.

    Examples
    --------
    >>> atoll.greedy_color("path:5").color.gather()
    array([1, 0, 1, 0, 1])
    >>> atoll.greedy_color("complete:4").colors
    4
    """
    with agreed(graph.world, f"greedy_color({order=}, {seed=})"):
        one_of("order", order, ("largest_first", "random"))
        _check_seed(seed)
    found = run(graph, "coloring", order=order, seed=seed)
    return ColoringResult(
        color=VertexArray(graph, found["color"], "color"),
        colors=found["colors"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@dataclass(frozen=True, repr=False, eq=False)
class MatchingResult(Result):
    """Edges without a common end, to which none can be added."""

    mate: VertexArray
    """int64 original id of the vertex at the other end; -1 (atoll.NO_VERTEX) if there is none."""
    count: int
    """Edges on all ranks."""
    total_weight: float
    """The sum of their weights, which are 1 each if they were not gone by."""
    prepare_seconds: float
    seconds: float

    @property
    def edges(self) -> EdgeView:
        """The edges on this rank, each once over all ranks, with the smaller id, or first name, first. Not collective.

        Examples
        --------
        >>> atoll.maximal_matching([("Bob", "Ann"), ("Dan", "Cid")]).edges
        EdgeView([('Ann', 'Bob'), ('Cid', 'Dan')])
        """
        return EdgeView(self.mate.graph, self._edge_arrays, self.count, lambda u, v: bool(self.mate.at(u) == v))

    def _edge_arrays(self) -> tuple[np.ndarray, np.ndarray]:
        ids, mate = self.mate.ids, self.mate.local
        first = (mate != NO_VERTEX) & (ids < mate)
        return ids[first], mate[first]

    def __repr__(self) -> str:
        vertices = counted(self.mate.graph.n, "vertex", "vertices")
        edges = counted(self.count, "edge")
        return f"<atoll.MatchingResult: {edges} between {vertices}, weight {self.total_weight:g}>"


@checked
def maximal_matching(graph: GraphLike, *, weight: bool | str | None = None, seed: int = 1) -> MatchingResult:
    """Finds a maximal matching: edges without a common end, to which none can be added [1]_.

    They are those of the algorithm that takes edges by falling weight, equal ones in an order drawn by the seed, and
    keeps each whose ends are free. By weights that are not negative the matching weighs at least half of the heaviest.
    Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               undirected, n vertices
    weight : bool or str, optional
                                True: by the weights of the edges; a name: by that attribute of its edges; None: all
                                alike
    seed : int                  from 0 on, below 2**63, of the order of edges that weigh the same

    Returns
    -------
    MatchingResult              .mate (VertexArray of int64), .edges of this rank, .count, .total_weight

    Raises
    ------
    InputError                  the graph is directed; no weights to go by; parallel edges of the graph were merged to
                                the least weight (duplicates="max" or "keep" is right then)

    References
    ----------
    .. [1] F. Manne, R. Bisseling. "A parallel approximation algorithm for the weighted maximum matching problem." PPAM
       2007.

    Examples
    --------
    >>> import numpy as np
    >>> graph = atoll.Graph.from_edges([0, 1, 2], [1, 2, 3], np.array([1.0, 3.0, 1.0]), directed=False)
    >>> atoll.maximal_matching(graph, weight=True).mate.gather()
    array([-1,  2,  1, -1])
    >>> atoll.maximal_matching("star:5").count
    1
    """
    with agreed(graph.world, f"maximal_matching({weight=}, {seed=})"):
        _check_seed(seed)
    graph, by_weight = weighted_graph(graph, weight)
    found = run(graph, "matching", weighted=by_weight, seed=seed)
    return MatchingResult(
        mate=VertexArray(graph, found["mate"], "mate"),
        count=found["edges"],
        total_weight=found["total_weight"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )
