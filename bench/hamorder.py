# SPDX-License-Identifier: Apache-2.0
"""Hamorder's tables and figures [1]: topologies, orders of hosts, and tuning, in the virtual time of SimGrid's SMPI.

The machine is the paper's (preset hamorder-paper), the programs are the kernels of python/atoll/smpi/kernels.c. All
their iterations take equally long, so that one or two of them are simulated.

[1] Y. Hu. "Accelerating parallel applications based on graph reordering for random network topologies." IEEE Access,
2023.
"""

import json
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from layers import print_table
from run import ROOT, run_ours

SOURCE = ROOT / "python/atoll/smpi/kernels.c"
PRESET = ["--preset", "hamorder-paper"]
# Iterations of class A; mm is one product, the Graph500 loop has 64 searches.
ITERATIONS = {"ft": 6, "is": 10, "cg": 15, "bt": 200, "sp": 400, "mg": 4, "lu": 250, "mm": 1, "graph500": 64}
ALL_TO_ALL = ["ft", "is", "graph500"]
NEIGHBOURS = ["cg", "mg", "lu", "bt", "sp", "mm"]  # ranks have few partners, the next rank being one
ORDERS = ["identity", "gorder", "hamorder", "hamorder-w"]
COMPLETE = "hyperx:64"  # a link between any two: what no order of hosts of a network with fewer links reaches
TUNED = ["cg", "mg", "ft", "mm", "graph500"]  # figures 6 to 8
CONVENTIONAL = ["mesh:8x8", "mesh:4x4x4", "torus:8x8", "torus:4x4x4"]
# The values of section III.B, behind what the MPI implementation chooses by itself.
ALGORITHMS = {
    "alltoall": ["default", "bruck", "2dmesh", "3dmesh", "rdb", "pair", "ring", "basic_linear"],
    "allreduce": ["default", "rdb", "lr", "rab_rdb", "rab1", "rab2"],
    "allgather": ["default", "bruck", "2dmesh", "3dmesh", "rdb", "pair", "ring", "spreading_simple"],
    "bcast": ["default", "binomial_tree", "flattree", "scatter_LR_allgather", "scatter_rdb_allgather"],
}
# Figure 3: hosts of two jobs on a torus of 4 x 2, whose host 2 x + y is at (x, y). Only A's share no link.
PATTERNS = {
    "A": [[0, 1, 2, 3], [4, 5, 6, 7]],
    "B": [[0, 2, 4, 6], [1, 3, 5, 7]],
    "C": [[0, 1, 4, 5], [2, 3, 6, 7]],
    "D": [[0, 3, 4, 7], [1, 2, 5, 6]],
}
# Table 2 as printed: seconds on 3-D mesh, 3-D torus, and random networks of dilation 1 to 4.
TABLE_2 = {
    "ft": [0.0200, 0.0296, 0.0125, 0.0128, 0.0131, 0.0135],
    "is": [0.0105, 0.0120, 0.0055, 0.0055, 0.0056, 0.0056],
    "cg": [1.0875, 1.2793, 0.9446, 0.9510, 0.9575, 0.9639],
    "bt": [0.3817, 0.2741, 0.4167, 0.4201, 0.4242, 0.4299],
    "sp": [0.6189, 0.4629, 0.6779, 0.6832, 0.6889, 0.6958],
    "mg": [0.0285, 0.0275, 0.0234, 0.0241, 0.0247, 0.0254],
    "mm": [0.2932, 0.2713, 0.1855, 0.1881, 0.1865, 0.1872],
}


