# SPDX-License-Identifier: Apache-2.0
"""Knowledge graphs: tables of nodes and edges, from the literature and curated, in one store of names and counts.

>>> import pathlib, tempfile
>>> from atoll import kg
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> _ = (folder / "nodes.csv").write_text("id,name\\nMESH:D1,flu\\nMESH:D2,zinc\\n")
>>> _ = (folder / "edges.csv").write_text("source,target,count\\nMESH:D1,MESH:D2,5\\n")
>>> with kg.Store.writing(folder / "kg") as store:
...     _ = kg.import_nodes(store, str(folder / "nodes.csv"), graph="literature")
...     kg.import_edges(store, str(folder / "edges.csv"), graph="literature").kept
1

`atoll kg import` is the same from the shell; docs/knowledge-graphs.md has both. It needs DuckDB: the extra `kg`.
The pipeline is that of the COAST paper, section VIII and appendix A.
"""

from __future__ import annotations

import importlib
from typing import Any

_MODULES = {
    "building": ["build"],
    "concept_lists": ["mapped_concepts"],
    "curated_side": ["CuratedSide"],
    "distances": ["BuiltGraph", "Concept"],
    "routes": ["ConceptPath", "FoundPaths", "Step", "find_paths"],
    "sample": ["sample_store", "write_sample"],
    "scenarios": ["PairScenarios", "classify", "co_occurring"],
    "weights": ["WeightedEdges", "weighted_edges"],
    "inputs.concepts": ["import_nodes"],
    "inputs.citations": ["import_citations"],
    "inputs.cross_references": ["import_cross_references"],
    "inputs.edges": ["import_edges"],
    "inputs.predications": ["import_predications"],
    "inputs.pubtator": ["import_pubtator"],
    "inputs.sources": ["Import"],
    "store": ["Store"],
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """Parts are loaded when they are asked for."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
