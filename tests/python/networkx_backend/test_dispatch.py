# SPDX-License-Identifier: Apache-2.0
"""Calls that NetworkX hands to the backend, calls declined with a reason, and NetworkX's own tests through it."""

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

nx = pytest.importorskip("networkx")

import _nx_atoll  # noqa: E402
import atoll.networkx as backend  # noqa: E402
from agreement import CONFIG, refused  # noqa: E402
from atoll.networkx.refusals import CONDITIONS  # noqa: E402


def test_calls_that_cannot_agree_are_declined_with_a_reason():
    G = nx.path_graph(4)
    G[0][1]["weight"] = 3
    directed, multi = nx.DiGraph(G), nx.MultiGraph(G)
    assert "of parallel ones" in refused("pagerank", nx.MultiGraph(G))
    refused("pagerank", G, weight=None, nstart={0: 1})
    refused("pagerank", G, weight=None, dangling={0: 1})
    refused("pagerank", G, weight=None, alpha=1)
    refused("pagerank", G, weight=None, personalization={0: -1, 1: 2})
    G[1][2]["weight"] = 0
    refused("betweenness_centrality", G, weight="weight")
    refused("betweenness_centrality", G, weight=lambda u, v, data: 1)
    del G[1][2]["weight"]
    refused("clustering", G, weight="weight")
    refused("single_source_dijkstra_path_length", G, 0, weight=lambda u, v, data: 1)
    for bad in (-1, float("nan"), float("inf"), "3", None, 10**30, 2**60, [1]):
        G[1][2]["weight"] = bad
        refused("single_source_dijkstra_path_length", G, 0)
        refused("betweenness_centrality", G, weight="weight")
    refused("floyd_warshall", G)
    parallel = nx.MultiGraph([(0, 1, {"weight": 1}), (0, 1, {"weight": "2"}), (1, 2)])
    refused("pagerank", parallel)
    refused("single_source_dijkstra_path_length", parallel, 2, cutoff=0)
    refused("pagerank", nx.Graph([(0, 1, {"weight": float("inf")})]))
    G[1][2]["weight"] = 2
    assert "some edges" in refused("floyd_warshall", G)
    refused("floyd_warshall_numpy", G, nodelist=[0, 1, 2])
    refused("average_shortest_path_length", G, weight="weight", method="floyd-warshall")
    refused("closeness_centrality", G, 0)
    refused("harmonic_centrality", G, [0])
    refused("harmonic_centrality", G, sources=[0])
    refused("eccentricity", G, 0)
    refused("eccentricity", G, sp={})
    refused("diameter", G, {0: 1})
    refused("radius", G, usebounds=True)
    assert "16384 nodes" in refused("all_pairs_shortest_path_length", nx.empty_graph(20_000))
    for name in ("core_number", "clustering", "average_clustering", "transitivity"):
        refused(name, directed)
    for name in ("triangles", "clustering", "average_clustering", "transitivity"):
        refused(name, multi)


def test_the_backend_info_lists_all_functions():
    functions = _nx_atoll.get_info()["functions"]
    assert all(callable(getattr(backend, name)) for name in functions)
    others = {
        "DiGraph",
        "Graph",
        "MultiDiGraph",
        "MultiGraph",
        "can_run",
        "convert_from_nx",
        "convert_to_nx",
        "from_atoll",
        "read_edgelist",
        "should_run",
    }
    assert functions.keys() == set(backend.__all__) - others


@pytest.mark.skipif(not CONFIG, reason="signatures have changed since")
@pytest.mark.parametrize("name", sorted(_nx_atoll.FUNCTIONS))
def test_arguments_are_bound_as_networkx_binds_them(name):
    """By place: NetworkX passes nearly all so."""
    theirs = nx.utils.backends._registered_algorithms[name].orig_func
    given = [(p.name, p.default) for p in inspect.signature(theirs).parameters.values()]
    assert [(p.name, p.default) for p in inspect.signature(getattr(backend, name)).parameters.values()] == given
    condition = CONDITIONS.get(name)
    if condition is not None:
        asked = [p for p in inspect.signature(condition).parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD]
        assert [(p.name, p.default) for p in asked] == given[: len(asked)]


def test_the_tables_of_the_page_are_current():
    script = Path(__file__).parents[3] / "scripts/check_networkx.py"
    done = subprocess.run([sys.executable, script, "--table", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_networkx_does_not_load_atoll():
    program = (
        "import sys, networkx as nx; assert 'atoll' in nx.utils.backends.backends; sys.exit('atoll' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.3 or later is needed")
def test_priority_leaves_small_graphs_to_networkx(monkeypatch):
    called = []
    monkeypatch.setattr(backend, "pagerank", lambda *_, **__: called.append(1) or {})
    with nx.config.backend_priority(algos=["atoll"]):
        nx.pagerank(nx.path_graph(5))
        assert not called
        nx.pagerank(nx.path_graph(2000))
        assert called


MODULES = {
    "flow.tests.test_maxflow",
    "link_analysis.tests.test_pagerank",
    "centrality.tests.test_betweenness_centrality",
    "centrality.tests.test_closeness_centrality",
    "centrality.tests.test_eigenvector_centrality",
    "centrality.tests.test_harmonic_centrality",
    "centrality.tests.test_katz_centrality",
    "components.tests.test_biconnected",
    "components.tests.test_connected",
    "components.tests.test_weakly_connected",
    "shortest_paths.tests.test_dense",
    "shortest_paths.tests.test_dense_numpy",
    "shortest_paths.tests.test_generic",
    "shortest_paths.tests.test_unweighted",
    "shortest_paths.tests.test_weighted",
    "tests.test_bridges",
    "tests.test_core",
    "tests.test_cluster",
}


@pytest.mark.nightly
@pytest.mark.skipif(not CONFIG, reason="NetworkX 3.2's tests also try a backend of their own, beside atoll")
def test_networkx_own_tests_pass(tmp_path):
    pytest.importorskip("scipy")
    names = [f"networkx.algorithms.{module}" for module in sorted(MODULES)]
    # Functions that are not registered, or declined, go to NetworkX; all registered ones run here.
    environment = {**os.environ, "NETWORKX_TEST_BACKEND": "atoll", "NETWORKX_FALLBACK_TO_NX": "True"}
    # Negative cycles begin at their first node here (scripts/networkx_suite.json).
    others = ["-k", "not test_find_negative_cycle"]
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *others, "--pyargs", *names]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    last = done.stdout.splitlines()[-1]
    assert "skipped" not in last and int(last.split(" passed")[0].split()[-1]) > 250, last


def test_it_is_said_that_networkx_can_do_it_only_where_it_can():
    G = nx.DiGraph([(0, 1)])
    with pytest.raises(NotImplementedError, match=r"^louvain_communities: .*supported\. NetworkX itself can do it\.$"):
        backend.louvain_communities(G)
    with pytest.raises(NotImplementedError, match=r"^leiden_communities: directed graphs are not supported\.$"):
        backend.leiden_communities(G)
    assert "multigraphs" in backend.can_run("core_number", (nx.MultiGraph([(0, 1)]),), {})
    assert "Multigraphs are refused" in _nx_atoll.FUNCTIONS["core_number"]
