// SPDX-License-Identifier: BSD-3-Clause
// The optimum by steps on two coefficients at a time, and by Newton steps on all that are free.
//
// With an epsilon, beta is the sum of a part above 0 and one below, each with bounds of its own: there are m places, or
// 2 m, x of them, and v = target -+ epsilon - K beta - ridge beta. An optimum has v <= b where x may rise, and v >= b
// where it may fall (Keerthi et al., 2001; Fan, Chen and Lin, 2005).

import { bestIntercept, prove } from "./proof.js";

/** Newton steps in a row that end at a bound. */
const BLOCKED = 4;
/** Distance of two hulls, as in proof.js, below which they are said to meet. */
const MEETING = 1e-7;
/** Share of the diagonal that is added to the matrix of a Newton step, which may be singular. */
const JITTER = 1e-11;

/** A program and its best answer so far: {beta, proof}. */
export class Descent {
  constructor(program, start = null) {
    this.program = program;
    const { m, target, lower, upper, epsilon } = program;
    const n = epsilon > 0 ? 2 * m : m;
    const of = (make) => Float64Array.from({ length: n }, (_, s) => make(s % m, s < m));
    Object.assign(this, { m, n, iterations: 0 });
    this.low = of((i, first) => (n === m || !first ? lower[i] : 0));
    this.high = of((i, first) => (n === m || first ? upper[i] : 0));
    this.linear = of((i, first) => target[i] + (first ? -epsilon : epsilon));
    this.x = of((i, first) => partOf(start?.[i] ?? 0, n === m, first));
    this.project();
    this.renew();
  }

  /** Clip to the bounds, and share out what the sum lacks. */
  project() {
    const { x, low, high, n, program: { total } } = this;
    for (let s = 0; s < n; s++) x[s] = Math.min(Math.max(x[s], low[s]), high[s]);
    if (total === null) return;
    for (let k = 0; k < 60; k++) {
      const lack = total - x.reduce((sum, each) => sum + each, 0);
      if (Math.abs(lack) <= 4 * Number.EPSILON * x.reduce((sum, each) => sum + Math.abs(each), Math.abs(total))) return;
      const room = [];
      for (let s = 0; s < n; s++) if (lack > 0 ? x[s] < high[s] : x[s] > low[s]) room.push(s);
      for (const s of room) x[s] = Math.min(Math.max(x[s] + lack / room.length, low[s]), high[s]);
    }
  }

  /** Compute beta, K beta and v anew. */
  renew() {
    const { m, n, x, program: { K, ridge } } = this;
    this.beta = Float64Array.from({ length: m }, (_, i) => (n === m ? x[i] : x[i] + x[i + m]));
    this.v = new Float64Array(n);
    for (let i = 0; i < m; i++) {
      let sum = ridge * this.beta[i];
      for (let j = 0, at = i * m; j < m; j++, at++) sum += K[at] * this.beta[j];
      for (let s = i; s < n; s += m) this.v[s] = this.linear[s] - sum;
    }
  }

  /** Go on until the relative gap is at most tol, or so many milliseconds are over; return whether it may fall yet. */
  run(tol, milliseconds) {
    const end = performance.now() + milliseconds;
    for (let round = 0; ; round++) {
      const open = (round > 0 || !this.isLinear) && this.pairs(2 * this.n);
      const moved = this.newton();
      this.renew();
      const proof = (this.proof = prove(this.program, this.beta, this.intercept()));
      this.beta = proof.beta;
      if (proof.apart < MEETING) throw this.meeting();
      if (proof.gap <= tol || !(open || moved) || proof.gap <= 2 * proof.rounding) return false;
      if (performance.now() > end) return true;
    }
  }

  /** Return the Error that says where the hulls of the classes meet, with the samples in marked. */
  meeting() {
    const { beta, proof: { apart } } = this;
    const largest = beta.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    const marked = [...beta.keys()].filter((i) => Math.abs(beta[i]) > 1e-6 * largest);
    const among = marked.length > 4 ? `${marked.slice(0, 4).join(", ")}, \u2026` : marked.join(", ");
    return Object.assign(new Error("no function of this kernel separates the two classes by a margin that sixteen digits "
      + `can show: a mixture of samples of one class is within ${apart.toExponential(0).replace("-", "\u2212")} of a mixture `
      + `of the other (samples ${among}); use a soft margin, or a more flexible kernel.`), { marked });
  }

