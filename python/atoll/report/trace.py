# SPDX-License-Identifier: Apache-2.0
"""A run in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.

A result has durations, not the moments at which they began. So phases, trials and rounds are laid one behind the other,
in the order in which they happened, and nothing else is claimed: what has no place in time (bytes by level, seconds by
what they went to) is an argument of the event of the run.

Format: "Trace Event Format", Google, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU:
complete events ("ph": "X") with ts and dur in microseconds, instants ("i"), names of processes and threads ("M").
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .._core import VERSION
from .results import check, is_search
from .runs import Run, round_name, runs_of, titles

__all__ = ["trace"]

Event = dict[str, Any]
_PHASES, _PARTS, _ROUNDS = 1, 2, 3  # numbers of threads: one would not do, as parts may sum to more than their whole
_THREADS = {_PHASES: "phases", _PARTS: "parts of phases", _ROUNDS: "rounds of the last search"}
_SAYS = (
    "Durations are those of the result, each the slowest rank's. Beginnings are not in it: events stand one behind the "
    "other in the order in which they happened, without the gaps between them; checks between trials stand behind all."
)


def trace(*results: dict[str, Any], names: Sequence[str] | None = None) -> str:
    """Result objects of the command as one trace, a process each (of `atoll simulate`, each route).

    Parameters
    ----------
    results : dict              as `--json` writes them
    names : list of str         what the processes are called (default: the commands)

    Returns
    -------
    str                         JSON; ts and dur in microseconds

    Raises
    ------
    InputError                  no result of this version's schema

    Examples
    --------
    >>> import json
    >>> text = atoll.report.trace({"schema": 1, "command": "run bfs", "seconds": {"load": 0.5, "run": 0.25}})
    >>> [(e["name"], e["ts"], e["dur"]) for e in json.loads(text)["traceEvents"] if e["ph"] == "X"]
    [('load', 0, 500000.0), ('run', 500000.0, 250000.0)]
    """
    for result in results:
        check(result)
    events: list[Event] = []
    process = 0
    for result, name in zip(results, titles(names or [result["command"] for result in results])):
        if is_search(result):
            process += 1
            events += _named(process, name, {_PHASES: "trials"}) + _search(result, process)
            continue
        for run in runs_of(result, name):
            process += 1
            found = _run(run, process)
            used = {event["tid"] for event in found}
            events += _named(process, run.name, {t: n for t, n in _THREADS.items() if t in used}) + found
    whole = {
        "displayTimeUnit": "ms",
        "otherData": {"made_by": f"Atoll {VERSION}", "about": _SAYS},
        "traceEvents": events,
    }
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def _named(process: int, name: str, threads: dict[int, str]) -> list[Event]:
    common = {"ph": "M", "ts": 0, "pid": process}
    events = [common | {"name": "process_name", "tid": 0, "args": {"name": name}}]
    return events + [
        common | {"name": "thread_name", "tid": thread, "args": {"name": text}} for thread, text in threads.items()
    ]


def _complete(name: str, begin: float, seconds: float, process: int, thread: int, args: Event) -> Event:
    event = {"name": name, "cat": "atoll", "ph": "X", "ts": begin, "dur": seconds * 1e6, "pid": process, "tid": thread}
    return event | ({"args": args} if args else {})


def _run(run: Run, process: int) -> list[Event]:
    events: list[Event] = []
    at: float = 0
    for phase, seconds in run.phases.items():
        first = at
        if phase == "run" and run.trials:
            begin = at
            for n, duration in enumerate(run.trials, 1):
                begin = at
                args = {"computation_seconds": run.computation[n - 1]} if run.computation else {}
                events.append(
                    _complete(f"trial {n}" if len(run.trials) > 1 else "run", at, duration, process, _PHASES, args)
                )
                at += duration * 1e6
            _with_counts(events[-1], run)
            events += _behind([(round_name(one), one["seconds"], one) for one in run.rounds], begin, process)
        else:
            events.append(_complete(phase, at, seconds, process, _PHASES, {}))
            at += seconds * 1e6
            if phase == "run":
                _with_counts(events[-1], run)
        if parts := run.parts.get(phase):
            events += _behind([(name, value, {}) for name, value in parts.items()], first, process, _PARTS)
    return events


def _with_counts(event: Event, run: Run) -> None:
    """Sums over all ranks and trials, which have no place in time."""
    counts: dict[str, Any] = {}
    if run.breakdown:
        counts["rank_seconds_of_all_trials"] = run.breakdown
    for level in run.levels:
        counts[f"level {level['level']} {level['kind']}"] = {key: level[key] for key in ("messages", "bytes")}
    if run.predicted:
        counts["times"] = "predicted: ranks in virtual time"
    if counts:
        event["args"] = event.get("args", {}) | counts


def _behind(
    rows: Sequence[tuple[str, float, dict[str, Any]]], begin: float, process: int, thread: int = _ROUNDS
) -> list[Event]:
    events = []
    for name, seconds, args in rows:
        events.append(_complete(name, begin, seconds, process, thread, args))
        begin += seconds * 1e6
    return events


def _search(result: dict[str, Any], process: int) -> list[Event]:
    events: list[Event] = []
    at: float = 0
    for n, trial in enumerate(result["result"]["trials"], 1):
        args = {"point": trial["point"], "status": trial["status"], "detail": trial["detail"]}
        if trial["seconds"] is None:  # it ended, but nobody knows when
            common = {"name": f"trial {n}", "cat": "atoll", "ph": "i", "s": "t", "ts": at}
            events.append(common | {"pid": process, "tid": _PHASES, "args": args})
            continue
        events.append(_complete(f"trial {n}", at, trial["seconds"], process, _PHASES, args))
        at += trial["seconds"] * 1e6
    return events
