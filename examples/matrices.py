# SPDX-License-Identifier: Apache-2.0
"""A graph as SciPy has it: from a sparse matrix to distances, components, ranks, groups and products, and back.

python matrices.py          # needs SciPy; the matrix is drawn by a seed
"""

import atoll
import numpy as np
import scipy.sparse

rng = np.random.default_rng(7)
near = scipy.sparse.random_array((300, 300), density=0.01, rng=rng)
A = (near + near.T).tocsr()  # A[i, j] is the weight of the edge between i and j

graph = atoll.Graph(A, directed=False)
print(graph)
degrees = np.asarray(graph.degree())
print("mean degree:", degrees.mean(), "most at:", degrees.argmax())

search = atoll.sssp(graph, 0)
distance = np.asarray(search)
print("from 0 to all, farthest:", round(distance[np.isfinite(distance)].max(), 6), "reached:", search.reached)
pairs = np.asarray(atoll.all_pairs(graph))
print("all pairs:", pairs.shape, "row 0 is the same:", np.allclose(pairs[0], distance))

parts = atoll.connected_components(graph)
labels = np.asarray(parts)
print("components:", len(parts), "vertices of the largest:", int((labels == labels[0]).sum()))
ranks = np.asarray(atoll.pagerank(graph, tol=1e-9))
print("first three by rank:", ranks.argsort()[::-1][:3].tolist(), "sum:", round(ranks.sum(), 6))
groups = atoll.louvain_communities(graph)
print("communities above 0.4:", atoll.modularity(graph, groups) > 0.4)

core = atoll.core_number(graph)
dense = graph.filter(np.asarray(core) >= 3)
print("of the 3-core:", dense)
print("back as a matrix:", dense.to_scipy().shape, "symmetric:", abs(dense.to_scipy() - dense.to_scipy().T).max() == 0)

X = rng.random((300, 8))
print("product as SciPy's:", np.allclose(atoll.spmm(A, X), A @ X))
forest = atoll.minimum_spanning_forest(graph)
print("spanning forest:", forest.edge_count, "edges, weight", round(forest.total_weight, 6))
np.save("ranks.npy", ranks)
