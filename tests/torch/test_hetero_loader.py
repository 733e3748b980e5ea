# SPDX-License-Identifier: Apache-2.0
"""NeighborLoader on several kinds of vertices gives what PyTorch Geometric's interface promises, also without it."""

import importlib.util

import atoll
import atoll.torch
import pytest
import torch
import torch.nn.functional as F

HAS_PYG = importlib.util.find_spec("torch_geometric") is not None
WRITES, CITES, HAS = ("author", "writes", "paper"), ("paper", "cites", "paper"), ("paper", "has", "topic")
KINDS = {"paper": 120, "author": 60, "topic": 9}


def example(seed=3):
    draw = torch.Generator().manual_seed(seed)
    data = {
        kind: {"x": torch.rand(count, 4, generator=draw), "y": torch.arange(count)} for kind, count in KINDS.items()
    }
    data["paper"]["train_mask"] = torch.arange(120) % 3 == 0
    data["author"]["note"] = "of the example"
    for key, edges in {WRITES: 300, CITES: 700, HAS: 200}.items():
        ends = [torch.randint(KINDS[kind], (edges,), generator=draw) for kind in (key[0], key[2])]
        data[key] = {"edge_index": torch.stack(ends), "edge_attr": torch.rand(edges, generator=draw)}
    return data


def check(batch, data, fanouts, replace=False):
    for kind in KINDS:
        assert (batch[kind].x == data[kind]["x"][batch[kind].n_id]).all()
        assert sum(batch[kind].num_sampled_nodes) == len(batch[kind].n_id) == len(batch[kind].x)
    for key, fanout in fanouts.items():
        store, edge_index = batch[key], data[key]["edge_index"]
        here = torch.stack([batch[key[0]].n_id[store.edge_index[0]], batch[key[2]].n_id[store.edge_index[1]]])
        assert (here == edge_index[:, store.e_id]).all()
        assert (store.edge_attr == data[key]["edge_attr"][store.e_id]).all()
        assert replace or len(store.e_id.unique()) == len(store.e_id)
        degree = torch.bincount(edge_index[1], minlength=KINDS[key[2]])
        drawn = torch.bincount(store.edge_index[1], minlength=len(batch[key[2]].n_id))
        begin, edges = 0, 0
        for most, reached, count in zip(fanout, batch[key[2]].num_sampled_nodes, store.num_sampled_edges):
            there = degree[batch[key[2]].n_id[begin : begin + reached]]
            wanted = there if most < 0 else most * (there > 0) if replace else there.clamp(max=most)
            assert (drawn[begin : begin + reached] == wanted).all() and int(wanted.sum()) == count
            begin, edges = begin + reached, edges + count
        assert edges == store.edge_index.shape[1] and not drawn[begin:].any()


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("num_workers", [0, 2])
def test_batches_have_the_edges_of_each_relation(replace, num_workers):
    data, fanouts = example(), {WRITES: [3, 2], CITES: [-1, 1], HAS: [4, 0]}
    mask = data["paper"]["train_mask"]
    options = {"batch_size": 16, "replace": replace, "num_workers": num_workers}
    loader = atoll.torch.NeighborLoader(data, fanouts, ("paper", mask), **options)
    batches = list(loader)
    assert len(batches) == len(loader) == 3 and [b["paper"].batch_size for b in batches] == [16, 16, 8]
    for batch in batches:
        check(batch, data, fanouts, replace)
        assert batch["author"].note == "of the example" and "batch_size" not in batch["author"]
        assert len(batch["topic"].n_id) == 0 and batch[HAS].edge_index.shape == (2, 0)  # nothing leads from a topic
    seen = torch.cat([b["paper"].n_id[: b["paper"].batch_size] for b in batches])
    assert (seen == mask.nonzero().ravel()).all()
    topics = next(iter(atoll.torch.NeighborLoader(data, [5, 5, 5], "topic", batch_size=9)))
    check(topics, data, dict.fromkeys(fanouts, [5, 5, 5]))
    assert topics["topic"].n_id.tolist() == list(range(9))


def all_neighbors(data, kind, seeds, layers):
    """The vertices of each kind in the order in which PyTorch Geometric's sampler reaches them, in sets by layer."""
    order = {k: list(seeds) if k == kind else [] for k in KINDS}
    front, layered = {k: list(v) for k, v in order.items()}, {k: [set(v)] for k, v in order.items()}
    for _ in range(layers):
        new = {k: [] for k in KINDS}
        for key in (WRITES, CITES, HAS):
            source, target = data[key]["edge_index"].tolist()
            for vertex in front[key[2]]:
                new[key[0]] += [u for u, v in zip(source, target) if v == vertex]
        for k in KINDS:
            front[k] = list(dict.fromkeys(v for v in new[k] if v not in order[k]))
            order[k] += front[k]
            layered[k].append(set(front[k]))
    return layered


