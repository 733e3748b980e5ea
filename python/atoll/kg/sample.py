# SPDX-License-Identifier: Apache-2.0
"""A made-up literature with a curated graph beside it, as tables: to try everything out, and for examples and tests.

Abstracts are drawn one by one: each has a topic, and two to five of its concepts, the well-known ones more often; some
name a concept of the next topic too. How often two concepts share an abstract is the count of their edge. The curated
graph knows some of these edges, pathways of genes, and edges that no abstract has. All names are invented.

In every sample the drug Velotamine and the disease Marden syndrome share no abstract, but both occur with the gene TRK7
(Swanson's pattern of an undiscovered connection [1]_). The curated graph knows the drug's half of it. The last topic
shares no abstract with the others.

.. [1] D. Swanson. "Fish oil, Raynaud's syndrome, and undiscovered public knowledge." Perspectives in Biology and
   Medicine 30(1), 1986.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from .. import _core
from ..collective_arguments import checked
from ..errors import IoError, UsageError
from .inputs.concepts import import_nodes
from .inputs.cross_references import import_cross_references
from .inputs.edges import import_edges
from .store import Store

__all__ = ["sample_store", "write_sample"]

_FEWEST, _MOST = 20, 50_000
_TOPIC = 20  # concepts
_ABSTRACTS = 8  # for each concept
_BRIDGE = 0.15  # share of abstracts that name a concept of the next topic
_MAPPED, _CURATED = 0.85, 0.3  # shares of concepts with a counterpart, and of edges between such that are curated
_PLANTED = 30  # abstracts with each half of the connection that waits to be found
_SYLLABLES = [c + v for c in "bdfgklmnprst" for v in "aeio"]
_LETTERS = "ABCDEFGHKLMNPRST"
_ENDINGS = {"disease": (" syndrome", " disease", " fever", " palsy"), "drug": ("mine", "lol", "statin", "nib")}


@dataclass
class _Concept:
    id: str
    name: str
    type: str
    topic: int
    curated: str | None
    """Its id in the curated graph."""
    occurrences: int = 0


@checked
def write_sample(folder: str | os.PathLike[str], *, concepts: int = 300, seed: int = 1) -> dict[str, Path]:
    """Writes five tables into a folder, which is made: nodes and edges of both graphs, cross-references of diseases.

    Some rows are wrong on purpose, as in real tables: a doubtful id, an id that comes twice, a self-loop, an edge to an
    unknown id, a count that is none, an edge that comes again the other way round.

    Parameters
    ----------
    folder : path
    concepts : int              of the literature, 20 to 50,000
    seed : int                  the same number gives the same tables

    Returns
    -------
    dict                        files of literature_nodes, literature_edges, curated_nodes, curated_edges, mesh_to_doid

    Raises
    ------
    UsageError                  too few or too many concepts
    IoError                     one of the files is there already, or cannot be written

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> tables = kg.write_sample(tempfile.mkdtemp(), concepts=20)
    >>> print(*tables["literature_nodes"].read_text().splitlines()[:2], sep="\\n")
    id,name,type,synonyms,occurrences,mapped
    MESH:D900000,Marden syndrome,disease,MS1|Marden's disease,87,
    """
    if not _FEWEST <= concepts <= _MOST:
        raise UsageError(f"concepts is {concepts} (a sample has {_FEWEST:,} to {_MOST:,}). Give such a number.")
    rand = Random(seed)
    named = _concepts(rand, concepts)
    counts = _co_occurrences(rand, named)
    pathways, curated = _curated(rand, named, counts)
    kinds = {"disease": "D", "gene": "G", "drug": "C"}
    tables: dict[str, list[Sequence[object]]] = {
        "literature_nodes": [
            ("id", "name", "type", "synonyms", "occurrences", "mapped"),
            *((c.id, c.name, c.type, _synonyms(c), c.occurrences, _mapped(c)) for c in named),
            (named[3].id, f"{named[3].name} (again)", named[3].type, "", "", ""),
            ("-0.001423981", "", "gene", "", "", ""),
        ],
        "literature_edges": [
            ("source", "target", "count", "kind"),
            *((named[a].id, named[b].id, n, kinds[named[a].type] + kinds[named[b].type]) for (a, b), n in counts),
            (named[4].id, named[4].id, 2, kinds[named[4].type] * 2),
            (named[5].id, "GENE:0", 3, "DG"),
            (named[0].id, named[2].id, "many", "DC"),
            (named[1].id, named[0].id, 1, "DG"),
        ],
        "curated_nodes": [
            ("id", "name", "type"),
            *((c.curated, c.name, c.type) for c in named if c.curated is not None),
            *pathways,
        ],
        "curated_edges": [("source", "target"), *curated],
        "mesh_to_doid": [
            ("mesh", "doid"),
            *((c.id[5:], c.curated[5:]) for c in named if c.type == "disease" and c.curated is not None),
        ],
    }
    return _write(Path(folder), tables)


@checked
def sample_store(folder: str | os.PathLike[str], *, concepts: int = 60, seed: int = 1) -> str:
    """The tables of `write_sample` in a folder, and what they say in its store: ready for `build`.

    Returns
    -------
    str                         the folder

    Examples
    --------
    >>> import tempfile
    >>> from atoll import kg
    >>> with kg.Store(kg.sample_store(tempfile.mkdtemp())) as store:
    ...     store.sql("select graph, count(*) from concepts group by graph order by graph").fetchall()
    [('curated', 58), ('literature', 61)]
    """
    tables = {name: str(file) for name, file in write_sample(folder, concepts=concepts, seed=seed).items()}
    with Store.writing(folder) as store:
        for graph in ("literature", "curated"):
            import_nodes(store, tables[f"{graph}_nodes"], graph=graph)
            import_edges(store, tables[f"{graph}_edges"], graph=graph)
        import_cross_references(
            store, tables["mesh_to_doid"], from_="mesh", to="doid", from_prefix="MESH:", to_prefix="DOID:"
        )
    return str(folder)


def _concepts(rand: Random, n: int) -> list[_Concept]:
    """Numbers 0, 1 and 2 are the planted disease, gene and drug; of others topic and type follow from the number."""
    topics = max(n // _TOPIC, 2)
    found = []
    for i in range(n):
        kind = ("disease", "gene", "drug")[i % 3]
        topic = (0, 0, min(1, topics - 2))[i] if i < 3 else i // 3 % topics
        number = 900_000 + i
        id, curated = {
            "disease": (f"MESH:D{number}", f"DOID:{number}"),
            "gene": (f"GENE:{number}", f"GENE:{number}"),
            "drug": (f"MESH:C{number}", f"DB{number}"),
        }[kind]
        is_mapped = rand.random() < _MAPPED or i < 3
        if not is_mapped and kind == "gene":
            id = f"MESH:G{number}"  # equal ids are a mapping by themselves
        name = ("Marden syndrome", "TRK7", "Velotamine")[i] if i < 3 else _name(kind, i)
        found.append(_Concept(id, name, kind, topic, curated if is_mapped else None))
    return found


def _name(kind: str, i: int) -> str:
    """Different for each number: its digits are scattered, then written in syllables or letters."""
    if kind == "gene":
        code = i * 7_919 % (len(_LETTERS) ** 4)
        letters = [_LETTERS[code // len(_LETTERS) ** place % len(_LETTERS)] for place in range(4)]
        return "".join(letters[:3]) + str(1 + _LETTERS.index(letters[3]))
    base = len(_SYLLABLES)
    code = i * 7_919 % base**3
    stem = "".join(_SYLLABLES[code // base**place % base] for place in range(3)).capitalize()
    return stem + _ENDINGS[kind][i // 3 % 4]


def _synonyms(concept: _Concept) -> str:
    return "MS1|Marden's disease" if concept.name == "Marden syndrome" else ""


def _mapped(concept: _Concept) -> str:
    """Returns a drug's curated id; diseases have a table of cross-references, genes the same id in both graphs."""
    return concept.curated or "" if concept.type == "drug" else ""


