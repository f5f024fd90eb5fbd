// SPDX-License-Identifier: BSD-3-Clause
// What is proved of the picture: the primal above, the dual below, and the gap that closes between them.

import { CanvasPainter, colour } from "../paint.js";
import { numbersInWords } from "../state/reading.js";
import { element, say } from "./element.js";
import { forHand } from "./words.js";

const QUIET = 700;
const LONG = 40;
/** The power of ten that the bar of the gap ends at. */
const LEAST = -12;
const ENDED = "No better answer is sought. Where a large cost meets large values of the kernel, numbers have too few "
  + "digits left: a smaller cost, degree or factor, or points nearer to 0, may be proved.";

/** The status, the proof, and the sentence about a point. */
export class Proof {
  constructor() {
    this.written = new Map();
    this.status = element("p", { class: "lab-status", "data-state": "waiting" }, "Getting ready \u2026");
    this.why = element("p", { class: "lab-why", "aria-hidden": "true", hidden: true });
    this.scope = element("p", { class: "lab-words", hidden: true });
    this.live = element("p", { class: "lab-hidden", role: "status" });
    this.sentence = element("p", { class: "lab-sentence", "aria-live": "polite" },
      forHand("Click to add a point, drag a point to move it, double-click to delete it. Point at one to read what the " +
        "answer makes of it."));
    this.bar = new GapBar();
    const value = (name) => (this[name] = element("output", { "aria-label": `${name} value` }, "\u2013"));
    this.values = element("div", { class: "lab-values" },
      element("p", { class: "lab-primal" }, element("b", {}, "primal"), value("primal")),
      this.bar.canvas,
      element("p", { class: "lab-dual" }, element("b", {}, "dual"), value("dual")),
      element("small", { class: "lab-words" }, "The gap on a logarithmic scale; dotted: the tolerance."));
    this.numbers = element("dl", { class: "lab-numbers", "aria-label": "The machine in numbers" });
    this.counts = element("dl", { class: "lab-counts" });
    this.formulas = element("div", { class: "lab-formulas" });
    this.dualFormulas = element("div", { class: "lab-dual-formulas" });
    const named = (words) => element("output", { "aria-label": words });
    [this.primalValue, this.dualValue] = [named("value of the primal problem"), named("value of the dual problem")];
    this.facts = element("dl", { class: "lab-facts" });
    const box = (words, open, ...inside) => element("details", { open }, element("summary", {}, words), ...inside);
    this.node = element("section", { class: "lab-proof", "aria-label": "Proof" }, element("h2", {}, "Proof"), this.why,
      this.scope, this.values, this.numbers, this.counts, this.live);
    this.more = element("section", { class: "lab-more", "aria-label": "Problem and answer" },
      box("The problem and its dual", true,
        element("h3", {}, "Primal ", this.primalValue), this.formulas,
        this.dualPart = element("div", {}, element("h3", {}, "Dual ", this.dualValue), this.dualFormulas)),
      this.known = box("All that is known of the answer", false, this.facts));
  }

  /** Show the proof of a frame, whose machine is a choice of the menu. */
  show(frame, choice) {
    const { facts, arrays } = frame;
    const proof = facts.proof ?? {};
    this.tell(...statusOf(facts));
    this.within(scopeOf(facts));
    const bounded = "gap" in proof;
    this.values.hidden = !bounded;
    if (bounded) {
      say(this.primal, number(proof.primal));
      say(this.dual, number(proof.dual));
      this.bar.show(proof.gap, proof.tol);
    }
    showTerms(this.counts, countsOf(facts, arrays));
    showTerms(this.numbers, numbersInWords(frame, choice));
    showTerms(this.facts, facts.facts ?? []);
    this.known.hidden = !facts.facts?.length;
    say(this.primalValue, bounded ? `= ${number(proof.primal, 6)}` : "");
    say(this.dualValue, bounded ? dualValue(facts.dual, proof.dual) : "");
    this.write(this.formulas, facts.formulas ?? []);
    this.write(this.dualFormulas, facts.dual ?? []);
    this.dualPart.hidden = !facts.dual;
  }

  /** Write formulas [words, HTML of the server]. */
  write(node, formulas) {
    const key = JSON.stringify(formulas);
    if (key === this.written.get(node)) return;
    this.written.set(node, key);
    node.replaceChildren(...formulas.map(([words, html]) => {
      const formula = element("span", { class: "lab-formula" });
      formula.innerHTML = html;
      return element("p", {}, element("span", { class: "lab-words" }, words), formula);
    }));
  }

  draw() {
    this.bar.draw();
  }

  explain(words) {
    say(this.sentence, words);
  }

  /** Say how things stand, in the head in few words; a screen reader is told in full, once they stand still. */
  tell(state, words, full = words) {
    say(this.status, words);
    say(this.why, full);
    this.status.title = full;
    this.status.dataset.state = state;
    this.why.hidden = full.length < LONG && full === words;
    window.clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => say(this.live, full), QUIET);
  }

  /** Say that what stands here is of the problem before. */
  outdate() {
    this.within("The values below are those of the problem before.");
  }

  /** Say what the proof is of; nothing where that goes without saying. */
  within(scope) {
    say(this.scope, scope);
    this.scope.hidden = !scope;
  }
}

