// SPDX-License-Identifier: BSD-3-Clause
// Stories that ask for something to be brought about.
//
// A story is {name, title, start, words, check}, and view, the name of one that it needs, and isTwofold, if it needs an
// answer beside the one that is shown. check(answer, start, solve) returns what is proved of an answer that
// has brought it about, and throws a Missing, which says what is missing, for any other. answer is an Answer as in
// stories/answer.js, start the one that the story began with, and solve(setting) promises the Answer to another setting.

import { machineOf, sameParts } from "../state/setting.js";
import { shown } from "../state/reading.js";
import { CORNERS, CURVE, SEPARATED } from "./points.js";

const LINEAR = [{ name: "linear" }];
const FEWEST = 5;
const BOUNDED = 10;
const LEAST_INTERVAL = 0.01;
const COST = 1e6;

/** Says what is missing. */
export class Missing extends Error {}

function need(condition, words) {
  if (!condition) throw new Missing(words);
}

function needKernel({ setting: { kernel } }, name, title) {
  need(kernel.length === 1 && kernel[0].name === name, `Choose the kernel ${title}, and no other beside it.`);
}

function needProof({ isProved, frame: { facts } }) {
  need(facts.error === undefined, `There is no answer: ${facts.error}`);
  need(isProved, "The answer is not proved.");
}

function needPoints({ setting }, start) {
  need(sameParts(setting, start.setting, ["points"]), "The points are not those of the start, which this story leaves "
    + "where they are. Start it again.");
}

function proofOf({ frame: { facts: { proof } } }) {
  return `Proved optimal: the primal value is ${shown(proof.primal)}, and the dual value is ${shown(proof.dual)}.`;
}

const counted = (count, words) => `${count} ${words}${count === 1 ? "" : "s"}`;
const named = (numbers) => numbers.join(", ");

/** Return the least and the largest b that are optimal with the f of an answer: no sum of slacks can be smaller. */
function interceptsOf({ setting: { points }, frame: { arrays: { decision } }, b, roles }) {
  let [low, high] = [-Infinity, Infinity];
  points.forEach(([, , label], i) => {
    const end = label - (decision.data[i] - b);
    // A sample without weight is at its margin or beyond it, one at the bound at its margin or within it.
    if ((roles[i] === 0) === label > 0) low = Math.max(low, end);
    else high = Math.min(high, end);
  });
  return [low, high];
}

/** Whether it is proved that no function of the kernel separates the classes: their hulls have a point in common. */
function isInseparable({ frame: { facts } }) {
  return facts.error !== undefined && facts.view.marked.length > 0;
}

