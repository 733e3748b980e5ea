# SPDX-License-Identifier: Apache-2.0
"""`atoll report --trace`: the Trace Event Format, with the durations of the run and nothing besides."""

import json

import pytest
from atoll import InputError, report, tune

RUN = {
    "schema": 1,
    "command": "run bfs",
    "seconds": {
        "load": 0.25,
        "build": 0.5,
        "build_phases": {"count": 0.125, "place": 0.25, "total": 0.375},
        "run": 0.02,
        "trials": [0.01, 0.04],
        "computation": [0.002, 0.008],
        "verify": 1.5,
        "rounds": [
            {"found": 3, "pulled": False, "seconds": 0.01, "non_overlapped_communication": 0.0025},
            {"found": 900, "pulled": True, "seconds": 0.02, "non_overlapped_communication": 0.005},
        ],
    },
    "counters": {
        "breakdown": {"compute": 0.056, "inter": 0.07},
        "levels": [{"level": 0, "kind": "node", "messages": 40, "bytes": 1000}],
    },
}


def events_of(*results, **options):
    """The events, each held against the format: what a viewer needs, and slices of a thread that do not overlap."""
    whole = json.loads(report.trace(*results, **options))
    assert set(whole) == {"displayTimeUnit", "otherData", "traceEvents"} and whole["displayTimeUnit"] in {"ms", "ns"}
    ends, named = {}, set()
    for event in whole["traceEvents"]:
        assert {"name", "ph", "ts", "pid", "tid"} <= set(event)
        assert isinstance(event["name"], str) and event["ph"] in {"X", "M", "i"}
        assert all(type(event[key]) is int for key in ("pid", "tid"))
        assert type(event["ts"]) in (int, float) and event["ts"] >= 0
        if event["ph"] == "M":
            assert event["name"] in {"process_name", "thread_name"} and isinstance(event["args"]["name"], str)
            named.add((event["pid"], event["tid"]))
            continue
        thread = event["pid"], event["tid"]
        assert thread in named and (event["pid"], 0) in named
        assert event["ts"] >= ends.get(thread, 0)
        if event["ph"] == "X":
            assert type(event["dur"]) in (int, float) and event["dur"] >= 0
            ends[thread] = event["ts"] + event["dur"]
        else:
            assert event["s"] == "t"
    return whole["traceEvents"]


def slices(events, thread):
    return [(e["name"], e["dur"] / 1e6) for e in events if e["ph"] == "X" and e["tid"] == thread]


def test_durations_are_the_runs_and_no_event_is_invented():
    events = events_of(RUN)
    phases = [("load", 0.25), ("build", 0.5), ("trial 1", 0.01), ("trial 2", 0.04), ("verify", 1.5)]
    assert [(name, pytest.approx(seconds)) for name, seconds in phases] == slices(events, 1)
    assert slices(events, 2) == [("count", pytest.approx(0.125)), ("place", pytest.approx(0.25))]
    assert slices(events, 3) == [("round 1 (push)", pytest.approx(0.01)), ("round 2 (pull)", pytest.approx(0.02))]
    assert sum(e["ph"] == "X" for e in events) == 9
    at = {e["name"]: e["ts"] for e in events if e["ph"] == "X"}
    assert at["count"] == at["build"] == 250_000  # parts begin with their phase, rounds with the last trial
    assert at["round 1 (push)"] == at["trial 2"]
    last = next(e for e in events if e["name"] == "trial 2")
    assert last["args"]["computation_seconds"] == 0.008
    assert last["args"]["rank_seconds_of_all_trials"] == RUN["counters"]["breakdown"]
    assert last["args"]["level 0 node"] == {"messages": 40, "bytes": 1000}


def test_rounds_that_a_long_search_did_not_keep_are_one_slice():
    one = {"found": 1, "pulled": False, "seconds": 0.5, "non_overlapped_communication": 0.25}
    rounds = [one | {"round": k} for k in (1, 2, 903, 904)]
    sums = {"rounds": 900, "found": 1800, "pulled": 7, "seconds": 30.0, "non_overlapped_communication": 2.0}
    events = events_of(RUN | {"seconds": RUN["seconds"] | {"rounds": rounds, "rounds_left_out": sums}})
    names, seconds = zip(*slices(events, 3))
    between = "rounds 3 to 902 (sums; 7 of them pull)"
    assert names == ("round 1 (push)", "round 2 (push)", between, "round 903 (push)", "round 904 (push)")
    assert seconds == pytest.approx((0.5, 0.5, 30, 0.5, 0.5))


def test_runs_and_routes_are_processes_of_their_names():
    row = {"virtual_seconds": 0.5, "inter_domain_messages": 1, "inter_domain_bytes": 2}
    routes = [row | {"route": "direct", "communication_seconds": 0.25}]
    routes.append(row | {"route": "row", "communication_seconds": 0.125})
    events = events_of(RUN, RUN | {"command": "simulate", "routes": routes}, names=["</script>", "far"])
    names = [e["args"]["name"] for e in events if e["name"] == "process_name"]
    assert names == ["</script>", "far, route direct", "far, route row"]
    by_process = [[e["dur"] / 1e6 for e in events if e["ph"] == "X" and e["pid"] == pid] for pid in (2, 3)]
    assert by_process == [[0.25], [0.125]]
    events = events_of(RUN | {"command": "simulate", "routes": [routes[0] | {"run_seconds": 0.4375}]})
    assert [e["dur"] / 1e6 for e in events if e["ph"] == "X"] == [0.4375]
    assert all("predicted" in e["args"]["times"] for e in events if e["ph"] == "X" and e["pid"] > 1)


def test_a_search_has_its_trials_and_failures_have_no_duration():
    tuner = tune.Tuner(tune.Space({"a": [1, 2, 4]}), sampler="grid")
    for seconds in (0.5, None, 0.25):
        tuner.tell(tuner.ask(), seconds, detail="why")
    events = [e for e in events_of(tuner.to_json()) if e["ph"] != "M"]
    assert [(e["name"], e["ph"], e["ts"]) for e in events] == [
        ("trial 1", "X", 0),
        ("trial 2", "i", 500_000),
        ("trial 3", "X", 500_000),
    ]
    assert [e["args"]["point"]["a"] for e in events] == [1, 2, 4]


def test_a_result_without_seconds_is_a_named_process_alone():
    assert [e["ph"] for e in events_of({"schema": 1, "command": "info"})] == ["M"]
    assert report.trace(RUN) == report.trace(json.loads(json.dumps(RUN)))
    with pytest.raises(InputError, match="no number|not a number"):
        report.trace(RUN | {"seconds": {"run": float("nan")}})
