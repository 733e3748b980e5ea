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
import csv
import os
import sys
from typing import Any

from ..errors import Error, UsageError
from ..standard_output import checked, fail
from .frames import optional
from .graph_files import FORMATS, format_of

__all__ = ["main"]

_TEXTS = {".tsv": "\t", ".csv": ","}
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
    parser.add_argument("--can", action="store_true", help="only say whether OUT can be written here")
    return parser


@checked
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
    except (Error, ImportError, OSError, TypeError) as e:  # TypeError: of columns
        return fail("table", str(e), "input", 3, None)
    return 0


def _convert(options: argparse.Namespace) -> None:
    ending = os.path.splitext(options.output)[1].lower()
    if ending not in _TEXTS and ending not in _TABLES:
        raise UsageError(
            f"{options.output}: unknown ending (there are {', '.join((*_TEXTS, *_TABLES))}). Use one of them."
        )
    if ending in _TABLES:
        optional("pyarrow", "parquet", options.output)
    if options.can:
        return
    if ending in _TABLES:
        _write_table(_text_table(options.input, options.columns), options.output, ending)
    else:
        _write_edges(options, _TEXTS[ending])


def _text_table(path: str, columns: str | None) -> Any:
    """A table as text, whose first line has headings if one of its fields is no number and not like those below."""
    import pyarrow.csv

    separator = _TEXTS.get(os.path.splitext(path)[1].lower())
    if separator is None:
        raise UsageError(f"{path}: unknown ending (tables are read as .tsv or .csv). Rename it.")
    with open(path, newline="", encoding="utf-8") as file:
        first = next(csv.reader(file, delimiter=separator), [])
    has_headings = separator == "," and first[:1] == ["id"]  # as `run --output` writes
    given = columns.split(",") if columns else first if has_headings else ["vertex", *["value"] * (len(first) == 2)]
    if len(given) != len(first):
        raise UsageError(
            f"{path}: has {len(first)} columns and {', '.join(given)} are {len(given)} names (one each). Use --columns."
        )
    return pyarrow.csv.read_csv(
        path,
        read_options=pyarrow.csv.ReadOptions(column_names=given, skip_rows=int(has_headings)),
        parse_options=pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(null_values=[], strings_can_be_null=False),
    )


def _write_table(table: Any, path: str, ending: str) -> None:
    partial = f"{path}.partial"
    try:
        if ending == ".parquet":
            import pyarrow.parquet

            pyarrow.parquet.write_table(table, partial)
        else:
            import pyarrow.feather

            pyarrow.feather.write_feather(table, partial, compression="uncompressed" if ending == ".arrow" else None)
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def _write_edges(options: argparse.Namespace, separator: str) -> None:
    from ..graph import Graph

    if format_of(options.input, options.format) is None:
        raise UsageError(f"{options.input}: is none of {', '.join(FORMATS)} by its name. Say which: --format.")
    columns = {end: value for end in ("source", "target", "weight") if (value := getattr(options, end)) is not None}
    graph = Graph.read(options.input, format=options.format, duplicates="keep", **columns)
    src, dst, *weight = graph.edges()
    ends = [graph._named(src), graph._named(dst), *weight]
    partial = f"{options.output}.partial"
    try:
        with open(partial, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, delimiter=separator, lineterminator="\n")
            out.writerow(["source", "target", "weight"][: len(ends)])
            out.writerows(zip(*(column.tolist() for column in ends)))
        os.replace(partial, options.output)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


if __name__ == "__main__":
    sys.exit(main())
