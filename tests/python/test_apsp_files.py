# SPDX-License-Identifier: Apache-2.0
"""Distances in files: values are read back by pair, row and tile, here and in numpy and zarr."""

import json
import math
import os
import pickle
import subprocess
import sys

import atoll
import numpy as np
import pytest

TYPES = ["float32", "float64", "int32", "uint16", "uint8"]
FORMS = [("d.npy", 0), ("d.tiles", 0), ("d.zarr", 0), ("packed.zarr", 3)]
NO_PATH = {"float32": math.inf, "float64": math.inf, "int32": 2**30 - 1, "uint16": 65535, "uint8": 255}


def matrix(n, dtype, seed=1):
    rng = np.random.default_rng(seed)
    D = rng.integers(1, 250, (n, n)).astype(dtype)
    D[rng.random((n, n)) < 0.15] = NO_PATH[dtype]
    np.fill_diagonal(D, 0)
    return D


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("name", "compress"), FORMS)
@pytest.mark.parametrize(("n", "block"), [(1, 768), (13, 4), (40, 8)])
def test_everything_is_read_back(tmp_path, name, compress, dtype, n, block):
    D = matrix(n, dtype)
    ids = 10**12 * np.arange(n) + 5
    atoll.apsp.save(tmp_path / name, D, ids=ids, block=block, compress=compress, about={"input": "made up"})
    file = atoll.apsp.open(tmp_path / name)
    assert file.shape == (n, n)
    assert file.dtype == D.dtype
    assert file.ids.tolist() == ids.tolist()
    assert file.about == {"input": "made up"}
    assert file.no_path == NO_PATH[dtype]
    for i, u in enumerate(ids):
        row = file.row(u)
        assert row.dtype == D.dtype
        assert np.array_equal(row, D[i])
        for j, v in enumerate(ids):
            want = math.inf if D[i, j] == NO_PATH[dtype] else D[i, j]
            assert file.distance(u, v) == want
    b = file.block
    assert b == min(n, block)
    for i in range(0, n, b):
        for j in range(0, n, b):
            assert np.array_equal(file.tile(i // b, j // b), D[i : i + b, j : j + b])
    assert file.arcs is None


@pytest.mark.parametrize(("name", "compress"), FORMS)
@pytest.mark.parametrize("weights", [None, np.float32, np.float64, np.int32, np.uint16])
def test_arcs_are_stored_with_the_distances(tmp_path, name, compress, weights):
    offsets, targets = np.array([0, 2, 2, 3]), np.array([1, 2, 0])
    lengths = None if weights is None else np.array([3, 1, 4], weights)
    D = np.ones((3, 3), np.float32)
    atoll.apsp.save(tmp_path / name, D, arcs=(offsets, targets, lengths), directed=False, compress=compress)
    file = atoll.apsp.open(tmp_path / name)
    assert file.directed is False
    got = file.arcs
    assert got[0].tolist() == offsets.tolist()
    assert got[1].tolist() == targets.tolist()
    assert got[2] is None if weights is None else got[2].tolist() == [3, 1, 4] and got[2].dtype == weights


def random_graph(n, seed, dtype):
    """Arcs as CSR, and all distances by scalar Floyd-Warshall."""
    rng = np.random.default_rng(seed)
    W = np.full((n, n), np.inf)
    pick = rng.random((n, n)) < 0.12
    W[pick] = rng.integers(1, 20, pick.sum())
    np.fill_diagonal(W, np.inf)
    rows, targets = np.nonzero(np.isfinite(W))
    offsets = np.searchsorted(rows, np.arange(n + 1))
    D = W.copy()
    np.fill_diagonal(D, 0)
    for k in range(n):
        D = np.minimum(D, D[:, k : k + 1] + D[k : k + 1])
    stored = np.where(np.isinf(D), NO_PATH[dtype], D).astype(dtype)
    return W, (offsets, targets, W[rows, targets].astype(dtype)), D, stored


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("name", "compress"), FORMS)
def test_paths_have_the_stated_length(tmp_path, name, compress, dtype):
    n = 37
    W, arcs, D, stored = random_graph(n, 5, dtype)
    ids = 1000 * np.arange(n) + 3
    atoll.apsp.save(tmp_path / name, stored, ids=ids, arcs=arcs, block=16, compress=compress)
    file = atoll.apsp.open(tmp_path / name)
    for i in range(n):
        for j in range(n):
            path = (file.path(ids[i], ids[j]) - 3) // 1000
            assert (len(path) == 0) == math.isinf(D[i, j])
            if len(path):
                assert (path[0], path[-1]) == (i, j)
                assert sum(W[a, b] for a, b in zip(path, path[1:])) == D[i, j] == file.distance(ids[i], ids[j])


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint16", "uint8"])
def test_paths_if_distances_and_arcs_have_different_types(tmp_path, dtype):
    W, (offsets, targets, weights), D, _ = random_graph(30, 7, "float64")
    heavy = D[np.repeat(np.arange(30), np.diff(offsets)), targets] < weights  # on no shortest path
    assert heavy.any()
    weights[heavy] += 1e6 + 0.25
    atoll.apsp.save(tmp_path / "d.tiles", D, arcs=(offsets, targets, weights), dtype=dtype)
    file = atoll.apsp.open(tmp_path / "d.tiles")
    for i in range(30):
        for j in range(30):
            path = file.path(i, j)
            assert sum(W[a, b] for a, b in zip(path, path[1:])) == D[i, j] if len(path) else math.isinf(D[i, j])


def test_paths_need_arcs(tmp_path):
    _, arcs, D, _ = random_graph(9, 1, "float64")
    atoll.apsp.save(tmp_path / "d.npy", D)
    with pytest.raises(atoll.InputError, match="was written without arcs"):
        atoll.apsp.open(tmp_path / "d.npy").path(0, 1)
    hops = np.array([[0, 1, 2], [255, 0, 1], [255, 255, 0]], np.uint8)  # arcs without weights have length 1
    atoll.apsp.save(tmp_path / "h.npy", hops, arcs=([0, 1, 2, 2], [1, 2], None))
    assert atoll.apsp.open(tmp_path / "h.npy").path(0, 2).tolist() == [0, 1, 2]


def test_no_arcs_at_all(tmp_path):
    nothing = (np.zeros(2, np.int64), np.zeros(0, np.int32), None)
    for name in ("d.npy", "d.tiles", "d.zarr"):
        atoll.apsp.save(tmp_path / name, np.zeros((1, 1)), arcs=nothing)
        assert [len(a) for a in atoll.apsp.open(tmp_path / name).arcs[:2]] == [2, 0]


def test_numpy_reads_our_files_and_we_read_those_of_numpy(tmp_path):
    D = matrix(21, "float32")
    atoll.apsp.save(tmp_path / "d.npy", D, ids=range(3, 24))
    assert np.array_equal(np.load(tmp_path / "d.npy"), D)
    assert np.array_equal(np.load(tmp_path / "d.npy", mmap_mode="r"), D)
    with open(tmp_path / "d.npy", "rb") as file:  # the arrays after it, as numpy.save appends them
        np.load(file)
        assert json.loads(np.load(file).tobytes())["format"] == "atoll distances"
        assert np.load(file).tolist() == list(range(3, 24))
    for order in ("C", "F"):
        np.save(tmp_path / "own.npy", np.asarray(D, order=order))
        if order == "F":
            with pytest.raises(atoll.InputError, match="is stored by columns"):
                atoll.apsp.open(tmp_path / "own.npy")
        else:
            file = atoll.apsp.open(tmp_path / "own.npy")
            assert np.array_equal(np.asarray(file), D)
            assert file.ids.tolist() == list(range(21))
    np.save(tmp_path / "own.npy", np.zeros((3, 4)))
    with pytest.raises(atoll.InputError, match="not square"):
        atoll.apsp.open(tmp_path / "own.npy")
    np.save(tmp_path / "own.npy", np.zeros((3, 3), np.int64))
    with pytest.raises(atoll.InputError, match="values of type <i8"):
        atoll.apsp.open(tmp_path / "own.npy")


def test_views_are_mapped_and_outlive_the_file_object(tmp_path):
    D = matrix(30, "uint16")
    for name in ("d.npy", "d.tiles", "d.zarr"):
        atoll.apsp.save(tmp_path / name, D, block=8)
        file = atoll.apsp.open(tmp_path / name)
        tile = file.tile(1, 3)
        assert not tile.flags.writeable
        assert not tile.flags.owndata
        row = file.row(4)
        assert row.flags.writeable == (name != "d.npy")
        del file
        assert np.array_equal(tile, D[8:16, 24:30])
        assert np.array_equal(row, D[4])
    file = atoll.apsp.open(tmp_path / "d.npy")
    whole = np.asarray(file)
    assert np.shares_memory(whole, file.row(7))
    assert np.asarray(file, dtype=np.float64).dtype == np.float64
    assert np.array(file).flags.writeable
    with pytest.raises(TypeError, match="lies in blocks"):
        np.asarray(atoll.apsp.open(tmp_path / "d.tiles"))
    assert pickle.loads(pickle.dumps(file)).distance(0, 1) == file.distance(0, 1)


@pytest.mark.parametrize("compress", [0, 3])
@pytest.mark.parametrize("dtype", TYPES)
def test_the_zarr_package_reads_it(tmp_path, dtype, compress):
    zarr = pytest.importorskip("zarr")
    D = matrix(29, dtype)
    arcs = (np.arange(30), np.roll(np.arange(29), 1), np.ones(29))
    atoll.apsp.save(tmp_path / "d.zarr", D, ids=range(7, 36), arcs=arcs, block=8, compress=compress)
    group = zarr.open_group(str(tmp_path / "d.zarr"), mode="r")
    assert np.array_equal(group["distance"][:], D)
    assert group["distance"].chunks == (8, 8)
    assert group["distance"].fill_value == NO_PATH[dtype]
    assert group["ids"][:].tolist() == list(range(7, 36))
    assert group["targets"][:].tolist() == arcs[1].tolist()
    assert group.attrs["format"] == "atoll distances"
    assert group.attrs["n"] == 29


def test_a_minimal_reader_reads_zarr(tmp_path):
    D = matrix(19, "int32")
    atoll.apsp.save(tmp_path / "d.zarr", D, block=8)
    about = json.loads((tmp_path / "d.zarr/distance/.zarray").read_text())
    assert about["shape"] == [19, 19]
    assert about["fill_value"] == 2**30 - 1
    got = np.empty((24, 24), about["dtype"])
    for i in range(3):
        for j in range(3):
            chunk = np.fromfile(tmp_path / f"d.zarr/distance/{i}.{j}", about["dtype"]).reshape(8, 8)
            got[8 * i : 8 * i + 8, 8 * j : 8 * j + 8] = chunk
    assert np.array_equal(got[:19, :19], D)
    assert (got[19:] == 2**30 - 1).all()


def test_types_are_converted_only_without_loss(tmp_path):
    D = matrix(9, "float64")
    D[2, 3] = 65534
    for name, _ in FORMS[:3]:
        atoll.apsp.save(tmp_path / name, D, dtype="uint16")
        file = atoll.apsp.open(tmp_path / name)
        assert file.dtype == np.uint16
        assert file.distance(2, 3) == 65534
        assert np.array_equal(file.row(2) == 65535, np.isinf(D[2]))
    D[2, 3] = 65535
    with pytest.raises(atoll.InputError, match="from 17 to 19 is 65535 .uint16 does not hold it"):
        atoll.apsp.save(tmp_path / "e.npy", D, dtype="uint16", ids=range(13, 31, 2))
    D[2, 3] = 0.5
    with pytest.raises(atoll.InputError, match="is 0.5 .int32 does not hold it"):
        atoll.apsp.save(tmp_path / "e.npy", D, dtype="int32")
    assert not (tmp_path / "e.npy").exists()


def test_fixed_point_and_other_semirings(tmp_path):
    D = matrix(5, "int32")
    atoll.apsp.save(tmp_path / "d.tiles", D, scale=1 / 1024)
    file = atoll.apsp.open(tmp_path / "d.tiles")
    assert all(
        file.distance(i, j) == (math.inf if D[i, j] == 2**30 - 1 else D[i, j] / 1024)
        for i in range(5)
        for j in range(5)
    )
    W = np.array([[np.inf, 3], [-np.inf, np.inf]], np.float32)
    atoll.apsp.save(tmp_path / "w.zarr", W, semiring="max_min", dtype="uint16")
    file = atoll.apsp.open(tmp_path / "w.zarr")
    assert file.row(0).tolist() == [65535, 3]
    assert file.row(1).tolist() == [0, 65535]
    assert file.distance(1, 0) == -math.inf


def test_errors(tmp_path):
    D = np.zeros((3, 3), np.float32)
    with pytest.raises(TypeError, match="distances are int64"):
        atoll.apsp.save(tmp_path / "d.npy", np.zeros((3, 3), np.int64))
    with pytest.raises(TypeError, match="strided"):
        atoll.apsp.save(tmp_path / "d.npy", np.zeros((6, 6))[::2, ::2])
    with pytest.raises(atoll.InputError, match="shape"):
        atoll.apsp.save(tmp_path / "d.npy", np.zeros((3, 4)))
    with pytest.raises(atoll.InputError, match="2 ids are given for 3 rows"):
        atoll.apsp.save(tmp_path / "d.npy", D, ids=[1, 2])
    with pytest.raises(atoll.InputError, match="do not ascend"):
        atoll.apsp.save(tmp_path / "d.npy", D, ids=[1, 3, 2])
    with pytest.raises(atoll.UsageError, match=r"\.npy, \.tiles, \.zarr or \.h5"):
        atoll.apsp.save(tmp_path / "d.txt", D)
    with pytest.raises(atoll.UsageError, match="zstd_level is 3"):
        atoll.apsp.save(tmp_path / "d.npy", D, compress=3)
    atoll.apsp.save(tmp_path / "d.npy", D)
    with pytest.raises(atoll.IoError, match="is there already"):
        atoll.apsp.save(tmp_path / "d.npy", D)
    atoll.apsp.save(tmp_path / "d.npy", D + 1, replace=True)
    file = atoll.apsp.open(tmp_path / "d.npy")
    assert file.distance(0, 1) == 1
    with pytest.raises(atoll.InputError, match="no vertex 3 .its ids are 0 to 2"):
        file.row(3)
    with pytest.raises(atoll.InputError, match=r"no tile \(0, 1\)"):
        file.tile(0, 1)
    with pytest.raises(atoll.InputError, match="no such file"):
        atoll.apsp.open(tmp_path / "e.npy")
    assert sorted(os.listdir(tmp_path)) == ["d.npy"]


def test_a_full_disk_is_reported_with_numbers(tmp_path):
    """In a mount namespace of its own, where a small file system can be mounted."""
    program = f"""
import os, numpy as np, atoll
for name, level in [("d.npy", 0), ("d.tiles", 0), ("d.zarr", 0), ("p.zarr", 1)]:
    try:
        D = np.random.default_rng(1).random((600, 600))
        atoll.apsp.save({str(tmp_path)!r} + "/" + name, D, block=64, compress=level)
    except atoll.IoError as e:
        print(e)
print(os.listdir({str(tmp_path)!r}))
"""
    script = f'mount -t tmpfs -o size=1m none "{tmp_path}" && exec "{sys.executable}" -c "$0"'
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, program], capture_output=True, text=True)
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        pytest.skip("a small file system cannot be mounted here")
    lines = done.stdout.splitlines()
    assert "needs 2.9 MB for the values of 600 x 600 pairs as float64 (1.0 MB are free in" in lines[0], done.stderr
    assert "are free in" in lines[1]
    assert "are free in" in lines[2]
    assert "p.zarr: cannot be written (No space left" in lines[3]
    assert lines[4] == "[]"
