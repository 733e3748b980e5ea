# SPDX-License-Identifier: Apache-2.0
"""scripts/check_gpu over a pack whose programs are small scripts, and what scripts/pack_gpu refuses."""

import argparse
import importlib.machinery
import importlib.util
import json
import os
import select
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
DOCTOR = "cuda         ready: a device"
# Writes a report where Atoll's command would.
ATOLL = """#!/bin/sh
if [ "$1" = doctor ]; then echo "{doctor}"; exit {code}; fi
for word; do last=$word; done
echo '{{"seconds": 1}}' >"$last"
{then}
"""


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def check_gpu(monkeypatch, tmp_path):
    """Loads the script anew, on a machine without compute-sanitizer."""
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    loader = importlib.machinery.SourceFileLoader("check_gpu", str(SCRIPTS / "check_gpu"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_gpu", loader))
    loader.exec_module(module)
    monkeypatch.setattr(module, "SANITIZER", str(tmp_path / "nowhere"))
    monkeypatch.setattr(module, "GRACE", 0.3)
    return module


@pytest.fixture
def pack(tmp_path):
    """pack(atoll, tests): a pack with these lines at the end of its two programs."""

    def make(then="", tests="echo '[doctest] test cases: 3 | 3 passed'", doctor=DOCTOR, code=0):
        script(tmp_path / "pack/bin/atoll", ATOLL.format(doctor=doctor, code=code, then=then))
        script(tmp_path / "pack/bin/test_cuda", f"#!/bin/sh\n{tests}\n")
        return tmp_path / "pack"

    return make


@pytest.fixture
def visit(check_gpu, tmp_path):
    """visit(folder, words): the exit status, and the saved steps by their names."""

    def run(folder, *words):
        kept = tmp_path / "kept.json"
        code = check_gpu.main([str(folder), *words, "--json", str(kept)])
        assert sorted(path.name for path in tmp_path.glob("kept*")) == ["kept.json"]
        steps = json.loads(kept.read_text())["steps"]
        assert all("output" not in step for step in steps)
        return code, {step["name"]: step for step in steps}

    return run


@pytest.fixture
def check(check_gpu, pack):
    """check(atoll, tests): a visit whose steps a test runs one by one, with limits of its own."""

    def make(*lines, minutes=8):
        given = argparse.Namespace(folder=pack(*lines), minutes=minutes, only=[], emulated=False, json=None, log=None)
        return check_gpu.Check(given)

    return make


def ends(process, within):
    """Tell whether a process, of whomever, ends within some seconds."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], within)[0])
    finally:
        os.close(handle)


def test_a_visit_in_which_all_passes(visit, pack):
    code, steps = visit(pack(), "--quick")
    assert code == 0
    names = list(steps)
    assert names[:3] == ["doctor", "limits", "test launch"]
    assert {step["status"] for step in steps.values()} == {"ok", "left out"}
    left_out = {name: step["text"] for name, step in steps.items() if step["status"] == "left out"}
    assert list(left_out) == ["Python", "beside PyTorch", "memcheck", "racecheck", "racecheck of graphs"]
    assert left_out["Python"] == "the pack has no folder python"
    assert left_out["memcheck"] == "compute-sanitizer is not on this machine"
    assert steps["limits"]["report"] == {"seconds": 1}
    assert steps["limits"]["command"].startswith("FOLDER/bin/atoll bench device --n 1024 ")
    assert steps["CoLa in one process, 100 products"]["command"] == (
        "env ATOLL_TEST_GPU=1 FOLDER/bin/test_cuda '--test-case=a hundred products by CoLa*'"
    )


def test_the_longest_steps_come_last_and_the_smallest_type_first(visit, pack):
    names = list(visit(pack(), "--only", "65536", "racecheck")[1])
    kinds = ("uint16", "int32", "float32")
    assert names == ["racecheck", *(f"all pairs 65536 {kind}" for kind in kinds), "racecheck of graphs"]


@pytest.mark.parametrize("words, transport", [((), "shm"), (("--emulated",), "inproc")])
def test_pes_over_nvshmem_are_processes_unless_emulated(visit, pack, words, transport):
    code, steps = visit(pack(), "--only", "CoLa, NVSHMEM", *words)
    assert code == 0 and len(steps) == 2
    assert all(f" --transport {transport} " in step["command"] for step in steps.values())


def test_python_and_sanitizers_run_where_they_are(visit, pack, monkeypatch, tmp_path):
    folder = pack()
    (folder / "python").mkdir()
    script(tmp_path / "tools/interpreter", "#!/bin/sh\necho ${PYTHONPATH##*/} ${1##*/} $2\n")
    monkeypatch.setattr("sys.executable", str(tmp_path / "tools/interpreter"))
    script(tmp_path / "tools/compute-sanitizer", "#!/bin/sh\nexit 9\n")
    monkeypatch.setenv("PATH", str(tmp_path / "tools"), prepend=os.pathsep)
    code, steps = visit(folder, "--quick", "--only", "Py", "check")
    assert code == 1
    assert steps["Python"]["text"].startswith("python -c import atoll, atoll.torch;")
    assert steps["beside PyTorch"]["text"] == "python gpu.py --quick"
    assert steps["memcheck"]["status"] == steps["racecheck"]["status"] == "rc 9"


@pytest.mark.parametrize(
    "then, status, text, has_report",
    [
        ("echo no memory; exit 3", "rc 3", "no memory", True),
        ("kill -SEGV $$", "rc -11", "", True),
        ('printf \'{"seconds": \' >"$last"; echo half', "ok", "no report; half", False),
        ("printf '\\377' >\"$last\"", "ok", "no report", False),
        ('rm "$last"; exit 1', "rc 1", "no report", False),
    ],
    ids=["fails", "crashes", "half a report", "bytes for a report", "no report"],
)
def test_a_visit_goes_on_after_a_step_that_goes_wrong(visit, pack, then, status, text, has_report):
    code, steps = visit(pack(f"case $1 in tune) {then} ;; esac"), "--only", "tune", "PEs")
    assert code == int(status != "ok")
    for kind in ("float32", "int32", "uint16"):
        step = steps[f"tune gemm {kind}"]
        assert (step["status"], step["text"], "report" in step) == (status, text, has_report)
    assert steps["CoLa, NVSHMEM, 4 PEs"]["status"] == "ok"


def test_a_filter_that_no_test_has_is_a_failure(visit, pack):
    line = "[doctest] test cases: 0 | 0 passed | 0 failed | 72 skipped"
    code, steps = visit(pack("", f"case $* in *gemm*) echo '{line}' ;; esac"), "--only", "test gemm", "test spmm")
    assert code == 1
    assert {name: step["status"] for name, step in steps.items()} == {
        "test gemm": "no case",
        "test spmm": "ok",
        "test spmm_columns": "ok",
    }


def test_a_program_that_cannot_be_started_is_a_failure(visit, pack):
    folder = pack()
    (folder / "bin/atoll").chmod(0o644)
    code, steps = visit(folder, "--only", "limits", "test gemm")
    assert code == 1 and steps["limits"]["status"] == "absent" and steps["test gemm"]["status"] == "ok"


def test_steps_that_have_no_time_left_are_no_success(visit, pack):
    code, steps = visit(pack(), "--minutes", "0.01", "--only", "test")
    assert code == 1
    assert {step["status"] for step in steps.values()} == {"none"}
    assert steps["test gemm"]["text"] == "no time was left"


def test_where_there_is_no_gpu_nothing_is_checked(visit, pack, capsys):
    code, steps = visit(pack(doctor="cuda         missing: there is no GPU to use"))
    assert code == 77 and list(steps) == ["doctor"]
    assert "there is no GPU here" in capsys.readouterr().out


def test_a_doctor_that_fails_is_a_failure_and_the_visit_goes_on(visit, pack):
    code, steps = visit(pack(code=4), "--quick")
    assert code == 1 and steps["doctor"]["status"] == "rc 4" and steps["limits"]["status"] == "ok"


def test_wrong_usage(check_gpu, pack, tmp_path, capsys):
    folder = str(pack())
    assert check_gpu.main([folder, "--only", "gem m"]) == 2
    assert "no step has 'gem m' in its name" in capsys.readouterr().err
    for words in ([], [str(tmp_path)], [folder, "--fast"], [folder, "--json", str(tmp_path / "no/kept.json")]):
        with pytest.raises(SystemExit) as end:
            check_gpu.main(words)
        assert end.value.code == 2
    assert "there is no folder" in capsys.readouterr().err


def test_a_late_command_may_end_by_itself(check):
    late = check("trap 'echo ended; exit 0' TERM; echo begun; while :; do :; done")
    result = late.atoll("limits", 0.5, "bench device")
    assert (result["status"], result["output"]) == ("late", "begun\nended\n")
    assert result["report"] == {"seconds": 1}
    assert late.test("test gemm", 60)["status"] == "ok"


def test_a_late_command_that_ignores_sigterm_is_killed_with_all_that_it_has_started(check):
    late = check("trap '' TERM; sleep 60 & echo $!; echo $$; wait")
    result = late.atoll("limits", 0.5, "bench device")
    assert result["status"] == "late"
    processes = [int(word) for word in result["output"].split()]
    assert len(processes) == 2 and all(ends(process, 2) for process in processes)
    assert late.test("test gemm", 60)["status"] == "ok"


def test_a_process_that_has_left_the_group_is_not_waited_for(check):
    late = check("setsid sh -c 'echo $$; exec sleep 60' & wait")
    result = late.atoll("limits", 0.5, "bench device")
    process = int(result["output"])
    try:
        assert result["status"] == "late" and not ends(process, 0)
    finally:
        os.kill(process, 9)
    assert late.test("test gemm", 60)["status"] == "ok"


def test_an_interrupt_ends_the_command_too(check_gpu, check, monkeypatch):
    started = []

    class Interrupted(subprocess.Popen):
        def communicate(self, *words, **named):
            started.append(self)
            raise KeyboardInterrupt

    interrupted = check("exec sleep 60")
    monkeypatch.setattr(check_gpu.subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        interrupted.atoll("limits", 60, "bench device")
    assert started[0].wait(timeout=4) == -9
    started[0].stdout.close()


@pytest.mark.parametrize(
    "words, told",
    [
        ([], "no folder to make"),
        (["new", "--nccl"], "--nccl has no value after it"),
        (["new", "--fast"], "there is no --fast"),
        (["new", "newer"], "two folders to make"),
        (["full"], "full has files and is no pack"),
        (["full/file"], "is a file"),
    ],
    ids=lambda value: " ".join(value) or "nothing" if isinstance(value, list) else "",
)
def test_pack_gpu_refuses_wrong_usage(tmp_path, words, told):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("kept")
    done = subprocess.run([SCRIPTS / "pack_gpu", *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("pack_gpu: ") and told in done.stderr
    assert (tmp_path / "full/file").read_text() == "kept" and not (tmp_path / "new").exists()
