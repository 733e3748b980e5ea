# SPDX-License-Identifier: Apache-2.0
"""The contents of a question: the parameters of each address, as its document has them."""

from __future__ import annotations

from typing import Annotated, Literal, Optional

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ..kg.scenarios import READINGS
from .limits import Limits

__all__ = [
    "BulkQuestion",
    "ConceptsQuestion",
    "NeighboursQuestion",
    "PairQuestion",
    "PathsQuestion",
    "ScenarioQuestion",
]

_LIMITS = Limits()
_MOST_SECONDS = _LIMITS.query_seconds
Name = Annotated[str, StringConstraints(min_length=1, max_length=_LIMITS.text)]
_NAMED = "an id, a name or a synonym of a concept"
assert READINGS == ("edge", "shortest")


class Question(BaseModel):
    """Parameters that are not named here are refused."""

    model_config = ConfigDict(extra="forbid")


class Page(Question):
    """A part of a list."""

    offset: int = Field(0, ge=0, le=10**9, description="entries before the page")
    limit: int = Field(20, ge=1, le=_LIMITS.page, description="entries of the page")


class ConceptsQuestion(Page):
    """A search for concepts."""

    q: str = Field(
        "",
        max_length=_LIMITS.text,
        description="words of a name, synonym or id; none: all concepts",
        examples=["sclerosis"],
    )
    type: Optional[Name] = Field(None, description="only concepts of this type", examples=["MESH"])  # noqa: UP007, UP045


class NeighboursQuestion(Page):
    """The neighbours of a concept."""

    of: Name = Field(description=_NAMED, examples=["COVID-19"])
    type: Optional[Name] = Field(None, description="only neighbours of this type", examples=["GENE"])  # noqa: UP007, UP045


class PairQuestion(Question):
    """Two concepts."""

    source: Name = Field(alias="from", description=_NAMED, examples=["COVID-19"])
    target: Name = Field(alias="to", description=_NAMED, examples=["MESH_D009103"])


class PathsQuestion(PairQuestion):
    """Several paths, under constraints on what lies between the ends."""

    k: int = Field(3, ge=1, le=_LIMITS.k, description="so many of the shortest paths")
    passes: list[Name] = Field(
        [], alias="pass", max_length=8, description="types or concepts: for each, one such lies between the ends"
    )
    avoid: list[Name] = Field([], max_length=32, description="types or concepts: none such lies between the ends")
    max_hops: Optional[int] = Field(None, ge=1, le=1000, description="at most so many edges")  # noqa: UP007, UP045
    limit: float = Field(_MOST_SECONDS, gt=0, le=_MOST_SECONDS, description="seconds of the search")


class ScenarioQuestion(PairQuestion):
    """Two concepts of the literature that have counterparts in the curated graph."""

    reading: Literal["edge", "shortest"] = Field(
        "edge", description="edge: any curated edge counts; shortest: one on a shortest curated path between the ends"
    )


class BulkQuestion(Question):
    """Many pairs."""

    what: Literal["distances", "paths"] = "distances"
    form: Literal["csv", "arrow"] = Field(
        "csv", description="arrow: Arrow's stream format, where the server has pyarrow"
    )
    pairs: list[tuple[Name, Name]] = Field(
        max_length=_LIMITS.pairs, description="ids, names or synonyms", examples=[[["COVID-19", "MESH_D009103"]]]
    )
