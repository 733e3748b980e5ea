# SPDX-License-Identifier: Apache-2.0
"""Shortest paths of random pairs of a built knowledge graph, asked of Atoll and of others in one process each.

All have the same undirected graph, whose lengths are whole units, so that every answer must be as long as Atoll's. A
path that is longer, shorter, or not in the graph is told, and the exit code is 1.

  atoll           from the distances that atoll kg build has left: the concepts of the path
  atoll-named     atoll.kg.find_paths: with names, weights, counts and sources from the store
  networkx        bidirectional_dijkstra
  kuzu, ladybug   an embedded graph database and its successor: WSHORTEST of their Cypher, in memory
"""

import importlib.metadata
import importlib.util
import multiprocessing
import queue
import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from coast import state
from layers import print_table
from run import leave_out
from serve import quantile

_MOST_HOPS = 1000  # of a database, which otherwise gives up at 30
_BUFFER_BYTES = 4 << 30  # of a database, which otherwise takes most of the machine


class Atoll:
    package = "atoll"

    def __init__(self, graph):
        self._graph = graph

    def path(self, source, target):
        from atoll.kg.routes import shortest_walk

        walk = shortest_walk(self._graph, source, target)
        return (None, ()) if walk is None else (walk.length, walk.vertices)


class AtollNamed(Atoll):
    def __init__(self, graph):
        super().__init__(graph)
        self._ids = [concept.id for concept in graph.concepts(graph.distances.ids)]
        self._rows = {id: row for row, id in enumerate(self._ids)}

    def path(self, source, target):
        from atoll import kg

        paths = kg.find_paths(self._graph, self._ids[source], self._ids[target]).paths
        if not paths:
            return None, ()
        return round(paths[0].weight / self._graph.unit), [self._rows[concept.id] for concept in paths[0].concepts]


class NetworkX:
    package = "networkx"

    def __init__(self, graph):
        import networkx as nx

        self._nx, self._graph = nx, nx.Graph()
        self._graph.add_nodes_from(range(len(graph.distances.ids)))
        self._graph.add_weighted_edges_from(edges(graph))

    def path(self, source, target):
        try:
            return self._nx.bidirectional_dijkstra(self._graph, source, target)
        except self._nx.NetworkXNoPath:
            return None, ()


class Kuzu:
    """Each edge is there in both directions: a question without directions took 3 to 19 % more of the processor."""

    package = "kuzu"
    _QUERY = "match (a:C {id: $s})-[e:E* wshortest(length)]->(b:C {id: $t}) return cost(e), properties(nodes(e), 'id')"

    def __init__(self, graph):
        database = importlib.import_module(self.package)
        self._connection = database.Connection(database.Database(":memory:", buffer_pool_size=_BUFFER_BYTES))
        self._ask("create node table C(id int64 primary key)")
        self._ask("create rel table E(from C to C, length int64)")
        with tempfile.TemporaryDirectory() as folder:
            for table, rows in (("C", ((v,) for v in range(len(graph.distances.ids)))), ("E", arcs(graph))):
                file = Path(folder, f"{table}.csv")
                file.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
                self._ask(f"copy {table} from '{file}'")
        self._ask(f"call var_length_extend_max_depth = {_MOST_HOPS}")
        self._query = self._connection.prepare(self._QUERY)

    def _ask(self, query, values=None):
        return self._connection.execute(query, values or {})

    def path(self, source, target):
        found = self._ask(self._query, {"s": source, "t": target})
        if not found.has_next():
            return None, ()
        length, inner = found.get_next()
        return round(length), [source, *(v for v in inner if v not in (source, target)), target]


class Ladybug(Kuzu):
    package = "real_ladybug"


ENGINES = {"atoll": Atoll, "atoll-named": AtollNamed, "networkx": NetworkX, "kuzu": Kuzu, "ladybug": Ladybug}


def edges(graph):
    """(a, b, length in units) of each edge, a < b, by row."""
    offsets, targets, lengths = graph.arcs
    for a in range(len(offsets) - 1):
        for place in range(offsets[a], offsets[a + 1]):
            if a < targets[place]:
                yield a, int(targets[place]), int(lengths[place])


def arcs(graph):
    """Each edge in both directions."""
    for a, b, length in edges(graph):
        yield a, b, length
        yield b, a, length


def ask(name, folder, graph_name, pairs, limit, found):
    """One engine, in a process of its own: how long it took to load, then (seconds, length, path) of each pair."""
    from atoll import kg

    with kg.BuiltGraph(folder, graph_name) as graph:
        begin = time.monotonic()
        engine = ENGINES[name](graph)
        engine.path(*pairs[0])  # what is made at the first question
        found.put(time.monotonic() - begin)
        end = time.monotonic() + limit
        for source, target in pairs:
            if time.monotonic() > end:
                break
            start = time.perf_counter()
            length, path = engine.path(source, target)
            found.put((time.perf_counter() - start, length, tuple(path)))
        found.put(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10)


