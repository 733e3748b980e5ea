# SPDX-License-Identifier: Apache-2.0
"""`atoll kg paths DIR --from CONCEPT --to CONCEPT`: shortest paths with names, weights, counts and sources."""

from __future__ import annotations

import argparse
import time

from .answer import answer
from .database import add_threads
from .distances import BuiltGraph
from .routes import ConceptPath, FoundPaths, find_paths

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command beside those that all have."""
    parser.add_argument("--graph", default="literature", help="that has been built (default literature)")
    parser.add_argument("--from", dest="source", required=True, metavar="CONCEPT", help="an id or a name")
    parser.add_argument("--to", dest="target", required=True, metavar="CONCEPT", help="an id or a name")
    parser.add_argument("--k", type=int, default=1, help="the k shortest paths (default 1)")
    parser.add_argument(
        "--pass",
        dest="passes",
        action="extend",
        nargs="+",
        default=[],
        metavar="TYPE|CONCEPT",
        help="for each, a concept of it lies between the ends",
    )
    parser.add_argument(
        "--avoid",
        dest="avoids",
        action="extend",
        nargs="+",
        default=[],
        metavar="TYPE|CONCEPT",
        help="no concept of these lies between the ends",
    )
    parser.add_argument("--max-hops", type=int, help="at most so many edges")
    parser.add_argument("--limit", type=float, default=30.0, metavar="SECONDS", help="of the search (default 30)")
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code, 1 where there is no path."""
    with BuiltGraph(options.folder, options.graph, threads=options.threads) as graph:
        began = time.perf_counter()
        found = find_paths(
            graph,
            options.source,
            options.target,
            k=options.k,
            passes=options.passes,
            avoids=options.avoids,
            max_hops=options.max_hops,
            limit=options.limit,
        )
        seconds = time.perf_counter() - began
        result = {**found.to_json(), "stale": graph.is_stale}
    code = answer(options, result, _text(found), seconds=seconds)
    return code if found.paths else 1


def _text(found: FoundPaths) -> str:
    if not found.paths:
        text = f"no such path from {found.source} to {found.target}\n"
    else:
        text = "".join(f"{i}. {_path_text(path)}" for i, path in enumerate(found.paths, 1))
    if found.shorter_walk is not None:
        text += f"shorter, but over a concept twice: {_path_text(found.shorter_walk)}"
    return text


def _path_text(path: ConceptPath) -> str:
    lines = [f"weight {path.weight:.6g}, {path.hops} hop{'s' if path.hops != 1 else ''}: {path.concepts[0]}"]
    for step in path.steps:
        files = sorted({row["file"] for row in step.rows if row["file"]})
        kinds = sorted({row["kind"] or row["relation"] for row in step.rows})
        origin = f"; {', '.join(files)}" if files else ""
        count = f"count {step.count:,} {'/'.join(kinds)}{origin}"
        lines.append(f"   -> {step.target} [{step.target.type}]  weight {step.weight:.4g}, {count}")
    return "\n".join(lines) + "\n"
