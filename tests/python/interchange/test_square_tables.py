# SPDX-License-Identifier: Apache-2.0
"""A matrix is no list of edges: read as one where that is certain, refused where it may be either; masks are kept."""

import atoll
import numpy as np
import pytest

pytest.importorskip("scipy.sparse")

LABELS = list("abcd")
PATH = np.eye(4, k=1, dtype=int)
EDGES = [("a", "b"), ("b", "c"), ("c", "d")]


def pairs(graph):
    src, dst = (column.tolist() for column in graph.edges.arrays()[:2])
    return sorted((graph.names[u], graph.names[v]) if graph.names is not None else (u, v) for u, v in zip(src, dst))


class TestPandas:
    pandas = pytest.importorskip("pandas")

    def square(self, values=PATH, labels=LABELS, **changes):
        return self.pandas.DataFrame(values, **{"index": labels, "columns": labels, **changes})

    def test_labels_of_rows_and_columns_make_a_matrix(self):
        graph = atoll.Graph(self.square())
        assert pairs(graph) == EDGES and graph.n == 4 and graph.weighted and graph.directed
        assert graph.columns == "a matrix of 4 rows and columns"
        shuffled = atoll.Graph(self.square().loc[list("cadb")])
        assert pairs(shuffled) == EDGES
        assert not atoll.Graph(self.square(PATH + PATH.T), directed=False).directed
        assert pairs(atoll.Graph(self.square(PATH + PATH.T), directed=False)) == EDGES

    @pytest.mark.parametrize("kind", ["int8", "uint64", "float32", "float64", "object", "Int64", "Float32"])
    def test_of_any_type_of_numbers(self, kind):
        graph = atoll.Graph(self.square(PATH * 3).astype(kind))
        assert pairs(graph) == EDGES and set(graph.edges.arrays()[2].tolist()) == {3}
        assert (graph.weight_dtype == np.float32) == (kind.lower() == "float32")

    def test_what_is_missing_is_no_edge(self):
        table = self.square(PATH * 0.5)
        table.loc["a", "d"] = table.loc["d", "a"] = np.nan
        assert pairs(atoll.Graph(table)) == EDGES
        nullable = self.square(PATH * (2**53 - 1)).astype("Int64")
        nullable.loc["a", "d"] = self.pandas.NA
        graph = atoll.Graph(nullable)
        assert pairs(graph) == EDGES and graph.edges.arrays()[2].max() == 2**53 - 1

    def test_bool_has_no_weights_and_weighted_decides(self):
        assert not atoll.Graph(self.square(PATH.astype(bool))).weighted
        assert not atoll.Graph(self.square(), weighted=False).weighted
        with pytest.raises(atoll.InputError, match="the matrix has no weights"):
            atoll.Graph(self.square(PATH.astype(bool)), weighted=True)

    def test_labels_that_are_numbers_are_ids_and_others_objects(self):
        assert pairs(atoll.Graph(self.square(labels=[10, 20, 30, 40]))) == [(10, 20), (20, 30), (30, 40)]
        text = self.square(labels=[10, 20, 30, 40]).rename(columns=str)  # as read_csv has them
        assert atoll.Graph(text).ids.tolist() == [10, 20, 30, 40]
        assert atoll.Graph(self.square(labels=[0.5, 1.5, 2.5, 3.5])).names.tolist() == [0.5, 1.5, 2.5, 3.5]

    def test_the_first_column_may_have_the_labels(self):
        assert pairs(atoll.Graph(self.square().reset_index())) == EDGES
        assert pairs(atoll.Graph(self.square(labels=[7, 8, 9, 5]).reset_index())) == [(7, 8), (8, 9), (9, 5)]

    def test_a_table_of_a_sparse_matrix(self):
        sparse = pytest.importorskip("scipy.sparse")
        table = self.pandas.DataFrame.sparse.from_spmatrix(sparse.eye_array(50, k=1))
        assert pairs(atoll.Graph(table)) == [(k, k + 1) for k in range(49)]

    def test_lone_vertices_and_isolated_ones_stay(self):
        graph = atoll.Graph(self.square(PATH * 0))
        assert (graph.n, graph.m, graph.names.tolist()) == (4, 0, LABELS)

    def test_squares_without_labels_are_matrices_by_their_values(self):
        for values in (PATH, PATH + 1.5, PATH.astype(bool), (PATH + PATH.T) * 5):
            assert atoll.Graph(self.pandas.DataFrame(values)).n == 4

    @pytest.mark.parametrize(
        "table",
        [
            {"a": [0, 1, 2, 3], "b": [1, 2, 3, 0], "c": [5, 6, 7, 8], "d": [1.0, 2.0, 3.0, 4.0]},  # square, unknown
            np.arange(16).reshape(4, 4),  # numbered only
            [[0, 1, 0], [1, 0, 1], [0, 1, 0]],
            np.eye(3),
        ],
    )
    def test_what_may_be_either_is_refused(self, table):
        with pytest.raises(atoll.InputError, match="a matrix of that many vertices, or edges .* source=.*for a matrix"):
            atoll.Graph(self.pandas.DataFrame(table))

    def test_rows_with_names_may_be_those_of_a_matrix_with_two_sides(self):
        table = self.pandas.DataFrame([[1, 0], [0, 1], [1, 1]], index=["u", "v", "w"], columns=["p", "q"])
        with pytest.raises(atoll.InputError, match="or edges with these columns"):
            atoll.Graph(table)
        assert atoll.Graph(table, source="p", target="q").m > 0
        users, items = [1, 1, 2], [30, 40, 30]
        counts = self.pandas.crosstab(self.pandas.Series(users, name="user"), self.pandas.Series(items, name="item"))
        for pivoted in (counts, counts.rename_axis(columns=None)):
            with pytest.raises(atoll.InputError, match="or edges with these columns"):
                atoll.Graph(pivoted)

    def test_edges_stay_edges(self):
        three = self.pandas.DataFrame([[0, 1, 5], [1, 2, 6], [2, 0, 7]])
        assert pairs(atoll.Graph(three)) == [(0, 1), (1, 2), (2, 0)]
        known = {"src": [9, 9, 8, 1], "dst": [1, 2, 1, 3], "weight": [1, 2, 3, 4], "year": [1990, 1991, 1992, 1993]}
        graph = atoll.Graph(self.pandas.DataFrame(known))
        assert pairs(graph) == [(1, 3), (8, 1), (9, 1), (9, 2)] and graph.weighted
        square = self.pandas.DataFrame({"a": [0, 1, 2, 3], "b": [1, 2, 3, 0], "c": [5, 6, 7, 8], "d": [1, 2, 3, 4]})
        assert pairs(atoll.Graph(square, source="a", target="b")) == [(0, 1), (1, 2), (2, 3), (3, 0)]

    def test_wrong_matrices_are_refused(self):
        with pytest.raises(TypeError, match="column 'b'.*is 'x', a str"):
            atoll.Graph(self.square().astype(object).replace(1, "x"))
        with pytest.raises(atoll.UsageError, match="edge_attributes is"):
            atoll.Graph(self.square(), edge_attributes=["a"])

    def test_vertices_have_their_table(self):
        towns = self.pandas.DataFrame({"town": ["a", "c"], "people": [1200, 500]})
        graph = atoll.Graph(self.square(), vertices=towns)
        assert graph.vertex_attributes["people"][[0, 2]].tolist() == [1200, 500]

    @pytest.mark.parametrize("ranks", [2, 3])
    def test_all_ranks_may_give_the_same_matrix(self, ranks):
        def make(world):
            graph = atoll.Graph(self.square(PATH * 2), comm=world)
            return graph.n, graph.m, graph.columns, sum(graph.edges.arrays()[2].tolist())

        found = atoll.run_ranks(ranks, make)
        assert [part[:3] for part in found] == [(4, 3, "a matrix of 4 rows and columns")] * ranks
        assert sum(part[3] for part in found) == 6

    def test_a_matrix_here_and_edges_there_are_an_error_on_all(self):
        def make(world):
            rows = self.square() if world.rank else self.pandas.DataFrame({"source": ["a"], "target": ["b"]})
            with pytest.raises(atoll.UsageError):
                atoll.Graph(rows, comm=world)

        atoll.run_ranks(2, make)


