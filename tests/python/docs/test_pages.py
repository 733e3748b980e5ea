# SPDX-License-Identifier: Apache-2.0
"""The code of the pages runs as shown, and comes to what they say."""

import json
import re
import shutil
import socket

import pytest
from pages import ROOT, all_blocks, run_commands, run_doctest, run_program

# Why a block of a page may be left out.
REASONS = {"it needs a cluster", "it builds Atoll", "its files are examples"}
EXAMPLES = ROOT / "examples"


def test_commands_do_what_the_tutorial_says(tmp_path):
    run = run_commands("docs/tutorial.md", tmp_path)
    assert re.search(r"^verified +yes", run.stdout, re.M)
    assert dict(line.split() for line in (tmp_path / "minutes.tsv").read_text().splitlines())["70"] == "25.5"
    assert "True" in run.stdout


def test_python_prints_what_the_tutorial_shows():
    pytest.importorskip("atoll")
    run_doctest("docs/tutorial.md")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def test_the_tutorial_of_knowledge_graphs_finds_the_path(tmp_path, monkeypatch):
    for module in ("duckdb", "fastapi", "uvicorn"):
        pytest.importorskip(module)
    page = "docs/knowledge-graph-tutorial.md"
    port = free_port()  # another server may have that of the page

    def on_free_port(text):
        assert text.count("serve corpus &") == text.count("8750") == 1
        text = text.replace("serve corpus &", f"serve corpus --port {port} &").replace("8750", str(port))
        return "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n" + text  # the server ends, whatever fails

    out = run_commands(page, tmp_path, on_free_port).stdout
    assert len(re.findall(r"^self-loop, kept out ", out, re.M)) == 1
    assert re.search(r"direct:mesh_to_doid +84$", out, re.M)
    shortest = r"2 hops: Velotamine .*\n +-> TRK7 .*count 31 .*\n +-> Marden syndrome .*count 50 "
    assert len(re.findall(r"^1. weight 4.506\S*, " + shortest, out, re.M)) == 2  # alone, and the first of five
    assert '"scenario": "2a"' in out  # the server's answer
    assert re.search(r"^1. weight .* 4 hops: DISEASE:fever$", out, re.M)
    first = (tmp_path / "pairs.csv").read_text().splitlines()
    assert first[0] == "from_id,from_name,to_id,to_name,scenario,hops,edges_found" and len(first) == 1 + 31626
    assert json.loads((tmp_path / "paths.json").read_text())["result"]["paths"]
    monkeypatch.chdir(tmp_path)
    run_doctest(page)


def test_the_page_on_reports_makes_pages_and_a_trace(tmp_path):
    pytest.importorskip("plotly")
    run = run_commands("docs/reports.md", tmp_path)
    made = ["domain.html", "both.html", "trace.json"]
    assert run.stdout.splitlines()[-1] == made[-1] and all(word in run.stdout.splitlines() for word in made)
    assert all((tmp_path / name).stat().st_size for name in made)


def test_the_page_on_networks_trains_them(tmp_path, monkeypatch):
    pytest.importorskip("atoll")
    run = run_commands("docs/gnn.md", tmp_path)
    rights = re.findall(r"^test +([0-9.]+) % right", run.stdout, re.M)
    assert len(rights) == 5 and float(rights[0]) > 60
    monkeypatch.chdir(tmp_path)
    run_doctest("docs/gnn.md")


def test_the_page_on_tuning_finds_what_is_fastest(tmp_path):
    pytest.importorskip("optuna")
    program = tmp_path / "prog"
    program.write_text('#!/bin/sh\n[ "$2" = tiles ] && [ "$4" = 64 ] || sleep 0.3\n')
    program.chmod(0o755)
    run = run_commands("docs/tuning.md", tmp_path, lambda text: text.replace("--trials 60", "--trials 2"))
    assert re.search(r"^trials +15 of 21 points, 0 failed", run.stdout, re.M)
    assert re.search(r"^trials +2 of 2160 points, 0 failed", run.stdout, re.M)
    assert len((tmp_path / "bfs.trials").read_text().splitlines()) == 1 + 2
    assert "<figure" in (tmp_path / "best.html").read_text()
    run_doctest("docs/tuning.md")


@pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid's smpirun is not installed")
def test_the_page_on_mpi_programs_runs_and_tunes_one(tmp_path):
    (tmp_path / "prog.c").write_text(
        "#include <mpi.h>\nstatic char out[1 << 20], in[1 << 20];\nint main(int n, char** v) { MPI_Init(&n, &v);\n"
        "MPI_Alltoall(out, 100, MPI_CHAR, in, 100, MPI_CHAR, MPI_COMM_WORLD); MPI_Finalize(); return 0; }\n"
    )
    run = run_commands(
        "docs/smpi.md", tmp_path, lambda text: text.replace("--trials 100", "--trials 2 --sampler random")
    )
    assert len(re.findall(r"^simulated +[0-9.]+ us on 64 ranks", run.stdout, re.M)) == 4
    # Small parts go by the algorithm of Bruck: to the ranks 1, 2, 4, ... further on.
    assert len((tmp_path / "prog.traffic").read_text().splitlines()) == 64 * 6
    assert len(set((tmp_path / "prog.hosts").read_text().split())) == 64
    assert re.search(r"^trials +2 of 180 points, 0 failed", run.stdout, re.M)


def test_blocks_are_left_out_for_these_reasons_only():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    left_out = {reason for page in pages for reason, _, _ in all_blocks(page) if reason}
    markers = sum(page.read_text().count("\n<!-- not run: ") for page in pages)
    assert left_out == REASONS
    assert markers == sum(reason is not None for page in pages for reason, _, _ in all_blocks(page))


def test_the_readme_shows_what_its_commands_print():
    shown = re.search(r"^```\n(graph .*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)[1]
    printed = run_commands("README.md", ROOT).stdout

    def without_times(text):  # and without what depends on the number of cores
        return [line for line in text.splitlines() if not line.startswith(("ranks ", "time ", "load, build "))]

    assert "\n".join(without_times(shown)) in "\n".join(without_times(printed))
    assert run_program("README.md", ROOT, "print(found.depth.gather().tolist())") == "[0, 1, 2, 3]\n"


def test_the_tutorial_has_the_stations_of_the_examples():
    written = re.search(r"<<END\n(.*?)END\n", (ROOT / "docs/tutorial.md").read_text(), re.S)[1]
    assert written == (EXAMPLES / "stations.txt").read_text()


def test_the_page_on_arrays_and_tables_gives_what_it_shows():
    for package in ("pandas", "scipy", "networkx"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    run_doctest("docs/arrays-and-tables.md")


def test_the_page_on_scipy_agrees_with_it():
    pytest.importorskip("scipy")
    run_doctest("docs/scipy.md")


def test_the_page_on_networkx_runs(tmp_path):
    pytest.importorskip("networkx", minversion="3.4")  # backend_priority
    shutil.copy(EXAMPLES / "stations.txt", tmp_path)
    out = run_program("docs/networkx.md", tmp_path, "print(len(nx.pagerank(G)) == len(G), len(stations))")
    assert out == "True 7\n"


def test_the_page_on_ranks_prints_what_it_explains(tmp_path):
    out = run_commands("docs/ranks.md", tmp_path).stdout
    assert re.search(r"^memory on 16 ranks", out, re.M) and re.search(r"^  auto .* is \w+", out, re.M)
    assert re.search(r"^direct +\d+ .*\ndomain +\d+ ", out, re.M)
    memory = json.loads((tmp_path / "memory.json").read_text())
    assert memory["input"]["vertices"] == 4096


def test_the_page_on_clusters_runs_what_needs_none(tmp_path):
    out = run_commands("docs/cluster.md", tmp_path).stdout
    assert re.search(r"^memory on 16 ranks", out, re.M)
    assert re.search(r"^direct +\d+ .*\ndomain +\d+ ", out, re.M)
