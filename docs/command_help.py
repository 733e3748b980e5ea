# SPDX-License-Identifier: Apache-2.0
"""Collects the `--help` of each verb of the command, found from the help itself."""

import os
import re
import subprocess
import sys
from pathlib import Path

BIN = Path(__file__).resolve().parent.parent / "bin"

# Verbs by name, two spaces in front (four where Python's argparse lists them).
ROW = re.compile(r"^ {2}(?: {2})?([a-z][a-z0-9_-]*)(?: {2,}\S|$)", re.MULTILINE)
PLACEHOLDERS = {"VERB", "WHAT", "ALGORITHM"}


def help_of(command):
    """Returns the output of `COMMAND --help`; of a command as `atoll run bfs`, or of a program as `atoll-tune`."""
    program, *words = command.split()
    env = {**os.environ, "PATH": f"{BIN}:/usr/bin:/bin", "COLUMNS": "98", "NO_COLOR": "1"}  # no verbs from elsewhere
    try:
        done = subprocess.run([BIN / program, *words, "--help"], env=env, capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        sys.exit(f"docs: there is no bin/{program} (it has the help of the verbs). Run make build.")
    if done.returncode != 0:
        sys.exit(f"docs: `{command} --help` ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def commands_below(command, text):
    """The commands that the help of `command` leads to: those of its list, and those whose help it names."""
    found = []
    usage = re.search(rf"^usage: {re.escape(command)}(?: \[-h\])? (\S+)", text, re.MULTILINE)
    if usage and usage[1] in PLACEHOLDERS:
        found += [f"{command} {word}" for word in ROW.findall(text)]
    elif usage and usage.start() == 0 and usage[1].isalpha() and usage[1].islower():
        found.append(f"{command} {usage[1]}")
    found += re.findall(r"`(atoll[a-z -]*) --help`", re.sub(r"\s+", " ", text))
    return found


def all_commands():
    """(command, help) of all there are, each directly before what it leads to."""
    known = {}

    def visit(command):
        if command not in known:
            known[command] = help_of(command)
            for below in commands_below(command, known[command]):
                visit(below)

    visit("atoll")
    return list(known.items())
