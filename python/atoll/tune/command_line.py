# SPDX-License-Identifier: Apache-2.0
"""The fastest values of a program's parameters: `atoll tune --command './prog {x}' --space FILE`.

With --app, of an MPI program in virtual time: `atoll tune --app ./prog --space FILE -- {x}`, over parameters topology,
mapping, mpi and the names of collectives (docs/smpi.md).

Results go to stdout, progress to stderr. --json writes one object, which `--plan FILE` of atoll takes if parameters are
knobs of its plan (`atoll info` lists them).
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import sys
from pathlib import Path

from ..command_line import run_command
from ..errors import UsageError
from ..report.document import plotly_script
from ..report.text import seconds_text
from ..smpi.application import Application
from ..smpi.options import add_options, compile_flags_of, rates_of, settings_of
from ..standard_output import cli_main, put
from .commands import Command, Objective
from .pages import page
from .samplers import SAMPLERS
from .search import minimize
from .space import Space
from .trials import Trial
from .tuner import Tuner

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="atoll tune", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--command", help="what is run, with {parameter} where a value belongs; no shell")
    what.add_argument(
        "--app", metavar="PROGRAM|SOURCE", help="an MPI program, under SimGrid's SMPI; its arguments come behind --"
    )
    parser.add_argument("--space", required=True, metavar="FILE", help="parameters and values, JSON or TOML")
    parser.add_argument("--trials", type=int, default=100, help="so many in all, the store's included (default 100)")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--sampler", default="tpe", choices=list(SAMPLERS), help="which point comes next (default tpe)")
    parser.add_argument("--seed", type=int, default=1, help="of the sampler (default 1)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="of a trial; it is killed with its children")
    parser.add_argument("--jobs", type=int, default=1, help="trials at a time (default 1)")
    parser.add_argument("--repeats", type=int, default=1, help="runs of a trial; the median counts (default 1)")
    parser.add_argument(
        "--measure",
        help="of --command: wall: its seconds (default); stdout: the last number that it prints; json:seconds.run: "
        "that member of the object that it prints; match:PATTERN: the group in the last match of a regular expression",
    )
    parser.add_argument("--store", metavar="FILE", help="keep the trials there; go on from it where it exists")
    parser.add_argument("--report", metavar="FILE.html", help="write a page with the figures of the search")
    parser.add_argument("--json", metavar="FILE|-", help="write the result as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="no progress on stderr")
    parser.add_argument("--map", metavar="FILE|METHOD", help="of --app, where the space has no parameter mapping")
    add_options(parser)
    return parser


@cli_main
def main(words: list[str] | None = None) -> int:
    """The command; returns the exit code."""
    logging.getLogger("atoll").addHandler(handler := logging.StreamHandler())
    handler.setFormatter(logging.Formatter("atoll: %(levelname)s: %(message)s"))
    try:
        return run_command("tune", _parser(), words, _tune)
    finally:
        logging.getLogger("atoll").removeHandler(handler)


def _objective(options: argparse.Namespace, arguments: list[str], folder: Path) -> Objective:
    if options.app is None:
        if options.compile_flags:
            raise UsageError("--compile-flags with --command (nothing is compiled). Leave them out.")
        if arguments:
            raise UsageError(f"-- {' '.join(arguments)} with --command (its words are all in there). Put them into it.")
        return Command(options.command, options.measure or "wall")
    if options.measure is not None:
        raise UsageError(f"--measure {options.measure} with --app (its simulated seconds count). Leave it out.")
    return Application(
        options.app,
        arguments,
        folder,
        platform=options.platform,
        mapping=options.map,
        ranks=options.ranks,
        settings=settings_of(options),
        rates=rates_of(options),
        compile_flags=compile_flags_of(options),
    )


def _tune(options: argparse.Namespace, arguments: list[str], folder: Path) -> int:
    if options.report is not None:
        plotly_script()  # what a page needs is missed before the search, not after it
    space = Space.read(options.space)
    objective = _objective(options, arguments, folder)
    progress = None if options.quiet else _Progress(min(options.trials, len(space)))
    tuner = minimize(
        objective,
        space,
        trials=options.trials,
        seconds=options.seconds,
        sampler=options.sampler,
        seed=options.seed,
        jobs=options.jobs,
        timeout=options.timeout,
        repeats=options.repeats,
        store=options.store,
        progress=progress,
    )
    if progress is not None:
        progress.end()
    result = tuner.to_json()
    if options.json is not None:
        put(options.json, json.dumps(result, indent=2) + "\n")
    if options.report is not None:
        put(options.report, page([result]))
    if tuner.best is None:
        why = f": {tuner.trials[-1].detail}" if tuner.trials else " had no time"
        message = f"none of {len(tuner.trials)} trials came to a time (the last{why}). Correct the command."
        print(f"atoll: error: {message}", file=sys.stderr)
        return 1
    if options.json != "-":
        print(_text(tuner, result), end="")
    return 0


def _text(tuner: Tuner, result: dict) -> str:
    found = result["result"]
    rows = [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in found["best"].items()]
    rows += [
        ("seconds", seconds_text(found["seconds"])),
        ("speedup over the first trial", f"{found['speedup']:.3g}"),
        ("trials", f"{found['tried']} of {found['points']} points, {found['failed']} failed"),
        ("trials to 90 % of the best", str(found["trials_to_90_percent"])),
    ]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:<{width}}  {value}\n" for name, value in rows)


class _Progress:
    """A line on stderr for each trial; on a terminal one line that changes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._moving = sys.stderr.isatty()

    def __call__(self, tuner: Tuner) -> None:
        trial, best = tuner.trials[-1], tuner.best
        line = f"atoll: trial {len(tuner.trials)} of {self._most}: {_outcome(trial)}"
        if best is not None:
            line += f"; best {seconds_text(best.seconds)} with " + ", ".join(f"{k} {v}" for k, v in best.point.items())
        sys.stderr.write(f"\r{line}\x1b[K" if self._moving else line + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        if self._moving:
            sys.stderr.write("\n")


def _outcome(trial: Trial) -> str:
    return seconds_text(trial.seconds) if math.isfinite(trial.seconds) else f"{trial.status} ({trial.detail})"


if __name__ == "__main__":
    sys.exit(main())
