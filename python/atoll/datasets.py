# SPDX-License-Identifier: Apache-2.0
"""Small graphs with names, for examples and first tries. Each is made from facts of its source, which its text names.

Each takes `comm`, `plan`, `partition` and the other options of Graph.from_edges, and is collective over `comm`.

>>> atoll.datasets.karate_club()
<atoll.Graph 'edges': 34 vertices, 78 edges, undirected>
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from .graph import Graph
from .world import world_of

__all__ = ["blood_groups", "capitals", "karate_club", "romeo_and_juliet"]


def karate_club(**options: Any) -> Graph:
    """The friendships among 34 members of a karate club, before it split in two [1]_. Undirected.

    The attribute of vertices `club` is the new club that a member joined: "Mr. Hi" or "Officer".

    References
    ----------
    .. [1] W. Zachary. "An information flow model for conflict and fission in small groups." J. Anthropological Research
       33(4), 1977, figure 1.

    Examples
    --------
    >>> club = atoll.datasets.karate_club()
    >>> atoll.pagerank(club).score.top(2)[0][0], club.degree("Mr. Hi")
    ('John A.', 16)
    """
    friends = [(_member(u), _member(v)) for u, greater in _FRIENDS.items() for v in greater]
    members = [_member(k) for k in range(1, 35)]
    clubs = ["Mr. Hi" if k in _WITH_MR_HI else "Officer" for k in range(1, 35)]
    return _graph(friends, None, False, {"club": dict(zip(members, clubs))}, options)


def romeo_and_juliet(**options: Any) -> Graph:
    """Who speaks in the same scenes as whom in Shakespeare's tragedy; weights count the scenes. Undirected.

    As in "Les Miserables" of the Stanford GraphBase, of a shorter work. Source: the text, in 24 scenes; servants,
    musicians and the watch, who have no names, are left out.

    Examples
    --------
    >>> play = atoll.datasets.romeo_and_juliet()
    >>> play["Romeo"]["Juliet"], play.strength().top(1)[0][0]
    (5.0, 'Romeo')
    """
    together: Counter[tuple[str, str]] = Counter()
    for scene in _SCENES:
        together.update(itertools.combinations(sorted(scene.split(", ")), 2))
    return _graph(list(together), list(map(float, together.values())), False, {}, options)


def blood_groups(**options: Any) -> Graph:
    """Which of the 8 groups of the AB0 and Rhesus systems gives red cells to which other. Directed, without a cycle.

    Made by the rule: whoever lacks an antigen (A, B, D) takes no cells that have it [1]_.

    References
    ----------
    .. [1] K. Landsteiner. "Individual differences in human blood." Science 73, 1931.

    Examples
    --------
    >>> groups = atoll.datasets.blood_groups()
    >>> groups.neighbors("A-").tolist(), groups.degree("0-", direction="out")
    (['A+', 'AB+', 'AB-'], 7)
    """
    antigens = {ab + d: {*ab.strip("0"), d} - {"-"} for ab in ("0", "A", "B", "AB") for d in "-+"}
    edges = [(u, v) for u, v in itertools.permutations(antigens, 2) if antigens[u] <= antigens[v]]
    return _graph(edges, None, True, {}, options)


def capitals(**options: Any) -> Graph:
    """Capitals of 17 countries of Europe, joined where the countries have a land border. Undirected, weighted.

    Weights are the distances as the crow flies, in km, of spheres of 6371 km radius: made from the latitude and the
    longitude in degrees, which are attributes of vertices. The smallest countries are left out.

    Examples
    --------
    >>> way = atoll.shortest_path(atoll.datasets.capitals(), "Lisbon", "Warsaw", weight=True)
    >>> way.vertices.tolist(), way.length
    (['Lisbon', 'Madrid', 'Paris', 'Berlin', 'Warsaw'], 2948.0)
    """
    edges = [(one, other) for one, others in _BORDERS.items() for other in others.split()]
    latitude, longitude = ({city: place[k] for city, place in _PLACES.items()} for k in (0, 1))
    distances = [_kilometres(_PLACES[one], _PLACES[other]) for one, other in edges]
    return _graph(edges, distances, False, {"latitude": latitude, "longitude": longitude}, options)


def _graph(
    edges: list[tuple[str, str]],
    weight: list[float] | None,
    directed: bool,
    attributes: Mapping[str, Mapping[str, Any]],
    options: dict[str, Any],
) -> Graph:
    """The graph of edges that rank 0 gives, with attributes by name. Collective."""
    world = world_of(options.get("comm"), options.get("plan"))
    here = edges if world.rank == 0 else []
    src, dst = ([edge[side] for edge in here] for side in (0, 1))
    weights = None if weight is None else np.array(weight if world.rank == 0 else [], np.float64)
    made = Graph.from_edges(src, dst, weights, directed=directed, **options)
    labels = made._labels()
    made._give_vertices(labels, {name: [value_of[v] for v in labels] for name, value_of in attributes.items()})
    return made


def _member(number: int) -> str:
    """The name of a member of the karate club: two have one, the others their number in the source."""
    return {1: "Mr. Hi", 34: "John A."}.get(number, f"Actor {number}")


def _kilometres(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The distance of two places on a great circle, by the haversine formula, rounded to a whole number."""
    (a, x), (b, y) = np.radians(one), np.radians(other)
    half = np.sin((a - b) / 2) ** 2 + np.cos(a) * np.cos(b) * np.sin((x - y) / 2) ** 2
    return float(np.round(2 * 6371 * np.arcsin(np.sqrt(half))))


