# SPDX-License-Identifier: Apache-2.0
"""Graphs from the objects of other packages: NetworkX, igraph, dense matrices of numpy, and lists of pairs."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, errors
from ..arguments import shown
from ..collective_arguments import checked
from ..world import agreed, world_of
from .columns import as_array, column, type_words
from .object_names import FromHashables, are_ids, are_names
from .tensors import array_of, is_tensor
from .weights import checked_weights

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = [
    "FromObjects",
    "columns_of",
    "columns_of_dicts",
    "is_igraph",
    "is_list_of_edges",
    "is_networkx",
    "networkx_attributes",
    "networkx_columns",
]

_NO_WEIGHT = object()  # of an edge without that attribute, which one may also have as None


def is_networkx(obj: Any) -> bool:
    """Whether it is a graph of NetworkX, or like one."""
    return hasattr(obj, "is_multigraph") and hasattr(obj, "nodes") and hasattr(obj, "edges")


def is_igraph(obj: Any) -> bool:
    """Whether it is a graph of igraph."""
    return hasattr(obj, "get_edgelist") and hasattr(obj, "vs") and hasattr(obj, "es")


def is_list_of_edges(obj: Any) -> bool:
    """Whether it is a list of pairs or of triples; columns are a tuple."""
    return isinstance(obj, list) and len(obj) > 0 and isinstance(obj[0], (tuple, list)) and len(obj[0]) in (2, 3)


def columns_of(edges: list[Any]) -> list[list[Any]]:
    """The columns of a list of pairs, or of triples; an InputError names the first edge of another length."""
    ends = len(edges[0])
    for k, edge in enumerate(edges):
        if not isinstance(edge, (tuple, list)) or len(edge) != ends:
            raise errors.InputError(f"edge {k} is {shown(edge)} (the first has {ends} parts). Give each as many.")
    return [list(column) for column in zip(*edges)]


class FromObjects(FromHashables):
    """The constructors that take a graph, or a matrix, of another package."""

    __slots__ = ()

    @classmethod
    @checked
    def from_networkx(cls, G: Any, *, weight: str | None = "weight", attributes: bool = True, **options: Any) -> Graph:
        """A graph of NetworkX: its nodes, isolated ones too, its edges, their weights and attributes. Collective.

        The functions of NetworkX itself are faster told ``backend="atoll"`` (docs/networkx.md): this is for what only
        Atoll has. Over several ranks each gives a part of the edges, or all give the same graph (no multigraph, whose
        edges would then be kept once from each rank: say ``duplicates="min"``).

        Parameters
        ----------
        G : Graph, DiGraph, MultiGraph or MultiDiGraph
                                nodes are whole numbers from 0 on, which become the ids, or str, which become names;
                                or any hashable objects, mixed ones too, which then stand for vertices everywhere
        weight : str, optional  the attribute of edges that is their weight, 1 where an edge has none; None, or if no
                                edge has the usual one: the graph has no weights
        attributes : bool       whether attributes of nodes and edges are kept: vertex_attributes, edge_attributes
        **options               of from_edges, but for directed and vertices; duplicates is "keep" by default where G is
                                a multigraph, whose parallel edges all count

        Raises
        ------
        InputError              no edge has an attribute that is named
        TypeError               a weight that is no number

        Examples
        --------
        >>> import networkx as nx
        >>> G = nx.Graph()
        >>> G.add_edge("TP53", "MDM2", weight=0.5)
        >>> G.add_node("EGFR")
        >>> atoll.Graph.from_networkx(G)
        <atoll.Graph 'edges': 3 vertices, 1 edge, undirected, float64 weights>
        """
        with agreed(world_of(options.get("comm"), options.get("plan")), f"from_networkx({weight=})"):
            if not is_networkx(G):
                raise TypeError(f"G is {shown(G)} (a graph of NetworkX is needed). Use Graph(G) for others.")
            _check_attribute(weight)
            src, dst, given, nodes = networkx_columns(G, weight)
            kept = networkx_attributes(G) if attributes else None
        usual = {"directed": G.is_directed(), **({"duplicates": "keep"} if G.is_multigraph() else {})}
        return cls._from_nodes(src, dst, given, nodes, {**usual, **options}, kept, weight or "weight")

    @classmethod
    @checked
    def from_igraph(cls, G: Any, *, weight: str | None = "weight", attributes: bool = True, **options: Any) -> Graph:
        """A graph of igraph: its vertices, by their attribute ``name`` if they have one, edges, weights. Collective.

        Parameters
        ----------
        G : igraph.Graph
        weight : str, optional  the attribute of edges that is their weight; None, or if there is not the usual one: the
                                graph has no weights
        attributes : bool       whether attributes of nodes and edges are kept: vertex_attributes, edge_attributes
        **options               of from_edges, but for directed and vertices

        Raises
        ------
        InputError              there is no such attribute of edges; a name is of two vertices, which are not merged
        TypeError               a weight that is no number

        Examples
        --------
        >>> import igraph
        >>> atoll.Graph.from_igraph(igraph.Graph.Ring(5))
        <atoll.Graph 'edges': 5 vertices, 5 edges, undirected>
        """
        with agreed(world_of(options.get("comm"), options.get("plan")), f"from_igraph({weight=})"):
            if not is_igraph(G):
                raise TypeError(f"G is {shown(G)} (a graph of igraph is needed). Use Graph(G) for others.")
            _check_attribute(weight)
            has_weights = _has_weights(weight, weight in G.es.attributes(), G.ecount())
            nodes = _igraph_nodes(G)
            src, dst = ([nodes[edge[side]] for edge in G.get_edgelist()] for side in (0, 1))
            weights = _weights_of(src, dst, G.es[weight], str(weight)) if has_weights else None
        kept = ({a: G.vs[a] for a in G.vs.attributes() if a != "name"}, {a: G.es[a] for a in G.es.attributes()})
        options = {"directed": G.is_directed(), **options}
        return cls._from_nodes(src, dst, weights, nodes, options, kept if attributes else None, weight or "weight")

    @classmethod
    def _from_nodes(
        cls,
        src: list[Any],
        dst: list[Any],
        weight: Any,
        nodes: list[Any],
        options: dict[str, Any],
        attributes: tuple[dict[str, Any], dict[str, Any]] | None = None,
        weight_name: str = "weight",
    ) -> Graph:
        """Ids where all nodes are whole numbers from 0 on, names where all are str, else objects. Collective.

        attributes: columns in the order of `nodes`, and of the edges.
        """
        world = world_of(options.get("comm"), options.get("plan"))
        every = nodes or [*src, *dst]
        if _core.any(world, not are_ids(every)) and _core.any(world, not are_names(every)):
            made: Graph = cls._from_hashables(src, dst, weight, vertices=nodes, **options)
        else:
            made = cls.from_edges(src, dst, weight, vertices=nodes or None, **options)  # type: ignore[attr-defined]
        if attributes is not None:
            made_by = {
                name: options[name] for name in ("duplicates", "self_loops", "heavy", "fusion") if name in options
            }
            made._keep_attributes(src, dst, nodes, *attributes, {"weight": weight_name, **made_by})
        return made

    @classmethod
    @checked
    def from_dense(
        cls,
        matrix: Any,
        *,
        directed: bool = True,
        weighted: bool | None = None,
        duplicates: str | None = None,
        **options: Any,
    ) -> Graph:
        """A dense adjacency matrix of any size: matrix[i, j] is the weight of the edge i -> j, 0 no edge. Collective.

        Graph(matrix) itself takes 4 rows or more: a smaller square may as well be a list of pairs or triples.

        Parameters
        ----------
        matrix : array, nested list or tensor, n x n
                                numbers; bool makes an unweighted graph. Entries that are masked are no edges. Over
                                several ranks each gives an n x n matrix with a part of the entries
        directed : bool         False: an entry is an edge between i and j, which a symmetric matrix has twice
        weighted : bool, optional
                                False: the values are left out, whatever their type
        duplicates : {"min", "max", "sum", "keep"}, optional
                                of matrix[i, j] and matrix[j, i] where directed is False, and of one entry on several
                                ranks; None: "min", and "sum" where directed
        **options               of from_edges, but for vertices

        Raises
        ------
        TypeError               values that are no numbers, rows of different lengths
        InputError              the matrix is not square; an entry that is infinite or not a number

        Examples
        --------
        >>> graph = atoll.Graph.from_dense([[0, 2.5], [0, 0]])
        >>> graph.n, graph.edges.arrays()
        (2, (array([0]), array([1]), array([2.5])))
        """
        world = world_of(options.get("comm"), options.get("plan"))
        with agreed(world, f"from_dense({directed=}, {weighted=}, {duplicates=})"):
            if is_tensor(matrix):
                matrix = array_of("matrix", matrix)
            A = matrix if isinstance(matrix, np.ma.MaskedArray) else as_array("matrix", matrix)
            if A.size and A.dtype.kind not in "biuf":
                raise TypeError(
                    f"matrix has {type_words(A.dtype)} values (weights are numbers). Use matrix.astype(numpy.float64)."
                )
            if A.size and (A.ndim != 2 or A.shape[0] != A.shape[1]):
                raise errors.InputError(
                    f"matrix has shape {A.shape} (an adjacency matrix is square). Pad it to n x n, or number rows and "
                    "columns apart and use from_edges."
                )
            edges = np.nonzero(np.ma.filled(A != 0, False))
            if len(edges) != 2:  # of an empty list
                edges = (np.zeros(0, np.int64), np.zeros(0, np.int64))
            values = np.asarray(np.ma.getdata(A))[edges] if A.size else np.zeros(0)
            wrong = np.flatnonzero(~np.isfinite(values))[:1]
            if len(wrong):
                at = f"matrix[{edges[0][wrong[0]]}, {edges[1][wrong[0]]}]"
                raise errors.InputError(f"{at} is {values[wrong[0]]} (weights are finite numbers). Make it 0.")
            if weighted is None:
                weighted = A.dtype != np.bool_
            weight = column("matrix", values.astype(np.int8) if values.dtype == np.bool_ else values, "weight")
        if duplicates is None:
            duplicates = "sum" if directed else "min"
        options = {"duplicates": duplicates, "vertices": len(A), **options}
        return cls.from_edges(*edges, weight if weighted else None, directed=directed, **options)  # type: ignore[attr-defined, no-any-return]


def _igraph_nodes(G: Any) -> list[Any]:
    """The names of vertices, if they have some; else their numbers."""
    if "name" not in G.vs.attributes():
        return list(range(G.vcount()))
    names: list[Any] = G.vs["name"]
    first: dict[Any, int] = {}
    for k, name in enumerate(names):
        if isinstance(name, Hashable) and first.setdefault(name, k) != k:
            raise errors.InputError(
                f"vertices {first[name]} and {k} are both named {shown(name)} (a name is of one vertex). Rename one, "
                'or del G.vs["name"]: vertices are their numbers then.'
            )
    return names


def networkx_columns(G: Any, weight: str | None) -> tuple[list[Any], list[Any], list[Any] | None, list[Any]]:
    """The sources, targets and weights of a graph's edges, and its nodes."""
    named = weight is not None
    edges = list(G.edges(data=weight, default=_NO_WEIGHT)) if named else [(u, v, None) for u, v in G.edges()]
    nodes = list(G.nodes())
    src, dst = ([edge[side] for edge in edges] for side in (0, 1))
    if not _has_weights(weight, any(edge[2] is not _NO_WEIGHT for edge in edges), len(edges)):
        return src, dst, None, nodes
    weights = [1 if value is _NO_WEIGHT else value for _, _, value in edges]
    return src, dst, _weights_of(src, dst, weights, str(weight)), nodes


