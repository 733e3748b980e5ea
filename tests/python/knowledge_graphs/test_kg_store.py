# SPDX-License-Identifier: Apache-2.0
"""The store of a knowledge graph: one writer, many readers, and a file that is whole at every moment."""

import hashlib
import signal
import subprocess
import sys
import threading
import time

import pytest
from atoll.errors import InputError, UsageError

duckdb = pytest.importorskip("duckdb")

from atoll import kg  # noqa: E402
from kg_tables import version_of  # noqa: E402

# A writer in a process of its own: it says when it has written into its copy, and then stays for a while.
WRITER = """
import sys, time
from atoll import kg
with kg.Store.writing(sys.argv[1]) as store:
    store.sql("insert into meta select 'key' || i, 'x' from range(20000) t(i)")
    print("written", flush=True)
    time.sleep(float(sys.argv[2]))
"""

# An import of which the query would take minutes. SIGINT may be ignored by those who start the tests.
LONG = """
import signal, sys
from atoll.kg import command_line, import_command
def imports(store, options):
    store.sql("create temp table w as select i % 1000 as p, i as id from range(2000000) t(i)")
    print("begun", file=sys.__stdout__, flush=True)
    store.sql("create temp table x as select sum(hash(a.id + b.id)) from w a join w b using (p) group by a.id")
    yield
import_command._imports = imports
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(command_line.main(["import", sys.argv[1], "--nodes", "n.csv"]))
"""


def digest(folder):
    return hashlib.sha256((folder / "store.duckdb").read_bytes()).hexdigest()


def put(folder, value):
    with kg.Store.writing(folder) as store:
        store.sql("insert or replace into meta values ('value', ?)", [value])


def value(folder):
    with kg.Store(folder) as store:
        return store.value("select value from meta where key = 'value'")


@pytest.fixture
def writer(tmp_path):
    """Starts writers of tmp_path and waits until they have begun; ends them all."""
    processes = []

    def start(seconds):
        words = [sys.executable, "-c", WRITER, str(tmp_path), str(seconds)]
        processes.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        assert processes[-1].stdout.readline() == "written\n"
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_write_is_seen_when_it_has_ended_and_not_before(tmp_path):
    put(tmp_path, "old")
    with kg.Store(tmp_path) as reader:
        with kg.Store.writing(tmp_path) as store:
            store.sql("update meta set value = 'new' where key = 'value'")
            assert value(tmp_path) == "old"
        assert reader.value("select value from meta where key = 'value'") == "old"  # of the file that it has open
        assert value(tmp_path) == "new"


def test_an_error_in_a_write_leaves_the_file_as_it_was(tmp_path):
    put(tmp_path, "old")
    before = digest(tmp_path)
    with pytest.raises(ZeroDivisionError), kg.Store.writing(tmp_path) as store:
        store.sql("update meta set value = 'new'")
        raise ZeroDivisionError
    assert digest(tmp_path) == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["store.duckdb", "store.lock"]


def test_a_writer_that_is_killed_leaves_the_old_store_and_the_next_one_writes(tmp_path, writer):
    put(tmp_path, "old")
    before = digest(tmp_path)
    process = writer(60)
    assert (tmp_path / "store.duckdb.writing").exists()
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert digest(tmp_path) == before and value(tmp_path) == "old"
    put(tmp_path, "new")
    assert value(tmp_path) == "new"
    with kg.Store(tmp_path) as store:
        assert store.value("select count(*) from meta where key like 'key%'") == 0
    assert not (tmp_path / "store.duckdb.writing").exists()


