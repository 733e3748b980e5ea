# SPDX-License-Identifier: Apache-2.0
"""`atoll kg build DIR`: weights, and the distances between all pairs of concepts, beside the store."""

from __future__ import annotations

import argparse
from typing import Any

from ..report.text import seconds_text
from .answer import aligned, answer
from .building import FORMS, build
from .database import add_threads
from .relations import RELATIONS
from .weights import OFFSET

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command beside those that all have."""
    parser.add_argument("--graph", default="literature", help="of the store (default literature)")
    parser.add_argument(
        "--relation",
        action="append",
        choices=RELATIONS,
        help="of edges; may be given several times (default: co-occurrence where there are some, else all)",
    )
    parser.add_argument("--types", metavar="A,B", help="only concepts of these types (default: all)")
    parser.add_argument(
        "--weights",
        choices=("log", "unit"),
        help="log: -ln(share) + offset; unit: 1, so that lengths are hops (default log; of curated edges unit)",
    )
    parser.add_argument(
        "--offset",
        type=float,
        default=OFFSET,
        help=f"added to each -ln(share), which is 0 of a share of 1 (default {OFFSET})",
    )
    parser.add_argument(
        "--form",
        choices=FORMS,
        default=FORMS[0],
        help=f"of the file of distances (default {FORMS[0]})",
    )
    parser.add_argument("--ranks", type=int, default=1, help="that compute all pairs, as threads (default 1)")
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    built = build(
        options.folder,
        graph=options.graph,
        relations=options.relation,
        types=[name.strip() for name in options.types.split(",")] if options.types else None,
        weights=options.weights,
        offset=options.offset,
        form=options.form,
        ranks=options.ranks,
        threads=options.threads,
        wait=options.wait,
    )
    seconds = built.pop("seconds")
    steps = {f"{step}_seconds": spent for step, spent in seconds.items() if step != "total"}
    return answer(options, {**built, **steps}, _text(built, seconds), seconds=seconds["total"])


def _text(built: dict[str, Any], seconds: dict[str, float]) -> str:
    merged = built["duplicates"]
    return aligned(
        [
            [
                "graph",
                f"{built['graph']}: {', '.join(built['relations'])}; {', '.join(built['types'] or ['all types'])}",
            ],
            ["concepts", f"{built['vertices']:,} in {built['components']:,} components"],
            ["edges", f"{built['edges']:,}, of which {built['raised']:,} were raised to one unit"],
            ["weights", f"{built['weights']}, offset {built['offset']:g}, in units of {built['unit']:.3g}"],
            ["added up", f"{merged['added_up']:,} rows whose relation joins the same two: their counts"],
            ["parallel", f"{merged['parallel']:,} edges of several relations: the least length"],
            ["all pairs", f"by {built['method']} in {seconds_text(seconds['all_pairs'])}"],
            ["seconds", f"{seconds['total']:.2f}"],
        ]
    )
