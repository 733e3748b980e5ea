# SPDX-License-Identifier: Apache-2.0
"""MPI programs for SimGrid's SMPI: compiled from one source, or as they are."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from ..errors import InputError, UsageError

__all__ = ["program_of", "tool"]

_COMPILERS = {".c": "smpicc", ".cc": "smpicxx", ".cpp": "smpicxx", ".cxx": "smpicxx"}


def tool(name: str) -> str:
    """The path of a program of SimGrid; UsageError where there is none."""
    path = shutil.which(name)
    if path is None:
        raise UsageError(
            f"{name} is not on PATH (SimGrid's SMPI runs MPI programs in virtual time). Install SimGrid: "
            "apt install libsimgrid-dev, or from simgrid.org."
        )
    return path


def program_of(app: str | os.PathLike[str], folder: Path) -> Path:
    """The program that SMPI runs: `app` itself, or what smpicc or smpicxx make of it in `folder` where it is a source.

    Parameters
    ----------
    app : path                  a program compiled by smpicc or smpicxx, or a source: .c, .cc, .cpp, .cxx
    folder : Path               where the program is put; it has to stay as long as it is run

    Raises
    ------
    UsageError                  SimGrid is missing
    InputError                  there is no such file, it does not compile, or is no program of SMPI
    """
    path = Path(app)
    if not path.is_file():
        raise InputError(f"{path}: no such file (a program or its source is needed). Correct the path.")
    if path.suffix in _COMPILERS:
        return _compiled(path, _COMPILERS[path.suffix], folder)
    with path.open("rb") as file:
        content = file.read()
    if not content.startswith(b"\x7fELF"):
        raise InputError(
            f"{path}: neither a program nor a source ({', '.join(_COMPILERS)}). Compile it by smpicc or smpicxx."
        )
    if b"libsimgrid" not in content:
        raise InputError(
            f"{path}: not linked to libsimgrid (it was made for another MPI). Compile it by smpicc -O2 or smpicxx -O2."
        )
    return path.absolute()


def _compiled(source: Path, compiler: str, folder: Path) -> Path:
    program = folder / (source.stem + ".smpi")
    words = [tool(compiler), "-O2", "-o", str(program), str(source.absolute())]
    # A symbol that the loader makes unique would be one for all ranks, each of which has its copy of the program.
    flags = ["-fno-gnu-unique"] if compiler == "smpicxx" else []
    done = subprocess.run([*words, *flags], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0 and "gnu-unique" in done.stderr:  # a compiler that has no such symbols
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        lines = done.stderr.strip().split("\n")
        first = next((line for line in lines if "error" in line), lines[-1])
        raise InputError(f"{source}: {compiler} ends with exit code {done.returncode}: {first}. Correct the source.")
    return program
