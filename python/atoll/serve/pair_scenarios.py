# SPDX-License-Identifier: Apache-2.0
"""The scenario of one pair, with both paths."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ..kg import classify
from ..kg.scenario_tables import MEANING, example
from ..kg.scenarios import SCENARIOS
from .loaded_graph import LoadedGraph
from .problems import Problem

__all__ = ["PairScenario"]


class PairScenario:
    """Answers one at a time: searches of the curated graph share its memory.

    >>> import tempfile
    >>> from atoll import kg
    >>> from atoll.serve.loaded_graph import LoadedGraph
    >>> from atoll.serve.pair_scenarios import PairScenario
    >>> folder = kg.sample_store(tempfile.mkdtemp())
    >>> _ = kg.build(folder)
    >>> graph = LoadedGraph(folder)
    >>> PairScenario(graph).of("Velotamine", "Marden syndrome", "edge")["meaning"]
    'all concepts mapped, some edges curated'
    """

    def __init__(self, graph: LoadedGraph) -> None:
        self._graph = graph
        self._turn = threading.Lock()

    def of(self, source: str, target: str, reading: str) -> dict[str, Any]:
        """The scenario of two concepts under a reading, as JSON has it.

        Raises
        ------
        Problem                 409: there is no curated graph, or an end has no counterpart there
        UnknownConcept
        """
        graph, curated = self._graph, self._graph.curated
        if curated is None or graph.curated_concepts is None:
            raise Problem(409, graph.no_curated)
        ends = graph.concept(source), graph.concept(target)
        for end in ends:
            if end.concept not in curated.concepts:
                raise Problem(409, f"{end} has no counterpart (a scenario needs mapped ends). Choose another.")
        if ends[0] == ends[1]:
            raise Problem(422, f"both ends are {ends[0]} (a scenario is that of two concepts). Choose another.")
        pair = np.sort([end.concept for end in ends])
        with self._turn:
            [table] = classify(graph, curated, pair, readings=(reading,), threads=1)
            names = graph.curated_concepts
            found = example(
                graph,
                curated,
                int(pair[0]),
                int(pair[1]),
                lambda numbers: [names.at(names.place_of(i)) for i in numbers],
            )
        graph.memory.trim()
        scenario = SCENARIOS[int(table.code[0])]
        answer = {"reading": reading, "scenario": scenario, "meaning": MEANING[scenario], **found}
        if ends[0].concept != pair[0]:  # the path of a pair is that from its lesser concept; it is shown from `source`
            answer["from"], answer["to"] = answer["to"], answer["from"]
            for way in ("path", "curated"):
                answer[way] = answer[way] and answer[way][::-1]
            steps = reversed(answer["steps"])
            answer["steps"] = [{"from": s["to"], "to": s["from"], "curated": s["curated"]} for s in steps]
        return answer
