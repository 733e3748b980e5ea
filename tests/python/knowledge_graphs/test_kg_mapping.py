# SPDX-License-Identifier: Apache-2.0
"""Cross-references: no mapping needed, direct and indirect matches, many to many, each with its method."""

import itertools
import random

import pytest
from atoll.errors import InputError, UsageError

pytest.importorskip("duckdb")

from atoll import kg  # noqa: E402
from atoll.kg.command_line import main  # noqa: E402
from atoll.kg.inputs import quarantine as reasons  # noqa: E402
from kg_tables import load, quarantine, rows, write  # noqa: E402

LITERATURE = [("id", "name"), ("MESH:D1", "flu"), ("MESH:D2", "cold"), ("GENE:7", "seven"), ("C3", "ache")]
CURATED = [("id", "name"), ("DOID:1", "flu"), ("DOID:2", "grippe"), ("GENE:7", "seven"), ("UBERON:3", "head")]


def graphs(tmp_path, literature=LITERATURE, curated=CURATED):
    load(tmp_path / "kg", write(tmp_path / "l", literature), graph="literature")
    load(tmp_path / "kg", write(tmp_path / "c", curated), graph="curated")


def map_(tmp_path, name, table, from_, to, **options):
    with kg.Store.writing(tmp_path / "kg") as store:
        return kg.import_cross_references(store, str(write(tmp_path / name, table)), from_=from_, to=to, **options)


def matches(tmp_path):
    """(literature's id, curated id, method), sorted."""
    return rows(
        tmp_path / "kg",
        "select l.id, c.id, method from mappings m "
        "join concepts l on l.graph = 'literature' and l.concept = m.literature "
        "join concepts c on c.graph = 'curated' and c.concept = m.curated order by all",
    )


def test_the_same_id_in_both_graphs_needs_no_mapping(tmp_path):
    graphs(tmp_path)
    assert matches(tmp_path) == [("GENE:7", "GENE:7", "none")]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_matches_do_not_depend_on_what_is_imported_first(tmp_path, order):
    steps = [
        lambda: load(tmp_path / "kg", write(tmp_path / "l", [*LITERATURE[:2]]), graph="literature"),
        lambda: load(tmp_path / "kg", write(tmp_path / "c", CURATED), graph="curated"),
        lambda: map_(tmp_path, "m", [("mesh", "doid"), ("MESH:D1", "DOID:1"), ("MESH:D1", "DOID:9")], "mesh", "doid"),
    ]
    for number in order:
        steps[number]()
    assert matches(tmp_path) == [("MESH:D1", "DOID:1", "direct:m")]


def test_a_column_of_ids_maps_from_either_graph(tmp_path):
    graphs(
        tmp_path,
        [("id", "mapped"), ("MESH:D1", "DOID:1| DOID:2 |DOID:77"), ("MESH:D2", "")],
        [("id", "xrefs"), ("DOID:1", "MESH:D2|MESH:D1"), ("DOID:2", "")],
    )
    assert matches(tmp_path) == [
        ("MESH:D1", "DOID:1", "column mapped"),
        ("MESH:D1", "DOID:1", "column mapped"),
        ("MESH:D1", "DOID:2", "column mapped"),
        ("MESH:D2", "DOID:1", "column mapped"),
    ]
    sources = rows(tmp_path / "kg", "select source from mappings where literature = 0 and curated = 0 order by source")
    assert sources == [(0,), (1,)]


def test_two_tables_make_indirect_matches_and_each_match_keeps_its_method(tmp_path):
    graphs(tmp_path)
    map_(tmp_path, "umls", [("mesh", "cui"), ("D1", "C100|C200"), ("D2", "C300")], "mesh", "cui", from_prefix="MESH:")
    assert matches(tmp_path) == [("GENE:7", "GENE:7", "none")]
    found = map_(
        tmp_path, "do", [("x", "doid"), ("C100", "1"), ("C200", "1"), ("C300", "2")], "x", "doid", to_prefix="DOID:"
    )
    map_(tmp_path, "own", [("a", "b"), ("MESH:D1", "DOID:1")], "a", "b", method="by hand")
    assert matches(tmp_path) == [
        ("GENE:7", "GENE:7", "none"),
        ("MESH:D1", "DOID:1", "direct:by hand"),
        ("MESH:D1", "DOID:1", "indirect:umls+do"),
        ("MESH:D2", "DOID:2", "indirect:umls+do"),
    ]
    assert found.notes == [
        "0 of 3 ids under x are concepts of literature, 2 of 2 under doid of curated",
        "2 matches by indirect:umls+do",
    ]


def test_a_column_and_a_table_make_indirect_matches(tmp_path):
    graphs(tmp_path, [("id", "mapped"), ("MESH:D1", "C1")], CURATED)
    map_(tmp_path, "do", [("cui", "doid"), ("C1", "DOID:2")], "cui", "doid")
    assert matches(tmp_path) == [("MESH:D1", "DOID:2", "indirect:column mapped+do")]


