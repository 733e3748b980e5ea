# SPDX-License-Identifier: Apache-2.0
"""Weighted graphs as text (.wel): the kinds on which COAST compares methods [1, table VII], and dense ones.

The paper's own six are in the SuiteSparse collection; a file of them (.mtx) is used as is, with entries made positive
as in the paper. The graphs generated here are of the same kinds but smaller, with whole weights from 1 to 1000.

[1] R. Kannan et al. "Exaflop/s Biomedical Knowledge Graph Analytics." SC 2022.
"""

import random
import re
from pathlib import Path

from run import run_ours


def mycielskian(n):
    """The largest Mycielski graph of at most n vertices (mycielskian15: 24,575)."""
    edges, size = [(0, 1)], 2
    # a copy v + size of each v, adjacent to v's neighbours, and one vertex adjacent to all copies
    while 2 * size + 1 <= n:
        copies = [(u, v + size) for u, v in edges] + [(v, u + size) for u, v in edges]
        edges += copies + [(v + size, 2 * size) for v in range(size)]
        size = 2 * size + 1
    return edges


def gene_network(n, chance):
    """Genes in overlapping groups of unequal size: dense, some parts much more so (human_gene1, human_gene2)."""
    share = [chance.paretovariate(1.2) for _ in range(n)]
    drawn = chance.choices(range(n), share, k=n * n // 10)  # about 5 % of all pairs
    return sorted({(min(u, v), max(u, v)) for u, v in zip(drawn[::2], drawn[1::2]) if u != v})


def ball_mesh(n, radius):
    """Points of a cubic grid, each joined to those closer than `radius` (nd6k has 383 per row, pkustk07 143)."""
    side = round(n ** (1 / 3))
    steps = range(-int(radius), int(radius) + 1)
    ball = [(a, b, c) for a in steps for b in steps for c in steps if 0 < a * a + b * b + c * c <= radius * radius]
    place = {(a, b, c): (a * side + b) * side + c for a in range(side) for b in range(side) for c in range(side)}
    for (a, b, c), u in place.items():
        for da, db, dc in ball:
            if (v := place.get((a + da, b + db, c + dc), -1)) > u:
                yield u, v


def jacobian(n, chance):
    """Some bands and a few other entries per row, not symmetric (Zd_Jac3: 84 per row)."""
    bands = [chance.randrange(-n // 8, n // 8) for _ in range(60)]
    for u in range(n):
        heads = {u + band for band in bands if 0 <= u + band < n} | {chance.randrange(n) for _ in range(24)}
        yield from ((u, v) for v in sorted(heads - {u}))


def dense(n):
    return ((u, v) for u in range(n) for v in range(n) if u != v)


def sparse(n, chance, degree=8):
    """degree * n random edges, including a ring that connects all vertices."""
    drawn = {(u, (u + 1) % n) for u in range(n)}
    while len(drawn) < degree * n:
        u, v = chance.randrange(n), chance.randrange(n)
        if u != v and (v, u) not in drawn:
            drawn.add((u, v))
    return sorted(drawn)


# By kind: whether it is directed, and its edges. In comments: the paper's matrices of that kind.
KINDS = {
    "gene": (False, gene_network),  # human_gene1, human_gene2: weighted graphs
    "mycielskian": (False, lambda n, _: mycielskian(n)),  # mycielskian15: weighted graph
    "jacobian": (True, jacobian),  # Zd_Jac3: simulation
    "mesh": (False, lambda n, _: ball_mesh(n, 4.5)),  # nd6k: 3D mesh
    "structure": (False, lambda n, _: ball_mesh(n, 3)),  # pkustk07: structural
    "dense": (True, lambda n, _: dense(n)),
    "dense-undirected": (False, lambda n, _: ((u, v) for u, v in dense(n) if u < v)),
    "sparse": (False, sparse),  # 8 n edges
    "sparse-directed": (True, sparse),
    "sparse-2n": (False, lambda n, chance: sparse(n, chance, 2)),
    "sparse-4n": (False, lambda n, chance: sparse(n, chance, 4)),
    "sparse-16n": (False, lambda n, chance: sparse(n, chance, 16)),
    "sparse-64n": (False, lambda n, chance: sparse(n, chance, 64)),
}


class WeightedInput:
    """Edges with weights in a text file: generated once, of a kind and n vertices, or converted from a graph file."""

    def __init__(self, name, n, options):
        options.cache.mkdir(parents=True, exist_ok=True)
        self.name = name if name not in KINDS else f"{name}:{n}"
        stem = re.sub(r"\W+", "-", Path(self.name).name)
        self.path = options.cache / f"{stem}.wel"
        self.directed = KINDS[name][0] if name in KINDS else options.directed
        self.kind = "--directed" if self.directed else "--undirected"
        if self.path.exists():
            return
        part = self.path.with_name(f"part-{self.path.name}")  # so that an interrupted file is not taken for a graph
        if name in KINDS:
            chance = random.Random(1)
            with open(part, "w") as file:
                file.writelines(f"{u} {v} {chance.randint(1, 1000)}\n" for u, v in KINDS[name][1](n, chance))
        else:
            run_ours((str(options.atoll), "convert", name, str(part), self.kind, "--quiet", "--json", "-"))
            make_positive(part)
        part.rename(self.path)


def make_positive(path):
    with open(path) as file:
        lines = [line.split() for line in file]
    with open(path, "w") as file:
        for u, v, *weight in lines:
            if (w := abs(float(weight[0])) if weight else 1.0) > 0:
                file.write(f"{u} {v} {w!r}\n")
