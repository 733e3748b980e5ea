# SPDX-License-Identifier: Apache-2.0
"""Errors of `atoll run` for unsupported input: what, where, why, what to do; the same on several ranks."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ATOLL = Path(os.environ.get("ATOLL_BUILD", ROOT / "build" / "release")) / "bin" / "atoll"
LONG = "1 2 1e308\n2 3 1e308\n3 4 1e308\n"


def refused(*words, code=3):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ATOLL_", "OMPI_", "PMI_", "PMIX_"))}
    done = subprocess.run([str(w) for w in (ATOLL, "run", *words)], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("words", [("sssp", "--source", 1), ("bc", "--weighted")])
def test_weights_whose_sums_overflow(tmp_path, words, ranks):
    graph = tmp_path / "long.wel"
    graph.write_text(LONG)
    told = refused(words[0], graph, *words[1:], "--ranks", ranks)
    assert "weighs 1e+308 (a path of such edges can be longer than a float64 holds" in told and "Scale" in told


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_negative_weights_name_the_edge_and_what_takes_them(tmp_path, ranks):
    graph = tmp_path / "negative.wel"
    graph.write_text("1 2 3\n2 3 -4\n3 4 5\n")
    told = refused("sssp", graph, "--directed", "--source", 1, "--ranks", ranks)
    assert "edge between 2 and 3 weighs -4" in told and "by bellman_ford" in told and "by apsp" in told
    assert "apsp" not in refused("sssp", graph, "--undirected", "--source", 1, "--ranks", ranks)


@pytest.mark.parametrize("option", ["--alpha", "--tol"])
@pytest.mark.parametrize("value", ["0", "-1", "nan"])
def test_pagerank_options_before_the_graph_is_read(tmp_path, option, value):
    # The file does not exist: options are checked before it is opened.
    assert f"{option[2:]} is {value}" in refused("pagerank", tmp_path / "none.el", f"{option}={value}")
