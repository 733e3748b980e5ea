# SPDX-License-Identifier: Apache-2.0
"""NetworkX's k-truss."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from ..algorithms import truss
from .conditions import where_possible
from .graph import Graph


@where_possible
@nx.utils.not_implemented_for("directed")
@nx.utils.not_implemented_for("multigraph")
def k_truss(G: Graph, k: Any) -> Any:
    G._refuse_loops()
    made = type(G)()
    made.graph.update(G.graph)
    if len(G) == 0:
        return made
    graph, least = G._plain(), max(k, 2)
    found = truss.truss_numbers(graph)
    nodes = G._labels(np.flatnonzero(found.truss.local >= least))
    made.add_nodes_from((node, G._node[node]) for node in nodes)
    ends = (G._labels(end[found.of_edge >= least]) for end in graph.edges.arrays())
    made.add_edges_from((u, v, G._adj[u][v]) for u, v in zip(*ends))
    return made
