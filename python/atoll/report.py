# SPDX-License-Identifier: Apache-2.0
"""What a run's JSON holds, as a page that opens from disk: `atoll report RESULT.json [-o PAGE.html]`.

The page is one file without scripts or links: where the time went, bytes per link of the tree of domains, who sent to
whom, and how the rounds followed each other; of `atoll simulate`, the routes beside each other; of `atoll tune`, the
progress of one search or of several.
"""

from __future__ import annotations

import argparse
import html
import json
import math
import sys
from pathlib import Path

from . import _core
from .errors import IoError
from .standard_output import checked

PARTS = {"compute": "#4c72b0", "intra": "#55a868", "inter": "#c44e52", "stall": "#b0b0b0"}
MEANING = {
    "compute": "computation",
    "intra": "communication inside a leaf domain",
    "inter": "communication across walls",
    "stall": "waiting with nothing on its way, or for room to send",
}
WIDTH = 860

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 2em auto; padding: 0 1em; color: #222; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; } td, th { padding: .15em .8em .15em 0; text-align: left; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
svg { display: block; margin: .5em 0; } svg text { font: 12px system-ui, sans-serif; fill: #333; }
.bad { color: #b00; } .note { color: #666; }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd; } svg text { fill: #ccc; } }
"""


def scaled(value: float, units: tuple[str, ...], step: float = 1000) -> str:
    for unit in units[:-1]:
        if abs(value) < step:
            return f"{value:.3g} {unit}"
        value /= step
    return f"{value:.4g} {units[-1]}"


def bytes_text(n: float) -> str:
    return scaled(n, ("B", "KB", "MB", "GB", "TB"))


def seconds_text(s: float) -> str:
    return scaled(s * 1e6, ("us", "ms", "s"))


def table(rows: list[list[object]], head: list[str] | None = None) -> str:
    def cell(value: object, tag: str) -> str:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        text = f"{value:,}" if isinstance(value, int) and number else str(value)
        return f"<{tag}{' class=n' if number else ''}>{html.escape(text)}</{tag}>"

    lines = ["<table>"]
    if head:
        lines.append("<tr>" + "".join(cell(h, "th") for h in head) + "</tr>")
    lines += ["<tr>" + "".join(cell(v, "td") for v in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])


def svg(height: float, body: list[str], width: float = WIDTH) -> str:
    return (
        f'<svg width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">'
        + "".join(body)
        + "</svg>"
    )


def rect(x: float, y: float, w: float, h: float, fill: str, title: str) -> str:
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{max(w, 0):.2f}" height="{h:.2f}" fill="{fill}">'
        f"<title>{html.escape(title)}</title></rect>"
    )


def text(x: float, y: float, words: object, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(str(words))}</text>'


def breakdown(bars: list[tuple[str, dict]]) -> str:
    """Bars of rank seconds by what they went to, as figure 1 of the TuCOMM paper has them."""
    most = max((sum(parts.values()) for _, parts in bars), default=0)
    if most <= 0:
        return ""
    left, room, y, body = 90, WIDTH - 190, 4, []
    for name, parts in bars:
        x = left
        body.append(text(0, y + 15, name))
        for part, colour in PARTS.items():
            w = room * parts.get(part, 0) / most
            share = parts.get(part, 0) / sum(parts.values()) if sum(parts.values()) else 0
            body.append(rect(x, y, w, 20, colour, f"{name}: {part} {seconds_text(parts.get(part, 0))}, {share:.0%}"))
            x += w
        body.append(text(x + 6, y + 15, seconds_text(sum(parts.values()))))
        y += 26
    x = left
    for part, colour in PARTS.items():
        body += [rect(x, y + 4, 12, 12, colour, MEANING[part]), text(x + 16, y + 14, part)]
        x += 80
    legend = "; ".join(f"{part}: {meaning}" for part, meaning in MEANING.items())
    return (
        "<h2>Where the time went</h2>"
        + svg(y + 24, body)
        + f'<p class="note">Seconds of all ranks together. {html.escape(legend)}.</p>'
    )


def matrix(traffic: dict) -> str:
    """Bytes from row to column; the darker, the more, on a scale of powers."""
    flat = traffic["bytes"]
    n = math.isqrt(len(flat))
    most = max(flat, default=0)
    if most == 0:
        return ""
    side = max(4.0, min(24.0, 560 / n))
    body = []
    for i in range(n):
        for j in range(n):
            b = flat[i * n + j]
            shade = 0 if b == 0 else 0.15 + 0.85 * math.log1p(b) / math.log1p(most)
            body.append(
                f'<rect x="{40 + j * side:.1f}" y="{20 + i * side:.1f}" width="{side - 0.5:.1f}" '
                f'height="{side - 0.5:.1f}" fill="#c44e52" fill-opacity="{shade:.2f}">'
                f"<title>{i} to {j}: {bytes_text(b)}</title></rect>"
            )
    step = max(1, n // 16)
    for i in range(0, n, step):
        body += [text(36, 20 + i * side + side / 2 + 4, i, "end"), text(40 + i * side + side / 2, 14, i, "middle")]
    return (
        f"<h2>Who sent to whom</h2><p>Bytes between {html.escape(traffic['between'])}, from row to column; the most is "
        f"{bytes_text(most)}.</p>" + svg(n * side + 28, body, n * side + 48)
    )


def domain_sums(tree: dict, traffic: dict | None) -> list[tuple[int, str, list[int], int | None]]:
    """(depth, kind, ranks, bytes that left it) of each domain, from the top, siblings in order."""
    by_rank = traffic["bytes"] if traffic and traffic["between"] == "ranks" else None
    by_leaf = traffic["bytes"] if traffic and traffic["between"] != "ranks" else None
    rows: list[tuple[int, str, list[int], int | None]] = []
    leaves = 0

    def outside(inside: set[int], flat: list[int]) -> int:
        n = math.isqrt(len(flat))
        return sum(flat[i * n + j] for i in inside for j in range(n) if j not in inside)

    def walk(domain: dict, depth: int) -> tuple[list[int], set[int]]:
        nonlocal leaves
        at = len(rows)
        rows.append((depth, domain.get("kind", ""), [], None))
        ranks = list(domain.get("ranks", []))
        mine: set[int] = set()
        if domain.get("children"):
            for child in domain["children"]:
                below, numbers = walk(child, depth + 1)
                ranks += below
                mine |= numbers
        else:
            mine = {leaves}
            leaves += 1
        left = outside(set(ranks), by_rank) if by_rank else outside(mine, by_leaf) if by_leaf else None
        rows[at] = (depth, domain.get("kind", ""), sorted(ranks), left)
        return ranks, mine

    walk(tree, 0)
    return rows


def ranges(ranks: list[int]) -> str:
    if not ranks:
        return "none"
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    if ranks[-1] - ranks[0] + 1 == len(ranks):
        return f"ranks {ranks[0]}-{ranks[-1]}"
    return f"{len(ranks)} ranks"


def tree(hierarchy: dict, traffic: dict | None) -> str:
    rows = domain_sums(hierarchy, traffic)
    drawn = [r for r in rows if len(r[2]) > 0][:80]
    most = max((r[3] or 0 for r in drawn), default=0)
    body, y = [], 4
    for depth, kind, ranks, left in drawn:
        x = 8 + 28 * depth
        if depth:
            body.append(f'<path d="M{x - 16} {y - 8} V{y + 9} H{x - 4}" stroke="#999" fill="none"/>')
        body.append(text(x, y + 13, f"{kind} of {ranges(ranks)}"))
        if left is not None and depth:
            w = 300 * left / most if most else 0
            body += [rect(430, y + 2, w, 14, PARTS["inter"], bytes_text(left)), text(436 + w, y + 14, bytes_text(left))]
        y += 22
    left_out = (
        f'<p class="note">{len(rows) - len(drawn)} more domains are not drawn.</p>' if len(rows) > len(drawn) else ""
    )
    about = "bars: bytes that left the domain over its uplink." if traffic else ""
    return f"<h2>The tree of domains</h2><p>{about}</p>" + svg(y + 6, body) + left_out


def timeline(rounds: list[dict]) -> str:
    total = sum(r["seconds"] for r in rounds)
    if total <= 0:
        return ""
    body, x = [], 0.0
    most = max(r["found"] for r in rounds) or 1
    for i, r in enumerate(rounds):
        w = WIDTH * r["seconds"] / total
        waited = min(1.0, r["non_overlapped_communication"] / r["seconds"]) if r["seconds"] else 0
        way = "pull" if r.get("pulled") else "push"
        name = f"round {i + 1} ({way}): {seconds_text(r['seconds'])}, found {r['found']:,}"
        body.append(rect(x, 70, w * (1 - waited), 24, PARTS["compute"], name))
        body.append(
            rect(x + w * (1 - waited), 70, w * waited - 0.5, 24, PARTS["inter"], name + f", {waited:.0%} waiting")
        )
        h = 60 * math.log1p(r["found"]) / math.log1p(most)
        body.append(rect(x, 66 - h, w - 0.5, h, "#8172b2", name))
        if w > 24:
            body.append(text(x + w / 2, 110, i + 1, "middle"))
        x += w
    return (
        "<h2>Round after round</h2><p>Above: what each round found (on a scale of powers); below: its time, red where "
        "the slowest rank waited for others.</p>" + svg(116, body)
    )


def phases(seconds: dict) -> str:
    names = [n for n in ("load", "build", "prepare", "run", "verify") if isinstance(seconds.get(n), (int, float))]
    return table([[n, seconds_text(seconds[n])] for n in names], ["phase", "time"]) if names else ""


def levels(counted: list[dict]) -> str:
    rows = [
        [
            f"{level['level']} {level['kind']}",
            level["messages"],
            bytes_text(level["bytes"]),
            bytes_text(level["bytes"] / level["messages"]) if level["messages"] else "",
            bytes_text(level.get("merged_bytes", 0)),
        ]
        for level in counted
    ]
    return "<h2>What crossed each level</h2>" + table(
        rows, ["level", "messages", "bytes", "a message", "saved by merging"]
    )


def routes(result: dict) -> str:
    rows = [
        [
            r["route"],
            r["inter_domain_messages"],
            bytes_text(r["inter_domain_bytes"]),
            seconds_text(r["communication_seconds"]),
            seconds_text(r["virtual_seconds"]),
        ]
        for r in result["routes"]
    ]
    bars = [(r["route"], r["breakdown"] if "breakdown" in r else r["whole"]["rank_seconds"]) for r in result["routes"]]
    head = ["route", "messages across the top", "bytes", "communication", "all in all"]
    body = "<h2>The routes</h2>" + table(rows, head) + breakdown(bars)
    for r in result["routes"]:
        if "traffic" in r.get("whole", {}):
            body += f"<h3>{html.escape(r['route'])}</h3>" + matrix(r["whole"]["traffic"])
    return body


def is_search(result: dict) -> bool:
    return result.get("command") == "tune" and "trials" in result.get("result", {})


def page(result: dict) -> str:
    """The page of one result object of the command.

    >>> page({"schema": 1, "command": "run bfs", "counters": {}, "seconds": {}})[:15]
    '<!doctype html>'
    """
    if is_search(result):
        from .tune import pages

        return pages.page([result])
    world, given = result.get("world", {}), result.get("input", {})
    counters = result.get("counters", {})
    traffic = counters.get("traffic") or result.get("simulation", {}).get("traffic")
    facts: list[list[object]] = []
    if given.get("name"):
        facts.append(
            ["graph", f"{given['name']}: {given.get('vertices', 0):,} vertices, {given.get('edges', 0):,} edges"]
        )
    if world.get("ranks"):
        how = f"{world['ranks']} x {world.get('threads', 1)} threads over {world.get('transport', '?')}"
        facts.append(["ranks", how + f", route {result.get('plan', {}).get('route', '?')}"])
    if "platform" in result:
        facts.append(["platform", f"{result['platform']['name']}: {result['platform']['ranks']} ranks"])
    if result.get("simulated_command"):
        facts.append(["command", "atoll " + " ".join(result["simulated_command"])])
    for name, value in result.get("result", {}).items():
        if isinstance(value, (int, float, str, bool)):
            facts.append([name, value])
    if result.get("verified") is not None:
        facts.append(["verified", "yes" if result["verified"] else "FAILED"])
    if result.get("predicted"):
        facts.append(["times", "predicted: ranks in virtual time"])
    if "error" in result:
        facts.append(["error", result["error"].get("message", "")])
    title = html.escape("atoll " + result.get("command", ""))
    body = [f"<h1>{title}</h1>", table(facts), phases(result.get("seconds", {}))]
    if "routes" in result:
        body.append(routes(result))
    if counters.get("breakdown"):
        body.append(
            breakdown([("searches" if "searches" in result.get("result", {}) else "run", counters["breakdown"])])
        )
    if result.get("seconds", {}).get("rounds"):
        body.append(timeline(result["seconds"]["rounds"]))
    if counters.get("levels"):
        body.append(levels(counters["levels"]))
    if world.get("hierarchy"):
        body.append(tree(world["hierarchy"], traffic))
    if traffic:
        body.append(matrix(traffic))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


@checked
def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="atoll report", description=__doc__.split("\n")[0])
    parser.add_argument(
        "result", nargs="+", help="what a verb wrote by --json; - for standard input; several of atoll tune"
    )
    parser.add_argument("-o", "--output", help="the page (default: beside the first result, .html)")
    options = parser.parse_args(words)
    results = []
    for given in options.result:
        try:
            result = json.loads(sys.stdin.read() if given == "-" else Path(given).read_text())
            if not isinstance(result, dict) or "schema" not in result:
                raise ValueError("not an object with a schema")
            if len(options.result) > 1 and not is_search(result):
                raise ValueError("not a search of atoll tune (only searches share a page)")
        except OSError as e:
            print(f"atoll: error: {given}: {e.strerror} (it is to be read). Correct the path.", file=sys.stderr)
            return 3
        except ValueError as e:
            print(f"atoll: error: {given}: {e} (a result of --json is needed). Give one.", file=sys.stderr)
            return 3
        results.append(result)
    first = options.result[0]
    output = Path(options.output or ("report.html" if first == "-" else Path(first).with_suffix(".html")))
    if len(results) == 1:
        content = page(results[0])
    else:
        from .tune import pages

        content = pages.page(results, [Path(given).stem for given in options.result])
    try:
        _core.write_file(str(output), content)
    except IoError as e:
        print(f"atoll: error: {e}", file=sys.stderr)
        return 3
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
