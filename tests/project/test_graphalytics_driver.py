# SPDX-License-Identifier: Apache-2.0
"""drivers/graphalytics: the scripts as called by the benchmark's harness."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "drivers/graphalytics/bin/sh"

# 1 -> 2 -> 3, a longer 1 -> 3, and the isolated vertex 9.
EDGES = ["1 2 0.5", "2 3 0.25", "1 3 2.0"]
PARAMETERS = {
    "bfs": (["--source-vertex", "1"], {1: 0, 2: 1, 3: 1, 9: 2**63 - 1}),
    "sssp": (["--source-vertex", "1"], {1: 0, 2: 0.5, 3: 0.75, 9: float("inf")}),
    "wcc": ([], {1: 1, 2: 1, 3: 1, 9: 9}),
    "cdlp": (["--max-iteration", "1"], {1: 2, 2: 1, 3: 1, 9: 9}),
    "lcc": ([], {1: 0.5, 2: 0.5, 3: 0.5, 9: 0}),
    "pr": (["--damping-factor", "0.85", "--max-iteration", "1"], None),
}


def call(script, code=0, **options):
    words = [w for key, value in options.items() for w in (f"--{key.replace('_', '-')}", str(value))]
    done = subprocess.run(["bash", SCRIPTS / script, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr


@pytest.fixture
def loaded(tmp_path):
    (tmp_path / "tiny.v").write_text("1\n2\n3\n9\n")
    (tmp_path / "tiny.e").write_text("\n".join(EDGES) + "\n")
    options = {"graph_name": "tiny", "directed": "true", "weighted": "true"}
    files = {"input_vertex_path": tmp_path / "tiny.v", "input_edge_path": tmp_path / "tiny.e"}
    call("load-graph.sh", **options, **files, output_path=tmp_path / "loaded")
    return tmp_path / "loaded"


def job(loaded, algorithm, code=0, **more):
    parameters = PARAMETERS[algorithm][0] if algorithm in PARAMETERS else []
    given = {k.lstrip("-").replace("-", "_"): v for k, v in zip(parameters[::2], parameters[1::2])}
    folder = loaded.parent
    paths = {"log_path": folder / "log", "input_path": loaded, "output_path": folder / "output" / "r1"}
    return call(
        "execute-job.sh",
        code,
        **{"job_id": "r1", "algorithm": algorithm, **paths, "atoll": ROOT / "bin/atoll", **given, **more},
    )


@pytest.mark.parametrize("algorithm", list(PARAMETERS))
def test_a_job_leaves_values_and_its_time(loaded, algorithm):
    job(loaded, algorithm, threads=1)
    rows = [line.split() for line in (loaded.parent / "output/r1").read_text().splitlines()]
    found = {int(vertex): float(value) for vertex, value in rows}
    expected = PARAMETERS[algorithm][1]
    if expected is None:
        assert sum(found.values()) == pytest.approx(1)
    else:
        assert found == pytest.approx(expected)
    assert float((loaded.parent / "log/processing-seconds").read_text()) > 0
    assert int((loaded.parent / "log/executable.pid").read_text()) > 0
    assert sorted(p.name for p in loaded.iterdir()) == ["graph.e", "graph.v", "properties"]


def test_a_job_on_several_ranks(loaded):
    job(loaded, "wcc", ranks=2, threads=1, options="--transport shm --route direct")
    assert (loaded.parent / "output/r1").read_text().split() == "1 1 2 1 3 1 9 9".split()


def test_an_undirected_graph_without_weights(tmp_path):
    (tmp_path / "g.v").write_text("4\n6\n")
    (tmp_path / "g.e").write_text("4 6\n")
    files = {"input_vertex_path": tmp_path / "g.v", "input_edge_path": tmp_path / "g.e"}
    call("load-graph.sh", graph_name="g", directed="false", weighted="false", **files, output_path=tmp_path / "l")
    job(tmp_path / "l", "bfs", source_vertex=6)
    assert (tmp_path / "output/r1").read_text().split() == "4 1 6 0".split()


def test_unloading_removes_the_folder(loaded):
    call("unload-graph.sh", output_path=loaded)
    assert not loaded.exists() and (loaded.parent / "tiny.e").exists()


def test_errors(loaded, tmp_path):
    assert "algorithm 'apsp' is unknown" in job(loaded, "apsp", code=2)
    assert "--source-vertex is missing" in job(loaded, "bfs", code=2, source_vertex="")
    assert "exit code 3" in job(loaded, "bfs", code=2, source_vertex=77)
    assert "holds no loaded graph" in job(tmp_path, "wcc", code=2)
    assert not list(loaded.glob("job-*"))
    options = {"graph_name": "no", "directed": "true", "weighted": "false", "output_path": tmp_path / "no"}
    missing = call(
        "load-graph.sh", 2, **options, input_vertex_path=tmp_path / "no.v", input_edge_path=tmp_path / "no.e"
    )
    assert "no.v cannot be read" in missing
    assert (
        "no value" in subprocess.run(["bash", SCRIPTS / "load-graph.sh", "--x"], capture_output=True, text=True).stderr
    )
    call("check-setup.sh", atoll=ROOT / "bin/atoll")
    assert "cannot be run" in call("check-setup.sh", 2, atoll=tmp_path / "nothing")


def test_the_class_is_where_the_harness_looks_for_it():
    # "science.atlarge.graphalytics.NAME.NAMEPlatform", and it calls scripts that exist.
    file = SCRIPTS.parents[1] / "src/main/java/science/atlarge/graphalytics/atoll/AtollPlatform.java"
    text = file.read_text()
    assert "package science.atlarge.graphalytics.atoll;" in text and "class AtollPlatform implements Platform" in text
    called = {word for word in text.replace('"', " ").split() if word.endswith(".sh")}
    assert called and all((SCRIPTS / name).exists() for name in called)
