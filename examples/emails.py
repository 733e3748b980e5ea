# SPDX-License-Identifier: Apache-2.0
"""Emails in a table of pandas, and a table of all that is found out about their senders.

python emails.py          # in this folder, where emails.csv lies
"""

import atoll
import pandas as pd

emails = pd.read_csv("emails.csv", parse_dates=["sent_at"], date_format="ISO8601")
g = atoll.Graph(emails, weight="bytes", duplicates="sum")
print(g, g.columns)
print(g.to_pandas().sort_values("weight", ascending=False).head(3))
both = g.to_undirected(duplicates="sum")

people = pd.DataFrame(
    {
        "degree": g.degree().to_pandas(),
        "rank": atoll.pagerank(g).values.to_pandas(),
        "between": atoll.betweenness_centrality(g).values.to_pandas(),
        "near": atoll.closeness_centrality(g).values.to_pandas(),
        "component": atoll.connected_components(g).values.to_pandas(),
        "strong": atoll.strongly_connected_components(g).values.to_pandas(),
        "core": atoll.core_number(both).values.to_pandas(),
        "community": atoll.leiden_communities(both).values.to_pandas(),
    }
)
print(people.sort_values("rank", ascending=False).round(3))
print(people.loc["alice@x.org", "community"], people.groupby("community").size().to_dict())
print("path:", list(atoll.shortest_path(g, "alice@x.org", "frank@y.com")))
print("tree:", atoll.minimum_spanning_forest(both).to_graph().to_pandas())
print("inside x.org:", g.subgraph(people.index[people.index.str.endswith("@x.org")]))
print("busy:", g.filter(people["degree"] > 2))
march = emails[emails["sent_at"] >= "2024-03-05"]
print("since the 5th:", atoll.Graph(march))
people.to_parquet("people.parquet")
g.to_parquet("emails.parquet")
atoll.draw(g, color=people["community"], size=people["rank"]).save("emails.svg")
