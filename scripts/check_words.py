#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks how comments and docstrings begin: a sentence that opens with one of WORDS has no subject.

"Of a rank that has copies" or "What is fetched" leaves the reader without a noun: say who does what, and begin the
docstring of a function with a verb ("Returns ..."). Prints each comment that breaks the rule and exits with 1.

    scripts/check_words.py [root of the repository]
"""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

FOLDERS = ("bench", "cpp", "docs", "examples", "python", "scripts", "tests")
SUFFIXES = {".c", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".py"}
WORDS = re.compile(r"(Of|What|Those|As|So many)\b")
COMMENT = re.compile(r"\s*//[/!]?\s*(.*)")
BEHIND = re.compile(r".*\S.*?\s//[/!]?<?\s+(.*)")  # a comment behind code
GENERATED = re.compile(r"(^|/)(\.|_?build|node_modules)")


def begins_in_cpp(text):
    """Yields the line and the text of each first line of a comment."""
    goes_on = False
    for number, line in enumerate(text.splitlines(), 1):
        match = COMMENT.fullmatch(line)
        if match and not goes_on:
            yield number, match[1]
        elif not match and (behind := BEHIND.fullmatch(line)):
            yield number, behind[1]
        goes_on = bool(match)


def begins_in_python(text):
    """Yields the line and the text of each docstring and of each first line of a comment."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield node.body[0].lineno, docstring
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            number, whole_line = token.start[0], not token.line[: token.start[1]].strip()
            if not whole_line or last != number - 1:
                yield number, token.string.lstrip("# ")
            last = number if whole_line else 0


def found_in(path):
    """Returns (line, message) of each comment in the file that breaks the rule."""
    text = path.read_text(encoding="utf-8")
    begins = begins_in_python if path.suffix == ".py" else begins_in_cpp
    found = []
    for number, words in sorted(begins(text)):
        match = WORDS.match(words)
        if match:
            found.append((number, f"begins with '{match[1]}' (which is no subject). Say who does what"))
    return found


def problems(root):
    """Yields a line for each comment that breaks the rule."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in SUFFIXES and path.is_file() and not GENERATED.search(name):
                yield from (f"{name}:{number}: {message}." for number, message in found_in(path))


def main(root):
    wrong = list(problems(root))
    for line in wrong:
        print(line)
    print(f"words: {len(wrong)} lines against the rule", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent))
