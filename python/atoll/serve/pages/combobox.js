// SPDX-License-Identifier: Apache-2.0
// A text field with a list of suggestions, by the pattern "combobox" of WAI-ARIA: arrows choose, Enter takes, Escape closes.

const WAIT_MS = 120; // after a key, before the server is asked

export function combobox(input, suggest) {
  const list = document.createElement("ul");
  list.className = "options";
  list.id = `${input.id}-options`;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  input.after(list);
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", list.id);
  input.setAttribute("aria-expanded", "false");
  let timer = 0, asked = 0, chosen = -1;

  const close = () => {
    asked += 1; // an answer that is still under way comes too late
    clearTimeout(timer);
    list.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const choose = (place) => {
    const options = [...list.children];
    chosen = (place + options.length) % options.length;
    options.forEach((option, i) => option.setAttribute("aria-selected", String(i === chosen)));
    input.setAttribute("aria-activedescendant", options[chosen].id);
    options[chosen].scrollIntoView({ block: "nearest" });
  };
  const take = (option) => {
    input.value = option.dataset.value;
    close();
  };
  const show = (concepts) => {
    list.replaceChildren(...concepts.map((concept, i) => {
      const option = document.createElement("li");
      option.id = `${list.id}-${i}`;
      option.dataset.value = concept.id;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      const detail = document.createElement("small");
      detail.textContent = [concept.name && concept.id, concept.type].filter(Boolean).join(" · ");
      option.append(concept.name || concept.id, detail);
      option.addEventListener("pointerdown", (event) => { event.preventDefault(); take(option); });
      return option;
    }));
    list.hidden = concepts.length === 0;
    chosen = -1;
    input.setAttribute("aria-expanded", String(!list.hidden));
    input.removeAttribute("aria-activedescendant");
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    const mine = ++asked;
    if (!input.value.trim()) return close();
    timer = setTimeout(async () => {
      const concepts = await suggest(input.value).catch(() => []);
      if (mine === asked) show(concepts);
    }, WAIT_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden || event.isComposing) return;
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
    else if (event.key === "Enter" && chosen >= 0) take(list.children[chosen]);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  input.addEventListener("blur", close);
}
