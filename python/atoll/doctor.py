# SPDX-License-Identifier: Apache-2.0
"""Reports what this machine, this installation and this Python offer: `python -m atoll.doctor [--json FILE|-]`."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import sys
from typing import Any

from . import _core
from ._core import VERSION
from .errors import IoError
from .standard_output import cli_main, put

__all__ = ["examine", "main"]

# distribution | what it is for | the extra of atoll that brings it
_PACKAGES = [
    ("numpy", "arrays", ""),
    ("scipy", "graphs from sparse matrices", "scipy"),
    ("mpi4py", "comm= of a program that runs MPI", "mpi"),
    ("networkx", "graphs of NetworkX", "networkx"),
    ("pyarrow", "results as Parquet", "parquet"),
    ("pandas", "results as pandas.Series", "pandas"),
    ("h5py", "distances in HDF5", "hdf5"),
    ("duckdb", "knowledge graphs: atoll kg", "kg"),
    ("optuna", "sampler tpe of atoll tune", "tune"),
    ("plotly", "pages of atoll report", "report"),
]


def examine() -> dict[str, Any]:
    """All of the report, as the object of `atoll doctor --json -` with what Python adds; starts no MPI.

    Examples
    --------
    >>> report = atoll.doctor.examine()
    >>> report["command"], report["result"]["python"]["packages"]["numpy"] is not None
    ('doctor', True)
    """
    launcher = _core.launcher()
    fabrics = [{"name": "inproc", "ready": True, "detail": "ranks as threads of one process"}]
    result: dict[str, Any] = {
        "version": VERSION,
        "machine": json.loads(_core.machine()),
        "fabrics": fabrics + json.loads(_core.fabrics()),
        "readers": json.loads(_core.readers()),
        "devices": json.loads(_core.devices()),
        "launcher": None if launcher is None else {"name": launcher[0], "ranks": launcher[1]},
        "unknown_environment": _core.unknown_environment(),
        "python": {
            "version": platform.python_version(),
            "executable": sys.executable,
            "package": __file__.rsplit("/", 1)[0],
            "packages": {name: _version(name) for name, _, _ in _PACKAGES},
        },
    }
    result["missing"] = _missing(result)
    return {
        "schema": 1,
        "command": "doctor",
        "plan": json.loads(_core.plan("{}")),
        "result": result,
        "verified": None,
    }


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _missing(result: dict[str, Any]) -> list[dict[str, str]]:
    uses = {
        "shm": "memory shared by ranks of a node",
        "ofi": "ranks over libfabric",
        "xml_yaml": "topologies as XML and YAML",
        "cuda": "GPUs",
        "nccl": "panels and rows from GPU to GPU",
    }
    missing = [
        {"name": part["name"], "for": uses.get(part["name"], "ranks over MPI"), "get": part["detail"]}
        for part in result["fabrics"] + result["readers"] + result["devices"]
        if not part["ready"]
    ]
    for name, use, extra in _PACKAGES:
        if result["python"]["packages"][name] is None:
            get = f"pip install {name}" + (f", or pip install .[{extra}] in a checkout of Atoll" if extra else "")
            missing.append({"name": name, "for": use, "get": get})
    return missing


def _text(result: dict[str, Any]) -> str:
    m, python = result["machine"], result["python"]
    cores = f"{m['usable_cores']} of {m['cores']} cores usable, kernels up to {m['isa']}"
    memory = f"{m['memory_bytes'] / 1e9:.1f} GB, {m['free_memory_bytes'] / 1e9:.1f} free"
    rows = [
        ("atoll", result["version"]),
        ("host", m["host"]),
        ("processor", f"{m['processor']}, {cores}"),
        ("memory", f"{memory}; huge pages: {m['huge_pages']}"),
    ]
    parts = result["fabrics"] + result["readers"] + result["devices"]
    rows += [(p["name"], ("ready: " if p["ready"] else "missing: ") + p["detail"]) for p in parts]
    if result["launcher"]:
        rows.append(("launcher", f"{result['launcher']['name']}, {result['launcher']['ranks']} ranks"))
    rows.append(("python", f"{python['version']}, {python['executable']}"))
    rows += [(name, version or "missing") for name, version in python["packages"].items()]
    lines = [f"{name:<13}{value}" for name, value in rows]
    if result["unknown_environment"]:
        lines += ["", "unknown environment variables: " + ", ".join(result["unknown_environment"])]
    if result["missing"]:
        lines += ["", "missing, all optional:"]
        lines += [f"  {m['name']} ({m['for']}): {m['get']}" for m in result["missing"]]
    return "\n".join(lines) + "\n"


@cli_main
def main(arguments: list[str] | None = None) -> int:
    """The command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m atoll.doctor", description=__doc__)
    parser.add_argument("--json", metavar="FILE|-", help="one object into FILE, or to stdout")
    options = parser.parse_args(arguments)
    report = examine()
    if options.json is None:
        sys.stdout.write(_text(report["result"]))
    else:
        try:
            put(options.json, json.dumps(report) + "\n")
        except IoError as e:
            print(f"atoll: {e}", file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
