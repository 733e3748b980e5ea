# SPDX-License-Identifier: Apache-2.0
"""COAST's figures and tables [1]: products, blocks, weak scaling, the model's map, partial runs, variants.

`products`, `blocks`, `partial` and the first table of `variants` are measured here; the others are in virtual time or
by the model, and say so. A ring can stand for any graph: the operations of Floyd-Warshall do not depend on the arcs.

[1] R. Kannan et al. "Exaflop/s Biomedical Knowledge Graph Analytics." SC 2022.
"""

import math
import os
import statistics
import sys
import tempfile
from pathlib import Path

from layers import print_table
from run import run_ours

VARIANTS = ["naive", "la", "la+r", "la+r+nt", "coast"]
FLOATS = "float32_nonnegative"  # the type in which weights of a ring are computed


def report_of(options, *words):
    return run_ours(tuple(map(str, [options.atoll, *words, "--quiet", "--json", "-"])))


def cores():
    return len(os.sched_getaffinity(0))


def state():
    return f"{cores()} cores, load {os.getloadavg()[0]:.1f}"


def peak_of(options, threads, kind=FLOATS):
    """Operations per second on registers alone, on this many threads at once."""
    words = ["bench", "gemm", "--n", 256, "--type", kind, "--trials", 3, "--threads", min(threads, cores())]
    (product,) = report_of(options, *words)["result"]["products"]
    return product["peak"]


def floyd_warshall(options, n, *words, ranks=1, threads=None):
    """One run on a ring of n vertices, without removing pendant trees; verified if it is complete."""
    machine = ["--ranks", ranks, "--threads", threads or options.threads]
    run = ["run", "apsp", f"ring:{n}", "--weighted", "--directed", "--method", "fw", "--type", "float32"]
    return report_of(options, *run, "--peel", "off", *machine, *words)


# ---- Figure 6: one node ----------------------------------------------------------------------------------------------


def products(options, keep):
    """Figures 6a (k) and 6b (m): the product's rate as a function of one of its sizes."""
    words = ["bench", "gemm", "--sweep", options.sweep, "--n", options.n, "--trials", options.trials]
    words += ["--m", options.m or options.n, "--k", options.k or (512 if options.sweep == "m" else options.n)]
    words += ["--form", options.form, "--threads", options.threads]
    words += [word for kind in options.types for word in ("--type", kind)]
    report = report_of(options, *words)
    found = report["result"]["products"]
    keep.extend({"table": "products", "sweep": options.sweep, **product} for product in found)
    rows = {}
    for product in found:
        cell = f"{product['operations_per_second'] / 1e9:.1f} ({100 * product['fraction_of_peak']:.0f} %)"
        rows.setdefault(product[options.sweep], []).append(cell)
    figure = {"k": "6a", "m": "6b"}[options.sweep]
    print(f"form {options.form}, {options.threads} threads on {state()}")
    title = f"Figure {figure}: Gop/s of a product (of the peak in the same run), n = {options.n}"
    print_table(title, [options.sweep, *options.types], [[str(size), *cells] for size, cells in rows.items()])
    return 0 if report["verified"] else 1


def blocks(options, keep):
    """Figure 6c: the rate of a whole run over n and b."""
    peak, rows, failed = peak_of(options, options.threads), [], False
    for n in options.n:
        cells = []
        for block in options.blocks:
            runs = [floyd_warshall(options, n, "--block", block) for _ in range(options.rounds)]
            failed = failed or not all(run["verified"] for run in runs)
            rates = [run["result"]["operations_per_second"] for run in runs]
            rate = statistics.median(rates)
            taken = runs[0]["result"]["block"]
            keep.append(
                {
                    "table": "blocks",
                    "n": n,
                    "block": block,
                    "taken": taken,
                    "operations_per_second": rates,
                    "peak": peak,
                }
            )
            cells.append(f"{rate / 1e9:.1f} ({100 * rate / peak:.0f} %)")
        rows.append([str(n), *cells])
    print(
        f"float32 >= 0, {options.threads} threads on {state()}; medians of {options.rounds}; "
        f"peak {peak / 1e9:.1f} Gop/s"
    )
    head = ["n", *(f"b = {block}" for block in options.blocks)]
    print_table("Figure 6c: Gop/s of Floyd-Warshall (of the peak)", head, rows)
    return 1 if failed else 0


# ---- Figures 7, 8, 9: machines that are simulated or modelled --------------------------------------------------------


def simulated(options, platform, *words):
    result = report_of(options, "bench", "grid", "--platform", platform, "--ranks", options.ranks, *words)
    return result["result"]


