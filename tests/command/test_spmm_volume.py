# SPDX-License-Identifier: Apache-2.0
"""`atoll spmm-volume`: the paper's volumes by formula, beside what virtual ranks count, and what the verb refuses."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ATOLL = ROOT / "bin/atoll"
DATA = Path(os.environ.get("ATOLL_DATA", ROOT / "../shared/data"))


def run(*words, code=0):
    done = subprocess.run([ATOLL, "spmm-volume", *map(str, words)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done


def keys_of(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


FIELDS = ["V_CG", "V_FR", "V_FC", "VI_CG", "VI_FR", "VI_FC", "VI_CoLa", "V_joint", "VI_joint", "counted_equals_formula"]


def volumes(*words):
    """The result; each of the fields has one place in the whole object."""
    whole = json.loads(run(*words, "--json", "-").stdout)
    keys = list(keys_of(whole))
    assert [keys.count(field) for field in FIELDS] == [1] * len(FIELDS)
    return whole["result"] | {"n": whole["input"]["vertices"], "verified": whole["verified"]}


@pytest.mark.parametrize("ranks, workgroup", [(1, 1), (2, 1), (3, 2), (5, 5), (7, 3), (8, 4), (16, 8)])
@pytest.mark.parametrize("more", [[], ["--type", "float64", "--columns", 5], ["--order", "rabbit"]])
@pytest.mark.parametrize("blocks", ["rows", "nonzeros"])
def test_virtual_ranks_count_what_the_formulas_say(ranks, workgroup, more, blocks):
    words = ["--ranks", ranks, "--workgroup", workgroup, "--blocks", blocks, *more]
    got = volumes("kron:9", "--undirected", *words)
    assert got["counted_equals_formula"] is True and got["verified"] is True
    row, groups = got["row_bytes"], -(-ranks // workgroup)
    assert got["V_CG"] == row * got["n"] * (ranks - 1)
    assert got["V_FC"] == row * got["N_R"] and got["V_FR"] == row * got["E_R"]
    if ranks % workgroup == 0:
        assert got["VI_CG"] == row * got["n"] * (ranks - workgroup)
    assert got["VI_CoLa"] <= row * got["n"] * (groups - 1)
    assert got["VI_CoLa"] <= got["VI_FC"] <= got["V_FC"] <= min(got["V_CG"], got["V_FR"])
    assert got["VI_joint"] <= got["VI_CoLa"]
    if workgroup in (1, ranks):  # covers are of pairs of ranks, each its own domain
        assert got["V_joint"] <= got["V_FC"]
    counted = got["counted_by_level"]
    assert (sum(counted["by_joint"]), counted["by_joint"][-1]) == (got["V_joint"], got["VI_joint"])
    assert (counted["by_column_wise"][-1], counted["by_fused"][-1]) == (got["VI_FC"], got["VI_CoLa"])
    assert sum(counted["by_column_wise"]) == sum(counted["by_fused"]) == got["V_FC"]


@pytest.mark.parametrize("domains, levels", [("2x2x4", 3), ("3+2", 2), ("6", 1)])
def test_domains_of_any_depth(domains, levels):
    got = volumes("kron:9", "--undirected", "--domains", domains)
    assert got["counted_equals_formula"] is True
    assert {len(bytes_of) for bytes_of in got["bytes_by_level"].values()} == {levels}


def test_small_slots_cut_rows_into_more_messages_and_move_the_same(tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text('{"slot_bytes": 256}')
    words = ["kron:8", "--ranks", 6, "--workgroup", 2, "--columns", 70]
    assert volumes(*words, "--plan", plan) == volumes(*words)


def test_without_counting_the_field_is_null():
    got = volumes("kron:9", "--undirected", "--no-count")
    assert got["counted_equals_formula"] is None and got["verified"] is None
    assert got["V_FC"] > 0 and "counted_by_level" not in got


def test_an_order_of_communities_moves_less():
    before, after = (volumes("communities:12", "--order", order) for order in ("random", "rabbit"))
    assert after["VI_CoLa"] < before["VI_CoLa"] and after["V_FC"] < before["V_FC"]
    assert after["V_CG"] == before["V_CG"]


def test_the_table_tells_mebibytes_and_what_is_redundant():
    text = run("complete:64", "--ranks", 4, "--workgroup", 2, "--columns", 1024).stdout
    # 64 rows of 4 KiB to 3 ranks, to 2 of another workgroup, or to one of its ranks; each nonzero once
    v, vi = (line.split() for line in text.splitlines()[2:4])
    assert v == ["V", "0.75", "(0", "%)", "12.00", "(94", "%)", "0.75", "(0", "%)", "0.75"]
    assert vi == ["VI", "0.50", "(50", "%)", "8.00", "(97", "%)", "0.50", "(50", "%)", "0.25", "(0", "%)", "0.25"]
    assert "equal to the byte" in text


def test_a_real_graph():
    path = DATA / "graphs/real/email-Enron.txt.zst"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    got = volumes(path, "--undirected")
    assert got["counted_equals_formula"] is True
    assert got["V_CG"] == 4 * 32 * 15 * got["n"] and got["VI_CoLa"] < got["VI_FC"] < got["VI_CG"]


@pytest.mark.parametrize(
    "words, code, text",
    [
        (["--ranks", 4, "--workgroup", 5], 2, "--workgroup 5 (there are 4 ranks, by --ranks). Take 1 to 4."),
        (["--workgroup", 0], 2, "--workgroup"),
        (["--ranks", 0], 2, "--ranks"),
        (["--columns", 0], 2, "--columns"),
        (["--domains", "2x2", "--workgroup", 2], 2, "--domains excludes --workgroup"),
        (["--domains", "2x2", "--ranks", 3], 2, "which has 4 ranks"),
        (["--order", "alphabet"], 2, "--order"),
        (["--transport", "shm"], 2, "--transport"),
    ],
)
def test_what_does_not_fit_is_refused(words, code, text):
    assert text in run("kron:8", *words, code=code).stderr


def test_a_missing_file_is_an_error_of_the_input():
    assert "nowhere.el" in run("nowhere.el", code=3).stderr
