# SPDX-License-Identifier: Apache-2.0
"""Numbers with their units, and tables, as they stand on a page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

__all__ = ["bytes_text", "label", "ranges", "seconds_text", "short", "table"]


def _scaled(value: float, units: tuple[str, ...]) -> str:
    for unit in units[:-1]:
        if abs(value) < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.4g} {units[-1]}"


def bytes_text(n: float) -> str:
    """Bytes in a unit of thousands of them.

    >>> bytes_text(12345)
    '12.3 KB'
    """
    return _scaled(n, ("B", "KB", "MB", "GB", "TB"))


def seconds_text(s: float) -> str:
    """Seconds in a unit that fits.

    >>> seconds_text(0.0025)
    '2.5 ms'
    """
    return _scaled(s * 1e6, ("us", "ms", "s"))


def short(text: str, most: int = 28) -> str:
    """`text`, its middle left out where it is longer than `most` characters.

    >>> short("a name of many letters", 11)
    'a nam…tters'
    """
    kept = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - 1 - kept]}…{text[len(text) - kept :]}"


def label(text: str) -> str:
    """`text` for a label of Plotly, which takes <b> and <a href> in labels for tags.

    >>> label("5 < 6")
    '5 &lt; 6'
    """
    return html.escape(text, quote=False)


def ranges(ranks: Sequence[int]) -> str:
    """Ascending ranks in few words.

    >>> ranges([2, 3, 4]), ranges([0, 4])
    ('ranks 2-4', '2 ranks')
    """
    if not ranks:
        return "no rank"
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    if ranks[-1] - ranks[0] + 1 == len(ranks):
        return f"ranks {ranks[0]}-{ranks[-1]}"
    return f"{len(ranks)} ranks"


def table(rows: Sequence[Sequence[Any]], head: Sequence[str] | None = None, *, name: str = "Table") -> str:
    """Rows as a table of HTML with every text escaped; `name` is what a screen reader calls it.

    >>> "5 &lt; 6" in table([["5 < 6", 7]])
    True
    """

    def cell(value: Any, tag: str, scope: str = "") -> str:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if isinstance(value, int) and number:
            text = f"{value:,}"
        else:
            text = f"{value:.6g}" if number else {None: "", True: "yes", False: "no"}.get(value, str(value))
        kind = " class=n" if number else " class=w" if len(text) <= 12 else ""  # both do not wrap
        return f"<{tag}{scope}{kind}>{html.escape(text)}</{tag}>"

    lines = [f'<div class="wide" tabindex="0" role="region" aria-label="{html.escape(name)}"><table>']
    if head:
        lines.append("<thead><tr>" + "".join(cell(h, "th", ' scope="col"') for h in head) + "</tr></thead>")
    lines.append("<tbody>")
    for first, *others in rows:
        cells = "".join(cell(v, "td") for v in others)
        lines.append("<tr>" + cell(first, "th", ' scope="row"') + cells + "</tr>")
    return "\n".join([*lines, "</tbody></table></div>"])
