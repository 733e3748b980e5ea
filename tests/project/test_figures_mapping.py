# SPDX-License-Identifier: Apache-2.0
"""bench/figures.py: Hamorder's tables, and an order that was measured."""

import shutil
import statistics

import pytest

pytestmark = pytest.mark.nightly

SIMGRID = pytest.mark.skipif(not shutil.which("smpirun"), reason="SimGrid is missing (Debian: libsimgrid-dev)")


@SIMGRID
def test_hamorder_topologies_side_by_side(table):
    _, rows, kept, printed = table("hamorder-table2", "--kernels", "mm")
    assert [cell["network"] for cell in kept] == ["mesh:4x4x4", "torus:4x4x4", *4 * ["random:64:6"]]
    seconds = [cell["seconds"] for cell in kept]
    assert min(seconds) > 2e9 / 64 / 1e11  # the product's flops on 64 hosts of 1e11 flop/s, without communication
    assert [float(cell.split()[0]) for cell in rows[1][1:]] == pytest.approx(seconds, abs=6e-6)
    assert len(rows) == 3 and "random, 1 apart (1.00)" in printed.out and rows[2][0] == "mm, paper"
    assert sum("(best)" in cell for cell in rows[1]) == sum("(worst)" in cell for cell in rows[1]) == 1


@SIMGRID
def test_hamorder_orders_are_compared_with_the_generators(table):
    _, rows, kept, _ = table("hamorder-orders", "--kernels", "cg", "--degrees", "4", "--seeds", "2")
    *cells, linked = kept
    assert len(cells) == 2 * 5 and linked["network"] == "hyperx:64"
    own = [cell["seconds"] for cell in cells if cell["method"] == "identity"]
    known = [cell["seconds"] for cell in cells if cell["method"] == "swap"]
    (row,) = [row for row in rows if row[0] == "cg"]
    assert row[1:3] == ["2", "1.000"]
    assert float(row[6]) == pytest.approx(statistics.mean(k / o for k, o in zip(known, own)), abs=6e-4)
    assert float(row[7]) < float(row[6]) < 1  # who knows the traffic does better than chance; more links help more


@SIMGRID
def test_hamorder_jobs_that_share_no_link_do_not_meet(table):
    _, rows, kept, _ = table("hamorder-interference", "--kernels", "mm")
    seconds = {cell["pattern"]: cell["seconds"] for cell in kept}
    assert seconds["A"] == kept[0]["alone_seconds"] and min(seconds.values()) == seconds["A"]
    assert rows[1][2] == "1.000 (1.000)" and len(rows) == 3


@SIMGRID
def test_hamorder_tuning_starts_at_what_nobody_chose(table, tmp_path):
    words = ["--kernels", "mm", "--trials", 3, "--sampler", "grid", "--folder", tmp_path / "kept"]
    _, rows, kept, _ = table("hamorder-tuning", *words)
    (found,) = kept
    assert found["trials"][0]["point"] == {
        **{"topology": "random:64:6", "mapping": "identity", "mpi": "mpich"},
        **dict.fromkeys(("alltoall", "allreduce", "allgather", "bcast"), "default"),
    }
    assert found["tried"] == 3 and len(found["conventional"]) == 4 and found["speedup"] >= 1
    assert rows[1][0] == "mm" and "<figure" in (tmp_path / "kept/mm.html").read_text()


def test_an_order_that_was_measured_makes_a_ring_faster(table):
    import delayed_hosts

    if missing := delayed_hosts.why_not():
        pytest.skip(missing)
    if not shutil.which("mpicc.openmpi"):
        pytest.skip("no mpicc.openmpi")
    words = ["--near-ms", 0.3, "--far-ms", 3, "--steps", 50, "--trials", 1]
    for _ in range(4):  # a busy machine may disturb one whole measurement
        _, rows, kept, printed = table("measured-map", *words)
        assert [row[0] for row in rows[1:]] == ["bad", "found"]
        times = kept[0]["step_us"]
        if times["found"][0] < times["bad"][0] and kept[0]["found"]["result"]["predicted_gain"] > 1.2:
            break
    # A step takes the mean of the ring's links: four of 3 ms in the bad order, two in the found one.
    assert times["found"][0] > 1500
    assert times["bad"][0] > 3000
    assert times["found"][0] < times["bad"][0]
    assert kept[0]["found"]["result"]["predicted_gain"] > 1.2
    assert "predicted gain" in printed.out
