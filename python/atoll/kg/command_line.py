# SPDX-License-Identifier: Apache-2.0
"""Knowledge graphs: from tables and annotations to a store, all pairs' paths with names, and scenarios.

`atoll kg VERB DIR ...`, where DIR has the store and what is built from it. Results go to stdout; --json writes one
object.
"""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
from types import ModuleType

from ..errors import Error, InputError, IoError, UsageError
from ..standard_output import cli_main, fail
from .database import require_duckdb
from .inputs.sql_source import without_password

__all__ = ["main"]

# The verb's module has add_arguments(parser) and run(options); only that of the verb that is asked for is loaded.
_VERBS = {
    "sample": ("sample_command", "write tables of a made-up literature and a curated graph, to try the others with"),
    "import": ("import_command", "read tables, annotations, predications or citations into the store"),
    "map": ("map_command", "read a table of cross-references from the literature's ids to the curated ones"),
    "info": ("info_command", "say what the store has: graphs, types, sources, mappings, quarantine"),
    "quarantine": ("quarantine_command", "show the rows that were wrong, with their files and lines"),
    "build": ("build_command", "weigh the edges, and find the distances between all pairs"),
    "paths": ("paths_command", "show the shortest paths between two concepts"),
    "scenarios": ("scenarios_command", "compare paths of the literature with the curated graph"),
}


def _module(verb: str) -> ModuleType:
    return importlib.import_module(f".{_VERBS[verb][0]}", __package__)


def _parser(asked: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="atoll kg", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, (_, sentence) in _VERBS.items():
        options = verbs.add_parser(verb, help=sentence, description=f"{sentence[0].upper()}{sentence[1:]}.")
        if verb == asked:
            options.add_argument("folder", metavar="DIR", help="of the store; of sample: of the tables")
            options.add_argument("--json", metavar="FILE|-", help="write the result as one JSON object")
            options.add_argument(
                "--wait", type=float, default=10.0, metavar="SECONDS", help="for another writer to end (default 10)"
            )
            _module(verb).add_arguments(options)
    return parser


@cli_main
def main(words: list[str] | None = None) -> int:
    """The command; returns the exit code.

    >>> import tempfile
    >>> from atoll import kg
    >>> from atoll.kg.command_line import main
    >>> main(["build", kg.sample_store(tempfile.mkdtemp())])  # doctest: +ELLIPSIS
    graph      literature: co-occurrence; all types
    ...
    0
    """
    words = sys.argv[1:] if words is None else words
    options = _parser(next((word for word in words if word in _VERBS), None)).parse_args(words)
    command = f"kg {options.verb}"
    try:
        duckdb = require_duckdb()
        try:
            return _module(options.verb).run(options)
        except duckdb.Error as e:
            reason = without_password(str(e).strip().splitlines()[0])
            message = f"{options.folder}: {reason} (DuckDB could not go on). The store is as it was before."
            return fail(command, message, "io", 3, options.json)
    except (UsageError, InputError, IoError) as e:
        kind = "usage" if isinstance(e, UsageError) else "io" if isinstance(e, IoError) else "input"
        return fail(command, str(e), kind, 2 if kind == "usage" else 3, options.json)
    except Error as e:
        return fail(command, str(e), "run", 1, options.json)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except RuntimeError as e:
        if str(e) != "Query interrupted":  # what DuckDB makes of Ctrl-C in the midst of a query
            raise
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
