# SPDX-License-Identifier: Apache-2.0
"""NetworkX's functions of the greatest flow between two nodes. Of several greatest flows another may come out."""

from __future__ import annotations

from typing import Any, Callable

import networkx as nx
import numpy as np

from .. import _core
from .conditions import where_possible
from .dictionaries import Weights
from .graph import Graph


def _run(G: Graph, source: Any, target: Any, capacity: str) -> tuple[Any, dict[str, Any], Callable[[float], Any]]:
    """Returns the graph, what the core finds, and the type of NetworkX's numbers."""
    for node in (source, target):
        if node not in G:
            raise nx.NetworkXError(f"node {node!s} not in graph")
    if source == target:
        raise nx.NetworkXError("source and sink are the same node")
    weights = G._weights(capacity)
    graph = G._weighted(capacity)
    ids = graph.ids
    found = _core.maximum_flow(graph._core, int(ids[G._numbers()[source]]), int(ids[G._numbers()[target]]))
    whole = isinstance(weights, Weights) and weights.integral
    return graph, found, int if whole else float


@where_possible
def maximum_flow_value(
    flowG: Graph, _s: Any, _t: Any, capacity: str = "capacity", flow_func: Any = None, **kwargs: Any
) -> Any:
    _, found, number = _run(flowG, _s, _t, capacity)
    return number(found["value"])


@where_possible
def maximum_flow(
    flowG: Graph, _s: Any, _t: Any, capacity: str = "capacity", flow_func: Any = None, **kwargs: Any
) -> tuple[Any, dict[Any, dict[Any, Any]]]:
    graph, found, number = _run(flowG, _s, _t, capacity)
    first, last = (flowG._labels(np.searchsorted(graph.ids, found[end].view(np.int64))) for end in ("source", "target"))
    flows: dict[Any, dict[Any, Any]] = {node: {} for node in flowG._nodes}
    starts, ends = flowG._edges
    for u, v in zip(flowG._labels(starts), flowG._labels(ends)):  # in NetworkX's order, self-loops too
        flows[u][v] = 0
        if not flowG.is_directed():
            flows[v][u] = 0
    for u, v, flow in zip(first, last, found["flow"].tolist()):
        if flow > 0:
            flows[u][v] = number(flow)
        elif flow < 0:
            flows[v][u] = number(-flow)
    return number(found["value"]), flows


@where_possible
def minimum_cut_value(
    flowG: Graph, _s: Any, _t: Any, capacity: str = "capacity", flow_func: Any = None, **kwargs: Any
) -> Any:
    return maximum_flow_value(flowG, _s, _t, capacity)


@where_possible
def minimum_cut(
    flowG: Graph, _s: Any, _t: Any, capacity: str = "capacity", flow_func: Any = None, **kwargs: Any
) -> tuple[Any, tuple[set, set]]:
    graph, found, number = _run(flowG, _s, _t, capacity)
    side = set(flowG._labels(np.searchsorted(graph.ids, found["target_side"].view(np.int64))))
    return number(found["value"]), (set(flowG._nodes) - side, side)
