# SPDX-License-Identifier: Apache-2.0
"""Errors as problem details (RFC 9457): what, with the value; why it is wrong; what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..errors import ConvergenceError, Error
from ..kg.distances import as_json
from .loaded_graph import AmbiguousConcept, UnknownConcept, UnknownType

__all__ = ["PROBLEM", "Problem", "add_handlers", "problem_response"]

PROBLEM = "application/problem+json"
_SHOWN = 80  # characters of a client's value that a message repeats

_ADVICE = {
    400: "the body cannot be read (it is no JSON in UTF-8, or nested too deeply). Send one object of JSON.",
    404: "there is nothing at this address. See /openapi.json for what there is.",
    405: "this address is only read, by the methods in the header Allow. Use one of them.",
}


class Problem(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, detail: str, **members: Any) -> None:
        super().__init__(detail)
        self.status, self.detail, self.members = status, detail, members


def problem_response(status: int, detail: str, *, headers: Mapping[str, str] | None = None, **members: Any) -> Response:
    """The answer of a problem, with further members.

    >>> import json
    >>> from atoll.serve.problems import problem_response
    >>> json.loads(problem_response(404, "'x' is no concept (it has no name). Give another.", nearest=[]).body)["title"]
    'Not Found'
    """
    content = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **members}
    return Response(json.dumps(content), status, dict(headers or {}), PROBLEM)


def add_handlers(app: FastAPI) -> None:
    """Turns everything that a question may raise into a problem."""

    @app.exception_handler(Problem)
    async def stated(_: Request, e: Problem) -> Response:
        headers = {"Retry-After": "1"} if e.status == HTTPStatus.SERVICE_UNAVAILABLE else None
        return problem_response(e.status, e.detail, headers=headers, **e.members)

    @app.exception_handler(UnknownConcept)
    async def unknown(_: Request, e: UnknownConcept) -> Response:
        return problem_response(404, str(e), nearest=[as_json(concept) for concept in e.nearest])

    @app.exception_handler(UnknownType)
    async def unknown_type(_: Request, e: UnknownType) -> Response:
        return problem_response(404, str(e))

    @app.exception_handler(AmbiguousConcept)
    async def ambiguous(_: Request, e: AmbiguousConcept) -> Response:
        return problem_response(409, str(e), candidates=[as_json(concept) for concept in e.candidates])

    @app.exception_handler(ConvergenceError)
    async def too_long(_: Request, e: ConvergenceError) -> Response:
        return problem_response(504, str(e), found=[path.to_json() for path in e.result.paths])

    @app.exception_handler(Error)
    async def wrong(_: Request, e: Error) -> Response:
        return problem_response(422, str(e))

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, e: RequestValidationError) -> Response:
        return problem_response(422, " ".join(_complaint(error) for error in e.errors()[:5]))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, e: HTTPException) -> Response:
        advice = _ADVICE.get(e.status_code)
        detail = f"{_short(request.url.path)}: {advice}" if advice else str(e.detail)
        return problem_response(e.status_code, detail, headers=e.headers)

    @app.exception_handler(Exception)
    async def broken(_: Request, e: Exception) -> Response:
        return problem_response(
            500, "the question failed (an error of the server's own, which is in its log). Report it with the question."
        )


def _complaint(error: Mapping[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"][1:]) or "the body"
    reason = error["msg"][:1].lower() + error["msg"][1:]
    if error["type"] == "extra_forbidden":
        return f"{_short(where)} is no parameter of this question. Leave it out; /openapi.json has those there are."
    if error["type"] == "missing":
        return f"{where} is missing (the question needs it). Give it."
    if error["type"] == "json_invalid":
        return f"the body is no JSON ({error.get('ctx', {}).get('error', reason)}). Send one object of JSON."
    return f"{_short(where)} is {_short(repr(error.get('input')))} ({reason}). See /openapi.json for what it may be."


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