@pytest.mark.parametrize("seed", range(6))
def test_matches_are_those_of_the_definition(tmp_path, seed):
    rand = random.Random(seed)
    left, middle, right = [f"L:{i}" for i in range(8)], [f"M:{i}" for i in range(6)], [f"R:{i}" for i in range(8)]
    tables = {
        "one": {(rand.choice([*left, "L:x"]), rand.choice(middle + right)) for _ in range(14)},
        "two": {(rand.choice(middle + left), rand.choice([*right, "R:x"])) for _ in range(14)},
    }
    graphs(tmp_path, [("id", "name"), *((id, "x") for id in left)], [("id", "name"), *((id, "x") for id in right)])
    for name, pairs in tables.items():
        map_(tmp_path, name, [("f", "t"), *sorted(pairs)], "f", "t")
    here = set(itertools.product(left, right))
    wanted = {(a, b, f"direct:{name}") for name, pairs in tables.items() for a, b in pairs & here}
    for first, second in (("one", "two"), ("two", "one")):
        joined = {(a, d) for a, b in tables[first] for c, d in tables[second] if b == c}
        wanted |= {(a, b, f"indirect:{first}+{second}") for a, b in joined & here}
    assert matches(tmp_path) == sorted(wanted)


def test_a_changed_table_replaces_its_matches_and_the_same_one_changes_nothing(tmp_path):
    graphs(tmp_path)
    table = [("a", "b"), ("MESH:D1", "DOID:1")]
    assert map_(tmp_path, "m", table, "a", "b").state == "imported"
    assert map_(tmp_path, "m", table, "a", "b").state == "unchanged"
    assert map_(tmp_path, "m", [("a", "b"), ("MESH:D2", "DOID:2")], "a", "b").state == "replaced"
    assert matches(tmp_path)[1:] == [("MESH:D2", "DOID:2", "direct:m")]
    map_(tmp_path, "m", [("a", "b"), ("MESH:D2", "DOID:2")], "a", "b", method="n")
    assert matches(tmp_path)[1:] == [("MESH:D2", "DOID:2", "direct:m"), ("MESH:D2", "DOID:2", "direct:n")]


def test_a_table_the_wrong_way_round_is_told(tmp_path):
    graphs(tmp_path)
    found = map_(tmp_path, "m", [("doid", "mesh"), ("DOID:1", "MESH:D1")], "doid", "mesh")
    assert found.notes == [
        "0 of 1 ids under doid are concepts of literature, 0 of 1 under mesh of curated",
        "they fit the other way round: --from mesh --to doid",
    ]


def test_rows_without_an_id_are_in_quarantine(tmp_path):
    graphs(tmp_path)
    found = map_(tmp_path, "m", [("a", "b"), ("MESH:D1", ""), ("MESH:D2", "DOID:2"), ("", "DOID:1")], "a", "b")
    assert (found.rows, found.kept) == (3, 1)
    assert quarantine(tmp_path / "kg") == [(2, reasons.EMPTY_ID, "MESH:D1\t"), (4, reasons.EMPTY_ID, "\tDOID:1")]


def test_what_cannot_be_mapped_says_why(tmp_path):
    graphs(tmp_path)
    table = [("a", "b"), ("MESH:D1", "DOID:1")]
    with pytest.raises(UsageError, match=r"has no column c \(it has a, b\).*--to COLUMN"):
        map_(tmp_path, "m", table, "a", "c")
    with pytest.raises(UsageError, match=r"method a\+b contains"):
        map_(tmp_path, "m", table, "a", "b", method="a+b")
    with pytest.raises(UsageError, match=r"format obo of cross-references \(known are gene_info,"):
        map_(tmp_path, "m", table, "a", "b", format="obo")
    with pytest.raises(InputError, match="has no column GeneID .*as every file of gene_info has"):
        map_(tmp_path, "m", table, "a", "b", format="gene_info")


def test_the_command_maps_and_tells_what_it_found(tmp_path, capsys):
    graphs(tmp_path)
    file = str(write(tmp_path / "m", [("mesh", "doid"), ("D1", "1"), ("D2", "1")]))
    words = ["map", str(tmp_path / "kg"), "--table", file, "--from", "mesh", "--to", "doid", "--method", "table 1"]
    assert main([*words, "--from-prefix", "MESH:", "--to-prefix", "DOID:"]) == 0
    text = capsys.readouterr().out
    assert "2 of 2 ids under mesh are concepts of literature, 1 of 1 under doid of curated" in text
    assert "2 matches by direct:table 1" in text
    assert main(["info", str(tmp_path / "kg")]) == 0
    text = capsys.readouterr().out
    assert "mappings: 3 concepts of literature to 2 of curated" in text and "direct:table 1  2" in text
