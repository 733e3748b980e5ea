# SPDX-License-Identifier: Apache-2.0
"""Who calls whom: from a CSV with names, dates and missing values to answers, a picture and Parquet files.

python calls.py          # in this folder, where calls.csv lies; the numbers of the calls are made up
"""

import atoll
import pandas

graph = atoll.Graph("calls.csv", weight="minutes", duplicates="sum", missing="drop", directed=False)
print(graph)
print(graph.columns)

print("most calls with:", graph.degree().top(3))
print("most minutes:", graph.strength().top(1))
print("who talks to anybody:", [len(group) for group in atoll.connected_components(graph)])
ranks = atoll.pagerank(graph)
print("important:", ranks.top(3), "and Ann", round(ranks["Ann"], 3))
print("between others:", atoll.betweenness_centrality(graph).top(2))
print("near to all:", atoll.closeness_centrality(graph).top(2))
print("core:", atoll.core_number(graph).top(1))
path = atoll.shortest_path(graph, "Ann", "Max")
print("from Ann to Max:", list(path))
print("by as few minutes as possible:", atoll.shortest_path_length(graph, "Ann", "Max", weight="minutes"))

groups = atoll.leiden_communities(graph)
print(groups)
for group in groups:
    print("a group:", ", ".join(sorted(group)))
print(atoll.minimum_spanning_forest(graph))

one_way = atoll.Graph("calls.csv", missing="drop")
print("calls that come back:", atoll.strongly_connected_components(one_way))

team = graph.subgraph(["Ann", "Bob", "Cid", "Dora", "Eve"])
print("Ann's team:", team, "and around Ann:", list(atoll.ego_graph(graph, "Ann")))
calls = pandas.read_csv("calls.csv", parse_dates=["date"])
march = calls[calls["date"] < "2026-03-15"]
print("first half of March:", atoll.Graph(march, missing="drop", directed=False))

atoll.draw(graph, color=groups, size=graph.strength()).save("calls.html")
groups.to_parquet("groups.parquet")
graph.to_parquet("graph.parquet")
