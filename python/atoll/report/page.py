# SPDX-License-Identifier: Apache-2.0
"""The page of one result or of several."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from . import answer, compare, domains, time_figures
from .document import Section, document
from .figure import Figure
from .results import check, is_search
from .runs import Run, runs_of, titles
from .text import table

__all__ = ["page", "sections"]

MOST_ROWS = 200


def page(*results: dict[str, Any], names: Sequence[str] | None = None) -> str:
    """The page of result objects of the command: of one run, of several beside each other, of searches.

    Parameters
    ----------
    results : dict              as `--json` writes them
    names : list of str         what they are called, if there are several (default: their commands)

    Returns
    -------
    str                         a file of HTML of some 2 MB: Plotly.js is inside

    Raises
    ------
    InputError                  no result of this version's schema
    UsageError                  plotly is not installed

    Examples
    --------
    >>> atoll.report.page({"schema": 1, "command": "run bfs", "counters": {}, "seconds": {}})[:15]
    '<!doctype html>'
    """
    for result in results:
        check(result)
    alike = {result["command"] for result in results}
    return document("atoll " + alike.pop() if len(alike) == 1 else "atoll runs", sections(results, names))


def sections(results: Sequence[dict[str, Any]], names: Sequence[str] | None = None) -> list[Section]:
    """Returns the sections of page()."""
    searches = [k for k, result in enumerate(results) if is_search(result)]
    others = [k for k in range(len(results)) if k not in searches]
    called = titles(names or ([result["command"] for result in results] if len(results) > 1 else [""]))
    found: list[Section] = []
    runs = [run for k in others for run in runs_of(results[k], called[k])]
    if len(runs) > 1:
        found.append(_beside(runs, [results[k] for k in others], [called[k] for k in others]))
    found += [_section(run, single=len(results) == len(runs) == 1) for run in runs]
    if searches:
        from ..tune import pages  # the searches' figures use this package's

        found += pages.sections(
            [results[k] for k in searches], None if names is None else [called[k] for k in searches]
        )
    return found


def _beside(runs: list[Run], results: list[dict[str, Any]], names: list[str]) -> Section:
    rows, head = compare.summary(runs)
    body = [table(rows, head, name="Runs")]
    differing = compare.differences(results) if len(results) > 1 else []
    if differing:
        body += ["<h3>What differs</h3>", table(differing, ["", *names], name="What differs")]
    elif len(results) > 1:
        body.append('<p class="note">They were asked alike: the same command, input, plan and ranks.</p>')
    return Section("Beside each other", body, compare.figures(runs))


def _section(run: Run, *, single: bool) -> Section:
    facts = [
        [name, f"{value:,}" if type(value) is int else f"{value:.6g}" if type(value) is float else value]
        for name, value in run.facts
    ]
    body = [table(facts, name="Facts")] if facts else []
    figures: list[Figure | None] = [
        *answer.figures(run),
        time_figures.breakdown([(run.name if not single else "run", run.breakdown)]) if run.breakdown else None,
        time_figures.phases(run),
        *time_figures.parts(run),
        time_figures.trials(run),
        time_figures.rounds(run),
        *time_figures.forecasts(run),
        domains.levels(run),
        domains.tree(run),
        domains.matrix(run),
        time_figures.training(run),
    ]
    for name, rows in run.tables.items():
        keys = list(dict.fromkeys(key for row in rows for key in row))
        cut = f" (the first {MOST_ROWS} of {len(rows)})" if len(rows) > MOST_ROWS else ""
        title = name.replace("_", " ") + cut
        numbered = [[k, *(row.get(key) for key in keys)] for k, row in enumerate(rows[:MOST_ROWS], 1)]
        body.append(
            f"<details><summary>{html.escape(title)}</summary>{table(numbered, ['', *keys], name=title)}</details>"
        )
    drawn = [figure for figure in figures if figure is not None]
    body += _lacks(run, {figure.title for figure in drawn})
    return Section("The run" if single else run.name, body, drawn)


def _lacks(run: Run, drawn: set[str]) -> list[str]:
    """Returns sentences that name the figures missing on this page and the data that they need."""
    missing = []
    if "Where the time went" not in drawn:
        missing.append("no seconds by computation and communication, so nothing says where the ranks' time went")
    if "What crossed each level" not in drawn:
        missing.append("no messages between ranks")
    if "The tree of domains" not in drawn:
        missing.append("no tree of more than one domain")
    if "Who sent to whom" not in drawn:
        missing.append("no matrix of traffic (jobs of more than 64 ranks write none, nor does a single rank)")
    if not any(title.startswith("Predicted") for title in drawn):
        missing.append("no prediction to hold against what was measured")
    missing.append(
        "no times of single ranks (a result has sums over ranks, and of trials and rounds the slowest rank's), so "
        "there is no timeline of ranks" + ("; that of rounds is below" if "Round after round" in drawn else "")
    )
    items = "".join(f"<li>{html.escape(one)}</li>" for one in missing)
    return [f"<details><summary>What this file lacks</summary><ul>{items}</ul></details>"]
