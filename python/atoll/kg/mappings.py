# SPDX-License-Identifier: Apache-2.0
"""Which concept of the literature is which of the curated graph: many to many, each match with its method.

in the paper (appendix E)   method here                     found by
no mapping needed           none                            the same id in both graphs
direct mapping              column mapped, direct:NAME      one cross-reference from an id of one to one of the other
indirect mapping            indirect:NAME+NAME              two, of different sources, with an id between them
"""

from __future__ import annotations

from .store import Store

__all__ = ["refresh_mappings"]


def refresh_mappings(store: Store) -> int:
    """Finds the matches anew from the concepts and cross-references that the store has; returns how many there are.

    >>> import tempfile
    >>> from atoll.kg import Store
    >>> from atoll.kg.mappings import refresh_mappings
    >>> with Store.writing(tempfile.mkdtemp()) as store:
    ...     _ = store.sql("insert into concepts values ('literature', 0, 'C1', 'C', 'x', null, 0), "
    ...                   "('curated', 0, 'C1', 'C', 'x', null, 1)")
    ...     refresh_mappings(store)
    ...     store.sql("select literature, curated, method from mappings").fetchall()
    1
    [(0, 0, 'none')]
    """
    store.sql("delete from mappings")
    store.sql(
        "insert into mappings "
        "with l as (select id, concept from concepts where graph = 'literature'), "
        "c as (select id, concept from concepts where graph = 'curated'), "
        "named as (select *, if(starts_with(method, 'column '), method, 'direct:' || method) as direct "
        "from cross_references), "
        "found as (select l.concept as literature, c.concept as curated, 'none' as method, null::integer as source "
        "from l join c using (id) "
        "union select l.concept, c.concept, x.direct, x.source "
        "from named x join l on x.literature = l.id join c on x.curated = c.id "
        "union select l.concept, c.concept, 'indirect:' || x.method || '+' || y.method, y.source "
        "from named x join named y on x.curated = y.literature and x.source <> y.source "
        "join l on x.literature = l.id join c on y.curated = c.id) "
        "select * from found order by all"
    )
    return store.value("select count(*) from mappings")
