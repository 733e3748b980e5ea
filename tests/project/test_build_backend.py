# SPDX-License-Identifier: Apache-2.0
"""`pip install .` on a machine without what a build needs says what to install."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("scikit_build_core")


@pytest.fixture
def bare(tmp_path):
    """Calls the backend with a PATH that has no compiler and no package database."""
    for tool in ("bash", "dirname", "sed", "grep"):
        (tmp_path / tool).symlink_to(shutil.which(tool))

    def call(code, **environment):
        variables = {k: v for k, v in os.environ.items() if k != "CXX"}
        variables.update(PATH=str(tmp_path), PYTHONPATH=str(ROOT / "scripts"), **environment)
        return subprocess.run(
            [sys.executable, "-c", "import build_backend as b\n" + code],
            cwd=ROOT,
            env=variables,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return call


@pytest.mark.parametrize("hook", ["build_wheel", "build_editable"])
def test_without_a_compiler_names_the_packages_and_runs_no_cmake(bare, tmp_path, hook):
    done = bare(f"b.{hook}({str(tmp_path)!r})")
    assert done.returncode == 1 and done.stdout == ""
    words = done.stderr.splitlines()
    assert len(words) == 4 and words[-1].startswith("  sudo apt-get install --no-install-recommends ")
    for package in ("build-essential", "pkg-config", "libfmt-dev", "libhwloc-dev", "libboost-context-dev"):
        assert package in words[-1]
    assert "doctest" not in words[-1]  # only the tests need it


def test_names_missing_headers_when_the_build_has_failed(bare, tmp_path):
    compiler = tmp_path / "g++"
    compiler.write_text("#!/bin/sh\nexit 1\n")
    compiler.chmod(0o755)
    done = bare("def fails(): raise SystemExit(7)\nb._compiles(fails)")
    assert done.returncode == 1
    assert "libfmt-dev" in done.stderr and "build-essential" not in done.stderr


def test_a_missing_compiler_is_named(bare, tmp_path):
    done = bare(f"b.build_wheel({str(tmp_path)!r})", CXX="no-such-compiler -O1")
    assert done.returncode == 1 and "CXX is 'no-such-compiler'" in done.stderr


def test_the_source_distribution_contains_what_a_build_reads(tmp_path):
    code = f"import build_backend as b; b.build_sdist({str(tmp_path)!r})"
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=variables, check=True, timeout=120)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        held = {name.split("/", 1)[1] for name in tar.getnames()}
    for folder in ("cmake", "cpp", "python", "scripts"):
        for file in (ROOT / folder).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                assert file.relative_to(ROOT).as_posix() in held
    assert held >= {"CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml"}
