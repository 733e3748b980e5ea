# SPDX-License-Identifier: Apache-2.0
"""Times of CoLa's tables 6 and 7 from what each program moves and computes, and its tables 2 and 3.

A program's costs are fitted once, to the paper's 2 GPUs; 4 to 32 GPUs are predicted. The rows that a program fetches
come from the paper's own volumes: what 2 nodes fetch (table 3, VI_CoLa and VI_FR) is what 2 ranks would, 16 ranks
fetch what table 2 says, and for other numbers of ranks or nodes they grow as a power of it.

    CAGNET  product + stages + every row over NVLink + every row once into each other node
    MGGCN   the longer of product + stages and the network: each rank sends its rows to each rank elsewhere
    MGG     product + stages + a row a remote nonzero; across nodes a proxy sends them one by one
    CoLa    product + a row a remote column, in a phase a node; the other nodes' rows arrive meanwhile
"""

import math
import statistics

import cola_paper as paper
from layers import print_table
from run import run_ours

GPUS_OF_NODE = 8
ROW = 4 * paper.K  # bytes
MEMORY, NVLINK = 1381e9, 300e9  # bytes per second: of a GPU's memory, into a GPU (section 6.1.2 and 6.4.1)
READ, SEND, PROXY = 17e-6, 50.6e-6, 1.95e-6  # seconds: of a message over NVLink, over InfiniBand, of a row (table 4)
NONZERO = (ROW + 8) / MEMORY  # seconds of a nonzero by the roofline, of a pass over a row of C, of a copied row
PASS, COPY = 2 * ROW / MEMORY, ROW / MEMORY
FIT, SIZES = 2, [4, 8, 16, 24, 32]
# Fitted for each program: multiples of the roofline's product, of a stage's pass over C, of reading a copied row.
COSTS = {"CAGNET": ("product", "stage"), "MGGCN": ("product", "stage"), "MGG": ("product", "stage", "copy")}
COSTS["CoLa"] = ("product", "copy")
STAGES = {"CAGNET": lambda gpus: gpus, "MGGCN": lambda gpus: gpus, "MGG": lambda _: 2, "CoLa": lambda _: 0}


