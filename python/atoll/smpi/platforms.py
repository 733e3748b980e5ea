# SPDX-License-Identifier: Apache-2.0
"""Platforms of SimGrid from networks, and the hosts of ranks on them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import errors
from ..__main__ import find_command
from ..errors import InputError, UsageError

__all__ = ["Platform", "hosts_of_ranks", "platform_of", "RATES"]

# Options of `atoll network --simgrid`.
RATES = ("preset", "host_speed", "switch_latency", "link_latency", "link_bandwidth")


@dataclass(frozen=True)
class Platform:
    """SimGrid's XML of a network, and its hosts in the network's order.

    Attributes
    ----------
    name : str                  as given: the name of a network, or a file
    file : Path                 the XML
    hosts : tuple of str
    routes : str                "network": the network's own; "dijkstra": SimGrid's shortest paths; "file": what the
                                given XML says
    """

    name: str
    file: Path
    hosts: tuple[str, ...]
    routes: str

    @property
    def is_network(self) -> bool:
        """Whether `atoll map` knows it by its name."""
        return self.routes != "file"


def platform_of(name: str, folder: Path, rates: Mapping[str, Any]) -> Platform:
    """The platform of a network, written into `folder`, or the one that a file of SimGrid's XML is.

    Parameters
    ----------
    name : str                  a network as `atoll network` takes it (random:64:4, a list of links), or an XML file
    folder : Path
    rates : dict                of RATES, as the options of `atoll network` with underscores; None is not given

    Raises
    ------
    UsageError, InputError      the network or the file is wrong, is not connected, or has rates that are none
    """
    given = {rate: value for rate, value in rates.items() if value is not None}
    if _is_platform(Path(name)):
        if given:
            raise UsageError(
                f"--{next(iter(given)).replace('_', '-')} with {name} (the platform says its own). Leave it out."
            )
        file = Path(name).absolute()
        return Platform(name, file, _hosts_in(file), "file")
    file = folder / "platform.xml"
    options = [word for rate, value in given.items() for word in (f"--{rate.replace('_', '-')}", str(value))]
    done = _atoll("network", name, "--simgrid", str(file), "--starts", "1", *options)
    return Platform(name, file, _hosts_in(file), done["result"]["simgrid_routes"])


def hosts_of_ranks(platform: Platform, mapping: str | None, ranks: int | None, folder: Path) -> list[str]:
    """The host of each rank.

    Parameters
    ----------
    platform : Platform
    mapping : str, optional     a file with a line for each rank, its host's name or number (atoll map --export
                                simgrid), or a method of `atoll map`; none: rank r on host r
    ranks : int, optional       none: as many as the file has lines, or the platform hosts

    Raises
    ------
    UsageError, InputError      there are more ranks than hosts, or lines; a host is unknown; so is the method
    """
    if ranks is not None and ranks < 1:
        raise UsageError(f"{ranks} ranks (at least one is needed). Correct it.")
    if mapping is not None and os.path.exists(mapping):
        return _read_mapping(platform, Path(mapping), ranks)
    count = len(platform.hosts) if ranks is None else ranks
    if count > len(platform.hosts):
        raise InputError(
            f"{platform.name}: {len(platform.hosts)} hosts (there are {count} ranks). Take fewer ranks or a larger "
            "network, or name a host several times in a file for --map."
        )
    if mapping is None:
        return list(platform.hosts[:count])
    if not platform.is_network:
        raise UsageError(
            f"--map {mapping} with {platform.name} (no such file, and methods of atoll map are for networks by name). "
            "Give the network instead of its XML, or a file of hosts."
        )
    file = folder / "mapping"
    try:
        _atoll("map", platform.name, "--method", mapping, "--ranks", str(count), "--export", "simgrid", str(file))
    except (UsageError, InputError) as e:
        raise type(e)(f"--map {mapping} (there is no such file, and as a method of atoll map:) {e}") from None
    return _read_mapping(platform, file, count)


def _read_mapping(platform: Platform, file: Path, ranks: int | None) -> list[str]:
    known = set(platform.hosts)
    hosts: list[str] = []
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"{file}: {e} (it has a host for each rank). Correct the path.") from None
    for number, line in enumerate(lines, 1):
        host = line.partition("#")[0].strip()
        if not host:
            continue
        if host not in known and host.isascii() and host.isdigit() and int(host) < len(platform.hosts):
            host = platform.hosts[int(host)]
        if host not in known:
            raise InputError(
                f"{file}:{number}: no host '{host[:100]}' in {platform.name} (it has {len(known)}, as "
                f"{platform.hosts[0]}; numbers are 0 to {len(platform.hosts) - 1}). Correct it."
            )
        hosts.append(host)
    if not hosts or (ranks is not None and ranks > len(hosts)):
        raise InputError(
            f"{file}: {len(hosts)} hosts (each of {ranks or 'the'} ranks needs a line). Add those that are missing."
        )
    return hosts[:ranks]


def _is_platform(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        begin = file.read(1 << 16)
    return begin.lstrip().startswith(b"<") and b"<platform" in begin


def _hosts_in(file: Path) -> tuple[str, ...]:
    """The hosts in order. The file may have millions of hops of routes: no parser makes objects of them."""
    text = re.sub(r"<!--.*?-->", "", file.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
    hosts: list[str] = []
    for tag, words in re.findall(r"<(host|cluster|cabinet)\s([^>]*)>", text):
        attributes = dict(re.findall(r"(\w+)\s*=\s*[\"']([^\"']*)", words))
        if tag == "host":
            hosts.append(attributes.get("id", ""))
            continue
        for part in attributes.get("radical", "").split(","):
            first, _, last = part.strip().partition("-")
            try:
                numbers = range(int(first), int(last or first) + 1)
            except ValueError:
                raise InputError(
                    f"{file}: radical '{attributes.get('radical', '')}' (as 0-15,20). Correct it."
                ) from None
            hosts += [f"{attributes.get('prefix', '')}{n}{attributes.get('suffix', '')}" for n in numbers]
    if not hosts:
        raise InputError(f"{file}: a platform without hosts. Add some.")
    return tuple(hosts)


def _atoll(*words: str) -> dict[str, Any]:
    """Runs the command and returns its JSON; raises its errors."""
    command = find_command()
    if command is None:
        raise UsageError(
            "there is no command 'atoll' with this Python (it makes platforms). Install Atoll again by pip."
        )
    done = subprocess.run(
        [str(command), *words, "--json", "-"], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    try:
        said = json.loads(done.stdout)
    except ValueError:
        said = {}
    if done.returncode == 0 and said:
        return said
    failure = said.get("error", {})
    message = failure.get("message") or done.stderr.strip().removeprefix("atoll: error: ")
    kinds = {"usage": UsageError, "input": InputError, "io": errors.IoError}
    kind = kinds.get(failure.get("kind", ""), UsageError if done.returncode == 2 else InputError)
    raise kind(message or f"{command} {words[0]}: exit code {done.returncode}")
