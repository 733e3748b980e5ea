# SPDX-License-Identifier: Apache-2.0
"""Annotations, predications, citations, and files of cross-references in the layouts that their makers give them."""

import collections
import gzip
import itertools
import random

import pytest
from atoll.errors import InputError, UsageError

pytest.importorskip("duckdb")

from atoll import kg  # noqa: E402
from atoll.kg.inputs import cross_references, predications, pubtator  # noqa: E402
from atoll.kg.inputs import quarantine as reasons  # noqa: E402
from kg_tables import quarantine, rows, write  # noqa: E402


def take(tmp_path, reader, text, name="input.txt", **options):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    with kg.Store.writing(tmp_path / "kg") as store:
        return reader(store, str(path), **options)


def edges(tmp_path, relation):
    """(id, id, kind, count) with the ids in order."""
    found = rows(
        tmp_path / "kg",
        "select least(a.id, b.id), greatest(a.id, b.id), kind, count from edges e join concepts a on a.concept = e.a "
        "join concepts b on b.concept = e.b where relation = ? order by all",
        [relation],
    )
    assert rows(tmp_path / "kg", "select count(*) from edges where a >= b") == [(0,)]
    return found


PUBTATOR = """\
100|t|BRCA1 | a title
100|a|Abstract text.
100\t0\t5\tBRCA1\tGene\t672
100\t16\t21\tBRCA1\tGene\t672
100\t30\t55\tbreast and ovarian cancer\tDisease\tMESH:D001943|D010051
100\t60\t65\tHuman\tSpecies\t9606
100\t70\t75\tV600E\tProteinMutation\tp|SUB|V|600|E
100\t80\t83\tfoo\tChemical\t-
100\tCID\tD001943\tD010051

101|t|Second
101\t0\t6\tbrca-1\tGene\t672;675
"""


@pytest.mark.parametrize("name", ["input.txt", "input.pubtator.gz"])
def test_annotations_become_concepts_mentions_and_co_occurrences(tmp_path, name):
    found = take(tmp_path, kg.import_pubtator, PUBTATOR, name)
    assert rows(tmp_path / "kg", "select id, type, name, occurrences from concepts order by concept") == [
        ("PMID:100", "abstract", "BRCA1 | a title", None),
        ("PMID:101", "abstract", "Second", None),
        ("GENE:672", "Gene", "BRCA1", 3),
        ("MESH:D001943", "Disease", "breast and ovarian cancer", 1),
        ("MESH:D010051", "Disease", "breast and ovarian cancer", 1),
        ("SPECIES:9606", "Species", "Human", 1),
        ("p|SUB|V|600|E", "ProteinMutation", "V600E", 1),
        ("GENE:675", "Gene", "brca-1", 1),
    ]
    assert ("GENE:672", "PMID:100", "", 2) in edges(tmp_path, "mention") and len(edges(tmp_path, "mention")) == 7
    in_first = sorted(["GENE:672", "MESH:D001943", "MESH:D010051", "SPECIES:9606", "p|SUB|V|600|E"])
    wanted = [*itertools.combinations(in_first, 2), ("GENE:672", "GENE:675")]
    assert edges(tmp_path, "co-occurrence") == sorted((*pair, "", 1) for pair in wanted)
    assert quarantine(tmp_path / "kg") == [
        (8, pubtator.NO_CONCEPT, "100\t80\t83\tfoo\tChemical\t-"),
        (9, pubtator.RELATION, "100\tCID\tD001943\tD010051"),
    ]
    assert (found.rows, found.kept) == (7, 6)
    assert rows(tmp_path / "kg", "select name from synonyms") == [("brca-1",)]


@pytest.mark.parametrize("seed", range(4))
def test_co_occurrence_is_counted_by_abstract(tmp_path, seed):
    rand = random.Random(seed)
    mentions = [(rand.randrange(30), f"D{rand.randrange(12):06}") for _ in range(200)]
    text = "".join(f"{p}|t|title\n" for p in range(30))
    text += "".join(f"{p}\t0\t1\tx\tDisease\t{id}\n" for p, id in mentions)
    take(tmp_path, kg.import_pubtator, text)
    pairs = collections.Counter()
    for p in range(30):
        pairs.update(itertools.combinations(sorted({f"MESH:{id}" for q, id in mentions if q == p}), 2))
    assert edges(tmp_path, "co-occurrence") == sorted((*pair, "", n) for pair, n in pairs.items())
    counts = collections.Counter((f"MESH:{id}", f"PMID:{p}") for p, id in mentions)
    assert edges(tmp_path, "mention") == sorted((*pair, "", n) for pair, n in counts.items())


