# SPDX-License-Identifier: Apache-2.0
"""The manual page has the help of every verb, and man renders it without warnings."""

import os
import subprocess
import sys

import pytest
from pages import ROOT

pytest.importorskip("sphinx", reason="make man installs it")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("man")
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "man", "-d", folder / "trees", ROOT / "docs/man", folder]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "atoll.1"


def check(page):
    return subprocess.run([ROOT / "scripts/check_man", page], capture_output=True, text=True)


def test_man_renders_every_verb_without_a_warning(page):
    assert check(page).returncode == 0, check(page).stderr
    env = {**os.environ, "MANWIDTH": "120", "LC_ALL": "C.UTF-8"}
    shown = subprocess.run(["man", "-l", page], env=env, capture_output=True, text=True, check=True).stdout
    lines = [line.strip() for line in shown.splitlines()]
    listed = subprocess.run([ROOT / "bin/atoll", "--help"], capture_output=True, text=True, check=True).stdout
    verbs = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2:3].strip()]
    assert len(verbs) > 20
    assert [verb for verb in verbs if f"atoll {verb}" not in lines] == []
    help_text = subprocess.run([ROOT / "bin/atoll", "run", "bfs", "--help"], capture_output=True, text=True, check=True)
    assert [line for line in help_text.stdout.split("\n") if line.strip() and line.strip() not in lines] == []


def test_a_page_with_an_unknown_macro_or_without_text_is_refused(tmp_path):
    broken = tmp_path / "broken.1"
    broken.write_text('.TH "BROKEN" "1"\n.SH NAME\nbroken \\- a page\n.NOSUCHMACRO\n')
    assert "NOSUCHMACRO" in check(broken).stderr and check(broken).returncode == 1
    assert check(tmp_path / "absent.1").returncode == 1
