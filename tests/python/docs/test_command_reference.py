# SPDX-License-Identifier: Apache-2.0
"""The reference of the command has every verb that the tables of the program have."""

import importlib.util
import json
import re
import subprocess

import pytest
from pages import ROOT

# A row of a table of verbs: its name, a sentence, its function.
ROW = re.compile(r'\{"([a-z0-9-]+)",\s*"(?:[^"\\]|\\.)*",\s*(verb|bench|model)_\w+\}')


@pytest.fixture(scope="module")
def listed():
    assert (ROOT / "bin/atoll").exists(), "bin/atoll is not built. Run make build."
    spec = importlib.util.spec_from_file_location("command_help", ROOT / "docs/command_help.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.all_commands())


def test_every_row_of_the_tables_is_there(listed):
    rows = [row for file in (ROOT / "cpp/cli").rglob("*.cpp") for row in ROW.findall(file.read_text())]
    assert len(rows) > 20
    assert {f"atoll {name}" if table == "verb" else f"atoll {table} {name}" for name, table in rows} <= set(listed)


def test_every_algorithm_and_every_program_is_there(listed):
    done = subprocess.run([ROOT / "bin/atoll", "run", "--list", "--json", "-"], capture_output=True, check=True)
    for row in json.loads(done.stdout)["result"]["algorithms"]:
        assert f"atoll run {row['name']}" in listed
    assert {"atoll apsp query", "atoll map --measure", "atoll model predict apsp", "atoll kg import"} <= set(listed)
    assert {"atoll report", "atoll serve", "atoll-tune", "atoll-simulate"} <= set(listed)


def test_each_help_is_that_of_its_command(listed):
    assert len(set(listed.values())) == len(listed)
    for command, text in listed.items():
        words = command.removesuffix(" --measure").replace("atoll-", "atoll ")
        assert f"usage: {words}" in text
