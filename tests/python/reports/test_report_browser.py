# SPDX-License-Identifier: Apache-2.0
"""A page of `atoll report` in Chromium: it is drawn from a file, with no error, no other host, and by keyboard."""

import html
import json
import re
import shutil
import subprocess

import pytest
from test_report_page import RUN, changed

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("no Chromium is installed", allow_module_level=True)
pytest.importorskip("plotly", reason="pages need plotly")

from atoll import report  # noqa: E402

pytestmark = pytest.mark.nightly

# Before all else of the page, and behind it; what they find is text of the page, which --dump-dom prints.
LISTEN = """<script>
window.wrong = [];
addEventListener("error", (event) => wrong.push(event.message));
addEventListener("unhandledrejection", (event) => wrong.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => wrong.push("refused " + event.blockedURI));
</script>"""
PROBE = """<script>(async () => {
  const page = document.documentElement, find = (id) => document.getElementById(id);
  while (!page.dataset.drawn && !find("state").textContent) await new Promise((done) => setTimeout(done, 50));
  const plots = [...document.querySelectorAll(".plot")], said = {};
  for (const plot of plots) {
    const press = (key) => plot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const words = ["ArrowRight", "ArrowRight", "ArrowLeft"].map((key) => (press(key), find("said").textContent));
    said[plot.id] = [...words, plot.querySelectorAll(".hoverlayer .hovertext").length];
  }
  const found = { drawn: page.dataset.drawn, state: find("state").textContent, wrong, said,
    wide: page.scrollWidth - page.clientWidth, paper: getComputedStyle(document.body).backgroundColor,
    svg: plots.filter((plot) => plot.querySelector("svg.main-svg")).length,
    requests: performance.getEntriesByType("resource").map((entry) => entry.name) };
  const text = JSON.stringify(found);
  document.body.append(Object.assign(document.createElement("pre"), { id: "found", textContent: text }));
})()</script>"""


def opened(text, folder, *options):
    page = folder / "page.html"
    page.write_text(text.replace("<head>", "<head>" + LISTEN).replace("</body>", PROBE + "</body>"))
    words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    words += ["--virtual-time-budget=60000", "--window-size=500,900", *options, "--dump-dom", page.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    found = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stderr[-2000:]
    return json.loads(html.unescape(found[1]))


def test_every_figure_is_drawn_in_a_narrow_window_and_told_by_arrow_keys(tmp_path):
    gcn = {"runs": [{"seed": 1, "losses": [2.0, 1.5]}]}
    text = report.page(RUN, changed(result=gcn), names=["one", "two <b>"])
    found = opened(text, tmp_path, "--blink-settings=preferredColorScheme=0")
    assert found["wrong"] == [] and found["state"] == "" and found["requests"] == []
    assert int(found["drawn"]) == found["svg"] == text.count('class="plot"') > 15
    assert found["wide"] <= 0  # nothing but tables scrolls sideways
    assert found["paper"] == "rgb(25, 26, 28)"  # dark
    for first, second, again, shown in found["said"].values():
        assert first and second and first == again
        assert shown <= 1
    assert (
        sum(shown for *_, shown in found["said"].values()) >= len(found["said"]) - 2
    )  # the trees have no hover by key
    assert any("two <b>" in word for words in found["said"].values() for word in words[:3])


def test_a_page_whose_plotly_does_not_work_says_that_the_tables_remain(tmp_path, monkeypatch):
    monkeypatch.setattr(report.document, "plotly_script", lambda: "throw new Error('broken')")
    found = opened(report.page(RUN), tmp_path)
    assert "the tables below have the same numbers" in found["state"]
    assert found["paper"] == "rgb(255, 255, 255)"
