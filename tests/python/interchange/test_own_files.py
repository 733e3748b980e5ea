# SPDX-License-Identifier: Apache-2.0
"""Files as people have them: what is wrong with one is said of its line, in words of Python, and nothing is guessed."""

import atoll
import pytest

WRONG = {
    "a line is short": ("source,target\nAnn,Bob\nBob\nCid,Dan\n", ":3: the line has 1 column"),
    "a quote is open": ('source,target\nAnn,"Bob\nBob,Cid\n', ":2: a quote is not closed on its line"),
    "headings or names": ("name,friend\nAnn,Bob\nann,Bob\n", r":1: the line is 'name,friend' \(headings, or an edge"),
    "ids with fractions": ("from,to\n1.0,2.0\n2.0,3.0\n", ":2: source is '1.0' .* Write it as 1, by astype"),
    "decimal commas": ("1;2;1,250\n2;3;1,500\n", r":1: weight is '1,250' .*\. Say which .* one: decimal=\.$"),
    "zeros in front": (
        "1,2\n" * 100 + "3,0012\n",
        r":101: target is 0012 \(with its zeros .*\. Read names by names=True\. Or read numbers by names=False\.$",
    ),
    "a word for an id": ("1,2\n3,x4\n", r":2: target is 'x4' .* read names by names=True \(docs/names\.md\)\.$"),
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("ranks", [1, 3])
def test_a_wrong_file_is_refused_by_its_line(tmp_path, what, ranks):
    text, message = WRONG[what]
    file = tmp_path / "own.csv"
    file.write_text(text)

    def read(world):
        with pytest.raises(atoll.Error, match=message) as raised:
            atoll.Graph(file, comm=world)
        return str(raised.value)

    told = atoll.run_ranks(ranks, read)
    assert len(set(told)) == 1 and "--" not in told[0] and "in Python" not in told[0]


def test_the_doubt_about_headings_is_settled_by_the_argument_that_it_names(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text("name,friend\nAnn,Bob\n")
    with pytest.raises(atoll.UsageError, match=r"Say headings=True or headings=False\.$"):
        atoll.Graph(file)
    assert sorted(atoll.Graph(file, headings=True)) == ["Ann", "Bob"]
    assert sorted(atoll.Graph(file, headings=False)) == ["Ann", "Bob", "friend", "name"]


def test_a_warning_names_the_argument_of_python(tmp_path, caplog):
    file = tmp_path / "own.csv"
    file.write_text("source,target,minutes\nAnn,Bob,3\nBob,,2\n")
    with caplog.at_level("WARNING", "atoll"):
        assert atoll.Graph(file).m == 1
    assert caplog.messages[0].endswith('(an empty field, or one such as NA). Refuse them by missing="error".')


ZIPS = "from,to,weight\n02134,2134,1\n02134,10001,190\n"


@pytest.mark.parametrize("ranks", [1, 3])
def test_ids_with_zeros_in_front_are_names_unless_numbers_are_asked_for(tmp_path, ranks):
    file = tmp_path / "zips.csv"
    file.write_text(ZIPS)

    def read(world):
        named, numbers = atoll.Graph(file, comm=world), atoll.Graph(file, names=False, comm=world)
        return [named._as_known(named.ids).tolist(), numbers.ids.tolist(), named.names is None, numbers.names is None]

    found = atoll.run_ranks(ranks, read)
    assert [v for part in found for v in part[0]] == ["02134", "10001", "2134"]
    assert [v for part in found for v in part[1]] == [2134, 10001]
    assert all(part[2:] == [False, True] for part in found)
    assert atoll.Graph(file)["02134"]["10001"] == 190


def test_zeros_in_front_make_names_of_tables_and_knowledge_graphs_too(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    file = tmp_path / "zips.csv"
    file.write_text(ZIPS)
    table = pandas.read_csv(file, dtype={"from": str, "to": str})
    assert atoll.Graph(table).names.tolist() == atoll.Graph(file).names.tolist()
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    from atoll import kg

    with kg.Store.writing(tmp_path / "kg") as store:
        kg.import_edges(store, str(file), graph="literature")
        assert sorted(id for (id,) in store.sql("select id from concepts").fetchall()) == ["02134", "10001", "2134"]


def test_how_a_file_was_read_is_said_in_a_line(tmp_path, caplog):
    file = tmp_path / "calls.csv"
    file.write_text("caller;callee;day;minutes\nAnn;Bob;Mon;3,5\nBob;;Tue;1,5\nAnn;Bob;Wed;2,5\n")
    with caplog.at_level("INFO", "atoll"):
        graph = atoll.Graph(file, weight="minutes", directed=False)
    said = (
        "source 'caller' (column 1), target 'callee' (column 2), weight 'minutes' (column 4); cut by semicolons, "
        "decimal commas; not used: column 3; undirected; 1 of 3 lines left out, where an end or the weight is missing"
    )
    merged = "1 parallel edge merged by min; duplicates='sum' adds their weights"
    assert f"{file}: vertices have names; {said}" in caplog.messages and f"{file}: {merged}" in caplog.messages
    assert graph.columns == f"{said}; {merged}"
    assert str(graph) == f"{graph!r}\nread: {graph.columns}" and "\n" not in repr(graph)
    assert "<th>read</th><td>source &#x27;caller&#x27;" in graph._repr_html_()
    file.write_text("1,2,0.5\n2,3,1.5\n")
    numbers = atoll.Graph(file)
    assert numbers.columns == "source in column 1, target in column 2, weight in column 3; cut by commas; directed"
    assert str(numbers).endswith(f"\nread: {numbers.columns}")
    file.write_text("# from Ann\n0 1\n1 2\n")
    assert atoll.Graph(file).columns == "source in column 1, target in column 2, no weight; cut by blanks; directed"
    assert atoll.Graph("ring:5").columns == "" and str(atoll.Graph("ring:5")) == repr(atoll.Graph("ring:5"))
    with atoll.Graph(file) as closed:
        pass
    assert str(closed) == "<atoll.Graph: closed>"
