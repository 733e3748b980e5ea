# SPDX-License-Identifier: Apache-2.0
"""Orders of directed graphs in which every edge leads forwards, cycles, and who comes before and after a vertex.

All are collective over graph.comm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _core, errors
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..graph_properties import counted
from ..named_errors import vertex_word
from ..vertices import NO_VERTEX, VertexArray
from ..world import agreed, all_gather
from .catalog import run
from .results import Result

__all__ = [
    "TopologicalResult",
    "ancestors",
    "descendants",
    "find_cycle",
    "is_directed_acyclic_graph",
    "topological_generations",
    "topological_sort",
]

_SHOWN = 12  # vertices of a cycle in an error


@dataclass(frozen=True, repr=False, eq=False)
class TopologicalResult(Result):
    """Generations of a directed graph: edges lead from a lower one to a higher one."""

    generation: VertexArray
    """int64: edges of the longest path that ends at the vertex; -1 on a cycle, or behind one."""
    generations: int
    """How many there are; 0 where no vertex has one."""
    acyclic: bool
    """Whether every vertex has one: there is no cycle."""
    prepare_seconds: float
    seconds: float

    def __repr__(self) -> str:
        cycle = "" if self.acyclic else ", with a cycle"
        vertices = counted(self.generation.graph.n, "vertex", "vertices")
        return f"<atoll.TopologicalResult: {vertices}, {counted(self.generations, 'generation')}{cycle}>"


@checked
def topological_generations(graph: GraphLike) -> TopologicalResult:
    """Finds for each vertex the number of edges of the longest path that ends there, by Kahn's algorithm [1]_.

    Vertices of one generation have no edge between them. An undirected edge is a cycle of two vertices. The answer is
    the same for any number of ranks and threads. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               directed, n vertices; self-loops are cycles

    Returns
    -------
    TopologicalResult           .generation (VertexArray of int64, length n), .generations, .acyclic

    References
    ----------
    .. [1] A. Kahn. "Topological sorting of large networks." Communications of the ACM 5(11), 1962.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges([1, 1, 2, 5], [2, 3, 3, 3], directed=True)
    >>> atoll.topological_generations(graph).generation.gather()
    array([0, 1, 2, 0])
    """
    with agreed(graph.world, "topological_generations()"):
        pass
    found = run(graph, "topological_generations")
    return TopologicalResult(
        generation=VertexArray(graph, found["generation"], "generation"),
        generations=found["generations"],
        acyclic=found["acyclic"],
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )


@checked
def topological_sort(graph: GraphLike) -> np.ndarray:
    """Orders the vertices so that every edge leads forwards: by generation, within one by id.

    Every rank returns all n of them. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               directed, without cycles; n vertices

    Returns
    -------
    array                       length n: int64 original ids, or names (object)

    Raises
    ------
    InputError                  the graph has a cycle, which the message names; or it is undirected

    Examples
    --------
    >>> atoll.topological_sort(atoll.Graph([("socks", "shoes"), ("shirt", "tie")], directed=True)).tolist()
    ['shirt', 'socks', 'shoes', 'tie']
    """
    with agreed(graph.world, "topological_sort()"):
        pass
    ids, generation = orders_of(graph)
    order = ids[np.lexsort((ids, generation))]
    return graph._as_known(order)


def orders_of(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Returns the ids of all vertices, ascending, and their generations; an InputError where not all have one.

    Collective over graph.comm.

    Examples
    --------
    >>> from atoll.algorithms.acyclic import orders_of
    >>> orders_of(atoll.Graph.from_edges([1, 2], [2, 3], directed=True))
    (array([1, 2, 3]), array([0, 1, 2]))
    """
    with agreed(graph.world):
        if not graph.directed:
            raise errors.InputError(
                f"{graph.name} is undirected (its edges lead both ways). Build it with directed=True."
            )
    found = topological_generations(graph)
    if not found.acyclic:
        raise errors.InputError(_cycle_of(graph))
    return VertexArray(graph, graph.ids, "id").gather(), found.generation.gather()


