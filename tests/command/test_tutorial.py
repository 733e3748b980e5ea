# SPDX-License-Identifier: Apache-2.0
"""The code of docs/tutorial.md and docs/gnn.md runs as shown: shell in one folder, in order; Python as a doctest."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def blocks(page, language):
    found = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert found, f"{page} has no block of {language}"
    return found


def run_commands(page, folder):
    assert (ROOT / "bin/atoll").exists(), "bin/atoll is not built. Run make build."
    path = os.pathsep.join([str(ROOT / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(blocks(page, "sh"))],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return run


def run_python(page):
    text = "\n".join(blocks(page, "python"))
    example = doctest.DocTestParser().get_doctest(text, {}, page, str(ROOT / page), 0)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_commands_do_what_the_tutorial_says(tmp_path):
    run = run_commands("docs/tutorial.md", tmp_path)
    assert re.search(r"^verified +yes", run.stdout, re.M)
    assert dict(line.split() for line in (tmp_path / "minutes.tsv").read_text().splitlines())["70"] == "25.5"
    assert "True" in run.stdout


def test_python_prints_what_the_tutorial_shows():
    pytest.importorskip("atoll")
    run_python("docs/tutorial.md")


def test_the_page_on_networks_trains_them(tmp_path, monkeypatch):
    pytest.importorskip("atoll")
    run = run_commands("docs/gnn.md", tmp_path)
    rights = re.findall(r"^test +([0-9.]+) % right", run.stdout, re.M)
    assert len(rights) == 5 and float(rights[0]) > 60
    monkeypatch.chdir(tmp_path)
    run_python("docs/gnn.md")
