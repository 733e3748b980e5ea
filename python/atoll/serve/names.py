# SPDX-License-Identifier: Apache-2.0
"""Names of concepts in one buffer: looked up, searched, and the nearest to a word found, without a database."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence

import numpy as np

__all__ = ["NameIndex", "Texts", "folded"]

_NEVER = 127  # a rank behind all
_GRAM = 3


def folded(text: str) -> str:
    """A text as names are compared: upper and lower case are the same, and any white space is one blank.

    >>> from atoll.serve.names import folded
    >>> folded("COVID-19  Serotherapy")
    'covid-19 serotherapy'
    """
    return " ".join(text.split()).casefold()


class Texts(Sequence[str]):
    """Strings one after another in a buffer of UTF-8: 8 bytes and the text for each, where a str has some 60.

    >>> from atoll.serve.names import Texts
    >>> texts = Texts()
    >>> texts.append("flu")
    >>> texts.append("fièvre")
    >>> texts[1]
    'fièvre'
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._ends = array("q", [0])

    def append(self, text: str) -> None:
        """Adds one behind the others."""
        self._buffer += text.encode("utf-8", "replace")
        self._ends.append(len(self._buffer))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: int) -> str:  # type: ignore[override]
        return self._buffer[self._ends[place] : self._ends[place + 1]].decode()


class NameIndex:
    """Lines of text, each of an owner (the place of a concept); several lines may have one owner.

    Parameters
    ----------
    lines : iterable of (str, int)
                                a text and its owner
    weights : array             by owner: of two equally good matches the one of the greater weight comes first

    Examples
    --------
    >>> import numpy as np
    >>> from atoll.serve.names import NameIndex
    >>> names = NameIndex([("Heart failure", 0), ("Heart", 1), ("Sweetheart", 2)], np.array([5, 9, 1]))
    >>> names.exactly("HEART"), names.containing("heart"), names.nearest("haert", 1)
    ([1], array([1, 0, 2]), array([1]))
    """

    def __init__(self, lines: Iterable[tuple[str, int]], weights: np.ndarray) -> None:
        # A line break before and behind each line, so that no match crosses one: folded text has none.
        buffer = bytearray(b"\n")
        owners, starts, hashes = array("i"), array("q", [1]), array("q")
        for text, owner in lines:
            line = folded(text).encode("utf-8", "replace")
            if line:
                buffer += line + b"\n"
                owners.append(owner)
                starts.append(len(buffer))
                hashes.append(hash(line))
        self._buffer = bytes(buffer)
        self._owners, self._starts = np.array(owners, np.int32), np.array(starts, np.int64)
        self._weights = weights
        self._by_hash = np.argsort(np.array(hashes), kind="stable").astype(np.int32)
        self._hashes = np.array(hashes)[self._by_hash]
        self._grams, self._gram_lines = self._index_grams()

    def _line(self, line: int) -> bytes:
        return self._buffer[self._starts[line] : self._starts[line + 1] - 1]

    def exactly(self, text: str) -> list[int]:
        """Owners of the lines that are the text, ascending."""
        wanted = folded(text).encode("utf-8", "replace")
        key = hash(wanted)
        place = int(self._hashes.searchsorted(key))
        owners = set()
        while place < len(self._hashes) and self._hashes[place] == key:
            line = int(self._by_hash[place])
            if self._line(line) == wanted:
                owners.add(int(self._owners[line]))
            place += 1
        return sorted(owners)

    def containing(self, text: str) -> np.ndarray:
        """Owners of the lines that have every word of the text, the best first.

        Whole lines come first, then those that begin with the text, those where a word does, those that have it inside,
        and those that have the words in another order; among these by descending weight.
        """
        wanted = folded(text)
        rank = np.full(len(self._weights), _NEVER, np.int8)
        lines = None
        for word in wanted.split(" "):
            found = np.unique(self._hits(word)[1])
            lines = found if lines is None else np.intersect1d(lines, found, assume_unique=True)
        if lines is None:
            return np.zeros(0, np.int64)
        rank[self._owners[lines]] = 4
        places, hit = self._hits(wanted)
        size = len(wanted.encode("utf-8", "replace"))
        bytes_ = np.frombuffer(self._buffer, np.uint8)
        before = bytes_[places - 1]
        is_start = places == self._starts[hit]
        is_word = (before < 128) & ~np.isin(before, _ALPHANUMERIC)
        is_whole = is_start & (bytes_[np.minimum(places + size, len(bytes_) - 1)] == ord("\n"))
        ranks = np.select([is_whole, is_start, is_word], [0, 1, 2], 3).astype(np.int8)
        np.minimum.at(rank, self._owners[hit], ranks)
        owners = np.flatnonzero(rank < _NEVER)
        return owners[np.lexsort((owners, -self._weights[owners], rank[owners]))]

    def nearest(self, text: str, most: int) -> np.ndarray:
        """Owners of the lines that share the most runs of three letters with the text (Dice's coefficient)."""
        wanted = np.unique(_grams(b"\n" + folded(text).encode("utf-8", "replace") + b"\n"))
        spans = [np.searchsorted(self._grams, wanted, side) for side in ("left", "right")]
        lines = [self._gram_lines[first:last] for first, last in zip(*spans)]
        shared = np.bincount(np.concatenate([np.zeros(0, np.int32), *lines]), minlength=len(self._owners))
        sizes = np.diff(self._starts) - 1  # a line of m bytes has m runs, with the breaks on both sides
        likeness = np.zeros(len(self._weights))
        np.maximum.at(likeness, self._owners, 2 * shared / (sizes + len(wanted)))
        best = np.lexsort((-self._weights, -likeness))[:most]
        return best[likeness[best] > 0]

    def _hits(self, text: str) -> tuple[np.ndarray, np.ndarray]:
        """(places in the buffer, their lines) of a text."""
        pattern = re.compile(re.escape(text.encode("utf-8", "replace")))
        places = np.fromiter((match.start() for match in pattern.finditer(self._buffer)), np.int64)
        return places, np.searchsorted(self._starts, places, side="right") - 1

    def _index_grams(self) -> tuple[np.ndarray, np.ndarray]:
        """(runs of three bytes, ascending; the line of each), each run of a line once."""
        codes = _grams(self._buffer)
        lines = np.searchsorted(self._starts, np.arange(len(codes)) + 1, side="right") - 1
        inside = (codes & 0xFF00) != ord("\n") << 8  # the middle byte is no break
        both = np.unique(codes[inside].astype(np.int64) << 32 | lines[inside])
        return (both >> 32).astype(np.int32), (both & 0xFFFFFFFF).astype(np.int32)


_ALPHANUMERIC = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", np.uint8)


def _grams(text: bytes) -> np.ndarray:
    codes = np.frombuffer(text, np.uint8).astype(np.int32)
    if len(codes) < _GRAM:
        return np.zeros(0, np.int32)
    return codes[:-2] << 16 | codes[1:-1] << 8 | codes[2:]
