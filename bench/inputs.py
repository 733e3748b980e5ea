# SPDX-License-Identifier: Apache-2.0
"""One graph in the format that each engine reads fastest, created once and cached in a folder.

All engines get the same edges and the same whole weights (1 to 255, since GAP's are whole numbers): as text, as GAP's
serialized lists, also with vertices numbered by descending degree, and as Gemini's pairs.
"""

import re
from pathlib import Path

import numpy as np
from run import peer_figure, run_ours, run_peer


class Input:
    def __init__(self, name, kind, options):
        self.name, self.kind = name, kind
        self.stem = options.cache / re.sub(r"\W+", "-", Path(name).name.split(".")[0])
        self.plain, self.weighted = (self.stem.with_suffix(ending) for ending in (".el", ".wel"))
        options.cache.mkdir(parents=True, exist_ok=True)
        self.atoll = atoll = str(options.atoll)
        made(self.plain, lambda part: convert(atoll, name, part, kind, "--unweighted"))
        made(self.weighted, lambda part: self.with_whole_weights(atoll, part))

    def with_whole_weights(self, atoll, part):
        """A generator's weights; files get some by the ids of both ends, whose order does not matter."""
        if re.match("[a-z0-9]+:", self.name):
            convert(atoll, self.name, part, self.kind, "--weighted")
            u, v, w = np.fromfile(part, sep=" ").reshape(-1, 3).T
            w = 1 + np.floor(w * 255)
        else:
            u, v = np.fromfile(self.plain, dtype=np.int64, sep=" ").reshape(-1, 2).T
            mixed = np.minimum(u, v).astype(np.uint64) << np.uint64(32) | np.maximum(u, v).astype(np.uint64)
            mixed = (mixed ^ mixed >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
            w = 1 + (mixed >> np.uint64(40)) % np.uint64(255)
        rows = np.column_stack([u, v, w]).astype(np.int64)
        write_rows(part, rows)

    def form(self, weighted):
        return (self.weighted, ".wsg") if weighted else (self.plain, ".sg")

    def source(self, turn):
        """A vertex with a leaving edge, a different one each turn, so that both sides search from the same source."""
        with open(self.plain, "rb") as file:
            if turn > 0:
                file.seek(int(turn * 0.618 % 1 * 0.95 * self.plain.stat().st_size))
                file.readline()  # skip the rest of an edge
            return int(file.readline().split()[0])

    def serialized(self, converter, weighted):
        """GAP's lists, and the seconds it took to build them."""
        text, ending = self.form(weighted)
        path, note = self.stem.with_suffix(ending), self.stem.with_suffix(ending + ".built")
        words = ("-w " if weighted else "") + ("-s" if self.kind == "--undirected" else "")

        def make(part):
            printed, _ = run_peer(f"{converter} -f {text} {words} -b {part}")
            note.write_text(str(peer_figure(r"Build Time:\s+(\S+)", printed, 0)))

        made(path, make)
        return path, float(note.read_text())

    def by_degree(self, lists, weighted):
        path = lists.with_name(f"{lists.stem}-by-degree{lists.suffix}")
        made(path, lambda part: write_lists(part, *number_by_degree(*read_lists(lists, weighted))))
        return path

    def simple_rows(self):
        """A file of numpy: the weighted edges without self-loops, and of those between two vertices (undirected: either
        way) the lightest. A directed lattice has most edges in both directions, as roads are, and others in one."""
        path = self.stem.with_name(f"{self.stem.name}-simple{self.kind.removeprefix('-')}.npy")

        def make(part):
            u, v, w = np.fromfile(self.weighted, dtype=np.int64, sep=" ").reshape(-1, 3).T
            if self.kind == "--undirected":
                u, v = np.minimum(u, v), np.maximum(u, v)
            elif self.name.startswith("grid:"):
                way = np.random.default_rng(1).integers(8, size=len(u))  # 0: back only, 1: forth only
                forth, back = way != 0, way != 1
                u, v = np.append(u[forth], v[back]), np.append(v[forth], u[back])
                w = np.append(w[forth], w[back])
            order = np.argsort(u << 36 | v << 8 | w)  # weights are at most 255, ids below 2^28
            rows = np.column_stack([u, v, w])[order]
            first = np.append(True, (rows[1:, :2] != rows[:-1, :2]).any(axis=1))
            with open(part, "wb") as file:  # numpy would add an ending to a name
                np.save(file, rows[first & (rows[:, 0] != rows[:, 1])])

        made(path, make)
        return path

    def simple_stored(self):
        """The same as a file of ours, which is read without parsing."""
        path = self.simple_rows().with_suffix(".atoll")

        def make(part):
            text = part.with_suffix(".wel")
            write_rows(text, np.load(self.simple_rows()))
            convert(self.atoll, text, part, self.kind, "--weighted")
            text.unlink()

        made(path, make)
        return path

    def drawn(self, count):
        """A text with both ends of so many of these edges, drawn; of all if there are fewer."""
        path = self.simple_rows().with_name(f"{self.simple_rows().stem}-{count}-drawn.el")

        def make(part):
            rows = np.load(self.simple_rows(), mmap_mode="r")
            which = np.random.default_rng(1).choice(len(rows), min(count, len(rows)), replace=False)
            write_rows(part, rows[np.sort(which), :2])

        made(path, make)
        return path

    def pairs(self, weighted, both):
        """Gemini's edges: 32-bit source and target, float weight; and the number of vertices."""
        text, _ = self.form(weighted)
        path = self.stem.with_name(f"{self.stem.name}{'-weighted' if weighted else ''}{'-both' if both else ''}.pairs")
        note = path.with_suffix(".vertices")

        def make(part):
            rows = np.fromfile(text, dtype=np.int64, sep=" ").reshape(-1, 3 if weighted else 2)
            fields = [("u", "<u4"), ("v", "<u4"), ("w", "<f4")][: rows.shape[1]]
            out = np.empty(len(rows) * (2 if both else 1), dtype=fields)
            for ends, here in ((("u", "v"), out[: len(rows)]), (("v", "u"), out[len(rows) :])):
                if len(here):
                    here[ends[0]], here[ends[1]] = rows[:, 0], rows[:, 1]
                    if weighted:
                        here["w"] = rows[:, 2]
            out.tofile(part)
            note.write_text(str(int(rows[:, :2].max()) + 1))

        made(path, make)
        return path, int(note.read_text())


def write_rows(path, rows):
    """Whole numbers, none negative, as text, a row a line."""
    with open(path, "wb") as file:
        for first in range(0, len(rows), 1 << 16):
            part = rows[first : first + (1 << 16)]
            blank = np.full((len(part), 1), ord(" "), dtype=np.uint8)
            text, kept = [], []
            for column in part.T:
                tens = 10 ** np.arange(len(str(column.max())))[::-1]
                digits = column[:, None] // tens % 10
                shown = np.logical_or.accumulate(digits != 0, axis=1)  # without leading zeros
                shown[:, -1] = True
                text += [(digits + ord("0")).astype(np.uint8), blank]
                kept += [shown, np.ones_like(blank, dtype=bool)]
            text[-1] = np.full_like(blank, ord("\n"))
            file.write(np.hstack(text)[np.hstack(kept)].tobytes())


def made(path, make):
    if not path.exists():
        part = path.with_name(f"part-{path.name}")  # so that an interrupted file is not taken for a graph
        make(part)
        part.rename(path)


def convert(atoll, name, path, kind, weights):
    run_ours((atoll, "convert", name, str(path), kind, weights, "--quiet", "--json", "-"))


def read_lists(path, weighted):
    """directed, then (offsets, entries) of leaving edges and, if directed, of entering ones."""
    entry = np.dtype([("v", "<i4"), ("w", "<i4")]) if weighted else np.dtype([("v", "<i4")])
    with open(path, "rb") as file:
        directed = bool(np.fromfile(file, np.uint8, 1)[0])
        edges, vertices = map(int, np.fromfile(file, np.int64, 2))
        sides = [
            (np.fromfile(file, np.int64, vertices + 1), np.fromfile(file, entry, edges)) for _ in range(1 + directed)
        ]
    return directed, sides


def number_by_degree(directed, sides):
    degree = sum(np.diff(offsets) for offsets, _ in sides)
    order = np.argsort(-degree, kind="stable")
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    renamed = []
    for offsets, entries in sides:
        sizes = np.diff(offsets)
        row = np.repeat(number, sizes)
        target = number[entries["v"]]
        at = np.argsort(row.astype(np.int64) << 32 | target)
        entries = entries[at]
        entries["v"] = target[at]
        renamed.append((np.concatenate([[0], np.cumsum(sizes[order])]), entries))
    return directed, renamed


def write_lists(path, directed, sides):
    with open(path, "wb") as file:
        np.array([directed], dtype=np.uint8).tofile(file)
        np.array([len(sides[0][1]), len(sides[0][0]) - 1], dtype=np.int64).tofile(file)
        for offsets, entries in sides:
            offsets.astype(np.int64).tofile(file)
            entries.tofile(file)
