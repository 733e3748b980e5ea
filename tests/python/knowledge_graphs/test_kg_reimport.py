# SPDX-License-Identifier: Apache-2.0
"""Importing again, importing what is broken, and from a database: what changes, what stays, and what is said."""

import json
import shutil

import pytest
from atoll.errors import InputError, IoError, UsageError

duckdb = pytest.importorskip("duckdb")

from atoll import kg  # noqa: E402
from atoll.kg.command_line import main  # noqa: E402
from atoll.kg.inputs import quarantine as reasons  # noqa: E402
from kg_tables import load, quarantine, rows, version_of, write  # noqa: E402

NODES = [("id", "name"), ("A:1", "flu"), ("A:2", "zinc"), ("A:3", "cold")]
EDGES = [("source", "target", "count"), ("A:1", "A:2", 3), ("A:2", "A:3", 1), ("A:3", "A:3", 1)]
TABLES = ("sources", "concepts", "synonyms", "edges", "cross_references", "mappings", "quarantine")


def everything(folder):
    return {table: rows(folder, f"from {table} order by all") for table in TABLES}


def test_a_second_import_changes_nothing_and_says_so(tmp_path, capsys):
    files = str(write(tmp_path / "n", NODES)), str(write(tmp_path / "e", EDGES))
    words = ["import", str(tmp_path / "kg"), "--nodes", files[0], "--edges", files[1]]
    assert main(words) == 0
    first = capsys.readouterr().out
    assert "imported  literature nodes" in first and "self-loop, kept out      1  line 4: A:3 | A:3 | 1" in first
    before, file = everything(tmp_path / "kg"), version_of(tmp_path / "kg")
    assert main(words) == 0
    assert capsys.readouterr().out.count("unchanged: nothing done") == 2
    assert everything(tmp_path / "kg") == before and version_of(tmp_path / "kg") == file


def test_the_same_rows_at_another_path_are_another_source(tmp_path):
    first = write(tmp_path / "e", EDGES)
    second = shutil.copy(first, tmp_path / "again.csv")
    load(tmp_path / "kg", edges=first)
    (found,) = load(tmp_path / "kg", edges=second)
    assert found.state == "imported"
    assert rows(tmp_path / "kg", "select sum(count), count(distinct source) from edges") == [(8, 2)]


def test_a_changed_file_replaces_its_own_rows_and_concepts_keep_their_numbers(tmp_path):
    nodes, edges, other = write(tmp_path / "n", NODES), write(tmp_path / "e", EDGES), write(tmp_path / "o", EDGES[:2])
    load(tmp_path / "kg", nodes, edges)
    load(tmp_path / "kg", edges=other)
    write(tmp_path / "e", [EDGES[0], ("A:1", "A:3", 5)])
    (found,) = load(tmp_path / "kg", edges=edges)
    assert (found.state, found.rows) == ("replaced", 1)
    assert rows(tmp_path / "kg", "select a, b, count, source from edges order by source") == [
        (0, 2, 5, 1),
        (0, 1, 3, 2),
    ]
    assert quarantine(tmp_path / "kg") == []
    write(tmp_path / "n", [NODES[0], ("A:0", "new"), ("A:3", "chill"), ("A:1", "flu")])
    (found,) = load(tmp_path / "kg", nodes)
    assert rows(tmp_path / "kg", "select concept, id, name, source from concepts order by concept") == [
        (0, "A:1", "flu", 0),
        (1, "A:2", "zinc", None),
        (2, "A:3", "chill", 0),
        (3, "A:0", "new", 0),
    ]
    assert found.notes[0].startswith("1 concepts that no table of nodes names any more")
    assert [str(edges) in found.notes[1], str(other) in found.notes[2]] == [True, True]


def test_edges_are_held_against_changed_nodes_when_they_come_again(tmp_path):
    nodes, edges = write(tmp_path / "n", NODES[:3]), write(tmp_path / "e", EDGES[:3])
    load(tmp_path / "kg", nodes, edges)
    assert [reason for _, reason, _ in quarantine(tmp_path / "kg")] == [reasons.DANGLING]
    write(tmp_path / "n", NODES)
    found = load(tmp_path / "kg", nodes, edges)
    assert [one.state for one in found] == ["replaced", "replaced"]
    assert quarantine(tmp_path / "kg") == [] and len(rows(tmp_path / "kg", "from edges")) == 2


def test_nodes_name_the_concepts_that_edges_have_made(tmp_path):
    load(tmp_path / "kg", edges=write(tmp_path / "e", EDGES[:2]))
    load(tmp_path / "kg", write(tmp_path / "n", [("id", "name", "type"), ("A:2", "zinc", "metal")]))
    assert rows(tmp_path / "kg", "select id, type, name, source from concepts order by concept") == [
        ("A:1", "A", None, 0),
        ("A:2", "metal", "zinc", 1),
    ]


