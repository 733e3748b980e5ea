# SPDX-License-Identifier: Apache-2.0
"""Sums over the distances by weight from or to each vertex: of all others, or of drawn ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..graph import Graph
from ..named_errors import in_names
from ..progress import listening
from .catalog import run


def row_summaries(graph: Graph, name: str, progress: Any, *, to_vertex: bool) -> dict[str, np.ndarray]:
    """Searches from each vertex by weight; `to_vertex`: against the edges. Collective.

    `farness`, `harmonic` and `greatest` are float64 of this rank's vertices, `reached` int64. `progress` is called with
    vertices done and all of this rank.
    """
    with listening(progress, name, graph.rank) as told, in_names(graph):
        found = _core.summarize_rows(graph._core, to_vertex, told)
    return {key: values.view(np.int64) if values.dtype.kind == "i" else values for key, values in found.items()}


def summaries_from(graph: Graph, sources: np.ndarray, name: str, progress: Any) -> dict[str, np.ndarray]:
    """Searches from some vertices by weight, whose ids ascend. Collective.

    `farness` and `harmonic` are float64 of this rank's vertices, over the distances from the sources, and `reached`
    int64: how many other sources reach the vertex. `progress` is called with sources done and all.
    """
    count = len(graph.ids)
    sums = {"farness": np.zeros(count), "harmonic": np.zeros(count), "reached": np.zeros(count, np.int64)}
    with listening(progress, name, graph.rank) as told:
        for k, source in enumerate(sources.tolist()):
            distance = run(graph, "sssp", source=source)["distance"].astype(np.float64, copy=False)
            near = np.isfinite(distance) & (graph.ids != source)
            sums["reached"] += near
            sums["farness"][near] += distance[near]
            near &= distance > 0
            sums["harmonic"][near] += 1 / distance[near]
            if told is not None:
                told(k + 1, len(sources))
    return sums
