# SPDX-License-Identifier: Apache-2.0
"""The sample of a literature and a curated graph: the same for a seed, with the connection that waits to be found."""

import json

import pytest

pytest.importorskip("duckdb")

from atoll import errors, kg  # noqa: E402
from atoll.kg.command_line import main  # noqa: E402


def texts(tables):
    return {name: file.read_text() for name, file in tables.items()}


def test_the_same_seed_gives_the_same_tables_and_another_one_others(tmp_path):
    first, again, other = (texts(kg.write_sample(tmp_path / name, seed=seed)) for name, seed in zip("abc", (7, 7, 8)))
    assert first == again
    assert all(first[name] != other[name] for name in ("literature_edges", "curated_edges", "mesh_to_doid"))


@pytest.mark.parametrize("concepts, seed", [(20, 1), (20, 5), (61, 2), (300, 3)])
def test_drug_and_disease_are_connected_by_the_gene_and_by_no_abstract(tmp_path, concepts, seed):
    folder = kg.sample_store(tmp_path, concepts=concepts, seed=seed)
    kg.build(folder)
    with kg.BuiltGraph(folder) as graph:
        path = kg.find_paths(graph, "Velotamine", "Marden syndrome").paths[0]
        assert [concept.name for concept in path.concepts] == ["Velotamine", "TRK7", "Marden syndrome"]
        assert graph.provenance([(0, 2)]) == [[]]
        [table] = kg.classify(graph, kg.CuratedSide(graph, "curated"), [0, 1, 2])
        assert table.counts == {**dict.fromkeys(table.counts, 0), "1": 1, "2a": 1, "2b": 1}


def test_no_curated_edge_gives_the_connection_away(tmp_path):
    for seed in range(150):
        edges = kg.write_sample(tmp_path / str(seed), concepts=20, seed=seed)["curated_edges"].read_text().splitlines()
        assert "DB900002,GENE:900001" in edges
        assert not {"DB900002,DOID:900000", "DOID:900000,GENE:900001"} & set(edges)


def test_every_scenario_but_the_rarest_is_there_and_ids_and_names_are_different(tmp_path):
    folder = kg.sample_store(tmp_path, concepts=300)
    kg.build(folder)
    with kg.BuiltGraph(folder) as graph:
        [table] = kg.classify(graph, kg.CuratedSide(graph, "curated"))
        assert all(table.counts[name] for name in ("1", "2a", "2b", "3b", "3c", "4"))
        names = [row[0] for row in graph.store.sql("select name from concepts where graph = 'literature'").fetchall()]
        assert len(set(names)) == len(names) == 301
        methods = graph.store.sql("select method, count(*) from mappings group by method").fetchall()
    assert dict(methods).keys() == {"column mapped", "direct:mesh_to_doid", "none"}


def test_names_stay_different_in_the_largest_sample():
    from random import Random

    from atoll.kg.sample import _concepts

    assert len({concept.name for concept in _concepts(Random(1), 50_000)}) == 50_000


def test_the_wrong_rows_are_found(tmp_path):
    with kg.Store(kg.sample_store(tmp_path)) as store:
        reasons = [row[0] for row in store.sql("select reason from quarantine order by reason").fetchall()]
    assert [reason[:9] for reason in reasons] == [
        "count is ",
        "dangling ",
        "doubtful ",
        "duplicate",
        "duplicate",
        "self-loop",
    ]


def test_a_file_that_is_there_is_not_replaced_and_wrong_sizes_are_refused(tmp_path, capsys):
    (tmp_path / "curated_edges.csv").write_text("mine")
    with pytest.raises(errors.IoError, match=r"curated_edges\.csv is there already"):
        kg.write_sample(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["curated_edges.csv"]
    for concepts in (19, 50_001):
        with pytest.raises(errors.UsageError, match=f"concepts is {concepts}"):
            kg.write_sample(tmp_path / "other", concepts=concepts)
    assert main(["sample", str(tmp_path)]) == 3 and "there already" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.IoError, match="cannot be made"):
        kg.write_sample(tmp_path / "file" / "below")


def test_the_command_says_what_it_wrote(tmp_path, capsys):
    assert main(["sample", str(tmp_path / "new"), "--concepts", "30", "--seed", "4", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)["result"]
    assert told["literature_nodes"]["rows"] == 32
    assert (tmp_path / "new/literature_nodes.csv").read_text().count("\n") == 33
    assert main(["sample", str(tmp_path / "text"), "--concepts", "30"]) == 0
    assert "literature_nodes.csv: 32 rows\n" in capsys.readouterr().out
