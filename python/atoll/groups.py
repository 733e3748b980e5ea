# SPDX-License-Identifier: Apache-2.0
"""How large the groups are that vertices form by their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .world import agreed, all_gather

if TYPE_CHECKING:
    from .vertices import VertexArray

__all__ = ["group_members", "group_sizes"]


def group_sizes(values: VertexArray, here: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values of all ranks, of which `here` are this rank's, and their counts. Collective."""
    graph = values.graph
    with agreed(graph.world, f"group_sizes() of {values.name}"):
        if here.dtype.kind not in "iub":
            raise TypeError(
                f"{values.name} is {here.dtype} (groups are told by vertices or whole numbers). Round it, or use "
                "numpy.histogram(x.local)."
            )
    groups, counts = np.unique(here, return_counts=True)
    distinct, group_of = np.unique(all_gather(graph.world, groups), return_inverse=True)
    sizes = np.zeros(len(distinct), np.int64)
    np.add.at(sizes, group_of, all_gather(graph.world, counts.astype(np.int64)))
    order = np.argsort(-sizes, kind="stable")
    return distinct[order], sizes[order]


def group_members(values: VertexArray, here: np.ndarray) -> list[np.ndarray]:
    """Returns the ids of the vertices of each group, ascending, in the order of group_sizes. Collective."""
    graph = values.graph
    groups, sizes = group_sizes(values, here)
    ids, group_of = all_gather(graph.world, graph.ids), all_gather(graph.world, values.local)
    ascending = np.argsort(groups)
    there = np.isin(group_of, groups)
    place = ascending[np.searchsorted(groups[ascending], group_of[there])]
    ids = ids[there]
    ordered = ids[np.lexsort((ids, place))]
    return np.split(ordered, np.cumsum(sizes)[:-1]) if len(sizes) else []