def test_other_options_count_as_a_change(tmp_path):
    nodes = write(tmp_path / "n", NODES)
    load(tmp_path / "kg", nodes)
    (found,) = load(tmp_path / "kg", nodes, types={"A": "Disease"})
    assert found.state == "replaced" and rows(tmp_path / "kg", "select distinct type from concepts") == [("Disease",)]


def test_a_second_table_of_nodes_adds_and_does_not_rename(tmp_path):
    load(tmp_path / "kg", write(tmp_path / "n", NODES))
    load(
        tmp_path / "kg",
        write(tmp_path / "m", [("id", "name", "type"), ("A:2", "Zn", "metal"), ("A:9", "iron", "metal")]),
    )
    found = rows(
        tmp_path / "kg", "select id, type, name, source from concepts where concept in (1, 3) order by concept"
    )
    assert found == [("A:2", "A", "zinc", 0), ("A:9", "metal", "iron", 1)]
    assert rows(tmp_path / "kg", "select concept, name from synonyms") == [(1, "Zn")]


PAGES = b"PAR1" + bytes(40) + b"PAR1"
BROKEN = {
    "a.csv": (b"id,name\nA:1,x\nA:2\n", r"a\.csv, line 3: it has 1 fields, the header 2"),
    "b.csv": (b"id,name\nA:1,x\nA:2,x,y\n", r"b\.csv, line 3: it has 3 fields, the header 2"),
    "c.csv": (b'id,name\nA:1,x\nA:2,"x\nA:3,y\n', r"c\.csv, line 3: a quoted field does not end"),
    "d.csv": (b"id,name\nA:1,x\nA:2,\xe9\n", r"d\.csv, line 3: it is not UTF-8"),
    "e.csv": (b"", r"e\.csv, line 1: no names of columns"),
    "f.csv": (b"id,name,ID\nA:1,x,y\n", r"f\.csv, line 1: the name 'id' of a column is twice"),
    "g.csv": (b"id,,name\nA:1,x,y\n", r"g\.csv, line 1: the name '' of a column is empty"),
    "h.csv.gz": (b"id,name\n", r"h\.csv\.gz cannot be read \(it is no file of gzip"),
    "i.csv.zst": (b"id,name\n", r"i\.csv\.zst cannot be read"),
    "j.jsonl": (b'{"id": "A:1"}\n{"id": "A:2"\n', r"j\.jsonl, line 2: it is not JSON"),
    "k.jsonl": (b'{"id": "A:1"}\n\n[1]\n', r"k\.jsonl, line 3: it is JSON, but no object"),
    "l.parquet": (b"no Parquet, but long enough to be one", r"l\.parquet: DuckDB cannot read it as a table \("),
    "m.parquet": (PAGES, r"m\.parquet: DuckDB cannot read it as a table \("),
    "n.tsv": (b"id\tname\nA:1\tx\ty\n", r"n\.tsv, line 2: it has 3 fields, the header 2"),
    "o.csv": (b"id,rec\nA:1,x\n", r"o\.csv, line 1: the name 'rec' of a column is kept"),
    "p.csv": (b"id,name\nA:1," + b"x" * (9 << 20) + b"\n", r"p\.csv, line 2: it is longer than 8 MiB"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", BROKEN)
def test_a_malformed_file_is_refused_with_its_line_and_nothing_of_the_import_stays(tmp_path, name):
    load(tmp_path / "kg", edges=write(tmp_path / "e", EDGES))
    before = everything(tmp_path / "kg")
    (tmp_path / name).write_bytes(BROKEN[name][0])
    with pytest.raises(InputError, match=BROKEN[name][1]):
        load(tmp_path / "kg", tmp_path / name)
    words = ["--nodes", str(write(tmp_path / "n", NODES)), "--nodes", str(tmp_path / name)]
    assert main(["import", str(tmp_path / "kg"), *words]) == 3
    assert everything(tmp_path / "kg") == before


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("kind", ["csv.gz", "tsv.zst", "parquet"])
def test_a_file_that_was_cut_off_is_refused(tmp_path, kind, cut):
    table = [("id", "name"), *((f"A:{i}", f"name {i * 7919 % 10007}") for i in range(3000))]
    file = write(tmp_path / "n", table, kind)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(cut * len(whole))])
    with pytest.raises(InputError, match="cannot be read|cannot read it"):
        load(tmp_path / "kg", file)


def test_names_of_files_are_checked(tmp_path):
    with pytest.raises(IoError, match="there is no such file"):
        load(tmp_path / "kg", tmp_path / "nowhere.csv")
    with pytest.raises(UsageError, match=r"has no ending of a table \(.csv"):
        load(tmp_path / "kg", write(tmp_path / "n", NODES).rename(tmp_path / "n.txt"))
    with pytest.raises(UsageError, match="take it for a pattern"):
        load(tmp_path / "kg", write(tmp_path / "n", NODES).rename(tmp_path / "n*.csv"))
    with pytest.raises(IoError, match="it is a folder"):
        load(tmp_path / "kg", tmp_path)


