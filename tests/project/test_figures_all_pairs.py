# SPDX-License-Identifier: Apache-2.0
"""bench/figures.py: COAST's tables, and all pairs beside peers."""

import pytest

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("sweep", ["k", "m"])
def test_products_over_one_of_their_sizes(table, sweep):
    words = ["--sweep", sweep, "--n", 64, "--k", 64, "--types", "float32", "int32", "--trials", 1]
    code, rows, kept, printed = table("products", *words)
    assert code == 0, printed.err
    assert [row[sweep] for row in kept] == 2 * [16, 32, 64]
    assert all(row["operations_per_second"] > 0 for row in kept)
    assert rows[0] == [sweep, "float32", "int32"] and len(rows) == 4


def test_blocks_of_a_whole_run(table):
    code, rows, kept, printed = table("blocks", "--n", 60, 90, "--blocks", 16, 48, "--rounds", 1)
    assert code == 0, printed.err
    assert [(row["n"], row["taken"]) for row in kept] == [(60, 16), (60, 48), (90, 16), (90, 48)]
    assert len(rows) == 3


def test_simulated_machines(table):
    words = ["--ranks", 16, "--n", 4096, "--steps", 3, "--platforms", "frontier"]
    _, rows, kept, _ = table("grid-scaling", *words)
    assert rows[0] == ["plan", "1", "4", "16"] and [row[0] for row in rows[1:]] == [
        "naive",
        "la",
        "la+r",
        "la+r+nt",
        "coast",
    ]
    assert len(kept) == 15
    _, rows, kept, _ = table("grid-broadcasts", *words, "--seeds", 2)
    assert {row["broadcast"] for row in kept} == {"tree", "ring", "ring2m"} and len(rows) == len(kept) + 1


def test_the_models_map_has_the_papers_rate(table, tmp_path):
    code, _, (kept,), printed = table("heat-map", "--output", tmp_path / "map.svg")
    assert code == 0 and (tmp_path / "map.svg").read_text().startswith("<svg")
    assert kept["operations_per_second"] == pytest.approx(1.1e18, rel=0.01) and "1.1 EF/s" in printed.out


def test_methods_on_matrices_of_the_papers_kinds(table, tmp_path):
    file = tmp_path / "own.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 -2.5\n2 3 1\n3 1 0\n1 3 9\n")
    words = ["--n", 60, "--rounds", 1, "--cache", tmp_path, "--files", file, "--directed"]
    code, rows, kept, printed = table("methods", *words)
    assert code == 0, printed.err
    names = [row["graph"].split(":")[0] for row in kept]
    assert names[:5] == ["gene", "mycielskian", "jacobian", "mesh", "structure"] and names[5].endswith("own.mtx")
    assert all(row["verified"] and set(row["seconds"]) == {"dijkstra", "delta", "fw", "auto"} for row in kept)
    assert kept[1]["vertices"] == 47 and kept[2]["directed"] and not kept[0]["directed"]
    assert kept[5]["edges"] == 3  # an entry of 0 is no edge; -2.5 becomes 2.5
    assert len(rows) == 7


def test_partial_runs_at_equal_memory(table):
    code, rows, kept, printed = table("partial", "--n", 100, "--ranks", 1, 2, "--steps", 2, "--block", 16)
    assert code == 0, printed.err
    assert [(row["ranks"], row["n"], row["steps"], row["of_steps"]) for row in kept] == [(1, 100, 2, 7), (2, 141, 2, 9)]
    assert all(len(row["step_operations_per_second"]) == 2 for row in kept)
    assert kept[0]["efficiency"] == 1 and len(rows) == 3


def test_variants_measured_and_in_virtual_time(table):
    words = ["--n", 90, "--block", 16, "--rounds", 1, "--simulated-ranks", 16, "--steps", 3]
    code, rows, kept, printed = table("variants", *words)
    assert code == 0, printed.err
    measured, predicted = kept[:5], kept[5:]
    assert [row["variant"] for row in measured] == [row["plan"] for row in predicted]
    assert all(row["verified"] and row["seconds"][0] > 0 for row in measured)
    assert len(rows) == 12


def test_all_pairs_beside_an_available_peer(table, tmp_path, no_variables):
    pytest.importorskip("scipy")
    peer = tmp_path / "boost"
    peer.write_text("#!/bin/sh\necho trial 2.5\necho sum 0\n")
    peer.chmod(0o755)
    words = ["--dense-n", 40, "--n", 50, "--rounds", 1, "--cache", tmp_path, "--boost", peer]
    code, rows, kept, printed = table("allpairs", *words, "--peers", "scipy fw", "scipy dijkstra")
    assert code == 0, printed.err
    pairs = [(row["graph"], row["peer"]) for row in kept]
    assert ("dense:40", "scipy fw") in pairs and ("sparse:50", "scipy dijkstra") in pairs
    assert ("sparse:50", "scipy fw") not in pairs and len(rows) == len(kept) + 1 == 4
    assert all(row["their_type"] == "float64" and row["type"] == "int32" and row["verified"] for row in kept)
    sums = {row["graph"]: row["sum"] for row in kept}
    assert len(sums) == 3 and all(total > 0 for total in sums.values())
    words += ["--kinds", "dense", "--peers", "scipy fw", "boost fw"]
    code, _, kept, printed = table("allpairs", *words)  # different distances are reported
    assert code == 1 and "differ" in printed.err and kept[1]["theirs"] == [2.5]


def test_all_pairs_without_a_peer_say_what_to_give(table, tmp_path, no_variables):
    code, _, kept, printed = table("allpairs", "--python", "false")
    assert code == 2 and kept == [] and "--boost" in printed.err