/** Return [state, words, the words in full] of a frame; of an error the head has the first clause. */
function statusOf({ samples, error, proof, view, unfinished }) {
  if (samples === 0) return ["waiting", "No points yet", forHand("No points yet: click the picture to add some.")];
  if (error !== undefined) return ["error", `No answer: ${error.split(/[:;,.](?:\s|$)/)[0]}`, `No answer: ${error}`];
  if (proof.evidence !== undefined) {
    const state = proof.status === "stationary" ? "proved" : "open";
    return [state, `Evidence: ${proof.message}`];
  }
  if (proof.status === "optimal") {
    const shown = view?.steps ? `; the picture shows step ${view.step}` : "";
    return ["proved", `${shown ? "Optimum proved" : "Proved optimal"} to ${power(proof.tol)}${shown}`];
  }
  const gap = `(${proof.status}): gap ${proof.gap === null ? "infinite" : power(proof.gap)}`;
  return unfinished ? ["open", `Not yet proved ${gap}`] : ["open", `Not proved ${gap}`, `Not proved ${gap}. ${ENDED}`];
}

/** Return what of this is of the answer and what of the step, where the picture shows a step; else nothing. */
function scopeOf({ view, proof }) {
  if (!view?.steps) return "";
  const { parameter, value, step } = view;
  const shown = parameter
    ? `step ${step} of the path, ${parameter} = ${number(value, 4)}`
    : `step ${step} of the algorithm`;
  if (!proof) return `There is no answer; the picture shows ${shown}.`;
  const answer = parameter ? `the answer at the ${parameter} of the slider` : "the answer";
  return `This is the proof of ${answer}. The picture and the support vectors below are those of ${shown}.`;
}

/** Return the value of a dual problem; one that is stated as a minimum has minus the dual value. */
function dualValue(lines, dual) {
  return lines?.[0][0] === "minimize" ? `= ${number(-dual, 6)}, minus the dual value` : `= ${number(dual, 6)}`;
}

/** Return [name, value] of what is counted. */
function countsOf({ proof, samples }, { roles }) {
  if (!proof || !roles) return [["points", samples]];
  const count = (role) => roles.data.reduce((sum, each) => sum + (each === role), 0);
  if (proof.evidence !== undefined) {
    return [["log evidence", number(proof.evidence)], ["relevance vectors", `${count(1)} of ${samples}`]];
  }
  return [
    ["relative gap", compared(proof)],
    ["support vectors", `${count(1) + count(2)} of ${samples}`],
    ["free", count(1)],
    ["at the bound", count(2)],
    ["solver", proof.iterations === null ? proof.solver : `${proof.solver}, ${proof.iterations} iteration${proof.iterations === 1 ? "" : "s"}`],
  ];
}

function compared({ gap, tol }) {
  return gap === null ? "infinite" : `${power(gap)} ${gap <= tol ? "\u2264" : ">"} ${power(tol)}`;
}

/** Show [name, value] in a list of terms, and touch what has changed alone. */
export function showTerms(node, entries) {
  if (node.childElementCount !== 2 * entries.length) {
    node.replaceChildren(...entries.flatMap(() => [element("dt"), element("dd")]));
  }
  entries.forEach(([name, value], k) => {
    say(node.children[2 * k], name);
    say(node.children[2 * k + 1], String(value));
  });
}

function number(value, digits = 9) {
  return value === null ? "infinite" : String(Number(value.toPrecision(digits))).replace("-", "\u2212");
}

function power(value) {
  return value === 0 ? "0" : value.toExponential(1).replace(".0", "").replace("-", "\u2212").replace("+", "");
}

/** The gap between primal and dual as a picture: two lines, as far apart as the logarithm of the relative gap, from 1
 * down to 1e-12; between the marks of the tolerance the answer is proved. */
class GapBar {
  constructor() {
    this.canvas = element("canvas", { class: "lab-gap", role: "img", "aria-label": "The gap between primal and dual" });
    new ResizeObserver(() => this.resize()).observe(this.canvas);
  }

  /** Keep the size: to ask for it after numbers were written has the page laid out at once. */
  resize() {
    [this.width, this.height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.draw();
  }

  show(gap, tol) {
    if (gap === this.gap && tol === this.tol) return;
    Object.assign(this, { gap, tol });
    this.draw();
  }

  draw() {
    const { width, height } = this;
    if (!width || this.tol === undefined) return;
    const painter = new CanvasPainter(this.canvas, width, height);
    const middle = height / 2;
    const half = (value) => 1.5 + (middle - 4) * share(value);
    const [apart, mark] = [half(this.gap ?? 1), half(this.tol)];
    const proved = this.gap !== null && this.gap <= this.tol;
    painter.rectangle(0, middle - apart, width, 2 * apart, { fill: colour(proved ? "good" : "warn"), opacity: 0.35 });
    const across = (y) => [[0, y], [width, y]];
    painter.lines([across(middle - mark), across(middle + mark)], { stroke: colour("soft"), width: 1, dash: [2, 3] });
    painter.lines([across(middle - apart), across(middle + apart)], { stroke: colour("ink"), width: 2 });
  }
}

/** Return where a gap lies between 1e-12 and 1 on a logarithmic scale. */
function share(gap) {
  return Math.min(Math.max(1 - Math.log10(Math.max(gap, 1e-300)) / LEAST, 0), 1);
}