export const GOALS = [
  {
    name: "begin-to-count",
    title: "Where a point begins to count",
    start: { example: "two-clouds" },
    words: "Choose a point without a ring, and drag it towards the line. Predict first: at which y g will the line begin to move?",
    check(answer, start) {
      needProof(answer);
      need(answer.numbers.length === start.numbers.length, "Leave the number of points as it is. Start again.");
      const i = answer.numbers.find((each) => start.role(each) === 0 && answer.role(each) > 0
        && answer.setting.points[each] !== start.setting.points[each]);
      need(i !== undefined, `w = ${answer.inWords}: no point that had no ring has been moved and has one now.`);
      return `Point ${i} began with y g = ${shown(start.margin(i), 3)} and \u03b1 = 0. Now y g = ${shown(answer.margin(i), 3)} and `
        + `\u03b1 = ${shown(answer.alpha(i), 3)}: a point counts as soon as y g would be less than 1. w was `
        + `${start.inWords} and is ${answer.inWords}.`;
    },
  },
  {
    name: "three-support-vectors",
    title: "Three support vectors",
    start: { points: SEPARATED, machine: { name: "soft-margin", values: { C: 1000 } }, kernel: LINEAR },
    words: `Move, add or delete points, at least ${FEWEST} in all, until the margin rests on exactly three support vectors, `
      + "and none of them is at its bound.",
    check(answer) {
      needKernel(answer, "linear", "Linear");
      need(answer.numbers.length >= FEWEST, `Have at least ${FEWEST} points.`);
      needProof(answer);
      need(answer.bounded === 0, `${counted(answer.bounded, "support vector")} at the bound; none is wanted.`);
      need(answer.free === 3, `The margin rests on ${counted(answer.free, "support vector")}; 3 are wanted.`);
      const support = answer.numbers.filter((i) => answer.role(i) > 0);
      return `The margin, ${shown(answer.width, 4)} wide, rests on the samples ${named(support)}. ${proofOf(answer)}`;
    },
  },
  {
    name: "several-intercepts",
    title: "More than one b",
    start: { points: SEPARATED, machine: { name: "soft-margin", values: { C: 100 } }, kernel: LINEAR },
    words: "Let the soft margin of the linear kernel have more than one optimal b. C alone can do it. Which of the support "
      + "vectors are free then?",
    check(answer) {
      needKernel(answer, "linear", "Linear");
      needProof(answer);
      const fixed = answer.free ? `, fixed by ${counted(answer.free, "free support vector")} with y g = 1` : "";
      const [low, high] = interceptsOf(answer);
      need(!answer.free && high - low >= LEAST_INTERVAL, `There is one optimal b, ${shown(answer.b, 4)}${fixed}.`);
      return `Every b from ${shown(low, 4)} to ${shown(high, 4)} is optimal with this f: none of the `
        + `${counted(answer.support, "support vector")} is free. ${proofOf(answer)}`;
    },
  },
  {
    name: "ten-at-the-bound",
    title: "Ten at their bound",
    start: { example: "two-clouds" },
    words: `Leave the points where they are, and choose C so that exactly ${BOUNDED} support vectors are at their bound.`,
    check(answer, start) {
      needKernel(answer, "linear", "Linear");
      needPoints(answer, start);
      needProof(answer);
      const are = `At C = ${answer.setting.machine.values.C}, ${counted(answer.bounded, "support vector")} at the bound`;
      need(answer.bounded === BOUNDED, `${are}; ${BOUNDED} are wanted.`);
      return `${are}, and ${answer.free} free. ${proofOf(answer)}`;
    },
  },
  {
    name: "common-point",
    title: "No line, and why",
    start: { points: SEPARATED, machine: { name: "hard-margin" }, kernel: LINEAR },
    view: "hulls",
    words: "Make the hard margin of the linear kernel impossible, and look in Hulls at a point that proves it: one that "
      + "the convex hulls of both classes have in common.",
    check(answer) {
      needKernel(answer, "linear", "Linear");
      if (!isInseparable(answer)) {
        needProof(answer);
        throw new Missing(`A line separates these classes, with a margin ${shown(answer.width, 4)} wide.`);
      }
      need(answer.setting.view.name === "hulls", "No line separates these classes. Look at the reason in Hulls.");
      return "No line separates the classes: a point is a convex combination of samples of either class, of the samples "
        + `${named(answer.frame.facts.view.marked)} together. Proved in exact arithmetic.`;
    },
  },
  {
    name: "degree-two",
    title: "Degree 2, and no line",
    start: { points: CORNERS, machine: { name: "hard-margin" }, kernel: LINEAR },
    words: "Separate the four corners by a hard margin with the polynomial kernel of degree 2. It is also checked that no "
      + "line separates them.",
    isTwofold: true,
    async check(answer, start, solve) {
      needKernel(answer, "polynomial", "Polynomial");
      const { degree } = answer.setting.kernel[0].values;
      need(degree === 2, `The degree is ${degree}; 2 is wanted.`);
      needProof(answer);
      const line = await solve({ ...answer.setting, kernel: LINEAR.map((term) => ({ ...term, values: {} })) });
      need(isInseparable(line), "It is not proved that no line separates these classes. Find points for which it takes degree 2.");
      return `The kernel of degree 2 separates the classes. ${proofOf(answer)} No line does: the hulls of the classes have a `
        + "point in common, which is proved in exact arithmetic.";
    },
  },
  {
    name: "by-heart",
    title: "Known by heart",
    start: { example: "applet", machine: { name: "soft-margin", values: { C: COST } } },
    words: `Leave the points where they are, let C be ${COST}, and choose the width of the Gaussian kernel so that every `
      + "sample is a free support vector.",
    check(answer, start) {
      needPoints(answer, start);
      needKernel(answer, "rbf", "Gaussian");
      const { values: { C } } = answer.setting.machine;
      need(C === COST, `C is ${C}; ${COST} is wanted.`);
      needProof(answer);
      const { length } = answer.numbers;
      need(answer.free === length, `${answer.free} of ${length} samples are free support vectors; all are wanted.`);
      return `All ${length} samples are free support vectors at gamma = ${shown(answer.setting.kernel[0].values.gamma, 4)}: each `
        + `lies on the margin, and the machine knows them by heart. ${proofOf(answer)}`;
    },
  },
  {
    name: "empty-tube",
    title: "A tube without a support vector",
    start: { points: CURVE, machine: { name: "soft-tube", values: { C: 10, epsilon: 0.25 } }, kernel: [{ name: "rbf", values: { gamma: 1 } }] },
    words: `Widen the tube until no sample is a support vector. How narrow may it be? Have at least ${FEWEST} points.`,
    check(answer) {
      need(answer.numbers.length >= FEWEST, `Have at least ${FEWEST} points.`);
      needProof(answer);
      const heights = answer.setting.points.map(([, y]) => y);
      const half = (Math.max(...heights) - Math.min(...heights)) / 2;
      need(answer.support === 0, `The tube has ${counted(answer.support, "support vector")}. Its half width epsilon is `
        + `${shown(answer.setting.machine.values.epsilon, 4)}, and the targets lie within ${shown(half, 4)} of their middle.`);
      return `No sample has a coefficient, so that f = 0: all targets lie within epsilon of b = ${shown(answer.b, 4)}. From `
        + `epsilon = ${shown(half, 4)} on they do. ${proofOf(answer)}`;
    },
  },
];

/** Return what a story still misses before its machine is chosen; null where it is. */
export function otherMachine(menu, { setting }, start) {
  const wanted = machineOf(menu, start.setting);
  return setting.machine.name === wanted.name ? null : `Choose the machine ${wanted.title}.`;
}
