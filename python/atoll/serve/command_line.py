# SPDX-License-Identifier: Apache-2.0
"""`atoll serve DIR`: questions to the knowledge graph of a folder over HTTP, and a page that asks them.

Listens only on this machine unless --address says otherwise; then clients need a token. Ends by SIGTERM or Ctrl-C.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import ipaddress
import logging
import os
import signal
import socket
import sys
from typing import Any

from ..errors import Error, InputError, IoError, UsageError
from ..standard_output import cli_main, fail

__all__ = ["main"]

_SHORTEST_TOKEN = 16
_TOKEN = "ATOLL_SERVE_TOKEN"
_LAST_S = 0.5  # for what is under way when the end is asked for
_SWITCH_S = (
    0.0005  # threads of slow questions give way to the quick ones after so long; Python's own 5 ms would be their p99
)


def _parser() -> argparse.ArgumentParser:
    from .limits import Limits

    usual = Limits()
    parser = argparse.ArgumentParser(prog="atoll serve", description=__doc__)
    parser.add_argument("folder", metavar="DIR", help="of a store, with a graph that `atoll kg build` has built")
    parser.add_argument("--graph", default="literature", help="that is served (default literature)")
    parser.add_argument("--curated", default="curated", metavar="GRAPH", help="it is held against (default curated)")
    parser.add_argument("--address", default="127.0.0.1", help="of an interface to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8750, help="0: any that is free (default 8750)")
    parser.add_argument(
        "--token", help=f"that clients must send; needed for an address that is not loopback. Better {_TOKEN}: see ps"
    )
    parser.add_argument(
        "--host-name",
        action="append",
        default=[],
        metavar="NAME",
        help="by which clients call this machine; may come again",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=usual.query_seconds,
        metavar="SECONDS",
        help=f"of a slow question, at most {usual.query_seconds:g} (the default)",
    )
    parser.add_argument(
        "--pairs",
        type=int,
        default=usual.pairs,
        metavar="N",
        help=f"of a bulk question, at most {usual.pairs:,} (the default)",
    )
    parser.add_argument(
        "--slow", type=int, default=usual.slow, metavar="N", help=f"slow questions at a time ({usual.slow})"
    )
    parser.add_argument("--log", action="store_true", help="a line on stderr for each question")
    return parser


@cli_main
def main(words: list[str] | None = None) -> int:
    """The command; returns the exit code."""
    options = _parser().parse_args(words)
    logging.getLogger("atoll").addHandler(handler := logging.StreamHandler())
    handler.setFormatter(logging.Formatter("atoll: %(levelname)s: %(message)s"))
    try:
        return _serve(options)
    except (UsageError, InputError, IoError) as e:
        kind = "usage" if isinstance(e, UsageError) else "io" if isinstance(e, IoError) else "input"
        return fail("serve", str(e), kind, 2 if kind == "usage" else 3, None)
    except Error as e:
        return fail("serve", str(e), "run", 1, None)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        logging.getLogger("atoll").removeHandler(handler)


def _serve(options: argparse.Namespace) -> int:
    token = _token(options)
    uvicorn = _require_uvicorn()
    from .application import application
    from .limits import Limits
    from .loaded_graph import LoadedGraph

    usual = Limits()
    for name, value, most in (
        ("timeout", options.timeout, usual.query_seconds),
        ("pairs", options.pairs, usual.pairs),
        ("slow", options.slow, 64),
    ):
        if not 0 < value <= most:
            raise UsageError(f"--{name} {value} (it is above 0 and at most {most:g}). Give such a number.")
    limits = Limits(query_seconds=options.timeout, pairs=options.pairs, slow=options.slow)
    listening = _listen(options.address, options.port)
    graph = LoadedGraph(options.folder, options.graph, curated=options.curated)
    _give_back_memory()
    sys.setswitchinterval(_SWITCH_S)
    hosts = {"localhost", "127.0.0.1", "[::1]", _in_url(options.address), *options.host_name}
    config = uvicorn.Config(
        application(graph, limits=limits, hosts=hosts, token=token),
        lifespan="off",
        ws="none",
        proxy_headers=False,
        server_header=False,
        log_level="info" if options.log else "warning",
        access_log=options.log,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_LAST_S,
    )
    listening.listen(config.backlog)  # who connects from here on is answered
    port = listening.getsockname()[1]
    print(f"atoll: serving {options.folder} at http://{_in_url(options.address)}:{port}/", file=sys.stderr, flush=True)
    # Uvicorn ends what is under way, then sends itself the signal again, whose usual effect is the end, whatever a
    # thread does.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    uvicorn.Server(config).run(sockets=[listening])
    return 0


def _token(options: argparse.Namespace) -> str | None:
    given = os.environ.pop(_TOKEN, None)  # no child has a use for it
    token = options.token if options.token is not None else given
    if token is not None and (
        len(token) < _SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token
    ):
        raise UsageError(
            f"the token has {len(token)} characters (it is {_SHORTEST_TOKEN} or more of ASCII, none a blank, so that "
            "nobody guesses it). Make one: openssl rand -hex 16."
        )
    if token is None and not _is_loopback(options.address):
        raise UsageError(
            f"--address {options.address} without a token (other machines could read everything). "
            f"Set {_TOKEN} or --token, or leave out --address."
        )
    return token


def _is_loopback(address: str) -> bool:
    if address.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _in_url(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _listen(address: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise UsageError(f"--port {port} (ports are 0 to 65535). Give such a number.")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(family)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
    except OSError as e:
        listening.close()
        raise IoError(
            f"{address}:{port}: {e.strerror or e} (nothing can listen there). Choose another --port or --address."
        ) from None
    return listening


def _give_back_memory() -> None:
    """Gives memory that loading has freed back to the system, where its C library can do that."""
    gc.collect()
    gc.freeze()  # what is loaded stays: no collection need look at it
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _require_uvicorn() -> Any:
    try:
        import fastapi  # noqa: F401
        import uvicorn
    except ImportError as e:
        raise UsageError(
            f"atoll serve needs FastAPI and Uvicorn ({e.name} is not installed; they are an extra of Atoll). "
            "Use pip install '.[kg]' in a checkout, or pip install fastapi uvicorn."
        ) from None
    return uvicorn


if __name__ == "__main__":
    sys.exit(main())
