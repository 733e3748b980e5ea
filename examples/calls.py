# SPDX-License-Identifier: Apache-2.0
"""Who calls whom: from a CSV with names, dates and missing values to answers, a picture and a Parquet file.

python calls.py          # in this folder, where calls.csv lies; the numbers of the calls are made up
"""

import atoll
import pandas

graph = atoll.Graph("calls.csv", weight="minutes", duplicates="sum", missing="drop", directed=False)
print(graph)
print(graph.columns)

print("most calls with:", graph.degree().top(3))
print("most minutes:", graph.strength().top(1))
print("who talks to anybody:", atoll.connected_components(graph).sizes())
print("important:", atoll.pagerank(graph).score.top(3))
print("between others:", atoll.betweenness_centrality(graph).top(2))
print("near to all:", atoll.closeness_centrality(graph).top(2))
print("core:", atoll.core_number(graph).core.top(1))
print("from Ann to Max:", atoll.shortest_path(graph, "Ann", "Max").vertices.tolist())

groups = atoll.leiden_communities(graph)
print(groups, groups.sizes())
forest = atoll.minimum_spanning_forest(graph)
print(forest)

one_way = atoll.Graph("calls.csv", missing="drop")
print("calls that come back:", atoll.strongly_connected_components(one_way))

team = graph.subgraph(["Ann", "Bob", "Cid", "Dora", "Eve"])
print("Ann's team:", team)
calls = pandas.read_csv("calls.csv", parse_dates=["date"])
march = calls[calls["date"] < "2026-03-15"]
print("first half of March:", atoll.Graph(march, missing="drop", directed=False))

atoll.draw(graph, color=groups, size=graph.strength()).save("calls.html")
groups.community.to_parquet("groups.parquet")
