// SPDX-License-Identifier: Apache-2.0
// The page: asks the server that it came from, and shows what that answers. Text goes into the page only as text.

import { combobox } from "/combobox.js";
import { called, drawn } from "/drawing.js";

const $ = (id) => document.getElementById(id);
const TOKEN = "atoll-serve-token";
const FIELDS = ["from", "to", "k", "max_hops", "pass", "avoid", "reading"];
let asked = 0; // questions so far: of the answers only the last one's is shown

class Refusal extends Error {
  constructor(problem) { super(problem.detail); this.problem = problem; }
}

async function get(address, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) for (const one of [value].flat()) query.append(key, one);
  const token = sessionStorage.getItem(TOKEN);
  const answer = await fetch(`${address}?${query}`, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  if (answer.status === 401) { $("token-form").hidden = false; $("token").focus(); }
  const content = await answer.json();
  if (!answer.ok) throw new Refusal(content);
  return content;
}

const paragraph = (text) => Object.assign(document.createElement("p"), { textContent: text, className: "faint" });
const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 4 });

function say(text, isError = false) {
  $("status").className = isError ? "error" : "";
  $("status").textContent = text;
}

function question() {
  const words = (id) => $(id).value.split(";").map((word) => word.trim()).filter(Boolean);
  const found = { from: $("from").value.trim(), to: $("to").value.trim(), k: $("k").value || 1 };
  if (words("pass").length) found.pass = words("pass");
  if (words("avoid").length) found.avoid = words("avoid");
  if ($("max_hops").value) found.max_hops = $("max_hops").value;
  return found;
}

function showPaths(paths, scenario) {
  const mapped = new Set((scenario?.path || []).filter((c) => c.counterparts.length).map((c) => c.id));
  const known = new Set((scenario?.path || []).map((c) => c.id));
  const curated = new Set((scenario?.steps || []).filter((s) => s.curated).map((s) => `${s.from} ${s.to}`));
  $("paths").replaceChildren(...paths.flatMap((path, i) => {
    const concepts = path.concepts.map((c) => ({ ...c, unmapped: known.has(c.id) && !mapped.has(c.id) }));
    const edges = path.steps.map((step) => ({
      note: `weight ${number(step.weight)}, count ${number(step.count)}`,
      curated: curated.has(`${step.from} ${step.to}`),
    }));
    const steps = `${path.hops} ${path.hops === 1 ? "step" : "steps"}`;
    return [paragraph(`${paths.length > 1 ? `${i + 1}. ` : ""}weight ${number(path.weight)}, ${steps}`), drawn(concepts, edges)];
  }));
  if (!paths.length) $("paths").append(paragraph("There is no such path."));
}

function showSources(paths) {
  const rows = paths.flatMap((path) => {
    const names = new Map(path.concepts.map((concept) => [concept.id, called(concept)]));
    return path.steps.flatMap((step) => step.sources.map((source) => [
      `${names.get(step.from)} – ${names.get(step.to)}`, source.relation, source.kind ?? "",
      source.count === null ? "" : number(source.count), source.file ?? "",
    ]));
  });
  $("sources").tBodies[0].replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    cells.forEach((text, i) => { const cell = row.insertCell(); cell.textContent = text; if (i === 3) cell.className = "number"; });
    return row;
  }));
}

function showScenario(scenario, reason) {
  const label = document.createElement("strong");
  label.textContent = scenario ? `Scenario ${scenario.scenario}` : "No scenario";
  $("scenario").replaceChildren(label, scenario ? scenario.meaning : reason);
  const curated = scenario?.curated;
  if (curated) {
    const hops = curated.length - 1;
    $("curated").replaceChildren(paragraph(`${hops} ${hops === 1 ? "step" : "steps"} between the nearest counterparts`),
      drawn(curated, curated.slice(1).map(() => ({ note: "", curated: true }))));
  } else $("curated").replaceChildren(paragraph(scenario ? "There is no such path." : "Nothing to compare."));
}

function showRefusal(problem) {
  say(problem.detail, true);
  for (const concept of [...(problem.nearest || []), ...(problem.candidates || [])]) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: `${called(concept)} (${concept.id})` });
    button.addEventListener("click", () => {
      const isFrom = problem.detail.startsWith(`'${$("from").value.trim()}'`) || problem.detail.startsWith(`"${$("from").value.trim()}"`);
      $(isFrom ? "from" : "to").value = concept.id;
      ask();
    });
    $("status").append(button);
  }
}

async function ask() {
  const mine = ++asked;
  const wanted = question();
  remember();
  say("Asking …");
  $("answer").setAttribute("aria-busy", "true");
  try {
    const ends = { from: wanted.from, to: wanted.to };
    const [paths, [scenario, reason]] = await Promise.all([
      get("/paths", wanted),
      get("/scenario", { ...ends, reading: $("reading").value }).then((found) => [found, ""], (e) => [null, e.message]),
    ]);
    if (mine !== asked) return;
    showPaths(paths.paths, scenario);
    showSources(paths.paths);
    showScenario(scenario, reason);
    $("answer").hidden = false;
    const count = paths.paths.length;
    say(`${called(paths.from)} to ${called(paths.to)}: ${count} ${count === 1 ? "path" : "paths"}.`);
  } catch (error) {
    if (mine !== asked) return;
    $("answer").hidden = true;
    if (error instanceof Refusal) showRefusal(error.problem);
    else say("The server does not answer (it may have ended). Start it again, then ask again.", true);
  } finally {
    if (mine === asked) $("answer").removeAttribute("aria-busy");
  }
}

function remember() {
  const query = new URLSearchParams();
  for (const id of FIELDS) if ($(id).value && $(id).value !== $(id).defaultValue) query.set(id, $(id).value);
  history.replaceState(null, "", `?${query}`);
}

async function begin() {
  const about = await get("/health").catch((error) => (error instanceof Refusal ? say(error.message, true) : null));
  if (!about) return;
  $("about").textContent = `${about.graph}: ${number(about.concepts)} concepts, ${number(about.edges)} edges` +
    (about.curated === null ? "" : `; ${number(about.curated)} concepts are in the curated graph too`) +
    (about.stale || about.replaced ? ". The graph has changed since: start the server again." : ".");
  if ($("from").value && $("to").value) ask();
}

const suggest = async (text) => (await get("/concepts", { q: text, limit: 8 })).concepts;
combobox($("from"), suggest);
combobox($("to"), suggest);
$("question").addEventListener("submit", (event) => { event.preventDefault(); ask(); });
$("swap").addEventListener("click", () => {
  [$("from").value, $("to").value] = [$("to").value, $("from").value];
  if ($("from").value && $("to").value) ask();
});
$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, $("token").value);
  $("token-form").hidden = true;
  say("");
  begin();
});
for (const [id, value] of new URLSearchParams(location.search)) if (FIELDS.includes(id)) $(id).value = value;
begin();
