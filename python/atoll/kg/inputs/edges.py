# SPDX-License-Identifier: Apache-2.0
"""Tables of edges: undirected pairs of concepts with a kind and a count; wrong rows go to quarantine."""

from __future__ import annotations

from collections.abc import Mapping

from ..answer import shortened
from ..database import sql_text
from ..store import Store
from .concepts import add_concepts
from .quarantine import (
    BAD_COUNT,
    DANGLING,
    DOUBTFUL_KEPT,
    DOUBTFUL_OUT,
    DUPLICATE_EDGE,
    EMPTY_ID,
    SELF_LOOP,
    doubtful,
    keep,
)
from .sources import Import, Source, begin, end, imports
from .tables import Table, choose, quoted, read_table

__all__ = ["RELATIONS", "add_counted", "add_edges", "add_ends", "count_occurrences", "count_of", "import_edges"]

RELATIONS = ("co-occurrence", "curated", "mention", "citation")

# Names that tables give these columns, the likeliest first.
_SOURCE = ("source", "src", "from", "subject", "start", "source_id", "head", "id1", "node1")
_TARGET = ("target", "dst", "to", "object", "end", "target_id", "tail", "id2", "node2")
_COUNT = ("count", "cooccurrences", "co_occurrences", "frequency", "n")
_WEIGHT = ("weight", "weights")  # taken as counts, where they are such
_KIND = ("kind", "type", "predicate", "relation", "metaedge", "edge_type")


@imports("a table of edges")
def import_edges(
    store: Store,
    path: str,
    *,
    graph: str,
    relation: str | None = None,
    source: str | None = None,
    target: str | None = None,
    count: str | None = None,
    kind: str | None = None,
    types: Mapping[str, str] | None = None,
    strict: bool = False,
    table: Table | None = None,
    digest: str | None = None,
) -> Import:
    """Reads a table of edges into `graph`, as edges of `relation` (curated for the graph of that name, else
    co-occurrence); a second time nothing changes, unless the file or an option did.

    Columns are found by their usual names where they are not given. Without a count a column `weight` of whole numbers
    is taken for it, which `notes` of the outcome say; without either each row counts once. Equal rows, either way
    round, add up. Where the graph has a table of nodes, both ends must be in it; else the edges make the
    concepts, with `types` as in `import_nodes`.

    Raises InputError for a malformed file, UsageError for a column that it has not.

    >>> import pathlib, tempfile
    >>> from atoll.kg import Store, import_edges
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "edges.csv").write_text("source,target,count\\nA:1,A:2,3\\nA:2,A:1,4\\nA:1,A:1,9\\n")
    >>> with Store.writing(folder / "kg") as store:
    ...     found = import_edges(store, str(folder / "edges.csv"), graph="literature")
    ...     store.sql("select a, b, relation, count from edges").fetchall()
    [(0, 1, 'co-occurrence', 7)]
    >>> [(reason, rows) for reason, rows, *_ in found.quarantine]
    [('duplicate edge, merged: counts add up', 1), ('self-loop, kept out', 1)]
    """
    relation = relation or ("curated" if graph == "curated" else "co-occurrence")
    given = {"source": source, "target": target, "count": count, "kind": kind}
    options = {**given, "relation": relation, "types": dict(types or {}), "strict": strict}
    origin = begin(store, graph, "edges", path, options, digest=digest)
    if isinstance(origin, Import):
        return origin
    table = table or read_table(store.connection, origin.file, "given_edges")
    guesses = {"source": _SOURCE, "target": _TARGET, "count": _COUNT, "kind": _KIND}
    columns = {
        role: choose(table, role, given[role], guesses[role], required=role in ("source", "target")) for role in guesses
    }
    notes = []
    if columns["count"] == "null":
        columns["count"], notes = _weight_as_count(store, table, relation)
    counts = "1" if columns["count"] == "null" else count_of(columns["count"])
    store.sql(
        f"create or replace temp table pairs as select rec, nullif(trim({columns['source']}), '') as s, "
        f"nullif(trim({columns['target']}), '') as t, coalesce(trim({columns['kind']}), '') as kind, {counts} as count "
        f"from {quoted(table.name)}"
    )
    named = "" if store.value("select count(*) from sources where graph = ? and role = 'nodes'", [graph]) else "pairs"
    if named:
        store.sql(
            "create or replace temp table ends as select rec, unnest([s, t]) as id, null::varchar as name, "
            "null::varchar as type, null::bigint as occurrences from pairs where s <> t and count is not null"
        )
        add_ends(store, origin, table, "ends", types or {}, strict)
    kept = add_edges(store, origin, table, "pairs", relation, dangling=DOUBTFUL_OUT if named else DANGLING)
    store.sql("drop table pairs; drop table if exists ends")
    return end(store, origin, rows=store.value(f"select count(*) from {quoted(table.name)}"), kept=kept, notes=notes)


