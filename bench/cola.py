# SPDX-License-Identifier: Apache-2.0
"""CoLa's tables and figures [1]: distributed SpMM and GCN by every strategy, on its two machines in virtual time.

All of it is predicted: messages cost what the platform's levels say (spmm-links compares that with the paper's
measurement), a product and a stage what the strategy's program takes (cola_programs.py), or with --roofline the GPU's
roofline for all. The paper's matrices are of millions of rows; the default graphs are small, so that a table takes
minutes, and latencies weigh more than there. The paper does not say the k of its tables 6 to 10. Tables 2 and 3 have
32, as have the job scripts that its authors published; with 128 the nonzeros of table 6 would be read faster than the
memory of a GPU is.

[1] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication on
GPUs." ICS 2025.
"""

import sys
from statistics import geometric_mean

import cola_paper as paper
from layers import print_table
from run import CaseError, run_ours

GRAPHS = ["kron:14", "communities:14", "uniform:14"]
# The strategies by the names of the paper's methods.
CAGNET = ["broadcast", "broadcast-1.5d", "broadcast-2d"]  # of which its figures are the best
MGGCN, MGG, COLA = "broadcast+pipeline", "rowwise", "cola"
METHODS = [CAGNET, [MGGCN], [MGG], [COLA]]
PROGRAMS = dict(zip(["CAGNET", "MGGCN", "MGG", "CoLa"], METHODS))
WITHOUT_LINKS = ["columnwise", "halo"]  # CoLa without link awareness (table 9), plain and overlapped
ORDERS = {"without": "none", "with": "rabbit"}  # table 10, by the words of --order
WRONG_OPTIONS = 2  # exit code: the strategy is not for so many ranks
# Five layers, from 16 features over 32 to 16 classes (section 6.6).
NETWORK = ["--features", 16, "--widths", "32,32,32,32", "--classes", 16, "--epochs", 3, "--score-every", 0]
# Table 4, in microseconds, by MB: rows of 128 bytes one by one (FG) and in one piece (CG), by level of a800.
LINKS = {
    0: {
        "row_by_row_us": [17.13, 18.10, 19.93, 25.55, 29.01, 41.46],
        "coalesced_us": [19.00, 23.48, 26.50, 25.69, 32.30, 44.31],
    },
    1: {
        "row_by_row_us": [3607.78, 7477.82, 15414.77, 31248.01, 63377.97, 128245.72],
        "coalesced_us": [64.47, 79.67, 104.81, 160.20, 274.22, 495.09],
    },
}


def simulate(options, platform, *command):
    """Returns the report of `atoll simulate` on one command."""
    words = ["simulate", "--platform", platform, "--route", "direct", "--quiet", "--json", "-", "--", *command]
    return run_ours(tuple(map(str, [options.atoll, *words])))


class Table:
    """Cells of one table: each is simulated once and kept whole."""

    def __init__(self, options, keep):
        self.options, self.keep, self.cells, self.failed = options, keep, {}, False

    def spmm(self, graph, platform, strategy, columns=None, words=()):
        columns = columns or self.options.k
        command = ["run", "spmm", graph, "--undirected", "--columns", columns, "--trials", 1]
        command += [] if self.options.roofline else ["--programs"]
        return self.cell(graph, platform, strategy, [*command, *words], columns=columns)

    def gcn(self, graph, platform, strategy):
        return self.cell(graph, platform, strategy, ["run", "gcn", graph, "--undirected", *NETWORK])

    def cell(self, graph, platform, strategy, command, **size):
        key = (platform, strategy, *command)
        if key not in self.cells:
            report = simulate(self.options, platform, *command, "--strategy", strategy)
            (row,) = report["routes"]
            self.failed = self.failed or report.get("verified") is False
            self.cells[key] = {
                "table": self.options.table,
                "graph": graph,
                "platform": platform,
                "strategy": strategy,
                **size,
                "ms": row["run_seconds"] * 1e3,
                "predicted": True,
                "report": report,
            }
            self.keep.append(self.cells[key])
        return self.cells[key]

    def best(self, method, cell_of, *where, **kind):
        """The fastest of a method's strategies; those that do not fit are said and left out."""
        found = []
        for strategy in method:
            try:
                found.append(cell_of(*where, strategy, **kind))
            except CaseError as why:
                if len(method) == 1 or why.exit_code != WRONG_OPTIONS:
                    raise
                self.keep.append({"table": self.options.table, "where": where, "left_out": strategy, "why": str(why)})
                print(f"figures: {strategy} is left out: {str(why).splitlines()[0]}", file=sys.stderr)
        if not found:
            raise CaseError(f"{where}: none of {', '.join(method)} fits")
        return min(found, key=lambda cell: cell["ms"])


