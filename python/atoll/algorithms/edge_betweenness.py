# SPDX-License-Identifier: Apache-2.0
"""Betweenness of edges. Collective over graph.comm."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..attributes import weighted_graph
from ..collective_arguments import checked
from ..graph import GraphLike
from ..graph_properties import counted
from ..interchange.frames import pandas_table
from ..named_errors import in_names
from ..progress import listening
from .centrality import chosen_sources
from .results import Result

__all__ = ["EdgeBetweennessResult", "edge_betweenness_centrality"]


@dataclass(frozen=True, repr=False, eq=False)
class EdgeBetweennessResult(Result):
    """Betweenness of this rank's edges: on one rank, of all."""

    _main = "score"
    source: np.ndarray
    """Where each edge begins: int64 original ids, ascending, or names; of an undirected edge the smaller id."""
    target: np.ndarray
    """Where it ends."""
    score: np.ndarray
    """float64 betweenness."""
    prepare_seconds: float
    seconds: float

    @checked
    def to_pandas(self, *, nullable: bool = False) -> Any:
        """The edges of this rank as a pandas.DataFrame with the columns source, target and score; none is missing.

        Examples
        --------
        >>> atoll.edge_betweenness_centrality("path:3", normalized=False).to_pandas()["score"].tolist()
        [2.0, 2.0]
        """
        return pandas_table({"source": self.source, "target": self.target, "score": self.score})

    def __repr__(self) -> str:
        return f"<atoll.EdgeBetweennessResult: {counted(len(self.score), 'edge')}>"


@checked
def edge_betweenness_centrality(
    graph: GraphLike,
    *,
    k: int | None = None,
    sources: Iterable[int | str] | None = None,
    weight: bool | str | None = None,
    normalized: bool = True,
    seed: int = 1,
    progress: Callable[[int, int], object] | bool | None = None,
) -> EdgeBetweennessResult:
    """Computes the betweenness of edges [1]_: the sum over pairs s, t of the share of their shortest paths along each.

    From all vertices or from some sources, whose sum is scaled up as NetworkX does. Normalised, and counted for
    undirected pairs once, as there. Self-loops have 0; copies of an edge (duplicates="keep") are one, with the sum of
    their scores. Collective over graph.comm.

    Parameters
    ----------
    graph : Graph               n vertices
    k, sources, weight, seed, progress
                                as of betweenness_centrality
    normalized : bool           divide by n (n - 1), undirected by half of it

    Returns
    -------
    EdgeBetweennessResult       .source, .target, .score: arrays with the edges of this rank's vertices; undirected
                                edges once

    Raises
    ------
    InputError                  as betweenness_centrality

    References
    ----------
    .. [1] U. Brandes. "On variants of shortest-path betweenness centrality and their generic computation." Social
       Networks 30(2), 2008.

    Examples
    --------
    >>> found = atoll.edge_betweenness_centrality(atoll.Graph("path:4"), normalized=False)
    >>> found.source, found.target, found.score
    (array([0, 1, 2]), array([1, 2, 3]), array([3., 4., 3.]))
    """
    options = f"{k=}, {weight=}, {normalized=}, {seed=}"
    chosen = chosen_sources(graph, k, sources, seed, f"edge_betweenness_centrality({options})")
    graph, by_weight = weighted_graph(graph, weight)
    with listening(progress, "edge_betweenness", graph.rank) as told, in_names(graph):
        found = _core.edge_betweenness(graph._core, chosen, by_weight, told)
    source, target = found["source"].view(np.int64), found["target"].view(np.int64)
    score = found["score"]
    n = graph.n
    if n > 1:
        score *= (1 / (n - 1) if normalized else n / (1 if graph.directed else 2)) / len(chosen)
    return EdgeBetweennessResult(
        source=graph._as_known(source),
        target=graph._as_known(target),
        score=score,
        prepare_seconds=found["prepare_seconds"],
        seconds=found["seconds"],
    )
