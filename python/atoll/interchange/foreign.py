# SPDX-License-Identifier: Apache-2.0
"""The one place where readers of files are called: all their errors name the file, the reason and a cure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from .. import errors

__all__ = ["named", "read_foreign"]

T = TypeVar("T")

# Messages of the readers about a file that ends too early: gzip, zstd, JSON, XML, Parquet, Arrow.
_CUT_OFF = re.compile(
    r"end-of-stream marker|truncated|unexpected end|unterminated string|no element found|unclosed (token|CDATA)"
    r"|expected to be able to read|premature|\beof\b",
    re.IGNORECASE,
)


def read_foreign(path: str, what: str, library: str, read: Callable[[], T], cure: str = "") -> T:
    """Returns read(); an InputError says which file `library` could not read as `what`, and why.

    Atoll's own errors pass. An error of the machine (no such file, no permission) becomes an IoError. `cure`: the
    sentence to end with, else what fits the reason.

    Raises
    ------
    InputError              the library refused the file, or met something that it did not expect
    IoError                 the file cannot be opened or read

    Examples
    --------
    >>> import json
    >>> from atoll.interchange.foreign import read_foreign
    >>> read_foreign("net.json", "JSON", "json", lambda: json.loads("[1, 2"))
    Traceback (most recent call last):
    atoll.errors.InputError: net.json: json cannot read it as JSON (JSONDecodeError: Expecting ',' ...). ...
    """
    try:
        return read()
    except (errors.Error, MemoryError, ImportError):
        raise
    except OSError as e:
        if e.errno is not None:
            raise errors.IoError(f"{path}: cannot be read ({e.strerror or e}). Look at the file and its folder.") from e
        raise _refusal(path, what, library, e, cure) from e
    except Exception as e:  # the parsers raise whatever they meet: of XML, of numbers, of keys
        raise _refusal(path, what, library, e, cure) from e


@contextmanager
def named(path: str) -> Iterator[None]:
    """Names the file in errors about what was read from it: of its names, weights, ids.

    >>> from atoll.interchange.foreign import named
    >>> with named("net.gml"):
    ...     raise TypeError("src is float64 (ids are whole numbers).")
    Traceback (most recent call last):
    atoll.errors.InputError: net.gml: src is float64 (ids are whole numbers).
    """
    try:
        yield
    except (errors.InputError, TypeError) as e:
        if path in str(e):
            raise
        raise errors.InputError(f"{path}: {e}") from e


def _refusal(path: str, what: str, library: str, error: BaseException, cure: str) -> errors.InputError:
    reason = " ".join(str(error).split())[:300]
    usual = "Was it cut off? Copy it anew." if _ends_early(error) else "Write it anew, or give it as another format."
    return errors.InputError(
        f"{path}: {library} cannot read it as {what} ({type(error).__name__}: {reason}). {cure or usual}"
    )


def _ends_early(error: BaseException) -> bool:
    """Whether the reader came to the end of the file, and wanted more."""
    if isinstance(error, json.JSONDecodeError) and error.pos >= len(error.doc.rstrip()):
        return True
    return isinstance(error, EOFError) or _CUT_OFF.search(str(error)) is not None
