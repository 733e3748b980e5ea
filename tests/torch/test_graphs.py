# SPDX-License-Identifier: Apache-2.0
"""Graphs of tensors: an edge_index, pairs, columns and dense matrices; what may be several of these is refused."""

import atoll
import pytest
import torch


def test_two_rows_and_two_columns_are_edges():
    index = torch.tensor([[0, 1, 1], [1, 2, 3]])
    for tensor in (index, index.T, index.int(), index.T.contiguous()):
        graph = atoll.Graph(tensor)
        assert [graph[v] for v in (0, 1, 2)] == [{1: 1}, {2: 1, 3: 1}, {}]
    assert not atoll.Graph(index, directed=False).directed
    assert atoll.Graph(index[:, :0]).n == 0 and atoll.Graph(index.T[:0]).n == 0
    with pytest.raises(atoll.InputError, match=r"Graph\.from_edges\(\*tensor\.T\) for pairs"):
        atoll.Graph(index[:, :2])
    assert atoll.Graph.from_edges(*index[:, :2]).m == 2


@pytest.mark.filterwarnings("ignore:Sparse CSR")
def test_sparse_tensors_are_matrices_whose_entries_are_edges():
    index = torch.tensor([[0, 1, 1, 0], [1, 2, 3, 1]])
    coo = torch.sparse_coo_tensor(index, torch.tensor([1.0, 2.0, 4.0, 0.5]), (6, 6))
    for tensor in (coo, coo.coalesce().to_sparse_csr()):
        graph = atoll.Graph(tensor)
        assert (graph.n, graph.m, graph.directed) == (6, 3, True)
        assert graph.to_scipy().toarray().tolist() == coo.to_dense().tolist()
    undirected = atoll.Graph(coo, directed=False)
    assert undirected[3] == {1: 4.0}
    assert not atoll.Graph(torch.sparse_coo_tensor(index, torch.ones(4, dtype=torch.bool), (6, 6))).weighted
    with pytest.raises(atoll.InputError, match="the sparse tensor is 6 x 7"):
        atoll.Graph(torch.sparse_coo_tensor(index, torch.ones(4), (6, 7)))


def test_tensors_are_columns():
    source, target = torch.tensor([[0, 1], [1, 2]])
    weight = torch.tensor([0.5, 2.0], requires_grad=True)
    graph = atoll.Graph((source, target, weight))
    assert str(graph.weight_dtype) == "float32" and graph[1] == {2: 2.0}
    assert atoll.Graph.from_edges(source, target, weight.double()).weight_dtype == "float64"
    assert atoll.Graph.from_edges(source, target, vertices=torch.tensor([7])).n == 4
    with pytest.raises(TypeError, match=r"weight is torch.bfloat16"):
        atoll.Graph((source, target, weight.bfloat16()))


def test_square_tensors_are_matrices():
    matrix = torch.zeros(4, 4)
    matrix[0, 3] = 1.5
    assert atoll.Graph(matrix)[0] == {3: 1.5} and atoll.Graph(matrix.bool())[0] == {3: 1}
    assert atoll.Graph.from_dense(matrix[:2, 2:])[0] == {1: 1.5}
    with pytest.raises(TypeError, match=r"Graph\.from_dense\(matrix\)"):
        atoll.Graph(matrix[:3, :3])
    assert atoll.Graph(matrix.to_sparse())[0] == {3: 1.5}
    with pytest.raises(TypeError, match="layout sparse_coo"):
        atoll.Graph.from_dense(matrix.to_sparse())


def test_ranks_give_parts():
    index = torch.tensor([[0, 1, 1, 2, 3], [1, 2, 3, 3, 0]])

    def f(world):
        graph = atoll.Graph(index[:, :3] if world.rank == 0 else index[:, 3:4], comm=world)
        return graph.n, graph.m

    assert atoll.run_ranks(3, f) == [(4, 4)] * 3


def test_results_become_tensors():
    graph = atoll.Graph("ring:5")
    ranks = atoll.pagerank(graph)
    for tensor in (torch.tensor(ranks.values), torch.as_tensor(ranks.score), torch.from_dlpack(ranks.values)):
        assert tensor.tolist() == ranks.score.local.tolist()
    with pytest.raises(TypeError):  # not a tensor of the vertices, which it iterates over
        torch.tensor(ranks)
