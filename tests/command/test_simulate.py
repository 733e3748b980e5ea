# SPDX-License-Identifier: Apache-2.0
"""Ranks in virtual time from the command line: --transport levels and flows, atoll simulate, and traffic sent again."""

import json
import subprocess
from pathlib import Path

import pytest

ATOLL = Path(__file__).parents[2] / "bin/atoll"


def atoll(*words, code=0):
    assert ATOLL.exists(), "make build makes bin/atoll"
    done = subprocess.run([ATOLL, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    return done


def report(*words):
    return json.loads(atoll(*words, "--json", "-").stdout)


def test_a_run_on_levels_has_the_answer_of_inproc_and_predicted_times():
    search = ["run", "bfs", "kron:12", "--ranks", "64"]
    simulated = [report(*search, "--domains", "4x4x4", "--transport", "levels") for _ in range(2)]
    real = report("run", "bfs", "kron:12", "--ranks", "4", "--threads", "1", "--transport", "inproc")
    for run in simulated:
        assert run["verified"] is True and run["predicted"] is True
        assert run["result"]["reached"] == real["result"]["reached"]
        assert run["result"]["source"] == real["result"]["source"]
        assert run["world"]["transport"] == "levels"
        assert 0 < run["seconds"]["run"] < run["seconds"]["virtual"] < 1
        assert len(run["simulation"]["levels"]) == 3
        assert run["simulation"]["rank_seconds"]["compute"] == 0
    assert "predicted" not in real and "virtual" not in real["seconds"]
    assert simulated[0]["seconds"] == simulated[1]["seconds"]
    assert simulated[0]["simulation"] == simulated[1]["simulation"]


def test_every_verb_with_ranks_runs_on_levels():
    run = report(
        "graph500", "--scale", "8", "--searches", "2", "--ranks", "6", "--domains", "2x3", "--transport", "levels"
    )
    assert run["verified"] is True and run["predicted"] is True
    assert report("info", "--ranks", "3", "--transport", "levels")["world"]["ranks"] == 3


def test_simulate_runs_a_command_once_a_route(tmp_path):
    words = ["simulate", "--platform", "cluster:2x2x4", "--ranks", "16", "--clock", "levels"]
    run = report(*words, "--route", "direct", "--", "run", "bfs", "kron:10")
    assert run["predicted"] is True and run["verified"] is True
    (direct,) = run["routes"]
    assert direct["route"] == "direct" and direct["predicted"] is True
    assert [level["kind"] for level in direct["levels"]] == ["node", "switch", "system"]
    assert direct["inter_domain_messages"] == direct["levels"][-1]["messages"] > 0
    assert direct["inter_domain_bytes"] == direct["levels"][-1]["bytes"] > 0
    assert 0 < direct["communication_seconds"] < direct["run_seconds"] < direct["virtual_seconds"]
    assert direct["gteps"] == pytest.approx(direct["result"]["mteps"] / 1e3)
    text = atoll(*words, "--route", "all", "--", "run", "bfs", "kron:10").stdout
    assert "GTEPS" in text.splitlines()[0] and f"{direct['gteps']:.3f}" in text.splitlines()[1]
    text = atoll(*words, "--route", "direct", "--", "run", "cc", "kron:10", "--trials", "1").stdout
    assert text.splitlines()[1].endswith(" -")  # nothing is traversed edge by edge
    assert "direct" in text and "predicted for cluster:2x2x4: 16 ranks" in text

    slow = tmp_path / "slow.json"
    levels = [{**level, "latency_s": 10 * level["latency_s"]} for level in run["platform"]["levels"]]
    slow.write_text(json.dumps({"domains": "2x2x4", "levels": levels}))
    other = report("simulate", "--platform", str(slow), "--", "run", "bfs", "kron:10")["routes"][0]
    assert other["communication_seconds"] > 5 * direct["communication_seconds"]
    assert other["run_seconds"] > 5 * direct["run_seconds"]


def test_what_calibrate_writes_is_a_platform_everywhere(tmp_path):
    measured = tmp_path / "costs.json"
    job = ["--ranks", "4", "--threads", "1", "--transport", "inproc", "--domains", "2x2"]
    told = report("info", *job, "--calibrate", str(measured))["result"]
    levels = json.loads(measured.read_text())["levels"]
    assert len(levels) == 2 and json.loads(measured.read_text())["hierarchy"] == told["hierarchy"]
    records = json.loads(measured.read_text())["records"]
    assert records == told["records"] and all(0 <= seconds < 1e-3 for seconds in records.values())
    assert sorted(records) == ["appended_record_s", "copied_byte_s", "handled_record_s", "merged_record_s"]

    of_four = report("simulate", "--platform", str(measured), "--route", "domain", "--", "run", "bfs", "kron:8")
    assert of_four["verified"] is True and of_four["platform"]["ranks"] == 4
    assert of_four["platform"]["levels"] == levels and of_four["platform"]["hierarchy"] == told["hierarchy"]
    assert len(of_four["routes"][0]["levels"]) == 2
    assert of_four["platform"]["records"] == records and of_four["routes"][0]["shares"]["copying"] > 0
    words = ["simulate", "--platform", str(measured), "--ranks", "3", "--clock", "formulas", "--route", "direct"]
    assert report(*words, "--", "run", "bfs", "kron:8")["platform"]["ranks"] == 3

    words = [*job, "--platform", str(measured)]
    run = report("run", "cc", "kron:8", "--partition", "hierarchy", *words)
    assert run["verified"] is True and run["input"]["preparation"]["partition"] == "hierarchy"
    assert run["plan"]["platform"] == str(measured)
    shown = report("inspect", "kron:8", "--hierarchy", *words)["result"]["machine"]
    assert shown["cost"]["levels"] == levels and shown["hierarchy"] == told["hierarchy"]

    rankless = json.loads(measured.read_text())
    for hierarchy, what in [(None, "not a platform"), ({"kind": "system", "children": []}, "ranks")]:
        rankless.pop("hierarchy", None)
        measured.write_text(json.dumps(rankless | ({"hierarchy": hierarchy} if hierarchy else {})))
        assert what in atoll("simulate", "--platform", str(measured), "--", "run", "bfs", "kron:8", code=3).stderr


LEVELS = [
    {"latency_s": 1e-6, "bytes_per_second": 12.5e9, "overhead_s": 2e-7},
    {"latency_s": 15e-6, "bytes_per_second": 50e9, "overhead_s": 2e-7},
]
RECORDS = {"copied_byte_s": 1e-9, "appended_record_s": 1e-7, "merged_record_s": 1e-7, "handled_record_s": 2e-7}


def platform(folder, **parts):
    path = folder / "platform.json"
    path.write_text(json.dumps({"domains": "2x4", "levels": LEVELS} | parts))
    return str(path)


def test_what_ranks_do_with_records_takes_time_and_its_share_is_said(tmp_path):
    search = ["--", "run", "bfs", "kron:10", "--direction", "push"]
    routes = ["direct", "aml", "domain"]
    words = ["--route", ",".join(routes), *search]
    free = report("simulate", "--platform", platform(tmp_path), *words)["routes"]
    run = report("simulate", "--platform", platform(tmp_path, records=RECORDS), *words)
    assert run["verified"] is True and run["platform"]["records"] == RECORDS
    for before, after in zip(free, run["routes"]):
        assert sorted(before["shares"]) == ["compute", "inter", "intra", "stall"]
        assert sum(before["shares"].values()) == pytest.approx(1)
        assert sum(after["shares"].values()) == pytest.approx(1)
        assert after["shares"]["compute"] == 0 and after["shares"]["inter"] > 0
        for part in ("copying", "appending", "handling"):
            assert after["shares"][part] > 0, part
        assert after["run_seconds"] > before["run_seconds"]
    direct, _, domain = (row["breakdown"] for row in run["routes"])
    assert domain["appending"] > direct["appending"], "records of several hops are appended at each"
    shown = atoll("simulate", "--platform", platform(tmp_path, records=RECORDS), *words).stdout
    lines = shown[shown.index("where the ranks' time goes") :].splitlines()[1:4]
    assert [line.split()[0] for line in lines] == routes
    assert all("between domains" in line and "handling" in line and "computing" not in line for line in lines)

    formulas = ["--clock", "formulas", *words]
    without, with_records = (
        report("simulate", "--platform", platform(tmp_path, records=costs), *formulas)["routes"]
        for costs in ({}, RECORDS)
    )
    assert all(b["run_seconds"] < a["run_seconds"] for b, a in zip(without, with_records))


def test_a_card_that_passes_few_messages_a_second_holds_up_a_search(tmp_path):
    words = ["--route", "direct", "--", "run", "bfs", "kron:10", "--direction", "push"]
    limited = [level | {"messages_per_second": 1e6} for level in LEVELS]
    free = report("simulate", "--platform", platform(tmp_path), *words)["routes"]
    held_up = report("simulate", "--platform", platform(tmp_path, levels=limited), *words)
    assert held_up["platform"]["levels"][0]["messages_per_second"] == 1e6
    assert held_up["routes"][0]["run_seconds"] > free[0]["run_seconds"]


def test_computation_takes_time_where_it_is_asked_for(tmp_path):
    words = ["simulate", "--platform", platform(tmp_path, records=RECORDS), "--route", "domain"]
    search = ["--", "run", "bfs", "kron:10"]
    run = report(*words, "--compute-scale", "1", *search)
    (row,) = run["routes"]
    assert run["platform"]["compute_scale"] == 1 and run["verified"] is True
    assert row["shares"]["compute"] > 0 and "handling" not in row["shares"]
    assert report(*words, *search)["routes"][0]["shares"]["compute"] == 0
    for wrong in (["--compute-scale=-1"], ["--compute-scale", "1", "--clock", "formulas"]):
        atoll(*words, *wrong, *search, code=2)


@pytest.mark.parametrize("preset, cards", [("frontier", 4), ("commodity", 1)])
def test_machines_of_eight_ranks_a_node_are_platforms(preset, cards):
    run = report("simulate", "--platform", f"{preset}:16", "--route", "direct", "--", "run", "bfs", "kron:8")
    assert run["verified"] is True and run["platform"]["ranks"] == 16
    assert [level["cards"] for level in run["platform"]["levels"]] == [1, cards]


@pytest.mark.parametrize(
    "records, why", [(3, "an object"), ({"copied_byte_s": -1}, "from 0"), ({"copied": 1e-9}, "there are copied_byte_s")]
)
def test_costs_of_records_that_make_no_sense_are_refused(tmp_path, records, why):
    words = ["simulate", "--platform", platform(tmp_path, records=records), "--", "run", "bfs", "kron:8"]
    assert why in atoll(*words, code=3).stderr


PLUGIN = Path(__file__).parents[2] / "build/release/lib/libatoll_flows.so"
FLOWS = pytest.mark.skipif(not PLUGIN.exists(), reason="Atoll was built without SimGrid (libsimgrid-dev)")
CLOCKS = ["levels", pytest.param("flows", marks=FLOWS)]


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize(
    "platform, kinds",
    [("cluster:2x2x4", 3), ("fat-tree:4", 3), ("dragonfly:2,4,2,2", 3), ("torus:4x4", 2), ("mesh:4x4", 2)],
)
def test_platforms_run_on_every_clock(clock, platform, kinds):
    run = report("simulate", "--platform", platform, "--clock", clock, "--route", "all", "--", "run", "bfs", "kron:8")
    assert run["verified"] is True and run["platform"]["clock"] == clock and run["platform"]["ranks"] == 16
    assert len(run["platform"]["levels"]) == kinds
    assert [row["route"] for row in run["routes"]] == [
        "direct",
        "aml",
        "aml-levels",
        "row",
        "mst",
        "mst-levels",
        "domain",
    ]
    for row in run["routes"]:
        assert 0 < row["communication_seconds"] < row["run_seconds"] < row["virtual_seconds"]


@pytest.mark.parametrize("clock", CLOCKS)
def test_ranks_are_the_first_hosts_of_a_larger_platform(clock, tmp_path):
    words = ["--clock", clock, "--route", "domain", "--", "run", "bfs", "kron:8"]
    few = report("simulate", "--platform", "fat-tree:4", "--ranks", "5", *words)
    assert few["platform"]["ranks"] == 5 and few["verified"] is True
    assert len(few["routes"][0]["levels"]) == 3
    assert "--ranks is 17" in atoll("simulate", "--platform", "fat-tree:4", "--ranks", "17", *words, code=2).stderr

    slow = tmp_path / "slow.json"
    slow.write_text(json.dumps({"network": "fat-tree:4", "latency_s": 1e-5, "bytes_per_second": 1e9}))
    all_links = report("simulate", "--platform", str(slow), "--ranks", "5", *words)
    assert all_links["routes"][0]["virtual_seconds"] > 5 * few["routes"][0]["virtual_seconds"]


@pytest.mark.nightly
@pytest.mark.parametrize("direction, near", [("push", 0.35), ("auto", 0.45)])
def test_formulas_are_near_the_simulation(direction, near):
    search = ["--", "run", "bfs", "kron:14", "--seed", "1", "--direction", direction]
    for platform in ["cluster:4x4x4", "cluster:8x16"]:
        simulated = report("simulate", "--platform", platform, "--route", "all", *search, "--no-verify")["routes"]
        computed = report("simulate", "--platform", platform, "--clock", "formulas", "--route", "all", *search)
        for a, b in zip(simulated, computed["routes"], strict=True):
            assert a["route"] == b["route"] and b["formulas"] is True
            assert b["run_seconds"] == pytest.approx(a["run_seconds"], rel=near), a["route"]
            assert b["gteps"] == pytest.approx(a["gteps"], rel=2 * near)


@pytest.mark.nightly
def test_formulas_continue_beyond_what_can_be_simulated():
    words = ["simulate", "--platform", "cluster:16x11x449", "--clock", "formulas", "--route", "domain,auto"]
    large = report(*words, "--", "run", "bfs", "kron:32")
    assert large["platform"]["ranks"] == 79024 and "in proportion to those of kron:20" in large["assumptions"]
    domain, auto = large["routes"]
    assert auto["communication_seconds"] <= domain["communication_seconds"]
    assert "formulas" in atoll(*words, "--", "graph500", "--scale", "10", code=2).stderr
    assert "--seed" in atoll(*words, "--", "run", "bfs", "kron:8", "--seed", "abc", code=2).stderr


@FLOWS
def test_flows_is_reproducible():
    words = [
        "run",
        "bfs",
        "kron:10",
        "--ranks",
        "12",
        "--domains",
        "2x2x3",
        "--transport",
        "flows",
        "--route",
        "domain",
    ]
    first, second = report(*words), report(*words)
    assert first["verified"] is True and first["predicted"] is True and first["world"]["transport"] == "flows"
    assert first["seconds"] == second["seconds"] and first["simulation"] == second["simulation"]


@pytest.mark.skipif(PLUGIN.exists(), reason="the plug-in is built, so nothing lacks")
def test_without_flows_an_error_names_what_it_needs():
    done = subprocess.run([ATOLL, "run", "bfs", "kron:8", "--transport", "flows"], capture_output=True, text=True)
    assert done.returncode != 0 and "libsimgrid-dev" in done.stderr


@pytest.mark.parametrize(
    "words, code, text",
    [
        (["--platform", "torus:0x4", "--", "run", "bfs", "kron:8"], 3, "torus:0x4"),
        (["--platform", "cluster:2x2", "--clock", "sun", "--", "run", "bfs", "kron:8"], 2, "sun"),
        (["--platform", "cluster:2x2", "--", "run", "bfs", "nowhere.txt"], 3, "nowhere.txt"),
        (["--platform", "cluster:2x2", "--", "run", "nothing", "kron:8"], 2, "nothing"),
        (["--platform", "cluster:2x2", "--ranks", "5", "--", "run", "bfs", "kron:8"], 2, "--ranks is 5"),
        (["--platform", "cluster:2x2", "--route", "detour", "--", "run", "bfs", "kron:8"], 2, "detour"),
        (["--platform", "cluster:2x2"], 2, "no command behind --"),
        (["--platform", "moon:2", "--", "run", "bfs", "kron:8"], 2, "moon:2"),
        (["--platform", "cluster:2xx", "--", "run", "bfs", "kron:8"], 3, "2xx"),
    ],
)
def test_unsupported_simulations_are_rejected(words, code, text):
    assert text in atoll("simulate", *words, code=code).stderr


def test_domains_are_drawn_without_ranks(tmp_path):
    """144 hosts would otherwise have been started as processes."""
    file = tmp_path / "topology.conf"
    file.write_text("SwitchName=a Nodes=n[1-80]\nSwitchName=b Nodes=n[80-144]\nSwitchName=c\n")
    done = atoll("info", "--domains", file, "--json", "-")
    found = json.loads(done.stdout)
    assert found["world"] == {}
    assert [len(d["children"]) for d in found["result"]["hierarchy"]["children"]] == [80, 64]
    assert f"{file}:2: host 'n80' (also in {file}:1); 1 hosts are named more than once" in done.stderr
    assert f"info: {file}:3: switch 'c' has no host" in done.stderr
    assert json.loads(atoll("info", "--domains", "40x100", "--json", "-").stdout)["world"] == {}
    assert report("info", "--domains", "2x2", "--ranks", "4", "--transport", "inproc")["world"]["ranks"] == 4
    assert atoll("info", "--domains", file, "--ranks", "3", "--transport", "inproc", code=2)


REPLAYED_ON = ["--platform", "cluster:4x4x4"]
REPLAYED = ["run", "bfs", "kron:12", "--seed", "1", "--no-verify"]


def simulate(*words, machine=REPLAYED_ON):
    """The rows of the routes, by name."""
    return {row["route"]: row for row in report("simulate", *machine, *words)["routes"]}


def check_same(replayed, row):
    """The same messages and bytes on each level, and nearly the same time."""
    for level, of_run in zip(replayed["levels"], row["levels"], strict=True):
        for key in ("messages", "bytes", "merged_bytes"):
            assert level[key] == of_run[key], (row["route"], level, of_run)
    assert replayed["run_seconds"] == pytest.approx(row["run_seconds"], rel=0.05)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The traffic of a search on route domain, and what that run told."""
    path = str(tmp_path_factory.mktemp("replay") / "bfs.traffic")
    row = simulate("--route", "domain", "--keep-traffic", path, "--", *REPLAYED)["domain"]
    return path, row


def test_keeping_costs_nothing_in_virtual_time(kept):
    _, row = kept
    plain = simulate("--route", "domain", "--", *REPLAYED)["domain"]
    assert plain["levels"] == row["levels"] and plain["run_seconds"] == row["run_seconds"]


def test_a_replay_counts_what_the_run_counted(kept):
    path, row = kept
    replayed = simulate("--route", "domain", "--replay", path)["domain"]
    assert replayed["predicted"] is True and replayed["inter_domain_messages"] > 0
    check_same(replayed, row)


def test_a_replay_on_other_routes_counts_what_a_run_there_counts(kept):
    path, _ = kept
    routes = ["--route", "row,aml-levels,mst-levels,domain:leaf,domain:rank"]
    replayed, ran = simulate(*routes, "--replay", path), simulate(*routes, "--", *REPLAYED)
    assert list(replayed) == list(ran)
    for route, row in ran.items():
        check_same(replayed[route], row)


def test_other_platforms_orders_and_savings(kept):
    path, _ = kept
    for machine in [
        ["--platform", "cluster:8x8"],
        ["--platform", "torus:8x8", "--map", "hamorder"],
        ["--platform", "torus:8x8", "--map", "random"],
        [*REPLAYED_ON, "--without", "merging"],
    ]:
        replayed = simulate("--route", "domain", "--replay", path, machine=machine)["domain"]
        check_same(replayed, simulate("--route", "domain", "--", *REPLAYED, machine=machine)["domain"])


@pytest.mark.parametrize(
    "algorithm",
    [
        ["pagerank", "--max-iter", "3"],
        ["cc"],
        ["sssp", "--weighted", "--seed", "1"],
        ["cdlp"],
        ["bfs", "--seed", "1", "--direction", "push"],
        ["bfs", "--sources", "3", "--seed", "1"],
    ],
)
def test_algorithms_on_the_route_where_they_were_kept(algorithm, tmp_path):
    path = str(tmp_path / "some.traffic")
    machine = ["--platform", "cluster:2x2x4"]
    words = ["run", algorithm[0], "kron:10", *algorithm[1:], "--no-verify"]
    row = simulate("--route", "domain", "--keep-traffic", path, "--", *words, machine=machine)["domain"]
    check_same(simulate("--route", "domain", "--replay", path, machine=machine)["domain"], row)


def test_the_flag_of_run_and_ranks_of_this_machine(tmp_path):
    path = str(tmp_path / "bfs.traffic")
    job = ["--ranks", "2", "--threads", "1", "--transport", "inproc", "--domains", "1x2", "--route", "domain"]
    run = report("run", "bfs", "kron:8", *job, "--keep-traffic", path)
    assert run["verified"] is True
    replay = report("bench", "replay", path, *job)
    assert replay["counters"]["records"] == run["counters"]["records"]
    assert replay["input"]["route"] == "domain" and replay["input"]["run"] == "bfs kron:8"
    assert "bfs kron:8, kept on domain" in atoll("bench", "replay", path, *job).stdout
    simulated = simulate(
        "--route", "domain", "--replay", path, "--computation", "1", machine=["--platform", "cluster:1x2"]
    )
    bare = simulate("--route", "domain", "--replay", path, machine=["--platform", "cluster:1x2"])
    assert simulated["domain"]["run_seconds"] > bare["domain"]["run_seconds"]


def test_one_route_alone_is_kept_and_direct_is_apart(tmp_path, kept):
    path, _ = kept
    some = str(tmp_path / "some.traffic")
    small = ["simulate", "--platform", "cluster:2x2"]
    told = atoll(*small, "--keep-traffic", some, "--", "run", "bfs", "kron:8", code=2).stderr
    assert "--keep-traffic with" in told and "--route domain" in told
    told = atoll(*small, "--", "run", "bfs", "kron:8", "--keep-traffic", some, code=2).stderr
    assert "--keep-traffic with" in told
    told = atoll(*small, "--replay", path, "--", "run", "bfs", "kron:8", code=2).stderr
    assert "with a command behind --" in told
    assert not Path(some).exists()

    words = ["--route", "direct", "--keep-traffic", some, "--", "run", "bfs", "kron:8", "--seed", "1", "--no-verify"]
    row = simulate(*words, machine=["--platform", "cluster:2x2"])["direct"]
    check_same(simulate("--route", "direct", "--replay", some, machine=["--platform", "cluster:2x2"])["direct"], row)
    told = atoll(*small, "--route", "row", "--replay", some, code=3).stderr
    assert "was kept on route direct" in told and "domain" in told


def test_what_is_wrong_with_kept_traffic_is_said(tmp_path, kept):
    path, _ = kept
    told = atoll("simulate", "--platform", "cluster:2x2", "--route", "domain", "--replay", path, code=3).stderr
    assert "has the traffic of 64 ranks (this job has 4)" in told and "--ranks 64" in told
    assert "ended with exit code 3" in told
    none = tmp_path / "none.traffic"
    none.write_text("no traffic\n")
    told = atoll("bench", "replay", str(none), code=3).stderr
    assert "none.traffic: has another first line" in told
    assert "missing.traffic" in atoll("bench", "replay", str(tmp_path / "missing.traffic"), code=3).stderr
    told = atoll(
        "run", "bfs", "kron:8", "--ranks", "2", "--exchange", "queue", "--keep-traffic", str(none), code=2
    ).stderr
    assert "--keep-traffic with --exchange queue" in told
    folder = tmp_path / "folder"
    folder.mkdir()
    atoll("run", "bfs", "kron:8", "--keep-traffic", str(folder), code=3)