@pytest.mark.parametrize("kind", KINDS)
def test_all_neighbors_are_those_of_a_serial_search(kind):
    data = example(8)
    loader = atoll.torch.NeighborLoader(data, [-1, -1, -1], (kind, [2, 5]), batch_size=2)
    (batch,) = loader
    expected = all_neighbors(data, kind, [2, 5], 3)
    for k in KINDS:
        parts = batch[k].n_id.split(batch[k].num_sampled_nodes)
        assert [set(part.tolist()) for part in parts] == expected[k], k


def test_a_seed_repeats_an_epoch_and_epochs_differ():
    def epochs(**options):
        loader = atoll.torch.NeighborLoader(example(), [3, 3], "paper", batch_size=50, shuffle=True, **options)
        return [[{key: batch[key].e_id.tolist() for key in (WRITES, CITES)} for batch in loader] for _ in range(2)]

    first = epochs(seed=7)
    assert first == epochs(seed=7) == epochs(seed=7, num_workers=1)
    assert first[0] != first[1] and first != epochs(seed=8)
    torch.manual_seed(5)
    by_torch = epochs()
    torch.manual_seed(5)
    assert by_torch == epochs() and by_torch[0] != by_torch[1]


def test_a_relation_may_be_its_edges_alone_and_edges_have_chances():
    edges = {"to": torch.tensor([[0, 1, 2, 3], [0, 0, 1, 1]]), "chance": torch.tensor([0.0, 1.0, 0.0, 1.0])}
    data = {("a", "to", "b"): edges["to"]}
    (batch,) = atoll.torch.NeighborLoader(data, [-1], "b", batch_size=2)
    assert batch["a"].n_id.tolist() == [0, 1, 2, 3] and batch[("a", "to", "b")].edge_index.tolist() == [
        [0, 1, 2, 3],
        [0, 0, 1, 1],
    ]
    data = {("a", "to", "b"): {"edge_index": edges["to"], "chance": edges["chance"]}}
    (batch,) = atoll.torch.NeighborLoader(data, [2], "b", batch_size=2, weight_attr="chance")
    assert batch["a"].n_id.tolist() == [1, 3]
    twice = atoll.torch.NeighborLoader(data, [-1], ("b", [1, 1]), batch_size=2)
    (batch,) = twice
    assert batch["b"].n_id.tolist() == [1, 1] and batch[("a", "to", "b")].edge_index.tolist() == [
        [0, 1, 0, 1],
        [0, 0, 1, 1],
    ]


def test_a_batch_of_several_kinds_behaves_as_data_does():
    batch = next(iter(atoll.torch.NeighborLoader(example(), [2], "paper", batch_size=4)))
    assert batch.to("cpu") is batch and batch.x_dict["paper"].shape[1] == 4
    assert set(batch.node_types) == set(KINDS) and set(batch.edge_types) == {WRITES, CITES, HAS} == set(
        batch.edge_index_dict
    )
    assert tuple(map(list, batch.metadata())) == (list(batch.node_types), list(batch.edge_types))
    if not HAS_PYG:
        assert type(batch) is atoll.torch.HeteroMiniBatch and "paper" in batch
        with pytest.raises(AttributeError, match="has no pos"):
            batch.pos  # noqa: B018


def test_wrong_relations_are_refused():
    data = example()
    for options, error, text in (
        ({"input_nodes": None}, TypeError, "input_nodes is None"),
        ({"input_nodes": torch.arange(3)}, TypeError, "input_nodes is tensor"),
        ({"input_nodes": "papers"}, atoll.InputError, "names 'papers'"),
        ({"input_nodes": ("paper", [120])}, atoll.InputError, "input_nodes has 120"),
        ({"input_nodes": ("paper", torch.ones(3, dtype=torch.bool))}, atoll.InputError, "a mask of 3"),
        ({"num_neighbors": {WRITES: [2]}}, atoll.InputError, "num_neighbors lacks .*cites"),
        ({"num_neighbors": {WRITES: [2], CITES: [2], HAS: [2], "x": [2]}}, atoll.InputError, "num_neighbors has 'x'"),
        ({"num_neighbors": {WRITES: [2], CITES: [2, 2], HAS: [2]}}, atoll.InputError, "different lengths"),
        ({"num_neighbors": [0.5]}, TypeError, "num_neighbors"),
        ({"weight_attr": "nothing"}, atoll.InputError, "'nothing'"),
        ({"attributes": {}}, atoll.UsageError, "for a Graph"),
    ):
        with pytest.raises(error, match=text):
            atoll.torch.NeighborLoader(data, **{"num_neighbors": [2], "input_nodes": "paper", **options})
    with pytest.raises(TypeError, match="data has the key"):
        atoll.torch.NeighborLoader({("a", "b"): torch.zeros(2, 0, dtype=torch.int64)}, [2], "a")
    with pytest.raises(TypeError, match="edge_index of"):
        atoll.torch.NeighborLoader({WRITES: {"edge_index": [[0], [1]]}}, [2], "paper")
    data[WRITES]["edge_index"][0, 5] = 60
    with pytest.raises(atoll.InputError, match="'writes'.* has 60 .*'author' are 0 to 59"):
        atoll.torch.NeighborLoader(data, [2], "paper")