  /** Whether there is nothing but a system of equations. */
  get isLinear() {
    return this.program.epsilon === 0 && this.low.every((each) => each === -Infinity)
      && this.high.every((each) => each === Infinity);
  }

  /** Return the middle of the b that the places allow, or the mean of those that are free. */
  intercept() {
    const { x, v, low, high, n, program: { total } } = this;
    if (total === null) return 0;
    let [least, most, sum, free] = [-Infinity, Infinity, 0, 0];
    for (let s = 0; s < n; s++) {
      if (x[s] < high[s]) least = Math.max(least, v[s]);
      if (x[s] > low[s]) most = Math.min(most, v[s]);
      if (x[s] > low[s] && x[s] < high[s]) [sum, free] = [sum + v[s], free + 1];
    }
    if (free) return sum / free;
    const middle = 0.5 * (least + most);
    return Number.isFinite(middle) ? middle : bestIntercept(this.program, this.v.map((each, s) => this.linear[s] - each));
  }

  /** Take steps on two coefficients; return whether any is left to take. */
  pairs(most) {
    const { m, n, x, v, low, high, program: { K, ridge, total } } = this;
    if (total === null) return this.singles(most);
    for (let k = 0; k < most; k++, this.iterations++) {
      let [i, best] = [-1, -Infinity];
      for (let s = 0; s < n; s++) if (v[s] > best && x[s] < high[s]) [i, best] = [s, v[s]];
      if (i < 0) return false;
      const [row, own] = [(i % m) * m, K[(i % m) * (m + 1)] + ridge];
      let [j, gain, curvature] = [-1, 0, 1];
      for (let s = 0, of = 0; s < n; s++, of = of + 1 === m ? 0 : of + 1) {
        const apart = best - v[s];
        if (!(apart > 0 && x[s] > low[s])) continue;
        const bent = Math.max(own + K[of * (m + 1)] + ridge - 2 * K[row + of], 1e-12 * (own || 1));
        if (apart * apart > gain * bent) [j, gain, curvature] = [s, (apart * apart) / bent, bent];
      }
      if (j < 0 || best - v[j] <= 4 * Number.EPSILON * (Math.abs(best) + Math.abs(this.linear[i]))) return false;
      const step = Math.min((best - v[j]) / curvature, high[i] - x[i], x[j] - low[j]);
      x[i] = step === high[i] - x[i] ? high[i] : x[i] + step;
      x[j] = step === x[j] - low[j] ? low[j] : x[j] - step;
      const [a, b] = [row, (j % m) * m];
      for (let of = 0; of < m; of++) {
        const change = step * (K[a + of] - K[b + of]);
        v[of] -= change;
        if (n > m) v[of + m] -= change;
      }
      if (ridge) [v[i], v[j]] = [v[i] - ridge * step, v[j] + ridge * step];
    }
    return true;
  }

  /** Without b: take steps on single coefficients, each to where its v is 0. */
  singles(most) {
    const { m, n, x, v, low, high, program: { K, ridge } } = this;
    for (let k = 0; k < most; k++, this.iterations++) {
      let [i, best] = [-1, 0];
      for (let s = 0; s < n; s++) {
        if (Math.abs(v[s]) > best && (v[s] > 0 ? x[s] < high[s] : x[s] > low[s])) [i, best] = [s, Math.abs(v[s])];
      }
      if (i < 0 || best <= 4 * Number.EPSILON * Math.abs(this.linear[i])) return false;
      const of = i % m;
      const to = Math.min(Math.max(x[i] + v[i] / (K[of * (m + 1)] + ridge), low[i]), high[i]);
      const step = to - x[i];
      x[i] = to;
      for (let s = 0; s < n; s++) v[s] -= step * (K[of * m + (s % m)] + (s % m === of ? ridge : 0));
    }
    return true;
  }

