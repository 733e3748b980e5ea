# SPDX-License-Identifier: Apache-2.0
"""The options of every constructor of a graph: which edges count, and which rank owns what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core, errors
from .arguments import one_of

if TYPE_CHECKING:
    from . import _core as _core_module

__all__ = ["build_options"]

_DUPLICATES = ("min", "max", "sum", "keep")
_SELF_LOOPS = ("keep", "drop")


def build_options(
    duplicates: str, self_loops: str, partition: str, heavy: int | None, fusion: bool
) -> _core_module.Preparation:
    """Returns the checked options in the form that the core takes. Raises UsageError or InputError."""
    one_of("duplicates", duplicates, _DUPLICATES)
    one_of("self_loops", self_loops, _SELF_LOOPS)
    one_of("partition", partition, tuple(_core.partitions()))
    if heavy is not None and partition not in ("hybrid", "auto"):
        raise errors.UsageError(
            f"heavy is {heavy} (partition {partition!r} has no heavy vertices, 'hybrid' has). Leave it out."
        )
    if heavy is not None and heavy < 1:
        raise errors.InputError(f"heavy is {heavy} (it is above 0). Change it.")
    return _core.Preparation(duplicates, self_loops, partition, _core.HEAVY_DEGREE if heavy is None else heavy, fusion)
