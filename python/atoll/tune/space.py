# SPDX-License-Identifier: Apache-2.0
"""The named parameters of what is tuned, and their values: tune/space.hpp of C++, with rules and files."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from .. import _core
from ..arguments import json_text, shown
from ..collective_arguments import checked
from ..errors import InputError, IoError, UsageError

__all__ = ["Space"]

# Syntax nodes that a rule may consist of: no calls, no attributes, no powers.
_ALLOWED = (
    *(ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Add, ast.Sub),
    *(ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
    *(ast.In, ast.NotIn, ast.IfExp, ast.Name, ast.Load, ast.Constant, ast.Tuple, ast.List),
)


class Space:
    """Parameters in their order, each with a list of values; a point has one value of each.

    Parameters
    ----------
    parameters : dict           by name: a list of numbers, of words, or of True and False; or numbers in steps,
                                {"from": 1, "to": 9, "step": 2} or {"from": 1, "to": 64, "factor": 2}, ends included
    rules : iterable            conditions on points: text of comparisons and arithmetic over the parameters' names, as
                                "rows * columns <= 64"; or functions of a point (a dict), named by their __name__
    start : dict, optional      the point that is tried first, as the one in use today

    Raises
    ------
    InputError                  a parameter, a rule or the start is wrong; the message names it

    Examples
    --------
    >>> space = atoll.tune.Space({"rows": [1, 2, 4], "columns": [1, 2, 4]}, rules=["rows * columns == 4"])
    >>> len(space), list(space.points())
    (9, [{'rows': 1, 'columns': 4}, {'rows': 2, 'columns': 2}, {'rows': 4, 'columns': 1}])
    """

    @checked
    def __init__(
        self,
        parameters: dict[str, Any],
        rules: Iterable[str | Callable[[dict[str, Any]], bool]] = (),
        start: dict[str, Any] | None = None,
    ) -> None:
        self._space = _core.Space.from_json(json_text("parameters", parameters))
        self.parameters: dict[str, list[Any]] = json.loads(self._space.to_json())
        self.rules: list[str] = []
        for rule in [rules] if isinstance(rules, str) else rules:
            holds = _rule_of_text(rule, self.parameters) if isinstance(rule, str) else rule
            if not callable(holds):
                raise TypeError(f"a rule is {shown(rule)} (text or a function of a point is needed). Give one.")
            what = rule if isinstance(rule, str) else getattr(rule, "__name__", "rule")
            self.rules.append(what)
            self._space.require(what, _of_json(what, holds))
        self.start = start
        if start is not None:
            self.number_of(start)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Space:
        """The space in a file, TOML if its name ends in .toml, else JSON: an object of `parameters`, `rules`, `start`.

        Raises
        ------
        IoError, InputError         it cannot be read, or is wrong; the message names the file
        UsageError                  TOML before Python 3.11 without the package tomli
        """
        name = os.fspath(path)
        try:
            text = Path(name).read_text(encoding="utf-8")
        except OSError as e:
            raise IoError(f"{name}: {e.strerror} (it is the file of a space). Correct the path.") from None
        except UnicodeDecodeError as e:
            raise InputError(f"{name}: {e} (it is the file of a space). Give a text file.") from None
        try:
            content = _toml(text) if name.endswith(".toml") else json.loads(text, object_pairs_hook=_once)
        except UsageError as e:
            raise UsageError(f"{name}: {e}") from None
        except ValueError as e:
            raise InputError(f"{name}: {e}. Correct it.") from None
        unknown = sorted(set(content) - {"parameters", "rules", "start"}) if isinstance(content, dict) else None
        if unknown is None or unknown or not isinstance(content.get("parameters"), dict):
            what = f"has {', '.join(unknown)}" if unknown else "has no object of parameters"
            raise InputError(f"{name}: {what} (a space is parameters, rules and start). Correct it.")
        try:
            return cls(content["parameters"], content.get("rules", ()), content.get("start"))
        except (InputError, TypeError) as e:
            raise InputError(f"{name}: {e}") from None

    def __len__(self) -> int:
        """How many points there are without the rules."""
        return len(self._space)

    def at(self, number: int) -> dict[str, Any]:
        """The point with a number from 0 on; the last parameter's value changes first. Rules are not looked at."""
        return self._in_order(json.loads(self._space.at(number)))

    def number_of(self, point: dict[str, Any]) -> int:
        """The number of a point; InputError if it is none of the space, or breaks a rule."""
        self._space.check(json_text("point", point))
        number = 0
        for name, values in self.parameters.items():
            number = number * len(values) + values.index(point[name])
        return number

    def broken_rule(self, number: int) -> str | None:
        """The first rule that the point with this number breaks."""
        return self._space.broken_rule(number)

    def points(self) -> Iterator[dict[str, Any]]:
        """All points that keep the rules, in order."""
        return (self.at(number) for number in range(len(self)) if self.broken_rule(number) is None)

    def to_json(self) -> dict[str, Any]:
        """Returns the content of the space's file, with values written out."""
        return {"parameters": self.parameters, "rules": self.rules, "start": self.start}

    def _in_order(self, point: dict[str, Any]) -> dict[str, Any]:
        return {name: point[name] for name in self.parameters}


def _of_json(what: str, holds: Callable[[dict[str, Any]], bool]) -> Callable[[str], bool]:
    def call(text: str) -> bool:
        point = json.loads(text)
        try:
            return bool(holds(point))
        except Exception as e:
            raise InputError(f"rule '{what}' fails at {point} ({type(e).__name__}: {e}). Correct it.") from e

    return call


def _rule_of_text(text: str, parameters: dict[str, list[Any]]) -> Callable[[dict[str, Any]], bool]:
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError) as e:
        raise InputError(f"rule '{text}' ({e}). Correct it, as in \"rows * columns <= 64\".") from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise InputError(
                f"rule '{text}' has a {type(node).__name__} (it may have comparisons, arithmetic, and, or, not, in). "
                "Take it out, or give a function in Python."
            )
        if isinstance(node, ast.Name) and node.id not in parameters:
            raise InputError(f"rule '{text}' names '{node.id}' (no parameter has that name). Correct it.")
    code = compile(tree, "rule", "eval")
    return lambda point: eval(code, {"__builtins__": {}}, point)  # only what _ALLOWED names


def _toml(text: str) -> Any:
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        try:
            import tomli as tomllib  # type: ignore[no-redef]
        except ImportError:
            raise UsageError("TOML needs Python 3.11, or `pip install tomli`. Or write the space as JSON.") from None
    return tomllib.loads(text)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"it has {', '.join(sorted(twice))} twice")
    return dict(pairs)
