# SPDX-License-Identifier: Apache-2.0
"""The schema of answers, for the document of the API; the answers themselves are written straight as JSON."""

from __future__ import annotations

from typing import Any, Optional

from pydantic import BaseModel, Field

__all__ = [
    "ConceptList",
    "DistanceAnswer",
    "HealthAnswer",
    "NeighbourList",
    "PathAnswer",
    "PathsAnswer",
    "ProblemAnswer",
    "ScenarioAnswer",
]


class ConceptAnswer(BaseModel):
    """A concept."""

    concept: int = Field(description="its number in the graph")
    id: str
    name: str
    type: str


class FoundConcept(ConceptAnswer):
    """A concept that a search has found."""

    degree: int = Field(description="its neighbours in the graph")


class ListAnswer(BaseModel):
    """A page."""

    total: int = Field(description="entries of all pages")
    offset: int
    limit: int
    next: Optional[str] = Field(description="address of the next page")  # noqa: UP007, UP045


class ConceptList(ListAnswer):
    """Concepts by how well they match; those that match alike by descending degree."""

    concepts: list[FoundConcept]
    nearest: list[ConceptAnswer] = Field(description="where nothing matches: concepts with names like it")


class SourceRow(BaseModel):
    """A row of the store that an edge was made from."""

    relation: str
    kind: Optional[str]  # noqa: UP007, UP045
    count: Optional[int]  # noqa: UP007, UP045
    source: Optional[int]  # noqa: UP007, UP045
    file: Optional[str]  # noqa: UP007, UP045


class StepAnswer(BaseModel):
    """An edge of a path."""

    from_: str = Field(alias="from", description="an id")
    to: str
    weight: float
    count: int = Field(description="sum of the counts of its sources")
    sources: list[SourceRow]


class OnePath(BaseModel):
    """A path: no concept comes twice."""

    weight: float
    hops: int
    concepts: list[ConceptAnswer]
    steps: list[StepAnswer]


class PairAnswer(BaseModel):
    """An answer about two concepts."""

    from_: ConceptAnswer = Field(alias="from")
    to: ConceptAnswer


class DistanceAnswer(PairAnswer):
    """The length of a shortest path; null where there is none."""

    distance: Optional[float]  # noqa: UP007, UP045


class PathAnswer(PairAnswer):
    """The shortest path; null where there is none."""

    path: Optional[OnePath]  # noqa: UP007, UP045


class PathsAnswer(PairAnswer):
    """Paths by ascending weight; fewer than were asked for where there are no more."""

    paths: list[OnePath]
    shorter_walk: Optional[OnePath] = Field(  # noqa: UP007, UP045
        description="the shortest way that passes all it must, where it visits a concept twice and so is no path"
    )


class NeighbourAnswer(ConceptAnswer):
    """A concept and the edge that leads to it."""

    weight: float
    count: int
    sources: list[SourceRow]


class NeighbourList(ListAnswer):
    """The nearest neighbours first."""

    of: ConceptAnswer
    neighbours: list[NeighbourAnswer]


class MappedConcept(ConceptAnswer):
    """A concept of the literature and what it is in the curated graph."""

    counterparts: list[str] = Field(description="ids")


class CuratedStep(BaseModel):
    """An edge of the path with the unmapped concepts left out."""

    from_: str = Field(alias="from")
    to: str
    curated: bool = Field(description="whether a curated edge joins the two")


class ScenarioAnswer(PairAnswer):
    """Which of the COAST paper's scenarios the pair is, with both paths."""

    reading: str
    scenario: str
    meaning: str
    path: Optional[list[MappedConcept]]  # noqa: UP007, UP045
    steps: list[CuratedStep]
    curated: Optional[list[ConceptAnswer]] = Field(  # noqa: UP007, UP045
        description="a shortest curated path between the nearest counterparts"
    )


class HealthAnswer(BaseModel):
    """The graph that is served."""

    status: str
    version: str = Field(description="of Atoll")
    graph: str
    concepts: int
    edges: int
    types: list[str]
    relations: list[str]
    weights: str
    curated: Optional[int] = Field(description="concepts that have a counterpart; null without a curated graph")  # noqa: UP007, UP045
    stale: bool = Field(description="whether the store had changed since the graph was built, when the server started")
    replaced: bool = Field(description="whether the graph was built anew since the server started: start it again")


class ProblemAnswer(BaseModel):
    """Problem details, RFC 9457; some have more members."""

    model_config = {"extra": "allow"}

    type: str
    title: str
    status: int
    detail: str = Field(description="what, with the value; why it is wrong; what to do")
    nearest: Optional[list[ConceptAnswer]] = Field(None, description="of 404: concepts with names like it")  # noqa: UP007, UP045
    candidates: Optional[list[ConceptAnswer]] = Field(None, description="of 409: some that have the name")  # noqa: UP007, UP045
    found: Optional[list[dict[str, Any]]] = Field(None, description="of 504: the paths found by then")  # noqa: UP007, UP045
