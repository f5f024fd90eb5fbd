// SPDX-License-Identifier: BSD-3-Clause
// Points with which stories begin; other stories begin with an example of the menu.

/** Two classes with room for a line between them. */
export const SEPARATED = [
  [1.4, 0.9, 1], [2.3, 0.2, 1], [1.1, 2.2, 1], [2.6, 1.7, 1],
  [-1.2, -0.8, -1], [-2.2, 0.4, -1], [-0.9, -2.1, -1], [-2.7, -1.4, -1],
];

const DIAGONAL = [[1.5, 1.2], [2.1, 0.7], [1.0, 1.9], [-1.4, -1.1], [-2.0, -0.6], [-0.9, -1.8]];

/** Four corners: each class has two that face each other. */
export const CORNERS = [...DIAGONAL.map(([x, y]) => [x, y, 1]), ...DIAGONAL.map(([x, y]) => [-x, y, -1])];

/** A curve of twelve points. */
export const CURVE = [0.3, -0.4, 0.5, 1.2, 0.9, 1.4, 0.6, -0.2, -0.7, -1.1, -0.5, 0.1].map(
  (height, k) => [Number((-3.3 + 0.6 * k).toFixed(1)), height]);
