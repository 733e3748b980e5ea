# SPDX-License-Identifier: Apache-2.0
"""Sums over the distances by weight from or to each vertex."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..graph import Graph
from ..named_errors import in_names
from ..progress import listening


def row_summaries(graph: Graph, name: str, progress: Any, *, to_vertex: bool) -> dict[str, np.ndarray]:
    """Searches from each vertex by weight; `to_vertex`: against the edges. Collective.

    `farness`, `harmonic` and `greatest` are float64 of this rank's vertices, `reached` int64. `progress` is called with
    vertices done and all of this rank.
    """
    with listening(progress, name, graph.rank) as told, in_names(graph):
        found = _core.summarize_rows(graph._core, to_vertex, told)
    return {key: values.view(np.int64) if values.dtype.kind == "i" else values for key, values in found.items()}
