# SPDX-License-Identifier: Apache-2.0
"""The code of docs/tutorial.md runs as shown: its shell in one folder, top to bottom; its Python as a doctest."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/tutorial.md").read_text()


def blocks(language):
    found = re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.M | re.S)
    assert found, f"docs/tutorial.md has no block of {language}"
    return found


def test_commands_do_what_the_tutorial_says(tmp_path):
    assert (ROOT / "bin/atoll").exists(), "bin/atoll is not built. Run make build."
    path = os.pathsep.join([str(ROOT / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(blocks("sh"))],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    assert re.search(r"^verified +yes", run.stdout, re.M)
    assert dict(line.split() for line in (tmp_path / "minutes.tsv").read_text().splitlines())["70"] == "25.5"
    assert "True" in run.stdout


def test_python_prints_what_the_tutorial_shows():
    pytest.importorskip("atoll")
    text = "\n".join(blocks("python"))
    example = doctest.DocTestParser().get_doctest(text, {}, "tutorial", str(ROOT / "docs/tutorial.md"), 0)
    assert doctest.DocTestRunner().run(example).failed == 0
