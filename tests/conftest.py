# SPDX-License-Identifier: Apache-2.0
"""Fixtures of all tests: a folder for temporary files that goes at the end, and signals that programs hear."""

import os
import shutil
import signal
import tempfile

import pytest


def pytest_make_parametrize_id(config, val, argname):
    """Names bytes by their argument and its number: what a packer writes has the time in it, and the processes of
    pytest-xdist, which collect a second apart, must find the same names."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session", autouse=True)
def signals_for_programs():
    """Gives signals a handler: a process in the background ignores SIGINT and SIGQUIT, under nohup SIGHUP, and so would
    every program that tests start and send one. A handler, unlike ignoring, is not inherited by them: they hear it,
    this process does not.
    """
    ignored = [one for one in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP) if signal.getsignal(one) == signal.SIG_IGN]
    for one in ignored:
        signal.signal(one, lambda number, frame: None)
    yield
    for one in ignored:
        signal.signal(one, signal.SIG_IGN)


@pytest.fixture(scope="session", autouse=True)
def temporary_files(tmp_path_factory):
    tmp_path_factory.getbasetemp()  # pytest's own folder keeps its place; files of failed tests stay there
    before = os.environ.get("TMPDIR")
    folder = tempfile.mkdtemp(prefix="atoll-")  # short: it contains sockets of launchers, whose paths are limited
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    yield
    tempfile.tempdir = None
    if before is None:
        del os.environ["TMPDIR"]
    else:
        os.environ["TMPDIR"] = before
    shutil.rmtree(folder, ignore_errors=True)
