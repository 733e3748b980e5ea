# SPDX-License-Identifier: Apache-2.0
"""The figures of `atoll report`: their values are the run's, whatever a run has or lacks, and whoever named it."""

import copy
import json
import math
import re

import atoll
import pytest
from report_pages import Page

pytest.importorskip("plotly", reason="pages need plotly")

from atoll import report
from atoll.report import compare, domains
from atoll.report.document import Section, document
from atoll.report.figure import Figure
from atoll.report.runs import runs_of

LEVELS = [
    {"level": 0, "kind": "node", "messages": 40, "bytes": 1000, "merged_bytes": 0},
    {"level": 1, "kind": "switch", "messages": 12, "bytes": 600, "merged_bytes": 50},
]
TRAFFIC = [0, 400, 100, 0, 300, 0, 0, 200, 50, 0, 0, 150, 0, 250, 150, 0]  # 4 x 4
RUN = {
    "schema": 1,
    "command": "run bfs",
    "input": {"name": "kron:12", "vertices": 4096, "edges": 48611},
    "plan": {"route": "domain"},
    "world": {
        "ranks": 4,
        "threads": 1,
        "transport": "inproc",
        "hierarchy": {
            "kind": "switch",
            "children": [{"kind": "node", "ranks": [0, 1]}, {"kind": "node", "ranks": [2, 3]}],
        },
    },
    "seconds": {
        "load": 0.25,
        "build": 0.5,
        "build_phases": {"count": 0.125, "place": 0.25, "total": 0.375},
        "prepare": 0.0625,
        "run": 0.02,
        "mean": 0.025,
        "trials": [0.01, 0.02, 0.04],
        "computation": [0.002, 0.004, 0.008],
        "verify": 1.5,
        "rounds": [
            {"found": 3, "pulled": False, "seconds": 0.01, "non_overlapped_communication": 0.0025},
            {"found": 900, "pulled": True, "seconds": 0.02, "non_overlapped_communication": 0.005},
        ],
    },
    "counters": {
        "breakdown": {"compute": 0.056, "intra": 0.03, "inter": 0.07, "stall": 0.004},
        "levels": LEVELS,
        "traffic": {"between": "ranks", "bytes": TRAFFIC},
        "routes": [{"route": "row", "exchanges": 4, "predicted_seconds": 0.001, "seconds": 0.004}],
    },
    "result": {"reached": 3358, "levels": 6, "per_source": [{"source": 7, "reached": 3358}]},
    "verified": True,
}


def page(*results, **options):
    return Page(report.page(*results, **options))


def changed(**parts):
    result = copy.deepcopy(RUN)
    result.update(parts)
    return result


def test_every_figure_holds_the_numbers_of_the_run():
    made = page(RUN)
    seconds = RUN["seconds"]
    shares = made.figure("Where the time went")
    assert {name: trace["x"] for name, trace in shares.items()} == {
        part: [value] for part, value in RUN["counters"]["breakdown"].items()
    }
    assert made.figure("Phases")["Phases"]["x"] == [0.25, 0.5, 0.0625, 0.02, 1.5]  # load build prepare run verify
    assert made.figure("Parts of the build")["Parts of the build"]["x"] == [0.125, 0.25]  # their total is no part
    trials = made.figure("Trial by trial")
    assert trials["computation"]["y"] == seconds["computation"]
    rest = trials["waiting and communication"]["y"]
    assert [a + b for a, b in zip(seconds["computation"], rest)] == pytest.approx(seconds["trials"])
    rounds = made.figure("Round after round")
    assert rounds["found"]["y"] == [3, 900]
    assert rounds["waiting for others"]["x"] == [0.0025, 0.005]
    assert rounds["computing"]["base"] == [0, 0.01]
    assert made.figure("What crossed each level")["sent"]["x"] == [1000, 600]
    assert made.figure("What crossed each level")["saved by merging"]["x"] == [0, 50]
    assert sum(made.figure("Who sent to whom")["heatmap"]["customdata"], []) == TRAFFIC
    forecast = made.figure("Predicted beside measured")
    assert (forecast["expected"]["x"], forecast["measured"]["x"]) == ([0.001], [0.004])
    tree = made.figure("The tree of domains")["icicle"]
    assert tree["labels"] == ["switch of ranks 0-3", "node of ranks 0-1", "node of ranks 2-3"]
    assert tree["parents"] == ["", "0", "0"] and tree["values"] == [4, 2, 2]
    assert tree["marker"]["colors"] == [0, 100 + 0 + 0 + 200, 50 + 0 + 0 + 250]
    assert made.titles_of_figures() == [title for title in made.titles if title != "What differs"]