def answers(options, name, pairs):
    """(seconds to load, answers in the order of pairs, bytes at most), of an engine that had its time."""
    context = multiprocessing.get_context("spawn")
    found = context.Queue()
    arguments = (name, str(options.folder), options.graph, pairs, options.limit, found)
    process = context.Process(target=ask, args=arguments)
    process.start()
    got = []
    end = time.monotonic() + options.limit + options.grace
    try:
        while not (len(got) > 1 and isinstance(got[-1], int)):
            try:
                got.append(found.get(timeout=0.5))
            except queue.Empty:
                if not process.is_alive() and found.empty():
                    raise SystemExit(f"kg-peers: {name} has ended with code {process.exitcode} (see above)") from None
                if time.monotonic() > end:
                    print(f"{name}: stopped, since it still loaded or answered {options.grace:g} s after its limit")
                    return (got[0] if got else float("nan")), got[1:], float("nan")
    finally:
        process.kill()
        process.join()
    return got[0], got[1:-1], got[-1]


def wrong_answers(graph, pairs, found, lengths):
    """Sentences about answers that are not paths of the graph, or not as long as Atoll's."""
    offsets, targets, units = graph.arcs
    for (source, target), (_, length, path), expected in zip(pairs, found, lengths):
        if length != expected:
            yield f"{source} to {target}: {length} units long, Atoll's {expected}"
        elif length is not None:
            total = 0
            for a, b in zip(path, path[1:]):
                row = slice(offsets[a], offsets[a + 1])
                place = targets[row].searchsorted(b)
                if place == len(targets[row]) or targets[row][place] != b:
                    yield f"{source} to {target}: no edge joins {a} and {b}"
                    break
                total += int(units[row][place])
            else:
                if (path[0], path[-1], total) != (source, target, length):
                    yield f"{source} to {target}: the path {path} is {total} units long, not {length}"


def kg_peers(options, keep):
    if importlib.util.find_spec("atoll") is None:
        print("kg-peers: this interpreter has no atoll. Run it by .venv/bin/python.", file=sys.stderr)
        return 1
    from atoll import errors, kg

    try:
        opened = kg.BuiltGraph(options.folder, options.graph)
    except errors.Error as e:
        print(f"kg-peers: {e}", file=sys.stderr)
        return 1
    rows, wrong = [], []
    with opened as graph:
        n = len(graph.distances.ids)
        rand = random.Random(options.seed)
        pairs = [tuple(rand.sample(range(n), 2)) for _ in range(options.pairs)]
        lengths = [units if units >= 0 else None for units in (int(graph.units_from(a)[b]) for a, b in pairs)]
        machine = state()
        for name in options.engines or ENGINES:
            package = ENGINES[name].package
            if importlib.util.find_spec(package) is None:
                print(f"{name}: skipped, {package} is not installed (pip install {package})")
                continue
            loaded, found, memory = answers(options, name, pairs)
            if not found:
                leave_out(options, f"{name}: it has answered nothing in {options.limit:g} s")
                continue
            told = list(wrong_answers(graph, pairs, found, lengths))
            wrong += [f"{name}: {sentence}" for sentence in told]
            seconds = [one[0] for one in found]
            row = {
                "table": "kg-peers",
                "engine": name,
                "version": importlib.metadata.version(package),
                "load_s": loaded,
                "pairs": len(found),
                "median_s": statistics.median(seconds),
                "p99_s": quantile(seconds, 0.99),
                "most_s": max(seconds),
                "wrong": len(told),
                "bytes": memory,
                "state": machine,
            }
            keep.append(row)
            rows.append(row)
    count = graph.description["edges"]
    print_table(
        f"Paths of random pairs, {n:,} concepts, {count:,} edges, at most {options.limit:g} s each; {machine}",
        ["", "version", "load", "pairs", "median", "p99", "most", "memory", "equal"],
        [
            [
                row["engine"],
                row["version"],
                f"{row['load_s']:.2f} s",
                f"{row['pairs']:,} of {len(pairs):,}",
                *(f"{row[name] * 1e3:.3g} ms" for name in ("median_s", "p99_s", "most_s")),
                f"{row['bytes'] / 1e6:.0f} MB",
                f"{row['pairs'] - row['wrong']:,}",
            ]
            for row in rows
        ],
    )
    for sentence in wrong[:10]:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


def add_to(tables):
    parser = tables.add_parser("kg-peers", help="shortest paths of a built folder, beside NetworkX and graph databases")
    parser.set_defaults(function=kg_peers)
    parser.add_argument("folder", type=Path, help="that atoll kg build has built")
    parser.add_argument("--graph", default="literature", help="default literature")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), help="default: all that are installed")
    parser.add_argument("--pairs", type=int, default=1000, help="default 1000")
    parser.add_argument("--limit", type=float, default=120, metavar="SECONDS", help="of an engine (default 120)")
    parser.add_argument(
        "--grace", type=float, default=60, metavar="SECONDS", help="to load, and to end the last question (default 60)"
    )
    parser.add_argument("--seed", type=int, default=1)
