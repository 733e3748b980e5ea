# SPDX-License-Identifier: Apache-2.0
"""`atoll kg import DIR`: tables of nodes and edges, annotations, predications and citations into the store."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import Any

from ..errors import UsageError
from .answer import aligned, answer, shortened
from .database import add_threads
from .inputs.citations import import_citations
from .inputs.concepts import import_nodes
from .inputs.edges import RELATIONS, import_edges
from .inputs.predications import import_predications
from .inputs.pubtator import import_pubtator
from .inputs.sources import Import
from .inputs.sql_source import attach, read_attached, without_password
from .store import Store

__all__ = ["add_arguments", "imports_text", "run"]

_NODE_COLUMNS = ("id", "name", "type", "synonyms", "occurrences", "mapped")
_EDGE_COLUMNS = ("source", "target", "count", "kind")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the command beside those that all have."""
    parser.add_argument("--graph", default="literature", help="literature (default), curated, or another name")
    what = "(.csv .tsv .jsonl, perhaps .gz or .zst, or .parquet); may be given several times"
    parser.add_argument("--nodes", action="append", default=[], metavar="FILE", help=f"table of nodes {what}")
    parser.add_argument("--edges", action="append", default=[], metavar="FILE", help=f"table of edges {what}")
    for name, sentence in (
        ("pubtator", "annotations of abstracts as PubTator has them"),
        ("predications", "predications as SemMedDB has them"),
        ("citations", "pairs of abstracts, one of which cites the other"),
    ):
        parser.add_argument(f"--{name}", action="append", default=[], metavar="FILE", help=sentence)
    for column in _NODE_COLUMNS:
        parser.add_argument(f"--{column}", metavar="COLUMN", help="of --nodes (default: by its usual names)")
    for column in _EDGE_COLUMNS:
        parser.add_argument(f"--{column}", metavar="COLUMN", help="of --edges (default: by its usual names)")
    for column in ("citing", "cited"):
        parser.add_argument(f"--{column}", metavar="COLUMN", help="of --citations (default: by its usual names)")
    parser.add_argument(
        "--type-of",
        action="append",
        default=[],
        metavar="PREFIX=TYPE",
        help="rename a type, such as that which an id's prefix tells: DOID=Disease",
    )
    parser.add_argument("--relation", choices=RELATIONS, help="of --edges (default co-occurrence; curated for curated)")
    parser.add_argument("--strict", action="store_true", help="keep doubtful ids out; they are reported either way")
    parser.add_argument(
        "--attach",
        metavar="KIND:DATABASE",
        help="--nodes and --edges are tables of a database: postgres:dbname=NAME, sqlite:FILE, mysql:..., duckdb:FILE",
    )
    parser.add_argument(
        "--install-extension", action="store_true", help="of --attach: download DuckDB's extension, if it is missing"
    )
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """The command; returns the exit code."""
    begin = time.perf_counter()
    if not (options.nodes or options.edges or options.pubtator or options.predications or options.citations):
        raise UsageError("nothing to import. Give --nodes FILE, --edges FILE, --pubtator FILE, or another.")
    with Store.writing(options.folder, wait=options.wait, threads=options.threads) as store:
        if options.attach is not None:
            attach(store.connection, options.attach, install=options.install_extension)
        found = list(_imports(store, options))
        store.replaces = any(one.state != "unchanged" for one in found)
    result = {"graph": options.graph, "imports": [one.to_json() for one in found]}
    return answer(options, result, imports_text(found), seconds=time.perf_counter() - begin)


def _imports(store: Store, options: argparse.Namespace) -> Iterator[Import]:
    shared = {"graph": options.graph, "strict": options.strict, "types": _types(options.type_of)}
    for number, path in enumerate(options.nodes):
        columns = {name: getattr(options, name) for name in _NODE_COLUMNS}
        yield import_nodes(store, **_where(store, options, path, f"nodes_{number}"), **columns, **shared)
    for number, path in enumerate(options.edges):
        columns = {name: getattr(options, name) for name in _EDGE_COLUMNS}
        where = _where(store, options, path, f"edges_{number}")
        yield import_edges(store, **where, relation=options.relation, **columns, **shared)
    for path in options.pubtator:
        yield import_pubtator(store, path, graph=options.graph, strict=options.strict)
    for path in options.predications:
        yield import_predications(store, path, graph=options.graph, strict=options.strict)
    for path in options.citations:
        yield import_citations(store, path, graph=options.graph, citing=options.citing, cited=options.cited)


def _where(store: Store, options: argparse.Namespace, path: str, name: str) -> dict[str, Any]:
    if options.attach is None:
        return {"path": path}
    table, digest = read_attached(store.connection, options.attach, path, f"attached_{name}")
    return {"path": table.path, "table": table, "digest": digest}


def _types(renamed: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in renamed]
    for text, (old, _, new) in zip(renamed, pairs):
        if not old or not new:
            raise UsageError(f"--type-of {text} (PREFIX=TYPE is needed). Give --type-of DOID=Disease, for example.")
    return {old: new for old, _, new in pairs}


def imports_text(found: list[Import]) -> str:
    """Returns the outcome of each file, and below it the table of what was wrong there.

    >>> from atoll.kg import Import
    >>> from atoll.kg.import_command import imports_text
    >>> wrong = [("self-loop, kept out", 1, 4, "A")]
    >>> print(imports_text([Import("literature", "edges", "e.csv", "imported", 3, 2, wrong)]))
    imported  literature edges e.csv: 3 rows, 2 kept
      reason               count  first
      self-loop, kept out      1  line 4: A
    <BLANKLINE>
    """
    text = ""
    for one in found:
        what = f"{one.graph} {one.role}".strip()
        state = "unchanged: nothing done" if one.state == "unchanged" else f"{one.rows:,} rows, {one.kept:,} kept"
        text += f"{one.state:<9} {what} {without_password(one.path)}: {state}\n"
        rows: list[list[object]] = [
            [reason, count, f"{'line ' + str(line) if line is not None else 'line unknown'}: {shortened(record)}"]
            for reason, count, line, record in one.quarantine
        ]
        if rows:
            width = max(len("count"), *(len(f"{row[1]:,}") for row in rows))
            text += aligned([["reason", "count".rjust(width), "first"], *rows], indent="  ")
        text += "".join(f"  {note}\n" for note in one.notes)
    return text