class Simulations:
    """Runs of the kernels; their platforms, orders and traffic are files that are made where they are first needed."""

    def __init__(self, options, folder):
        self.atoll, self.folder = options.atoll, Path(folder)
        self.program = self.folder / "kernels"
        subprocess.run(["smpicc", "-O2", "-o", self.program, SOURCE, "-lm"], check=True)
        # Threads may make a file twice, with the same contents.
        self.platform, self.order, self.traffic = cache(self._platform), cache(self._order), cache(self._traffic)

    def result_of(self, *words, arguments=()):
        command = [self.atoll, *words, "--quiet", "--json", "-", *arguments]
        return run_ours(tuple(map(str, command)))["result"]

    def _file(self, *names):
        return self.folder / "-".join(map(str, names)).replace(":", "-").replace("/", "-")

    def _platform(self, network):
        file = self._file("platform", network).with_suffix(".xml")
        self.result_of("network", network, "--starts", 1, "--simgrid", file, *PRESET)
        return file

    def _order(self, network, method, kernel=None):
        """The file of an order, and what it costs: a kernel's traffic, or that of a line of ranks."""
        file = self._file("order", network, method, kernel)
        known = ["--traffic", self.traffic(kernel)] if kernel else []
        return file, self.result_of("map", network, "--method", method, *known, "--export", "simgrid", file)

    def _traffic(self, kernel):
        file = self._file("traffic", kernel)
        words = ["--app", self.program, "--platform", self.platform("torus:4x4x4"), "--traffic", file]
        self.result_of("simulate", *words, arguments=["--", kernel, 1])
        return file

    def seconds(self, network, order, kernel, iterations=1):
        """Returns the result of one run; `order` is a file."""
        words = ["--app", self.program, "--platform", self.platform(network), "--map", order]
        return self.result_of("simulate", *words, arguments=["--", kernel, iterations])["seconds"]

    def of_class_a(self, network, order, kernel):
        """Seconds of all iterations, of which there may be hundreds, from those of one and of two."""
        one = self.seconds(network, order, kernel)
        return one + (ITERATIONS[kernel] - 1) * (self.seconds(network, order, kernel, 2) - one if kernel != "mm" else 0)

    def distances(self, network):
        """Links between any two hosts of a network that has one on each router."""
        file = self._file("links", network)
        self.result_of("network", network, "--starts", 1, "--output", file)
        beside = {}
        for line in file.read_text().splitlines():
            if not line.startswith("#"):
                a, b = map(int, line.split()[:2])
                beside.setdefault(a, set()).add(b)
                beside.setdefault(b, set()).add(a)
        found = []
        for host in sorted(beside):
            row, level, links = {host: 0}, {host}, 0
            while level:
                links += 1
                level = set().union(*(beside[a] for a in level)) - row.keys()
                row.update(dict.fromkeys(level, links))
            found.append([row[other] for other in sorted(beside)])
        return found


def order_at_distance(distances, links):
    """An order of hosts whose neighbours are `links` apart, as far as a greedy tour finds one: the paper does not say
    what a topology of dilation 2, 3 or 4 is. Of all starts the best one, of equal hosts that with fewest ways on."""
    hosts = range(len(distances))

    def tour(start):
        order, left = [start], set(hosts) - {start}
        while left:
            row = distances[order[-1]]
            ways = {h: sum(distances[h][other] == links for other in left) for h in left if row[h] == links}
            order.append(min(ways, key=lambda h: (ways[h], h)) if ways else min(left, key=lambda h: (row[h], h)))
            left.remove(order[-1])
        return order

    return min(map(tour, hosts), key=lambda order: sum(distances[a][b] != links for a, b in zip(order, order[1:])))


def table2(options, keep):
    """Table 2: seconds of class A on a mesh, a torus, and a random network by distance of consecutive ranks."""
    with tempfile.TemporaryDirectory(prefix="hamorder-") as folder, ThreadPoolExecutor(options.jobs) as pool:
        simulations = Simulations(options, folder)
        places = [("3-D mesh", "mesh:4x4x4", simulations.order("mesh:4x4x4", "identity")[0])]
        places.append(("3-D torus", "torus:4x4x4", simulations.order("torus:4x4x4", "identity")[0]))
        distances = simulations.distances(options.network)
        for links in (1, 2, 3, 4):
            order = order_at_distance(distances, links)
            mean = statistics.mean(distances[a][b] for a, b in zip(order, order[1:]))
            file = Path(folder) / f"dilation-{links}"
            file.write_text("".join(f"host-{host}\n" for host in order))
            places.append((f"random, {links} apart ({mean:.2f})", options.network, file))
        cells = [(kernel, *place) for kernel in options.kernels for place in places]
        found = pool.map(lambda cell: simulations.of_class_a(cell[2], cell[3], cell[0]), cells)
        for (kernel, name, network, _), seconds in zip(cells, found):
            keep.append({"table": "2", "kernel": kernel, "on": name, "network": network, "seconds": seconds})
    rows = []
    for kernel in options.kernels:
        seconds = [cell["seconds"] for cell in keep if cell["kernel"] == kernel]
        best, worst = min(seconds), max(seconds)
        cells = [f"{s:.5f}{' (best)' if s == best else ' (worst)' if s == worst else ''}" for s in seconds]
        rows.append([kernel, *cells])
        if kernel in TABLE_2:
            rows.append([f"{kernel}, paper", *(f"{s:.4f}" for s in TABLE_2[kernel])])
    print_table(f"Table 2, predicted: seconds, {options.network}", ["kernel", *(place[0] for place in places)], rows)


