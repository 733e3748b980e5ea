# SPDX-License-Identifier: Apache-2.0
"""Epochs of GraphSAGE on sampled mini-batches: Atoll's NeighborLoader beside that of PyTorch Geometric.

--python is an interpreter with torch, torch_geometric, atoll, and what PyTorch Geometric's loader needs: pyg_lib or
torch_sparse. Each system is a process of its own that has read the same graph; they take turns, an epoch at a time. The
script is the same in all but for what it imports; `loader` is Atoll's loader with the layers of PyTorch Geometric, so
that only sampling differs. `batches` is a pass over the loader without training.

A graph is a file of numpy with adj_indptr, adj_indices, labels and features in CSR (feat_), or a generator's name; its
vertices then have 100 drawn features and one of 40 labels, so that accuracy means nothing. Edges are taken both ways. A
fifth of the vertices, drawn, is left for the accuracy.
"""

import os
import statistics
import textwrap
from pathlib import Path

from inputs import Input
from layers import print_table
from peer_process import PeerProcess
from run import CaseError, leave_out

SYSTEMS = {
    "PyTorch Geometric": ("torch_geometric.loader", "torch_geometric.nn"),
    "loader": ("atoll.torch", "torch_geometric.nn"),
    "loader and layers": ("atoll.torch", "atoll.torch"),
}
SERVER = """
    import importlib, sys, time
    import numpy as np
    loaders, layers, path, threads, workers, size, hidden = *sys.argv[1:4], *map(int, sys.argv[4:8])
    fanouts = list(map(int, sys.argv[8:]))
    import torch
    import torch.nn.functional as F
    NeighborLoader = importlib.import_module(loaders).NeighborLoader
    SAGEConv = importlib.import_module(layers).SAGEConv
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    kept = np.load(path)
    if path.endswith(".npz"):
        n = len(kept["adj_indptr"]) - 1
        source = np.repeat(np.arange(n), np.diff(kept["adj_indptr"]))
        target = kept["adj_indices"].astype(np.int64)
        x = np.zeros((n, int(kept["feat_shape"][1])), dtype=np.float32)
        x[np.repeat(np.arange(n), np.diff(kept["feat_indptr"])), kept["feat_indices"]] = kept["feat_data"]
        x, y = torch.from_numpy(x), torch.from_numpy(kept["labels"].astype(np.int64))
    else:
        source, target = kept[:, 0], kept[:, 1]
        n = int(kept[:, :2].max()) + 1
        x, y = torch.randn(n, 100), torch.randint(40, (n,))
    source, target = np.append(source, target), np.append(target, source)
    pairs = np.unique(source[source != target] * n + target[source != target])
    edge_index = torch.from_numpy(np.stack([pairs // n, pairs % n]))
    train = torch.rand(n) < 0.8
    data = {"x": x, "y": y, "edge_index": edge_index}
    if layers == "torch_geometric.nn":
        from torch_geometric.data import Data
        data = Data(**data)
    loader = NeighborLoader(
        data, num_neighbors=fanouts, input_nodes=train, batch_size=size, shuffle=True, num_workers=workers
    )
    rest = NeighborLoader(data, num_neighbors=fanouts, input_nodes=~train, batch_size=size)

    class Sage(torch.nn.Module):
        def __init__(self):
            super().__init__()
            columns = [x.shape[1], *[hidden] * (len(fanouts) - 1), int(y.max()) + 1]
            self.layers = torch.nn.ModuleList([SAGEConv(a, b) for a, b in zip(columns, columns[1:])])

        def forward(self, x, edge_index):
            for layer in self.layers[:-1]:
                x = layer(x, edge_index).relu()
            return self.layers[-1](x, edge_index)

    model = Sage()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)

    def batches():
        return sum(batch.edge_index.shape[1] for batch in loader)

    def epoch():
        edges = 0
        for batch in loader:
            optimizer.zero_grad()
            out = model(batch.x, batch.edge_index)[: batch.batch_size]
            F.cross_entropy(out, batch.y[: batch.batch_size]).backward()
            optimizer.step()
            edges += batch.edge_index.shape[1]
        return edges

    def accuracy():
        with torch.no_grad():
            right = 0
            for batch in rest:
                found = model(batch.x, batch.edge_index)[: batch.batch_size].argmax(1)
                right += int((found == batch.y[: batch.batch_size]).sum())
        return right / int((~train).sum())

    print("ready", flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        value = {"batches": batches, "epoch": epoch, "accuracy": accuracy}[line.strip()]()
        print(time.perf_counter() - start, value, flush=True)
"""


