# SPDX-License-Identifier: Apache-2.0
"""PubTator annotations: which concepts an abstract mentions, and thus which co-occur in it.

123|t|Zinc in common cold
123|a|We gave zinc to ...
123 <tab> 0 <tab> 4 <tab> Zinc <tab> Chemical <tab> MESH:D015032
"""

from __future__ import annotations

from ...errors import InputError
from ..store import Store
from .citations import abstract_id
from .edges import add_counted, add_ends, count_occurrences
from .files import InputFile
from .quarantine import keep
from .sources import Import, Source, begin, end, imports
from .tables import Table, read_lines

__all__ = ["import_pubtator"]

NO_CONCEPT = "annotation without an id, kept out"
RELATION = "line of a relation, kept out: concepts that co-occur in an abstract are counted"
DUPLICATE_TITLE = "abstract that comes a second time, merged: the first title counts"

# Several concepts in one mention, such as "breast and ovarian cancer", are joined by one of these. Ids of mutations
# (p|SUB|V|600|E) contain them, and are one.
_JOINS = "[|;,]"
_WHOLE = "('mutation', 'dnamutation', 'proteinmutation', 'snp', 'variant', 'dnaacidchange', 'proteinacidchange')"


@imports("annotations")
def import_pubtator(store: Store, path: str, *, graph: str = "literature", strict: bool = False) -> Import:
    """Reads annotations into `graph`: concepts with the types of PubTator, abstracts as concepts of the type abstract,
    named by their titles; edges of the relations mention (count: how often) and co-occurrence (in how many abstracts).

    An id without a prefix gets MESH: if it is one of MeSH, else its type's name, so that gene 9606 is not species 9606:
    GENE:9606, SPECIES:9606. Concepts are named by their first mention; others are synonyms. Texts are not kept.

    Raises InputError with the line that is none of the three forms.

    >>> import pathlib, tempfile
    >>> from atoll.kg import Store, import_pubtator
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> annotations = "7\\t0\\t4\\tZinc\\tChemical\\tD015032\\n7\\t8\\t12\\tcold\\tDisease\\tMESH:D003139\\n"
    >>> _ = (folder / "a.pubtator").write_text("7|t|Zinc in cold\\n" + annotations)
    >>> with Store.writing(folder / "kg") as store:
    ...     found = import_pubtator(store, str(folder / "a.pubtator"))
    ...     store.sql("select id, type, name from concepts order by concept").fetchall()
    [('PMID:7', 'abstract', 'Zinc in cold'), ('MESH:D015032', 'Chemical', 'Zinc'), ('MESH:D003139', 'Disease', 'cold')]
    """
    source = begin(store, graph, "pubtator", path, {"strict": strict})
    if isinstance(source, Import):
        return source
    table = _read(store, source.file)
    _find_mentions(store)
    keep(
        store,
        source.number,
        table,
        f"select rec, '{NO_CONCEPT}' as reason from annotations where id is null union all "
        f"select rec, '{RELATION}' from given_annotations where form = 'relation' union all "
        f"select rec, '{DUPLICATE_TITLE}' from (select rec, row_number() over (partition by pmid order by rec) as n "
        "from given_annotations where form = 't') where n > 1",
    )
    store.sql(
        "create or replace temp table ends as select rec, pmid as id, title as name, 'abstract' as type, "
        "null::bigint as occurrences from (select pmid, min(rec) as rec, first(title order by rec) filter "
        "(title is not null) as title from given_annotations group by pmid)"
    )
    add_ends(store, source, table, "ends", {}, False)
    store.sql(
        "create or replace temp table ends as select rec, id, mention as name, type, null::bigint as occurrences "
        "from mentions"
    )
    add_ends(store, source, table, "ends", {}, strict)
    _add_relations(store, source)
    rows = store.value("select count(*) from annotations")
    kept = store.value("select count(distinct rec) from mentions join concepts using (id) where graph = ?", [graph])
    store.sql("drop table ends; drop table mentions; drop table annotations; drop table given_annotations")
    return end(store, source, rows=rows, kept=kept)


