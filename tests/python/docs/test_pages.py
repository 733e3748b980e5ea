# SPDX-License-Identifier: Apache-2.0
"""The code of the pages runs as shown, and comes to what they say."""

import json
import re
import shutil
import socket
import subprocess

import numpy as np
import pytest
from pages import ROOT, all_blocks, run_commands, run_doctest, run_program

# Why a block of a page may be left out.
REASONS = {"it needs a cluster", "it builds Atoll", "its files are examples"}
EXAMPLES = ROOT / "examples"
SIMGRID = shutil.which("smpirun") is not None


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


def on_port(text, folder, port):
    """Commands that serve `folder` and ask the server, on another port; the server ends, whatever fails."""
    assert text.count(f"serve {folder} &") == 1
    text = text.replace(f"serve {folder} &", f"serve {folder} --port {port} &").replace("8750", str(port))
    return "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n" + text


def test_the_tutorial_of_knowledge_graphs_finds_the_path(tmp_path, monkeypatch):
    for module in ("duckdb", "fastapi", "uvicorn"):
        pytest.importorskip(module)
    page = "docs/knowledge-graph-tutorial.md"
    port = free_port()  # another server may have that of the page

    def served(text):
        assert text.count("8750") == 1
        return on_port(text, "corpus", port)

    out = run_commands(page, tmp_path, served).stdout
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


@pytest.mark.nightly
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


@pytest.mark.skipif(not SIMGRID, reason="SimGrid's smpirun is not installed")
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


def test_the_page_on_routes_sends_kept_traffic_again(tmp_path):
    run = run_commands("docs/routes.md", tmp_path)
    assert (tmp_path / "bfs.traffic").stat().st_size > 1000
    counts = [words[:3] for words in map(str.split, run.stdout.splitlines()) if len(words) > 2 and words[1].isdigit()]
    assert [route for route, *_ in counts] == ["domain", "domain", "row", "auto"]
    assert counts[0] == counts[1]  # messages and bytes


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


def test_the_landing_page_makes_its_picture(tmp_path):
    out = run_program("docs/index.md", tmp_path, "import json; print(json.dumps(list(play)))").splitlines()
    ranks, path, names = eval(out[0]), eval(out[1]), json.loads(out[2])
    text = (ROOT / "docs/index.md").read_text()
    assert str([(name, round(rank, 3)) for name, rank in ranks]) in text
    assert (path[0], path[-1]) == ("Friar John", "Sampson")
    for picture in (tmp_path / "romeo-and-juliet.svg", ROOT / "docs/romeo-and-juliet.svg"):
        drawn = picture.read_text()
        assert all(f">{name}<" in drawn for name in names) and drawn.count("<line") == 110


def test_the_tutorial_has_the_stations_of_the_examples():
    written = re.search(r"<<END\n(.*?)END\n", (ROOT / "docs/tutorial.md").read_text(), re.S)[1]
    assert written == (EXAMPLES / "stations.txt").read_text()


def stripped(text):
    """A text without the indentation of its lines."""
    return "\n".join(line.strip() for line in text.splitlines())


@pytest.mark.parametrize("page", ["docs/first-program.md", "docs/algorithms.md"])
def test_the_pages_show_lines_of_the_first_programs(page):
    """Each block, or each piece between lines `// ...`, stands in one of the files that the test `consumer` runs."""
    files = [stripped(file.read_text()) for file in sorted((EXAMPLES / "first_program").iterdir())]
    shown = [code for _, language, code in all_blocks(page) if language == "cpp"]
    assert shown
    for piece in (piece for code in shown for piece in code.split("// ...\n")):
        assert any(stripped(piece) in file for file in files), piece


