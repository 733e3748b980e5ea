# SPDX-License-Identifier: Apache-2.0
"""An MPI program as what is tuned: topology, mapping and collective algorithms against its simulated time."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import Error, InputError, UsageError
from ..tune.commands import Command, Objective
from ..tune.processes import WorkFailed
from ..tune.space import Space
from .collectives import COLLECTIVES, read_collectives
from .platforms import Platform, hosts_of_ranks, platform_of
from .programs import program_of, tool
from .simulation import Settings, Task, check_words, simulated_seconds

__all__ = ["Application"]


class Application(Objective):
    """Simulated seconds of an MPI program at a point.

    Parameters of the space that it understands: `topology` (networks or SimGrid's XML files), `mapping` (files or
    methods of `atoll map`), `mpi` (MPI implementations) and the names of collectives (their algorithms; "default":
    what the implementation chooses). Others are in the arguments by {name}, or in the program's environment, as
    Command says.

    Parameters
    ----------
    app : path                  a program of SMPI, or its source, which is compiled here, once
    arguments : sequence of str
    folder : Path               for what is made; it has to stay while trials run
    platform, mapping, ranks    as `atoll simulate` takes them: where the space has no parameter of that
    settings : Settings         likewise
    rates : dict                of networks: see platform_of
    compile_flags : sequence of str
                                for a source: see program_of

    Raises
    ------
    UsageError, InputError      as program_of says
    """

    def __init__(
        self,
        app: str | os.PathLike[str],
        arguments: Sequence[str],
        folder: Path,
        *,
        platform: str | None = None,
        mapping: str | None = None,
        ranks: int | None = None,
        settings: Settings | None = None,
        rates: Mapping[str, Any] | None = None,
        compile_flags: Sequence[str] = (),
    ) -> None:
        tool("smpirun")
        self._app = os.fspath(app)
        self._folder = folder
        self._platform, self._mapping, self._ranks = platform, mapping, ranks
        self._settings = Settings() if settings is None else settings
        self._rates = {} if rates is None else dict(rates)
        self._compile_flags = list(compile_flags)
        self._program = program_of(app, folder, compile_flags)
        self._platforms: dict[str, Platform] = {}  # by topology; made by check()
        self._command = Command([str(self._program), *arguments])

    def check(self, space: Space) -> None:
        """Makes the platforms. UsageError or InputError for a value that no trial could take; see Objective."""
        if "topology" not in space.parameters and self._platform is None:
            raise UsageError("there is no network (neither a parameter 'topology' nor --platform). Add one of them.")
        for name, values in space.parameters.items():
            for value in values:
                if name in COLLECTIVES:
                    read_collectives({name: str(value)})
                elif name == "mpi":
                    dataclasses.replace(self._settings, implementation=str(value))
        topologies = [str(name) for name in space.parameters.get("topology", [self._platform])]
        for number, name in enumerate(topologies):
            folder = self._folder / f"network-{number}"
            folder.mkdir(exist_ok=True)
            self._platforms[name] = platform_of(name, folder, self._rates)
        # A method that is unknown; a file may well fit only another network, which a rule can say.
        for mapping in space.parameters.get("mapping", [self._mapping]):
            with contextlib.suppress(InputError):
                hosts_of_ranks(self._platforms[topologies[0]], _text(mapping), self._ranks, self._folder)
        self._command.check_names([name for name in space.parameters if not _is_of_simulation(name)])

    def to_json(self) -> dict[str, Any]:
        return {
            "app": self._app,
            "arguments": self._command.command[1:],
            "platform": self._platform,
            "mapping": self._mapping,
            "ranks": self._ranks,
            "settings": self._settings.to_json(),
            "rates": self._rates,
            **({"compile_flags": self._compile_flags} if self._compile_flags else {}),
        }

    def __call__(self, point: dict[str, Any]) -> float:
        own = {name: value for name, value in point.items() if not _is_of_simulation(name)}
        words = self._command.words(own)
        try:
            check_words(words[1:])
            platform = self._platforms[str(point.get("topology", self._platform))]
            mapping = _text(point.get("mapping", self._mapping))
            collectives = {name: str(point[name]) for name in COLLECTIVES if name in point}
            settings = dataclasses.replace(
                self._settings,
                implementation=str(point.get("mpi", self._settings.implementation)),
                collectives={**self._settings.collectives, **collectives},
            )
            with tempfile.TemporaryDirectory(dir=self._folder) as folder:
                hosts = hosts_of_ranks(platform, mapping, self._ranks, Path(folder))
                task = Task(words, platform.file, hosts, settings, self._command.environment(own))
                return simulated_seconds(task, Path(folder))
        except Error as e:
            raise WorkFailed(str(e)) from None


def _is_of_simulation(name: str) -> bool:
    return name in ("topology", "mapping", "mpi") or name in COLLECTIVES


def _text(mapping: Any) -> str | None:
    return None if mapping is None else str(mapping)
