# SPDX-License-Identifier: Apache-2.0
"""Runs an MPI program in virtual time: `atoll simulate --app ./prog --platform random:64:4 --map hamorder-w -- ARGS`.

The program, compiled by smpicc, smpicxx or smpiff, or a source of one file, runs under SimGrid's SMPI on one machine.
stdout has what it prints, then the simulated time. --json writes one object, whose result.seconds is that time.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from .. import _core
from ..command_line import run_command
from ..errors import UsageError
from ..report.text import seconds_text
from ..standard_output import cli_main, put
from ..tune.processes import WorkFailed
from .options import add_options, compile_flags_of, rates_of, settings_of
from .platforms import Platform, hosts_of_ranks, platform_of
from .programs import program_of, tool
from .replay import replay_together
from .simulation import Settings, Task, run
from .traffic import read_traffic, trace_options, traffic_text

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="atoll simulate", description=__doc__, usage="%(prog)s --app PROGRAM [options] [-- ARGUMENTS]"
    )
    parser.add_argument(
        "--app",
        required=True,
        action="append",
        metavar="PROGRAM|SOURCE",
        help="the program, or prog.c, prog.cpp, prog.f90, ...; several with a --map each run at once, by replay of "
        "their traces",
    )
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FILE|METHOD",
        help="a line with the host of each rank, or a method of atoll map (default: in order)",
    )
    parser.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="of this machine; it is killed with its children"
    )
    parser.add_argument("--traffic", metavar="FILE", help="write who sent how much to whom, for atoll map --traffic")
    parser.add_argument("--trace", metavar="FILE", help="write SMPI's time-independent trace: FILE, and FILE_files/")
    parser.add_argument("--json", metavar="FILE|-", help="write the result as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="nothing of what the program prints")
    add_options(parser)
    return parser


@cli_main
def main(words: list[str] | None = None) -> int:
    """The command; returns the exit code."""
    return run_command("simulate", _parser(), words, _simulate)


def _simulate(options: argparse.Namespace, arguments: list[str], folder: Path) -> int:
    if options.platform is None:
        raise UsageError("--platform is missing (the program runs on a network). Name one, as random:64:4.")
    if options.trace is not None and options.traffic is not None:
        raise UsageError("--trace with --traffic (SMPI writes one trace at a time). Run it once for each.")
    if options.timeout is not None and not options.timeout > 0:
        raise UsageError(f"--timeout is {options.timeout} (seconds above 0). Correct it.")
    tool("smpirun")
    settings = settings_of(options)
    platform = platform_of(options.platform, folder, rates_of(options))
    tasks = _tasks(options, arguments, settings, platform, folder)
    begin = time.perf_counter()
    try:
        result = _together(tasks, folder, options) if len(tasks) > 1 else _alone(tasks[0], folder, options)
    except WorkFailed as e:
        raise WorkFailed(f"{', '.join(options.app)}: {e}") from e
    finally:
        if not options.quiet and len(tasks) == 1:
            _show(folder, options.json == "-")
    result |= {"routes": platform.routes}
    if options.json is not None:
        object_ = {
            "schema": 1,
            "command": "simulate",
            "input": {
                "app": options.app if len(tasks) > 1 else options.app[0],
                "arguments": arguments,
                "platform": options.platform,
                "map": options.map if len(tasks) > 1 else next(iter(options.map), None),
                **settings.to_json(),
                "rates": rates_of(options),
            },
            "predicted": True,
            "result": result,
            "seconds": {"run": time.perf_counter() - begin},
            "provenance": json.loads(_core.provenance()),
        }
        put(options.json, json.dumps(object_, indent=2) + "\n")
    if options.json != "-":
        print(_text(result, options.platform), end="")
    return 0


def _tasks(
    options: argparse.Namespace, arguments: list[str], settings: Settings, platform: Platform, folder: Path
) -> list[Task]:
    apps, maps = options.app, options.map or [None]
    if len(apps) == 1 and len(maps) > 1:
        apps = apps * len(maps)
    if len(apps) != len(maps):
        raise UsageError(f"{len(apps)} --app with {len(options.map)} --map (each has its own hosts). Give as many.")
    flags = compile_flags_of(options)
    programs = {
        app: program_of(app, _folder(folder, f"program-{n}"), flags) for n, app in enumerate(dict.fromkeys(apps))
    }
    tasks = []
    for app, mapping in zip(apps, maps):
        if len(apps) > 1 and not Path(mapping).is_file():
            raise UsageError(f"--map {mapping} of several (each is a file with the hosts of its ranks). Give a file.")
        hosts = hosts_of_ranks(platform, mapping, options.ranks, folder)
        tasks.append(Task([str(programs[app]), *arguments], platform.file, hosts, settings))
    return tasks


def _folder(folder: Path, name: str) -> Path:
    (inner := folder / name).mkdir()
    return inner


def _alone(task: Task, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    paje = folder / "paje.trace"
    tracing: list[str] = []
    if options.traffic is not None:
        tracing = trace_options(paje)
    elif options.trace is not None:
        tracing = ["-trace-ti", "-trace-file", str(Path(options.trace).absolute())]
    seconds = run(task, folder, tracing, options.timeout)
    result: dict[str, Any] = {"seconds": seconds, "ranks": len(task.hosts), "hosts": list(task.hosts)}
    if options.traffic is not None:
        text = traffic_text(sent := read_traffic(paje))
        put(options.traffic, text)
        result |= {"traffic": options.traffic, "bytes": sum(sent.values()), "pairs": text.count("\n")}
    if options.trace is not None:
        result["trace"] = options.trace
    return result


def _together(tasks: list[Task], folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    if options.traffic is not None or options.trace is not None:
        raise UsageError(
            "--traffic or --trace with several --app or --map (it is of one program). Run that one by itself."
        )
    alone, together = replay_together(tasks, folder, options.timeout)
    jobs = [
        {"seconds": seconds, "alone_seconds": own, "ranks": len(task.hosts), "hosts": list(task.hosts)}
        for task, own, seconds in zip(tasks, alone, together)
    ]
    return {"seconds": max(together), "average_seconds": sum(together) / len(together), "jobs": jobs}


def _text(result: dict[str, Any], platform: str) -> str:
    if "jobs" not in result:
        return f"simulated  {seconds_text(result['seconds'])} on {result['ranks']} ranks of {platform}\n"
    return "".join(
        f"job {number}  {seconds_text(job['seconds'])} beside the others, {seconds_text(job['alone_seconds'])} alone, "
        f"on {job['ranks']} ranks of {platform}\n"
        for number, job in enumerate(result["jobs"])
    )


def _show(folder: Path, beside: bool) -> None:
    """Prints the program's output; on stderr all of it if stdout is for JSON."""
    for name, stream in (("stdout", sys.stderr if beside else sys.stdout), ("stderr", sys.stderr)):
        if (file := folder / name).exists():
            with file.open(encoding="utf-8", errors="replace") as lines:
                shutil.copyfileobj(lines, stream)


if __name__ == "__main__":
    sys.exit(main())
