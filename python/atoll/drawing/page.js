// SPDX-License-Identifier: Apache-2.0
// Moves and zooms the picture, and shows one vertex with its neighbours. `edges`: pairs of positions of circles.
const svg = document.querySelector("svg");
const circles = [...svg.querySelectorAll(".vertices circle")];
const lines = [...svg.querySelector(".edges").children];
const box = svg.viewBox.baseVal;

const toPicture = (event) => {
  const point = new DOMPoint(event.clientX, event.clientY);
  return point.matrixTransform(svg.getScreenCTM().inverse());
};

svg.addEventListener("wheel", (event) => {
  event.preventDefault();
  const factor = event.deltaY < 0 ? 0.85 : 1 / 0.85;
  const at = toPicture(event);
  box.x = at.x + (box.x - at.x) * factor;
  box.y = at.y + (box.y - at.y) * factor;
  box.width *= factor;
  box.height *= factor;
}, { passive: false });

let held = null;
let moved = false;
svg.addEventListener("pointerdown", (event) => {
  held = toPicture(event);
  moved = false;
});
svg.addEventListener("pointermove", (event) => {
  if (!held) return;
  const at = toPicture(event);
  moved = moved || Math.hypot(at.x - held.x, at.y - held.y) > box.width / 300;
  box.x -= at.x - held.x;
  box.y -= at.y - held.y;
});
window.addEventListener("pointerup", () => {
  held = null;
});

svg.addEventListener("click", (event) => {
  if (moved) return;
  const chosen = circles.indexOf(event.target);
  const near = new Set([chosen]);
  for (const [u, v] of edges) {
    if (u === chosen) near.add(v);
    if (v === chosen) near.add(u);
  }
  circles.forEach((circle, k) => circle.classList.toggle("away", chosen >= 0 && !near.has(k)));
  lines.forEach((line, k) => line.classList.toggle("away", chosen >= 0 && !edges[k].includes(chosen)));
});