def _co_occurrences(rand: Random, concepts: list[_Concept]) -> list[tuple[tuple[int, int], int]]:
    """((a, b), abstracts that name both), a < b, ascending; counts what each concept occurs in."""
    by_topic: dict[int, list[int]] = {}
    for i, concept in enumerate(concepts):
        by_topic.setdefault(concept.topic, []).append(i)
    topics = len(by_topic)
    counts: Counter[tuple[int, int]] = Counter()

    def publish(members: Iterable[int]) -> None:
        named = sorted(set(members))
        if 0 in named and 2 in named:
            named.remove(2)
        for place, a in enumerate(named):
            concepts[a].occurrences += 1
            counts.update((a, b) for b in named[place + 1 :])

    def draw(topic: int) -> int:
        members = by_topic[topic]
        return members[int(len(members) * rand.random() ** 2)]  # the first ones are well known

    for _ in range(_ABSTRACTS * len(concepts)):
        topic = int(topics * rand.random())
        members = [draw(topic) for _ in range(2 + int(4 * rand.random()))]
        if topic < topics - 1 and rand.random() < _BRIDGE:
            members.append(draw((topic + 1) % (topics - 1)))
        publish(members)
    for _ in range(_PLANTED):
        publish([0, 1])
        publish([1, 2])
    return sorted(counts.items())


def _curated(
    rand: Random, concepts: list[_Concept], counts: list[tuple[tuple[int, int], int]]
) -> tuple[list[tuple[str, str, str]], list[tuple[str, str]]]:
    """(pathways as nodes, edges) of the curated graph."""
    edges: set[tuple[str, str]] = set()

    def join(a: str | None, b: str | None) -> None:
        if a is not None and b is not None and a != b:
            edges.add((min(a, b), max(a, b)))

    for (a, b), _ in counts:
        if (a, b) != (0, 1) and ((a, b) == (1, 2) or rand.random() < _CURATED):
            join(concepts[a].curated, concepts[b].curated)
    genes = [concept for concept in concepts if concept.type == "gene"]
    pathways = []
    for number in range(max(len(concepts) // 12, 2)):
        id = f"PATHWAY:{number}"
        pathways.append((id, f"pathway {number}", "pathway"))
        for _ in range(5):
            join(id, genes[int(len(genes) * rand.random())].curated)
    for _ in range(len(concepts) // 4):  # what no abstract says
        join(*(concepts[int(len(concepts) * rand.random())].curated for _ in range(2)))
    edges.discard(("DB900002", "DOID:900000"))
    edges.discard(("DOID:900000", "GENE:900001"))
    return pathways, sorted(edges)


def _write(folder: Path, tables: dict[str, list[Sequence[object]]]) -> dict[str, Path]:
    files = {name: folder / f"{name}.csv" for name in tables}
    for file in files.values():
        if file.exists():
            raise IoError(f"{file} is there already (a sample replaces nothing). Choose another folder, or remove it.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise IoError(f"{folder}: cannot be made ({e.strerror or e}). Choose another folder.") from None
    for name, rows in tables.items():
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        _core.write_file(str(files[name]), text.getvalue())
    return files
