#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the include rule: a file includes lower floors or its own folder; siblings on one floor never meet.

Only transport/mpi includes <mpi.h>, and headers leave out what takes long to compile (SLOW); JSON text goes through
base/json.hpp. The rooms of a floor, its
folders, form no circle of includes, and algorithms include nothing of runtime; includes that broke this before
it was a rule are listed in scripts/old_includes.txt, which may only become shorter. Prints each line that breaks a rule
and exits with 1.

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
# Includes that a header leaves to the .cpp files that need them (CLI11 takes four seconds to compile, the JSON library
# one), and the headers whose callers need them anyway.
SLOW = {
    "CLI/CLI.hpp": ("a declaration of CLI::App", ["cli/cli11.hpp"]),
    "nlohmann/json.hpp": ("<nlohmann/json_fwd.hpp>", ["cli/command.hpp", "atoll/tune/store.hpp"]),
}
OLD = "scripts/old_includes.txt"
JSON_TEXT = re.compile(r"\.dump\(|json::parse\(")  # each file that calls them compiles them again: two seconds
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]')
SUFFIXES = {".cpp", ".hpp", ".in"}


def file_of(path, include, cpp):
    """The file of our own that an include names, or None."""
    file = cpp / include if include.startswith(("atoll/", "cli/")) else (path.parent / include).resolve()
    return file if file.is_relative_to(cpp) else None


def target(path, include, cpp):
    """The folder of our own that an include names, or None if it is not one of our files."""
    file = file_of(path, include, cpp)
    return file and folder_of(file, cpp)


def folder_of(path, cpp):
    parts = path.relative_to(cpp).parts
    return parts[1] if parts[0] == "atoll" else parts[0]


def problems(path, cpp):
    folder = folder_of(path, cpp)
    if folder not in FLOOR:
        yield 1, f"folder {folder} is on no floor. Add it to FLOORS in scripts/check_floors.py"
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if JSON_TEXT.search(line) and path.relative_to(cpp).as_posix() != "atoll/base/json.cpp":
            yield number, "reads or writes JSON text by the library itself. Use base/json.hpp"
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


def room_of(path, cpp):
    return path.parent.relative_to(cpp).as_posix().removeprefix("atoll/")


def room_includes(files, cpp):
    """Two tables of the first line for (room, room of the same floor) and for (file of algorithms, "runtime")."""
    rooms, runtime = {}, {}
    for path in files:
        room = room_of(path, cpp)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            file = match and file_of(path, match[1], cpp)
            if not file or room_of(file, cpp) == room:
                continue
            floors = folder_of(path, cpp), folder_of(file, cpp)
            if floors[0] == floors[1]:
                rooms.setdefault((room, room_of(file, cpp)), (path, number))
            elif floors == ("algorithms", "runtime"):
                runtime.setdefault((path.relative_to(cpp / "atoll").as_posix(), "runtime"), (path, number))
    return rooms, runtime


def in_circles(pairs):
    """Returns the pairs whose second room leads back to the first."""
    after = {}
    for room, to in pairs:
        after.setdefault(room, set()).add(to)

    def leads(room, to):
        seen, todo = set(), [room]
        while todo:
            room = todo.pop()
            if room not in seen:
                seen.add(room)
                todo += after.get(room, ())
        return to in seen

    return {(room, to) for room, to in pairs if leads(to, room)}


def room_problems(files, cpp, old):
    """Lines that make a circle of rooms or use runtime in algorithms, and lines of `old` that are no longer needed."""
    rooms, runtime = room_includes(files, cpp)
    circles = in_circles(rooms)
    for room, to in sorted(circles - old):
        message = f"{room} includes {to}, from which includes lead back to it. Move what both need to a room below"
        yield *rooms[room, to], message
    for file, to in sorted(runtime.keys() - old):
        yield *runtime[file, to], f"{file} includes {to}. Let engine do what needs ranks and messages"
    for room, to in sorted(old - circles - runtime.keys()):
        yield cpp.parent / OLD, 1, f"'{room} -> {to}' is so no longer. Delete the line"


def main(root):
    cpp = (root / "cpp").resolve()
    files = [p for top in ("atoll", "cli") for p in sorted((cpp / top).rglob("*")) if p.suffix in SUFFIXES]
    if not files:
        sys.exit(f"{cpp}: holds no source. Give the root of the repository")
    wrong = 0
    lines = (root / OLD).read_text().splitlines() if (root / OLD).exists() else []
    old = {tuple(line.split(" -> ")) for line in lines if line and not line.startswith("#")}
    found = [(path, line, message) for path in files for line, message in problems(path, cpp)]
    for path, line, message in [*found, *room_problems(files, cpp, old)]:
        print(f"{path.relative_to(root.resolve())}:{line}: {message}.")
        wrong += 1
    print(f"floors: {len(files)} files, {wrong} includes against the rule", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent))
