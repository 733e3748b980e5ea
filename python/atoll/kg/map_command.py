# SPDX-License-Identifier: Apache-2.0
"""`atoll kg map DIR`: tables of cross-references, from ids of the literature to those of the curated graph."""

from __future__ import annotations

import argparse
import time

from .answer import answer
from .database import add_threads
from .import_command import imports_text
from .inputs.cross_references import import_cross_references
from .inputs.vocabularies import FORMATS
from .store import Store

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command beside those that all have."""
    parser.add_argument("--table", required=True, metavar="FILE", help="of cross-references")
    parser.add_argument(
        "--from", required=True, dest="from_", metavar="COLUMN", help="or vocabulary, on the literature's side"
    )
    parser.add_argument("--to", required=True, metavar="COLUMN", help="or vocabulary, on the curated graph's side")
    parser.add_argument("--format", choices=list(FORMATS), help="of the table (default: --from and --to are columns)")
    parser.add_argument("--method", metavar="NAME", help="of the matches (default: the file's name)")
    parser.add_argument("--from-prefix", default="", metavar="TEXT", help="before ids under --from: MESH:")
    parser.add_argument("--to-prefix", default="", metavar="TEXT", help="before ids under --to: GENE:")
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    begin = time.perf_counter()
    with Store.writing(options.folder, wait=options.wait, threads=options.threads) as store:
        found = import_cross_references(
            store,
            options.table,
            from_=options.from_,
            to=options.to,
            method=options.method,
            format=options.format,
            from_prefix=options.from_prefix,
            to_prefix=options.to_prefix,
        )
        store.replaces = found.state != "unchanged"
        methods = store.sql("select method, count(*) from mappings group by method order by method").fetchall()
    result = {"imports": [found.to_json()], "mappings": dict(methods)}
    return answer(options, result, imports_text([found]), seconds=time.perf_counter() - begin)
