# SPDX-License-Identifier: Apache-2.0
"""Limits on what one client may ask of a server, and all of them at once."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Limits of a server."""

    body_bytes: int = 8 << 20
    """Of a request's body; a pair of ids takes some 30."""
    body_seconds: float = 10.0
    """For a request's body to arrive."""
    pairs: int = 100_000
    """Of a bulk request."""
    requests: int = 256
    """Under way at a time."""
    slow: int = 2
    """Slow questions (paths, scenarios, searches for names, parts of a bulk answer) computed at a time."""
    waiting: int = 32
    """Slow questions that wait for one of these to end."""
    query_seconds: float = 10.0
    """For a slow question, its waiting included."""
    bulk_seconds: float = 300.0
    """For a bulk answer to be read."""
    page: int = 100
    """Entries of a page."""
    k: int = 50
    """Paths of a question for several."""
    text: int = 300
    """Characters of an id or name."""
