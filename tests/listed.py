# SPDX-License-Identifier: Apache-2.0
"""The listed algorithms, for tests that hold for every one: name -> row of `atoll run --list --json -`."""

import json
import subprocess
from pathlib import Path

ATOLL = Path(__file__).parents[1] / "bin/atoll"
assert ATOLL.exists(), "make build makes bin/atoll"
LISTED = subprocess.check_output([ATOLL, "run", "--list", "--json", "-"], text=True, timeout=120)
ALGORITHMS = {row["name"]: row for row in json.loads(LISTED)["result"]["algorithms"]}
