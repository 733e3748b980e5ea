# SPDX-License-Identifier: Apache-2.0
"""Sparse times dense on this machine beside other programs, and what bounds it.

  --python PYTHON, SPMM_PYTHON   an interpreter with numpy and scipy; those of mkl (Intel's library from PyPI, called
                                 with its hints), graphblas (SuiteSparse, by python-graphblas) and torch that it can
                                 import are used, and the others named

All multiply the same matrix, the graph's, both ways, normalised as in a GCN, by the same k columns of 32-bit numbers;
rows of a peer's result are checked. Programs take turns. The random reads are those that `atoll bench spmm` measures
in its own run: rows of B in random order, summed by the same loop.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

from coast import cores, report_of, state
from inputs import convert, made
from layers import print_table
from run import CaseError, run_peer

# A peer's script gets the matrix as `a`, in SciPy's form, and `threads`. It defines product(b), whose result call(b)
# leaves as an array.
SCRIPT = """
    import json, os, sys, time
    path, threads, trials, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(threads)
    import numpy as np
    import scipy.sparse

    def matrix():
        kept = path + ".npz"
        if os.path.exists(kept):
            return scipy.sparse.load_npz(kept)
        u, v, above = np.fromfile(path, dtype="<u4").reshape(-1, 3).T  # Graph500's 48-bit ids
        assert not above.any(), "ids of more than 32 bits"
        n = int(max(u.max(), v.max())) + 1
        a = scipy.sparse.csr_matrix((np.ones(2 * len(u), np.float32), (np.r_[u, v], np.r_[v, u])), shape=(n, n))
        a.sum_duplicates()
        degree = np.maximum(np.diff(a.indptr), 1)
        root = (1 / np.sqrt(degree)).astype(np.float32)
        a.data = np.repeat(root, np.diff(a.indptr)) * root[a.indices]
        scipy.sparse.save_npz(kept + "-part.npz", a, compressed=False)
        os.replace(kept + "-part.npz", kept)  # an interrupted file is not taken for a matrix
        return a

    a = matrix()
    n = a.shape[0]
    rng = np.random.default_rng(1)
    PEER
    seconds = {}
    for k in columns:
        b = rng.random((n, k), dtype=np.float32) - np.float32(0.5)
        prepared = prepare(b)
        taken = []
        for trial in range(trials + 1):
            start = time.perf_counter()
            c = product(prepared)
            taken.append(time.perf_counter() - start)
        c = given(c)
        for i in rng.integers(0, n, 200):
            row = slice(a.indptr[i], a.indptr[i + 1])
            terms = a.data[row, None].astype(np.float64) * b[a.indices[row]]
            bound = 1e-5 * np.abs(terms).sum(axis=0) + 1e-12
            assert (np.abs(c[i] - terms.sum(axis=0)) <= bound).all(), f"row {i} of k = {k} is wrong"
        seconds[k] = sorted(taken[1:])[(len(taken) - 1) // 2]
    print("found", json.dumps({"nonzeros": int(a.nnz), "seconds": seconds}))
"""
SCIPY = """
prepare = given = lambda array: array
product = lambda b: a @ b
"""
MKL = """
import ctypes, glob
mkl = ctypes.CDLL(glob.glob(sys.prefix + "/lib/libmkl_rt.so*")[0])
class Description(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diagonal", ctypes.c_int)]
general = Description(20, 0, 0)
PLAIN, BY_ROWS, CALLS = 10, 101, 1000
def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)
def done(status):
    assert status == 0, f"mkl: status {status}"
def prepare(b):
    global handle, indptr, indices
    indptr, indices = a.indptr.astype(np.int32), a.indices.astype(np.int32)
    handle = ctypes.c_void_p()
    end = ctypes.c_void_p(indptr.ctypes.data + 4)
    done(mkl.mkl_sparse_s_create_csr(ctypes.byref(handle), 0, n, n, pointer(indptr), end, pointer(indices),
                                     pointer(a.data)))
    done(mkl.mkl_sparse_set_mm_hint(handle, PLAIN, general, BY_ROWS, b.shape[1], CALLS))
    done(mkl.mkl_sparse_optimize(handle))
    return b, np.empty_like(b)
def product(both):
    b, c = both
    k = b.shape[1]
    done(mkl.mkl_sparse_s_mm(PLAIN, ctypes.c_float(1), handle, general, BY_ROWS, pointer(b), k, k, ctypes.c_float(0),
                             pointer(c), k))
    return c
given = lambda c: c
"""
GRAPHBLAS = """
import graphblas as gb
gb.ss.config["nthreads"] = threads
A = gb.io.from_scipy_sparse(a)
prepare = lambda b: gb.Matrix.from_dense(b)
product = lambda b: A.mxm(b, gb.semiring.plus_times).new()
given = lambda c: c.to_dense(0)
"""
TORCH = """
import torch
torch.set_num_threads(threads)
A = torch.sparse_csr_tensor(torch.from_numpy(a.indptr.astype(np.int64)), torch.from_numpy(a.indices.astype(np.int64)),
                            torch.from_numpy(a.data), size=a.shape)
prepare = torch.from_numpy
product = lambda b: A @ b
given = lambda c: c.numpy()
"""
# By name: what tells that it is there, and the script.
PEERS = {
    "scipy": ("import scipy.sparse", SCIPY),  # on one thread
    "mkl": ("import glob, sys; sys.exit(not glob.glob(sys.prefix + '/lib/libmkl_rt.so*'))", MKL),
    "graphblas": ("import graphblas", GRAPHBLAS),
    "torch": ("import torch", TORCH),
}


def at_hand(options):
    """The peers, and those that PYTHON lacks."""
    there, missing = [], []
    for peer in options.peers:
        probe, _ = PEERS[peer]
        done = subprocess.run([options.python, "-c", f"import numpy, scipy.sparse; {probe}"], capture_output=True)
        (missing if done.returncode else there).append(peer)
    return there, missing


def edges_of(options, graph):
    """The graph's edges, made once."""
    options.cache.mkdir(parents=True, exist_ok=True)
    path = options.cache / (re.sub(r"\W+", "-", Path(graph).name) + "-spmm.g500")
    made(path, lambda part: convert(str(options.atoll), graph, part, "--undirected", "--unweighted"))
    return path


def theirs(options, peer, path):
    script = textwrap.dedent(SCRIPT).replace("PEER", PEERS[peer][1].strip())
    words = f"{path} {options.threads} {options.trials} '{json.dumps(options.columns)}'"
    text, _ = run_peer(f"{options.python} - {words} <<'END'\n{script}\nEND")
    found = re.search(r"^found (.*)$", text, re.MULTILINE)
    if not found:
        raise CaseError(f"{peer} printed no figures. It ended with: {text[-300:]}")
    found = json.loads(found[1])
    return found["nonzeros"], {int(k): seconds for k, seconds in found["seconds"].items()}


def ours(options, graph, order="identity"):
    words = ["bench", "spmm", graph, "--undirected", "--unweighted", "--threads", options.threads, "--order", order]
    words += ["--columns", ",".join(map(str, options.columns)), "--trials", options.trials]
    return report_of(options, *words)


def median_of(reports, field, k):
    (place,) = {i for i, p in enumerate(reports[0]["result"]["products"]) if p["columns"] == k}
    return statistics.median(report["result"]["products"][place][field] for report in reports)


def spmm_peers(options, keep):
    options.python = options.python or sys.executable
    peers, missing = at_hand(options)
    for peer in missing:
        keep.append({"table": "spmm-peers", "peer": peer, "missing_from": options.python})
        print(
            f"figures: {peer} is missing: {options.python} has no such package (or no numpy and scipy).",
            file=sys.stderr,
        )
    beside, bounds, failed = [], [], False
    for graph in options.graphs:
        path = edges_of(options, graph) if peers else None
        runs = {"plain": [], "rabbit": [], **{peer: [] for peer in peers}}
        for _ in range(options.rounds):
            runs["plain"].append(ours(options, graph))
            for peer in peers:
                runs[peer].append(theirs(options, peer, path))
            runs["rabbit"].append(ours(options, graph, "rabbit"))
        plain, rabbit = runs["plain"], runs["rabbit"]
        failed = failed or not all(report["verified"] for report in plain + rabbit)
        first = plain[0]["result"]["products"][0]
        nonzeros = round(first["flops"] * first["seconds"] / 2 / first["columns"])
        order = statistics.median(report["seconds"]["order"] for report in rabbit)
        permute = statistics.median(report["seconds"]["permute"] for report in rabbit)
        for k in options.columns:
            seconds = median_of(plain, "seconds", k)
            row = {"graph": graph, "columns": k, "nonzeros": nonzeros, "seconds": seconds}
            for peer in peers:
                for count, _ in runs[peer]:
                    if count != nonzeros:
                        raise CaseError(f"{peer}: the matrix of {graph} has {count} nonzeros there, {nonzeros} here")
                their = statistics.median(found[k] for _, found in runs[peer])
                keep.append(
                    {"table": "spmm-peers", **row, "peer": peer, "their_seconds": their, "ratio": their / seconds}
                )
                beside.append(keep[-1])
            fraction, after = median_of(plain, "fraction_of_random_reads", k), median_of(rabbit, "seconds", k)
            bound = {"fraction_of_random_reads": fraction, "order_seconds": order, "permute_seconds": permute}
            keep.append({"table": "spmm-peers", **row, **bound, "seconds_after": after, "gain": seconds / after})
            bounds.append(keep[-1])
    print(f"{options.threads} threads on {state()}; medians of {options.rounds} rounds of {options.trials}, in turns")
    rows = [
        [
            f["peer"],
            f["graph"],
            str(f["columns"]),
            f"{f['their_seconds']:.4f}",
            f"{f['seconds']:.4f}",
            f"{f['ratio']:.2f}",
        ]
        for f in sorted(beside, key=lambda f: f["ratio"])
    ]
    rows += [[peer, "missing", "-", "-", "-", "-"] for peer in missing]
    head = ["peer", "graph", "k", "its seconds", "our seconds", "times as fast"]
    print_table("SpMM beside other programs, worst first", head, rows)
    rows = [
        [f["graph"], str(f["columns"]), f"{f['nonzeros']:,}", f"{100 * f['fraction_of_random_reads']:.0f} %"]
        + [f"{f['order_seconds']:.3f} + {f['permute_seconds']:.3f}", f"{f['gain']:.2f}"]
        for f in sorted(bounds, key=lambda f: f["fraction_of_random_reads"])
    ]
    head = ["graph", "k", "nonzeros", "of random row reads", "Rabbit order + permuting, s", "times as fast after it"]
    print_table("What bounds it, worst first", head, rows)
    return 1 if failed else 0


def add_to(tables):
    cache = Path(__file__).resolve().parent.parent / "build/bench"
    parser = tables.add_parser("spmm-peers", help="SpMM beside SciPy, MKL, GraphBLAS and PyTorch; random reads; Rabbit")
    parser.set_defaults(function=spmm_peers)
    graphs, columns = ["kron:20", "communities:20"], [32, 64, 128]
    parser.add_argument("--graphs", nargs="+", default=graphs, help=f"default {' '.join(graphs)}")
    parser.add_argument("--columns", type=int, nargs="+", default=columns, help="k (default 32 64 128)")
    parser.add_argument("--threads", type=int, default=min(2, cores()))
    parser.add_argument("--rounds", type=int, default=3, help="runs of each program, in turns (default 3)")
    parser.add_argument("--trials", type=int, default=5, help="products in a run (default 5)")
    parser.add_argument("--peers", nargs="+", choices=list(PEERS), default=list(PEERS), help="only these")
    parser.add_argument("--cache", type=Path, default=cache, help="folder for the graphs")
    text = "an interpreter with peers (default $SPMM_PYTHON, else this one)"
    parser.add_argument("--python", default=os.environ.get("SPMM_PYTHON"), help=text)
