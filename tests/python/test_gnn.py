# SPDX-License-Identifier: Apache-2.0
"""atoll.GCN against the equations in NumPy, on one rank and over several."""

import atoll
import numpy as np
import pytest
import scipy.sparse


def communities(n=120, classes=3, seed=4):
    """A graph of communities, features that lean to the class, labels, and a split."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    same = labels[:, None] == labels[None, :]
    u, v = np.nonzero(np.triu(rng.random((n, n)) < np.where(same, 0.15, 0.01), 1))
    features = rng.random((n, 9)).astype(np.float32)
    features[np.arange(n), labels] += 0.5
    order = rng.permutation(n)
    return u, v, features, labels, order[:30], order[30:60], order[60:]


def split(n, world):
    return slice(n * world.rank // world.size, n * (world.rank + 1) // world.size)


def trained(world, sparse=False, dtype="float32", order="auto", **fit):
    u, v, features, labels, train, validation, _ = communities()
    n, mine = len(labels), split(len(labels), world)
    edges = slice(world.rank, None, world.size)
    graph = atoll.Graph.from_edges(u[edges].copy(), v[edges].copy(), directed=False, vertices=n, comm=world)
    x = features[mine].astype(dtype)
    x = scipy.sparse.csr_array(x) if sparse else x
    masks = [np.isin(np.arange(n), chosen)[mine] for chosen in (train, validation)]
    network = atoll.GCN(graph, widths=[8], learning_rate=0.05, dtype=dtype, order=order)
    assert network.order == ""
    network.fit(x, labels[mine], *masks, epochs=60, **fit)
    assert network.order.split(" ")[0] in ((order,) if order != "auto" else ("rabbit", "none"))
    return network.history, network.outputs(x), network.predict(x)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_it_learns_the_same_on_any_number_of_ranks(sparse, ranks):
    *_, labels, train, validation, test = communities()
    one = atoll.run_ranks(1, lambda world: trained(world, sparse), plan={"threads": 1})[0]
    parts = atoll.run_ranks(ranks, lambda world: trained(world, sparse), plan={"threads": 1})
    for name, values in one[0].items():
        assert len(values) == 60
        for part in parts:
            np.testing.assert_allclose(part[0][name], values, atol=2e-3)
    np.testing.assert_allclose(np.vstack([part[1] for part in parts]), one[1], atol=5e-2)
    found = np.concatenate([part[2] for part in parts])
    assert (found[test] == labels[test]).mean() > 0.8
    assert one[0]["validation_accuracies"][-1] == pytest.approx(
        (found[validation] == labels[validation]).mean(), abs=0.05
    )
    assert one[0]["losses"][-1] < 0.7 * one[0]["losses"][0]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_order_inside_changes_nothing_but_roundings(sparse, ranks):
    plain, *others = (
        atoll.run_ranks(ranks, lambda world, o=order: trained(world, sparse, "float64", o), plan={"threads": 1})
        for order in ("none", "rabbit", "random")
    )
    for other in others:
        for one, same in zip(plain, other, strict=True):
            for name, values in one[0].items():
                np.testing.assert_allclose(same[0][name], values, rtol=1e-7)
            np.testing.assert_allclose(same[1], one[1], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("strategy", ["auto", "broadcast-2d", "cola", "joint"])
def test_the_strategy_of_its_products(strategy):
    def part(world):
        graph = atoll.Graph("kron:6", comm=world)
        network = atoll.GCN(graph, widths=[4], strategy=strategy)
        assert network.strategy == strategy
        own = graph.n // world.size
        network.fit(np.ones((own, 3), np.float32), np.arange(own) % 2, [0], epochs=2)
        return network.strategy

    for found in atoll.run_ranks(4, part, plan={"domains": "2x2", "threads": 1}):
        assert found.split(" ")[0] in ((strategy,) if strategy != "auto" else ("cola", "halo", "broadcast+fusion"))
        assert ("predicted" in found) == (strategy == "auto")
    with pytest.raises(atoll.UsageError, match=r"strategy flat \(there are broadcast, "):
        atoll.GCN(atoll.Graph("path:3"), strategy="flat").fit(np.eye(3, dtype=np.float32), np.zeros(3, int), [0])


def test_dense_and_sparse_features_give_the_same():
    dense, sparse = (
        atoll.run_ranks(1, lambda world, s=s: trained(world, s, "float64"), plan={"threads": 1})[0]
        for s in (False, True)
    )
    np.testing.assert_allclose(dense[1], sparse[1], atol=1e-9)


def test_a_layer_alone_is_its_equation():
    # With one layer and nothing dropped, Adam's first step goes by the learning rate against each gradient's sign.
    u, v, features, labels, train, *_ = communities(40)
    graph = atoll.Graph.from_edges(u.copy(), v.copy(), directed=False, vertices=40)
    x = features.astype(np.float64)
    options = {"widths": [], "dropout": 0.0, "weight_decay": 0.0, "dtype": "float64"}
    rate, tiny = 0.1, 1e-12
    before = atoll.GCN(graph, learning_rate=tiny, **options).fit(x, labels, train[train < 40], epochs=1).outputs(x)
    after = atoll.GCN(graph, learning_rate=rate, **options).fit(x, labels, train[train < 40], epochs=1).outputs(x)
    A = np.eye(40)
    A[u, v] = A[v, u] = 1
    scale = 1 / np.sqrt(A.sum(axis=1))
    A = scale[:, None] * A * scale[None, :]
    p = np.exp(before) / np.exp(before).sum(axis=1, keepdims=True)
    g = np.zeros_like(p)
    rows = train[train < 40]
    g[rows] = (p[rows] - np.eye(p.shape[1])[labels[rows]]) / len(rows)
    step = A @ x @ np.sign((A @ x).T @ g) + np.sign(g.sum(axis=0))
    np.testing.assert_allclose(before - after, rate * step, rtol=1e-4)


def test_a_checkpoint_is_gone_on_with(tmp_path):
    def part(world, path=None, epochs=60):
        u, v, features, labels, train, _, _ = communities()
        mine, edges = split(120, world), slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(u[edges].copy(), v[edges].copy(), directed=False, vertices=120, comm=world)
        mask = np.isin(np.arange(120), train)[mine]
        return atoll.GCN(graph, seed=7).fit(features[mine], labels[mine], mask, epochs=epochs, checkpoint=path).history

    def run(ranks, **how):
        return atoll.run_ranks(ranks, lambda world: part(world, **how), plan={"threads": 1})[0]["losses"]

    whole = run(2)
    path = tmp_path / "gcn.checkpoint"
    run(2, path=path, epochs=20)
    np.testing.assert_array_equal(run(2, path=path), whole)
    path.unlink()
    run(1, path=path, epochs=20)
    np.testing.assert_allclose(run(3, path=path), whole, atol=1e-4)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(atoll.InputError, match="gcn.checkpoint"):
        run(2, path=path)


def test_features_of_other_orders_and_types_are_the_same_features():
    u, v, features, labels, train, _, _ = communities()
    graph = atoll.Graph.from_edges(u, v, directed=False, vertices=120)
    whole = np.rint(features * 8)

    def losses(features):
        return atoll.GCN(graph, dropout=0.0).fit(features, labels, train, epochs=5).history["losses"]

    expected = losses(whole.astype(np.float32))
    for given in (
        np.asfortranarray(whole, np.float32),
        np.repeat(whole.astype(np.float32), 2, axis=1)[:, ::2],
        whole.astype(np.int8),
        whole.astype(">f4"),
        whole.astype(np.float16),
    ):
        np.testing.assert_array_equal(losses(given), expected)
    sparse = scipy.sparse.csr_array(whole)
    np.testing.assert_array_equal(losses(sparse.astype(np.int8)), losses(sparse.astype(np.float32)))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda g, x, y: atoll.GCN(3), TypeError, "graph: a Graph cannot be made from"),
        (lambda g, x, y: atoll.GCN(g, widths=[0]), atoll.InputError, r"widths is \[0\]"),
        (lambda g, x, y: atoll.GCN(g, dropout=1.0).fit(x, y, [0]), atoll.InputError, "dropout is 1"),
        (lambda g, x, y: atoll.GCN(g, dtype="int8"), atoll.UsageError, "dtype is int8"),
        (lambda g, x, y: atoll.GCN(g).fit(x.astype(np.float64), y, [0]), TypeError, "features is float64"),
        (lambda g, x, y: atoll.GCN(g).fit(x.tolist(), y, [0]), TypeError, "features is float64"),
        (lambda g, x, y: atoll.GCN(g).fit(x * 1j, y, [0]), TypeError, "features is complex64"),
        (
            lambda g, x, y: atoll.GCN(g).fit(x[:5].copy(), y[:5], [0]),
            atoll.InputError,
            r"features of 5 x 4 \(6 x 4 are",
        ),
        (lambda g, x, y: atoll.GCN(g).fit(x * np.float32("nan"), y, [0]), atoll.InputError, "is not finite"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y[:5], [0]), atoll.InputError, r"labels has shape \(5,\)"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y * 0.5, [0]), TypeError, "labels is float64"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y - 3, [0]), atoll.InputError, "labels has -3"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y, [6]), atoll.InputError, "train has row 6"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y, [1, 1]), atoll.InputError, "train has row 1 twice"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y, []), atoll.InputError, "no vertex is for training"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y, [1], [1, 2]), atoll.InputError, "validation has row 1 again"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y, np.ones(5, bool)), atoll.InputError, "train is a mask of 5"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y, [0], epochs=0), atoll.InputError, "epochs is 0"),
        (lambda g, x, y: atoll.GCN(g).predict(x), atoll.UsageError, "before fit"),
        (lambda g, x, y: atoll.GCN(g).fit(x, y, [0], epochs=1).predict(x[:, :3].copy()), atoll.InputError, "6 x 3"),
    ],
)
def test_what_does_not_fit_is_named(call, error, message):
    x = np.random.default_rng(0).random((6, 4)).astype(np.float32)
    with pytest.raises(error, match=message):
        call(atoll.Graph("ring:6"), x, np.arange(6) % 2)
