# SPDX-License-Identifier: Apache-2.0
"""The file of trials, from which a search goes on."""

import json
import subprocess

import pytest
from atoll import InputError, IoError, UsageError, tune
from bowl import ATOLL, lines, space_file, wait_until
from job_processes import alive


def test_a_search_goes_on_from_its_file(tmp_path):
    store = tmp_path / "trials"
    space = tune.Space({"a": list(range(10))})
    first = tune.minimize(lambda p: 1 + p["a"], space, sampler="random", trials=4, store=store)
    second = tune.minimize(lambda p: 1 + p["a"], space, sampler="random", trials=7, store=store)
    assert second.trials[:4] == first.trials and len(second.trials) == 7
    assert len({trial.point["a"] for trial in second.trials}) == 7
    whole = tune.minimize(lambda p: 1 + p["a"], space, sampler="random", trials=7)
    assert [t.point for t in second.trials] == [t.point for t in whole.trials]  # as if it had not been interrupted
    assert len(lines(store)) == 1 + 7


def test_a_killed_search_leaves_no_process_and_goes_on(tmp_path):
    program = tmp_path / "work.sh"
    program.write_text('echo $$ > pid; echo $1 >> calls; [ "$1" != 3 ] || [ -e again ] || sleep 600\n')
    words = [ATOLL, "tune", "--command", f"sh {program} {{a}}", "--space", space_file(tmp_path, {"a": [1, 2, 3, 4, 5]})]
    words += ["--sampler", "grid", "--store", "trials", "--jobs", "1", "--json", "best.json"]
    killed = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.DEVNULL)
    calls = tmp_path / "calls"
    wait_until(lambda: calls.exists() and calls.read_text().split()[-1:] == ["3"])
    pid = (tmp_path / "pid").read_text()
    killed.kill()
    killed.wait()
    wait_until(lambda: not alive(pid))
    (tmp_path / "again").touch()
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert calls.read_text().split() == ["1", "2", "3", "3", "4", "5"]  # only what was cut off ran again
    assert [line["point"]["a"] for line in lines(tmp_path / "trials")[1:]] == [1, 2, 3, 4, 5]
    assert json.loads((tmp_path / "best.json").read_text())["result"]["tried"] == 5


@pytest.mark.nightly
def test_a_line_that_was_cut_off_is_dropped(tmp_path):
    store = tmp_path / "trials"
    space = tune.Space({"a": [1, 2, 3]})
    tune.minimize(lambda p: p["a"], space, sampler="grid", trials=2, store=store)
    whole = store.read_text()
    for cut in range(1, len(whole), 7):
        store.write_text(whole[:cut])
        again = tune.minimize(lambda p: p["a"], space, sampler="grid", store=store)
        assert [trial.point["a"] for trial in again.trials] == [1, 2, 3]
        assert [line["point"]["a"] for line in lines(store)[1:]] == [1, 2, 3]


def test_files_of_other_searches_and_of_others_are_refused_and_kept(tmp_path):
    store = tmp_path / "trials"
    space = tune.Space({"a": [1, 2]})
    tune.Tuner(space, sampler="grid", store=store, objective={"function": "f"}).close()
    for other, objective, what in [
        (tune.Space({"a": [1, 3]}), "f", "parameters"),
        (tune.Space({"a": [1, 2]}, rules=["a < 2"]), "f", "rules"),
        (space, "g", "objective"),
    ]:
        with pytest.raises(UsageError, match=f"its trials are of other {what}"):
            tune.Tuner(other, sampler="grid", store=store, objective={"function": objective})
    with store.open("a") as file:
        file.write('{"point": {"a": 1}}\n')
    with pytest.raises(InputError, match="line 2 is no trial"):
        tune.Tuner(space, sampler="grid", store=store, objective={"function": "f"})
    for text in ['{"a": 1}', "notes", "a\nb\n"]:
        store.write_text(text)
        with pytest.raises(InputError, match="holds no trials"):
            tune.Tuner(space, sampler="grid", store=store)
        assert store.read_text() == text
    with pytest.raises(IoError, match="No such file or directory"):
        tune.Tuner(space, sampler="grid", store=tmp_path / "no" / "trials")


def test_one_search_at_a_time_has_a_file(tmp_path, monkeypatch):
    from atoll.tune import trials

    monkeypatch.setattr(trials, "_PATIENCE", 0.1)
    space = tune.Space({"a": [1, 2]})
    tuner = tune.Tuner(space, sampler="grid", store=tmp_path / "trials")
    with pytest.raises(UsageError, match="one at a time"):
        tune.Tuner(space, sampler="grid", store=tmp_path / "trials")
    tuner.close()
    tune.Tuner(space, sampler="grid", store=tmp_path / "trials").close()


def test_trials_of_another_machine_are_said_to_be(tmp_path, caplog):
    store = tmp_path / "trials"
    space = tune.Space({"a": [1, 2]})
    tune.Tuner(space, sampler="grid", store=store).close()
    head = lines(store)[0]
    head["provenance"]["processor"] = "Another"
    store.write_text(json.dumps(head) + "\n")
    tune.Tuner(space, sampler="grid", store=store).close()
    assert "measured on another machine (Another" in caplog.text
