// SPDX-License-Identifier: BSD-3-Clause
// Samples as lists, as plane/marks.js draws them: [x, y, label], or [x, y] of a regression.

/** Return the rows of an array of shape (n, 2). */
export function pairs({ data }) {
  return Array.from({ length: data.length / 2 }, (_, i) => [data[2 * i], data[2 * i + 1]]);
}

/** Return places with the label of each. */
export function labelled(places, labels) {
  return places.map(([x, y], i) => [x, y, labels[i]]);
}

/** Return samples at (xs, ys), with the labels of the points of a setting where these have one. */
export function samplesAt(xs, ys, points) {
  return Array.from(xs, (x, i) => [x, ys[i], ...points[i].slice(2)]);
}

/** Return where a plot has samples, in pixels. */
export function placesOf(plot, samples) {
  return samples.map(([u, v]) => plot.at(u, v));
}
