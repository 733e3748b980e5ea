# SPDX-License-Identifier: Apache-2.0
"""Pictures of small graphs, and of a part of large ones: `atoll.draw`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import errors
from ..algorithms.results import Result
from ..arguments import vertex_id
from ..collective_arguments import checked
from ..graph import Graph, GraphLike
from ..vertices import GROUPS, VertexArray, values_of
from .colors import colors_of_groups, colors_of_numbers, radii_of
from .layout import places_by_forces
from .picture import Picture, fitted

__all__ = ["Picture", "draw"]

_PLAIN = "#0072B2"
_MOST = 5000  # what 300 steps of forces take minutes for
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
    color : VertexArray, result, array of length n, dict, or str, optional
                                what the colours show: components, communities and other labels by a colour for each of
                                the eight largest, numbers from light to dark; a text is a colour for all
    size : VertexArray, result, array of numbers of length n, or dict, optional
                                what the areas of circles show (default: degrees)
    labels : VertexArray, array or list of length n, dict, or bool, optional
                                the texts; True: names or ids of all; None: those of the 20 largest circles
    around : int or str, optional
                                only this vertex and those at most `hops` edges away, directions aside
    most : int                  at most so many vertices, up to 5000: of more the ones of highest degree, which the
                                picture says
    place : array of float, shape (n, 2), or dict, optional
                                where the vertices are, such as coordinates or a layout of NetworkX; None: by forces
                                (ForceAtlas2 [1]_), in time and memory that grow with the square of the vertices drawn
    width, height : int         in pixels
    seed : int                  draws the places where the forces begin

    Returns
    -------
    Picture                     a notebook shows it; .save("graph.svg"), .save("graph.html") or .save("graph.png")

    Raises
    ------
    TypeError                   the graph is spread over several ranks
    InputError                  values of another length than n, or of another graph; no such vertex

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
    <atoll.Picture: kron:12: 100 of 4096 vertices, those of highest degree, and the 3672 edges between them>
    """
    graph._on_one_rank("draw()")
    if not 1 <= most <= _MOST or hops < 0 or width < 100 or height < 100:
        raise errors.InputError(
            f"most is {most}, hops {hops}, width {width}, height {height} (1 to {_MOST}, at least 0, 100 and 100). "
            "Change it."
        )
    keys = (graph.ids if graph.names is None else graph.names).tolist()
    source, target = (np.searchsorted(graph.ids, end) for end in graph.edges.arrays()[:2])
    chosen, part = _chosen(graph, source, target, around, hops, most)
    position = np.full(graph.n, -1)
    position[chosen] = np.arange(len(chosen))
    drawn = (position[source] >= 0) & (position[target] >= 0)
    edges = np.stack([position[source[drawn]], position[target[drawn]]], axis=1)
    degree = np.bincount(edges.ravel(), minlength=len(chosen))

    sizes = degree if size is None else _sizes(size, graph)[chosen]
    radii = radii_of(sizes, *((4.0, 14.0) if len(chosen) <= 100 else (2.5, 9.0)))
    if place is None:
        places = places_by_forces(len(chosen), edges[:, 0], edges[:, 1], seed)
    else:
        places = _places(place, graph, keys)[chosen] * np.array([1, -1])  # in SVG y grows downwards
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
    """Values of all vertices, in the order of ids; of a result its main array, of a dict those of its keys."""
    values = getattr(values, "values", values) if isinstance(values, Result) else values
    if isinstance(values, VertexArray):
        return values_of(graph, name, values)
    if isinstance(values, Mapping):
        keys = (graph.ids if graph.names is None else graph.names).tolist()
        missing = next((key for key in keys if key not in values), None)
        if missing is not None:
            raise errors.InputError(f"{name} has no value for {missing!r} (each vertex needs one). Add it.")
        values = [values[key] for key in keys]
    array = np.asarray(values)
    if array.shape != (graph.n,):
        raise errors.InputError(f"{name} is of shape {array.shape} ({graph.n} values are needed). Give one a vertex.")
    return array


def _sizes(size: Any, graph: Graph) -> np.ndarray:
    values = _numbers("size", size, graph)
    if values.dtype.kind not in "iufb":
        raise errors.InputError(f"size holds {values.dtype} (numbers are needed). Give one a vertex.")
    return values


def _places(place: Any, graph: Graph, keys: list) -> np.ndarray:
    """Two finite coordinates for each vertex, in the order of ids."""
    if isinstance(place, Mapping):
        missing = next((key for key in keys if key not in place), None)
        if missing is not None:
            raise errors.InputError(f"place has nothing for {missing!r} (each vertex needs two numbers). Add it.")
        place = [place[key] for key in keys]
    places = np.asarray(place, dtype=np.float64)
    if places.shape != (graph.n, 2) or not np.isfinite(places).all():
        raise errors.InputError(
            f"place is of shape {places.shape}, or not finite (({graph.n}, 2) finite numbers are needed). Correct it."
        )
    return places


def _colors(color: Any, graph: Graph, chosen: np.ndarray) -> list[str]:
    if color is None or isinstance(color, str):
        return [color or _PLAIN] * len(chosen)
    values = _numbers("color", color, graph)[chosen]
    main = getattr(color, "values", color) if isinstance(color, Result) else color
    groups = values.dtype.kind in "OUSb" or (isinstance(main, VertexArray) and main.name in GROUPS)
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
        main = getattr(values, "values", values) if isinstance(values, Result) else values
        array = isinstance(main, VertexArray)
        numbers = (main._own() if array else _numbers(name, main, graph))[chosen].tolist()  # groups by name
        texts = [f"{value:.6g}" if isinstance(value, float) else str(value) for value in numbers]
        tips = [f"{tip}\n{main.name if array else name} {text}" for tip, text in zip(tips, texts)]
    return tips
