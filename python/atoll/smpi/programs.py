# SPDX-License-Identifier: Apache-2.0
"""MPI programs for SimGrid's SMPI: compiled from one source, or as they are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError, UsageError

__all__ = ["program_of", "tool"]


@dataclass(frozen=True)
class _Language:
    compiler: str
    flags: tuple[str, ...] = ()
    suffix: str = ""  # by which the compiler knows the form of the source; "": its own


_C = _Language("smpicc")
# A symbol that the loader makes unique would be one for all ranks, each of which has its copy of the program.
_CXX = _Language("smpicxx", ("-fno-gnu-unique",))
_FORTRAN = {".f": ("f", "for", "ftn"), ".f90": ("f90", "f95", "f03", "f08")}  # by the form of its lines
_LANGUAGES = {
    ".c": _C,
    ".cc": _CXX,
    ".cpp": _CXX,
    ".cxx": _CXX,
    **{f".{end}": _Language("smpiff", suffix=form) for form, ends in _FORTRAN.items() for end in ends},
    # Capitals: for the preprocessor.
    **{f".{end.upper()}": _Language("smpiff", suffix=form.upper()) for form, ends in _FORTRAN.items() for end in ends},
}


def tool(name: str) -> str:
    """The path of a program of SimGrid; UsageError where there is none."""
    path = shutil.which(name)
    if path is None:
        raise UsageError(
            f"{name} is not on PATH (SimGrid's SMPI runs MPI programs in virtual time). Install SimGrid: "
            "apt install libsimgrid-dev, or from simgrid.org."
        )
    return path


def program_of(app: str | os.PathLike[str], folder: Path, flags: Sequence[str] = ()) -> Path:
    """The program that SMPI runs: `app` itself, or what SMPI's compilers make of it in `folder` where it is a source.

    Parameters
    ----------
    app : path                  a program compiled by smpicc, smpicxx or smpiff, or a source of C, C++ or Fortran
    folder : Path               where the program is put; it has to stay as long as it is run
    flags : sequence of str     further words for the compiler, as -Iinclude; -O2 comes before them

    Raises
    ------
    UsageError                  SimGrid is missing; flags for what is compiled already
    InputError                  there is no such file, it does not compile, or is no program of SMPI
    """
    path = Path(app)
    if not path.is_file():
        raise InputError(f"{path}: no such file (a program or its source is needed). Correct the path.")
    if (language := _LANGUAGES.get(path.suffix)) is not None:
        return _compiled(path, language, folder, flags)
    with path.open("rb") as file:
        content = file.read()
    if not content.startswith(b"\x7fELF"):
        raise InputError(
            f"{path}: neither a program nor a source ({', '.join(_LANGUAGES)}). Compile it by smpicc, smpicxx or "
            "smpiff."
        )
    if flags:
        raise UsageError(f"--compile-flags with {path} (it is compiled already). Leave them out, or give its source.")
    if b"libsimgrid" not in content:
        raise InputError(
            f"{path}: not linked to libsimgrid (it was made for another MPI). Compile it by smpicc, smpicxx or smpiff "
            "with -O2."
        )
    return path.absolute()


def _compiled(source: Path, language: _Language, folder: Path, flags: Sequence[str]) -> Path:
    program = folder / (source.stem + ".smpi")
    given = source.absolute()
    includes: list[str] = []
    if language.suffix:
        # smpiff writes a file beside the source, and knows it by few endings.
        copy = folder / (source.stem + language.suffix)
        shutil.copyfile(source, copy)
        given, includes = copy, [f"-I{source.absolute().parent}"]
    words = [tool(language.compiler), "-O2", *language.flags, "-o", str(program), str(given), *includes, *flags]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode != 0 and "gnu-unique" in done.stderr:  # a compiler that has no such symbols
        words = [word for word in words if word not in language.flags]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise InputError(
            f"{source}: {language.compiler} ends with exit code {done.returncode}: "
            f"{_first_error(done.stderr or done.stdout, given, source)}. Correct the source, or give --compile-flags."
        )
    return program


def _first_error(said: str, given: Path, source: Path) -> str:
    """The compiler's first error in one line, with its place in the source. gfortran writes that some lines before."""
    place = ""
    lines = [line.strip() for line in said.split("\n") if line.strip()]
    for line in lines:
        if re.match(r"\S+:\d+:\d+:$", line):
            place = line + " "
        elif re.search(r"\berror\b|undefined reference", line, re.IGNORECASE):
            text = line if re.match(r"\S+:\d+:", line) else place + line
            # smpiff compiles a copy beside what it was given
            name = rf"\S*{re.escape(given.name)}(_\w+{re.escape(given.suffix)})?"
            return re.sub(name, lambda _: str(source), text)
    return lines[-1] if lines else "it says nothing"
