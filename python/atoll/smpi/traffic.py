# SPDX-License-Identifier: Apache-2.0
"""Who sent how much to whom, from what SMPI traces of a run: the messages inside of collectives too."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ..errors import InputError

__all__ = ["read_traffic", "trace_options", "traffic_text"]


def trace_options(file: Path) -> list[str]:
    """Words for smpirun that make it trace all messages, of Paje's format."""
    return [
        "-trace",
        "-trace-file",
        str(file),
        "--cfg=tracing/smpi/internals:yes",
        "--cfg=tracing/smpi/display-sizes:yes",
    ]


def read_traffic(file: Path) -> Counter[tuple[int, int]]:
    """Bytes by (source, target), of a trace by SMPI with its internals.

    A message is a line where it leaves and one where it arrives, with the same key. Both say their rank's container.
    """
    kinds: dict[str, str] = {}  # "15": "PajeStartLink"
    ranks: dict[str, int] = {}  # by container
    sources: dict[str, tuple[str, int]] = {}  # by key; gone
    targets: dict[str, str] = {}  # arrived before the line of their leaving
    sent: Counter[tuple[int, int]] = Counter()

    def came(key: str) -> None:
        source, size = sources.pop(key)
        sent[ranks[source], ranks[targets.pop(key)]] += size

    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            words = line.split()
            if not words:
                continue
            if words[0] == "%EventDef":
                kinds[words[2]] = words[1]
                continue
            try:
                kind = kinds.get(words[0])
                if kind == "PajeCreateContainer":  # time alias type parent "rank-0"
                    name = words[5].strip('"')
                    if name.startswith("rank-"):
                        ranks[words[2]] = int(name[len("rank-") :])
                elif kind == "PajeStartLink":  # time type container PTP source key size
                    sources[words[6]] = (words[5], int(words[7]))
                    if words[6] in targets:
                        came(words[6])
                elif kind == "PajeEndLink":  # time type container PTP target key
                    targets[words[6]] = words[5]
                    if words[6] in sources:
                        came(words[6])
            except (IndexError, ValueError, KeyError) as e:
                raise InputError(
                    f"{file}: '{line.strip()[:100]}' ({type(e).__name__}: SMPI of SimGrid 3.32 writes another line). "
                    "Install that version."
                ) from None
    return sent


def traffic_text(sent: Counter[tuple[int, int]]) -> str:
    """Returns the text that `atoll map --traffic` reads: lines of source, target, bytes."""
    return "".join(f"{a} {b} {size}\n" for (a, b), size in sorted(sent.items()) if a != b and size > 0)
