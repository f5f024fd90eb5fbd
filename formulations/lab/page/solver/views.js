// SPDX-License-Identifier: BSD-3-Clause
// The views that are drawn from an answer alone: {facts, arrays} of each, as formulations/lab/views has them.

import { short } from "./frame.js";
import { lossOf, slopeOf } from "./proof.js";

const PLACES = 241;
/** Share of the range of the samples by which a curve goes on beyond them. */
const BEYOND = 0.15;
/** How near to a kink, as a share of the range, a curve is drawn on both sides. */
const NEAR = 1e-9;

/** The views by name: what each says and draws of a descent. */
export const VIEWS = { picture: () => ({ facts: {}, arrays: {} }), kkt: conditions, losses };

/** Return the margins, decision values or residuals of all samples, how the page names them, and the residual e that the
 * loss of the first sample has at each of these places. */
function placed({ program, proof: { f, b } }, { problem: { decision }, task, labels }) {
  const { m, target } = program;
  const values = Float64Array.from({ length: m }, (_, i) => f[i] + b);
  if (task === "regression") {
    const name = `residual r = y \u2212 ${decision.replace("+", "\u2212")}`;
    return { name, places: values.map((value, i) => target[i] - value), signs: values.map(() => 1), residual: (r) => r };
  }
  if (!labels) return { name: decision, places: values, signs: values.map(() => 1), residual: (v) => -v };
  const places = values.map((value, i) => target[i] * value);
  // A sample of the class -1 has the loss of one of the class +1 at the same margin.
  return { name: `margin y (${decision})`, places, signs: target, residual: (z) => target[0] * (1 - z) };
}

/** Return places from beyond the least to beyond the largest, with both sides of each kink. */
function grid(places, kinks) {
  const [low, high] = [Math.min(...places, 0), Math.max(...places, 0)];
  const beyond = BEYOND * (high - low) || 1;
  const even = Array.from({ length: PLACES }, (_, k) => low - beyond + (k * (high - low + 2 * beyond)) / (PLACES - 1));
  const near = NEAR * (high - low + 1);
  return [...even, ...kinks.flatMap((each) => [each - near, each + near])].sort((one, other) => one - other);
}

function kinksOf({ epsilon }, task, labels) {
  if (task === "regression") return epsilon ? [-epsilon, epsilon] : [0];
  return labels ? [1] : [0];
}

function listed(values, shape) {
  return { data: Float32Array.from(values), shape };
}

/** Every sample by its place and its multiplier, on the graph of minus the slope of its loss. */
function conditions(descent, choice) {
  const { program, beta } = descent;
  const { name, places, signs, residual } = placed(descent, choice);
  const multipliers = beta.map((each, i) => signs[i] * each);
  const slopes = grid(places, kinksOf(program, choice.task, choice.labels))
    .map((place) => [place, signs[0] * slopeOf(program, residual(place), 0)]);
  // Where a loss becomes infinite the graph goes up without end, and there is none before.
  const top = 1.15 * Math.max(...multipliers.map(Math.abs)) || 1;
  const isInfinite = (k) => Math.abs(slopes[k]?.[1]) === Infinity;
  const curve = slopes.map(([place, slope], k) =>
    [place, isInfinite(k) ? (isInfinite(k + 1) ? NaN : Math.sign(slope) * top) : slope]);
  const facts = {
    words: "The answer is optimal because every sample lies on this graph: its multiplier is minus the slope of its loss.",
    place: name,
    multiplier: choice.task === "regression" ? `coefficient ${choice.problem.coefficient}` : "multiplier a",
    marked: [],
  };
  const m = places.length;
  return { facts, arrays: {
    place: listed(places, [m]), multiplier: listed(multipliers, [m]), curve: listed(curve.flat(), [curve.length, 2]),
  } };
}

/** The loss over the places, and what each sample pays. */
function losses(descent, choice) {
  const { program, beta, proof: { f, b, primal } } = descent;
  const { name, places, residual } = placed(descent, choice);
  // What is beyond a hard constraint by rounding costs nothing.
  const paid = f.map((value, i) => lossOf(program, program.target[i] - value - b, i)).map((each) => (each < Infinity ? each : 0));
  const sum = paid.reduce((so, each) => so + each, 0);
  const half = 0.5 * beta.reduce((so, each, i) => so + each * f[i], 0);
  const curve = grid(places, kinksOf(program, choice.task, choice.labels))
    .map((place) => [place, lossOf(program, residual(place), 0)]);
  const rest = program.total ? ` + ${short(b * program.total)} (\u2212\u03c1)` : "";
  const facts = {
    words: "The objective is the penalty of f and the sum of the losses of all samples: "
      + `${short(half)} (half the squared norm of f) + ${short(sum)} (losses)${rest} = ${short(primal)}.`,
    place: name,
    sum,
  };
  return { facts, arrays: {
    place: listed(places, [places.length]), loss: listed(paid, [paid.length]),
    curve: listed(curve.flat(), [curve.length, 2]),
  } };
}
