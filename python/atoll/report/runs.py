# SPDX-License-Identifier: Apache-2.0
"""The drawn values of a result, by one name each, whichever verb wrote it: a run, or each simulated route."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ANSWER", "PHASES", "Forecast", "Run", "has_answer", "runs_of", "titles"]

PHASES = ("load", "generate", "build", "order", "prepare", "run", "gather", "count", "measure", "verify", "write")


ANSWER = ("vertices_by_depth", "top", "top_of", "largest", "largest_of", "distances")


def has_answer(result: dict[str, Any]) -> bool:
    """Whether the parts of ANSWER are what `atoll run` means by them."""
    return str(result.get("command", "")).startswith("run ")


@dataclass(frozen=True)
class Forecast:
    """Predictions beside measurements: `expected` has a name for each prediction."""

    what: str
    unit: str  # "seconds" or "bytes"
    expected: dict[str, float]
    measured: float


@dataclass
class Run:
    """A result, or a route of a simulation: seconds, bytes and ranks as the file has them; what it lacks is empty."""

    name: str
    command: str
    predicted: bool  # in virtual time
    facts: list[tuple[str, Any]] = field(default_factory=list)
    phases: dict[str, float] = field(default_factory=dict)  # seconds, in the order in which they happened
    other_seconds: dict[str, float] = field(default_factory=dict)
    parts: dict[str, dict[str, float]] = field(default_factory=dict)  # seconds, by what they are parts of
    trials: list[float] = field(default_factory=list)  # seconds
    computation: list[float] = field(default_factory=list)  # seconds of the slowest rank, by trial
    rounds: list[dict[str, Any]] = field(default_factory=list)  # of the last search; those left out are one
    breakdown: dict[str, float] = field(default_factory=dict)  # seconds of all ranks together
    levels: list[dict[str, Any]] = field(default_factory=list)
    traffic: dict[str, Any] | None = None
    hierarchy: dict[str, Any] | None = None
    forecasts: list[Forecast] = field(default_factory=list)
    training: list[dict[str, Any]] = field(default_factory=list)
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    answer: dict[str, Any] = field(default_factory=dict)  # parts of the result that say what was found

    @property
    def work(self) -> tuple[str, Any]:
        """Times of two runs compare where this is the same: the command and the graph."""
        return self.command, dict(self.facts).get("graph")

    @property
    def seconds(self) -> float | None:
        """Seconds of the part that the run times: the median of its trials; virtual time in a simulation."""
        return self.phases.get("run")


def titles(names: Sequence[str]) -> list[str]:
    """`names`, those that stand there before with a number behind them.

    >>> titles(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    taken: set[str] = set()
    unique = []
    for name in names:
        candidate, k = name, 1
        while candidate in taken:
            k += 1
            candidate = f"{name} ({k})"
        taken.add(candidate)
        unique.append(candidate)
    return unique


def runs_of(result: dict[str, Any], name: str) -> list[Run]:
    """The runs of a result: one, but of `atoll simulate` one for each route, with `name` in front unless it is empty.

    Examples
    --------
    >>> run, = atoll.report.runs.runs_of({"schema": 1, "command": "run bfs", "seconds": {"run": 0.5}}, "a")
    >>> run.command, run.seconds
    ('run bfs', 0.5)
    """
    if "routes" in result:
        return [_route(result, row, name) for row in result["routes"]]
    run = Run(name, result["command"], bool(result.get("predicted")), facts=_facts(result))
    seconds, counters = result.get("seconds", {}), result.get("counters", {})
    found = result.get("result", {})
    numbers = {key: v for key, v in seconds.items() if isinstance(v, (int, float)) and not isinstance(v, bool)}
    run.phases = {phase: numbers.pop(phase) for phase in PHASES if phase in numbers}
    run.other_seconds = numbers
    run.trials = _list_of_numbers(seconds.get("trials"))
    computation = _list_of_numbers(seconds.get("computation"))
    run.computation = computation if len(computation) == len(run.trials) else []
    run.rounds = _rounds(seconds)
    for what, parts in (
        ("build", seconds.get("build_phases")),
        ("construction", found.get("construction_parts")),
        ("run", found.get("seconds")),
    ):
        if parts := _seconds_of(parts):
            run.parts[what] = parts
    _take_counters(run, counters, result.get("simulation", {}))
    hierarchy = result.get("world", {}).get("hierarchy") or found.get("hierarchy")
    run.hierarchy = hierarchy if isinstance(hierarchy, dict) else None
    run.forecasts = _forecasts(found, counters)
    run.training = _training(found)
    run.answer = {part: found[part] for part in ANSWER if part in found} if has_answer(result) else {}
    run.tables = {name: rows for name, rows in _tables(found).items() if name not in run.answer}
    return [run]


def _rounds(seconds: dict[str, Any]) -> list[dict[str, Any]]:
    """Rounds with their numbers; those that a long search did not keep are one with their sums, `last` its end."""
    rounds = [{"round": k} | one for k, one in enumerate(seconds.get("rounds", []), 1)]
    if sums := seconds.get("rounds_left_out"):
        at = next((k for k, one in enumerate(rounds) if one["round"] != k + 1), len(rounds))
        rounds.insert(at, sums | {"round": at + 1, "last": at + int(sums["rounds"])})
    return rounds


def round_name(one: dict[str, Any]) -> str:
    """Returns the name of a round.

    >>> round_name({"round": 2, "pulled": True}), round_name({"round": 101, "last": 900, "pulled": 3})
    ('round 2 (pull)', 'rounds 101 to 900 (sums; 3 of them pull)')
    """
    if "last" in one:
        return f"rounds {one['round']} to {one['last']} (sums; {one.get('pulled', 0)} of them pull)"
    return f"round {one['round']} ({'pull' if one.get('pulled') else 'push'})"


def _take_counters(run: Run, counters: dict[str, Any], simulation: dict[str, Any]) -> None:
    run.breakdown = counters.get("breakdown") or simulation.get("rank_seconds") or {}
    run.levels = counters.get("levels") or simulation.get("levels") or []
    run.traffic = counters.get("traffic") or simulation.get("traffic")


def _route(result: dict[str, Any], row: dict[str, Any], name: str) -> Run:
    platform = result.get("platform", {})
    command = "simulate " + " ".join(result.get("simulated_command", []))
    run = Run(", ".join(filter(None, [name, f"route {row['route']}"])), command.strip(), True)
    run.facts = [
        ("platform", f"{platform.get('name', 'unknown')}: {platform.get('ranks', '?')} ranks"),
        ("route", row["route"]),
        *_provenance(result),
        ("virtual time, all of the command", f"{row['virtual_seconds']:.6g} s"),
        ("times", "predicted: ranks in virtual time"),
        *_scalars(row.get("result", {})),
    ]
    if result.get("assumptions"):
        run.facts.append(("assumptions", str(result["assumptions"])))
    # Results of 0.1 have the seconds of the run under the other name.
    run.phases = {"run": row.get("run_seconds", row["communication_seconds"])}
    run.other_seconds = {"virtual": row["virtual_seconds"]}
    _take_counters(run, row, row.get("whole", {}))
    run.hierarchy = platform.get("hierarchy") or _domains(platform, run.levels)
    run.forecasts = _forecasts(row.get("result", {}), {})
    if parts := _seconds_of(row.get("result", {}).get("seconds")):
        run.parts["run"] = parts
    return run


def _domains(platform: dict[str, Any], levels: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The tree of a shape such as 2x4x8; of others (2+3) the file of the result has a hierarchy, or none is known."""
    sides = str(platform.get("domains", "")).split("x")
    if not all(side.isascii() and side.isdigit() and len(side) < 8 for side in sides):
        return None
    shape = [int(side) for side in sides]
    kinds = [level["kind"] for level in levels] or [""] * len(shape)
    ranks = 1
    for side in shape:
        ranks *= side
    if ranks != platform.get("ranks") or len(kinds) != len(shape) or ranks > 1 << 20:
        return None

    def domain(depth: int, first: int, inside: int) -> dict[str, Any]:
        kind = kinds[len(shape) - 1 - depth]
        if depth == len(shape) - 1:
            return {"kind": kind, "ranks": list(range(first, first + inside))}
        below = inside // shape[depth]
        return {"kind": kind, "children": [domain(depth + 1, first + k * below, below) for k in range(shape[depth])]}

    return domain(0, 0, ranks)


def _facts(result: dict[str, Any]) -> list[tuple[str, Any]]:
    world, given = result.get("world", {}), result.get("input", {})
    facts: list[tuple[str, Any]] = []
    graph = given.get("name") or given.get("graph")
    if graph:
        sizes = [
            f"{given[key]:,} {key}"
            for key in ("vertices", "entries", "edges", "arcs")
            if isinstance(given.get(key), int)
        ]
        facts.append(("graph", f"{graph}: {', '.join(sizes)}" if sizes else graph))
    if world.get("ranks"):
        how = f"{world['ranks']} x {world.get('threads', 1)} threads over {world.get('transport', '?')}"
        facts.append(("ranks", f"{how}, route {result.get('plan', {}).get('route', '?')}"))
    machine = world.get("machine", {})
    if isinstance(machine, dict) and machine.get("processor"):
        facts.append(("processor", f"{machine['processor']}, {machine.get('usable_cores', '?')} usable cores"))
    facts += _provenance(result)
    facts += [(name, value) for name, value in _scalars(result.get("result", {})) if name not in ANSWER]
    if result.get("verified") is not None:
        facts.append(("verified", "yes" if result["verified"] else "FAILED"))
    if result.get("predicted"):
        facts.append(("times", "predicted: ranks in virtual time"))
    if "error" in result:
        facts.append(("error", result["error"].get("message", "")))
    return facts


def _provenance(result: dict[str, Any]) -> list[tuple[str, Any]]:
    """When, where, and by which command line and version the result came to be."""
    given = result.get("provenance", {})
    facts: list[tuple[str, Any]] = []
    if given.get("command"):
        facts.append(("command", shlex.join(given["command"])))
    for name in ("date", "host", "version"):
        if given.get(name):
            facts.append((name, f"Atoll {given[name]}" if name == "version" else given[name]))
    return facts


def _scalars(found: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in found.items() if isinstance(value, (int, float, str, bool))]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _list_of_numbers(values: Any) -> list[float]:
    return list(values) if isinstance(values, list) and all(map(_is_number, values)) else []


def _seconds_of(parts: Any) -> dict[str, float]:
    """Parts that sum up to the whole: a total among them is none."""
    if not isinstance(parts, dict) or not all(_is_number(v) and 0 <= v < float("inf") for v in parts.values()):
        return {}
    parts = {name: v for name, v in parts.items() if name.split()[-1:] != ["total"]}
    has_parts = {name for name in parts if any(other.startswith(name + " ") for other in parts)}
    return {name: v for name, v in parts.items() if name not in has_parts}


def _forecasts(found: dict[str, Any], counters: dict[str, Any]) -> list[Forecast]:
    forecasts = []
    model = found.get("model")
    if isinstance(model, dict) and _is_number(model.get("measured")):
        names = [name for name in ("ideal", "expected", "worst") if _is_number(model.get(name))]
        forecasts.append(Forecast("run", "seconds", {name: model[name] for name in names}, model["measured"]))
    for route in counters.get("routes", []):
        expected = {"expected": route["predicted_seconds"]}
        forecasts.append(Forecast(f"exchanges by route {route['route']}", "seconds", expected, route["seconds"]))
    formula, counted = found.get("bytes_by_level"), found.get("counted_by_level")
    if isinstance(formula, dict) and isinstance(counted, dict):
        for strategy, by_level in formula.items():
            pairs = zip(_list_of_numbers(by_level), _list_of_numbers(counted.get(f"by_{strategy}")))
            for level, (expected_bytes, bytes_) in enumerate(pairs):
                what = f"{strategy}, level {level}"
                forecasts.append(Forecast(what, "bytes", {"expected": expected_bytes}, bytes_))
    return forecasts


def _training(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns tables of `atoll run gcn`: losses by epoch, a seed each."""
    runs = found.get("runs")
    if not isinstance(runs, list):
        return []
    return [run for run in runs if isinstance(run, dict) and _list_of_numbers(run.get("losses"))]


def _tables(found: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Lists of objects, such as a bench's rows: their texts and numbers."""
    tables = {}
    for name, rows in found.items():
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            plain = [{k: v for k, v in row.items() if isinstance(v, (int, float, str, bool))} for row in rows]
            if any(plain):
                tables[name] = plain
    return tables
