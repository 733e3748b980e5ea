# SPDX-License-Identifier: Apache-2.0
"""Draws the --json of runs, as a page or as a trace: `atoll report RUN.json... [-o PAGE.html] [--trace FILE]`.

The page is one file, which opens from disk and asks no other host: where the time went, bytes per link of the tree of
domains, who sent to whom, how the rounds followed each other, predicted beside measured, several runs beside each
other; of `atoll tune`, the progress of searches. Plotly draws it (`pip install plotly`, or the extra `report`).
"""

from .command_line import main
from .page import page
from .trace import trace

__all__ = ["main", "page", "trace"]
