# SPDX-License-Identifier: Apache-2.0
"""Latency and memory of `atoll serve`, asked for the shortest paths of random pairs at a steady rate over loopback.

Each client is a process with one connection that is kept. Questions are due at fixed times, however long the ones
before took: those of all clients together at equal distances, client after client. A latency counts from when its
question was due where the answer before came later than that, so a stall delays all that wait behind it (no coordinated
omission); else from when it was sent, as a client that slept wakes late.
Afterwards the server answers `--questions` more as fast as it can, and its memory is read.
"""

import json
import multiprocessing
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import quote

from coast import state
from layers import print_table

PAGE = 100  # concepts of a page


class Connection:
    """A connection to a server that is kept."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get(self, address):
        self._socket.sendall(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        data = b""
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._received()
        size = int(re.search(rb"content-length: (\d+)", data[:end], re.IGNORECASE)[1])
        while len(data) < end + 4 + size:
            data += self._received()
        if not data.startswith(b"HTTP/1.1 200 "):
            raise RuntimeError(f"{address}: {data[:end].decode()}")
        return data[end + 4 :]

    def _received(self):
        data = self._socket.recv(1 << 16)
        if not data:
            raise RuntimeError("the server has closed the connection")
        return data


def addresses(ids, seed, count):
    rand = random.Random(seed)
    return [f"/path?from={quote(rand.choice(ids))}&to={quote(rand.choice(ids))}" for _ in range(count)]


def ask(port, ids, seed, count, period, begin, found):
    """One client: seconds from when each question was due until its answer was there; period 0: one after another."""
    connection = Connection(port)
    latencies = []
    for i, address in enumerate(addresses(ids, seed, count)):
        start = due = begin + i * period if period else max(begin, time.monotonic())
        while (left := due - time.monotonic()) > 0:
            time.sleep(left)
            start = time.monotonic()
        connection.get(address)
        latencies.append(time.monotonic() - start)
    found.put((latencies, time.monotonic() - begin))


def clients(options, port, ids, seed, count, rate):
    """(latencies of all clients, questions a second)."""
    found = multiprocessing.Queue()
    begin = time.monotonic() + 1
    between = 1 / rate if rate else 0
    period = options.clients * between
    each = count // options.clients
    processes = [
        multiprocessing.Process(target=ask, args=(port, ids, seed + i, each, period, begin + i * between, found))
        for i in range(options.clients)
    ]
    for process in processes:
        process.start()
    parts = [found.get(timeout=1200) for _ in processes]
    for process in processes:
        process.join()
    return [x for latencies, _ in parts for x in latencies], each * len(parts) / max(seconds for _, seconds in parts)


def memory(pid):
    """Bytes in memory of a process: its own (anonymous), and all that is resident."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {name: int(fields[key].split()[0]) << 10 for name, key in (("anonymous", "RssAnon"), ("resident", "VmRSS"))}


def all_ids(port):
    ids, address = [], f"/concepts?limit={PAGE}"
    while address:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{address}") as answer:
            page = json.load(answer)
        ids += [concept["id"] for concept in page["concepts"]]
        address = page["next"]
    return ids


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def serve(options, keep):
    command = [
        options.python,
        "-m",
        "atoll.serve.command_line",
        options.folder,
        "--port",
        "0",
        "--graph",
        options.graph,
    ]
    server = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
    try:
        line = server.stderr.readline()
        started = re.search(r":(\d+)/\n", line)
        if not started:
            print(f"serve: {line}{server.stderr.read()}", end="", file=sys.stderr)
            return 1
        port = int(started[1])
        ids = all_ids(port)
        clients(options, port, ids, options.seed + 1000, 200 * options.clients, 0)  # the first ones find nothing cached
        used = cpu_seconds(server.pid)
        latencies, rate = clients(options, port, ids, options.seed, int(options.rate * options.seconds), options.rate)
        used = cpu_seconds(server.pid) - used
        machine = state()
        _, most = clients(options, port, ids, options.seed + 2000, options.questions, 0)
        kept = memory(server.pid)
        server.send_signal(signal.SIGTERM)
        began = time.monotonic()
        server.wait(60)
        ended = time.monotonic() - began
    finally:
        server.kill()
    row = {
        "table": "serve",
        "concepts": len(ids),
        "asked_per_s": options.rate,
        "answered_per_s": rate,
        "p50_s": statistics.median(latencies),
        "p99_s": quantile(latencies, 0.99),
        "most_s": max(latencies),
        "cpu_s_per_question": used / len(latencies),
        "most_per_s": most,
        "memory": kept,
        "end_s": ended,
        "state": machine,
    }
    keep.append(row)
    print_table(
        f"atoll serve, /path of random pairs of {len(ids):,} concepts, {options.clients} clients; {machine}",
        ["asked/s", "p50", "p99", "most", "CPU of one", "at full speed", "anonymous", "resident", "SIGTERM to end"],
        [
            [
                f"{options.rate:g}",
                *(f"{row[name] * 1e3:.2f} ms" for name in ("p50_s", "p99_s", "most_s", "cpu_s_per_question")),
                f"{most:.0f}/s",
                *(f"{kept[name] / 1e6:.0f} MB" for name in ("anonymous", "resident")),
                f"{ended:.2f} s",
            ]
        ],
    )
    return 0


def cpu_seconds(pid):
    """Returns the seconds of a process so far, all threads, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def add_to(tables):
    parser = tables.add_parser("serve", help="latency and memory of atoll serve on a built folder")
    parser.set_defaults(function=serve)
    parser.add_argument("folder", type=Path, help="that atoll kg build has built")
    parser.add_argument("--graph", default="literature", help="default literature")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with atoll and its extra kg")
    parser.add_argument("--rate", type=float, default=500, help="questions a second, of all clients (default 500)")
    parser.add_argument("--clients", type=int, default=2, help="default 2")
    parser.add_argument("--seconds", type=float, default=20, help="default 20")
    parser.add_argument("--questions", type=int, default=10_000, help="at full speed, before memory is read (10,000)")
    parser.add_argument("--seed", type=int, default=1)
