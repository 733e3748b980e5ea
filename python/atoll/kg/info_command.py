# SPDX-License-Identifier: Apache-2.0
"""`atoll kg info DIR`: what the store has."""

from __future__ import annotations

import argparse
import time
from typing import Any

from .answer import aligned, answer, shortened
from .database import add_threads
from .inputs.quarantine import summary
from .store import Store

__all__ = ["add_arguments", "contents", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command beside those that all have."""
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    begin = time.perf_counter()
    with Store(options.folder, threads=options.threads) as store:
        found = contents(store)
    return answer(options, found, _text(found), seconds=time.perf_counter() - begin)


def contents(store: Store) -> dict[str, Any]:
    """Graphs with their types and relations, sources, mappings by method, and a summary of the quarantine.

    >>> import tempfile
    >>> from atoll.kg import Store
    >>> from atoll.kg.info_command import contents
    >>> with Store.writing(tempfile.mkdtemp()) as store:
    ...     contents(store)["graphs"]
    {}
    """
    graphs = {}
    for graph in store.graphs():
        types = store.sql(
            "select type, count(*) as n from concepts where graph = ? group by type order by n desc, type", [graph]
        ).fetchall()
        relations = store.sql(
            "select relation, count(*), sum(count)::bigint from (select a, b, relation, sum(count) as count from edges "
            "where graph = ? group by a, b, relation) group by relation order by relation",
            [graph],
        ).fetchall()
        graphs[graph] = {
            "concepts": sum(count for _, count in types),
            "types": dict(types),
            "edges": {relation: {"pairs": pairs, "count": count} for relation, pairs, count in relations},
        }
    columns = ("source", "graph", "role", "path", "digest", "rows", "kept", "imported")
    sources = store.sql(f"select {', '.join(columns)} from sources order by source").fetchall()
    return {
        "graphs": graphs,
        "sources": [dict(zip(columns, row)) for row in sources],
        "mappings": _mappings(store),
        "quarantine": [
            dict(zip(("source", "reason", "count", "line", "example"), row)) for row in summary(store)
        ],
        "meta": dict(store.sql("select key, value from meta order by key").fetchall()),
    }  # fmt: skip


def _mappings(store: Store) -> dict[str, Any]:
    methods = store.sql("select method, count(*) from mappings group by method order by method").fetchall()
    return {
        "methods": dict(methods),
        "literature": store.value("select count(distinct literature) from mappings"),
        "curated": store.value("select count(distinct curated) from mappings"),
    }


def _text(found: dict[str, Any]) -> str:
    text = ""
    for graph, has in found["graphs"].items():
        text += f"{graph}: {has['concepts']:,} concepts\n" + aligned(list(has["types"].items()), indent="  ")
        text += "".join(
            f"  {relation}: {edges['pairs']:,} edges, count {edges['count']:,} in all\n"
            for relation, edges in has["edges"].items()
        )
    mappings = found["mappings"]
    if mappings["methods"]:
        text += f"mappings: {mappings['literature']:,} concepts of literature to {mappings['curated']:,} of curated\n"
        text += aligned(list(mappings["methods"].items()), indent="  ")
    text += "sources\n" + aligned(
        [
            [
                one["source"],
                f"{one['graph']} {one['role']}".strip(),
                f"{one['rows']:,} rows, {one['kept']:,} kept",
                one["path"] + ("" if one["digest"] else " (to be imported again: the nodes have changed)"),
            ]
            for one in found["sources"]
        ],
        indent="  ",
    )
    if found["quarantine"]:
        text += "quarantine\n" + aligned(
            [
                [one["source"], one["reason"], one["count"], shortened(one["example"])]
                for one in found["quarantine"]
            ],
            indent="  ",
        )  # fmt: skip
    return text
