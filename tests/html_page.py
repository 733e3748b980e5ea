# SPDX-License-Identifier: Apache-2.0
"""A page of HTML, checked and read."""

import html.parser


class Page(html.parser.HTMLParser):
    """Checks that tags balance and nothing is fetched; collects headings and drawings."""

    VOID = {"meta", "rect", "path"}

    def __init__(self, text):
        super().__init__()
        self.open, self.headings, self.drawn = [], [], 0
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag not in {"script", "link", "img", "iframe"}
        assert not {"src", "href", "xlink:href"} & {name for name, _ in attrs}
        self.drawn += tag == "rect"
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in {"h1", "h2", "h3"}:
            self.headings.append(data)
