# SPDX-License-Identifier: Apache-2.0
"""The part that runs in the browser: the style of a page, and the script that unpacks Plotly and draws by it."""

__all__ = ["SCRIPT", "STYLE"]

STYLE = """
:root { --ink: #222; --paper: #fff; --faint: #555; --line: #d8d8d8; --link: #0b57a4; --bad: #a40000; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e4; --paper: #191a1c; --faint: #a9a9a9; --line: #414244; --link: #8ab8f0; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1000px; margin: 0 auto; padding: 1em;
       color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }
h1 { font-size: 1.5em; margin: .4em 0; } h2 { font-size: 1.25em; margin: 2em 0 .5em; }
h3 { font-size: 1em; margin: 1em 0 .3em; }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: .2em 1.2em; list-style: none; padding: 0; margin: 0; }
.skip { position: absolute; left: -99em; } .skip:focus { position: static; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
figure { margin: 0 0 1.5em; } .plot { width: 100%; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.wide { overflow-x: auto; max-width: 100%; max-height: 30em; }
table { border-collapse: collapse; overflow-wrap: normal; }
td, th { padding: .15em .8em .15em 0; text-align: left; vertical-align: top; font-weight: normal;
         white-space: pre-wrap; }
thead th { border-bottom: 1px solid var(--line); } tbody th { color: var(--faint); }
td.n { text-align: right; font-variant-numeric: tabular-nums; } .n, .w { white-space: nowrap; }
.note { color: var(--faint); margin: .3em 0; } .warn { margin: .3em 0; } .warn::before { content: "Note: "; }
.bad, #state:not(:empty) { color: var(--bad); }
footer { color: var(--faint); border-top: 1px solid var(--line); margin-top: 3em; }
"""

# Arrow keys step through the points of a figure, in the order of its traces, and say each in the live region.
SCRIPT = """
(async () => {
  const text = (id) => document.getElementById(id).textContent;
  const figures = JSON.parse(text("figures"));
  const packed = Uint8Array.from(atob(text("plotly")), (c) => c.charCodeAt(0));
  const code = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const script = document.createElement("script");
  script.textContent = await new Response(code).text();
  document.head.append(script);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const narrow = matchMedia("(max-width: 600px)");
  const dressed = (layout) => {
    const ink = colour("--ink"), paper = colour("--paper"), line = colour("--line");
    const out = { ...layout, font: { color: ink, size: narrow.matches ? 11 : 12, family: "system-ui, sans-serif" },
      paper_bgcolor: paper, plot_bgcolor: paper, hoverlabel: { bgcolor: paper, font: { color: ink } },
      margin: { l: 10, r: 10, t: 40, b: 40 }, autosize: true };
    for (const axis of Object.keys(layout).filter((key) => /^[xy]axis/.test(key)))
      out[axis] = { gridcolor: line, zerolinecolor: line, linecolor: line, ...layout[axis] };
    return out;
  };
  const config = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d"],
    displayModeBar: "hover", showEditInChartStudio: false, showSendToCloud: false, plotlyServerURL: "" };
  const draw = () => Promise.all(Object.entries(figures).map(([id, figure]) =>
    Plotly.react(id, structuredClone(figure.data), dressed(structuredClone(figure.layout)), config)));
  await draw();
  for (const query of [matchMedia("(prefers-color-scheme: dark)"), narrow]) query.addEventListener("change", draw);
  for (const [id, figure] of Object.entries(figures)) {
    const div = document.getElementById(id), points = [];
    figure.data.forEach((trace, curveNumber) => (trace.hovertext || []).forEach((words, pointNumber) => {
      if (Array.isArray(words)) words.forEach((word, x) => points.push({ word, x, y: pointNumber }));
      else points.push({ word: words, trace, curveNumber, pointNumber });
    }));
    let at = -1;
    div.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") Plotly.Fx.unhover(div);
      if (!step || !points.length) return;
      event.preventDefault();
      at = (at + step + points.length) % points.length;
      const { word, trace, curveNumber, pointNumber, x, y } = points[at];
      document.getElementById("said").textContent = new DOMParser().parseFromString(word, "text/html").body.textContent;
      div.dataset.point = at;
      const plane = (trace?.xaxis || "x") + (trace?.yaxis || "y");
      if (trace && trace.type !== "icicle") Plotly.Fx.hover(div, [{ curveNumber, pointNumber }], plane);
      else if (!trace) Plotly.Fx.hover(div, { xval: x, yval: y }, "xy");
    });
  }
  document.documentElement.dataset.drawn = Object.keys(figures).length;
})().catch((error) => {
  document.getElementById("state").textContent =
    `The figures could not be drawn (${error}); the tables below have the same numbers.`;
});
"""
