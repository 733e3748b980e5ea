# SPDX-License-Identifier: Apache-2.0
"""The build backend that pip calls (PEP 517): scikit-build-core, naming missing packages instead of CMake errors.

Without a compiler nothing is attempted. Headers may be in places that only CMake finds, so they are listed after it has
failed.
"""

import os
import shutil
import subprocess
import sys

from scikit_build_core import build
from scikit_build_core.build import *  # noqa: F403  the hooks that compile nothing


def _lacks():
    return subprocess.run(
        ["bash", "scripts/bootstrap", "--lacks"], env={**os.environ, "PYTHON": sys.executable}
    ).returncode


def _compiles(hook, *arguments):
    chosen = os.environ.get("CXX", "").split()[:1]
    if not any(map(shutil.which, chosen or ["c++", "g++", "clang++"])):
        if chosen:
            sys.exit(f"atoll: CXX is '{chosen[0]}' (there is no such command). Name a C++20 compiler, or unset CXX.")
        sys.exit(_lacks() or "atoll: no c++, g++ or clang++ is on PATH. Put a C++20 compiler there, or set CXX.")
    try:
        return hook(*arguments)
    except (Exception, SystemExit):
        if _lacks():
            sys.exit(1)
        raise


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _compiles(build.build_wheel, wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _compiles(build.build_editable, wheel_directory, config_settings, metadata_directory)
