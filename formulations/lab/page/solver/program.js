// SPDX-License-Identifier: BSD-3-Clause
// The machines of the menu as one small problem, that of qpkernels/problems/kernel_qp/program.py:
//
//   min 1/2 beta'(K + ridge) beta - target'beta + epsilon |beta|_1   s.t.  lower <= beta <= upper,  1'beta = total,
//
// where total is null of a machine without b.

import { Kernel } from "./kernels.js";

const signed = (y, most) => ({ target: y, lower: y.map((each) => (each > 0 ? 0 : -most)),
  upper: y.map((each) => (each > 0 ? most : 0)) });
const alike = (y, lower, upper) => ({ target: y, lower: y.map(() => lower), upper: y.map(() => upper) });

/** What each machine states of the labels or targets y, and its values; isHard where no loss may be above 0. */
const STATED = {
  "hard-margin": (y) => ({ ...signed(y, Infinity), isHard: true }),
  "soft-margin": (y, { C }) => signed(y, C),
  "squared-hinge": (y, { C }) => ({ ...signed(y, Infinity), ridge: 1 / (2 * C) }),
  "least-squares-classifier": (y, { C }) => ({ ...alike(y, -Infinity, Infinity), ridge: 1 / C }),
  "one-class": (y, { nu }) => ({ ...alike(y.map(() => 0), 0, 1 / (nu * y.length)), total: 1 }),
  "soft-tube": (y, { C, epsilon }) => ({ ...alike(y, -C, C), epsilon }),
  quantile: (y, { C, tau }) => alike(y, C * (tau - 1), C * tau),
  huber: (y, { C, delta }) => ({ ...alike(y, -C * delta, C * delta), ridge: 1 / C }),
  "least-squares": (y, { C }) => ({ ...alike(y, -Infinity, Infinity), ridge: 1 / C }),
  "kernel-ridge": (y, { regularisation }) => ({ ...alike(y, -Infinity, Infinity), ridge: regularisation, total: null }),
};

/** Return the problem of a setting, with its kernel and the places of its points; throws an Error in words. */
export function programOf({ machine, kernel: terms, points }, { title, labels }) {
  if (!points.length) throw new Error("there are no points yet; add some.");
  const isPlane = points[0].length === 3;
  const y = points.map((point) => point.at(-1));
  if (isPlane && labels && y.every((each) => each === y[0])) {
    throw new Error("all points are of one class, and there is nothing to separate; add some of the other.");
  }
  const places = {
    x: Float64Array.from(points, ([x1]) => x1), y: Float64Array.from(points, ([, x2]) => (isPlane ? x2 : 0)),
  };
  const kernel = new Kernel(terms);
  const K = kernel.matrix(places);
  if (!K.every(Number.isFinite)) {
    throw new Error(`the kernel has infinite values at these points, so that ${title} has no answer; take a smaller `
      + "degree or gamma.");
  }
  return { m: y.length, K, kernel, places, isPlane, total: 0, epsilon: 0, ridge: 0, ...STATED[machine.name](y, machine.values) };
}
