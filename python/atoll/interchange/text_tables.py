# SPDX-License-Identifier: Apache-2.0
"""Texts of tables (.tsv, .csv) as tables of pyarrow: no value becomes another; what has two readings is refused.

A column whose texts are all whole numbers, or all numbers, as a program writes them becomes one of numbers; "007", and
numbers that 64 bits do not hold, stay text.
"""

from __future__ import annotations

import csv
import io
import os
import re
from typing import Any, NamedTuple

from ..errors import InputError, UsageError
from .foreign import read_foreign
from .square_tables import headings_tell

__all__ = ["TEXTS", "read_text_table"]

TEXTS = {".tsv": "\t", ".csv": ","}
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
DECIMALS = (".", ",")

_FIRST_BYTES = 1 << 16
_FIRST_ROWS = 32
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
# Regular expressions of RE2, for whole columns.
_WHOLE = r"^-?(0|[1-9][0-9]*)$"
_REAL = r"(?i)^[+-]?((0|[1-9][0-9]*)?(\.[0-9]*)?(e[+-]?[0-9]+)?|inf|infinity|nan)$"
_LONG = r"^[+-]?[0-9]{16,}$"  # which float64 may round
_WITH_COMMA = r"^[+-]?[0-9]*,[0-9]+$"
_GROUPED = r"^[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]*)?$"
_SURELY_GROUPED = r",[0-9]{3}[,.]"


class _Layout(NamedTuple):
    delimiter: str
    skipped: int  # lines before the first row
    names: list[str]


def read_text_table(
    path: str, columns: str | None, headings: bool | None, delimiter: str | None, decimal: str | None
) -> Any:
    """The pyarrow.Table of a file; each option is None, or settles what the file leaves open.

    columns: names of the columns, with commas between them. headings: whether the first line has names.

    Raises
    ------
    UsageError              the file's name does not end as a text's, or `columns` are not as many as its columns
    InputError              the file is damaged, or may be read in two ways: the message names both, and the option
    """
    import pyarrow.csv

    layout = _layout(path, columns, headings, delimiter)
    table = read_foreign(
        path,
        "a table of text",
        "pyarrow",
        lambda: pyarrow.csv.read_csv(
            path,
            read_options=pyarrow.csv.ReadOptions(
                column_names=layout.names, skip_rows=layout.skipped, use_threads=False
            ),
            parse_options=pyarrow.csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(layout.names, pyarrow.string()), null_values=[], strings_can_be_null=False
            ),
        ),
        "Give each line as many columns, with one delimiter, in UTF-8.",
    )
    typed = [_typed(path, name, table[name], decimal) for name in layout.names]
    return pyarrow.table(typed, names=layout.names)


def _layout(path: str, columns: str | None, headings: bool | None, delimiter: str | None) -> _Layout:
    usual = TEXTS.get(os.path.splitext(path)[1].lower())
    if usual is None:
        raise UsageError(f"{path}: unknown ending (tables are read as .tsv or .csv). Rename it.")
    with open(path, "rb") as file:
        data = file.read(_FIRST_BYTES)
    if len(data) == _FIRST_BYTES:  # but for a last line that was cut by this
        data = data[: max(data.rfind(b"\n"), data.rfind(b"\r")) + 1]
        if not data:
            raise InputError(
                f"{path}: its first line is longer than {_FIRST_BYTES} bytes (is it a table?). Break it up."
            )
    text = read_foreign(path, "text in UTF-8", "Atoll", lambda: data.decode("utf-8-sig"), "Save it as UTF-8.")
    skipped = 0
    said = re.match(r"sep=(.)\r?\n", text)  # as Excel writes
    if said:
        text, skipped, delimiter = text[said.end() :], 1, delimiter or said[1]
    blank = re.match(r"[\r\n]*", text)
    skipped += len(blank[0].splitlines()) if blank else 0
    rows = {each: _rows(path, text, each) for each in ([delimiter] if delimiter else DELIMITERS.values())}
    delimiter = delimiter or _delimiter_of(path, rows, usual)
    first, *below = rows[delimiter] or [[]]
    if not first:
        raise InputError(f"{path}: is empty (a table has a line). Look at how it was written.")
    has_headings = _has_headings(path, first, below) if headings is None else headings
    given = columns.split(",") if columns else first if has_headings else ["vertex", "value"][: len(first)]
    if columns is None and len(given) < len(first):
        raise UsageError(
            f"{path}: has {len(first)} columns without headings (of a result are one or two). "
            "Name them: --columns a,b,c."
        )
    if len(given) != len(first):
        raise UsageError(
            f"{path}: has {len(first)} columns and {', '.join(given)} are {len(given)} names (one each). Use --columns."
        )
    if len(set(given)) < len(given):
        raise InputError(f"{path}: two columns have one name, of {', '.join(given)} (which is meant?). Use --columns.")
    return _Layout(delimiter, skipped + has_headings, given)


