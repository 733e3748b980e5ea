#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The papers' tables and figures, each by one command.

    bench/figures.py strong --algorithm all     routes side by side on simulated machines (TuCOMM, figures 4 and 7)
    bench/figures.py weak|ablation|combining    the same, by ranks, by what each step of TuCOMM gives
    bench/figures.py lci                        LCI's experiment: layers of communication under one engine
    bench/figures.py lci-scaling                its figure 3: strong scaling
    bench/figures.py memory                     its figure 5: communication memory
    bench/figures.py gemini                     its figure 4: several threads of a rank send and receive
    bench/figures.py traffic                    bytes a round beside a record for each cut edge
    bench/figures.py engines --gap FOLDER       TuCOMM's figures 5, 6 and 9: other engines on the same graphs
    bench/figures.py algorithms --python PYTHON components, communities, forests .. beside igraph, NetworKit, SciPy
    bench/figures.py mini-batches --python PYTHON    epochs of GraphSAGE beside PyTorch Geometric's loader
    bench/figures.py networkx-script            18 calls of NetworkX, by itself and with atoll as its backend
    bench/figures.py choices                    what choosing by the graph loses beside the best choice

    bench/figures.py products [--sweep m]       COAST's figures 6a and 6b: a product's rate over k, over m
    bench/figures.py blocks                     6c: a whole run's over n and the block
    bench/figures.py grid-scaling|grid-broadcasts    7 and 9, in virtual time
    bench/figures.py heat-map                   8: the model's rates over vertices and nodes
    bench/figures.py methods                    13: fw, dijkstra, delta, auto on matrices of its kinds
    bench/figures.py partial                    table II: steps of long runs, at equal memory
    bench/figures.py variants                   section VI.C: from naive to coast, measured and in virtual time
    bench/figures.py allpairs --python PYTHON   all pairs beside SciPy, NetworKit, igraph, Boost

    bench/figures.py spmm-nodes                 CoLa's tables 6 and 7: SpMM by CAGNET, MGGCN, MGG, CoLa, in virtual time
    bench/figures.py spmm-programs              the same predicted cell by cell, after one fit to 2 GPUs
    bench/figures.py spmm-volumes               its tables 2 and 3: volumes, beside what it printed
    bench/figures.py spmm-links                 its table 4: rows one by one and in one piece, predicted and measured
    bench/figures.py spmm-steps|spmm-v100       tables 8 and 9: what each step gives; two NUMA domains
    bench/figures.py spmm-scaling|spmm-columns  figures 3, 4 and 5
    bench/figures.py spmm-orders                table 10: with and without Rabbit order
    bench/figures.py gcn-epochs                 table 11: a GCN of five layers
    bench/figures.py spmm-peers --python PYTHON SpMM on this machine beside SciPy, MKL, GraphBLAS, PyTorch

    bench/figures.py hamorder-table2            Hamorder's table 2: kernels on a mesh, a torus, random networks
    bench/figures.py hamorder-orders            its figure 5: orders of the hosts of random networks
    bench/figures.py hamorder-interference      figure 4: two jobs at once, by how they lie among each other
    bench/figures.py hamorder-tuning            figures 6 to 8: searches over topology, order, MPI and collectives
    bench/figures.py tuned-plans                Atoll's own plans of BFS, SpMM and all pairs at 256 ranks, searched
    bench/figures.py measured-map               atoll map --measure on hosts of unequal delay made here (needs root)
    bench/figures.py serve FOLDER               atoll serve: latency at a steady rate, memory, how fast it ends
    bench/figures.py kg-peers FOLDER            its shortest paths, beside NetworkX and graph databases from PyPI

`bench/figures.py TABLE --help` has what may be changed. --json FILE keeps every figure. What it prints goes
into docs/routes.md, docs/measurements/ and docs/all-pairs.md.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import algorithms
import allpairs
import choices
import coast
import cola
import cola_programs
import engines
import everyday
import hamorder
import kg_peers
import layers
import measured_map
import mini_batches
import networkx_script
import serve
import simulated
import spmm_peers
import traffic
import tuned_plans
from run import CaseError


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tables = parser.add_subparsers(dest="table", required=True)
    of_graphs = (simulated, layers, traffic, engines, algorithms, networkx_script, choices, everyday)
    of_matrices = (coast, allpairs, cola, cola_programs, spmm_peers, mini_batches)
    for module in (*of_graphs, *of_matrices, hamorder, measured_map, tuned_plans, serve, kg_peers):
        module.add_to(tables)
    for table in tables.choices.values():
        table.add_argument("--json", help="file for all that was measured")
        table.add_argument("--atoll", type=Path, default=simulated.ROOT / "bin/atoll", help="default bin/atoll")
    options = parser.parse_args(argv)
    if "all" in getattr(options, "algorithm", []):
        options.algorithm = list(simulated.ALGORITHMS)
    options.failed = []  # runs that a table leaves out; run.leave_out()
    keep = []
    try:
        code = options.function(options, keep) or 0
    except (CaseError, subprocess.TimeoutExpired) as why:
        print(f"figures: {why}", file=sys.stderr)
        code = 1
    finally:
        if options.json:
            Path(options.json).write_text(json.dumps(keep, indent=1))
    if options.failed:
        runs = f"{len(options.failed)} run{'s' if len(options.failed) > 1 else ''}"
        print(f"figures: {options.table}: {runs} failed, as said above.", file=sys.stderr)
    return code or (1 if options.failed else 0)


if __name__ == "__main__":
    sys.exit(main())
