// SPDX-License-Identifier: BSD-3-Clause
// Stories that ask for a prediction: something is about to be done to the points or the machine, and the user says first
// what will come of it. Which option came true is measured on the proved answers before and after.
//
// A story is {name, title, start, words, options, pick, act, outcome, why}. start is a setting, whose points may be those
// of an example of the menu; pick(before) returns the point that it is about; act(before, i) returns the parts of the
// setting that change; outcome(before, after, i) returns the option that came true, and why(before, after, i) the reason
// in numbers. before and after are Answers, as in stories/answer.js.

import { moved } from "../plane/edits.js";
import { shown } from "../state/reading.js";
import { CORNERS } from "./points.js";

const SAME = 1e-4;
const LINEAR = [{ name: "linear" }];
const CLOUDS = { example: "two-clouds", machine: { name: "soft-margin", values: { C: 1 } }, kernel: LINEAR };
const PLACE = ["The line follows the point.", "The line stays, and the margin changes its width.", "Nothing changes."];

/** Return which of PLACE came true: w and b are compared, then the line alone, that is w and b over the norm of w. */
function placeOutcome(before, after) {
  const line = ({ w, b, norm }, by) => [...w, b].map((each) => each / (by ? norm : before.norm));
  const apart = (by) => {
    const after_ = line(after, by);
    return Math.max(...line(before, by).map((each, k) => Math.abs(each - after_[k])));
  };
  if (apart(false) < SAME) return 2;
  return apart(true) < SAME ? 1 : 0;
}

/** Return the points with one moved along the normal of the line, to the side of its own class by so much. */
function movedBy(before, i, distance) {
  const { points } = before.setting;
  const [u, v, label] = points[i];
  const step = (k) => (label * distance * before.w[k]) / before.norm;
  return { points: moved(points, i, u + step(0), v + step(1)) };
}

const largest = (answer, of) => answer.numbers.reduce((best, i) => (of(i) > of(best) ? i : best));
const changeOf = (before, after) => `w was ${before.inWords} and is ${after.inWords}`;

export const PREDICTIONS = [
  {
    name: "without-weight",
    title: "Move a point that has no ring",
    start: CLOUDS,
    words: "The chosen point lies beyond its margin. It is about to be moved farther away from the line. What happens?",
    options: PLACE,
    pick: (before) => largest(before, (i) => (before.alpha(i) === 0 ? -before.margin(i) : -Infinity)),
    act: (before, i) => movedBy(before, i, 1),
    outcome: placeOutcome,
    why: (before, after, i) => `Its \u03b1 was ${shown(before.alpha(i), 3)} and is ${shown(after.alpha(i), 3)}, since y g rose `
      + `from ${shown(before.margin(i), 3)} to ${shown(after.margin(i), 3)}, and stays above 1. A point with \u03b1 = 0 `
      + `is no part of w = \u03a3 \u03b1 y x: ${changeOf(before, after)}.`,
  },
  {
    name: "at-the-bound",
    title: "Move a point whose \u03b1 is C already",
    start: CLOUDS,
    words: "The chosen point is on the wrong side, and its \u03b1 is at the bound C. It is about to be moved farther to the "
      + "wrong side. What happens?",
    options: PLACE,
    pick: (before) => largest(before, (i) => -before.margin(i)),
    act: (before, i) => movedBy(before, i, -1),
    outcome: placeOutcome,
    why: (before, after, i) => `Its \u03b1 stays ${shown(after.alpha(i), 3)}, the most that it may be. But its place is in `
      + `w = \u03a3 \u03b1 y x with this weight, so that it counts as much as before, from another place: `
      + `${changeOf(before, after)}.`,
  },
  {
    name: "support-alone",
    title: "Delete all points without a ring",
    start: CLOUDS,
    words: "All points without a ring are about to be deleted. What happens to the line and its margin?",
    options: ["The line turns or moves.", "The line stays, and the margin changes its width.", "Nothing changes."],
    act: (before) => ({ points: before.setting.points.filter((_, i) => before.role(i) > 0) }),
    outcome: placeOutcome,
    why: (before, after) => `${before.numbers.length - after.numbers.length} of ${before.numbers.length} points went, and `
      + `${changeOf(before, after)}. The answer is a function of its support vectors alone.`,
  },
  {
    name: "smaller-cost",
    title: "A hundredth of C",
    start: CLOUDS,
    words: "C is about to fall from 1 to 0.01: errors cost less. What does the margin do?",
    options: ["It becomes wider.", "It becomes narrower.", "It stays as wide as it is."],
    act: () => ({ machine: { name: "soft-margin", values: { C: 0.01 } } }),
    outcome: ({ width }, { width: next }) => (Math.abs(next - width) < SAME * width ? 2 : next > width ? 0 : 1),
    why: (before, after) => `2/\u2016f\u2016 was ${shown(before.width, 4)} and is ${shown(after.width, 4)}. Where errors `
      + `cost less, a small \u2016f\u2016 is worth more: ${after.support} of ${after.numbers.length} points are support `
      + `vectors now, and ${before.support} were.`,
  },
  {
    name: "narrow-kernel",
    title: "A narrower Gaussian",
    start: { example: "two-clouds", machine: { name: "soft-margin", values: { C: 100 } },
      kernel: [{ name: "rbf", values: { gamma: 0.05 } }] },
    words: "gamma is about to rise from 0.05 to 50: each point reaches a thirtieth as far. What do the training errors do?",
    options: ["They become fewer.", "They become more.", "They stay as many."],
    act: () => ({ kernel: [{ name: "rbf", values: { gamma: 50 } }] }),
    outcome: ({ errors }, { errors: next }) => (next === errors ? 2 : next < errors ? 0 : 1),
    why: (before, after) => `There were ${before.errors} of ${before.numbers.length}, and there are ${after.errors}; `
      + `${after.support} points are support vectors now, and ${before.support} were. Each point has an island of its `
      + "own, which says nothing about new points: look at the held-out points.",
  },
  {
    name: "corners",
    title: "Four corners and a line",
    start: { points: CORNERS, machine: { name: "soft-margin", values: { C: 10 } }, kernel: [{ name: "rbf", values: { gamma: 1 } }] },
    words: "The Gaussian kernel is about to be replaced by the linear one. How many of the points will the best line have "
      + "on the right side?",
    options: ["All of them.", "Most of them.", "No more than half of them."],
    act: () => ({ kernel: LINEAR }),
    outcome: (_, { errors, numbers }) => (errors === 0 ? 0 : errors < numbers.length / 2 ? 1 : 2),
    why: (before, after) => `The Gaussian kernel had ${before.errors} errors, the line has ${after.errors} of `
      + `${after.numbers.length}. A line that gains a point on one diagonal loses one on the other.`,
  },
  {
    name: "wider-tube",
    title: "A tube three times as wide",
    start: { example: "sine" },
    words: "epsilon is about to rise from 0.3 to 0.9. How many of the points will be support vectors?",
    options: ["More than now.", "Fewer than now.", "As many as now."],
    act: ({ setting: { machine } }) => ({ machine: { ...machine, values: { ...machine.values, epsilon: 0.9 } } }),
    outcome: ({ support }, { support: next }) => (next === support ? 2 : next > support ? 0 : 1),
    why: (before, after) => `There were ${before.support}, and there are ${after.support}. What lies inside the tube costs `
      + "nothing and has the coefficient 0; only points on its edge and beyond hold the curve.",
  },
];
