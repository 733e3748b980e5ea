# SPDX-License-Identifier: Apache-2.0
"""Rows of the store's edges in arrays, 19 bytes each: what a step of a path was made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kg import Store

__all__ = ["EdgeRows"]


class EdgeRows:
    """The edges of some relations of a graph, by pair; rows of a pair in the order of `BuiltGraph.provenance`.

    >>> import tempfile
    >>> from atoll import kg
    >>> from atoll.serve.edge_rows import EdgeRows
    >>> with kg.Store(kg.sample_store(tempfile.mkdtemp())) as store:
    ...     rows = EdgeRows(store, "literature", ["co-occurrence"])
    >>> [(row["kind"], row["count"], row["file"]) for row in rows.between(2, 1)]
    [('GC', 34, 'literature_edges.csv')]
    """

    def __init__(self, store: Store, graph: str, relations: Sequence[str]) -> None:
        self._kinds = store.sql(
            "select distinct relation, kind from edges where graph = $graph and list_contains($relations, relation) "
            "order by all",
            {"graph": graph, "relations": list(relations)},
        ).fetchall()
        columns = store.sql(
            "with kinds as (select relation, kind, row_number() over (order by relation, kind) - 1 as place from "
            "(select distinct relation, kind from edges where graph = $graph and list_contains($relations, relation))) "
            "select a::bigint << 32 | b as pair, place::usmallint as kind, coalesce(count, -1) as count, "
            "coalesce(source, -1) as source from edges e join kinds k on e.relation = k.relation "
            "and e.kind is not distinct from k.kind where graph = $graph order by pair, place, source",
            {"graph": graph, "relations": list(relations)},
        ).fetchnumpy()
        self._pairs, self._kind, self._count, self._source = (
            np.ma.getdata(columns[name]) for name in ("pair", "kind", "count", "source")
        )
        # Where a file lies is no client's business: its name is.
        self._files = {
            source: path.replace("\\", "/").rsplit("/", 1)[-1]
            for source, path in store.sql("select source, path from sources").fetchall()
        }

    def between(self, a: int, b: int) -> list[dict[str, Any]]:
        """The rows of two concepts: relation, kind, count, source, file."""
        pair = min(a, b) << 32 | max(a, b)
        place = int(self._pairs.searchsorted(pair)) - 1
        rows = []
        while (place := place + 1) < len(self._pairs) and self._pairs[place] == pair:
            relation, kind = self._kinds[self._kind[place]]
            count, source = int(self._count[place]), int(self._source[place])
            rows.append(
                {
                    "relation": relation,
                    "kind": kind,
                    "count": None if count < 0 else count,
                    "source": None if source < 0 else source,
                    "file": self._files.get(source),
                }
            )
        return rows
