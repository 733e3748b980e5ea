# SPDX-License-Identifier: Apache-2.0
"""What tests, and jobs that they start or kill, put into the folder for temporary files goes at the end."""

import os
import shutil
import tempfile

import pytest


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
