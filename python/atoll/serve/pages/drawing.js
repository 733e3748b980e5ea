// SPDX-License-Identifier: Apache-2.0
// A path drawn from top to bottom: concepts with their names, edges with what is known of them.

const WIDTH = 360, STEP = 84, LEFT = 22, TOP = 24, LABEL = 40; // units of the drawing; LABEL characters fit beside a concept

function element(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const short = (text) => (text.length <= LABEL ? text : `${text.slice(0, LABEL - 1)}…`);

export const called = (concept) => concept.name || concept.id;

// concepts: {id, name, type, unmapped}; edges, one less: {note, curated}. Returns a figure.
export function drawn(concepts, edges) {
  const height = TOP * 2 + STEP * (concepts.length - 1) + 16;
  const words = concepts.map((concept, i) => called(concept) + (edges[i] ? `, ${edges[i].note || "edge"}` : ""));
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `Path: ${words.join("; ")}` });
  edges.forEach((edge, i) => {
    const y = TOP + i * STEP;
    svg.append(element("line", { x1: LEFT, y1: y, x2: LEFT, y2: y + STEP, class: edge.curated ? "curated" : "" }));
    svg.append(element("text", { x: LEFT + 18, y: y + STEP / 2 + 14, class: "note" }, edge.note));
  });
  concepts.forEach((concept, i) => {
    const y = TOP + i * STEP;
    svg.append(element("circle", { cx: LEFT, cy: y, r: 9, class: concept.unmapped ? "unmapped" : "" }));
    const name = element("text", { x: LEFT + 18, y: y + 1 }, short(called(concept)));
    name.append(element("title", {}, called(concept)));
    const detail = [concept.name && concept.id, concept.type, concept.unmapped && "no counterpart"];
    svg.append(name, element("text", { x: LEFT + 18, y: y + 17, class: "note" }, short(detail.filter(Boolean).join(" · "))));
  });
  const figure = document.createElement("figure");
  figure.className = "path";
  figure.append(svg);
  return figure;
}
