# SPDX-License-Identifier: Apache-2.0
"""NetworkX as the tests of its backend want it."""

import pytest


@pytest.fixture(autouse=True)
def quiet_about_the_cache(monkeypatch):
    nx = pytest.importorskip("networkx")
    if hasattr(nx, "config"):
        monkeypatch.setattr(nx.config, "warnings_to_ignore", {"cache"}, raising=False)
