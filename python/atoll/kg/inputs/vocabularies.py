# SPDX-License-Identifier: Apache-2.0
"""Files of cross-references as their makers lay them out: which ids of several vocabularies stand for one thing.

  format           file                                   vocabularies
  gene_info        NCBI Gene, Homo_sapiens.gene_info      GeneID, Symbol, Synonyms, those of dbXrefs: HGNC, MIM
  unichem          UniChem, src1src2.txt, reference.tsv   ChEMBL, DrugBank, PDB, KEGG, ChEBI, PubChem, or src:NUMBER
  ncit-swissprot   NCI Thesaurus, NCIt-SwissProt_Mapping  NCIt, UniProt
  ols              terms of the Ontology Lookup Service   id, those of its cross-references: UMLS, NCIT, FMA
  umls             UMLS, MRCONSO.RRF                      CUI, the abbreviations of its sources: MSH, NCI, GO

An id is what stands behind the first colon: HGNC:HGNC:5 is HGNC:5 of HGNC, MIM:138670 is 138670 of MIM.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...errors import InputError
from ..database import sql_text
from .files import InputFile
from .tables import Table, choose, quoted, read_table

__all__ = ["FORMATS", "read_columns", "read_vocabularies"]

_UNICHEM = {"1": "ChEMBL", "2": "DrugBank", "3": "PDB", "6": "KEGG", "7": "ChEBI", "22": "PubChem"}
_MRCONSO = (
    "CUI", "LAT", "TS", "LUI", "STT", "SUI", "ISPREF", "AUI", "SAUI", "SCUI", "SDUI", "SAB", "TTY", "CODE", "STR",
    "SRL", "SUPPRESS", "CVF", "END",
)  # fmt: skip
_TERM = ("obo_id", "curie", "id", "class id", "class_id", "term", "short_form")
_REFERENCES = ("database_cross_reference", "has_dbxref", "hasdbxref", "xrefs", "xref", "dbxrefs")
_CUI = ("cui", "umls_cui")


def read_columns(connection: Any, file: InputFile, columns: tuple[str, str]) -> Table:
    """Makes the table `vocabularies` (rec, vocabulary, id) of two columns of any table; cells may have several ids,
    joined by `|`.

    >>> import pathlib, tempfile
    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.files import InputFile
    >>> from atoll.kg.inputs.vocabularies import read_columns
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "mesh_to_doid.csv"
    >>> _ = file.write_text("mesh,doid\\nD1,7|8\\n")
    >>> connection = connect()
    >>> _ = read_columns(connection, InputFile(str(file)), ("mesh", "doid"))
    >>> connection.execute("from vocabularies order by all").fetchall()
    [(0, 'doid', '7'), (0, 'doid', '8'), (0, 'mesh', 'D1')]
    """
    table = read_table(connection, file, "given_references")
    parts = [
        f"select rec, {sql_text(column)}, {choose(table, role, column, [])} from {quoted(table.name)}"
        for role, column in zip(("from", "to"), columns)
    ]
    _make(connection, " union all ".join(parts))
    return table


def read_vocabularies(connection: Any, file: InputFile, format: str) -> Table:
    """Makes the table `vocabularies` (rec, vocabulary, id) of a file in one of `FORMATS`; records with one `rec` are
    one thing.

    >>> import pathlib, tempfile
    >>> from atoll.kg.database import connect
    >>> from atoll.kg.inputs.files import InputFile
    >>> from atoll.kg.inputs.vocabularies import read_vocabularies
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "src1src2.txt"
    >>> _ = file.write_text("From src:'1'\\tTo src:'2'\\nCHEMBL25\\tDB00945\\n")
    >>> connection = connect()
    >>> _ = read_vocabularies(connection, InputFile(str(file)), "unichem")
    >>> connection.execute("from vocabularies").fetchall()
    [(0, 'ChEMBL', 'CHEMBL25'), (0, 'DrugBank', 'DB00945')]
    """
    return FORMATS[format](connection, file)


def _make(connection: Any, rows: str) -> None:
    connection.execute(
        "create or replace temp table vocabularies as select distinct * from (select rec, vocabulary, "
        f"trim(unnest(string_split(ids, '|'))) as id from ({rows}) t(rec, vocabulary, ids)) where id not in ('', '-') "
        "and vocabulary <> '' "
        "order by rec, vocabulary, id"
    )


def _references(table: Table, column: str) -> str:
    """Rows of a column of PREFIX:ID|PREFIX:ID, under their prefixes."""
    return (
        "select rec, split_part(reference, ':', 1), trim(reference[instr(reference, ':') + 1:]) from (select rec, "
        f"trim(unnest(string_split({column}, '|'))) as reference from {quoted(table.name)}) "
        "where contains(reference, ':')"
    )


def _columns_of(table: Table, names: list[str], format: str) -> None:
    missing = [name for name in names if name not in table.columns]
    if missing:
        raise InputError(
            f"{table.path} has no column {missing[0]} (it has {', '.join(table.columns)[:200]}), as every file of "
            f"{format} has. Give its format, or the columns of a table: --from COLUMN --to COLUMN."
        )


def _gene_info(connection: Any, file: InputFile) -> Table:
    table = read_table(connection, file, "given_references", delimiter="\t")
    _columns_of(table, ["GeneID", "Symbol", "Synonyms", "dbXrefs"], "gene_info")
    columns = [f"select rec, '{name}', {name} from {table.name}" for name in ("GeneID", "Symbol", "Synonyms")]
    _make(connection, " union all ".join([*columns, _references(table, "dbXrefs")]))
    return table


def _unichem(connection: Any, file: InputFile) -> Table:
    table = read_table(connection, file, "given_references", delimiter="\t")
    sources = [re.search(r"src:'?(\d+)", column) for column in table.columns]
    if len(sources) == 2 and all(sources):
        parts = [
            f"select rec, {sql_text(_UNICHEM.get(source[1], f'src:{source[1]}'))}, {quoted(column)} from {table.name}"
            for source, column in zip(sources, table.columns)
            if source
        ]
        _make(connection, " union all ".join(parts))
        return table
    _columns_of(table, ["UCI", "SRC_ID", "SRC_COMPOUND_ID", "ASSIGNMENT"], "unichem")
    names = " ".join(f"when '{number}' then '{name}'" for number, name in _UNICHEM.items())
    _make(
        connection,
        f"select min(rec) over (partition by UCI), case SRC_ID {names} else 'src:' || SRC_ID end, SRC_COMPOUND_ID "
        f"from {table.name} where ASSIGNMENT = '1'",
    )
    return table


def _ncit_swissprot(connection: Any, file: InputFile) -> Table:
    table = read_table(connection, file, "given_references", delimiter="\t")
    names = {"NCIt Code": "NCIt", "SwissProt ID": "UniProt"}
    _columns_of(table, list(names), "ncit-swissprot")
    parts = [f"select rec, '{name}', {quoted(column)} from {table.name}" for column, name in names.items()]
    _make(connection, " union all ".join(parts))
    return table


def _ols(connection: Any, file: InputFile) -> Table:
    table = read_table(connection, file, "given_references")
    term = choose(table, "id", None, _TERM, required=True)
    references, cui = choose(table, "xref", None, _REFERENCES), choose(table, "cui", None, _CUI)
    if references == cui == "null":
        raise InputError(
            f"{file.path} has no column of cross-references ({', '.join(_REFERENCES)}, {', '.join(_CUI)}; it has "
            f"{', '.join(table.columns)[:200]}). Rename the one that has them."
        )
    parts = [f"select rec, 'id', {term} from {table.name}", f"select rec, 'UMLS', {cui} from {table.name}"]
    _make(connection, " union all ".join(parts + ([] if references == "null" else [_references(table, references)])))
    return table


def _umls(connection: Any, file: InputFile) -> Table:
    table = read_table(connection, file, "given_references", delimiter="|", header=_MRCONSO)
    _make(connection, f"select rec, 'CUI', CUI from {table.name} union all select rec, SAB, CODE from {table.name}")
    return table


FORMATS: dict[str, Callable[[Any, InputFile], Table]] = {
    "gene_info": _gene_info,
    "ncit-swissprot": _ncit_swissprot,
    "ols": _ols,
    "umls": _umls,
    "unichem": _unichem,
}