def test_what_records_take_is_drawn_where_a_clock_knows_it():
    parts = {"compute": 0.5, "intra": 0.25, "inter": 0.25, "stall": 0.0, "copying": 0.125, "handling": 0.5}
    shares = page(changed(counters={"breakdown": parts})).figure("Where the time went")
    assert {name: trace["x"] for name, trace in shares.items()} == {part: [value] for part, value in parts.items()}


def test_every_figure_is_one_of_plotly_and_has_its_numbers_as_a_table():
    import plotly.graph_objects as go

    gcn = {"runs": [{"seed": 1, "losses": [2.0, 1.5], "validation_losses": [2.1, 1.9], "scored_epochs": [1, 2]}]}
    made = page(RUN, changed(result=gcn, command="run gcn"), names=["one", "two"])
    assert len(made.figures) > 15
    for figure in made.figures.values():
        go.Figure(figure)  # refuses a property that Plotly has not
    plots = [given for tag, given in made.attributes if given.get("class") == "plot"]
    assert len(plots) == len(made.figures) and all(given["tabindex"] == "0" for given in plots)
    summaries = re.findall(r"The numbers of: ", made.words)
    assert len(summaries) == len(plots)
    assert ["training, seed 1", "validation, seed 1"] == list(made.figure("Losses by epoch"))
    assert ["seed 1", "training", "2", "1.5"] in sum(made.tables, [])
    assert ["1 switch", "12", "600", "50 B", "50"] in sum(made.tables, [])


def test_what_a_file_lacks_is_said_and_not_drawn():
    bare = page({"schema": 1, "command": "bench exchange", "result": {"records_per_second": 4.7e7}})
    assert bare.figures == {}
    for words in ["computation and communication", "messages between ranks", "tree", "matrix of traffic", "prediction"]:
        assert words in bare.words
    full = page(RUN)
    assert "no matrix" not in full.words and "no timeline of ranks; that of rounds is below" in full.words


