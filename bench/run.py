#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the cases of cases.json with the command that users have, and prints one table.

    bench/run.py                       every case; one whose input is not at hand is left out
    bench/run.py 'bfs-*' --input bfs-kron20-1x2=kron20.el \\
        --peer bfs-kron20-1x2='OMP_NUM_THREADS=2 bfs -f kron20.sg -n 16'

A case names its baseline: a peer, another case, or something that the verb itself measures. A peer's command is given
by the user; its runs alternate with ours, and its figure is parsed from its output, or is its run time in seconds.
{input} stands for the case's input in both commands. A ratio says how many times better our figure is. results/<kind of
machine>.json keeps each case's last record.
"""

import argparse
import fnmatch
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TIMEOUT_S = 1800


class CaseError(Exception):
    """The case has no figure: it could not run, or its answer is wrong. exit_code: of the command that failed."""

    def __init__(self, text, exit_code=None):
        super().__init__(text)
        self.exit_code = exit_code


def leave_out(options, why):
    """Says which run failed and why. The table goes on without it, and the command fails at the end."""
    print(f"figures: {why}", file=sys.stderr)
    options.failed.append(str(why))


def lookup(report, name):
    """A dotted path, or a field name that occurs once in the whole object."""
    found = []

    def walk(path, at):
        for key, value in at.items():
            if name in (key, f"{path}{key}"):
                found.append(value)
            if isinstance(value, dict):
                walk(f"{path}{key}.", value)

    walk("", report)
    if len(found) != 1:
        raise CaseError(f"the report has {len(found)} fields {name} (a metric needs one). Give its path")
    return found[0]


def evaluate(metric, report, input_path=""):
    """`field`, `max(list)`, `median(list)`, `input_MB` (the file's size), or two of them with / between."""

    def term(text):
        if text == "input_MB":
            return os.path.getsize(input_path) / 1e6
        of, name = re.fullmatch(r"(?:(max|median)\()?([\w.]+)\)?", text).groups()
        value = {"max": max, "median": statistics.median, None: lambda v: v}[of](lookup(report, name))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise CaseError(f"field {name} is {value} (a metric is a number)")
        return value

    first, *rest = metric.split(" / ")
    return term(first) / (term(rest[0]) if rest else 1)


def peer_figure(pattern, text, seconds):
    """The median of the numbers that the pattern finds; without one, the seconds that the command took."""
    if pattern is None:
        return seconds
    found = [float(number) for number in re.findall(pattern, text)]
    if not found:
        raise CaseError(f"the peer printed nothing like {pattern}. It ended with: {text[-300:]}")
    return statistics.median(found)


def ratio(ours, theirs, better):
    return ours / theirs if better == "higher" else theirs / ours


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "values": values}


def command_of(case, atoll, path):
    words = shlex.split(case["run"].replace("{input}", shlex.quote(path)))
    threads = ["--threads", str(case["threads"])] if "threads" in case else []
    return (str(atoll), *words, "--ranks", str(case["ranks"]), *threads, "--quiet", "--json", "-")


def run_ours(command):
    run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, cwd=ROOT)
    if run.returncode != 0:
        text = f"{shlex.join(command)}: exit code {run.returncode}: {run.stderr[-500:].strip()}"
        raise CaseError(text, run.returncode)
    return json.loads(run.stdout)


def run_peer(command):
    start = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, shell=True, errors="replace")
    if run.returncode != 0:
        raise CaseError(f"the peer left with {run.returncode}: {(run.stderr or run.stdout)[-500:].strip()}")
    return run.stdout + run.stderr, time.perf_counter() - start


@cache
def run_beside(side, command, beside, trial):  # cases with the same two commands share their runs
    return side(command)


def state(atoll):  # how busy the machine is: its load, and the latency of a cache line between cores
    ping = (str(atoll), *"bench exchange --ranks 1 --records 1000 --rounds 5 --json -".split())
    return {
        "load_average": os.getloadavg()[0],
        "cache_line_ping_ns": lookup(run_ours(ping), "cache_line_ping_ns"),
    }


def input_of(case, given, atoll):
    """A generator's name or an absolute path, created if the case says how; None if it is missing."""
    own = case["name"] not in given
    path = case.get("input", "") if own else given[case["name"]]
    if not path or re.match("[a-z0-9]+:", path):
        return path
    path = str((ROOT if own else Path.cwd()) / path)
    if own and "make_input" in case and not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        make = case["make_input"].replace("{input}", shlex.quote(path))
        run_ours((str(atoll), *shlex.split(make), "--json", "-"))
    return path if os.path.exists(path) else None


