# SPDX-License-Identifier: Apache-2.0
"""Files packed, damaged, or text of another kind: read as they are meant, or refused by name; nothing hangs."""

import gzip
import json
import random
import struct
import subprocess
import sys
import zlib

import pytest
from atoll.errors import Error, InputError, IoError

duckdb = pytest.importorskip("duckdb")

from atoll import kg  # noqa: E402
from atoll.kg.command_line import main  # noqa: E402
from atoll.kg.info_command import contents  # noqa: E402
from kg_tables import load, rows, write  # noqa: E402

TABLE = b"source\ttarget\tcount\nA:1\tA:2\t3\nA:2\tA:3\t4\n"
PACKED = gzip.compress(TABLE)
EDGES = [(0, 1, 3), (1, 2, 4)]


def edges(tmp_path):
    return rows(tmp_path / "kg", "select a, b, count from edges order by all")


def load_edges(tmp_path, content, name="e.tsv"):
    file = tmp_path / name
    file.write_bytes(content)
    return load(tmp_path / "kg", edges=file)


def endless_block():
    """A member of gzip whose only block, of dynamic codes, has no code for its end."""
    bits = (
        "1" + "01" + "00000" + "00000" + "1111"
    )  # the last block, dynamic; 257 literals, 1 distance, 19 lengths; reversed
    lengths = {0: 1, 1: 2, 18: 2}  # symbol: length of its code; canonical codes are 0, 10, 11
    order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    bits += "".join(format(lengths.get(symbol, 0), "03b")[::-1] for symbol in order)
    run = lambda n: "11" + format(n - 11, "07b")[::-1]  # noqa: E731
    bits += "10" * 2 + run(138) + run(116) + "0" + "10" + "0" * 4
    data = int("".join(reversed(bits.ljust(-len(bits) % 8 + len(bits), "0"))), 2).to_bytes(
        (len(bits) + 7) // 8, "little"
    )
    return PACKED[:10] + data + bytes(200) + PACKED[-8:]


@pytest.mark.parametrize(
    "content, message",
    {
        "cut in the data": (PACKED[:-20], "it was cut off"),
        "cut in the checksum": (PACKED[:-3], "it was cut off"),
        "second member cut": (PACKED + PACKED[:15], "it was cut off"),
        "wrong checksum": (PACKED[:-8] + b"abcd" + PACKED[-4:], "it is damaged: incorrect data check"),
        "wrong length": (PACKED[:-4] + b"\1\2\3\4", "it is damaged: incorrect length check"),
        "text behind it": (PACKED + b"more", "behind member 1 of gzip stands something else"),
        "no gzip": (TABLE, "it is no file of gzip"),
        "empty": (b"", "it is empty"),
        "a block of no kind": (PACKED[:10] + b"\x07" + PACKED[11:], "it is damaged: invalid block type"),
        "a block without an end": (endless_block(), "it is damaged: invalid code -- missing end-of-block"),
    }.values(),
)
def test_a_damaged_file_of_gzip_is_refused_by_its_reason(tmp_path, content, message):
    with pytest.raises(InputError, match=rf"e\.tsv\.gz cannot be read \({message}"):
        load_edges(tmp_path, content, "e.tsv.gz")


@pytest.mark.parametrize(
    "content",
    [
        PACKED + bytes(512),
        gzip.compress(TABLE[:20]) + bytes(7) + gzip.compress(TABLE[20:]),
        gzip.compress(b"") + PACKED,
    ],
    ids=["behind", "between", "an empty member"],
)
def test_zeros_behind_a_member_are_padding(tmp_path, content):
    [found] = load_edges(tmp_path, content, "e.tsv.gz")
    assert edges(tmp_path) == EDGES and (found.rows, found.kept) == (2, 2)
    assert sorted(file.name for file in (tmp_path / "kg").iterdir()) == ["store.duckdb", "store.lock"]


def test_a_copy_has_the_lines_of_the_file(tmp_path):
    [found] = load_edges(tmp_path, gzip.compress(TABLE + b"\n\nA:1\tA:1\t1\n") + bytes(9), "e.tsv.gz")
    assert found.quarantine[0][2] == 6 and found.path.endswith("e.tsv.gz")


