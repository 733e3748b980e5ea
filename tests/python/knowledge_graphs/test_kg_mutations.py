# SPDX-License-Identifier: Apache-2.0
"""Mutated files of every reader, in child processes: no error but Atoll's own comes, nothing hangs or crashes."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("duckdb")

from atoll import kg  # noqa: E402
from kg_mutations import readers  # noqa: E402

pytestmark = pytest.mark.nightly

PROGRAM = Path(__file__).with_name("kg_mutations.py")
NUMBERS = 25
LIMIT_S = 120
NAMES = (
    *(
        f"{what}.{kind}"
        for what in ("nodes", "edges")
        for kind in ("csv", "tsv", "jsonl", "parquet", "csv.gz", "tsv.zst")
    ),
    *("pubtator", "pubtator.gz", "predications", "citations", "columns", "ols", "list"),
    *(f"{name}{end}" for name in ("gene_info", "unichem", "ncit-swissprot", "umls") for end in ("", ".txt")),
)


def test_every_reader_is_among_the_mutated_and_reads_its_file(tmp_path):
    made = readers(tmp_path)
    assert sorted(made) == sorted(NAMES)
    for name, (file, content, read) in made.items():
        (tmp_path / file).write_bytes(content)
        with kg.Store.writing(tmp_path / "kg" / name) as store:
            read(store, str(tmp_path / file))


@pytest.mark.parametrize("name", NAMES)
def test_a_mutated_file_is_read_or_refused(name):
    command = [sys.executable, str(PROGRAM), name, "0", str(NUMBERS)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired as e:
        pytest.fail(f"{name}: hangs; the last number it came to: {(e.stdout or b'')[-20:]!r}; {' '.join(command)}")
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (done.stdout[-20:], done.stderr[-2000:], " ".join(command))
    assert [line for line in lines if line.startswith("escaped")] == [], " ".join(command)
    assert '"refused": 0' not in lines[-1]  # the mutations do something
