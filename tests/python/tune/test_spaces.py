# SPDX-License-Identifier: Apache-2.0
"""Spaces of parameters: values, rules, files of them, and what is wrong in one."""

import pytest
from atoll import InputError, tune


def test_values_are_listed_or_stepped_and_keep_their_order():
    space = tune.Space(
        {
            "z": ["u", "v"],
            "n": {"from": 1, "to": 8, "factor": 2},
            "r": {"from": 0.5, "to": 1.5, "step": 0.5},
            "on": [True, False],
            "m": {"from": 3, "to": 8, "step": 2},
        }
    )
    assert space.parameters == {
        "z": ["u", "v"],
        "n": [1, 2, 4, 8],
        "r": [0.5, 1.0, 1.5],
        "on": [True, False],
        "m": [3, 5, 7],
    }
    assert list(space.parameters) == ["z", "n", "r", "on", "m"] == list(space.at(0))
    assert len(space) == 2 * 4 * 3 * 2 * 3
    points = list(space.points())
    assert points[0] == {"z": "u", "n": 1, "r": 0.5, "on": True, "m": 3}
    assert points[1] == {"z": "u", "n": 1, "r": 0.5, "on": True, "m": 5}
    assert [space.number_of(point) for point in points] == list(range(len(space)))


def test_a_file_of_toml_and_one_of_json_are_one_space(tmp_path):
    pytest.importorskip("tomllib")
    toml, plain = tmp_path / "s.toml", tmp_path / "s.json"
    toml.write_text(
        'rules = ["a * b <= 4"]\nstart = { a = 2, b = 2 }\n'
        "[parameters]\na = [1, 2, 4]\nb = { from = 1, to = 4, factor = 2 }\n"
    )
    plain.write_text(
        '{"parameters": {"a": [1, 2, 4], "b": [1, 2, 4]}, "rules": ["a * b <= 4"], "start": {"a": 2, "b": 2}}'
    )
    assert tune.Space.read(toml).to_json() == tune.Space.read(plain).to_json()
    kept = [(p["a"], p["b"]) for p in tune.Space.read(toml).points()]
    assert kept == [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (4, 1)]


@pytest.mark.parametrize(
    "content, why",
    [
        ("{", "Expecting"),
        ("[]", "no object of parameters"),
        ('{"parameters": {"a": [1]}, "rule": []}', "has rule"),
        ('{"parameters": {}}', "no parameters"),
        ('{"parameters": {"a": []}}', "'a' has no values"),
        ('{"parameters": {"a": [1, 1]}}', "'a' has a value twice"),
        ('{"parameters": {"a": [1], "a": [2]}}', "a twice"),
        ('{"parameters": {"a": [1, "x"]}}', "'a' has the values"),
        ('{"parameters": {"a": 5}}', "'a' is 5"),
        ('{"parameters": {"a": {"from": 1, "to": 9}}}', "'a' is"),
        ('{"parameters": {"a": {"from": 1, "to": 9, "step": 0}}}', "a step above 0"),
        ('{"parameters": {"a": {"from": 9, "to": 1, "step": 1}}}', "from at most to"),
        ('{"parameters": {"a": {"from": 0, "to": 8, "factor": 2}}}', "from above 0"),
        ('{"parameters": {"a": {"from": 0, "to": 1e9, "step": 1}}}', "more than 2^20 values"),
        ('{"parameters": {"a": [1]}, "rules": ["b < 2"]}', "names 'b'"),
        ('{"parameters": {"a": [1]}, "rules": ["a <"]}', "rule 'a <'"),
        ('{"parameters": {"a": [1]}, "rules": ["open(a)"]}', "has a Call"),
        ('{"parameters": {"a": [1]}, "start": {"a": 2}}', "a is 2"),
        ('{"parameters": {"a": [1]}, "start": {}}', "no 'a'"),
        ('{"parameters": {"a": [1, 2]}, "rules": ["a > 1"], "start": {"a": 1}}', "breaks the rule"),
    ],
)
def test_a_wrong_space_is_rejected_with_file_and_reason(tmp_path, content, why):
    file = tmp_path / "space.json"
    file.write_text(content)
    with pytest.raises(InputError) as error:
        tune.Space.read(file)
    assert str(file) in str(error.value) and why in str(error.value)


def test_a_rule_that_cannot_be_evaluated_is_named():
    space = tune.Space({"a": [1, 0]}, rules=["4 / a > 1"])
    with pytest.raises(InputError, match="rule '4 / a > 1' fails at .*ZeroDivisionError"):
        list(space.points())


def test_a_space_too_large_to_count_is_rejected():
    with pytest.raises(InputError, match="more than 2\\^53 points"):
        tune.Space({name: {"from": 1, "to": 1000, "step": 1} for name in "abcdefg"})