def ms(cell):
    return f"{cell['ms']:.3f}"


def name_of(method):
    return method[0] if len(method) == 1 else f"best of {', '.join(method)}"


def paper_lead(method, gpus):
    """Returns how many times CoLa's a method takes in tables 6 and 7, in geometric mean over the paper's graphs."""
    times = paper.TIMES[next(name for name, strategies in PROGRAMS.items() if strategies == method)][gpus]
    return geometric_mean(a / b for a, b in zip(times, paper.TIMES["CoLa"][gpus]))


def beside_cola(table, title, platform, methods, gpus=None):
    """A row for each graph: every method's ms, and how many times CoLa's; below them the geometric means, and the
    paper's on so many GPUs.
    """
    rows, ratios = [], [[] for _ in methods]
    for graph in table.options.graphs:
        found = [table.best(method, table.spmm, graph, platform) for method in methods]
        cells = []
        for cell, method, ratio in zip(found, methods, ratios):
            ratio.append(cell["ms"] / found[methods.index([COLA])]["ms"])
            which = f" {cell['strategy']}" if len(method) > 1 else ""
            cells.append(ms(cell) if method == [COLA] else f"{ms(cell)} ({ratio[-1]:.2f}x){which}")
        rows.append([graph, *cells])
    rows.append(["geometric mean", *(f"{geometric_mean(ratio):.2f}x" for ratio in ratios)])
    if gpus in paper.TIMES["CoLa"]:
        rows.append(["the paper's mean", *(f"{paper_lead(method, gpus):.2f}x" for method in methods)])
    print_table(title, ["graph", *(name_of(method) for method in methods)], rows)


def spmm_nodes(options, keep):
    """Tables 6 (one node) and 7 (several)."""
    table = Table(options, keep)
    for ranks in options.ranks:
        platform = f"{options.platform}:{ranks}"
        number = 6 if ranks <= 8 else 7
        title = f"Table {number}, predicted: ms on {platform}, k = {options.k} (times cola's)"
        beside_cola(table, title, platform, METHODS, ranks)
    return 1 if table.failed else 0


def gains(times):
    """Returns by how much each step divides the time of the one before, in geometric mean over the graphs."""
    return [geometric_mean(a / b for a, b in zip(before, after)) for before, after in zip(times, times[1:])]


def spmm_steps(options, keep):
    """Table 8: what each step gives."""
    table = Table(options, keep)
    platform, steps = f"{options.platform}:{options.ranks}", list(paper.STEPS)
    cells = [[table.spmm(graph, platform, step) for graph in options.graphs] for step in steps]
    rows = [[graph, *map(ms, row)] for graph, row in zip(options.graphs, zip(*cells))]
    for whose, times in {
        "mean": [[cell["ms"] for cell in step] for step in cells],
        "the paper's": list(paper.STEPS.values()),
    }.items():
        rows.append([f"each step's gain, {whose}", "-", *(f"{gain:.2f}x" for gain in gains(times))])
    print_table(f"Table 8, predicted: ms on {platform}, k = {options.k}", ["graph", *steps], rows)
    return 1 if table.failed else 0


def spmm_v100(options, keep):
    """Table 9: two NUMA domains."""
    table = Table(options, keep)
    methods = [*METHODS[:-1], WITHOUT_LINKS, [COLA]]
    title = f"Table 9, predicted: ms on v100:8, k = {options.k} (times cola's)"
    beside_cola(table, title, "v100:8", methods)
    return 1 if table.failed else 0


