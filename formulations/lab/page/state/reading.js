// SPDX-License-Identifier: BSD-3-Clause
// An answer in numbers, read off its frame: those of the machine, and those of each of its samples.

/** Return a number in so many digits, with the sign of a minus. */
export function shown(value, digits = 6) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(digits))).replace("-", "\u2212") : "infinite";
}

/** Return {norm, b, w, width, errors, outside, deviation} of a frame and its machine in the menu; what an answer has
 * not is undefined. The deviation is the root of the mean squared residual. */
export function machineNumbers({ facts, arrays, setting: { points } }, { task, labels }) {
  const decision = arrays.decision?.data;
  const reading = { norm: facts.norm, b: facts.intercept, w: facts.weights };
  if (facts.level > 0 && facts.norm > 0) reading.width = (2 * facts.level) / facts.norm;
  if (decision?.length !== points.length || !points.length) return reading;
  const sum = (of) => decision.reduce((total, value, i) => total + of(value, i), 0);
  if (task === "regression") reading.deviation = Math.sqrt(sum((value, i) => (points[i][1] - value) ** 2) / points.length);
  else if (labels) reading.errors = sum((value, i) => value * points[i][2] <= 0);
  else reading.outside = sum((value) => value < -1e-6);
  return reading;
}

/** Return [name, value] of the numbers of a machine in words. */
export function numbersInWords(frame, choice) {
  const { norm, b, w, width, errors, outside, deviation } = machineNumbers(frame, choice);
  const of = `of ${frame.setting.points.length}`;
  const isOneClass = choice.task === "classification" && !choice.labels;
  return [
    w && [w.length > 1 ? "w" : "slope w", w.length > 1 ? `(${w.map((each) => shown(each)).join(", ")})` : shown(w[0])],
    b !== undefined && (isOneClass ? ["\u03c1", shown(-b)] : ["b", shown(b)]),
    width !== undefined && ["margin width 2/\u2016f\u2016", shown(width)],
    norm !== undefined && ["\u2016f\u2016", shown(norm)],
    errors !== undefined && ["training errors", `${errors} ${of}`],
    outside !== undefined && ["outside", `${outside} ${of}`],
    deviation !== undefined && ["root mean squared residual", shown(deviation)],
  ].filter(Boolean);
}

/** Return [{name, title, value(i)}] of what an answer says of its samples: coefficients, slacks and margins. */
export function sampleColumns({ facts, arrays, setting: { points } }, { task, labels }) {
  const of = (name) => (arrays[name]?.data.length === points.length ? arrays[name].data : null);
  const [multipliers, slacks, decision] = ["multipliers", "slacks", "decision"].map(of);
  const isRegression = task === "regression";
  const sign = (i) => (isRegression || !labels ? 1 : points[i][2]);
  return [
    multipliers && { name: isRegression ? "beta" : "alpha", title: isRegression ? "\u03b2" : "\u03b1",
      value: (i) => sign(i) * multipliers[i] },
    slacks && { name: "xi", title: "\u03be", value: (i) => slacks[i] },
    decision && (isRegression
      ? { name: "residual", title: "y \u2212 g", value: (i) => points[i][1] - decision[i] }
      : { name: "margin", title: labels ? "y g" : "g", value: (i) => sign(i) * decision[i] }),
  ].filter(Boolean);
}
