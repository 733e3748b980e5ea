# SPDX-License-Identifier: Apache-2.0
"""Files of small tables for tests of knowledge graphs, and what a store has of them."""

import duckdb
from atoll import kg


def write(file, rows, kind="csv"):
    """Rows, the first of which are the names, as a file of `kind`, by DuckDB's own writer or by hand."""
    path = file.with_name(file.name + "." + kind)
    if kind in ("tsv", "tsv.zst"):
        plain = file.with_name(file.name + ".tsv")
        plain.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
        if kind == "tsv.zst":
            form = "(compression 'zstd', header false, quote '', delimiter '\x01')"
            lines = f"read_csv('{plain}', delim = '\x01', quote = '', header = false, columns = {{'line': 'varchar'}})"
            duckdb.execute(f"copy (from {lines}) to '{path}' {form}")
        return path
    names, values = rows[0], ", ".join("(" + ", ".join(cell(value) for value in row) + ")" for row in rows[1:])
    form = {"csv": "csv", "csv.gz": "csv, compression 'gzip'", "jsonl": "json", "parquet": "parquet"}[kind]
    duckdb.execute(f"copy (from (values {values}) t({', '.join(names)})) to '{path}' (format {form})")
    return path


def cell(value):
    return "null" if value == "" else "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def load(folder, nodes=None, edges=None, graph="literature", **options):
    found = []
    with kg.Store.writing(folder) as store:
        if nodes is not None:
            found.append(kg.import_nodes(store, str(nodes), graph=graph, **options))
        if edges is not None:
            found.append(kg.import_edges(store, str(edges), graph=graph, **options))
    return found


def rows(folder, query, values=None):
    with kg.Store(folder) as store:
        return store.sql(query, values).fetchall()


def version_of(folder):
    """Returns a value that changes when the store's file is replaced or written, not when it is read."""
    stat = (folder / "store.duckdb").stat()
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def quarantine(folder):
    return rows(folder, "select line, reason, record from quarantine order by source, line, reason")
