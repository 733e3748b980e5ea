# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document: what FastAPI makes of the addresses, with errors as problems and the token."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from .answers import ProblemAnswer
from .problems import PROBLEM

__all__ = ["BULK", "complete"]

_ERRORS = {
    "404": "no such concept (nearest has some with names like it), or no such type",
    "408": "the body came too slowly",
    "409": "several concepts have the name",
    "413": "too much was sent or asked for",
    "421": "the header Host is of another server",
    "422": "a parameter is wrong",
    "501": "the server has not what this needs",
    "503": "too many questions at a time",
    "504": "the time of a question is up; found has what there is by then",
}
_OF_ALL = ("421", "503")
_OF_QUESTIONS = {
    "/concepts": ("404", "422", "504"),
    "/neighbours": ("404", "409", "422", "504"),
    "/distance": ("404", "409", "422"),
    "/path": ("404", "409", "422"),
    "/paths": ("404", "409", "422", "504"),
    "/scenario": ("404", "409", "422", "504"),
    "/bulk": ("400", "404", "408", "409", "413", "422", "501", "504"),
}
_EXAMPLE = "from,to,distance\r\nMESH_C000657245,MESH_D009103,9.84567\r\n"
BULK: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "a row for each pair, in order; an empty cell: there is no path",
        "content": {
            "text/csv": {"schema": {"type": "string"}, "example": _EXAMPLE},
            "application/vnd.apache.arrow.stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


def complete(app: FastAPI, *, has_token: bool) -> None:
    """Makes `app.openapi` tell of problems, and of the token where the server has one."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is not None:
            return app.openapi_schema
        document = made()
        schemas = document["components"]["schemas"]
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        problem = ProblemAnswer.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update(problem.pop("$defs", {}))
        schemas["ProblemAnswer"] = problem
        for address, methods in document["paths"].items():
            for operation in methods.values():
                responses = operation["responses"]
                responses.pop("422", None)
                for status in sorted({*_OF_ALL, *_OF_QUESTIONS.get(address, ())}):
                    responses[status] = _response(_ERRORS.get(status, "the request is none"))
                if has_token:
                    responses["401"] = _response("the token is missing or wrong")
        if has_token:
            document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            document["security"] = [{"token": []}]
        return document

    app.openapi = openapi  # type: ignore[method-assign]


def _response(description: str) -> dict[str, Any]:
    content = {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemAnswer"}}}
    return {"description": description, "content": content}
