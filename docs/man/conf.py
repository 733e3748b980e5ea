# SPDX-License-Identifier: Apache-2.0
"""The manual page atoll.1 of `make man`: the help of every verb, as the program prints it (../command_help.py)."""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(DOCS))  # command_reference, command_help

project = "Atoll"
release = re.search(r"^  VERSION ([0-9.]+)", (DOCS.parent / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
version = release
extensions = ["command_reference"]
man_pages = [("index", "atoll", "distributed graphs on one engine", [], 1)]
