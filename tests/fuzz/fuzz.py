#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes valid small files of every format and reads them: each is read, or refused by an error of Atoll's.

.venv/bin/python tests/fuzz/fuzz.py                             # 10 minutes over all readers
.venv/bin/python tests/fuzz/fuzz.py --reader pajek --case 17    # one file again, as its find says

A crash, a hang, memory without bound or an error of another class is a find: the file stays in build/fuzz, and the
command that makes it again is printed. Case k of a reader is the same in every run with the same seed.
"""

from __future__ import annotations

import argparse
import json
import random
import select
import subprocess
import sys
import time
from pathlib import Path

from mutate import mutated
from readers import ROOT, readers

_SLOWEST_S = 30.0  # a file of a few kilobytes takes milliseconds


class Worker:
    """A process that reads files, made anew after it has died or hung."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, reader: str, path: Path) -> str:
        """Returns "read", "refused", or what is wrong."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps({"reader": reader, "path": str(path)}), file=self._process.stdin, flush=True)
        if not select.select([self._process.stdout], [], [], _SLOWEST_S)[0]:
            self.close()
            return f"not read within {_SLOWEST_S:.0f} s"
        answer = self._process.stdout.readline()
        if answer:
            return str(json.loads(answer))
        code = self._process.wait()
        return f"the process ended with {code}"

    def close(self) -> None:
        """Ends the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def main() -> int:
    """Returns 1 after a find."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600, help="how long (default 600)")
    parser.add_argument("--seed", type=int, default=1, help="of all changes (default 1)")
    parser.add_argument("--reader", action="append", help="this one alone; may be repeated")
    parser.add_argument("--case", type=int, help="this one alone")
    options = parser.parse_args()
    known = readers()
    chosen = options.reader or list(known)
    for name in chosen:
        if name not in known:
            parser.error(f"--reader {name} (known: {', '.join(known)})")
    folder = ROOT / "build" / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    valid = {name: known[name].make() for name in chosen}
    counts: dict[str, dict[str, int]] = {name: {"read": 0, "refused": 0, "finds": 0} for name in chosen}
    worker = Worker()
    end = time.monotonic() + options.seconds
    case = 0 if options.case is None else options.case
    while time.monotonic() < end:
        for name in chosen:
            data = mutated(valid[name], random.Random(f"{options.seed} {name} {case}"))
            path = folder / f"{name.replace('.', '-')}-{options.seed}-{case}{known[name].ending}"
            path.write_bytes(data)
            answer = worker.ask(name, path)
            counts[name][answer if answer in ("read", "refused") else "finds"] += 1
            if answer in ("read", "refused"):
                path.unlink()
                continue
            again = f"tests/fuzz/fuzz.py --reader {name} --seed {options.seed} --case {case}"
            print(f"find: {path.relative_to(ROOT)} ({again})\n{answer}", flush=True)
        case += 1
        if options.case is not None:
            break
    worker.close()
    for name, count in counts.items():
        print(f"{name:14} {count['read']:6} read {count['refused']:6} refused {count['finds']:4} finds")
    finds = sum(count["finds"] for count in counts.values())
    cases = sum(sum(count.values()) for count in counts.values())
    print(f"{cases - finds} passed, {finds} failed")
    return int(finds > 0)


if __name__ == "__main__":
    sys.exit(main())
