# SPDX-License-Identifier: Apache-2.0
"""Pictures of small graphs, and of a part of large ones: `atoll.draw`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import errors
from ..arguments import vertex_id
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..vertices import GROUPS, VertexArray
from .colors import colors_of_groups, colors_of_numbers, radii_of
from .layout import places_by_forces
from .picture import Picture, fitted

__all__ = ["Picture", "draw"]

_PLAIN = "#0072B2"
_MOST_LABELS = 20


@checked
def draw(
    graph: GraphLike,
    *,
    color: Any = None,
    size: Any = None,
    labels: Any = None,
    around: Any = None,
    hops: int = 1,
    most: int = 500,
    place: Any = None,
    width: int = 800,
    height: int = 600,
    seed: int = 1,
) -> Picture:
    """Draws a graph of one rank by forces between its vertices; of a large graph its vertices of highest degree.

    Parameters
    ----------
    graph : Graph
    color : VertexArray, array of length n, or str, optional
                                what the colours show: components, communities and other labels by a colour for each of
                                the eight largest, numbers from light to dark; a text is a colour for all
    size : VertexArray or array of numbers of length n, optional
                                what the areas of circles show (default: degrees)
    labels : VertexArray, array or list of length n, or bool, optional
                                the texts; True: names or ids of all; None: those of the 20 largest circles
    around : int or str, optional
                                only this vertex and those at most `hops` edges away, directions aside
    most : int                  at most so many vertices: of more the ones of highest degree, which the picture says
    place : array of float, shape (n, 2), optional
                                where the vertices are, such as coordinates; None: by forces (ForceAtlas2 [1]_)
    width, height : int         in pixels
    seed : int                  draws the places where the forces begin

    Returns
    -------
    Picture                     a notebook shows it; .save("graph.svg"), .save("graph.html") or .save("graph.png")

    Raises
    ------
    TypeError                   the graph is spread over several ranks
    InputError                  arrays of another length than n, no such vertex

    References
    ----------
    .. [1] M. Jacomy, T. Venturini, S. Heymann, M. Bastian. "ForceAtlas2, a continuous graph layout algorithm for handy
       network visualization." PLoS ONE 9(6), 2014.

    Examples
    --------
    >>> graph = atoll.Graph.from_edges(["Ann", "Ann", "Bob", "Eve"], ["Bob", "Cid", "Cid", "Ann"], directed=False)
    >>> atoll.draw(graph, color=atoll.connected_components(graph).component)
    <atoll.Picture: edges: 4 vertices, 4 edges>
    >>> atoll.draw(atoll.Graph("kron:12"), most=100)
    <atoll.Picture: kron:12: 100 of 4096 vertices, those of highest degree, and the 4028 edges between them>
    """
    graph._on_one_rank("draw()")
    if most < 1 or hops < 0 or width < 100 or height < 100:
        raise errors.InputError(
            f"most is {most}, hops {hops}, width {width}, height {height} (at least 1, 0, 100 and 100). Change it."
        )
    keys = (graph.ids if graph.names is None else graph.names).tolist()
    source, target = (np.searchsorted(graph.ids, end) for end in graph.edges()[:2])
    chosen, part = _chosen(graph, source, target, around, hops, most)
    position = np.full(graph.n, -1)
    position[chosen] = np.arange(len(chosen))
    drawn = (position[source] >= 0) & (position[target] >= 0)
    edges = np.stack([position[source[drawn]], position[target[drawn]]], axis=1)
    degree = np.bincount(edges.ravel(), minlength=len(chosen))

    sizes = degree if size is None else _numbers("size", size, graph)[chosen]
    radii = radii_of(sizes, *((4.0, 14.0) if len(chosen) <= 100 else (2.5, 9.0)))
    if place is None:
        places = places_by_forces(len(chosen), edges[:, 0], edges[:, 1], seed)
    else:
        places = np.asarray(place, dtype=np.float64)
        if places.shape != (graph.n, 2):
            raise errors.InputError(
                f"place is of shape {places.shape} (({graph.n}, 2) is needed). Give two numbers each."
            )
        places = places[chosen] * np.array([1, -1])  # in SVG y grows downwards
    drawn_keys = [keys[v] for v in chosen]
    counts = f"{_part(len(chosen), graph.n, part)}{len(edges)} edge{'s' * (len(edges) != 1)}"
    return Picture(
        place=fitted(places, width, height),
        keys=drawn_keys,
        edges=edges,
        colors=_colors(color, graph, chosen),
        radii=radii,
        labels=_labels(labels, graph, chosen, drawn_keys, radii),
        tips=_tips(drawn_keys, {"color": color, "size": size}, graph, chosen),
        note=f"{graph.name}: {counts}{' between them' * (len(chosen) < graph.n)}",
        width=width,
        height=height,
        directed=graph.directed,
    )


def _part(drawn: int, n: int, part: str) -> str:
    if drawn == n:
        return f"{n} {'vertex' if n == 1 else 'vertices'}, "
    return f"{drawn} of {n} vertices, {part}, and the "


def _chosen(
    graph: Graph, source: np.ndarray, target: np.ndarray, around: Any, hops: int, most: int
) -> tuple[np.ndarray, str]:
    """The positions of the vertices that are drawn, ascending, and which they are."""
    n, part = graph.n, ""
    degree = np.bincount(np.concatenate([source, target]), minlength=n)
    chosen = np.arange(n)
    first = None
    if around is not None:
        vertex = vertex_id("around", around, graph)
        graph._core.owner(vertex)  # InputError if there is none
        first = int(np.searchsorted(graph.ids, vertex))
        near = np.zeros(n, bool)
        near[first] = True
        for _ in range(hops):
            grown = near.copy()
            grown[target[near[source]]] = True
            grown[source[near[target]]] = True
            if (grown == near).all():
                break
            near = grown
        chosen = np.flatnonzero(near)
        part = f"those at most {hops} edge{'s' * (hops != 1)} from {graph._label(vertex)}"
    if len(chosen) > most:
        rank = degree[chosen].astype(np.float64)
        if first is not None:
            rank[chosen == first] = np.inf
        chosen = np.sort(chosen[np.argsort(-rank, kind="stable")[:most]])
        part = f"{part}{', of these ' * bool(part)}those of highest degree"
    return chosen, part


def _numbers(name: str, values: Any, graph: Graph) -> np.ndarray:
    """Values of all vertices, in the order of ids."""
    if isinstance(values, VertexArray):
        if values.graph.n != graph.n or not np.array_equal(values.ids, graph.ids):
            raise errors.InputError(
                f"{name} is of {values.graph.name} (not of {graph.name}). Give values of that graph."
            )
        return values.local
    array = np.asarray(values)
    if array.shape != (graph.n,):
        raise errors.InputError(f"{name} is of shape {array.shape} ({graph.n} values are needed). Give one a vertex.")
    return array


def _colors(color: Any, graph: Graph, chosen: np.ndarray) -> list[str]:
    if color is None or isinstance(color, str):
        return [color or _PLAIN] * len(chosen)
    values = _numbers("color", color, graph)[chosen]
    groups = values.dtype.kind in "OUSb" or (isinstance(color, VertexArray) and color.name in GROUPS)
    return (
        colors_of_groups(values.astype(str) if values.dtype.kind == "O" else values)
        if groups
        else colors_of_numbers(values)
    )


def _labels(labels: Any, graph: Graph, chosen: np.ndarray, keys: list, radii: np.ndarray) -> list[str]:
    if labels is False:
        return [""] * len(keys)
    if labels is None:
        largest = set(np.argsort(-radii, kind="stable")[:_MOST_LABELS].tolist())
        return [str(key) if k in largest else "" for k, key in enumerate(keys)]
    if labels is True:
        return [str(key) for key in keys]
    values = _numbers("labels", labels, graph)[chosen]
    return [str(value) for value in values.tolist()]


def _tips(keys: list, shown: dict[str, Any], graph: Graph, chosen: np.ndarray) -> list[str]:
    tips = [str(key) for key in keys]
    for name, values in shown.items():
        if values is None or isinstance(values, str):
            continue
        title = values.name if isinstance(values, VertexArray) else name
        numbers = _numbers(name, values, graph)[chosen].tolist()
        tips = [
            f"{tip}\n{title} {value:.6g}" if isinstance(value, float) else f"{tip}\n{title} {value}"
            for tip, value in zip(tips, numbers)
        ]
    return tips