def _read(store: Store, file: InputFile) -> Table:
    """The lines of the file by their forms: t, a, annotation, relation."""
    read_lines(store.connection, file, "annotation_lines")
    first = "regexp_extract(line, '^[^|\\t]+')"
    store.sql(
        "create or replace temp table given_annotations as select rec, line, case "
        "when regexp_matches(line, '^[^|\\t]+\\|[ta]\\|') then string_split(line, '|')[2] "
        "when regexp_matches(line, '^[^|\\t]+\\t\\d+\\t\\d+\\t[^\\t]*\\t[^\\t]+') then 'annotation' "
        "when regexp_matches(line, '^[^|\\t]+\\t[^\\t]*[^\\t\\d][^\\t]*\\t[^\\t]+\\t[^\\t]+') then 'relation' end as "
        f"form, {abstract_id(first)} as pmid, "
        "if(form = 't', nullif(trim(regexp_replace(line, '^[^|]+\\|t\\|', '')), ''), null) as title "
        "from annotation_lines where trim(line) <> '' order by rec"
    )
    store.sql("drop table annotation_lines")
    wrong = store.sql("select rec + 1, line from given_annotations where form is null order by rec limit 1").fetchone()
    if wrong:
        raise InputError(
            f"{file.path}, line {wrong[0]}: {wrong[1][:60]!r} is no line of PubTator's (ID|t|TITLE, ID|a|ABSTRACT, or "
            "an annotation: ID, start, end, mention, type and id with tabs between them). Correct the line."
        )
    if not store.value("select count(*) from given_annotations"):
        raise InputError(f"{file.path}: has no line of PubTator's (it is empty). Was it written to the end?")
    return Table("given_annotations", file.path, ["line"], file=file)


def _find_mentions(store: Store) -> None:
    """`annotations` has one row a line; `mentions` one for each concept that it names."""
    store.sql(
        "create or replace temp table annotations as select rec, pmid, nullif(trim(f[4]), '') as mention, "
        "trim(f[5]) as type, if(lower(trim(coalesce(f[6], ''))) in ('', '-', '-1', 'none'), null, trim(f[6])) as id "
        "from (select rec, pmid, string_split(line, '\t') as f from given_annotations where form = 'annotation')"
    )
    store.sql(
        "create or replace temp table mentions as select rec, pmid, mention, type, case "
        "when regexp_full_match(id, '[CD]\\d{6,}') then 'MESH:' || id "
        "when regexp_full_match(id, '\\d+') then upper(type) || ':' || id else id end as id from ("
        "select distinct rec, pmid, mention, type, trim(unnest(if(lower(type) in "
        f"{_WHOLE}, [id], regexp_split_to_array(id, '{_JOINS}')))) as id from annotations where id is not null) "
        "where id <> '' order by rec, id"
    )


def _add_relations(store: Store, source: Source) -> None:
    store.sql(
        "create or replace temp table pairs as select id as s, pmid as t, '' as kind, count(*) as count "
        "from mentions group by id, pmid"
    )
    add_counted(store, source, "pairs", "mention")
    store.sql(
        "create or replace temp table pairs as with within as (select distinct pmid, id from mentions) "
        "select a.id as s, b.id as t, '' as kind, count(*) as count from within a join within b using (pmid) "
        "where a.id < b.id group by a.id, b.id"
    )
    add_counted(store, source, "pairs", "co-occurrence")
    count_occurrences(store, source.graph)
    store.sql(
        "insert into synonyms select distinct c.graph, c.concept, m.mention, $source::integer from mentions m "
        "join concepts c on c.graph = $graph and c.id = m.id where m.mention is distinct from c.name "
        "and m.mention is not null order by all",
        {"source": source.number, "graph": source.graph},
    )
    store.sql("drop table pairs")
