# SPDX-License-Identifier: Apache-2.0
"""The addresses of a server, over one loaded graph."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import time
from collections.abc import AsyncIterator, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Query
from starlette.responses import FileResponse, Response, StreamingResponse

from .. import __version__
from ..kg import Concept, find_paths
from ..kg.distances import as_json
from . import answers, bulk, document, problems
from .limits import Limits
from .loaded_graph import LoadedGraph, UnknownConcept
from .middleware import RequestGuard
from .pair_scenarios import PairScenario
from .problems import Problem
from .questions import (
    BulkQuestion,
    ConceptsQuestion,
    NeighboursQuestion,
    PairQuestion,
    PathsQuestion,
    ScenarioQuestion,
)
from .quick_answers import QuickAnswers
from .slow_queries import SlowQueries

__all__ = ["application"]

# Questions stay on this machine, whatever an environment configures for other programs.
_NO_TELEMETRY = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
_PAGES = Path(__file__).resolve().parent / "pages"
_PAGE_FILES = {
    "/": "index.html",
    "/page.css": "page.css",
    "/page.js": "page.js",
    "/drawing.js": "drawing.js",
    "/combobox.js": "combobox.js",
    "/icon.svg": "icon.svg",
}


def application(
    graph: LoadedGraph, *, limits: Limits | None = None, hosts: Collection[str] = (), token: str | None = None
) -> RequestGuard:
    """An ASGI application that answers questions about `graph`.

    Parameters
    ----------
    graph : LoadedGraph
    limits : Limits, optional
    hosts : collection of str   names that requests may have in their header Host
    token : str, optional       that questions must bring

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> from atoll.serve.loaded_graph import LoadedGraph
    >>> from atoll.serve.application import application
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> graph = LoadedGraph(folder)
    >>> application(graph, hosts={"localhost"})  # doctest: +ELLIPSIS
    <atoll.serve.middleware.RequestGuard object at ...>
    """
    limits = limits or Limits()
    app = FastAPI(
        title="Atoll: paths of a knowledge graph",
        version=__version__,
        docs_url=None,  # FastAPI's pages for readers load their scripts from another host
        redoc_url=None,
        telemetry=_NO_TELEMETRY,
    )
    slow = SlowQueries(limits)
    _add_questions(app, graph, slow)
    _add_paths(app, graph, slow, limits)
    _add_bulk(app, graph, slow, limits)
    _add_pages(app)
    problems.add_handlers(app)
    document.complete(app, has_token=token is not None)
    quick = QuickAnswers(app, {"/distance": partial(_distance, graph), "/path": partial(_path, graph)})
    return RequestGuard(quick, hosts=hosts, token=token, limits=limits, open_paths=_PAGE_FILES)


def _answer(content: Any) -> Response:
    return Response(json.dumps(content).encode(), media_type="application/json")


def _add_questions(app: FastAPI, graph: LoadedGraph, slow: SlowQueries) -> None:
    named = graph.named

    @app.get("/health", response_model=answers.HealthAnswer, summary="what is served")
    async def health() -> Response:
        about = graph.description
        return _answer(
            {
                "status": "ok",
                "version": __version__,
                "graph": graph.graph,
                "concepts": about["vertices"],
                "edges": about["edges"],
                "types": [kind for kind in named.types if kind],
                "relations": about["relations"],
                "weights": about["weights"],
                "curated": None if graph.curated is None else len(graph.curated.concepts),
                "stale": graph.is_stale,
                "replaced": graph.is_replaced(),
            }
        )

    @app.get("/concepts", response_model=answers.ConceptList, summary="search for concepts by name")
    async def concepts(ask: Annotated[ConceptsQuestion, Query()]) -> Response:
        def search() -> dict[str, Any]:
            places = graph.search(ask.q, ask.type)
            page = places[ask.offset : ask.offset + ask.limit].tolist()
            found = [{**as_json(named.at(place)), "degree": int(named.weights[place])} for place in page]
            near = [] if len(places) or not ask.q.strip() else [as_json(concept) for concept in graph.nearest(ask.q)]
            return {**_page("/concepts", ask, len(places)), "concepts": found, "nearest": near}

        return _answer(await slow.run(search))

    @app.get("/neighbours", response_model=answers.NeighbourList, summary="concepts that an edge joins to one")
    async def neighbours(ask: Annotated[NeighboursQuestion, Query()]) -> Response:
        def search() -> dict[str, Any]:
            of = graph.concept(ask.of)
            total, found = graph.neighbours(of, ask.type, ask.offset, ask.limit)
            return {**_page("/neighbours", ask, total), "of": as_json(of), "neighbours": found}

        return _answer(await slow.run(search))


def _page(address: str, ask: Any, total: int) -> dict[str, Any]:
    """The members that all pages have."""
    end = ask.offset + ask.limit
    following = None
    if end < total:
        following = f"{address}?{urlencode({**ask.model_dump(exclude_none=True), 'offset': end})}"
    return {"total": total, "offset": ask.offset, "limit": ask.limit, "next": following}


def _add_paths(app: FastAPI, graph: LoadedGraph, slow: SlowQueries, limits: Limits) -> None:
    scenarios = PairScenario(graph)

    @app.get("/distance", response_model=answers.DistanceAnswer, summary="length of a shortest path")
    async def distance(ask: Annotated[PairQuestion, Query()]) -> Response:
        return Response(_distance(graph, ask), media_type="application/json")

    @app.get("/path", response_model=answers.PathAnswer, summary="the shortest path, with weights and sources")
    async def path(ask: Annotated[PairQuestion, Query()]) -> Response:
        return Response(_path(graph, ask), media_type="application/json")

    @app.get("/paths", response_model=answers.PathsAnswer, summary="the k shortest paths under constraints")
    async def paths(ask: Annotated[PathsQuestion, Query()]) -> Response:
        def search() -> dict[str, Any]:
            try:
                return find_paths(
                    graph,
                    ask.source,
                    ask.target,
                    k=ask.k,
                    passes=ask.passes,
                    avoids=ask.avoid,
                    max_hops=ask.max_hops,
                    limit=min(ask.limit, limits.query_seconds),
                ).to_json()
            finally:
                graph.memory.trim()

        return _answer(await slow.run(search))

    @app.get("/scenario", response_model=answers.ScenarioAnswer, summary="the path held against the curated graph")
    async def scenario(ask: Annotated[ScenarioQuestion, Query()]) -> Response:
        return _answer(await slow.run(partial(scenarios.of, ask.source, ask.target, ask.reading)))


def _distance(graph: LoadedGraph, ask: PairQuestion) -> bytes:
    ends = graph.concept(ask.source), graph.concept(ask.target)
    for end in ends:
        graph.row_of(end.concept)
    units = graph.distances.distance(ends[0].concept, ends[1].concept)
    found = None if units == float("inf") else graph.length(units)
    return json.dumps({"from": as_json(ends[0]), "to": as_json(ends[1]), "distance": found}).encode()


def _path(graph: LoadedGraph, ask: PairQuestion) -> bytes:
    found = find_paths(graph, ask.source, ask.target)
    graph.memory.trim_at_times()
    only = found.paths[0].to_json() if found.paths else None
    return json.dumps({"from": as_json(found.source), "to": as_json(found.target), "path": only}).encode()


def _add_bulk(app: FastAPI, graph: LoadedGraph, slow: SlowQueries, limits: Limits) -> None:
    @app.post(
        "/bulk", response_class=StreamingResponse, responses=document.BULK, summary="distances or paths of many pairs"
    )
    async def many(ask: BulkQuestion) -> Response:
        if len(ask.pairs) > limits.pairs:
            raise Problem(
                413, f"{len(ask.pairs):,} pairs are asked for (the limit is {limits.pairs:,}). Ask in several parts."
            )
        if ask.form == "arrow" and importlib.util.find_spec("pyarrow") is None:
            raise Problem(
                501,
                "form is 'arrow' (the server has no pyarrow). Ask for csv, or have it installed: pip install pyarrow.",
            )
        pairs = await slow.run(lambda: _named_pairs(graph, ask.pairs))
        deadline = time.monotonic() + limits.bulk_seconds

        async def stream() -> AsyncIterator[bytes]:
            for part in bulk.parts(graph, pairs, ask.what, ask.form):
                if time.monotonic() > deadline:
                    raise asyncio.TimeoutError(f"a bulk answer was not read within {limits.bulk_seconds:g} s")
                yield await slow.run_part(part)

        return StreamingResponse(stream(), media_type=bulk.MEDIA_TYPES[ask.form])


def _named_pairs(graph: LoadedGraph, pairs: Sequence[tuple[str, str]]) -> list[tuple[Concept, Concept]]:
    known: dict[str, Concept] = {}
    for place, pair in enumerate(pairs):
        for name in pair:
            if name not in known:
                try:
                    known[name] = graph.concept(name)
                except UnknownConcept as e:
                    raise UnknownConcept(f"pairs[{place}]: {e}", e.nearest) from None
                graph.row_of(known[name].concept)
    return [(known[a], known[b]) for a, b in pairs]


def _add_pages(app: FastAPI) -> None:
    for address, name in _PAGE_FILES.items():
        app.get(address, include_in_schema=False)(partial(_file, name))


async def _file(name: str) -> Response:
    return FileResponse(_PAGES / name)
