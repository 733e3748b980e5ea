# SPDX-License-Identifier: Apache-2.0
"""The changes that scripts/mutants.py makes to a line, and what it does not change."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("mutants", ROOT / "scripts/mutants.py")
mutants = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mutants)


@pytest.mark.parametrize(
    "line, changes",
    [
        ("x = a < b ? a : b;", ["x = a >= b ? a : b;", "x = a <= b ? a : b;", "{}"]),
        ("const int n = a + b;", ["const int n = a - b;"]),
        ("constexpr int kRounds = 6;", ["constexpr int kRounds = 7;", "constexpr int kRounds = 5;"]),
        ("int n = 0;", ["int n = 1;"]),  # never below 0
        ("  if (ready) {", ["  if (!(ready)) {"]),
        (
            "  if (auto p = f(); p && q) g(p);",
            ["  if (auto p = f(); p || q) g(p);", "  if (auto p = f(); !(p && q)) g(p);"],
        ),
        ("  load[r] += w;", ["  load[r] -= w;", "  {}"]),
        ("  std::sort(a.begin(), a.end());", ["  {}"]),
        ("  if (done) continue;", ["  if (!(done)) continue;", "  if (done) {}"]),
        ("  return true;", ["  return false;"]),
        ("  return best;", ["  return {};"]),
    ],
)
def test_each_line_has_these_changes(line, changes):
    assert mutants.mutations(line) == changes


@pytest.mark.parametrize(
    "line",
    [
        "",
        "// a < b + 1",
        "#include <vector>",
        "static_assert(sizeof(int) == 4);",
        'const char* text = "a < b + 1";',
        "std::vector<int> list;",
        "const char c = '1';",
        "auto half_f32 = narrow;",
        "double rate = 2.5;",
        "Foo bar(baz);",
        "using Id = std::uint32_t;",
    ],
)
def test_declarations_comments_and_strings_are_unchanged(line):
    assert mutants.mutations(line) == []


def test_a_comment_behind_code_stays_as_it_is():
    assert "x = a - b;  // a + b < 1" in mutants.mutations("x = a + b;  // a + b < 1")


def test_mutants_of_a_file_name_their_lines_in_order():
    found = mutants.mutants_of("f.cpp", "int f(int a) {\n  return a;\n}\n")
    assert found == [("f.cpp", 2, "  return a;", "  return {};")]


def test_a_changed_file_keeps_the_numbers_of_its_lines():
    text = mutants.with_change("one\ntwo\nthree\n", 2, "2")
    assert text.split("#line 1\n")[1] == "one\n2\nthree\n"


@pytest.mark.parametrize(
    "floor, above, expected",
    [
        ("graph/partition", False, ["graph/partition"]),
        ("graph", False, ["graph/partition", "graph"]),
        ("graph/partition", True, ["graph/partition", "engine"]),
    ],
)
def test_the_nearest_tests_come_first(floor, above, expected):
    rooms = ["base", "engine", "graph", "graph/partition"]
    assert mutants.rooms_for(Path("cpp/atoll/graph/partition/cut.cpp"), rooms, floor, above) == expected


def test_a_folder_without_tests_uses_those_of_its_parent():
    assert mutants.rooms_for(Path("cpp/atoll/graph/new/a.cpp"), ["graph"], "graph/new", False) == ["graph"]
