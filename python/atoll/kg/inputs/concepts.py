# SPDX-License-Identifier: Apache-2.0
"""Tables of nodes: a concept for each id, with type, name, synonyms and references to the other graph's ids."""

from __future__ import annotations

from collections.abc import Mapping

from ..database import sql_text
from ..store import Store
from .quarantine import DOUBTFUL_KEPT, DOUBTFUL_OUT, DUPLICATE_ID, EMPTY_ID, doubtful, keep
from .sources import Import, Source, begin, end, imports
from .tables import Table, choose, quoted, read_table

__all__ = ["add_concepts", "import_nodes", "type_of_id"]

# Names that tables give these columns, the likeliest first.
_ID = ("id", "concept", "concept_id", "identifier", "cui", "node", "node_id", "curie")
_NAME = ("name", "label", "preferred_name", "preferred_label", "title")
_TYPE = ("type", "category", "label_type", "node_type", "kind", "semtype")
_SYNONYMS = ("synonyms", "synonym", "aliases")
_OCCURRENCES = ("occurrences", "occurrence")
_FIRM = ["nodes", "pubtator", "predications", "citations"]  # roles that name a concept; edges only need it
_MAPPED = ("mapped", "xrefs", "cross_references", "dbxrefs")


@imports("a table of nodes")
def import_nodes(
    store: Store,
    path: str,
    *,
    graph: str,
    id: str | None = None,
    name: str | None = None,
    type: str | None = None,
    synonyms: str | None = None,
    occurrences: str | None = None,
    mapped: str | None = None,
    types: Mapping[str, str] | None = None,
    strict: bool = False,
    table: Table | None = None,
    digest: str | None = None,
) -> Import:
    """Reads a table of nodes into `graph`; a second time nothing changes, unless the file or an option did.

    Columns are found by their usual names where they are not given. Without a column of types the prefix of an id is
    its type (`type_of_id`), and `types` renames types: {"DOID": "Disease"}. `synonyms` and `mapped` (ids of the other
    graph) have several values joined by `|`. Doubtful ids are reported and, if `strict`, kept out.

    Raises InputError for a malformed file, UsageError for a column that it has not.

    >>> import pathlib, tempfile
    >>> from atoll.kg import Store, import_nodes
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "nodes.csv").write_text("id,name\\nDOID:1,flu\\nDOID:2,cold\\n")
    >>> with Store.writing(folder / "kg") as store:
    ...     found = import_nodes(store, str(folder / "nodes.csv"), graph="curated", types={"DOID": "Disease"})
    ...     store.sql("select concept, id, type, name from concepts").fetchall()
    [(0, 'DOID:1', 'Disease', 'flu'), (1, 'DOID:2', 'Disease', 'cold')]
    """
    given = {
        "id": id, "name": name, "type": type, "synonyms": synonyms, "occurrences": occurrences, "mapped": mapped
    }  # fmt: skip
    options = {**given, "types": dict(types or {}), "strict": strict}
    source = begin(store, graph, "nodes", path, options, digest=digest, dependents=("nodes", "edges"))
    if isinstance(source, Import):
        return source
    table = table or read_table(store.connection, source.file, "given_nodes")
    guesses = {
        "id": _ID, "name": _NAME, "type": _TYPE, "synonyms": _SYNONYMS, "occurrences": _OCCURRENCES, "mapped": _MAPPED
    }  # fmt: skip
    columns = {role: choose(table, role, given[role], guesses[role], required=role == "id") for role in guesses}
    fields = ", ".join(f"trim({column}) as {role}" for role, column in columns.items())
    store.sql(f"create or replace temp table nodes as select rec, {fields} from {quoted(table.name)}")
    store.sql("update nodes set id = nullif(id, '')")
    unlike = doubtful("nodes", ["id"]).replace("?id", "id")
    store.sql(
        "create or replace temp table judged as select *, case when id is null then ? "
        f"when {unlike} and ? then ? when row_number() over (partition by id order by rec) > 1 then ? "
        f"when {unlike} then ? end as reason from nodes",
        [EMPTY_ID, strict, DOUBTFUL_OUT, DUPLICATE_ID, DOUBTFUL_KEPT],
    )
    keep(store, source.number, table, "select rec, reason from judged where reason is not null")
    store.sql(
        "create or replace temp table named as select rec, id, name, type, try_cast(occurrences as bigint) as "
        "occurrences, synonyms, mapped from judged where reason is null or not ends_with(reason, 'kept out')"
    )
    add_concepts(store, source, "named", types or {})
    _add_synonyms(store, source)
    _add_references(store, source, columns["mapped"] != "null")
    notes = _notes(store, source.graph)
    kept = store.value("select count(*) from named")
    store.sql("drop table nodes; drop table judged; drop table named")
    rows = store.value(f"select count(*) from {quoted(table.name)}")
    return end(store, source, rows=rows, kept=kept, notes=notes)