def orders(options, keep):
    """Figure 5: time with an order of hosts by that with the generator's own, means over networks."""
    methods = [*ORDERS, "swap"]  # swap knows the kernel's traffic
    with tempfile.TemporaryDirectory(prefix="hamorder-") as folder, ThreadPoolExecutor(options.jobs) as pool:
        simulations = Simulations(options, folder)

        def cell(degree, seed, kernel, method):
            network = f"random:64:{degree}:{seed}"
            file, cost = simulations.order(network, method, kernel if method == "swap" else None)
            seconds = simulations.seconds(network, file, kernel)
            what = {"figure": "5", "degree": degree, "seed": seed, "kernel": kernel, "method": method}
            return {**what, "seconds": seconds, "jumps": cost["jumps"], "hop_bytes": cost["hop_bytes"]}

        cells = []
        for degree in options.degrees:
            for kernel in options.kernels:
                seeds = options.seeds if kernel in NEIGHBOURS else options.all_to_all_seeds
                known = methods if kernel in NEIGHBOURS else ORDERS
                cells += [(degree, seed, kernel, m) for seed in range(1, seeds + 1) for m in known]
        own = simulations.order(COMPLETE, "identity")[0]
        linked = {kernel: simulations.seconds(COMPLETE, own, kernel) for kernel in options.kernels}
        keep += pool.map(lambda c: cell(*c), cells)
    for degree in options.degrees:
        print_orders(degree, methods, [found for found in keep if found["degree"] == degree], linked)
    keep += [{"figure": "5", "network": COMPLETE, "kernel": kernel, "seconds": s} for kernel, s in linked.items()]


def print_orders(degree, methods, found, linked):
    """A row for each kernel; the last column is by `linked`, seconds of each kernel where all hosts are linked."""
    own = {(f["seed"], f["kernel"]): f["seconds"] for f in found if f["method"] == "identity"}
    ratios = {}
    for f in found:
        ratios.setdefault((f["kernel"], f["method"]), []).append(f["seconds"] / own[f["seed"], f["kernel"]])
    for (_, kernel), seconds in own.items():
        ratios.setdefault((kernel, "all linked"), []).append(linked[kernel] / seconds)
    methods = [*methods, "all linked"]
    kernels = list(dict.fromkeys(f["kernel"] for f in found))

    def mean(of, method):
        means = [statistics.mean(ratios[kernel, method]) for kernel in of if (kernel, method) in ratios]
        return f"{statistics.mean(means):.3f}" if len(means) == len(of) > 0 else "-"

    rows = [[kernel, str(len(ratios[kernel, "identity"])), *(mean([kernel], m) for m in methods)] for kernel in kernels]
    for name, group in (("mean, few partners", NEIGHBOURS), ("mean, all to all", ALL_TO_ALL)):
        rows.append([name, "", *(mean([k for k in kernels if k in group], m) for m in methods)])
    jumps = {m: [f["jumps"] for f in found if f["method"] == m] for m in ORDERS}
    rows.append(["jumps", "", *(f"{statistics.mean(jumps[m]):.1f}" for m in ORDERS), "", ""])
    title = f"Figure 5, predicted: time by that with the generator's order, 64 hosts of degree {degree}"
    print_table(title, ["kernel", "networks", *methods], rows)


def interference(options, keep):
    """Figure 4: the mean time of two jobs of one kernel that run at once, by how they lie among each other."""
    with tempfile.TemporaryDirectory(prefix="hamorder-") as folder, ThreadPoolExecutor(options.jobs) as pool:
        simulations = Simulations(options, folder)

        def cell(kernel, pattern):
            words = ["--app", simulations.program, "--platform", simulations.platform("torus:4x2")]
            for job, hosts in enumerate(PATTERNS[pattern]):
                file = Path(folder) / f"{pattern}-{kernel}-{job}"
                file.write_text("".join(f"host-{host}\n" for host in hosts))
                words += ["--map", file]
            found = simulations.result_of("simulate", *words, arguments=["--", kernel, 1])
            alone = statistics.mean(job["alone_seconds"] for job in found["jobs"])
            what = {"figure": "4", "kernel": kernel, "pattern": pattern}
            return {**what, "seconds": found["average_seconds"], "alone_seconds": alone}

        keep += pool.map(lambda c: cell(*c), [(k, p) for k in options.kernels for p in PATTERNS])
    rows = []
    for kernel in options.kernels:
        seconds = {f["pattern"]: f["seconds"] for f in keep if f["kernel"] == kernel}
        alone = {f["pattern"]: f["alone_seconds"] for f in keep if f["kernel"] == kernel}
        rows.append([kernel, f"{seconds['A'] * 1e3:.3f}"])
        rows[-1] += [f"{seconds[p] / seconds['A']:.3f} ({alone[p] / seconds['A']:.3f})" for p in PATTERNS]
    means = [statistics.mean(float(row[at].split()[0]) for row in rows) for at in range(2, 2 + len(PATTERNS))]
    rows.append(["mean", "", *(f"{mean:.3f}" for mean in means)])
    title = "Figure 4, predicted: mean time of two jobs on torus:4x2 by that of A (each alone)"
    print_table(title, ["kernel", "A, ms", *PATTERNS], rows)


