# SPDX-License-Identifier: Apache-2.0
"""Scenarios shown and handed on: bars (Figure 10 of the COAST paper), examples (Table VI), a table of all pairs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..algorithms.paths import bfs
from ..errors import IoError, UsageError
from ..vertices import NO_VERTEX, UNREACHABLE
from .curated_side import CuratedSide
from .database import require_duckdb, sql_text
from .distances import BuiltGraph, Concept, as_json, concepts_of
from .routes import shortest_walk, with_names
from .scenarios import SCENARIOS, PairScenarios

__all__ = ["MEANING", "bar_text", "example", "examples", "export_pairs"]

_BAR = 50  # characters of the longest
MEANING = {
    "1": "the curated graph has the whole path",
    "2a": "all concepts mapped, some edges curated",
    "2b": "all concepts mapped, no edge curated",
    "3a": "some unmapped; collapsed, the whole path is curated",
    "3b": "some unmapped; collapsed, some edges are",
    "3c": "some unmapped; collapsed, no edge is",
    "4": "no path in the literature, one in the curated graph",
    "neither": "no path in either",
}


def bar_text(table: PairScenarios) -> str:
    """Counts as bars of text, a line each; lengths by log(1 + count), as of `atoll.plot.bars`.

    >>> import numpy as np
    >>> from atoll.kg.scenarios import PairScenarios
    >>> from atoll.kg.scenario_tables import bar_text
    >>> table = PairScenarios("edge", np.arange(2), np.array([2], np.uint8), np.array([3]), np.array([0]))
    >>> print(bar_text(table).splitlines()[2])
    2b       1  ##################################################  all concepts mapped, no edge curated
    """
    counts = table.counts
    longest = np.log1p(max([1, *counts.values()]))
    width = max(len(f"{count:,}") for count in counts.values())
    lines = []
    for name, count in counts.items():
        bar = "#" * int(np.ceil(_BAR * np.log1p(count) / longest))
        lines.append(f"{name:<7}  {count:>{width},}  {bar:<{_BAR}}  {MEANING[name]}")
    return "\n".join(lines) + "\n"


def examples(
    graph: BuiltGraph, curated: CuratedSide, curated_name: str, table: PairScenarios, most: int
) -> list[dict[str, Any]]:
    """The first `most` pairs of each scenario: the literature's path, which of its edges are curated, a curated path.

    Returns
    -------
    list of dict                scenario; from, to; path: concepts as they follow, each with its counterparts, or None;
                                steps of the collapsed path with whether a curated edge joins them; curated: the
                                concepts of a shortest path between the nearest counterparts, or None

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from atoll import kg
    >>> from atoll.kg.scenario_tables import examples
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     curated = kg.CuratedSide(graph, "curated")
    ...     [table] = kg.classify(graph, curated, np.array([0, 1, 2]))
    ...     for found in examples(graph, curated, "curated", table, 1):
    ...         print(found["scenario"], [step["curated"] for step in found["steps"]])
    1 [True]
    2a [False, True]
    2b [False]
    """

    def curated_concepts(numbers: Sequence[int]) -> list[Concept]:
        return concepts_of(graph.store, curated_name, numbers)

    found = []
    for scenario in SCENARIOS:
        numbers = table.numbers_of(scenario, most)
        for a, b in zip(*(column.tolist() for column in table.pairs(numbers))):
            found.append({"scenario": scenario, **example(graph, curated, a, b, curated_concepts)})
    return found


def example(
    graph: BuiltGraph, curated: CuratedSide, a: int, b: int, curated_concepts: Callable[[Any], list[Concept]]
) -> dict[str, Any]:
    """One of `examples` without its scenario, for a pair of mapped concepts a < b.

    curated_concepts gives the concepts of the curated graph by number.

    >>> import tempfile
    >>> from atoll import kg
    >>> from atoll.kg.distances import concepts_of
    >>> from atoll.kg.scenario_tables import example
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     curated = kg.CuratedSide(graph, "curated")
    ...     found = example(graph, curated, 0, 2, lambda numbers: concepts_of(graph.store, "curated", numbers))
    >>> [concept["name"] for concept in found["path"]], [concept["id"] for concept in found["curated"]][::2]
    (['Marden syndrome', 'TRK7', 'Velotamine'], ['DOID:900000', 'DB900002'])
    """
    walk = shortest_walk(graph, graph.row_of(a), graph.row_of(b))
    ends = graph.concepts([a, b])
    path = None if walk is None else with_names(graph, [walk])[0].concepts
    steps = []
    if path is not None:
        mapped = [concept for concept in path if concept.concept in curated.concepts]
        places = np.searchsorted(curated.concepts, [concept.concept for concept in mapped])
        there = curated.edge_of(places[:-1], places[1:]) >= 0
        steps = [
            {"from": x.id, "to": y.id, "curated": bool(is_there)} for x, y, is_there in zip(mapped, mapped[1:], there)
        ]

    def counterparts(concept: Concept) -> list[str]:
        return [found.id for found in curated_concepts(_counterparts(curated, concept.concept))]

    curated_path = _curated_path(curated, a, b)
    return {
        "from": as_json(ends[0]),
        "to": as_json(ends[1]),
        "path": None if path is None else [{**as_json(c), "counterparts": counterparts(c)} for c in path],
        "steps": steps,
        "curated": None if curated_path is None else [as_json(concept) for concept in curated_concepts(curated_path)],
    }


def _counterparts(curated: CuratedSide, concept: int) -> np.ndarray:
    place = int(np.searchsorted(curated.concepts, concept))
    if place == len(curated.concepts) or curated.concepts[place] != concept:
        return curated.counterparts[:0]
    return curated.counterparts[curated.members[curated.offsets[place] : curated.offsets[place + 1]]]


def _curated_path(curated: CuratedSide, a: int, b: int) -> list[int] | None:
    """A shortest path between the nearest counterparts; None where there is none."""
    best: list[int] | None = None
    ids = curated.graph.ids
    targets = _counterparts(curated, b)
    for source in _counterparts(curated, a).tolist():
        tree = bfs(curated.graph, source)
        assert tree.depth is not None
        depth, parent = tree.depth.gather(), tree.parent.gather()
        away = depth[np.searchsorted(ids, targets)]
        reached = np.flatnonzero(away != UNREACHABLE)
        if len(reached) == 0:
            continue
        nearest = reached[np.argmin(away[reached])]
        target, hops = int(targets[nearest]), int(away[nearest])
        if best is not None and hops >= len(best) - 1:
            continue
        path = [target]
        while path[-1] != source:
            before = int(parent[np.searchsorted(ids, path[-1])])
            assert before != NO_VERTEX
            path.append(before)
        best = path[::-1]
    return best


def example_text(example: dict[str, Any]) -> str:
    """An example in lines, as a row of Table VI."""

    def name(concept: dict[str, Any]) -> str:
        return f"{concept['name']} ({concept['id']})" if concept["name"] else concept["id"]

    def way(concepts: list[dict[str, Any]] | None) -> str:
        return "none" if concepts is None else " -> ".join(map(name, concepts))

    lines = [f"{example['scenario']:<7}  literature  {way(example['path'])}"]
    if example["path"] is None:
        lines[0] += f" from {name(example['from'])} to {name(example['to'])}"
    lines.append(f"{'':<7}  curated     {way(example['curated'])}")
    return "\n".join(lines) + "\n"


def export_pairs(graph: BuiltGraph, table: PairScenarios, path: str | os.PathLike[str]) -> None:
    """Writes a row for each pair to a Parquet or CSV file, by its ending: ids, names, scenario, hops, edges_found.

    The file appears when it is whole, and takes the place of one that is there.

    Raises
    ------
    UsageError                  another ending
    IoError                     it cannot be written

    Examples
    --------
    >>> import numpy as np, os, tempfile
    >>> from atoll import kg
    >>> from atoll.kg.scenario_tables import export_pairs
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     curated = kg.CuratedSide(graph, "curated")
    ...     [table] = kg.classify(graph, curated, np.array([0, 1, 2]))
    ...     file = os.path.join(folder, "pairs.csv")
    ...     export_pairs(graph, table, file)
    >>> print(sorted(open(file))[0], end="")
    GENE:900001,TRK7,MESH:C900002,Velotamine,1,1,1
    """
    file = Path(path)
    endings = {".parquet": "format parquet", ".csv": "format csv, header"}
    how = endings.get(file.suffix.lower())
    if how is None:
        raise UsageError(f"{path} does not end in .parquet or .csv (the ending says the format). Choose one of these.")
    a, b = table.pairs()
    columns = {"a": a, "b": b, "scenario": table.code, "hops": table.hops, "edges_found": table.found}
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    connection = graph.store.connection
    connection.register("pairs_of_scenarios", columns)
    try:
        connection.execute(
            "copy (select x.id as from_id, x.name as from_name, y.id as to_id, y.name as to_name, "
            "list_extract(?::varchar[], scenario + 1) as scenario, hops, edges_found from pairs_of_scenarios p "
            "join concepts x on x.graph = ? and x.concept = p.a join concepts y on y.graph = ? and y.concept = p.b) "
            f"to {sql_text(str(part))} ({how})",
            [list(SCENARIOS), graph.graph, graph.graph],
        )
        os.replace(part, file)
    except (require_duckdb().Error, OSError) as e:
        reason = str(e).strip().splitlines()[0]
        raise IoError(f"{path}: cannot be written ({reason}). Choose another place.") from None
    finally:
        connection.unregister("pairs_of_scenarios")
        part.unlink(missing_ok=True)
