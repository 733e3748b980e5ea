#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes single lines of the .cpp files of a floor or room and prints the changes that no test notices.

    scripts/mutants.py graph/partition [--limit 50] [--seed 1] [--above]

The changes invert comparisons, signs, and/or and conditions, shift constants by 1, remove statements and replace
returned values. The seed alone determines which changes are tried, and their order. They are made one at a time in a
copy of the tree, build/mutants/tree, with its own build folder; the first run fills it (from ccache where possible). A
change is noticed if a test fails, crashes or takes ten times as long as usual; a change that does not compile does not
count. The tests of the nearest room run first, then those of the rest of the given folder, with --above also those of
all higher floors. Verdicts are kept in build/mutants, so an interrupted run can be continued as long as nothing under
cpp and tests has changed. Exits with 0 whether changes survive or not.
"""

import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
from check_floors import FLOOR  # noqa: E402

WORK = ROOT / "build" / "mutants"
TREE = WORK / "tree"
BUILD = TREE / "build" / "release"
SKIPPED = 77
LEAST_SECONDS, TIMES_LONGER = 10, 10
# A removed line may leave unused names: that must not fail the compilation.
QUIET = "".join(
    f'#pragma GCC diagnostic ignored "-W{name}"\n'
    for name in (
        "unused-variable unused-but-set-variable unused-parameter unused-function unused-local-typedefs unused-value "
        "empty-body type-limits parentheses tautological-compare sign-compare sign-conversion conversion"
    ).split()
)

SWAPS = [(" < ", " >= "), (" > ", " <= "), (" <= ", " > "), (" >= ", " < "), (" == ", " != "), (" != ", " == ")]
SWAPS += [(" < ", " <= "), (" > ", " >= "), (" <= ", " < "), (" >= ", " > ")]
SWAPS += [(" + ", " - "), (" - ", " + "), (" += ", " -= "), (" -= ", " += "), (" && ", " || "), (" || ", " && ")]
NUMBER = re.compile(r"(?<![\w.'])\d+(?![\w.'])")
# An expression evaluated for its effect: a call, an assignment, an increment; not a declaration.
STATEMENT = re.compile(
    r"(?:\+\+|--)?(?!return\b|using\b|case\b|default\b)[\w:.\]\[]+(?:\(|->|\+\+;|--;|;| [-+*/|&^]?= )"
)


def masked(line):
    """The line with comments, strings and character literals blanked out, at the same length."""
    blank = re.sub(r'"(?:\\.|[^"\\])*"|(?<!\w)\'(?:\\.|[^\'\\])\'', lambda m: "\0" * len(m[0]), line)
    comment = blank.find("//")
    return blank if comment < 0 else blank[:comment] + "\0" * (len(line) - comment)


def closing(text, opening):
    """The position of the bracket that closes the one at `opening`; -1 if it is not on this line."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return -1


def mutations(line):
    """All single changes of a line of code, each as the new line; none for comments and directives."""
    code = masked(line)
    bare = code.strip(" \0")
    if not bare or bare.startswith(("#", "static_assert", "using ", "namespace ", "template", "}  //")):
        return []
    found = []
    for old, new in SWAPS:
        at = code.find(old)
        while at >= 0:
            found.append(line[:at] + new + line[at + len(old) :])
            at = code.find(old, at + 1)
    for number in NUMBER.finditer(code):
        for value in (int(number[0]) + 1, int(number[0]) - 1):
            if value >= 0:
                found.append(line[: number.start()] + str(value) + line[number.end() :])
    for word in re.finditer(r"\b(if|while) \(", code):
        end = closing(code, word.end() - 1)
        if end < 0:
            continue
        start = code.rfind(";", word.end(), end) + 1 or word.end()
        start += code[start] == " "
        found.append(f"{line[:start]}!({line[start:end]}){line[end:]}")
    indent = line[: len(line) - len(line.lstrip())]
    if bare.endswith(";") and bare.count("(") == bare.count(")") and bare.count("{") == bare.count("}"):
        if STATEMENT.match(bare) or bare == "break;" or bare == "continue;":
            found.append(indent + "{}")
        elif leaves := re.search(r"(?<=\) )(continue|break|return);$", bare):
            found.append(line[: code.index(leaves[0])] + "{}")
        if value := re.search(r"\breturn ([^;{}]+);", code):
            text = line[value.start(1) : value.end(1)]
            other = {"true": "false", "false": "true"}.get(text, "{}")
            found.append(line[: value.start(1)] + other + line[value.end(1) :])
    return list(dict.fromkeys(f for f in found if f != line))


def mutants_of(path, text):
    """(path, number of the line from 1, old line, new line) for each change of a file."""
    return [(path, number, line, new) for number, line in enumerate(text.splitlines(), 1) for new in mutations(line)]


def with_change(text, number, new):
    """The file's text with that line changed, and without warnings that a removed line causes; line numbers stay."""
    lines = text.splitlines()
    lines[number - 1] = new
    return QUIET + "#line 1\n" + "\n".join(lines) + "\n"


def rooms_for(path, rooms, floor, above):
    """Folders of tests for a source file: the nearest first, then those of the floor, then those of higher floors."""
    folder = path.parent.relative_to("cpp/atoll")
    near = next((str(p) for p in (folder, *folder.parents) if str(p) in rooms), None)
    of_floor = [r for r in rooms if r == floor or r.startswith(floor + "/")]
    level = FLOOR.get(floor.split("/")[0], 0)
    higher = [r for r in rooms if above and FLOOR.get(r.split("/")[0], 0) > level]
    return list(dict.fromkeys([*([near] if near else []), *of_floor, *higher]))


