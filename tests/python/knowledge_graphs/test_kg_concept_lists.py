# SPDX-License-Identifier: Apache-2.0
"""Scenarios of the concepts that a list names, of either graph: the paper chose 54 curated ones."""

import gzip
import itertools
import json

import numpy as np
import pytest
from atoll.errors import InputError, UsageError

pytest.importorskip("networkx")
pytest.importorskip("duckdb")

from atoll import kg  # noqa: E402
from atoll.kg.command_line import main  # noqa: E402
from atoll.kg.scenarios import SCENARIOS  # noqa: E402
from kg_folder import make  # noqa: E402

# The path 0 1 2 3 4 5, and 6 alone with 7. 2 is not mapped; 0 and 1 share a counterpart, and 3 has two.
ROWS = [(0, 1, 5), (1, 2, 5), (2, 3, 5), (3, 4, 5), (4, 5, 5), (6, 7, 5)]
MAPPED = [(0, 0), (1, 0), (3, 3), (3, 8), (4, 4), (5, 5), (6, 6)]


@pytest.fixture
def folder(tmp_path):
    made = make(tmp_path / "kg", ROWS, [(3, 4), (4, 5), (0, 6)], MAPPED, n=8, curated_n=10)
    with kg.Store.writing(made) as store:
        store.sql("insert into synonyms values ('literature', 4, 'the fourth', 0), ('literature', 5, 'twin', 0)")
        store.sql("insert into synonyms values ('literature', 6, 'twin', 0)")
    kg.build(made)
    return made


def answer(capsys, folder, *words):
    code = main(["scenarios", str(folder), *words, "--json", "-"])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)["result"]


def chosen(folder, *names, of=None):
    with kg.BuiltGraph(folder) as graph:
        return kg.mapped_concepts(graph, kg.CuratedSide(graph, "curated"), "curated", names, of=of).tolist()


@pytest.mark.parametrize(
    "content",
    [
        b"# chosen\nL0\n\nconcept 3\n  THE FOURTH \nL0\nconcept 0\n",
        b"\xef\xbb\xbfL3\r\nL4\r\nL0\r\n",
        b"L4\rL3\rL0",
        "L4\nL3\nL0\n".encode("utf-16"),
        gzip.compress(b"L4\nL3\nL0\n"),
    ],
    ids=["comments", "mark", "returns", "utf-16", "gzip"],
)
def test_a_file_names_the_concepts_in_any_order_each_once(folder, tmp_path, capsys, content):
    file = tmp_path / ("list.gz" if content[:1] == b"\x1f" else "list.txt")
    file.write_bytes(content)
    result = answer(capsys, folder, "--concepts", str(file), "--export", str(tmp_path / "pairs.csv"))
    assert (result["concepts"], result["pairs"], result["from"]) == (3, 3, None)
    assert result["listed"] == (5 if content[:1] == b"#" else 3)
    lines = (tmp_path / "pairs.csv").read_text().splitlines()
    assert {tuple(line.split(",")[0:3:2]) for line in lines[1:]} == {("L0", "L3"), ("L0", "L4"), ("L3", "L4")}
    assert list(result["counts"]) == list(SCENARIOS) and sum(result["counts"].values()) == 3


def test_ids_and_names_are_given_beside_files(folder, tmp_path, capsys):
    (tmp_path / "list.txt").write_text("L3\n")
    result = answer(capsys, folder, "--concepts", str(tmp_path / "list.txt"), "L4", "concept 5")
    assert (result["listed"], result["concepts"], result["counts"]["1"]) == (3, 3, 3)


def test_pairs_of_a_list_have_the_scenarios_that_they_have_among_all(folder):
    with kg.BuiltGraph(folder) as graph:
        curated = kg.CuratedSide(graph, "curated")
        [whole] = kg.classify(graph, curated)
        scenario = dict(zip(zip(*(column.tolist() for column in whole.pairs())), whole.code.tolist()))
        for names in itertools.combinations(["L0", "L1", "L3", "L4", "L5", "L6"], 3):
            [table] = kg.classify(graph, curated, kg.mapped_concepts(graph, curated, "curated", names))
            pairs = list(zip(*(column.tolist() for column in table.pairs())))
            assert pairs == list(itertools.combinations(sorted(int(name[1]) for name in names), 2))
            assert table.code.tolist() == [scenario[pair] for pair in pairs]


def test_curated_names_stand_for_all_their_counterparts(folder, capsys):
    assert chosen(folder, "C0", "curated 8", of="curated") == [0, 1, 3]
    assert chosen(folder, "C3", "C8", "C4", of="curated") == [3, 4]
    result = answer(capsys, folder, "--concepts", "C0", "C4", "--concepts-of", "curated")
    assert (result["listed"], result["concepts"], result["pairs"]) == (2, 3, 3)