@pytest.mark.parametrize("package", ["polars", "pyarrow"])
def test_square_tables_without_labels_of_rows_are_refused(package):
    module = pytest.importorskip(package)
    make = module.DataFrame if package == "polars" else module.table
    columns = {name: PATH[:, k].tolist() for k, name in enumerate(LABELS)}
    for table, cure in (
        (columns, r"to_numpy\(\)"),
        ({"name": LABELS, **columns}, r"set_index\('name'\)"),
        ({"id": [10, 20, 30], "10": [0, 1, 0], "20": [1, 0, 1], "30": [0, 1, 0]}, r"set_index\('id'\)"),
    ):
        with pytest.raises(atoll.InputError, match=f"a matrix of that many vertices, or edges .*{cure}"):
            atoll.Graph(make(table))
    assert atoll.Graph(make(columns), source="a", target="b").m == 2
    known = {"from": [1, 2, 3, 4], "to": [2, 3, 4, 5], "year": [1, 2, 3, 4], "km": [1.0, 2.0, 3.0, 4.0]}
    assert atoll.Graph(make(known)).n == 5


def test_square_tables_in_files_are_refused(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for labels in (LABELS, range(4)):
        table = pandas.DataFrame(PATH, index=labels, columns=LABELS)
        table.to_parquet(tmp_path / "m.parquet")
        with pytest.raises(atoll.InputError, match="a matrix of that many vertices, or edges .*read_parquet"):
            atoll.Graph(tmp_path / "m.parquet")
    assert pairs(atoll.Graph(pandas.DataFrame(PATH, index=LABELS, columns=LABELS))) == EDGES


class TestArrays:
    def test_masked_entries_are_no_edges(self):
        values = np.arange(16.0).reshape(4, 4)
        graph = atoll.Graph(np.ma.masked_where(values < 12, values))
        assert pairs(graph) == [(3, 0), (3, 1), (3, 2), (3, 3)] and graph.n == 4
        assert graph.edges.arrays()[2].tolist() == [12, 13, 14, 15]

    def test_masks_of_any_kind(self):
        values = np.ones((4, 4))
        values[0, 0] = np.nan
        assert atoll.Graph(np.ma.masked_invalid(values)).m == 15
        assert atoll.Graph(np.ma.array(np.ones((4, 4)))).m == 16  # nomask
        assert atoll.Graph(np.ma.array(np.ones((4, 4)), mask=True)).m == 0
        assert atoll.Graph(np.ma.masked_equal(PATH, 1)).m == 0
        some = np.ma.array(PATH.astype(bool), mask=np.eye(4, dtype=bool))
        assert pairs(atoll.Graph(some)) == [(0, 1), (1, 2), (2, 3)] and not atoll.Graph(some).weighted

    def test_matrices_of_numpy(self):
        assert pairs(atoll.Graph(np.matrix(PATH))) == [(0, 1), (1, 2), (2, 3)]

    def test_records_are_columns(self):
        rows = np.array([(1, 2, 0.5), (2, 3, 0.7)], [("from", "i8"), ("to", "i8"), ("km", "f8")])
        with pytest.raises(TypeError, match=r"Graph\(\(rows\['from'\], rows\['to'\], rows\['km'\]\)\)"):
            atoll.Graph(rows)
        assert atoll.Graph((rows["from"], rows["to"], rows["km"])).m == 2

    def test_lists_of_rows(self):
        for rows in ([[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 5, 0], [5, 0, 7], [0, 7, 0]], [[0, 1], [0, 1]]):
            with pytest.raises(atoll.InputError, match="a matrix, or edges"):
                atoll.Graph(rows)
        assert pairs(atoll.Graph([[0, 1], [1, 2]])) == [(0, 1), (1, 2)]
        assert pairs(atoll.Graph([(0, 1, 0), (1, 0, 1), (0, 1, 0)])) == [(0, 1), (1, 0)]
        with pytest.raises(TypeError, match=r"Graph\.from_dense\(matrix\)"):
            atoll.Graph(PATH.tolist())