def measure(case, cases, path, args):
    """One record: the figures of the given number of runs, each followed by its baseline's run."""
    baseline = case["baseline"] if isinstance(case["baseline"], dict) else {}
    peer = args.peer.get(case["name"])
    if peer and "peer" not in baseline:
        raise CaseError("--peer is given (the baseline of this case is no peer). Leave it out")
    ours = command_of(case, args.atoll, path)
    theirs = peer and peer.replace("{input}", shlex.quote(path))
    if "case" in baseline:
        theirs = command_of(cases[baseline["case"]], args.atoll, path)
    before, reports, figures, baselines = state(args.atoll), [], [], []
    for trial in range(args.pairs):
        reports.append(run_beside(run_ours, ours, theirs, trial))
        figures.append(evaluate(case["metric"], reports[-1], path))
        if "case" in baseline:
            baselines.append(evaluate(case["metric"], run_beside(run_ours, theirs, ours, trial), path))
        elif peer:
            baselines.append(peer_figure(baseline.get("figure"), *run_beside(run_peer, theirs, ours, trial)))
    world = reports[-1]["world"]
    record = {
        **{key: case[key] for key in ("metric", "unit", "better", "target") if key in case},
        "run": shlex.join(("atoll", *ours[1:])).replace(path, os.path.basename(path)),
        "commit": args.commit,
        "date": time.strftime("%Y-%m-%d"),
        "figure": spread(figures),
        "verified": all(report["verified"] for report in reports),
        "world": {key: world[key] for key in ("ranks", "threads", "transport")},
        "machine": {k: v for k, v in world["machine"].items() if k not in ("host", "free_memory_bytes")},
        "plan": reports[-1]["plan"],
        "baseline": baseline.get("peer") or baseline.get("case") or case["baseline"],
        "state": [before, state(args.atoll)],
    }
    if baselines:
        record["baseline_figure"] = spread(baselines)
        record["ratio"] = spread([ratio(a, b, case["better"]) for a, b in zip(figures, baselines)])
    if "target" in case and (baselines or not baseline):
        better = ratio(spread(figures)["median"], case["target"], case["better"])
        record["met"] = (record["ratio"]["median"] / case["target"] if baselines else better) >= 1
    return record


def save(folder, name, record):
    kind = re.sub(r"\W+", "-", "{processor} {usable_cores} cores".format(**record["machine"]).lower())
    file = folder / f"{kind}.json"
    kept = json.loads(file.read_text()) if file.exists() else {}
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**kept, name: record}, indent=1) + "\n")


def row(name, record):
    def show(field, unit=""):
        figure = record.get(field)
        unit = unit and f" {unit}"
        return f"{figure['median']:.3g}{unit} ({figure['min']:.3g} to {figure['max']:.3g})" if figure else "-"

    figures = [show(f, record.get("unit", "")) for f in ("figure", "baseline_figure")] + [show("ratio")]
    met = {True: "met", False: "MISSED", None: "no peer"}[record.get("met")]
    target = f"{record['target']:g} {met}" if "target" in record else "-"
    quiet = "load {load_average:.1f}, ping {cache_line_ping_ns:.0f} ns".format(**record["state"][0])
    return name, *figures, target, "yes" if record["verified"] else "NO", quiet, record["baseline"]


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases, * allowed (default: all)")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each side (default 5, the least)")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND", help="of that case's peer")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=PATH", help="instead of its own")
    parser.add_argument("--atoll", type=Path, default=ROOT / "bin/atoll", help="default bin/atoll")
    args = parser.parse_args(argv)
    cases = {case["name"]: case for case in json.loads((HERE / "cases.json").read_text())}
    args.peer, args.input = (dict(t.partition("=")[::2] for t in texts) for texts in (args.peer, args.input))
    for name in [*args.names, *args.peer, *args.input]:
        if not fnmatch.filter(cases, name):
            parser.error(f"there is no case {name}. The cases: {', '.join(cases)}")
    if args.pairs < 5:
        parser.error(f"--pairs is {args.pairs} (a median and its spread need 5). Give 5 or more.")
    args.chosen = [n for n in cases if not args.names or any(fnmatch.fnmatchcase(n, p) for p in args.names)]
    describe = f"git -C {shlex.quote(str(ROOT))} describe --always --dirty=+changes --exclude='*' --abbrev=12"
    args.commit = subprocess.getoutput(describe)
    return args, cases


def main(argv=None):
    args, cases = arguments(argv)
    rows, failed = [("case", "ours", "baseline", "ratio", "target", "verified", "machine", "baseline is")], 0
    for name in args.chosen:
        print(f"bench: {name}", file=sys.stderr)
        try:
            if (path := input_of(cases[name], args.input, args.atoll)) is None:
                print(f"bench: {name}: its input is not at hand. Give --input {name}=FILE.", file=sys.stderr)
                continue
            record = measure(cases[name], cases, path, args)
            save(HERE / "results", name, record)
            rows.append(row(name, record))
        except (CaseError, OSError, subprocess.TimeoutExpired) as why:
            print(f"bench: error: {name}: {why}", file=sys.stderr)
            failed += 1
    widths = [max(map(len, column)) for column in zip(*rows)]
    for cells in rows:
        print("  ".join(text.ljust(width) for text, width in zip(cells, widths)).rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