@pytest.mark.parametrize("line", ["100 and so on", "100\t3\tx", "|t|title", "100\t0\t5\tBRCA1"])
def test_a_line_of_another_form_is_refused(tmp_path, line):
    with pytest.raises(InputError, match=r"input.txt, line 3: '.*' is no line of PubTator's"):
        take(tmp_path, kg.import_pubtator, f"100|t|title\n\n{line}\n")


def test_annotations_again_change_nothing_and_a_shorter_file_replaces(tmp_path):
    take(tmp_path, kg.import_pubtator, PUBTATOR)
    assert take(tmp_path, kg.import_pubtator, PUBTATOR).state == "unchanged"
    assert take(tmp_path, kg.import_pubtator, PUBTATOR[: PUBTATOR.index("\n\n") + 1]).state == "replaced"
    assert len(edges(tmp_path, "mention")) == 5
    assert rows(tmp_path / "kg", "select concept, source from concepts where id = 'GENE:675'") == [(7, None)]


# The first rows of SemMedDB's file look so: no line of names, 15 columns, NULL as MySQL writes it.
SEMMEDDB = """\
"10592604","16","16530475","TREATS","C0003725","Zinc","phsu","1","C0009443","Common Cold","dsyn","1",\\N,\\N,\\N
"10592605","17","16530475","COEXISTS_WITH","C0009443","Common Cold","dsyn","1","C0003725","Zinc","phsu","1",\\N,\\N,\\N
"10592606","18","16530476","TREATS","C0003725|672","Zinc|BRCA1","phsu","1","C0009443","Cold","dsyn","1",\\N,\\N,\\N
"10592606","18","16530476","TREATS","C0003725|672","Zinc|BRCA1","phsu","1","C0009443","Cold","dsyn","1",\\N,\\N,\\N
"10592607","19","16530477","ISA","C0003725","Zinc","phsu","1","C0003725","Zinc","phsu","1",\\N,\\N,\\N
"""


def test_predications_are_counted_each_once_by_predicate(tmp_path):
    found = take(tmp_path, kg.import_predications, SEMMEDDB, "semmed.csv.gz")
    assert edges(tmp_path, "co-occurrence") == [
        ("C0003725", "C0009443", "COEXISTS_WITH", 1),
        ("C0003725", "C0009443", "TREATS", 2),
    ]
    assert edges(tmp_path, "mention") == [
        ("C0003725", "PMID:16530475", "", 2),
        ("C0003725", "PMID:16530476", "", 1),
        ("C0009443", "PMID:16530475", "", 2),
        ("C0009443", "PMID:16530476", "", 1),
    ]
    assert rows(tmp_path / "kg", "select id, type, name, occurrences from concepts where type <> 'abstract'") == [
        ("C0003725", "phsu", "Zinc", 3),
        ("C0009443", "dsyn", "Common Cold", 3),
    ]
    assert [row[:2] for row in quarantine(tmp_path / "kg")] == [(4, predications.DUPLICATE), (5, reasons.SELF_LOOP)]
    assert (found.rows, found.kept) == (5, 3)


def test_predications_have_names_of_columns_or_not(tmp_path):
    names = ",".join(predications._SEMMEDDB)
    take(tmp_path, kg.import_predications, names + "\n" + SEMMEDDB, "named.csv")
    assert [row[3] for row in edges(tmp_path, "co-occurrence")] == [1, 2]
    assert [row[:2] for row in quarantine(tmp_path / "kg")] == [(5, predications.DUPLICATE), (6, reasons.SELF_LOOP)]
    with pytest.raises(UsageError, match="no column for subject"):
        take(tmp_path, kg.import_predications, "a,b\n1,2\n", "other.csv")


def test_predications_without_abstracts_have_no_mentions(tmp_path):
    take(tmp_path, kg.import_predications, "subject\tobject\nC1\tC2\nC1\t\n", "p.tsv")
    assert edges(tmp_path, "co-occurrence") == [("C1", "C2", "", 1)] and edges(tmp_path, "mention") == []
    assert quarantine(tmp_path / "kg") == [(3, reasons.EMPTY_ID, "C1\t")]


