# SPDX-License-Identifier: Apache-2.0
"""Distances in HDF5: h5py reads what any number of ranks has written, and a write is whole or not at all."""

import errno
import fcntl
import json
import os
import sys

import atoll
import numpy as np
import pytest
from atoll import errors, hdf5

h5py = pytest.importorskip("h5py")


def graph_on(world, weighted=True, directed=True):
    """37 vertices with ids from 100 on in steps of 7; each rank adds its share of the edges."""
    rand = np.random.default_rng(3)
    a, b = rand.integers(0, 36, (2, 90))  # 36 is joined by nothing
    weights = rand.integers(1, 50, 90).astype(np.float64)
    mine = slice(world.rank, None, world.size)
    ends = [np.ascontiguousarray(100 + 7 * column[mine]) for column in (a, b)]
    vertices = 100 + 7 * np.arange(37) if world.rank == 0 else np.zeros(0, np.int64)
    return atoll.Graph.from_edges(
        *ends,
        weights[mine].copy() if weighted else None,
        directed=directed,
        vertices=vertices,
        duplicates="max",
        comm=world,
    )


def same(path, npy):
    """A file of HDF5 has all that a .npy has, for h5py and for Atoll."""
    file = atoll.apsp.open(npy)
    mapped = atoll.apsp.open(path)
    assert (mapped.form, mapped.dtype, mapped.scale, mapped.about) == ("hdf5", file.dtype, file.scale, file.about)
    assert np.array_equal(np.asarray(mapped), np.asarray(file)) and np.array_equal(mapped.ids, file.ids)
    for one, other in zip(mapped.arcs, file.arcs):
        assert (one is None and other is None) or np.array_equal(one, other)
    if file.semiring == "min_plus":
        ends = file.ids[:5], file.ids[-5:]
        assert mapped.distances(*ends).tolist() == file.distances(*ends).tolist()
        assert [p.tolist() for p in mapped.paths(*ends)] == [p.tolist() for p in file.paths(*ends)]
    with h5py.File(path) as found:
        assert found["distances"].dtype == file.dtype and found["distances"].chunks is None
        assert np.array_equal(found["distances"][:], np.load(npy))
        assert found["ids"].dtype == np.int64 and np.array_equal(found["ids"][:], file.ids)
        offsets, targets, weights = file.arcs
        assert np.array_equal(found["offsets"][:], offsets) and np.array_equal(found["targets"][:], targets)
        assert ("weights" in found) == (weights is not None)
        assert weights is None or (np.array_equal(found["weights"][:], weights), found["weights"].dtype) == (
            True,
            weights.dtype,
        )
        about = dict(found.attrs)
    assert (about["semiring"], about["scale"], about["directed"]) == (file.semiring, file.scale, file.directed)
    assert about["no_path"] == file.no_path and about["no_path"].dtype == file.dtype
    assert json.loads(about["about"]) == file.about


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("semiring", "dtype", "weighted", "directed"),
    [
        ("min_plus", None, True, True),
        ("min_plus", "int32", True, False),
        ("min_plus", None, False, True),
        ("max_min", None, True, False),
    ],
)
def test_ranks_write_what_a_npy_has(tmp_path, monkeypatch, ranks, semiring, dtype, weighted, directed):
    monkeypatch.setattr(hdf5, "_PIECE", 300)  # several writes a rank

    def write(world):
        pairs = atoll.all_pairs(graph_on(world, weighted, directed), semiring=semiring)
        pairs.save(tmp_path / "d.h5", dtype=dtype)
        pairs.save(tmp_path / "d.npy", dtype=dtype)

    atoll.run_ranks(ranks, write)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["d.h5", "d.npy"]
    same(tmp_path / "d.h5", tmp_path / "d.npy")


@pytest.mark.parametrize("n", [2, 30])
def test_ranks_share_the_rows_even_where_there_are_more_of_them(tmp_path, monkeypatch, n):
    write, written = os.pwrite, []

    def noted(fd, values, at):
        written.append(len(values))
        return write(fd, values, at)

    monkeypatch.setattr(os, "pwrite", noted)
    atoll.run_ranks(4, lambda world: atoll.all_pairs(atoll.Graph(f"path:{n}", comm=world)).save(tmp_path / "d.hdf5"))
    with h5py.File(tmp_path / "d.hdf5") as found:
        assert found["distances"][:].tolist() == [[abs(i - j) for j in range(n)] for i in range(n)]
        assert sum(written) == found["distances"].nbytes and len(written) == min(n, 4)


