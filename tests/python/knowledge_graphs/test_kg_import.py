# SPDX-License-Identifier: Apache-2.0
"""Tables of nodes and edges: every format gives the same store, and a wrong row is never dropped without a word."""

import collections
import json
import os
import random
import time
from pathlib import Path

import pytest
from atoll.errors import UsageError

duckdb = pytest.importorskip("duckdb")

from atoll.kg.command_line import main  # noqa: E402
from atoll.kg.inputs import quarantine as reasons  # noqa: E402
from kg_tables import load, quarantine, rows, write  # noqa: E402

DATA = Path(os.environ.get("ATOLL_DATA", Path(__file__).parents[3] / "../shared/data")) / "kg"

NODES = [
    ("id", "name", "mapped"),
    ("MESH:D1", "flu", "DOID:1|DOID:2"),
    ("MESH:D2", 'zinc, "pure"', ""),
    ("G_3", "", ""),
]
EDGES = [("source", "target", "count", "kind"), ("MESH:D1", "MESH:D2", 3, "DC"), ("G_3", "MESH:D1", 2, "DG")]


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "tsv", "tsv.zst", "jsonl", "parquet"])
def test_every_format_gives_the_same_store(tmp_path, kind):
    load(tmp_path / "kg", write(tmp_path / "nodes", NODES, kind), write(tmp_path / "edges", EDGES, kind))
    assert rows(tmp_path / "kg", "select concept, id, type, name from concepts order by concept") == [
        (0, "MESH:D1", "MESH", "flu"),
        (1, "MESH:D2", "MESH", 'zinc, "pure"'),
        (2, "G_3", "G", None),
    ]
    assert rows(tmp_path / "kg", "select a, b, relation, kind, count, source from edges order by a, b") == [
        (0, 1, "co-occurrence", "DC", 3, 1),
        (0, 2, "co-occurrence", "DG", 2, 1),
    ]
    assert rows(tmp_path / "kg", "select literature, curated from cross_references order by all") == [
        ("MESH:D1", "DOID:1"),
        ("MESH:D1", "DOID:2"),
    ]
    assert quarantine(tmp_path / "kg") == []


def test_lists_of_json_and_parquet_are_synonyms(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "A:1", "name": "flu", "synonyms": ["grippe", "influenza", "flu"]}\n')
    duckdb.execute(f"copy (select 'A:1' as id, ['grippe', 'influenza'] as aliases) to '{tmp_path}/b.parquet'")
    for folder, file in (("j", "a.jsonl"), ("p", "b.parquet")):
        load(tmp_path / folder, tmp_path / file)
        found = rows(tmp_path / folder, "select concept, name from synonyms order by name")
        assert found == [(0, "grippe"), (0, "influenza")]


def test_columns_are_found_by_name_or_given(tmp_path):
    nodes = write(tmp_path / "nodes", [("CUI", "Label", "category"), ("C1", "flu", "dsyn")])
    load(tmp_path / "kg", nodes)
    assert rows(tmp_path / "kg", "select id, type, name from concepts") == [("C1", "dsyn", "flu")]
    load(tmp_path / "own", nodes, id="label", name="cui", types={"dsyn": "Disease"})
    assert rows(tmp_path / "own", "select id, type, name from concepts") == [("flu", "Disease", "C1")]
    with pytest.raises(UsageError, match=r"no column names \(it has CUI, Label, category\).*--name COLUMN"):
        load(tmp_path / "kg", nodes, name="names")
    with pytest.raises(UsageError, match=r"no column for target \(target, dst, .*--target COLUMN"):
        load(tmp_path / "kg", edges=write(tmp_path / "edges", [("source", "other"), ("C1", "C2")]))


@pytest.mark.parametrize(
    "id, type", [("GENE_7", "GENE"), ("DB0001", "DB"), ("UMLS:C1", "UMLS"), ("-0.01", "untyped"), ("a.b:1", "a.b")]
)
def test_a_prefix_is_a_type(tmp_path, id, type):
    load(tmp_path / "kg", write(tmp_path / "nodes", [("id", "name"), (id, "x")]))
    assert rows(tmp_path / "kg", "select type from concepts") == [(type,)]


