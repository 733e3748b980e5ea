# SPDX-License-Identifier: Apache-2.0
"""Flights, from a table of a German spreadsheet: semicolons, decimal commas, dates, gaps.

python flights.py          # in this folder, where flights.csv lies
"""

import atoll

g = atoll.Graph("flights.csv", weight="Preis")
print(g, g.columns)
print("degrees:", g.degree().to_dict(), "in:", g.degree("Oslo", direction="in"), "prices:", g.strength("Köln"))
for a, b, price in g.edges(data="Preis"):
    print(a, "-", b, price)

both = g.to_undirected()
parts = atoll.connected_components(g)
print(len(parts), "parts of", parts.sizes()[1])
print("there and back:", atoll.strongly_connected_components(g).sizes()[0])
print("important:", atoll.pagerank(g).top(3))
cheapest = atoll.shortest_path(g, "Köln", "Nizza", weight=True)
print("cheapest to Nizza:", list(cheapest), cheapest.length)
groups = atoll.leiden_communities(both)
print("groups:", groups, groups.modularity)
print("between others:", atoll.betweenness_centrality(g).top(2), "near:", atoll.closeness_centrality(g).top(2))
print("core:", atoll.core_number(both).values.to_dict())
print("cheapest net:", atoll.minimum_spanning_forest(both).total_weight)
print("the north:", list(g.subgraph(["Köln", "Oslo", "Bergen", "Tromsø"]).edges))
atoll.draw(both, color=groups).save("flights.svg")
g.to_pandas().to_parquet("flights.parquet")
groups.to_parquet("groups-of-flights.parquet")
