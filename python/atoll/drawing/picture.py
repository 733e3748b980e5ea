# SPDX-License-Identifier: Apache-2.0
"""The picture of a graph as SVG, as a page that answers to the mouse, and as PNG."""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import errors
from ..collective_arguments import checked
from ..interchange.frames import optional

__all__ = ["Picture"]

_MARGIN = 24
_MOST_ARROWS = 2000  # with more, heads hide the edges


@dataclass(frozen=True, repr=False)
class Picture:
    """The picture of a graph. A notebook shows it; `save` writes it."""

    place: np.ndarray
    """Where each drawn vertex is: float64, shape (k, 2), in pixels."""
    keys: list
    """Their names, or ids."""
    edges: np.ndarray
    """The ends of the drawn edges as positions in `keys`: int64, shape (m, 2)."""
    colors: list[str]
    radii: np.ndarray
    labels: list[str]
    """The text beside each vertex; empty for none."""
    tips: list[str]
    """What the mouse shows at each vertex."""
    note: str
    """What is drawn: the graph, and which part of it."""
    width: int
    height: int
    directed: bool

    @property
    def svg(self) -> str:
        """The picture as a text of SVG.

        Examples
        --------
        >>> atoll.draw(atoll.Graph("path:3")).svg.count("<circle")
        3
        """
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" role="img" font-family="sans-serif" font-size="11">'
            f"<title>{html.escape(self.note)}</title>{self._arrow()}<g>{self._edges()}{self._vertices()}</g></svg>"
        )

    @property
    def page(self) -> str:
        """The picture as a page of HTML: drag to move, wheel to zoom, a click on a vertex shows its neighbours alone.

        It needs nothing else, no network either.

        Examples
        --------
        >>> atoll.draw(atoll.Graph("path:3")).page[:15]
        '<!doctype html>'
        """
        script = Path(__file__).resolve().with_name("page.js").read_text("utf-8")
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>{html.escape(self.note)}</title><style>body{{margin:0;font-family:sans-serif}}"
            "p{margin:8px}svg{width:100%;height:90vh}.away{opacity:.08}</style></head><body>"
            f"<p>{html.escape(self.note)}</p>{self.svg}"
            f"<script>const edges = {json.dumps(self.edges.tolist())};\n{script}</script></body></html>\n"
        )

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture; the ending says as what: .svg, .html (the page) or .png (needs cairosvg).

        Raises
        ------
        UsageError              another ending
        ImportError             .png, and cairosvg is not installed

        Examples
        --------
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "path.svg"
        >>> atoll.draw(atoll.Graph("path:3")).save(file)
        >>> file.read_text()[:4]
        '<svg'
        """
        text = str(path)
        if text.endswith(".png"):
            cairosvg = optional("cairosvg", "cairosvg", text)
            data = cairosvg.svg2png(bytestring=self.svg.encode(), scale=2, background_color="white")
        elif text.endswith((".svg", ".html")):
            data = (self.svg if text.endswith(".svg") else self.page).encode()
        else:
            raise errors.UsageError(f"{text} has an ending that is no picture's. Use .svg, .html or .png.")
        with open(text, "wb") as file:
            file.write(data)

    def _repr_html_(self) -> str:
        return f"<div>{self.svg}<br/><small>{html.escape(self.note)}</small></div>"

    def __repr__(self) -> str:
        return f"<atoll.Picture: {self.note}>"

    def _has_arrows(self) -> bool:
        return self.directed and len(self.edges) <= _MOST_ARROWS

    def _arrow(self) -> str:
        if not self._has_arrows():
            return ""
        return (
            '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" markerHeight="6" '
            'orient="auto"><path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>'
        )

    def _edges(self) -> str:
        head = ' marker-end="url(#head)"' if self._has_arrows() else ""
        begin, end = self.place[self.edges[:, 0]], self.place[self.edges[:, 1]]
        # An arrow ends where the circle of its target begins.
        along = end - begin
        length = np.maximum(np.hypot(*along.T), 1e-9)
        end = end - along * np.minimum(self.radii[self.edges[:, 1]] / length, 1)[:, None]
        opacity = min(0.7, max(0.08, 200 / max(1, len(self.edges))))
        lines = "".join(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"{head}/>'
            if u != v
            else f'<circle class="loop" cx="{x1:.1f}" cy="{y1 - r:.1f}" r="{r:.1f}"/>'
            for (u, v), (x1, y1, x2, y2), r in zip(
                self.edges.tolist(), np.hstack([begin, end]).tolist(), self.radii[self.edges[:, 0]].tolist()
            )
        )
        return f'<g class="edges" fill="none" stroke="#888" stroke-opacity="{opacity:.2f}">{lines}</g>'

    def _vertices(self) -> str:
        circles = "".join(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{color}"><title>{tip}</title></circle>'
            for (x, y), r, color, tip in zip(
                self.place.tolist(),
                self.radii.tolist(),
                map(html.escape, self.colors),
                map(html.escape, self.tips),
            )
        )
        texts = "".join(
            f'<text x="{x + r + 2:.1f}" y="{y + 4:.1f}">{html.escape(label)}</text>'
            for (x, y), r, label in zip(self.place.tolist(), self.radii.tolist(), self.labels)
            if label
        )
        return (
            f'<g class="vertices" stroke="#fff" stroke-width="0.7">{circles}</g>'
            f'<g class="labels" fill="#222">{texts}</g>'
        )


def fitted(place: np.ndarray, width: int, height: int) -> np.ndarray:
    """Returns the places stretched alike in both directions, so that they fill the picture but for a margin."""
    if len(place) == 0:
        return place
    low, high = place.min(axis=0), place.max(axis=0)
    room = np.array([width, height]) - 2 * _MARGIN
    extent = high - low
    scale = min(room[axis] / extent[axis] for axis in (0, 1) if extent[axis] > 0) if extent.any() else 1.0
    return (place - (low + high) / 2) * scale + np.array([width, height]) / 2
