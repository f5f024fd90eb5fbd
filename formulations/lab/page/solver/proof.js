// SPDX-License-Identifier: BSD-3-Clause
// What is proved of any feasible beta and any b: the optimum lies between the dual and the primal value.
//
// With v_i = f(x_i) + b and L_i(v) = max over lower <= s <= upper of (target - v) s - epsilon |s| - ridge/2 s^2,
//
//   P = 1/2 beta'K beta + sum of L_i(v_i) + b total   >=   optimum   >=   D = -(the objective at beta).
//
// A hard margin has infinite losses: there f and b are scaled until the least y_i v_i is 1, and beta for the largest D.

const EPS = Number.EPSILON;

/** Return minus the slope of the loss of point i at a residual e = target - v; at a kink that nearest to 0. */
export function slopeOf(program, e, i) {
  const beyond = Math.max(Math.abs(e) - program.epsilon, 0) * Math.sign(e);
  if (beyond === 0) return 0;
  const steep = program.ridge > 0 ? beyond / program.ridge : beyond * Infinity;
  return Math.min(Math.max(steep, program.lower[i]), program.upper[i]);
}

/** Return the loss of point i at a residual. */
export function lossOf(program, e, i) {
  const s = slopeOf(program, e, i);
  if (!Number.isFinite(s)) return Infinity;
  return s === 0 ? 0 : e * s - program.epsilon * Math.abs(s) - 0.5 * program.ridge * s * s;
}

/** Return the sum of the losses and of their slopes at f + b, f given at the points. */
function losses(program, f, b) {
  const { target, epsilon } = program;
  let [value, slope, size] = [0, 0, 0];
  for (let i = 0; i < program.m; i++) {
    const e = target[i] - f[i] - b;
    const s = slopeOf(program, e, i);
    slope += s;
    if (s === 0) continue;
    value += lossOf(program, e, i);
    size += Math.abs(s) * (Math.abs(target[i]) + Math.abs(f[i]) + Math.abs(b) + epsilon);
  }
  return { value, slope, size };
}

/** Return the b of least P for a given f: where the slopes of all losses add up to the total, found by halving. */
export function bestIntercept(program, f) {
  if (program.total === null) return 0;
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < program.m; i++) {
    const e = program.target[i] - f[i];
    [low, high] = [Math.min(low, e - program.epsilon), Math.max(high, e + program.epsilon)];
  }
  [low, high] = [low - 1, high + 1];
  for (let k = 0; k < 200; k++) {
    const middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    if (losses(program, f, middle).slope > program.total) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

/** Return K beta with a bound of its errors. What each sum loses is added up beside it (Neumaier, 1974), so that the
 * bound does not grow with the number of terms. */
function product({ m, K }, beta) {
  const [f, error] = [new Float64Array(m), new Float64Array(m)];
  for (let i = 0; i < m; i++) {
    let [sum, lost, size] = [0, 0, 0];
    for (let j = 0, at = i * m; j < m; j++, at++) {
      const term = K[at] * beta[j];
      const next = sum + term;
      lost += Math.abs(sum) >= Math.abs(term) ? sum - next + term : term - next + sum;
      sum = next;
      size += Math.abs(term);
    }
    f[i] = sum + lost;
    error[i] = 2 * EPS * size;
  }
  return { f, error };
}

/** Return {beta, f, b, primal, dual, gap, rounding} of a feasible beta: f at the points anew, b the better of two, and the
 * relative gap, in which the rounding counts, a bound of what that has changed. */
export function prove(program, beta, guess) {
  const { m, target, epsilon, ridge, total, isHard } = program;
  const { f, error } = product(program, beta);
  if (isHard) return proveHard(program, beta, f, error);
  let [quadratic, linear, size, imbalance, rounding] = [0, 0, 0, -(total ?? 0), 0];
  for (let i = 0; i < m; i++) {
    quadratic += beta[i] * f[i];
    linear += target[i] * beta[i] - epsilon * Math.abs(beta[i]) - 0.5 * ridge * beta[i] * beta[i];
    size += Math.abs(beta[i]) * (Math.abs(f[i]) + Math.abs(target[i]) + epsilon + ridge * Math.abs(beta[i]));
    imbalance += beta[i];
    rounding += error[i] * Math.abs(beta[i]);
  }
  const dual = linear - 0.5 * quadratic;
  const candidates = (total === null ? [0] : [guess, bestIntercept(program, f)]).map((b) => {
    const { value, size: terms } = losses(program, f, b);
    return { b, primal: 0.5 * quadratic + value + b * (total ?? 0), terms };
  });
  const { b, primal, terms } = candidates.reduce((one, other) => (other.primal < one.primal ? other : one));
  rounding += (m + 8) * EPS * (size + terms + Math.abs(b * (total ?? 0)));
  for (let i = 0; i < m; i++) {
    const steep = [-error[i], error[i]].map((by) => Math.abs(slopeOf(program, target[i] - f[i] - b + by, i)));
    rounding += error[i] * Math.max(...steep);
  }
  if (total !== null) rounding += Math.abs(b * imbalance);
  const scale = Math.max(Math.abs(primal), Math.abs(dual));
  const apart = Math.abs(primal - dual) + rounding;
  // Where both are nothing but rounding, the optimum is 0.
  const vanishes = scale <= rounding;
  return { beta, f, b, primal, dual, gap: vanishes ? 0 : apart / scale, rounding: vanishes ? 0 : rounding / scale };
}

/** Return the same for a hard margin, with f, b and beta scaled as it needs them, and apart: how far the hulls of the
 * classes are from each other at most, in the unit of the kernel's largest values. */
function proveHard({ m, K, target }, beta, f, error) {
  let [square, sum, imbalance, slip, largest] = [0, 0, 0, 0, 0];
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < m; i++) {
    square += beta[i] * f[i];
    sum += Math.abs(beta[i]);
    imbalance += beta[i];
    slip += Math.abs(beta[i]) * error[i];
    largest = Math.max(largest, K[i * (m + 1)]);
    if (target[i] > 0) least = Math.min(least, f[i] - error[i]);
    else most = Math.max(most, f[i] + error[i]);
  }
  const above = square + slip + m * EPS * Math.abs(square);
  const dual = sum ? (sum * sum) / (2 * above) : 0;
  const apart = sum ? (2 * Math.sqrt(above)) / (sum * Math.sqrt(largest)) : Infinity;
  const [scale, b] = [2 / (least - most), -(least + most) / (least - most)];
  if (!(least > most)) return { beta, f, b: -(least + most) / 2, primal: Infinity, dual, gap: Infinity, rounding: 0, apart };
  const primal = 0.5 * above * scale * scale;
  const rounding = (8 + m) * EPS + Math.abs(b * scale * imbalance) / primal;
  return {
    beta: beta.map((each) => scale * each), f: f.map((each) => scale * each), b, primal, dual,
    gap: Math.abs(primal - dual) / primal + rounding, rounding, apart,
  };
}
