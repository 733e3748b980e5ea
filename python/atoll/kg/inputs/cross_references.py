# SPDX-License-Identifier: Apache-2.0
"""Tables of cross-references, many to many: which ids of the literature's vocabulary are which of the curated graph's.

Two tables with a vocabulary between them make indirect matches: `refresh_mappings` joins them.
"""

from __future__ import annotations

from pathlib import Path

from ...errors import UsageError
from ..store import Store
from .quarantine import EMPTY_ID, keep
from .sources import Import, begin, end, imports
from .tables import quoted
from .vocabularies import FORMATS, read_columns, read_vocabularies

__all__ = ["import_cross_references"]

OBSOLETE = "assignment of UniChem that is obsolete, kept out"
_OTHER = {"literature": "curated", "curated": "literature"}


@imports("cross-references")
def import_cross_references(
    store: Store,
    path: str,
    *,
    from_: str,
    to: str,
    method: str | None = None,
    format: str | None = None,
    from_prefix: str = "",
    to_prefix: str = "",
) -> Import:
    """Reads cross-references from ids of the literature, or of a vocabulary between, to ids of the curated graph, or of
    a vocabulary between; each match that comes of them has `method` in its name (the file's own name by default).

    `from_` and `to` are columns of a table, or vocabularies of a `format` of `FORMATS`. Prefixes go before ids that do
    not begin so: 672 is GENE:672 in a graph with `to_prefix` GENE:. A second time nothing changes; a file read with
    another method is another source.

    Raises InputError for a malformed file, UsageError for a column, vocabulary or format that there is not.

    >>> import pathlib, tempfile
    >>> from atoll.kg import Store, import_cross_references
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "map.csv").write_text("mesh,doid\\nD003139,0010459\\nD000086382,0080600\\n")
    >>> with Store.writing(folder / "kg") as store:
    ...     found = import_cross_references(
    ...         store, str(folder / "map.csv"), from_="mesh", to="doid", from_prefix="MESH:", to_prefix="DOID:"
    ...     )
    ...     store.sql("select method, literature, curated from cross_references").fetchall()
    [('map', 'MESH:D000086382', 'DOID:0080600'), ('map', 'MESH:D003139', 'DOID:0010459')]
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"format {format} of cross-references (known are {', '.join(FORMATS)}). Choose one of them.")
    method = method or Path(path).name.split(".")[0]
    if "+" in method or ":" in method:
        raise UsageError(f"method {method} contains + or : (which join the names of methods). Choose another name.")
    options = {"from": from_, "to": to, "format": format, "from_prefix": from_prefix, "to_prefix": to_prefix}
    source = begin(store, "", f"cross-references {method}", path, options)
    if isinstance(source, Import):
        return source
    if format is None:
        table = read_columns(store.connection, source.file, (from_, to))
        wrong = (
            f"select rec, '{EMPTY_ID}' as reason from {quoted(table.name)} where rec not in (select rec from "
            "vocabularies group by rec having count(distinct vocabulary) = 2)"
        )
        keep(store, source.number, table, wrong)
    else:
        table = read_vocabularies(store.connection, source.file, format)
        _check_vocabularies(store, path, (from_, to))
        if "ASSIGNMENT" in table.columns:
            wrong = (
                f"select rec, '{OBSOLETE}' as reason from {quoted(table.name)} where ASSIGNMENT is distinct from '1'"
            )
            keep(store, source.number, table, wrong)
    store.sql(
        "create or replace temp table matches as select f.rec, "
        "if(starts_with(f.id, $from_prefix), f.id, $from_prefix || f.id) as literature, "
        "if(starts_with(t.id, $to_prefix), t.id, $to_prefix || t.id) as curated "
        "from vocabularies f join vocabularies t using (rec) where f.vocabulary = $from and t.vocabulary = $to",
        {"from_prefix": from_prefix, "to_prefix": to_prefix, "from": from_, "to": to},
    )
    store.sql(
        "insert into cross_references select distinct ?::integer, ?, literature, curated from matches order by all",
        [source.number, method],
    )
    rows = store.value(f"select count(*) from {quoted(table.name)}")
    kept = store.value("select count(distinct rec) from matches")
    store.sql("drop table matches; drop table vocabularies")
    found = end(store, source, rows=rows, kept=kept)
    found.notes = _notes(store, source.number, method, from_, to)
    return found


def _check_vocabularies(store: Store, path: str, names: tuple[str, str]) -> None:
    there = [name for (name,) in store.sql("select distinct vocabulary from vocabularies order by all").fetchall()]
    for name in names:
        if name not in there:
            raise UsageError(f"{path} has no vocabulary {name} (it has {', '.join(there)[:300]}). Choose one of them.")


def _notes(store: Store, source: int, method: str, from_: str, to: str) -> list[str]:
    named = "exists (select 1 from concepts where graph = '{graph}' and id = {side})"
    counts = {}
    for side in ("literature", "curated"):
        here, there = named.format(graph=side, side=side), named.format(graph=_OTHER[side], side=side)
        counts[side] = store.sql(
            f"select count(*), count(*) filter ({here}), count(*) filter ({there}) "
            f"from (select distinct {side} from cross_references where source = ?)",
            [source],
        ).fetchone()
    (left, left_fit, left_other), (right, right_fit, right_other) = counts["literature"], counts["curated"]
    notes = [
        f"{left_fit} of {left} ids under {from_} are concepts of literature, {right_fit} of {right} under {to} of "
        "curated"
    ]
    if left_fit == right_fit == 0 and (left_other or right_other):
        notes.append(f"they fit the other way round: --from {to} --to {from_}")
    matches = store.sql(
        "select method, count(*) from mappings where list_contains(regexp_split_to_array(method, '[:+]'), ?) "
        "group by method order by method",
        [method],
    ).fetchall()
    return notes + [f"{count} matches by {name}" for name, count in matches]
