// SPDX-License-Identifier: BSD-3-Clause
// An answer in numbers, read off its frame: those of the machine, and those of each of its samples.

import { HELD } from "./held.js";

/** Return a number in so many digits, with the sign of a minus. */
export function shown(value, digits = 6) {
  if (Number.isNaN(value)) return "\u2013";
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))).replace("-", "\u2212") : "infinite";
}

/** Return {norm, b, w, width, errors, outside, deviation, held, tests, deviationHeld} of a frame and its machine in the
 * menu; what an answer has not is undefined. Deviations are roots of mean squared residuals, tests are errors at the
 * points that are held out, and all others are of those that are not. */
export function machineNumbers({ facts, arrays, setting: { points } }, { task, labels }) {
  const decision = arrays.decision?.data;
  const reading = { norm: facts.norm, b: facts.intercept, w: facts.weights };
  if (facts.level > 0 && facts.norm > 0) reading.width = (2 * facts.level) / facts.norm;
  if (decision?.length !== points.length || !points.length) return reading;
  const isHeld = (i) => arrays.roles?.data[i] === HELD;
  const sum = (of, held = false) =>
    decision.reduce((total, value, i) => (isHeld(i) === held ? total + of(value, i) : total), 0);
  reading.held = sum(() => 1, true);
  const isWrong = (value, i) => value * points[i][2] <= 0;
  const square = (value, i) => (points[i][1] - value) ** 2;
  if (task === "regression") {
    reading.deviation = Math.sqrt(sum(square) / (points.length - reading.held));
    if (reading.held) reading.deviationHeld = Math.sqrt(sum(square, true) / reading.held);
  } else if (labels) {
    reading.errors = sum(isWrong);
    if (reading.held) reading.tests = sum(isWrong, true);
  } else reading.outside = sum((value) => value < -1e-6);
  return reading;
}

/** Return [name, value] of the numbers of a machine in words. */
export function numbersInWords(frame, choice) {
  const { norm, b, w, width, errors, outside, deviation, held = 0, tests, deviationHeld } = machineNumbers(frame, choice);
  const of = `of ${frame.setting.points.length - held}`;
  const isOneClass = choice.task === "classification" && !choice.labels;
  return [
    w && [w.length > 1 ? "w" : "slope w", w.length > 1 ? `(${w.map((each) => shown(each)).join(", ")})` : shown(w[0])],
    b !== undefined && (isOneClass ? ["\u03c1", shown(-b)] : ["b", shown(b)]),
    width !== undefined && ["margin width 2/\u2016f\u2016", shown(width)],
    norm !== undefined && ["\u2016f\u2016", shown(norm)],
    errors !== undefined && ["training errors", `${errors} ${of}`],
    tests !== undefined && ["errors at held-out points", `${tests} of ${held}`],
    outside !== undefined && ["outside", `${outside} ${of}`],
    deviation !== undefined && ["root mean squared residual", shown(deviation)],
    deviationHeld !== undefined && ["the same at held-out points", shown(deviationHeld)],
  ].filter(Boolean);
}

/** Return [{name, title, value(i)}] of what an answer says of its samples: coefficients, slacks and margins. */
export function sampleColumns({ facts, arrays, setting: { points } }, { task, labels }) {
  const of = (name) => (arrays[name]?.data.length === points.length ? arrays[name].data : null);
  const [multipliers, slacks, decision] = ["multipliers", "slacks", "decision"].map(of);
  const isRegression = task === "regression";
  const isHeld = (i) => arrays.roles?.data[i] === HELD;
  const sign = (i) => (isRegression || !labels ? 1 : points[i][2]);
  return [
    multipliers && { name: isRegression ? "beta" : "alpha", title: isRegression ? "\u03b2" : "\u03b1",
      value: (i) => (isHeld(i) ? NaN : sign(i) * multipliers[i]) },
    slacks && { name: "xi", title: "\u03be", value: (i) => (isHeld(i) ? NaN : slacks[i]) },
    decision && (isRegression
      ? { name: "residual", title: "y \u2212 g", value: (i) => points[i][1] - decision[i] }
      : { name: "margin", title: labels ? "y g" : "g", value: (i) => sign(i) * decision[i] }),
  ].filter(Boolean);
}