def nodes_of(gpus):
    return max(1, gpus // GPUS_OF_NODE)


def fetched(volume, graph, ranks):
    """Rows that `ranks` ranks fetch in all, row by row (V_FR) or each once (V_FC)."""
    if ranks == 1:
        return 0
    of_two = paper.VOLUMES["VI_FR" if volume == "V_FR" else "VI_CoLa"][graph]
    of_sixteen = paper.VOLUMES[volume][graph]
    return of_two * paper.MIB / ROW * (of_sixteen / of_two) ** (math.log2(ranks / 2) / 3)


def parts(program, graph, gpus):
    """Returns seconds of product, stage and copy at a cost of 1."""
    volume = "V_FR" if program == "MGG" else "V_FC"
    return {
        "product": paper.NONZEROS[graph] / gpus * NONZERO,
        "stage": STAGES[program](gpus) * paper.ROWS[graph] / gpus * PASS,
        "copy": fetched(volume, graph, gpus) / gpus * COPY,
    }


def links(program, graph, gpus, uplink):
    """Returns seconds on NVLink, then of the network."""
    nodes, rows = nodes_of(gpus), paper.ROWS[graph]
    apart = nodes > 1
    if program == "CAGNET":
        inside = rows * ROW * (gpus - 1) / gpus / NVLINK + gpus * (SEND if apart else READ)
        return inside, rows * ROW * (nodes - 1) / nodes / uplink
    if program == "MGGCN":
        sent = rows * ROW * (gpus - GPUS_OF_NODE) / nodes / uplink if apart else rows * ROW * (gpus - 1) / gpus / NVLINK
        return 0, sent + gpus * (SEND if apart else READ)
    volume = "V_FR" if program == "MGG" else "V_FC"
    inside = fetched(volume, graph, gpus) / gpus * ROW / NVLINK
    if not apart:
        return inside, 0
    if program == "MGG":
        return inside, fetched(volume, graph, nodes) * PROXY / gpus
    return inside, fetched(volume, graph, nodes) / nodes * ROW / uplink + (nodes - 1) * SEND


def predicted(program, costs, graph, gpus, uplink):
    """Returns milliseconds."""
    own = sum(costs[name] * seconds for name, seconds in parts(program, graph, gpus).items() if name in costs)
    inside, network = links(program, graph, gpus, uplink)
    nodes = nodes_of(gpus)
    if program == "CAGNET":  # one after the other
        seconds = own + inside + network
    elif program == "CoLa" and nodes > 1:  # a phase a node, of which the first needs no network
        busy = own + inside
        seconds = busy / nodes + max(busy * (nodes - 1) / nodes, network)
    else:
        seconds = max(own + inside, network)
    return 1e3 * seconds


def solved(matrix, right):
    """Solves a small linear system by elimination with pivots."""
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(len(rows)):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def fitted(program):
    """Returns the costs of least squared relative error over the paper's graphs on 2 GPUs."""
    names, lines, rights = COSTS[program], [], []
    for graph, ms in enumerate(paper.TIMES[program][FIT]):
        known = links(program, graph, FIT, NVLINK)[0]
        seconds = parts(program, graph, FIT)
        lines.append([seconds[name] / (ms / 1e3) for name in names])
        rights.append(1 - known / (ms / 1e3))
    normal = [[sum(a[i] * a[j] for a in lines) for j in range(len(names))] for i in range(len(names))]
    return dict(zip(names, solved(normal, [sum(a[i] * b for a, b in zip(lines, rights)) for i in range(len(names))])))


def error(ours, papers):
    return ours / papers - 1


class Cells:
    """Every cell predicted once, and kept: (program, graph, GPUs, GB/s into a node) -> (our ms, the paper's)."""

    def __init__(self, options, keep):
        self.costs = {program: fitted(program) for program in COSTS}
        self.table, self.keep, self.known = options.table, keep, {}
        keep += [{"table": self.table, "program": program, "fitted": self.costs[program]} for program in COSTS]

    def __call__(self, program, graph, gpus, uplink):
        key = (program, graph, gpus, uplink)
        if key not in self.known:
            ours = predicted(program, self.costs[program], graph, gpus, uplink * 1e9)
            papers = paper.TIMES[program][gpus][graph]
            self.known[key] = ours, papers
            where = {"program": program, "graph": paper.GRAPHS[graph], "gpus": gpus, "uplink": uplink * 1e9}
            ratio = {"ms": ours, "paper_ms": papers, "error": error(ours, papers)}
            self.keep.append({"table": self.table, **where, **ratio})
        return self.known[key]

    def column(self, program, gpus, uplink):
        return [self(program, graph, gpus, uplink) for graph in range(len(paper.GRAPHS))]


def median_error(pairs):
    return f"{statistics.median(abs(error(*pair)) for pair in pairs):.0%}"


def lead_of_cola(cells, program, gpus, uplink):
    """Returns how many times CoLa's time a program takes in geometric mean: predicted / the paper's."""
    pairs = list(zip(cells.column(program, gpus, uplink), cells.column("CoLa", gpus, uplink)))
    ours, papers = (statistics.geometric_mean(a[i] / b[i] for a, b in pairs) for i in (0, 1))
    return f"{ours:.2f} / {papers:.2f}"


def spmm_programs(options, keep):
    """Tables 6 and 7: each cell predicted, beside the paper's."""
    cells = Cells(options, keep)
    names = ("product", "stage", "copy")
    rows = [[program, *(f"{cells.costs[program].get(name, 0):.2f}" for name in names)] for program in COSTS]
    title = f"Fitted to {FIT} GPUs: times the roofline's product, a pass over C in a stage, a copied row"
    print_table(title, ["", *names], rows)
    first = options.uplinks[0]
    for gpus in [FIT, *SIZES]:
        columns = [cells.column(program, gpus, first) for program in COSTS]
        rows = [
            [name, *(f"{ours:.2f} / {papers:.2f} ({error(ours, papers):+.0%})" for ours, papers in row)]
            for name, row in zip(paper.GRAPHS, zip(*columns))
        ]
        what = "fitted" if gpus == FIT else "predicted"
        network = f"; {first:g} GB/s into a node" if nodes_of(gpus) > 1 else ""
        print_table(f"{gpus} GPUs, {what} / the paper's, ms{network}", ["", *COSTS], rows)
    baselines = [program for program in COSTS if program != "CoLa"]
    rows = []
    for uplink in options.uplinks:
        for gpus in SIZES if uplink == first else [size for size in SIZES if nodes_of(size) > 1]:
            row = [f"{uplink:g}", str(gpus)]
            row += [median_error(cells.column(program, gpus, uplink)) for program in COSTS]
            rows.append([*row, *(lead_of_cola(cells, program, gpus, uplink) for program in baselines)])
    head = ["GB/s into a node", "GPUs", *(f"{p}: median error" for p in COSTS)]
    head += [f"{p}: times CoLa's, predicted / paper" for p in baselines]
    print_table("Over the graphs: medians of the error, geometric means of CoLa's lead", head, rows)
    every = [pair for program in COSTS for gpus in SIZES for pair in cells.column(program, gpus, first)]
    print(f"\nMedian error of all {len(every)} predicted cells, {first:g} GB/s into a node: {median_error(every)}")
    return 0


def spmm_volumes(options, keep):
    """Tables 2 and 3: formulas at the paper's sizes beside what it printed, and all seven volumes on other graphs."""
    rows = []
    ranks, nodes = 2 * GPUS_OF_NODE, 2
    for graph, name in enumerate(paper.GRAPHS):
        whole = paper.ROWS[graph] * ROW / paper.MIB
        printed = {volume: values[graph] for volume, values in paper.VOLUMES.items()}
        ours = {"V_CG": whole * (ranks - 1), "VI_CG": whole * (ranks - GPUS_OF_NODE), "bound": whole * (nodes - 1)}
        keep.append({"table": options.table, "graph": name, "formula": ours, "paper": printed})
        rows.append(
            [
                name,
                f"{ours['V_CG']:.2f} / {printed['V_CG']:.2f}",
                f"{1 - printed['V_FC'] / printed['V_CG']:.0%}, {1 - printed['V_FC'] / printed['V_FR']:.0%}",
                f"{ours['VI_CG']:.2f} / {printed['VI_CG']:.2f}",
                f"{printed['VI_CoLa'] / ours['bound']:.0%}",
                f"{printed['VI_FC'] / printed['VI_CoLa']:.2f}",
            ]
        )
    head = ["", "V_CG, formula / printed", "of V_CG and V_FR redundant", "VI_CG, formula / printed"]
    head += ["VI_CoLa of its bound 4nk(W-1)", "VI_FC / VI_CoLa"]
    print_table("The paper's graphs, k = 32, 16 GPUs in 2 nodes: MiB", head, rows)
    rows, right = [], True
    for graph in options.graphs:
        words = [
            "spmm-volume",
            graph,
            "--undirected",
            "--ranks",
            ranks,
            "--workgroup",
            GPUS_OF_NODE,
            "--columns",
            paper.K,
        ]
        words += ["--order", options.order, "--quiet", "--json", "-"]
        found = run_ours(tuple(map(str, [options.atoll, *words])))["result"]
        right = right and found["counted_equals_formula"]
        keep.append({"table": options.table, "graph": graph, **found})
        volumes = {name: found[name] / paper.MIB for name in paper.VOLUMES}
        share = [1 - found["V_FC"] / found[name] for name in ("V_CG", "V_FR")]
        of_bound = found["VI_CoLa"] / (found["VI_CG"] / GPUS_OF_NODE)
        fused = found["VI_FC"] / found["VI_CoLa"]
        rows.append([graph, *(f"{mib:.2f}" for mib in volumes.values())])
        rows[-1] += [f"{share[0]:.0%}, {share[1]:.0%}", f"{of_bound:.0%}", f"{fused:.2f}"]
    head = ["", *paper.VOLUMES, "of V_CG and V_FR redundant", "VI_CoLa of its bound", "VI_FC / VI_CoLa"]
    counted = "equal to what virtual ranks count" if right else "NOT what virtual ranks count"
    print_table(f"Tables 2 and 3 on other graphs, order {options.order}: MiB, {counted}", head, rows)
    return 0 if right else 1


def add_to(tables):
    parser = tables.add_parser("spmm-programs", help="tables 6 and 7 of CoLa: each cell predicted after one fit")
    parser.set_defaults(function=spmm_programs)
    parser.add_argument(
        "--uplinks",
        type=float,
        nargs="+",
        default=[27, 18, 20, 144],
        help="GB/s into a node, the first in full (default 27 18 20 144: 1.5 cards of 18, one, one of 20, eight of 18)",
    )
    parser = tables.add_parser("spmm-volumes", help="tables 2 and 3 of CoLa: volumes, beside what it printed")
    parser.set_defaults(function=spmm_volumes)
    graphs = ["kron:16", "communities:16", "uniform:16"]
    parser.add_argument("--graphs", nargs="+", default=graphs, help=f"default {' '.join(graphs)}")
    parser.add_argument("--order", default="rabbit", help="as in `atoll spmm-volume` (default rabbit)")