def copy_tree():
    """Updates the copy; unchanged files stay untouched, so that they are not rebuilt."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = {n for n in listed.stdout.decode().split("\0") if n and (ROOT / n).is_file()}
    kept = TREE / ".copied"
    for gone in set(kept.read_text().split("\n") if kept.exists() else []) - names:
        (TREE / gone).unlink(missing_ok=True)
    for name in names:
        source, target = ROOT / name, TREE / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    kept.write_text("\n".join(sorted(names)))


def digest():
    """A hash of everything that a verdict depends on."""
    sums = hashlib.sha256()
    for path in sorted(p for top in ("cpp", "tests") for p in (ROOT / top).rglob("*") if p.suffix in (".cpp", ".hpp")):
        sums.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return sums.hexdigest()


def bounded():
    """Limits of a child process: an endless loop cannot exhaust the machine's memory, and no core files are written."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, seconds=None):
    """(exit code, or None after `seconds`; output). Also ends its child processes and removes its temporary files."""
    temporary = WORK / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    env = dict(os.environ, CCACHE_READONLY="1", TMPDIR=str(temporary))
    env.setdefault("ATOLL_DATA", str(ROOT.parent / "shared/data"))
    child = subprocess.Popen(
        [str(c) for c in command],
        cwd=TREE,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=bounded,
    )
    try:
        output, _ = child.communicate(timeout=seconds)
        return child.returncode, output
    except BaseException as e:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        if isinstance(e, subprocess.TimeoutExpired):
            return None, ""
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def test_of(room):
    return "test_" + room.replace("/", "_")


def build(rooms):
    return run(["ninja", "-C", BUILD, *map(test_of, rooms)])


class Tests:
    """The tests of rooms in the copy, and how long each takes without changes."""

    def __init__(self, rooms):
        self.seconds = {}
        for room in rooms:
            begin = time.monotonic()
            code, output = run([BUILD / "bin" / test_of(room)])
            if code not in (0, SKIPPED):
                sys.exit(f"{test_of(room)} fails without any change (so its failures say nothing). Mend it.\n{output}")
            self.seconds[room] = time.monotonic() - begin

    def notice(self, rooms):
        """The room whose tests fail or take too long; None if the change survives."""
        for room in rooms:
            limit = max(LEAST_SECONDS, TIMES_LONGER * self.seconds[room])
            if run([BUILD / "bin" / test_of(room), "--abort-after=1"], limit)[0] not in (0, SKIPPED):
                return room
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("floor", help="a folder under cpp/atoll: graph, or graph/partition")
    parser.add_argument("--limit", type=int, default=50, help="changes that compile (default 50)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--above", action="store_true", help="also run the tests of the floors above")
    options = parser.parse_args()
    floor = options.floor.strip("/")

    files = sorted(p.relative_to(ROOT) for p in (ROOT / "cpp/atoll" / floor).rglob("*.cpp"))
    if not files:
        sys.exit(f"cpp/atoll/{floor} has no .cpp files. Name a folder there, as graph or graph/partition.")
    rooms = sorted({str(p.parent.relative_to(ROOT / "tests")) for p in (ROOT / "tests").rglob("*_test.cpp")})
    tests_for = {p: rooms_for(p, rooms, floor, options.above) for p in files}
    needed = sorted({r for some in tests_for.values() for r in some})
    if not needed:
        sys.exit(f"tests/{floor} has no tests, nor has a folder above it. Name another.")

    TREE.mkdir(parents=True, exist_ok=True)
    copy_tree()
    print(f"building {', '.join(map(test_of, needed))} in {BUILD.relative_to(ROOT)}", file=sys.stderr, flush=True)
    settings = ["-DATOLL_WERROR=ON", "-DATOLL_PYTHON=OFF", "-DATOLL_BENCH=OFF", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"]
    for step in (["cmake", "--preset", "release", *settings], ["ninja", "-C", BUILD, *map(test_of, needed)]):
        code, output = run(step)
        if code != 0:
            sys.exit(output)
    tests = Tests(needed)

    texts = {p: (ROOT / p).read_text(encoding="utf-8") for p in files}
    mutants = [m for p in files for m in mutants_of(p, texts[p])]
    random.Random(options.seed).shuffle(mutants)
    kept = WORK / f"{floor.replace('/', '_')}.json"
    state = json.loads(kept.read_text()) if kept.exists() else {}
    basis = f"{digest()} above={options.above}"
    if state.get("basis") != basis:
        state = {"basis": basis, "verdicts": {}}
    verdicts = state["verdicts"]  # "file:line:new line": the room that noticed it, "" for none, null: does not compile

    counted, survivors = 0, []
    for path, number, old, new in mutants:
        if counted == options.limit:
            break
        key = f"{path}:{number}:{new}"
        if key not in verdicts:
            (TREE / path).write_text(with_change(texts[path], number, new), encoding="utf-8")
            try:
                compiles = build(tests_for[path])[0] == 0
                verdicts[key] = (tests.notice(tests_for[path]) or "") if compiles else None
            finally:
                (TREE / path).write_text(texts[path], encoding="utf-8")
            kept.with_suffix(".new").write_text(json.dumps(state, indent=1))
            kept.with_suffix(".new").replace(kept)
        if verdicts[key] is None:
            continue
        counted += 1
        print(f"{counted} {'noticed' if verdicts[key] else 'SURVIVES'} {path}:{number}", file=sys.stderr, flush=True)
        if not verdicts[key]:
            survivors.append((path, number, old, new))
    for path, number, old, new in sorted(survivors):
        print(f"{path}:{number}\n  - {old.strip()}\n  + {new.strip()}")
    print(f"{len(survivors)} of {counted} changes survive (seed {options.seed}; {len(mutants)} are possible)")


if __name__ == "__main__":
    main()
