# SPDX-License-Identifier: Apache-2.0
"""Valid small files of every format that Atoll reads, and how each is read: what the fuzzer changes and tries."""

from __future__ import annotations

import gzip
import json
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import atoll
import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
ATOLL = ROOT / "bin" / "atoll"


@dataclass
class Reader:
    """`make` gives the bytes of a valid file, `read` reads one at a path; `ending` is that of its name."""

    ending: str
    make: Callable[[], bytes]
    read: Callable[[str], object]


def _text(text: str) -> Callable[[], bytes]:
    return lambda: text.encode()


def _written(ending: str, write: Callable[[str], object]) -> Callable[[], bytes]:
    """Returns what write(path) leaves in a file."""

    def make() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/a{ending}"
            write(path)
            return Path(path).read_bytes()

    return make


def _graph(**options: object) -> Callable[[str], object]:
    return lambda path: atoll.Graph(path, **options)


def _command(*words: str) -> Callable[[str], object]:
    """Runs the command; its exit codes for wrong input are errors of Atoll, others are finds."""

    def read(path: str) -> None:
        run = subprocess.run(
            [ATOLL, *(path if word == "FILE" else word for word in words)], capture_output=True, text=True, timeout=20
        )
        if run.returncode in (2, 3):
            if "Traceback" in run.stderr:
                raise RuntimeError(run.stderr[-500:])
            raise atoll.errors.InputError(run.stderr.strip()[-300:])
        if run.returncode not in (0, 1):
            raise RuntimeError(f"exit code {run.returncode}: {run.stderr[-500:]}")

    return read


def _tables() -> object:
    import pyarrow

    return pyarrow.table(
        {
            "source": [f"n{k}" for k in range(40)],
            "target": [f"n{k * 7 % 40}" for k in range(40)],
            "weight": np.arange(40) / 4,
        }
    )


def _parquet(path: str) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(_tables(), path)


def _feather(path: str) -> None:
    import pyarrow.feather

    pyarrow.feather.write_feather(_tables(), path, compression="uncompressed")


def _stream(path: str) -> None:
    import pyarrow

    with pyarrow.OSFile(path, "wb") as file, pyarrow.ipc.new_stream(file, _tables().schema) as writer:
        writer.write_table(_tables())


def _networkx(name: str) -> Callable[[], bytes]:
    import networkx

    G = networkx.Graph()
    G.add_weighted_edges_from((f"n{k}", f"n{k * 7 % 20}", k / 4) for k in range(20))
    return _written("", lambda path: getattr(networkx, f"write_{name}")(G, path))


def _json() -> bytes:
    nodes = [{"id": k} for k in range(20)]
    links = [{"source": k, "target": k * 7 % 20, "weight": k / 4} for k in range(20)]
    return json.dumps({"directed": True, "multigraph": False, "graph": {}, "nodes": nodes, "edges": links}).encode()


def _edges(separator: str, heading: str = "", names: bool = False) -> str:
    word = "gene {}" if names else "{}"
    rows = (separator.join((word.format(k), word.format(k * 7 % 40), f"{k / 4}")) for k in range(40))
    return heading + "\n".join(rows) + "\n"


def _converted(ending: str) -> Callable[[], bytes]:
    def write(path: str) -> None:
        source = f"{path}.txt"
        Path(source).write_text(_edges(" "))
        subprocess.run([ATOLL, "convert", source, path, "--quiet"], check=True, capture_output=True)

    return _written(ending, write)


def _distances(path: str) -> None:
    atoll.all_pairs(atoll.Graph.generate("grid:5x5", weighted=True)).save(path)


def _open_distances(path: str) -> None:
    opened = atoll.apsp.open(path)
    np.asarray(opened[0])


