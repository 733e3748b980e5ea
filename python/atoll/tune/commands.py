# SPDX-License-Identifier: Apache-2.0
"""Commands as objectives: what a program takes, or says, with the values of a point."""

from __future__ import annotations

import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO

from .. import _core
from ..arguments import shown
from ..errors import UsageError
from .processes import WorkFailed, ending_of, in_session
from .space import Space

__all__ = ["Command", "Objective"]

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_TAIL = 4096  # bytes of stderr that are looked at


class Objective:
    """Work whose time is minimised, as Command is: called with a point it returns seconds, or raises WorkFailed.

    It runs in the trial's own process, whose supervisor ends what it starts.
    """

    def check(self, space: Space) -> None:
        """UsageError if it can do nothing with the space's parameters."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Returns what identifies the objective: a store of trials belongs to one."""
        raise NotImplementedError

    def __call__(self, point: dict[str, Any]) -> float:
        raise NotImplementedError


class Command(Objective):
    """A program that is run with the values of a point.

    `{name}` in its words is replaced by the value of that parameter (`{{` and `}}` are braces). The other parameters
    are in its environment: one that is a knob of Atoll's plan as ATOLL_<KNOB>, which every `atoll` command reads, any
    other by its own name. No shell is between; use `sh -c '...'` for one.

    Parameters
    ----------
    command : str or sequence of str   a str is split as a shell would
    measure : str               "wall": seconds from its start to its end; "stdout": the last number that it prints;
                                "json:seconds.run": that member of the object that it prints;
                                "match:time: ([0-9.]+)": the group of the last match in what it prints, or else in its
                                stderr

    Examples
    --------
    >>> command = atoll.tune.Command("sleep {s}")
    >>> command.words({"s": 0.5})
    ['sleep', '0.5']
    """

    def __init__(self, command: str | Sequence[str], measure: str = "wall") -> None:
        try:
            self.command = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
        except ValueError as e:
            raise UsageError(f"command {shown(command)} ({e}). Correct its quotes.") from None
        if not self.command:
            raise UsageError("the command is empty (a program is needed). Name it.")
        kind, _, argument = measure.partition(":")
        if measure not in ("wall", "stdout") and not (kind in ("json", "match") and argument):
            raise UsageError(
                f"measure is '{measure}' (there are wall, stdout, json:MEMBER.MEMBER and match:PATTERN). Choose one."
            )
        if kind == "match":
            try:
                groups = re.compile(argument).groups
            except re.error as e:
                raise UsageError(f"measure is '{measure}' ({e}). Correct the pattern.") from None
            if groups != 1:
                raise UsageError(
                    f"measure is '{measure}' (a pattern with one group is needed). Put () around the number."
                )
        self.measure = measure
        self._knobs = set(json.loads(_core.plan("{}")))

    def check(self, space: Space) -> None:
        """UsageError if a {name} in the command is no parameter, or a parameter cannot reach the program."""
        self.check_names(space.parameters)

    def check_names(self, names: Iterable[str]) -> None:
        """Checks the parameters of these names as check() does."""
        names = list(names)
        placed = {match[1] for word in self.command for match in _PLACE.finditer(word) if match[1] is not None}
        for name in sorted(placed - set(names)):
            raise UsageError(
                f"the command has {{{name}}} (no parameter has that name). Correct it, or write {{{{{name}}}}} for "
                "braces."
            )
        for name in names:
            if name not in placed and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
                raise UsageError(
                    f"parameter '{name}' is not in the command (and no variable can have that name). "
                    f"Write {{{name}}} into the command."
                )

    def to_json(self) -> dict[str, Any]:
        return {"command": self.command, "measure": self.measure}

    def words(self, point: dict[str, Any]) -> list[str]:
        """The program and its arguments at a point."""

        def value(match: re.Match[str]) -> str:
            return match[0][0] if match[1] is None else _text(point[match[1]])

        return [_PLACE.sub(value, word) for word in self.command]

    def environment(self, point: dict[str, Any]) -> dict[str, str]:
        """The variables that say a point's values."""
        placed = {match[1] for word in self.command for match in _PLACE.finditer(word)}
        return {
            (f"ATOLL_{name.upper()}" if name in self._knobs else name): _text(value)
            for name, value in point.items()
            if name not in placed
        }

    def __call__(self, point: dict[str, Any]) -> float:
        """Runs it, and returns seconds. Raises WorkFailed with exit code or signal and the last line of stderr."""
        words = self.words(point)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            took, code = in_session(words, {**os.environ, **self.environment(point)}, out, err)
            if code != 0:
                line = _last_line(err)
                raise WorkFailed(f"{ending_of(code)}: {line}" if line else ending_of(code))
            if self.measure == "wall":
                return took
            return self._number(*(_all(file) for file in (out, err)))

    def _number(self, printed: str, said: str) -> float:
        if self.measure == "stdout":
            numbers = re.findall(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])", printed)
            if not numbers:
                raise WorkFailed("it printed no number")
            return float(numbers[-1])
        kind, _, path = self.measure.partition(":")
        if kind == "match":
            found = re.findall(path, printed, re.MULTILINE) or re.findall(path, said, re.MULTILINE)
            if not found:
                raise WorkFailed(f"it printed nothing like {path}")
            try:
                return float(found[-1])
            except ValueError:
                raise WorkFailed(f"'{found[-1]}' (the last match of {path}) is no number") from None
        try:
            value = json.loads(printed)
            for member in path.split("."):
                value = value[int(member)] if isinstance(value, list) else value[member]
            return float(value)
        except (ValueError, KeyError, IndexError, TypeError) as e:
            raise WorkFailed(f"what it printed has no number {path} ({type(e).__name__}: {e})") from None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _all(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _last_line(file: BinaryIO) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL))
    lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")[:500]