DIRTY_NODES = [
    ("id", "name"),
    ("MESH:D1", "flu"),
    ("-0.001423981", "dirt"),
    ("MESH:D2", "zinc"),
    ("", "nameless"),
    ("MESH:D1", "influenza"),
    ("GENE_None", "none"),
    ("MESH:D3", "cold"),
]
DIRTY_EDGES = [
    ("source", "target", "count"),
    ("MESH:D1", "MESH:D2", "3"),
    ("MESH:D2", "MESH:D1", "4.0"),
    ("MESH:D1", "MESH:D1", "1"),
    ("MESH:D1", "MESH:D9", "1"),
    ("MESH:D1", "", "1"),
    ("MESH:D1", "MESH:D3", "0"),
    ("MESH:D1", "MESH:D3", "-2"),
    ("MESH:D1", "MESH:D3", "many"),
    ("MESH:D1", "MESH:D3", "1.5"),
    ("MESH:D3", "-0.001423981", "1"),
]


def test_each_wrong_row_is_in_quarantine_with_its_line_and_reason(tmp_path):
    files = write(tmp_path / "n", DIRTY_NODES, "tsv"), write(tmp_path / "e", DIRTY_EDGES, "tsv")
    nodes, edges = load(tmp_path / "kg", *files)
    bad = zip(range(7, 11), ("0", "-2", "many", "1.5"))
    assert quarantine(tmp_path / "kg") == [
        (3, reasons.DOUBTFUL_KEPT, "-0.001423981\tdirt"),
        (5, reasons.EMPTY_ID, "\tnameless"),
        (6, reasons.DUPLICATE_ID, "MESH:D1\tinfluenza"),
        (7, reasons.DOUBTFUL_KEPT, "GENE_None\tnone"),
        (3, reasons.DUPLICATE_EDGE, "MESH:D2\tMESH:D1\t4.0"),
        (4, reasons.SELF_LOOP, "MESH:D1\tMESH:D1\t1"),
        (5, reasons.DANGLING, "MESH:D1\tMESH:D9\t1"),
        (6, reasons.EMPTY_ID, "MESH:D1\t\t1"),
        *((line, reasons.BAD_COUNT, f"MESH:D1\tMESH:D3\t{n}") for line, n in bad),
    ]
    assert rows(tmp_path / "kg", "select a, b, count from edges order by a, b") == [(0, 2, 7), (1, 4, 1)]
    assert (nodes.rows, nodes.kept, edges.rows, edges.kept) == (7, 6, 10, 3)
    assert edges.quarantine[0] == (reasons.BAD_COUNT, 4, 7, "MESH:D1\tMESH:D3\t0")
    assert rows(tmp_path / "kg", "select name from synonyms") == [("influenza",)]


def test_strict_keeps_doubtful_ids_out_and_their_edges_dangle(tmp_path):
    load(tmp_path / "kg", write(tmp_path / "n", DIRTY_NODES), write(tmp_path / "e", DIRTY_EDGES), strict=True)
    assert rows(tmp_path / "kg", "select id from concepts") == [("MESH:D1",), ("MESH:D2",), ("MESH:D3",)]
    found = collections.Counter(reason for _, reason, _ in quarantine(tmp_path / "kg"))
    assert found[reasons.DOUBTFUL_OUT] == 2 and found[reasons.DANGLING] == 2 and found[reasons.DOUBTFUL_KEPT] == 0


@pytest.mark.parametrize("strict", [False, True])
def test_edges_make_the_concepts_where_no_table_of_nodes_does(tmp_path, strict):
    (found,) = load(tmp_path / "kg", edges=write(tmp_path / "e", DIRTY_EDGES), strict=strict)
    ids = [id for (id,) in rows(tmp_path / "kg", "select id from concepts order by concept")]
    assert ids == ["MESH:D1", "MESH:D2", "MESH:D9"] + ([] if strict else ["-0.001423981"]) + ["MESH:D3"]
    reason = reasons.DOUBTFUL_OUT if strict else reasons.DOUBTFUL_KEPT
    assert [row[:3] for row in found.quarantine if row[0].startswith("doubtful")] == [(reason, 1, 11)]


