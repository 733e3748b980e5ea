# SPDX-License-Identifier: Apache-2.0
"""The greatest flow and the least cut: the values of NetworkX, nothing lost on the way, the same on all ranks."""

import atoll
import numpy as np
import pytest
from reference import random_edges

networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("ranks", [1, 3])
def test_values_are_those_of_networkx_and_flows_keep_to_capacities(directed, ranks):
    src, dst = random_edges(4, vertices=40, edges=140)
    capacity = np.random.default_rng(4).integers(0, 9, len(src)).astype(np.float64)
    other = networkx.DiGraph() if directed else networkx.Graph()
    for s, t, c in zip(src.tolist(), dst.tolist(), capacity.tolist()):
        if s != t:
            before = other[s][t]["capacity"] if other.has_edge(s, t) else 0
            other.add_edge(s, t, capacity=before + c)
    nodes = sorted(other)
    ends = [(nodes[0], nodes[9]), (nodes[3], nodes[-1]), (nodes[20], nodes[5])]

    def find(world):
        own = slice(world.rank, None, world.size)
        graph = atoll.Graph.from_edges(
            src[own], dst[own], capacity[own], directed=directed, duplicates="sum", comm=world
        )
        found = []
        for s, t in ends:
            flow, cut = atoll.maximum_flow(graph, s, t), atoll.minimum_cut(graph, s, t)
            columns = flow.source.tolist(), flow.target.tolist(), flow.flow.tolist()
            found.append((flow.value, cut.value, *columns, cut.source_side.tolist(), cut.target_side.tolist()))
        return found

    answers = atoll.run_ranks(ranks, find)
    assert all(answer == answers[0] for answer in answers)
    for (s, t), (value, of_cut, u, v, flow, near, far) in zip(ends, answers[0]):
        assert value == of_cut == networkx.maximum_flow_value(other, s, t)
        assert set(far) == networkx.minimum_cut(other, s, t)[1][1]
        assert sorted(near + far) == sorted({*src.tolist(), *dst.tolist()})
        net = dict.fromkeys(other, 0.0)
        for a, b, amount in zip(u, v, flow):
            assert (0 if directed else -other[a][b]["capacity"]) <= amount <= other[a][b]["capacity"]
            net[a] -= amount
            net[b] += amount
        assert all(left == (-value if n == s else value if n == t else 0) for n, left in net.items())


def test_names_columns_and_errors():
    graph = atoll.Graph([("a", "b", 3.0), ("b", "c", 2.0), ("c", "d", 5.0)], directed=True)
    found, cut = atoll.maximum_flow(graph, "a", "d"), atoll.minimum_cut(graph, "a", "d")
    assert found.value == 2 and found.source.tolist() == ["a", "b", "c"] and "2 along 3 of 3" in repr(found)
    assert cut.source_side.tolist() == ["a", "b"] and cut.target_side.tolist() == ["c", "d"]
    assert cut.to_pandas()["side"].tolist() == ["source", "source", "target", "target"]
    with pytest.raises(atoll.InputError, match="the source and the target"):
        atoll.maximum_flow(graph, "a", "a")
    with pytest.raises(atoll.InputError, match="no weights"):
        atoll.minimum_cut("path:4", 0, 3)
