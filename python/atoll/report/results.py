# SPDX-License-Identifier: Apache-2.0
"""Results of --json, read from files that nobody has checked: a file of another kind is refused with the reason."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from ..errors import InputError, IoError
from .runs import has_answer

__all__ = ["check", "is_search", "read"]

SCHEMA = 1
MOST_BYTES = 64 << 20  # of a file: the largest result, a search of 100,000 trials, has 30 MB


def read(path: str) -> dict[str, Any]:
    """The result object of a file; "-" is standard input.

    Raises
    ------
    InputError                  no result of --json: the message has the file, the place and the reason
    IoError                     the file cannot be read

    Examples
    --------
    >>> atoll.report.results.read("/no/such.json")
    Traceback (most recent call last):
    atoll.errors.IoError: /no/such.json: No such file or directory (it is to be read). Correct the path.
    """
    try:
        if path == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(MOST_BYTES + 1)
    except OSError as e:
        raise IoError(f"{path}: {e.strerror} (it is to be read). Correct the path.") from None
    except ValueError as e:
        raise InputError(f"{path!r}: {e} (no file has such a name). Correct the path.") from None
    try:
        if len(content) > MOST_BYTES:
            raise InputError(f"longer than {MOST_BYTES >> 20} MiB")
        result = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
        check(result)
    except UnicodeDecodeError as e:
        raise InputError(f"{path}: byte {e.start} is not UTF-8 ({_NEEDED}). Give one.") from None
    except json.JSONDecodeError as e:
        raise InputError(f"{path}:{e.lineno}:{e.colno}: not JSON: {e.msg} ({_NEEDED}). Give one.") from None
    except RecursionError:
        raise InputError(f"{path}: brackets are nested too deeply ({_NEEDED}). Give one.") from None
    except ValueError as e:
        raise InputError(f"{path}: {e} ({_NEEDED}). Give one.") from None
    return result


_NEEDED = "a result that a verb of atoll wrote by --json is needed"


def _refuse_constant(word: str) -> None:
    raise InputError(f"{word} is no number of JSON")


def is_search(result: dict[str, Any]) -> bool:
    """Whether it is of `atoll tune`, whose trials have figures of their own."""
    return result.get("command") == "tune" and "trials" in result.get("result", {})


def check(result: Any) -> None:
    """InputError unless `result` is a result object of this schema, and all that is drawn has its shape.

    Examples
    --------
    >>> atoll.report.results.check({"schema": 1, "command": "run bfs", "seconds": {"run": "soon"}})
    Traceback (most recent call last):
    atoll.errors.InputError: seconds.run is 'soon', not a number of 0 or more
    """
    if not isinstance(result, dict):
        raise InputError(f"{_kind(result)}, not an object with a schema")
    if "schema" not in result:
        raise InputError("an object without a schema")
    if result["schema"] != SCHEMA or isinstance(result["schema"], bool):
        raise InputError(f"its schema is {_shown(result['schema'])}, and this version reads {SCHEMA}")
    if not isinstance(result.get("command"), str):
        raise InputError(f"its command is {_shown(result.get('command'))}, not the name of a verb")
    _check_parts(result)


def _check_parts(result: dict[str, Any]) -> None:
    for name in ("world", "input", "plan", "counters", "construction_counters", "seconds", "result", "platform"):
        _object(result.get(name, {}), name)
    if "error" in result:
        _text(_object(result["error"], "error").get("message", ""), "error.message")
    for name in ("command", "why"):
        _text(result.get(name, ""), name)
    for word in _list(result.get("simulated_command", []), "simulated_command"):
        _text(word, "simulated_command")
    world = result.get("world", {})
    for place, owner in (("world", world), ("platform", result.get("platform", {}))):
        if "hierarchy" in owner:
            _domain(owner["hierarchy"], f"{place}.hierarchy", 0)
    _seconds(result.get("seconds", {}))
    for name in ("counters", "construction_counters"):
        _counters(result.get(name, {}), name)
    for k, route in enumerate(_list(result.get("routes", []), "routes")):
        at = f"routes[{k}]"
        _text(_object(route, at).get("route"), f"{at}.route")
        for key in ("communication_seconds", "virtual_seconds", "inter_domain_messages", "inter_domain_bytes"):
            _number(route.get(key), f"{at}.{key}")
        _number(route.get("run_seconds", 0), f"{at}.run_seconds")
        _counters(route, at)
        _counters(_object(route.get("whole", {}), f"{at}.whole"), f"{at}.whole")
        _object(route.get("result", {}), f"{at}.result")
    given = _object(result.get("provenance", {}), "provenance")
    for name in ("date", "host", "version"):
        _text(given.get(name, ""), f"provenance.{name}")
    command = given.get("command", [])
    for word in _list(command if isinstance(command, list) else [command], "provenance.command"):
        _text(word, "provenance.command")
    if has_answer(result):
        _answer(result.get("result", {}))
    if result.get("command") == "tune":
        _search(result)


def _answer(found: dict[str, Any]) -> None:
    _numbers(_list(found.get("vertices_by_depth", []), "result.vertices_by_depth"), "result.vertices_by_depth")
    for name in ("top_of", "largest_of"):
        _text(found.get(name, ""), f"result.{name}")
    for name, key in (("top", "value"), ("largest", "vertices")):
        for k, row in enumerate(_list(found.get(name, []), f"result.{name}")):
            _number(_object(row, f"result.{name}[{k}]").get(key), f"result.{name}[{k}].{key}", least=-math.inf)
    distances = _object(found.get("distances", {}), "result.distances")
    histogram = _list(distances.get("histogram", []), "result.distances.histogram")
    for key in ("rows", "pairs", "no_path", "least", "mean", "most") if histogram else ():
        _number(distances.get(key), f"result.distances.{key}", least=-math.inf)
    for k, one in enumerate(histogram):
        at = f"result.distances.histogram[{k}]"
        for key in ("from", "to", "pairs"):
            _number(_object(one, at).get(key), f"{at}.{key}", least=-math.inf)


def _seconds(seconds: dict[str, Any]) -> None:
    for name, value in seconds.items():
        at = f"seconds.{name}"
        if name == "rounds":
            for k, one in enumerate(_list(value, at)):
                for key in ("found", "seconds", "non_overlapped_communication"):
                    _number(_object(one, f"{at}[{k}]").get(key), f"{at}[{k}].{key}")
                _number(one.get("round", k + 1), f"{at}[{k}].round")
        elif name == "rounds_left_out":
            for key in ("rounds", "found", "seconds", "non_overlapped_communication"):
                _number(_object(value, at).get(key), f"{at}.{key}")
        elif isinstance(value, list):
            _numbers(value, at)
        elif isinstance(value, dict):
            _numbers(value, at)
        elif value is not None:
            _number(value, at)


def _counters(counters: dict[str, Any], name: str) -> None:
    for part in ("breakdown", "rank_seconds"):
        _numbers(_object(counters.get(part, {}), f"{name}.{part}"), f"{name}.{part}")
    for k, level in enumerate(_list(counters.get("levels", []), f"{name}.levels")):
        at = f"{name}.levels[{k}]"
        _text(_object(level, at).get("kind"), f"{at}.kind")
        for key in ("level", "messages", "bytes"):
            _number(level.get(key), f"{at}.{key}")
        _number(level.get("merged_bytes", 0), f"{at}.merged_bytes")
    for k, route in enumerate(_list(counters.get("routes", []), f"{name}.routes")):
        at = f"{name}.routes[{k}]"
        _text(_object(route, at).get("route"), f"{at}.route")
        for key in ("predicted_seconds", "seconds", "exchanges"):
            _number(route.get(key), f"{at}.{key}")
    if "traffic" in counters:
        at = f"{name}.traffic"
        traffic = _object(counters["traffic"], at)
        _text(traffic.get("between"), f"{at}.between")
        flat = _list(traffic.get("bytes"), f"{at}.bytes")
        _numbers(flat, f"{at}.bytes")
        if math.isqrt(len(flat)) ** 2 != len(flat):
            raise InputError(f"{at}.bytes has {len(flat)} numbers, which are no square")


def _search(result: dict[str, Any]) -> None:
    found = result.get("result", {})
    if "trials" not in found:
        return
    space = _object(_object(result.get("input"), "input").get("space"), "input.space")
    _object(space.get("parameters"), "input.space.parameters")
    for key in ("sampler", "best", "tried", "points", "failed"):
        if key not in found:
            raise InputError(f"result has no {key}, as searches of atoll tune have")
    for k, trial in enumerate(_list(found["trials"], "result.trials")):
        at = f"result.trials[{k}]"
        point = _object(_object(trial, at).get("point"), f"{at}.point")
        if missing := [name for name in space["parameters"] if name not in point]:
            raise InputError(f"{at}.point has no {missing[0]}, a parameter of the space")
        if trial.get("seconds") is not None:
            _number(trial["seconds"], f"{at}.seconds")
        _text(trial.get("status"), f"{at}.status")
        _text(trial.get("detail"), f"{at}.detail")
    if found["best"] is not None:
        _object(found["best"], "result.best")
        for key in ("seconds", "speedup", "trials_to_90_percent"):
            _number(found.get(key), f"result.{key}")


def _domain(domain: Any, at: str, depth: int) -> None:
    if depth > 32:
        raise InputError(f"{at} is deeper than 32 levels")
    _text(_object(domain, at).get("kind", ""), f"{at}.kind")
    _numbers(_list(domain.get("ranks", []), f"{at}.ranks"), f"{at}.ranks")
    for k, child in enumerate(_list(domain.get("children", []), f"{at}.children")):
        _domain(child, f"{at}.children[{k}]", depth + 1)


def _object(value: Any, at: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{at} is {_shown(value)}, not an object")
    return value


def _list(value: Any, at: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"{at} is {_shown(value)}, not a list")
    return value


def _text(value: Any, at: str) -> None:
    if not isinstance(value, str):
        raise InputError(f"{at} is {_shown(value)}, not a text")


def _number(value: Any, at: str, *, least: float = 0) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= sys.float_info.max:
        raise InputError(f"{at} is {_shown(value)}, not a number" + (" of 0 or more" if least == 0 else ""))


def _numbers(values: Any, at: str) -> None:
    pairs = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in pairs:
        _number(value, f"{at}.{key}" if isinstance(values, dict) else f"{at}[{key}]")


def _kind(value: Any) -> str:
    names = {list: "a list", str: "a text", bool: "a truth value", int: "a number", float: "a number"}
    return names.get(type(value), "null")


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    text = "missing" if value is None else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
