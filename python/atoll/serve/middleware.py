# SPDX-License-Identifier: Apache-2.0
"""Middleware before the application: checks host, token and sizes of requests, and sets headers of answers."""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any
from urllib.parse import parse_qsl

from .limits import Limits
from .problems import Problem, problem_response

__all__ = ["RequestGuard"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]


_LISTS = ("pass", "avoid")


class RequestGuard:
    """Middleware of ASGI, before the application.

    Parameters
    ----------
    app : ASGI application
    hosts : collection of str   names that a browser may have for this server. A page of another site whose name was
                                made to lead here (DNS rebinding) sends its own
    token : str, optional       that questions have to bring; the page's own files need none
    limits : Limits
    open_paths : collection of str
                                paths that need no token
    """

    def __init__(
        self, app: Any, *, hosts: Collection[str], token: str | None, limits: Limits, open_paths: Collection[str] = ()
    ) -> None:
        self._app, self._limits = app, limits
        self._hosts = {host.lower() for host in hosts}
        self._bearer = None if token is None else f"bearer {token}".encode()
        self._open = frozenset(open_paths)
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # a socket of the web: closed before it opens
            await send({"type": "websocket.close", "code": 1000})
            return

        async def send_guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else {"Connection": "close"}
            await problem_response(refusal.status, refusal.detail, headers=headers)(scope, receive, send_guarded)
            return
        if scope["method"] == "POST":
            receive = self._bounded(receive)
        self._under_way += 1
        try:
            await self._app(scope, receive, send_guarded)
        finally:
            self._under_way -= 1

    def _refusal(self, scope: Scope) -> Problem | None:
        host = length = bearer = None
        for name, value in scope["headers"]:
            if name == b"host":
                if host is not None:
                    return Problem(400, "the request has two headers Host (one is meant). Send one.")
                host = value
            elif name == b"content-length":
                length = value
            elif name == b"authorization":
                bearer = value
        if host is None or _without_port(host.decode("latin-1")) not in self._hosts:
            shown = "none" if host is None else repr(host[:80].decode("latin-1"))
            return Problem(
                421,
                f"the header Host is {shown} (this server is {', '.join(sorted(self._hosts))}; another site's page may "
                "have sent this). Use one of these names, or start the server with --host-name NAME.",
            )
        if self._under_way >= self._limits.requests:
            return Problem(503, f"{self._under_way} requests are under way (that is the limit). Ask again later.")
        if length is not None and (not length.isdigit() or int(length[:20]) > self._limits.body_bytes):
            return _too_large(self._limits.body_bytes)
        twice = _twice(scope["query_string"])
        if twice is not None:
            return Problem(422, f"{twice[:80]} is given twice (which one is meant cannot be said). Give it once.")
        if self._bearer is not None and scope["path"] not in self._open:
            scheme, _, value = (bearer or b"").partition(b" ")
            if not hmac.compare_digest(scheme.lower() + b" " + value.strip(), self._bearer):
                return Problem(
                    401,
                    "the question has no token, or a wrong one (this server answers only those who know it). "
                    "Send the header Authorization: Bearer TOKEN.",
                )
        return None

    def _bounded(self, receive: Receive) -> Receive:
        """The same body, ended by an error where it is too large or too slow."""
        left = self._limits.body_bytes
        deadline = asyncio.get_running_loop().time() + self._limits.body_seconds
        done = False

        async def bounded() -> MutableMapping[str, Any]:
            nonlocal left, done
            if done:  # what comes now is that the client has gone, whenever that may be
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), deadline - asyncio.get_running_loop().time())
            except asyncio.TimeoutError:
                raise _as_http(
                    Problem(408, f"the body did not arrive within {self._limits.body_seconds:g} s. Send it faster.")
                ) from None
            left -= len(message.get("body", b""))
            if left < 0:
                raise _as_http(_too_large(self._limits.body_bytes))
            done = not message.get("more_body", False)
            return message

        return bounded


def _twice(query: bytes) -> str | None:
    """A parameter that comes more than once and is no list."""
    names = [name for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True)]
    if len(set(names)) == len(names):
        return None
    return next((name for name, count in Counter(names).items() if count > 1 and name not in _LISTS), None)


def _as_http(problem: Problem) -> Exception:
    from starlette.exceptions import HTTPException  # the one that passes through where a body is read

    return HTTPException(problem.status, problem.detail)


def _too_large(most: int) -> Problem:
    return Problem(413, f"the body is larger than {most:,} bytes (the limit of this server). Ask in several parts.")


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