# By number, the friends with greater numbers.
_FRIENDS = {
    1: (2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32),
    2: (3, 4, 8, 14, 18, 20, 22, 31),
    3: (4, 8, 9, 10, 14, 28, 29, 33),
    4: (8, 13, 14),
    5: (7, 11),
    6: (7, 11, 17),
    7: (17,),
    9: (31, 33, 34),
    10: (34,),
    14: (34,),
    15: (33, 34),
    16: (33, 34),
    19: (33, 34),
    20: (34,),
    21: (33, 34),
    23: (33, 34),
    24: (26, 28, 30, 33, 34),
    25: (26, 28, 32),
    26: (32,),
    27: (30, 34),
    28: (34,),
    29: (32, 34),
    30: (33, 34),
    31: (33, 34),
    32: (33, 34),
    33: (34,),
}
_WITH_MR_HI = {*range(1, 10), 11, 12, 13, 14, 17, 18, 20, 22}

# Named characters who speak, by scene, from act I, scene 1 to act V, scene 3.
_SCENES = (
    "Sampson, Gregory, Abraham, Benvolio, Tybalt, Capulet, Lady Capulet, Montague, Lady Montague, Escalus, Romeo",
    "Capulet, Paris, Benvolio, Romeo",
    "Lady Capulet, Nurse, Juliet",
    "Romeo, Mercutio, Benvolio",
    "Capulet, Romeo, Tybalt, Juliet, Nurse, Benvolio",
    "Romeo, Benvolio, Mercutio",
    "Romeo, Juliet, Nurse",
    "Friar Laurence, Romeo",
    "Benvolio, Mercutio, Romeo, Nurse, Peter",
    "Juliet, Nurse",
    "Friar Laurence, Romeo, Juliet",
    "Benvolio, Mercutio, Tybalt, Romeo, Lady Capulet, Escalus, Montague",
    "Juliet, Nurse",
    "Friar Laurence, Romeo, Nurse",
    "Capulet, Lady Capulet, Paris",
    "Romeo, Juliet, Nurse, Lady Capulet, Capulet",
    "Friar Laurence, Paris, Juliet",
    "Capulet, Lady Capulet, Nurse, Juliet",
    "Juliet, Lady Capulet",
    "Lady Capulet, Nurse, Capulet",
    "Nurse, Lady Capulet, Capulet, Friar Laurence, Paris, Peter",
    "Romeo, Balthasar, Apothecary",
    "Friar John, Friar Laurence",
    "Paris, Romeo, Balthasar, Friar Laurence, Juliet, Escalus, Capulet, Lady Capulet, Montague",
)

# Latitude and longitude in degrees, east positive.
_PLACES = {
    "Amsterdam": (52.4, 4.9),
    "Berlin": (52.5, 13.4),
    "Bern": (46.9, 7.4),
    "Bratislava": (48.1, 17.1),
    "Brussels": (50.8, 4.4),
    "Budapest": (47.5, 19.0),
    "Copenhagen": (55.7, 12.6),
    "Lisbon": (38.7, -9.1),
    "Ljubljana": (46.1, 14.5),
    "Luxembourg": (49.6, 6.1),
    "Madrid": (40.4, -3.7),
    "Paris": (48.9, 2.4),
    "Prague": (50.1, 14.4),
    "Rome": (41.9, 12.5),
    "Vienna": (48.2, 16.4),
    "Warsaw": (52.2, 21.0),
    "Zagreb": (45.8, 16.0),
}
# Each border once.
_BORDERS = {
    "Lisbon": "Madrid",
    "Madrid": "Paris",
    "Paris": "Brussels Luxembourg Berlin Bern Rome",
    "Brussels": "Amsterdam Berlin Luxembourg",
    "Berlin": "Amsterdam Luxembourg Copenhagen Warsaw Prague Vienna Bern",
    "Bern": "Vienna Rome",
    "Rome": "Vienna Ljubljana",
    "Vienna": "Prague Bratislava Budapest Ljubljana",
    "Prague": "Warsaw Bratislava",
    "Bratislava": "Warsaw Budapest",
    "Budapest": "Ljubljana Zagreb",
    "Ljubljana": "Zagreb",
}
