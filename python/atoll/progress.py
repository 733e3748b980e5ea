# SPDX-License-Identifier: Apache-2.0
"""How far a long step has come, for whoever waits at a terminal or reads a log afterwards."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO

__all__ = ["Progress", "Told", "is_bar", "listening"]

Told = Callable[[int, int], Any]
"""Called with what is done and what there is."""

_FIRST_S = 1.0  # what is over before is not worth a line
_MOVING_S = 0.2
_LOGGED_S = 10.0


class Progress:
    """A line on stderr that says how much of a step is done, at which rate, and how long the rest will take.

    On a terminal the line moves and is wiped at the end; elsewhere there is a new one every 10 s. A step of less than a
    second says nothing. Any thread may call it.

    Parameters
    ----------
    what : str                  what is counted, in the plural
    total : int                 how many there are
    quiet : bool                say nothing
    stream : text stream, optional
                                None: stderr

    Examples
    --------
    >>> from atoll.progress import Progress
    >>> with Progress("concepts", 3) as done:
    ...     for _ in range(3):
    ...         done()
    """

    def __init__(self, what: str, total: int, *, quiet: bool = False, stream: TextIO | None = None) -> None:
        self._what, self._total, self._quiet = what, total, quiet
        self._stream = sys.stderr if stream is None else stream
        self._moves = not quiet and self._stream.isatty()
        self._done = 0
        self._began = time.monotonic()
        self._next = self._began + (_FIRST_S if self._moves else _LOGGED_S)
        self._shown = False
        self._lock = threading.Lock()

    def __call__(self, more: int = 1) -> None:
        """`more` of them are done."""
        with self._lock:
            self._tell(self._done + more)

    def reach(self, done: int, total: int) -> None:
        """Shows how many are done, and of how many."""
        with self._lock:
            self._total = total
            self._tell(done)

    def _tell(self, done: int) -> None:
        self._done = done
        now = time.monotonic()
        if self._quiet or now < self._next or self._done >= self._total:
            return
        self._next = now + (_MOVING_S if self._moves else _LOGGED_S)
        self._shown = True
        line = self._line(now - self._began)
        self._stream.write(f"\r{line}\x1b[K" if self._moves else line + "\n")
        self._stream.flush()

    def _line(self, seconds: float) -> str:
        rate = self._done / seconds
        left = (self._total - self._done) / rate if rate > 0 else 0
        percent = 100 * self._done // self._total
        return (
            f"atoll: {self._what}: {percent} % ({self._done:,} of {self._total:,}), {_rate(rate)}/s, {_time(left)} left"
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._moves and self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def is_bar(progress: Any) -> bool:
    """Whether it is a bar as tqdm's are."""
    return callable(getattr(progress, "update", None)) and hasattr(progress, "n")


@contextlib.contextmanager
def listening(progress: Any, what: str, rank: int) -> Iterator[Told | None]:
    """Returns the callback by which an algorithm reports, for a user's `progress`; None: nobody listens.

    True is a line on stderr (Progress), a bar of tqdm is moved, and a function is called with two numbers: what is
    done, and what there is. Only rank 0 listens.

    Examples
    --------
    >>> from atoll.progress import listening
    >>> with listening(lambda done, total: print(f"{done} of {total}"), "sources", rank=0) as told:
    ...     told(1, 3)
    1 of 3
    """
    if progress is True and rank == 0:
        with Progress(what, 0) as line:
            yield line.reach
        return
    told = _moves(progress) if is_bar(progress) else progress or None
    yield told if rank == 0 else None


def _moves(bar: Any) -> Told:
    """Moves a bar of tqdm, whose end is set to what there is."""
    first = bar.n

    def told(done: int, total: int) -> None:
        bar.total = first + total
        bar.update(first + done - bar.n)

    return told
