# SPDX-License-Identifier: Apache-2.0
"""Parts of all commands that run programs: words behind `--`, a temporary folder, errors as exit codes and JSON."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from .errors import InputError, IoError, UsageError
from .standard_output import fail
from .tune.processes import WorkFailed

__all__ = ["run_command"]

_FAILURES = {WorkFailed: ("run", 1), UsageError: ("usage", 2), InputError: ("input", 3), IoError: ("io", 3)}


def run_command(
    command: str,
    parser: argparse.ArgumentParser,
    words: list[str] | None,
    work: Callable[[argparse.Namespace, list[str], Path], int],
) -> int:
    """The exit code of a command: what `work` returns, or that of the error that it raises, said on stderr and in JSON.

    Parameters
    ----------
    command : str               the verb, as the JSON object of an error names it
    parser : ArgumentParser     of the words before `--`; has --json
    words : list of str or None
                                None: those that this program was called with
    work : callable             called with the options, the words behind `--`, and a folder that is removed at the end
    """
    words = sys.argv[1:] if words is None else words
    split = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(_joined(words[:split]))
    try:
        with tempfile.TemporaryDirectory(prefix=f"atoll-{command}-") as folder:
            return work(options, words[split + 1 :], Path(folder))
    except tuple(_FAILURES) as e:
        kind, code = next(failure for error, failure in _FAILURES.items() if isinstance(e, error))
        return fail(command, str(e), kind, code, options.json)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _joined(words: list[str]) -> list[str]:
    """`--compile-flags -O3` as one word: its value begins as an option does, which argparse would not take."""
    out: list[str] = []
    for word in words:
        if out and out[-1] == "--compile-flags":
            out[-1] += f"={word}"
        else:
            out.append(word)
    return out
