// SPDX-License-Identifier: Apache-2.0
// Of pages that a search finds, those of Python come first, functions before the parts of classes, then the others, then
// those of C++ and the measurements.
var Scorer = {
  score: function (result) {
    const [page, title, anchor, description, score] = result;
    const part = /Python (attribute|property|method)/.test(description || "");
    if (page.startsWith("reference/python")) return score + (part ? 5 : 20);
    if (page.startsWith("reference/cpp") || page.startsWith("measurements/") || page === "changelog") return score - 20;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
