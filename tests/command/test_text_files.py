# SPDX-License-Identifier: Apache-2.0
"""Texts beside a graph are read whatever ends their lines and behind a byte order mark; UTF-16 is refused by name."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"
MARK = b"\xef\xbb\xbf"
ENDS = [b"\n", b"\r\n", b"\r"]


def atoll(*words, code=0, **options):
    done = subprocess.run([ATOLL, *map(str, words)], capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done


def spelled(file, lines, mark, end):
    file.write_bytes(mark + b"".join(line.encode() + end for line in lines))
    return file


@pytest.mark.parametrize("mark", [b"", MARK])
@pytest.mark.parametrize("end", [*ENDS, b"\r"])
def test_hosts_traffic_topologies_plans_and_pairs(tmp_path, mark, end):
    traffic = spelled(tmp_path / "a.traffic", ["# source target bytes", "0 1 5", "1 3 7"], mark, end)
    hosts = spelled(tmp_path / "hosts.txt", ["a", "b", "c", "d"], mark, end)
    order = tmp_path / "order.txt"
    atoll("map", "mesh:2x2", "--traffic", traffic, "--export", "mpich-hosts", order, "--host-names", hosts)
    assert {line.split(":")[0] for line in order.read_text().split()} <= {"a", "b", "c", "d"}
    slurm = ["SwitchName=s1 \\", "  Nodes=n1,n2", "SwitchName=s2 Nodes=n3,n4", "SwitchName=top Switches=s1,s2"]
    topology = spelled(tmp_path / "topology.conf", slurm, mark, end)
    assert "4 hosts" in atoll("map", topology).stdout
    places = spelled(tmp_path / "places", ["1", "0"], mark, end)
    atoll("run", "bfs", "ring:8", "--source", 0, "--transport", "inproc", "--ranks", 2, "--map", places)
    plan = spelled(tmp_path / "plan.json", ["{", '"threads": 1', "}"], mark, end)
    atoll("run", "bfs", "ring:8", "--source", 0, "--plan", plan)
    atoll("run", "apsp", "path:5", "--output", tmp_path / "d.npy")
    pairs = spelled(tmp_path / "pairs.txt", ["# pairs", "0 4", "1 2"], mark, end)
    assert atoll("apsp", "query", tmp_path / "d.npy", "--pairs", pairs).stdout.split()[3:] == "0 4 4 1 2 1".split()


@pytest.mark.parametrize("mark", [b"", MARK])
@pytest.mark.parametrize("end", ENDS)
def test_shares_results_and_labelled_graphs(tmp_path, mark, end):
    shares = spelled(tmp_path / "a.seeds", ["1 2", "3"], mark, end)
    scores = tmp_path / "scores.txt"
    atoll("run", "pagerank", "ring:6", "--personalization", shares, "--output", scores, "--verify")
    spelled(scores, scores.read_text().split("\n")[:-1], mark, end)
    atoll("verify", "pagerank", "ring:6", scores, "--personalization", shares)
    folder = tmp_path / "graph"
    folder.mkdir()
    spelled(folder / "edges.txt", ["0 1", "1 2", "2 3"], mark, end)
    spelled(folder / "features.txt", ["0 0 1", "1 1 1", "2 0 1", "3 1 1"], mark, end)
    spelled(folder / "labels.txt", ["0", "1", "0", "1"], mark, end)
    spelled(folder / "split.json", ['{"train": [0, 1],', '"val": [2], "test": [3]}'], mark, end)
    atoll("run", "gcn", folder, "--epochs", 2)


def test_lines_that_end_in_cr_alone_are_read(tmp_path):
    shares, scores = spelled(tmp_path / "a.seeds", ["1 2", "3"], b"", b"\r"), tmp_path / "scores.txt"
    plain = spelled(tmp_path / "b.seeds", ["1 2", "3"], b"", b"\n")
    atoll("run", "pagerank", "ring:6", "--personalization", shares, "--output", scores, "--verify")
    atoll("verify", "pagerank", "ring:6", scores, "--personalization", plain)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_refused_by_name(tmp_path, encoding):
    def wide(name, text):
        (tmp_path / name).write_bytes(text.encode(encoding))
        return tmp_path / name

    atoll("run", "apsp", "path:5", "--output", tmp_path / "d.npy")
    numbers, words = wide("a.txt", "0 1 5\n"), wide("topology.conf", "SwitchName=s1 Nodes=n1\n")
    plan = wide("plan.json", '{"threads": 1}')
    for command in (
        ["map", "mesh:2x2", "--traffic", numbers],
        ["map", words],
        ["map", "mesh:1", "--host-names", numbers],
        ["run", "bfs", "ring:8", "--source", 0, "--plan", plan],
        ["run", "pagerank", "ring:6", "--personalization", numbers],
        ["verify", "cc", "ring:6", numbers],
        ["apsp", "query", tmp_path / "d.npy", "--pairs", numbers],
    ):
        said = atoll(*command, code=3).stderr
        assert "UTF-16" in said and str(tmp_path) in said, (command, said)


def test_hosts_with_slots_are_those_of_per_host(tmp_path):
    hosts, order = tmp_path / "hosts.txt", tmp_path / "order.txt"
    words = ["map", "mesh:2x1", "--export", "mpich-hosts", order, "--host-names", hosts]
    for text in ("a:2\nb:2\n", "a slots=2\nb slots=2 max_slots=4\n", "a\na\nb\nb\n"):
        hosts.write_text(text)
        atoll(*words, "--per-host", 2)
        assert sorted(order.read_text().split()) == ["a:2", "b:2"]
        assert "host a has 2 slots" in atoll(*words, code=3).stderr
    hosts.write_text("a:2:3\nb user=x\n")
    assert f"{hosts}:2: 'b user=x'" in atoll(*words, code=3).stderr


def test_what_unpacks_to_far_more_is_refused_in_little_memory(tmp_path):
    atoll("run", "apsp", "path:5", "--output", tmp_path / "d.npy")
    blanks = tmp_path / "pairs.gz"
    with gzip.open(blanks, "wb") as out:
        for _ in range(256):
            out.write(b" " * (1 << 20))
    # The measuring process is small itself: a child's greatest memory counts what its parent had when it began.
    measured = (
        "import resource, subprocess, sys\n"
        "run = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True)\n"
        "print(run.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, run.stderr)\n"
    )
    words = [sys.executable, "-c", measured, ATOLL, "apsp", "query", tmp_path / "d.npy", "--pairs", blanks]
    code, kib, said = subprocess.run(words, capture_output=True, text=True, timeout=120).stdout.split(" ", 2)
    assert code == "3" and "the line is longer than 1048576 bytes" in said
    assert int(kib) < 128 << 10  # unpacked they are 256 MiB


def test_zeros_behind_a_packed_text_are_padding(tmp_path):
    packed = gzip.compress(b"0 4\n1 2\n")
    atoll("run", "apsp", "path:5", "--output", tmp_path / "d.npy")
    pairs = tmp_path / "pairs.gz"
    for padding in (bytes(1), bytes(10240)):
        pairs.write_bytes(packed + padding)
        said = atoll("apsp", "query", tmp_path / "d.npy", "--pairs", pairs).stdout
        assert said.split()[3:] == "0 4 4 1 2 1".split()
    pairs.write_bytes(packed + b"more")
    assert "damaged" in atoll("apsp", "query", tmp_path / "d.npy", "--pairs", pairs, code=3).stderr
