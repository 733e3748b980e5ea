# SPDX-License-Identifier: Apache-2.0
"""NeighborLoader gives the batches that PyTorch Geometric's interface promises, with and without that."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import atoll
import atoll.torch
import numpy as np
import pytest
import torch

ROOT = Path(__file__).parents[2]
HAS_PYG = importlib.util.find_spec("torch_geometric") is not None


def example(vertices=200, edges=1500):
    draw = torch.Generator().manual_seed(3)
    return {
        "x": torch.rand(vertices, 8, generator=draw),
        "y": torch.arange(vertices),
        "edge_index": torch.randint(vertices, (2, edges), generator=draw),
        "edge_attr": torch.rand(edges, generator=draw),
        "train_mask": torch.arange(vertices) % 3 == 0,
        "name": "example",
    }


def check(batch, data, num_neighbors, replace=False):
    assert (batch.x == data["x"][batch.n_id]).all() and (batch.y == batch.n_id).all()
    assert (batch.n_id[batch.edge_index] == data["edge_index"][:, batch.e_id]).all()
    assert (batch.edge_attr == data["edge_attr"][batch.e_id]).all()
    assert sum(batch.num_sampled_nodes) == len(batch.n_id) == batch.num_nodes
    assert sum(batch.num_sampled_edges) == batch.edge_index.shape[1]
    assert batch.num_sampled_nodes[0] == batch.batch_size == len(batch.input_id)
    if not replace:
        assert len(batch.e_id.unique()) == len(batch.e_id)
    degree = torch.bincount(data["edge_index"][1], minlength=len(data["x"]))
    begin, end = 0, batch.batch_size
    for fanout, reached in zip(num_neighbors, batch.num_sampled_nodes[1:]):
        drawn = torch.bincount(batch.edge_index[1], minlength=len(batch.n_id))[begin:end]
        there = degree[batch.n_id[begin:end]]
        most = there if fanout < 0 else torch.minimum(there, torch.tensor(fanout))
        assert (drawn == (most if not replace or fanout < 0 else fanout * (there > 0))).all()
        begin, end = end, end + reached


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("num_workers", [0, 2])
def test_batches_have_edges_attributes_and_counts(replace, num_workers):
    data = example()
    loader = atoll.torch.NeighborLoader(
        data, [5, -1, 2], data["train_mask"], replace=replace, batch_size=16, num_workers=num_workers, pin_memory=True
    )
    batches = list(loader)
    assert len(batches) == len(loader) == 5 and [b.batch_size for b in batches] == [16] * 4 + [3]
    for batch in batches:
        check(batch, data, [5, -1, 2], replace)
        assert batch.name == "example"
    seen = torch.cat([batch.n_id[: batch.batch_size] for batch in batches])
    assert (seen == data["train_mask"].nonzero().ravel()).all()


def test_a_seed_repeats_an_epoch_and_epochs_differ():
    data = example()

    def epochs(**options):
        loader = atoll.torch.NeighborLoader(data, [3, 3], batch_size=50, shuffle=True, **options)
        return [[batch.e_id.tolist() for batch in loader] for _ in range(2)]

    first, again, other = epochs(seed=7), epochs(seed=7), epochs(seed=8)
    assert first == again and first[0] != first[1] and first != other
    assert first == epochs(seed=7, num_workers=1)
    torch.manual_seed(5)
    by_torch = epochs()
    torch.manual_seed(5)
    assert by_torch == epochs() and by_torch[0] != by_torch[1]


def test_shuffle_drop_last_and_single_vertices():
    data = example()
    loader = atoll.torch.NeighborLoader(data, [2], [4, 9, 4, 11], batch_size=3, shuffle=True, drop_last=True, seed=1)
    (batch,) = loader
    assert len(loader) == 1 and set(batch.n_id[:3].tolist()) <= {4, 9, 11}
    assert (batch.n_id[:3] == torch.tensor([4, 9, 4, 11])[batch.input_id]).all()
    assert loader([1, 3]).n_id[:2].tolist() == [9, 11]
    assert len(list(atoll.torch.NeighborLoader(data, [2], []))) == 0
    alone = {"x": torch.ones(3, 1), "edge_index": torch.empty(2, 0, dtype=torch.int64)}
    assert [b.num_edges for b in atoll.torch.NeighborLoader(alone, [2, 2], batch_size=2)] == [0, 0]
    shown = repr(loader)
    assert "4 vertices in 1 batches" in shown


def test_a_sampler_says_the_order_of_input_nodes():
    data, nodes = example(), torch.tensor([4, 9, 7, 11])

    def load(sampler, **options):
        loader = atoll.torch.NeighborLoader(data, [2], nodes, sampler=sampler, batch_size=3, **options)
        return [batch.n_id[: batch.batch_size].tolist() for batch in loader]

    assert load([3, 0, 0, 1, 2]) == [[11, 4, 4], [9, 7]] and load([3, 0, 1, 2], drop_last=True) == [[11, 4, 9]]
    weighted = torch.utils.data.WeightedRandomSampler([0.0, 1.0, 0.0, 0.0], 5)
    assert load(weighted) == [[9] * 3, [9] * 2]
    with pytest.raises(atoll.InputError, match="sampler gives 4"):
        load([4])
    with pytest.raises(atoll.UsageError, match="sampler is given with shuffle"):
        load([0], shuffle=True)
    with pytest.raises(TypeError, match="sampler is 3"):
        load(3)


def test_a_generator_says_what_an_epoch_draws():
    def epochs(seed):
        draw = torch.Generator().manual_seed(seed)
        loader = atoll.torch.NeighborLoader(example(), [3], batch_size=50, shuffle=True, generator=draw)
        return [[batch.e_id.tolist() for batch in loader] for _ in range(2)]

    first = epochs(1)
    torch.manual_seed(2)
    assert epochs(1) == first and first[0] != first[1] and epochs(3) != first
    with pytest.raises(atoll.UsageError, match="generator is given with seed"):
        atoll.torch.NeighborLoader(example(), [3], generator=torch.Generator(), seed=1)
    with pytest.raises(TypeError, match="generator is 5"):
        atoll.torch.NeighborLoader(example(), [3], generator=5)


def test_input_id_is_the_position_in_input_nodes_or_what_is_given():
    data = example()

    def input_id(nodes, **options):
        (batch,) = atoll.torch.NeighborLoader(data, [2], nodes, batch_size=200, **options)
        return batch.input_id.tolist()

    assert input_id(data["train_mask"]) == list(range(0, 200, 3))  # positions in the mask
    assert input_id([7, 5]) == [0, 1] and input_id([7, 5], input_id=torch.tensor([30, 20])) == [30, 20]
    with pytest.raises(atoll.InputError, match="input_id has 1 numbers"):
        input_id([7, 5], input_id=torch.tensor([3]))
    with pytest.raises(TypeError, match="input_id is"):
        input_id([7, 5], input_id=[3, 4])


def test_edges_are_drawn_by_an_attribute():
    data = example()
    data["chance"] = (torch.arange(1500) % 2).float()
    loader = atoll.torch.NeighborLoader(data, [4], batch_size=200, weight_attr="chance")
    (batch,) = loader
    assert len(batch.e_id) > 0 and (batch.e_id % 2 == 1).all() and (batch.chance == 1).all()
    data["chance"][3] = -1
    with pytest.raises(atoll.InputError, match="edge 3 is drawn in proportion to -1"):
        next(iter(atoll.torch.NeighborLoader(data, [4], weight_attr="chance")))


def test_transform_is_called_with_each_batch():
    loader = atoll.torch.NeighborLoader(example(), [2], batch_size=100, transform=lambda batch: batch.num_edges)
    assert all(isinstance(count, int) for count in loader)


def test_a_mini_batch_behaves_as_data_does():
    batch = next(iter(atoll.torch.NeighborLoader(example(), [2], batch_size=4)))
    if not HAS_PYG:
        assert type(batch) is atoll.torch.MiniBatch
        with pytest.raises(AttributeError, match="has no pos"):
            batch.pos  # noqa: B018
    assert batch.to("cpu") is batch and "x" in batch and (batch["x"] == batch.x).all()
    assert set(batch.to_dict()) >= {"x", "y", "edge_index", "n_id", "e_id", "batch_size", "input_id"}


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_graph_over_ranks_is_loaded_by_all(ranks):
    n = 90
    x = torch.rand(n, 4, generator=torch.Generator().manual_seed(1))

    def run(world):
        graph = atoll.Graph("uniform:7:8", comm=world, partition="hashed" if ranks == 3 else "blocked")
        rows = torch.arange(graph.n, dtype=torch.float32)[:, None]
        loader = atoll.torch.NeighborLoader(graph, [3, 2], batch_size=10, shuffle=True, seed=2, attributes={"x": rows})
        batches = list(loader)
        for batch in batches:
            assert (batch.x[:, 0].long() == batch.n_id).all() and batch.batch_size <= 10
        mine = torch.cat([batch.n_id[: batch.batch_size] for batch in batches])
        assert sorted(mine.tolist()) == graph.ids.tolist()
        mask = torch.zeros(graph.n, dtype=torch.bool)
        mask[::5] = True
        some = list(atoll.torch.NeighborLoader(graph, [2], mask, batch_size=4, seed=2))
        marked = [v for batch in some for v in batch.n_id[: batch.batch_size].tolist()]
        assert all((batch.input_id == batch.n_id[: batch.batch_size]).all() for batch in some)
        assert sorted(marked) == [v for v in graph.ids.tolist() if v % 5 == 0]
        return len(batches), len(some)

    assert len(x) == n
    found = atoll.run_ranks(ranks, run, plan={"threads": 1})
    assert len(set(found)) == 1  # as many batches on each rank


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 8])
def test_ranks_that_have_only_their_own_rows_fetch_those_of_others(ranks):
    given = {
        "x": torch.rand(128, 3, generator=torch.Generator().manual_seed(1)),
        "wide": torch.rand(128, 70, dtype=torch.float64).to(torch.float64),
        "y": torch.arange(128),
        "flag": torch.arange(128) % 3 == 0,
        "half": torch.arange(128 * 6).reshape(128, 2, 3).to(torch.float16),
        "none": torch.zeros(128, 0),
    }
    given["x"][5, 1] = float("nan")
    plan = {"threads": 1, "domains": "2x2" if ranks == 4 else "", "route": "domain" if ranks == 4 else "direct"}

    def run(world):
        graph = atoll.Graph("uniform:7:8", comm=world, partition="hashed" if ranks in (3, 5) else "blocked")
        assert graph.n == 128
        places = np.searchsorted(np.sort(atoll.world.all_gather(world, graph.ids)), graph.ids)
        rows = {name: value[places] for name, value in given.items()}
        options = {"batch_size": 7, "shuffle": True, "seed": 2}
        found = list(atoll.torch.NeighborLoader(graph, [3, 2], **options, attributes=rows))
        wanted = list(atoll.torch.NeighborLoader(graph, [3, 2], **options, attributes=given))
        for batch, other in zip(found, wanted, strict=True):
            assert (batch.n_id == other.n_id).all()
            for name in given:
                assert batch[name].dtype == given[name].dtype
                assert torch.equal(batch[name].nan_to_num(7), other[name].nan_to_num(7)), name
        with pytest.raises(atoll.InputError, match=r"attributes\['x'\] has .* rows.*128 vertices"):
            atoll.torch.NeighborLoader(graph, [2], attributes={"x": rows["x"][1:]})
        return len(found)

    assert len(set(atoll.run_ranks(ranks, run, plan=plan))) == 1


def test_what_the_loader_does_not_take_is_refused():
    data = example()
    for options, error, text in (
        ({"disjoint": True}, atoll.UsageError, "disjoint is True"),
        ({"subgraph_type": "induced"}, atoll.UsageError, "subgraph_type is 'induced'"),
        ({"batchsize": 3}, TypeError, "batchsize"),
        ({"batch_size": 0}, atoll.InputError, "batch_size is 0"),
        ({"batch_size": 2.5}, TypeError, "batch_size is 2.5"),
        ({"input_nodes": [200]}, atoll.InputError, "input_nodes has 200"),
        ({"input_nodes": torch.ones(3, dtype=torch.bool)}, atoll.InputError, "a mask of 3"),
        ({"input_nodes": torch.ones(3)}, TypeError, "input_nodes"),
        ({"weight_attr": "nothing"}, atoll.InputError, "'nothing'"),
        ({"attributes": {}}, atoll.UsageError, "for a Graph"),
    ):
        with pytest.raises(error, match=text):
            atoll.torch.NeighborLoader(data, [2], **options)
    with pytest.raises(TypeError, match="num_neighbors"):
        atoll.torch.NeighborLoader(data, {("a", "to", "a"): [2]})
    with pytest.raises(TypeError, match="edge_index"):
        atoll.torch.NeighborLoader({"x": data["x"]}, [2])
    with pytest.raises(TypeError, match="data is"):
        atoll.torch.NeighborLoader(7, [2])
    data["edge_index"][0, 5] = 200
    with pytest.raises(atoll.InputError, match="200"):
        atoll.torch.NeighborLoader(data, [2])


@pytest.mark.skipif(not HAS_PYG, reason="PyTorch Geometric is not installed")
def test_data_of_pytorch_geometric_gives_such_data():
    from torch_geometric.data import Data

    plain = example()
    data = Data(**plain)
    loader = atoll.torch.NeighborLoader(data, [4, 4], data.train_mask, batch_size=32)
    for batch in loader:
        assert type(batch) is Data
        check(batch, plain, [4, 4])
    del loader.data.y
    loader.data.n_id = torch.arange(200) + 1000
    batch = next(iter(loader))
    assert "y" not in batch and (batch.n_id >= 1000).all()


ENDINGS = {
    "after an epoch": "",
    "in the midst of one": "if k == 2: break",
    "by an error": "if k == 2: raise KeyError(k)",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_with_a_loader_ends(ending):
    program = f"""
import torch
from atoll.torch import NeighborLoader, SAGEConv
data = {{"x": torch.rand(500, 8), "edge_index": torch.randint(500, (2, 5000))}}
loader, layer = NeighborLoader(data, [5, 5], batch_size=50, num_workers=1), SAGEConv(8, 4)
batches = iter(loader)
for k, batch in enumerate(batches):
    layer(batch.x, batch.edge_index).sum().backward()
    {ENDINGS[ending]}
print("reached its end")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == (ending == "by an error"), done.stderr
    assert ("reached its end" in done.stdout) == (ending != "by an error")


def test_the_example_learns():
    done = subprocess.run(
        [sys.executable, ROOT / "examples/graphsage.py", "--epochs", "4"],
        env={**os.environ, "ATOLL_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    accuracy = float(done.stdout.split()[-1])
    assert accuracy > 0.8, done.stdout
    assert np.isfinite(accuracy)
