# SPDX-License-Identifier: Apache-2.0
"""A network of friends, as one writes it for NetworkX: loops over vertices and edges, dictionaries, sets.

python friends.py          # in this folder, where friends.csv lies; names in it are missing, dates too
"""

import atoll

G = atoll.Graph("friends.csv", directed=False)
print(G, "with", G.number_of_nodes(), "people and", G.number_of_edges(), "friendships")
for u, v in G.edges():
    print(u, "knows", v)
print("most friends:", sorted(G.degree(), key=lambda pair: pair[1], reverse=True)[:3])
print("Ann has", G.degree["Ann"], "friends:", list(G.neighbors("Ann")), "Eve among them:", "Eve" in G["Ann"])

print("circles:", [sorted(circle) for circle in atoll.connected_components(G)])
largest = G.subgraph(max(atoll.connected_components(G), key=len))
print("the largest:", largest)
rank = atoll.pagerank(G)
print("first:", max(rank, key=rank.get), "and all:", {name: round(score, 3) for name, score in rank.items()})
print("from Ann to Gil:", list(atoll.shortest_path(G, "Ann", "Gil")), atoll.shortest_path_length(G, "Ann", "Gil"))
between, near = atoll.betweenness_centrality(G), atoll.closeness_centrality(G)
for name in G:
    print(f"{name:12} between {between[name]:.3f} near {near[name]:.3f} core {atoll.core_number(G)[name]}")
for number, group in enumerate(atoll.louvain_communities(largest), 1):
    print("group", number, sorted(group))
print("2-core:", sorted(atoll.k_core(G, 2)))

strong = atoll.Graph("friends.csv", weight="strength", directed=False, duplicates="sum")
tree = atoll.minimum_spanning_forest(strong)
for u, v, strength in sorted(tree.edges(data="weight")):
    print("in the tree:", u, v, strength)
arrows = atoll.Graph("friends.csv")
print(
    "who comes back to whom:", [sorted(part) for part in atoll.strongly_connected_components(arrows) if len(part) > 1]
)
atoll.draw(G, size=rank).save("friends.svg")
G.to_parquet("friends.parquet")
