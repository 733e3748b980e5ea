# SPDX-License-Identifier: Apache-2.0
"""bench/figures.py mini-batches from end to end, on a tiny graph."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]


def figures(kept, *words):
    done = subprocess.run(
        [sys.executable, ROOT / "bench/figures.py", "mini-batches", *map(str, words), "--json", kept],
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done, json.loads(kept.read_text())


def two_communities(path):
    random = np.random.default_rng(1)
    labels = np.arange(200) % 2
    edges = random.integers(200, size=(3000, 2))
    edges = edges[(labels[edges[:, 0]] == labels[edges[:, 1]]) & (edges[:, 0] != edges[:, 1])]
    edges = edges[np.argsort(edges[:, 0])]
    starts = np.concatenate([[0], np.cumsum(np.bincount(edges[:, 0], minlength=200))])
    features = {"feat_indptr": np.arange(201), "feat_indices": labels, "feat_data": np.ones(200)}
    np.savez(path, adj_indptr=starts, adj_indices=edges[:, 1], labels=labels, feat_shape=[200, 2], **features)


def test_mini_batches_are_timed_and_learn(tmp_path):
    two_communities(tmp_path / "two.npz")
    words = ["--python", sys.executable, "--systems", "loader and layers", "--threads", 1, "--turns", 3]
    words += ["--batch-size", 16, "--fanouts", 3, 2, "--cache", tmp_path / "cache"]
    done, kept = figures(tmp_path / "kept.json", *words, "--graphs", tmp_path / "two.npz", "--workers", 0, 1)
    assert done.returncode == 0, done.stderr
    assert [(row["workers"], row["system"]) for row in kept] == [(0, "loader and layers"), (1, "loader and layers")]
    assert all(row["accuracy"] == 1 and row["edges"] > 500 and row["epoch"] > 0 < row["batches"] for row in kept)


def test_a_system_that_takes_too_long_is_left_out(tmp_path):
    two_communities(tmp_path / "two.npz")
    sleeps = tmp_path / "sleeps"
    sleeps.write_text("#!/bin/sh\necho ready\nread question\nexec sleep 100\n")
    sleeps.chmod(0o755)
    words = ["--python", sleeps, "--graphs", tmp_path / "two.npz", "--cache", tmp_path / "cache", "--limit", 0.1]
    done, kept = figures(tmp_path / "kept.json", *words)
    assert done.returncode == 1 and kept == []
    assert "batches has taken more than 0.1 s" in done.stderr
