# SPDX-License-Identifier: Apache-2.0
"""`atoll kg scenarios DIR`: which shortest paths of the literature the curated graph has, by the paper's scenarios."""

from __future__ import annotations

import argparse
import time

from ..errors import UsageError
from ..plot import bars
from ..standard_output import put
from .answer import answer
from .concept_lists import listed, mapped_concepts
from .curated_side import CuratedSide
from .database import add_threads
from .distances import BuiltGraph, as_json
from .scenario_tables import bar_text, example_text, examples, export_pairs
from .scenarios import READINGS, classify, co_occurring

__all__ = ["add_arguments", "run"]

_TOP = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command beside those that all have."""
    parser.add_argument("--graph", default="literature", help="that has been built (default literature)")
    parser.add_argument("--curated", default="curated", metavar="GRAPH", help="it is held against (default curated)")
    pairs = parser.add_mutually_exclusive_group(required=True)
    pairs.add_argument(
        "--from", dest="source", metavar="CONCEPT", help="all pairs of it and its most co-occurring concepts"
    )
    pairs.add_argument("--all", action="store_true", help="all pairs of mapped concepts")
    pairs.add_argument(
        "--concepts",
        nargs="+",
        metavar="FILE|CONCEPT",
        help="all pairs of these: ids or names, or files with one a line, in which # begins a comment",
    )
    parser.add_argument(
        "--concepts-of",
        metavar="GRAPH",
        help="--concepts are of this graph: the built one (default), or the curated one, each for all its counterparts",
    )
    parser.add_argument("--top", type=int, metavar="N", help=f"of --from: so many mapped concepts (default {_TOP})")
    parser.add_argument(
        "--reading",
        choices=READINGS,
        default="edge",
        help="edge: any curated edge counts (default); shortest: one on a shortest curated path between the ends",
    )
    parser.add_argument(
        "--examples", type=int, default=0, metavar="N", help="so many pairs of each scenario with their paths"
    )
    parser.add_argument("--export", metavar="FILE", help="write a row for each pair: .parquet or .csv")
    parser.add_argument("--svg", metavar="FILE", help="write the counts as a bar chart")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    if options.top is not None and options.source is None:
        others = "--all (which takes all concepts)" if options.all else "--concepts (which takes those that are named)"
        raise UsageError(f"--top {options.top} with {others}. Leave one out.")
    if options.concepts_of is not None and options.concepts is None:
        raise UsageError(f"--concepts-of {options.concepts_of} without --concepts (whose names it tells). Give both.")
    if options.examples < 0:
        raise UsageError(f"--examples {options.examples} (a number of pairs). Give 0 or more.")
    names = listed(options.concepts or [])
    with BuiltGraph(options.folder, options.graph, threads=options.threads) as graph:
        began = time.perf_counter()
        curated = CuratedSide(graph, options.curated)
        source = chosen = None
        if options.concepts is not None:
            chosen = mapped_concepts(graph, curated, options.curated, names, of=options.concepts_of)
        elif not options.all:
            source = graph.concept(options.source)
            chosen = co_occurring(graph, source.concept, _TOP if options.top is None else options.top, curated.concepts)
        [table] = classify(
            graph, curated, chosen, readings=(options.reading,), threads=options.threads, quiet=options.quiet
        )
        seconds = time.perf_counter() - began
        shown = examples(graph, curated, options.curated, table, options.examples)
        if options.export is not None:
            export_pairs(graph, table, options.export)
        if options.svg is not None:
            put(options.svg, bars(table.counts, "pairs by scenario") + "\n")
        result = {
            "reading": options.reading,
            "from": None if source is None else as_json(source),
            "listed": None if options.concepts is None else len(names),
            "concepts": len(table.concepts),
            "pairs": len(table.code),
            "counts": table.counts,
            "examples": shown,
            "stale": graph.is_stale,
        }
    text = f"{result['pairs']:,} pairs of {result['concepts']:,} mapped concepts, reading {options.reading!r}\n"
    text += bar_text(table) + "".join("\n" + example_text(example) for example in shown)
    return answer(options, result, text, seconds=seconds)
