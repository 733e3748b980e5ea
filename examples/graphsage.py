# SPDX-License-Identifier: Apache-2.0
"""Trains GraphSAGE on mini-batches of sampled neighborhoods, and prints its accuracy on other vertices.

    python examples/graphsage.py [--epochs 10]

The graph has four communities, whose vertices have noisy features; needs torch. With PyTorch Geometric, SAGEConv may be
that of torch_geometric.nn, and data a Data of torch_geometric.data: nothing else changes.
"""

import argparse
import time

import torch
import torch.nn.functional as F
from atoll.torch import NeighborLoader, SAGEConv

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--epochs", type=int, default=10)
options = parser.parse_args()

torch.manual_seed(0)
vertices, communities = 4000, 4
y = torch.arange(vertices) % communities
source, target = torch.randint(vertices, (2, 120000))
kept = (y[source] == y[target]) | (torch.rand(120000) < 0.1)
source, target = source[kept], target[kept]
data = {
    "x": F.one_hot(y, communities) + 1.5 * torch.randn(vertices, communities),
    "y": y,
    "edge_index": torch.stack([torch.cat([source, target]), torch.cat([target, source])]),
}
train = torch.arange(vertices) < vertices // 4

train_loader = NeighborLoader(data, num_neighbors=[10, 5], input_nodes=train, batch_size=128, shuffle=True)
test_loader = NeighborLoader(data, num_neighbors=[20, 20], input_nodes=~train, batch_size=512)


class GraphSage(torch.nn.Module):
    """Two layers of GraphSAGE."""

    def __init__(self):
        super().__init__()
        self.first = SAGEConv(communities, 32)
        self.second = SAGEConv(32, communities)

    def forward(self, x, edge_index):
        """Returns scores of the classes, a row a vertex."""
        x = F.dropout(self.first(x, edge_index).relu(), 0.3, self.training)
        return self.second(x, edge_index)


model = GraphSage()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(options.epochs):
    model.train()
    began, losses = time.perf_counter(), []
    for batch in train_loader:
        optimizer.zero_grad()
        out = model(batch.x, batch.edge_index)[: batch.batch_size]
        loss = F.cross_entropy(out, batch.y[: batch.batch_size])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.3f}, {time.perf_counter() - began:.2f} s")

model.eval()
right = 0
with torch.no_grad():
    for batch in test_loader:
        found = model(batch.x, batch.edge_index)[: batch.batch_size].argmax(dim=1)
        right += int((found == batch.y[: batch.batch_size]).sum())
print(f"accuracy {right / int((~train).sum()):.3f}")