def over_sizes(table, title, sizes, cell_of):
    """A row for each graph and method, a column for each size."""
    rows = []
    for graph in table.options.graphs:
        for method in METHODS:
            cells = [cell_of(graph, method, size) for size in sizes]
            which = {cell["strategy"] for cell in cells}
            rows.append([graph, " / ".join(sorted(which)), *map(ms, cells)])
    print_table(title, ["graph", "strategy", *map(str, sizes)], rows)


def spmm_scaling(options, keep):
    """Figures 3 (one node) and 4 (several)."""
    table = Table(options, keep)
    parts = {3: [ranks for ranks in options.ranks if ranks <= 8], 4: [ranks for ranks in options.ranks if ranks >= 8]}
    for number, sizes in parts.items():
        if not sizes:
            continue
        title = f"Figure {number}, predicted: ms on so many GPUs of {options.platform}, k = {options.k}"
        over_sizes(
            table,
            title,
            sizes,
            lambda graph, method, ranks: table.best(method, table.spmm, graph, f"{options.platform}:{ranks}"),
        )
    return 1 if table.failed else 0


def spmm_columns(options, keep):
    """Figure 5: k."""
    table = Table(options, keep)
    platform = f"{options.platform}:{options.ranks}"
    title = f"Figure 5, predicted: ms on {platform}, by k"
    over_sizes(
        table, title, options.k, lambda graph, method, k: table.best(method, table.spmm, graph, platform, columns=k)
    )
    return 1 if table.failed else 0


def spmm_orders(options, keep):
    """Table 10: every method with and without Rabbit order, as geometric means over the graphs."""
    table = Table(options, keep)
    platform, rows = f"{options.platform}:{options.ranks}", []
    found = {
        (graph, name_of(method), order): table.best(method, table.spmm, graph, platform, words=["--order", word])
        for graph in options.graphs
        for method in METHODS
        for order, word in ORDERS.items()
    }
    for graph in options.graphs:
        cells = [f"{ms(found[graph, name_of(method), order])}" for method in METHODS for order in ORDERS]
        rows.append([graph, *cells])
    head = [f"{name_of(method)}, {order}" for method in METHODS for order in ORDERS]
    print_table(f"ms on {platform}, predicted, with and without Rabbit order, k = {options.k}", ["graph", *head], rows)
    rows = []
    for own in ORDERS:
        means = [
            geometric_mean([found[g, name_of(m), o]["ms"] / found[g, COLA, own]["ms"] for g in options.graphs])
            for m in METHODS
            for o in ORDERS
        ]
        rows.append([f"cola, {own}", *(f"{mean:.2f}x" for mean in means)])
    print_table("Table 10, predicted: times as fast, geometric means", ["", *head], rows)
    return 1 if table.failed else 0


def gcn_epochs(options, keep):
    """Table 11, and the share of an epoch that its products with the graph's matrix take."""
    table = Table(options, keep)
    platform, rows = f"a800:{options.ranks}", []
    for graph in options.graphs:
        found = [table.best(method, table.gcn, graph, platform) for method in METHODS]
        for cell in found:
            cell["spmm_share"] = cell["report"]["routes"][0]["result"]["spmm_share"]
            ratio = cell["ms"] / found[METHODS.index([COLA])]["ms"]
            rows.append([graph, cell["strategy"], ms(cell), f"{ratio:.2f}x", f"{100 * cell['spmm_share']:.0f} %"])
    title = f"Table 11, predicted: an epoch of five layers, 16 -> 32 -> 32 -> 32 -> 32 -> 16, on {platform}"
    print_table(title, ["graph", "strategy", "ms an epoch", "times cola's", "of it in SpMM"], rows)
    return 1 if table.failed else 0


