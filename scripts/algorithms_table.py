#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/algorithms.md that follow from the rows of the catalog (cpp/atoll/catalog).

scripts/algorithms_table.py            # writes them, from what bin/atoll lists
scripts/algorithms_table.py --check    # leaves with 1 if they are not current
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "algorithms.md"
BLOCK = re.compile(r"(<!-- (\w+): made by scripts/algorithms_table.py -->\n).*?(<!-- end -->)", re.S)


def links(files):
    return ", ".join(f"[{file}](../cpp/atoll/{file})" for file in files)


def forms(rows):
    head = "| `atoll run` | Python | what it gives | on one rank | over ranks | source |\n|---|---|---|---|---|---|\n"
    return head + "".join(
        f"| `{row['name']}` | `{row['python']}` | {row['gives']} | {links(row['on_one_rank'])} | "
        f"{links(row['over_ranks'])} | {row['reference']} |\n"
        for row in rows
    )


def contracts(rows):
    head = (
        "| `atoll run` | graphs | weights | self-loops | multi-edges | columns, the default first |\n"
        "|---|---|---|---|---|---|\n"
    )
    return head + "".join(
        "| `{name}` | {graphs} | {weights} | {self_loops} | {multi_edges} | {columns} |\n".format(
            name=row["name"],
            columns=", ".join(f"`{c['name']}` ({c['type']})" for c in row["columns"]),
            **row["contract"],
        )
        for row in rows
    )


TABLES = {"forms": forms, "contracts": contracts}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--atoll", default=ROOT / "bin" / "atoll", help="the command that lists the rows")
    options = parser.parse_args()
    listed = subprocess.run([options.atoll, "run", "--list", "--json", "-"], capture_output=True, text=True, check=True)
    rows = json.loads(listed.stdout)["result"]["algorithms"]
    before = PAGE.read_text(encoding="utf-8")
    found = {match[2] for match in BLOCK.finditer(before)}
    if found != TABLES.keys():
        sys.exit(f"{PAGE}: has the blocks {sorted(found)} (there are {sorted(TABLES)}). Put the missing ones in.")
    after = BLOCK.sub(lambda match: match[1] + TABLES[match[2]](rows) + match[3], before)
    if after == before:
        return 0
    if options.check:
        print(f"{PAGE.relative_to(ROOT)}: its tables are not those of the rows. Run scripts/algorithms_table.py.")
        return 1
    PAGE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
