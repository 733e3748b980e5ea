# SPDX-License-Identifier: Apache-2.0
"""`atoll tune --app`: networks, mappings, MPI implementations and collectives against simulated time."""

import json
import math
import os
import shutil

import pytest
from atoll import UsageError, tune
from smpi_program import PAPER, PROGRAM, program_fixture, run, simgrid, simulated, space_file  # noqa: F401

pytestmark = pytest.mark.nightly


@simgrid
def test_tuning_finds_the_fastest_of_networks_mappings_and_algorithms(program, tmp_path):
    space = space_file(
        tmp_path,
        {
            "topology": ["mesh:16", "torus:4x4"],
            "mapping": ["identity", "random"],
            "mpi": ["mpich", "ompi"],
            "bcast": ["default", "flat tree"],
            "bytes": [100_000, 200_000],
        },
        start={"topology": "mesh:16", "mapping": "random", "mpi": "ompi", "bcast": "flat tree", "bytes": 200_000},
    )
    result = tmp_path / "best.json"
    words = ["--app", program, "--space", space, "--sampler", "grid", "--json", result, *PAPER, "--quiet", "--jobs", 2]
    done = run(*words, "--", "bcast", "{bytes}", verb="tune")
    assert done.returncode == 0, done.stderr
    found = json.loads(result.read_text())
    trials = found["result"]["trials"]
    assert len(trials) == 32 and all(trial["status"] == "done" for trial in trials)
    best = min(trials, key=lambda trial: trial["seconds"])
    assert found["result"]["seconds"] == best["seconds"]
    assert best["point"]["bytes"] == 100_000 and best["point"]["bcast"] == "default"
    assert found["plan"] == {}  # mpi is a knob of Atoll's plan too, and another thing
    assert found["input"]["objective"]["settings"]["compute"] == "none"
    # The same time as that of a run by itself.
    options = ["--map", best["point"]["mapping"], "--mpi-implementation", best["point"]["mpi"], *PAPER]
    alone = simulated(program, best["point"]["topology"], "bcast", 100_000, options=options)
    assert alone["seconds"] == best["seconds"]


@simgrid
def test_a_source_is_compiled_once_and_trials_that_fail_are_recorded(tmp_path):
    (tmp_path / "talk.c").write_text(PROGRAM)
    shim = tmp_path / "bin"
    shim.mkdir()
    (shim / "smpicc").write_text(f'#!/bin/sh\necho x >>{tmp_path}/compiled\nexec {shutil.which("smpicc")} "$@"\n')
    (shim / "smpicc").chmod(0o755)
    env = {**os.environ, "PATH": f"{shim}:{os.environ['PATH']}"}
    space = space_file(tmp_path, {"what": ["bcast", "abort", "hang"], "alltoall": ["ring"]})
    store = tmp_path / "trials"
    words = ["--app", tmp_path / "talk.c", "--platform", "mesh:4", "--space", space, "--sampler", "grid"]
    words += ["--timeout", 3, "--store", store, "--", "{what}", "1000"]
    done = run(*words, verb="tune", env=env)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "compiled").read_text() == "x\n"
    trials = [json.loads(line) for line in store.read_text().splitlines()[1:]]
    assert [trial["status"] for trial in trials] == ["done", "failed", "timeout"]
    assert trials[1]["detail"] == "MPI_Abort: gave up"


@simgrid
def test_what_no_trial_could_take_is_refused_before_the_first(program, tmp_path):
    for parameters, arguments, message in (
        ({"alltoall": ["quick"]}, [], "alltoall=quick is unknown"),
        ({"mpi": ["intel"]}, [], "intel"),
        ({"topology": ["mesh:4", "mesh:no"]}, [], "mesh:no"),
        ({"mapping": ["identity", "best-of-all"]}, [], "best-of-all"),
        ({"mpi": ["ompi"]}, ["{size}"], "{size}"),
    ):
        space = space_file(tmp_path, parameters)
        done = run(
            *("--app", program, "--platform", "mesh:4", "--space", space, "--sampler", "grid", "--", *arguments),
            verb="tune",
        )
        assert done.returncode in (2, 3) and message in done.stderr and "trial" not in done.stderr, done.stderr
    space = space_file(tmp_path, {"mpi": ["ompi"]})
    done = run("--app", program, "--space", space, verb="tune")
    assert done.returncode == 2 and "there is no network" in done.stderr
    done = run("--app", program, "--platform", "mesh:4", "--space", space, "--measure", "wall", verb="tune")
    assert done.returncode == 2 and "Leave it out" in done.stderr


@simgrid
def test_an_application_is_an_objective_in_python(program, tmp_path):
    from atoll.smpi.application import Application

    application = Application(program, ["send", "{bytes}", "1"], tmp_path, platform="mesh:2")
    space = tune.Space({"bytes": [1000, 10, 100]})
    tuner = tune.minimize(application, space, sampler="grid")
    assert tuner.best.point == {"bytes": 10} and math.isfinite(tuner.best.seconds)
    with pytest.raises(UsageError, match="there is no network"):
        Application(program, [], tmp_path).check(space)