def test_a_matrix_that_is_there_is_written_too(tmp_path):
    D = np.array([[0, 2.5], [np.inf, 0]], np.float32)
    options = {"ids": [3, 9], "arcs": ([0, 1, 1], [1], np.array([2.5], np.float32)), "scale": 0.5, "about": {"a": [1]}}
    for name in ("d.h5", "d.npy"):
        atoll.apsp.save(tmp_path / name, D, **options)
    same(tmp_path / "d.h5", tmp_path / "d.npy")
    atoll.apsp.save(tmp_path / "bare.h5", D)
    with h5py.File(tmp_path / "bare.h5") as found:
        assert sorted(found) == ["checksums", "distances", "ids"] and found["ids"][:].tolist() == [0, 1]


def test_a_name_that_is_taken_is_replaced_only_if_asked(tmp_path):
    pairs = atoll.all_pairs(atoll.Graph("ring:5"))
    file = tmp_path / "d.h5"
    file.write_text("mine")
    with pytest.raises(errors.IoError, match=rf"^{file} is there already"):
        pairs.save(file)
    assert file.read_text() == "mine"
    pairs.save(file, replace=True)
    with h5py.File(file) as found:
        assert found["distances"].shape == (5, 5)
    (tmp_path / "folder.h5").mkdir()
    with pytest.raises(errors.IoError, match=rf"^{tmp_path}/folder.h5: is a folder"):
        pairs.save(tmp_path / "folder.h5", replace=True)
    with pytest.raises(errors.IoError, match=rf"^{tmp_path}/none/d.h5: cannot be written .there is no folder"):
        pairs.save(tmp_path / "none" / "d.h5")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["d.h5", "folder.h5"]


def test_a_link_stays_one(tmp_path):
    (tmp_path / "real.h5").write_bytes(b"old")
    (tmp_path / "link.h5").symlink_to(tmp_path / "real.h5")
    atoll.all_pairs(atoll.Graph("ring:5")).save(tmp_path / "link.h5", replace=True)
    assert (tmp_path / "link.h5").is_symlink()
    with h5py.File(tmp_path / "real.h5") as file:
        assert file["distances"].shape == (5, 5)


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_write_that_fails_leaves_the_old_file_and_says_so_on_all_ranks(tmp_path, monkeypatch, ranks):
    (tmp_path / "d.h5").write_text("mine")
    monkeypatch.setattr(hdf5, "_PIECE", 300)
    write = os.pwrite

    def full(fd, values, at):
        if at > 16_000:  # behind what the first rank writes, where there are several
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(fd, values, at)

    monkeypatch.setattr(os, "pwrite", full)
    said = []

    def save(world):
        with pytest.raises(errors.IoError) as e:
            atoll.all_pairs(atoll.Graph("ring:100", comm=world)).save(tmp_path / "d.h5", replace=True)
        said.append(str(e.value))

    atoll.run_ranks(ranks, save)
    assert len(said) == ranks and len(set(said)) == 1
    assert said[0] == f"{tmp_path / 'd.h5'}: cannot be written (No space left on device). Choose another place."
    assert [file.name for file in tmp_path.iterdir()] == ["d.h5"] and (tmp_path / "d.h5").read_text() == "mine"


def test_two_do_not_write_one_file_and_a_killed_one_is_no_hindrance(tmp_path):
    pairs = atoll.all_pairs(atoll.Graph("ring:5"))
    part = tmp_path / ".d.h5.part"
    part.write_bytes(b"left by one that was killed" * 1000)
    with open(part) as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(errors.IoError, match=rf"^{tmp_path}/d.h5 is being written by another process"):
            pairs.save(tmp_path / "d.h5")
        assert part.exists()
    pairs.save(tmp_path / "d.h5")
    with h5py.File(tmp_path / "d.h5") as found:
        assert found["distances"].shape == (5, 5)
    assert [file.name for file in tmp_path.iterdir()] == ["d.h5"]


def test_what_cannot_be_is_refused_by_the_name_that_was_given(tmp_path, monkeypatch):
    pairs = atoll.all_pairs(atoll.Graph("path:400"))
    with pytest.raises(errors.InputError, match=r"/d\.h5: the value from .* is 255") as e:
        pairs.save(tmp_path / "d.h5", dtype="uint8")
    assert ".npy" not in str(e.value)
    with pytest.raises(errors.UsageError, match="zstd_level is 3"):
        pairs.save(tmp_path / "d.h5", zstd_level=3)
    with pytest.raises(errors.UsageError, match="zstd_level is 3"):
        atoll.apsp.save(tmp_path / "d.h5", np.zeros((2, 2)), compress=3)
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["distances"] = np.zeros((2, 2))
    with pytest.raises(errors.InputError, match=r"/other\.h5: was not written by Atoll .* Read it by h5py"):
        atoll.apsp.open(tmp_path / "other.h5")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(errors.UsageError, match="^files of HDF5 need h5py, which is not installed"):
        pairs.save(tmp_path / "d.h5")
    assert [file.name for file in tmp_path.iterdir()] == ["other.h5"]
