#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two builds side by side: the same runs by this tree's command and by another tree's, in turns.

    git worktree add ../before HEAD~1 && make -C ../before build
    bench/sides.py ../before/bin/atoll                              every case, 9 pairs: an hour or more
    bench/sides.py ../before/bin/atoll --algorithms cc --machines 1x2 --graphs roads.gr

A case is an algorithm, a graph and a machine (ranks x threads). The side that begins a pair changes from pair to pair.
Ratios are ours / theirs, of the seconds that the run reports and of the largest process's resident memory, medians of
the pairs; above 1 we are slower, or larger. Prints the slowest first and marks what is above --mark.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from run import ROOT, TIMEOUT_S, CaseError, spread, state

# Options that every version has taken; generated graphs get weights for sssp, a file without weights has no such case.
ALGORITHMS = {
    "bfs": "--sources 16",
    "sssp": "--trials 3",
    "cc": "--trials 3",
    "pagerank": "--max-iter 20 --dangling ignore --trials 3",
    "bc": "--sources=4 --trials 3",
}
INPUTS = ["kron:20", "uniform:20", "grid:1024x1024"]


def command_of(algorithm, graph, machine):
    ranks, threads = machine.split("x")
    weighted = ["--weighted"] if algorithm == "sssp" and not os.path.exists(graph) else []
    return [
        *["run", algorithm, graph, "--undirected", *weighted, *shlex.split(ALGORITHMS[algorithm])],
        *["--ranks", ranks, "--threads", threads, "--quiet", "--json", "-"],
    ]


def has_weights(atoll, graph):
    words = [atoll, "inspect", graph, "--quiet", "--json", "-"]
    return json.loads(subprocess.check_output(words, timeout=TIMEOUT_S))["input"]["weighted"]


def measure(atoll, words):
    """The seconds that one run reports, and the bytes of its largest process (or of this script, if more)."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([atoll, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=said)
        alarm = threading.Timer(TIMEOUT_S, process.kill)
        alarm.start()
        _, status, usage = os.wait4(process.pid, 0)  # of this run alone, and of the ranks that it started
        alarm.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        for file in (out, said):
            file.seek(0)
        if process.returncode != 0:
            why = said.read()[-400:].strip()
            raise CaseError(f"{shlex.join([str(atoll), *words])}: exit code {process.returncode}: {why}")
        report = json.load(out)
    if report.get("verified") is False:
        raise CaseError(f"{shlex.join([str(atoll), *words])}: the answer is wrong")
    return report["seconds"]["run"], usage.ru_maxrss * 1024


def side_by_side(atolls, words, pairs):
    """The record of a case: for each side, [ours, theirs], and for their ratios."""
    seconds, memory = ([[], []] for _ in range(2))
    for pair in range(pairs):
        for side in (0, 1) if pair % 2 else (1, 0):
            took, resident = measure(atolls[side], words)
            seconds[side].append(took)
            memory[side].append(resident)
    return {
        "run": shlex.join(["atoll", *words]),
        "seconds": [spread(values) for values in seconds],
        "memory_bytes": [spread(values) for values in memory],
        "ratio": spread([ours / theirs for ours, theirs in zip(*seconds)]),
        "memory_ratio": statistics.median(ours / theirs for ours, theirs in zip(*memory)),
    }


def row(record, most):
    ratio, memory = record["ratio"], record["memory_ratio"]
    marks = ["SLOWER"] * (ratio["median"] > most) + ["LARGER"] * (memory > most)
    ours, theirs = (f"{side['median'] * 1e3:.4g}" for side in record["seconds"])
    worth = f"{ratio['median']:.3f} ({ratio['min']:.2f} to {ratio['max']:.2f})"
    return record["case"], ours, theirs, worth, f"{memory:.3f}", " ".join(marks)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, metavar="OTHER/bin/atoll")
    parser.add_argument("--atoll", type=Path, default=ROOT / "bin/atoll", help="ours (default bin/atoll)")
    parser.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS), metavar="NAME")
    parser.add_argument("--inputs", nargs="*", default=INPUTS, help=f"generated graphs (default {' '.join(INPUTS)})")
    parser.add_argument("--graphs", nargs="*", default=[], metavar="FILE", help="graph files, beside these")
    parser.add_argument("--machines", nargs="+", default=["1x2", "2x1"], help="ranks x threads (default 1x2 2x1)")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--mark", type=float, default=3, metavar="PERCENT", help="marks what is above (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keeps every figure")
    args = parser.parse_args(argv)
    for file in [args.atoll, args.other, *map(Path, args.graphs)]:
        if not file.exists():
            parser.error(f"{file}: there is no such file. Correct the path.")
    sides = args.atoll.resolve(), args.other.resolve()
    graphs = {graph: True for graph in args.inputs} | {file: has_weights(sides[0], file) for file in args.graphs}
    cases = [
        (algorithm, graph, machine)
        for graph, weighted in graphs.items()
        for machine in args.machines
        for algorithm in args.algorithms
        if weighted or algorithm != "sssp"
    ]
    records, failed = [], 0
    for algorithm, graph, machine in cases:
        name = f"{algorithm} {os.path.basename(graph)} {machine}"
        print(f"sides: {name}", file=sys.stderr)
        try:
            record = side_by_side(sides, command_of(algorithm, graph, machine), args.pairs)
            records.append({"case": name, **record})
        except (CaseError, OSError, KeyError, ValueError) as why:
            print(f"sides: error: {name}: {why}", file=sys.stderr)
            failed += 1
    records.sort(key=lambda record: -record["ratio"]["median"])
    if args.json:
        kept = {"sides": [str(side) for side in sides], "pairs": args.pairs, "state": state(sides[0])}
        args.json.write_text(json.dumps({**kept, "cases": records}, indent=1) + "\n")
    rows = [("case", "ours, ms", "theirs, ms", "ratio", "memory", "")]
    rows += [row(record, 1 + args.mark / 100) for record in records]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for cells in rows:
        print("  ".join(text.ljust(width) for text, width in zip(cells, widths)).rstrip())
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
