# SPDX-License-Identifier: Apache-2.0
"""How the verbs of `atoll kg` that read and show the store answer: aligned text, or one object of JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..standard_output import put

__all__ = ["answer", "aligned", "shortened"]

_MOST = 60  # characters of a record that a line of text shows


def answer(options: argparse.Namespace, result: Mapping[str, Any], text: str, *, seconds: float) -> int:
    """Prints `text`, or writes `result` where --json says; returns the exit code."""
    if options.json is not None:
        object_ = {
            "schema": 1,
            "command": f"kg {options.verb}",
            "input": {"folder": options.folder},
            "result": result,
            "seconds": {"run": seconds},
        }
        put(options.json, json.dumps(object_, indent=2, default=str) + "\n")
    if options.json != "-":
        print(text, end="")
    return 0


def aligned(rows: Sequence[Sequence[object]], *, indent: str = "") -> str:
    """Rows as lines whose columns begin below each other; numbers end below each other.

    >>> from atoll.kg.answer import aligned
    >>> print(aligned([["genes", 12000], ["diseases", 7]]), end="")
    genes     12,000
    diseases       7
    """
    cells = [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = []
    for row, texts in zip(rows, cells):
        parts = [t.rjust(w) if isinstance(cell, int) else t.ljust(w) for cell, t, w in zip(row, texts, widths)]
        lines.append(indent + "  ".join(parts).rstrip() + "\n")
    return "".join(lines)


def shortened(record: str) -> str:
    """The beginning of a record, on one line.

    >>> from atoll.kg.answer import shortened
    >>> shortened("A:1\\tA:1")
    'A:1 | A:1'
    """
    line = " ".join(record.replace("\t", " | ").split())
    return line if len(line) <= _MOST else line[: _MOST - 3] + "..."