def grid_scaling(options, keep):
    """Figure 7: weak scaling of the variants, in virtual time."""
    for platform in options.platforms:
        found = simulated(options, platform, "--n", options.n, "--block", options.block, "--steps", options.steps)
        found = found["scaling"]
        keep.extend({"table": "grid-scaling", "platform": platform, **row} for row in found)
        by_plan = {}
        for row in found:
            by_plan.setdefault(row["plan"], []).append(f"{100 * row['efficiency']:.1f}")
        counts = [f"{row['ranks']:,}" for row in found if row["plan"] == found[0]["plan"]]
        title = f"Figure 7, predicted: efficiency, %, on ranks of {platform}; n = {options.n} for one"
        print_table(title, ["plan", *counts], [[plan, *cells] for plan, cells in by_plan.items()])
    return 0


def grid_broadcasts(options, keep):
    """Figure 9: broadcast shapes and chunks over links with jitter, one of which is slow, in virtual time."""
    words = ["--sweep", "broadcasts", "--n", options.n, "--block", options.block, "--steps", options.steps]
    words += ["--seeds", options.seeds, "--jitter", options.jitter, "--slow", options.slow]
    for platform in options.platforms:
        rows = []
        for row in simulated(options, platform, *words)["broadcasts"]:
            keep.append({"table": "grid-broadcasts", "platform": platform, **row})
            chunk = f"{row['chunk_bytes'] >> 10} KiB" if row["chunk_bytes"] else "whole"
            spread = f"{100 * row['deviation'] / row['seconds']:.1f}"
            rows.append([row["broadcast"], chunk, f"{row['seconds']:.4f}", spread, f"{100 * row['hidden']:.1f}"])
        title = f"Figure 9, predicted: {options.ranks} ranks of {platform}, {options.seeds} seeds"
        print_table(title, ["broadcast", "chunk", "seconds", "deviation, %", "hidden, %"], rows)
    return 0


def heat_map(options, keep):
    """Figure 8: the model's rates over vertices and nodes, as an image."""
    words = ["model", "predict", "apsp", "--parameters", options.parameters, "--nodes", options.nodes]
    words += ["--kernel", options.kernel, "--overlap", options.overlap, "--heat-map", options.output]
    words += ["--n", options.n]
    result = report_of(options, *words)["result"]
    keep.append({"table": "heat-map", "nodes": options.nodes, "n": options.n, **result})
    print(
        f"{options.output}: Figure 8, predicted. {options.n:,} vertices on {options.nodes:,} nodes: "
        f"{result['operations_per_second'] / 1e18:.3g} EF/s"
    )
    return 0


# ---- Table II: partial runs ------------------------------------------------------------------------------------------


def partial(options, keep):
    """Table II: a limited number of steps of a long run; the matrix uses the same memory per rank at every size."""
    rows, alone = [], None
    for ranks in options.ranks:
        n = round(options.n * math.sqrt(ranks))
        words = ["--steps", options.steps, "--block", options.block]
        words += ["--grid", "1x1"] if ranks == 1 else []  # the code for a grid at every size
        run = floyd_warshall(options, n, *words, ranks=ranks, threads=options.threads)["result"]
        peak = peak_of(options, ranks * options.threads)
        rate = run["operations"] / run["seconds"]["compute"]
        steps = [2 * n * n * run["block"] / seconds for seconds in run["step_seconds"]]
        alone = alone or rate / ranks
        f = {
            "ranks": ranks,
            "n": n,
            "steps": run["steps"],
            "of_steps": math.ceil(n / run["block"]),
            "bytes_of_a_rank": run["matrix_bytes"],
            "seconds": run["seconds"]["compute"],
            "operations_per_second": rate,
            "peak": peak,
            "efficiency": rate / ranks / alone,
            "step_operations_per_second": steps,
        }
        keep.append({"table": "partial", **f})
        low, middle, high = (f"{of(steps) / 1e9:.1f}" for of in (min, statistics.median, max))
        rows.append(
            [str(ranks), str(n), f"{run['steps']} of {f['of_steps']}", f"{run['matrix_bytes'] / 1e6:.0f}"]
            + [f"{f['seconds']:.3f}", f"{low} / {middle} / {high}", f"{rate / 1e9:.1f}"]
            + [f"{100 * rate / peak:.0f} %", f"{100 * f['efficiency']:.0f} %"]
        )
        if ranks * options.threads > cores():
            print(f"figures: {ranks} ranks share {cores()} cores: efficiency tells of that.", file=sys.stderr)
    print(f"{options.threads} threads a rank on {state()}; float32 >= 0, b = {options.block}")
    head = ["ranks", "n", "steps", "MB a rank", "seconds", "Gop/s of a step: least / median / most", "Gop/s"]
    print_table("Table II: partial runs", [*head, "of the peak", "efficiency at equal memory"], rows)
    return 0


# ---- Section VI.C: variants ------------------------------------------------------------------------------------------