def test_numbers_are_ids_where_the_others_are_numbers_too(tmp_path):
    (found,) = load(tmp_path / "kg", edges=write(tmp_path / "e", [("source", "target"), ("7", "9"), ("9", "12")]))
    assert found.quarantine == [] and found.kept == 2


def test_lines_are_right_behind_blank_lines_and_line_ends_in_quotes(tmp_path):
    file = tmp_path / "n.csv"
    file.write_bytes(b'id,name\r\nA:1,"two\r\nlines"\r\n\r\nA:2,"say ""x"""\r\n,third\r\nA:1,again\r\n')
    load(tmp_path / "kg", file)
    assert [(line, reason) for line, reason, _ in quarantine(tmp_path / "kg")] == [
        (6, reasons.EMPTY_ID),
        (7, reasons.DUPLICATE_ID),
    ]


def test_a_line_is_unknown_rather_than_wrong_behind_stray_quotes(tmp_path):
    (tmp_path / "n.csv").write_text('id,name\nA:1,5" nail\nA:2,x\n,third\n')
    load(tmp_path / "kg", tmp_path / "n.csv")
    assert quarantine(tmp_path / "kg") == [(None, reasons.EMPTY_ID, "\tthird")]


@pytest.mark.parametrize("seed", range(8))
def test_random_edges_are_kept_merged_or_quarantined_as_by_definition(tmp_path, seed):
    rand = random.Random(seed)
    ids = [f"A:{i}" for i in range(12)]
    choices = [*ids, "A:77", ""], [*ids, "A:78"], ["1", "2", "7", "0", "x"], "KL"
    table = [tuple(map(rand.choice, choices)) for _ in range(300)]
    nodes = write(tmp_path / "n", [("id", "name"), *((id, "x") for id in ids)], "tsv")
    load(tmp_path / "kg", nodes, write(tmp_path / "e", [("source", "target", "count", "kind"), *table], "tsv"))
    counts, wrong = collections.Counter(), []
    for line, (s, t, n, kind) in enumerate(table, start=2):
        if s == "":
            wrong.append((line, reasons.EMPTY_ID))
        elif n in "0x":
            wrong.append((line, reasons.BAD_COUNT))
        elif s == t:
            wrong.append((line, reasons.SELF_LOOP))
        elif s not in ids or t not in ids:
            wrong.append((line, reasons.DANGLING))
        else:
            key = (*sorted((ids.index(s), ids.index(t))), kind)
            if counts[key]:
                wrong.append((line, reasons.DUPLICATE_EDGE))
            counts[key] += int(n)
    found = rows(tmp_path / "kg", "select a, b, kind, count from edges")
    assert len(found) == len(counts) and {row[:3]: row[3] for row in found} == counts
    assert [row[:2] for row in quarantine(tmp_path / "kg")] == wrong


