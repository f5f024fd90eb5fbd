// SPDX-License-Identifier: BSD-3-Clause
// How the picture is read: what its lines, rings and discs are.

import { element } from "./element.js";

/** A list of swatches with words, of what the frame has. */
export class Legend {
  constructor() {
    this.node = element("ul", { class: "lab-legend", "aria-label": "How to read the picture" });
  }

  show(frame) {
    const entries = entriesOf(frame);
    const key = JSON.stringify(entries);
    if (key === this.key) return;
    this.key = key;
    this.node.replaceChildren(...entries.map(([mark, words]) =>
      element("li", {}, element("span", { class: "lab-swatch", "data-mark": mark }), words)));
  }
}

function entriesOf({ facts, arrays, fitted, setting: { machine } }) {
  const { level, epsilon, proof, decision = "f(x) + b", coefficient = "\u03b2", vanishing, unseen, view } = facts;
  const marked = view?.marked?.length && ["marked", "sample that the words name"];
  if (!arrays.curve && !arrays.field) return [marked].filter(Boolean);
  const { epsilon: chosen, delta } = machine.values;
  const tube = `tube, ${decision} \u00b1 \u03b5${chosen === undefined ? "" : ": drag its edge"}`;
  const entries = arrays.curve
    ? [["line", decision], epsilon > 0 && ["margin", tube], delta && ["faint", `${decision} \u00b1 \u03b4`],
      arrays.deviation && ["band", "standard deviation of a new target"],
      arrays.decision && ["stroke", "residual"]]
    : [vanishing ? ["none", vanishing] : ["line", `${decision} = 0`], unseen && ["none", unseen],
      level > 0 && !vanishing && ["margin", `margin, ${decision} = \u00b1${Number(level.toPrecision(3))}`],
      arrays.probability && ["margin", "probability 1/4 and 3/4"], arrays.slacks && !vanishing && ["stroke", "slack"]];
  const isRelevance = proof?.evidence !== undefined;
  const roles = arrays.roles && (isRelevance ? [["free", "relevance vector"]]
    : [["free", "support vector, free"], ["bound", "support vector at the bound"]]);
  return [...entries, ...(roles || []), arrays.multipliers && ["disc", `area: coefficient |\u03b2|, ${coefficient}`],
    fitted && ["held", "hollow: held out, not fitted"], marked].filter(Boolean);
}