def _weights_of(src: list[Any], dst: list[Any], weights: list[Any], name: str) -> list[Any]:
    """The weights, if they are numbers; else a TypeError names edge and attribute."""
    return checked_weights(weights, name, lambda k: f"edge {shown(src[k])} - {shown(dst[k])}")


def networkx_attributes(G: Any) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Columns of the nodes' attributes and of the edges', None where one has not an attribute."""
    return columns_of_dicts([data for _, data in G.nodes(data=True)]), columns_of_dicts(
        [data for *_, data in G.edges(data=True)]
    )


def columns_of_dicts(rows: list[dict[Any, Any]]) -> dict[str, list[Any]]:
    """Columns of all attributes that some row has, None where one has not."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {str(name): [row.get(name) for row in rows] for name in names}


def _check_attribute(weight: Any) -> None:
    if weight is not None and not isinstance(weight, str):
        raise TypeError(f"weight is {shown(weight)} (the name of an attribute is needed, or None). Give one.")


def _has_weights(weight: str | None, found: bool, edges: int) -> bool:
    """Whether edges have the attribute; another than the usual one was meant, so that a lack of it is an error."""
    if weight is not None and weight != "weight" and not found and edges > 0:
        raise errors.InputError(
            f"weight is {shown(weight)} (no edge has this attribute). Give the name of one, or None."
        )
    return weight is not None and found
