# SPDX-License-Identifier: Apache-2.0
"""Several graphs in a batch: layers give each what they give it by itself, and mini-batches keep which is whose."""

import atoll
import atoll.torch
import pytest
import torch

SIZES, EDGES = (4, 1, 7, 3), (6, 0, 20, 2)


def graphs():
    draw = torch.Generator().manual_seed(5)
    return [
        (torch.rand(n, 3, generator=draw), torch.randint(n, (2, edges), generator=draw))
        for n, edges in zip(SIZES, EDGES)
    ]


def joined(parts):
    """The graphs as one, whose vertices follow each other, and the graph of each vertex."""
    sizes = torch.tensor(SIZES)
    starts = sizes.cumsum(0) - sizes
    edges = torch.cat([edge_index + start for (_, edge_index), start in zip(parts, starts)], dim=1)
    return (
        torch.cat([x for x, _ in parts]),
        edges,
        torch.repeat_interleave(torch.arange(len(sizes)), sizes),
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: atoll.torch.GCNConv(3, 2),
        lambda: atoll.torch.SAGEConv(3, 2, aggr="max"),
        lambda: atoll.torch.GATConv(3, 2, heads=2),
        lambda: atoll.torch.GINConv(torch.nn.Linear(3, 2)),
    ],
)
def test_a_layer_gives_each_graph_what_it_gives_it_by_itself(make):
    parts, layer = graphs(), make()
    x, edge_index, of = joined(parts)
    x.requires_grad_()
    out = layer(x, edge_index)
    out.square().sum().backward()
    for k, (rows, edges) in enumerate(parts):
        rows.requires_grad_()
        by_itself = layer(rows, edges)
        by_itself.square().sum().backward()
        torch.testing.assert_close(out[of == k], by_itself)
        torch.testing.assert_close(x.grad[of == k], rows.grad)


def test_batches_of_pytorch_geometric_are_graphs_to_layers_and_to_the_loader():
    from torch_geometric.data import Batch, Data
    from torch_geometric.loader import DataLoader

    parts = graphs()
    data = [Data(x=x, edge_index=edges) for x, edges in parts]
    layer = atoll.torch.GINConv(torch.nn.Linear(3, 2))
    (batch,) = DataLoader(data, batch_size=4)
    of_batch = layer(batch.x, batch.edge_index)
    for k, (x, edges) in enumerate(parts):
        torch.testing.assert_close(of_batch[batch.batch == k], layer(x, edges))

    whole = Batch.from_data_list(data)
    seen = []
    for part in atoll.torch.NeighborLoader(whole, [-1, -1], batch_size=5):
        assert (part.x == whole.x[part.n_id]).all() and (part.batch == whole.batch[part.n_id]).all()
        source, target = part.edge_index
        assert (part.batch[source] == part.batch[target]).all()
        seen += part.n_id[: len(part.input_id)].tolist()  # a Batch calls its number of graphs batch_size
    assert seen == list(range(sum(SIZES)))


def test_graphs_are_told_apart_by_what_their_batches_learn():
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader
    from torch_geometric.nn import global_add_pool

    def ring(n):
        here = torch.arange(n)
        return torch.stack([torch.cat([here, (here + 1) % n]), torch.cat([(here + 1) % n, here])])

    def star(n):
        leaves = torch.arange(1, n)
        return torch.stack([torch.cat([leaves, 0 * leaves]), torch.cat([0 * leaves, leaves])])

    torch.manual_seed(0)
    data = [
        Data(x=torch.ones(n, 1), edge_index=make(n), y=torch.tensor([kind]))
        for n in range(5, 25)
        for kind, make in enumerate((ring, star))
    ]
    hidden = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8))
    layer, head = atoll.torch.GINConv(hidden), torch.nn.Linear(8, 2)
    optimizer = torch.optim.Adam([*layer.parameters(), *head.parameters()], lr=0.02)
    for _ in range(60):
        for batch in DataLoader(data, batch_size=8, shuffle=True):
            optimizer.zero_grad()
            rows = layer(batch.x, batch.edge_index).relu() / 10
            loss = torch.nn.functional.cross_entropy(head(global_add_pool(rows, batch.batch)), batch.y)
            loss.backward()
            optimizer.step()
    (batch,) = DataLoader(data, batch_size=len(data))
    found = head(global_add_pool(layer(batch.x, batch.edge_index).relu() / 10, batch.batch)).argmax(1)
    assert (found == batch.y).float().mean() > 0.9
