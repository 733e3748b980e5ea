#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NetworkX's own tests, all of them, through the backend: what fails is listed in docs/networkx.md, with the reason.

scripts/check_networkx.py                    # leaves with 1 if a test fails that is not listed, or a listed one passes
scripts/check_networkx.py --round priority   # one of the rounds
scripts/check_networkx.py --table            # writes the tables of docs/networkx.md; --table --check: are they current?

In the round "test" NetworkX converts each graph of each call and compares what comes back; in the round "priority" it
hands calls over as it does to users who name atoll in NETWORKX_BACKEND_PRIORITY, however small the graph is. A function
that atoll does not have, or not for the arguments at hand, is NetworkX's in both.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "networkx.md"
# {"why they fail": [tests, which fail in both rounds]}
EXPECTED = Path(__file__).with_name("networkx_suite.json")
BLOCK = re.compile(r"(<!-- (\w+): made by scripts/check_networkx.py -->\n).*?(<!-- end -->)", re.S)

ROUNDS = {
    "test": {"NETWORKX_TEST_BACKEND": "atoll", "NETWORKX_FALLBACK_TO_NX": "True"},
    # NetworkX's tests change graphs behind its back (G[u][v]["weight"] = 2), after which what it keeps is out of date.
    "priority": {
        "NETWORKX_BACKEND_PRIORITY_ALGOS": "atoll",
        "NETWORKX_BACKEND_PRIORITY_GENERATORS": "atoll",
        "NETWORKX_CACHE_CONVERTED_GRAPHS": "",
    },
}
SMALL_GRAPHS_TOO = (
    "import atoll.networkx, pytest, sys; atoll.networkx.should_run = lambda *_: True; sys.exit(pytest.main())"
)


def failures(name, arguments):
    """{test: the first line of its error} of a round, and those that passed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        start = ["-m", "pytest"] if name == "test" else ["-c", SMALL_GRAPHS_TOO]
        options = ["-q", "--tb=short", "-p", "no:cacheprovider", f"--junitxml={report}", *arguments]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("NETWORKX_")} | ROUNDS[name]
        environment["ATOLL_THREADS"] = "1"  # graphs of a few nodes, on which threads would wait for each other
        done = subprocess.run([sys.executable, *start, *options, "--pyargs", "networkx"], env=environment, cwd=folder)
        if not report.exists() or done.returncode > 1:
            sys.exit(f"check_networkx: pytest left with {done.returncode} (its tests did not run to the end).")
        cases = list(ET.parse(report).getroot().iter("testcase"))
    found, passed = {}, set()
    for case in cases:
        test = f"{case.get('classname')}::{case.get('name')}"
        if len(case) == 0:
            passed.add(test)
        for fault in (*case.iter("failure"), *case.iter("error")):
            lines = (fault.get("message") or fault.text or "").strip().splitlines()
            found[test] = lines[0] if lines else ""
    return found, passed


def check(rounds, arguments):
    wrong = 0
    listed = {test for tests in json.loads(EXPECTED.read_text()).values() for test in tests}
    for name in rounds:
        found, passed = failures(name, arguments)
        print(f"{name}: {len(passed)} passed, {len(found)} failed, {len(listed)} listed")
        new, mended = found.keys() - listed, listed & passed
        for test in sorted(new):
            print(f"  fails, and is not listed: {test}\n    {found[test]}")
        for test in sorted(mended):
            print(f"  is listed, and passes: {test}")
        wrong += len(new) + len(mended)
    return 1 if wrong else 0


def declined():
    sys.path.insert(0, str(ROOT / "python"))
    from _nx_atoll import FUNCTIONS

    names = {}
    for name, why in FUNCTIONS.items():
        names.setdefault(why or "All calls run.", []).append(f"`{name}`")
    rows = "".join(f"| {', '.join(of)} | {why} |\n" for why, of in names.items())
    return f"| functions | what falls back to NetworkX, and what may differ |\n|---|---|\n{rows}"


def failing():
    rows = "".join(
        f"| {', '.join(f'`{test}`' for test in tests)} | {why} |\n"
        for why, tests in json.loads(EXPECTED.read_text()).items()
    )
    return f"| tests | why they fail, in both rounds |\n|---|---|\n{rows}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--round", choices=ROUNDS, help="one of the rounds instead of both")
    parser.add_argument("--table", action="store_true", help="write the tables of docs/networkx.md instead")
    parser.add_argument("--check", action="store_true", help="with --table: only say whether they are current")
    parser.add_argument("arguments", nargs="*", help="of pytest, behind --")
    args = parser.parse_args()
    if not args.table:
        return check([args.round] if args.round else list(ROUNDS), args.arguments)
    page = PAGE.read_text()
    made = {"declined": declined, "failing": failing}
    current = BLOCK.sub(lambda block: block[1] + made[block[2]]() + block[3], page)
    if args.check:
        if page != current:
            print(f"{PAGE.name} is not current (its tables are made). Run scripts/check_networkx.py --table.")
        return int(page != current)
    PAGE.write_text(current)
    return 0


if __name__ == "__main__":
    sys.exit(main())
