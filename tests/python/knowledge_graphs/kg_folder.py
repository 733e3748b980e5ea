# SPDX-License-Identifier: Apache-2.0
"""Small knowledge-graph folders for tests, straight into the store's tables."""

import random

import networkx as nx
from atoll import kg

TYPES = ("disease", "gene", "drug")


def make(folder, literature, curated=(), mappings=(), *, types=None, n=None, curated_n=None):
    """A store: literature rows (a, b, count) or (a, b, count, relation, kind), curated pairs, mappings of numbers.

    Concept i of the literature has the id Li and the name "concept i", of the curated graph Ci and "curated i".
    """
    rows = [(*row, "co-occurrence", "")[:5] if len(row) == 3 else row for row in literature]
    n = n or 1 + max(max(row[:2]) for row in rows)
    curated_n = curated_n or 1 + max([0, *(max(pair) for pair in curated), *(c for _, c in mappings)])
    types = types or [TYPES[i % 3] for i in range(n)]
    with kg.Store.writing(folder) as store:

        def put(table, lines):
            for line in lines:
                store.sql(f"insert into {table} values ({', '.join('?' * len(line))})", list(line))

        put("sources", [(0, "literature", "edges", "literature.csv", "d0", len(rows), len(rows), None, "")])
        put("concepts", [("literature", i, f"L{i}", types[i], f"concept {i}", 1, 0) for i in range(n)])
        put("edges", [("literature", *sorted(row[:2]), row[3], row[4], row[2], 0) for row in rows])
        put("concepts", [("curated", i, f"C{i}", "gene", f"curated {i}", 1, 1) for i in range(curated_n)])
        put("edges", [("curated", *sorted(pair), "curated", "", 1, 1) for pair in curated])
        put("mappings", [(a, b, "direct", 2) for a, b in mappings])
    return folder


def random_rows(seed, n, chance=0.4, most=9):
    """Rows (a, b, count) of a random graph; a pair may have two."""
    rand = random.Random(seed)
    graph = nx.gnp_random_graph(n, chance, seed=seed)
    rows = [(a, b, rand.randint(1, most)) for a, b in graph.edges]
    rows += [(a, b, rand.randint(1, most), "co-occurrence", "again") for a, b, _ in rows[:2]]
    return rows or [(0, 1, 1)]


def shares(rows):
    """c / (T_a + T_b - c) by pair, by the definition."""
    count, total = {}, {}
    for a, b, c, *_ in rows:
        count[a, b] = count.get((a, b), 0) + c
        total[a] = total.get(a, 0) + c
        total[b] = total.get(b, 0) + c
    return {(a, b): c / (total[a] + total[b] - c) for (a, b), c in count.items()}