  /** Take Newton steps on the free coefficients, each as far as the bounds allow; return whether anything moved. */
  newton() {
    const { m, x, v, low, high, program: { K, ridge, total } } = this;
    let moved = false;
    for (let k = 0; k < BLOCKED; k++) {
      const free = [];
      for (let s = 0; s < this.n; s++) if (x[s] > low[s] && x[s] < high[s]) free.push(s);
      if (free.length < (total === null ? 1 : 2)) return moved;
      const direction = this.direction(free);
      if (!direction) return moved;
      let [share, blocking] = [1, -1];
      free.forEach((s, a) => {
        const end = direction[a] > 0 ? high[s] : low[s];
        const reach = direction[a] ? (end - x[s]) / direction[a] : Infinity;
        if (reach < share) [share, blocking] = [reach, a];
      });
      free.forEach((s, a) => {
        x[s] = a === blocking ? (direction[a] > 0 ? high[s] : low[s]) : x[s] + share * direction[a];
        const step = share * direction[a];
        for (let of = 0, at = (s % m) * m; of < m; of++, at++) v[of] -= step * K[at];
        v[s] -= ridge * step;
      });
      if (this.n > m) for (let of = 0; of < m; of++) v[of + m] = v[of] + this.linear[of + m] - this.linear[of];
      moved = true;
      this.iterations++;
      if (blocking < 0) return moved;
    }
    return moved;
  }

  /** Return where the free places go together; null where that is nowhere, or no way up. */
  direction(free) {
    const { m, v, program: { K, ridge, total } } = this;
    const size = free.length;
    const A = new Float64Array(size * size);
    let largest = 0;
    for (let a = 0; a < size; a++) largest = Math.max(largest, K[(free[a] % m) * (m + 1)] + ridge);
    for (let a = 0; a < size; a++) {
      const row = (free[a] % m) * m;
      for (let b = 0; b <= a; b++) A[a * size + b] = K[row + (free[b] % m)];
      A[a * (size + 1)] += ridge + JITTER * largest;
    }
    if (!factor(A, size)) return null;
    const p = solve(A, size, Float64Array.from(free, (s) => v[s]));
    let d = p;
    if (total !== null) {
      const q = solve(A, size, new Float64Array(size).fill(1));
      const sum = (values) => values.reduce((so, each) => so + each, 0);
      const b = sum(p) / sum(q);
      d = p.map((each, a) => each - b * q[a]);
      // What rounding left of the sum is taken back, so that it stays what it is.
      const left = sum(d) / size;
      d = d.map((each) => each - left);
    }
    if (!d.every(Number.isFinite)) return null;
    let [slope, bend] = [0, 0];
    for (let a = 0; a < size; a++) {
      slope += v[free[a]] * d[a];
      let along = ridge * d[a];
      for (let b = 0, row = (free[a] % m) * m; b < size; b++) along += K[row + (free[b] % m)] * d[b];
      bend += d[a] * along;
    }
    return slope > 0 && bend <= 2 * slope ? d : null;
  }
}

/** Return what of a coefficient is in a place: all, or its part above or below 0. */
function partOf(beta, isWhole, first) {
  if (isWhole) return beta;
  return first ? Math.max(beta, 0) : Math.min(beta, 0);
}

/** Put the Cholesky factor into the lower triangle of a matrix; return whether it has one. */
function factor(A, size) {
  for (let a = 0; a < size; a++) {
    const rowA = a * size;
    for (let b = 0; b <= a; b++) {
      const rowB = b * size;
      let sum = A[rowA + b];
      for (let k = 0; k < b; k++) sum -= A[rowA + k] * A[rowB + k];
      if (a !== b) A[rowA + b] = sum / A[rowB + b];
      else if (sum > 0) A[rowA + a] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/** Return the x with L L'x = right. */
function solve(L, size, right) {
  const x = right.slice();
  for (let a = 0; a < size; a++) {
    let sum = x[a];
    for (let k = 0; k < a; k++) sum -= L[a * size + k] * x[k];
    x[a] = sum / L[a * (size + 1)];
  }
  for (let a = size - 1; a >= 0; a--) {
    x[a] /= L[a * (size + 1)];
    for (let k = 0; k < a; k++) x[k] -= L[a * size + k] * x[a];
  }
  return x;
}
