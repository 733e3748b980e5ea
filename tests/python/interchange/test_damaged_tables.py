# SPDX-License-Identifier: Apache-2.0
"""Damaged tables: whatever is in a file or a stream, there is a graph or an error of Atoll's, and the process lives."""

import struct
import subprocess
import sys
import textwrap

import atoll
import numpy as np
import pytest

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from pyarrow import feather, parquet  # noqa: E402

ROWS = pyarrow.table(
    {
        "source": ["a", "b", "c", "a name of more than twelve letters"] * 5,
        "target": ["b", "c", "a", "b"] * 5,
        "weight": [1.0, 2.5, 0.5, 2.0] * 5,
    }
)


class Stream:
    """A table of another package: all that is known of it is its stream."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def write_files(folder):
    parquet.write_table(ROWS, folder / "dictionary.parquet")
    parquet.write_table(ROWS, folder / "plain.parquet", compression="zstd", use_dictionary=False, row_group_size=7)
    for compression in ("lz4", "zstd", "uncompressed"):
        feather.write_feather(ROWS, folder / f"{compression}.feather", compression=compression)
    coded = ROWS.set_column(0, "source", ROWS["source"].dictionary_encode())
    with pyarrow.ipc.new_stream(folder / "stream.arrow", coded.schema) as stream:
        stream.write_table(coded, max_chunksize=7)


MUTATE = """
    import pathlib, random, sys
    import atoll

    folder, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(seed)
    whole = {path: path.read_bytes() for path in sorted(folder.glob("*.*"))}
    for k in range(250):
        path = chance.choice(sorted(whole))
        data = bytearray(whole[path])
        if chance.random() < 0.2:
            del data[chance.randrange(len(data)) :]
        else:
            for _ in range(chance.choice((1, 1, 2, 4))):
                data[chance.randrange(len(data))] = chance.choice((0, 127, 128, 255, chance.randrange(256)))
        changed = folder / f"changed-{seed}{path.suffix}"
        changed.write_bytes(data)
        try:
            atoll.Graph(changed).names
        except (atoll.Error, TypeError) as e:
            said = str(e)
            assert type(e).__module__ == "atoll.errors" or said.startswith("column "), said
            assert len(said) < 1000, said
