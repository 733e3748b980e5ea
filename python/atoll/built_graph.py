# SPDX-License-Identifier: Apache-2.0
"""What a graph tells about itself once it is built: sizes, ids, ranks, memory, and how the build went."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .world import World, agreed

if TYPE_CHECKING:  # inside the class, _core is the attribute
    from . import _core as _core_module

__all__ = ["BuiltGraph"]


class BuiltGraph:
    """The part of a Graph that is the same however it was made."""

    __slots__ = ("_core", "_world", "_comm", "_input_seconds", "_ids", "_partition", "__weakref__")
    _core: _core_module.Graph
    _world: World
    _comm: Any
    _input_seconds: float
    _ids: np.ndarray | None
    _partition: str

    @property
    def name(self) -> str:
        """The file, the generator's text, or what the edges came in."""
        return self._core.name

    @property
    def n(self) -> int:
        """Vertices on all ranks."""
        return self._core.n

    @property
    def m(self) -> int:
        """Edges on all ranks, after `duplicates` and `self_loops`; an undirected one counts once."""
        return self._core.m

    @property
    def directed(self) -> bool:
        """Whether an edge goes one way only."""
        return self._core.directed

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._core.weight_type != 0

    @property
    def weight_dtype(self) -> np.dtype | None:
        """float32 or float64 as they came; None if there are no weights."""
        return [None, np.dtype(np.float32), np.dtype(np.float64)][self._core.weight_type]

    @property
    def ids(self) -> np.ndarray:
        """Original ids of this rank's vertices, ascending (int64, read-only); made at the first call."""
        if self._ids is None:
            ids = self._core.ids.view(np.int64)  # nanobind's is "long long", which prints otherwise
            ids.flags.writeable = False
            self._ids = ids
        return self._ids

    @property
    def world(self) -> World:
        """The ranks that hold the graph."""
        return self._world

    @property
    def comm(self) -> Any:
        """The communicator that was given; None if none was."""
        return self._comm

    @property
    def rank(self) -> int:
        """Number of this rank, from 0 on."""
        return self._world.rank

    @property
    def size(self) -> int:
        """Number of ranks."""
        return self._world.size

    @property
    def partition(self) -> str:
        """How it was partitioned, as `partition` of the constructors."""
        return self._partition

    @property
    def cut(self) -> str:
        """The cut whose lists algorithms may follow: "edge", "cartesian" or "hybrid"; of one rank "edge".

        Examples
        --------
        >>> atoll.Graph("ring:5", partition="cartesian").cut
        'edge'
        """
        return self._core.cut

    @property
    def memory(self) -> int:
        """Bytes on this rank: the lists and tables, those by a vertex-cut too once an algorithm has followed it, and
        what algorithms keep for their next call."""
        return self._core.memory

    def release_layouts(self) -> None:
        """Frees the layouts and buffers that algorithms have left with the graph. Collective over graph.comm.

        Each algorithm keeps those of its last call's options, so that the next such call prepares nothing; `memory`
        counts them. They go with the graph, too. The edges by a vertex-cut, which the first algorithm that follows
        it distributes, belong to the graph and stay: all algorithms that follow the cut share them.

        Examples
        --------
        >>> graph = atoll.Graph("kron:8")
        >>> before = graph.memory
        >>> _ = atoll.connected_components(graph)
        >>> graph.memory > before
        True
        >>> graph.release_layouts()
        >>> graph.memory == before
        True
        """
        with agreed(self._world, "release_layouts()"):
            pass
        _core.release_layouts(self._core)

    @property
    def report(self) -> dict[str, Any]:
        """How the build went on this rank.

        seconds (input: reading, generating or copying; then the steps of the build and their total),
        input_edges (on all ranks, as they came), peak_bytes (at the fullest moment of the build), graph_bytes
        (what stayed).

        Examples
        --------
        >>> sorted(atoll.Graph("star:9").report)
        ['graph_bytes', 'input_edges', 'peak_bytes', 'seconds']
        """
        return {
            "seconds": {"input": self._input_seconds, **self._core.seconds},
            "input_edges": self._core.input_edges,
            "peak_bytes": self._core.peak_bytes,
            "graph_bytes": self._core.graph_bytes,
        }

    def _words(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weights = f", {self.weight_dtype} weights" if self.weighted else ""
        ranks = f", rank {self.rank} of {self.size}" if self.size > 1 else ""
        return f"{_many(self.n, 'vertex', 'vertices')}, {_many(self.m, 'edge', 'edges')}, {kind}{weights}{ranks}"

    def __repr__(self) -> str:
        return f"<atoll.Graph {self.name!r}: {self._words()}>"

    def _repr_html_(self) -> str:
        rows = {
            "vertices": f"{self.n:,}",
            "edges": f"{self.m:,}",
            "kind": ("directed" if self.directed else "undirected") + (", weighted" if self.weighted else ""),
            "ranks": f"{self.size}",
            "memory on this rank": f"{self.memory / 2**20:,.1f} MiB",
            "built in": f"{self.report['seconds']['total']:.3f} s",
        }
        cells = "".join(f"<tr><th>{k}</th><td>{html.escape(v)}</td></tr>" for k, v in rows.items())
        return f"<table><caption>atoll.Graph {html.escape(self.name)}</caption>{cells}</table>"

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Graph cannot be pickled or copied (its parts belong to the ranks that built it). "
            "Make it again where it is needed."
        )


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"
