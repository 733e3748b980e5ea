# SPDX-License-Identifier: Apache-2.0
"""The content of a graph, in a form that tests compare, and files to read it from."""

import atoll


def content(graph):
    """Whether it is directed, its vertices, and its edges with weights, as users name them."""
    made = graph.to_networkx()
    nodes = sorted(made.nodes(), key=repr)
    edges = []
    for u, v, data in made.edges(data=True):
        ends = (u, v) if graph.directed else tuple(sorted((u, v), key=repr))
        edges.append((*ends, data["weight"]) if graph.weighted else ends)
    return graph.directed, nodes, sorted(edges, key=repr)


def told(directed, nodes, edges):
    """The content that is expected, in any order."""
    turned = [edge if directed else (*sorted(edge[:2], key=repr), *edge[2:]) for edge in edges]
    return directed, sorted(nodes, key=repr), sorted(turned, key=repr)


def read(folder, name, text, **options):
    """The graph that a file of this text, or these bytes, is read as."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return atoll.Graph(path, **{"duplicates": "keep", **options})


def notes(caplog):
    """Returns the warnings."""
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
