# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
import sys

import atoll
from atoll.__main__ import find_command


def doctor(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "atoll.doctor", *arguments], capture_output=True, text=True, timeout=60
    )


def test_reports_the_installation():
    done = doctor()
    assert done.returncode == 0
    for word in (atoll.__version__, "processor", "mpi_openmpi", "mpi_mpich", "numpy", "networkx", "h5py"):
        assert word in done.stdout


def test_json_is_one_object(tmp_path):
    report = json.loads(doctor("--json", "-").stdout)
    assert report["schema"] == 1 and report["command"] == "doctor"
    assert report["result"]["machine"]["usable_cores"] >= 1
    assert {f["name"] for f in report["result"]["fabrics"]} >= {"inproc", "mpi_openmpi", "mpi_mpich"}
    file = tmp_path / "doctor.json"
    assert doctor("--json", str(file)).stdout == ""
    assert json.loads(file.read_text()).keys() == report.keys()


def test_wrong_options_exit_with_2_and_wrong_files_with_3(tmp_path):
    assert doctor("--jsn").returncode == 2
    assert doctor("--json", str(tmp_path / "nowhere" / "a.json")).returncode == 3


def test_module_is_the_command():
    assert find_command() is not None, "make build makes bin/atoll"
    done = subprocess.run([sys.executable, "-m", "atoll", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "atoll" in done.stdout


def test_agrees_with_the_command():
    command = find_command()
    assert command is not None, "make build makes bin/atoll"
    done = subprocess.run([str(command), "doctor", "--json", "-"], capture_output=True, text=True, timeout=60)
    native, ours = json.loads(done.stdout)["result"], json.loads(doctor("--json", "-").stdout)["result"]
    assert native.keys() <= ours.keys()
    assert native["version"] == ours["version"] and native["machine"].keys() == ours["machine"].keys()
    assert [f["name"] for f in native["fabrics"]] == [f["name"] for f in ours["fabrics"]]
