# SPDX-License-Identifier: Apache-2.0
"""Checks arguments of functions that ranks call together: all raise the error of the one that has a wrong argument."""

from __future__ import annotations

import functools
import inspect
import warnings
from typing import Any, Callable, TypeVar, cast

from .arguments import converted
from .world import World, agreed, world_of

__all__ = ["checked", "renamed"]

F = TypeVar("F", bound=Callable[..., Any])


def checked(f: F) -> F:
    """f, called with what its annotations say, as by `converted`.

    Where f is collective, its first collective is an `agreed` block: a rank with a wrong argument takes part, and all
    raise its error.
    """
    makes_world = "comm" in inspect.signature(f).parameters

    def refused(given: dict[str, Any]) -> None:
        """Raises the error at hand on all ranks, where it is known which those are."""
        holder = given.get("graph", given.get("self"))
        world = getattr(holder, "world", None) or getattr(getattr(holder, "_graph", None), "world", None)
        if makes_world and isinstance(given.get("comm"), World):
            world = given["comm"]
        elif makes_world and isinstance(given.get("plan"), (dict, type(None))):
            world = world_of(given.get("comm"), given.get("plan"))
        if isinstance(world, World):
            with agreed(world):
                raise

    return converted(f, refused)


def renamed(**new_of: str) -> Callable[[F], F]:
    """f under `checked` that also takes arguments by the names they had before, with a DeprecationWarning.

    >>> from atoll.collective_arguments import renamed
    >>> @renamed(damping="alpha")
    ... def f(*, alpha):
    ...     return alpha
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     f(damping=0.5), str(told[0].message)
    (0.5, 'f: damping is called alpha now.')
    """

    def with_old_names(f: F) -> F:
        @functools.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            for old, new in new_of.items():
                if old not in kwargs:
                    continue
                if new in kwargs:
                    raise TypeError(f"{old} and {new} are both given ({old} is the old name of {new}). Give {new}.")
                warnings.warn(f"{f.__name__}: {old} is called {new} now.", DeprecationWarning, stacklevel=2)
                kwargs[new] = kwargs.pop(old)
            return f(*args, **kwargs)

        return cast(F, call)

    return with_old_names
