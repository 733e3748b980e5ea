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
