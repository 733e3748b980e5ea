# SPDX-License-Identifier: Apache-2.0
"""`atoll map --measure` tried for real: four hosts in two racks, an MPI program whose ranks talk in a ring, placed
badly by its launcher, and once more in the order that was found and exported.

The launcher is Open MPI's. MPICH 4.0.2's MPI_Finalize over UCX's tcp does not always end here, so that there are no
times of it; that its launcher places ranks by the exported file is tested in tests/command/test_map_exports.py."""

import json
import statistics
import subprocess
import sys
from pathlib import Path

from delayed_hosts import DelayedHosts, why_not
from layers import print_table

BENCH = Path(__file__).resolve().parent
RACKS = [["n0", "n1"], ["n2", "n3"]]
# Every neighbour in the ring is in the other rack.
BAD_ORDER = ["n0", "n2", "n1", "n3"]


def checked(done):
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, done.args))}\n{done.stdout}{done.stderr}")
    return done.stdout


def trial(options, hosts):
    """Measures what `atoll map --measure` finds from the bad order, and the ring's us a step in both orders."""
    program, file, ranks = hosts.folder / "ring", hosts.folder / "ranks", str(len(BAD_ORDER))
    checked(subprocess.run(["mpicc.openmpi", "-O2", BENCH / "ring.c", "-o", program], capture_output=True, text=True))
    badly = [*hosts.openmpi(), "--host", ",".join(BAD_ORDER), "-n", ranks]
    words = ["map", "--measure", "--transport", "mpi", "--mpi", "openmpi", "--threads", "1", "--pattern", "ring"]
    words += ["--message", options.bytes, "--export", "openmpi-rankfile", file, "--json", "-", "--quiet"]
    found = json.loads(checked(hosts.run("n0", [*badly, options.atoll, *words])))
    launch = {"bad": badly, "found": [*hosts.openmpi(), "--rankfile", file, "-n", ranks]}
    times = {which: [] for which in launch}
    for _ in range(options.trials):  # in turns, so that both see the same load
        for which, words in launch.items():
            times[which].append(float(checked(hosts.run("n0", [*words, program, options.bytes, options.steps]))))
    return found, times


def measured_map(options, keep):
    missing = why_not()
    if missing:
        print(f"measured-map: {missing}", file=sys.stderr)
        return 1
    with DelayedHosts(RACKS, options.near_ms / 1e3, options.far_ms / 1e3) as hosts:
        found, times = trial(options, hosts)
    keep.append({"table": "measured-map", "found": found, "step_us": times})
    result = found["result"]
    print(
        f"{len(BAD_ORDER)} hosts in 2 racks, frames take {options.near_ms} ms inside a rack and {options.far_ms} ms "
        f"between racks; Open MPI, blocks of {options.bytes} bytes, {options.steps} steps"
    )
    levels = [f"{(level['latency_s'] + level['overhead_s']) * 1e3:.2f}" for level in result["costs"]["levels"]]
    print(f"measured: {', '.join(levels)} ms by level; predicted gain {result['predicted_gain']:.2f}")
    orders = {"bad": BAD_ORDER, "found": [found["input"]["hosts"][host] for host in result["order"]]}
    rows = [
        [which, " ".join(orders[which]), f"{statistics.median(us):.0f}", f"{min(us):.0f}", f"{max(us):.0f}"]
        for which, us in times.items()
    ]
    print_table(
        f"A step of the ring, us, {options.trials} runs in turns", ["", "order", "median", "least", "most"], rows
    )
    print(f"gain {statistics.median(times['bad']) / statistics.median(times['found']):.2f}")
    return 0


def add_to(tables):
    parser = tables.add_parser(
        "measured-map", help="atoll map --measure on hosts of unequal delay made here (needs root)"
    )
    parser.set_defaults(function=measured_map)
    parser.add_argument("--near-ms", type=float, default=0.1, help="delay inside a rack (default 0.1)")
    parser.add_argument("--far-ms", type=float, default=1.0, help="delay between racks (default 1)")
    parser.add_argument("--bytes", type=int, default=1024, help="of a block (default 1024)")
    parser.add_argument("--steps", type=int, default=1000, help="default 1000")
    parser.add_argument("--trials", type=int, default=5, help="default 5")
