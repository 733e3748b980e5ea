# SPDX-License-Identifier: Apache-2.0
"""Questions that take milliseconds to seconds, in a few threads beside the one that answers the quick ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from .limits import Limits
from .problems import Problem

__all__ = ["SlowQueries"]

_GRACE_S = 1.0  # for a search to see its own deadline, and to say what it has found
T = TypeVar("T")


class SlowQueries:
    """Runs a number of queries at a time; a limited number of others wait; each has a time limit.

    A thread cannot be stopped: a question whose time is up is answered so, and keeps its place until it ends.

    >>> import asyncio
    >>> from atoll.serve.limits import Limits
    >>> from atoll.serve.slow_queries import SlowQueries
    >>> async def ask():
    ...     return await SlowQueries(Limits(slow=1)).run(lambda: 6 * 7)
    >>> asyncio.run(ask())
    42
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.slow, thread_name_prefix="atoll-serve")
        self._pending = 0

    async def run_part(self, work: Callable[[], T]) -> T:
        """The result of a part of a long answer, which waits however many do: nobody can be told to come again."""
        return await asyncio.wrap_future(self._threads.submit(work))

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, computed in a thread.

        Raises Problem 503 where too many wait, 504 where the time is up.
        """
        limits = self._limits
        if self._pending >= limits.slow + limits.waiting:
            raise Problem(
                503, f"{self._pending} slow questions are under way or wait (that is the limit). Ask again later."
            )
        self._pending += 1
        loop = asyncio.get_running_loop()
        future = self._threads.submit(work)
        future.add_done_callback(lambda f: loop.is_closed() or loop.call_soon_threadsafe(self._ended, f))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), limits.query_seconds + _GRACE_S)
        except asyncio.TimeoutError:
            raise Problem(
                504,
                f"the question took longer than {limits.query_seconds:g} s (the limit of this server). Ask for less: "
                "fewer paths, fewer constraints.",
            ) from None

    def _ended(self, _: Future) -> None:
        self._pending -= 1
