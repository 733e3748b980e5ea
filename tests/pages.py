# SPDX-License-Identifier: Apache-2.0
"""Runs the code of pages as they show it: shell in a folder, Python as a doctest or as a program.

A block that cannot run here has the line `<!-- not run: REASON -->` directly above it.
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(?:^<!-- not run: (?P<reason>[^\n]*) -->\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```", re.M | re.S)


def all_blocks(page):
    """(reason not to run it or None, language, code) of each block of a page that names a language."""
    return [(b["reason"], b["language"], b["code"]) for b in BLOCK.finditer((ROOT / page).read_text(encoding="utf-8"))]


def blocks(page, language):
    """The code of a page in one language, without what is not run."""
    found = [code for reason, of, code in all_blocks(page) if of == language and reason is None]
    assert found, f"{page} has no block of {language}"
    return found


def run_commands(page, folder, shorter=lambda text: text):
    """Runs all shell blocks of a page in one shell, with Atoll's command and this Python first on PATH."""
    assert (ROOT / "bin/atoll").exists(), "bin/atoll is not built. Run make build."
    path = os.pathsep.join([str(ROOT / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", shorter("\n".join(blocks(page, "sh")))],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    return run


def run_doctest(page):
    """Compares what the Python blocks of a page print with what they show, all in one namespace."""
    text = "\n".join(blocks(page, "python"))
    example = doctest.DocTestParser().get_doctest(text, {}, page, str(ROOT / page), 0)
    assert example.examples, f"{page} has no >>> in its Python"
    assert doctest.DocTestRunner().run(example).failed == 0


def run_program(page, folder, show="", before="", shorter=lambda text: text):
    """Runs the Python blocks of a page, which have no >>>, as one program between `before` and `show`.

    Gives what it prints.
    """
    program = "\n".join([before, shorter("\n".join(blocks(page, "python"))), show])
    assert ">>>" not in program, f"{page} has >>> in its Python; use run_doctest"
    run = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    return run.stdout
