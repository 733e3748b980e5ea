# SPDX-License-Identifier: Apache-2.0
"""`atoll kg sample DIR`: tables of a made-up literature and a curated graph, to try the other verbs with."""

from __future__ import annotations

import argparse
import time

from .answer import answer
from .sample import write_sample

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command beside those that all have."""
    parser.add_argument("--concepts", type=int, default=300, metavar="N", help="of the literature (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="the same number gives the same tables (default 1)")


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    begin = time.perf_counter()
    files = write_sample(options.folder, concepts=options.concepts, seed=options.seed)
    rows = {name: len(file.read_text().splitlines()) - 1 for name, file in files.items()}
    result = {name: {"path": str(file), "rows": rows[name]} for name, file in files.items()}
    text = "".join(f"{file}: {rows[name]:,} rows\n" for name, file in files.items())
    return answer(options, result, text, seconds=time.perf_counter() - begin)
