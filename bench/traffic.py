# SPDX-License-Identifier: Apache-2.0
"""The bytes that algorithms send, compared with the simplest engine: a record of id and value, 8 bytes, over each cut
edge in each round. `inspect` counts the edges, `run` the bytes sent."""

from layers import print_table
from run import run_ours

RECORD_BYTES = 8
# A round of PageRank is an iteration. The other algorithms' whole runs are compared with one round of records: if a run
# is below half of that, so is each of its rounds.
ALGORITHMS = {"pagerank": "--max-iter {iterations} --trials 1", "cc": "--trials 1", "sssp": "--weighted --trials 1"}


def traffic(options, keep):
    atoll = str(options.atoll)
    common = ["--quiet", "--json", "-"]
    inspect = (atoll, "inspect", options.graph, "--undirected", "--for-ranks", str(options.ranks), *common)
    cut_entries = run_ours(inspect)["result"]["cut_entries"]
    records = RECORD_BYTES * cut_entries
    rows = []
    for algorithm in options.algorithms:
        words = ["run", algorithm, options.graph, "--undirected", "--partition", options.partition, "--no-verify"]
        words += ALGORITHMS[algorithm].format(iterations=options.iterations).split()
        report = run_ours((atoll, *words, "--ranks", str(options.ranks), "--threads", "1", *common))
        sent = sum(level["bytes"] for level in report["counters"]["levels"])
        rounds = options.iterations if algorithm == "pagerank" else 1
        keep.append({"table": "traffic", "algorithm": algorithm, "bytes": sent, "rounds": rounds, "records": records})
        of = f"a round of {rounds}" if rounds > 1 else "the whole run"
        cells = [f"{sent / rounds / 1e6:.2f}", f"{records / 1e6:.2f}", f"{sent / rounds / records:.3f}"]
        rows.append([algorithm, of, *cells])
    print(f"{options.graph}, {options.ranks} ranks, {options.partition}; {cut_entries:,} cut entries")
    print_table("Bytes of all ranks", ["algorithm", "of", "MB", "MB, records in a round", "of it"], rows)
    return 0


def add_to(tables):
    parser = tables.add_parser("traffic", help="bytes a round beside a record for each cut edge")
    parser.set_defaults(function=traffic)
    parser.add_argument("--graph", default="kron:20", help="default kron:20")
    parser.add_argument("--ranks", type=int, default=4, help="default 4")
    parser.add_argument("--partition", default="blocked", help="default blocked")
    parser.add_argument("--iterations", type=int, default=10, help="of pagerank (default 10)")
    parser.add_argument("--algorithms", nargs="+", choices=list(ALGORITHMS), default=list(ALGORITHMS))
