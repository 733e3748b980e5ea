# SPDX-License-Identifier: Apache-2.0
"""bench/figures.py: routes and what each step gives (TuCOMM), layers of communication under one engine (LCI)."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_routes_side_by_side_for_every_algorithm(table):
    _, rows, kept, _ = table(
        "strong", "--ranks", 16, "--scale", 6, "--algorithm", "all", "--routes", "direct", "domain"
    )
    assert {row["algorithm"] for row in kept} == {"bfs", "sssp", "cc", "bc", "pagerank", "cdlp"}
    assert len(kept) == 12 and all(row["inter_domain_bytes"] > 0 for row in kept)
    assert len(rows) == 1 + 6 * 3


def test_weak_takes_the_graph_by_the_ranks(table):
    _, _, kept, _ = table("weak", "--ranks", 16, "--vertices", 4, "--routes", "domain")
    assert [row["scale"] for row in kept] == [6]


def test_ablation_adds_a_step_a_row(table):
    _, rows, kept, _ = table("ablation", "--ranks", 16, "--scale", 7)
    steps = [row["step"] for row in kept]
    assert steps == ["direct", "+ aggregation", "+ combining", "+ switching", "+ expansion"]
    alone, combined = kept[1], kept[2]
    assert combined["inter_domain_bytes"] < alone["inter_domain_bytes"]
    assert len(rows) == 6


def test_combining_saves_bytes_across_the_wall(table):
    words = ["--machine", "4x4", "--scale", 8, "--algorithm", "bfs", "pagerank", "cdlp"]
    _, rows, kept, _ = table("combining", *words)
    saved = {row["algorithm"]: row["on"]["inter_domain_bytes"] / row["off"]["inter_domain_bytes"] for row in kept}
    assert saved["bfs"] < 1 and saved["pagerank"] < 0.5
    assert saved["cdlp"] < 0.5  # values of masters cross once for each domain
    assert len(rows) == 4


def plug_in(mpi):
    if not any((ROOT / "build").glob(f"*/lib/libatoll_mpi_{mpi}.so")):
        pytest.skip(f"no plug-in for {mpi}")


@pytest.mark.mpi
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_layers_under_one_engine(table, mpi):
    plug_in(mpi)
    words = ["--graph", "kron:7", "--ranks", 2, "--mpi", mpi, "--trials", 2, "--algorithms", "pagerank", "sssp"]
    code, rows, kept, printed = table("lci", *words)
    assert code == 0, printed.err
    layers = [row for row in kept if "layer" in row]
    assert [row["layer"] for row in layers] == 2 * ["queue", "mpi_probe", "mpi_rma"]
    for row in layers:
        assert row["verified"] and len(row["seconds"]) == len(row["computation"]) == 2
        assert all(0 < own <= all_of for own, all_of in zip(row["computation"], row["seconds"]))
        assert row["memory_most"] >= row["memory_least"] > 0
    by_name = {(row["algorithm"], row["layer"]): row for row in layers}
    assert by_name["pagerank", "mpi_rma"]["windows_seconds"] > 0
    assert len(rows) == 2 * (1 + 2)


@pytest.mark.mpi
def test_memory_of_a_run_and_of_windows(table):
    plug_in("openmpi")
    words = ["--graph", "kron:9", "--ranks", 2, "--layers", "queue", "--algorithms", "pagerank", "sssp"]
    code, rows, kept, printed = table("memory", *words)
    assert code == 0, printed.err
    assert [row["algorithm"] for row in kept] == ["pagerank", "sssp"]
    for row in kept:
        assert row["mpi_rma"]["max_bytes"] >= 4096 and row["runs"]["queue"]["memory_most"] > 0
    assert len(rows) == 3


@pytest.mark.mpi
@pytest.mark.parametrize("mpi", ["openmpi", "mpich"])
def test_several_threads_send_and_receive(table, mpi):
    plug_in(mpi)
    code, _, kept, printed = table("gemini", "--graph", "kron:9", "--mpi", mpi, "--trials", 2)
    assert code == 0, printed.err
    assert len(kept) == 8 and {row["layer"] for row in kept} == {"queue", "mpi_mprobe"}
