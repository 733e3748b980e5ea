# SPDX-License-Identifier: Apache-2.0
"""Errors of the core, which knows vertices by their ids, in the names that users know them by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import errors
from .arguments import shown

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["in_names", "vertex_word"]

# An edge, a path or a cycle, as the core writes them: "edge 0 -> 1", "the edge between 0 and 1", "path from 0 to 2".
_ENDS = re.compile(r"\b(?:edge|path|cycle)(?: between| from)? \d+\b(?:(?: -> \d+ more)? (?:->|and|to) \d+\b(?! more))*")
_COMMANDS_REMEDY = "Read it as undirected."
_END = re.compile(r"\d+\b(?! more)")  # a long cycle is cut: "-> 5 more ->"


@contextmanager
def in_names(graph: Graph) -> Iterator[None]:
    """A block whose InputErrors name the ends of edges as users do, where the vertices of the graph have names.

    A remedy of the command becomes Python's.
    """
    try:
        yield
    except errors.InputError as e:
        message = str(e).replace(_COMMANDS_REMEDY, "Use graph.to_undirected(), or Graph(x, directed=False).")
        if not graph.closed and graph._names is not None:
            message = _ENDS.sub(lambda ends: _END.sub(lambda id: vertex_word(graph, int(id[0])), ends[0]), message)
        if message == str(e):
            raise
        raise errors.InputError(message) from None


def vertex_word(graph: Graph, vertex: int) -> str:
    """Returns the vertex as an error has it: its name, or the id of one that has none."""
    return str(vertex) if graph._names is None or vertex >= graph.n else shown(graph._label(vertex))
