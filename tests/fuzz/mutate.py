# SPDX-License-Identifier: Apache-2.0
"""Changes of bytes and of lines that files suffer: copies cut off, bits flipped, lines lost, doubled or swapped."""

from __future__ import annotations

import random

__all__ = ["mutated"]

# Values at the borders of readers' rules.
_TOKENS = (
    b"-1", b"0", b"9223372036854775807", b"18446744073709551616", b"1e999", b"nan", b"inf", b"3,5", b"1,000", b"\xff",
    b"\x00", b"\xef\xbb\xbf", b"\r", b"\r\n", b"\n\n", b'"', b"'", b"{", b"}", b"[", b"<", b">", b"&", b"%", b"#", b"*",
    b";", b",", b"|", b"\t", b" ",
)  # fmt: skip


def mutated(data: bytes, dice: random.Random) -> bytes:
    """Returns the data after one to four changes, all drawn from `dice`."""
    for _ in range(dice.randint(1, 4)):
        data = dice.choice((_flip, _cut_off, _insert, _remove, _repeat, _swap_lines, _overwrite))(bytearray(data), dice)
    return data


def _place(data: bytearray, dice: random.Random) -> int:
    return dice.randrange(len(data) + 1)


def _flip(data: bytearray, dice: random.Random) -> bytes:
    if data:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data)


def _cut_off(data: bytearray, dice: random.Random) -> bytes:
    return bytes(data[: _place(data, dice)])


def _insert(data: bytearray, dice: random.Random) -> bytes:
    at = _place(data, dice)
    return bytes(data[:at]) + dice.choice(_TOKENS) + bytes(data[at:])


def _remove(data: bytearray, dice: random.Random) -> bytes:
    at = _place(data, dice)
    return bytes(data[:at] + data[at + dice.randint(1, 8) :])


def _repeat(data: bytearray, dice: random.Random) -> bytes:
    begin = _place(data, dice)
    piece = bytes(data[begin : begin + dice.randint(1, 64)])
    at = _place(data, dice)
    return bytes(data[:at]) + piece * dice.choice((1, 2, 100)) + bytes(data[at:])


def _swap_lines(data: bytearray, dice: random.Random) -> bytes:
    lines = bytes(data).split(b"\n")
    i, j = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def _overwrite(data: bytearray, dice: random.Random) -> bytes:
    at = _place(data, dice)
    word = dice.choice((b"\xff" * 4, b"\x00" * 4, b"\x7f\xff\xff\xff", b"\xff" * 8, dice.choice(_TOKENS)))
    data[at : at + len(word)] = word
    return bytes(data)
