# SPDX-License-Identifier: Apache-2.0
"""What a line of progress says, and where it says nothing."""

import io

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