@pytest.mark.parametrize(
    "names, of, message",
    [
        (
            ["L0", "no such", "L3", "nor this"],
            None,
            r"'no such', 'nor this': no concepts of graph literature \(2 of 4",
        ),
        (["L0", "concept 77"], None, "nearest to 'concept 77': concept 7"),
        (["C0", "L0", "L1"], "curated", "'L0', 'L1': no concepts of graph curated"),
        (["L0", "twin"], None, r"'twin \(L5, L6\)': several concepts of graph literature have each"),
        (["L2", "L0", "L7"], None, r"'L2', 'L7': 2 of 3 have no counterpart in graph curated"),
        (["C0", "C9", "C1"], "curated", r"'C9', 'C1': 2 of 3 have no counterpart in graph literature"),
        (["L0", "concept 0"], None, "the list names 1 concepts"),
        ([], None, "the list names 0 concepts"),
        (["L0"], "other", "concepts of graph other"),
    ],
)
def test_all_that_is_wrong_with_a_list_is_said_at_once(folder, names, of, message):
    with pytest.raises(UsageError if of == "other" else InputError, match=message):
        chosen(folder, *names, of=of)


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["--concepts", "L0", "L3", "--top", "4"], 2, "--top 4 with --concepts"),
        (["--concepts-of", "curated", "--all"], 2, "--concepts-of curated without --concepts"),
        (["--concepts", "{}/no-file.txt", "L3"], 3, "no-file.txt': no concepts"),
        (["--concepts", "{}"], 3, "cannot be read (it is a folder)"),
        (["--concepts", "{}/empty"], 3, "the list names 0 concepts"),
        (["--concepts", "{}/latin"], 3, "latin, line 2: it is not UTF-8"),
        (["--concepts", "{}/nul"], 3, "nul, line 2: has a NUL character"),
        (["--concepts", "{}/list.zst"], 3, "list.zst cannot be read (a list is plain"),
    ],
)
def test_lists_that_cannot_be_are_refused_in_one_line(folder, tmp_path, capsys, words, code, message):
    for name, content in (("empty", b""), ("latin", b"L0\n\xe9\n"), ("nul", b"L0\nL\0\n"), ("list.zst", b"L0\n")):
        (tmp_path / name).write_bytes(content)
    assert main(["scenarios", str(folder), *(word.format(tmp_path) for word in words)]) == code
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


def test_a_concept_of_a_type_that_was_not_built_is_refused(tmp_path):
    made = make(tmp_path / "kg", ROWS, [(3, 4)], MAPPED, n=8, curated_n=10)
    kg.build(made, types=["gene", "drug"])
    with pytest.raises(InputError, match="'L0', 'L3': 2 of 3 are not among the types that were built"):
        chosen(made, "L0", "L1", "L3")
    assert chosen(made, "L1", "L4") == [1, 4]


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_are_those_of_ranks_and_of_the_database(folder, monkeypatch, threads):
    from atoll.kg import building

    monkeypatch.delenv("ATOLL_THREADS", raising=False)
    seen = {"world": set(), "database": set()}
    all_pairs, weighted_edges = building.all_pairs, building.weighted_edges

    def watched_pairs(graph, **options):
        seen["world"].add(graph.world.threads)
        return all_pairs(graph, **options)

    def watched_edges(store, **options):
        seen["database"].add(store.value("select current_setting('threads')"))
        return weighted_edges(store, **options)

    monkeypatch.setattr(building, "all_pairs", watched_pairs)
    monkeypatch.setattr(building, "weighted_edges", watched_edges)
    assert main(["build", str(folder), "--threads", str(threads), "--ranks", "2"]) == 0
    assert seen == {"world": {threads}, "database": {threads}}
    with kg.BuiltGraph(folder, threads=threads) as graph:
        assert graph.store.value("select current_setting('threads')") == threads
        assert kg.CuratedSide(graph, "curated").graph.world.threads == threads
        assert np.array_equal(graph.distances.ids, np.arange(8))


@pytest.mark.parametrize(
    "words",
    [
        ["build"],
        ["info"],
        ["quarantine"],
        ["paths", "--from", "L0", "--to", "L1"],
        ["scenarios", "--all"],
        ["import", "--edges", "{}"],
        ["map", "--table", "{}", "--from", "source", "--to", "target"],
    ],
)
def test_every_verb_that_works_in_parallel_takes_threads(folder, tmp_path, capsys, words):
    (tmp_path / "e.csv").write_text("source,target\nX:1,X:2\n")
    words = [word.format(tmp_path / "e.csv") for word in words]
    assert main([words[0], str(folder), *words[1:], "--threads", "-1"]) == 2
    assert "threads is -1" in capsys.readouterr().err
    assert main([words[0], str(folder), *words[1:], "--threads", "1"]) == 0