def _weight_as_count(store: Store, table: Table, relation: str) -> tuple[str, list[str]]:
    """Returns the column of weights, where they may be counts, else `null`; and words for what was done with it."""
    column = choose(table, "weight", None, _WEIGHT)
    if column == "null":
        return column, []
    name = column.strip('"')
    number = f"try_cast({column} as double)"
    other = store.value(
        f"select min({column}) from {quoted(table.name)} where trim({column}) <> '' "
        f"and ({number} is null or {number} < 0 or {number} <> floor({number}))"
    )
    if other is not None:
        return "null", [
            f"column {name} is not used: it has {shortened(other)}, and counts are whole numbers; each row counts once"
        ]
    lengths = "; lengths of curated edges are 1 all the same" if relation == "curated" else ""
    return column, [f"column {name} is taken as the count of each row{lengths}"]


def count_of(column: str) -> str:
    """An expression of SQL: a cell as a positive whole number of at most 2**53, or NULL; 3.0 is 3.

    >>> from atoll.kg.inputs.edges import count_of
    >>> from atoll.kg.database import connect
    >>> connect().execute(f"select {count_of('n')} from (values ('3'), ('3.0'), ('0'), ('x')) t(n)").fetchall()
    [(3,), (3,), (None,), (None,)]
    """
    number = f"try_cast({column} as double)"
    return f"case when {number} between 1 and 9007199254740992 and {number} = floor({number}) then {number}::bigint end"


def add_ends(store: Store, source: Source, table: Table, ends: str, types: Mapping[str, str], strict: bool) -> None:
    """Concepts of the ids in `ends` (rec, id, name, type, occurrences); doubtful ones are reported, or left out."""
    unlike = doubtful(ends, ["id"]).replace("?id", "id")
    store.sql(f"create or replace temp table named as select *, {unlike} as unlike from {quoted(ends)} where id <> ''")
    if strict:
        store.sql("delete from named where unlike")
    else:
        keep(store, source.number, table, f"select distinct rec, '{DOUBTFUL_KEPT}' as reason from named where unlike")
    add_concepts(store, source, "named", types)
    store.sql("drop table named")


def add_edges(
    store: Store,
    source: Source,
    table: Table,
    pairs: str,
    relation: str,
    *,
    dangling: str = DOUBTFUL_OUT,
    repeats: str = DUPLICATE_EDGE,
) -> int:
    """Enters the rows (rec, s, t, kind, count) of `pairs`, whose ends are ids, and what is wrong with them; returns how
    many rows are in the store.

    Rows of an end that the graph does not name get the reason `dangling`, equal ones `repeats`, if that is not empty.
    """
    store.sql(
        "create or replace temp table known as select id, concept from concepts where graph = ? and source is not null "
        "and (not ? or source not in (select source from sources where role = 'edges'))",
        [source.graph, dangling == DANGLING],
    )
    store.sql(
        "create or replace temp table judged as select rec, least(a.concept, b.concept) as a, "
        "greatest(a.concept, b.concept) as b, kind, count, case when s is null or t is null then ? "
        "when count is null then ? when s = t then ? when a.concept is null or b.concept is null then ? end as reason "
        f"from {quoted(pairs)} left join known a on s = a.id left join known b on t = b.id",
        [EMPTY_ID, BAD_COUNT, SELF_LOOP, dangling],
    )
    wrong = "select rec, reason from judged where reason is not null"
    if repeats:
        wrong += (
            f" union all select rec, {sql_text(repeats)} from (select rec, row_number() over (partition by a, b, kind "
            "order by rec) as n from judged where reason is null) where n > 1"
        )
    keep(store, source.number, table, wrong)
    store.sql(
        "insert into edges select ?, a, b, ?, kind, sum(count)::bigint, ?::integer from judged where reason is null "
        "group by a, b, kind order by a, b, kind",
        [source.graph, relation, source.number],
    )
    kept = store.value("select count(*) from judged where reason is null")
    store.sql("drop table judged; drop table known")
    return kept


def count_occurrences(store: Store, graph: str) -> None:
    """Concepts that no table of nodes tells of occur as often as abstracts mention them."""
    store.sql(
        "update concepts as c set occurrences = m.count from (select concept, sum(count)::bigint as count from ("
        "select a as concept, count from edges where graph = $graph and relation = 'mention' union all "
        "select b, count from edges where graph = $graph and relation = 'mention') group by concept) m "
        "where c.graph = $graph and c.concept = m.concept and c.type <> 'abstract' "
        "and c.source in (select source from sources where role <> 'nodes')",
        {"graph": graph},
    )


def add_counted(store: Store, source: Source, pairs: str, relation: str) -> None:
    """Enters the rows (s, t, kind, count) of `pairs`, summed, whose ends the graph has: what was wrong with the others
    has been said of the records that they come from."""
    store.sql(
        "insert into edges select $graph, least(a.concept, b.concept) as low, greatest(a.concept, b.concept) as high, "
        f"$relation, kind, sum(count)::bigint, $source::integer from {quoted(pairs)} "
        "join concepts a on a.graph = $graph and s = a.id join concepts b on b.graph = $graph and t = b.id "
        "group by low, high, kind order by low, high, kind",
        {"graph": source.graph, "relation": relation, "source": source.number},
    )