@pytest.mark.skipif(not DATA.is_dir(), reason="needs the knowledge graphs of the use case")
def test_both_graphs_are_imported_in_seconds_with_all_that_they_have(tmp_path, capsys):
    begin = time.process_time()  # of all threads; other programs may keep the machine busy
    for graph in ("literature", "curated"):
        files = [str(DATA / f"{graph}_{what}.tsv.zst") for what in ("nodes", "edges")]
        assert main(["import", str(tmp_path), "--graph", graph, "--nodes", files[0], "--edges", files[1]]) == 0
    assert time.process_time() - begin < 20
    assert "doubtful id, kept    137  line 2: -0.001423981" in capsys.readouterr().out
    assert main(["info", str(tmp_path), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)["result"]
    assert [graph["concepts"] for graph in found["graphs"].values()] == [38113, 12388]
    assert found["graphs"]["literature"]["edges"] == {"co-occurrence": {"pairs": 311954, "count": 4256156}}
    assert found["graphs"]["curated"]["edges"] == {"curated": {"pairs": 245574, "count": 245574}}
    assert found["graphs"]["curated"]["types"] == {"GENE": 18000, "DOID": 12246, "DB": 6005, "PW": 1862}
    assert found["mappings"] == {"methods": {"column mapped": 6802}, "literature": 6144, "curated": 6161}
    assert [(one["reason"], one["count"]) for one in found["quarantine"]] == [(reasons.DOUBTFUL_KEPT, 137)]


def test_tables_of_spreadsheets_are_cut_by_semicolons(tmp_path):
    (tmp_path / "edges.csv").write_text(
        '"source";"target";count\n"TP53";"cancer; of the lung, small";3\nBRCA1;TP53;2\n'
    )
    (tmp_path / "commas.csv").write_text('"source",target,count\na;b,c,4\n')
    load(tmp_path / "kg", None, tmp_path / "edges.csv")
    assert rows(tmp_path / "kg", "select id from concepts order by id") == [
        ("BRCA1",),
        ("TP53",),
        ("cancer; of the lung, small",),
    ]
    assert rows(tmp_path / "kg", "select sum(count) from edges") == [(5,)]
    load(tmp_path / "two", None, tmp_path / "commas.csv")
    assert rows(tmp_path / "two", "select id from concepts order by id") == [("a;b",), ("c",)]


def test_names_tell_no_types_and_are_found_in_any_case(tmp_path, capsys):
    (tmp_path / "edges.csv").write_text(
        "source,target\nbreast cancer,BRCA1\nBRCA1,breast_cancer\nNote: a,GENE:7\nGENE_7113,DB00001\naspirin,headache\n"
    )
    load(tmp_path / "kg", None, tmp_path / "edges.csv")
    types = dict(rows(tmp_path / "kg", "select id, type from concepts"))
    assert {types.pop("GENE:7"), types.pop("GENE_7113"), types.pop("DB00001")} == {"GENE", "DB"}
    assert set(types.values()) == {"untyped"} and len(types) == 6
    assert main(["build", str(tmp_path / "kg")]) == 0
    capsys.readouterr()
    assert main(["paths", str(tmp_path / "kg"), "--from", "brca1", "--to", "BREAST Cancer"]) == 0
    assert "1 hop: BRCA1\n   -> breast cancer" in capsys.readouterr().out
    assert main(["paths", str(tmp_path / "kg"), "--from", "brca1", "--to", "Aspirin"]) == 1
    assert capsys.readouterr().out == "no such path from BRCA1 to aspirin\n"


@pytest.mark.parametrize("heading", ["weight", "Weight", "weights"])
def test_weights_that_are_whole_are_the_counts_and_that_is_said(tmp_path, capsys, heading):
    table = [
        ("source", "target", heading),
        ("A:1", "A:2", "3"),
        ("A:2", "A:1", "4.0"),
        ("A:1", "A:3", "0"),
        ("A:2", "A:3", ""),
    ]
    edges = write(tmp_path / "e", table)
    assert main(["import", str(tmp_path / "kg"), "--edges", str(edges)]) == 0
    assert f"\n  column {heading} is taken as the count of each row\n" in capsys.readouterr().out
    assert rows(tmp_path / "kg", "select a, b, count from edges") == [(0, 1, 7)]
    assert [row for row in quarantine(tmp_path / "kg") if row[1] == reasons.BAD_COUNT] == [
        (4, reasons.BAD_COUNT, "A:1\tA:3\t0"),
        (5, reasons.BAD_COUNT, "A:2\tA:3\t"),
    ]
    assert main(["import", str(tmp_path / "c"), "--graph", "curated", "--edges", str(edges)]) == 0
    assert (
        f"column {heading} is taken as the count of each row; lengths of curated edges are 1" in capsys.readouterr().out
    )


@pytest.mark.parametrize("other", ["0.5", "-1", "high"])
def test_weights_that_are_no_counts_are_not_used_and_that_is_said(tmp_path, other):
    table = [("source", "target", "weight"), ("A:1", "A:2", "3"), ("A:1", "A:3", other)]
    (found,) = load(tmp_path / "kg", edges=write(tmp_path / "e", table))
    assert found.notes == [
        f"column weight is not used: it has {other}, and counts are whole numbers; each row counts once"
    ]
    assert rows(tmp_path / "kg", "select a, b, count from edges order by b") == [(0, 1, 1), (0, 2, 1)]


def test_a_column_of_counts_goes_before_one_of_weights(tmp_path):
    table = [("source", "target", "weight", "count"), ("A:1", "A:2", "3", "8")]
    (found,) = load(tmp_path / "kg", edges=write(tmp_path / "e", table))
    assert found.notes == [] and rows(tmp_path / "kg", "select count from edges") == [(8,)]