def test_layers_learn_from_the_relations_of_batches():
    """Papers have the class of their authors, which only the authors' features tell."""
    torch.manual_seed(1)
    y = torch.arange(400) % 3
    author, paper = torch.randint(400, (2, 8000))
    same = y[author] == y[paper]
    data = {
        "paper": {"x": torch.rand(400, 3), "y": y},
        "author": {"x": F.one_hot(y, 3) + 0.5 * torch.randn(400, 3)},
        WRITES: torch.stack([author[same], paper[same]]),
    }
    layer = atoll.torch.SAGEConv((3, 3), 3)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
    loader = atoll.torch.NeighborLoader(
        data, [5], ("paper", y.new_ones(400).bool()), batch_size=100, shuffle=True, seed=1
    )
    for _ in range(15):
        for batch in loader:
            optimizer.zero_grad()
            out = layer((batch["author"].x, batch["paper"].x), batch[WRITES].edge_index)
            loss = F.cross_entropy(out, batch["paper"].y)
            loss.backward()
            optimizer.step()
    out = layer((data["author"]["x"], data["paper"]["x"]), data[WRITES])
    assert (out.argmax(dim=1) == y).double().mean() > 0.9


@pytest.mark.skipif(not HAS_PYG, reason="PyTorch Geometric is not installed")
def test_hetero_data_gives_such_data_and_its_layers_take_it():
    from torch_geometric.data import HeteroData
    from torch_geometric.nn import HeteroConv, SAGEConv

    plain, data = example(), HeteroData()
    for key, store in plain.items():
        for name, value in store.items():
            data[key][name] = value
    loader = atoll.torch.NeighborLoader(data, [4, 2], ("paper", data["paper"].train_mask), batch_size=10, seed=4)
    fanouts = dict.fromkeys((WRITES, CITES, HAS), [4, 2])
    ours = atoll.torch.NeighborLoader(plain, [4, 2], ("paper", plain["paper"]["train_mask"]), batch_size=10, seed=4)
    for batch, other in zip(loader, ours):
        assert type(batch) is HeteroData
        check(batch, plain, fanouts)
        assert all((batch[key].e_id == other[key].e_id).all() for key in fanouts)
        layer = HeteroConv({key: SAGEConv((4, 4), 2) for key in (WRITES, CITES)})
        assert layer(batch.x_dict, batch.edge_index_dict)["paper"].shape == (len(batch["paper"].x), 2)
    assert "n_id" not in data["paper"] and data["paper"].num_nodes == 120


@pytest.mark.skipif(not HAS_PYG, reason="PyTorch Geometric is not installed")
def test_one_kind_and_relation_is_the_graph_without_kinds():
    from torch_geometric.data import Data, HeteroData

    edge_index = example()[CITES]["edge_index"]
    hetero = HeteroData()
    hetero["paper"].x = torch.rand(120, 2)
    hetero[CITES].edge_index = edge_index
    one = Data(x=hetero["paper"].x, edge_index=edge_index)
    several = atoll.torch.NeighborLoader(hetero, [-1, -1], ("paper", [3, 40]), batch_size=2)
    for batch, plain in zip(several, atoll.torch.NeighborLoader(one, [-1, -1], [3, 40], batch_size=2)):
        assert set(batch["paper"].n_id.tolist()) == set(plain.n_id.tolist())
        assert batch["paper"].num_sampled_nodes == plain.num_sampled_nodes
        assert batch[CITES].num_sampled_edges == plain.num_sampled_edges
        assert set(batch[CITES].e_id.tolist()) == set(plain.e_id.tolist())