def variants(options, keep):
    """The ablation of section VI.C, measured on real ranks and in virtual time."""
    found = {variant: [] for variant in VARIANTS}
    for _ in range(options.rounds):
        for variant, runs in found.items():
            words = ["--variant", variant, "--block", options.block]
            runs.append(floyd_warshall(options, options.n, *words, ranks=options.ranks))
    rows, first = [], None
    for variant, runs in found.items():
        seconds = [run["result"]["seconds"]["compute"] for run in runs]
        wait = statistics.median(run["result"]["seconds"]["wait"] for run in runs)
        median = statistics.median(seconds)
        first = first or median
        verified = all(run["verified"] for run in runs)
        keep.append({"table": "variants", "variant": variant, "seconds": seconds, "wait": wait, "verified": verified})
        rows.append([variant, f"{median:.3f}", f"{first / median:.2f}", f"{100 * wait / median:.0f}"])
    print(f"ring:{options.n}, {options.ranks} ranks x {options.threads} threads on {state()}, b = {options.block}")
    head = ["variant", "seconds", "times as fast as naive", "waiting, %"]
    print_table(f"Section VI.C, measured: medians of {options.rounds}, in turns", head, rows)
    scaling = simulated_variants(options)
    keep.extend({"table": "variants", "platform": options.platform, **row} for row in scaling)
    base = scaling[0]["operations_per_second_and_rank"]
    rows = [
        [
            row["plan"],
            f"{row['operations_per_second_and_rank'] / 1e12:.2f}",
            f"{row['operations_per_second_and_rank'] / base:.2f}",
            f"{100 * row['waiting']:.0f}",
        ]
        for row in scaling
    ]
    head = ["variant", "Top/s a rank", "times as fast as naive", "waiting, %"]
    print_table(f"The same, predicted: {options.simulated_ranks:,} ranks of {options.platform}", head, rows)
    return 0 if all(run["verified"] for runs in found.values() for run in runs) else 1


def simulated_variants(options):
    words = ["bench", "grid", "--platform", options.platform, "--ranks", options.simulated_ranks]
    words += ["--steps", options.steps]
    found = report_of(options, *words)["result"]["scaling"]
    return [row for row in found if row["ranks"] == options.simulated_ranks]


def add_to(tables):
    def add(name, about, function):
        parser = tables.add_parser(name, help=about)
        parser.set_defaults(function=function)
        return parser

    def sizes(parser, **defaults):
        for name, default in defaults.items():
            several = isinstance(default, list)
            text = " ".join(map(str, default)) if several else default
            flag = f"--{name.replace('_', '-')}"
            parser.add_argument(flag, type=int, nargs="+" if several else None, default=default, help=f"default {text}")

    threads = cores()
    types = ["float32", FLOATS, "float64", "int32", "uint16", "uint8"]
    parser = add("products", "figures 6a and 6b of COAST: rate of a product over k or m", products)
    parser.add_argument("--sweep", choices=["k", "m"], default="k", help="6a (default) or 6b")
    sizes(parser, n=4096, m=0, k=0, trials=3, threads=threads)
    parser.add_argument("--form", choices=["NN", "NT", "TN", "TT"], default="NT")
    parser.add_argument("--types", nargs="+", choices=types, default=["float32", FLOATS, "int32"])

    parser = add("blocks", "figure 6c: rate of a whole run over n and b", blocks)
    sizes(parser, n=[1024, 2048, 4096], blocks=[64, 128, 256, 512, 1024], rounds=3, threads=threads)

    for name, about, function, ranks in [
        ("grid-scaling", "figure 7: weak scaling of the variants; predicted", grid_scaling, 1024),
        ("grid-broadcasts", "figure 9: broadcasts over uneven links; predicted", grid_broadcasts, 64),
    ]:
        parser = add(name, about, function)
        parser.add_argument("--platforms", nargs="+", default=["frontier", "commodity"])
        sizes(parser, ranks=ranks, n=32768, block=768, steps=16)
        if function is grid_broadcasts:
            sizes(parser, seeds=5)
            parser.add_argument("--jitter", type=float, default=0.5, help="mean lengthening of a message (default 0.5)")
            parser.add_argument("--slow", type=float, default=4, help="how much slower one rank's link is (default 4)")

    parser = add("heat-map", "figure 8: the model's rates over vertices and nodes, a picture", heat_map)
    picture = Path(tempfile.gettempdir()) / "all-pairs-model.svg"
    parser.add_argument("--output", type=Path, default=picture, help=f"default {picture}")
    parser.add_argument("--parameters", default="frontier", help="or a file of `atoll model fit`")
    sizes(parser, nodes=9216, n=4128768)
    parser.add_argument("--kernel", choices=["both", "block", "size"], default="size")
    parser.add_argument("--overlap", type=float, default=1, help="share that is hidden (default 1: equation 3)")

    parser = add("partial", "table II: steps of long runs, at equal memory of a rank", partial)
    sizes(parser, n=4096, ranks=[1, 2], steps=8, block=256, threads=1)

    parser = add("variants", "section VI.C: naive, la, la+r, la+r+nt, coast; measured and predicted", variants)
    sizes(parser, n=2048, ranks=2, threads=1, block=256, rounds=3, simulated_ranks=1024, steps=16)
    parser.add_argument("--platform", default="frontier", help="of the prediction (default frontier)")
