# SPDX-License-Identifier: Apache-2.0
"""`atoll run gcn`: accuracy, the same curve on any number of ranks, checkpoints, and wrong files."""

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from job_processes import gone, processes_of

ROOT = Path(__file__).parents[2]
ATOLL = ROOT / "bin/atoll"
CORA = Path(os.environ.get("ATOLL_DATA", ROOT.parent / "shared/data")) / "graphs/gnn/cora-plain"
RANKS = [1, 2, 3, 4, 5, 8]


def words_of(folder, *words, ranks=1, transport="inproc"):
    common = ["--threads", "1", "--ranks", str(ranks), "--transport", transport]
    return [str(ATOLL), "run", "gcn", str(folder), *common, *map(str, words)]


def result(folder, *words, **how):
    done = subprocess.run(
        [*words_of(folder, *words, **how), "--json", "-"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]


def curve(found):
    run = found["runs"][0]
    return [run[key] for key in ("losses", "train_accuracies", "validation_losses", "validation_accuracies")]


def assert_near(one, other):
    for a, b in zip(one, other, strict=True):
        assert a == pytest.approx(b, abs=1e-4)


def make(folder, vertices=90, classes=3):
    """Communities whose members have features of their own, and some vertices without edges."""
    draw = random.Random(5)
    folder.mkdir()
    labels = [v % classes for v in range(vertices)]
    members = [[v for v in range(vertices - 4) if labels[v] == c] for c in range(classes)]
    edges = {tuple(sorted(draw.sample(members[draw.randrange(classes)], 2))) for _ in range(4 * vertices)}
    edges |= {tuple(sorted(draw.sample(range(vertices - 4), 2))) for _ in range(vertices // 2)}
    features = [
        (v, f) for v in range(vertices) for f in range(12) if draw.random() < (0.6 if f % classes == labels[v] else 0.2)
    ]
    (folder / "edges.txt").write_text("".join(f"{u} {v}\n" for u, v in sorted(edges)))
    (folder / "features.txt").write_text("".join(f"{v} {f} 1\n" for v, f in features))
    (folder / "labels.txt").write_text("".join(f"{-1 if v == vertices - 1 else c}\n" for v, c in enumerate(labels)))
    order = draw.sample(range(vertices - 1), vertices - 1)
    split = {"train": order[:20], "val": order[20:40], "test": order[40:]}
    (folder / "split.json").write_text(json.dumps(split))
    return folder


@pytest.fixture
def small(tmp_path):
    return make(tmp_path / "small")


@pytest.mark.skipif(not CORA.is_dir(), reason="the data folder has no Cora")
def test_cora_with_the_standard_split():
    one = result(CORA, "--seeds", 10)
    assert one["test_accuracy"] == pytest.approx(0.815, abs=0.01)
    assert one["test_accuracy_deviation"] < 0.02
    assert (one["train_vertices"], one["validation_vertices"], one["test_vertices"]) == (140, 500, 1000)
    assert (one["features"], one["classes"]) == (1433, 7)
    first = result(CORA)
    for ranks in (2, 4):
        assert_near(curve(first), curve(result(CORA, ranks=ranks)))


@pytest.mark.parametrize("ranks", RANKS)
def test_the_curve_is_the_same_on_any_number_of_ranks(small, ranks):
    words = ["--epochs", "40", "--widths", "8,4", "--learning-rate", "0.05", "--dropout", "0.2"]
    one, other = result(small, *words), result(small, *words, ranks=ranks)
    assert_near(curve(one), curve(other))
    assert one["test_accuracy"] == pytest.approx(other["test_accuracy"], abs=0.03)
    assert curve(one)[0][-1] < 0.8 * curve(one)[0][0]  # it learns
    assert one["test_accuracy"] > 0.6
    assert len(curve(one)[0]) == len(curve(one)[1]) == 40
    assert 0 <= one["spmm_share"] <= 1 and one["epoch_seconds"] > 0


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_curve_is_the_same_in_any_order(small, ranks):
    words = ["--epochs", "40", "--widths", "8,4", "--type", "float64", "--order"]
    plain, *others = (result(small, *words, order, ranks=ranks) for order in ("none", "rabbit", "random"))
    assert plain["order_why"] == "none (as asked)" and plain["order_cost_in_epochs"] == 0
    for other, name in zip(others, ("rabbit", "random"), strict=True):
        assert other["order"] == name and other["order_cost_in_epochs"] > 0
        assert_near(curve(plain), curve(other))
        assert other["test_accuracy"] == pytest.approx(plain["test_accuracy"], abs=0.03)


def test_partitions_packed_files_and_more_ranks_than_vertices(tmp_path):
    folder = make(tmp_path / "tiny", vertices=30)
    one = result(folder, "--epochs", 10)
    for file in ("edges.txt", "features.txt", "labels.txt"):
        subprocess.run(["gzip", str(folder / file)], check=True)
    for partition in ("hashed", "hierarchy", "balanced"):
        assert_near(curve(one), curve(result(folder, "--epochs", 10, "--partition", partition, ranks=3)))
    (tmp_path / "less").mkdir()
    less = tmp_path / "less"
    (less / "edges.txt").write_text("0 1\n1 2\n")
    (less / "features.txt").write_text("0 0 1\n1 1 2\n2 0 0.5\n")
    (less / "labels.txt").write_text("0\n1\n1\n")
    (less / "split.json").write_text('{"train": [0, 1], "test": [2]}')
    assert_near(curve(result(less, "--epochs", 5)), curve(result(less, "--epochs", 5, ranks=8)))


@pytest.mark.nightly
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("first, second", [(1, 3), (2, 1), (3, 4)])
def test_an_ended_run_goes_on_to_the_same_curve(small, tmp_path, how, first, second):
    words = ["--epochs", "1500", "--score-every", "50"]
    whole = result(small, *words)
    kept = tmp_path / "kept"
    saving = [*words, "--checkpoint", kept, "--checkpoint-every", "1"]
    job = subprocess.Popen(
        words_of(small, *saving, ranks=first, transport="shm"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not (kept / "seed-1.checkpoint").exists():
        assert job.poll() is None and time.monotonic() < deadline
        time.sleep(0.002)
    processes = processes_of(job)
    job.send_signal(how)
    errors = job.communicate(timeout=60)[1]
    if how == signal.SIGTERM:
        assert job.returncode == 1
        assert errors.count("ended by SIGTERM after") == 1 and "seed-1.checkpoint" in errors
    else:
        assert job.returncode == -signal.SIGKILL
        assert gone(processes, 30)  # the ranks end when they notice
    again = result(small, *words, "--checkpoint", kept, ranks=second, transport="shm")
    one, other = whole["runs"][0], again["runs"][0]
    assert 0 < other["resumed_from"] < 1500
    assert one["scored_epochs"] == other["scored_epochs"]
    assert len(one["losses"]) == len(other["losses"]) == 1500
    assert one["losses"][:200] == pytest.approx(other["losses"][:200], abs=1e-3)  # then roundings grow
    assert again["test_accuracy"] == pytest.approx(whole["test_accuracy"], abs=0.06)
    # A third time there is nothing left to do.
    done = result(small, *saving, ranks=second)
    assert done["runs"][0]["resumed_from"] == 1500
    assert done["test_accuracy"] == again["test_accuracy"]


def test_a_resumed_run_on_as_many_ranks_has_the_same_bits(small, tmp_path):
    words = ["--epochs", "60", "--checkpoint", tmp_path / "kept"]
    whole = result(small, "--epochs", "60", ranks=2)
    result(small, "--epochs", "25", *words[2:], ranks=2)
    again = result(small, *words, ranks=2)
    assert again["runs"][0]["resumed_from"] == 25
    assert curve(again) == curve(whole)


def refused(folder, *words, ranks=2, code=3):
    done = subprocess.run(words_of(folder, *words, ranks=ranks), capture_output=True, text=True, timeout=60)
    assert done.returncode == code, (done.returncode, done.stderr)
    assert done.stderr.count("error:") == 1, done.stderr  # once for all ranks
    return done.stderr


def test_a_checkpoint_of_another_run_and_a_damaged_one_are_refused(small, tmp_path):
    kept = tmp_path / "kept"
    words = ["--epochs", "3", "--checkpoint", kept]
    result(small, *words)
    assert "is of another run (dropout is 0.5 there, 0.4 here)" in refused(small, *words, "--dropout", "0.4")
    file = kept / "seed-1.checkpoint"
    good = file.read_bytes()
    (small / "labels.txt").write_text((small / "labels.txt").read_text().replace("0\n", "1\n", 1))
    assert "is of another run (input is" in refused(small, *words)
    for at in (0, len(good) // 2, len(good) - 1):
        file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert "seed-1.checkpoint: " in refused(small, *words)
    for cut in (5, 40, len(good) - 1):
        file.write_bytes(good[:cut])
        assert "seed-1.checkpoint: " in refused(small, *words)


@pytest.mark.parametrize(
    "file, change, text",
    [
        ("edges.txt", lambda t: t + "3 90\n", "edges.txt:{last}: target is 90 ("),
        ("edges.txt", lambda t: t + "3 x\n", "edges.txt:{last}: "),
        ("edges.txt", lambda t: t + "3 4 5\n", "edges.txt:{last}: the line has 3 columns"),
        ("edges.txt", None, "edges.txt: no such file"),
        ("features.txt", lambda t: t + "90 1 1\n", "features.txt:{last}: vertex is 90 ("),
        (
            "features.txt",
            lambda t: t + "9 1\n",
            "features.txt:{last}: the line has 2 columns (vertex, feature and value",
        ),
        ("features.txt", lambda t: t + "9 1 nan\n", "features.txt:{last}: "),
        ("features.txt", lambda t: t + "9 99999999999 1\n", "features.txt:{last}: feature is 99999999999 ("),
        ("features.txt", lambda t: t + t.splitlines()[0] + "\n", "features.txt: vertex 0 has feature"),
        ("features.txt", None, "features.txt: no such file"),
        ("labels.txt", lambda t: "zero\n" + t, "labels.txt:1: the label is 'zero' ("),
        ("labels.txt", lambda t: t.replace("1\n", "-2\n", 1), "labels.txt:2: the label is '-2' ("),
        ("labels.txt", lambda t: "-1\n" * 90, "labels.txt: has no label but -1"),
        ("labels.txt", lambda t: t.replace("\n1\n", "\n-1\n"), ": the label is -1 (vertex"),
        ("labels.txt", None, "labels.txt: no such file"),
        ("split.json", lambda t: t[:-1], "split.json:1: is no JSON ("),
        ("split.json", lambda t: t.replace('"train": [', '"train": [90, '), "split.json:1: train[0] is 90 ("),
        ("split.json", lambda t: t.replace('"train": [', '"train": [-1, '), "split.json:1: train[0] is -1 ("),
        ("split.json", lambda t: t.replace('"train": [', '"train": [3, 3, '), "(it was named before)"),
        ("split.json", lambda t: t.replace("train", "trains"), 'split.json:1: has no "train"'),
        ("split.json", lambda t: t.replace("val", "valid"), 'split.json:1: has "valid" (train, val and test'),
        ("split.json", lambda t: '{"train": []}', "no vertex is for training"),
        ("split.json", None, "split.json: no such file"),
    ],
)
@pytest.mark.parametrize("ranks", [1, 3])
def test_wrong_files_are_refused_with_their_place(small, file, change, text, ranks):
    path = small / file
    if change is None:
        path.unlink()
        assert text in refused(small, ranks=ranks)
        return
    path.write_text(change(path.read_text()))
    assert text.format(last=len(path.read_text().splitlines())) in refused(small, ranks=ranks)


@pytest.mark.parametrize("options", [[], ["--directed"], ["--domains", "2x2"]])
def test_any_graph_with_random_features_and_labels(options):
    words = ["--epochs", 4, "--widths", "32,8", "--features", 5, "--classes", 4, "--dropout", 0, *options]
    one, other = result("kron:8", *words[:-2] if "--domains" in options else words), result("kron:8", *words, ranks=4)
    assert_near(curve(one), curve(other))
    assert one["features"] == 5 and one["classes"] == 4 and one["parameters"] == 5 * 32 + 32 + 32 * 8 + 8 + 8 * 4 + 4
    assert other["strategy"] in (("cola", "halo") if "--domains" in options else ("halo",))
    assert other["why"].startswith(other["strategy"])
    assert ("predicted" in other["why"]) == ("--domains" in options)


@pytest.mark.parametrize("strategy", ["broadcast", "broadcast-1.5d", "broadcast-2d", "rowwise", "cola", "joint"])
@pytest.mark.parametrize("directed", [[], ["--directed"]])
def test_the_curve_does_not_depend_on_the_strategy(strategy, directed):
    words = ["--epochs", 6, "--widths", "8", "--features", 5, "--classes", 3, *directed]
    one = result("kron:8", *words)
    for workgroup in ([], ["--workgroup", 3]):
        other = result("kron:8", *words, *workgroup, "--strategy", strategy, ranks=4)
        assert_near(curve(one), curve(other))
        assert other["strategy"] == other["why"] == strategy


@pytest.mark.parametrize(
    "words, text",
    [
        (["--widths", "0"], "--widths"),
        (["--dropout", "1"], "--dropout"),
        (["--epochs", "0"], "--epochs"),
        (["--strategy", "flat"], "--strategy"),
        (["--checkpoint-every", "3"], "--checkpoint"),
        (["--features", "3"], "is a folder that says that itself"),
        (["--directed"], "is a folder that says that itself"),
    ],
)
def test_wrong_options_are_refused(small, words, text):
    assert text in refused(small, *words, ranks=1, code=2)


def test_what_a_graph_has_no_use_for_is_refused():
    assert "kron:6 is no folder of features" in refused("kron:6", "--rows", "as-they-are", code=2)


def test_dense_layers_take_virtual_time():
    words = ["ring:1000", "--undirected", "--features", "16", "--widths", "32", "--classes", "16", "--epochs", "2"]
    words += ["--score-every", "0"]
    simulate = [str(ATOLL), "simulate", "--platform", "a800:1", "--route", "direct", "--quiet", "--json", "-"]
    done = subprocess.run([*simulate, "--", "run", "gcn", *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)["routes"][0]["result"]
    # Values that memory moves for a vertex: features dropped (32), times weights (48), rectified (64), times weights
    # (48), plus biases (32), softmax and its gradient (64); back: biases (16, 32), weights (48, 48), inputs (48, 96).
    vertex, layer = 576, 16 * 32
    parameters = 2 * layer + 32 + 16
    assert run["parameters"] == parameters
    values = 1000 * vertex + 5 * layer + 7 * parameters  # five products read or write the weights; Adam
    dense = run["epoch_seconds"] * (1 - run["spmm_share"])
    assert dense == pytest.approx(4 * values / 1381e9, rel=1e-6)
