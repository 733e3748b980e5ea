# SPDX-License-Identifier: Apache-2.0
"""From a store to all pairs' distances beside it: DIR/GRAPH.distances.npy (or .tiles) and DIR/GRAPH.graph.json.

The graph's vertices are the concepts' numbers, so the distance file's ids are concepts, and its arcs have the lengths
in units of fixed point. DIR/GRAPH.graph.json says what was built; it goes first and comes back last, so that it never
stands beside distances of another build.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..algorithms.paths import sssp
from ..algorithms.structure import connected_components
from ..arguments import one_of
from ..collective_arguments import checked
from ..errors import UsageError
from ..graph import Graph
from ..pairs import all_pairs
from ..world import World, run_ranks
from .relations import FixedPoint, fixed_point
from .store import Store, locked
from .weights import OFFSET, WeightedEdges, weighted_edges

__all__ = ["build", "description_file", "distance_file"]

FORMAT = 1
FORMS = ("npy", "tiles")


def _beside(folder: str | os.PathLike[str], graph: str, ending: str) -> Path:
    if not re.fullmatch(r"\w[\w.-]*", graph):
        raise UsageError(f"graph is {graph!r} (files are named after it: letters, digits, . - and _). Name it so.")
    return Path(folder) / f"{graph}.{ending}"


def distance_file(folder: str | os.PathLike[str], graph: str, form: str) -> Path:
    """Where the distances of a graph lie that was built in one of `FORMS`.

    >>> from atoll.kg.building import distance_file
    >>> distance_file("covid", "literature", "npy").as_posix()
    'covid/literature.distances.npy'
    """
    return _beside(folder, graph, f"distances.{form}")


def description_file(folder: str | os.PathLike[str], graph: str) -> Path:
    """Where it stands what was built.

    >>> from atoll.kg.building import description_file
    >>> description_file("covid", "literature").as_posix()
    'covid/literature.graph.json'
    """
    return _beside(folder, graph, "graph.json")


@checked
def build(
    folder: str | os.PathLike[str],
    *,
    graph: str = "literature",
    relations: Sequence[str] | None = None,
    types: Sequence[str] | None = None,
    weights: str | None = None,
    offset: float = OFFSET,
    form: str = "npy",
    ranks: int = 1,
    threads: int = 0,
    wait: float = 10.0,
) -> dict[str, Any]:
    """Builds a graph of the store and computes the distances between all pairs of its concepts by `atoll.all_pairs`.

    Lengths are -ln(share) + offset (`atoll.kg.relations`), rounded to whole units of fixed point, whose sums are exact;
    of weights="unit" hops. The result lies beside the store and replaces what an earlier build has left.

    Parameters
    ----------
    folder : path               with a store
    graph : str                 of the store
    relations, types, weights, offset
                                see `weighted_edges`; weights "log" or "unit"
    form : {"npy", "tiles"}     of the distance file: see `atoll.apsp.DistanceFile`. Of npy a path is found ten times as
                                fast where rows are asked for at random (`atoll serve`)
    ranks : int                 that compute, as threads of this process
    threads : int               of each rank, and of DuckDB; 0: the cores that there are, shared by the ranks
    wait : float                seconds for another build of the graph to end

    Returns
    -------
    dict                        what was built: graph, relations, types, weights, offset, vertices, edges, components,
                                unit (the length of a unit of the distances), form, raised (edges raised to one unit),
                                duplicates (rows that were merged: `WeightedEdges.duplicates`), method, seconds

    Raises
    ------
    InputError                  no such graph, relation or type
    UsageError                  weights="share": `atoll.all_pairs(semiring="max_min")` takes `weighted_edges`; another
                                process builds the graph

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> built = kg.build(kg.sample_store(tempfile.mkdtemp()))
    >>> built["vertices"], built["edges"], built["components"]
    (61, 611, 3)
    """
    began = time.perf_counter()
    if weights == "share":
        raise UsageError(
            "weights is 'share' (shares are widths, of which no shortest path is made). Use 'log', or give "
            'weighted_edges(...) to atoll.Graph and all_pairs(semiring="max_min").'
        )
    if ranks < 1:
        raise UsageError(f"ranks is {ranks} (at least one computes). Give 1 or more.")
    if threads < 0:
        raise UsageError(f"threads is {threads} (0 takes the cores there are). Give 0 or more.")
    one_of("form", form, FORMS)
    description = description_file(folder, graph)
    with Store(folder, threads=threads) as store:
        edges = weighted_edges(store, graph=graph, relations=relations, types=types, weights=weights, offset=offset)
        fingerprint = store.fingerprint(graph)
    read = time.perf_counter()
    longest, components = _longest_path(edges, threads)
    is_hops = edges.weights == "unit"
    lengths = FixedPoint(edges.values, 0, 0) if is_hops else fixed_point(edges.values, longest, len(edges.concepts))
    kind = ("uint8" if longest < 255 else "uint16" if longest < 65535 else "int32") if is_hops else "int32"

    def compute(world: World) -> dict[str, Any]:
        mine = slice(world.rank, None, world.size)
        ends = [np.ascontiguousarray(column[mine]) for column in (edges.a, edges.b)]
        weight = None if is_hops else np.ascontiguousarray(lengths.units[mine])
        vertices = edges.concepts if world.rank == 0 else edges.concepts[:0]
        pairs = all_pairs(Graph.from_edges(*ends, weight, directed=False, vertices=vertices, comm=world), dtype=kind)
        solved = time.perf_counter()
        pairs.save(distance_file(folder, graph, form), replace=True)
        return {"method": pairs.report["method"], "solved": solved}

    with locked(Path(folder), wait, name=f"{graph}.build.lock"):
        description.unlink(missing_ok=True)
        found = run_ranks(ranks, compute, plan={"threads": threads} if threads else None)[0]
        built = {
            "format": FORMAT,
            "graph": graph,
            "relations": list(edges.relations),
            "types": sorted(types) if types else None,
            "weights": edges.weights,
            "offset": offset if edges.weights == "log" else 0.0,
            "unit": 2.0**-lengths.bits,
            "form": form,
            "raised": lengths.raised,
            "vertices": len(edges.concepts),
            "edges": len(edges.a),
            "components": components,
            "duplicates": edges.duplicates,
            "fingerprint": fingerprint,
            "method": found["method"],
            "seconds": {
                "read": read - began,
                "all_pairs": found["solved"] - read,
                "save": time.perf_counter() - found["solved"],
                "total": time.perf_counter() - began,
            },
        }
        _core.write_file(str(description), json.dumps(built, indent=1) + "\n")
        _remove_other_forms(folder, graph, form)
    return built


def _remove_other_forms(folder: str | os.PathLike[str], graph: str, form: str) -> None:
    """Removes what an earlier build left in another form. Processes that have it open keep it until they close it."""
    for other in set(FORMS) - {form}:
        old = distance_file(folder, graph, other)
        if old.is_dir():
            shutil.rmtree(old)
        else:
            old.unlink(missing_ok=True)


def _longest_path(edges: WeightedEdges, threads: int) -> tuple[float, int]:
    """A bound of every shortest path's length, and the number of components.

    Twice the farthest distance from one vertex of each component. All components are searched at once: from an added
    vertex that has an edge of length 1 to the first of each.
    """
    one_rank = {"transport": "inproc", **({"threads": threads} if threads else {})}
    graph = Graph.from_edges(edges.a, edges.b, directed=False, vertices=edges.concepts, plan=one_rank)
    first = np.unique(connected_components(graph).component.gather())
    added = np.int64(edges.concepts[-1] + 1)
    joined = Graph.from_edges(
        np.concatenate([edges.a, first]),
        np.concatenate([edges.b, np.full(len(first), added)]),
        np.concatenate([edges.values, np.ones(len(first))]),
        directed=False,
        vertices=np.append(edges.concepts, added),
        plan=one_rank,
    )
    farthest = float(sssp(joined, int(added), tree=False).distance.gather().max()) - 1.0
    return 2.0 * max(farthest, 0.0), len(first)
