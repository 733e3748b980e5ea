# SPDX-License-Identifier: Apache-2.0
"""`--names`: vertices are named in files, options, results and errors; the numbers behind them stay unseen."""

import json
import subprocess
from pathlib import Path

import pytest
from listed import ALGORITHMS

ATOLL = Path(__file__).parents[2] / "bin/atoll"
TABLE = "source\ttarget\tweight\nBRCA1\tTP53\t2\nTP53\tMDM2\t0.5\nMDM2\tsolute carrier 6\t1\nBRCA1\tMDM2\t4\n"
NAMES = ["BRCA1", "MDM2", "TP53", "solute carrier 6"]
COLUMNS = "source 'source' (column 1), target 'target' (column 2), weight 'weight' (column 3)"


def atoll(*words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    words = [*map(str, words), "--threads", "1"]
    done = subprocess.run([ATOLL, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "interactions.tsv"
    path.write_text(TABLE)
    return path


def ranks_of(count):
    return ["--transport", "inproc", "--ranks", count]


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_source_is_a_name_and_so_are_all_answers(table, tmp_path, ranks):
    out = tmp_path / "near.tsv"
    words = ["run", "sssp", table, "--names", "--undirected", "--source", "TP53", "--output", out, *ranks_of(ranks)]
    report = json.loads(atoll(*words, "--json", "-").stdout)
    assert out.read_text() == "BRCA1\t2\nMDM2\t0.5\nTP53\t0\nsolute carrier 6\t1.5\n"
    assert (
        report["input"]["names"]["columns"] == COLUMNS + "; cut by tabs; undirected"
        and report["input"]["names"]["count"] == 4
    )
    assert report["result"]["source"] == "TP53"
    top = [{"name": n, "value": v} for n, v in [("TP53", 0), ("MDM2", 0.5), ("solute carrier 6", 1.5), ("BRCA1", 2)]]
    assert report["result"]["top"] == top
    text = atoll(*words).stdout
    assert "from TP53" in text and COLUMNS in text and "0.5 MDM2" in text


@pytest.mark.parametrize("ranks", [1, 3])
def test_parents_components_and_communities_are_names(table, tmp_path, ranks):
    out = tmp_path / "out.csv"
    common = ["--names", "--output", out, *ranks_of(ranks)]
    atoll("run", "bfs", table, "--source", "TP53", "--output-values", "parent", *common)
    assert out.read_text() == "id,value\nBRCA1,\nMDM2,TP53\nTP53,TP53\nsolute carrier 6,MDM2\n"
    atoll("run", "cc", table, *common)
    assert out.read_text() == "id,value\n" + "".join(f"{name},BRCA1\n" for name in NAMES)


def test_searches_from_several_names_and_one_with_a_comma(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text('"a,b",c\nc,d\nd,"a,b"\n')
    for words in (["--source", "a,b"], ["--source", "c,d"], ["--source", "c", "--source", "a,b"]):
        atoll("run", "bc", path, "--names", *words)
    report = json.loads(atoll("run", "bfs", path, "--names", "--source", "a,b", "--json", "-").stdout)
    assert report["result"]["source"] == "a,b" and report["result"]["per_source"][0]["source"] == "a,b"


def test_names_that_look_like_ids_are_not_named_again(tmp_path):
    (tmp_path / "c.tsv").write_text("1\t2\t1\n2\t3\t1\n3\t1\t5\n")
    for seed in range(1, 6):
        words = ("run", "sssp", tmp_path / "c.tsv", "--names", "--trials", 4, "--seed", seed)
        told = atoll(*words).stdout
        source = json.loads(atoll(*words, "--json", "-").stdout)["result"]["source"]
        assert f" from {source}\n" in told or f" from {source}," in told


@pytest.mark.parametrize("ranks", [1, 3])
def test_an_unknown_name_is_an_error_with_the_nearest_ones(table, ranks):
    done = atoll("run", "sssp", table, "--names", "--source", "TP35", *ranks_of(ranks), code=3)
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    said = "--source is 'TP35' (no vertex has that name; the nearest: 'TP53'). Give the name of a vertex."
    assert len(errors) == 1 and errors[0].endswith(said)


def test_a_name_as_the_source_in_a_graph_of_ids_is_an_error_before_the_graph_is_read(table, tmp_path):
    ids = tmp_path / "ids.tsv"
    ids.write_text("1\t2\n2\tx\n")  # its second line would be an error, too
    for algorithm, words in (("bfs", [ids]), ("bc", [ids]), ("bfs", [table, "--no-names"])):
        done = atoll("run", algorithm, *words, "--source", "TP53", code=2)
        assert (
            "--source is 'TP53' (an original id is a whole number). Give one, or read names by --names." in done.stderr
        )


@pytest.mark.parametrize("ranks", [1, 3])
def test_names_are_taken_where_the_file_leaves_no_doubt(table, tmp_path, ranks):
    words = ["run", "sssp", table, "--undirected", "--source", "TP53", "--json", "-", *ranks_of(ranks)]
    plain, named = (json.loads(atoll(*words, *more).stdout) for more in ([], ["--names"]))
    assert plain["result"]["top"] == named["result"]["top"] and plain["input"]["names"] == named["input"]["names"]
    table.write_text(TABLE + "\tMDM2\t1\nMDM4\tMDM2\tNA\n")
    report = json.loads(atoll(*words, "--missing", "drop").stdout)
    assert report["input"]["names"]["columns"].endswith("2 of 6 lines left out, where an end or the weight is missing")
    assert "column 1 is empty (an edge needs it)" in atoll(*words, "--missing", "error", code=3).stderr
    said = atoll(*words)
    assert json.loads(said.stdout)["input"]["names"] == report["input"]["names"]
    assert "2 of 6 lines left out" in said.stderr and "2 of 6 lines" not in atoll(*words, "--quiet").stderr


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("ending", [".atoll", ".el", ".g500-64", ".tsv"])
def test_a_converted_graph_has_its_names_beside_it(table, tmp_path, ranks, ending):
    graph, out = tmp_path / f"g{ending}", tmp_path / "out.tsv"
    unweighted = ["--unweighted"] if ending == ".el" else []
    done = atoll("convert", table, graph, "--names", "--undirected", *unweighted, *ranks_of(ranks), "--json", "-")
    assert json.loads(done.stdout)["result"]["names"] == f"{graph}.names"
    atoll("run", "bfs", graph, "--names", "--undirected", "--source", "TP53", "--output", out, *ranks_of(ranks))
    assert out.read_text() == "BRCA1\t1\nMDM2\t1\nTP53\t0\nsolute carrier 6\t2\n"
    report = json.loads(atoll("inspect", graph, "--names", "--json", "-").stdout)
    assert report["input"]["names"]["count"] == 4


def test_names_that_do_not_fit_the_graph_are_refused(table, tmp_path):
    graph = tmp_path / "g.el"
    atoll("convert", table, graph, "--names", "--unweighted")
    graph.write_text("0 4\n")
    done = atoll("run", "cc", graph, "--names", code=3)
    assert f"{graph}: vertex 4 has no name ({graph}.names has 4" in done.stderr
    Path(f"{graph}.names").write_text("BRCA1\n")
    assert "is no file of names" in atoll("run", "cc", graph, "--names", code=3).stderr


def test_names_of_another_graph_are_not_left_beside_one_without(table, tmp_path):
    graph = tmp_path / "g.atoll"
    atoll("convert", table, graph, "--names")
    done = atoll("convert", "ring:4", graph, code=3)
    assert f"{graph}.names: is there, with the names of another graph" in done.stderr


def test_what_has_no_names_is_refused(table, tmp_path):
    assert (
        "--names is given (it is for files, and ring:5 is generated)"
        in atoll("run", "cc", "ring:5", "--names", code=2).stderr
    )
    assert (
        "its vertices have names" in atoll("run", "cc", table, "--names", "--output", tmp_path / "o.npy", code=2).stderr
    )
    assert "has ids from 1 on" in atoll("convert", table, tmp_path / "g.mtx", "--names", code=2).stderr
    assert "--headings no (it is for files" in atoll("run", "cc", "ring:5", "--headings", "no", code=2).stderr


def test_headings_and_columns_are_chosen(tmp_path):
    path, out = tmp_path / "g.txt", tmp_path / "o.tsv"
    path.write_text("gene other\nTP53 MDM2\n")
    atoll("run", "cc", path, "--names", "--headings", "yes", "--output", out)
    assert out.read_text() == "MDM2\tMDM2\nTP53\tMDM2\n"
    atoll("run", "cc", path, "--names", "--source-column", "other", "--target-column", "1", "--output", out)
    assert out.read_text() == "MDM2\tMDM2\nTP53\tMDM2\n"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_result_is_verified_by_name_and_a_wrong_line_is_found(table, tmp_path, algorithm):
    out = tmp_path / "out.tsv"
    from_one = {name: ["--source", "TP53"] for name in ("bellman_ford", "bfs", "sssp")}
    sources = {**from_one, "bc": ["--sources", "all"]}.get(algorithm, [])
    words = [table, "--names", "--undirected", *sources]
    atoll("run", algorithm, *words, "--output", out, *ranks_of(2))
    check = ["verify", algorithm, table, out, *words[1:]]
    assert json.loads(atoll(*check, "--json", "-", *ranks_of(3)).stdout)["verified"] is True
    lines = out.read_text().splitlines()
    right = lines[-1].split("\t")[1]
    wrong = next(name for name in NAMES if name != right) if right in NAMES else "77"
    out.write_text("\n".join([*lines[:-1], f"solute carrier 6\t{wrong}"]) + "\n")
    assert "breaks rule" in atoll(*check, code=1).stderr
    out.write_text("\n".join(["TP35\t1", *lines[1:]]) + "\n")
    assert f"{out}:1: no vertex has the name 'TP35'; the nearest: 'TP53'" in atoll(*check, code=3).stderr
