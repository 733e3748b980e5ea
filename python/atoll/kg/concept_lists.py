# SPDX-License-Identifier: Apache-2.0
"""Lists of concepts by id or name, as people write them: which of a graph they are, all that is wrong said at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np

from ..errors import InputError, UsageError
from .curated_side import CuratedSide
from .distances import BuiltGraph, concepts_of, numbers_named
from .inputs.files import text_lines

__all__ = ["listed", "mapped_concepts"]


def listed(words: Sequence[str]) -> list[str]:
    """Ids and names: those that are given, and of each file that is given its lines.

    A file has one a line; blank lines, and lines that begin with #, are passed over.

    >>> import pathlib, tempfile
    >>> from atoll.kg.concept_lists import listed
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "chosen.txt"
    >>> _ = file.write_text("# the first two\\nMESH:D1\\nCommon Cold\\n")
    >>> listed([str(file), "MESH:D9"])
    ['MESH:D1', 'Common Cold', 'MESH:D9']
    """
    found: list[str] = []
    for word in words:
        lines = text_lines(word) if os.path.exists(word) else [word]
        found += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return found


def mapped_concepts(
    graph: BuiltGraph, curated: CuratedSide, curated_name: str, names: Sequence[str], *, of: str | None = None
) -> np.ndarray:
    """Numbers of the mapped concepts that a list names, ascending, each once, however often it is named.

    Each name is an id, else a name, else a synonym (`BuiltGraph.concept`). The paper's authors chose 54 concepts of the
    curated graph, which are 68 of the literature: names of the curated graph (`of`) stand for all concepts that have
    them as counterparts.

    Parameters
    ----------
    graph : BuiltGraph
    curated : CuratedSide       of the graph `curated_name` of the store
    names : sequence of str
    of : str, optional          the graph whose names they are: the built one (default) or the curated one

    Returns
    -------
    ndarray of int64

    Raises
    ------
    UsageError                  `of` is neither graph
    InputError                  names that no concept has, that several have, or whose concepts have no counterpart, all
                                of them; fewer than two concepts, of which no pair is made

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> with kg.BuiltGraph(folder) as graph:
    ...     curated = kg.CuratedSide(graph, "curated")
    ...     chosen = kg.mapped_concepts(graph, curated, "curated", ["trk7", "Velotamine", "Marden syndrome"])
    ...     [table] = kg.classify(graph, curated, chosen)
    >>> chosen, len(table.code)
    (array([0, 1, 2]), 3)
    """
    where = graph.graph if of is None else of
    if where not in (graph.graph, curated_name):
        raise UsageError(
            f"concepts of graph {where} (paths of {graph.graph} are held against {curated_name}). Name one of the two."
        )
    numbers = numbers_named(graph.store, where, names)
    unknown = [name for name in names if not numbers[name]]
    if unknown:
        first = unknown[0]
        near = f"; nearest to {first!r}: {'; '.join(map(str, graph.nearest(first)))}" if where == graph.graph else ""
        raise InputError(
            f"{_all(unknown)}: no concepts of graph {where} ({len(unknown)} of {len(numbers)}{near}). Correct them, or "
            "leave them out."
        )
    several = [
        f"{name} ({', '.join(concept.id for concept in concepts_of(graph.store, where, numbers[name][:5]))})"
        for name in names
        if len(numbers[name]) > 1
    ]
    if several:
        raise InputError(
            f"{_all(several)}: several concepts of graph {where} have each of these names. Give their ids instead."
        )
    wanted = {name: numbers[name][0] for name in names}
    if where == graph.graph:
        unbuilt = [name for name, number in wanted.items() if number not in graph.distances.ids]
        if unbuilt:
            raise InputError(
                f"{_all(unbuilt)}: {len(unbuilt)} of {len(wanted)} are not among the types that were built. Leave them "
                "out, or build all types."
            )
        found = {name: np.intersect1d(curated.concepts, [number]) for name, number in wanted.items()}
    else:
        found = {name: curated.concepts_with([number]) for name, number in wanted.items()}
    unmapped = [name for name, concepts in found.items() if not len(concepts)]
    if unmapped:
        raise InputError(
            f"{_all(unmapped)}: {len(unmapped)} of {len(wanted)} have no counterpart in graph "
            f"{curated_name if where == graph.graph else graph.graph} (a scenario needs mapped ends). Leave them out, "
            "or map them: atoll kg map."
        )
    chosen = np.unique(np.concatenate([*found.values(), np.empty(0, np.int64)])).astype(np.int64)
    if len(chosen) < 2:
        raise InputError(f"the list names {len(chosen)} concepts (pairs need two). Name more.")
    return chosen


def _all(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(map(repr, names)))
