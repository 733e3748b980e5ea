# SPDX-License-Identifier: Apache-2.0
"""Reads a page of `atoll report` for tests: its structure by an HTML parser, its figures' values, its tables."""

import base64
import html.parser
import json
import zlib

VOID = {"meta", "rect", "path", "br", "input"}


class Page(html.parser.HTMLParser):
    """Holds that tags balance, ids are unique, links stay inside and nothing is fetched."""

    def __init__(self, text):
        super().__init__()
        self.open, self.headings, self.ranks, self.ids, self.links = [], [], [], [], []
        self.scripts, self.tables, self.attributes, self.words = {}, [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []
        assert len(set(self.ids)) == len(self.ids)
        assert set(self.links) <= {f"#{name}" for name in self.ids}
        self.figures = json.loads(self.scripts["figures"])
        self.plotly = zlib.decompress(base64.b64decode(self.scripts["plotly"])).decode()
        assert list(self.figures) == [name for name in self.ids if name in self.figures]
        self.titles = [heading for rank, heading in zip(self.ranks, self.headings) if rank == "h3"]

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        assert tag not in {"link", "img", "iframe", "object", "base", "form"}
        assert not {"src", "srcset", "xlink:href", "action"} & set(given)
        assert not any(name.startswith("on") for name in given)
        if "href" in given:
            self.links.append(given["href"])
        if "id" in given:
            self.ids.append(given["id"])
        self.attributes.append((tag, given))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")
        if tag not in VOID:
            self.open.append(tag)
            if tag in {"h1", "h2", "h3"}:
                self.headings.append("")
                self.ranks.append(tag)
            if tag == "script":
                self.script = given.get("id", "code")
                self.scripts[self.script] = ""

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        inside = self.open[-1] if self.open else ""
        if inside in {"h1", "h2", "h3"}:
            self.headings[-1] += data
        elif inside == "script":
            self.scripts[self.script] += data
        elif inside in {"td", "th"}:
            self.tables[-1][-1][-1] += data
        if inside not in {"script", "style"}:
            self.words += data

    def figure(self, title):
        """Traces by name of the first figure with this title."""
        found = self.figures[f"figure-{self.titles_of_figures().index(title) + 1}"]
        return {trace.get("name", trace["type"]): trace for trace in found["data"]}

    def titles_of_figures(self):
        names = [given["aria-labelledby"] for tag, given in self.attributes if tag == "figure"]
        assert [f"figure-{k}-title" for k in range(1, len(names) + 1)] == names
        labels = [given["aria-label"] for tag, given in self.attributes if given.get("class") == "plot"]
        return [text.split(": arrow keys")[0] for text in labels]
