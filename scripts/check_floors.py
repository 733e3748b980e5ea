#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the include rule: a file includes lower floors or its own folder; siblings on one floor never meet.

Only transport/mpi includes <mpi.h>, and headers leave out what takes long to compile (SLOW). Prints each line that
breaks the rule and exits with 1.

    scripts/check_floors.py [root of the repository]
"""

import re
import sys
from pathlib import Path

FLOORS = [
    ["base"],
    ["topology"],
    ["transport"],
    ["runtime"],
    ["io", "tune"],
    ["graph", "matrix"],
    ["engine", "order", "device"],
    ["algorithms", "spmm", "verify"],
    ["catalog", "gnn"],
    ["apsp", "benchmarks"],
    ["cli"],
]
FLOOR = {folder: number for number, folders in enumerate(FLOORS, 1) for folder in folders}
# What a header leaves to the .cpp files that need it (CLI11 takes four seconds to compile, the JSON library one), and
# the headers whose callers need it anyway.
SLOW = {
    "CLI/CLI.hpp": ("a declaration of CLI::App", ["cli/cli11.hpp"]),
    "nlohmann/json.hpp": ("<nlohmann/json_fwd.hpp>", ["cli/command.hpp", "atoll/tune/store.hpp"]),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')
SUFFIXES = {".cpp", ".hpp", ".in"}


def target(path, include, cpp):
    """The folder of our own that an include names, or None if it is not one of our files."""
    if include.startswith("atoll/"):
        return include.split("/")[1]
    beside = (path.parent / include).resolve()
    return folder_of(beside, cpp) if beside.is_relative_to(cpp) else None


def folder_of(path, cpp):
    parts = path.relative_to(cpp).parts
    return parts[1] if parts[0] == "atoll" else parts[0]


def problems(path, cpp):
    folder = folder_of(path, cpp)
    if folder not in FLOOR:
        yield 1, f"folder {folder} is on no floor. Add it to FLOORS in scripts/check_floors.py"
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        include = match[1]
        if include == "mpi.h" and "transport/mpi/" not in path.as_posix():
            yield number, "includes <mpi.h> (only the plug-in transport/mpi may). Go through Fabric"
        instead, may = SLOW.get(include, ("", []))
        if instead and path.suffix == ".hpp" and path.relative_to(cpp).as_posix() not in may:
            yield number, f"includes {include} (all that include this header compile it too). Use {instead}"
        to = target(path, include, cpp)
        if to is None or to == folder:
            continue
        if to not in FLOOR:
            yield number, f"includes {include} (there is no folder {to}). Correct the path"
        elif FLOOR[to] >= FLOOR[folder]:
            yield (
                number,
                (
                    f"{folder} (floor {FLOOR[folder]}) includes {include} (floor {FLOOR[to]}). "
                    "Move what both need to a lower floor"
                ),
            )


def main(root):
    cpp = (root / "cpp").resolve()
    files = [p for top in ("atoll", "cli") for p in sorted((cpp / top).rglob("*")) if p.suffix in SUFFIXES]
    if not files:
        sys.exit(f"{cpp}: holds no source. Give the root of the repository")
    wrong = 0
    for path in files:
        for line, message in problems(path, cpp):
            print(f"{path.relative_to(root.resolve())}:{line}: {message}.")
            wrong += 1
    print(f"floors: {len(files)} files, {wrong} includes against the rule", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent))
