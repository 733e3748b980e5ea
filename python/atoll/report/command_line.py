# SPDX-License-Identifier: Apache-2.0
"""`atoll report`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .. import _core
from ..errors import InputError, IoError, UsageError
from ..progress import Progress
from ..standard_output import cli_main
from .page import page
from .results import read
from .trace import trace

__all__ = ["main"]


@cli_main
def main(words: list[str] | None = None) -> int:
    """The command `atoll report`; returns its exit code.

    Examples
    --------
    >>> atoll.report.main(["--output", "page.html", "/no/such.json"])
    3
    """
    parser = argparse.ArgumentParser(
        prog="atoll report",
        description="What runs have written by --json, as a page of one file that asks no other host, or as a trace.",
    )
    parser.add_argument(
        "result", nargs="+", help="what a verb wrote by --json; - for standard input; several are put beside each other"
    )
    parser.add_argument("-o", "--output", help="the page (default: beside the first result, .html)")
    parser.add_argument(
        "--trace",
        metavar="FILE",
        help="write a trace for Perfetto (ui.perfetto.dev) instead; beside the page, if --output is given too",
    )
    options = parser.parse_args(words)
    try:
        return _write(options)
    except (InputError, IoError) as e:
        print(f"atoll: error: {e}", file=sys.stderr)
        return 3
    except UsageError as e:
        print(f"atoll: error: {e}", file=sys.stderr)
        return 2


def _write(options: argparse.Namespace) -> int:
    if options.result.count("-") > 1:
        raise UsageError("- is given twice (standard input can be read once). Give one of them.")
    results = []
    with Progress("results read", len(options.result)) as done:
        for given in options.result:
            results.append(read(given))
            done()
    names = [Path(given).stem if given != "-" else "standard input" for given in options.result]
    if len(set(names)) < len(names):  # runs/a/far.json and runs/b/far.json
        names = ["standard input" if given == "-" else given for given in options.result]
    first = options.result[0]
    outputs: dict[str, str] = {}
    if options.trace is not None:
        outputs[options.trace] = trace(*results, names=names)
    if options.output is not None or options.trace is None:
        output = options.output or ("report.html" if first == "-" else str(Path(first).with_suffix(".html")))
        outputs[output] = page(*results, names=names if len(results) > 1 else None)
    for output in outputs:
        if any(given != "-" and Path(given).resolve() == Path(output).resolve() for given in options.result):
            raise UsageError(
                f"{output} is to be read and written (the result would be lost). Give -o or --trace another."
            )
    for output, content in outputs.items():
        _core.write_file(output, content)
        print(output)
    return 0
