# SPDX-License-Identifier: Apache-2.0
"""Trains GraphSAGE of PyTorch Geometric on mini-batches of Atoll's NeighborLoader, and prints its accuracy.

    python examples/pyg_graphsage.py [FILE.npz] [--epochs 10]

It is written for PyTorch Geometric in all but one import, and does the same with the other one. The file has a graph
with features and labels as arrays (adj_indptr, adj_indices, feat_indptr, feat_indices, feat_data, feat_shape, labels);
without one there are four communities, whose vertices have noisy features.
"""

import argparse
import copy

import numpy as np
import torch
import torch.nn.functional as F
from atoll.torch import NeighborLoader  # was: from torch_geometric.loader import NeighborLoader
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv
from torch_geometric.transforms import RandomNodeSplit, ToUndirected

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("file", nargs="?")
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()


def read(path):
    """Returns the graph of a file."""
    kept = np.load(path)
    rows, columns = (int(count) for count in kept["feat_shape"])
    x = torch.zeros(rows, columns)
    vertex = torch.from_numpy(np.repeat(np.arange(rows), np.diff(kept["feat_indptr"])))
    x[vertex, torch.from_numpy(kept["feat_indices"].astype(np.int64))] = torch.from_numpy(kept["feat_data"]).float()
    source = torch.from_numpy(np.repeat(np.arange(rows), np.diff(kept["adj_indptr"])))
    edge_index = torch.stack([source, torch.from_numpy(kept["adj_indices"].astype(np.int64))])
    return Data(x=x, y=torch.from_numpy(kept["labels"].astype(np.int64)), edge_index=edge_index)


def communities(vertices=4000, count=4, edges=60000):
    """Returns a graph whose edges lead for the most part to vertices of the same label."""
    draw = torch.Generator().manual_seed(0)
    y = torch.arange(vertices) % count
    source, target = torch.randint(vertices, (2, edges), generator=draw)
    kept = (y[source] == y[target]) | (torch.rand(edges, generator=draw) < 0.1)
    x = F.one_hot(y, count) + 1.5 * torch.randn(vertices, count, generator=draw)
    return Data(x=x, y=y, edge_index=torch.stack([source[kept], target[kept]]))


torch.manual_seed(options.seed)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = communities() if options.file is None else read(options.file)
data = RandomNodeSplit(num_val=0.1, num_test=0.2)(ToUndirected()(data))
loading = {"batch_size": 256, "num_workers": options.workers, "persistent_workers": options.workers > 0}
train_loader = NeighborLoader(data, num_neighbors=[15, 10], input_nodes=data.train_mask, shuffle=True, **loading)
layer_loader = NeighborLoader(copy.copy(data), num_neighbors=[-1], input_nodes=None, shuffle=False, **loading)
del layer_loader.data.x, layer_loader.data.y  # layers are computed one after the other: these are not looked up
layer_loader.data.num_nodes = data.num_nodes


class GraphSage(torch.nn.Module):
    """Two layers of GraphSAGE."""

    def __init__(self, columns, hidden, classes):
        super().__init__()
        self.layers = torch.nn.ModuleList([SAGEConv(columns, hidden), SAGEConv(hidden, classes)])

    def forward(self, x, edge_index):
        """Returns scores of the classes, a row a vertex of the batch."""
        x = F.dropout(self.layers[0](x, edge_index).relu(), 0.5, self.training)
        return self.layers[1](x, edge_index)

    @torch.no_grad()
    def of_all(self, x, loader):
        """Returns scores of the classes for all vertices, with all their neighbors."""
        for layer in self.layers:
            rows = []
            for batch in loader:
                here = layer(x[batch.n_id].to(device), batch.edge_index.to(device))[: batch.batch_size]
                rows.append((here.relu() if layer is self.layers[0] else here).cpu())
            x = torch.cat(rows)
        return x


model = GraphSage(data.num_features, 64, int(data.y.max()) + 1).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for epoch in range(1, options.epochs + 1):
    model.train()
    loss_sum = right = seen = 0
    for batch in train_loader:
        batch = batch.to(device)
        assert bool(batch.train_mask[: batch.batch_size].all())
        optimizer.zero_grad()
        y = batch.y[: batch.batch_size]
        out = model(batch.x, batch.edge_index)[: batch.batch_size]
        loss = F.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        loss_sum += float(loss) * batch.batch_size
        right += int((out.argmax(dim=-1) == y).sum())
        seen += batch.batch_size
    print(f"epoch {epoch}: loss {loss_sum / seen:.3f}, accuracy in training {right / seen:.3f}")

model.eval()
found = model.of_all(data.x, layer_loader).argmax(dim=-1)
shares = [float((found == data.y)[mask].float().mean()) for mask in (data.val_mask, data.test_mask)]
print(f"accuracy of validation {shares[0]:.3f}, of the test {shares[1]:.3f}")
