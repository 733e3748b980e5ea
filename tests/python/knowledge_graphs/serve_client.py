# SPDX-License-Identifier: Apache-2.0
"""A small graph that is served, for tests: in this process, or by a process of its own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

from atoll import kg
from kg_folder import make

# 0 - 1 - 2 in a row, 0 - 3 - 2 beside it, 4 - 5 apart; curated 0 - 1, 1 - 2.
ROWS = [(0, 1, 9), (1, 2, 7), (0, 3, 1), (2, 3, 2), (4, 5, 3)]
CURATED = [(0, 1), (1, 2), (2, 3)]
MAPPINGS = [(0, 0), (1, 1), (2, 2), (4, 3), (4, 2)]
NAMES = ["Multiple Sclerosis", "Heart failure", "=cmd|' /C calc'!A0", 'Sjögren\'s, "syndrome"', "Zinc", "<b>Twin</b>"]


def served_folder(folder):
    """A built folder of six concepts L0 to L5 of the types disease, gene, drug, disease, gene, drug."""
    make(folder, ROWS, CURATED, MAPPINGS, n=6)
    with kg.Store.writing(folder) as store:
        for number, name in enumerate(NAMES):
            store.sql("update concepts set name = ? where graph = 'literature' and concept = ?", [name, number])
        store.sql("insert into synonyms values ('literature', 0, 'MS', 0), ('literature', 1, 'twin', 0)")
        store.sql("insert into synonyms values ('literature', 3, 'twin', 0)")
    kg.build(folder)
    return folder


@contextlib.contextmanager
def server(folder, *words, environment=None):
    """(address, process) of `atoll serve` in a process of its own."""
    command = [sys.executable, "-m", "atoll.serve.command_line", str(folder), "--port", "0", *words]
    # Changes of signals in the tests' own process must not be inherited.
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        line = process.stderr.readline()
        address = re.search(r"at (http://\S+)/\n", line)
        assert address, line + process.stderr.read()
        yield address[1], process
    finally:
        process.kill()
        process.communicate()


def get(url, headers=None, data=None):
    """(status, headers, body) of an answer, errors too."""
    request = urllib.request.Request(url, data, headers or {})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as e:
        return e.code, e.headers, e.read()
