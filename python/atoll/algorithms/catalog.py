# SPDX-License-Identifier: Apache-2.0
"""The algorithms as the core lists them: one entry runs them all, by their names there (``atoll run --list``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from ..graph import Graph
from ..named_errors import in_names
from ..progress import listening

__all__ = ["run"]


def run(graph: Graph, name: str, *, progress: Any = None, **options: Any) -> dict[str, Any]:
    """The columns and scalars of an algorithm by their names, and `prepare_seconds` and `seconds`. Collective.

    Layouts and buffers stay with the graph, so that a later call with the same of their options prepares nothing; see
    Graph.release_layouts. Arrays among the options (int64 ids, float64 numbers) are taken as they are, without a copy;
    None is an option left out. `progress` is called with what is done and what there is: see progress.listening.
    """
    given = {key: value for key, value in options.items() if value is not None}
    with listening(progress, name, graph.rank) as told, in_names(graph):
        found = _core.run(graph._core, name, given, told)
    # nanobind's 64-bit integers are "long long", which prints otherwise.
    return {
        key: value.view(np.int64) if isinstance(value, np.ndarray) and value.dtype.kind == "i" else value
        for key, value in found.items()
    }