def test_citations_join_abstracts_in_no_direction(tmp_path):
    take(tmp_path, kg.import_citations, "citing,cited\n12,7\n7,12\n12,12\nug7v899j,7\n,7\n", "c.csv")
    assert edges(tmp_path, "citation") == [("PMID:12", "PMID:7", "", 2), ("PMID:7", "ug7v899j", "", 1)]
    assert {type_ for (type_,) in rows(tmp_path / "kg", "select type from concepts")} == {"abstract"}
    assert [row[:2] for row in quarantine(tmp_path / "kg")] == [
        (3, reasons.DUPLICATE_EDGE),
        (4, reasons.SELF_LOOP),
        (6, reasons.EMPTY_ID),
    ]


def test_citations_annotations_and_predications_share_their_abstracts(tmp_path):
    take(tmp_path, kg.import_citations, "citing,cited\n100,101\n", "c.csv")
    take(tmp_path, kg.import_pubtator, PUBTATOR)
    take(tmp_path, kg.import_predications, "pmid,subject,object\n100,GENE:672,SPECIES:9606\n", "p.csv")
    found = rows(tmp_path / "kg", "select id, name from concepts where type = 'abstract' order by concept")
    assert found == [("PMID:100", "BRCA1 | a title"), ("PMID:101", "Second")]
    pairs = rows(tmp_path / "kg", "select sum(count) from edges where relation = 'co-occurrence' and a = 2 and b = 5")
    assert pairs == [(2,)]


