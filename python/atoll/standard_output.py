# SPDX-License-Identifier: Apache-2.0
"""What the commands in Python share: `-` is standard output, and an exit code tells whether it took everything."""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import os
import signal
import sys
from collections.abc import Callable

from . import _core

__all__ = ["checked", "put"]


def checked(main: Callable[[list[str] | None], int]) -> Callable[..., int]:
    """`main`, with 3 where what it printed is lost; where the reader of a pipe has left, what SIGPIPE would give."""

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