def test_bytes_of_links_are_those_of_the_matrix_at_every_depth():
    # Four leaf domains under two switches; the matrix is between leaf domains.
    tree = {"kind": "top", "children": []}
    for first in (0, 4):
        leaves = [{"kind": "node", "ranks": [first + k, first + k + 1]} for k in (0, 2)]
        tree["children"].append({"kind": "switch", "children": leaves})
    found = domains.domains_of(tree, {"between": "leaf domains", "bytes": TRAFFIC})
    for one in found:
        inside = sorted({rank // 2 for rank in one.ranks})
        outside = [k for k in range(4) if k not in inside]
        assert one.left == sum(TRAFFIC[4 * i + j] for i in inside for j in outside)
        assert one.entered == sum(TRAFFIC[4 * j + i] for i in inside for j in outside)
    assert [one.depth for one in found] == [0, 1, 2, 2, 1, 2, 2]
    strange = domains.domains_of(tree, {"between": "ranks", "bytes": TRAFFIC})  # of another job: 4 ranks, not 8
    assert all(one.left is None for one in strange)


def test_a_large_matrix_is_grouped_and_says_so():
    side = 130
    flat = [i + 1 if i != j else 0 for i in range(side) for j in range(side)]
    big = changed(counters={"traffic": {"between": "leaf domains", "bytes": flat}})
    made = page(big)
    cells = made.figure("Who sent to whom")["heatmap"]["customdata"]
    assert len(cells) == 44 and sum(map(sum, cells)) == sum(flat)
    assert "Each cell is a group of 3 x 3" in made.words and "largest of" in made.words


def test_rounds_that_were_not_kept_are_one_bar_and_the_page_says_so():
    one = {"found": 1, "pulled": False, "seconds": 0.5, "non_overlapped_communication": 0.25}
    rounds = [one | {"round": k} for k in (1, 2, 903)]
    sums = {"rounds": 900, "found": 1800, "pulled": 7, "seconds": 30.0, "non_overlapped_communication": 2.0}
    made = page(changed(seconds={"rounds": rounds, "rounds_left_out": sums}))
    found = made.figure("Round after round")["found"]
    assert found["x"] == ["1", "2", "3-902", "903"] and found["y"] == [1, 1, 1800, 1]
    waiting = made.figure("Round after round")["waiting for others"]
    assert waiting["base"] == pytest.approx([0.25, 0.75, 29, 31.25])
    assert "Rounds 3-902 were not kept one by one: they are one bar, their sum." in made.words


def test_the_routes_of_a_simulation_are_runs_with_the_tree_of_the_platform():
    row = {
        "communication_seconds": 0.125,
        "run_seconds": 0.25,
        "virtual_seconds": 0.5,
        "inter_domain_messages": 12,
        "inter_domain_bytes": 600,
        "levels": LEVELS,
        "breakdown": {"compute": 0.5},
        "result": {},
        "whole": {"traffic": {"between": "leaf domains", "bytes": [0, 5, 7, 0]}},
    }
    result = {
        "schema": 1,
        "command": "simulate",
        "simulated_command": ["run", "bfs", "kron:8"],
        "platform": {"name": "cluster:2x4", "ranks": 8, "domains": "2x4"},
        "routes": [row | {"route": "direct"}, row | {"route": "row", "run_seconds": 0.125}],
    }
    made = page(result)
    assert made.headings[1] == "Beside each other"
    assert made.figure("Times beside each other")["the run (median)"]["x"] == [0.25, 0.125]
    tree = made.figure("The tree of domains")["icicle"]
    assert tree["labels"] == ["switch of ranks 0-7", "node of ranks 0-3", "node of ranks 4-7"]
    assert tree["marker"]["colors"] == [0, 5, 7]
    assert "predicted: ranks in virtual time" in made.words
    for shape, ranks in [("2+3", 5), ("2x4", 9), ("", 1), ("9999999x9999999", 99999980000001)]:
        result["platform"].update(domains=shape, ranks=ranks)
        assert runs_of(result, "x")[0].hierarchy is None


def test_runs_beside_each_other_have_speedups_and_what_differs():
    slow, fast = RUN, changed(plan={"route": "direct"}, seconds={"run": 0.005, "trials": [0.005]})
    other = changed(command="run cc", counters={}, seconds={"run": 0.08})
    made = page(slow, fast, other, names=["a", "b", "c"])
    by_name = {row[0]: row for row in made.tables[0][1:]}
    assert by_name["b"][1:5] == ["run bfs", "measured", "5 ms", "4"] and by_name["c"][4] == "1"
    assert ["plan.route", "domain", "direct", "domain"] in made.tables[1]
    times = made.figure("Times beside each other")
    assert times["the run (median)"]["x"] == [0.02, 0.005, 0.08]
    assert times["trials"]["x"] == [0.01, 0.02, 0.04, 0.005]
    assert made.figure("Where their time went")["inter"]["x"] == [0.07, 0.07]
    assert made.figure("Bytes by level")["level 1"]["x"] == [600, 600]
    assert "No messages counted in: c." in made.words
    assert compare.differences([RUN, changed(seconds={})]) == []
    assert "They were asked alike" in page(RUN, RUN, names=["a", "b"]).words


def test_two_runs_of_one_name_are_told_apart():
    made = page(RUN, RUN, names=["a", "a"])
    assert [text for rank, text in zip(made.ranks, made.headings) if rank == "h2"][1:] == ["a", "a (2)"]


def test_colours_have_a_scale_with_a_title():
    made = page(RUN)
    tree, cells = made.figure("The tree of domains")["icicle"], made.figure("Who sent to whom")["heatmap"]
    assert tree["marker"]["showscale"] and tree["marker"]["colorbar"]["title"]["text"] == "bytes out"
    assert cells["colorbar"]["title"]["text"] == "bytes"


def test_parts_of_the_answer_that_cannot_be_drawn_are_refused():
    for found, why in [
        ({"vertices_by_depth": [1, "x"]}, r"result.vertices_by_depth\[1\] is 'x'"),
        ({"top": [{"id": 1}]}, r"result.top\[0\].value is missing, not a number$"),
        ({"largest": 5}, "result.largest is 5, not a list"),
        ({"distances": {"histogram": [{"from": 0, "to": 1, "pairs": 1}]}}, "result.distances.rows is missing"),
    ]:
        with pytest.raises(atoll.InputError, match=why):
            report.page(changed(result=found))
    page({"schema": 1, "command": "bench memory", "result": {"top": 5}})  # another verb's word
    with pytest.raises(atoll.InputError, match=r"provenance.command"):
        report.page(changed(provenance={"command": [5]}))


HOSTILE = '</script><img src=x onerror="alert(1)"><a href="https://example.org">\u2028 & ${x}'


def test_hostile_names_are_words_wherever_they_stand():
    result = changed(command=HOSTILE, input={"name": HOSTILE}, error={"message": HOSTILE})
    result["world"]["hierarchy"]["children"][0]["name"] = HOSTILE
    result["result"] = {HOSTILE: HOSTILE, "rows": [{HOSTILE: HOSTILE}], "top": [{"name": HOSTILE, "value": 1}]}
    result["result"] |= {"top_of": HOSTILE, "largest": [{HOSTILE: HOSTILE, "vertices": 2}], "largest_of": HOSTILE}
    result["provenance"] = {"command": [HOSTILE], "host": HOSTILE, "date": HOSTILE, "version": HOSTILE}
    result["counters"]["levels"] = [LEVELS[0] | {"kind": HOSTILE}]
    result["counters"]["traffic"] = RUN["counters"]["traffic"] | {"between": HOSTILE}
    result["counters"]["routes"] = [RUN["counters"]["routes"][0] | {"route": HOSTILE}]
    result["seconds"] = RUN["seconds"] | {"build_phases": {HOSTILE: 1.0}, HOSTILE: 1.0}
    text = report.page(result, result, names=[HOSTILE, HOSTILE])
    made = Page(text)  # refuses elements, attributes and links that a page has not
    assert HOSTILE in made.words and text.count("<script") == 3

    def strings(value):
        if isinstance(value, dict):
            return [s for inner in value.values() for s in strings(inner)]
        if isinstance(value, list):
            return [s for inner in value for s in strings(inner)]
        return [value] if isinstance(value, str) else []

    # Plotly makes elements of tags in labels.
    shown = [s for figure in made.figures.values() for s in strings(figure)]
    assert any("&lt;/script&gt;" in s for s in shown) and not any("<" in s for s in shown if s != "between")


def test_values_of_figures_cannot_end_their_element():
    figure = Figure("a", [{"type": "bar", "name": "</script><b>"}], {"height": 100}, [], [])
    made = Page(document("a", [Section("a", figures=[figure])], script=""))
    assert made.figures["figure-1"]["data"] == figure.data


def test_the_same_input_gives_the_same_bytes_of_moderate_size():
    first, second = report.page(RUN, RUN, names=["a", "b"]), report.page(copy.deepcopy(RUN), RUN, names=["a", "b"])
    assert first == second and len(first.encode()) < 3_000_000
    assert "plotly.js" in Page(first).plotly[:200]


def test_values_that_axes_cannot_show_are_kept_apart():
    zero = changed(seconds={"run": 0.0, "trials": [0.0, 0.0], "load": 0}, counters={"breakdown": {"compute": 0.0}})
    assert page(zero).titles_of_figures() == ["Trial by trial", "The tree of domains"]
    huge = changed(seconds={"run": 1e300, "trials": [1e-300, 1e300]})
    assert math.isfinite(json.loads(json.dumps(page(huge).figures))["figure-1"]["data"][0]["x"][0])
