# SPDX-License-Identifier: Apache-2.0
"""Distributed graphs on one engine in which every byte knows which link it crosses.

>>> import atoll
>>> graph = atoll.Graph("kron:10")  # or from arrays, a sparse matrix, a file
>>> result = atoll.bfs(graph, 1)
>>> result.depth.gather().shape
(1024,)

Graphs       Graph, of arrays, lists, dicts, tables, matrices, tensors, NetworkX, igraph, files, generators; `datasets`
Paths        bfs, bfs_tree, sssp, bellman_ford, negative_cycle, shortest_path, shortest_path_length, has_path,
             k_shortest_paths, shortest_simple_paths, all_shortest_paths, all_pairs, eccentricity
Flows        maximum_flow, minimum_cut, minimum_spanning_forest
Orders       topological_sort, topological_generations, is_directed_acyclic_graph, dag_longest_path,
             dag_longest_path_length, ancestors, descendants, find_cycle
Centrality   pagerank, betweenness_centrality, edge_betweenness_centrality, closeness_centrality, harmonic_centrality,
             eigenvector_centrality, katz_centrality, hits, degree_centrality
Structure    connected_components, strongly_connected_components, is_connected, biconnected_components, bridges,
             articulation_points, core_number, k_core, truss_numbers, k_truss, clustering, density, ego_graph,
             greedy_color, maximal_independent_set, maximal_matching
Communities  louvain_communities, leiden_communities, label_propagation, modularity, conductance
Similarity   of pairs: jaccard, overlap, cosine, common_neighbors, adamic_adar, resource_allocation,
             preferential_attachment; of all: similar_pairs, most_similar
Samples      random_walks, sample_neighbors
Pictures     draw
Matrices     spmm, SpMM; GCN, a graph neural network
Values       VertexArray, one for each vertex; UNREACHABLE, NO_VERTEX
Results      AllPairs, BellmanFordResult, BfsResult, BiconnectedComponentsResult, CentralityResult, ClusteringResult,
             ColoringResult, CommunitiesResult, ComponentsResult, CorenessResult, CutResult, EccentricityResult,
             EdgeBetweennessResult, FlowResult, HitsResult, IndependentSetResult, LabelPropagationResult,
             MatchingResult, NeighborSample, PageRankResult, PathResult, Picture, SimilarityResult,
             SpanningForestResult, SsspResult, TopologicalResult, TrussResult
Ranks        World, run_ranks, set_threads
Errors       Error: InputError, MissingVertexError, UsageError, IoError, TransportError, VerificationError,
             ConvergenceError, TimeLimitError
Modules      apsp, files of distances; plot, small pictures; to be imported: atoll.networkx, torch, kg, tune, report,
             serve, smpi

Functions of graphs take a Graph or what Graph() takes: ``atoll.pagerank([("Ann", "Bob"), ("Bob", "Cid")])``. help() of
one says more, dir(atoll) has all names. Every call works on one rank and on many: see `comm` of Graph. The logger
"atoll" is silent until it gets a handler.

Ctrl-C, and whatever else a signal handler raises, leaves a call of the main thread within a fraction of a second where
there is one rank; graphs and results stay as they were. Of several ranks a call is left where it waits for others, who
are in the midst of it: graphs of these ranks are lost, and the others' waits end with an error as when a rank fails.

In help(atoll) this overview is followed by all modules, and by each class and function in full: q leaves it.
"""

