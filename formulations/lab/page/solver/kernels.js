// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the menu, for points of the plane or of a line, whose second coordinate is 0: their matrices, and their
// expansions on a grid for the picture.

/** Cells of a table of a function of the distance, and where it ends: what lies beyond is nothing to a picture. */
const [CELLS, FAR] = [4096, 40];

/** A kernel is value(x'z, squared distance, |x1 - z1| + |x2 - z2|), and add(grid, expansion) for the picture. */
const MAKERS = {
  linear: () => ({ value: (inner) => inner, add: addLinear }),
  rbf: ({ gamma }) => factored((d) => Math.exp(-gamma * d * d), (inner, square) => Math.exp(-gamma * square)),
  laplacian: ({ gamma }) =>
    factored((d) => Math.exp(-gamma * Math.abs(d)), (inner, square, taxicab) => Math.exp(-gamma * taxicab)),
  polynomial: ({ degree, gamma, coef0 }) => ({
    value: (inner) => power(gamma * inner + coef0, degree),
    add: (grid, expansion) => addInner(grid, expansion, (inner) => power(gamma * inner + coef0, degree)),
  }),
  matern: ({ length_scale: length, nu: derivatives }) => {
    // The smoothness is the number of derivatives and a half.
    const rate = Math.sqrt(2 * derivatives + 1) / length;
    const at = (t) => (derivatives === 0 ? 1 : derivatives === 1 ? 1 + t : 1 + t + (t * t) / 3) * Math.exp(-t);
    return {
      value: (inner, square) => at(rate * Math.sqrt(square)),
      add: (grid, expansion) => addRadial(grid, expansion, rate, at),
    };
  },
};

function power(value, degree) {
  let result = value;
  for (let k = 1; k < degree; k++) result *= value;
  return result;
}

/** The sum of the kernels of a setting. */
export class Kernel {
  constructor(terms) {
    this.parts = terms.map(({ name, values }) => MAKERS[name](values));
  }

  /** Return the matrix of places {x, y}, row by row. */
  matrix({ x, y }) {
    const m = x.length;
    const K = new Float64Array(m * m);
    for (const { value } of this.parts) {
      for (let i = 0; i < m; i++) {
        for (let j = 0; j <= i; j++) {
          const across = x[i] - x[j];
          const up = y[i] - y[j];
          K[i * m + j] += value(x[i] * x[j] + y[i] * y[j], across * across + up * up, Math.abs(across) + Math.abs(up));
        }
      }
    }
    for (let i = 0; i < m; i++) for (let j = 0; j < i; j++) K[j * m + i] = K[i * m + j];
    return K;
  }

  /** Return b + the sum of weights times the kernel at places {x, y}, on the grid {us, vs}: us run first. */
  field(grid, expansion, b) {
    const values = new Float64Array(grid.us.length * grid.vs.length).fill(b);
    for (const { add } of this.parts) add({ ...grid, values }, expansion);
    return values;
  }
}

function addLinear({ us, vs, values }, { x, y, weights }) {
  let [across, up] = [0, 0];
  weights.forEach((weight, j) => ([across, up] = [across + weight * x[j], up + weight * y[j]]));
  vs.forEach((v, row) => us.forEach((u, column) => (values[row * us.length + column] += across * u + up * v)));
}

/** Return a kernel that is a product of a function of each coordinate's difference. */
function factored(factor, value) {
  return {
    value,
    add({ us, vs, values }, { x, y, weights }) {
      const n = us.length;
      weights.forEach((weight, j) => {
        const across = us.map((u) => factor(u - x[j]));
        for (let row = 0; row < vs.length; row++) {
          const scale = weight * factor(vs[row] - y[j]);
          if (scale === 0) continue;
          for (let column = 0, at = row * n; column < n; column++, at++) values[at] += scale * across[column];
        }
      });
    },
  };
}

function addInner({ us, vs, values }, { x, y, weights }, value) {
  for (let row = 0, at = 0; row < vs.length; row++) {
    for (let column = 0; column < us.length; column++, at++) {
      let sum = 0;
      for (let j = 0; j < weights.length; j++) sum += weights[j] * value(us[column] * x[j] + vs[row] * y[j]);
      values[at] += sum;
    }
  }
}

/** Add a function of rate times the distance, read off a table between whose entries it is taken for straight. */
function addRadial({ us, vs, values }, { x, y, weights }, rate, value) {
  const fine = CELLS / FAR;
  const table = Float64Array.from({ length: CELLS + 2 }, (_, k) => (k < CELLS ? value(k / fine) : 0));
  for (let row = 0, at = 0; row < vs.length; row++) {
    for (let column = 0; column < us.length; column++, at++) {
      let sum = 0;
      for (let j = 0; j < weights.length; j++) {
        const across = us[column] - x[j];
        const up = vs[row] - y[j];
        const place = Math.min(fine * rate * Math.sqrt(across * across + up * up), CELLS);
        const cell = Math.floor(place);
        sum += weights[j] * (table[cell] + (place - cell) * (table[cell + 1] - table[cell]));
      }
      values[at] += sum;
    }
  }
}