def spmm_links(options, keep):
    """Table 4: what the simulated links take, beside the paper's measurement; and those of this machine."""
    words = ["bench", "messages", "--rounds", options.rounds]
    report = simulate(options, f"a800:{options.ranks}", *words)
    (row,) = report["routes"]
    rows, failed = [], report.get("verified") is False
    for level in row["result"]["levels"]:
        for kind, papers in LINKS[level["level"]].items():
            for size, printed in zip(level["sizes"], papers, strict=True):
                cell = {
                    "table": "spmm-links",
                    "platform": f"a800:{options.ranks}",
                    "level": level["level"],
                    "kind": kind,
                }
                cell |= {"bytes": size["bytes"], "us": size[kind], "paper_us": printed, "predicted": True}
                keep.append(cell)
                link = {0: "NVLink", 1: "IB"}[level["level"]]
                how = {"row_by_row_us": "row by row", "coalesced_us": "in one piece"}[kind]
                ratio = f"{size[kind] / printed:.2f}"
                rows.append([link, how, f"{size['bytes'] / 1e6:.2f}", f"{size[kind]:.2f}", f"{printed:.2f}", ratio])
    head = ["link", "128-byte rows", "MB", "predicted", "paper", "predicted / paper"]
    print_table("Table 4: microseconds on a800", head, rows)
    here = run_ours(tuple(map(str, [options.atoll, *words, "--ranks", 2, "--quiet", "--json", "-"])))
    rows = []
    for level in here["result"]["levels"]:
        for size in level["sizes"]:
            keep.append({"table": "spmm-links", "transport": here["world"]["transport"], **size})
            cells = [f"{size['bytes'] / 1e6:.2f}", f"{size['row_by_row_us']:.2f}", f"{size['coalesced_us']:.2f}"]
            rows.append(cells)
    title = f"The same between two ranks here ({here['world']['transport']}), measured; microseconds"
    print_table(title, ["MB", "row by row", "coalesced"], rows)
    return 1 if failed or here["verified"] is False else 0


def add_to(tables):
    def add(name, about, function, ranks=None, k=paper.K):
        parser = tables.add_parser(name, help=about)
        parser.set_defaults(function=function)
        if ranks is not None:
            several = isinstance(ranks, list)
            text = " ".join(map(str, ranks)) if several else ranks
            parser.add_argument(
                "--ranks", type=int, nargs="+" if several else None, default=ranks, help=f"default {text}"
            )
        if k is not None:
            several = isinstance(k, list)
            text = " ".join(map(str, k)) if several else k
            about = f"columns of the dense matrix (default {text})"
            parser.add_argument("--k", type=int, nargs="+" if several else None, default=k, help=about)
        if function is not spmm_links:
            parser.add_argument("--graphs", nargs="+", default=GRAPHS, help=f"default {' '.join(GRAPHS)}")
        if function not in (spmm_links, gcn_epochs):
            parser.add_argument(
                "--roofline", action="store_true", help="of products for all, not their programs' times"
            )
        if function not in (spmm_links, gcn_epochs, spmm_v100):
            parser.add_argument("--platform", default="a800", help="a800 (default) or a800-rails")
        return parser

    add("spmm-nodes", "tables 6 and 7 of CoLa: CAGNET, MGGCN, MGG, CoLa; predicted", spmm_nodes, [2, 4, 8, 16, 24, 32])
    add("spmm-steps", "table 8: what each step of CoLa gives; predicted", spmm_steps, 32)
    add("spmm-v100", "table 9: two NUMA domains of 4 GPUs; predicted", spmm_v100)
    add("spmm-scaling", "figures 3 and 4: more GPUs; predicted", spmm_scaling, [1, 2, 4, 8, 16, 24, 32])
    add("spmm-columns", "figure 5: fewer columns; predicted", spmm_columns, 8, [128, 64, 32])
    add("spmm-orders", "table 10: with and without Rabbit order; predicted", spmm_orders, 8)
    add("gcn-epochs", "table 11: epochs of a GCN of five layers, and SpMM's share; predicted", gcn_epochs, 8, None)
    parser = add(
        "spmm-links", "table 4: rows one by one and in one piece; predicted, and measured here", spmm_links, 16, None
    )
    parser.add_argument("--rounds", type=int, default=3, help="default 3")