def mini_batches(options, keep):
    for name in options.graphs:
        is_file = name.endswith(".npz")
        path = Path(name) if is_file else Input(name, "--undirected", options).simple_rows()
        for workers in options.workers:
            keep.extend(in_turns(name, path, workers, options))
    fanouts = ", ".join(map(str, options.fanouts))
    print(
        f"{options.threads} threads, batches of {options.batch_size}, {fanouts} neighbours, {options.hidden} hidden "
        f"columns, {options.turns} epochs in turns, medians; load {os.getloadavg()[0]:.1f}"
    )
    head = ["graph", "workers", "system", "epoch, s", "batches, s", "edges of an epoch", "accuracy", "times as fast"]
    rows = [
        [
            Path(f["graph"]).stem,
            str(f["workers"]),
            f["system"],
            f"{f['epoch']:.3f}",
            f"{f['batches']:.3f}",
            str(f["edges"]),
            f"{f['accuracy']:.3f}",
            f"{f['ratio']:.2f}" if "ratio" in f else "",
        ]
        for f in keep
    ]
    print_table(f"GraphSAGE by mini-batches, times as fast as {options.systems[0]}", head, rows)
    return 0


def in_turns(name, path, workers, options):
    """A figure for each system."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads), "ATOLL_THREADS": str(options.threads)}
    numbers = [options.threads, workers, options.batch_size, options.hidden, *options.fanouts]
    start = [options.python, "-W", "ignore", "-c", textwrap.dedent(SERVER)]
    systems = {
        system: PeerProcess(system, [*start, *SYSTEMS[system], path, *numbers], environment)
        for system in options.systems
    }
    seen = {system: {"epoch": [], "batches": [], "edges": []} for system in systems}

    def ask(system, line):
        answer = systems[system].ask(line, options.limit)
        if answer is None:
            raise CaseError(f"{system} on {name}: {line} has taken more than {options.limit:g} s.")
        return float(answer[0]), float(answer[1])

    figures = []
    try:
        for _ in range(options.turns):
            for system, figure in seen.items():
                for line in ("batches", "epoch"):
                    seconds, edges = ask(system, line)
                    figure[line].append(seconds)
                figure["edges"].append(edges)
        first = next(iter(seen.values()))
        for system, figure in seen.items():
            figures.append(
                {
                    "table": "mini-batches",
                    "graph": str(name),
                    "workers": workers,
                    "system": system,
                    "epoch": statistics.median(figure["epoch"]),
                    "batches": statistics.median(figure["batches"]),
                    "edges": int(statistics.median(figure["edges"])),
                    "accuracy": ask(system, "accuracy")[1],
                }
            )
            if figure is not first:
                ratios = [theirs / mine for theirs, mine in zip(first["epoch"], figure["epoch"])]
                figures[-1]["ratio"] = statistics.median(ratios)
    except CaseError as why:
        leave_out(options, why)
    finally:
        for process in systems.values():
            process.close()
    return figures


def add_to(tables):
    parser = tables.add_parser("mini-batches", help="epochs of GraphSAGE beside PyTorch Geometric's loader")
    parser.set_defaults(function=mini_batches)
    parser.add_argument("--python", default="python3", help="an interpreter that has both")
    parser.add_argument(
        "--systems", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS), help="the first is compared"
    )
    parser.add_argument("--graphs", nargs="+", default=["communities:14"], help="files of numpy and generators' names")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--workers", type=int, nargs="+", default=[0], help="of the loaders (default 0)")
    parser.add_argument("--batch-size", type=int, default=512, help="default 512")
    parser.add_argument("--fanouts", type=int, nargs="+", default=[15, 10], help="default 15 10")
    parser.add_argument("--hidden", type=int, default=128, help="columns (default 128)")
    parser.add_argument("--limit", type=float, default=120, help="seconds that an epoch may take (default 120)")
    parser.add_argument("--turns", type=int, default=5, help="epochs of each (default 5)")
    cache = Path(__file__).resolve().parent.parent / "build/bench"
    parser.add_argument("--cache", type=Path, default=cache, help="folder for the graphs")