def test_names_that_look_like_sql_are_only_names(tmp_path):
    wild = [('id"; drop table concepts; --', "na'me"), ("A'; drop table edges; --", "x' or '1'='1")]
    (tmp_path / "o'clock.csv").write_text("\n".join(",".join(f'"{cell}"' for cell in map(double, row)) for row in wild))
    load(
        tmp_path / "kg", tmp_path / "o'clock.csv", graph="lit'; --", id=wild[0][0], name=wild[0][1], types={"A'": "B'"}
    )
    assert rows(tmp_path / "kg", "select graph, id, name from concepts") == [("lit'; --", *wild[1])]


def double(text):
    return text.replace('"', '""')


def test_tables_of_a_database_are_read_as_files_are(tmp_path, capsys):
    with duckdb.connect(str(tmp_path / "papers.duckdb")) as database:
        database.execute("create schema lit; create table lit.nodes(id varchar, name varchar)")
        database.execute("insert into lit.nodes values ('A:1', 'flu'), ('A:2', 'zinc')")
        database.execute("create table links(source varchar, target varchar, count integer)")
        database.execute("insert into links values ('A:1', 'A:2', 3)")
    words = ["import", str(tmp_path / "kg"), "--attach", f"duckdb:{tmp_path}/papers.duckdb", "--nodes", "lit.nodes"]
    assert main([*words, "--edges", "links"]) == 0
    assert rows(tmp_path / "kg", "select a, b, count from edges") == [(0, 1, 3)]
    assert main([*words, "--edges", "links"]) == 0
    assert capsys.readouterr().out.count("unchanged: nothing done") == 2
    with duckdb.connect(str(tmp_path / "papers.duckdb")) as database:
        database.execute("update links set count = 4")
    assert main([*words, "--edges", "links"]) == 0
    assert rows(tmp_path / "kg", "select count from edges") == [(4,)]
    assert main([*words, "--edges", "nowhere"]) == 3
    assert "Name a table of the database" in capsys.readouterr().err


def test_a_database_whose_extension_is_missing_says_what_to_do(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    code = main(["import", str(tmp_path / "kg"), "--attach", "postgres:dbname=x password=secret", "--nodes", "n"])
    told = capsys.readouterr().err
    assert code == 2 and "has not its extension postgres installed" in told and "--install-extension" in told
    assert "secret" not in told
    assert main(["import", str(tmp_path / "kg"), "--attach", "oracle:x password=secret", "--nodes", "n"]) == 2
    told = capsys.readouterr().err
    assert "database oracle:x password=*** begins with no kind" in told


def test_errors_are_one_object_of_json_too(tmp_path, capsys):
    assert main(["info", str(tmp_path), "--json", "-"]) == 3
    told = capsys.readouterr()
    error = json.loads(told.out)["error"]
    assert error["kind"] == "input" and error["message"] in told.err
    assert main(["import", str(tmp_path)]) == 2 and "nothing to import" in capsys.readouterr().err
    edges = str(write(tmp_path / "e", EDGES))
    assert main(["import", str(tmp_path / "kg"), "--edges", edges, "--type-of", "A", "--json", "-"]) == 2
    assert main(["import", str(tmp_path / "kg"), "--edges", edges, "--json", "-"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert json.loads("\n".join(lines[1:]))["result"]["imports"][0]["quarantine"][0]["reason"] == reasons.SELF_LOOP


def test_the_quarantine_is_shown_by_reason_and_up_to_a_limit(tmp_path, capsys):
    table = [EDGES[0], *[("A:1", "A:1", 1)] * 5, ("A:1", "A:2", 0), ("A:1", "A:2", 1)]
    load(tmp_path / "kg", edges=write(tmp_path / "e", table, "tsv"))
    assert main(["quarantine", str(tmp_path / "kg"), "--reason", "self-loop", "--limit", "2"]) == 0
    text = capsys.readouterr().out
    assert text.count("self-loop, kept out") == 2 and "e.tsv:3  A:1 | A:1 | 1" in text and "2 of 5 rows" in text
    assert main(["quarantine", str(tmp_path / "kg"), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)["result"]
    assert found["count"] == 6 and found["rows"][5]["line"] == 7 and found["rows"][5]["record"] == "A:1\tA:2\t0"
    assert main(["quarantine", str(tmp_path / "kg"), "--limit", "-1"]) == 2


def test_python_reads_what_the_command_wrote(tmp_path):
    assert main(["import", str(tmp_path / "kg"), "--edges", str(write(tmp_path / "e", EDGES))]) == 0
    with kg.Store(tmp_path / "kg") as store:
        assert store.graphs() == ["literature"]