def readers() -> dict[str, Reader]:
    """Every reader by name; those whose package is missing are left out."""
    metis = "4 4 1\n2 1 3 2\n1 1 3 4\n1 2 2 4 4 5\n3 5\n"
    matrix = "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 2 0.5\n2 3 1\n3 4 2\n4 1 3\n"
    all_readers = {
        "edges": Reader(".txt", _text(_edges(" ")), _graph()),
        "edges.csv": Reader(".csv", _text(_edges(",", "source,target,weight\n")), _graph()),
        "edges.decimal": Reader(".csv", _text(_edges(";").replace(".", ",")), _graph()),
        "edges.data": Reader(".edgelist", _text("0 1 {'weight': 3.5}\n1 2 {'weight': 1.0}\n"), _graph()),
        "edges.konect": Reader(".tsv", _text("% bip unweighted\n% 4 2 3\n1 1\n1 2\n2 2\n2 3\n"), _graph()),
        "edges.counts": Reader(".txt", _text("5 4\n0 1\n1 2\n2 3\n3 4\n"), _graph()),
        "edges.gz": Reader(".txt.gz", lambda: gzip.compress(_edges(" ").encode(), mtime=0), _graph()),
        "matrix": Reader(".csv", _text("0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n"), _graph()),
        "names.matrix": Reader(".csv", _text(",A,B,C\nA,0,1,0\nB,1,0,2\nC,0,2,0\n"), _graph(names=True)),
        "names": Reader(".tsv", _text(_edges("\t", names=True)), _graph(names=True)),
        "names.csv": Reader(".csv", _text(_edges(",", "from,to,w\n", names=True)), _graph(names=True)),
        "mtx": Reader(".mtx", _text(matrix), _graph()),
        "metis": Reader(".graph", _text(metis), _graph()),
        "dimacs": Reader(".gr", _text("c x\np sp 3 2\na 1 2 5\na 2 3 4\n"), _graph()),
        "dimacs.col": Reader(".col", _text("p edge 3 2\nn 1 5\ne 1 2\ne 2 3\n"), _graph()),
        "g500": Reader(".g500", _converted(".g500"), _graph()),
        "atoll": Reader(".atoll", _converted(".atoll"), _graph()),
        "graphml": Reader(".graphml", _networkx("graphml"), _graph()),
        "gexf": Reader(".gexf", _networkx("gexf"), _graph()),
        "gml": Reader(".gml", _networkx("gml"), _graph()),
        "pajek": Reader(".net", _networkx("pajek"), _graph()),
        "json": Reader(".json", _json, _graph()),
        "json.gz": Reader(".json.gz", lambda: gzip.compress(_json(), mtime=0), _graph()),
        "parquet": Reader(".parquet", _written(".parquet", _parquet), _graph()),
        "feather": Reader(".feather", _written(".feather", _feather), _graph()),
        "arrow": Reader(".arrow", _written(".arrow", _stream), _graph()),
        "distances": Reader(".npy", _written(".npy", _distances), _open_distances),
        "map.traffic": Reader(
            ".traffic", _text("0 1 5\n1 2 5\n2 3 1\n"), _command("map", "mesh:2x2", "--traffic", "FILE")
        ),
        "map.hosts": Reader(".hosts", _text("a\nb\nc\nd\n"), _command("map", "mesh:2x2", "--host-names", "FILE")),
        "map.slurm": Reader(
            ".conf",
            _text("SwitchName=s0 Nodes=tux[0-3]\nSwitchName=s1 \\\n  Nodes=tux[4-6]\nSwitchName=s2 Switches=s[0-1]\n"),
            _command("map", "FILE"),
        ),
        "seeds": Reader(
            ".seeds", _text("1 3\n2\n"), _command("run", "pagerank", "ring:9", "--personalization", "FILE", "--quiet")
        ),
        "kg.edges": Reader(
            ".tsv",
            _text("source\ttarget\tcount\n" + "".join(f"a{k}\tb{k}\t{k + 1}\n" for k in range(20))),
            _kg_import,
        ),
        "kg.edges.gz": Reader(
            ".tsv.gz",
            lambda: gzip.compress(
                ("source\ttarget\tcount\n" + "".join(f"a{k}\tb{k}\t{k + 1}\n" for k in range(20))).encode(), mtime=0
            ),
            _kg_import,
        ),
    }
    return all_readers


def _kg_import(path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _command("kg", "import", f"{folder}/store", "--edges", "FILE")(path)
