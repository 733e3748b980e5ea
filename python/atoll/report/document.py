# SPDX-License-Identifier: Apache-2.0
"""One file of HTML: sections of words, tables and figures, with Plotly inside; it asks no other host."""

from __future__ import annotations

import base64
import html
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from .._core import VERSION
from ..errors import UsageError
from .browser import SCRIPT, STYLE
from .figure import Figure
from .text import table

__all__ = ["Section", "document", "plotly_script"]

_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


@dataclass
class Section:
    """A heading with what stands below it: HTML first, then figures."""

    title: str
    body: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)


def plotly_script() -> str:
    """Plotly.js, as the package plotly brings it.

    Raises
    ------
    UsageError                  plotly is not installed

    Examples
    --------
    >>> "plotly.js" in atoll.report.document.plotly_script()[:200]
    True
    """
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as e:
        raise UsageError(
            f"a page needs Plotly ({e}). pip install plotly, or pip install .[report] in a checkout of Atoll; "
            "--trace FILE works without."
        ) from None
    return str(get_plotlyjs())


def document(title: str, sections: Sequence[Section], *, script: str | None = None) -> str:
    """The page of these sections, the same bytes for the same input and the same versions of Plotly and zlib.

    Plotly.js is packed by zlib (2 MB instead of 5) and unpacked by the browser. Every figure has its numbers as a table
    below it.

    Parameters
    ----------
    title : str                 of the page
    sections : list of Section
    script : str                Plotly.js (default: plotly_script())

    Raises
    ------
    UsageError                  plotly is not installed

    Examples
    --------
    >>> section = atoll.report.document.Section("Facts", ["<p>None.</p>"])
    >>> atoll.report.document.document("a run", [section], script="")[:15]
    '<!doctype html>'
    """
    packed = base64.b64encode(zlib.compress((plotly_script() if script is None else script).encode(), 9)).decode()
    figures: dict[str, dict[str, object]] = {}
    contents, links = [], []
    for number, section in enumerate(sections, 1):
        place = f"section-{number}"
        links.append(f'<li><a href="#{place}">{html.escape(section.title)}</a></li>')
        contents.append(f'<section id="{place}">\n<h2>{html.escape(section.title)}</h2>')
        contents += section.body
        for figure in section.figures:
            name = f"figure-{len(figures) + 1}"
            figures[name] = {"data": figure.data, "layout": figure.layout}
            contents.append(_figure(name, figure))
        contents.append("</section>")
    # "<" must not end the element; json.dumps leaves no other character that HTML knows.
    values = json.dumps(figures, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{html.escape(title)}</title>",
            f"<style>{STYLE}</style></head><body>",
            '<a class="skip" href="#section-1">To the first section</a>',
            f"<header><h1>{html.escape(title)}</h1>",
            f'<nav aria-label="Sections"><ul>{"".join(links)}</ul></nav>' if len(sections) > 1 else "",
            '<p id="state" role="status"></p>',
            "<noscript><p>Figures need JavaScript; the tables below have the same numbers.</p></noscript></header>",
            "<main>",
            *contents,
            "</main>",
            f"<footer><p>Made by Atoll {html.escape(VERSION)}; drawn by Plotly.js (MIT licence), which is inside this "
            "file.</p></footer>",
            '<div id="said" class="hidden" aria-live="polite"></div>',
            f'<script type="application/json" id="figures">{values}</script>',
            f'<script type="text/plain" id="plotly">{packed}</script>',
            f"<script>{SCRIPT}</script>",
            "</body></html>\n",
        ]
    )


def _figure(name: str, figure: Figure) -> str:
    title = html.escape(figure.title)
    notes = [figure.note] if figure.note else []
    below = "".join(f'<p class="note">{html.escape(note)}</p>' for note in notes)
    below += "".join(f'<p class="warn">{html.escape(warning)}</p>' for warning in figure.warnings)
    return (
        f'<figure aria-labelledby="{name}-title"><h3 id="{name}-title">{title}</h3>'
        f'<div class="plot" id="{name}" tabindex="0" role="img" aria-label="{title}: arrow keys go from point to '
        f'point; the numbers are in the table below" style="min-height:{figure.layout["height"]}px"></div>{below}'
        f"<details><summary>The numbers of: {title}</summary>{table(figure.rows, figure.head, name=figure.title)}"
        "</details></figure>"
    )
