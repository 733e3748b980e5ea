# SPDX-License-Identifier: Apache-2.0
"""Predications, as SemMedDB has them: a subject, a predicate and an object that a sentence of an abstract states."""

from __future__ import annotations

from typing import Any

from ..store import Store
from .citations import abstract_id
from .edges import add_counted, add_edges, add_ends, count_occurrences
from .files import InputFile
from .quarantine import keep
from .sources import Import, Source, begin, end, imports
from .tables import Table, choose, first_fields, quoted, read_table, table_format

__all__ = ["import_predications"]

DUPLICATE = "duplicate predication, merged: counted once"

# Columns of SemMedDB's PREDICATION table. Its file has no line of names; M, N and O are of no use to anybody.
_SEMMEDDB = (
    "PREDICATION_ID", "SENTENCE_ID", "PMID", "PREDICATE", "SUBJECT_CUI", "SUBJECT_NAME", "SUBJECT_SEMTYPE",
    "SUBJECT_NOVELTY", "OBJECT_CUI", "OBJECT_NAME", "OBJECT_SEMTYPE", "OBJECT_NOVELTY", "M", "N", "O",
)  # fmt: skip
_GUESSES = {
    "predication": ("predication_id", "predication"),
    "abstract": ("pmid", "abstract"),
    "predicate": ("predicate", "relation"),
    "subject": ("subject_cui", "subject", "subject_id"),
    "subject_name": ("subject_name",),
    "subject_type": ("subject_semtype", "subject_type"),
    "object": ("object_cui", "object", "object_id"),
    "object_name": ("object_name",),
    "object_type": ("object_semtype", "object_type"),
}


@imports("predications")
def import_predications(store: Store, path: str, *, graph: str = "literature", strict: bool = False) -> Import:
    """Reads predications into `graph`: edges of the relation co-occurrence, of which the kind is the predicate and the
    count the number of predications; and where abstracts are named, mentions, counted by predications as well.

    Columns are those of SemMedDB's table PREDICATION, with or without a line of names, or subject, predicate, object
    and perhaps pmid, subject_name, subject_type, object_name, object_type. Of several ids joined by `|` the first
    counts. Two concepts thus co-occur as often as a predication has both: appendix E.a of the COAST paper.

    Raises InputError for a malformed file, UsageError for a column that it has not.

    >>> import pathlib, tempfile
    >>> from atoll.kg import Store, import_predications
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> text = "pmid,subject,predicate,object\\n7,C01,TREATS,C02\\n8,C02,COEXISTS_WITH,C01\\n"
    >>> _ = (folder / "p.csv").write_text(text)
    >>> with Store.writing(folder / "kg") as store:
    ...     found = import_predications(store, str(folder / "p.csv"))
    ...     store.sql("select kind, count from edges where relation = 'co-occurrence' order by kind").fetchall()
    [('COEXISTS_WITH', 1), ('TREATS', 1)]
    """
    source = begin(store, graph, "predications", path, {"strict": strict})
    if isinstance(source, Import):
        return source
    table = _read(store.connection, source.file)
    columns = {
        role: choose(table, role, None, guesses, required=role in ("subject", "object"))
        for role, guesses in _GUESSES.items()
    }
    cells = {role: f"nullif(trim({column}), '')" for role, column in columns.items()}
    for role in ("subject", "object"):
        for part in (role, f"{role}_name"):
            cells[part] = f"nullif(trim(string_split({columns[part]}, '|')[1]), '')"
    cells["abstract"] = abstract_id(columns["abstract"])
    fields = ", ".join(f"{cell} as {role}" for role, cell in cells.items())
    store.sql(
        "create or replace temp table predications as select *, predication is not null and row_number() over "
        f"(partition by predication order by rec) > 1 as again from (select rec, {fields} from {quoted(table.name)})"
    )
    kept = _add(store, source, table, strict)
    rows = store.value("select count(*) from predications")
    store.sql("drop table predications")
    return end(store, source, rows=rows, kept=kept)


def _read(connection: Any, file: InputFile) -> Table:
    """SemMedDB's file has 12 or 15 columns and begins with a number; any other has a line of names."""
    delimiter = {"csv": ",", "tsv": "\t"}.get(table_format(file.path))
    if delimiter is None:
        return read_table(connection, file, "given_predications")
    fields = first_fields(connection, file, delimiter)
    if not (fields[0].isdigit() and len(fields) in (12, len(_SEMMEDDB))):
        return read_table(connection, file, "given_predications")
    table = read_table(connection, file, "given_predications", header=_SEMMEDDB[: len(fields)])
    cells = ", ".join(f"nullif({name}, '\\N') as {name}" for name in table.columns)  # how MySQL writes NULL
    connection.execute(f"create or replace temp table {table.name} as select rec, {cells} from {table.name}")
    return table


def _add(store: Store, source: Source, table: Table, strict: bool) -> int:
    sides = " union all ".join(
        f"select rec, {role} as id, {role}_name as name, {role}_type as type, null::bigint as occurrences, abstract "
        "from predications where subject <> object"
        for role in ("subject", "object")
    )
    store.sql(f"create or replace temp table sides as {sides}")
    add_ends(store, source, table, "sides", {}, strict)
    store.sql(
        "create or replace temp table pairs as select rec, subject as s, object as t, coalesce(predicate, '') as kind, "
        "1 as count from predications where not again"
    )
    kept = add_edges(store, source, table, "pairs", "co-occurrence", repeats="")
    keep(store, source.number, table, f"select rec, '{DUPLICATE}' as reason from predications where again")
    store.sql(
        "create or replace temp table ends as select distinct on (abstract) rec, abstract as id, null::varchar as "
        "name, 'abstract' as type, null::bigint as occurrences from predications where abstract is not null "
        "order by rec"
    )
    add_ends(store, source, table, "ends", {}, False)
    store.sql(
        "create or replace temp table pairs as select rec, id as s, abstract as t, '' as kind, 1 as count from sides "
        "semi join (from predications where not again) using (rec) where abstract is not null"
    )
    add_counted(store, source, "pairs", "mention")
    count_occurrences(store, source.graph)
    store.sql("drop table sides; drop table ends; drop table pairs")
    return kept
