# SPDX-License-Identifier: Apache-2.0
"""Citations: pairs of abstracts, of which one cites the other (PubMed, CORD-19); edges of them have no direction."""

from __future__ import annotations

from ..store import Store
from .edges import add_edges, add_ends
from .sources import Import, begin, end, imports
from .tables import choose, quoted, read_table

__all__ = ["abstract_id", "import_citations"]

_CITING = ("citing", "citing_pmid", "citing_id", "source", "from", "pmid")
_CITED = ("cited", "cited_pmid", "cited_id", "referenced", "reference", "target", "to", "ref_pmid")


@imports("pairs of abstracts")
def import_citations(
    store: Store,
    path: str,
    *,
    graph: str = "literature",
    citing: str | None = None,
    cited: str | None = None,
) -> Import:
    """Reads pairs of abstracts into `graph`, as edges of the relation citation between concepts of the type abstract.

    A number is a PubMed id, 123 the concept PMID:123; other ids stay as they are. Equal pairs add up.

    Raises InputError for a malformed file, UsageError for a column that it has not.

    >>> import pathlib, tempfile
    >>> from atoll.kg import Store, import_citations
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "citations.csv").write_text("citing,cited\\n12,7\\n12,9\\n")
    >>> with Store.writing(folder / "kg") as store:
    ...     found = import_citations(store, str(folder / "citations.csv"))
    ...     store.sql("select id, type from concepts").fetchall()
    [('PMID:12', 'abstract'), ('PMID:7', 'abstract'), ('PMID:9', 'abstract')]
    """
    given = {"citing": citing, "cited": cited}
    source = begin(store, graph, "citations", path, given)
    if isinstance(source, Import):
        return source
    table = read_table(store.connection, source.file, "given_citations")
    ends = [
        abstract_id(choose(table, role, given[role], guesses, required=True))
        for role, guesses in (("citing", _CITING), ("cited", _CITED))
    ]
    store.sql(
        f"create or replace temp table pairs as select rec, {ends[0]} as s, {ends[1]} as t, '' as kind, 1 as count "
        f"from {quoted(table.name)}"
    )
    store.sql(
        "create or replace temp table ends as select rec, unnest([s, t]) as id, null::varchar as name, "
        "'abstract' as type, null::bigint as occurrences from pairs where s <> t"
    )
    add_ends(store, source, table, "ends", {}, False)
    kept = add_edges(store, source, table, "pairs", "citation")
    rows = store.value("select count(*) from pairs")
    store.sql("drop table pairs; drop table ends")
    return end(store, source, rows=rows, kept=kept)


def abstract_id(column: str) -> str:
    """An expression of SQL: the concept's id of an abstract, NULL of an empty cell.

    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.citations import abstract_id
    >>> connect().execute(f"select {abstract_id('id')} from (values ('12'), ('ug7v899j'), ('')) t(id)").fetchall()
    [('PMID:12',), ('ug7v899j',), (None,)]
    """
    id_ = f"nullif(trim({column}), '')"
    return f"if(regexp_full_match({id_}, '\\d+'), 'PMID:' || {id_}, {id_})"
