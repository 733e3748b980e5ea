# SPDX-License-Identifier: Apache-2.0
"""`atoll kg quarantine DIR`: rows that were not as they should be, each with its file, line and text."""

from __future__ import annotations

import argparse
import time

from .answer import aligned, answer, shortened
from .database import add_threads
from .inputs.quarantine import records
from .store import Store

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command beside those that all have."""
    parser.add_argument("--graph", help="only of this graph's sources")
    parser.add_argument("--reason", metavar="BEGINNING", help="only of reasons that begin so: 'self-loop'")
    parser.add_argument("--limit", type=int, default=100, help="so many rows at most (default 100)")
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    begin = time.perf_counter()
    with Store(options.folder, threads=options.threads) as store:
        rows, most = records(store, graph=options.graph, reason=options.reason, limit=options.limit)
    names = ("graph", "path", "line", "reason", "record")
    text = aligned(
        [
            [reason, f"{path}:{'?' if line is None else line}", shortened(record)]
            for _, path, line, reason, record in rows
        ]
    )
    if most > len(rows):
        text += f"{len(rows):,} of {most:,} rows; more by --limit {most}\n"
    result = {"rows": [dict(zip(names, row)) for row in rows], "count": most}
    return answer(options, result, text, seconds=time.perf_counter() - begin)
