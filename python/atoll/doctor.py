# SPDX-License-Identifier: Apache-2.0
"""What this machine, this installation and this Python offer: `python -m atoll.doctor [--json FILE|-]`."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import sys
from typing import Any

from . import _core
from ._core import __version__

__all__ = ["examine", "main"]

# distribution | what it is for | the extra of atoll that brings it
_PACKAGES = [
    ("numpy", "arrays", ""),
    ("scipy", "graphs from sparse matrices", "scipy"),
    ("mpi4py", "comm= of a program that runs MPI", "mpi"),
    ("networkx", "graphs of NetworkX", "networkx"),
    ("pyarrow", "results as Parquet", "parquet"),
    ("pandas", "results as pandas.Series", "pandas"),
]


def examine() -> dict[str, Any]:
    """All of the report, as one object; starts no MPI.

    Examples
    --------
    >>> report = atoll.doctor.examine()
    >>> report["command"], report["python"]["packages"]["numpy"] is not None
    ('doctor', True)
    """
    launcher = _core.launcher()
    report: dict[str, Any] = {
        "schema": 1,
        "command": "doctor",
        "version": __version__,
        "machine": json.loads(_core.machine()),
        "plugins": json.loads(_core.plugins()),
        "launcher": None if launcher is None else {"name": launcher[0], "ranks": launcher[1]},
        "plan": json.loads(_core.plan("{}")),
        "unknown_environment": _core.unknown_environment(),
        "python": {
            "version": platform.python_version(),
            "executable": sys.executable,
            "package": __file__.rsplit("/", 1)[0],
            "packages": {name: _version(name) for name, _, _ in _PACKAGES},
        },
    }
    report["missing"] = _missing(report)
    return report


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _missing(report: dict[str, Any]) -> list[dict[str, str]]:
    missing = [
        {"name": p["name"], "for": "ranks over MPI", "get": p["detail"]}
        for p in report["plugins"]
        if not p["loads"]
    ]
    for name, use, extra in _PACKAGES:
        if report["python"]["packages"][name] is None:
            missing.append(
                {
                    "name": name,
                    "for": use,
                    "get": f"pip install atoll[{extra}]" if extra else "pip install atoll",
                }
            )
    return missing


def _text(report: dict[str, Any]) -> str:
    machine, python = report["machine"], report["python"]
    gib = 2**30
    rows = [
        ("atoll", report["version"]),
        ("host", machine.get("host", "")),
        ("processor", f"{machine.get('processor', '')} ({machine.get('isa', '')})"),
        ("cores", f"{machine.get('usable_cores')} usable of {machine.get('cores')}"),
        (
            "memory",
            f"{machine.get('free_memory_bytes', 0) / gib:.1f} GiB free of "
            f"{machine.get('memory_bytes', 0) / gib:.1f} GiB",
        ),
    ]
    rows += [(p["name"], p["detail"] if p["loads"] else "no") for p in report["plugins"]]
    if report["launcher"]:
        rows.append(("launcher", f"{report['launcher']['name']}, {report['launcher']['ranks']} ranks"))
    rows.append(("python", f"{python['version']} ({python['executable']})"))
    rows += [(name, version or "no") for name, version in python["packages"].items()]
    lines = [f"{name:<14}{value}" for name, value in rows]
    if report["unknown_environment"]:
        lines += ["", "unknown environment variables: " + ", ".join(report["unknown_environment"])]
    if report["missing"]:
        lines += ["", "missing, all optional:"]
        lines += [f"  {m['name']} ({m['for']}): {m['get']}" for m in report["missing"]]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """The command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m atoll.doctor", description=__doc__)
    parser.add_argument("--json", metavar="FILE|-", help="one object into FILE, or to stdout")
    options = parser.parse_args(arguments)
    report = examine()
    if options.json is None:
        sys.stdout.write(_text(report))
    elif options.json == "-":
        print(json.dumps(report))
    else:
        try:
            with open(options.json, "w", encoding="utf-8") as file:
                file.write(json.dumps(report) + "\n")
        except OSError as e:
            print(
                f"atoll: {options.json}: {e.strerror} (it cannot be written). Choose another file.",
                file=sys.stderr,
            )
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
