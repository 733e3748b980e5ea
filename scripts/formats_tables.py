#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/formats.md that follow from the tables of the code: formats, and headings of columns.

.venv/bin/python scripts/formats_tables.py            # writes them
.venv/bin/python scripts/formats_tables.py --check    # leaves with 1 if they are not current
"""

import argparse
import re
import sys
from pathlib import Path

from atoll import _core
from atoll.interchange import graph_files

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "formats.md"
BLOCK = re.compile(r"(<!-- (\w+): made by scripts/formats_tables.py -->\n).*?(<!-- end -->)", re.S)


def formats():
    rows = ["| `--format`, `format=` | endings | what it is | read by |\n|---|---|---|---|\n"]
    endings = _core.file_endings()
    for name, about in _core.file_formats().items():
        known = ", ".join(f"`{ending}`" for ending in endings[name].split())
        rows.append(f"| `{name}` | {known} | {about} | the command and Python |\n")
    for name, about in graph_files.FORMATS.items():
        known = ", ".join(f"`{ending}`" for ending in graph_files._ENDINGS[name])
        rows.append(f"| `{name}` | {known} | {about} | Python and `atoll table` |\n")
    return "".join(rows)


def headings():
    words = _core.heading_words()

    def pairs(kind):
        return ", ".join("`{}` `{}`".format(*pair.split()) for pair in words[kind])

    def singles(kind):
        return ", ".join(f"`{word}`" if word else "(none)" for word in words[kind])

    return (
        "| what a column is | headings |\n|---|---|\n"
        f"| source and target | {pairs('certain ends')}; one word with either, as `source gene` `target gene` |\n"
        f"| the same, where no pair above is there | {pairs('ends')}; one word numbered, as `gene1` `gene2` |\n"
        f"| weight | {singles('weights')} |\n"
        f"| number of the row, as a first column | {singles('indexes')}, `Unnamed: 0` |\n"
        f"| relation of a triple, between `head` and `tail` | {singles('relations')} |\n"
    )


TABLES = {"formats": formats, "headings": headings}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    before = PAGE.read_text(encoding="utf-8")
    after = BLOCK.sub(lambda block: block[1] + "\n" + TABLES[block[2]]() + "\n" + block[3], before)
    if after == before:
        return 0
    if options.check:
        print(f"{PAGE.relative_to(ROOT)}: its tables are not those of the code. Run scripts/formats_tables.py.")
        return 1
    PAGE.write_text(after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