GENE_INFO = """\
#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\tchromosome\tmap_location\tdescription\ttype_of_gene\t\
Symbol_from_nomenclature_authority\tFull_name_from_nomenclature_authority\tNomenclature_status\tOther_designations\t\
Modification_date\tFeature_type
9606\t1\tA1BG\t-\tA1B|ABG|GAB\tMIM:138670|HGNC:HGNC:5|Ensembl:ENSG00000121410\t19\t19q13.43\talpha-1-B 5" one\t\
protein-coding\tA1BG\talpha-1-B glycoprotein\tO\t-\t20240101\t-
9606\t2\tA2M\t-\t-\tHGNC:HGNC:7\t12\t12p13.31\talpha-2\tprotein-coding\tA2M\talpha-2\tO\t-\t20240101\t-
9606\t3\tA2MP1\t-\t-\t-\t12\t12p13.31\tpseudogene\tpseudo\t-\t-\t-\t-\t20240101\t-
"""
UNICHEM = "From src:'1'\tTo src:'2'\nCHEMBL25\tDB00945\nCHEMBL12\tDB00829\n"
UNICHEM_REFERENCE = """\
UCI\tSRC_ID\tSRC_COMPOUND_ID\tASSIGNMENT
161671\t1\tCHEMBL25\t1
161671\t2\tDB00945\t1
161671\t2\tDB99999\t0
161672\t47\t41493\t1
161672\t1\tCHEMBL12\t1
"""
SWISSPROT = "NCIt Code\tSwissProt ID\tNCIt Preferred Name\r\nC16375\tP0DP24|P0DP23\tCalmodulin\r\nC1\tQ9C0C9\tE2\r\n"
OLS = """\
obo_id,label,database_cross_reference
UBERON:0000955,brain,"FMA:50801|UMLS:C0006104|NCIT:C12439"
CL:0000540,neuron,FMA:54527
CL:0000000,cell,
"""
BIOPORTAL = "Class ID,Preferred Label,CUI\nUBERON:0000955,brain,C0006104\n"
MRCONSO = """\
C0006104|ENG|P|L0006104|PF|S0020093|Y|A0027515||M0002867|D001921|MSH|MH|D001921|Brain|0|N|256|
C0006104|ENG|S|L0006104|VO|S0020093|Y|A0027516||||NCI|PT|C12439|Brain, "NOS"|0|N|256|
"""
LAYOUTS = {
    "gene_info": ("genes.gz", GENE_INFO, "gene_info", "HGNC", "GeneID", [("HGNC:5", "1"), ("HGNC:7", "2")]),
    "gene_mim": ("Homo_sapiens.gene_info", GENE_INFO, "gene_info", "MIM", "Symbol", [("138670", "A1BG")]),
    "gene_synonyms": ("g", GENE_INFO, "gene_info", "Synonyms", "GeneID", [("A1B", "1"), ("ABG", "1"), ("GAB", "1")]),
    "unichem": (
        "src1src2.txt.gz", UNICHEM, "unichem", "DrugBank", "ChEMBL", [("DB00829", "CHEMBL12"), ("DB00945", "CHEMBL25")],
    ),
    "unichem_reference": ("r.tsv.gz", UNICHEM_REFERENCE, "unichem", "DrugBank", "ChEMBL", [("DB00945", "CHEMBL25")]),
    "unichem_other": ("reference.tsv", UNICHEM_REFERENCE, "unichem", "src:47", "ChEMBL", [("41493", "CHEMBL12")]),
    "swissprot": (
        "NCIt-SwissProt_Mapping.txt", SWISSPROT, "ncit-swissprot", "NCIt", "UniProt",
        [("C1", "Q9C0C9"), ("C16375", "P0DP23"), ("C16375", "P0DP24")],
    ),
    "ols": ("uberon.csv", OLS, "ols", "FMA", "id", [("50801", "UBERON:0000955"), ("54527", "CL:0000540")]),
    "ols_umls": ("uberon.csv", OLS, "ols", "UMLS", "id", [("C0006104", "UBERON:0000955")]),
    "bioportal": ("UBERON.csv", BIOPORTAL, "ols", "UMLS", "id", [("C0006104", "UBERON:0000955")]),
    "umls": ("MRCONSO.RRF", MRCONSO, "umls", "CUI", "MSH", [("C0006104", "D001921")]),
    "umls_nci": ("MRCONSO.RRF", MRCONSO, "umls", "CUI", "NCI", [("C0006104", "C12439")]),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cross_references_are_read_as_their_makers_lay_them_out(tmp_path, layout):
    name, text, format_, from_, to, wanted = LAYOUTS[layout]
    take(tmp_path, kg.import_cross_references, text, name, from_=from_, to=to, format=format_)
    assert rows(tmp_path / "kg", "select literature, curated from cross_references order by all") == wanted
    obsolete = [(4, cross_references.OBSOLETE, "161671\t2\tDB99999\t0")] if text is UNICHEM_REFERENCE else []
    assert quarantine(tmp_path / "kg") == obsolete


def test_a_vocabulary_that_a_file_has_not_is_named_with_those_that_it_has(tmp_path):
    with pytest.raises(UsageError, match="no vocabulary HNGC .it has Ensembl, GeneID, HGNC, MIM, Symbol, Synonyms"):
        take(tmp_path, kg.import_cross_references, GENE_INFO, from_="HNGC", to="GeneID", format="gene_info")
    with pytest.raises(InputError, match="has no column of cross-references"):
        take(tmp_path, kg.import_cross_references, "id,label\nA:1,x\n", "o.csv", from_="FMA", to="id", format="ols")


def test_genes_are_mapped_through_two_files_as_the_paper_does(tmp_path):
    """GeneID of the curated graph, HGNC by gene_info, CUI by UMLS: an indirect mapping of appendix E."""
    umls = "C1421432|ENG|P|L1|PF|S1|Y|A1||||HGNC|PT|HGNC:5|A1BG gene|0|N||\n"
    with kg.Store.writing(tmp_path / "kg") as store:
        kg.import_nodes(store, str(write(tmp_path / "l", [("id", "name"), ("C1421432", "x")])), graph="literature")
        kg.import_nodes(store, str(write(tmp_path / "c", [("id", "name"), ("GENE:1", "x")])), graph="curated")
    take(
        tmp_path, kg.import_cross_references, umls, "MRCONSO.RRF", from_="CUI", to="HGNC", format="umls", method="UMLS"
    )
    options = {"from_": "HGNC", "to": "GeneID", "to_prefix": "GENE:", "format": "gene_info"}
    take(tmp_path, kg.import_cross_references, GENE_INFO, "genes", **options, method="gene_info")
    assert rows(tmp_path / "kg", "select literature, curated, method from mappings") == [
        (0, 0, "indirect:UMLS+gene_info")
    ]
