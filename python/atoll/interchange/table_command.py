# SPDX-License-Identifier: Apache-2.0
"""`atoll table IN OUT`: between the files of other libraries and those that the command reads and writes.

    atoll table edges.parquet edges.tsv        # then: atoll run bfs edges.tsv --names --source A
    atoll table planets.graphml planets.csv
    atoll table scores.tsv scores.parquet      # what `run --output` has written, with the columns vertex and value

IN is a table of edges or a graph (Parquet, Arrow, GraphML, GEXF, GML, Pajek, JSON) and OUT an edge list (.tsv .csv), or
IN is a table as text (.tsv .csv, results too) and OUT one of Parquet or Arrow (.parquet .feather .arrow).
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import Error, IoError, UsageError
from ..standard_output import cli_main, fail
from .frames import optional
from .graph_files import FORMATS, format_of
from .text_tables import DECIMALS, DELIMITERS, TEXTS, read_text_table

if TYPE_CHECKING:
    from ..graph import Graph

__all__ = ["main"]

_TABLES = (".parquet", ".feather", ".arrow")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="atoll table", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("input", metavar="IN", help=f"by its name, or --format: {', '.join(FORMATS)}, or text")
    parser.add_argument("output", metavar="OUT", help="by its name: .tsv .csv, or .parquet .feather .arrow")
    parser.add_argument("--format", default="auto", choices=["auto", *FORMATS], help="of IN")
    for end in ("source", "target", "weight"):
        parser.add_argument(f"--{end}", help="column of a table; of other formats --weight is an attribute of edges")
    parser.add_argument("--columns", help="names of OUT's columns: vertex,score (default: those of IN)")
    parser.add_argument(
        "--headings", default="auto", choices=["auto", "yes", "no"], help="whether a text's first line is one"
    )
    parser.add_argument(
        "--delimiter", default="auto", choices=["auto", *DELIMITERS], help="between the columns of a text"
    )
    parser.add_argument(
        "--decimal",
        default="auto",
        choices=["auto", *DECIMALS],
        help="of a text; the other one groups digits",
    )
    parser.add_argument("--can", action="store_true", help="only say whether OUT can be written here")
    return parser


@cli_main
def main(words: list[str] | None = None) -> int:
    """Runs the command; returns its exit code.

    >>> from atoll.interchange.table_command import main
    >>> main(["a.tsv", "b.tsv", "--can"])
    0
    """
    options = _parser().parse_args(words)
    try:
        _convert(options)
    except UsageError as e:
        return fail("table", str(e), "usage", 2, None)
    except IoError as e:
        return fail("table", str(e), "io", 3, None)
    except (Error, ImportError, TypeError) as e:  # TypeError: of columns
        return fail("table", str(e), "input", 3, None)
    except OSError as e:
        what = e.filename or options.input
        return fail(
            "table", f"{what}: {e.strerror or e} (it is needed). Look at its folder and permissions.", "io", 3, None
        )
    except MemoryError:
        return fail("table", f"{options.input}: memory ran out. Use a machine with more.", "memory", 1, None)
    return 0


def _convert(options: argparse.Namespace) -> None:
    ending = os.path.splitext(options.output)[1].lower()
    if ending not in TEXTS and ending not in _TABLES:
        raise UsageError(
            f"{options.output}: unknown ending (there are {', '.join((*TEXTS, *_TABLES))}). Use one of them."
        )
    if ending in _TABLES:
        optional("pyarrow", "parquet", options.output)
    if options.can:
        return
    if ending in _TABLES:
        headings = None if options.headings == "auto" else options.headings == "yes"
        decimal = None if options.decimal == "auto" else options.decimal
        table = read_text_table(options.input, options.columns, headings, DELIMITERS.get(options.delimiter), decimal)
        _write_table(table, options.output, ending)
    else:
        _write_edges(options, TEXTS[ending])


def _write_table(table: Any, path: str, ending: str) -> None:
    import pyarrow.feather
    import pyarrow.parquet

    with _replacing(path) as partial:
        if ending == ".parquet":
            pyarrow.parquet.write_table(table, partial)
        else:
            compression = "uncompressed" if ending == ".arrow" else None
            pyarrow.feather.write_feather(table, partial, compression=compression)


def _write_edges(options: argparse.Namespace, separator: str) -> None:
    from ..graph import Graph

    if format_of(options.input, options.format) is None:
        raise UsageError(f"{options.input}: is none of {', '.join(FORMATS)} by its name. Say which: --format.")
    columns = {end: value for end in ("source", "target", "weight") if (value := getattr(options, end)) is not None}
    graph = Graph.read(options.input, format=options.format, duplicates="keep", **columns)
    src, dst, *weight = graph.edges.arrays()
    ends = [graph._named(src), graph._named(dst), *weight]
    with _replacing(options.output) as partial, open(partial, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, delimiter=separator, lineterminator="\n")
        out.writerow(["source", "target", "weight"][: len(ends)])
        out.writerows(zip(*(column.tolist() for column in ends)))
    _say_what_is_lost(graph, len(set(src.tolist()).union(dst.tolist())), options.output)


def _say_what_is_lost(graph: Graph, ends: int, path: str) -> None:
    """Tells on stderr what the graph has and an edge list has not."""
    if ends < graph.n:
        print(
            f"atoll: warning: {path}: {graph.n - ends} of {graph.n} vertices have no edge (an edge list has none "
            "such). They are left out.",
            file=sys.stderr,
        )
    if not graph.directed:
        print(
            f"atoll: warning: {path}: the graph is undirected (an edge list does not say so). "
            "Give --undirected with it.",
            file=sys.stderr,
        )


@contextlib.contextmanager
def _replacing(path: str) -> Iterator[str]:
    """A file beside `path` to write to, which takes its place at the end; an IoError names `path`."""
    partial = f"{path}.partial"
    try:
        yield partial
        os.replace(partial, path)
    except OSError as e:
        reason = os.strerror(e.errno) if e.errno else str(e).replace(partial, path)
        raise IoError(f"{path}: cannot be written ({reason}). Look at the folder and its space.") from e
    finally:
        if os.path.exists(partial):
            os.remove(partial)


if __name__ == "__main__":
    sys.exit(main())
