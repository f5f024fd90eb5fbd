// SPDX-License-Identifier: BSD-3-Clause
// An answer as a frame, {facts, arrays}, as formulations/lab/drawing.py makes them.

const [ROWS, COLUMNS] = [120, 160];
const ACROSS = 401;
const [FREE, AT_BOUND] = [1, 2];

/** Return the frame of a setting and the descent that has answered it; choice is its machine in the menu. */
export function frameOf(setting, descent, choice, tol, isUnfinished) {
  const { program, proof: { f, b, primal, dual, gap } } = descent;
  const { m, target, lower, upper } = program;
  const beta = descent.beta;
  const decision = f.map((value) => value + b);
  const roles = beta.map((each, i) => (each === 0 ? 0 : each > lower[i] && each < upper[i] ? FREE : AT_BOUND));
  const isPlane = choice.task === "classification";
  const status = gap <= tol ? "optimal" : "uncertified";
  const facts = {
    machine: choice.name, samples: m, unfinished: isUnfinished, ...choice.problem,
    proof: { status, primal: known(primal), dual, gap: known(gap), tol, solver: "browser", iterations: descent.iterations },
    norm: normOf(descent), intercept: b, ...weightsOf(descent, setting),
    view: { name: setting.view.name, step: 0, marked: [] },
  };
  const arrays = { multipliers: listed(beta), roles: listed(roles), decision: listed(decision) };
  const [left, right, bottom, top] = setting.window;
  if (isPlane) {
    const level = choice.labels ? 1 : 0;
    arrays.slacks = listed(decision.map((value, i) => Math.max(0, level - (choice.labels ? target[i] * value : value))));
    arrays.field = valuesOn(descent, between(left, right, COLUMNS), between(bottom, top, ROWS), [ROWS, COLUMNS]);
    if (choice.labels) facts.level = 1;
    if (!(facts.norm > 1e-7)) facts.vanishing = "f = 0, so that there is no line: no function of this kernel is worth its "
      + "penalty here. Take a more flexible kernel, such as the Gaussian, or another cost.";
  } else {
    facts.epsilon = program.epsilon;
    arrays.slacks = listed(decision.map((value, i) => Math.max(0, Math.abs(target[i] - value) - program.epsilon)));
    arrays.curve = valuesOn(descent, between(left, right, ACROSS), Float64Array.of(0), [ACROSS]);
  }
  return { facts, arrays };
}

/** Return a number, and null where it is infinite. */
function known(value) {
  return Number.isFinite(value) ? value : null;
}

function listed(values, shape = [values.length]) {
  return { data: Float32Array.from(values), shape };
}

/** Return ||f||. */
function normOf({ beta, proof: { f } }) {
  return Math.sqrt(Math.max(0, beta.reduce((sum, each, i) => sum + each * f[i], 0)));
}

/** Return the w of linear kernels, with f(x) = w'x; nothing of others. */
function weightsOf({ program, beta }, { kernel }) {
  if (!kernel.every(({ name }) => name === "linear")) return {};
  const { x, y } = program.places;
  const along = (places) => kernel.length * beta.reduce((sum, each, i) => sum + each * places[i], 0);
  return { weights: program.isPlane ? [along(x), along(y)] : [along(x)] };
}

/** Return a number in six digits. */
export function short(value) {
  return String(Number(value.toPrecision(6))).replace("-", "\u2212");
}

/** Return f + b on a grid of us and vs, of the shape that a page is told. */
function valuesOn({ program: { kernel, places }, beta, proof: { b } }, us, vs, shape) {
  const support = [...beta.keys()].filter((i) => beta[i] !== 0);
  const chosen = (values) => Float64Array.from(support, (i) => values[i]);
  const expansion = { x: chosen(places.x), y: chosen(places.y), weights: chosen(beta) };
  return listed(kernel.field({ us, vs }, expansion, b), shape);
}

function between(low, high, count) {
  return Float64Array.from({ length: count }, (_, k) => low + (k * (high - low)) / (count - 1));
}
