# SPDX-License-Identifier: Apache-2.0
"""The part that commands written in Python share: how they print, fail, and tell whether stdout took everything."""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import json
import os
import signal
import sys
from collections.abc import Callable

from . import _core
from .errors import IoError

__all__ = ["cli_main", "fail", "put"]


def cli_main(main: Callable[[list[str] | None], int]) -> Callable[..., int]:
    """Runs `main` and returns its exit code; returns 3 if stdout could not be written, 141 if the reader closed it."""

    @functools.wraps(main)
    def command(words: list[str] | None = None) -> int:
        try:
            if sys.stdout is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            printed = io.StringIO()  # argparse passes over what its help could not write
            try:
                with contextlib.redirect_stdout(printed):
                    return main(words)
            finally:
                sys.stdout.write(printed.getvalue())
                sys.stdout.flush()
        except OSError as e:
            if e.filename is not None:  # not of standard output
                raise
            if sys.stdout is not None:  # else the interpreter tries again at its end
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if isinstance(e, BrokenPipeError):
                return 128 + signal.SIGPIPE
            print(
                f"atoll: error: stdout: {e.strerror} (what was printed is lost). Make room, or write elsewhere.",
                file=sys.stderr,
            )
            return 3

    return command


def put(path: str, text: str) -> None:
    """Makes `text` the content of the file, atomically; `-` is standard output. Raises IoError."""
    if path == "-":
        print(text, end="")
    else:
        _core.write_file(path, text)


def fail(command: str, message: str, kind: str, code: int, json_file: str | None) -> int:
    """Tells of an error on stderr and, for `--json FILE|-`, as the one object of `command`; returns `code`."""
    print(f"atoll: error: {message}", file=sys.stderr)
    if json_file is not None:
        object_ = {"schema": 1, "command": command, "error": {"kind": kind, "message": message}}
        try:
            put(json_file, json.dumps(object_) + "\n")
        except IoError as e:
            print(f"atoll: error: {e}", file=sys.stderr)
    return code
