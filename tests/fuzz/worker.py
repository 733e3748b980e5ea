# SPDX-License-Identifier: Apache-2.0
"""Reads files that its parent names, one after the other, and answers what came of each: a line of JSON in and out."""

from __future__ import annotations

import json
import resource
import sys
import traceback

import atoll
from readers import readers

# More than any reader needs for these files; what takes more is a find.
_MEMORY = 3 << 30


def main() -> None:
    """Answers "read", "refused" or the text of an error that is not Atoll's."""
    known = readers()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            known[asked["reader"]].read(asked["path"])
            answer = "read"
        except (atoll.errors.Error, TypeError) as e:
            named = isinstance(e, TypeError) and not str(e)
            answer = "an empty message" if named else "refused"
        except BaseException:  # whatever it is, it is a find
            answer = traceback.format_exc(limit=-8)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
