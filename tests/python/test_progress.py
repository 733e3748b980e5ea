# SPDX-License-Identifier: Apache-2.0
"""Lines of progress, and runs without one."""

import io

import atoll
import numpy as np
import pytest
from atoll import progress
from atoll.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

    monkeypatch.setattr(progress.time, "monotonic", lambda: Clock.now)
    return Clock


def test_a_terminal_has_one_line_that_moves_and_goes(clock):
    out = Terminal()
    with Progress("concepts", 4000, stream=out) as done:
        clock.now += 0.9
        done(100)
        assert out.getvalue() == ""
        clock.now += 1.1
        done(900)
        assert out.getvalue() == "\ratoll: concepts: 25 % (1,000 of 4,000), 500/s, 6 s left\x1b[K"
        clock.now += 0.1
        done()
        assert out.getvalue().count("\r") == 1
        clock.now += 0.2
        done(2999)
        assert out.getvalue().count("\r") == 1  # the end needs no line
    assert out.getvalue().endswith("\r\x1b[K")


def test_a_log_has_a_line_every_ten_seconds(clock):
    out = io.StringIO()
    with Progress("sources", 100_000, stream=out) as done:
        for _ in range(35):
            clock.now += 1
            done(2)
    assert out.getvalue().splitlines() == [
        "atoll: sources: 0 % (20 of 100,000), 2/s, 13 h 53 min left",
        "atoll: sources: 0 % (40 of 100,000), 2/s, 13 h 53 min left",
        "atoll: sources: 0 % (60 of 100,000), 2/s, 13 h 53 min left",
    ]


def test_quiet_and_short_steps_say_nothing(clock):
    for out, quiet, seconds in ((Terminal(), True, 100), (Terminal(), False, 0.1), (io.StringIO(), False, 5)):
        with Progress("rows", 10, quiet=quiet, stream=out) as done:
            clock.now += seconds
            done(5)
        assert out.getvalue() == ""


CALLS = {
    "bc": lambda graph, progress: atoll.betweenness_centrality(graph, progress=progress),
    "weighted bc": lambda graph, progress: atoll.betweenness_centrality(graph, weight=True, progress=progress),
    "closeness": lambda graph, progress: atoll.closeness_centrality(graph, progress=progress),
    "pagerank": lambda graph, progress: atoll.pagerank(graph, progress=progress),
    "cdlp": lambda graph, progress: atoll.label_propagation(graph, iterations=5, progress=progress),
    "eccentricity": lambda graph, progress: atoll.eccentricity(graph, progress=progress),
    "all pairs": lambda graph, progress: atoll.all_pairs(graph, method="fw", peel=False, progress=progress),
}


def weighted_graph(**options):
    rng = np.random.default_rng(5)
    src, dst = rng.integers(0, 200, (2, 900))
    return atoll.Graph.from_edges(src, dst, rng.random(900) + 0.5, directed=False, **options)


@pytest.mark.parametrize("name", CALLS)
def test_a_function_is_told_how_far_an_algorithm_has_come(name):
    told = []
    CALLS[name](weighted_graph(), lambda done, total: told.append((done, total)))
    assert told and all(0 <= done <= total for done, total in told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert name == "eccentricity" or told[-1][0] == told[-1][1] or name == "cdlp"


@pytest.mark.parametrize("name", CALLS)
def test_only_rank_0_is_told(name):
    def run(world):
        told = []
        CALLS[name](weighted_graph(comm=world), lambda done, total: told.append(done))
        return len(told)

    if name == "all pairs":
        CALLS[name] = lambda graph, progress: atoll.all_pairs(graph, progress=progress)
    counts = atoll.run_ranks(3, run, plan={"threads": 1})
    assert counts[0] > 0 and counts[1:] == [0, 0]


def test_a_bar_is_moved():
    class Bar:  # as far as tqdm's are used
        n, total = 7, None

        def update(self, more):
            assert more >= 0
            self.n += more

    bar = Bar()
    atoll.betweenness_centrality(weighted_graph(), progress=bar)
    assert (bar.n, bar.total) == (7 + 200, 7 + 200)


def test_tqdm_is_moved():
    tqdm = pytest.importorskip("tqdm", reason="tqdm is not installed")
    with tqdm.tqdm(file=io.StringIO()) as bar:
        atoll.betweenness_centrality(weighted_graph(), progress=bar)
        assert bar.n == bar.total == 200


def test_true_is_a_line_on_stderr(clock, monkeypatch):
    out = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", out)
    graph = weighted_graph()

    def later():
        clock.now += 0.5
        return clock.now

    monkeypatch.setattr(progress.time, "monotonic", later)
    atoll.betweenness_centrality(graph, progress=True)
    assert "atoll: bc: " in out.getvalue() and " of 200)" in out.getvalue()
    assert out.getvalue().endswith("\r\x1b[K")


def test_what_a_function_raises_ends_the_algorithm():
    def stop(done, total):
        if done >= 3:
            raise StopIteration("enough")

    graph = weighted_graph()
    with pytest.raises(StopIteration, match="enough"):
        atoll.betweenness_centrality(graph, progress=stop)
    assert atoll.pagerank(graph).converged  # the graph goes on
