# SPDX-License-Identifier: Apache-2.0
"""bench/figures.py: routes and what each step gives (TuCOMM), layers of communication under one engine (LCI)."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]


def test_routes_side_by_side_for_every_algorithm(table):
    _, rows, kept, _ = table(
        "strong", "--ranks", 16, "--scale", 6, "--algorithm", "all", "--routes", "direct", "domain"
    )
    assert {row["algorithm"] for row in kept} == {"bfs", "sssp", "cc", "bc", "pagerank", "cdlp"}
    assert len(kept) == 12 and all(row["inter_domain_bytes"] > 0 for row in kept)
    assert len(rows) == 1 + 6 * 3 + 2  # a search has a rate and a bound too
    assert all(("gteps" in row) == (row["algorithm"] == "bfs") for row in kept)


def test_weak_takes_the_graph_by_the_ranks(table):
    _, _, kept, _ = table("weak", "--ranks", 16, "--vertices", 4, "--routes", "domain")
    assert [row["scale"] for row in kept] == [6]


def test_regimes_compare_auto_with_the_baselines(table):
    _, rows, kept, _ = table("regimes", "--ranks", 16, "--vertices", 64, "--overheads", 1)
    assert [row["route"] for row in kept] == ["aml", "mst", "auto"]
    assert rows[-1][0] == "2^6" and all(float(cell) > 1 for cell in rows[-1][1:])


def test_ablation_adds_a_step_a_row(table):
    _, rows, kept, _ = table("ablation", "--ranks", 16, "--scale", 7)
    steps = [row["step"] for row in kept]
    assert steps == ["direct", "+ aggregation", "+ combining", "+ switching", "+ expansion", "+ monitors by volume"]
    alone, combined = kept[1], kept[2]
    assert combined["inter_domain_bytes"] < alone["inter_domain_bytes"]
    assert len(rows) == 7


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
    assert [row["layer"] for row in layers] == 2 * ["queue", "mailbox", "mpi_probe", "mpi_rma"]
    for row in layers:
        assert row["verified"] and len(row["seconds"]) == len(row["computation"]) == 2
        assert all(0 < own <= all_of for own, all_of in zip(row["computation"], row["seconds"]))
        assert row["memory_most"] >= row["memory_least"] > 0
    by_name = {(row["algorithm"], row["layer"]): row for row in layers}
    assert by_name["pagerank", "mpi_rma"]["windows_seconds"] > 0
    assert len(rows) == 2 * (1 + 2)


@pytest.mark.mpi
def test_layers_on_more_and_more_ranks(table):
    plug_in("openmpi")
    words = ["--graph", "kron:7", "--ranks", 1, 3, "--mpi", "openmpi", "--trials", 2, "--algorithms", "cc"]
    code, rows, kept, printed = table("lci-scaling", *words, "--layers", "queue", "mpi_probe")
    assert code == 0, printed.err
    assert [(row["ranks"], row["layer"]) for row in kept] == [
        (1, "queue"),
        (1, "mpi_probe"),
        (3, "queue"),
        (3, "mpi_probe"),
    ]
    assert kept[0]["messages"] == 0 < kept[2]["messages"]
    assert len(rows) == 3


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
    assert len(kept) == 12 and {row["layer"] for row in kept} == {"queue", "mailbox", "mpi_mprobe"}


def no_atoll(tmp_path):
    program = tmp_path / "atoll"
    program.write_text("#!/bin/sh\necho 'atoll: error: no ranks today' >&2\nexit 1\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    "words, runs",
    [
        (["lci", "--mpi", "openmpi", "--algorithms", "cc", "--layers", "queue", "mpi_probe"], 2),
        (["gemini", "--mpi", "openmpi", "--algorithms", "cc"], 3),
        (["lci-scaling", "--mpi", "mpich", "--algorithms", "cc", "--layers", "queue", "mailbox"], 6),
        (["strong", "--ranks", 16, "--scale", 6, "--routes", "direct", "domain"], 2),
        (["weak", "--ranks", 16, "--vertices", 4, "--routes", "domain"], 1),
        (["ablation", "--ranks", 16, "--scale", 6], 6),
        (["combining", "--machine", "2x2", "--scale", 6, "--algorithm", "cc"], 2),
    ],
)
def test_a_table_whose_runs_fail_names_each_and_fails(table, tmp_path, words, runs):
    code, _, kept, printed = table(*words, "--atoll", no_atoll(tmp_path))
    assert code == 1 and kept == []
    assert printed.err.count("exit code 1: atoll: error: no ranks today") == runs
    assert f"figures: {words[0]}: {runs} run{'s' if runs > 1 else ''} failed" in printed.err
    assert "nan" not in printed.out


@pytest.mark.parametrize(
    "words",
    [
        ["memory", "--algorithms", "cc"],
        ["traffic", "--graph", "kron:6"],
        ["blocks"],
        ["spmm-nodes"],
        ["tuned-plans"],
    ],
)
def test_a_table_that_needs_a_run_that_fails_ends_with_its_reason(table, tmp_path, words):
    code, _, _, printed = table(*words, "--atoll", no_atoll(tmp_path))
    assert code == 1
    assert "exit code 1: atoll: error: no ranks today" in printed.err
    assert "nan" not in printed.out


def test_one_run_that_fails_among_others_fails_the_table(table, tmp_path):
    program = tmp_path / "atoll"
    program.write_text(f'#!/bin/sh\ncase "$*" in *--route*aml*) exit 3 ;; esac\nexec {ROOT / "bin/atoll"} "$@"\n')
    program.chmod(0o755)
    words = ["strong", "--ranks", 16, "--scale", 6, "--routes", "direct", "aml"]
    code, rows, kept, printed = table(*words, "--atoll", program)
    assert code == 1 and len(kept) == 1 and len(rows) == 1 + 5
    assert "--route aml -- run bfs kron:6" in printed.err and "1 run failed" in printed.err
