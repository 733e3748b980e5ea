# SPDX-License-Identifier: Apache-2.0
"""The script that checks how comments begin must detect those without a subject."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_words.py"


def check(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)


@pytest.mark.parametrize(
    "path, text",
    [
        ("cpp/a.cpp", "// Returns the rank.\n// Of two ranks the lower one.\nint a;\n"),  # a second line
        ("cpp/a.cpp", 'const char* a = "// What";\n'),
        ("cpp/a.cpp", "int a;  ///< the rank\n"),
        ("python/a.py", '"""Whatever"""\n# Offers a rank.\n# As a second line.\na = "# What"\n'),
        ("docs/a.md", "What a page says is not checked.\n"),
        ("python/build/a.py", "# What is made\n"),
    ],
)
def test_allows_sentences_with_a_subject(tmp_path, path, text):
    run = check(tmp_path, path, text)
    assert (run.returncode, run.stdout) == (0, "")


@pytest.mark.parametrize(
    "path, line, text",
    [
        ("cpp/a.hpp", 1, "/// What a rank sends.\nint a;\n"),
        ("cpp/a.cu", 2, "\n  // Of a rank.\n"),
        ("cpp/a.cpp", 1, "int a;  ///< So many ranks\n"),
        ("cpp/a.cpp", 3, "// A rank.\nint a;\n// Those of the rank.\n"),
        ("python/a.py", 1, '"""As the other module."""\n'),
        ("python/a.py", 2, 'def f():\n    """What f returns."""\n'),
        ("python/a.py", 2, "a = 1\n# Of a rank.\n"),
        ("python/a.py", 1, "a = 1  # Those of a rank\n"),
    ],
)
def test_names_the_line_that_breaks_the_rule(tmp_path, path, line, text):
    run = check(tmp_path, path, text)
    assert run.returncode == 1
    assert run.stdout.startswith(f"{path}:{line}: begins with")