def test_the_page_on_arrays_and_tables_gives_what_it_shows():
    for package in ("pandas", "scipy", "networkx"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    run_doctest("docs/arrays-and-tables.md")


def test_what_the_page_on_algorithms_shows_is_so(tmp_path):
    run_commands("docs/algorithms.md", tmp_path)
    run_doctest("docs/algorithms.md")


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


def write_roads(path, side=8):
    """A grid of `side` x `side` crossings as DIMACS, ids from 1; each road is 3 long."""
    steps = [(a, a + d) for a in range(1, side * side + 1) for d in (1, side) if a + d <= side * side]
    roads = [(a, b) for a, b in steps if b - a == side or a % side != 0]
    lines = [f"a {u} {v} 3" for a, b in roads for u, v in ((a, b), (b, a))]
    path.write_text(f"p sp {side * side} {len(lines)}\n" + "\n".join(lines) + "\n")


def test_the_page_on_all_pairs_finds_paths(tmp_path):
    pytest.importorskip("atoll")
    write_roads(tmp_path / "roads.gr")
    subprocess.run([ROOT / "bin/atoll", "convert", "grid:6x6", tmp_path / "matrix.mtx"], check=True)
    out = run_commands("docs/all-pairs.md", tmp_path, lambda text: text.replace("kron:12", "kron:7")).stdout
    assert len(re.findall(r"^verified +yes", out, re.M)) == 3
    assert re.search(r"^17\t42\t12(\.0)?\t", out, re.M), out  # 3 down, 1 to the right
    before = (
        "import numpy as np\nus, vs = np.array([1, 2]), np.array([64, 2])\n"
        "source, target = ['DB00001', 'DB00003'], ['DB00003', 'DB00002']"
    )
    show = "print(file.distance(17, 42), file.distances(us, vs).tolist(), names[pairs.path(0, 1)].tolist())"
    assert run_program("docs/all-pairs.md", tmp_path, show, before) == (
        "12 [42.0, 0.0] ['DB00001', 'DB00003', 'DB00002']\n"
    )


def test_the_page_on_distance_files_reads_a_row_by_h5py(tmp_path):
    pytest.importorskip("h5py")
    before = "import atoll\natoll.all_pairs(atoll.Graph('grid:5x5')).save('D.h5')"
    show = "with h5py.File('D.h5') as file:\n    print(row, int(file['distances'][row][24]))"
    assert run_program("docs/distance_files.md", tmp_path, show, before) == "17 3\n"  # (3, 2) to (4, 4)


@pytest.mark.skipif(not SIMGRID, reason="SimGrid is not installed")
def test_the_page_on_mappings_maps_measures_and_improves(tmp_path):
    (tmp_path / "app.traffic").write_text("".join(f"{rank} {(rank + 1) % 64} 1000\n" for rank in range(64)))
    (tmp_path / "topology.conf").write_text(
        "SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=top Switches=a,b\n"
    )
    (tmp_path / "hosts.txt").write_text("".join(f"n{k}\n" for k in range(1, 9)))
    out = run_commands("docs/mapping.md", tmp_path, lambda text: text.replace("kron:14", "kron:8")).stdout
    hosts = (tmp_path / "order.txt").read_text().split()
    assert sorted(hosts) == sorted([f"n{k}" for k in range(1, 9)] * 4)
    assert len((tmp_path / "best.links").read_text().splitlines()) >= 64 * 4 // 2
    assert "0 jumps" in out and "predicted for random:64:4: 64 ranks" in out


def test_the_page_on_sparse_products_multiplies_and_simulates(tmp_path):
    atoll = pytest.importorskip("atoll")
    smaller = {"kron:20": "kron:10", "communities:14": "communities:10", "kron:16": "kron:8"}

    def shorter(text):
        for large, small in smaller.items():
            text = text.replace(large, small)
        return text

    out = run_commands("docs/spmm.md", tmp_path, shorter).stdout
    assert len(re.findall(r"^a row per rank ", out, re.M)) == 3 and "predicted for a800:32: 32 ranks" in out
    n = atoll.Graph("kron:16").n
    b = np.random.default_rng(1).random((n, 3), dtype=np.float32)
    np.save(tmp_path / "B.npy", b)
    assert run_program("docs/spmm.md", tmp_path, "print(H.shape == (graph.n, 64))") == "True\n"
    made = np.fromfile(tmp_path / "C", np.float32).reshape(n, 3)
    assert np.allclose(made, atoll.SpMM(atoll.Graph("kron:16"))(b), atol=1e-3, rtol=1e-4)


def test_the_page_on_serving_builds_serves_and_answers(tmp_path):
    for module in ("duckdb", "fastapi", "uvicorn"):
        pytest.importorskip(module)
    from atoll import kg

    kg.sample_store(tmp_path / "covid")
    port = free_port()

    def of_the_sample(text):  # its names
        text = text.replace('from=COVID-19&to=Aspirin"', 'from=Velotamine&to=Marden%20syndrome"')
        text = text.replace('["COVID-19", "Aspirin"], ["COVID-19", "IL6"]', '["Velotamine", "Marden syndrome"]')
        return on_port(text, "covid", port)

    out = run_commands("docs/serve.md", tmp_path, of_the_sample).stdout
    assert "TRK7" in out  # of /path
    assert out.rstrip().endswith(",2,MESH:C900002|GENE:900001|MESH:D900000")  # of /bulk


def test_the_page_on_knowledge_graphs_goes_from_tables_to_scenarios(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    from atoll import kg

    kg.write_sample(tmp_path, concepts=60)
    for name in ("nodes", "edges"):
        duckdb.sql(f"copy (from read_csv('{tmp_path}/literature_{name}.csv', all_varchar = true)) to "
                   f"'{tmp_path}/{name}.parquet'")  # fmt: skip

    def of_the_sample(text):
        for there, here in {
            ".tsv.zst": ".csv",
            " DIR ": " covid ",
            "COVID-19": "Velotamine",
            "Multiple Sclerosis": "Marden syndrome",
            "MESH_D009103": "MESH:D900000",
            "MESH_D007239": "MESH:D900003",
        }.items():
            text = text.replace(there, here)
        return text

    out = run_commands("docs/knowledge-graphs.md", tmp_path, of_the_sample).stdout
    assert re.search(r"^1. weight 4.26\S*, 2 hops: Velotamine ", out, re.M)
    assert '"command": "kg scenarios"' in out
    assert duckdb.sql(f"select count(*) from '{tmp_path}/pairs.parquet'").fetchall()[0][0] > 0
    assert (tmp_path / "counts.svg").read_text().lstrip().startswith("<svg")
    shown = run_program("docs/knowledge-graphs.md", tmp_path, shorter=of_the_sample)
    assert re.search(r"^\d+\.\d+ \['(MESH:C900002|Velotamine)", shown, re.M)  # a path's weight and concepts
    assert re.search(r"^shortest ", shown, re.M)


def test_the_page_on_clusters_runs_what_needs_none(tmp_path):
    out = run_commands("docs/cluster.md", tmp_path).stdout
    assert re.search(r"^memory on 16 ranks", out, re.M)
    assert re.search(r"^direct +\d+ .*\ndomain +\d+ ", out, re.M)
