# SPDX-License-Identifier: Apache-2.0
"""`atoll kg build`, `paths` and `scenarios`: what they print, and what their JSON has."""

import json

import pytest

pytest.importorskip("networkx")
pytest.importorskip("duckdb")

from atoll.kg.command_line import main  # noqa: E402
from kg_folder import make  # noqa: E402

ROWS = [(0, 1, 5), (1, 2, 5), (2, 3, 4), (0, 3, 1), (4, 5, 2)]


@pytest.fixture
def folder(tmp_path, capsys):
    make(tmp_path, ROWS, [(0, 1), (1, 2), (0, 4)], [(i, i) for i in (0, 1, 2, 4)], n=6)
    assert main(["build", str(tmp_path), "--json", "-"]) == 0
    built = json.loads(capsys.readouterr().out)
    assert built["command"] == "kg build" and built["seconds"]["run"] > 0
    result = built["result"]
    assert (result["vertices"], result["edges"], result["components"], result["raised"]) == (6, 5, 2, 0)
    assert result["offset"] == 1e-6 and result["weights"] == "log" and result["relations"] == ["co-occurrence"]
    return str(tmp_path)


def answer(capsys, *words):
    assert main([*words, "--json", "-"]) == 0
    return json.loads(capsys.readouterr().out)["result"]


def test_a_build_says_what_was_built(folder, capsys):
    words = [
        "build",
        folder,
        "--types",
        "gene,drug",
        "--weights",
        "unit",
        "--relation",
        "co-occurrence",
        "--ranks",
        "1",
    ]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "co-occurrence; drug, gene" in text and "4 in 2 components" in text


def test_paths_are_told_with_names_and_sources(folder, capsys):
    result = answer(capsys, "paths", folder, "--from", "concept 0", "--to", "L3", "--k", "2")
    assert [[c["id"] for c in path["concepts"]] for path in result["paths"]] == [["L0", "L3"], ["L0", "L1", "L2", "L3"]]
    assert result["stale"] is False and result["shorter_walk"] is None
    step = result["paths"][0]["steps"][0]
    assert (step["from"], step["to"], step["count"]) == ("L0", "L3", 1)
    assert step["sources"] == [
        {"relation": "co-occurrence", "kind": "", "count": 1, "source": 0, "file": "literature.csv"}
    ]
    words = ["paths", folder, "--from", "L0", "--to", "L3", "--pass", "gene", "L2", "--avoid", "L5", "--max-hops", "3"]
    assert main(words) == 0
    assert "3 hops: concept 0 (L0)\n   -> concept 1 (L1) [gene]" in capsys.readouterr().out
    assert main(["paths", folder, "--from", "L0", "--to", "L4"]) == 1
    assert capsys.readouterr().out == "no such path from concept 0 (L0) to concept 4 (L4)\n"


def test_scenarios_are_counted_under_their_names(folder, capsys, tmp_path):
    result = answer(capsys, "scenarios", folder, "--from", "L0", "--top", "5")
    assert result["counts"] == {"1": 1, "2a": 0, "2b": 0, "3a": 0, "3b": 0, "3c": 0, "4": 0, "neither": 0}
    files = tmp_path / "bars.svg", tmp_path / "pairs.csv"
    words = ["scenarios", folder, "--all", "--svg", str(files[0]), "--export", str(files[1]), "--examples", "1"]
    result = answer(capsys, *words)
    assert result["counts"] == {"1": 3, "2a": 0, "2b": 0, "3a": 0, "3b": 0, "3c": 0, "4": 3, "neither": 0}
    assert [example["scenario"] for example in result["examples"]] == ["1", "4"]
    assert files[0].read_text().startswith("<svg") and len(files[1].read_text().splitlines()) == 7
    assert main(words) == 0
    text = capsys.readouterr().out
    assert text.startswith("6 pairs of 4 mapped concepts, reading 'edge'\n1        3  ####")
    assert "literature  none from concept 0 (L0) to concept 4 (L4)" in text


@pytest.mark.parametrize(
    "words, code, message",
    [
        (["paths", "--from", "conzept 0", "--to", "L1"], 3, "the nearest names: concept 0 (L0)"),
        (["paths", "--from", "L0", "--to", "L1", "--k", "0"], 2, "k is 0"),
        (["scenarios", "--from", "L3"], 3, "concept 3 (L3) has no counterpart"),
        (["scenarios", "--all", "--top", "3"], 2, "--top 3 with --all"),
        (["scenarios", "--all", "--examples", "-1"], 2, "--examples -1"),
        (["scenarios", "--all", "--curated", "other"], 3, "graph other is not in the store"),
        (["build", "--graph", "other"], 3, "graph other is not in the store"),
        (["build", "--types", "gene,planet"], 3, "type planet is not in graph literature"),
    ],
)
def test_errors_have_a_code_and_an_object(folder, capsys, words, code, message):
    assert main([words[0], folder, *words[1:], "--json", "-"]) == code
    out, err = capsys.readouterr()
    assert message in err and message in json.loads(out)["error"]["message"]
