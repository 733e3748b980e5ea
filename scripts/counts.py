#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what keeps the house surveyable: the largest folders, public headers, dynamic symbols, files per algorithm.

scripts/counts.py                      # of this checkout; symbols of build/release/lib/libatoll.so, if it is built
scripts/counts.py kcore --show         # which files name that algorithm
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithm", nargs="?", default="kcore", help="as in `atoll run NAME` (default kcore)")
    parser.add_argument("--show", action="store_true", help="the files that name the algorithm, too")
    parser.add_argument("--folders", type=int, default=5, help="so many of the largest folders (default 5)")
    parser.add_argument("--library", type=Path, default=ROOT / "build/release/lib/libatoll.so")
    parser.add_argument("--json", action="store_true", help="one object, with all that is named, instead of text")
    args = parser.parse_args()

    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    files = [Path(name) for name in files if name and (ROOT / name).is_file()]
    others = [file for file in files if (ROOT / file) != Path(__file__).resolve()]  # this one names kcore
    folders = Counter(file.parent.as_posix() for file in files).most_common(args.folders)
    headers = re.findall(r"^[a-z-]+ atoll/", (ROOT / "cmake/public_headers.txt").read_text(), re.MULTILINE)
    word = re.compile(rf"(?<![A-Za-z0-9]){args.algorithm}(?![A-Za-z0-9])")  # kcore_row() names it, too
    naming = [file.as_posix() for file in others if word.search(f"{file} {text_of(ROOT / file)}")]
    counts = {"largest_folders": dict(folders), "public_headers": len(headers), "dynamic_symbols": None}
    if args.library.exists():
        command = ["nm", "--dynamic", "--defined-only", args.library]
        counts["dynamic_symbols"] = len(subprocess.check_output(command, text=True).splitlines())
    counts["files_naming"] = {args.algorithm: naming}
    if args.json:
        return print(json.dumps(counts, indent=1))
    for folder, count in folders:
        print(f"{count:6} files in {folder}")
    print(f"{len(headers):6} public headers")
    if counts["dynamic_symbols"] is None:
        print(f"     ? dynamic symbols ({args.library} is not built)")
    else:
        print(f"{counts['dynamic_symbols']:6} dynamic symbols")
    print(f"{len(naming):6} files name {args.algorithm}", *(naming if args.show else []), sep="\n       ")


def text_of(file):
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""  # a picture


if __name__ == "__main__":
    sys.exit(main())