def tuning(options, keep):
    """Figures 6 to 8: searches from what one has who chooses nothing, the base network in its own order."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="hamorder-") as folder:
        simulations = Simulations(options, folder)
        kept = options.folder.absolute() if options.folder else Path(folder)
        kept.mkdir(parents=True, exist_ok=True)
        base, topologies = options.network, [options.network]
        for goal in ("aspl", "bisection"):
            file = kept / f"{goal}.links"
            simulations.result_of("network", base, "--optimize", goal, "--output", file)
            topologies.append(str(file))
        space = {"topology": topologies, "mapping": options.orders, "mpi": ["mpich", "ompi", "mvapich2"], **ALGORITHMS}
        file = kept / "space.json"
        file.write_text(json.dumps({"parameters": space, "start": {name: values[0] for name, values in space.items()}}))
        for kernel in options.kernels:
            found = tuned(options, kept, file, kernel)
            beside = [
                simulations.seconds(network, simulations.order(network, "identity")[0], kernel)
                for network in CONVENTIONAL
            ]
            keep.append({"figure": "6-8", "kernel": kernel, "conventional": dict(zip(CONVENTIONAL, beside)), **found})
            times = [trial["seconds"] for trial in found["trials"] if trial["seconds"] is not None]
            share = found["trials_to_90_percent"] / found["tried"]
            best = {name: Path(value).stem for name, value in found["best"].items() if value != space[name][0]}
            choice = ", ".join(f"{name} {value}" for name, value in best.items()) or "the start"
            cells = [f"{s * 1e3:.3f}" for s in (times[0], found["seconds"], *beside)]
            rows.append([kernel, *cells[:2], f"{found['speedup']:.2f}", f"{share:.0%}", str(found["failed"]), choice])
            rows[-1] += cells[2:]
    mean = statistics.mean(found["speedup"] for found in keep)
    rows.append(["mean", "", "", f"{mean:.2f}", "", "", ""] + [""] * len(CONVENTIONAL))
    head = ["kernel", "first, ms", "best, ms", "speedup", "trials to 90 %", "failed", "best differs by"]
    print_table(f"Figures 6 to 8, predicted: {options.trials} trials from {base}", [*head, *CONVENTIONAL], rows)


def tuned(options, folder, space, kernel):
    """The result of a search. Its trials are kept in the folder, from where it goes on, with a page of its figures."""
    words = ["--app", SOURCE, "--space", space, *PRESET, "--trials", options.trials, "--sampler", options.sampler]
    words += ["--jobs", options.jobs, "--timeout", 120, "--store", folder / f"{kernel}.trials"]
    words += ["--report", folder / f"{kernel}.html", "--quiet"]
    return run_ours(tuple(map(str, [options.atoll, "tune", *words, "--json", "-", "--", kernel, 1])))["result"]


def add_to(tables):
    def add(name, about, function, kernels):
        parser = tables.add_parser(name, help=about)
        parser.set_defaults(function=function)
        parser.add_argument(
            "--kernels", nargs="+", choices=ITERATIONS, default=kernels, help=f"default {' '.join(kernels)}"
        )
        parser.add_argument(
            "--jobs", type=int, default=2, help="simulations at a time, which do not disturb each other"
        )
        return parser

    parser = add("hamorder-table2", "table 2 of Hamorder: mesh, torus, random; predicted", table2, [*TABLE_2])
    parser.add_argument("--network", default="random:64:6", help="the random one (default random:64:6)")
    parser = add("hamorder-orders", "figure 5: orders of hosts; predicted", orders, [*NEIGHBOURS, *ALL_TO_ALL])
    parser.add_argument("--degrees", type=int, nargs="+", default=[4, 6], help="default 4 6")
    parser.add_argument("--seeds", type=int, default=20, help="networks of each degree (default 20)")
    parser.add_argument("--all-to-all-seeds", type=int, default=5, help="of kernels that talk to all (default 5)")

    add("hamorder-interference", "figure 4: two jobs at once; predicted", interference, [*ITERATIONS])
    parser = add("hamorder-tuning", "figures 6 to 8: searches of 100 trials; predicted", tuning, TUNED)
    parser.add_argument("--network", default="random:64:6", help="the base network (default random:64:6)")
    parser.add_argument(
        "--orders", nargs="+", default=["identity", "hamorder-w", "hamorder", "gorder"], help="mappings"
    )
    parser.add_argument("--trials", type=int, default=100, help="default 100")
    parser.add_argument("--sampler", default="tpe", help="tpe (default), random or grid")
    parser.add_argument(
        "--folder", type=Path, help="keep trials there, and go on from them, and a page of figures for each kernel"
    )
