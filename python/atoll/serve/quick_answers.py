# SPDX-License-Identifier: Apache-2.0
"""The way of the two questions that are asked most: straight to the graph, where nothing is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from pydantic import ValidationError

from ..errors import Error
from .questions import PairQuestion

__all__ = ["QuickAnswers"]


class QuickAnswers:
    """An ASGI application before another one, which answers whatever this one does not.

    FastAPI takes some 0.2 ms to find and check a question's parameters, longer than the graph to find the path. Here
    the same model checks the same parameters. What does not pass, or cannot be answered, is asked again there, and
    becomes the problem that its document tells of.

    Parameters
    ----------
    app : ASGI application
    answers : mapping of str to callable
                                by address: the body of the answer, as JSON
    """

    def __init__(self, app: Any, answers: Mapping[str, Callable[[PairQuestion], bytes]]) -> None:
        self._app, self._answers = app, answers

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        answer = self._answers.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "GET" else None
        body = None if answer is None else _body(answer, scope["query_string"])
        if body is None:
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _body(answer: Callable[[PairQuestion], bytes], query: bytes) -> bytes | None:
    try:
        return answer(PairQuestion.model_validate(dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True))))
    except (ValidationError, Error):
        return None