import os as _os
import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from . import apsp, datasets, plot  # noqa: F401 - atoll.apsp.open and so on are there without an import of their own
from ._core import VERSION as __version__
from .algorithms.acyclic import (
    TopologicalResult,
    ancestors,
    descendants,
    find_cycle,
    is_directed_acyclic_graph,
    topological_generations,
    topological_sort,
)
from .algorithms.bellman_ford import BellmanFordResult, bellman_ford, negative_cycle
from .algorithms.biconnected import (
    BiconnectedComponentsResult,
    articulation_points,
    biconnected_components,
    bridges,
)
from .algorithms.centrality import (
    PageRankResult,
    betweenness_centrality,
    pagerank,
)
from .algorithms.closeness import closeness_centrality, harmonic_centrality
from .algorithms.communities import (
    CommunitiesResult,
    conductance,
    leiden_communities,
    louvain_communities,
    modularity,
)
from .algorithms.edge_betweenness import EdgeBetweennessResult, edge_betweenness_centrality
from .algorithms.flow import CutResult, FlowResult, maximum_flow, minimum_cut
from .algorithms.gnn import GCN
from .algorithms.greedy import (
    ColoringResult,
    IndependentSetResult,
    MatchingResult,
    greedy_color,
    maximal_independent_set,
    maximal_matching,
)
from .algorithms.longest_path import dag_longest_path, dag_longest_path_length
from .algorithms.measures import degree_centrality, density, has_path, is_connected, shortest_path_length
from .algorithms.neighborhoods import ego_graph, k_core
from .algorithms.paths import (
    BfsResult,
    EccentricityResult,
    SsspResult,
    bfs,
    bfs_tree,
    eccentricity,
    sssp,
)
from .algorithms.point_to_point import (
    PathResult,
    all_shortest_paths,
    k_shortest_paths,
    shortest_path,
    shortest_simple_paths,
)
from .algorithms.sampling import NeighborSample, random_walks, sample_neighbors
from .algorithms.similarity import (
    SimilarityResult,
    adamic_adar,
    common_neighbors,
    cosine,
    jaccard,
    most_similar,
    overlap,
    preferential_attachment,
    resource_allocation,
    similar_pairs,
)
from .algorithms.spanning_forest import SpanningForestResult, minimum_spanning_forest
from .algorithms.spectral import CentralityResult, HitsResult, eigenvector_centrality, hits, katz_centrality
from .algorithms.spmm import SpMM, spmm
from .algorithms.structure import (
    ClusteringResult,
    ComponentsResult,
    CorenessResult,
    LabelPropagationResult,
    clustering,
    connected_components,
    core_number,
    label_propagation,
    strongly_connected_components,
)
from .algorithms.truss import TrussResult, k_truss, truss_numbers
from .drawing import Picture, draw
from .errors import (
    ConvergenceError,
    Error,
    InputError,
    IoError,
    MissingVertexError,
    TimeLimitError,
    TransportError,
    UsageError,
    VerificationError,
)
from .graph import Graph
from .other_names import no_attribute as _no_attribute
from .pairs import AllPairs, all_pairs
from .vertices import NO_VERTEX, UNREACHABLE, VertexArray
from .world import World, run_ranks, set_threads

_os.environ.setdefault("HWLOC_HIDE_ERRORS", "2")  # hwloc's words on stderr, where a machine has no /sys

# pydoc prints each class and function of this list in full, thousands of lines behind the overview above. Without the
# list it would print none of them, but `from atoll import *` would then bring every module that is loaded, networkx and
# torch among them, over the user's own of these names.
__all__ = [
    "GCN",
    "NO_VERTEX",
    "UNREACHABLE",
    "AllPairs",
    "BellmanFordResult",
    "BfsResult",
    "BiconnectedComponentsResult",
    "CentralityResult",
    "ClusteringResult",
    "ColoringResult",
    "CommunitiesResult",
    "ComponentsResult",
    "ConvergenceError",
    "CorenessResult",
    "CutResult",
    "EccentricityResult",
    "EdgeBetweennessResult",
    "Error",
    "FlowResult",
    "Graph",
    "HitsResult",
    "IndependentSetResult",
    "InputError",
    "IoError",
    "LabelPropagationResult",
    "MatchingResult",
    "MissingVertexError",
    "NeighborSample",
    "PageRankResult",
    "PathResult",
    "Picture",
    "SimilarityResult",
    "SpMM",
    "SpanningForestResult",
    "SsspResult",
    "TimeLimitError",
    "TopologicalResult",
    "TransportError",
    "TrussResult",
    "UsageError",
    "VerificationError",
    "VertexArray",
    "World",
    "__version__",
    "adamic_adar",
    "all_pairs",
    "all_shortest_paths",
    "ancestors",
    "articulation_points",
    "bellman_ford",
    "betweenness_centrality",
    "bfs",
    "bfs_tree",
    "biconnected_components",
    "bridges",
    "closeness_centrality",
    "clustering",
    "common_neighbors",
    "conductance",
    "connected_components",
    "core_number",
    "cosine",
    "dag_longest_path",
    "dag_longest_path_length",
    "degree_centrality",
    "density",
    "descendants",
    "draw",
    "eccentricity",
    "edge_betweenness_centrality",
    "ego_graph",
    "eigenvector_centrality",
    "find_cycle",
    "greedy_color",
    "harmonic_centrality",
    "has_path",
    "hits",
    "is_connected",
    "is_directed_acyclic_graph",
    "jaccard",
    "k_core",
    "k_shortest_paths",
    "k_truss",
    "katz_centrality",
    "label_propagation",
    "leiden_communities",
    "louvain_communities",
    "maximal_independent_set",
    "maximal_matching",
    "maximum_flow",
    "minimum_cut",
    "minimum_spanning_forest",
    "modularity",
    "most_similar",
    "negative_cycle",
    "overlap",
    "pagerank",
    "preferential_attachment",
    "random_walks",
    "resource_allocation",
    "run_ranks",
    "sample_neighbors",
    "set_threads",
    "shortest_path",
    "shortest_path_length",
    "shortest_simple_paths",
    "similar_pairs",
    "spmm",
    "sssp",
    "strongly_connected_components",
    "topological_generations",
    "topological_sort",
    "truss_numbers",
]


def __dir__() -> list[str]:
    return sorted([*__all__, "apsp", "datasets", "plot"])


if not _TYPE_CHECKING:  # to a type checker a name that is not there stays an error

    def __getattr__(name: str) -> _Any:
        raise _no_attribute(_sys.modules[__name__], name)