@checked
def is_directed_acyclic_graph(graph: GraphLike) -> bool:
    """Whether the graph is directed and has no cycle. Collective over graph.comm.

    Examples
    --------
    >>> atoll.is_directed_acyclic_graph(atoll.Graph.from_edges([1, 2], [2, 3], directed=True))
    True
    >>> atoll.is_directed_acyclic_graph(atoll.Graph.from_edges([1, 2], [2, 1], directed=True))
    False
    """
    with agreed(graph.world, "is_directed_acyclic_graph()"):
        pass
    return graph.directed and topological_generations(graph).acyclic


@checked
def find_cycle(graph: GraphLike) -> np.ndarray:
    """Finds a cycle of a directed graph; empty if there is none. Collective over graph.comm; all ranks return the same.

    Parameters
    ----------
    graph : Graph               directed, n vertices; a self-loop is a cycle

    Returns
    -------
    array                       its vertices along the edges, each once: int64 ids, or names

    Raises
    ------
    InputError                  the graph is undirected

    Examples
    --------
    >>> atoll.find_cycle([("a", "b"), ("b", "c"), ("c", "b")]).tolist()
    ['b', 'c']
    >>> len(atoll.find_cycle([(1, 2), (1, 3)]))
    0
    """
    with agreed(graph.world, "find_cycle()"):
        if not graph.directed:
            raise errors.InputError(
                f"{graph.name} is undirected (each of its edges would be a cycle). Build it with directed=True."
            )
    found = _core.directed_cycle(graph._core).view(np.int64)
    return graph._as_known(found)


@checked
def descendants(graph: GraphLike, source: int | str) -> np.ndarray:
    """Returns the vertices that a path leads to from `source`, which is none of them. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices; undirected: the others of the component
    source : int or str         an original id, or the name of a vertex that has one

    Returns
    -------
    array                       int64 ids, ascending, or names (object), the same on all ranks

    Raises
    ------
    InputError                  the graph has no vertex `source`

    Examples
    --------
    >>> atoll.descendants([("socks", "shoes"), ("shirt", "tie"), ("tie", "jacket")], "shirt").tolist()
    ['jacket', 'tie']
    """
    with agreed(graph.world, f"descendants({source=})"):
        pass
    return _reached(graph, source)


@checked
def ancestors(graph: GraphLike, source: int | str) -> np.ndarray:
    """Returns the vertices from which a path leads to `source`, which is none of them. Collective over graph.comm.

    A directed graph is reversed first, which copies its edges: for several vertices take descendants of
    graph.reverse().

    Parameters
    ----------
    graph, source               as of descendants

    Returns
    -------
    array                       as of descendants

    Raises
    ------
    InputError                  the graph has no vertex `source`

    Examples
    --------
    >>> atoll.ancestors([("socks", "shoes"), ("shirt", "tie"), ("tie", "jacket")], "jacket").tolist()
    ['shirt', 'tie']
    """
    with agreed(graph.world, f"ancestors({source=})"):
        pass
    return _reached(graph.reverse(), source)


def _reached(graph: Graph, source: int) -> np.ndarray:
    """Returns the other vertices that a search reaches. Collective."""
    parent = run(graph, "bfs", source=source, depths=False)["parent"]
    own = graph.ids[(parent != NO_VERTEX) & (graph.ids != source)]
    found = np.sort(all_gather(graph.world, own))
    return graph._as_known(found)


def _cycle_of(graph: Graph) -> str:
    """Returns the error that names a cycle. Collective."""
    cycle = _core.directed_cycle(graph._core).tolist()
    words = [vertex_word(graph, vertex) for vertex in cycle[:_SHOWN]]
    if len(cycle) > _SHOWN:
        words.append(f"{len(cycle) - _SHOWN} more")
    words.append(vertex_word(graph, cycle[0]))
    return f"{graph.name}: has the cycle {' -> '.join(words)} (none of it comes first). Remove an edge of it."
