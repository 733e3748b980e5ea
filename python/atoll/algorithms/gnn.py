# SPDX-License-Identifier: Apache-2.0
"""Graph convolutional networks, trained over all vertices at once on the distributed SpMM."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core, errors
from ..arguments import refuse_masked, shown, type_name
from ..collective_arguments import checked
from ..graph import GraphLike
from ..interchange.matrices import factor, rows_of
from ..world import agreed

__all__ = ["GCN"]

_TYPES = ("float32", "float64")
_TRAIN, _VALIDATION = 1, 2


class GCN:
    """A graph convolutional network: classes of a graph's vertices from features of all and the classes of some.

    Layer l computes Z_l = A drop(H_l) W_l + b_l and H_(l+1) = relu(Z_l), where H_0 are the features and
    A = D^-1/2 (W + I) D^-1/2 the normalised adjacency matrix with self-loops [1]_; Z of the last layer has a column a
    class. Training minimises the mean cross entropy of softmax(Z) over the training vertices, and
    weight_decay / 2 times the sum of squares in W_0, by Adam. Products with A fetch each row of other ranks
    once, once for a domain [2]_.

    Parameters
    ----------
    graph : Graph               n vertices; weights are used if present, and edges go from columns to rows of A
    widths : sequence of int    of the hidden layers; empty for a network of one layer
    dropout : float             fraction of each layer's input that an epoch drops, in [0, 1)
    learning_rate : float       of Adam
    weight_decay : float        of the first layer's weights, as in [1]_; biases never decay
    decay_all_layers : bool     weights of all layers decay
    seed : int                  of the first weights and of what is dropped: the same seed gives the same curve, on any
                                number of ranks but for the rounding of sums
    order : str                 of the vertices inside, over all ranks: "auto", Rabbit order where that is predicted to
                                make products faster; "none"; or a method of `atoll reorder`. Arrays that go in and come
                                out are in the graph's order always. Rabbit by several threads differs a little from run
                                to run, and with it the rounding of sums
    dtype : {"float32", "float64"}
                                of features and weights
    strategy : str              how products with A fetch rows of other ranks: as SpMM's

    Raises
    ------
    InputError                  options out of range; features or labels that do not fit; a checkpoint of another run

    References
    ----------
    .. [1] T. Kipf, M. Welling. "Semi-supervised classification with graph convolutional networks." ICLR 2017.
    .. [2] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix
       multiplication on GPUs." ICS 2025, section 6.6.

    Examples
    --------
    Two groups of four, joined by one edge; one vertex of each is known:

    >>> import numpy as np
    >>> groups = [(u, v) for first in (0, 4) for u in range(first, first + 4) for v in range(first, u)]
    >>> graph = atoll.Graph.from_edges(*np.array(groups + [(3, 4)]).T.copy(), directed=False)
    >>> features = np.eye(8, dtype=np.float32)
    >>> labels = np.array([0, -1, -1, -1, -1, -1, -1, 1])
    >>> network = atoll.GCN(graph, widths=[4]).fit(features, labels, train=[0, 7], epochs=100)
    >>> network.predict(features)
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """

    __slots__ = ("_core", "_dtype", "_graph", "_options", "history")

    @checked
    def __init__(
        self,
        graph: GraphLike,
        *,
        widths: Sequence[int] = (16,),
        dropout: float = 0.5,
        learning_rate: float = 0.01,
        weight_decay: float = 5e-4,
        decay_all_layers: bool = False,
        seed: int = 1,
        order: str = "auto",
        dtype: Any = "float32",
        strategy: str = "auto",
    ) -> None:
        given = f"{widths=}, {dropout=}, {learning_rate=}, {weight_decay=}, {decay_all_layers=}, {seed=}, {dtype=}"
        with agreed(graph.world, f"GCN({given}, {strategy=}, {order=})"):
            self._dtype = np.dtype(type_name("dtype", dtype, _TYPES) or "float32")
            try:
                widths = [int(width) for width in widths]
            except (TypeError, ValueError):
                raise TypeError(f"widths is {shown(widths)} (whole numbers are needed). Use widths=[16].") from None
            if any(width < 1 for width in widths):
                raise errors.InputError(f"widths is {shown(widths)} (layers have at least one column). Correct it.")
            if seed < 0:
                raise errors.InputError(f"seed is {seed} (seeds are at least 0). Give another.")
        self._graph = graph
        self._options = (widths, dropout, learning_rate, weight_decay, decay_all_layers, seed, strategy, order)
        self._core: Any = None
        #: After fit(): losses, train_accuracies, validation_losses and validation_accuracies, an array each with a
        #: value an epoch.
        self.history: dict[str, np.ndarray] = {}

    @property
    def strategy(self) -> str:
        """How products with A fetch rows of other ranks; after fit(), what "auto" chose, and why."""
        return self._options[-2] if self._core is None else self._core.strategy

    @property
    def order(self) -> str:
        """After fit(): the order of the vertices inside, and why; with "auto", what was predicted."""
        return "" if self._core is None else self._core.order

    @property
    def nbytes(self) -> int:
        """Memory on this rank after fit(): the matrix, its plan, features, layers and weights."""
        return 0 if self._core is None else self._core.memory_bytes

    @checked
    def fit(
        self,
        features: Any,
        labels: Any,
        train: Any,
        validation: Any = None,
        *,
        epochs: int = 200,
        checkpoint: Any = None,
        checkpoint_every: int = 0,
    ) -> GCN:
        """Trains from new weights, or from those of the checkpoint. Collective; returns self.

        Arrays have a row for each vertex of this rank, ascending by original id, as those of SpMM do; on one rank, for
        all vertices.

        Parameters
        ----------
        features : array, vertices x features, or a sparse matrix of SciPy of that shape; of a type whose digits dtype
                                    holds. An array that is not of dtype and C-contiguous is copied
        labels : array of int       class from 0; -1 where it is not known
        train : array of bool, or of int
                                    which vertices to learn from: a mask, or row numbers of this rank's arrays
        validation : the same, optional
                                    vertices whose loss and accuracy `history` follows; none of them is learned from
        epochs : int                steps of Adam over all vertices
        checkpoint : path, optional
                                    a file: what is trained is saved there, whole or not at all, at the end and on
                                    SIGTERM; if it is there, the run goes on from it, on any number of ranks
        checkpoint_every : int      epochs between further checkpoints; 0: none
        """
        world = self._graph.world
        with agreed(world, f"GCN.fit({epochs=}, {checkpoint_every=}, checkpoint={checkpoint!r})"):
            if epochs < 1 or checkpoint_every < 0:
                raise errors.InputError(
                    f"epochs is {epochs}, checkpoint_every {checkpoint_every} (at least 1 and 0). Correct it."
                )
            (rows, width), read = self._read_features(features)
            labels = _labels(labels, rows)
            roles = np.zeros(rows, np.uint8)
            for name, given, role in (("train", train, _TRAIN), ("validation", validation, _VALIDATION)):
                if given is None:
                    continue
                chosen = _chosen(name, given, rows)
                if (roles[chosen] != 0).any():
                    raise errors.InputError(
                        f"{name} has row {chosen[roles[chosen] != 0][0]} again (it has one purpose). Name it once."
                    )
                roles[chosen] = role
            classes = int(labels.max(initial=-1)) + 1
        core = _core.network_of_graph(self._graph._core, self._dtype.name, width, classes, *self._options)
        self._set_features(core, read)
        core.set_targets(labels, roles)
        curve = core.train(epochs, "" if checkpoint is None else os.fspath(checkpoint), checkpoint_every)
        self._core = core
        self.history = {name: np.array(values) for name, values in curve.items()}
        return self

    @checked
    def outputs(self, features: Any) -> np.ndarray:
        """Z of the last layer for this rank's vertices, vertices x classes, with nothing dropped; its softmax are the
        probabilities of classes. Collective.
        """
        with agreed(self._graph.world, "GCN.outputs"):
            if self._core is None:
                raise errors.UsageError("outputs of a GCN before fit() (it has learned nothing). Call fit() first.")
            (rows, _), read = self._read_features(features)
        self._set_features(self._core, read)
        out = np.empty((rows, self._core.classes), self._dtype)
        self._core.put_outputs(out)
        return out

    @checked
    def predict(self, features: Any) -> np.ndarray:
        """The class of each vertex of this rank. Collective."""
        return self.outputs(features).argmax(axis=1)

    def _read_features(self, features: Any) -> tuple[tuple[int, int], tuple[Any, ...]]:
        """Their shape, and the array that is read; of a sparse matrix its offsets, columns, values and width."""
        sparse = hasattr(features, "tocsr")
        given = features if sparse else factor("features", features)
        if not np.can_cast(given.dtype, self._dtype):
            raise TypeError(
                f"features is {given.dtype} (the network is {self._dtype}). Use features.astype('{self._dtype}')."
            )
        if given.ndim != 2 or given.shape[1] < 1:
            raise errors.InputError(
                f"features has shape {given.shape} (a row a vertex and a column a feature are needed). Reshape it."
            )
        if not sparse:
            return given.shape, (np.require(given, self._dtype, "CA"),)
        offsets, columns, values, _ = rows_of("features", features, self._dtype, summed=True)
        return given.shape, (offsets, columns.astype(np.int32), values, given.shape[1])

    @staticmethod
    def _set_features(core: Any, read: tuple[Any, ...]) -> None:
        core.set_dense(*read) if len(read) == 1 else core.set_sparse(*read)

    def __repr__(self) -> str:
        widths = self._options[0]
        if self._core is None:
            return f"<atoll.GCN: hidden layers of {widths}, {self._dtype}, not trained>"
        return (
            f"<atoll.GCN: hidden layers of {widths}, {self._core.classes} classes, {self._core.parameters} weights of "
            f"{self._dtype}>"
        )


def _labels(labels: Any, rows: int) -> np.ndarray:
    refuse_masked("labels", labels)
    given = np.asarray(labels)
    if given.ndim != 1 or len(given) != rows:
        raise errors.InputError(f"labels has shape {given.shape} (features has {rows} rows). Pass one for each.")
    if rows and not np.issubdtype(given.dtype, np.integer):
        raise TypeError(f"labels is {given.dtype} (classes are whole numbers from 0, -1 for none). Number the classes.")
    if rows and not (given.min() >= -1 and given.max() < 2**20):
        raise errors.InputError(
            f"labels has {given.min()} to {given.max()} (classes are 0 to 2^20 - 1, and -1 for none). Number them anew."
        )
    return np.ascontiguousarray(given, dtype=np.int32)


def _chosen(name: str, given: Any, rows: int) -> np.ndarray:
    """Row numbers of a mask or of a list of rows."""
    refuse_masked(name, given)
    chosen = np.asarray(given)
    if chosen.ndim != 1:
        raise errors.InputError(f"{name} has shape {chosen.shape} (a mask or row numbers are needed). Reshape it.")
    if chosen.dtype == bool:
        if len(chosen) != rows:
            raise errors.InputError(f"{name} is a mask of {len(chosen)} (features has {rows} rows). Pass one for each.")
        return np.flatnonzero(chosen)
    if len(chosen) == 0:
        return np.zeros(0, np.int64)
    if not np.issubdtype(chosen.dtype, np.integer):
        raise TypeError(
            f"{name} is {chosen.dtype} (a mask of bool or row numbers are needed). Use {name}.astype(bool)."
        )
    if chosen.min() < 0 or chosen.max() >= rows:
        wrong = chosen[(chosen < 0) | (chosen >= rows)][0]
        raise errors.InputError(f"{name} has row {wrong} (rows are 0 to {rows - 1}). Correct it.")
    distinct, times = np.unique(chosen, return_counts=True)
    if (times > 1).any():
        raise errors.InputError(f"{name} has row {distinct[times > 1][0]} twice (once is enough). Remove one.")
    return distinct
