# SPDX-License-Identifier: Apache-2.0
"""How far a packed file may expand: one bound for every reader that unpacks."""

from __future__ import annotations

__all__ = ["MOST_EXPANSION", "SMALL", "most_unpacked"]

# Graphs and tables as text pack to a thirtieth or so, the most regular ones to a hundredth; gzip can make a thousandth,
# and zstd a hundred-thousandth, of what is always the same. What expands further is no text that somebody packed, and
# would fill the memory. Below SMALL it may expand as it likes.
MOST_EXPANSION = 200
SMALL = 64 << 20


def most_unpacked(packed: int) -> int:
    """Bytes that a file of `packed` bytes may unpack to.

    >>> from atoll.interchange.expansion import most_unpacked
    >>> most_unpacked(1000), most_unpacked(1 << 30) >> 30
    (67108864, 200)
    """
    return max(SMALL, MOST_EXPANSION * packed)
