# SPDX-License-Identifier: Apache-2.0
"""Vertices that are any hashable Python objects: tuples, floats, enums, or whole numbers and str mixed."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..arguments import shown
from ..world import agreed, all_gather_objects, world_of
from .columns import is_int

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["FromHashables", "ObjectNames", "are_ids", "are_names"]


def are_ids(nodes: Iterable[Any]) -> bool:
    """Whether all are whole numbers that an id can be."""
    return all(is_int(node) and 0 <= node <= _core.MAX_ID for node in nodes)


def are_names(nodes: Iterable[Any]) -> bool:
    """Whether all are str, which the core has a dictionary of."""
    return all(isinstance(node, str) for node in nodes)


class ObjectNames:
    """The objects that vertices are, by id, as the core's dictionary has names. Equal objects are one vertex, as in a
    dict: 1, 1.0 and True are."""

    __slots__ = ("_ids", "_objects")

    def __init__(self, objects: list[Hashable]) -> None:
        self._objects = objects
        self._ids = {one: k for k, one in enumerate(objects)}

    def __len__(self) -> int:
        return len(self._objects)

    def find(self, one: Hashable) -> int:
        """The id of the vertex that this is; -1: none is."""
        try:
            return self._ids.get(one, -1)
        except TypeError:
            raise TypeError(f"{shown(one)} is no vertex (it is not hashable). Give a vertex.") from None

    def ids(self, objects: Iterable[Hashable], count: int) -> np.ndarray:
        return np.fromiter((self._ids[one] for one in objects), dtype=np.int64, count=count)

    def nearest_text(self, one: Any) -> str:
        """Returns an empty hint for error messages: objects have no measure of similarity, unlike names."""
        return ""

    def take(self, ids: np.ndarray) -> list[Any]:
        """The objects with these ids, None for what is no vertex."""
        objects = self._objects
        return [objects[k] if k >= 0 else None for k in ids.tolist()]


class FromHashables:
    """The constructor for vertices of any hashable kind."""

    __slots__ = ()

    @classmethod
    def _from_hashables(
        cls, src: list[Any], dst: list[Any], weight: Any, *, vertices: list[Any], **options: Any
    ) -> Graph:
        """Makes a graph as from_edges does, with ids in the order of first occurrence, by rank. Collective.

        Each rank has all objects, which travel as pickles.
        """
        world = world_of(options.get("comm"), options.get("plan"))
        with agreed(world):
            own = _distinct(itertools.chain(vertices, itertools.chain.from_iterable(zip(src, dst))))
        names = ObjectNames(list(dict.fromkeys(itertools.chain.from_iterable(all_gather_objects(world, own)))))
        with agreed(world):
            try:
                ends = [names.ids(side, len(side)) for side in (src, dst)]
            except KeyError as e:
                raise TypeError(
                    f"node {shown(e.args[0])} is not equal to its copy by pickle (over {world.size} ranks a vertex is "
                    "told by that). Use values, such as a str or a tuple."
                ) from None
        made: Graph = cls.from_edges(*ends, weight, vertices=len(names), **options)  # type: ignore[attr-defined]
        made._names = names
        return made


def _distinct(nodes: Iterable[Any]) -> list[Hashable]:
    own: dict[Hashable, None] = {}
    for node in nodes:
        try:
            own.setdefault(node)
        except TypeError:
            raise TypeError(f"node {shown(node)} is not hashable (a vertex is). Use tuple() for a list.") from None
    if None in own:
        raise TypeError("a node is None (which stands for no vertex). Leave such edges out.")
    return list(own)
