# SPDX-License-Identifier: Apache-2.0
"""The exceptions that Atoll raises. All ranks raise the same one, so a program may catch it and go on."""

from typing import Any

__all__ = [
    "ConvergenceError",
    "Error",
    "InputError",
    "IoError",
    "MissingVertexError",
    "TimeLimitError",
    "TransportError",
    "UsageError",
    "VerificationError",
]


class Error(Exception):
    """Root of all that Atoll raises on purpose; an argument that would need a cast is a TypeError."""


class InputError(Error, ValueError):
    """An input is wrong: a file's line, a negative id, an empty graph, a source that does not exist."""


class MissingVertexError(InputError, KeyError):
    """graph[v] of a vertex that the graph has not: a KeyError too, as of a dict."""

    __str__ = Exception.__str__  # a KeyError shows its message in quotes


class UsageError(Error, ValueError):
    """An option is wrong, or ranks were called with different ones."""


class IoError(Error, OSError):
    """The machine refused a file: it cannot be opened, read or written."""


class TransportError(Error, RuntimeError):
    """Ranks cannot talk: a lost peer, no MPI plug-in, a launcher of another MPI."""


class VerificationError(Error):
    """An answer did not pass its check."""


class ConvergenceError(Error):
    """Iterations ran out before the tolerance was met; `result` is what they had come to, the same type as usual."""

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result


class TimeLimitError(Error, TimeoutError):
    """The time that was given is over; `result` is what was found until then, the same type as usual."""

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.result = result
