# SPDX-License-Identifier: Apache-2.0
"""`python -m atoll <verb> ...` is the command `atoll <verb> ...` of the same installation."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path


def find_command() -> Path | None:
    """The command: of a build tree, beside the package, or among the interpreter's scripts."""
    package = Path(__file__).parent
    folders = [
        package.parents[1] / "bin",  # <build>/python/atoll -> <build>/bin
        package,
        package.parent / "bin",  # pip install --target
        Path(sys.executable).parent,
        Path(sysconfig.get_path("scripts")),
        Path(sysconfig.get_path("scripts", f"{os.name}_user")),
    ]
    for folder in folders:
        file = folder / "atoll"
        if file.is_file() and os.access(file, os.X_OK):
            return file
    return None


def main() -> int:
    """Becomes the command."""
    command = find_command()
    if command is None:
        print(
            "atoll: there is no command 'atoll' with this Python (the package was built without it). "
            "Install the package again by pip, or run make build.",
            file=sys.stderr,
        )
        return 1
    os.execv(command, [str(command), *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