def test_ctrl_c_in_a_query_ends_the_command_and_leaves_the_old_store(tmp_path):
    put(tmp_path, "old")
    before = digest(tmp_path)
    process = subprocess.Popen([sys.executable, "-c", LONG, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 128 + signal.SIGINT
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert digest(tmp_path) == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["store.duckdb", "store.lock"]


def test_a_handler_of_ctrl_c_is_left_as_it_was_and_asked(tmp_path):
    put(tmp_path, "old")
    asked = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(number))
    try:
        ours = signal.getsignal(signal.SIGINT)
        with kg.Store(tmp_path) as store:
            with kg.Store.writing(tmp_path):
                pass
            signal.raise_signal(signal.SIGINT)
            assert store.value("select 1") == 1  # no query ran, so none was ended
        assert asked == [signal.SIGINT] and signal.getsignal(signal.SIGINT) is ours
    finally:
        signal.signal(signal.SIGINT, before)


def test_stores_may_be_closed_in_any_order_and_ctrl_c_comes_as_ever(tmp_path):
    put(tmp_path, "old")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        first, second = kg.Store(tmp_path), kg.Store(tmp_path)
        first.__enter__()
        second.__enter__()
        first.__exit__()
        second.close()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        second.__exit__()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with kg.Store(tmp_path) as store, pytest.raises(KeyboardInterrupt):
            threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
            store.sql("select sum(hash(a.i + b.i)) from range(2000000) a(i), range(2000000) b(i)").fetchone()
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_first_writer_that_is_killed_leaves_no_store(tmp_path, writer):
    process = writer(60)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with pytest.raises(InputError, match="store.duckdb is missing"):
        kg.Store(tmp_path)


def test_a_second_writer_waits_for_the_first_and_keeps_what_it_wrote(tmp_path, writer):
    writer(0.5)
    with kg.Store.writing(tmp_path, wait=30) as store:
        assert store.value("select count(*) from meta where key like 'key%'") == 20000


def test_a_second_writer_fails_after_its_wait(tmp_path, writer):
    writer(60)
    begin = time.monotonic()
    with pytest.raises(UsageError, match=r"being written by another process \(waited 0.2 s\).*--wait"):
        put_waiting(tmp_path, 0.2)
    assert 0.2 <= time.monotonic() - begin < 50  # the writer stays for 60


def put_waiting(folder, wait):
    with kg.Store.writing(folder, wait=wait):
        pass


@pytest.mark.parametrize("wait", [-1, float("nan"), float("inf")])
def test_a_wait_is_a_number_of_seconds(tmp_path, wait):
    with pytest.raises(UsageError, match="wait is"):
        put_waiting(tmp_path, wait)


def test_nothing_is_replaced_where_nothing_changed(tmp_path):
    put(tmp_path, "old")
    before = version_of(tmp_path)
    with kg.Store.writing(tmp_path) as store:
        store.replaces = False
    assert version_of(tmp_path) == before


def test_a_store_of_another_version_says_how_to_make_one_of_this(tmp_path):
    put(tmp_path, "old")
    with kg.Store.writing(tmp_path) as store:
        store.sql("update meta set value = '7' where key = 'store_version'")
        store.sql("insert into sources values (0, 'literature', 'nodes', '/a/nodes.csv', 'd', 1, 1, null, '{}')")
    before = digest(tmp_path)
    wanted = r"store version 7, written by Atoll \S+ \(this Atoll reads version 1\).*import.*/a/nodes.csv \(nodes of l"
    with pytest.raises(InputError, match=wanted):
        kg.Store(tmp_path)
    with pytest.raises(InputError, match=wanted):
        put(tmp_path, "new")
    assert digest(tmp_path) == before


def test_a_folder_without_a_store_says_how_to_make_it(tmp_path):
    with pytest.raises(InputError, match="has no store.*atoll kg import"):
        kg.Store(tmp_path / "nowhere")


def test_a_file_that_is_no_store_is_refused(tmp_path):
    (tmp_path / "store.duckdb").write_bytes(b"no database" * 1000)
    for call in (lambda: kg.Store(tmp_path), lambda: put(tmp_path, "new")):
        with pytest.raises(InputError, match="cannot be opened as a store"):
            call()
    (tmp_path / "store.duckdb").unlink()
    duckdb.connect(str(tmp_path / "store.duckdb")).execute("create table t(x integer)").close()
    for call in (lambda: kg.Store(tmp_path), lambda: put(tmp_path, "new")):
        with pytest.raises(InputError, match="a database of something else"):
            call()


def test_a_truncated_store_is_refused(tmp_path):
    put(tmp_path, "old")
    whole = (tmp_path / "store.duckdb").read_bytes()
    (tmp_path / "store.duckdb").write_bytes(whole[:5000])
    with pytest.raises((InputError, duckdb.Error)):
        with kg.Store(tmp_path) as store:
            store.sql("from concepts").fetchall()


def test_a_fingerprint_tells_the_sources_of_its_graph_only(tmp_path):
    prints = []
    for row in [None, (0, "literature", "a"), (1, "curated", "b"), (2, "literature", "c")]:
        with kg.Store.writing(tmp_path) as store:
            if row is not None:
                number, graph, sum_ = row
                values = [number, graph, "nodes", "f", sum_, 1, 1, None, "{}"]
                store.sql("insert into sources values (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            prints.append(store.fingerprint("literature"))
    assert prints[1] == prints[2] and len(set(prints)) == 3


def test_without_duckdb_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r"need DuckDB.*pip install '\.\[kg\]'"):
        put(tmp_path, "new")


def test_the_package_is_imported_without_duckdb():
    program = "import sys; from atoll import kg; dir(kg); assert 'duckdb' not in sys.modules; kg.Store"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_graph_that_is_not_there_is_named_with_those_that_are(tmp_path):
    with kg.Store.writing(tmp_path) as store:
        store.sql("insert into concepts values ('curated', 0, 'A:1', 'A', null, null, 0)")
        store.check_graph("curated")
        with pytest.raises(InputError, match=r"graph papers is not in the store \(it has curated\)"):
            store.check_graph("papers")
