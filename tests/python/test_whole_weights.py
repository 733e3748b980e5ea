# SPDX-License-Identifier: Apache-2.0
"""Whole weights: distances are exact far beyond 2^24, and files have all digits."""

import heapq
import random
import subprocess
from pathlib import Path

import atoll
import numpy as np
import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def graph(largest, seed=3):
    """Edges with odd weights up to `largest`, and the distances from 0 as Python ints; None: not reached."""
    rng = random.Random(seed)
    edges = [(u, u + 1, largest - 2 * rng.randrange(9)) for u in range(50)]
    edges += [(rng.randrange(50), rng.randrange(50), largest - 2 * rng.randrange(largest // 4)) for _ in range(30)]
    edges.append((55, 59, 1))
    lists = {}
    for u, v, w in edges:
        lists.setdefault(u, []).append((v, w))
        lists.setdefault(v, []).append((u, w))
    distance, near = {0: 0}, [(0, 0)]
    while near:
        d, v = heapq.heappop(near)
        for u, w in lists[v]:
            if d + w < distance.get(u, d + w + 1):
                distance[u] = d + w
                heapq.heappush(near, (d + w, u))
    return edges, {v: distance.get(v) for e in edges for v in e[:2]}


@pytest.mark.parametrize("largest", [2**23 + 1, 2**46 + 1])
@pytest.mark.parametrize(
    "machine",
    [
        ["--ranks", "1"],
        ["--ranks", "3", "--partition", "hashed"],
        ["--ranks", "5", "--domains", "3+2", "--route", "domain"],
        ["--ranks", "8", "--domains", "2x2x2", "--route", "mst", "--partition", "hierarchy"],
    ],
    ids=lambda words: " ".join(words),
)
def test_a_file_of_integer_weights(tmp_path, largest, machine):
    edges, expected = graph(largest)
    assert 2**24 < max(d for d in expected.values() if d) < 2**53
    source, out = tmp_path / "graph.wel", tmp_path / "distance.tsv"
    source.write_text("".join(f"{u} {v} {w}\n" for u, v, w in edges))
    words = [source, "--undirected", "--source", "0", "--transport", "inproc", "--threads", "1", *machine]
    subprocess.run([ATOLL, "run", "sssp", *words, "--output", out], check=True, capture_output=True, timeout=120)
    rows = dict(line.split("\t") for line in out.read_text().splitlines())
    assert rows == {str(v): "Infinity" if d is None else str(d) for v, d in expected.items()}
    subprocess.run([ATOLL, "verify", "sssp", source, out, *words[1:]], check=True, capture_output=True, timeout=120)


@pytest.mark.parametrize("ranks", [1, 3])
def test_whole_numbers_in_float32(ranks):
    edges, expected = graph(2**23 + 1)
    ids = sorted(expected)

    def play(world):
        src, dst, weight = np.array(edges[world.rank :: world.size]).T.copy()
        made = atoll.Graph.from_edges(src, dst, weight.astype(np.float32), directed=False, comm=world)
        distance = atoll.sssp(made, 0).distance.gather()
        assert distance.dtype == np.float64
        assert [None if d == np.inf else int(d) for d in distance] == [expected[v] for v in ids]

    atoll.run_ranks(ranks, play)