def _rows(path: str, text: str, delimiter: str) -> list[list[str]]:
    def read() -> list[list[str]]:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        return [row for _, row in zip(range(_FIRST_ROWS), reader) if row]

    return read_foreign(path, "a table of text", "csv", read, "Look at its quotes.")


def _delimiter_of(path: str, rows: dict[str, list[list[str]]], usual: str) -> str:
    """Returns the delimiter that cuts the first lines into equally many columns; a comma may also be a decimal one."""
    cuts = [each for each, cut in rows.items() if cut and len(cut[0]) > 1 and len({len(row) for row in cut}) == 1]
    if usual == "\t" in cuts:
        return usual
    decimals = [each for each in cuts if each != "," and all(_is_plain(cell) for row in rows[each] for cell in row)]
    found = decimals if cuts[:1] == [","] and len(cuts) == 2 and decimals else cuts
    if len(found) > 1:
        names = " and the ".join(name for name, each in DELIMITERS.items() if each in found)
        raise InputError(f"{path}: the {names} both cut its lines into columns (which is meant?). Say --delimiter.")
    return found[0] if found else usual


def _is_plain(cell: str) -> bool:
    """Whether commas in it are none of delimiters."""
    return "," not in cell or _DECIMAL_COMMA.fullmatch(cell) is not None


def _has_headings(path: str, first: list[str], below: list[list[str]]) -> bool:
    if first[0] == "id" and path.lower().endswith(".csv"):  # as `run --output` writes
        return True
    if any(map(_is_number, first)):
        return False
    if below and any(all(k < len(row) and _is_number(row[k]) for row in below) for k in range(len(first))):
        return True
    if len(first) > 1 and len(set(first)) == len(first) and headings_tell(dict.fromkeys(first, "names")):
        return True
    raise InputError(
        f"{path}: the first line is {', '.join(first[:5])} (names of the columns, or a row as others?). "
        "Say --headings yes, or --headings no."
    )


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None or _DECIMAL_COMMA.fullmatch(text) is not None


def _typed(path: str, name: str, texts: Any, decimal: str | None) -> Any:
    """A column as numbers, where each of its texts is one, and comes out again."""
    import pyarrow
    import pyarrow.compute

    def all_are(pattern: str, values: Any = texts) -> bool:
        return len(values) > 0 and bool(
            pyarrow.compute.all(pyarrow.compute.match_substring_regex(values, pattern)).as_py()
        )

    def any_is(pattern: str) -> bool:
        return bool(pyarrow.compute.any(pyarrow.compute.match_substring_regex(texts, pattern)).as_py())

    if any_is(",") and all_are(rf"{_WITH_COMMA}|{_GROUPED}|{_REAL}"):
        grouped = not any_is(r"^[+-]?(0*|[0-9]{4,}),[0-9]+$|,[0-9]{1,2}$|,[0-9]{4,}$")
        if decimal is None and grouped and not any_is(_SURELY_GROUPED):
            one = next(text for text in texts.to_pylist() if "," in text)
            raise InputError(
                f"{path}: column {name!r} has {one} (a comma of decimals, or one of thousands?). "
                "Say --decimal , or --decimal ."
            )
        is_point = decimal == "." or (decimal is None and grouped)
        texts = pyarrow.compute.replace_substring(texts, ",", "" if is_point else ".")
    if all_are(_WHOLE, texts):
        for kind in (pyarrow.int64(), pyarrow.uint64()):
            try:
                return texts.cast(kind)
            except pyarrow.ArrowInvalid:
                continue
        return texts
    is_real = all_are(_REAL, texts) and not any_is(_LONG) and not any_is(r"^$|^[+-]?\.?(e.*)?$")
    return texts.cast(pyarrow.float64()) if is_real else texts
