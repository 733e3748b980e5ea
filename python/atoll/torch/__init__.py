# SPDX-License-Identifier: Apache-2.0
"""Sparse products inside PyTorch: autograd functions and layers of graph neural networks over atoll.SpMM.

>>> import torch
>>> graph = atoll.Graph("path:3")
>>> x = torch.tensor([[1.0], [2.0], [4.0]], requires_grad=True)
>>> atoll.torch.spmm(graph, x)
tensor([[2.],
        [5.],
        [2.]], grad_fn=<SparseProductBackward>)

GCNConv, SAGEConv, GATConv, GINConv and NeighborLoader take the arguments of PyTorch Geometric's, so that a script
written for it changes one import.
`atoll.torch.sparse` has the calls of torch_sparse. Tensors are on the CPU, float32 or float64, or on a GPU, float32, in
products of one rank. `import atoll` does not import torch.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as _error:
    raise ImportError(
        f"atoll.torch: torch cannot be imported ({_error}). Install it: pip install torch, or pip install .[torch] in "
        "a checkout of Atoll; on Debian apt-get install python3-torch."
    ) from _error

from . import sparse
from .attention import GATConv
from .convolutions import GCNConv, SAGEConv, propagate
from .gradients import all_reduce_gradients
from .hetero_batch import HeteroMiniBatch
from .isomorphism import GINConv
from .loader import NeighborLoader
from .mini_batch import MiniBatch
from .product import spmm

__all__ = [
    "GATConv",
    "GCNConv",
    "GINConv",
    "HeteroMiniBatch",
    "MiniBatch",
    "NeighborLoader",
    "SAGEConv",
    "all_reduce_gradients",
    "propagate",
    "sparse",
    "spmm",
]