def type_of_id(id: str) -> str:
    """An expression of SQL: the type that the prefix of `id` tells: GENE of GENE_7113, DOID of DOID:1, DB of DB00001.

    A name tells none, whatever its first word is: `breast cancer` and `BRCA1` are untyped.

    >>> from atoll.kg.inputs.concepts import type_of_id
    >>> from atoll.kg.database import connect
    >>> connect().execute("select " + type_of_id("'MESH_D003'")).fetchone()
    ('MESH',)
    """
    before = f"regexp_extract({id}, '^([A-Za-z][A-Za-z0-9.]*)(:[^ ]|_[A-Za-z]*[0-9])', 1)"
    accession = f"regexp_extract({id}, '^([A-Za-z]+)[0-9]{{4,}}$', 1)"
    return f"coalesce(nullif({before}, ''), nullif({accession}, ''), 'untyped')"


def add_concepts(store: Store, source: Source, table: str, types: Mapping[str, str]) -> None:
    """Numbers the ids of `table` (rec, id, name, type, occurrences) that the graph has not, in the order of (rec, id).

    What the graph has keeps its number. A table of nodes tells type and name; others fill in what is missing.
    """
    rename = " ".join(f"when {sql_text(old)} then {sql_text(new)}" for old, new in types.items())
    prefix = type_of_id("id")
    type_ = f"coalesce(type, {prefix})"
    type_ = f"case {type_} {rename} else {type_} end" if rename else type_
    store.sql(
        "create or replace temp table arrived as select id, min(rec) as rec, "
        f"arg_min({type_}, rec) as type, bool_or(type is not null) as typed, "
        "arg_min(name, rec) filter (name is not null) as name, "
        f"sum(occurrences)::bigint as occurrences from {quoted(table)} group by id"
    )
    firm = ["nodes"] if source.role == "nodes" else _FIRM
    store.sql(
        "update concepts as c set source = if(a.weak, $source, c.source), "
        "name = if(a.weak, coalesce(a.name, c.name), coalesce(c.name, a.name)), "
        "type = if(a.weak and (a.typed or $role = 'nodes'), a.type, c.type), "
        "occurrences = if(a.weak, coalesce(a.occurrences, c.occurrences), c.occurrences) "
        "from (select a.*, c.concept, c.source is null or c.source not in (select source from sources where "
        "list_contains($firm, role)) as weak from arrived a join concepts c on c.graph = $graph and c.id = a.id) a "
        "where c.graph = $graph and c.concept = a.concept",
        {"source": source.number, "role": source.role, "firm": firm, "graph": source.graph},
    )
    store.sql(
        "insert into concepts select $graph, (row_number() over (order by rec, id) - 1 + (select "
        "coalesce(max(concept) + 1, 0) from concepts where graph = $graph))::integer, id, type, name, occurrences, "
        "$source from arrived where id not in (select id from concepts where graph = $graph) order by rec, id",
        {"graph": source.graph, "source": source.number},
    )
    store.sql("drop table arrived")


def _add_synonyms(store: Store, source: Source) -> None:
    """Adds the column's synonyms, and names in later rows or other tables that differ from the concept's own."""
    store.sql(
        "insert into synonyms select distinct c.graph, c.concept, s.name, $source::integer from ("
        "select id, unnest(list_concat([name], string_split(synonyms, '|'))) as name from named) s "
        "join concepts c on c.graph = $graph and c.id = s.id "
        "where trim(s.name) <> '' and s.name is distinct from c.name order by concept, s.name",
        {"source": source.number, "graph": source.graph},
    )


def _add_references(store: Store, source: Source, mapped: bool) -> None:
    """A column of the curated graph's nodes names ids of the literature; one of any other graph names curated ids."""
    if not mapped:
        return
    ends = "other, id" if source.graph == "curated" else "id, other"
    store.sql(
        f"insert into cross_references select distinct ?::integer, 'column mapped', {ends} from "
        "(select id, trim(unnest(string_split(mapped, '|'))) as other from named where mapped is not null) "
        "where other <> '' order by all",
        [source.number],
    )


def _notes(store: Store, graph: str) -> list[str]:
    notes = []
    unnamed = store.value("select count(*) from concepts where graph = ? and source is null", [graph])
    if unnamed:
        notes.append(f"{unnamed} concepts that no table of nodes names any more keep their numbers and edges")
    stale = store.sql(
        "select path from sources where graph = ? and role in ('nodes', 'edges') and digest = '' order by source",
        [graph],
    ).fetchall()
    notes += [f"{path} was held against the nodes of before: import it again" for (path,) in stale]
    return notes