MEASURED = """
import resource, sys
from atoll.errors import InputError
from atoll.kg.command_line import main
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
code = main(["import", *sys.argv[1:]])
print(code, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def zstd_of_runs(unpacked):
    """A frame of zstd with blocks of one repeated byte, 128 KiB each, that does not say how much it has."""
    block = struct.pack("<I", (128 << 10) << 3 | 1 << 1)[:3] + b"\n"
    last = struct.pack("<I", 1 << 3 | 1 << 1 | 1)[:3] + b"\n"
    return struct.pack("<IBB", 0xFD2FB528, 0, 0x38) + block * (unpacked >> 17) + last


def gzip_of_runs(byte, unpacked):
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(byte * (1 << 20)) for _ in range(unpacked >> 20)) + packer.flush()


@pytest.mark.parametrize("option", ["--nodes", "--pubtator"])
@pytest.mark.parametrize(
    "name, content, reason",
    [
        ("blanks.jsonl.gz", gzip_of_runs(b" ", 150 << 20), "unpacks to more than 67,108,864 bytes"),
        ("lines.jsonl.gz", gzip_of_runs(b"\n", 150 << 20), "unpacks to more than 67,108,864 bytes"),
        ("lines.tsv.zst", zstd_of_runs(600 << 20), "may unpack to 629,145,601 bytes"),
    ],
    ids=["blanks", "lines", "zstd"],
)
def test_no_file_expands_further_than_its_size_justifies(tmp_path, option, name, content, reason):
    (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-c", MEASURED, str(tmp_path / "kg"), option, str(tmp_path / name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    code, mebibytes = map(int, done.stdout.split())
    assert reason in done.stderr and "justif" in done.stderr or "times its size" in done.stderr
    assert code == 3 and mebibytes < 150, done


def test_a_parquet_file_of_one_value_many_times_is_refused(tmp_path):
    file = tmp_path / "n.parquet"
    duckdb.execute(
        f"copy (select 'A:1' as id from range(80000000)) to '{file}' (compression 'zstd', row_group_size 80000000)"
    )
    with pytest.raises(InputError, match=r"n\.parquet: says that it has 80,000,000 rows"):
        load(tmp_path / "kg", file)


@pytest.mark.parametrize(
    "change",
    {
        "a mark of byte order": lambda text: b"\xef\xbb\xbf" + text,
        "marks of files that were joined": lambda text: (
            b"\xef\xbb\xbf" * 2 + text.replace(b"\nA:2", b"\n\xef\xbb\xbfA:2")
        ),
        "carriage returns": lambda text: text.replace(b"\n", b"\r"),
        "both": lambda text: text.replace(b"\n", b"\r\n"),
        "some lines with both": lambda text: text.replace(b"\n", b"\r\n", 2),
        "UTF-16": lambda text: text.decode().encode("utf-16"),
        "UTF-16, high bytes first": lambda text: b"\xfe\xff" + text.decode().encode("utf-16-be"),
        "UTF-32": lambda text: text.decode().encode("utf-32"),
        "UTF-16 with carriage returns": lambda text: text.decode().replace("\n", "\r\n").encode("utf-16"),
    }.values(),
)
@pytest.mark.parametrize("name", ["e.tsv", "e.csv", "e.tsv.gz", "e.jsonl", "e.pubtator"])
def test_text_is_read_however_systems_write_it(tmp_path, change, name):
    if name == "e.pubtator":
        text = "7|t|Zinc é\n7\t0\t4\tZinc\tChemical\tD015032\n7\t5\t6\té\tDisease\tD003139\n"
        wanted = [("MESH:D003139", "é"), ("MESH:D015032", "Zinc"), ("PMID:7", "Zinc é")]
    else:
        table = [("id", "name"), ("A:1", "é"), ("A:2", "x")]
        form = {"e.csv": ",", "e.jsonl": "json"}.get(name, "\t")
        lines = [json.dumps(dict(zip(table[0], row))) if form == "json" else form.join(row) for row in table]
        text = "\n".join(lines[form == "json" :]) + "\n"
        wanted = [("A:1", "é"), ("A:2", "x")]
    content = change(text.encode())
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with kg.Store.writing(tmp_path / "kg") as store:
        if name == "e.pubtator":
            kg.import_pubtator(store, str(tmp_path / name))
        else:
            kg.import_nodes(store, str(tmp_path / name), graph="literature")
    assert rows(tmp_path / "kg", "select id, name from concepts order by id") == wanted


@pytest.mark.parametrize(
    "content, message",
    [
        (TABLE.decode().encode("utf-16-le"), "line 1: has a NUL character"),
        (TABLE.replace(b"A:3\t4", b"A:\x003\t4"), "line 3: has a NUL character"),
        (b"\xff\xfe" + TABLE + b"x", "begins as UTF-16, but is not all of it"),
        (TABLE.replace(b"A:3", b"A:\xe9"), "line 3: it is not UTF-8. Save the file as UTF-8"),
        (TABLE.replace(b"A:2\t3", b"A:2\r\t3"), "line 2: a carriage return stands in it"),
        (PACKED, r"is no text \(it begins as a file of gzip"),
        (b"PAR1" + bytes(20) + b"PAR1", r"is no text \(it begins as a file of Parquet"),
        (b"PK\x03\x04" + bytes(20), r"is no text \(it begins as an archive of zip, as spreadsheets are"),
    ],
    ids=["utf-16", "nul", "half utf-16", "latin", "return", "gzip", "parquet", "spreadsheet"],
)
def test_what_is_no_plain_text_is_refused_by_line_or_kind(tmp_path, content, message):
    with pytest.raises(InputError, match=rf"e\.tsv(, |: ){message}"):
        load_edges(tmp_path, content)


def test_a_carriage_return_within_quotes_is_of_its_field(tmp_path):
    (tmp_path / "n.csv").write_bytes(b'id,name\nA:1,"one\rtwo"\nA:2,x\n')
    load(tmp_path / "kg", tmp_path / "n.csv")
    assert rows(tmp_path / "kg", "select name from concepts order by id") == [("one\rtwo",), ("x",)]


@pytest.mark.parametrize(
    "name, content, message",
    [
        (
            "e.csv",
            b"source,target,count" + b"x" * 200_000 + b"\nA,B,1\n",
            r"e\.csv, line 1: .*field larger than field limit",
        ),
        ("e.csv", b'source,"tar\nget"\nA,B\n', r"e\.csv, line 1: it does not name columns \(unexpected end of data\)"),
        ("e.csv", b'source,target\nA,"B"C\nA,D\n', r"e\.csv(, line 2)?: "),
        ("e.csv", b",".join(b"c%d" % i for i in range(5000)) + b"\n", r"e\.csv: has 5,000 columns"),
        ("e.jsonl", b"".join(b'{"A:%d": 1}\n' % i for i in range(5000)), r"e\.jsonl: has 5,000 columns"),
        ("e.jsonl", b"\n \n", r"e\.jsonl: has no object of JSON"),
        ("e.jsonl", b'{"source": ' + b"[" * 90_000 + b"\n", r"e\.jsonl, line 1: it is not JSON"),
    ],
)
def test_what_a_heading_cannot_be_is_refused(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message):
        load_edges(tmp_path, content, name)


def test_an_import_that_fails_leaves_nothing_to_who_goes_on(tmp_path):
    good, bad = write(tmp_path / "good", [("source", "target"), ("A:1", "A:2")]), tmp_path / "bad.csv"
    bad.write_text("source,target,count\nA:1,A:2,3\n")
    with kg.Store.writing(tmp_path / "kg") as store:
        kg.import_edges(store, str(good), graph="literature")
        for content in (
            "source,target,count\nA:7,A:8,2\nA:1\n",
            "source,target,count\nA:1,A:8,9007199254740992\n" * 1100,
        ):
            bad.write_text(content)
            with pytest.raises(Error, match=r"bad\.csv"):
                kg.import_edges(store, str(bad), graph="literature", source="source", count="count", kind="nowhere")
        bad.write_text("source,target\nA:3,A:4\n")
        assert kg.import_edges(store, str(bad), graph="literature").state == "imported"
    assert rows(tmp_path / "kg", "select id from concepts order by all") == [("A:1",), ("A:2",), ("A:3",), ("A:4",)]


def test_counts_that_no_sum_holds_are_refused_with_the_file(tmp_path):
    rows_ = [("source", "target", "count"), *[("A:1", "A:2", 2**53)] * 1100]
    with pytest.raises(InputError, match=r"e\.csv: DuckDB cannot read it as a table of edges \(.*Error: .*"):
        load(tmp_path / "kg", edges=write(tmp_path / "e", rows_))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_store_says_that_it_is_damaged(tmp_path, seed):
    rand = random.Random(seed)
    file = tmp_path / "kg" / "store.duckdb"
    kg.sample_store(tmp_path / "kg")
    whole = file.read_bytes()
    if seed % 2:
        places = rand.sample(range(len(whole)), 300)
        file.write_bytes(bytes(byte ^ (i in places) for i, byte in enumerate(whole)))
    else:
        file.write_bytes(whole[: rand.randrange(len(whole) // 2)])
    (tmp_path / "n.csv").write_text("id\nA:1\n")

    def read():
        with kg.Store(tmp_path / "kg") as store:
            contents(store)

    for ask in (read, lambda: load(tmp_path / "kg", tmp_path / "n.csv")):
        with pytest.raises(Error, match=r"store\.duckdb (was cut off|is damaged|cannot be opened as a store)"):
            ask()


VERBS = {
    "import": ["--nodes", "{}"],
    "import ": ["--edges", "{}"],
    "import  ": ["--pubtator", "{}"],
    "import   ": ["--predications", "{}"],
    "import    ": ["--citations", "{}"],
    "map": ["--table", "{}", "--from", "a", "--to", "b"],
    "map ": ["--table", "{}", "--from", "CUI", "--to", "MSH", "--format", "umls"],
}
FILES = {
    "none.csv": None,
    "empty.csv": b"",
    "binary.csv": random.Random(1).randbytes(3000),
    "binary.tsv.gz": random.Random(2).randbytes(3000),
    "binary.tsv.zst": random.Random(3).randbytes(3000),
    "binary.jsonl": random.Random(4).randbytes(3000),
    "binary.parquet": random.Random(5).randbytes(3000),
}


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_refuses_what_is_no_file_of_its_kind_in_one_line(tmp_path, capsys, verb):
    (tmp_path / "folder.csv").mkdir()
    for name, content in {**FILES, "folder.csv": None}.items():
        if content is not None:
            (tmp_path / name).write_bytes(content)
        words = [word.format(tmp_path / name) for word in VERBS[verb]]
        code = main([verb.strip(), str(tmp_path / "kg"), *words])
        err = capsys.readouterr().err
        assert code == (2 if "vocabulary" in err else 3) and err.count("\n") == 1 and name in err, (name, err)


@pytest.mark.parametrize(
    "words", [["info"], ["quarantine"], ["build"], ["paths", "--from", "a", "--to", "b"], ["scenarios", "--all"]]
)
def test_each_verb_refuses_what_is_no_store_in_one_line(tmp_path, capsys, words):
    (tmp_path / "file").write_text("x")
    for name, content in (("empty", b""), ("binary", FILES["binary.csv"])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "store.duckdb").write_bytes(content)
    (tmp_path / "folder" / "store.duckdb").mkdir(parents=True)
    for name in ("nowhere", "file", "empty", "binary", "folder"):
        assert main([words[0], str(tmp_path / name), *words[1:]]) == 3
        err = capsys.readouterr().err
        assert err.count("\n") == 1 and str(tmp_path / name) in err


def test_a_folder_in_the_stores_place_stops_a_writer(tmp_path):
    (tmp_path / "store.duckdb").mkdir()
    with pytest.raises(IoError, match="store.duckdb: Is a directory"), kg.Store.writing(tmp_path):
        pass


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"[" * 100_000,
        b"\xff\xfe\x00",
        b'{"format": 1}',
        b'{"format": 1, "form": ["npy"], "fingerprint": 3}',
        b'{"format": 2}',
    ],
)
def test_a_description_that_no_build_wrote_is_refused(tmp_path, capsys, content):
    kg.sample_store(tmp_path)
    (tmp_path / "literature.graph.json").write_bytes(content)
    assert main(["paths", str(tmp_path), "--from", "TRK7", "--to", "Velotamine"]) == 3
    err = capsys.readouterr().err
    assert "literature.graph.json" in err and "Build it: atoll kg build" in err and err.count("\n") == 1