"""


@pytest.mark.parametrize("seed", range(4))
def test_changed_and_cut_files_are_graphs_or_errors(tmp_path, seed):
    write_files(tmp_path)
    command = [sys.executable, "-c", textwrap.dedent(MUTATE), str(tmp_path), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"seed {seed}: {done.returncode}\n{done.stderr}"  # < 0: a signal


@pytest.mark.parametrize("name", ["dictionary.parquet", "lz4.feather", "uncompressed.feather", "stream.arrow"])
def test_whole_files_are_read(tmp_path, name):
    write_files(tmp_path)
    graph = atoll.Graph(tmp_path / name)
    assert (graph.n, graph.m, graph.weighted) == (4, 4, True)


@pytest.mark.parametrize("name", [b"sou\0ce", b"sou\xffce"])
@pytest.mark.parametrize("kind", ["dictionary.parquet", "lz4.feather", "stream.arrow"])
def test_names_of_columns_are_looked_at(tmp_path, kind, name):
    write_files(tmp_path)
    path = tmp_path / kind
    path.write_bytes(path.read_bytes().replace(b"source", name))
    with pytest.raises(atoll.InputError, match=f"{kind}: pyarrow cannot read it"):
        atoll.Graph(path)


def test_offsets_in_a_file_are_validated_before_they_are_used(tmp_path):
    path = tmp_path / "edges.feather"
    feather.write_feather(ROWS, path, compression="uncompressed")
    data = path.read_bytes()
    offsets = struct.pack("<4i", 0, 1, 2, 3)  # of "source"
    for wrong in (1 << 30, -5):
        path.write_bytes(data.replace(offsets, struct.pack("<4i", 0, wrong, 2, 3)))
        with pytest.raises(atoll.InputError, match=r"edges.feather: pyarrow cannot read it as Arrow \(.*offset"):
            atoll.Graph(path)


@pytest.mark.parametrize("name", ["dictionary.parquet", "lz4.feather"])
def test_only_what_was_cut_off_is_called_so(tmp_path, name):
    write_files(tmp_path)
    path = tmp_path / name
    data = path.read_bytes()
    path.write_bytes(data[:-30])
    with pytest.raises(atoll.InputError, match="Was it cut off"):
        atoll.Graph(path)
    path.write_bytes(data[: len(data) // 2] + b"\xff" * 60 + data[len(data) // 2 + 60 :])
    with pytest.raises(atoll.InputError) as raised:
        atoll.Graph(path)
    assert "cut off" not in str(raised.value)


def test_a_file_takes_no_more_memory_than_it_justifies(tmp_path):
    """20 million edges in some kilobytes: all of them the same."""
    same = pyarrow.array(np.zeros(1 << 20, np.int64))
    rows = pyarrow.table({"source": pyarrow.chunked_array([same] * 20), "target": pyarrow.chunked_array([same] * 20)})
    parquet.write_table(rows, tmp_path / "bomb.parquet")
    feather.write_feather(rows, tmp_path / "bomb.feather", compression="zstd", chunksize=20 << 20)
    with pyarrow.ipc.new_stream(
        tmp_path / "bomb.arrow", rows.schema, options=pyarrow.ipc.IpcWriteOptions(compression="zstd")
    ) as stream:
        stream.write_table(rows)
    for path in tmp_path.iterdir():
        assert path.stat().st_size < 200_000
        before = pyarrow.total_allocated_bytes()
        with pytest.raises(atoll.InputError, match=r"would take [\d,]+ bytes of memory and has"):
            atoll.Graph(path)
        assert pyarrow.default_memory_pool().bytes_allocated() - before < 1 << 20


def texts(offsets, bytes_=b"abcdef", kind=None, width="i"):
    kind = kind or pyarrow.string()
    packed = struct.pack(f"<{len(offsets)}{width}", *offsets)
    return pyarrow.Array.from_buffers(
        kind, len(offsets) - 1, [None, pyarrow.py_buffer(packed), pyarrow.py_buffer(bytes_)]
    )


def views(*one_each):
    packed = b"".join(struct.pack("<i4sii", length, b"text", buffer, offset) for length, buffer, offset in one_each)
    buffers = [None, pyarrow.py_buffer(packed), pyarrow.py_buffer(b"a text of more than twelve letters")]
    return pyarrow.Array.from_buffers(pyarrow.string_view(), len(one_each), buffers)


DAMAGED = {
    "an offset beyond the last": texts([0, 1 << 30, 6]),
    "offsets that fall": texts([0, 4, 2]),
    "an offset below 0": texts([0, -(1 << 20), 4]),
    "long offsets": texts([0, 1 << 40, 6], kind=pyarrow.large_string(), width="q"),
    "a view of a buffer that is not there": views((20, 0, 0), (20, 7, 0)),
    "a view of a buffer below 0": views((20, 0, 0), (20, -1, 0)),
    "a view beyond its buffer": views((20, 0, 0), (20, 0, 1 << 24)),
    "a view that begins below 0": views((20, 0, 0), (20, 0, -(1 << 24))),
    "a view of a length below 0": views((20, 0, 0), (-20, 0, 0)),
    "a category that is not there": pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0, 1 << 20], pyarrow.int32()), ["a", "b"], safe=False
    ),
    "a category below 0": pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0, -9], pyarrow.int8()), ["a", "b"], safe=False
    ),
    "a category whose text is damaged": pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0, 1], pyarrow.int32()), texts([0, 1 << 30, 6])
    ),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_streams_of_other_packages_are_not_read_outside_their_memory(damage):
    with pytest.raises(atoll.InputError, match="column 'a' is damaged"):
        atoll.Graph(Stream(pyarrow.table({"a": DAMAGED[damage], "b": ["x", "y"]})))


def test_sound_views_and_slices_are_read():
    good = views((20, 0, 0), (20, 0, 2))
    assert atoll.Graph(Stream(pyarrow.table({"a": good, "b": good}))).n == 2
    part = pyarrow.table({"a": texts([0, 1, 3, 6])[1:], "b": ["x", "y"]})
    assert atoll.Graph(Stream(part)).names.tolist() == ["bc", "def", "x", "y"]
