# SPDX-License-Identifier: Apache-2.0
"""Mutations of small valid files of every reader of knowledge graphs: each is read, or refused by an error of Atoll's.

    python kg_mutations.py READER FIRST END

tries the mutations FIRST to END - 1 and prints the number of each before it is tried, so that who waits for this
program knows which one hangs or ends it; a line "escaped NUMBER ERROR" tells of another error.
"""

import gzip
import json
import random
import sys
import tempfile
from pathlib import Path

from atoll import kg
from atoll.errors import Error
from atoll.kg.inputs.files import text_lines
from kg_tables import write

NODES = [("id", "name", "type", "synonyms", "mapped")]
NODES += [(f"MESH:D{i:03}", f"name {i} é", ("disease", "gene")[i % 2], f"a{i}|b{i}", f"DOID:{i}") for i in range(40)]
EDGES = [("source", "target", "count", "kind")]
EDGES += [(f"MESH:D{i:03}", f"MESH:D{(7 * i + 1) % 40:03}", i % 5 + 1, "x") for i in range(40)]
PUBTATOR = b"""\
100|t|BRCA1 | a title
100|a|Abstract text.
100\t0\t5\tBRCA1\tGene\t672
100\t30\t55\tbreast and ovarian cancer\tDisease\tMESH:D001943|D010051
100\tCID\tD001943\tD010051

101|t|Second
101\t0\t6\tbrca-1\tGene\t672;675
"""
SEMMEDDB = b"""\
"10592604","16","16530475","TREATS","C0003725","Zinc","phsu","1","C0009443","Common Cold","dsyn","1",\\N,\\N,\\N
"10592605","17","16530476","ISA","C0003725|672","Zinc|BRCA1","phsu","1","C0009443","Cold","dsyn","1",\\N,\\N,\\N
"""
GENE_INFO = b"""\
#tax_id\tGeneID\tSymbol\tSynonyms\tdbXrefs
9606\t1\tA1BG\tA1B|ABG|GAB\tMIM:138670|HGNC:HGNC:5
9606\t2\tA2M\t-\tHGNC:HGNC:7
"""
UNICHEM = b"UCI\tSRC_ID\tSRC_COMPOUND_ID\tASSIGNMENT\n1\t1\tCHEMBL25\t1\n1\t2\tDB00945\t1\n1\t2\tDB99999\t0\n"
SWISSPROT = b"NCIt Code\tSwissProt ID\tNCIt Preferred Name\r\nC16375\tP0DP24|P0DP23\tCalmodulin\r\nC1\tQ9C0C9\tE2\r\n"
OLS = b'obo_id,label,xref\nUBERON:0000955,brain,"FMA:50801|UMLS:C0006104"\nCL:0000540,neuron,FMA:54527\n'
MRCONSO = b"C01|ENG|P|L1|PF|S1|Y|A1||M1|D001921|MSH|MH|D001921|Brain|0|N|256|\n"
INSERTED = [
    b"\0",
    b"\r",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b'"',
    b"\t",
    b",",
    b"9" * 30,
    b"\xff" * 4,
    b"\x01",
    b"|",
    b"{",
    b"[",
]


def readers(folder):
    """(name of the file, its bytes, what reads it into a store) by name."""
    made = {}

    def add(name, file, content, read):
        made[name] = (file, content, read)

    for kind in ("csv", "tsv", "jsonl", "parquet", "csv.gz", "tsv.zst"):
        for what, table, read in (("nodes", NODES, kg.import_nodes), ("edges", EDGES, kg.import_edges)):
            path = write(folder / what, table, kind)
            add(f"{what}.{kind}", path.name, path.read_bytes(), _of_graph(read))
    add("pubtator", "a.pubtator", PUBTATOR, kg.import_pubtator)
    add("pubtator.gz", "a.pubtator.gz", gzip.compress(PUBTATOR), kg.import_pubtator)
    add("predications", "p.csv", SEMMEDDB, kg.import_predications)
    add("citations", "c.csv", b"citing,cited\n12,7\n7,12\n12,12\nug7v899j,7\n,7\n", kg.import_citations)
    add("columns", "map.csv", b"mesh,doid\nD1,7|8\nD2,9\n", _references("mesh", "doid"))
    for format, content, from_, to in (
        ("gene_info", GENE_INFO, "HGNC", "GeneID"),
        ("unichem", UNICHEM, "DrugBank", "ChEMBL"),
        ("ncit-swissprot", SWISSPROT, "NCIt", "UniProt"),
        ("umls", MRCONSO, "CUI", "MSH"),
    ):
        add(format, "references.gz", gzip.compress(content), _references(from_, to, format))
        add(f"{format}.txt", "references.txt", content, _references(from_, to, format))
    add("ols", "terms.csv", OLS, _references("id", "UMLS", "ols"))
    add("list", "list.txt", b"\xef\xbb\xbf# chosen\nMESH:D001\nname 2 \xc3\xa9\n", lambda store, path: text_lines(path))
    return made


def _of_graph(read):
    return lambda store, path: read(store, path, graph="literature")


def _references(from_, to, format=None):
    return lambda store, path: kg.import_cross_references(store, path, from_=from_, to=to, format=format)


def mutated(rand, content):
    """One to four changes: a byte, a bit, the end or a line taken away, odd bytes or a copy of others put in."""
    data = bytearray(content)
    for _ in range(rand.choice([1, 1, 1, 2, 4])):
        if not data:
            break
        place, kind = rand.randrange(len(data)), rand.randrange(6)
        if kind == 0:
            data[place] = rand.randrange(256)
        elif kind == 1:
            data[place] ^= 1 << rand.randrange(8)
        elif kind == 2:
            del data[place:]
        elif kind == 3:
            lines = data.split(b"\n")
            del lines[rand.randrange(len(lines))]
            data = bytearray(b"\n".join(lines))
        elif kind == 4:
            data[place:place] = rand.choice(INSERTED)
        else:
            start = rand.randrange(len(data))
            data[place:place] = data[start : start + rand.randrange(40)]
    return bytes(data)


def attempt(name, first, end):
    """Tries mutations of one reader; prints as the module says, and how many were read at the end."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        file, content, read = readers(folder)[name]
        target = folder / f"mutated-{file}"
        taken = 0
        with kg.Store.writing(folder / "kg") as store:
            for number in range(first, end):
                print(number, flush=True)
                target.write_bytes(mutated(random.Random(f"{name} {number}"), content))
                try:
                    read(store, str(target))
                    taken += 1
                except Error:
                    pass
                except BaseException as e:
                    print("escaped", number, repr(e)[:300], flush=True)
    print(json.dumps({"read": taken, "refused": end - first - taken}))


if __name__ == "__main__":
    attempt(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
