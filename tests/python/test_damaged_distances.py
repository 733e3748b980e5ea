# SPDX-License-Identifier: Apache-2.0
"""Files of distances whose bytes were changed are refused by name; files without checksums open, and say so."""

import shutil

import atoll
import numpy as np
import pytest

N = 9
FORMS = [("d.npy", 0), ("d.tiles", 0), ("d.zarr", 0), ("packed.zarr", 2), ("d.h5", 0)]


def written(folder, name, compress):
    if name.endswith(".h5"):
        pytest.importorskip("h5py")
    D = np.random.default_rng(5).integers(1, 200, (N, N)).astype(np.float32)
    arcs = (np.arange(N + 1), (np.arange(N) + 1) % N, np.arange(N, dtype=np.float32))
    path = folder / name
    atoll.apsp.save(path, D, ids=7 * np.arange(N), arcs=arcs, block=4, compress=compress)
    return D, path


def everything(path):
    file = atoll.apsp.open(path)
    rows = [file.row(u).tolist() for u in file.ids.tolist()]
    offsets, targets, weights = file.arcs
    return rows, file.ids.tolist(), offsets.tolist(), targets.tolist(), weights.tolist(), file.scale, file.semiring


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "compress"), FORMS)
def test_a_changed_byte_is_refused_by_name_or_changes_nothing(tmp_path, name, compress):
    _, path = written(tmp_path, name, compress)
    right = everything(path)
    refused = 0
    for part in [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file()):
        whole = part.read_bytes()
        for at in range(0, len(whole), 11):
            part.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
            try:
                assert everything(path) == right, (part, at)
            except (atoll.InputError, atoll.IoError) as e:
                assert str(e).startswith(str(path)), (part, at, str(e))  # noqa: PT017
                refused += 1
        part.write_bytes(whole)
    assert refused > 50
    assert everything(path) == right


@pytest.mark.parametrize(("name", "compress"), FORMS)
def test_the_whole_matrix_is_checked_before_numpy_has_it(tmp_path, name, compress):
    D, path = written(tmp_path, name, compress)
    file = atoll.apsp.open(path)
    assert file.has_checksums
    assert all(np.array_equal(file.row(7 * i), D[i]) for i in range(N))
    if not path.is_file():
        return
    assert np.array_equal(np.asarray(file), D)
    whole = path.read_bytes()
    at = whole.index(D[8].tobytes()) + 4 * (N - 1)
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    damaged = atoll.apsp.open(path)
    assert damaged.distance(0, 7) == D[0, 1]
    with pytest.raises(atoll.InputError, match=r"tile \(2, 2\) is damaged \(the checksum of its values of row 8"):
        np.asarray(damaged)


def test_files_of_numpy_and_of_earlier_versions_have_no_checksums_and_open(tmp_path):
    np.save(tmp_path / "d.npy", np.ones((3, 3)))
    file = atoll.apsp.open(tmp_path / "d.npy")
    assert not file.has_checksums
    assert file.row(0).tolist() == [1, 1, 1]
    assert np.asarray(file).sum() == 9


def test_a_folder_says_what_is_missing(tmp_path):
    _, path = written(tmp_path, "d.tiles", 0)
    for name in ("meta.json", "tiles.bin", "ids.npy", "offsets.npy", "targets.npy", "weights.npy", "checksums.npy"):
        shutil.move(path / name, tmp_path / name)
        with pytest.raises(atoll.InputError, match=f"has no {name} .*incomplete"):
            atoll.apsp.open(path)
        shutil.move(tmp_path / name, path / name)


def test_other_programs_read_the_files_as_before(tmp_path):
    D, path = written(tmp_path, "d.npy", 0)
    assert np.array_equal(np.load(path), D)
    assert np.array_equal(np.load(path, mmap_mode="r"), D)
    zarr = pytest.importorskip("zarr")
    for name, compress in (("d.zarr", 0), ("packed.zarr", 2)):
        D, path = written(tmp_path, name, compress)
        group = zarr.open_group(str(path), mode="r")
        assert np.array_equal(group["distance"][:], D)
        assert group["checksums"].shape == (N * 3,)
